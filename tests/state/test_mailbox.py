"""What waits for a slow consumer: merged texts, the rest in order, one gap when it is too much."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_client.state.events import Event, Gap, ItemChanged, OutputAppended, TextAppended, TurnEnded
from acp_client.state.mailbox import JOIN_AT, MAILBOX_LIMIT, MAX_MERGED, Mailbox
from acp_client.state.store import SessionStore
from tests.state.support import Session, chunk, tool_update
from tests.state.test_terminals import output


@pytest.fixture
def box(two: Session) -> Mailbox:
    return Mailbox(two.store.snapshot)


def put(box: Mailbox, session: Session, *updates: Any) -> list[Event]:
    events = session.play(*updates)
    for event in events:
        box.put(event)
    return events


def test_a_prompt_consumer_gets_every_event_itself(two: Session, box: Mailbox) -> None:
    """Ours: nothing is merged or copied for who keeps up."""
    for raw in (chunk("a"), chunk("b"), tool_update()):
        (event,) = put(box, two, raw)
        assert box.take() is event
    assert box.take() is None


def test_text_of_one_message_is_merged(two: Session, box: Mailbox) -> None:
    """Ours: one event for many; it says for how many updates it stands and which state it leads to."""
    events = put(box, two, chunk("Hel"), chunk("lo"), chunk("!"))
    merged = box.take()
    assert isinstance(merged, TextAppended)
    assert (merged.key, merged.role, merged.text, merged.count) == ("agent:m1", "agent", "Hello!", 3)
    assert merged.version == events[-1].version
    assert merged.update is None
    assert isinstance(events[0], TextAppended)
    assert events[0].text == "Hel", "other consumers share the events"


def test_messages_that_interleave_are_merged_each(two: Session, box: Mailbox) -> None:
    """Ours: texts of different messages may pass each other, so two streams are two events."""
    put(box, two, chunk("a", "m1"), chunk("x", "m1", "thought"), chunk("b", "m1"), chunk("y", "m1", "thought"))
    assert [(e.key, e.text) for e in box.drain() if isinstance(e, TextAppended)] == [
        ("agent:m1", "ab"),
        ("thought:m1", "xy"),
    ]


def test_other_events_keep_their_place(two: Session, box: Mailbox) -> None:
    """Fault PF-03: a tool call in the middle stays in the middle."""
    put(box, two, chunk("a"), chunk("b"), tool_update(), chunk("c"), chunk("d"))
    kinds = [(e.text if isinstance(e, TextAppended) else "tool") for e in box.drain()]
    assert kinds == ["ab", "tool", "cd"]


def test_terminal_output_is_merged_too(two: Session, box: Mailbox) -> None:
    """Ours: bytes and text."""
    put(box, two, output(b"a\xe2"), output(b"\x82\xacb"))
    (merged,) = box.drain()
    assert isinstance(merged, OutputAppended)
    assert (merged.data, merged.text, merged.count, merged.terminal_id) == ("a€b".encode(), "a€b", 2, "x1")


def test_replayed_live_and_late_text_are_not_mixed(two: Session, box: Mailbox) -> None:
    """Faults SO-05, SO-08: what tells them apart is kept."""
    two.store.begin_replay(reset=True)
    put(box, two, chunk("a"))
    two.store.end_replay()
    put(box, two, chunk("b"))
    (late,) = two.play(chunk("c"))
    late.late = True
    box.put(late)
    assert [(e.text, e.replayed, e.late) for e in box.drain() if isinstance(e, TextAppended)] == [
        ("a", True, False),
        ("b", False, False),
        ("c", False, True),
    ]


def test_taking_in_the_middle_loses_nothing(two: Session, box: Mailbox) -> None:
    """Ours: text that comes after a take is a new event."""
    put(box, two, chunk("a"), chunk("b"))
    first = box.take()
    put(box, two, chunk("c"))
    second = box.take()
    assert [e.text for e in (first, second) if isinstance(e, TextAppended)] == ["ab", "c"]


def test_ten_thousand_letters_are_few_events(two: Session, box: Mailbox) -> None:
    """Fault PF-03: a consumer that takes once a repaint gets one event a repaint, with all of the text."""
    taken: list[Event] = []
    for n in range(10_000):
        put(box, two, tool_update() if n == 5000 else chunk("x"))
        if n % 160 == 0:
            taken += box.drain()
    taken += box.drain()
    assert len(taken) <= 100
    assert sum(event.count for event in taken) == 10_000
    assert "".join(e.text for e in taken if isinstance(e, TextAppended)) == two.message("agent:m1").text


def test_long_merges_do_not_pile_up_pieces(two: Session, box: Mailbox) -> None:
    """Ours: what waits is joined now and then."""
    put(box, two, *[chunk("x")] * (JOIN_AT * 3), *[output(b"y")] * (JOIN_AT * 2 + 1))
    for waiting in box._waiting:
        assert len(waiting._pieces) < JOIN_AT  # type: ignore[union-attr]  # both are merged
    text, printed = box.drain()
    assert isinstance(text, TextAppended)
    assert isinstance(printed, OutputAppended)
    assert (text.text, text.count) == ("x" * JOIN_AT * 3, JOIN_AT * 3)
    assert (printed.data, printed.count) == (b"y" * (JOIN_AT * 2 + 1), JOIN_AT * 2 + 1)


def test_a_mountain_of_text_comes_in_several_events(two: Session, box: Mailbox) -> None:
    """Ours: a merged event has a bound; the counts add up, nothing is lost, and what comes meanwhile goes behind it."""
    piece = "é" * (MAX_MERGED // 100)
    put(box, two, *[chunk(piece)] * 250)
    first = box.take()
    put(box, two, chunk("end"))
    events = [first, *box.drain()]
    assert len(events) == 4
    assert sum(event.count for event in events if event is not None) == 251
    texts = [event.text for event in events if isinstance(event, TextAppended)]
    assert max(map(len, texts)) <= MAX_MERGED
    assert "".join(texts) == piece * 250 + "end"
    versions = [event.version for event in events if event is not None]
    assert versions == sorted(versions)
    assert versions[-1] == two.store.version


def test_too_many_events_end_in_one_gap(two: Session, box: Mailbox) -> None:
    """Ours: the first ones are kept in order, all others are one gap with the state as it is when it is taken."""
    updates = [tool_update(f"t{n}") for n in range(MAILBOX_LIMIT + 500)]
    events = put(box, two, *updates)
    assert len(box) == MAILBOX_LIMIT + 1
    taken = [box.take() for _ in range(MAILBOX_LIMIT)]
    assert taken == events[:MAILBOX_LIMIT]
    put(box, two, chunk("more"))
    gap = box.take()
    assert isinstance(gap, Gap)
    assert (gap.missed, gap.count, gap.version) == (501, 501, two.now.version)
    assert gap.snapshot is two.now
    assert box.take() is None


def test_text_too_can_be_too_much(two: Session) -> None:
    """Ours: text of very many messages is not merged, so it is bounded like everything else."""
    box = Mailbox(two.store.snapshot, limit=3)
    put(box, two, *[chunk("x", f"m{n}") for n in range(5)])
    assert [event.count for event in box.drain()] == [1, 1, 1, 2]


def test_full_is_no_reason_to_stop_merging(two: Session) -> None:
    """Ours: text for a message that waits already takes no room."""
    box = Mailbox(two.store.snapshot, limit=1)
    put(box, two, *[chunk("x")] * 9)
    (merged,) = box.drain()
    assert isinstance(merged, TextAppended)
    assert merged.count == 9


def test_after_the_gap_everything_is_kept_again(two: Session) -> None:
    """Ours: one gap a time."""
    box = Mailbox(two.store.snapshot, limit=1)
    put(box, two, tool_update("t1"), tool_update("t2"))
    assert [type(event) for event in box.drain()] == [ItemChanged, Gap]
    put(box, two, tool_update("t3"))
    assert [type(event) for event in box.drain()] == [ItemChanged]


def test_a_gap_swallows_no_end_of_a_turn(two: Session) -> None:
    """Ours: the result is not in the snapshot, so it waits behind the gap, and before what comes after."""
    box = Mailbox(two.store.snapshot, limit=2)
    put(box, two, tool_update("t1"), tool_update("t2"), tool_update("t3"))
    end = TurnEnded(result="result", version=two.store.version)
    box.put(end)
    put(box, two, tool_update("t4"))
    assert len(box) == 4
    before, gap = [box.take(), box.take()], box.take()
    put(box, two, chunk("x"))
    assert [type(event) for event in before] == [ItemChanged, ItemChanged]
    assert isinstance(gap, Gap)
    assert gap.missed == 2
    assert box.take() is end
    assert isinstance(box.take(), TextAppended)


def test_an_end_comes_once_even_with_two_gaps(two: Session) -> None:
    """Ours: each gap hands on the ends that it held back, and no others."""
    box = Mailbox(two.store.snapshot, limit=1)
    results = []
    for number in range(2):
        put(box, two, tool_update("t1"), tool_update("t2"))
        box.put(TurnEnded(result=number, version=two.store.version))
        results.append([event.result for event in box.drain() if isinstance(event, TurnEnded)])
    assert results == [[0], [1]]


def test_somebody_who_comes_late_begins_with_a_gap(two: Session, box: Mailbox) -> None:
    """Ours: it stands for the updates before, and holds what they led to."""
    two.play(chunk("a"), chunk("b"))
    box.mark_gap(2)
    put(box, two, chunk("c"))
    gap = box.take()
    assert isinstance(gap, Gap)
    assert (gap.missed, gap.snapshot.messages[0].text) == (3, "abc")
    put(box, two, chunk("d"))
    assert [type(event) for event in box.drain()] == [TextAppended]


def test_clearing_forgets_everything(two: Session) -> None:
    """Ours."""
    box = Mailbox(two.store.snapshot, limit=1)
    put(box, two, chunk("a"), tool_update(), tool_update())
    box.put(TurnEnded(result=None, version=0))
    box.clear()
    assert len(box) == 0
    assert box.take() is None
    put(box, two, chunk("b"))
    assert [event.count for event in box.drain()] == [1]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("text"), st.sampled_from(["m1", "m2", "m3"])),
        st.tuples(st.just("tool"), st.sampled_from(["t1", "t2"])),
        st.tuples(st.just("output"), st.sampled_from(["x1", "x2"])),
        st.tuples(st.just("end"), st.just("")),
        st.tuples(st.just("local"), st.just("")),
        st.tuples(st.just("take"), st.just("")),
    ),
    max_size=60,
)


@given(STEPS, st.integers(1, 8))
def test_counts_add_up_order_is_kept_and_the_text_is_whole(steps: list[tuple[str, str]], limit: int) -> None:
    """Law: whatever is put and taken, a consumer that applies events and jumps at gaps ends in the same state."""
    session = Session(2)
    box = Mailbox(session.store.snapshot, limit)
    taken: list[Event] = []
    updates = ends = 0
    for number, (what, name) in enumerate(steps):
        if what == "take":
            event = box.take()
            taken += [] if event is None else [event]
            continue
        if what == "end":
            ends += 1
            box.put(TurnEnded(result=ends, version=session.store.changed()))
            continue
        if what == "local":
            box.put(session.reducer.local_state("running", None))
            continue
        updates += 1
        raw = {
            "text": chunk(f"{number} ", name),
            "tool": tool_update(name),
            "output": output(f"{number} ".encode(), name),
        }[what]
        put(box, session, raw)
    taken += box.drain()
    assert sum(event.count for event in taken) == updates
    assert [event.result for event in taken if isinstance(event, TurnEnded)] == list(range(1, ends + 1))
    texts: dict[str, str] = {}
    printed: dict[str, bytes] = {}
    for event in taken:
        if isinstance(event, Gap):
            texts = {message.key: message.text for message in event.snapshot.messages}
            printed = {terminal.key: terminal.output for terminal in event.snapshot.terminals.values()}
        elif isinstance(event, TextAppended):
            texts[event.key] = texts.get(event.key, "") + event.text
        elif isinstance(event, OutputAppended):
            printed[event.key] = printed.get(event.key, b"") + event.data
    now = session.now
    assert texts == {message.key: message.text for message in now.messages}
    assert printed == {terminal.key: terminal.output for terminal in now.terminals.values()}


def test_an_unused_box_is_empty() -> None:
    """Ours."""
    box = Mailbox(SessionStore("s", "/").snapshot)
    assert (len(box), box.take(), box.drain()) == (0, None, [])
