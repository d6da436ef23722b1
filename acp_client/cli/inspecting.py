"""`acp-client inspect`: what an agent is and offers, without opening a session or logging in."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

import attrs

from acp_client.cli import control, status
from acp_client.cli.control import Control
from acp_client.cli.jsonlines import described_error, plain
from acp_client.cli.status import one_line
from acp_client.client import Client
from acp_client.errors import AcpError
from acp_client.protocol.dialect import AgentCapabilities, AuthMethod


def run(arguments: argparse.Namespace) -> int:
    """Run the command; see `acp-client inspect --help`."""
    return control.run(lambda outside: _inspect(arguments, outside))


async def _inspect(arguments: argparse.Namespace, outside: Control) -> int:
    connecting = Client.connect(arguments.agent, protocol=arguments.protocol, on_transport=outside.watch)
    try:
        async with connecting as client:
            outside.connected()
            if arguments.json:
                outside.output.out(json.dumps(_as_object(client), allow_nan=False) + "\n")
            else:
                outside.output.out(_table(list(_rows(client))))
    except AcpError as error:
        outside.output.err(f"acp-client: {one_line(error)}\n")
        if arguments.json:
            outside.output.out(json.dumps({"type": "agent", "error": described_error(error)}) + "\n")
        return status.of_failure(error, in_turn=False)
    return status.ENDED


def _as_object(client: Client) -> dict[str, Any]:
    return {
        "type": "agent",
        "protocol_version": client.protocol_version,
        "info": plain(client.agent),
        "capabilities": plain(client.capabilities),
        "auth_methods": [plain(method) for method in client.auth_methods],
        "error": None,
    }


def _rows(client: Client) -> Iterator[tuple[str, str]]:
    agent = client.agent
    yield "agent", "gives no name" if agent is None else f"{agent.label} {agent.version}"
    yield "protocol version", str(client.protocol_version)
    yield from _capability_rows(client.capabilities)
    if not client.auth_methods:
        yield "login", "none advertised"
    for method in client.auth_methods:
        yield f"login {method.id}", _method(method)


def _capability_rows(capabilities: AgentCapabilities) -> Iterator[tuple[str, str]]:
    for field in attrs.fields(AgentCapabilities):
        value = getattr(capabilities, field.name)
        if isinstance(value, bool):
            yield field.name.replace("_", " "), "yes" if value else "no"
        elif field.name == "unstable":
            yield "unstable", ", ".join(sorted(value)) or "none"


def _method(method: AuthMethod) -> str:
    name = method.name if not method.description else f"{method.name}: {method.description}"
    if method.type == "terminal":
        words = " ".join(["the agent's command", *method.args])
        return f"{name} (run {words} in a terminal)"
    return f"{name} ({method.type})"


def _table(rows: list[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows)
    return "".join(f"{one_line(name):<{width}}  {one_line(value)}\n" for name, value in rows)
