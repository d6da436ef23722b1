"""The WebSocket transport against a real server on the loopback, and against sockets that misbehave."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from acp_client.errors import (
    ConnectionClosed,
    ConnectionLost,
    FramingError,
    MessageTooLarge,
)
from acp_client.transports import websocket
from acp_client.transports.specs import WebSocketSpec
from acp_client.transports.websocket import WebSocketTransport
from tests.transports.servers import echo, idle, raw_server, sending, server
from tests.transports.support import Recorder, closed, opened, within

TLS = Path(__file__).with_name("tls")


async def test_the_whole_url_and_the_headers_reach_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault WS-14; spec TR-WS-02, TR-WS-05: exact path, query and headers, and no subprotocol unless asked for."""
    requests: list[Request] = []
    monkeypatch.setenv("AGENT_TOKEN", "s3cret")

    def look(connection: ServerConnection, request: Request) -> Response | None:
        requests.append(request)
        return None

    async with server(idle, process_request=look) as place:
        spec = WebSocketSpec(
            f"ws://{place}/acp/claude?x=1&y=a%20b",
            headers={"X-Tenant": "blue"},
            header_env={"Authorization": "AGENT_TOKEN"},
            cookies={"route": "n1", "sid": "2"},
        )
        transport, _ = await opened(spec)
        await closed(transport)

    (request,) = requests
    assert request.path == "/acp/claude?x=1&y=a%20b"
    assert request.headers["X-Tenant"] == "blue"
    assert request.headers["Authorization"] == "s3cret"
    assert request.headers["Cookie"] == "route=n1; sid=2"
    assert "Sec-WebSocket-Protocol" not in request.headers
    assert "Sec-WebSocket-Extensions" not in request.headers


async def test_cookies_of_the_server_are_kept_for_the_next_connection() -> None:
    """Spec MUST TR-WS-05."""

    def set_cookies(connection: ServerConnection, request: Request, response: Response) -> None:
        response.headers["Set-Cookie"] = "sid=abc; Path=/; HttpOnly"
        response.headers["Set-Cookie"] = "route=n2"

    async with server(idle, process_response=set_cookies) as place:
        transport, _ = await opened(WebSocketSpec(f"ws://{place}/", cookies={"route": "n1", "own": "1"}))
        assert transport.cookies == {"route": "n2", "own": "1", "sid": "abc"}
        assert "abc" not in repr(transport)
        await closed(transport)


async def test_subprotocols_are_offered_when_given() -> None:
    """Spec MUST TR-WS-02."""
    chosen: list[str | None] = []

    async def handler(connection: ServerConnection) -> None:
        chosen.append(connection.subprotocol)
        await connection.wait_closed()

    async with server(handler, subprotocols=[Subprotocol("acp.token")]) as place:
        transport, _ = await opened(WebSocketSpec(f"ws://{place}/", subprotocols=("acp.token",)))
        await closed(transport)
    assert chosen == ["acp.token"]


async def test_a_trusted_certificate_opens_an_encrypted_connection() -> None:
    """Fault WS-14: by file in the spec, or by a context that the host brings along."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(TLS / "cert.pem", TLS / "key.pem")
    trusting = ssl.create_default_context(cafile=TLS / "cert.pem")
    async with server(echo, ssl=serving) as place:
        for transport in (
            WebSocketSpec(f"wss://{place}/", ca_file=TLS / "cert.pem").transport(),
            WebSocketTransport(WebSocketSpec(f"wss://{place}/"), ssl_context=trusting),
        ):
            recorder = Recorder()
            await within(transport.open(recorder))
            transport.send([b'{"n":1}'])
            assert await recorder.next() == b'{"n":1}'
            await closed(transport)


# what arrives


async def test_a_message_of_three_megabytes_passes_by_default() -> None:
    """Fault WS-04: the library's limit is one."""
    async with server(sending('{"x":"' + "y" * 3_000_000 + '"}')) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        assert len(await recorder.next()) == 3_000_008
        await closed(transport)


