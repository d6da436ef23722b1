"""One session's rules, step by step: what is sent, what is told, and how turns and cancels end."""

from __future__ import annotations

import pytest

from acp_client.errors import AgentError, ConnectionLost, InvalidResponse, SessionBusy, SessionClosed
from acp_client.policy.turns import CancelOutcome, Phase, TurnWork
from acp_client.state.events import StateChanged, TurnEnded, UnknownUpdate
from tests.policy.core import Core, phase, result

CANCELLED = {"outcome": {"outcome": "cancelled"}}


# updates


def test_an_update_nobody_can_read_is_kept_with_its_problem(core: Core) -> None:
    """Ours: raw, with what is wrong with it; the session goes on."""
    core.update("agent_message_chunk", messageId="m", content={"type": "text", "text": 5})
    (event,) = core.seen(UnknownUpdate)
    assert event.raw["content"] == {"type": "text", "text": 5}
    assert event.reason == "invalid"
    core.update("_acme_news", a=1)
    assert core.seen(UnknownUpdate)[1].reason == "unknown"
    core.text("on")
    assert core.work.store.snapshot().messages[-1].text == "on"


def test_what_stands_beside_an_update_is_told(core: Core) -> None:
    """Ours: whatever the protocol does not know, and nothing where there is nothing."""
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "x"}}
    core.receive(method="session/update", params={"sessionId": "s1", "update": update, "_meta": {"k": 1}})
    assert core.events[-1].extra == {"_meta": {"k": 1}}
    core.receive(method="session/update", params={"sessionId": "s1", "update": update})
    assert not core.events[-1].extra


def test_what_comes_while_no_turn_runs_is_late(core: Core) -> None:
    """Ours: and what belongs to a replay is not."""
    core.text("before")
    assert core.events[-1].late is True
    turn = core.begin()
    core.text("inside")
    assert core.events[-1].late is False
    core.end(turn)
    core.work.store.begin_replay(reset=False)
    core.text("replayed", "old")
    assert (core.events[-1].replayed, core.events[-1].late) == (True, False)


def test_a_replayed_state_ends_nothing(core2: Core) -> None:
    """SO-04: it is of earlier work."""
    turn = core2.begin()
    core2.work.store.begin_replay(reset=False)
    core2.state("idle", stopReason="end_turn")
    assert phase(turn) is Phase.SENT


# prompts


def test_a_busy_session_says_what_to_do(core: Core) -> None:
    """Ours: the text for who reads it."""
    core.begin()
    with pytest.raises(SessionBusy) as caught:
        core.prompt()
    assert str(caught.value) == (
        "session s1 is busy with another turn: await it or cancel it first, "
        'or prompt with busy="queue", "cancel" or "overlap"'
    )


def test_a_closed_or_lost_session_takes_no_prompt(core: Core) -> None:
    """CAN-80: each with its own reason."""
    core.work.begin_close(lambda: None)
    with pytest.raises(SessionClosed, match=r"^session s1 was closed on this connection; resume it to go on$"):
        core.prompt()
    core.peer.lost(ConnectionLost("gone"))
    with pytest.raises(ConnectionLost, match="session/prompt"):
        core.prompt()
    assert core.methods() == []


def test_a_prompt_of_version_1_runs_from_here(core1: Core) -> None:
    """Ours: no state is reported, so the prompt and its answer are the states."""
    turn = core1.begin()
    assert [event.state for event in core1.seen(StateChanged)] == ["running"]
    core1.end(turn, "max_tokens")
    states = [(event.state, event.stop_reason) for event in core1.seen(StateChanged)]
    assert states == [("running", None), ("idle", "max_tokens")]
    assert core1.work.store.state == "idle"


def test_the_last_of_overlapping_prompts_ends_the_work_of_version_1(core1: Core) -> None:
    """Ours: the session is idle when nothing runs any more."""
    first, second = core1.begin(), core1.prompt("overlap")
    core1.end(first)
    assert core1.work.store.state == "running"
    core1.end(second)
    assert core1.work.store.state == "idle"


def test_version_2_reports_its_states_itself(core2: Core) -> None:
    """V2-STA-01."""
    turn = core2.prompt()
    assert core2.seen(StateChanged) == []
    core2.accept(turn)
    core2.end(turn)
    assert [event.state for event in core2.seen(StateChanged)] == ["running", "idle"]


def test_an_answer_without_its_shape_is_the_agents_fault(core: Core) -> None:
    """V2-PRM-04, V1-PRM-02: it names the method and the problem."""
    turn = core.prompt()
    core.receive(id=core.prompt_id(), result={"messageId": 5, "stopReason": 5})
    assert isinstance(turn.error, InvalidResponse)
    assert turn.error.method == "session/prompt"
    assert turn.error.problem
    assert turn.error.problem != "None"
    assert turn.failed is turn.error


