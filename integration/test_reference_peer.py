"""Our client against an agent on the official npm SDK: both versions, over stdio and over its own WebSocket server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from acp_client import (
    AgentError,
    AuthRequired,
    CancelOutcome,
    Client,
    Diff,
    Host,
    NoticeShown,
    Session,
    StdioSpec,
    TerminalExit,
    TerminalOutput,
    TextAppended,
    ToolCall,
    UnknownUpdate,
    UnsupportedProtocolVersion,
    WebSocketSpec,
)
from integration.peers.desk import CANCELLED, Desk, FormDesk, Wire, first_text, within
from integration.peers.reference import npm_agent_spec

pytestmark = pytest.mark.integration


@pytest.fixture(params=["stdio", "websocket"])
def transport(request: pytest.FixtureRequest) -> str:
    """Each transport in turn."""
    return str(request.param)


@pytest.fixture(params=[1, 2], ids=["v1", "v2"])
def version(request: pytest.FixtureRequest) -> int:
    """Each protocol version in turn."""
    return int(request.param)


@pytest.fixture
def agent(request: pytest.FixtureRequest, transport: str, version: int) -> StdioSpec | WebSocketSpec:
    """The agent; over stdio it offers one version alone, over WebSocket both."""
    if transport == "stdio":
        return npm_agent_spec(f"v{version}")
    return WebSocketSpec(request.getfixturevalue("npm_agent_url"))


class Stage:
    """A connection with one session, its host and its wire."""

    def __init__(self, client: Client, session: Session, desk: Desk, wire: Wire) -> None:
        self.client, self.session, self.desk, self.wire = client, session, desk, wire


@asynccontextmanager
async def stage(agent: StdioSpec | WebSocketSpec, version: int, desk: Desk, cwd: Path) -> AsyncIterator[Stage]:
    """Connect, and open a session."""
    wire = Wire()
    # The version is pinned only where the agent could also speak the other one.
    protocol = cast("Any", version if isinstance(agent, WebSocketSpec) else "auto")
    async with Client.connect(agent, desk, protocol=protocol, on_transport=wire.wrap) as client:
        assert client.protocol_version == version
        yield Stage(client, await client.new_session(str(cwd)), desk, wire)


@pytest.fixture
async def scene(agent: StdioSpec | WebSocketSpec, version: int, tmp_path: Path) -> AsyncIterator[Stage]:
    """A session whose host answers permission requests when the test says so, and knows nothing of forms."""
    async with stage(agent, version, Desk(), tmp_path) as opened:
        yield opened


@pytest.fixture
async def form_scene(agent: StdioSpec | WebSocketSpec, version: int, tmp_path: Path) -> AsyncIterator[Stage]:
    """The same with a host that shows forms."""
    async with stage(agent, version, FormDesk(), tmp_path) as opened:
        yield opened


# negotiation and login


@pytest.mark.parametrize(("asked", "agreed"), [("auto", 2), (1, 1), (2, 2)])
async def test_an_agent_that_speaks_both_versions_speaks_the_one_we_ask_for(asked: Any, agreed: int) -> None:
    """V2-INI-04, V2-INI-06: the official router takes the highest version of our offer."""
    async with Client.connect(npm_agent_spec("both"), protocol=asked) as client:
        assert client.protocol_version == agreed
        assert client.agent is not None
        assert client.agent.name == "npm-agent"


async def test_a_pinned_version_is_not_given_up() -> None:
    """V2-INI-05: an agent that answers 1 to an offer of 2 alone is left."""
    with pytest.raises(UnsupportedProtocolVersion):
        async with Client.connect(npm_agent_spec("v1"), protocol=2):
            pass


async def test_an_agent_that_wants_a_login_gets_it_before_the_session_opens(version: int, tmp_path: Path) -> None:
    """Ours: -32000 raises `AuthRequired` with the advertised methods; after `authenticate` the session opens."""
    async with Client.connect(npm_agent_spec(f"v{version}", NEED_AUTH="1")) as client:
        with pytest.raises(AuthRequired) as refused:
            await client.new_session(str(tmp_path))
        assert refused.value.methods == client.auth_methods
        assert [method.id for method in client.auth_methods] == ["token"]
        await client.authenticate("token")
        session = await client.new_session(str(tmp_path))
        assert (await within(session.prompt("plain"))).stop_reason == "end_turn"


# prompts


async def test_an_answer_streams_in_order_and_is_complete_when_the_turn_ends(scene: Stage, version: int) -> None:
    """Ours: every piece is an event, in wire order, and the state holds all of them at the end."""
    turn = scene.session.prompt("think plain")
    heard = [(event.role, event.text) async for event in turn if isinstance(event, TextAppended)]
    result = await within(turn)

    said = f"Hello from version {version}. "
    assert result.stop_reason == "end_turn"
    assert result.text == said
    assert "".join(text for role, text in heard if role == "agent") == said
    assert next(role for role, text in heard if text == "hmm ") == "thought"
    assert scene.session.snapshot.messages[-1].text == said


async def test_a_message_of_two_megabytes_arrives_whole(scene: Stage) -> None:
    """Fault ST-01: no line or frame limit of a library cuts a connection."""
    result = await within(scene.session.prompt("big=2048"))
    assert result.text == "x" * 2**21


@pytest.mark.parametrize("word", ["refuse", "error"])
async def test_other_ends_of_a_turn_are_told_apart(scene: Stage, version: int, word: str) -> None:
    """V1-PRM-06, V2-STA-06: a refusal is a stop reason; a failure keeps the agent's error."""
    turn = scene.session.prompt(word)
    if word == "error" and version == 1:
        with pytest.raises(AgentError) as failed:
            await within(turn)
        assert (failed.value.code, failed.value.data) == (-32603, {"why": "asked"})
        return
    result = await within(turn)
    assert result.stop_reason == {"refuse": "refusal", "error": "error"}[word]
    assert (result.error is not None) == (word == "error")


