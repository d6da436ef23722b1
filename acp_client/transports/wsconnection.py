"""The `websockets` connection of one agent: reads whole frames without a task or a queue for each message.

The library keeps everything that is WebSocket: handshake, control frames, fragments, closing, and every fault of the
peer. Only whole text frames, which is nearly all an agent sends, are cut out of what was read before the library sees
the rest: it takes a fraction of the time, and reading is never paused. Imported only when a WebSocket is opened.
"""

from __future__ import annotations

import asyncio
import math
import os
import struct
from collections.abc import Sequence
from io import BytesIO
from typing import Any, Protocol

from websockets.asyncio.client import ClientConnection
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import Event, State

_HEAD_END = b"\r\n\r\n"
_TEXT = 0x81
_STUB = 64 * 1024
"""Bytes of an unfinished frame that are joined with the next read; longer ones get a growing buffer."""


class Listener(Protocol):
    """Who is told what arrives; every call is synchronous."""

    def on_open(self, connection: AgentConnection) -> None:
        """The upgrade has succeeded; messages may follow before whoever dials gets control back."""

    def on_texts(self, texts: Sequence[bytes]) -> None:
        """Take the text messages of one read, in order."""

    def on_binary(self) -> None:
        """A binary message arrived and was dropped."""

    def on_silence(self, seconds: float) -> None:
        """Nothing at all has come within the ping timeout; the connection is dropped."""

    def on_end(self, problem: BaseException | None) -> None:
        """The connection is over or about to be; called again with every further sign of it."""


