"""The handshake: one offer, the version before the body, and nothing before its answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from acp_client.client import Client
from acp_client.errors import AgentError, InvalidResponse, UnsupportedProtocolVersion
from acp_client.host import Host, TerminalExit, TerminalOutput
from acp_client.protocol.dialect import Implementation
from acp_client.testing import ScriptedAgent
from tests.kit import BOUND, Desk, settle_down

V1_ANSWER = {"protocolVersion": 1, "agentCapabilities": {}}
V2_ANSWER = {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {"session": {}}}


async def connect(*answers: Any, **options: Any) -> tuple[ScriptedAgent, asyncio.Task[Client]]:
    """Connect to an agent that answers `initialize` with these results, or errors, one after another."""
    agent = ScriptedAgent(auto=())
    task: asyncio.Task[Client] = asyncio.ensure_future(Client.connect(agent.transport, **options))
    for answer in answers:
        message = await agent.next("initialize")
        if isinstance(answer, tuple):
            agent.fail(message["id"], *answer)
        else:
            agent.respond(message["id"], answer)
        await settle_down()
    return agent, task


async def connected(*answers: Any, **options: Any) -> tuple[ScriptedAgent, Client]:
    agent, task = await connect(*answers, **options)
    async with asyncio.timeout(BOUND):
        return agent, await task


class Everything(Desk):
    """A host that provides all there is."""

    async def read_text_file(self, request: Any) -> str:
        return ""

    async def write_text_file(self, request: Any) -> None:
        return None

    async def create_terminal(self, request: Any) -> str:
        return "t"

    async def terminal_output(self, request: Any) -> TerminalOutput:
        return TerminalOutput("")

    async def wait_for_terminal_exit(self, request: Any) -> TerminalExit:
        return TerminalExit(0)

    async def kill_terminal(self, request: Any) -> None:
        return None

    async def release_terminal(self, request: Any) -> None:
        return None


async def test_initialize_is_the_first_and_only_message_until_its_answer() -> None:
    """V2-INI-01, V1-INI-01, AU-06, SO-16, TR-WS-03: nothing else, no login, before or after connecting."""
    agent, client = await connected(V2_ANSWER)
    assert [message["method"] for message in agent.written] == ["initialize"]
    await client.aclose()
    assert [message["method"] for message in agent.written] == ["initialize"]


async def test_auto_offers_version_2_in_both_spellings() -> None:
    """V2-INI-02, V2-INI-03, V2-INI-08, V1-INI-03, FC-11: readable for an agent of either version."""
    agent, client = await connected(V2_ANSWER)
    params = agent.written[0]["params"]
    assert params["protocolVersion"] == 2
    for key in ("info", "clientInfo"):
        assert params[key]["name"]
        assert params[key]["version"]
    assert "capabilities" in params
    assert "clientCapabilities" in params
    await client.aclose()


@pytest.mark.parametrize(("protocol", "present", "absent"), [(1, "clientInfo", "info"), (2, "info", "clientInfo")])
async def test_a_pinned_version_is_spelled_its_own_way(protocol: Any, present: str, absent: str) -> None:
    """V1-INI-02, V2-INI-02: the pinned number, and only that version's fields."""
    agent, client = await connected(V1_ANSWER if protocol == 1 else V2_ANSWER, protocol=protocol)
    params = agent.written[0]["params"]
    assert params["protocolVersion"] == protocol
    assert present in params
    assert absent not in params
    assert client.protocol_version == protocol
    await client.aclose()


@pytest.mark.parametrize(
    ("answer", "version"),
    [
        (V2_ANSWER, 2),
        (V1_ANSWER, 1),
        ({"protocolVersion": 1}, 1),
        ({"protocolVersion": 2, "agentCapabilities": {}}, 1),
        ({"protocolVersion": 2, "agentInfo": {"name": "a", "version": "1"}}, 1),
        ({**V2_ANSWER, "agentCapabilities": {}}, 2),
    ],
)
async def test_the_answer_settles_the_version_by_number_and_shape(answer: Any, version: int) -> None:
    """V2-INI-04, V2-INI-06, V2-INI-21, V1-INI-09: an echoed number in version 1's shape is version 1."""
    _, client = await connected(answer)
    assert client.protocol_version == version
    await client.aclose()


