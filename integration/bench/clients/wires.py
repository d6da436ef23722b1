"""How the floors read and write: each connects, calls back for each message and returns a function that writes.

No error handling, no limits, no closing: that is what makes them floors.
"""

from __future__ import annotations

import asyncio
import base64
import os
import shlex
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from websockets.asyncio.client import connect
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

OnMessage = Callable[[bytes | bytearray | memoryview], None]
Write = Callable[[bytes], None]

_running: list[asyncio.Task[None]] = []


def _run(work: Coroutine[Any, Any, None]) -> None:
    _running.append(asyncio.ensure_future(work))


async def stdio_readline(command: str, on_message: OnMessage) -> Write:
    process = await asyncio.create_subprocess_exec(*shlex.split(command), stdin=-1, stdout=-1, limit=64 << 20)
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None

    async def read() -> None:
        readline = stdout.readline
        while line := await readline():
            on_message(line)

    _run(read())
    return lambda message: stdin.write(message + b"\n")


class _Blocks(asyncio.SubprocessProtocol):
    def __init__(self, on_message: OnMessage) -> None:
        self.on_message = on_message
        self.parts: list[bytes] = []

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if b"\n" not in data:
            self.parts.append(data)
            return
        if self.parts:
            self.parts.append(data)
            data = b"".join(self.parts)
            self.parts.clear()
        lines = data.split(b"\n")
        rest = lines.pop()
        on_message = self.on_message
        for line in lines:
            if line:
                on_message(line)
        if rest:
            self.parts.append(rest)


async def stdio_blocks(command: str, on_message: OnMessage) -> Write:
    loop = asyncio.get_running_loop()
    process, _ = await loop.subprocess_exec(lambda: _Blocks(on_message), *shlex.split(command), stderr=None)
    stdin = process.get_pipe_transport(0)
    assert isinstance(stdin, asyncio.WriteTransport)
    return lambda message: stdin.write(message + b"\n")


async def ws_library(url: str, on_message: OnMessage) -> Write:
    ws = await connect(url, compression=None, max_size=None)
    waiting: deque[bytes] = deque()
    more = asyncio.Event()

    async def read() -> None:
        recv = ws.recv
        while True:
            on_message(await recv(decode=False))

    async def send() -> None:
        while True:
            await more.wait()
            more.clear()
            while waiting:
                await ws.send(waiting.popleft().decode())

    def write(message: bytes) -> None:
        waiting.append(message)
        more.set()

    _run(read())
    _run(send())
    return write


class _SansIO(asyncio.Protocol):
    def __init__(self, ws: ClientProtocol, on_message: OnMessage) -> None:
        self.ws, self.on_message = ws, on_message
        self.up: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.ws.send_request(self.ws.connect())
        self.flush()

    def flush(self) -> None:
        for data in self.ws.data_to_send():
            if data:
                self.transport.write(data)

    def data_received(self, data: bytes) -> None:
        on_message = self.on_message
        self.ws.receive_data(data)
        for event in self.ws.events_received():
            if type(event) is not Frame:
                self.up.set_result(None)
            elif event.opcode is Opcode.TEXT:
                on_message(event.data)
        self.flush()

    def write(self, message: bytes) -> None:
        self.ws.send_text(message)
        self.flush()


async def ws_sansio(url: str, on_message: OnMessage) -> Write:
    uri = parse_uri(url)
    protocol = _SansIO(ClientProtocol(uri, max_size=None), on_message)
    await asyncio.get_running_loop().create_connection(lambda: protocol, uri.host, uri.port)
    await protocol.up
    return protocol.write


class _Bare(asyncio.Protocol):
    """Unmasked, unfragmented text frames and nothing else."""

    def __init__(self, on_message: OnMessage) -> None:
        self.on_message = on_message
        self.up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.parts: list[bytes] = []
        self.missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        key = base64.b64encode(os.urandom(16))
        transport.write(
            b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + key + b"\r\n\r\n"
        )

    def data_received(self, data: bytes) -> None:
        if not self.up.done():
            head, _, data = data.partition(b"\r\n\r\n")
            assert b" 101 " in head
            self.up.set_result(None)
        if self.parts:
            self.parts.append(data)
            self.missing -= len(data)
            if self.missing > 0:
                return
            data = b"".join(self.parts)
            self.parts = []
        done = self.frames(data)
        if done < len(data):
            self.parts = [data[done:]]

    def frames(self, data: bytes) -> int:
        """Handle the whole frames at the beginning; return where the rest begins."""
        at, total = 0, len(data)
        while total - at >= 2:
            length, head = data[at + 1], 2
            if length == 126:
                if total - at < 4:
                    break
                length, head = data[at + 2] << 8 | data[at + 3], 4
            elif length == 127:
                if total - at < 10:
                    break
                length, head = int.from_bytes(data[at + 2 : at + 10], "big"), 10
            end = at + head + length
            if end > total:
                self.missing = end - total
                return at
            self.on_message(data[at + head : end])
            at = end
        self.missing = 0
        return at

    def write(self, message: bytes) -> None:
        n = len(message)
        length = bytes([0x80 | n]) if n < 126 else b"\xfe" + n.to_bytes(2, "big")
        self.transport.write(b"\x81" + length + b"\0\0\0\0" + message)  # a mask of zeros leaves the text as it is


async def ws_bare(url: str, on_message: OnMessage) -> Write:
    host, _, port = url.removeprefix("ws://").partition("/")[0].partition(":")
    protocol = _Bare(on_message)
    await asyncio.get_running_loop().create_connection(lambda: protocol, host, int(port))
    await protocol.up
    return protocol.write
