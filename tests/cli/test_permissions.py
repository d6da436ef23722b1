"""How `acp-client prompt` answers permission requests when it is not asked on a terminal."""

from __future__ import annotations

import pytest

from tests.cli.terminal import acp_client, agent


@pytest.mark.parametrize(
    ("mode", "scenario", "outcome"),
    [
        ("allow", "ask", "ok-id"),
        ("allow", "ask-always-only", "cancelled"),
        ("allow", "ask-menu", "cancelled"),
        ("allow-reads", "ask-read", "ok-id"),
        ("allow-reads", "ask", "no-id"),
        ("deny", "ask", "no-id"),
        ("deny", "ask-always-only", "cancelled"),
    ],
)
def test_modes_choose_by_the_kind_of_the_options(mode: str, scenario: str, outcome: str) -> None:
    """Fault CP-12, fault CP-14: a denial never becomes an approval, and a menu is not chosen from."""
    run = acp_client("prompt", "--agent", agent(scenario), "--permission", mode, "hi")
    assert (run.status, run.out.strip()) == (0, f"outcome: {outcome}")


def test_without_a_terminal_the_default_is_deny() -> None:
    """Ours: nobody is there, so nothing is approved, whatever stands in the pipe."""
    run = acp_client("prompt", "--agent", agent("ask"), "hi", answers="1\n")
    assert run.out.strip() == "outcome: no-id"


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ("1\n", "ok-id"),
        ("always-id\n", "always-id"),
        ("3", "no-id"),
        ("yes\n\n0\n9\n 2 \r\n", "always-id"),
        ("", "no-id"),
    ],
)
def test_ask_reads_a_number_or_an_option_id_per_line_from_a_pipe(answers: str, outcome: str) -> None:
    """Ours: anything else asks again, and the end of the input means no."""
    run = acp_client("prompt", "--agent", agent("ask"), "--permission", "ask", "hi", answers=answers)
    assert (run.status, run.out.strip()) == (0, f"outcome: {outcome}")
    assert "1) Allow [ok-id]" in run.err
    assert run.err.count("is no option") == (4 if "yes" in answers else 0)
