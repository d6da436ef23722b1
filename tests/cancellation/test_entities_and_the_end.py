"""Cancelling one tool call or terminal, closing a session, losing the connection, shutting down."""

from __future__ import annotations

import asyncio

import pytest

from acp_client.errors import AgentError, ConnectionLost, NotSupported, SessionClosed
from acp_client.policy.questions import PendingPermission
from acp_client.rpc.inbound import EndedBy
from tests.kit import CANCELLED, Desk, Stage, settle_down, within

TOOL = "tool_call/cancel"


def answer(scene: Stage, method: str, **result: object) -> None:
    scene.agent.respond(scene.written(method)[-1]["id"], result)


async def test_only_what_advertises_it_now_can_be_cancelled(scene2: Stage) -> None:
    """CAN-69: refused here, nothing is written; a capability that was taken back counts as none."""
    scene2.tool_call("t1")
    for capabilities in (None, {}, {"cancel": None}, "broken"):
        scene2.tool_update("t1", capabilities={"cancel": {}})
        scene2.tool_update("t1", capabilities=capabilities)
        with pytest.raises(NotSupported):
            await scene2.session.cancel_tool_call("t1")
    with pytest.raises(NotSupported):
        await scene2.session.cancel_terminal("x1")
    assert scene2.written(TOOL) == scene2.written("terminal/cancel") == []


async def test_the_answer_says_accepted_and_the_update_says_stopped(scene2: Stage) -> None:
    """CAN-71, CAN-72, CAN-75: no status, no state and no question changes by the request or its answer."""
    scene2.begin()
    scene2.tool_call("t1", capabilities={"cancel": {}})
    request_id = scene2.ask("t2")
    call = asyncio.create_task(scene2.session.cancel_tool_call("t1"))
    await settle_down()
    assert scene2.written(TOOL)[0]["params"] == {"sessionId": "s1", "toolCallId": "t1"}
    answer(scene2, TOOL)
    await within(call)
    assert scene2.status("t1") == "in_progress"
    assert scene2.session.state == "running"
    assert scene2.answers_to(request_id) == []
    assert scene2.written("session/cancel") == []
    scene2.tool_update("t1", status="completed")
    assert scene2.status("t1") == "completed"


async def test_a_terminal_ends_with_its_exit_status_and_keeps_its_bytes(scene2: Stage) -> None:
    """CAN-73: the tool call that shows it is not touched."""
    scene2.tool_call("t1", content=[{"type": "terminal", "terminalId": "x1"}])
    scene2.update("terminal_update", terminalId="x1", capabilities={"cancel": {}}, output={"data": "aGk="})
    call = asyncio.create_task(scene2.session.cancel_terminal("x1"))
    await settle_down()
    answer(scene2, "terminal/cancel")
    await within(call)
    assert not scene2.session.snapshot.terminals["x1"].exited
    scene2.update("terminal_update", terminalId="x1", exitStatus={"signal": "SIGTERM"})
    terminal = scene2.session.snapshot.terminals["x1"]
    assert (terminal.exited, terminal.signal, terminal.output) == (True, "SIGTERM", b"hi")
    assert scene2.status("t1") == "in_progress"


@pytest.mark.parametrize("ended", [True, False])
async def test_a_race_with_the_end_of_the_tool_call_is_no_error(scene2: Stage, ended: bool) -> None:
    """CAN-74, race 11: -32602 is benign exactly when the entity has ended meanwhile."""
    scene2.tool_call("t1", capabilities={"cancel": {}})
    call = asyncio.create_task(scene2.session.cancel_tool_call("t1"))
    await settle_down()
    if ended:
        scene2.tool_update("t1", status="completed")
    scene2.agent.fail(scene2.written(TOOL)[0]["id"], -32602, "not cancellable")
    if ended:
        await within(call)
    else:
        with pytest.raises(AgentError):
            await within(call)


async def test_closing_a_session_answers_its_questions(scene: Stage) -> None:
    """CAN-76, V2-SES-21: permissions get cancelled, elicitations -32800, right behind the request."""
    scene.begin()
    permission, form = scene.ask(), scene.elicit()
    question = scene.questions[0]
    closing = asyncio.create_task(scene.session.close())
    await settle_down()
    assert [m.get("method") or m["id"] for m in scene.agent.writes[-1]] == ["session/close", permission, form]
    assert scene.answer_to(permission)["result"] == CANCELLED
    assert scene.answer_to(form)["error"]["code"] == -32800
    assert question.ended_by is EndedBy.SESSION_CLOSE
    answer(scene, "session/close")
    await within(closing)
    with pytest.raises(SessionClosed):
        scene.session.prompt("more")


async def test_closing_a_session_the_agent_does_not_know_succeeds(scene: Stage) -> None:
    """CAN-77, V1-SES-10, V2-SES-20: -32002 is success."""
    closing = asyncio.create_task(scene.session.close())
    await settle_down()
    scene.agent.fail(scene.written("session/close")[0]["id"], -32002, "no such session", data={"sessionId": "s1"})
    await within(closing)
    assert scene.client.sessions == {}


