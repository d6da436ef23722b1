"""When a turn ends and how its cancel ended, without a session around it."""

from __future__ import annotations

from typing import Any

import pytest

from acp_client.errors import AgentError, ConnectionLost, InvalidResponse, RequestCancelled, SessionBusy
from acp_client.policy.turns import CancelOutcome, CancelWork, Phase, TurnResult, TurnWork, outcome_of

LOST = ConnectionLost("gone")
REFUSED = AgentError("session/prompt", -32603, "broken")
WITHDRAWN = RequestCancelled("session/prompt", -32800, "cancelled")
BUSY = SessionBusy("no")


def work(**fields: Any) -> TurnWork:
    turn = TurnWork(())
    turn.phase = Phase.SENT
    for name, value in fields.items():
        assert hasattr(turn, name)
        setattr(turn, name, value)
    return turn


def cancelled(**fields: Any) -> TurnWork:
    turn = work(**fields)
    turn.cancel = CancelWork((turn,), waits_for_idle=True)
    return turn


def test_a_new_turn_knows_nothing_yet() -> None:
    """Ours: and nothing was sent."""
    turn = TurnWork((), {"k": 1})
    assert (turn.phase, turn.blocks, turn.meta, turn.overlap) == (Phase.HELD, (), {"k": 1}, False)
    assert (turn.request, turn.message_id, turn.stop_reason, turn.error, turn.outcome, turn.result) == (None,) * 6
    assert (turn.end, turn.end_meta, turn.started_at, turn.text_mark, turn.cancel) == ({}, None, 0, None, None)
    assert not any((turn.answered, turn.inserted, turn.sent_busy, turn.worked, turn.idle_passed, turn.may_work))
    assert turn.failed is None
    assert TurnWork((), overlap=True).overlap is True


@pytest.mark.parametrize(
    ("stop_reason", "error", "outcome"),
    [
        ("cancelled", None, CancelOutcome.CONFIRMED),
        (None, WITHDRAWN, CancelOutcome.CONFIRMED),
        ("end_turn", None, CancelOutcome.FINISHED_FIRST),
        (None, None, CancelOutcome.FINISHED_FIRST),
        ("error", None, CancelOutcome.FAILED),
        ("error", REFUSED, CancelOutcome.FAILED),
        (None, REFUSED, CancelOutcome.FAILED),
        (None, BUSY, CancelOutcome.FAILED),
        (None, LOST, CancelOutcome.CONNECTION_LOST),
        ("cancelled", LOST, CancelOutcome.CONNECTION_LOST),
    ],
)
def test_the_end_of_the_work_says_how_the_cancel_ended(
    stop_reason: str | None, error: Any, outcome: CancelOutcome
) -> None:
    """CAN-43, CAN-53, CAN-80."""
    assert outcome_of(stop_reason, error) is outcome
    turn = cancelled()
    turn.settle(stop_reason, error)
    assert turn.outcome is outcome
    untouched = work()
    untouched.settle(stop_reason, error)
    assert untouched.outcome is None, "there was no cancel"


@pytest.mark.parametrize(
    ("turn", "error", "reason", "fails"),
    [
        (work(), WITHDRAWN, "cancelled", False),
        (cancelled(), REFUSED, "cancelled", False),
        (work(), REFUSED, None, True),
        (cancelled(), LOST, None, True),
        (cancelled(), InvalidResponse("session/prompt", "?"), None, True),
    ],
)
def test_a_refusal_after_a_cancel_is_a_cancelled_end_with_the_error_kept(
    turn: TurnWork, error: Any, reason: str | None, fails: bool
) -> None:
    """CAN-55, CAN-58, CAN-88: other errors end the wait as errors."""
    turn.settle(None, error)
    assert (turn.phase, turn.stop_reason, turn.error) == (Phase.ENDED, reason, error)
    assert turn.failed is (error if fails else None)


def test_the_agents_own_reason_is_kept_beside_an_error() -> None:
    """CAN-53: and the wait does not fail then."""
    turn = work()
    turn.settle("error", REFUSED)
    assert (turn.stop_reason, turn.error, turn.failed) == ("error", REFUSED, None)


def test_an_unconfirmed_end_is_no_failure() -> None:
    """CAN-93."""
    turn = work(error=REFUSED, outcome=CancelOutcome.UNCONFIRMED)
    assert turn.failed is None


