"""The cancellation core under every order of a few events; `poe explore` goes deeper."""

from __future__ import annotations

import pytest

from tests.explorer.explore import explore, play

DEPTH = 4


@pytest.mark.parametrize("version", [1, 2])
def test_no_order_of_events_breaks_a_rule_of_cancellation(version: int, capsys: pytest.CaptureFixture[str]) -> None:
    """CAN-14, CAN-22, CAN-28, CAN-30, CAN-80, CAN-86: one answer each, no approval in a window, no endless wait."""
    report = explore(version, DEPTH, seconds=30)
    with capsys.disabled():
        print(f"\n{report}")  # noqa: T201  # the numbers belong into the log of a test run
    assert report.faults == ()
    assert report.depth == DEPTH


def test_the_judge_notices_an_approval_inside_a_window() -> None:
    """Ours: the explorer can fail: a click that is written although it came after the cancel is a fault."""
    world, judge, fault = play(1, ("prompt", "ask 1", "cancel"))
    assert fault is None
    world.wire.append({"jsonrpc": "2.0", "id": 101, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}})
    assert judge.watch("click 1") == "request 1 was answered 2 times"


def test_the_judge_notices_a_missing_answer() -> None:
    """Ours: a request that was open at the cancel and has no answer is a fault."""
    world, judge, _ = play(2, ("prompt", "running", "ask 1", "cancel"))
    del world.wire[-1]
    assert judge.watch("idle cancelled") == "request 1 was decided and is not answered"
