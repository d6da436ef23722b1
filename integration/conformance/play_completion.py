"""Plays about the end of cancelled work, and of prompts that were taken back."""

from __future__ import annotations

from integration.conformance.play_requests import withdrawn_prompt
from integration.conformance.rules import rule
from integration.conformance.stage import REQUEST_CANCELLED, Message, Stage, check


@rule("CAN-43", 2)
def any_idle_ends_the_wait(stage: Stage) -> None:
    stage.open()
    ends: list[Message] = [{"stopReason": "end_turn"}, {}, {"stopReason": None}, {"stopReason": "_odd"}]
    for turn, end in enumerate(ends, 1):
        stage.direct("cancel")
        stage.wait_for("session/cancel", turn)
        stage.state("idle", **end)
        stage.wait_for_turn(turn)
        stage.insert(stage.prompt_again())


@rule("CAN-44", 2)
def no_other_state_ends_it(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    for state in ("requires_action", "_dreaming", "running"):
        stage.state(state)
    stage.settle()
    check(not stage.turns(), f"reported the end {stage.turns()} before an idle state")
    stage.state("idle", stopReason="cancelled")
    check(stage.wait_for_turn() == "cancelled", "did not report the end as cancelled")


@rule("CAN-45", 2)
def held_prompts_end_refused_and_inserted_ones_accepted(stage: Stage) -> None:
    stage.open()
    held = stage.prompt_again()
    stage.cancel()
    stage.error(held["id"], REQUEST_CANCELLED)
    stage.state("idle", stopReason="cancelled")
    stage.wait_for_turn()
    stage.prompt_again()


@rule("CAN-47", 2)
def a_prompt_that_is_accepted_late_is_no_end(stage: Stage) -> None:
    prompt = stage.open(answered=False)
    stage.state("running")
    stage.settle()
    stage.cancel()
    stage.result(prompt["id"], {"messageId": "m1"})
    stage.settle()
    check(not stage.turns(), f"took the answer for the end: {stage.turns()}")
    stage.state("idle", stopReason="cancelled")
    check(stage.wait_for_turn() == "cancelled", "did not report the end as cancelled")


@rule("CAN-48", 2)
def answer_and_idle_come_in_either_order(stage: Stage) -> None:
    prompt = stage.open(answered=False)
    stage.state("running")
    stage.settle()
    stage.cancel()
    stage.state("idle", stopReason="cancelled")
    stage.result(prompt["id"], {"messageId": "m1"})
    check(stage.wait_for_turn() == "cancelled", "did not report the end as cancelled")
    stage.settle()
    check(len(stage.turns()) == 1, f"reported several ends: {stage.turns()}")


@rule("CAN-49", 2)
def a_repeated_idle_is_no_second_end(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    for _ in range(3):
        stage.state("idle", stopReason="cancelled")
    stage.wait_for_turn()
    stage.settle()
    check(len(stage.turns()) == 1, f"reported several ends: {stage.turns()}")


@rule("CAN-50", 2)
def a_cancel_by_somebody_else_is_an_ordinary_end(stage: Stage) -> None:
    stage.open()
    stage.state("idle", stopReason="cancelled")
    end = stage.wait_for_turn()
    check(end == "cancelled", f"reported {end!r}")
    check(not stage.sent("session/cancel"), "cancelled as well")


@rule("CAN-51", 2)
def background_updates_after_the_end_are_taken(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    stage.state("idle", stopReason="cancelled")
    stage.wait_for_turn()
    stage.update("terminal_update", terminalId="x1", command="make", cwd="/")
    stage.update("terminal_output_chunk", terminalId="x1", data="aGkK")
    stage.direct("echo from behind")
    stage.wait_for("_kit/echo")
    check(len(stage.turns()) == 1, f"reported several ends: {stage.turns()}")


@rule("CAN-52", 2)
def a_prompt_sent_after_the_cancel_is_not_meant(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    later = stage.prompt_again()
    stage.state("idle", stopReason="cancelled")
    stage.wait_for_turn()
    stage.insert(later)
    stage.state("idle", stopReason="end_turn")
    stage.wait_for_turn(2)
    check(stage.turns() == ["cancelled", "end_turn"], f"reported the ends {stage.turns()}")


@rule("CAN-53", 2)
def a_failure_while_cancelling_ends_it_and_is_kept(stage: Stage) -> None:
    stage.open()
    stage.cancel()
    stage.state("idle", stopReason="error", error={"code": -32603, "message": "boom"})
    end = stage.wait_for_turn()
    check(end.startswith("error"), f"reported {end!r}")


@rule("CAN-55", 2)
def a_prompt_taken_back_in_time_runs_nothing(stage: Stage) -> None:
    prompt = withdrawn_prompt(stage)
    stage.error(prompt["id"], REQUEST_CANCELLED)
    end = stage.wait_for_turn()
    check(end in ("cancelled", f"error {REQUEST_CANCELLED}"), f"reported {end!r}")
    stage.prompt_again()


@rule("CAN-56", 2)
def a_prompt_taken_back_too_late_is_in_and_works(stage: Stage) -> None:
    prompt = withdrawn_prompt(stage)
    stage.insert(prompt)
    stage.settle()
    check(not stage.turns(), f"reported the end {stage.turns()} of work that goes on")
    stage.state("idle", stopReason="end_turn")
    end = stage.wait_for_turn()
    check(end == "end_turn", f"reported {end!r}")


@rule("CAN-57", 2)
def taking_back_a_prompt_does_not_cancel_the_session(stage: Stage) -> None:
    prompt = withdrawn_prompt(stage)
    stage.insert(prompt)
    stage.settle()
    check(not stage.sent("session/cancel"), "cancelled the session")


@rule("CAN-58", 2)
def a_prompt_the_agent_gave_up_counts_as_cancelled(stage: Stage) -> None:
    prompt = stage.open(answered=False)
    stage.error(prompt["id"], REQUEST_CANCELLED)
    end = stage.wait_for_turn()
    check(end == "cancelled", f"reported {end!r}")


@rule("CAN-87", 1)
def updates_before_the_answer_are_told_before_the_end(stage: Stage) -> None:
    prompt = stage.open()
    stage.cancel()
    answer = {"jsonrpc": "2.0", "id": prompt["id"], "result": {"stopReason": "cancelled"}}
    stage.send(*[stage.directs(f"echo {number}") for number in range(5)], answer)
    check(stage.wait_for_turn() == "cancelled", "did not report the end as cancelled")
    stage.settle()
    order = [m["method"] for m in stage.heard if m.get("method") in ("_kit/echo", "_kit/turn")]
    check(order == ["_kit/echo"] * 5 + ["_kit/turn"], f"told {order}")


@rule("CAN-88", 1)
def a_refused_prompt_counts_as_cancelled(stage: Stage) -> None:
    prompt = stage.open()
    stage.cancel()
    stage.error(prompt["id"], REQUEST_CANCELLED)
    end = stage.wait_for_turn()
    check(end == "cancelled", f"reported {end!r}")


@rule("CAN-94", 1)
def cancelled_without_a_cancel_is_an_ordinary_end(stage: Stage) -> None:
    stage.finish(stage.open(), "cancelled")
    end = stage.wait_for_turn()
    check(end == "cancelled", f"reported {end!r}")
