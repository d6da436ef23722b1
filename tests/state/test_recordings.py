"""Recorded conversations of real agents, and what has to be in the state at their end.

The recordings are exact lines of conversations with five agents (a scripted model behind them, neutral paths); lines
that say nothing about a session, and lines that were too long to keep whole, are left out.
"""

from __future__ import annotations

import json

import pytest

from acp_client.state.content import Text
from acp_client.state.events import NoticeShown, UnknownUpdate
from acp_client.state.items import BackgroundWork, Diff, FileChange, Location, TerminalRef, ToolCall, Usage
from acp_client.state.snapshot import SessionSnapshot
from tests.state.player import RECORDINGS, Player

VERSIONS = {
    "claude-agent-acp.load": 1,
    "claude-agent-acp.v2_load": 2,
    "claude-agent-acp.v2_perm": 2,
    "codex-acp.basic": 1,
    "codex-acp.v2_load": 2,
    "codex-acp.v2_perm_cancel": 2,
    "gemini-cli.load": 1,
    "gemini-cli.perm_cancel": 1,
    "opencode.load": 1,
    "qwen-code.perm_allow": 1,
}


def played(name: str) -> Player:
    return Player(VERSIONS[name]).play(name)


def transcript(snapshot: SessionSnapshot) -> list[str]:
    """One short line an item."""
    lines = []
    for item in snapshot.items:
        if isinstance(item, ToolCall):
            lines.append(f"tool {item.status}: {item.title}")
        else:
            lines.append(f"{getattr(item, 'role', item.type)}: {getattr(item, 'text', '')}")
    return lines


def options(snapshot: SessionSnapshot) -> dict[str, object]:
    return {option.id: option.value for option in snapshot.config_options}


@pytest.mark.parametrize("name", VERSIONS)
def test_every_recorded_update_is_understood(name: str) -> None:
    """Ours: no line of a real agent is unknown or invalid, and each is one event."""
    player = played(name)
    assert not [event for event in player.events if isinstance(event, UnknownUpdate)]
    lines = (RECORDINGS / f"{name}.jsonl").read_text("utf-8").splitlines()
    updates = sum(json.loads(line)["msg"].get("method") == "session/update" for line in lines)
    assert sum(event.count for event in player.events) == updates


def test_all_recordings_are_played() -> None:
    """Ours."""
    assert {path.stem for path in RECORDINGS.glob("*.jsonl")} == set(VERSIONS)


def test_claude_version_2_asks_before_it_writes() -> None:
    """Recorded: two turns, one allowed and one refused; the diff, the refusal and the cost stay."""
    player = played("claude-agent-acp.v2_perm")
    (session,) = player.sessions.values()
    now = session.now
    assert transcript(now) == [
        "user: ACP_WRITE please",
        "agent: I will use a tool. ",
        "tool completed: Write acp_write.txt",
        "agent: Tool finished.",
        "user: ACP_WRITE please",
        "agent: I will use a tool. ",
        "tool failed: Write acp_write.txt",
        "agent: Tool finished.",
    ]
    assert player.turns == ["I will use a tool. Tool finished."] * 2
    assert (now.state, now.stop_reason, now.background) == ("idle", "end_turn", ())
    done, refused = now.tool_calls
    assert (done.kind, done.name, done.locations) == ("edit", "Write", (Location("/workspace/acp_write.txt"),))
    (diff,) = done.content
    assert isinstance(diff, Diff)
    assert diff.changes == (FileChange(operation="add", path="/workspace/acp_write.txt", file_type="text"),)
    assert diff.patch_format == "git_patch"
    assert diff.patch
    assert refused.content == (Text("```\nUser refused permission to run tool\n```"),)
    assert now.title == "ACP_WRITE please"
    assert now.updated_at == "2026-12-01T04:00:51.740Z"
    assert now.usage is not None
    assert (now.usage.used, now.usage.size) == (15, 1_000_000)
    assert now.usage.cost is not None
    assert now.usage.cost.currency == "USD"
    assert now.usage.cost.amount == pytest.approx(0.00098)
    assert len(now.commands) == 40
    assert options(now) == {
        "mode": "default",
        "model": "default",
        "effort": "default",
        "fast": False,
        "ultracode": False,
    }


