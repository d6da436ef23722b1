"""One session's questions and its end: who answers them, who is told, and what a close leaves owed."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from acp_client.errors import ConnectionLost, SessionClosed
from acp_client.policy.permissions import PermissionPolicy, Verdict, allow_all, deny_all
from acp_client.policy.session_work import CLOSE_GRACE
from acp_client.policy.turns import CancelOutcome, Phase
from acp_client.rpc.inbound import EndedBy
from acp_client.state.events import QuestionEnded, QuestionOpened, TurnEnded
from tests.policy.core import Core, result

CANCELLED = {"outcome": {"outcome": "cancelled"}}


# permissions


def test_a_permission_inside_a_window_is_cancelled_and_shows_its_call_so(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CAN-30: nobody is asked; who ended it is recorded."""
    core.begin()
    core.work.cancel(None)
    entries: list[Any] = []
    settle = core.peer.inbound.settle

    def watched(request: Any, answer: Any, by: EndedBy) -> bool:
        entries.append(request)
        return settle(request, answer, by)

    monkeypatch.setattr(core.peer.inbound, "settle", watched)  # nothing else shows who ended it
    core.permission(40, "t1")
    assert core.answer(40)["result"] == CANCELLED
    assert entries[0].ended_by is EndedBy.SESSION_CANCEL
    assert core.asked == []
    assert [call.status for call in core.work.store.snapshot().tool_calls] == ["cancelled"]
    assert core.keys(-1) == [core.work.store.snapshot().tool_calls[0].key]


def test_a_permission_about_no_call_marks_none(core2: Core) -> None:
    """CAN-30: the calls that the agent has corrected meanwhile stay as they are."""
    core2.begin()
    core2.update("tool_call_update", toolCallId="t1", title="Edit", status="in_progress")
    core2.work.cancel(None)
    core2.update("tool_call_update", toolCallId="t1", status="in_progress")
    core2.permission(40, call=None)
    assert core2.answer(40)["result"] == CANCELLED
    assert [call.status for call in core2.work.store.snapshot().tool_calls] == ["in_progress"]
    core2.end(core2.work.active[0])
    core2.permission(41, call=None)
    assert core2.question().tool_call is None


def test_an_invalid_permission_is_refused_with_its_problem(core: Core) -> None:
    """V2-PER-03."""
    core.receive(id=40, method="session/request_permission", params={"sessionId": "s1", "options": 5})
    answer = core.answer(40)["error"]
    assert answer["code"] == -32602
    assert answer["message"].startswith("invalid params: ")
    assert "None" not in answer["message"]


@pytest.mark.parametrize(
    ("policy", "option"),
    [(allow_all, "yes"), (deny_all, "no"), (lambda question: Verdict.CANCEL, None)],
)
def test_what_a_policy_decides_is_recorded_as_its_decision(
    version: int, policy: PermissionPolicy, option: str | None
) -> None:
    """CAN-14, ours: a dialog would say so."""
    seen: list[Any] = []

    def deciding(question: Any) -> Verdict:
        seen.append(question)
        return policy(question)

    core = Core(version, permissions=deciding)
    core.permission(40)
    outcome = {"outcome": "selected", "optionId": option} if option else {"outcome": "cancelled"}
    assert core.answer(40)["result"] == {"outcome": outcome}
    assert seen[0].ended_by is EndedBy.POLICY
    core.permission(41, options=[{"optionId": "a", "name": "Always", "kind": "allow_always"}])
    assert core.answer(41)["result"] == CANCELLED
    assert seen[1].ended_by is EndedBy.POLICY
    assert core.asked == []


def test_a_failing_policy_is_reported_and_the_host_asked(version: int) -> None:
    """Ours: its type and nothing of what it said."""

    def broken(question: Any) -> Verdict:
        raise LookupError("secret")

    core = Core(version, permissions=broken)
    core.permission(40)
    assert core.reports == [("policy_failed", "permission policy failed (LookupError); the host decides")]
    assert [question.entry.id for question in core.asked] == [40]


def test_a_policy_may_say_its_verdict_as_a_word(version: int) -> None:
    """Ours: the words of `Verdict`; any other answer is a failure, and the host decides."""
    words: list[Any] = ["deny", "allow", "yes", True]
    core = Core(version, permissions=lambda question: words.pop(0))
    for number in (40, 41, 42, 43):
        core.permission(number)
    chosen = [core.answer(number)["result"]["outcome"]["optionId"] for number in (40, 41)]
    assert chosen == ["no", "yes"]
    assert [question.entry.id for question in core.asked] == [42, 43]
    assert core.reports == [("policy_failed", "permission policy failed (ValueError); the host decides")] * 2