@pytest.mark.parametrize(
    ("answer", "error", "protocol"),
    [
        ({"protocolVersion": 3}, UnsupportedProtocolVersion, "auto"),
        ({"protocolVersion": 0}, UnsupportedProtocolVersion, "auto"),
        ({"protocolVersion": "2"}, UnsupportedProtocolVersion, "auto"),
        ({}, UnsupportedProtocolVersion, "auto"),
        ({"protocolVersion": 2}, InvalidResponse, "auto"),
        ([], InvalidResponse, "auto"),
        (None, InvalidResponse, "auto"),
        (V2_ANSWER, UnsupportedProtocolVersion, 1),
        (V1_ANSWER, UnsupportedProtocolVersion, 2),
        ({"protocolVersion": 2, "agentCapabilities": {}}, UnsupportedProtocolVersion, 2),
        ({**V2_ANSWER, "info": {"name": 5}}, InvalidResponse, "auto"),
    ],
)
async def test_an_answer_we_cannot_speak_ends_the_connection(answer: Any, error: Any, protocol: Any) -> None:
    """V2-INI-05, V2-INI-09, V1-INI-02, FC-06: its own error type, and no further message."""
    agent, task = await connect(answer, protocol=protocol)
    with pytest.raises(error):
        await task
    assert len(agent.written) == 1
    assert agent.closed


@pytest.mark.parametrize("refusal", [(-32022, "no"), (-32602, "clientCapabilities missing"), (-32600, "what")])
async def test_a_refused_offer_is_repeated_once_in_pure_version_1(refusal: Any) -> None:
    """V2-INI-07, V2-INI-18, V2-INI-22: on the same connection."""
    agent, client = await connected(refusal, V1_ANSWER)
    second = agent.written[1]["params"]
    assert second["protocolVersion"] == 1
    assert "info" not in second
    assert client.protocol_version == 1
    await client.aclose()


@pytest.mark.parametrize(
    ("refusals", "error"),
    [
        ([(-32022, "no", {"requested": 2, "supported": [5]})], UnsupportedProtocolVersion),
        ([(-32022, "no"), (-32022, "still no")], UnsupportedProtocolVersion),
        ([(-32602, "a"), (-32602, "b")], AgentError),
        ([(1001, "config error", {"exitCode": 1})], AgentError),
    ],
)
async def test_what_is_not_about_the_version_or_stays_refused_is_reported(refusals: Any, error: Any) -> None:
    """V2-INI-07: never a third try."""
    agent, task = await connect(*refusals)
    with pytest.raises(error):
        await task
    assert len(agent.written) == len(refusals)


def flat(capabilities: dict[str, Any]) -> str:
    return str(capabilities)


async def test_capabilities_are_advertised_exactly_when_they_are_provided() -> None:
    """V1-INI-07, V2-INI-15, V2-INI-16, FC-05: nothing without a method, terminals only with all five."""
    agent, client = await connected(V2_ANSWER, host=Host())
    params = agent.written[0]["params"]
    assert params["capabilities"] == {}
    offered = params["clientCapabilities"]
    assert offered["fs"] == {"readTextFile": False, "writeTextFile": False}
    assert offered["terminal"] is False
    assert "elicitation" not in offered
    assert "auth" not in offered
    await client.aclose()

    agent, client = await connected(V2_ANSWER, host=Everything())
    params = agent.written[0]["params"]
    assert params["capabilities"] == {"elicitation": {"form": {}, "url": {}}}
    assert params["clientCapabilities"]["fs"] == {"readTextFile": True, "writeTextFile": True}
    assert params["clientCapabilities"]["terminal"] is True
    await client.aclose()