@pytest.mark.parametrize("late", ["withdrawn", "answered"])
async def test_prompts_may_be_answered_behind_the_close(scene2: Stage, late: str) -> None:
    """CAN-78, race 10: the held prompt's answer still reaches its turn."""
    turn = scene2.session.prompt("go")
    closing = asyncio.create_task(scene2.session.close())
    await settle_down()
    answer(scene2, "session/close")
    await within(closing)
    assert not turn.done
    if late == "withdrawn":
        scene2.agent.fail(scene2.prompt_id(), -32800, "Request cancelled")
        assert (await within(turn)).stop_reason == "cancelled"
    else:
        scene2.agent.respond(scene2.prompt_id(), {"messageId": "m1"})
        assert await within(turn.accepted()) == "m1"


async def test_what_comes_for_a_closed_session_harms_nobody(scene: Stage) -> None:
    """CAN-79, SO-18: updates are stray, a question is answered cancelled, the connection is up."""
    closing = asyncio.create_task(scene.session.close())
    await settle_down()
    answer(scene, "session/close")
    await within(closing)
    scene.chunk("late")
    request_id = scene.ask()
    assert scene.answer_to(request_id)["result"] == CANCELLED
    assert scene.session.snapshot.messages == ()
    assert (await scene.client.new_session("/again")).id == "s2"


async def test_losing_the_connection_ends_handlers_without_an_answer(scene: Stage) -> None:
    """CAN-81: the dialog is told; nothing is written anywhere."""
    scene.begin()
    scene.ask()
    question = scene.questions[0]
    before = len(scene.agent.written)
    scene.agent.close()
    assert question.ended_by is EndedBy.CONNECTION_LOST
    assert not question.select("yes")
    assert len(scene.agent.written) == before


async def test_an_orderly_shutdown_answers_before_it_closes(scene: Stage) -> None:
    """CAN-85: -32800 for what is open, then the end; nothing is an approval."""
    request_id, form = scene.ask(), scene.elicit()
    await scene.client.aclose()
    assert scene.answer_to(request_id)["error"]["code"] == -32800
    assert scene.answer_to(form)["error"]["code"] == -32800
    assert scene.agent.closed


async def test_a_permission_handler_that_fails_approves_nothing(version: int, caplog: pytest.LogCaptureFixture) -> None:
    """CAN-84, CAN-86, HE-09: outcome cancelled, reported once, never an error the agent could take for a crash."""
    from tests.kit import stage

    class Failing(Desk):
        async def request_permission(self, question: PendingPermission) -> str:
            if question.details.tool_call_id == "t1":
                raise ValueError("bug")
            return "not offered"

    seen: list[str] = []
    async with stage(version, Failing(), on_diagnostic=lambda d: seen.append(d.kind)) as scene:
        for tool_call_id in ("t1", "t2"):
            request_id = scene.ask(tool_call_id)
            await settle_down()
            assert scene.answer_to(request_id)["result"] == CANCELLED
    assert seen == ["handler_failed", "handler_failed"]


async def test_the_host_withdraws_what_it_cannot_answer_any_more(scene: Stage) -> None:
    """CAN-82: file gone, project switched: -32800 for one, or for all of a session, and no work is cancelled."""
    one, two, three = scene.ask("t1"), scene.ask("t2"), scene.elicit()
    assert scene.questions[0].withdraw()
    assert scene.answer_to(one)["error"]["code"] == -32800
    assert scene.session.withdraw_requests() == 2
    assert scene.answer_to(two)["error"]["code"] == scene.answer_to(three)["error"]["code"] == -32800
    assert "session/cancel" not in scene.methods()


async def test_a_question_nobody_answers_can_be_bounded(version: int) -> None:
    """Ours: with `question_timeout` it ends as dismissed, and says why."""
    from tests.kit import stage

    async with stage(version, question_timeout=30) as scene:
        request_id = scene.ask()
        question = scene.questions[0]
        scene.clock.advance(30)
        assert scene.answer_to(request_id)["result"] == CANCELLED
        assert question.ended_by is EndedBy.TIMEOUT


async def test_a_lost_connection_is_told_with_its_first_cause(scene: Stage) -> None:
    """CAN-80, ST-10: every waiter gets the cause, a later one included."""
    call = asyncio.create_task(scene.client.request("_x/y", {}, timeout=None))
    await settle_down()
    scene.agent.close(ConnectionLost("agent exited with status 3", exit_code=3))
    with pytest.raises(ConnectionLost) as first:
        await within(call)
    assert first.value.exit_code == 3
    with pytest.raises(ConnectionLost) as second:
        await scene.client.request("_x/z", {})
    assert second.value.exit_code == 3
