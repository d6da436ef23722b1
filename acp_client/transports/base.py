"""What a transport is: whole messages in wire order, in both directions, and one way to end.

Transports know frames and nothing of JSON-RPC. They push: everything one read brought is handed over in a single
synchronous call, so that the cost of waking up is paid once a block and not once a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from acp_client.errors import ConnectionLost

MAX_MESSAGE_BYTES = 64 * 2**20
"""Longest incoming message, in bytes: agents have sent more than 16 MiB in one line, never half of this."""

EXIT_GRACE = 5.0
"""Seconds an agent gets at each step of closing before this side insists: one agent always takes two."""

CLOSING = "acp-client closing"
"""Name of the tasks that end a connection: a loop that is stopped lets them finish, or they would leave an agent."""

Frame = bytes | str


class Receiver(Protocol):
    """The side that takes what a transport reads. Both methods are synchronous and must not raise."""

    def frames(self, frames: Sequence[Frame]) -> None:
        """Take messages in wire order: line ending stripped, otherwise as they came, noise included."""

    def lost(self, cause: ConnectionLost) -> None:
        """Take the end of the stream and its first cause. Called once; nothing follows."""


@runtime_checkable
class Transport(Protocol):
    """One connection to one agent. Used by one event loop; not reusable after it ended."""

    async def open(self, receiver: Receiver) -> None:
        """Start or reach the agent and begin to read.

        Raises `AgentStartError` when nobody could be reached. Whoever cancels it leaves nothing behind: no process, no
        socket. Messages may be handed over before it returns.
        """

    def send(self, messages: Sequence[bytes]) -> None:
        """Queue whole messages, in order, as one write. Never blocks; after the end it does nothing."""

    async def drain(self) -> None:
        """Wait until what was queued is with the operating system, or the connection has ended."""

    async def aclose(self) -> None:
        """End the connection, bounded. Safe to repeat and to call from any task of the loop."""

    def kill(self) -> None:
        """End the agent or the socket at once, from any thread and without a running loop: for exit hooks only."""


class ConnectSpec(Protocol):
    """How to reach an agent: frozen, picklable, and without a secret in its repr."""

    def transport(self) -> Transport:
        """Return a fresh transport for one connection."""
