"""Replays: what an agent repeats replaces what is there, and is never doubled."""

from __future__ import annotations

from typing import Any

import pytest

from acp_client.state.events import InfoChanged, TextAppended
from tests.state.support import Session, chunk, message, state, text, tool_update
from tests.state.test_terminals import output


def replay(session: Session, *updates: Any, reset: bool = True, failed: bool = False) -> Any:
    session.store.begin_replay(reset=reset)
    session.play(*updates)
    return session.store.end_replay(failed=failed)


def test_updates_of_a_replay_say_so(session: Session) -> None:
    """Fault SO-05: history is flagged until the opening call has ended, live updates are not."""
    session.store.begin_replay(reset=True)
    events = session.play(chunk("a"), tool_update())
    session.store.end_replay()
    events += session.play(chunk("b"), tool_update())
    assert [event.replayed for event in events] == [True, True, False, False]


def test_a_fresh_session_shows_its_history_as_it_comes(session: Session) -> None:
    """Fault SO-04: nothing was there, so nothing has to wait; no event says that anything was replaced."""
    session.store.begin_replay(reset=True)
    session.update(chunk("a", "m1"))
    assert session.texts() == [("agent", "a")]
    assert session.store.end_replay() is None
    session.update(chunk("b", "m1"))
    assert session.texts() == [("agent", "ab")]


@pytest.mark.parametrize("reset", [True, False])
def test_a_replay_onto_a_history_replaces_it(session: Session, reset: bool) -> None:
    """Faults SO-06, WS-12; spec MUST (V2-SES-18): asked for or not, `A` and the replay `A`, `B` make `AB`."""
    session.update(chunk("A", "m1"))
    before = session.now
    session.store.begin_replay(reset=reset)
    session.update(chunk("A", "m1"))
    assert session.texts() == [("agent", "A")], "the old history is shown while the new one comes"
    session.update(chunk("B", "m1"))
    event = session.store.end_replay()
    assert session.texts() == [("agent", "AB")]
    assert isinstance(event, InfoChanged)
    assert (event.what, event.count, event.version) == ("timeline", 0, session.now.version)
    assert [m.text for m in before.messages] == ["A"]


def test_the_same_without_message_ids(one: Session) -> None:
    """Fault SO-06: keys without ids are counted anew, so they stay the same."""
    history = [chunk("q", None, "user"), chunk("A", None), chunk("q2", None, "user"), chunk("B", None)]
    one.play(*history)
    keys = [item.key for item in one.now.items]
    replay(one, *history)
    assert one.texts() == [("user", "q"), ("agent", "A"), ("user", "q2"), ("agent", "B")]
    assert [item.key for item in one.now.items] == keys


def test_a_resume_without_replay_keeps_everything(session: Session) -> None:
    """Spec (V2-SES-16, V1-SES-06): the usual resume brings no history, and other updates do not count as one."""
    session.update(chunk("A"))
    event = replay(session, {"sessionUpdate": "session_info_update", "title": "T"}, reset=False)
    assert event is None
    assert session.texts() == [("agent", "A")]
    assert session.now.title == "T"
    session.update(chunk("B"))
    assert session.texts() == [("agent", "AB")]


def test_a_state_during_a_resume_is_the_state(two: Session) -> None:
    """Spec MUST (V2-SES-17, V2-SES-19): it is taken, and it completes nothing."""
    two.update(state("running"))
    replay(two, state("idle", stopReason="cancelled"), reset=False)
    assert (two.now.state, two.now.stop_reason) == ("idle", "cancelled")
    replay(two, reset=False)
    assert two.now.state == "idle"
    replay(two, state("running"), reset=False)
    assert two.now.state == "running", "an answer without a state does not make it idle"


def test_a_failed_opening_changes_nothing(session: Session) -> None:
    """Ours: half a history is none."""
    session.update(chunk("A"))
    assert replay(session, chunk("X", "m9"), failed=True) is None
    assert session.texts() == [("agent", "A")]
    session.update(chunk("B"))
    assert session.texts() == [("agent", "AB")]


