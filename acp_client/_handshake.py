"""How a connection begins: what was asked for, whom to reach, and the `initialize` exchange.

Knows nothing of sessions. Used by `Client` alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

import attrs

from acp_client.errors import AgentError, AgentStartError, ConnectionLost, InvalidModel, InvalidResponse, UsageError
from acp_client.host import Host, abilities_of
from acp_client.policy.cancellation import CancellationPolicy
from acp_client.policy.permissions import PermissionPolicy
from acp_client.protocol.dialect import AgentDescription, Dialect, Implementation
from acp_client.protocol.negotiation import (
    INITIALIZE,
    ProtocolChoice,
    agreed_version,
    explained,
    offer,
    should_retry_in_v1,
)
from acp_client.rpc.connection import Connection
from acp_client.rpc.messages import Json
from acp_client.rpc.peer import Diagnostic
from acp_client.transports.base import ConnectSpec, Transport
from acp_client.transports.specs import StdioSpec, parse_target

Target: TypeAlias = str | Sequence[str] | ConnectSpec | Transport
"""How to reach an agent: "demo", a command line, a list of words, a `ws://` URL, a connection spec, or a transport."""


class Configured(Enum):
    """The one value that stands for the client's own `request_timeout`."""

    CONFIGURED = "configured"


CONFIGURED = Configured.CONFIGURED
Timeout: TypeAlias = float | Configured | None
"""Seconds for one request, None for no limit, or `CONFIGURED`."""


@attrs.frozen(kw_only=True)
class Settings:
    """What `Client.connect` was asked for."""

    target: Target
    host: Host
    protocol: ProtocolChoice
    info: Implementation
    handshake_timeout: float | None
    request_timeout: float | None
    question_timeout: float | None
    callback_grace: float
    cancellation: CancellationPolicy | None
    permissions: PermissionPolicy | None
    unstable: frozenset[str]
    capabilities_meta: Mapping[str, Json] | None
    meta: Mapping[str, Json] | None
    on_diagnostic: Callable[[Diagnostic], None] | None
    on_stray_update: Callable[[Json], None] | None
    on_transport: Callable[[Transport], Transport] | None


def default_info() -> Implementation:
    """Return the name and version that agents are told when the application gives none."""
    from importlib.metadata import PackageNotFoundError, version  # a tenth of the whole start

    try:
        return Implementation("acp-client-sdk", version("acp-client-sdk"), "ACP client SDK for Python")
    except PackageNotFoundError:
        return Implementation("acp-client-sdk", "0", "ACP client SDK for Python")


def resolve(target: Target) -> tuple[ConnectSpec | None, Transport]:
    """Return the spec (None for a transport given as such) and a fresh transport. Raises `UsageError`."""
    spec: ConnectSpec
    if isinstance(target, Transport):
        return None, target
    if target == "demo":
        spec = StdioSpec((sys.executable, "-m", "acp_client.testing.demo_agent"))
    elif isinstance(target, str):
        spec = parse_target(target)
    elif isinstance(target, Sequence) and not isinstance(target, bytes | bytearray):
        spec = StdioSpec(tuple(target))
    elif hasattr(target, "transport"):
        spec = target
    else:
        raise UsageError(
            f"cannot connect to a {type(target).__name__}: give a command line, its words, a ws:// URL, a connection "
            "spec or a transport"
        )
    return spec, spec.transport()


async def negotiate(connection: Connection, settings: Settings) -> tuple[Dialect, AgentDescription]:
    """Agree on a version with at most one second try, and read who the agent is.

    Raises `UnsupportedProtocolVersion`, `InvalidResponse`, `AgentError`, `ConnectionLost`.
    """
    abilities = abilities_of(settings.host, unstable=settings.unstable, meta=settings.capabilities_meta)
    choice = settings.protocol
    try:
        result = await _initialize(connection, settings, offer(choice, settings.info, abilities))
    except AgentError as error:
        if not should_retry_in_v1(choice, error):
            raise explained(choice, error) from None
        choice = 1
        try:
            result = await _initialize(connection, settings, offer(choice, settings.info, abilities))
        except AgentError as second:
            raise explained(choice, second) from None
    return _understood(agreed_version(choice, result), result)


async def _initialize(connection: Connection, settings: Settings, params: dict[str, Json]) -> Json:
    if settings.meta is not None:
        params["_meta"] = dict(settings.meta)
    return await connection.request(INITIALIZE, params, timeout=None)


def _understood(protocol_version: int, result: Json) -> tuple[Dialect, AgentDescription]:
    # Imported here: the models are the dear part of the start and one version's are enough.
    from acp_client.protocol.versions import dialect

    spoken = dialect(protocol_version)
    try:
        return spoken, spoken.describe(result)
    except InvalidModel as problem:
        raise InvalidResponse(INITIALIZE, str(problem)) from None


def heard_from(connection: Connection) -> str:
    """Return the last thing an agent said outside the protocol, for the error of a silent handshake."""
    lines = getattr(connection.transport, "stderr_tail", "").rstrip().splitlines()
    if lines:
        return f"last stderr line: {lines[-1].strip()[:500]!r}"
    noise = connection.peer.noise
    return f"it wrote {noise[0]}" if noise else "it wrote nothing"


def before_the_handshake(connection: Connection, lost: ConnectionLost) -> ConnectionLost:
    """Say of a connection that never came about what was heard instead of messages, and what to check (ST-02)."""
    if isinstance(lost, AgentStartError):
        return lost  # which says what to do about it
    noise = connection.peer.noise
    copy = lost.again(lost.doing)
    if noise:
        copy.reason = f"{lost.reason} after writing lines that are no messages ({', '.join(noise)})"
        copy.args = (copy.reason,)
    copy.advice = "check that this starts an ACP agent"
    return copy
