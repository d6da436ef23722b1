"""Cutting frames out of blocks: the same messages as the library would read, however TCP cuts the stream."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import Close, Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri
from websockets.utils import accept_key

from acp_client.transports.wsconnection import AgentConnection
from tests.transports.support import cut


class Socket:
    """Stands for the TCP transport: remembers what is written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...
    def pause_reading(self) -> None:
        raise AssertionError("reading is never paused")

    resume_reading = pause_reading

    def is_closing(self) -> bool:
        return False

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None: ...


class Listening:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        self.calls = 0
        self.binary = 0
        self.ends = 0
        self.opened = False

    def on_open(self, connection: AgentConnection) -> None:
        self.opened = True

    def on_texts(self, texts: Sequence[bytes]) -> None:
        self.calls += 1
        self.seen += texts

    def on_binary(self) -> None:
        self.binary += 1

    def on_silence(self, seconds: float) -> None: ...

    def on_end(self, problem: BaseException | None) -> None:
        self.ends += 1


def connection(limit: int | None = None) -> tuple[AgentConnection, Listening, Socket, bytes]:
    """Return a connection that waits for the answer to its upgrade request, and that answer."""
    protocol = ClientProtocol(parse_uri("ws://agent/acp"), max_size=limit)
    listener, socket = Listening(), Socket()
    made = AgentConnection(listener, limit, protocol, ping_interval=None)
    made.connection_made(cast(asyncio.BaseTransport, socket))
    protocol.send_request(protocol.connect())
    socket.written += protocol.data_to_send()
    answer = (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept_key(protocol.key)}\r\n\r\n"
    )
    return made, listener, socket, answer.encode()


def frame(opcode: Opcode, data: bytes, fin: bool = True) -> bytes:
    return Frame(opcode, data, fin).serialize(mask=False)


Part = tuple[list[bytes], list[bytes]]
"""Messages to expect, and the frames that carry them."""

TEXTS = st.binary(max_size=300) | st.integers(65530, 66000).map(lambda size: b"t" * size)
PLAIN: st.SearchStrategy[Part] = TEXTS.map(lambda data: ([data], [frame(Opcode.TEXT, data)]))
CONTROL: st.SearchStrategy[Part] = st.tuples(st.sampled_from([Opcode.PING, Opcode.PONG]), st.binary(max_size=125)).map(
    lambda made: ([], [frame(*made)])
)
BINARY: st.SearchStrategy[Part] = st.binary(max_size=300).map(lambda data: ([], [frame(Opcode.BINARY, data)]))


@st.composite
def fragmented(draw: st.DrawFn) -> Part:
    parts = draw(st.lists(st.binary(max_size=200), min_size=2, max_size=4))
    text = draw(st.booleans())
    frames = [frame(Opcode.TEXT if text else Opcode.BINARY, parts[0], fin=False)]
    for index, part in enumerate(parts[1:], 2):
        if draw(st.booleans()):
            frames.append(frame(Opcode.PING, b"between"))
        frames.append(frame(Opcode.CONT, part, fin=index == len(parts)))
    return ([b"".join(parts)] if text else []), frames


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None)
@given(st.lists(PLAIN | CONTROL | BINARY | fragmented(), max_size=8), st.lists(st.integers(0), max_size=14))
async def test_text_messages_are_the_same_however_the_stream_is_cut(parts: list[Part], places: list[int]) -> None:
    """Spec TR-WS-01, ours: fragments, control and binary frames anywhere between; also behind the 101 in one read."""
    made, listener, _, answer = connection()
    stream = answer + b"".join(piece for _, frames in parts for piece in frames)

    for block in cut(stream, places):
        made.data_received(block)

    assert listener.opened
    assert listener.seen == [text for texts, _ in parts for text in texts]
    assert made.protocol.state is State.OPEN


