"""Files and terminals that an application serves, on the wire; and the client over the transports it comes with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from acp_client._handshake import Target
from acp_client.client import Client
from acp_client.host import ALLOW, Host, TerminalExit, TerminalOutput
from acp_client.testing import demo_command, demo_websocket
from tests.kit import Stage, stage, within


class Serving(Host):
    """A host whose files and terminals are fixed; plain functions, which run in threads of their own."""

    def read_text_file(self, request: Any) -> str:
        return f"{request.path} from {request.line} for {request.limit}"

    def write_text_file(self, request: Any) -> None:
        assert request.content == "x"

    def create_terminal(self, request: Any) -> str:
        return f"terminal of {request.command} {list(request.args)}"

    def terminal_output(self, request: Any) -> TerminalOutput:
        return TerminalOutput("out", truncated=True, exit=TerminalExit(signal="SIGKILL"))

    def wait_for_terminal_exit(self, request: Any) -> TerminalExit:
        return TerminalExit(exit_code=3)

    def kill_terminal(self, request: Any) -> None:
        return None

    def release_terminal(self, request: Any) -> None:
        return None


CASES = [
    ("fs/read_text_file", {"path": "/a", "line": 2, "limit": 1}, {"content": "/a from 2 for 1"}),
    ("fs/write_text_file", {"path": "/a", "content": "x"}, {}),
    ("terminal/create", {"command": "ls", "args": ["-l"]}, {"terminalId": "terminal of ls ['-l']"}),
    (
        "terminal/output",
        {"terminalId": "t"},
        {"output": "out", "truncated": True, "exitStatus": {"exitCode": None, "signal": "SIGKILL"}},
    ),
    ("terminal/wait_for_exit", {"terminalId": "t"}, {"exitCode": 3, "signal": None}),
    ("terminal/kill", {"terminalId": "t"}, {}),
    ("terminal/release", {"terminalId": "t"}, {}),
]


@pytest.mark.parametrize(("method", "params", "result"), CASES)
async def test_what_the_application_serves_has_the_form_of_the_protocol(method: str, params: Any, result: Any) -> None:
    """V1-FS-05, V1-TRM-01, V1-TRM-05, V1-TRM-06, V1-TRM-07: typed in, the protocol's object out."""
    async with stage(1, Serving()) as scene:
        request_id = scene.request(method, {"sessionId": "s1", **params})
        assert (await scene.agent.answer_to(request_id))["result"] == result


@pytest.mark.parametrize(("method", "params", "result"), CASES)
async def test_what_is_not_served_does_not_exist(method: str, params: Any, result: Any, scene1: Stage) -> None:
    """V1-FS-01: -32601, whatever the params are."""
    assert scene1.answer_to(scene1.request(method, {"sessionId": "s1", **params}))["error"]["code"] == -32601


@pytest.mark.parametrize("method", ["fs/read_text_file", "terminal/create"])
async def test_broken_params_are_invalid_and_a_wrong_kind_of_value_is_our_own_fault(
    method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """V2-RPC-10, V1-RPC-04: -32602 for theirs, -32603 for ours."""

    class Wrong(Serving):
        def read_text_file(self, request: Any) -> Any:
            return 5

        def create_terminal(self, request: Any) -> Any:
            return None

    async with stage(1, Wrong()) as scene:
        assert scene.answer_to(scene.request(method, {"sessionId": "s1"}))["error"]["code"] == -32602
        request_id = scene.request(method, {"sessionId": "s1", "path": "/a", "command": "ls"})
        assert (await scene.agent.answer_to(request_id))["error"]["code"] == -32603


class Allowing(Host):
    async def request_permission(self, question: Any) -> Any:
        return ALLOW


@asynccontextmanager
async def stdio() -> AsyncIterator[Target]:
    yield demo_command("--step", "0")


@asynccontextmanager
async def websocket() -> AsyncIterator[Target]:
    async with demo_websocket(step=0) as url:
        yield url


@pytest.mark.parametrize("reach", [stdio, websocket])
@pytest.mark.parametrize("protocol", [1, 2])
async def test_a_whole_turn_over_each_transport(reach: Any, protocol: Any) -> None:
    """TR-STD-13, TR-WS-04, TR-WS-12: no connection id and no compression is needed of a server."""
    async with reach() as target, Client.connect(target, Allowing(), protocol=protocol) as client:
        session = await client.new_session("/project")
        result = await within(session.prompt("use the tool"))
        assert result.stop_reason == "end_turn"
        assert result.text.endswith("The file was changed. ")
        assert [call.status for call in session.snapshot.tool_calls] == ["completed"]
