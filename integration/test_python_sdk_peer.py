"""Our client against an agent on the official Python SDK, which speaks version 1 over stdio."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from acp_client import AgentError, CancelOutcome, Client, Session, SessionNotFound
from integration.peers.desk import CANCELLED, Desk, Wire, first_text, within
from integration.peers.reference import python_agent_spec

pytestmark = pytest.mark.integration


@pytest.fixture
def wire() -> Wire:
    """What crosses the connection."""
    return Wire()


@pytest.fixture
def desk() -> Desk:
    """Where the agent's questions arrive."""
    return Desk()


@pytest.fixture
async def client(desk: Desk, wire: Wire) -> AsyncIterator[Client]:
    """A client that offered both versions."""
    async with Client.connect(python_agent_spec(), desk, on_transport=wire.wrap) as connected:
        yield connected


@pytest.fixture
async def session(client: Client, tmp_path: Path) -> Session:
    """A session of the agent."""
    return await client.new_session(str(tmp_path))


async def test_an_offer_of_both_versions_is_taken_as_version_1(client: Client) -> None:
    """V2-INI-08, V1-INI-09: the SDK reads our offer and answers with the version it knows."""
    assert client.protocol_version == 1
    assert client.agent is not None
    assert client.agent.name == "python-agent"


async def test_an_answer_streams_and_is_complete_when_the_turn_ends(session: Session) -> None:
    """Ours: all pieces are in the result, thoughts apart from the answer."""
    result = await within(session.prompt("think plain big=512 plan"))
    assert result.stop_reason == "end_turn"
    assert result.text == "Hello from Python. " + "x" * 2**19
    assert [message.role for message in session.snapshot.messages] == ["user", "thought", "agent"]
    assert [entry.content for entry in session.snapshot.plans[0].entries] == ["Look", "Do"]


@pytest.mark.parametrize(("answer", "status"), [("yes", "completed"), ("no", "failed")])
async def test_a_permission_is_what_was_chosen(session: Session, desk: Desk, answer: str, status: str) -> None:
    """Ours: the chosen option reaches the agent, and the tool call ends as it says."""
    turn = session.prompt("perm")
    [question] = await desk.asked()
    assert question.select(answer)
    assert (await within(turn)).text == f"permission:{answer} "
    assert [call.status for call in session.snapshot.tool_calls] == [status]


async def test_two_permissions_open_at_a_cancel_are_both_answered_before_the_turn_ends(
    session: Session, desk: Desk, wire: Wire
) -> None:
    """CAN-22, CAN-24, CAN-25, CAN-27: one write, cancel first, both `cancelled`, and nothing else."""
    turn = session.prompt("perm2")
    await desk.asked(2)
    handle = turn.cancel()
    result = await within(turn)

    ids = wire.requests_of_agent("session/request_permission")
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session.id}}
    answers = [{"jsonrpc": "2.0", "id": request_id, "result": CANCELLED} for request_id in ids]
    assert len(ids) == 2
    assert [cancel, *answers] in wire.recording.writes
    assert wire.sent_since("session/prompt") == [cancel, *answers]
    assert wire.last_answer(ids) < wire.end_of_turn()
    assert (result.stop_reason, await within(handle)) == ("cancelled", CancelOutcome.CONFIRMED)


async def test_a_held_turn_is_cancelled_and_the_next_prompt_is_its_own(session: Session) -> None:
    """CAN-87: the prompt's answer confirms the cancel."""
    turn = session.prompt("hold")
    await first_text(turn)
    turn.cancel()
    assert (await within(turn)).stop_reason == "cancelled"
    assert (await within(session.prompt("plain"))).text == "Hello from Python. "


async def test_a_mode_is_an_option_like_any_other(session: Session) -> None:
    """V1-MOD-03: an agent that knows modes only has them set by `session/set_mode` and changes them by an update."""
    [mode] = session.snapshot.config_options
    assert (mode.category, mode.value) == ("mode", "ask")
    await session.set_mode("code")
    await within(session.prompt("mode"))
    assert session.snapshot.config_options[0].value == "code"


async def test_a_session_is_listed_loaded_resumed_and_closed(client: Client, session: Session, tmp_path: Path) -> None:
    """Ours: everything the agent offers for sessions works, and the history is complete when loading returns."""
    await within(session.prompt("plain"))
    assert [entry.session_id for entry in (await client.list_sessions()).sessions] == [session.id]
    await session.close()
    loaded = await client.load_session(session.id, str(tmp_path))
    assert [(m.role, m.text) for m in loaded.snapshot.messages] == [("user", "plain"), ("agent", "Hello from Python. ")]
    await loaded.close()
    resumed = await client.resume_session(session.id, str(tmp_path))
    assert resumed.snapshot.messages == ()
    assert (await within(resumed.prompt("plain"))).stop_reason == "end_turn"


async def test_an_unknown_session_is_told_apart_from_other_errors(client: Client, tmp_path: Path) -> None:
    """Ours: -32002 is `SessionNotFound`."""
    with pytest.raises(SessionNotFound):
        await client.load_session("nobody", str(tmp_path))


async def test_unknown_methods_are_refused_in_both_directions(client: Client, session: Session) -> None:
    """V1-RPC-04: -32601 to us is raised, -32601 from us lets the agent go on."""
    with pytest.raises(AgentError) as refused:
        await client.request("_nobody/knows")
    assert refused.value.code == -32601
    assert (await within(session.prompt("extension"))).text == 'extension:{"code": -32601} '


async def test_a_failing_turn_raises_what_the_agent_said(session: Session) -> None:
    """Ours: code and data are kept."""
    with pytest.raises(AgentError) as failed:
        await within(session.prompt("error"))
    assert (failed.value.code, failed.value.data) == (-32603, {"why": "asked"})


class Files(Desk):
    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, str] = {}

    async def write_text_file(self, request: Any) -> None:
        self.files[request.path] = request.content

    async def read_text_file(self, request: Any) -> str:
        lines: list[str] = self.files[request.path].splitlines(keepends=True)
        return "".join(lines[request.line - 1 :][: request.limit])


async def test_files_are_served(tmp_path: Path) -> None:
    """Ours: what the host offers is advertised, and read and written in the SDK's own types."""
    async with Client.connect(python_agent_spec(), Files()) as client:
        session = await client.new_session(str(tmp_path))
        assert (await within(session.prompt("files"))).text == 'files:"two\\n" '
