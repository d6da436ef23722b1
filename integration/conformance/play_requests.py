"""Plays about `$/cancel_request`, sent by the client and sent to it."""

from __future__ import annotations

from integration.conformance.rules import rule
from integration.conformance.stage import (
    REQUEST_CANCELLED,
    Message,
    NotShown,
    Stage,
    cancels,
    check,
    code_of,
    is_approval,
    is_cancelled,
    notification,
    request,
    shown,
)

IGNORES = "ignores `$/cancel_request`, as version 1 allows (CAN-21a)"

# sent by the client


def withdrawn_prompt(stage: Stage) -> Message:
    """Have the host take its unanswered prompt back; returns the prompt when `$/cancel_request` is there."""
    prompt = stage.open(answered=False)
    stage.direct("withdraw")
    stage.wait_for("$/cancel_request")
    return prompt


@rule("CAN-01", 1, 2)
def it_is_a_notification(stage: Stage) -> None:
    withdrawn_prompt(stage)
    [cancel] = stage.sent("$/cancel_request")
    check("id" not in cancel, "sent $/cancel_request as a request")


@rule("CAN-02", 1, 2)
def it_names_the_id_as_it_was_issued(stage: Stage) -> None:
    prompt = withdrawn_prompt(stage)
    named = stage.sent("$/cancel_request")[0]["params"].get("requestId")
    check(type(named) is type(prompt["id"]) and named == prompt["id"], f"named {named!r} for {prompt['id']!r}")


@rule("CAN-03", 1, 2)
def the_answer_that_is_still_owed_is_taken(stage: Stage) -> None:
    prompt = withdrawn_prompt(stage)
    if stage.version == 1:
        stage.finish(prompt)
    else:
        stage.insert(prompt)
        stage.finish(prompt)
    stage.settle()
    stage.prompt_again()


@rule("CAN-07", 2)
def the_id_is_not_used_again_before_the_answer(stage: Stage) -> None:
    first = withdrawn_prompt(stage)
    ids = {str(first["id"])} | {str(stage.prompt_again()["id"]) for _ in range(3)}
    check(len(ids) == 4, "used an id again that was still unanswered")


@rule("CAN-08", 1, 2)
def it_is_sent_once(stage: Stage) -> None:
    withdrawn_prompt(stage)
    stage.direct("withdraw")
    stage.settle()
    check(len(stage.sent("$/cancel_request")) == 1, "sent it again")


@rule("CAN-09", 1, 2)
def it_is_not_sent_after_the_answer(stage: Stage) -> None:
    prompt = stage.open()
    stage.finish(prompt)
    stage.wait_for_turn()
    stage.direct("withdraw")
    stage.settle()
    check(not stage.sent("$/cancel_request"), "sent it for a request that had been answered")
    if stage.sent("_kit/cannot"):
        raise NotShown(stage.sent("_kit/cannot")[0]["params"]["what"])


@rule("CAN-11", 1, 2)
def an_agent_that_ignores_it_is_waited_for(stage: Stage) -> None:
    prompt = withdrawn_prompt(stage)
    stage.settle()
    if stage.version == 2:
        stage.insert(prompt)
    stage.finish(prompt)
    end = stage.wait_for_turn()
    check(end == "end_turn", f"reported {end!r} for a turn that ended as end_turn")


@rule("CAN-13", 1, 2)
def an_answer_to_nobody_is_ignored(stage: Stage) -> None:
    stage.open()
    stage.error(999, -32601)
    stage.settle()
    stage.direct("echo still here")
    stage.wait_for("_kit/echo")


@rule("CAN-91", 1, 2)
def an_error_without_an_id_settles_nothing(stage: Stage) -> None:
    prompt = stage.open()
    before = len(stage.heard)
    stage.send({"jsonrpc": "2.0", "error": {"code": -32601, "message": "no such method"}})
    stage.settle()
    written = stage.heard_since(before)
    check(not written, f"wrote {written}")
    stage.finish(prompt)
    check(stage.wait_for_turn() == "end_turn", "settled a request by it")


# sent to the client


@rule("CAN-14", 1, 2)
def a_cancelled_request_is_answered_once(stage: Stage) -> None:
    stage.open()
    stage.ask(40)
    stage.settle()
    stage.cancel_request(40)
    stage.settle()
    stage.direct("allow")
    stage.answer(40)
    stage.settle()
    stage.only_answer(40)


@rule("CAN-15", 1, 2)
def an_unknown_id_is_ignored(stage: Stage) -> None:
    stage.open()
    before = len(stage.heard)
    stage.cancel_request(999)
    stage.cancel_request("999")
    stage.settle()
    written = stage.heard_since(before)
    check(not written, f"wrote {written}")


