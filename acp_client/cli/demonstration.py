"""`acp-client demo`: plays what the package does against the demo agent, and checks that it went as it should."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from acp_client.client import Client
from acp_client.errors import AcpError
from acp_client.host import ALLOW, LATER, Host
from acp_client.policy.questions import PendingPermission
from acp_client.session import Session, Turn
from acp_client.state.events import TextAppended
from acp_client.testing.demo_agent import demo_command
from acp_client.testing.recording import RECEIVED, SENT, Line, RecordingTransport
from acp_client.transports.base import Transport

BOUND = 30.0
"""Seconds for the whole play; it takes two."""


class Deviation(Exception):
    """Something did not go as it should."""


class Player(Host):
    """Allows the first question and leaves the second one open."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.count = 0

    async def request_permission(self, question: PendingPermission) -> Any:
        """Say what is asked; allow it the first time, leave it open after that."""
        self.count += 1
        offered = ", ".join(option.name for option in question.options)
        print(f"\n  ? {question.title} ({offered})")
        self.asked.set()
        if self.count > 1:
            print("  ... left open")
            return LATER
        print("  > Allow once")
        return ALLOW


class Wire:
    """Shows the lines of the cancel as they cross the wire."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, Any]] = []
        self._showing = False

    def wrap(self, transport: Transport) -> Transport:
        """Record a transport."""
        return RecordingTransport(transport, self._on_line)

    @contextmanager
    def showing(self) -> Iterator[None]:
        """Show what crosses meanwhile."""
        self._showing = True
        try:
            yield
        finally:
            self._showing = False

    def _on_line(self, line: Line) -> None:
        if self._showing and line.dir in (SENT, RECEIVED):
            self.shown.append((line.dir, line.msg))
            arrow = "client ->" if line.dir == SENT else "agent  <-"
            print(f"    {arrow} {json.dumps(line.msg)[:160]}")


def run(arguments: argparse.Namespace) -> int:
    """Play; returns 0 only if everything went as it should."""
    try:
        asyncio.run(_bounded(arguments.protocol))
    except (Deviation, AcpError, TimeoutError) as error:
        print(f"acp-client demo: {str(error) or 'it took too long'}", file=sys.stderr)
        return 1
    print("\nEverything went as it should.")
    return 0


async def _bounded(protocol: Any) -> None:
    async with asyncio.timeout(BOUND):
        await _play(protocol)


async def _play(protocol: Any) -> None:
    host, wire = Player(), Wire()
    async with Client.connect(demo_command(), host, protocol=protocol, on_transport=wire.wrap) as client:
        name = client.agent.label if client.agent is not None else "the agent"
        print(f"Connected to {name}, protocol version {client.protocol_version}.")
        session = await client.new_session(os.getcwd())
        await _first_turn(session, host)
        await _second_turn(session, host, wire)


async def _first_turn(session: Session, host: Player) -> None:
    print("\n1. A streamed answer, and a permission request that is answered:\n")
    turn = session.prompt("please use the tool")
    await _show(turn)
    result = await turn
    print(f"\n  ended with {result.stop_reason}")
    _expect(result.stop_reason == "end_turn", f"the first turn ended with {result.stop_reason!r}")
    _expect(host.count == 1, f"{host.count} questions were asked instead of one")
    statuses = [call.status for call in session.snapshot.tool_calls]
    _expect(statuses == ["completed"], f"the tool calls ended as {statuses}")


async def _second_turn(session: Session, host: Player, wire: Wire) -> None:
    print("\n2. A turn that is cancelled while its question is open:\n")
    host.asked.clear()
    turn = session.prompt("use the tool again")
    showing = asyncio.create_task(_show(turn))
    await host.asked.wait()
    print("\n  Stop. What crosses the wire:\n")
    with wire.showing():
        outcome = await turn.cancel()
        result = await turn
    await showing
    print(f"\n  cancel {outcome}, turn ended with {result.stop_reason}")
    _expect(outcome == "confirmed", f"the cancel ended as {outcome}")
    _expect(session.pending == (), "a question is still open")
    sent = [message for direction, message in wire.shown if direction == SENT]
    _expect(
        len(sent) == 2 and sent[0].get("method") == "session/cancel" and "cancelled" in json.dumps(sent[1]),
        "the cancel was not followed by exactly the answer to the open question",
    )


async def _show(turn: Turn) -> None:
    print("  ", end="")
    async for event in turn:
        if isinstance(event, TextAppended) and event.role == "agent":
            print(event.text, end="", flush=True)


def _expect(condition: bool, deviation: str) -> None:
    if not condition:
        raise Deviation(deviation)
