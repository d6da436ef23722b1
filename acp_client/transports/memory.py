"""A transport inside the process: an agent written in Python, without pipes and without waiting.

Delivery is synchronous. When one side sends, the other side has taken the messages before the call returns, in the
order of sending. Needs no event loop for that. Used by scripted agents, and by hosts that bring their agent along.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from acp_client.errors import ConnectionClosed, ConnectionLost, MessageTooLarge, UsageError
from acp_client.transports.base import MAX_MESSAGE_BYTES, Frame, Receiver

F = TypeVar("F", bound=Frame)


class AgentEnd:
    """The agent's end of a `MemoryTransport`.

    `on_messages` takes what the client writes: all messages of one write in one call, at once. `on_closed` is called
    once when the connection has ended, whoever ended it. Set both before the client opens the transport.
    """

    def __init__(self, transport: MemoryTransport) -> None:
        self._transport = transport
        self.on_messages: Callable[[Sequence[bytes]], None] = _ignore
        self.on_closed: Callable[[], None] = _do_nothing

    @property
    def is_open(self) -> bool:
        """Whether the client has opened the transport and nobody has closed it."""
        return self._transport.is_open

    def send(self, frames: Sequence[Frame]) -> None:
        """Send messages to the client, which has acted on them on return. What is sent before `open` waits for it.

        Called from inside a delivery the messages follow right behind it. After the end they are dropped. One that is
        longer than the client takes ends the connection behind those before it.
        """
        limit = self._transport.max_message_bytes
        fitting = list(frames) if limit is None else list(itertools.takewhile(lambda f: size_of(f) <= limit, frames))
        if fitting:
            self._transport._inbound.send(fitting)
        if limit is not None and len(fitting) < len(frames):
            cause = ConnectionLost(f"the agent sent a message of more than {limit} bytes")
            cause.problem = cause.__cause__ = MessageTooLarge(limit)
            self.close(cause)

    def close(self, cause: ConnectionLost | None = None) -> None:
        """Leave, behind what was sent before, with the `cause` that the client gets. Later calls change nothing."""
        self._transport._inbound.end(cause or ConnectionLost("the agent closed the connection"))


class MemoryTransport:
    """The client's end; `agent` is the other one. Closing either ends both, and nothing is delivered after that.

    `max_message_bytes` limits what the agent may send at once, as on every transport; None switches the limit off.
    """

    def __init__(self, max_message_bytes: int | None = MAX_MESSAGE_BYTES) -> None:
        self.max_message_bytes = max_message_bytes
        self.agent = AgentEnd(self)
        self._inbound: _Direction[Frame] = _Direction(self._end)
        self._outbound: _Direction[bytes] = _Direction(self._end)
        self._receiver: Receiver | None = None
        self._ended = False

    @property
    def is_open(self) -> bool:
        """Whether messages can be exchanged."""
        return self._receiver is not None and not self._ended

    async def open(self, receiver: Receiver) -> None:
        """Begin to deliver; never waits. Raises `UsageError` when it was opened or closed before."""
        if self._receiver is not None or self._ended:
            raise UsageError("a transport serves one connection; make a new one for the next")
        self._receiver = receiver
        self._outbound.start(lambda messages: self.agent.on_messages(messages))
        self._inbound.start(receiver.frames)

    def send(self, messages: Sequence[bytes]) -> None:
        """Hand messages to the agent's end, which has taken them on return. After the end it does nothing."""
        if self.is_open:
            self._outbound.send(messages)

    async def drain(self) -> None:
        """Return at once: nothing ever waits here."""

    async def aclose(self) -> None:
        """End the connection. Safe to repeat."""
        self.kill()

    def kill(self) -> None:
        """End the connection without an event loop."""
        self._end(ConnectionClosed("the connection was closed by this side"))

    def _end(self, cause: ConnectionLost) -> None:
        if self._ended:
            return
        self._ended = True
        self._inbound.stop()
        self._outbound.stop()
        if self._receiver is not None:
            self._receiver.lost(cause)
        self.agent.on_closed()


class _Direction(Generic[F]):
    """Hands batches over one after another: a batch sent from inside a delivery waits until that one is over."""

    def __init__(self, on_end: Callable[[ConnectionLost], None]) -> None:
        self._on_end = on_end
        self._deliver: Callable[[Sequence[F]], None] | None = None
        self._waiting: deque[Sequence[F] | ConnectionLost] = deque()
        self._busy = False
        self._stopped = False

    def start(self, deliver: Callable[[Sequence[F]], None]) -> None:
        self._deliver = deliver
        self._pump()

    def send(self, batch: Sequence[F]) -> None:
        self._put(batch)

    def end(self, cause: ConnectionLost) -> None:
        self._put(cause)

    def stop(self) -> None:
        self._stopped = True
        self._waiting.clear()

    def _put(self, item: Sequence[F] | ConnectionLost) -> None:
        if not self._stopped:
            self._waiting.append(item)
            self._pump()

    def _pump(self) -> None:
        if self._busy or self._deliver is None:
            return  # whoever is delivering takes the new item next: nothing overtakes what was sent before
        self._busy = True
        try:
            while self._waiting:
                item = self._waiting.popleft()
                if isinstance(item, ConnectionLost):
                    self._on_end(item)
                else:
                    self._deliver(item)
        finally:
            self._busy = False


def size_of(frame: Frame) -> int:
    """Return the bytes of a frame; a string counts as UTF-8."""
    if isinstance(frame, str) and not frame.isascii():
        return len(frame.encode("utf-8", "surrogatepass"))
    return len(frame)


def _ignore(messages: Sequence[bytes]) -> None:
    """Nobody listens at the agent's end."""


def _do_nothing() -> None:
    """Nobody waits for the end at the agent's side."""
