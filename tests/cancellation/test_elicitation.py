"""Elicitations and cancelling: they are questions of their own, not part of the cancelled work."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from acp_client.errors import RequestRefused
from acp_client.host import CANCEL, DECLINE, Accept, Host
from acp_client.policy.cancellation import CancellationPolicy, Decision, OpenRequest, SpareBackgroundWork, Withdrawal
from acp_client.policy.questions import PendingElicitation
from acp_client.rpc.inbound import EndedBy
from tests.kit import CANCELLED, Desk, Stage, settle_down, stage


class Form(Host):
    """A host whose answer to an elicitation is fixed."""

    elicitation_modes = frozenset({"form", "url"})

    def __init__(self, reply: Any) -> None:
        self.reply = reply

    async def elicit(self, question: PendingElicitation) -> Any:
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


async def asked(scene: Stage) -> PendingElicitation:
    (question,) = await scene.asked()
    assert isinstance(question, PendingElicitation)
    return question


async def test_a_session_cancel_leaves_elicitations_open(scene: Stage) -> None:
    """CAN-60: until the agent withdraws it."""
    scene.begin()
    request_id = scene.elicit()
    scene.session.cancel()
    assert scene.answers_to(request_id) == []
    scene.cancel_request(request_id)
    assert scene.answer_to(request_id)["error"]["code"] == -32800


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        (CANCEL, {"action": "cancel"}),
        (DECLINE, {"action": "decline"}),
        (Accept({"env": "dev"}), {"action": "accept", "content": {"env": "dev"}}),
    ],
)
async def test_dismissal_refusal_and_acceptance_are_three_answers(version: int, reply: Any, result: Any) -> None:
    """CAN-62, V2-ELI-12: cancel, decline, accept; content only with accept."""
    async with stage(version, Form(reply)) as scene:
        request_id = scene.elicit()
        await settle_down()
        assert scene.answer_to(request_id)["result"] == result


async def test_an_answer_changes_no_state(scene2: Stage) -> None:
    """CAN-63, V2-ELI-17, V2-STA-10: requires_action stays until the agent says otherwise."""
    scene2.begin()
    scene2.update("state_update", state="requires_action")
    scene2.elicit()
    (await asked(scene2)).accept({"env": "dev"})
    assert scene2.session.state == "requires_action"


async def test_a_url_whose_request_was_cancelled_cannot_be_consented_to(scene: Stage) -> None:
    """CAN-64: a host that opens the URL only after `accept` said True never opens it."""
    request_id = scene.elicit("url")
    question = await asked(scene)
    assert question.url == "https://example.com/login"
    scene.cancel_request(request_id)
    assert not question.accept()
    assert scene.answer_to(request_id)["error"]["code"] == -32800


async def test_a_cancel_after_consent_is_ignored_and_a_completion_is_harmless(scene: Stage) -> None:
    """CAN-65, CAN-66, V2-ELI-15: the browser is left alone; completions of any id change nothing."""
    request_id = scene.elicit("url")
    assert (await asked(scene)).accept()
    scene.cancel_request(request_id)
    assert scene.answer_to(request_id)["result"] == {"action": "accept"}
    before = len(scene.agent.written)
    for elicitation_id in ("e1", "e1", "eX", None, 7):
        scene.agent.notify("elicitation/complete", {"elicitationId": elicitation_id})
    assert len(scene.agent.written) == before


async def test_a_completed_visit_is_told_once(version: int) -> None:
    """CAN-66, V2-ELI-15: of a session or of a request; only where somebody consented, and only for its own id."""

    class Visiting(Desk):
        def __init__(self) -> None:
            super().__init__()
            self.completed: list[str | None] = []

        def elicitation_completed(self, question: PendingElicitation) -> None:
            self.completed.append(question.elicitation_id)

    host = Visiting()
    async with stage(version, host) as scene:
        for elicitation_id, scope in (("e1", {"sessionId": scene.session.id}), ("e2", {"requestId": 3}), ("e3", {})):
            params = {"mode": "url", "message": "?", "elicitationId": elicitation_id, "url": "https://x.y"}
            scene.request("elicitation/create", {**params, **(scope or {"sessionId": scene.session.id})})
        await settle_down()
        questions = [question for question in host.asked if isinstance(question, PendingElicitation)]
        assert [question.elicitation_id for question in questions] == ["e1", "e2", "e3"]
        assert questions[0].accept()
        assert questions[1].accept()
        assert questions[2].decline()
        for elicitation_id in ("e3", "e2", "e1", "e1", "e2", "other"):
            scene.agent.notify("elicitation/complete", {"elicitationId": elicitation_id})
        assert host.completed == ["e2", "e1"]


async def test_the_host_can_dismiss_what_is_over(scene: Stage) -> None:
    """CAN-67: an elicitation that belongs to something finished may be withdrawn, with -32800."""
    request_id = scene.request(
        "elicitation/create",
        {"mode": "url", "requestId": 3, "message": "?", "elicitationId": "e", "url": "https://x.y"},
    )
    question = await asked(scene)
    assert question.request_id == 3
    assert question.withdraw()
    assert scene.answer_to(request_id)["error"]["code"] == -32800
    assert question.ended_by is EndedBy.INTERNAL_CANCEL


async def test_what_was_typed_is_not_sent_after_a_cancel(scene: Stage) -> None:
    """CAN-68: no content leaves, and the question keeps none."""
    request_id = scene.elicit()
    question = await asked(scene)
    scene.cancel_request(request_id)
    question.accept({"env": "secret"})
    assert "secret" not in str(scene.agent.written)
    assert "secret" not in str(vars(question))


async def test_a_form_handler_that_fails_is_an_internal_error(version: int, caplog: pytest.LogCaptureFixture) -> None:
    """CAN-84: -32603, never -32800, and what it raised stays here."""
    async with stage(version, Form(ValueError("private detail"))) as scene:
        request_id = scene.elicit()
        await settle_down()
        error = scene.answer_to(request_id)["error"]
        assert error["code"] == -32603
        assert "private" not in str(error)


async def test_a_handler_may_choose_its_error(version: int) -> None:
    """Ours: `RequestRefused` goes out as it is."""
    async with stage(version, Form(RequestRefused(-32602, "not now"))) as scene:
        request_id = scene.elicit()
        await settle_down()
        assert scene.answer_to(request_id)["error"] == {"code": -32602, "message": "not now"}


async def test_a_handler_whose_own_work_was_cancelled_answers_32800(version: int) -> None:
    """CAN-82, CAN-83: internal cancellation has the shape of every other one."""

    class Aborting(Desk):
        async def elicit(self, question: PendingElicitation) -> Any:
            raise asyncio.CancelledError

    async with stage(version, Aborting()) as scene:
        request_id = scene.elicit()
        await settle_down()
        assert scene.answer_to(request_id)["error"]["code"] == -32800


async def test_no_abort_on_this_side_approves_anything(version: int) -> None:
    """CAN-86: a killed handler is never an approval or an acceptance, whatever it was asked."""

    class Killed(Desk):
        async def request_permission(self, question: Any) -> Any:
            raise asyncio.CancelledError

        async def elicit(self, question: PendingElicitation) -> Any:
            raise asyncio.CancelledError

    async with stage(version, Killed()) as scene:
        for request_id in (scene.ask(), scene.elicit()):
            await settle_down()
            answer = str(scene.answer_to(request_id))
            assert "selected" not in answer
            assert "accept" not in answer


class CloseForms(CancellationPolicy):
    """Dismisses everything of the session."""

    def on_session_cancel(self, open_requests: Any) -> list[Decision]:
        return [(request, Withdrawal.CANCELLED) for request in open_requests]


class Broken(CancellationPolicy):
    def __init__(self, decisions: Any) -> None:
        self.decisions = decisions

    def on_session_cancel(self, open_requests: Any) -> Any:
        if isinstance(self.decisions, Exception):
            raise self.decisions
        return self.decisions


async def test_a_policy_may_dismiss_elicitations_too(version: int) -> None:
    """Ours: the policy says which requests end, and with what."""
    async with stage(version, cancellation=CloseForms()) as scene:
        scene.begin()
        request_id = scene.elicit()
        scene.session.cancel()
        assert scene.answer_to(request_id)["result"] == {"action": "cancel"}


@pytest.mark.parametrize(
    "decisions",
    [
        RuntimeError("bug"),
        None,
        ["cancelled"],
        [(OpenRequest("q99", "permission", "s1"), Withdrawal.CANCELLED)],
        [(None, None)],
    ],
)
async def test_a_policy_that_fails_loses_no_answer(version: int, decisions: Any) -> None:
    """Ours: the default acts, the fault is reported."""
    seen: list[str] = []
    options: dict[str, Any] = {"cancellation": Broken(decisions), "on_diagnostic": lambda d: seen.append(d.kind)}
    async with stage(version, **options) as scene:
        scene.begin()
        request_id = scene.ask()
        scene.session.cancel()
        assert scene.answer_to(request_id)["result"] == {"outcome": {"outcome": "cancelled"}}
    assert seen == ["policy_failed"]


async def test_sparing_background_work_leaves_its_questions_open() -> None:
    """Ours, CAN-23, V2-TRM-12: the second policy, for the older reading; a terminal of the same id is another thing."""
    async with stage(2, cancellation=SpareBackgroundWork()) as scene:
        scene.begin()
        scene.running(background=[{"type": "tool_call", "toolCallId": "t9"}])
        kept, doomed = scene.ask("t9"), scene.ask("t1")
        command = {"type": "command", "command": "make", "cwd": "/project", "terminalId": "t9"}
        params = {**scene.permission_params(None), "subject": command}
        of_terminal = scene.request("session/request_permission", params)
        scene.session.cancel()
        assert scene.answers_to(kept) == []
        assert scene.answer_to(doomed)["result"] == CANCELLED
        assert scene.answer_to(of_terminal)["result"] == CANCELLED
