"""The small pure parts: permission policies, cancellation policies, and questions with a desk of paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from acp_client.errors import UsageError
from acp_client.policy.cancellation import (
    CancellationPolicy,
    Decision,
    OpenRequest,
    SpareBackgroundWork,
    Withdrawal,
    decide,
)
from acp_client.policy.permissions import (
    PermissionOption,
    Verdict,
    allow_all,
    allow_option,
    ask,
    deny_all,
    deny_option,
    first_of,
    is_menu,
)
from acp_client.policy.questions import PendingElicitation, PendingPermission, PermissionDetails
from acp_client.rpc.inbound import Answer, EndedBy, InboundRequest
from acp_client.state.items import ToolCall

YES = PermissionOption("y", "Yes", "allow_once")
ALWAYS = PermissionOption("a", "Always", "allow_always")
NO = PermissionOption("n", "No", "reject_once")
NEVER = PermissionOption("x", "Never", "reject_always")
VENDOR = PermissionOption("v", "?", "_acme")


class Desk:
    """Takes the first answer to each request."""

    def __init__(self) -> None:
        self.taken: list[tuple[Answer, EndedBy]] = []

    def hand_in(self, entry: InboundRequest, answer: Answer, by: EndedBy) -> bool:
        if entry.ended_by is not None:
            return False
        entry.ended_by, entry.answer = by, answer
        self.taken.append((answer, by))
        return True

    def last(self) -> tuple[Any, int, EndedBy]:
        answer, by = self.taken[-1]
        return answer.result, answer.code, by


def permission(
    options: Sequence[PermissionOption] = (YES, NO), desk: Desk | None = None, **details: Any
) -> PendingPermission:
    entry = InboundRequest(40, 40, "session/request_permission", {"sessionId": "s1", "_meta": {"k": 1}})
    described = PermissionDetails("Edit?", tuple(options), **details)
    return PendingPermission(desk or Desk(), entry, 7, described, lambda: None)


def elicitation(desk: Desk | None = None, session: str | None = "s1", **fields: Any) -> PendingElicitation:
    params: dict[str, Any] = {"mode": "form", **fields}
    if session is not None:
        params["sessionId"] = session
    return PendingElicitation(desk or Desk(), InboundRequest(50, 50, "elicitation/create", params), 8)


def selected(option: PermissionOption) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option.option_id}}


# which option


@pytest.mark.parametrize(
    ("options", "allowed", "menu"),
    [
        ([YES, NO], YES, False),
        ([NO, YES], YES, False),
        ([ALWAYS, NO], None, False),
        ([VENDOR], None, False),
        ([], None, False),
        ([YES, PermissionOption("z", "Other", "allow_once")], None, True),
    ],
)
def test_only_the_one_option_that_allows_once_allows(options: Any, allowed: Any, menu: bool) -> None:
    """CP-14: several are a choice for a person, none is none; an approval for ever is never taken by itself."""
    assert allow_option(options) is allowed
    assert is_menu(options) is menu


@pytest.mark.parametrize(("options", "denied"), [([YES, NO, NEVER], NO), ([NEVER], None), ([VENDOR, YES], None)])
def test_only_an_option_that_rejects_once_denies(options: Any, denied: Any) -> None:
    """CP-14: the first one; without it the outcome is cancelled."""
    assert deny_option(options) is denied


def test_only_known_kinds_count_as_approval() -> None:
    """Ours: what a vendor calls an approval is not known to be one."""
    assert [option.allows for option in (YES, ALWAYS, NO, NEVER, VENDOR)] == [True, True, False, False, False]


def test_policies_in_a_row_give_the_first_opinion() -> None:
    """Ours: who has none is passed over, and without any a person is asked."""
    question = permission()
    assert first_of(ask, deny_all, allow_all)(question) is Verdict.DENY
    assert first_of(ask, allow_all, deny_all)(question) is Verdict.ALLOW
    assert first_of(ask, ask)(question) is Verdict.ASK
    assert first_of()(question) is Verdict.ASK


# cancellation policies

OPEN = [
    OpenRequest("q1", "permission", "s1", "t1"),
    OpenRequest("q2", "elicitation", "s1", "t1"),
    OpenRequest("q3", "permission", "s1", "t2", in_background=True),
]


def test_the_contract_ends_every_permission_and_nothing_else() -> None:
    """CAN-22, CAN-23, CAN-60: in their order; the second policy spares what runs in the background."""
    reports: list[str] = []
    cancelled = Withdrawal.CANCELLED
    assert decide(CancellationPolicy(), OPEN, reports.append) == [(OPEN[0], cancelled), (OPEN[2], cancelled)]
    assert decide(SpareBackgroundWork(), OPEN, reports.append) == [(OPEN[0], cancelled)]
    assert decide(CancellationPolicy(), [], reports.append) == []
    assert reports == []


def test_a_policy_decides_what_it_likes_among_what_is_open() -> None:
    """Ours: it may end elicitations too, or nothing."""

    class Everything(CancellationPolicy):
        def on_session_cancel(self, open_requests: Sequence[OpenRequest]) -> Iterable[Decision]:
            return ((request, Withdrawal.REFUSED) for request in reversed(open_requests))

    class Nothing(CancellationPolicy):
        def on_session_cancel(self, open_requests: Sequence[OpenRequest]) -> Iterable[Decision]:
            return ()

    assert decide(Everything(), OPEN, lambda text: None) == [(r, Withdrawal.REFUSED) for r in reversed(OPEN)]
    assert decide(Nothing(), OPEN, lambda text: None) == []


@pytest.mark.parametrize(
    ("decisions", "fault"),
    [
        ([(OPEN[0], "approve")], "TypeError"),
        ([(OPEN[0], Withdrawal.CANCELLED), (OpenRequest("q9", "permission", "s1"), Withdrawal.CANCELLED)], "TypeError"),
        ([(OpenRequest("q1", "permission", "s2", "t1"), Withdrawal.CANCELLED)], "TypeError"),
        ([("q1", Withdrawal.CANCELLED)], "TypeError"),
        ([OPEN[0]], "TypeError"),
        (None, "TypeError"),
    ],
)
def test_nothing_of_a_nonsensical_decision_is_used(decisions: Any, fault: str, caplog: Any) -> None:
    """CAN-22: no answer may get lost over it; it is reported with its type and never with what it held."""

    class Broken(CancellationPolicy):
        def on_session_cancel(self, open_requests: Sequence[OpenRequest]) -> Iterable[Decision]:
            decided: Iterable[Decision] = decisions
            return decided

    reports: list[str] = []
    assert decide(Broken(), OPEN, reports.append) == list(CancellationPolicy().on_session_cancel(OPEN))
    assert reports == [f"cancellation policy Broken failed ({fault}); the default acted"]
    if decisions is not None:
        assert "a decision must be (one of the open requests, a Withdrawal), not " in caplog.text


def test_a_policy_that_raises_is_replaced_by_the_contract() -> None:
    """CAN-22: also when it raises in the middle of a generator."""

    class Raising(CancellationPolicy):
        def on_session_cancel(self, open_requests: Sequence[OpenRequest]) -> Iterable[Decision]:
            yield open_requests[0], Withdrawal.REFUSED
            raise LookupError("secret")

    reports: list[str] = []
    assert [request.id for request, _ in decide(Raising(), OPEN, reports.append)] == ["q1", "q3"]
    assert reports == ["cancellation policy Raising failed (LookupError); the default acted"]


# questions


def test_a_permission_is_answered_by_what_was_offered() -> None:
    """V2-PER-04, CP-14: by the option or its id; each answer is the host's."""
    ways: list[tuple[Any, Any]] = [
        (lambda q: q.select("y"), selected(YES)),
        (lambda q: q.select(NO), selected(NO)),
        (lambda q: q.allow(), selected(YES)),
        (lambda q: q.deny(), selected(NO)),
        (lambda q: q.cancel(), {"outcome": {"outcome": "cancelled"}}),
    ]
    for act, result in ways:
        desk = Desk()
        question = permission(desk=desk)
        assert act(question) is True
        assert desk.last() == (result, 0, EndedBy.HOST)
        assert act(question) is False
        assert (question.open, question.ended_by) == (False, EndedBy.HOST)