async def test_messages_that_arrive_byte_by_byte_are_whole() -> None:
    """Ours: every length of a frame's header is cut everywhere."""
    made, listener, _, answer = connection()
    texts = [b"x" * 5, b"y" * 300, b"z" * 66_000, b""]
    for byte in answer + b"".join(frame(Opcode.TEXT, text) for text in texts):
        made.data_received(bytes([byte]))

    assert listener.seen == texts


async def test_the_messages_of_one_read_come_in_one_call() -> None:
    """Ours."""
    made, listener, _, answer = connection()
    made.data_received(answer)
    made.data_received(b"".join(frame(Opcode.TEXT, b"{%d}" % n) for n in range(1000)))

    assert len(listener.seen) == 1000
    assert listener.calls == 1


async def test_pings_are_answered_between_messages() -> None:
    """Spec TR-WS-09."""
    made, _, socket, answer = connection()
    made.data_received(answer + frame(Opcode.TEXT, b"{}") + frame(Opcode.PING, b"hello") + frame(Opcode.TEXT, b"{}"))

    assert len(socket.written[-1]) == 2 + 4 + 5
    assert socket.written[-1][0] == 0x8A


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (Frame(Opcode.TEXT, b"masked").serialize(mask=True), 1002),
        (b"\xc1\x02hi", 1002),
        (b"\x83\x00", 1002),
        (frame(Opcode.CONT, b"without a beginning"), 1002),
        (frame(Opcode.TEXT, b"a", fin=False) + frame(Opcode.TEXT, b"not a continuation"), 1002),
        (frame(Opcode.TEXT, b"x" * 1001), 1009),
        (frame(Opcode.TEXT, b"x" * 600, fin=False) + frame(Opcode.CONT, b"x" * 600), 1009),
        (frame(Opcode.TEXT, b"x" * 70_000), 1009),
    ],
    ids=["masked", "reserved bit", "opcode", "no beginning", "no end", "long", "long in parts", "64-bit length"],
)
async def test_what_is_wrong_is_refused_by_the_library(bad: bytes, code: int) -> None:
    """Ours: reading whole text frames ourselves weakens no rule of WebSocket."""
    made, listener, _, answer = connection(1000)
    good = frame(Opcode.TEXT, b"y" * 1000)
    made.data_received(answer + good + bad + good)
    made.data_received(good)

    assert made.protocol.close_sent is not None
    assert made.protocol.close_sent.code == code
    assert listener.seen == [b"y" * 1000]
    assert listener.ends > 0


async def test_a_close_frame_ends_the_reading_behind_the_messages_before_it() -> None:
    """Spec TR-WS-07."""
    made, listener, _, answer = connection()
    closing = Frame(Opcode.CLOSE, Close(1001, "bye").serialize()).serialize(mask=False)
    made.data_received(answer + frame(Opcode.TEXT, b"{}") + closing + frame(Opcode.TEXT, b"late"))

    assert listener.seen == [b"{}"]
    assert listener.ends == 1
    assert made.protocol.close_rcvd == Close(1001, "bye")


async def test_a_refused_upgrade_is_the_library_s_to_read() -> None:
    """Ours: the body of the answer is no frame, wherever it is cut."""
    made, listener, socket, _ = connection()
    for piece in (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r", b"\nforb", b"idden"):
        made.data_received(piece)

    assert not listener.opened
    assert made.response is not None
    assert made.response.status_code == 403
    assert bytes(made.response.body or b"") == b"forbidden"
    assert socket.aborted


async def test_all_messages_of_one_send_leave_in_one_write() -> None:
    """Ours: a cancel and the answers it implies leave together."""
    made, _, socket, answer = connection()
    made.data_received(answer)
    before = len(socket.written)
    made.write([b'{"cancel":1}', b'{"answer":1}'])

    assert len(socket.written) == before + 1
    assert len(socket.written[-1]) == 2 * (2 + 4 + 12)
    made.begin_close(1000)
    made.begin_close(1000)
    made.write([b"late"])
    assert len(socket.written) == before + 2