async def test_a_held_turn_is_cancelled_and_the_next_prompt_is_its_own(scene: Stage) -> None:
    """CAN-41, CAN-87: the agent confirms; nothing of the cancelled turn leaks into the next."""
    turn = scene.session.prompt("hold")
    assert await first_text(turn) == "holding "
    handle = turn.cancel()
    result = await within(turn)
    assert (result.stop_reason, await within(handle)) == ("cancelled", CancelOutcome.CONFIRMED)

    assert (await within(scene.session.prompt("plain"))).text.startswith("Hello ")


async def test_updates_of_every_kind_end_in_the_snapshot(scene: Stage, version: int) -> None:
    """Ours: what the agent reports is the same in the state, whatever version it was written in."""
    own = "mode" if version == 1 else "notice compaction shell upsert"
    seen: list[Any] = []
    scene.session.on_update(seen.append)
    await within(scene.session.prompt(f"plan usage commands title unknown {own}"))

    snapshot = scene.session.snapshot
    assert snapshot.title == "New title"
    assert snapshot.usage is not None
    assert (snapshot.usage.used, snapshot.usage.size) == (1200, 200_000)
    assert [command.name for command in snapshot.commands] == ["test"]
    [plan] = snapshot.plans
    assert [entry.status for entry in plan.entries] == ["completed", "in_progress", "pending"]
    unknown = [event.raw["sessionUpdate"] for event in seen if isinstance(event, UnknownUpdate)]
    assert {"_peer_update", "hologram_update"} <= set(unknown)
    if version == 1:
        mode = next(option for option in snapshot.config_options if option.category == "mode")
        assert mode.value == "code"
    else:
        assert any(isinstance(event, NoticeShown) and event.title == "Careful" for event in seen)
        assert snapshot.terminals["terminal-1"].text == "héllo\n"
        assert snapshot.terminals["terminal-1"].exit_code == 0
        assert snapshot.messages[-1].text == "replaced"


async def test_an_option_is_set_and_the_agents_answer_shows_it(scene: Stage) -> None:
    """Ours: the agent's list after the change is the state, in both spellings of the versions."""
    await scene.session.set_config_option("model", "m2")
    chosen = next(option for option in scene.session.snapshot.config_options if option.id == "model")
    assert chosen.value == "m2"


# permissions


async def test_an_allowed_tool_call_runs_to_its_end(scene: Stage, version: int) -> None:
    """Ours: the question carries the tool call and the options; the choice reaches the agent."""
    turn = scene.session.prompt("perm")
    [question] = await scene.desk.asked()
    assert question.tool_call is not None
    assert question.tool_call.title == "Run `make`"
    assert [option.kind for option in question.options] == ["allow_once", "allow_always", "reject_once"]
    assert question.allow()
    result = await within(turn)

    assert (result.stop_reason, result.text) == ("end_turn", "permission:yes ")
    [call] = scene.session.snapshot.tool_calls
    assert call.status == "completed"
    if version == 1:
        assert any(isinstance(content, Diff) for content in call.content)


async def test_a_rejected_tool_call_does_not_run(scene: Stage) -> None:
    """Ours: rejecting is an answer, not an error; the turn goes on."""
    turn = scene.session.prompt("perm")
    [question] = await scene.desk.asked()
    assert question.deny()
    result = await within(turn)

    assert (result.stop_reason, result.text) == ("end_turn", "permission:no ")
    assert [call.status for call in scene.session.snapshot.tool_calls] == ["failed"]