def test_a_second_replay_begins_anew(session: Session) -> None:
    """Ours: an opening that was given up leaves nothing to the next one."""
    session.update(chunk("A"))
    session.store.begin_replay(reset=True)
    session.update(chunk("X", "m9"))
    replay(session, chunk("A"), chunk("B"))
    assert session.texts() == [("agent", "AB")]
    assert session.store.end_replay() is None, "there is none to end"


def test_everything_of_the_history_is_replaced(two: Session) -> None:
    """Spec MUST (V2-SES-18): tool calls and terminals as well, so output is not doubled either."""
    two.play(tool_update("t1", status="in_progress"), output(b"out", "x1"), output(b"y", "x2"))
    replay(two, output(b"out", "x1"), tool_update("t2", status="in_progress"))
    assert [item.key for item in two.now.items] == ["tool:t2"]
    assert two.terminal("x1").output == b"out"
    assert set(two.now.terminals) == {"x1"}
    assert two.store.open_tool_calls() == ("t2",)


def test_replayed_upserts_reset_by_themselves(two: Session) -> None:
    """Recorded: version 2 agents send an empty message before each replayed chunk."""
    history = [message("m1", content=[]), chunk("A", "m1"), message("u1", "user", content=[]), chunk("q", "u1", "user")]
    for _ in range(3):
        replay(two, *history)
        assert two.texts() == [("agent", "A"), ("user", "q")]


def test_live_updates_of_the_new_history_go_on(session: Session) -> None:
    """Fault WS-12: after a reconnect the answer that was cut off is completed, not doubled."""
    session.update(chunk("He", "m1"))
    session.store.set_gap(True)
    replay(session, chunk("He", "m1"), chunk("llo", "m1"))
    event = session.update(chunk("!", "m1"))
    assert session.texts() == [("agent", "Hello!")]
    assert not event.replayed
    assert not session.now.gap, "the history is complete again"


def test_a_gap_stays_after_a_failed_replay(session: Session) -> None:
    """Fault WS-12: nothing has filled it."""
    session.store.set_gap(True)
    replay(session, failed=True)
    assert session.now.gap


def test_a_turn_sees_nothing_of_a_replay(session: Session) -> None:
    """Fault SO-05: the text of a turn that a reload interrupts is what is live in the new history."""
    session.update(chunk("old", "m0"))
    mark = session.store.text_mark()
    session.update(chunk("he", "m1"))
    replay(session, chunk("old", "m0"), chunk("he", "m1"))
    session.update(chunk("llo", "m1"))
    assert session.store.text_since(mark).text == "llo"


def test_history_after_the_answer_joins_no_earlier_message(one: Session) -> None:
    """Recorded: an agent answers `session/load` in the middle of its replay."""
    replay(one, chunk("context", None, "user"))
    one.play(chunk("prompt", None, "user"), chunk("hi", None))
    assert one.texts() == [("user", "context"), ("user", "prompt"), ("agent", "hi")]


def test_cancelling_in_the_middle_reaches_both_histories(two: Session) -> None:
    """Ours: whatever is shown afterwards, nothing of it runs."""
    two.update(tool_update("t1", status="in_progress"))
    two.store.begin_replay(reset=True)
    two.play(tool_update("t1", status="in_progress"), tool_update("t2", status="in_progress"))
    events = two.reducer.mark_cancelled()
    assert [event.key for event in events] == ["tool:t1", "tool:t2"]
    assert two.tool("t1").status == "cancelled"
    assert two.store.is_cancelled("t2")
    two.store.end_replay()
    assert [call.status for call in two.now.tool_calls] == ["cancelled", "cancelled"]


def test_texts_of_a_replay_are_events_too(session: Session) -> None:
    """Fault SO-04: three replayed updates are three events, in order."""
    session.store.begin_replay(reset=True)
    events = session.play(
        chunk("a"), chunk("b"), message("m2", content=[text("c")]) if session.protocol == 2 else chunk("c")
    )
    assert [event.text for event in events if isinstance(event, TextAppended)][:2] == ["a", "b"]
    assert sum(event.count for event in events) == 3
