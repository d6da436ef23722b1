"""The official Python SDK, used as its documentation shows. Speaks version 1 only."""

from __future__ import annotations

import asyncio
import importlib
import logging
import shlex
from typing import Any

from integration.bench.scenarios import Arguments, Holding, Tally, main

acp = importlib.import_module("acp")  # in the environment of the peers only
schema = importlib.import_module("acp.schema")

logging.basicConfig(level=logging.ERROR)


class Host:
    """What the SDK calls: counts updates, answers or holds permission requests."""

    def __init__(self, driver: PythonSdk) -> None:
        self.driver = driver

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        is_text = isinstance(update, schema.AgentMessageChunk) and isinstance(update.content, schema.TextContentBlock)
        self.driver.tally.hit(len(update.content.text) if is_text else 0)

    async def request_permission(self, options: Any, session_id: str, tool_call: Any, **kwargs: Any) -> Any:
        holding = self.driver.holding
        if holding is None:
            outcome = schema.AllowedOutcome(outcome="selected", option_id=options[0].option_id)
            return acp.RequestPermissionResponse(outcome=outcome)
        released: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        holding.hold(released)
        await released
        return acp.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))

    async def ext_method(self, method: str, params: Any) -> dict[str, Any]:
        return {}

    async def ext_notification(self, method: str, params: Any) -> None:
        return None

    def on_connect(self, connection: Any) -> None:
        return None


class PythonSdk:
    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.tally = Tally()
        self.holding: Holding | None = None

    async def connect(self) -> None:
        host = Host(self)
        if self.arguments.transport == "stdio":
            command, *rest = shlex.split(self.arguments.agent)
            self.agent = acp.spawn_agent_process(host, command, *rest)
            self.connection, _ = await self.agent.__aenter__()
        else:
            ws = importlib.import_module("acp.ws.client")
            self.connection = acp.connect_to_agent(host, await ws.create_websocket_stream(self.arguments.url))
        await self.connection.initialize(protocol_version=acp.PROTOCOL_VERSION)

    async def new_session(self) -> str:
        return str((await self.connection.new_session(cwd="/tmp", mcp_servers=[])).session_id)

    async def prompt(self, session_id: str) -> object:
        answer = await self.connection.prompt(session_id=session_id, prompt=[acp.text_block("go")])
        meta: object = answer.field_meta
        return meta

    async def echo(self, session_id: str) -> object:
        answer: object = await self.connection.set_session_mode(session_id=session_id, mode_id="code")
        return answer

    async def cancel(self, session_id: str) -> None:
        await self.connection.cancel(session_id=session_id)
        assert self.holding is not None
        for released in self.holding.held:
            released.set_result(None)

    def extra(self) -> dict[str, object]:
        return {}


if __name__ == "__main__":
    main(PythonSdk)