def test_a_refusal_of_a_second_prompt_keeps_the_agents_words(core1: Core) -> None:
    """Ours: one type for it, with the error behind it; only while another one ran."""
    core1.begin()
    second = core1.prompt("overlap")
    core1.receive(id=core1.prompt_id(), error={"code": -32600, "message": "busy"})
    assert isinstance(second.error, SessionBusy)
    assert str(second.error) == "agent refused a prompt while another runs: busy (code -32600)"
    assert isinstance(second.error.__cause__, AgentError)
    core1.end(core1.work.active[0])
    alone = core1.prompt()
    core1.receive(id=core1.prompt_id(), error={"code": -32600, "message": "no"})
    assert type(alone.error) is AgentError


def test_the_result_of_a_turn_tells_all_of_it(core: Core) -> None:
    """Ours: and what was before the turn is none of it."""
    core.text("before ")
    core.update("usage_update", used=10, size=100)
    turn = core.begin()
    core.text("one ")
    core.text("two")
    core.end(turn)
    told = result(turn)
    updates = 4 if core.version == 2 else 2
    assert (told.session_id, told.stop_reason, told.text, told.updates) == ("s1", "end_turn", "one two", updates)
    assert (told.cancel, told.error, told.meta, told.open_tool_calls) == (None, None, None, ())
    assert told.message_id == ("m1" if core.version == 2 else None)
    assert told.raw["stopReason"] == "end_turn"
    assert told.usage is core.work.store.usage
    assert told.usage is not None
    (event,) = core.seen(TurnEnded)
    assert (event.result, event.version) == (told, core.work.store.version)


def test_a_dropped_prompt_has_a_result_without_text(core: Core) -> None:
    """Ours: nothing was sent, so nothing belongs to it."""
    core.text("before")
    core.begin()
    held = core.prompt("queue")
    core.work.drop(held)
    told = result(held)
    assert (told.text, told.stop_reason, told.cancel) == ("", "cancelled", CancelOutcome.CONFIRMED)


def test_a_prompt_is_dropped_only_while_it_is_held(core: Core) -> None:
    """CAN-55: otherwise it is the agent's to decide."""
    running = core.begin()
    held = core.prompt("queue")
    assert core.work.drop(running) is False
    assert core.work.drop(TurnWork(())) is False
    assert core.work.withdraw(held) is True
    assert core.work.drop(held) is False
    assert core.work.withdraw(held) is False
    assert "$/cancel_request" not in core.methods()
    assert core.work.withdraw(running) is (core.version == 1)


def test_queued_prompts_wait_for_the_turn_and_for_the_cancel(core2: Core) -> None:
    """CAN-52: in their order, one at a time; a cancel drops those before it."""
    turn = core2.begin()
    first = core2.prompt("queue")
    handle = core2.work.cancel(10.0)
    assert phase(first) is Phase.ENDED
    after = core2.prompt("queue")
    assert phase(after) is Phase.HELD
    core2.end(turn, "cancelled")
    assert handle.outcome is CancelOutcome.CONFIRMED
    assert phase(after) is Phase.SENT


def test_a_prompt_that_cancels_first_is_sent_when_the_grace_is_over(core: Core) -> None:
    """CAN-93: with the grace it was given; the agent's silence does not hold it up."""
    turn = core.begin()
    after = core.prompt("cancel", grace=3.0)
    assert [delay for delay, _ in core.timers] == [3.0]
    assert phase(after) is Phase.HELD
    core.time_is_up()
    assert turn.outcome is CancelOutcome.UNCONFIRMED
    assert phase(after) is Phase.SENT


def test_nothing_is_sent_once_the_session_is_closed_or_lost(core: Core) -> None:
    """CAN-80, CAN-78: what was held ends."""
    turn = core.begin()
    held = core.prompt("queue")
    core.work.begin_close(lambda: None)
    assert phase(held) is Phase.ENDED
    assert core.work.queue == core.work.queue.__class__()
    core.end(turn)
    assert core.methods().count("session/prompt") == 1


# which idle ends which turn (version 2)


def test_an_idle_of_other_work_does_not_end_a_prompt_on_its_way(core2: Core) -> None:
    """V2-PRM-12, CAN-48: while something else ran, an idle before the answer means nothing."""
    core2.state("running")
    turn = core2.prompt("overlap")
    core2.text("other work")
    core2.state("idle", stopReason="end_turn")
    core2.receive(id=core2.prompt_id(), result={"messageId": "m1"})
    assert phase(turn) is Phase.SENT
    core2.state("running")
    core2.state("idle", stopReason="end_turn")
    assert phase(turn) is Phase.ENDED


