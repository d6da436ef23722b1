"""`acp-client prompt` in a pipe: what goes where, and the exit status."""

from __future__ import annotations

import pytest

from tests.cli.terminal import acp_client, agent


def test_the_text_of_the_agent_alone_goes_to_stdout() -> None:
    """Ours: stdout can be piped on; everything else is on stderr."""
    run = acp_client("prompt", "--agent", agent("reply"), "hi")
    assert (run.status, run.out) == (0, "hello\n")
    assert "ended: end_turn" in run.err


def test_text_in_a_pipe_is_exactly_what_the_agent_wrote() -> None:
    """Ours: only a terminal gets control characters replaced."""
    assert acp_client("prompt", "--agent", agent("escapes"), "hi").out == "a\x1b]0;title\x07b\x1b[31mc\u202ed\r\n"


@pytest.mark.parametrize(
    ("scenario", "said"),
    [("refusal", "ended: refusal"), ("limit", "ended: max_tokens"), ("failing", "model is down (code -32603)")],
)
def test_a_turn_that_ends_otherwise_is_status_1(scenario: str, said: str) -> None:
    """Ours: 0 is for turns that ended by themselves."""
    run = acp_client("prompt", "--agent", agent(scenario), "hi")
    assert run.status == 1
    assert said in run.err


def test_an_agent_that_dies_in_the_turn_is_status_3_and_says_why() -> None:
    """Ours: exit code and the end of stderr stand in the one line. The text so far is kept."""
    run = acp_client("prompt", "--agent", agent("dying"), "hi")
    assert (run.status, run.out) == (3, "half an ans")
    assert "status 7" in run.err
    assert "FATAL: out of memory" in run.err


def test_json_is_one_object_per_line_and_ends_with_the_result() -> None:
    """Ours: each with a type; the text of the agent is in the events."""
    run = acp_client("prompt", "--agent", agent("reply"), "--json", "hi")
    assert run.status == 0
    assert run.lines[0]["type"] == "session"
    assert (
        "".join(line["text"] for line in run.lines if line["type"] == "text" and line["role"] == "agent") == "hello\n"
    )
    assert run.result == {
        "type": "result",
        "stop_reason": "end_turn",
        "cancel": None,
        "session_id": "s1",
        "protocol_version": 1,
        "error": None,
    }


def test_json_shows_tool_calls_and_questions() -> None:
    """Ours: a program can follow everything a person sees."""
    run = acp_client("prompt", "--agent", agent("ask"), "--json", "--permission", "allow", "hi")
    lines = {line["type"]: line for line in run.lines}
    assert lines["item"]["item"]["title"] == "Write hello.txt"
    options = lines["question_opened"]["question"]["options"]
    assert [option["option_id"] for option in options] == ["ok-id", "always-id", "no-id"]
    assert lines["question_ended"]["question"]["ended_by"] == "host"


@pytest.mark.parametrize(
    ("scenario", "described"),
    [("failing", {"code": -32603, "data": None}), ("dying", {"exit_code": 7}), ("exit", {"exit_code": 4})],
)
def test_json_ends_with_the_result_whatever_happens(scenario: str, described: dict[str, object]) -> None:
    """Ours: a program need not read stderr. UX-03: the error keeps code and data."""
    run = acp_client("prompt", "--agent", agent(scenario), "--json", "hi")
    assert run.result["type"] == "result"
    assert run.result["stop_reason"] is None
    assert run.result["error"]["message"]
    assert run.result["error"].items() >= described.items()


def test_the_demo_agent_is_the_default_and_both_versions_can_be_pinned() -> None:
    """Ours: no agent and no account is needed to try it."""
    run = acp_client("prompt", "--json", "--protocol", "1", "--permission", "allow", "Use a tool")
    assert (run.status, run.result["stop_reason"], run.result["protocol_version"]) == (0, "end_turn", 1)
    run = acp_client("prompt", "--json", "--protocol", "2", "--permission", "deny", "Use a tool")
    assert (run.status, run.result["protocol_version"]) == (0, 2)
