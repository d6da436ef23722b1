"""How a cancel ends, and how a turn ends around it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from acp_client.errors import AgentError, ConnectionLost, RequestCancelled, SessionBusy
from tests.kit import CANCELLED, Stage, settle_down, within


async def test_the_idle_with_cancelled_confirms_it(scene2: Stage) -> None:
    """CAN-41: the agent's duty; the waiter resolves on it."""
    turn = scene2.begin()
    handle = turn.cancel()
    scene2.idle("cancelled")
    assert await within(handle) == "confirmed"
    assert (await within(turn)).stop_reason == "cancelled"


@pytest.mark.parametrize(
    ("fields", "reason", "outcome"),
    [
        ({"stopReason": "end_turn"}, "end_turn", "finished_first"),
        ({"stopReason": "_vendor"}, "_vendor", "finished_first"),
        ({"stopReason": None}, None, "finished_first"),
        ({"stopReason": 17}, None, "finished_first"),
        ({}, None, "finished_first"),
        ({"stopReason": "cancelled"}, "cancelled", "confirmed"),
    ],
)
async def test_any_idle_ends_the_wait(scene2: Stage, fields: dict[str, Any], reason: str, outcome: str) -> None:
    """CAN-43, race 3: the work may end first, with any reason or none."""
    turn = scene2.begin()
    handle = scene2.session.cancel()
    scene2.update("state_update", state="idle", **fields)
    assert await within(handle) == outcome
    result = await within(turn)
    assert (result.stop_reason, result.cancel) == (reason, outcome)


async def test_no_other_state_ends_the_wait(scene2: Stage) -> None:
    """CAN-44: running, requires_action and unknown states are not the end."""
    turn = scene2.begin()
    handle = scene2.session.cancel()
    for state in ("running", "requires_action", "_dreaming"):
        scene2.update("state_update", state=state)
        await settle_down()
        assert handle.outcome is None
        assert not turn.done
    scene2.idle("cancelled")
    assert await within(handle) == "confirmed"


async def test_held_prompts_end_with_an_error_and_inserted_ones_with_success(scene2: Stage) -> None:
    """CAN-45, CAN-46, CAN-47: the held message was never in the conversation and none is shown for it."""
    inserted = scene2.session.prompt("one")
    first = scene2.prompt_id()
    scene2.running()
    held = scene2.session.prompt("two", busy="overlap")
    second = scene2.prompt_id()
    handle = scene2.session.cancel()
    scene2.agent.respond(first, {"messageId": "m1"})
    await settle_down()
    assert handle.outcome is None
    scene2.agent.fail(second, -32800, "Request cancelled")
    scene2.idle("cancelled")
    assert await within(handle) == "confirmed"
    assert (await within(inserted)).message_id == "m1"
    result = await within(held)
    assert (result.stop_reason, result.message_id) == ("cancelled", None)
    assert isinstance(result.error, RequestCancelled)
    assert scene2.session.snapshot.messages == ()


@pytest.mark.parametrize("answer_first", [True, False])
async def test_answer_and_idle_come_in_either_order(scene2: Stage, answer_first: bool) -> None:
    """CAN-48: both lead to the same end."""
    turn = scene2.session.prompt("go")
    scene2.running()
    handle = scene2.session.cancel()
    steps: list[Callable[[], None]] = [
        lambda: scene2.agent.respond(scene2.prompt_id(), {"messageId": "m1"}),
        lambda: scene2.idle("cancelled"),
    ]
    for step in steps if answer_first else reversed(steps):
        step()
    assert await within(handle) == "confirmed"
    result = await within(turn)
    assert (result.stop_reason, result.message_id, result.cancel) == ("cancelled", "m1", "confirmed")


async def test_a_repeated_idle_is_not_another_end(scene2: Stage) -> None:
    """CAN-49: one completion; the next turn is not ended by the repetition."""
    ends: list[str] = []
    scene2.session.on_update(lambda event: ends.append(event.type) if event.type == "turn_ended" else None)
    turn = scene2.begin()
    scene2.session.cancel()
    scene2.idle("cancelled")
    scene2.idle("cancelled")
    await within(turn)
    assert ends == ["turn_ended"]
    again = scene2.session.prompt("again")
    scene2.agent.respond(scene2.prompt_id(), {"messageId": "m2"})
    scene2.idle("cancelled", background=[])
    await settle_down()
    assert not again.done
    scene2.running()
    scene2.idle()
    assert (await within(again)).stop_reason == "end_turn"