def test_an_option_that_was_not_offered_leaves_the_question_open() -> None:
    """V2-PER-04: with what would have been right."""
    desk = Desk()
    question = permission((YES, ALWAYS), desk)
    with pytest.raises(UsageError, match=r"^option 'q' was not offered; offered: \['y', 'a'\]$"):
        question.select("q")
    with pytest.raises(UsageError, match=r"^not exactly one option allows once; choose one of \['a', 'n'\]$"):
        permission((ALWAYS, NO)).allow()
    assert question.open
    assert desk.taken == []
    assert question.deny()
    assert desk.last() == ({"outcome": {"outcome": "cancelled"}}, 0, EndedBy.HOST)


def test_a_question_withdrawn_by_the_host_is_an_error_and_says_so() -> None:
    """CAN-82, CAN-83: the same for both kinds."""
    for make in (permission, elicitation):
        desk = Desk()
        question = make(desk=desk)
        assert question.withdraw() is True
        answer, by = desk.taken[0]
        assert (answer.code, answer.message) == (-32800, "the client cancelled the request")
        assert by is EndedBy.INTERNAL_CANCEL
        assert question.withdraw() is False


def test_a_question_tells_what_it_is() -> None:
    """Ours: id, session, meta; its repr is for logs."""
    question = permission(description="because", command="ls", tool_call_id="t1")
    assert (question.id, question.session_id, question.kind, question.meta) == ("q7", "s1", "permission", {"k": 1})
    assert (question.title, question.description, question.command) == ("Edit?", "because", "ls")
    assert question.tool_call is None
    assert repr(question) == "<PendingPermission q7 open>"
    question.cancel()
    assert repr(question) == "<PendingPermission q7 ended by host>"
    form = elicitation(_meta=5)
    assert (form.id, form.kind, form.meta, form.message) == ("q8", "elicitation", {}, "")
    assert (form.schema, form.url, form.elicitation_id, form.tool_call_id, form.request_id) == (None,) * 5
    assert elicitation(toolCallId=4).tool_call_id is None