def test_claude_version_2_replays_its_history() -> None:
    """Recorded (V2-SES-17, V2-SES-18): empty messages, then their chunks, then the state, then the answer."""
    player = played("claude-agent-acp.v2_load")
    session = player.sessions["754227de-bc16-4e0a-893a-b380862e619d"]
    now = session.now
    assert transcript(now) == [
        "user: ACP_SLOW please",
        "agent: chunk0 chunk1 chunk2 ",
        "user: [Request interrupted by user]",
        "user: ACP_PLAIN again",
        "agent: Hello from the fake model.",
    ]
    assert all(event.replayed for event in player.events)
    assert (now.state, now.stop_reason, now.background) == ("idle", None, ())
    assert player.turns == [], "a replayed idle ends no turn"


def test_claude_version_1_loads_and_goes_on() -> None:
    """Recorded (V1-SES-05, V1-MOD-03): history before the answer, one live turn, options and not modes."""
    player = played("claude-agent-acp.load")
    session = player.sessions["cfff786b-7fa7-4470-b702-ed6164938822"]
    now = session.now
    assert transcript(now) == [
        "user: ACP_SLOW please",
        "agent: chunk0 ",
        "user: [Request interrupted by user]",
        "user: ACP_PLAIN",
        "agent: Hello from the fake model.",
    ]
    assert player.turns == ["Hello from the fake model."]
    assert (now.state, now.stop_reason, now.title) == ("idle", "end_turn", "ACP_PLAIN")
    assert options(now) == {
        "mode": "default",
        "model": "default",
        "effort": "default",
        "fast": "off",
        "ultracode": "off",
    }
    assert len(now.commands) == 40


def test_codex_version_1_warns_without_an_id() -> None:
    """Recorded (v1 section 7): warnings without an id, answers and thoughts with one; a title; vendor metadata."""
    player = played("codex-acp.basic")
    session = player.sessions["01a22f98-72a3-7723-900d-6f58518b0900"]
    now = session.now
    roles = [message.role for message in now.messages]
    assert roles == ["user", "agent", "agent", "user", "agent", "thought", "agent"]
    texts = [message.text for message in now.messages]
    assert texts[1] == texts[4]
    assert texts[1].startswith("Warning: Model metadata for `fake-model` not found.")
    assert [texts[2], texts[5], texts[6]] == ["Hello from the fake model.", "\n\nLet me think. ", "Thought done."]
    assert now.title == "ACP_PLAIN say hello"
    assert now.meta == {"codex": {"threadStatus": {"type": "idle"}}}
    assert now.usage == Usage(used=15, size=258_400)
    assert options(now) == {"mode": "agent", "collaboration_mode": "default", "model": "fake-model"}
    refused = player.sessions["nope"].now
    assert (transcript(refused), refused.state) == (["user: hi"], "idle")


def test_codex_version_2_is_cancelled_while_it_asks() -> None:
    """Recorded (CAN-38): the call shows as cancelled, then the agent's own word counts; its terminal has ended."""
    player = played("codex-acp.v2_perm_cancel")
    (session,) = player.sessions.values()
    now = session.now
    assert transcript(now) == [
        "user: ACP_BASH please",
        "agent: I will use a tool. ",
        "tool failed: echo hello-from-acp > acp_bash.txt",
    ]
    (call,) = now.tool_calls
    assert call.content == (TerminalRef("call_1ffd576ec1574e02bae6"),)
    assert not call.cancelled_locally
    terminal = now.terminals["call_1ffd576ec1574e02bae6"]
    assert (terminal.command, terminal.cwd) == ("echo hello-from-acp > acp_bash.txt", "/workspace")
    assert (terminal.exited, terminal.exit_code, terminal.output) == (True, None, b"")
    assert (now.state, now.stop_reason) == ("idle", "cancelled")
    ours = [event for event in player.events if event.count == 0 and getattr(event, "key", None) == call.key]
    assert len(ours) == 2, "what its question said of it, and the mark"
    (notice,) = [event for event in player.events if isinstance(event, NoticeShown)]
    assert notice.severity == "warning"


