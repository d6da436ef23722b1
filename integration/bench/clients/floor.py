"""The floors: the same work with no SDK at all, JSON parsed with orjson and dispatched as dicts.

Variants: `orjson`  StreamReader.readline over stdio, websockets' own recv() over ws: what one writes first
          `proto`   a protocol that splits each block itself; over ws a frame splitter without a library
          `sansio`  ws only: websockets' Sans-I/O protocol driven from an asyncio protocol
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable
from typing import Any

from integration.bench.clients import wires
from integration.bench.scenarios import Arguments, Holding, Tally, main

orjson = importlib.import_module("orjson")  # in the environment of the peers only

WIRES: dict[tuple[str, str], Callable[[str, wires.OnMessage], Awaitable[wires.Write]]] = {
    ("orjson", "stdio"): wires.stdio_readline,
    ("proto", "stdio"): wires.stdio_blocks,
    ("orjson", "ws"): wires.ws_library,
    ("proto", "ws"): wires.ws_bare,
    ("sansio", "ws"): wires.ws_sansio,
}


class Floor:
    """Futures by id, a chain of comparisons for the methods, and nothing else."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.tally = Tally()
        self.holding: Holding | None = None
        self.open: dict[int, asyncio.Future[Any]] = {}
        self.idle: dict[str, asyncio.Future[Any]] = {}
        self.next_id = 0

    async def connect(self) -> None:
        arguments = self.arguments
        wire = WIRES[arguments.variant, arguments.transport]
        self.write = await wire(arguments.agent or arguments.url, self.on_message)
        if arguments.proto == 1:
            await self.request("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        else:
            info = {"name": "floor", "version": "0"}
            await self.request("initialize", {"protocolVersion": 2, "info": info, "capabilities": {}})

    def on_message(self, text: bytes | bytearray | memoryview) -> None:
        message = orjson.loads(text)
        method = message.get("method")
        if method is None:
            future = self.open.pop(message["id"], None)
            if future is not None and not future.done():
                future.set_result(message.get("result"))
        elif method == "session/update":
            params = message["params"]
            update = params["update"]
            kind = update["sessionUpdate"]
            if kind == "agent_message_chunk":
                content = update["content"]
                self.tally.hit(len(content["text"]) if content["type"] == "text" else 0)
            elif kind == "state_update":
                self.on_state(params["sessionId"], update["state"], params.get("_meta"))
            else:
                self.tally.hit(0)
        elif method == "session/request_permission":
            self.on_permission(message["id"], message["params"]["options"][0]["optionId"])

    def on_state(self, session_id: str, state: str, meta: object) -> None:
        future = self.idle.pop(session_id, None) if state == "idle" else None
        if future is not None:
            future.set_result(meta)

    def on_permission(self, request_id: int, option: str) -> None:
        if self.holding is None:
            self.answer(request_id, {"outcome": "selected", "optionId": option})
        else:
            self.holding.hold(request_id)

    def answer(self, request_id: int, outcome: dict[str, str]) -> None:
        self.write(orjson.dumps({"jsonrpc": "2.0", "id": request_id, "result": {"outcome": outcome}}))

    def request(self, method: str, params: object) -> asyncio.Future[Any]:
        self.next_id += 1
        future = self.open[self.next_id] = asyncio.get_running_loop().create_future()
        self.write(orjson.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}))
        return future

    async def new_session(self) -> str:
        answer = await self.request("session/new", {"cwd": "/tmp", "mcpServers": []})
        return str(answer["sessionId"])

    async def prompt(self, session_id: str) -> object:
        params = {"sessionId": session_id, "prompt": [{"type": "text", "text": "go"}]}
        if self.arguments.proto == 2:
            idle = self.idle[session_id] = asyncio.get_running_loop().create_future()
            await self.request("session/prompt", params)
            return await idle
        return (await self.request("session/prompt", params)).get("_meta")

    async def echo(self, session_id: str) -> object:
        return await self.request("session/set_mode", {"sessionId": session_id, "modeId": "code"})

    async def cancel(self, session_id: str) -> None:
        self.write(orjson.dumps({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session_id}}))
        assert self.holding is not None
        for request_id in self.holding.held:
            self.answer(request_id, {"outcome": "cancelled"})

    def extra(self) -> dict[str, object]:
        return {}


if __name__ == "__main__":
    main(Floor)
