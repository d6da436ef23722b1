"""What a session hands on unchanged: graces, `_meta`, and the words for what was called wrong."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from acp_client.errors import NotSupported, UsageError
from tests.kit import Stage, settle_down, within


def delays(scene: Stage) -> list[float]:
    """Seconds of the timers that are set."""
    return [due - scene.clock.now for due, _, _ in scene.clock._timers]


# graces


async def test_a_turn_that_is_given_up_is_cancelled_with_its_own_grace(scene: Stage) -> None:
    """CAN-93: the one its prompt was given, for a cancelled await and for a block left early."""
    waiting = asyncio.ensure_future(within(scene.begin(grace=3.0)))
    await settle_down()
    waiting.cancel()
    await settle_down()
    assert delays(scene) == [3.0]
    scene.finish("cancelled")
    assert delays(scene) == []

    async def leave_early() -> None:
        async with scene.begin(grace=4.0):
            pass

    leaving = asyncio.ensure_future(leave_early())
    await settle_down()
    assert delays(scene) == [4.0]
    scene.finish("cancelled")
    await within(leaving)


async def test_a_prompt_that_cancels_first_bounds_that_cancel_with_its_grace(scene: Stage) -> None:
    """CAN-93: an agent that ignores the cancel holds the new prompt up for no longer."""
    scene.begin()
    turn = scene.session.prompt("instead", busy="cancel", grace=3.0)
    assert delays(scene) == [3.0]
    scene.clock.advance(3.0)
    assert not turn.held


async def test_a_turn_without_traffic_is_cancelled_at_its_limit_and_with_its_grace(scene: Stage) -> None:
    """UX-02: traffic puts it off by the whole limit, a question stops the clock."""
    now = [100.0]
    scene.client._now = lambda: now[0]  # type: ignore[method-assign]  # time that passes when the test says so
    scene.client._later = scene.clock.later  # type: ignore[method-assign]  # the same
    turn = scene.begin(idle_timeout=10.0, grace=3.0)
    scene.session._work.last_activity = now[0]

    def pass_time(seconds: float) -> None:
        now[0] += seconds
        scene.clock.advance(seconds)

    pass_time(6.0)
    scene.session._work.last_activity = now[0]
    pass_time(4.0)
    assert delays(scene) == [6.0], "four seconds of quiet"
    scene.ask()
    pass_time(6.0)
    assert delays(scene) == [10.0], "an open question is no quiet"
    scene.questions[0].select("yes")
    scene.session._work.last_activity = now[0]
    pass_time(10.0)
    assert scene.written("session/cancel") != []
    assert delays(scene) == [3.0]
    scene.finish("cancelled")
    await within(turn)


async def test_a_held_turn_is_not_quiet(scene: Stage) -> None:
    """UX-02: its clock begins with its work."""
    now = [0.0]
    scene.client._now = lambda: now[0]  # type: ignore[method-assign]  # time that passes when the test says so
    scene.client._later = scene.clock.later  # type: ignore[method-assign]  # the same
    scene.begin()
    held = scene.session.prompt("next", busy="queue", idle_timeout=10.0)
    now[0] = 50.0
    scene.clock.advance(10.0)
    assert held.held
    assert scene.written("session/cancel") == []
    assert delays(scene) == [10.0]
    scene.session.cancel()
    scene.finish("cancelled")


# escalation


async def test_pressing_one_turn_withdraws_its_prompt_and_no_other(scene: Stage) -> None:
    """CAN-93, CAN-01: `$/cancel_request` names the prompt of that turn."""
    first = scene.session.prompt("one")
    scene.session.prompt("two", busy="overlap")
    ids = [message["id"] for message in scene.written("session/prompt")]
    first.cancel(grace=2.0, escalate=["request"])
    scene.clock.advance(2.0)
    assert [message["params"] for message in scene.written("$/cancel_request")] == [{"requestId": ids[0]}]
    scene.session.cancel(grace=2.0, escalate=["request"])
    scene.clock.advance(2.0)
    assert len(scene.written("$/cancel_request")) in (1, 2)


async def test_an_agent_that_refuses_the_close_of_an_escalation_harms_nothing(scene: Stage) -> None:
    """CAN-93: nobody waits for that answer, so its refusal is nobody's error."""
    problems: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: problems.append(context))
    turn = scene.begin()
    turn.cancel(grace=2.0, escalate=["close"])
    scene.clock.advance(2.0)
    await settle_down()
    scene.agent.fail(scene.written("session/close")[0]["id"], -32603, "no")
    await settle_down()
    assert scene.session.closed
    assert scene.client._connection._tasks == set()
    assert problems == []


