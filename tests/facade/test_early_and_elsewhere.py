"""What comes before the handshake is over, and calls from where they do not belong."""

from __future__ import annotations

import asyncio
import threading

import pytest

from acp_client.cli.answering import chosen
from acp_client.client import Client
from acp_client.errors import AgentStartError, UnsupportedProtocolVersion, UsageError
from acp_client.policy.permissions import PermissionOption
from acp_client.rpc.peer import Diagnostic
from acp_client.testing import ScriptedAgent
from tests.kit import Desk, Stage, settle_down, stage, within


@pytest.mark.parametrize("method", ["fs/read_text_file", "no/such", "initialize", "elicitation/create", "_" + "x" * 80])
async def test_a_request_before_the_handshake_is_over_has_no_method(version: int, method: str) -> None:
    """Ours: there is no version yet, so there are no methods; the handshake goes on."""
    agent = ScriptedAgent(version, auto=("session/new",))
    connecting = asyncio.ensure_future(within(Client.connect(agent.transport, Desk())))
    await settle_down()
    agent.request(method, {"mode": "form"}, id="early")
    refusal = {"code": -32601, "message": f"no such method before initialize: {method[:80]}"}
    assert (await agent.answer_to("early"))["error"] == refusal
    agent.respond(agent.written[0]["id"], agent._initialize({"protocolVersion": version}))
    client = await connecting
    assert client.protocol_version == version
    await client.aclose()


async def test_a_prompt_from_another_thread_is_refused(scene: Stage) -> None:
    """Ours: its end would never be told there."""
    caught: list[BaseException] = []

    def prompt() -> None:
        try:
            scene.session.prompt("hello")
        except UsageError as error:
            caught.append(error)

    thread = threading.Thread(target=prompt)
    thread.start()
    thread.join(5)
    assert str(caught[0]) == (
        "a session belongs to the thread of its client's event loop; call it there, "
        "or use acp_client.blocking for threads"
    )
    assert scene.written("session/prompt") == []


async def test_an_invalid_permission_request_is_reported(version: int) -> None:
    """V1-PER-03: the agent gets -32602, and whoever looks after the host hears of it."""
    seen: list[Diagnostic] = []
    async with stage(version, on_diagnostic=seen.append) as scene:
        request_id = scene.request("session/request_permission", {"sessionId": scene.session.id, "options": 7})
        assert scene.answer_to(request_id)["error"]["code"] == -32602
    assert [diagnostic.kind for diagnostic in seen] == ["invalid_request"]


async def test_a_url_that_is_none_hides_its_secrets() -> None:
    """Ours: what the library says of it repeats it whole."""
    with pytest.raises(AgentStartError) as caught:
        await Client.connect("ws://127.0.0.1:1/x?token=S3CRET#frag")
    assert "S3CRET" not in str(caught.value)


def test_a_number_is_one_that_was_shown() -> None:
    """Ours: never an id that looks like a number, or a no could be taken for a yes."""
    no, yes = PermissionOption("2", "No", "reject_once"), PermissionOption("1", "Yes", "allow_once")
    assert chosen("1", [no, yes]) is no
    assert chosen("2", [no, yes]) is yes
    assert chosen("3", [no, PermissionOption("3", "Third", "allow_once")]) is None


def test_a_version_that_was_not_asked_for_names_the_way_out() -> None:
    """Ours: an agent of the other version is no reason to update anything."""
    assert "protocol auto" in str(UnsupportedProtocolVersion(2, 1))
    assert "protocol auto" in str(UnsupportedProtocolVersion(1, None, [2]))
    assert "update" in str(UnsupportedProtocolVersion(2, 3))