def test_an_idle_before_the_answer_ends_the_turn_when_nothing_else_ran(core2: Core) -> None:
    """CAN-48: with the state that came, its reason and its meta."""
    turn = core2.prompt()
    core2.state("running")
    core2.state("idle", stopReason="max_tokens", _meta={"k": 1})
    assert phase(turn) is Phase.SENT
    core2.receive(id=core2.prompt_id(), result={"messageId": "m1"})
    told = result(turn)
    assert (told.stop_reason, told.raw["state"], told.meta) == ("max_tokens", "idle", {"k": 1})


def test_a_failure_before_the_answer_is_kept_too(core2: Core) -> None:
    """CAN-53: code, message and data of the idle state."""
    turn = core2.prompt()
    core2.state("running")
    core2.state("idle", stopReason="error", error={"code": -7, "message": "broken", "data": [1]})
    core2.receive(id=core2.prompt_id(), result={"messageId": "m1"})
    assert isinstance(turn.error, AgentError)
    assert (turn.error.method, turn.error.code) == ("session/prompt", -7)
    assert (turn.error.message, turn.error.data) == ("broken", [1])


def test_an_error_beside_another_reason_is_no_failure(core2: Core) -> None:
    """Ours: the reason counts."""
    turn = core2.begin()
    core2.state("idle", stopReason="end_turn", error={"code": -7, "message": "old"})
    assert (result(turn).stop_reason, turn.error) == ("end_turn", None)
    failed = core2.begin()
    core2.state("idle", stopReason="error")
    assert (result(failed).stop_reason, failed.error) == ("error", None)


def test_a_message_seen_before_the_idle_belongs_to_work_that_is_over(core2: Core) -> None:
    """CAN-59, V2-PRM-09: the echo tells that the prompt was inserted before that idle."""
    core2.state("running")
    turn = core2.prompt("overlap")
    core2.update("user_message", messageId="m1", content=[{"type": "text", "text": "go"}])
    core2.text("work")
    core2.state("idle", stopReason="end_turn")
    core2.receive(id=core2.prompt_id(), result={"messageId": "m1"})
    assert phase(turn) is Phase.ENDED


def test_a_second_prompt_is_busy_even_before_the_agent_says_that_it_runs(core2: Core) -> None:
    """V2-PRM-12: the idle may be the first one's."""
    core2.prompt()
    second = core2.prompt("overlap")
    assert second.sent_busy
    assert second.overlap


def test_a_prompt_behind_an_unfinished_cancel_is_sent_into_something(core2: Core) -> None:
    """CAN-52: the idle that comes next may be the cancel's."""
    first = core2.begin()
    core2.work.cancel(1.0)
    core2.time_is_up()
    core2.state("idle", stopReason="cancelled")
    assert phase(first) is Phase.ENDED
    alone = core2.prompt()
    assert not alone.sent_busy
    assert not alone.overlap


def test_a_prompt_while_a_cancel_waits_for_its_answer_is_sent_into_something(core2: Core) -> None:
    """CAN-52, CAN-33: the state says idle, the cancelled prompt may still begin."""
    core2.prompt()
    core2.work.cancel(1.0)
    core2.time_is_up()
    assert core2.work.active == []
    second = core2.prompt()
    assert second.sent_busy


# cancelling


def test_a_cancel_of_version_1_needs_a_prompt(core1: Core) -> None:
    """Ours: one that was given up and not answered counts as well."""
    assert core1.work.owes_cancel() is False
    assert core1.work.cancel(1.0).outcome is CancelOutcome.FINISHED_FIRST
    turn = core1.begin()
    assert core1.work.owes_cancel() is True
    core1.work.cancel(1.0)
    core1.time_is_up()
    assert phase(turn) is Phase.ENDED
    assert core1.work.owes_cancel() is True
    core1.end(turn)
    assert core1.work.owes_cancel() is False
    assert core1.methods() == ["session/prompt", "session/cancel"]


def test_a_cancel_after_the_end_says_why_it_did_nothing(core: Core) -> None:
    """CAN-80: without a word on the wire."""
    turn = core.begin()
    core.peer.lost(ConnectionLost("gone"))
    writes = len(core.writes)
    over = core.work.cancel(1.0)
    assert (over.outcome, over.over, over.waits_for_idle) == (CancelOutcome.CONNECTION_LOST, True, False)
    assert core.work.cancel(1.0, turn=turn).outcome is CancelOutcome.FINISHED_FIRST
    assert len(core.writes) == writes
    assert core.timers == []