def test_a_permission_sees_its_tool_call_as_it_is_now() -> None:
    """Ours: it asks the state each time."""
    calls = [ToolCall(key="t1", tool_call_id="t1", title=title) for title in ("one", "two")]
    entry = InboundRequest(1, 1, "session/request_permission", {})
    question = PendingPermission(Desk(), entry, 1, PermissionDetails("?", ()), lambda: calls.pop(0))
    titles = [call.title for call in (question.tool_call, question.tool_call) if call is not None]
    assert titles == ["one", "two"]


def test_listeners_learn_of_the_end_once() -> None:
    """Ours: also when it has ended before they came."""
    question, told = permission(), [0, 0]

    def first() -> None:
        told[0] += 1

    def second() -> None:
        told[1] += 1

    question.on_ended(first)
    assert told == [0, 0]
    question.cancel()
    question.has_ended()
    question.has_ended()
    question.on_ended(second)
    assert told == [1, 1]


BACKGROUND = frozenset({("tool_call", "t1"), ("terminal", "x1")})


def test_a_policy_is_told_what_is_open() -> None:
    """V2-TRM-12, CAN-23: subject and whether it runs in the background."""
    assert permission(tool_call_id="t1").open_request(BACKGROUND) == OpenRequest(
        "q7", "permission", "s1", "t1", None, True
    )
    assert permission(terminal_id="x1").open_request(BACKGROUND) == OpenRequest(
        "q7", "permission", "s1", None, "x1", True
    )
    assert permission(tool_call_id="x1", terminal_id="t1").open_request(BACKGROUND) == OpenRequest(
        "q7", "permission", "s1", "x1", "t1", False
    )
    assert elicitation(toolCallId="t1").open_request(BACKGROUND) == OpenRequest(
        "q8", "elicitation", "s1", "t1", None, True
    )
    assert elicitation(toolCallId="x1").open_request(BACKGROUND).in_background is False
    assert elicitation(session=None).open_request(BACKGROUND) == OpenRequest("q8", "elicitation", "")
    nowhere = InboundRequest(1, 1, "session/request_permission", {})
    question = PendingPermission(Desk(), nowhere, 9, PermissionDetails("?", ()), lambda: None)
    assert question.open_request(BACKGROUND) == OpenRequest("q9", "permission", "")


def test_a_withdrawal_is_the_kinds_own_answer_or_an_error() -> None:
    """CAN-60, CAN-61: never an approval."""
    for question, result in (
        (permission(), {"outcome": {"outcome": "cancelled"}}),
        (elicitation(), {"action": "cancel"}),
    ):
        assert question.answer_for(Withdrawal.CANCELLED).result == result
        assert question.answer_for(Withdrawal.CANCELLED).code == 0
        assert question.answer_for(Withdrawal.REFUSED).code == -32800


def test_an_elicitation_is_accepted_declined_or_dismissed() -> None:
    """CAN-62, V2-ELI-12: as the host's answer; content only where some is given."""
    ways: list[tuple[Any, Any]] = [
        (lambda q: q.accept({"env": "prod"}), {"action": "accept", "content": {"env": "prod"}}),
        (lambda q: q.accept({}), {"action": "accept", "content": {}}),
        (lambda q: q.accept(), {"action": "accept"}),
        (lambda q: q.decline(), {"action": "decline"}),
        (lambda q: q.cancel(), {"action": "cancel"}),
    ]
    for act, result in ways:
        desk = Desk()
        question = elicitation(desk)
        assert act(question) is True
        assert desk.last() == (result, 0, EndedBy.HOST)
        assert act(question) is False


def test_content_that_is_no_json_is_our_own_mistake() -> None:
    """Ours: and the question stays open."""
    question = elicitation()
    with pytest.raises(UsageError, match=r"^cannot send this content: a set is no JSON value$"):
        question.accept({"env": {1}})
    assert question.open


def test_only_an_accepted_visit_is_a_consent() -> None:
    """CAN-64: a form, a refusal, a withdrawal and an open question are none."""
    visit: dict[str, Any] = {"mode": "url", "url": "https://x.y", "elicitationId": "e1"}
    accepted, declined, withdrawn, still_open = (elicitation(**visit) for _ in range(4))
    form = elicitation()
    for question in (accepted, form):
        question.accept()
    declined.decline()
    withdrawn.withdraw()
    consents = [question.consented for question in (accepted, declined, withdrawn, still_open, form)]
    assert consents == [True, False, False, False, False]