async def test_two_permissions_open_at_a_cancel_are_both_answered_before_the_turn_ends(scene: Stage) -> None:
    """CAN-22, CAN-24, CAN-25, CAN-27, CAN-28: one write, cancel first, both `cancelled`, and nothing else."""
    turn = scene.session.prompt("perm2")
    questions = await scene.desk.asked(2)
    handle = turn.cancel()
    clicks = [question.allow() for question in questions]
    result = await within(turn)

    ids = scene.wire.requests_of_agent("session/request_permission")
    assert len(ids) == 2
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": scene.session.id}}
    answers = [{"jsonrpc": "2.0", "id": request_id, "result": CANCELLED} for request_id in ids]
    assert [cancel, *answers] in scene.wire.recording.writes
    assert scene.wire.sent_since("session/prompt") == [cancel, *answers]
    assert scene.wire.last_answer(ids) < scene.wire.end_of_turn()
    assert clicks == [False, False]
    assert (result.stop_reason, await within(handle)) == ("cancelled", CancelOutcome.CONFIRMED)


async def test_tool_calls_of_a_cancelled_turn_are_shown_as_the_agent_left_them(scene: Stage, version: int) -> None:
    """CAN-36, CAN-38: marked cancelled at once, and corrected by what the agent says later."""
    turn = scene.session.prompt("perm")
    await scene.desk.asked()
    turn.cancel()
    [marked] = scene.session.snapshot.tool_calls
    assert marked.cancelled_locally
    await within(turn)

    [call] = scene.session.snapshot.tool_calls
    assert (call.status, call.cancelled_locally) == ("failed" if version == 1 else "cancelled", False)


# elicitation


async def test_a_form_is_refused_by_a_client_that_shows_none(scene: Stage, version: int) -> None:
    """V2-ELI-01, V1-INI-07: nothing is advertised, so asking anyway is an error of the agent and gets -32602."""
    turn = scene.session.prompt("elicit")
    if version == 1:
        with pytest.raises(AgentError):
            await within(turn)
    else:
        assert (await within(turn)).stop_reason == "error"
    [answer] = scene.wire.answers_to(scene.wire.requests_of_agent("elicitation/create"))
    assert answer["error"]["code"] == -32602


async def test_a_form_that_is_shown_brings_its_values_back(form_scene: Stage) -> None:
    """Ours: the schema arrives as the agent wrote it; what was filled in is what the agent reads."""
    desk = cast("FormDesk", form_scene.desk)
    turn = form_scene.session.prompt("elicit")
    form = await desk.form()
    assert form.schema is not None
    assert form.schema["required"] == ["env"]
    form.accept({"env": "dev", "count": 2})
    result = await within(turn)
    assert '"action":"accept"' in result.text
    assert '"env":"dev"' in result.text


async def test_a_declined_form_and_a_dismissed_page_are_told_apart(form_scene: Stage) -> None:
    """CAN-62: an explicit refusal is `decline`, a dismissal is `cancel`."""
    desk = cast("FormDesk", form_scene.desk)
    turn = form_scene.session.prompt("elicit elicit_url")
    (await desk.form()).decline()
    page = await desk.form()
    assert (page.mode, page.url) == ("url", "https://example.com/login")
    page.cancel()
    assert (await within(turn)).text == 'elicitation:{"action":"decline"} elicitation:{"action":"cancel"} '


async def test_a_form_open_at_a_cancel_is_ended_by_the_agent_or_by_its_reader(form_scene: Stage, version: int) -> None:
    """CAN-60, CAN-61: the cancel leaves it open; version 2's agent withdraws it, version 1's waits for the answer."""
    desk = cast("FormDesk", form_scene.desk)
    turn = form_scene.session.prompt("elicit")
    form = await desk.form()
    turn.cancel()
    assert form.open
    if version == 1:
        form.cancel()
    result = await within(turn)
    assert not form.open
    # Version 1: the form is the turn's last step, so its answer and the cancel race for the end (CAN-43).
    assert (result.stop_reason, result.cancel) in [("cancelled", "confirmed"), ("end_turn", "finished_first")]
    [answer] = form_scene.wire.answers_to(form_scene.wire.requests_of_agent("elicitation/create"))
    assert answer.get("result") == {"action": "cancel"} or answer["error"]["code"] == -32800


# sessions


async def test_a_session_comes_back_with_its_history(scene: Stage, version: int, tmp_path: Path) -> None:
    """Ours: what was said before is in the state when the session has been opened again."""
    await within(scene.session.prompt("plain"))
    await scene.session.close()
    if version == 1:
        again = await scene.client.load_session(scene.session.id, str(tmp_path))
    else:
        again = await scene.client.resume_session(scene.session.id, str(tmp_path), replay=True)

    assert [(m.role, m.text) for m in again.snapshot.messages] == [
        ("user", "plain"),
        ("agent", f"Hello from version {version}. "),
    ]
    assert again.replayed > 0
    assert (await within(again.prompt("plain"))).stop_reason == "end_turn"


