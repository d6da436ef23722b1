"""Plays about `session/cancel` and the permission requests of the session."""

from __future__ import annotations

from integration.conformance.rules import rule
from integration.conformance.stage import Message, NotShown, Stage, check, is_approval, is_cancelled, shown

BACKGROUND = [{"type": "tool_call", "toolCallId": "t9"}]


def cancel_with_open_questions(stage: Stage) -> Message:
    """Have the host cancel while two questions are shown; returns the prompt."""
    prompt = stage.open()
    stage.ask(40, "t1")
    stage.ask(41, "t2")
    stage.settle()
    stage.cancel()
    stage.settle()
    return prompt


def answered_with_help(stage: Stage) -> list[Message]:
    """The answers to both questions; version 2's agents help clients on by `$/cancel_request`."""
    for request_id in (40, 41):
        if stage.version == 2 and not stage.answers(request_id):
            stage.cancel_request(request_id)
    stage.settle()
    return [stage.only_answer(40), stage.only_answer(41)]


def run_in_background(stage: Stage) -> None:
    """Announce a tool call that goes on in the background."""
    stage.update("tool_call_update", toolCallId="t9", title="Watch", kind="execute", status="in_progress")
    stage.state("running", background=BACKGROUND)


@rule("CAN-22", 1, 2)
def every_open_question_is_answered_cancelled(stage: Stage) -> None:
    cancel_with_open_questions(stage)
    for answer in answered_with_help(stage):
        check(is_cancelled(answer), f"answered {shown(answer)}")


@rule("CAN-23", 2)
def questions_of_background_work_are_among_them(stage: Stage) -> None:
    stage.open()
    run_in_background(stage)
    stage.ask(40, "t9")
    stage.settle()
    stage.cancel()
    stage.settle()
    check(is_cancelled(stage.only_answer(40)), "answered something else")


@rule("CAN-24", 1, 2)
def the_client_does_not_wait_to_be_asked(stage: Stage) -> None:
    cancel_with_open_questions(stage)
    for request_id in (40, 41):
        stage.only_answer(request_id)


@rule("CAN-25", 1, 2)
def the_answer_is_a_result(stage: Stage) -> None:
    cancel_with_open_questions(stage)
    if stage.version == 1 and not stage.answers(40):
        raise NotShown("did not answer, see CAN-22")
    answers = answered_with_help(stage)
    check(all("result" in answer for answer in answers), f"answered {shown(answers[0])}")


@rule("CAN-26", 1, 2)
def other_sessions_are_left_alone(stage: Stage) -> None:
    stage.open()
    stage.direct("open")
    stage.wait_for("session/new", 2)
    stage.settle()
    stage.ask(40, "t1", "s1")
    stage.ask(50, "t1", "s2")
    stage.settle()
    stage.cancel()
    stage.settle()
    check([m["params"]["sessionId"] for m in stage.sent("session/cancel")] == ["s1"], "cancelled another session")
    stage.unanswered(50, "answered a question of another session")
    stage.direct("allow", "s2")
    check(is_approval(stage.answer(50)), "did not let the other session's question be answered")


@rule("CAN-27", 1, 2)
def the_cancel_is_written_first_and_the_answers_right_behind(stage: Stage) -> None:
    cancel_with_open_questions(stage)
    places = [n for n, m in enumerate(stage.heard) if "method" not in m and m.get("id") in (40, 41)]
    if not places:
        raise NotShown("wrote no answers by itself")
    cancel = stage.heard.index(stage.sent("session/cancel")[0])
    check(cancel < min(places), "answered before the cancel")
    check(max(places) == cancel + len(places), "wrote something else in between")


@rule("CAN-28", 1, 2)
def a_click_after_the_cancel_is_dropped(stage: Stage) -> None:
    cancel_with_open_questions(stage)
    stage.direct("allow")
    stage.settle()
    for request_id in (40, 41):
        check(is_cancelled(stage.only_answer(request_id)), "approved after the cancel")