async def test_some_of_the_terminal_methods_are_none() -> None:
    """V1-INI-07: `terminal: true` means all five."""

    class Half(Host):
        async def create_terminal(self, request: Any) -> str:
            return "t"

    agent, client = await connected(V1_ANSWER, host=Half())
    assert agent.written[0]["params"]["clientCapabilities"]["terminal"] is False
    await client.aclose()


async def test_the_session_state_serves_what_it_advertises() -> None:
    """V1-INI-08: compaction, notices and boolean options are part of the state."""
    agent, client = await connected(V1_ANSWER)
    session = agent.written[0]["params"]["clientCapabilities"]["session"]
    assert session == {"compaction": {}, "notices": {}, "configOptions": {"boolean": {}}}
    await client.aclose()


async def test_custom_capabilities_and_meta_have_their_place() -> None:
    """V2-INI-17, V2-EXT-01, V2-EXT-05: in `_meta`, unchanged, reserved keys included."""
    agent, client = await connected(
        V2_ANSWER,
        capabilities_meta={"acme.dev": {"x": 1}},
        meta={"traceparent": "00-1"},
        info=Implementation("me", "9"),
    )
    params = agent.written[0]["params"]
    assert params["capabilities"]["_meta"] == {"acme.dev": {"x": 1}}
    assert params["_meta"] == {"traceparent": "00-1"}
    assert params["info"] == {"name": "me", "version": "9"}
    await client.aclose()


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        ({}, (True, False, False, False)),
        ({"prompt": {"image": {}, "audio": None, "embeddedContext": "x"}}, (True, True, False, False)),
        ({"delete": {}, "prompt": 5}, (True, False, True, False)),
        ({"mcp": {"http": {}}, "delete": None}, (True, False, False, True)),
        (None, (False, False, False, False)),
        ("broken", (False, False, False, False)),
    ],
)
async def test_markers_of_version_2_are_objects(session: Any, expected: tuple[bool, ...]) -> None:
    """V2-INI-10, V2-INI-11, V2-INI-12, V2-INI-13, V2-INI-14: null, missing and malformed mean not supported."""
    _, client = await connected({**V2_ANSWER, "capabilities": {"session": session}})
    offers = client.capabilities
    assert (offers.sessions, offers.prompt_image, offers.delete_session, offers.mcp_http) == expected
    assert offers.resume_session == offers.list_sessions == offers.close_session == expected[0]
    await client.aclose()


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        ({}, (False, False, False)),
        ({"loadSession": True, "promptCapabilities": {"image": True}}, (True, True, False)),
        ({"loadSession": "yes", "sessionCapabilities": {"close": {}, "list": None}}, (False, False, True)),
        ({"promptCapabilities": None, "sessionCapabilities": 5}, (False, False, False)),
        (None, (False, False, False)),
    ],
)
async def test_markers_of_version_1_are_what_each_field_says(capabilities: Any, expected: tuple[bool, ...]) -> None:
    """V1-INI-04, V1-INI-05, V1-INI-06: booleans or objects; malformed means not supported."""
    _, client = await connected({"protocolVersion": 1, "agentCapabilities": capabilities})
    offers = client.capabilities
    assert (offers.load_session, offers.prompt_image, offers.close_session) == expected
    await client.aclose()


async def test_names_are_shown_by_title_where_there_is_one() -> None:
    """V2-INI-20, V1-INI-10."""
    assert Implementation("n", "1", "Title").label == "Title"
    assert Implementation("n", "1").label == "n"


async def test_requests_may_come_before_the_client_asks_anything() -> None:
    """V2-INI-19: any time after initialization."""
    agent, client = await connected(V2_ANSWER)
    agent.send({"jsonrpc": "2.0", "id": 0, "method": "no/such", "params": {}})
    assert agent.written[-1]["error"]["code"] == -32601
    await client.aclose()


async def test_two_waiters_for_one_connection_start_one_agent() -> None:
    """PL-10, SO-19: single flight; another `connect` is another connection."""
    agent = ScriptedAgent()
    connecting = Client.connect(agent.transport)
    first, second = await asyncio.gather(connecting._connect(), connecting._connect())
    assert first is second
    assert len(agent.written) == 1
    await first.aclose()