async def test_an_idle_cancelled_without_a_cancel_of_ours_is_an_ordinary_state(scene2: Stage) -> None:
    """CAN-50: another client, or an option of a permission, can cause it."""
    scene2.running()
    scene2.idle("cancelled")
    assert scene2.session.state == "idle"
    assert scene2.session.snapshot.stop_reason == "cancelled"


async def test_background_updates_after_the_end_are_applied(scene2: Stage) -> None:
    """CAN-51: terminal output arrives while the session is idle and stays so."""
    turn = scene2.begin()
    scene2.session.cancel()
    scene2.idle("cancelled")
    await within(turn)
    scene2.update("terminal_output_chunk", terminalId="x1", data="aGk=")
    assert scene2.session.snapshot.terminals["x1"].output == b"hi"
    assert scene2.session.state == "idle"


async def test_a_prompt_sent_after_the_cancel_is_not_affected_by_it(scene2: Stage) -> None:
    """CAN-52, race 8: it lives on past the idle that ends the cancelled work."""
    old = scene2.begin()
    handle = scene2.session.cancel()
    new = scene2.session.prompt("next", busy="overlap")
    new_id = scene2.prompt_id()
    scene2.idle("cancelled")
    assert await within(handle) == "confirmed"
    await within(old)
    assert not new.done
    scene2.agent.respond(new_id, {"messageId": "m9"})
    scene2.running()
    scene2.chunk("fresh", "a9")
    scene2.idle()
    result = await within(new)
    assert (result.stop_reason, result.cancel, result.text) == ("end_turn", None, "fresh")


async def test_a_failure_while_cancelling_ends_the_wait_with_the_error_kept(scene2: Stage) -> None:
    """CAN-53, V2-STA-06: reported as failed, never raised as a request error."""
    turn = scene2.begin()
    handle = scene2.session.cancel()
    scene2.idle("error", error={"code": -32603, "message": "model failed", "data": {"status": 500}})
    assert await within(handle) == "failed"
    result = await within(turn)
    assert (result.stop_reason, result.cancel) == ("error", "failed")
    assert isinstance(result.error, AgentError)
    assert (result.error.code, result.error.data) == (-32603, {"status": 500})


async def test_answers_that_come_after_the_end_change_nothing(scene2: Stage) -> None:
    """CAN-54: the answer was written behind the cancel; the agent may have ended without reading it."""
    turn = scene2.begin()
    request_id = scene2.ask()
    scene2.session.cancel()
    scene2.idle("cancelled")
    await within(turn)
    assert scene2.answer_to(request_id)["result"] == CANCELLED
    assert scene2.session.state == "idle"


async def test_a_wait_that_never_ends_is_bounded_and_the_late_end_is_swallowed(scene: Stage) -> None:
    """CAN-93, CP-04: unconfirmed, nothing is resent, and the next turn gets only its own end."""
    turn = scene.begin()
    old_id = scene.prompt_id()
    handle = scene.session.cancel(grace=10)
    scene.clock.advance(10)
    assert await within(handle) == "unconfirmed"
    result = await within(turn)
    assert (result.stop_reason, result.cancel) == (None, "unconfirmed")
    assert len(scene.written("session/cancel")) == 1
    again = scene.begin("again")
    if scene.version == 1:
        scene.agent.respond(old_id, {"stopReason": "end_turn"})
        await settle_down()
        assert not again.done
    scene.chunk("new text", "a2")
    scene.finish()
    assert (await within(again)).text == "new text"


async def test_an_inserted_prompt_without_any_work_is_bounded_too(scene2: Stage) -> None:
    """CAN-93: the state was idle and no running follows, so the agent owes no update."""
    turn = scene2.session.prompt("go")
    handle = scene2.session.cancel(grace=10)
    scene2.agent.respond(scene2.prompt_id(), {"messageId": "m1"})
    await settle_down()
    assert handle.outcome is None
    scene2.clock.advance(10)
    assert await within(handle) == "unconfirmed"
    assert (await within(turn)).message_id == "m1"
    scene2.idle("cancelled")
    assert scene2.session.state == "idle"


async def test_a_cancelled_prompt_that_was_only_pending_ends_with_its_error(scene2: Stage) -> None:
    """CAN-42, CAN-55: idle session, prompt pending, answered -32800: no idle is owed and none is waited for."""
    turn = scene2.session.prompt("go")
    handle = scene2.session.cancel()
    scene2.agent.fail(scene2.prompt_id(), -32800, "Request cancelled")
    assert await within(handle) == "confirmed"
    assert (await within(turn)).stop_reason == "cancelled"