async def test_a_message_in_websocket_fragments_arrives_whole() -> None:
    """Spec MUST TR-WS-01: fragmentation is WebSocket's own."""
    async with server(sending(['{"a":', '"中', '文"}'], '{"b":1}')) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        assert await recorder.next() == '{"a":"中文"}'.encode()
        assert await recorder.next() == b'{"b":1}'
        await closed(transport)


async def test_binary_frames_are_ignored_and_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    """Spec MUST TR-WS-01."""
    async with server(sending(b"\x00\x01", b"\x02", '{"n":1}')) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        assert await recorder.next() == b'{"n":1}'
        await closed(transport)
    assert [record.levelname for record in caplog.records if record.name == "acp_client"] == ["WARNING"]


async def test_a_bridge_that_cuts_messages_is_understood() -> None:
    """Fault WS-01, WS-02: pieces are put together, lines are separated."""
    async with server(sending('{"jsonrpc":"2.0","id":1,"re', 'sult":{}}\n{"n":2}\n')) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        assert await recorder.next() == b'{"jsonrpc":"2.0","id":1,"result":{}}'
        assert await recorder.next() == b'{"n":2}'
        await closed(transport)


async def test_a_piece_whose_rest_never_comes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault WS-01: no silent waiting."""
    monkeypatch.setattr(websocket, "PIECES_WAIT", 0.05)
    async with server(sending('{"jsonrpc":"2.0","id":1,"re')) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        cause = await recorder.next_cause()
        assert isinstance(cause.__cause__, FramingError)
        assert "one frame has to carry one message" in str(cause)
        await closed(transport)


async def test_a_message_in_slow_pieces_is_waited_for() -> None:
    """Fault WS-01: the wait begins anew with every piece."""
    more = asyncio.Event()

    async def slow(connection: ServerConnection) -> None:
        for piece in ('{"a":', '"b",', '"c":1}'):
            await connection.send(piece)
            await more.wait()
        await connection.wait_closed()

    async with server(slow) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        more.set()
        assert await recorder.next() == b'{"a":"b","c":1}'
        await closed(transport)


async def test_pieces_over_the_limit_end_the_connection() -> None:
    """Fault WS-01, WS-04: the limit holds for what is put together, too."""
    async with server(sending('{"a":"', "x" * 600, "x" * 600)) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/", max_message_bytes=1000))
        cause = await recorder.next_cause()
        assert isinstance(cause.__cause__, MessageTooLarge)
        assert "more than 1000 bytes" in str(cause)
        await closed(transport)


async def test_messages_may_come_along_with_the_answer_to_the_upgrade() -> None:
    """Ours: a server may write before the client has got control back."""

    async def eager(connection: ServerConnection) -> None:
        connection.protocol.send_text(b'{"n":2}')
        connection.send_data()
        await connection.close(1001, "done")

    def first(connection: ServerConnection, request: Request, response: Response) -> None:
        tcp: Any = connection.transport
        write, held = tcp.write, []

        def hold(data: bytes) -> None:
            held.append(data)
            if len(held) == 3:  # the 101, the message, and the close frame: one read brings all of it
                write(b"".join(held))

        tcp.write = hold

    async with server(eager, process_response=first) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        cause = await recorder.next_cause()
        assert recorder.messages == [b'{"n":2}']
        assert cause.close_code == 1001
        await closed(transport)


# how it ends


async def test_the_close_code_and_reason_are_in_the_error() -> None:
    """Fault WS-09; spec MUST TR-WS-07."""

    async def restarting(connection: ServerConnection) -> None:
        await connection.send('{"n":1}')
        await connection.close(1012, "updating")

    async with server(restarting) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/acp?token=s3cret"))
        cause = await recorder.next_cause()
        await closed(transport)
    assert (cause.close_code, cause.close_reason) == (1012, "updating")
    assert str(cause.again("session/prompt")) == (
        f"agent at 'ws://{place}/acp?token=...' closed the connection with code 1012 (updating) "
        "before answering session/prompt"
    )


async def test_a_close_without_a_code_is_said_so() -> None:
    """Spec TR-WS: the TypeScript server closes without one when its agent has ended."""

    async def ending(connection: ServerConnection) -> None:
        connection.protocol.send_close()
        connection.send_data()
        await connection.wait_closed()

    async with server(ending) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        assert "closed the connection without a code" in str(await recorder.next_cause())
        await closed(transport)


async def test_a_message_of_ours_that_is_too_large_for_the_agent_is_said_so() -> None:
    """Fault WS-04: 1009 in the other direction."""
    async with server(echo, max_size=1000) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        transport.send([b'{"x":"' + b"y" * 2000 + b'"}'])
        cause = await recorder.next_cause()
        await closed(transport)
    assert cause.close_code == 1009
    assert isinstance(cause.__cause__, MessageTooLarge)
    assert cause.__cause__.ours
    assert "2008 bytes" in str(cause.__cause__)


async def test_a_message_of_the_agent_that_is_too_large_closes_with_1009() -> None:
    """Fault WS-04."""
    codes: list[int | None] = []

    async def flooding(connection: ServerConnection) -> None:
        await connection.send("x" * 1001)
        await connection.wait_closed()
        codes.append(connection.close_code)

    async with server(flooding) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/", max_message_bytes=1000))
        cause = await recorder.next_cause()
        await closed(transport)
    assert isinstance(cause.__cause__, MessageTooLarge)
    assert (cause.close_code, codes) == (1009, [1009])


async def test_a_broken_connection_is_no_clean_end() -> None:
    """Fault ST-10, WS-09."""

    async def dropping(connection: ServerConnection) -> None:
        connection.transport.abort()

    async with server(dropping) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        cause = await recorder.next_cause()
        await closed(transport)
    assert type(cause) is ConnectionLost
    assert cause.close_code == 1006
    assert "broke off" in str(cause)


async def test_a_peer_that_breaks_the_websocket_protocol_is_named() -> None:
    """Ours."""

    async def breaking(connection: ServerConnection) -> None:
        connection.transport.write(b"\xc1\x00")
        await connection.wait_closed()

    async with server(breaking) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        cause = await recorder.next_cause()
        await closed(transport)
    assert cause.close_code == 1002
    assert "broke the WebSocket protocol" in str(cause)


@asynccontextmanager
async def stalling_relay(place: str) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Forward TCP to a place until the event is set; then the link is dead and nobody is told."""
    dead = asyncio.Event()
    host, port = place.split(":")

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while block := await reader.read(65536):
            if dead.is_set():
                await asyncio.Event().wait()
            writer.write(block)
            await writer.drain()

    tasks: list[asyncio.Task[None]] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, int(port))
        tasks.extend([asyncio.create_task(forward(reader, back)), asyncio.create_task(forward(there, writer))])
        await asyncio.wait(tasks)
        back.close()

    async with raw_server(handle) as relay:
        yield relay, dead
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


