"""The WebSocket transport: an agent behind a `ws://` or `wss://` URL, one message a text frame.

Dials, says in one sentence what went wrong when that fails, hands messages over, and decides what the first cause was
when the connection ends. The frames themselves are `wsconnection`'s; `websockets` is imported only by `open`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_client.errors import (
    ConnectionClosed,
    ConnectionLost,
    FramingError,
    MessageTooLarge,
    ProtocolViolation,
    UsageError,
)
from acp_client.transports.base import Receiver
from acp_client.transports.specs import shown_url
from acp_client.transports.wsmessages import MessageAssembler

if TYPE_CHECKING:
    from acp_client.transports.specs import WebSocketSpec
    from acp_client.transports.wsconnection import AgentConnection

log = logging.getLogger("acp_client")

CLOSE_GRACE = 2.0
"""Seconds the agent gets to answer our close frame, or to end the TCP connection after its own."""

PIECES_WAIT = 5.0
"""Seconds between two pieces of one message: bridges send them back to back."""

NORMAL, TOO_BIG, ABNORMAL = 1000, 1009, 1006
PROTOCOL_ERROR = 1002


class WebSocketTransport:
    """One WebSocket. Made by `WebSocketSpec.transport`, or directly to bring an `ssl.SSLContext` along."""

    def __init__(self, spec: WebSocketSpec, ssl_context: ssl.SSLContext | None = None) -> None:
        self._spec = spec
        self._ssl = ssl_context
        self._name = f"agent at {shown_url(spec.url)!r}"
        self._messages = MessageAssembler(spec.max_message_bytes)
        self._receiver: Receiver | None = None
        self._connection: AgentConnection | None = None
        self._cause: ConnectionLost | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._binary_seen = False
        self._longest_sent = 0
        self.cookies: dict[str, str] = dict(spec.cookies)
        """Cookies of the spec and those the server set, for the spec of the next connection. May be secrets."""

    # opening

    async def open(self, receiver: Receiver) -> None:
        """Connect and begin to read. Cancelling it leaves no socket behind.

        Raises `AgentStartError` with what was tried, what came back and what to do; `UsageError` for a spec that
        cannot work here, or a transport that was used before.
        """
        if self._receiver is not None or self._cause is not None:
            raise UsageError("a transport serves one connection; make a new one for the next")
        self._receiver = receiver
        from acp_client.transports.wsdial import dial

        connection = await dial(self._spec, self.cookies, self._ssl, self)
        if isinstance(self._cause, ConnectionClosed):  # closed by another task meanwhile
            connection.transport.abort()
            raise self._cause.again("the upgrade")

    # writing

    def send(self, messages: Sequence[bytes]) -> None:
        """Write whole messages, each as a text frame, in one write. Never blocks; after the end it does nothing."""
        if self._cause is None and self._connection is not None:
            self._longest_sent = max(self._longest_sent, max(map(len, messages), default=0))
            self._connection.write(messages)

    async def drain(self) -> None:
        """Wait until the system has taken what was sent, or the connection has ended."""
        if self._connection is not None:
            with contextlib.suppress(OSError):
                await self._connection.drain()

    # reading: called by the connection

    def on_open(self, connection: AgentConnection) -> None:
        """Take the connection as soon as it exists: messages may come along with the answer to the upgrade."""
        self._connection = connection

    def on_texts(self, texts: Sequence[bytes]) -> None:
        """Hand the messages of one read to the receiver."""
        if self._cause is not None or self._receiver is None:
            return
        messages = self._messages.feed(texts)
        if messages:
            self._receiver.frames(messages)
        problem = self._messages.problem
        if problem is not None:
            self._fail(problem)
        elif self._messages.is_waiting or self._timer is not None:
            self._wait_for_pieces()

    def on_binary(self) -> None:
        """Drop a binary message: ACP has none. Said once in the log."""
        if not self._binary_seen:
            self._binary_seen = True
            log.warning("%s sends binary frames; they are ignored, because ACP messages are text", self._name)

    def _wait_for_pieces(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._messages.is_waiting and self._cause is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(PIECES_WAIT, self._fail, _unfinished())

    # the end

    def _fail(self, problem: FramingError | MessageTooLarge) -> None:
        """End the connection because what the agent sends cannot be read."""
        if isinstance(problem, MessageTooLarge):
            code, reason = TOO_BIG, f"{self._name} sent a message of more than {problem.limit} bytes"
        else:
            code, reason = PROTOCOL_ERROR, f"{self._name} sent part of a message: {problem}"
        assert self._connection is not None
        self._connection.begin_close(code)
        self._end(_lost(reason, problem, code))

    def on_silence(self, seconds: float) -> None:
        """Take that the agent, or the way to it, is dead."""
        self._end(_lost(f"{self._name} did not answer a ping within {seconds:g} s", None, ABNORMAL))

    def on_end(self, problem: BaseException | None) -> None:
        """Take a sign of the end; the first one counts."""
        if self._cause is None and self._connection is not None:
            self._end(self._explain(self._connection, problem))

    def _explain(self, connection: AgentConnection, problem: BaseException | None) -> ConnectionLost:
        """Say why the connection ended: what the agent said, else what this side could not accept, else what broke."""
        protocol = connection.protocol
        theirs, ours = protocol.close_rcvd, protocol.close_sent
        if theirs is not None and not (ours is not None and protocol.close_rcvd_then_sent is False):
            why = f" ({theirs.reason})" if theirs.reason else ""
            with_code = "without a code" if theirs.code == 1005 else f"with code {theirs.code}{why}"
            too_large = MessageTooLarge(self._longest_sent, ours=True) if theirs.code == TOO_BIG else None
            return _lost(f"{self._name} closed the connection {with_code}", too_large, theirs.code, theirs.reason)
        if ours is not None and ours.code == TOO_BIG and self._spec.max_message_bytes is not None:
            limit = self._spec.max_message_bytes
            return _lost(f"{self._name} sent a message of more than {limit} bytes", MessageTooLarge(limit), TOO_BIG)
        if ours is not None:
            text = f"{self._name} broke the WebSocket protocol ({ours.reason})"
            return _lost(text, protocol.parser_exc, ours.code, ours.reason)
        return _lost(f"the connection to {self._name} broke off", problem or protocol.parser_exc, ABNORMAL)

    def _end(self, cause: ConnectionLost) -> None:
        if self._cause is not None:
            return
        self._cause = cause
        if self._timer is not None:
            self._timer.cancel()
        if self._connection is not None:
            # Whatever the agent does, or does not do, about closing: the socket goes away.
            self._connection.abort_after(CLOSE_GRACE)
        if self._receiver is not None:
            self._receiver.lost(cause)

    async def aclose(self) -> None:
        """Close with code 1000 and wait for the agent's answer, bounded; then drop the socket. Safe to repeat."""
        if self._connection is not None:
            self._connection.begin_close(NORMAL)
        self._end(ConnectionClosed("the connection was closed by this side"))
        if self._connection is not None:
            await self._connection.wait_lost()

    def kill(self) -> None:
        """Shut the socket down at once, from any thread, without a running loop: for exit hooks."""
        if self._connection is not None:
            raw = self._connection.transport.get_extra_info("socket")
            # A duplicate of our own: not every loop lets its sockets be shut down.
            with contextlib.suppress(OSError), socket.fromfd(raw.fileno(), raw.family, raw.type) as duplicate:
                duplicate.shutdown(socket.SHUT_RDWR)


def _lost(reason: str, problem: BaseException | None, code: int, close_reason: str = "") -> ConnectionLost:
    cause = ConnectionLost(reason, close_code=code, close_reason=close_reason)
    cause.__cause__ = problem
    cause.problem = problem if isinstance(problem, ProtocolViolation) else None
    return cause


def _unfinished() -> FramingError:
    return FramingError(
        f"part of a message came in a WebSocket frame and its rest did not follow within {PIECES_WAIT:g} s; "
        "one frame has to carry one message"
    )