def test_an_inserted_prompt_may_work_until_its_end_was_seen() -> None:
    """CAN-93, CAN-56: also after its cancel was given up."""
    assert not work().may_work
    assert work(inserted=True).may_work
    assert not work(inserted=True, phase=Phase.ENDED).may_work
    assert work(inserted=True, phase=Phase.ENDED, outcome=CancelOutcome.UNCONFIRMED).may_work


def test_which_idle_ends_a_turn() -> None:
    """V2-PRM-09, V2-PRM-12, V2-STA-15: one that follows its work, or that answers its cancel."""
    assert work(inserted=True, worked=True).ends_at_idle()
    assert cancelled(inserted=True).ends_at_idle()
    assert not work(inserted=True).ends_at_idle()
    for waiting in (work(), work(worked=True), cancelled(worked=True)):
        assert not waiting.ends_at_idle(), "the answer has not come"


def test_an_idle_before_the_answer_counts_only_after_work_of_its_own() -> None:
    """CAN-48: it may belong to what was running before."""
    for turn, passed in (
        (work(worked=True), True),
        (work(), False),
        (work(worked=True, sent_busy=True), False),
        (work(worked=True, inserted=True), False),
    ):
        turn.ends_at_idle()
        assert turn.idle_passed is passed


def test_which_answer_ends_a_turn() -> None:
    """CAN-48: one that comes after the end of the work it started, or of its cancel."""
    over, running = cancelled(), cancelled()
    assert over.cancel is not None
    over.cancel.over = True
    assert over.ends_at_answer(False, True)
    assert not running.ends_at_answer(False, True)
    assert work(idle_passed=True).ends_at_answer(False, True)
    assert work(worked=True).ends_at_answer(True, True)
    assert not work(worked=True).ends_at_answer(False, True)
    assert not work().ends_at_answer(True, True)
    for turn in (over, work(idle_passed=True), work(worked=True)):
        assert not turn.ends_at_answer(True, False), "something runs"


@pytest.mark.parametrize(("meta", "kept"), [({"k": 1}, {"k": 1}), ({}, None), (None, None), ([1], None), ("x", None)])
def test_what_ended_a_turn_is_kept_with_its_meta(meta: Any, kept: Any) -> None:
    """Ours: a `_meta` that is no object is none."""
    turn = work()
    turn.ended_with({"stopReason": "end_turn"}, meta)
    assert (turn.end, turn.end_meta) == ({"stopReason": "end_turn"}, kept)


def test_a_cancel_has_one_outcome_and_tells_it_once() -> None:
    """CAN-49: its timers are stopped before anybody is told."""
    order: list[str] = []
    cancel = CancelWork((), waits_for_idle=False)
    assert (cancel.over, cancel.narrow, cancel.outcome, cancel.waits_for_idle) == (False, False, None, False)
    cancel.timers.append(lambda: order.append("timer"))
    cancel.on_outcome.append(lambda: order.append(f"told {cancel.outcome}"))
    cancel.resolve(CancelOutcome.CONFIRMED)
    cancel.resolve(CancelOutcome.FAILED)
    assert cancel.outcome is CancelOutcome.CONFIRMED
    assert order == ["timer", "told confirmed"]


def test_a_cancel_owes_the_turns_that_have_not_ended() -> None:
    """CAN-45."""
    ended, running = work(phase=Phase.ENDED), work()
    assert CancelWork((ended, running), waits_for_idle=True).owed() == [running]


@pytest.mark.parametrize(
    ("outcomes", "summed"),
    [
        ([], "finished_first"),
        (["finished_first"], "finished_first"),
        (["finished_first", "confirmed"], "confirmed"),
        (["confirmed", "failed"], "failed"),
        (["failed", "connection_lost", "confirmed"], "connection_lost"),
        ([None], "finished_first"),
    ],
)
def test_several_turns_make_one_outcome(outcomes: list[Any], summed: str) -> None:
    """CAN-46: the worst counts."""
    turns = [work(outcome=CancelOutcome(outcome) if outcome else None) for outcome in outcomes]
    assert CancelWork(turns, waits_for_idle=False).outcome_of_turns() == summed


def test_a_result_without_updates_is_empty() -> None:
    """Ours: some agents make nothing of a failure."""
    assert TurnResult(session_id="s1", stop_reason="end_turn").empty
    assert not TurnResult(session_id="s1", stop_reason="end_turn", updates=1).empty