@pytest.mark.parametrize("unsent", [0, 50_000_000], ids=["idle", "with a full buffer"])
async def test_a_dead_link_is_noticed_by_the_keepalive(unsent: int) -> None:
    """Fault WS-06: also when pings cannot leave any more because of what waits before them."""
    async with server(idle, ping_interval=None) as place, stalling_relay(place) as (relay, dead):
        spec = WebSocketSpec(f"ws://{relay}/", ping_interval=0.1, ping_timeout=0.2)
        transport, recorder = await opened(spec)
        dead.set()
        transport.send([b"x" * unsent])
        cause = await recorder.next_cause()
        await closed(transport)
    assert "did not answer a ping within 0.2 s" in str(cause)
    assert cause.close_code == 1006


async def test_a_host_that_blocks_its_loop_does_not_kill_the_connection() -> None:
    """Fault WS-05: what arrived meanwhile counts as an answer."""

    def block(batch: object) -> None:
        threading.Event().wait(0.15)

    async with server(echo, ping_interval=None) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/", ping_interval=0.02, ping_timeout=0.02))
        for number in range(3):
            recorder.on_frames = block
            transport.send([b'{"n":%d}' % number])
            await recorder.next()
        await closed(transport)
        assert isinstance(await recorder.next_cause(), ConnectionClosed)