async def test_a_withdrawn_prompt_that_was_not_inserted_starts_nothing(scene2: Stage) -> None:
    """CAN-55: `$/cancel_request` for a prompt, answered -32800."""
    turn = scene2.session.prompt("go")
    assert turn.withdraw()
    assert scene2.written("$/cancel_request")[0]["params"] == {"requestId": scene2.prompt_id()}
    scene2.agent.fail(scene2.prompt_id(), -32800, "Request cancelled")
    result = await within(turn)
    assert (result.stop_reason, result.message_id, result.cancel) == ("cancelled", None, None)
    assert not turn.withdraw()


async def test_a_withdrawn_prompt_that_was_inserted_all_the_same_goes_on(scene2: Stage) -> None:
    """CAN-56, CAN-57: the id is told, the work goes on, and nobody cancels it unasked."""
    turn = scene2.session.prompt("go")
    turn.withdraw()
    scene2.agent.respond(scene2.prompt_id(), {"messageId": "m1"})
    assert await within(turn.accepted()) == "m1"
    scene2.running()
    await settle_down()
    assert not turn.done
    assert scene2.written("session/cancel") == []
    scene2.idle()
    result = await within(turn)
    assert (result.stop_reason, result.message_id) == ("end_turn", "m1")


async def test_a_prompt_the_agent_cancels_by_itself_counts_as_cancelled(scene2: Stage) -> None:
    """CAN-58: -32800 without any cancel of ours."""
    turn = scene2.session.prompt("go")
    scene2.agent.fail(scene2.prompt_id(), -32800, "Request cancelled")
    result = await within(turn)
    assert (result.stop_reason, result.cancel) == ("cancelled", None)


async def test_the_echo_of_the_message_may_come_before_the_answer(scene2: Stage) -> None:
    """CAN-59, V2-PRM-06: matched by id, in either order."""
    turn = scene2.session.prompt("go")
    scene2.update("user_message", messageId="m1", content=[{"type": "text", "text": "go"}])
    scene2.agent.respond(scene2.prompt_id(), {"messageId": "m1"})
    assert await within(turn.accepted()) == "m1"
    assert [m.message_id for m in scene2.session.snapshot.messages] == ["m1"]
    scene2.running()
    scene2.idle()
    await within(turn)


async def test_version_1_ends_with_the_answer_of_the_prompt(scene1: Stage) -> None:
    """CAN-87: updates before it are there when the call returns."""
    turn = scene1.begin()
    scene1.session.cancel()
    scene1.chunk("bye")
    scene1.agent.respond(scene1.prompt_id(), {"stopReason": "cancelled"})
    result = await within(turn)
    assert (result.stop_reason, result.text, result.cancel) == ("cancelled", "bye", "confirmed")


async def test_version_1_shows_32800_as_cancelled(scene1: Stage) -> None:
    """CAN-88, CP-03: not an error; the raw error is kept and the connection lives."""
    turn = scene1.begin()
    scene1.session.cancel()
    scene1.agent.fail(scene1.prompt_id(), -32800, "Request cancelled")
    result = await within(turn)
    assert (result.stop_reason, result.cancel) == ("cancelled", "confirmed")
    assert isinstance(result.error, RequestCancelled)
    again = scene1.begin("again")
    scene1.finish()
    assert (await within(again)).stop_reason == "end_turn"


async def test_another_error_after_our_cancel_is_kept_but_not_raised(scene1: Stage) -> None:
    """CP-03, v1: the agent should have said cancelled; the host sees failed and the error."""
    turn = scene1.begin()
    handle = scene1.session.cancel()
    scene1.agent.fail(scene1.prompt_id(), -32603, "Request was aborted.")
    result = await within(turn)
    assert (result.stop_reason, result.cancel) == ("cancelled", "failed")
    assert isinstance(result.error, AgentError)
    assert await within(handle) == "failed"


async def test_version_1_cancelled_without_our_cancel_is_an_ordinary_end(scene1: Stage) -> None:
    """CAN-94: after a rejected permission, for instance."""
    turn = scene1.begin()
    scene1.agent.respond(scene1.prompt_id(), {"stopReason": "cancelled"})
    result = await within(turn)
    assert (result.stop_reason, result.cancel, result.error) == ("cancelled", None, None)