@rule("CAN-16", 2)
def a_cancel_that_comes_too_late_gets_no_second_answer(stage: Stage) -> None:
    stage.open()
    stage.ask(40)
    stage.settle()
    stage.direct("allow")
    stage.answer(40)
    stage.cancel_request(40)
    stage.settle()
    check(is_approval(stage.only_answer(40)), "did not let the choice stand")


@rule("CAN-17", 1, 2)
def the_clients_own_requests_are_not_meant(stage: Stage) -> None:
    prompt = stage.open(answered=False)
    stage.cancel_request(prompt["id"])
    stage.settle()
    check(not stage.answers(prompt["id"]), "answered its own request")
    check(not stage.turns(), "gave its own prompt up")
    if stage.version == 2:
        stage.insert(prompt)
    stage.finish(prompt)
    check(stage.wait_for_turn() == "end_turn", "lost the answer to its own prompt")


@rule("CAN-18", 1, 2)
def it_is_heeded_while_the_question_is_shown(stage: Stage) -> None:
    stage.open()
    stage.ask(40)
    stage.settle()
    stage.cancel_request(40)
    stage.settle()
    if stage.version == 1 and not stage.answers(40):
        raise NotShown(IGNORES)
    stage.only_answer(40)


@rule("CAN-21b", 2)
def a_cancelled_permission_gets_the_outcome_cancelled(stage: Stage) -> None:
    stage.open()
    stage.ask(40)
    stage.settle()
    stage.cancel_request(40)
    answer = stage.answer(40)
    check(is_cancelled(answer), f"answered {shown(answer)}")


@rule("CAN-21c", 1, 2)
def other_requests_and_the_session_go_on(stage: Stage) -> None:
    stage.open()
    stage.ask(40, "t1")
    stage.ask(41, "t2")
    stage.settle()
    stage.cancel_request(40)
    stage.settle()
    stage.unanswered(41, "answered another request")
    check(not stage.sent("session/cancel"), "cancelled the session")
    stage.direct("allow")
    check(is_approval(stage.answer(41)), "did not let the other question be answered")


@rule("CAN-21d", 1, 2)
def malformed_params_are_ignored(stage: Stage) -> None:
    stage.open()
    stage.ask(40)
    stage.settle()
    before = len(stage.heard)
    for params in ({}, {"requestId": None}, {"requestId": {"id": 40}}, {"requestId": [40]}):
        stage.send(notification("$/cancel_request", params))
    stage.send({"jsonrpc": "2.0", "method": "$/cancel_request"})
    stage.settle()
    written = stage.heard_since(before)
    check(not written, f"wrote {written}")
    stage.direct("allow")
    check(is_approval(stage.answer(40)), "did not let the question be answered")


@rule("CAN-21e", 1, 2)
def unknown_protocol_methods_are_ignored_or_refused(stage: Stage) -> None:
    stage.open()
    before = len(stage.heard)
    stage.send(notification("$/unheard_of", {"x": 1}))
    stage.settle()
    written = stage.heard_since(before)
    check(not written, f"wrote {written} for a notification")
    stage.send(request(70, "$/unheard_of", {}))
    check(code_of(stage.answer(70)) == -32601, f"answered {shown(stage.answer(70))} to a request")


@rule("CAN-21g", 1, 2)
def a_request_and_its_cancel_in_one_read_get_one_answer(stage: Stage) -> None:
    stage.open()
    stage.send(stage.asks(40), cancels(40))
    stage.settle()
    stage.direct("allow")
    answer = stage.answer(40)
    stage.settle()
    stage.only_answer(40)
    if stage.version == 1 and is_approval(answer):
        raise NotShown(IGNORES)
    check(not is_approval(answer), "approved a request that had been cancelled")


@rule("CAN-29", 1, 2)
def it_is_ignored_for_what_the_session_cancel_answered(stage: Stage) -> None:
    stage.open()
    stage.ask(40)
    stage.settle()
    stage.cancel()
    stage.settle()
    stage.cancel_request(40)
    stage.settle()
    if not stage.answers(40):
        raise NotShown("had not answered it, see CAN-22")
    stage.only_answer(40)


@rule("CAN-84", 1, 2)
def a_failing_handler_is_no_cancellation(stage: Stage) -> None:
    stage.open()
    stage.direct("fail")
    stage.settle()
    stage.ask(40)
    answer = stage.answer(40)
    check(code_of(answer) != REQUEST_CANCELLED, "reported a failure of its own as a cancellation")
    check(not is_approval(answer), "approved by failing")


@rule("CAN-90", 1, 2)
def a_cancel_that_overtakes_its_request_leaves_it_open(stage: Stage) -> None:
    stage.open()
    stage.cancel_request(40)
    stage.ask(40)
    stage.settle()
    stage.unanswered(40, "answered a request for a cancel that came before it")
    stage.direct("allow")
    check(is_approval(stage.answer(40)), "did not let the question be answered")
