"""Breaks the wire on purpose, so that a host can see what it does when an agent or a network fails."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs

from acp_client.errors import ConnectionLost
from acp_client.transports.base import Frame, Receiver, Transport


@attrs.frozen(kw_only=True)
class Faults:
    """What goes wrong with the messages of the agent, which are counted from 0.

    `drop` and `repeat` are numbers of messages that never come, or come twice. `cut` gives, for a number, how many
    bytes of it come. `noise` gives a line that comes before a message. `lose_at` is the number of the message in whose
    place the connection ends, with `cause`.
    """

    drop: Collection[int] = ()
    repeat: Collection[int] = ()
    cut: Mapping[int, int] = attrs.field(factory=dict)
    noise: Mapping[int, Frame] = attrs.field(factory=dict)
    lose_at: int | None = None
    cause: ConnectionLost = attrs.field(factory=lambda: ConnectionLost("the connection broke off (an injected fault)"))


class FaultyTransport:
    """Wraps a transport: `Client.connect(..., on_transport=lambda t: FaultyTransport(t, Faults(lose_at=20)))`."""

    def __init__(self, transport: Transport, faults: Faults) -> None:
        self.wrapped = transport
        self.faults = faults
        self.seen = 0
        """How many messages of the agent have come so far."""
        self._receiver: Receiver
        self._lost = False

    async def open(self, receiver: Receiver) -> None:
        """Open the wrapped transport. Raises what it raises."""
        self._receiver = receiver
        await self.wrapped.open(self)

    def send(self, messages: Sequence[bytes]) -> None:
        """Send, unless the connection was broken."""
        if not self._lost:
            self.wrapped.send(messages)

    async def drain(self) -> None:
        """See `Transport.drain`."""
        if not self._lost:
            await self.wrapped.drain()

    async def aclose(self) -> None:
        """See `Transport.aclose`."""
        await self.wrapped.aclose()

    def kill(self) -> None:
        """See `Transport.kill`."""
        self.wrapped.kill()

    def frames(self, frames: Sequence[Frame]) -> None:
        """Hand on what is left of the messages."""
        passed: list[Frame] = []
        breaks = False
        for frame in frames:
            if self._lost or breaks:
                return self._hand_on(passed, breaks)
            number, self.seen = self.seen, self.seen + 1
            breaks = number == self.faults.lose_at
            if not breaks:
                passed += self._damaged(number, frame)
        return self._hand_on(passed, breaks)

    def _damaged(self, number: int, frame: Frame) -> list[Frame]:
        faults = self.faults
        before = [faults.noise[number]] if number in faults.noise else []
        if number in faults.drop:
            return before
        came = frame[: faults.cut[number]] if number in faults.cut else frame
        return [*before, came, *([came] if number in faults.repeat else [])]

    def _hand_on(self, frames: list[Frame], breaks: bool) -> None:
        if frames and not self._lost:
            self._receiver.frames(frames)
        if breaks:
            self.lost(self.faults.cause)

    def lost(self, cause: ConnectionLost) -> None:
        """Hand the end on, once."""
        if not self._lost:
            self._lost = True
            self._receiver.lost(cause)

    def __getattr__(self, name: str) -> Any:
        """Whatever else is asked for is the wrapped transport's."""
        return getattr(self.wrapped, name)
