"""Recordings that play again."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_client.client import Client
from acp_client.errors import UsageError
from acp_client.policy.permissions import allow_all
from acp_client.state.content import Text
from acp_client.testing import Line, RecordingTransport, ReplayedAgent
from tests.kit import within

RECORDINGS = Path(__file__).parents[1] / "state" / "recordings"


@pytest.mark.parametrize("protocol", [1, 2])
async def test_what_was_recorded_plays_again(protocol: int) -> None:
    """Ours: the same turn, with a permission in it, ends in the same state without the agent's process."""
    recorder: list[RecordingTransport] = []

    def record(transport: object) -> RecordingTransport:
        recorder.append(RecordingTransport(transport))  # type: ignore[arg-type]  # it is one
        return recorder[0]

    texts, items = [], []
    for run in range(2):
        agent = ReplayedAgent(recorder[0].lines) if run else None
        connecting = Client.connect(
            agent.transport if agent is not None else "demo",
            protocol=protocol,  # type: ignore[arg-type]  # 1 or 2
            permissions=allow_all,
            on_transport=None if run else record,
        )
        async with connecting as client:
            session = await client.new_session("/project")
            result = await within(session.prompt("Use a tool"))
            texts.append(result.text)
            items.append([item.key for item in session.snapshot.items])
        if agent is not None:
            assert agent.waiting_for is None
    assert texts[0] == texts[1] != ""
    assert items[0] == items[1]


async def test_a_real_agents_recording_drives_a_client() -> None:
    """Ours: a recording that begins behind the handshake, in which the client's answers are waited for."""
    agent = ReplayedAgent.from_file(RECORDINGS / "qwen-code.perm_allow.jsonl", protocol=1)
    async with Client.connect(agent.transport, protocol=1, permissions=allow_all) as client:
        assert agent.waiting_for == "session/new"
        session = await within(client.new_session("/workspace"))
        await within(client.request("session/set_mode", {"sessionId": session.id, "modeId": "default"}))
        result = await within(session.prompt([Text("ACP_WRITE please")]))
        assert result.stop_reason == "end_turn"
        assert [call.status for call in session.snapshot.tool_calls] == ["completed"]


async def test_the_agent_waits_until_the_client_has_said_what_it_said_then() -> None:
    """Ours: nothing comes too early, and it can be asked what is missing."""
    update = {"method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "plan"}}}
    lines = [
        Line(0.0, "c2a", {"jsonrpc": "2.0", "id": 7, "method": "_acme/go", "params": {}}),
        Line(0.1, "a2c", "a stray line"),
        Line(0.2, "a2c", {"jsonrpc": "2.0", "id": 7, "result": {"went": True}}),
        Line(0.3, "a2c", {"jsonrpc": "2.0", **update}),
    ]
    agent = ReplayedAgent(lines)
    async with Client.connect(agent.transport) as client:
        client.notify("_acme/other", {})
        assert agent.waiting_for == "_acme/go"
        assert await within(client.request("_acme/go", {})) == {"went": True}
        assert agent.waiting_for is None
        assert client.diagnostics_seen == 1


def test_what_is_no_recording_is_told_with_its_line(tmp_path: Path) -> None:
    """Ours: wrong files are told by name and line."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"dir": "c2a", "msg": {}}\n{"msg": {}}\n')
    with pytest.raises(UsageError, match=r"x\.jsonl, line 2"):
        ReplayedAgent.from_file(path)