# meta


async def test_meta_goes_along_with_every_call(scene: Stage) -> None:
    """V2-EXT-01: under `_meta`, as it was given."""
    meta = {"trace": "1"}
    turn = scene.begin(meta=meta)
    turn.cancel(meta=meta)
    scene.finish("cancelled")
    await within(turn)
    again = scene.begin()
    scene.session.cancel(meta=meta)
    scene.finish("cancelled")
    await within(again)
    sent = [scene.written("session/prompt")[0], *scene.written("session/cancel")]
    assert [message["params"]["_meta"] for message in sent] == [meta] * 3


async def test_meta_goes_along_with_the_cancel_of_tool_calls_and_terminals(scene2: Stage) -> None:
    """V2-EXT-01."""
    meta = {"trace": "1"}
    cancellable: dict[str, Any] = {"capabilities": {"cancel": {}}}
    scene2.begin()
    scene2.update("tool_call_update", toolCallId="t1", title="x", status="in_progress", **cancellable)
    scene2.update("terminal_update", terminalId="x1", title="x", **cancellable)
    calls = [scene2.session.cancel_tool_call("t1", meta=meta), scene2.session.cancel_terminal("x1", meta=meta)]
    tasks = [asyncio.ensure_future(call) for call in calls]
    await settle_down()
    for method in ("tool_call/cancel", "terminal/cancel"):
        (message,) = scene2.written(method)
        assert message["params"]["_meta"] == meta
        scene2.agent.respond(message["id"], {})
    await within(asyncio.gather(*tasks))
    scene2.idle()


# words


async def test_what_was_called_wrong_is_told_with_what_would_be_right(scene: Stage) -> None:
    """Ours: nothing is sent, nothing has changed."""
    session: Any = scene.session  # the type checker would not let any of it through
    before = len(scene.agent.written)
    wrong: list[tuple[Any, str]] = [
        (
            lambda: session.prompt("x", busy="now"),
            "busy must be one of ('error', 'queue', 'cancel', 'overlap'), not 'now'",
        ),
        (lambda: session.prompt(b"x"), "a prompt is text, a content block, or several of them, not a bytes"),
        (lambda: session.prompt(5), "a prompt is text, a content block, or several of them, not a int"),
        (lambda: session.prompt(["x", 5]), "a prompt is made of text and content blocks, not of a int"),
        (lambda: session.prompt([]), "cannot send an empty prompt: give it some text or another content block"),
        (lambda: session.prompt("x", meta={"a": {1}}), "cannot send session/prompt: a set is no JSON value"),
        (lambda: session.cancel(meta={"a": {1}}), "cannot send session/cancel: a set is no JSON value"),
        (
            lambda: session.cancel(escalate=["shout"]),
            "unknown escalation 'shout'; choose from ('request', 'close', 'stop')",
        ),
    ]
    for call, words in wrong:
        with pytest.raises(UsageError) as caught:
            call()
        assert str(caught.value) == words
    assert len(scene.agent.written) == before
    assert not session._work.is_busy
    assert session.replayed == 0


async def test_modes_that_are_not_there_cannot_be_set(scene: Stage) -> None:
    """Ours: version 1 has modes, version 2 an option of that category, and this agent neither."""
    with pytest.raises(NotSupported) as caught:
        await scene.session.set_mode("plan")
    assert str(caught.value) == "the agent offers no modes in this session"


async def test_a_turn_that_has_not_ended_has_no_result(scene: Stage) -> None:
    """Ours: with what to do."""
    turn = scene.begin()
    with pytest.raises(UsageError) as caught:
        _ = turn.result
    assert str(caught.value) == "the turn has not ended yet; await it"
    scene.finish()
    assert turn.result.stop_reason == "end_turn"
