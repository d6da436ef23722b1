"""Snapshots: immutable, shared, cheap, and readable from anywhere."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
import tracemalloc
from typing import Any

import attrs
import pytest

from acp_client.state.content import Content, Text
from acp_client.state.drafts import TAIL
from acp_client.state.growing import EMPTY, SMALL, Body
from acp_client.state.items import Message, Terminal
from acp_client.state.store import SessionStore
from acp_client.state.timeline import SIZE, Timeline
from tests.state.support import Session, chunk, message, state, text, tool_update
from tests.state.test_terminals import output


def test_a_snapshot_is_shared_until_something_changes(session: Session) -> None:
    """Ours: asking again costs nothing; versions tell snapshots apart."""
    session.update(chunk("a"))
    first = session.now
    assert session.now is first
    session.update(chunk("b"))
    assert session.now is not first
    assert session.now.version > first.version


def test_items_that_did_not_change_are_the_same_objects(session: Session) -> None:
    """Ours: a host may compare by identity to know what to redraw."""
    session.play(chunk("a", "m1"), tool_update("t1"), chunk("b", "m2"))
    before = session.now
    session.update(chunk("!", "m2"))
    after = session.now
    assert after.items[0] is before.items[0]
    assert after.items[1] is before.items[1]
    assert after.items[2] is not before.items[2]
    assert after.terminals is before.terminals
    assert after.commands is before.commands


def test_an_earlier_snapshot_never_changes(two: Session) -> None:
    """Ours: also when its text is read only later, and after everything was replaced."""
    two.play(chunk("a"), tool_update(title="T"), output(b"out"))
    early = two.now
    two.play(
        chunk("b"), message("m1", content=[text("x")]), tool_update(title=None), output(b"more"), chunk("new", "m2")
    )
    assert [m.text for m in early.messages] == ["a"]
    assert early.tool_calls[0].title == "T"
    assert early.terminals["x1"].output == b"out"
    assert len(early.items) == 2


def test_snapshots_and_their_items_cannot_be_changed(two: Session) -> None:
    """Ours: frozen at run time, too."""
    two.play(chunk("a"), tool_update(), output(b"x"))
    for thing, name in [
        (two.now, "state"),
        (two.now.items[0], "key"),
        (two.now.items[1], "title"),
        (two.terminal(), "cwd"),
    ]:
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(thing, name, None)
    with pytest.raises(TypeError):
        two.now.terminals["x1"] = two.terminal()  # type: ignore[index]  # that is the point


def test_a_snapshot_survives_pickling(two: Session) -> None:
    """Ours: for engines that carry it elsewhere; open questions belong to a connection and stay behind."""
    two.play(
        chunk("a"),
        tool_update(title="T", rawInput={"a": [1]}),
        output(b"out\xff"),
        state("running", background=[]),
        {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": text("s")},
        {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": []}},
    )
    two.store.pending = {"q1": threading.Lock()}
    two.store.changed()
    restored = pickle.loads(pickle.dumps(two.now))
    assert restored.pending == ()
    assert attrs.evolve(two.now, pending=()) == restored
    assert restored.item("agent:m1") == two.message("agent:m1")
    assert copy.deepcopy(attrs.evolve(two.now, pending=())) == restored


def test_views_of_one_kind(session: Session) -> None:
    """Ours: messages, tool calls and plans of the timeline, made once a snapshot."""
    session.play(chunk("a"), tool_update())
    snapshot = session.now
    assert [item.key for item in snapshot.messages] == ["agent:m1"]
    assert [item.key for item in snapshot.tool_calls] == ["tool:t1"]
    assert snapshot.plans == ()
    assert snapshot.messages is snapshot.messages


def test_what_the_session_itself_reports(session: Session) -> None:
    """Ours: connection, gap, questions and the time of the last update are in the snapshot (UX-06)."""
    store = session.store
    store.last_activity = 12.5
    store.set_connected(False)
    store.set_gap(True)
    now = session.now
    assert (now.connected, now.gap, now.last_activity) == (False, True, 12.5)
    assert (now.session_id, now.cwd) == ("s1", "/workspace")


class TestTimeline:
    def test_it_is_a_sequence(self, session: Session) -> None:
        """Ours: everything a tuple can do, across segments."""
        keys = [f"agent:m{n}" for n in range(SIZE * 2 + 3)]
        for n in range(len(keys)):
            session.update(chunk("x", f"m{n}"))
        items = session.now.items
        assert len(items) == len(keys)
        assert [item.key for item in items] == keys
        assert items[-1].key == keys[-1]
        assert items[SIZE].key == keys[SIZE]
        assert [item.key for item in items[SIZE - 1 : SIZE + 1]] == keys[SIZE - 1 : SIZE + 1]
        assert items == tuple(items)
        assert items != tuple(items)[1:]
        assert items != "text"
        assert items.get(keys[SIZE + 1]) is items[SIZE + 1]
        assert items.get("nothing") is None
        assert pickle.loads(pickle.dumps(items)) == items
        with pytest.raises(IndexError):
            items[len(keys)]
        assert repr(items) == f"<Timeline of {len(keys)} items>"

    def test_keys_of_later_items_are_not_in_it(self, session: Session) -> None:
        """Ours: what shares its index with later snapshots still knows only its own items."""
        session.update(chunk("a", "m1"))
        early = session.now
        session.update(chunk("b", "m2"))
        assert session.now.item("agent:m2") is not None
        assert early.item("agent:m2") is None

    def test_untouched_segments_are_shared(self, session: Session) -> None:
        """Ours (PF-01): a long history costs a snapshot only its segments' addresses."""
        for n in range(SIZE + 5):
            session.update(chunk("x", f"m{n}"))
        before = session.now.items
        session.update(chunk("!", f"m{SIZE + 2}"))
        after = session.now.items
        assert after._segments[0] is before._segments[0]
        assert after._segments[1] is not before._segments[1]

    def test_removal_across_segments(self, two: Session) -> None:
        """Ours: whatever follows a removed plan moves up, in this segment and the next ones."""
        two.update({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": []}})
        for n in range(SIZE):
            two.update(chunk("x", f"m{n}"))
        before = list(two.now.items)
        two.update({"sessionUpdate": "plan_removed", "planId": "p"})
        assert list(two.now.items) == before[1:]
        two.update(chunk("y", f"m{SIZE - 1}"))
        assert two.now.items[SIZE - 1] == two.message(f"agent:m{SIZE - 1}")
        assert two.message(f"agent:m{SIZE - 1}").text == "xy"

    def test_an_empty_one(self) -> None:
        """Ours."""
        assert list(Timeline.of(())) == []
        assert list(SessionStore("s", "/").snapshot().items) == []


class TestMessages:
    def test_they_can_be_made_by_hand(self) -> None:
        """Ours: for tests of hosts; equal if they say the same, however they came about."""
        by_hand = Message(key="agent:m1", role="agent", message_id="m1", content=[Text("a"), Text("b")])
        session = Session(2)
        session.play(chunk("a"), chunk("b"))
        assert session.message("agent:m1") == by_hand
        assert by_hand != Message(key="agent:m1", role="agent", message_id="m1", content=[Text("a")])
        assert by_hand != "ab"
        assert repr(by_hand) == "Message(key='agent:m1', role='agent', text='ab')"
        long = Message(key="k", role="user", content=[Text("x" * 100)])
        assert repr(long) == f"Message(key='k', role='user', text={'x' * 57!r}...)"

    def test_terminals_can_be_made_by_hand(self) -> None:
        """Ours."""
        session = Session(2)
        session.update(output(b"ab"))
        assert session.terminal() == Terminal(key="terminal:x1", terminal_id="x1", output=b"ab")


def pieces_of(moment: Any) -> int:
    """How many pieces a growing value has that were not joined yet."""
    pieces = 0
    while moment._previous is not None:
        pieces += 1
        moment = moment._previous
    return pieces


class TestGrowth:
    """Costs are counted in allocations and joins, not in seconds."""

    def test_memory_stays_near_the_text(self) -> None:
        """Ours (PF-01): twenty thousand tiny chunks, a snapshot after every hundred, at most three times their text."""
        session = Session(2)
        raw = [chunk(f"{n:06d}", f"m{n // 1000}") for n in range(20_000)]
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for n, update in enumerate(raw):
            session.update(update)
            if n % 100 == 0:
                session.now  # noqa: B018  # only made
        last = session.now
        used = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        assert sum(len(m.text) for m in last.messages) == 120_000
        assert used < 3 * 120_000 + 60_000, "the constant is the items themselves"

    def test_a_growing_text_is_not_joined_for_each_snapshot(self) -> None:
        """Ours (PF-01): the pieces a snapshot adds are as long as what came since the last one."""
        session = Session(2)
        lengths = []
        for _ in range(200):
            session.play(*[chunk("x" * 50)] * 100)
            body = session.message("agent:m1")._body
            piece = body._piece
            assert isinstance(piece, str)
            lengths.append(len(piece))
        assert max(lengths) <= SMALL + 100 * 50
        assert len(session.message("agent:m1").text) == 200 * 100 * 50

    def test_many_tiny_snapshots_do_not_leave_many_pieces(self) -> None:
        """Ours: a snapshot after each letter keeps pieces of a useful length."""
        session = Session(2)
        for _ in range(3 * SMALL):
            session.update(chunk("x"))
            session.now  # noqa: B018  # only made
        assert pieces_of(session.message("agent:m1")._body) <= 4

    def test_chunks_that_nobody_looks_at_are_joined_now_and_then(self, session: Session) -> None:
        """Ours: without any snapshot, too, letters do not stay single objects, and are marked as changed once."""
        session.play(*[chunk("x")] * (TAIL * 3 + 5))
        draft = session.store.history.messages["agent"]["m1"]
        assert len(draft.tail) == 5
        assert len(session.store.history.builder._dirty) == 1
        assert len(session.message("agent:m1").text) == TAIL * 3 + 5

    def test_reading_lets_go_of_the_pieces(self, session: Session) -> None:
        """Ours: a text that was read is one string and nothing beside it."""
        session.play(*[chunk("x" * SMALL)] * 5)
        found = session.message("agent:m1")
        assert pieces_of(found._body) > 0
        assert len(found.text) == 5 * SMALL
        assert pieces_of(found._body) == 0

    def test_the_same_for_output(self) -> None:
        """Ours: of a terminal that prints letter by letter."""
        session = Session(2)
        for _ in range(3 * SMALL):
            session.update(output(b"x"))
            session.now  # noqa: B018  # only made
        assert pieces_of(session.terminal()._output) <= 4
        assert session.terminal().output == b"x" * 3 * SMALL

    def test_a_very_long_chain_can_be_read_and_forgotten(self) -> None:
        """Ours: no recursion, neither in reading nor in freeing."""
        body = EMPTY
        for _ in range(sys.getrecursionlimit() * 20):
            body = Body(body, "ab", None, 0)
        assert len(body.text) == sys.getrecursionlimit() * 40
        for _ in range(sys.getrecursionlimit() * 20):
            body = Body(body, "ab", None, 0)
        del body

    def test_a_moment_that_is_joined_while_another_thread_walks_over_it(self) -> None:
        """Ours: who finds its pieces gone finds the whole instead."""

        class Racing(Body):
            looks = 0

            @property
            def _whole(self) -> tuple[Content, ...] | None:
                self.looks += 1
                return None if self.looks == 1 else (Text("ab"),)

            @_whole.setter
            def _whole(self, value: object) -> None: ...

        assert Racing().with_text("c").text == "abc"

    def test_reading_joins_once(self, session: Session) -> None:
        """Ours: read twice, joined once; a plain text is kept as it is, one with wide characters in less room."""
        session.play(chunk("a"), chunk("b"))
        found = session.message("agent:m1")
        assert found.text is found.text
        assert found.text is found.content[0].text  # type: ignore[union-attr]  # it is a text
        session.play(chunk("\N{GRINNING FACE}"), chunk("\ud83d"), chunk("é"))
        found = session.message("agent:m1")
        assert found.text == "ab\N{GRINNING FACE}\ud83dé"
        assert [block.text for block in found.content if isinstance(block, Text)] == [found.text]
        assert all(isinstance(part, bytes) for part in found._body.whole)


def test_snapshots_may_be_read_in_other_threads_while_text_comes(session: Session) -> None:
    """Ours: hosts draw in their own thread; what they read never tears."""
    problems: list[str] = []
    latest: list[Message] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set() or latest:
            try:
                seen = latest.pop()
            except IndexError:
                continue
            words = seen.text.split()
            if words != [str(n) for n in range(len(words))]:
                problems.append(seen.text)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(1000):
        session.update(chunk(f"{n} "))
        snapshot = session.message("agent:m1")
        latest.extend([snapshot, snapshot])
    done.set()
    for reader in readers:
        reader.join(20)
    assert not problems


def test_the_state_can_be_imported_without_any_protocol_type() -> None:
    """Ours: models come with the first connection, so only the reducer of its version may need them."""
    script = (
        "import sys\n"
        "import acp_client.state.mailbox, acp_client.state.reducing, acp_client.state.store\n"
        "unwanted = ('acp_client.models.v1', 'acp_client.models.v2', 'acp_client.models.convert')\n"
        "assert not [name for name in sys.modules if name.startswith(unwanted)]\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=30)


def test_long_replays_cost_as_much_per_update_as_short_ones() -> None:
    """Fault PF-01: the work per snapshot does not grow with the number of updates before it."""

    def allocations(updates: int) -> int:
        session = Session(1)
        for n in range(updates):
            session.update(chunk("x", f"m{n // 10}"))
        session.now  # noqa: B018  # everything is frozen once
        session.update(chunk("y", "m0"))
        tracemalloc.start()
        session.now  # noqa: B018  # only made
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    assert allocations(30_000) < 15 * allocations(300)