@rule("CAN-30", 1, 2)
def a_question_that_crossed_the_cancel_is_not_shown(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    stage.ask(42, "t3")
    stage.settle()
    stage.direct("allow")
    stage.settle()
    answer = stage.only_answer(42)
    check(is_cancelled(answer), f"answered {shown(answer)}")


@rule("CAN-31", 1, 2)
def automatic_approval_stops_with_the_cancel(stage: Stage) -> None:
    stage.open()
    stage.direct("always allow")
    stage.settle()
    stage.ask(40)
    check(is_approval(stage.answer(40)), "did not approve by itself before the cancel")
    stage.cancel()
    stage.ask(42, "t3")
    answer = stage.answer(42)
    check(is_cancelled(answer), f"answered {shown(answer)}")


@rule("CAN-32", 1, 2)
def after_the_end_questions_are_shown_again(stage: Stage) -> None:
    prompt = stage.open()
    stage.cancel()
    stage.finish(prompt, "cancelled")
    stage.wait_for_turn()
    again = stage.prompt_again()
    if stage.version == 2:
        stage.insert(again)
    stage.ask(60, "t6")
    stage.settle()
    stage.unanswered(60, "answered by itself")
    stage.direct("allow")
    check(is_approval(stage.answer(60)), "did not let the question be answered")


@rule("CAN-33", 2)
def a_new_prompt_narrows_what_is_cancelled(stage: Stage) -> None:
    stage.open()
    stage.update("tool_call_update", toolCallId="t1", title="Old", kind="execute", status="in_progress")
    stage.settle()
    stage.cancel()
    stage.prompt_again()
    stage.ask(61, "t5")
    stage.ask(62, "t1")
    stage.settle()
    stage.unanswered(61, "answered a question of new work")
    check(is_cancelled(stage.only_answer(62)), "let a question of the cancelled work be answered")
    stage.direct("allow")
    check(is_approval(stage.answer(61)), "did not let the question of new work be answered")


@rule("CAN-34", 1, 2)
def a_cancel_while_idle_does_no_harm(stage: Stage) -> None:
    stage.finish(stage.open())
    stage.wait_for_turn()
    stage.direct("cancel")
    stage.settle()
    again = stage.prompt_again()
    if stage.version == 2:
        stage.insert(again)
    stage.finish(again)
    check(stage.wait_for_turn(2) == "end_turn", "the next turn did not end as it did")


@rule("CAN-35", 1, 2)
def the_cancel_is_a_notification(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    check("id" not in stage.sent("session/cancel")[0], "sent session/cancel as a request")


@rule("CAN-39", 2)
def updates_are_handed_on_between_cancel_and_end(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    stage.direct("echo late")
    check(stage.wait_for("_kit/echo")["params"]["text"] == "late", "lost an update")


@rule("CAN-40", 1, 2)
def the_prompt_stays_pending_and_the_session_open(stage: Stage) -> None:
    prompt = stage.open()
    stage.cancel()
    stage.settle()
    check(not stage.turns(), f"reported the end {stage.turns()} before the agent said so")
    stage.finish(prompt, "cancelled")
    stage.wait_for_turn()
    stage.prompt_again()


@rule("CAN-92", 2)
def background_work_may_still_ask_after_the_cancel(stage: Stage) -> None:
    stage.open()
    run_in_background(stage)
    stage.settle()
    stage.cancel()
    stage.ask(43, "t9")
    stage.settle()
    stage.unanswered(43, "answered a question of background work")
    stage.direct("allow")
    check(is_approval(stage.answer(43)), "did not let the question be answered")


@rule("CAN-93", 1, 2)
def a_wait_that_is_bounded_ends(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    stage.wait_for_turn()
    check(len(stage.sent("session/cancel")) == 1, "sent the cancel again")
    stage.direct("echo later")
    stage.wait_for("_kit/echo")
