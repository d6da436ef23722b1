"""Plays about forms, single tool calls, closing, and the end of the connection."""

from __future__ import annotations

from integration.conformance.rules import rule
from integration.conformance.stage import (
    REQUEST_CANCELLED,
    Message,
    NotShown,
    Stage,
    check,
    code_of,
    is_approval,
    is_cancelled,
    notification,
    shown,
    update,
)

NOT_FOUND = -32002

# forms


@rule("CAN-60", 2)
def a_form_stays_open_when_the_session_is_cancelled(stage: Stage) -> None:
    stage.open()
    stage.show_form(44)
    stage.settle()
    stage.cancel()
    stage.settle()
    stage.unanswered(44, "answered the form")
    stage.cancel_request(44)
    check(not is_approval(stage.answer(44)), "accepted a form that was cancelled")


@rule("CAN-61", 1, 2)
def a_cancelled_form_is_not_accepted(stage: Stage) -> None:
    stage.open()
    stage.show_form(44)
    stage.settle()
    stage.cancel_request(44)
    stage.settle()
    if not stage.answers(44):
        raise NotShown("ignores `$/cancel_request` for forms, as it may (CAN-21a)")
    answer = stage.only_answer(44)
    ended = code_of(answer) == REQUEST_CANCELLED or answer.get("result") == {"action": "cancel"}
    check(ended, f"answered {shown(answer)}")
    stage.direct("allow")
    stage.settle()
    stage.only_answer(44)


@rule("CAN-62", 1, 2)
def a_dismissed_form_is_cancelled(stage: Stage) -> None:
    stage.open()
    stage.show_form(44)
    stage.settle()
    stage.direct("dismiss")
    answer = stage.answer(44)
    check(answer.get("result") == {"action": "cancel"}, f"answered {shown(answer)}")


@rule("CAN-66", 1, 2)
def a_completion_nobody_waits_for_is_ignored(stage: Stage) -> None:
    prompt = stage.open()
    for elicitation in ("e1", "e1", "nobody's"):
        stage.send(notification("elicitation/complete", {"elicitationId": elicitation}))
    stage.settle()
    stage.finish(prompt)
    check(stage.wait_for_turn() == "end_turn", "did not report the end")


# single tool calls


def _offer(stage: Stage, capabilities: Message) -> None:
    call = {"toolCallId": "t1", "title": "Long", "kind": "execute", "status": "in_progress", **capabilities}
    stage.send(update("tool_call_update", "s1", **call))
    stage.settle()


@rule("CAN-69", 2)
def only_what_offers_it_is_stopped_alone(stage: Stage) -> None:
    stage.open()
    _offer(stage, {})
    stage.direct("stop tool t1")
    stage.settle()
    check(not stage.sent("tool_call/cancel"), "sent tool_call/cancel for a tool call that does not offer it")
    _offer(stage, {"capabilities": {"cancel": {}}})
    stage.direct("stop tool t1")
    stage.wait_for("tool_call/cancel")


@rule("CAN-70", 2)
def the_offer_is_patched_like_everything_else(stage: Stage) -> None:
    stage.open()
    asked = 0
    patches: list[tuple[Message, bool]] = [
        ({"capabilities": {"cancel": {}}}, True),
        ({}, True),
        ({"capabilities": {}}, False),
        ({"capabilities": {"cancel": {}}}, True),
        ({"capabilities": None}, False),
        ({"capabilities": {"cancel": None}}, False),
    ]
    for fields, offered in patches:
        _offer(stage, fields)
        stage.direct("stop tool t1")
        asked += offered
        if offered:
            stage.result(stage.wait_for("tool_call/cancel", asked)["id"], {})
        stage.settle()
        check(len(stage.sent("tool_call/cancel")) == asked, f"after {fields} it was taken as offered: {not offered}")


@rule("CAN-75", 2)
def stopping_one_tool_call_leaves_the_rest_alone(stage: Stage) -> None:
    stage.open()
    _offer(stage, {"capabilities": {"cancel": {}}})
    stage.ask(40, "t2")
    stage.settle()
    stage.direct("stop tool t1")
    stage.result(stage.wait_for("tool_call/cancel")["id"], {})
    stage.settle()
    stage.unanswered(40, "answered a question of another tool call")
    check(not stage.sent("session/cancel"), "cancelled the session")
    check(not stage.turns(), "reported the end of the turn")


# closing a session


def _close(stage: Stage) -> object:
    """Have the host close the session; returns the id of the request, which is left open."""
    del stage.answers_by_itself["session/close"]
    stage.direct("close")
    return stage.wait_for("session/close")["id"]


@rule("CAN-76", 1, 2)
def a_close_answers_open_questions(stage: Stage) -> None:
    stage.open()
    stage.ask(40)
    stage.settle()
    close = _close(stage)
    stage.settle()
    if stage.version == 2 and not stage.answers(40):
        stage.cancel_request(40)  # as agents of version 2 do before they answer
    stage.settle()
    answer = stage.only_answer(40)
    check(is_cancelled(answer), f"answered {shown(answer)}")
    stage.result(close, {})


@rule("CAN-77", 1, 2)
def closing_what_the_agent_forgot_succeeds(stage: Stage) -> None:
    stage.finish(stage.open())
    stage.wait_for_turn()
    stage.error(_close(stage), NOT_FOUND, "no such session", {"sessionId": "s1"})
    outcome = stage.wait_for("_kit/closed")["params"]["outcome"]
    check(outcome == "ok", f"reported {outcome!r}")


@rule("CAN-78", 2)
def answers_to_prompts_after_the_close_are_taken(stage: Stage) -> None:
    prompt = stage.open(answered=False)
    close = _close(stage)
    stage.result(close, {})
    stage.wait_for("_kit/closed")
    stage.error(prompt["id"], REQUEST_CANCELLED)
    stage.settle()
    check(len(stage.turns()) == 1, f"reported the ends {stage.turns()}")


@rule("CAN-79", 2)
def later_traffic_of_a_closed_session_is_dropped(stage: Stage) -> None:
    prompt = stage.open()
    close = _close(stage)
    stage.finish(prompt, "cancelled")
    stage.result(close, {})
    stage.wait_for("_kit/closed")
    stage.update("agent_message_chunk", messageId="m9", content={"type": "text", "text": "too late"})
    stage.ask(40)
    answer = stage.answer(40)
    check("error" in answer or is_cancelled(answer), f"answered {shown(answer)}")
    stage.settle()


# the end of the connection


@rule("CAN-80", 1, 2)
def a_lost_connection_ends_every_wait(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    stage.settle()
    # The connection ends here. The program must find out and come to its end, which the kit watches.


@rule("CAN-85", 1, 2)
def an_orderly_end_answers_what_is_open(stage: Stage) -> None:
    stage.open()
    stage.ask(40)
    stage.settle()
    stage.direct("quit")
    stage.wait_for_end()
    stage.only_answer(40)


@rule("CAN-86", 1, 2)
def an_end_never_approves(stage: Stage) -> None:
    stage.open()
    stage.ask(40)
    stage.settle()
    stage.direct("quit")
    stage.wait_for_end()
    check(not any(is_approval(answer) for answer in stage.answers(40)), "approved while shutting down")