async def test_the_keepalive_can_be_switched_off() -> None:
    """Fault WS-05: no ping leaves."""
    pings: list[object] = []

    async def watching(connection: ServerConnection) -> None:
        received = connection.data_received

        def look(data: bytes) -> None:
            pings.append(data)
            received(data)

        connection.data_received = look  # type: ignore[method-assign]  # the library has no hook for pings
        await connection.wait_closed()

    async with server(watching, ping_interval=None) as place:
        quiet, _ = await opened(WebSocketSpec(f"ws://{place}/", ping_interval=None))
        lively, _ = await opened(WebSocketSpec(f"ws://{place}/", ping_interval=0.02))
        assert quiet._connection.keepalive_task is None

        async def pinged_twice() -> None:
            while len(pings) < 2:
                await asyncio.wait({lively._connection.connection_lost_waiter}, timeout=0.02)

        await within(pinged_twice())
        await closed(quiet, lively)


async def test_closing_is_bounded_when_the_agent_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault WS-08: neither a peer that ignores the close frame nor one that does not read at all holds it up."""
    monkeypatch.setattr(websocket, "CLOSE_GRACE", 0.1)

    async def deaf(connection: ServerConnection) -> None:
        connection.transport.pause_reading()
        await connection.wait_closed()

    async with server(deaf) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/", ping_interval=0.02))
        transport.send([b"x" * 20_000_000])
        await closed(transport, transport)
        assert isinstance(await recorder.next_cause(), ConnectionClosed)


async def test_a_peer_that_closes_but_keeps_the_socket_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault WS-08: the end is told at its close frame, and the socket does not stay."""
    monkeypatch.setattr(websocket, "CLOSE_GRACE", 0.1)
    released = asyncio.Event()

    async def lingering(connection: ServerConnection) -> None:
        connection.protocol.send_close(1000)
        connection.transport.write(connection.protocol.data_to_send()[0])
        connection.transport.pause_reading()
        await released.wait()
        connection.transport.abort()

    async with server(lingering) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        assert (await recorder.next_cause()).close_code == 1000
        await within(transport._connection.wait_lost())
        released.set()


async def test_what_arrives_while_it_closes_is_dropped() -> None:
    """Fault WS-08: a flood in front of the answer to our close frame."""

    async def flooding(connection: ServerConnection) -> None:
        received = connection.data_received

        def flood(data: bytes) -> None:
            for _ in range(1000):
                connection.protocol.send_text(b"{}")
            connection.send_data()
            received(data)

        connection.data_received = flood  # type: ignore[method-assign]  # so that the flood comes before the answer
        await connection.send("ready")
        await connection.wait_closed()

    async with server(flooding) as place:
        transport, recorder = await opened(WebSocketSpec(f"ws://{place}/"))
        await recorder.next()
        await closed(transport)
    assert recorder.messages == [b"ready"]


async def test_closing_uses_code_1000() -> None:
    """Spec TR-WS: a Python client should close with 1000."""
    codes: list[int | None] = []

    async def watching(connection: ServerConnection) -> None:
        await connection.wait_closed()
        codes.append(connection.close_code)

    async with server(watching) as place:
        transport, _ = await opened(WebSocketSpec(f"ws://{place}/"))
        await closed(transport)
    assert codes == [1000]


# how opening fails