class AgentConnection(ClientConnection):
    """One connection. `listener` gets what arrives; `send` and `close` of the base class are not used."""

    def __init__(self, listener: Listener, limit: int | None, protocol: ClientProtocol, **options: Any) -> None:
        super().__init__(protocol, **options)
        self._listener = listener
        self._limit: float = math.inf if limit is None else limit
        self._opened = False
        self._texts: list[bytes] = []
        self._head: bytes | None = b""
        self._stub = b""
        self._growing: BytesIO | None = None
        self._growing_needs = 0
        self._passing = 0
        self._fragments: BytesIO | None = None
        self._fragments_are_text = False
        self._heard = False
        self._pong: tuple[bytes, asyncio.Future[None]] | None = None

    # reading

    def data_received(self, data: bytes) -> None:
        self._heard = True
        if self._head is not None:
            data = self._read_head(self._head, data)
        elif not self._opened or self._library_discards:
            super().data_received(data)  # the body of an answer that refuses the upgrade, or what came too late
            data = b""
        self._read_frames(data)
        self._hand_over()
        if self._opened and self.protocol.state is not State.OPEN:
            self._listener.on_end(None)
        elif self.protocol.handshake_exc is not None:
            self.transport.abort()  # whoever answered like this may keep the connection for ever

    @property
    def _library_discards(self) -> bool:
        """Whether nothing that comes now counts: the peer has closed, or broken the protocol."""
        return self.protocol.close_rcvd is not None or self.protocol.parser_exc is not None

    def _read_head(self, before: bytes, data: bytes) -> bytes:
        """Give the library the answer to the upgrade and return the frames that came along with it."""
        at = (before + data).find(_HEAD_END)
        if at < 0:
            self._head = (before + data)[1 - len(_HEAD_END) :]
            super().data_received(data)
            return b""
        self._head = None
        cut = at + len(_HEAD_END) - len(before)
        super().data_received(data[:cut])
        self._opened = self.protocol.state is State.OPEN
        if not self._opened:
            super().data_received(data[cut:])
            return b""
        self._listener.on_open(self)
        return data[cut:]

    def _read_frames(self, data: bytes) -> None:
        if self._growing is not None:
            data = self._grow(self._growing, data)
        if self._passing and data:
            passed, data = data[: self._passing], data[self._passing :]
            self._passing -= len(passed)
            super().data_received(passed)
        if self._stub:
            data, self._stub = self._stub + data, b""
        texts, limit = self._texts, self._limit
        position, size = 0, len(data)
        while size - position >= 2:
            second = length = data[position + 1]
            start = position + 2
            if length == 126:
                start += 2
                length = int.from_bytes(data[start - 2 : start], "big")
            elif length == 127:
                start += 8
                length = int.from_bytes(data[start - 8 : start], "big")
            if start > size:
                break
            end = start + length
            if data[position] != _TEXT or second > 127 or self._fragments is not None or length > limit:
                self._passing = max(0, end - size)
                super().data_received(data[position:end])
                if self._library_discards:
                    return
            elif end <= size:
                texts.append(data[start:end])
            elif end - position <= _STUB:
                break
            else:
                self._growing, self._growing_needs = BytesIO(), length
                self._grow(self._growing, data[start:])
            position = end
        self._stub = data[position:]

    def _grow(self, growing: BytesIO, data: bytes) -> bytes:
        """Put more to a big text frame and return what follows it."""
        missing = self._growing_needs - growing.tell()
        growing.write(data[:missing])
        if len(data) >= missing:
            self._texts.append(growing.getvalue())
            self._growing = None
        return data[missing:]

    def process_event(self, event: Event) -> None:
        """Take what the library read: it sees control frames, binary frames and fragments."""
        if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            self._data_frame(event)
        else:
            if isinstance(event, Frame) and event.opcode is Opcode.PONG:
                self._on_pong(bytes(event.data))
            super().process_event(event)

    def _data_frame(self, frame: Frame) -> None:
        if self._fragments is None:
            self._fragments, self._fragments_are_text = BytesIO(), frame.opcode is Opcode.TEXT
        if self._fragments_are_text:
            self._fragments.write(frame.data)
        if not frame.fin:
            return
        whole, self._fragments = self._fragments, None
        if self._fragments_are_text:
            self._texts.append(whole.getvalue())
        else:
            self._listener.on_binary()

    def _hand_over(self) -> None:
        if self._texts:
            texts, self._texts = self._texts, []
            self._listener.on_texts(texts)

    # writing

    def write(self, messages: Sequence[bytes]) -> None:
        """Write each message as a text frame, all in one write. Never blocks; does nothing after the end."""
        if self.protocol.state is State.OPEN and not self.transport.is_closing():
            for message in messages:
                self.protocol.send_text(message)
            self.transport.write(b"".join(self.protocol.data_to_send()))

    # keepalive

    async def keepalive(self) -> None:
        """Ping at intervals, and end the connection when nothing comes for `ping_timeout` seconds after a ping.

        Replaces the library's, which waits for room to write and so never notices a dead link with a full buffer.
        Anything that arrives counts as life: a pong may be stuck behind a message of many megabytes.
        """
        assert self.ping_interval is not None
        alive = True
        while alive:
            await asyncio.sleep(self.ping_interval)
            if self.protocol.state is not State.OPEN:
                return
            alive = await self._answers_ping()
        self._listener.on_silence(self.ping_timeout or 0.0)
        self.transport.abort()

    async def _answers_ping(self) -> bool:
        payload, answered = struct.pack("!Q", int.from_bytes(os.urandom(8), "big")), self.loop.create_future()
        self._pong, self._heard = (payload, answered), False
        self.protocol.send_ping(payload)
        self.send_data()
        await asyncio.wait({answered}, timeout=self.ping_timeout)
        return answered.done() or self._heard or self.ping_timeout is None

    def _on_pong(self, payload: bytes) -> None:
        if self._pong is not None and self._pong[0] == payload and not self._pong[1].done():
            self._pong[1].set_result(None)

    # the end

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._opened:
            self._listener.on_end(exc)

    def abort_after(self, seconds: float) -> None:
        """Drop the TCP connection unless it has ended by then."""
        if not self.connection_lost_waiter.done():
            timer = self.loop.call_later(seconds, self.transport.abort)
            self.connection_lost_waiter.add_done_callback(lambda _: timer.cancel())

    def begin_close(self, code: int, reason: str = "") -> None:
        """Send a close frame, unless one was sent."""
        if self.protocol.state is State.OPEN:
            self.protocol.send_close(code, reason)
            self.send_data()

    async def wait_lost(self) -> None:
        """Wait until the TCP connection is gone."""
        await asyncio.shield(self.connection_lost_waiter)
