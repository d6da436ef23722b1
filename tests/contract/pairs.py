"""Every transport with both its ends in the test: the client's transport, and the agent's side of the wire."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve

from acp_client.transports.base import Transport
from acp_client.transports.memory import MemoryTransport
from acp_client.transports.specs import StdioSpec, WebSocketSpec
from tests.transports.support import Recorder, within

RELAY = Path(__file__).with_name("relay.py")


class Agent(ABC):
    """The agent's side of the wire."""

    @abstractmethod
    async def send(self, *messages: bytes) -> None:
        """Send messages, together."""

    @abstractmethod
    async def send_in_pieces(self, message: bytes, size: int) -> None:
        """Send one message cut into pieces of that size, wherever that cuts it."""

    @abstractmethod
    async def receive(self) -> bytes:
        """Return the next message of the client."""

    @abstractmethod
    async def leave(self) -> None:
        """End the connection as an agent that is done."""


class Pair:
    """A transport that is open, what it received, and the agent's side."""

    def __init__(self, transport: Transport, recorder: Recorder, agent: Agent) -> None:
        self.transport, self.recorder, self.agent = transport, recorder, agent


class MemoryAgent(Agent):
    def __init__(self, transport: MemoryTransport) -> None:
        self._end = transport.agent
        self._inbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._end.on_messages = self._take

    def _take(self, messages: Sequence[bytes]) -> None:
        for message in messages:
            self._inbox.put_nowait(message)

    async def send(self, *messages: bytes) -> None:
        self._end.send(messages)

    async def send_in_pieces(self, message: bytes, size: int) -> None:
        self._end.send([message])

    async def receive(self) -> bytes:
        return await within(self._inbox.get())

    async def leave(self) -> None:
        self._end.close()


@asynccontextmanager
async def memory_pair(limit: int | None, folder: Path, patch: pytest.MonkeyPatch) -> AsyncIterator[Pair]:
    transport, recorder = MemoryTransport(), Recorder()
    agent = MemoryAgent(transport)
    await transport.open(recorder)
    yield Pair(transport, recorder, agent)
    await within(transport.aclose())


class StdioAgent(Agent):
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, *messages: bytes) -> None:
        self._writer.write(b"".join(message + b"\n" for message in messages))
        await within(self._writer.drain())

    async def send_in_pieces(self, message: bytes, size: int) -> None:
        await _in_pieces(message + b"\n", size, self._writer.write, self._writer.drain)

    async def receive(self) -> bytes:
        return (await within(self._reader.readuntil(b"\n"))).removesuffix(b"\n")

    async def leave(self) -> None:
        self._writer.close()
        with contextlib.suppress(ConnectionError):  # a relay that was ended leaves what it had not read
            await within(self._writer.wait_closed())


@asynccontextmanager
async def stdio_pair(limit: int | None, folder: Path, patch: pytest.MonkeyPatch) -> AsyncIterator[Pair]:
    link: asyncio.Future[StdioAgent] = asyncio.get_running_loop().create_future()
    server = await asyncio.start_unix_server(
        lambda reader, writer: link.set_result(StdioAgent(reader, writer)), folder / "link", limit=2**26
    )
    spec = StdioSpec(
        (sys.executable, "-I", "-S", str(RELAY), str(folder / "link")), max_message_bytes=limit, exit_grace=2.0
    )
    transport, recorder = spec.transport(), Recorder()
    await within(transport.open(recorder))
    agent = await within(link)
    try:
        yield Pair(transport, recorder, agent)
    finally:
        await within(transport.aclose())
        await agent.leave()
        server.close()


@asynccontextmanager
async def threaded_stdio_pair(limit: int | None, folder: Path, patch: pytest.MonkeyPatch) -> AsyncIterator[Pair]:
    patch.setattr("acp_client.transports.pipes.can_watch", lambda loop, file: False)
    async with stdio_pair(limit, folder, patch) as pair:
        yield pair


class WebSocketAgent(Agent):
    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    async def send(self, *messages: bytes) -> None:
        for message in messages:
            self._connection.protocol.send_text(message)
        self._connection.send_data()
        await within(self._connection.drain())

    async def send_in_pieces(self, message: bytes, size: int) -> None:
        self._connection.protocol.send_text(message)
        frame = b"".join(self._connection.protocol.data_to_send())  # cut as TCP may cut it, not as WebSocket does
        await _in_pieces(frame, size, self._connection.transport.write, self._connection.drain)

    async def receive(self) -> bytes:
        return await within(self._connection.recv(decode=False))

    async def leave(self) -> None:
        await within(self._connection.close())


@asynccontextmanager
async def websocket_pair(limit: int | None, folder: Path, patch: pytest.MonkeyPatch) -> AsyncIterator[Pair]:
    link: asyncio.Future[WebSocketAgent] = asyncio.get_running_loop().create_future()

    async def handle(connection: ServerConnection) -> None:
        link.set_result(WebSocketAgent(connection))
        await connection.wait_closed()

    async with serve(handle, "127.0.0.1", 0, max_size=None, compression=None, close_timeout=1) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        transport = WebSocketSpec(f"ws://127.0.0.1:{port}/acp", max_message_bytes=limit).transport()
        recorder = Recorder()
        await within(transport.open(recorder))
        agent = await within(link)
        yield Pair(transport, recorder, agent)
        await within(transport.aclose())


async def _in_pieces(data: bytes, size: int, write: Callable[[bytes], object], drain: Callable[[], object]) -> None:
    for piece in _pieces(data, size):
        write(piece)
        waiting = drain()
        assert asyncio.iscoroutine(waiting)
        await within(waiting)


def _pieces(data: bytes, size: int) -> Iterable[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


MakePair = Callable[[int | None, Path, pytest.MonkeyPatch], AbstractAsyncContextManager[Pair]]

PAIRS: dict[str, MakePair] = {
    "memory": memory_pair,
    "stdio": stdio_pair,
    "stdio in threads": threaded_stdio_pair,
    "websocket": websocket_pair,
}
