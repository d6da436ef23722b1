"""How to reach an agent, as plain data: to be written down, pickled, sent to a worker, and printed without a secret.

A spec is frozen and makes a fresh transport for each connection. What a person types becomes one by `parse_target`.
"""

from __future__ import annotations

import ipaddress
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, urlsplit

import attrs

from acp_client.errors import UsageError
from acp_client.transports.base import EXIT_GRACE, MAX_MESSAGE_BYTES

if TYPE_CHECKING:
    from acp_client.transports.stdio import StdioTransport
    from acp_client.transports.websocket import WebSocketTransport

OPEN_TIMEOUT = 20.0
"""Seconds for name look-up, TCP, TLS and upgrade together; the agent's own start comes after that."""

PING_INTERVAL = 20.0
PING_TIMEOUT = 20.0


def _names_only(values: Mapping[str, str]) -> str:
    """Names tell what is set; values may be secrets."""
    return "{" + ", ".join(f"{name!r}: ..." for name in values) + "}"


def _mapping(values: Mapping[str, str]) -> dict[str, str]:
    return dict(values)


def _strings(values: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    if isinstance(values, str):
        raise UsageError(f"expected a sequence of strings, got the string {values!r}; write ({values!r},)")
    return tuple(os.fspath(value) for value in values)


def _folder(value: str | os.PathLike[str] | None) -> str | None:
    return None if value is None else os.fspath(value)


@attrs.frozen
class StdioSpec:
    """Start an agent as a child process and talk over its standard streams.

    `command` is the program and its arguments, run without a shell; messages repeat it, so secrets belong into `env`.
    `env` is merged over the environment of this process and `env_unset` names variables to leave out;
    `inherit_env=False` gives the agent `env` alone. `path_prepend` are folders to look in before PATH, for the agent
    and everything it starts. `exit_grace` is the time of each step of closing.
    """

    command: tuple[str, ...] = attrs.field(converter=_strings)
    cwd: str | None = attrs.field(default=None, converter=_folder)
    env: Mapping[str, str] = attrs.field(factory=dict, converter=_mapping, repr=_names_only, hash=False)
    env_unset: tuple[str, ...] = attrs.field(default=(), converter=_strings)
    inherit_env: bool = True
    path_prepend: tuple[str, ...] = attrs.field(default=(), converter=_strings)
    max_message_bytes: int | None = MAX_MESSAGE_BYTES
    exit_grace: float = EXIT_GRACE

    def __attrs_post_init__(self) -> None:
        if not self.command or not self.command[0]:
            raise UsageError("an agent command needs a program, for example ('npx', 'my-agent', '--acp')")

    def transport(self) -> StdioTransport:
        """Return a fresh transport for one connection."""
        from acp_client.transports.stdio import StdioTransport

        return StdioTransport(self)


@attrs.frozen
class WebSocketSpec:
    """Reach an agent behind a `ws://` or `wss://` URL, which is used whole, with its path and query.

    `headers` and `cookies` go with the upgrade request; `header_env` names, for a header, the environment variable that
    holds its value, so that the spec itself holds no secret. `ca_file` is a PEM file of authorities to trust instead of
    the system's. `ping_interval=None` switches the keepalive off, `max_message_bytes=None` the size limit.
    """

    url: str = attrs.field(repr=lambda url: repr(shown_url(url)))
    headers: Mapping[str, str] = attrs.field(factory=dict, converter=_mapping, repr=_names_only, hash=False)
    header_env: Mapping[str, str] = attrs.field(factory=dict, converter=_mapping, hash=False)
    cookies: Mapping[str, str] = attrs.field(factory=dict, converter=_mapping, repr=_names_only, hash=False)
    subprotocols: tuple[str, ...] = attrs.field(default=(), converter=_strings)
    ca_file: str | None = attrs.field(default=None, converter=_folder)
    open_timeout: float | None = OPEN_TIMEOUT
    ping_interval: float | None = PING_INTERVAL
    ping_timeout: float | None = PING_TIMEOUT
    max_message_bytes: int | None = MAX_MESSAGE_BYTES

    def __attrs_post_init__(self) -> None:
        parts = _split(self.url)
        if parts is None or parts.scheme not in ("ws", "wss") or not parts.hostname:
            raise UsageError(
                f"cannot connect to {shown_url(self.url)!r}: "
                "a WebSocket URL looks like 'ws://host:port/path' or 'wss://host/path'"
            )

    @property
    def is_loopback(self) -> bool:
        """Whether the agent is on this machine, so that no proxy can be meant."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def transport(self) -> WebSocketTransport:
        """Return a fresh transport for one connection."""
        from acp_client.transports.websocket import WebSocketTransport

        return WebSocketTransport(self)


def parse_target(target: str) -> StdioSpec | WebSocketSpec:
    """Read what a person types: a `ws://` or `wss://` URL, else a command line, quoted as in a shell.

    Raises `UsageError` when it is neither.
    """
    text = target.strip()
    if text.lower().startswith(("ws://", "wss://")):
        return WebSocketSpec(text)
    if text.lower().startswith(("http://", "https://")):
        raise UsageError(f"cannot connect to {shown_url(text)!r}: only 'ws://' and 'wss://' URLs are supported")
    command = split_command(text, windows=os.name == "nt")
    if not command:
        raise UsageError("no agent given: expected a command line such as 'npx my-agent --acp', or a 'ws://' URL")
    return StdioSpec(command)


def split_command(line: str, *, windows: bool) -> tuple[str, ...]:
    """Cut a command line into words as a shell does; on Windows a backslash stands for itself.

    Raises `UsageError` when a quote is not closed.
    """
    words = shlex.shlex(line, posix=True)
    words.whitespace_split = True
    words.commenters = ""
    if windows:
        words.escape = ""
    try:
        return tuple(words)
    except ValueError as error:
        raise UsageError(f"cannot read the command line {line!r}: {str(error).lower()}") from None


def shown_url(url: str) -> str:
    """Return a URL as messages show it: without user, password and the values of its query."""
    parts = _split(url)
    if parts is None:
        return "a URL that cannot be read"
    place = parts.netloc.rpartition("@")[2]
    query = "&".join(f"{name}=..." for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    return SplitResult(parts.scheme, place, parts.path, query, "").geturl()


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises when it is not a number
    except ValueError:
        return None
    return parts
