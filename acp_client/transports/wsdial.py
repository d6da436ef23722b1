"""Opening a WebSocket: what is sent along, and one clear sentence for each way in which it can fail.

Redirects are followed on the same origin only: headers and cookies are meant for one server.
"""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
from collections.abc import Callable, Mapping
from functools import partial
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidMessage, InvalidStatus, InvalidURI, NegotiationError, WebSocketException
from websockets.typing import Subprotocol

from acp_client.errors import AgentStartError, UsageError
from acp_client.transports.specs import shown_url
from acp_client.transports.wsconnection import AgentConnection, Listener

if TYPE_CHECKING:
    from acp_client.transports.specs import WebSocketSpec


class _Dial(connect):
    """The library's connect, which stays at the origin it was given."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        before = urlsplit(self.uri)
        target = super().process_redirect(exc)
        if isinstance(target, Exception):
            return target
        after = urlsplit(target)
        return target if (after.scheme, after.netloc) == (before.scheme, before.netloc) else exc


async def dial(
    spec: WebSocketSpec, cookies: dict[str, str], ssl_context: ssl.SSLContext | None, listener: Listener
) -> AgentConnection:
    """Open the connection; cookies that the server sets are put into `cookies`.

    Raises `AgentStartError` and `UsageError`.
    """
    options: dict[str, Any] = {}
    if urlsplit(spec.url).scheme == "wss":
        options["ssl"] = ssl_context or _trusting(spec.ca_file)
    if spec.is_loopback:
        options["proxy"] = None
    create: Callable[..., ClientConnection] = partial(AgentConnection, listener, spec.max_message_bytes)
    try:
        connection = await _Dial(
            spec.url,
            additional_headers=request_headers(spec, cookies, os.environ),
            subprotocols=[Subprotocol(name) for name in spec.subprotocols] or None,
            compression=None,
            max_size=spec.max_message_bytes,
            open_timeout=spec.open_timeout,
            ping_interval=spec.ping_interval,
            ping_timeout=spec.ping_timeout,
            write_limit=0,  # so that draining means that everything is with the system
            create_connection=cast("type[ClientConnection]", create),
            **options,
        )
    except (OSError, EOFError, ImportError, ValueError, WebSocketException) as error:
        raise AgentStartError(f"could not reach agent at {shown_url(spec.url)!r}: {_explained(error, spec)}") from error
    assert isinstance(connection, AgentConnection)
    assert connection.response is not None
    cookies.update(set_cookies(connection.response.headers.get_all("Set-Cookie")))
    return connection


def request_headers(spec: WebSocketSpec, cookies: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of the upgrade request. Raises `UsageError` for one whose value is missing or no header."""
    headers = dict(spec.headers)
    for name, variable in spec.header_env.items():
        if variable not in environ:
            raise UsageError(f"the header {name!r} takes its value from {variable!r}, which is not set")
        headers[name] = environ[variable]
    for name, value in headers.items():
        if any(character in name + value for character in "\r\n\0"):
            raise UsageError(f"the value of the header {name!r} has a line break; a header is one line")
    own = next((name for name in headers if name.lower() == "cookie"), None)
    if cookies:
        pairs = [f"{name}={value}" for name, value in cookies.items()]
        # The caller's own cookies come last: servers take the last one of the same name.
        headers[own or "Cookie"] = "; ".join([*pairs, *([headers[own]] if own else [])])
    return headers


def set_cookies(lines: list[str]) -> dict[str, str]:
    """Return the cookies that `Set-Cookie` lines set."""
    cookies: dict[str, str] = {}
    for line in lines:
        with contextlib.suppress(CookieError):
            cookies.update({name: morsel.value for name, morsel in SimpleCookie(line).items()})
    return cookies


def _trusting(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise UsageError(f"cannot use {ca_file!r} as ca_file: {error.strerror or error}") from error


_STATUS_HINTS = {
    401: "it wants a login; set the header it expects, for example Authorization",
    403: "it refuses this login or origin; check the headers",
    404: "there is nothing at this path; check the URL",
    407: "the proxy wants a login; set it in the proxy's URL",
    426: "it does not take WebSockets here; check the path",
    429: "it takes no more connections now; try again later",
}


def _explained(error: BaseException, spec: WebSocketSpec) -> str:
    """Return what came back and what to do, in one clause."""
    if isinstance(error, InvalidURI):
        # Whose text repeats the URL with all that is secret in it.
        return "it is no WebSocket URL; leave out '#...', and give a password with a user or neither"
    if isinstance(error, InvalidStatus):
        return _status(error, spec)
    if isinstance(error, NegotiationError):
        return f"the server answered, but not as agreed ({error}); check subprotocols"
    if isinstance(error, InvalidMessage | EOFError):
        return f"what answered does not speak WebSocket ({error}); check port and scheme"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message}); give the authority's PEM file as ca_file"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed ({error.reason or error}); check that it is a wss:// endpoint"
    if isinstance(error, socket.gaierror):
        return f"the host name cannot be found ({error.strerror}); check the URL"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused; check that the agent runs and listens on this port"
    if isinstance(error, TimeoutError):
        return f"no answer within {spec.open_timeout or 0:g} s; check host and port, or raise open_timeout"
    if isinstance(error, ConnectionError):
        if spec.url.lower().startswith("wss:"):
            return "the server broke off the TLS handshake; check that it is a wss:// endpoint"
        return "the server broke off the upgrade; check port, path and scheme"
    return str(error) or f"it failed with {type(error).__name__}; check the URL"


def _status(error: InvalidStatus, spec: WebSocketSpec) -> str:
    response = error.response
    if 300 <= response.status_code < 400:
        target = shown_url(response.headers.get("Location", ""))
        return f"the server redirects to {target!r}, which is elsewhere; connect there if you trust it"
    hint = _STATUS_HINTS.get(response.status_code, "check the URL, and whether the agent behind it runs")
    return f"the server answered with HTTP status {response.status_code} instead of an upgrade; {hint}"