async def test_a_resumed_session_goes_on_without_its_history(scene: Stage, tmp_path: Path) -> None:
    """Ours: resuming replays nothing; the next turn works."""
    await within(scene.session.prompt("plain"))
    await scene.session.close()
    again = await scene.client.resume_session(scene.session.id, str(tmp_path))
    assert again.snapshot.messages == ()
    assert (await within(again.prompt("plain"))).text.startswith("Hello ")


async def test_sessions_are_listed_and_deleted(scene: Stage, tmp_path: Path) -> None:
    """Ours: the agent's list is ours, and what was deleted is gone from it."""
    listed = await scene.client.list_sessions(str(tmp_path))
    assert [entry.session_id for entry in listed.sessions] == [scene.session.id]
    await scene.client.delete_session(scene.session.id)
    assert (await scene.client.list_sessions(str(tmp_path))).sessions == ()


async def test_closing_a_session_answers_its_open_permission_and_ends_its_turn(scene: Stage) -> None:
    """CAN-76: a close is a cancel as well; the agent accepts it and the other messages are over."""
    turn = scene.session.prompt("perm")
    [question] = await scene.desk.asked()
    await within(scene.session.close())
    result = await within(turn)

    [answer] = scene.wire.answers_to(scene.wire.requests_of_agent("session/request_permission"))
    assert answer["result"] == CANCELLED
    assert not question.open
    assert result.stop_reason == "cancelled"
    assert scene.session.closed


# what neither side knows


async def test_a_method_the_agent_does_not_know_is_refused_to_us(scene: Stage) -> None:
    """V2-RPC-09, V1-RPC-04: the agent's -32601 is raised as what it is."""
    with pytest.raises(AgentError) as refused:
        await scene.client.request("_nobody/knows", {"n": 1})
    assert refused.value.code == -32601


async def test_a_method_we_do_not_know_is_refused_to_the_agent(scene: Stage) -> None:
    """V2-RPC-09, V1-RPC-04: a request gets -32601, a notification nothing, and the turn goes on."""
    result = await within(scene.session.prompt("extension"))
    assert result.text == 'extension:{"code":-32601} '


class Pinger(Desk):
    def __init__(self) -> None:
        super().__init__()
        self.notes: list[tuple[str, Any]] = []

    async def extension_request(self, method: str, params: Any) -> Any:
        return {"pong": params["n"], "method": method}

    def extension_notification(self, method: str, params: Any) -> None:
        self.notes.append((method, params))


async def test_a_host_that_knows_an_extension_serves_it(
    agent: StdioSpec | WebSocketSpec, version: int, tmp_path: Path
) -> None:
    """Ours: custom requests and notifications reach the host as they are."""
    host = Pinger()
    async with stage(agent, version, host, tmp_path) as scene:
        result = await within(scene.session.prompt("extension"))
    assert result.text == 'extension:{"pong":1,"method":"_peer/ping"} '
    assert ("_peer/note", {"n": 2}) in host.notes


# version 1's files and terminals


class Workshop(Host):
    """Serves files from memory, and one command that has ended before anybody waits for it."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.released: list[str] = []

    async def write_text_file(self, request: Any) -> None:
        self.files[request.path] = request.content

    async def read_text_file(self, request: Any) -> str:
        lines = self.files[request.path].splitlines(keepends=True)
        first = (request.line or 1) - 1
        return "".join(lines[first : first + (request.limit or len(lines))])

    async def create_terminal(self, request: Any) -> str:
        return "terminal-1"

    async def terminal_output(self, request: Any) -> TerminalOutput:
        return TerminalOutput("hi\n", exit=TerminalExit(exit_code=3))

    async def wait_for_terminal_exit(self, request: Any) -> TerminalExit:
        return TerminalExit(exit_code=3)

    async def kill_terminal(self, request: Any) -> None:
        raise AssertionError("nothing is left to kill")

    async def release_terminal(self, request: Any) -> None:
        self.released.append(request.terminal_id)


async def test_files_and_terminals_are_served_to_a_version_1_agent(tmp_path: Path) -> None:
    """Ours: what the host offers is advertised, asked for, and answered in the official SDK's own types."""
    host = Workshop()
    async with Client.connect(npm_agent_spec("v1"), host) as client:
        session = await client.new_session(str(tmp_path))
        result = await within(session.prompt("files terminal"))
    assert result.text == 'files:"two\\n" terminal:3:"hi\\n" '
    assert host.files == {f"{tmp_path}/made.txt": "one\ntwo\nthree\n"}
    assert host.released == ["terminal-1"]
    assert all(isinstance(call, ToolCall) for call in session.snapshot.tool_calls)
