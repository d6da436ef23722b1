"""Servers for the tests of the WebSocket transport: real ones on the loopback, and sockets that misbehave."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

TLS = Path(__file__).with_name("tls")

Handler = Callable[[ServerConnection], Awaitable[None]]


@asynccontextmanager
async def server(handler: Handler, **options: Any) -> AsyncIterator[str]:
    """Serve on the loopback; yields host and port."""
    options = {"max_size": None, "compression": None, "close_timeout": 0.2} | options
    async with serve(handler, "127.0.0.1", 0, **options) as made:
        yield f"127.0.0.1:{next(iter(made.sockets)).getsockname()[1]}"


@asynccontextmanager
async def raw_server(
    handler: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[str]:
    """Serve plain TCP on the loopback; yields host and port. Connections are dropped at the end."""
    writers: list[asyncio.StreamWriter] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with contextlib.suppress(ConnectionError):
            await handler(reader, writer)

    made = await asyncio.start_server(handle, "127.0.0.1", 0)
    yield f"127.0.0.1:{made.sockets[0].getsockname()[1]}"
    for writer in writers:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    made.close()


async def echo(connection: ServerConnection) -> None:
    async for message in connection:
        await connection.send(message)


async def idle(connection: ServerConnection) -> None:
    await connection.wait_closed()


def sending(*frames: str | bytes | list[str]) -> Handler:
    async def handler(connection: ServerConnection) -> None:
        for frame in frames:
            await connection.send(frame)
        await connection.wait_closed()

    return handler


# what is sent along