def test_a_cancel_without_grace_sets_no_timer_and_one_that_is_over_neither(core2: Core) -> None:
    """CAN-93: None waits for ever; where nothing is owed there is nothing to bound."""
    core2.begin()
    core2.work.cancel(None)
    assert core2.timers == []
    idle = Core(2)
    assert idle.work.cancel(5.0).outcome is CancelOutcome.FINISHED_FIRST
    assert idle.timers == []
    assert idle.methods() == ["session/cancel"]


def test_two_stops_are_one_cancel_with_two_bounds(core: Core) -> None:
    """Race 7: the shorter one ends it, and the end stops both."""
    turn = core.begin()
    first = core.work.cancel(10.0)
    assert core.work.cancel(2.0) is first
    assert core.methods().count("session/cancel") == 1
    assert sorted(delay for delay, _ in core.timers) == [2.0, 10.0]
    core.end(turn, "cancelled")
    assert core.timers == []


def test_each_step_of_the_escalation_gets_the_grace_of_its_own(core: Core) -> None:
    """CAN-93: in their order; after the last one it is given up."""
    core.begin()
    steps: list[str] = []
    handle = core.work.cancel(2.0, [lambda: steps.append("first"), lambda: steps.append("second")])
    for expected in (["first"], ["first", "second"]):
        core.time_is_up()
        assert steps == expected
        assert handle.outcome is None
        assert [delay for delay, _ in core.timers] == [2.0]
    core.time_is_up()
    assert handle.outcome is CancelOutcome.UNCONFIRMED


def test_a_cancel_behind_a_new_prompt_covers_both(core2: Core) -> None:
    """CAN-33: the window is a new one and waits for everything that is owed."""
    core2.prompt()
    first = core2.work.cancel(1.0)
    core2.time_is_up()
    second_turn = core2.prompt()
    assert first.narrow
    second = core2.work.cancel(None)
    assert second is not first
    assert set(second.turns) == {*first.turns, second_turn}
    core2.receive(id=core2.prompt_id(1), error={"code": -32800, "message": "cancelled"})
    assert second.outcome is None, "the prompt that was given up is still owed"
    core2.receive(id=core2.prompt_id(0), error={"code": -32800, "message": "cancelled"})
    assert second.outcome is CancelOutcome.CONFIRMED
    assert second_turn.outcome is CancelOutcome.CONFIRMED
    assert (first.over, second.over) == (True, True)


def test_a_cancel_while_the_agent_works_waits_for_its_idle(core2: Core) -> None:
    """CAN-44: the answer of the prompt alone is not the end."""
    core2.state("running")
    turn = core2.prompt("overlap")
    cancel = core2.work.cancel(None)
    assert cancel.waits_for_idle
    core2.receive(id=core2.prompt_id(), error={"code": -32800, "message": "cancelled"})
    assert phase(turn) is Phase.ENDED
    assert cancel.outcome is None
    core2.state("idle", stopReason="cancelled")
    assert cancel.outcome is CancelOutcome.CONFIRMED
    assert cancel.over


def test_a_failure_while_cancelling_is_its_outcome(core2: Core) -> None:
    """CAN-53: also where no turn of ours ran."""
    core2.state("running")
    cancel = core2.work.cancel(None)
    core2.state("idle", stopReason="error", error={"code": -7, "message": "broken"})
    assert cancel.outcome is CancelOutcome.FAILED


def test_a_cancel_drops_what_is_held_and_nothing_else(core: Core) -> None:
    """Ours: in their order."""
    turn = core.begin()
    held = [core.prompt("queue") for _ in range(3)]
    core.work.cancel(None)
    assert [t.phase for t in held] == [Phase.ENDED] * 3
    assert phase(turn) is Phase.SENT
    assert [event.result for event in core.seen(TurnEnded)] == [t.result for t in held]


def test_the_tool_calls_of_a_cancel_are_shown_as_cancelled(core: Core) -> None:
    """Ours: each with an event of its own, until the agent says otherwise."""
    core.begin()
    kind = "tool_call" if core.version == 1 else "tool_call_update"
    for number in range(2):
        core.update(kind, toolCallId=f"t{number}", title="Edit", status="in_progress")
    before = len(core.events)
    core.work.cancel(None)
    assert [call.status for call in core.work.store.snapshot().tool_calls] == ["cancelled", "cancelled"]
    assert core.keys(before) == [call.key for call in core.work.store.snapshot().tool_calls]
