"""Our client against real agents, offline: no account, no network, a model server that only plays its part."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import attrs
import pytest

from acp_client import CancelOutcome, Client, Session, Transport
from integration.peers.agents import CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, RealAgent, Scene
from integration.peers.desk import CANCELLED, Desk, Wire, first_text, within
from integration.peers.needs import need
from integration.peers.processes import processes_at, survivors

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

SPOKEN = [(CLAUDE, 2), (CLAUDE, 1), (GEMINI, 1), (CODEX, 2), (CODEX, 1), (QWEN, 1), (OPENCODE, 1)]


@attrs.frozen(kw_only=True)
class Visit:
    """One agent, started for one test, with one session in a folder of its own."""

    agent: RealAgent
    client: Client
    session: Session
    desk: Desk
    wire: Wire
    home: Path

    @property
    def made(self) -> Path:
        """What the agent's tool writes when it may."""
        return Path(self.session.cwd) / "made.txt"

    @property
    def act(self) -> str:
        """A prompt that makes the agent ask before it writes the file."""
        return f"{self.agent.action}={self.made} please"


@asynccontextmanager
async def visiting(agent: RealAgent, version: int, model: str, folder: Path) -> AsyncIterator[Visit]:
    """Start an agent and open a session in the mode that asks; afterwards nothing of the agent may be left."""
    need(agent.name)
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    desk, wire = Desk(), Wire()
    spec = agent.spec(Scene(home, model))
    # An agent that can do both is offered both; the lower one has to be pinned.
    protocol = cast("Any", "auto" if version == agent.protocol else version)
    async with Client.connect(spec, desk, protocol=protocol, on_transport=wire.wrap) as client:
        assert client.protocol_version == version
        session = await client.new_session(str(work))
        if agent.asking_mode is not None:
            await session.set_mode(agent.asking_mode)
        yield Visit(agent=agent, client=client, session=session, desk=desk, wire=wire, home=home)
    assert survivors(home) == [], "the agent left processes behind"


@pytest.fixture(params=SPOKEN, ids=[f"{agent.name}-v{version}" for agent, version in SPOKEN])
async def visit(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Visit]:
    """Each agent in each version it speaks."""
    agent, version = request.param
    need(agent.name)
    async with visiting(agent, version, request.getfixturevalue("fake_model"), tmp_path) as opened:
        yield opened


async def test_an_answer_streams_through_a_real_agent(visit: Visit) -> None:
    """Ours: initialize, a new session, a streamed answer, its end."""
    assert visit.client.agent is not None
    assert visit.client.agent.version == visit.agent.version
    result = await within(visit.session.prompt("ACP_PLAIN please"))
    assert (result.stop_reason, result.text) == ("end_turn", "Hello from the fake model.")


async def test_an_allowed_tool_of_a_real_agent_does_its_work(visit: Visit) -> None:
    """Ours: the option that allows once is found by its kind, wherever the agent lists it; the file is there."""
    turn = visit.session.prompt(visit.act)
    [question] = await visit.desk.asked()
    assert question.title
    assert not visit.made.exists()
    assert question.allow()
    result = await within(turn)

    assert result.stop_reason == "end_turn"
    assert result.text.endswith("Tool finished.")
    assert visit.made.read_text().startswith("hello")
    assert [call.status for call in visit.session.snapshot.tool_calls] == ["completed"]


async def test_a_cancel_while_a_real_agent_asks_ends_the_turn_and_approves_nothing(visit: Visit) -> None:
    """CAN-22, CAN-24, CAN-25, CAN-27, CAN-28: one write, `cancelled`, once, before the turn ends; the tool did not run."""
    turn = visit.session.prompt(visit.act)
    [question] = await visit.desk.asked()
    handle = turn.cancel()
    late_click = question.allow()
    result = await within(turn)

    [request_id] = visit.wire.requests_of_agent("session/request_permission")
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": visit.session.id}}
    answer = {"jsonrpc": "2.0", "id": request_id, "result": CANCELLED}
    assert [cancel, answer] in visit.wire.recording.writes
    assert visit.wire.answers_to([request_id]) == [answer]
    assert visit.wire.last_answer([request_id]) < visit.wire.end_of_turn()
    assert late_click is False
    assert await within(handle) == CancelOutcome.CONFIRMED
    assert result.stop_reason == "cancelled"
    assert not visit.made.exists()

    again = await within(visit.session.prompt("ACP_PLAIN please"))
    assert again.text == "Hello from the fake model."


async def test_a_cancel_in_the_middle_of_a_stream_is_confirmed(visit: Visit) -> None:
    """CAN-39, CAN-41, CAN-87: what came before stays; the agent ends the turn as cancelled."""
    turn = visit.session.prompt("ACP_SLOW=200 please")
    assert (await first_text(turn)).startswith("piece0")
    handle = turn.cancel()
    result = await within(turn)
    assert (result.stop_reason, await within(handle)) == ("cancelled", CancelOutcome.CONFIRMED)
    assert result.text.startswith("piece0 ")
    assert "piece199" not in result.text


@pytest.mark.parametrize("agent", [CLAUDE, GEMINI, CODEX, QWEN, OPENCODE], ids=lambda agent: agent.name)
async def test_a_real_agent_is_gone_with_all_it_started_when_the_client_closes_in_mid_turn(
    agent: RealAgent, fake_model: str, tmp_path: Path
) -> None:
    """Faults PL-02, PL-03: stdin is closed, then the group is ended; no process with the agent's home survives."""
    async with visiting(agent, agent.protocol, fake_model, tmp_path) as visit:
        turn = visit.session.prompt("ACP_SLOW=12 please")
        await first_text(turn)
        transport: Transport = visit.client.transport
        assert transport.pid in processes_at(visit.home)  # type: ignore[attr-defined]  # a stdio transport's