async def test_stop_followed_at_once_by_a_prompt_keeps_one_turn_on_the_wire(scene1: Stage) -> None:
    """CP-05: refused by default, held with "queue": the second prompt leaves after the first answer."""
    first = scene1.begin()
    scene1.session.cancel()
    with pytest.raises(SessionBusy):
        scene1.session.prompt("b")
    second = scene1.session.prompt("b", busy="queue")
    assert len(scene1.written("session/prompt")) == 1
    assert second.held
    scene1.finish("cancelled")
    await within(first)
    assert len(scene1.written("session/prompt")) == 2
    scene1.finish()
    assert (await within(second)).stop_reason == "end_turn"


async def test_cancel_then_lost_connection_ends_every_wait(scene: Stage) -> None:
    """CAN-80, race 9: the turn raises the loss, the handle says so, nothing hangs."""
    turn = scene.begin()
    handle = scene.session.cancel()
    scene.agent.close()
    assert await within(handle) == "connection_lost"
    with pytest.raises(ConnectionLost):
        await within(turn)
    assert await within(scene.session.cancel()) == "connection_lost"


async def test_agent_initiated_work_that_crosses_the_cancel_is_shown(scene2: Stage) -> None:
    """Race 4: the session was idle here; what the agent then reports is applied as it is."""
    assert await within(scene2.session.cancel()) == "finished_first"
    scene2.running()
    assert scene2.session.state == "running"
    scene2.idle("cancelled")
    assert scene2.session.state == "idle"


async def test_a_cancel_that_crosses_the_answer_gets_the_result(scene: Stage) -> None:
    """Race 5: the graceful caller has its result; the agent ignores the cancel."""
    call = asyncio.create_task(scene.client.request("_x/slow", {}, timeout=0.0, graceful=5))
    await scene.agent.next("$/cancel_request")
    scene.agent.respond(scene.written("_x/slow")[0]["id"], {"ok": True})
    assert await within(call) == {"ok": True}


@pytest.mark.parametrize("step", ["request", "close", "stop"])
async def test_an_agent_that_ignores_the_cancel_can_be_pressed(scene: Stage, step: str) -> None:
    """Ours, CAN-93: after the grace each step of the escalation is taken, each with the same grace."""
    turn = scene.begin()
    handle = turn.cancel(grace=10, escalate=[step])
    scene.clock.advance(10)
    await settle_down()
    assert handle.outcome is not None or step != "stop"
    if step == "request":
        # In version 2 the prompt has its answer, so there is nothing left that could be cancelled.
        expected = [{"requestId": scene.prompt_id()}] if scene.version == 1 else []
        assert [m["params"] for m in scene.written("$/cancel_request")] == expected
    elif step == "close":
        assert len(scene.written("session/close")) == 1
    else:
        assert await within(handle) == "connection_lost"
        return
    scene.clock.advance(10)
    assert await within(handle) == "unconfirmed"


async def test_a_held_prompt_is_dropped_without_a_word(scene: Stage) -> None:
    """Ours: what was never sent needs no cancel; the running turn goes on."""
    running = scene.begin()
    held = scene.session.prompt("later", busy="queue")
    assert await within(held.cancel()) == "confirmed"
    assert (await within(held)).stop_reason == "cancelled"
    assert scene.written("session/cancel") == []
    assert not running.done
    scene.finish()
    assert (await within(running)).stop_reason == "end_turn"
    assert len(scene.written("session/prompt")) == 1


async def test_who_waits_for_the_answer_of_a_prompt_that_ends_without_one_waits_no_longer(scene: Stage) -> None:
    """Ours: a held prompt that is dropped, and one whose cancel nobody confirms, get no answer any more."""
    running = scene.session.prompt("go")
    held = scene.session.prompt("then this", busy="queue")
    waits = [asyncio.create_task(turn.accepted()) for turn in (running, held)]
    await settle_down()
    held.cancel()
    assert await within(waits[1]) is None
    running.cancel(grace=1.0)
    await settle_down()
    assert not waits[0].done()
    scene.clock.advance(1.0)
    assert await within(waits[0]) is None


async def test_who_waits_for_the_answer_of_a_held_prompt_ends_with_the_connection(scene: Stage) -> None:
    """CAN-80: also where nothing was written yet."""
    scene.session.prompt("go")
    held = asyncio.create_task(scene.session.prompt("then this", busy="queue").accepted())
    await settle_down()
    scene.agent.close()
    assert await within(held) is None
