"""How a WebSocket connection is opened, or is not: what comes back and what the error says."""

from __future__ import annotations

import asyncio
import contextlib
import http
import logging
import socket
import ssl
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from acp_client.errors import (
    AgentStartError,
    ConnectionClosed,
    UsageError,
)
from acp_client.transports.specs import WebSocketSpec
from tests.transports.servers import echo, idle, raw_server, server
from tests.transports.support import Recorder, closed, open_descriptors, opened, within

TLS = Path(__file__).with_name("tls")


async def failure(url: str, **options: Any) -> AgentStartError:
    recorder = Recorder()
    with pytest.raises(AgentStartError) as caught:
        await within(WebSocketSpec(url, **options).transport().open(recorder))
    assert recorder.causes == []
    assert caught.value.__cause__ is not None
    return caught.value


async def test_nobody_listening_is_explained() -> None:
    """Ours: what was tried, what came back, what to do."""
    async with server(idle) as place:
        pass
    assert str(await failure(f"ws://{place}/acp?token=s3cret")) == (
        f"could not reach agent at 'ws://{place}/acp?token=...': connection refused; "
        "check that the agent runs and listens on this port"
    )


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "Authorization"), (403, "headers"), (404, "path"), (426, "path"), (503, "check the URL")]
)
async def test_an_http_status_is_explained(status: int, hint: str) -> None:
    """Ours."""
    refuse = lambda connection, request: connection.respond(http.HTTPStatus(status), "no")  # noqa: E731
    async with server(idle, process_request=refuse) as place:
        text = str(await failure(f"ws://{place}/"))
    assert f"HTTP status {status}" in text
    assert hint in text


@pytest.mark.parametrize("target", ["ws://elsewhere.example/acp?key=s3cret", "http://127.0.0.1:1/"])
async def test_headers_do_not_follow_a_redirect_to_another_server(target: str) -> None:
    """Spec: credentials are meant for one origin."""

    def redirect(connection: ServerConnection, request: Request) -> Response:
        response = connection.respond(http.HTTPStatus.FOUND, "")
        response.headers["Location"] = target
        return response

    async with server(idle, process_request=redirect) as place:
        text = str(await failure(f"ws://{place}/"))
    assert "s3cret" not in text


async def test_a_redirect_on_the_same_server_is_followed() -> None:
    """Ours: `/acp` and `/acp/` are often the same place."""

    def redirect(connection: ServerConnection, request: Request) -> Response | None:
        if request.path == "/acp/":
            return None
        response = connection.respond(http.HTTPStatus.PERMANENT_REDIRECT, "")
        response.headers["Location"] = "/acp/"
        return response

    async with server(echo, process_request=redirect) as place:
        transport, _ = await opened(WebSocketSpec(f"ws://{place}/acp"))
        await closed(transport)


async def test_a_server_that_speaks_something_else_is_explained() -> None:
    """Ours."""

    async def ssh(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
        await reader.read()

    async with raw_server(ssh) as place:
        assert "does not speak WebSocket" in str(await failure(f"ws://{place}/"))
        assert "TLS failed" in str(await failure(f"wss://{place}/"))


async def test_a_server_that_never_answers_is_explained() -> None:
    """Ours: the time for opening is bounded."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with raw_server(silent) as place:
        text = str(await failure(f"ws://{place}/", open_timeout=0.1))
    assert "no answer within 0.1 s" in text
    assert "open_timeout" in text


async def test_an_untrusted_certificate_is_explained() -> None:
    """Ours."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(TLS / "cert.pem", TLS / "key.pem")
    async with server(idle, ssl=serving) as place:
        text = str(await failure(f"wss://{place}/"))
    assert "certificate is not trusted" in text
    assert "ca_file" in text


async def test_an_unknown_host_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours."""

    async def unknown(*arguments: object, **options: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", unknown)
    assert "host name cannot be found" in str(await failure("ws://nowhere.localhost/"))


async def test_an_agreement_that_fails_is_explained() -> None:
    """Ours."""

    def choose(connection: ServerConnection, request: Request, response: Response) -> None:
        response.headers["Sec-WebSocket-Protocol"] = "something"

    async with server(idle, process_response=choose) as place:
        assert "subprotocols" in str(await failure(f"ws://{place}/", subprotocols=("acp.a",)))


async def test_a_proxy_of_the_system_is_used_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: hosts behind a proxy reach their agents, as the library does by default."""
    requests: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")
        writer.close()

    async with raw_server(proxy) as place:
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://{place}")
        monkeypatch.setenv("no_proxy", "")
        await failure("ws://agent.example/acp")
    assert requests[0].startswith(b"CONNECT agent.example:80 ")


async def test_a_spec_that_cannot_work_is_the_caller_s_mistake(tmp_path: Path) -> None:
    """Ours: found before anything is sent."""
    for spec, complaint in [
        (WebSocketSpec("ws://127.0.0.1:1/", header_env={"A": "NOT_SET_ANYWHERE"}), "NOT_SET_ANYWHERE"),
        (WebSocketSpec("ws://127.0.0.1:1/", headers={"A": "b\r\nC: d"}), "line break"),
        (WebSocketSpec("wss://127.0.0.1:1/", ca_file=tmp_path / "none.pem"), "ca_file"),
    ]:
        with pytest.raises(UsageError, match=complaint):
            await within(spec.transport().open(Recorder()))


async def test_a_cancelled_open_leaves_no_socket() -> None:
    """Fault PL-05, for sockets."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await reader.read()
        writer.close()

    arrived = asyncio.Event()
    async with raw_server(silent) as place:
        before = open_descriptors()
        for _ in range(10):
            arrived.clear()
            opening = asyncio.ensure_future(WebSocketSpec(f"ws://{place}/").transport().open(Recorder()))
            await within(arrived.wait())
            opening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await within(opening)

        async def until_closed() -> None:
            while open_descriptors() != before:
                await asyncio.wait({asyncio.ensure_future(asyncio.Event().wait())}, timeout=0.01)

        await within(until_closed())


async def test_closing_while_it_opens_ends_the_opening() -> None:
    """Ours: whoever opens is told that another task has closed."""
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def slow(connection: ServerConnection, request: Request) -> None:
        arrived.set()
        await go_on.wait()

    async with server(idle, process_request=slow) as place:
        transport, recorder = WebSocketSpec(f"ws://{place}/").transport(), Recorder()
        opening = asyncio.ensure_future(transport.open(recorder))
        await within(arrived.wait())
        await closed(transport)
        go_on.set()
        with pytest.raises(ConnectionClosed):
            await within(opening)
        assert len(recorder.causes) == 1


async def test_nothing_is_known_before_it_is_opened() -> None:
    """Ours: a transport that was never opened can be asked to send, drain, die and close."""
    transport = WebSocketSpec("ws://127.0.0.1:1/").transport()
    transport.send([b"{}"])
    transport.kill()
    await within(transport.drain())
    await closed(transport)


def test_the_library_s_own_log_stays_quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: nothing of the sort of 'keepalive ping failed' at ERROR for ordinary ends."""

    async def main() -> None:
        async with server(echo) as place:
            transport, _ = await opened(WebSocketSpec(f"ws://{place}/", ping_interval=0.01))
            await closed(transport)

    with caplog.at_level(logging.INFO):
        asyncio.run(main())
    assert [record for record in caplog.records if record.name.startswith("websockets.client")] == []
