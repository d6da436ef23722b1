"""Records what crosses a transport, in both directions, without changing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import attrs

from acp_client.errors import ConnectionLost
from acp_client.rpc.messages import InvalidJson, decode
from acp_client.transports.base import Frame, Receiver, Transport

Json: TypeAlias = Any

SENT, RECEIVED = "c2a", "a2c"
"""Directions: client to agent, agent to client."""


@attrs.frozen
class Line:
    """One message: seconds since the recording began, direction, and the message (or the text that was none)."""

    t: float
    dir: str
    msg: Json


class RecordingTransport:
    """Wraps a transport; give it to a client by `on_transport=RecordingTransport`.

    `lines` holds what crossed so far; `on_line` is called with each line as it crosses.
    """

    def __init__(self, transport: Transport, on_line: Callable[[Line], None] | None = None) -> None:
        self.wrapped = transport
        self.lines: list[Line] = []
        self.writes: list[list[Json]] = []
        """What the client wrote, grouped as it was written."""
        self._on_line = on_line
        self._began = time.monotonic()
        self._receiver: Receiver

    async def open(self, receiver: Receiver) -> None:
        """Open the wrapped transport. Raises what it raises."""
        self._receiver = receiver
        await self.wrapped.open(self)

    def send(self, messages: Sequence[bytes]) -> None:
        """Record, then send."""
        self.writes.append([self._note(SENT, message) for message in messages])
        self.wrapped.send(messages)

    async def drain(self) -> None:
        """See `Transport.drain`."""
        await self.wrapped.drain()

    async def aclose(self) -> None:
        """See `Transport.aclose`."""
        await self.wrapped.aclose()

    def kill(self) -> None:
        """See `Transport.kill`."""
        self.wrapped.kill()

    def frames(self, frames: Sequence[Frame]) -> None:
        """Record what came, then hand it on."""
        for frame in frames:
            self._note(RECEIVED, frame)
        self._receiver.frames(frames)

    def lost(self, cause: ConnectionLost) -> None:
        """Hand the end on."""
        self._receiver.lost(cause)

    def __getattr__(self, name: str) -> Any:
        """Whatever else is asked for is the wrapped transport's."""
        return getattr(self.wrapped, name)

    def sent(self) -> list[Json]:
        """What the client wrote so far."""
        return [line.msg for line in self.lines if line.dir == SENT]

    def received(self) -> list[Json]:
        """What the agent wrote so far."""
        return [line.msg for line in self.lines if line.dir == RECEIVED]

    def _note(self, direction: str, frame: Frame) -> Json:
        try:
            message = decode(frame)
        except InvalidJson:
            message = frame.decode("utf-8", "replace") if isinstance(frame, bytes) else frame
        line = Line(time.monotonic() - self._began, direction, message)
        self.lines.append(line)
        if self._on_line is not None:
            self._on_line(line)
        return message
