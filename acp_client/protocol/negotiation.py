"""Which protocol version a connection speaks: one offer, one answer, at most one second try.

The answer's version is read before its body, and its shape counts as much as its number: some agents echo the number
they were asked for and go on in version 1.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

import attrs

from acp_client.errors import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION,
    AcpError,
    AgentError,
    InvalidResponse,
    UnsupportedProtocolVersion,
)
from acp_client.protocol.dialect import Implementation
from acp_client.rpc.messages import Json

INITIALIZE = "initialize"

ProtocolChoice: TypeAlias = Literal["auto", 1, 2]


@attrs.frozen(kw_only=True)
class Abilities:
    """What the host provides, as the handshake advertises it."""

    read_text_file: bool = False
    write_text_file: bool = False
    terminal: bool = False
    elicitation: frozenset[str] = frozenset()
    """Modes: "form", "url"."""
    unstable: Collection[str] = ()
    """Unstable features the application asked for by name."""
    meta: Json = None
    """Custom capabilities: the `_meta` of the capabilities object."""


def offer(choice: ProtocolChoice, info: Implementation, abilities: Abilities) -> dict[str, Json]:
    """Return the params of `initialize`. "auto" writes both spellings, so that a version 1 agent can read them too."""
    params: dict[str, Json] = {"protocolVersion": 1 if choice == 1 else 2}
    if choice != 1:
        params["info"] = _info(info)
        params["capabilities"] = _v2_capabilities(abilities)
    if choice != 2:
        params["clientInfo"] = _info(info)
        params["clientCapabilities"] = _v1_capabilities(abilities)
    return params


def _info(info: Implementation) -> dict[str, Json]:
    wire = {"name": info.name, "version": info.version}
    return wire if info.title is None else {**wire, "title": info.title}


def _v2_capabilities(abilities: Abilities) -> dict[str, Json]:
    capabilities: dict[str, Json] = {}
    if abilities.elicitation:
        capabilities["elicitation"] = _elicitation(abilities)
    if abilities.meta is not None:
        capabilities["_meta"] = abilities.meta
    return capabilities


def _v1_capabilities(abilities: Abilities) -> dict[str, Json]:
    capabilities: dict[str, Json] = {
        "fs": {"readTextFile": abilities.read_text_file, "writeTextFile": abilities.write_text_file},
        "terminal": abilities.terminal,
        # The session state presents all three by itself.
        "session": {"compaction": {}, "notices": {}, "configOptions": {"boolean": {}}},
    }
    if abilities.elicitation:
        capabilities["elicitation"] = _elicitation(abilities)
    if "plan" in abilities.unstable:
        capabilities["plan"] = {}
    if abilities.meta is not None:
        capabilities["_meta"] = abilities.meta
    return capabilities


def _elicitation(abilities: Abilities) -> dict[str, Json]:
    return {mode: {} for mode in sorted(abilities.elicitation)}


def agreed_version(choice: ProtocolChoice, result: Json) -> int:
    """Return the version that an `initialize` answer settles.

    Raises `UnsupportedProtocolVersion` for a version we do not speak or did not offer, `InvalidResponse` for an answer
    that has neither version's shape.
    """
    requested = 1 if choice == 1 else 2
    if not isinstance(result, dict):
        raise InvalidResponse(INITIALIZE, "it is no object")
    version = result.get("protocolVersion")
    if type(version) is not int or not 1 <= version <= requested:
        raise UnsupportedProtocolVersion(requested, "no version" if version is None else version)
    if version == 2 and not isinstance(result.get("info"), dict):
        if "agentCapabilities" not in result and "agentInfo" not in result:
            raise InvalidResponse(INITIALIZE, "it says protocol version 2 but has no info about the agent")
        version = 1
    if choice == 2 and version != 2:
        raise UnsupportedProtocolVersion(requested, version)
    return version


def should_retry_in_v1(choice: ProtocolChoice, error: AgentError) -> bool:
    """Say whether an error may come from an agent that knows version 1 only (V2-INI-07, V2-INI-22)."""
    if choice != "auto" or error.code not in (UNSUPPORTED_PROTOCOL_VERSION, INVALID_PARAMS, INVALID_REQUEST):
        return False
    supported = _supported(error)
    return not supported or 1 in supported


def explained(choice: ProtocolChoice, error: AgentError) -> AcpError:
    """Return the error to report: a version refusal gets its own type."""
    if error.code == UNSUPPORTED_PROTOCOL_VERSION:
        return UnsupportedProtocolVersion(1 if choice == 1 else 2, None, _supported(error))
    return error


def _supported(error: AgentError) -> tuple[int, ...]:
    supported = error.data.get("supported") if isinstance(error.data, dict) else None
    return tuple(v for v in supported if type(v) is int) if isinstance(supported, list) else ()
