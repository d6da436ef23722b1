"""`acp-client prompt` in a terminal: questions, Ctrl-C, and what must not reach the screen."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.terminal import agent, terminal


def test_in_a_terminal_it_asks_and_an_answer_is_typed() -> None:
    """Ours: ask is the default where somebody can be asked; nonsense asks again."""
    with terminal("prompt", "--agent", agent("ask"), "hi") as screen:
        screen.until("answer with a number or an option id:")
        screen.type("maybe\n")
        screen.until("is no option")
        screen.type("1\n")
        run = screen.wait()
    assert run.status == 0
    assert "outcome: ok-id" in run.err


def test_the_end_of_input_in_a_terminal_means_no() -> None:
    """Ours: Ctrl-D is a no."""
    with terminal("prompt", "--agent", agent("ask"), "hi") as screen:
        screen.until("answer with")
        screen.type("\x04")
        run = screen.wait()
    assert run.status == 0
    assert "outcome: no-id" in run.err


def test_ctrl_c_cancels_the_turn_with_its_open_question_and_waits() -> None:
    """Fault CP-01: the question is answered cancelled, the agent confirms, nobody is left waiting for stdin."""
    words = ("prompt", "--agent", agent("ask-until-cancelled"), "--json", "hi")
    with terminal(*words, out_to_pipe=True) as screen:
        screen.until("answer with")
        screen.interrupt()
        run = screen.wait()
    assert run.status == 130
    result = json.loads(run.out.splitlines()[-1])
    assert (result["stop_reason"], result["cancel"]) == ("cancelled", "confirmed")
    assert "outcome: cancelled" in run.out


def test_a_second_ctrl_c_leaves_at_once_and_stops_the_agent(tmp_path: Path) -> None:
    """Ours: an agent that ignores the cancel, the end of its input and SIGTERM is gone all the same."""
    working = tmp_path / "working"
    words = ("prompt", "--agent", agent("stubborn", str(working)), "--json", "hi")
    with terminal(*words, out_to_pipe=True) as screen:
        screen.until_exists(working)
        screen.interrupt()
        screen.until("Ctrl-C again")
        screen.interrupt()
        run = screen.wait()
    assert run.status == 130
    assert json.loads(run.out.splitlines()[-1])["cancel"] == "connection_lost"


def test_ctrl_c_before_there_is_a_turn_stops_the_agent_too(tmp_path: Path) -> None:
    """Ours: a handshake that hangs can be left."""
    started = tmp_path / "started"
    with terminal("prompt", "--agent", agent("silent", str(started)), "hi") as screen:
        screen.until_exists(started)
        screen.interrupt()
        run = screen.wait()
    assert run.status == 130


def test_control_characters_of_the_agent_do_not_reach_a_terminal() -> None:
    """Spec SHOULD V2-MSG-09, V1-UPD-07 and MUST V2-TRM-10: what is shown is sanitized."""
    with terminal("prompt", "--agent", agent("escapes"), "hi") as screen:
        run = screen.wait()
    shown = run.err
    assert "\x1b]0;title" not in shown
    assert "\x1b[31m" not in shown
    assert "\u202e" not in shown
    assert "a\ufffd]0;title\ufffdb\ufffd[31mc\ufffdd" in shown