def test_codex_version_2_replays_its_history() -> None:
    """Recorded: a notice in the middle of a replay says that it is replayed; a fork has its own state."""
    player = played("codex-acp.v2_load")
    first = player.sessions["01a22fc3-50db-79e1-a6b9-ca976d3420fc"].now
    assert transcript(first) == [
        "user: ACP_SLOW please",
        "user: ACP_PLAIN again",
        "agent: Hello from the fake model.",
    ]
    assert (first.state, first.title) == ("idle", "ACP_SLOW please")
    fork = player.sessions["01a22fc3-6434-72b3-bcff-887b873d1d97"].now
    assert len(fork.commands) == 16
    (notice,) = [event for event in player.events if isinstance(event, NoticeShown)]
    assert notice.replayed


def test_gemini_answers_the_load_in_the_middle_of_the_replay() -> None:
    """Recorded: what comes behind the answer still is history, in order, and no message swallows another."""
    player = played("gemini-cli.load")
    now = player.sessions["699ca86b-9200-4338-b1ba-d6ac6de58fed"].now
    lines = transcript(now)
    assert lines[0].startswith("user: <session_context>")
    assert lines[1:] == [
        "user: ACP_PLAIN say hello",
        "agent: Hello from the fake model.",
        "user: ACP_THINK please",
        "thought: **Thinking**\nLet me think.",
        "agent: Thought done.",
        "user: ACP_PLAIN",
        "agent: Hello from the fake model.",
    ]
    assert player.turns == ["Hello from the fake model."]
    assert options(now) == {"mode": "default"}
    assert "memory show" in [command.name for command in now.commands]


def test_gemini_announces_a_call_only_in_its_question() -> None:
    """Recorded (V1-PER-01, fault SO-20): nothing follows for it, so it would run for ever without the local mark."""
    player = played("gemini-cli.perm_cancel")
    (session,) = player.sessions.values()
    now = session.now
    assert transcript(now) == [
        "user: ACP_WRITE please",
        "agent: I will use a tool. ",
        "tool cancelled: Writing to acp_write.txt",
        "user: ACP_PLAIN again",
        "agent: Hello from the fake model.",
    ]
    (call,) = now.tool_calls
    assert call.cancelled_locally
    (diff,) = call.content
    assert isinstance(diff, Diff)
    assert diff.changes[0].new_text
    assert player.turns == ["I will use a tool. ", "Hello from the fake model."]
    assert session.store.open_tool_calls() == ()


def test_qwen_sends_empty_chunks() -> None:
    """Recorded: they carry figures in their metadata and make no message; options come with the new session."""
    player = played("qwen-code.perm_allow")
    (session,) = player.sessions.values()
    now = session.now
    assert transcript(now) == [
        "user: ACP_WRITE please",
        "agent: I will use a tool. ",
        "tool completed: Writing to acp_write.txt",
        "agent: Tool finished.",
    ]
    (call,) = now.tool_calls
    assert (call.kind, call.locations) == ("edit", (Location("/workspace/acp_write.txt"),))
    assert call.meta == {"toolName": "write_file", "provenance": "builtin"}
    assert list(options(now)) == ["mode", "model"]


def test_opencode_forks_before_it_says_so() -> None:
    """Recorded (V2-SES-07, V1-SES-08): the whole history of the fork precedes the answer with its id."""
    player = played("opencode.load")
    first = player.sessions["ses_dd0640be1ffeCTntQeKbkCZjM2"].now
    fork = player.sessions["ses_dd060ba82ffey1sT5rgLDQUGma"].now
    history = [
        "user: ACP_PLAIN say hello",
        "agent: Hello from the fake model.",
        "user: ACP_THINK please",
        "thought: Let me think. ",
        "agent: Thought done.",
        "user: ACP_PLAIN",
        "agent: Hello from the fake model.",
    ]
    assert transcript(first) == history
    assert transcript(fork) == history
    assert options(first) == options(fork) == {"model": "fake/fake-model", "mode": "build"}
    assert [command.name for command in fork.commands] == ["customize-opencode", "init", "review"]
    assert player.turns == ["Hello from the fake model."]


def test_background_of_a_recording_is_known_to_be_nothing() -> None:
    """Recorded (V2-STA-11): one agent lists it, the other never does."""
    claude, codex = played("claude-agent-acp.v2_perm"), played("codex-acp.v2_perm_cancel")
    nothing: tuple[BackgroundWork, ...] = ()
    assert [session.now.background for session in claude.sessions.values()] == [nothing]
    assert [session.now.background for session in codex.sessions.values()] == [None]
