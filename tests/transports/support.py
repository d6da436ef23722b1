"""What the transport tests share: a receiver that remembers, a bound for every wait, and agents of a few lines."""

from __future__ import annotations

import asyncio
import os
import sys
import textwrap
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from acp_client.errors import ConnectionLost
from acp_client.transports.base import ConnectSpec, Frame, Transport
from acp_client.transports.specs import StdioSpec

T = TypeVar("T")

BOUND = 5.0
"""Seconds any single wait of a test may take."""


async def within(waiting: Awaitable[T], seconds: float = BOUND) -> T:
    """Wait, but not for ever."""
    return await asyncio.wait_for(waiting, seconds)


class Recorder:
    """A receiver that remembers what it was given and in which calls."""

    def __init__(self) -> None:
        self.batches: list[list[bytes]] = []
        self.causes: list[ConnectionLost] = []
        self._taken = 0
        self._waker: asyncio.Future[None] | None = None
        self.on_frames: Callable[[Sequence[bytes]], None] | None = None

    @property
    def messages(self) -> list[bytes]:
        return [message for batch in self.batches for message in batch]

    def frames(self, frames: Sequence[Frame]) -> None:
        assert not self.causes, "a message came after the end"
        batch = [frame.encode() if isinstance(frame, str) else frame for frame in frames]
        self.batches.append(batch)
        self._wake()
        if self.on_frames is not None:
            self.on_frames(batch)

    def lost(self, cause: ConnectionLost) -> None:
        self.causes.append(cause)
        self._wake()

    def _wake(self) -> None:
        if self._waker is not None and not self._waker.done():
            self._waker.set_result(None)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something that arrived makes the condition true."""

        async def wait() -> None:
            while not condition():
                self._waker = asyncio.get_running_loop().create_future()
                await self._waker

        await within(wait())

    async def next(self) -> bytes:
        """Return the next message that was not taken yet."""
        await self.until(lambda: len(self.messages) > self._taken)
        self._taken += 1
        return self.messages[self._taken - 1]

    async def next_cause(self) -> ConnectionLost:
        """Wait for the end and return its cause, which must have been told once."""
        await self.until(lambda: bool(self.causes))
        assert len(self.causes) == 1
        return self.causes[0]


def script(code: str, *arguments: str, **spec: Any) -> StdioSpec:
    """Return the spec of an agent that is a Python script of a few lines. It starts in some ten milliseconds."""
    spec.setdefault("exit_grace", 2.0)
    return StdioSpec((sys.executable, "-I", "-S", "-c", textwrap.dedent(code), *arguments), **spec)


async def opened(spec: ConnectSpec) -> tuple[Any, Recorder]:
    """Open a transport for a spec and return it with what records its messages."""
    transport, recorder = spec.transport(), Recorder()
    await within(transport.open(recorder))
    return transport, recorder


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def open_descriptors() -> set[str]:
    """Return what the descriptors of this process point to."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{number}:{os.readlink(f'/proc/self/fd/{number}')}")
        except FileNotFoundError:
            continue  # the one of the listing itself
    return found


async def closed(*transports: Transport) -> None:
    """Close transports, within the bound."""
    for transport in transports:
        await within(transport.aclose())


def cut(stream: bytes, places: Sequence[int]) -> list[bytes]:
    """Cut a stream at places given by any numbers."""
    edges = sorted({0, len(stream), *(place % (len(stream) + 1) for place in places)})
    return [stream[start:end] for start, end in pairwise(edges)]