def test_a_question_is_told_when_it_opens_and_when_it_ends(version: int) -> None:
    """Ours: with the state's version; it stands in the snapshot meanwhile."""
    core = Core(version, elicitation_modes=frozenset({"form"}))
    for number in (1, 2):
        if number == 1:
            core.permission(40)
        else:
            core.elicit(40)
        question = core.asked[-1]
        assert question.id == f"q{number}"
        (opened,) = core.seen(QuestionOpened)[number - 1 :]
        assert (opened.question, opened.version) == (question, core.work.store.version)
        assert core.work.store.snapshot().pending == (question,)
        over: list[str] = []
        question.on_ended(functools.partial(over.append, question.id))
        question.cancel()
        (ended,) = core.seen(QuestionEnded)[number - 1 :]
        assert (ended.question, ended.version) == (question, core.work.store.version)
        assert core.work.store.snapshot().pending == ()
        assert over == [question.id]


# closing


def test_closing_answers_what_is_open_behind_the_request_in_one_write(core: Core) -> None:
    """CAN-76: permissions `cancelled`, everything else -32800; nothing of other sessions."""
    core.router.add("s2", "/other")
    core.permission(40)
    core.permission(41, session="s2")
    core.receive(id=42, method="_acme/ask", params={"sessionId": "s1"})
    core.work.begin_close(lambda: core.peer.request("session/close", {"sessionId": "s1"}, lambda r, e: None))
    assert [message.get("method", message["id"]) for message in core.writes[-1]] == ["session/close", 40, 42]
    assert core.answer(40)["result"] == CANCELLED
    assert core.answer(42)["error"] == {"code": -32800, "message": "the session was closed"}
    assert core.asked[0].ended_by is EndedBy.SESSION_CLOSE
    assert not core.answered(41)


def test_closing_shows_unfinished_calls_as_cancelled(core: Core) -> None:
    """Ours: the agent stops them."""
    core.begin()
    core.update("tool_call" if core.version == 1 else "tool_call_update", toolCallId="t1", title="x", status="pending")
    before = len(core.events)
    core.work.begin_close(lambda: None)
    assert core.work.closed is True
    assert core.keys(before) == [core.work.store.snapshot().tool_calls[0].key]


def test_the_answer_to_a_close_ends_inserted_turns_and_their_cancels(core2: Core) -> None:
    """CAN-78: no idle is owed any more."""
    turn = core2.begin()
    cancel = core2.work.cancel(None)
    core2.work.begin_close(lambda: None)
    core2.work.has_closed(SessionClosed("closed"))
    assert result(turn).stop_reason == "cancelled"
    assert (cancel.outcome, cancel.over) == (CancelOutcome.CONFIRMED, True)
    assert core2.timers == []


def test_prompts_without_an_answer_get_a_little_time_behind_a_close(core: Core) -> None:
    """CAN-78: they may still be answered; then they end with what closed the session."""
    turn = core.prompt()
    cancel = core.work.cancel(None)
    core.work.begin_close(lambda: None)
    cause = SessionClosed("closed")
    core.work.has_closed(cause)
    assert [delay for delay, _ in core.timers] == [CLOSE_GRACE]
    assert (turn.phase, cancel.outcome) == (Phase.SENT, None)
    core.time_is_up()
    assert (turn.phase, turn.error, turn.failed) == (Phase.ENDED, cause, cause)
    assert (cancel.outcome, cancel.over) == (CancelOutcome.UNCONFIRMED, True)


def test_a_prompt_answered_behind_a_close_ends_as_it_says(core: Core) -> None:
    """CAN-78: the timer then finds nothing to do."""
    turn = core.prompt()
    core.work.begin_close(lambda: None)
    core.work.has_closed(SessionClosed("closed"))
    core.receive(id=core.prompt_id(), error={"code": -32800, "message": "cancelled"})
    assert (result(turn).stop_reason, turn.failed) == ("cancelled", None)
    core.time_is_up()
    assert turn.stop_reason == "cancelled"
    assert len(core.seen(TurnEnded)) == 1


def test_the_end_of_the_connection_ends_everything(core: Core) -> None:
    """CAN-80: turns with the cause, cancels with their outcome, held prompts too."""
    turn = core.begin()
    cancel = core.work.cancel(None)
    held = core.prompt("queue")
    core.peer.lost(ConnectionLost("gone"))
    for ended in (turn, held):
        assert isinstance(ended.failed, ConnectionLost)
        assert "session/prompt" in str(ended.failed)
    assert (turn.outcome, held.outcome) == (CancelOutcome.CONNECTION_LOST, None)
    assert (cancel.outcome, cancel.over) == (CancelOutcome.CONNECTION_LOST, True)
    snapshot = core.work.store.snapshot()
    assert (snapshot.connected, snapshot.gap) == (False, True)
    assert not core.work.is_busy
