"""The demo agent as a process: `python -m acp_client.testing.demo_agent`, on stdio or as a WebSocket server."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from acp_client.testing.demo import DemoAgent, DemoSession

VERSIONS: dict[str, tuple[int, ...]] = {"1": (1,), "2": (2,), "both": (1, 2), "auto": (1, 2)}


def demo_command(*arguments: str) -> tuple[str, ...]:
    """Return the command that starts the demo agent with this interpreter."""
    return (sys.executable, "-m", "acp_client.testing.demo_agent", *arguments)


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


async def serve_stdio(versions: tuple[int, ...] = (1, 2), step: float = 0.02) -> None:
    """Serve one client on stdin and stdout, until stdin ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)

    def send(message: Any) -> None:
        view = memoryview(json.dumps(message).encode() + b"\n")
        while view:
            view = view[os.write(1, view) :]

    agent = DemoAgent(send, versions=versions, step=step)
    while line := await reader.readline():
        if line.strip():
            agent.receive(_parsed(line))
            await asyncio.sleep(0)
    await agent.aclose()


@asynccontextmanager
async def demo_websocket(port: int = 0, versions: tuple[int, ...] = (1, 2), step: float = 0.02) -> AsyncIterator[str]:
    """Serve the demo agent on the loopback interface; yields its URL. Sessions are shared by all connections."""
    from websockets.asyncio.server import ServerConnection, serve

    sessions: dict[str, DemoSession] = {}

    async def handle(connection: ServerConnection) -> None:
        outgoing: asyncio.Queue[str] = asyncio.Queue()

        async def write() -> None:
            while True:
                await connection.send(await outgoing.get())

        agent = DemoAgent(
            lambda message: outgoing.put_nowait(json.dumps(message)), versions=versions, step=step, sessions=sessions
        )
        writer = asyncio.create_task(write())
        try:
            async for frame in connection:
                agent.receive(_parsed(frame))
        finally:
            writer.cancel()
            await asyncio.wait([writer])
            await agent.aclose()

    async with serve(handle, "127.0.0.1", port, max_size=2**26) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def _serve_websocket(port: int, versions: tuple[int, ...], step: float) -> None:
    async with demo_websocket(port, versions, step) as url:
        print(json.dumps({"port": int(url.rsplit(":", 1)[1].strip("/")), "url": url}), flush=True)
        await asyncio.get_running_loop().create_future()


def main(argv: Sequence[str] | None = None) -> None:
    """Run the demo agent until its client leaves, or, as a server, until it is stopped."""
    parser = argparse.ArgumentParser(prog="demo_agent", description="A coding agent that plays a fixed part.")
    parser.add_argument("--ws", type=int, metavar="PORT", help="serve WebSocket on this loopback port; 0: any free one")
    parser.add_argument("--protocol", choices=tuple(VERSIONS), default="both")
    parser.add_argument("--step", type=float, default=0.02, help="seconds between two pieces of text")
    options = parser.parse_args(argv)
    versions = VERSIONS[options.protocol]
    work = (
        serve_stdio(versions, options.step)
        if options.ws is None
        else _serve_websocket(options.ws, versions, options.step)
    )
    try:
        asyncio.run(work)
    except (KeyboardInterrupt, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
