"""Faults on purpose: what a host sees of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from acp_client.client import Client
from acp_client.errors import ConnectionLost
from acp_client.session import Session
from acp_client.state.events import Event
from acp_client.testing import Faults, FaultyTransport, ScriptedAgent
from tests.kit import within


@asynccontextmanager
async def broken(faults: Faults) -> AsyncIterator[tuple[ScriptedAgent, Session, list[Event]]]:
    """A session whose agent's messages are damaged; 0 and 1 answer `initialize` and `session/new`."""
    agent = ScriptedAgent(2)
    events: list[Event] = []
    async with Client.connect(agent.transport, on_transport=lambda t: FaultyTransport(t, faults)) as client:
        session = await client.new_session("/project")
        session.on_update(events.append)
        yield agent, session, events


async def test_messages_are_lost_and_come_twice() -> None:
    """Ours: by their number."""
    async with broken(Faults(drop={2}, repeat={3})) as (agent, session, events):
        for text in ("a", "b", "c"):
            agent.chunk(session.id, text)
        assert [getattr(event, "text", None) for event in events] == ["b", "b", "c"]


async def test_cut_messages_and_noise_are_diagnosed_and_harm_nothing() -> None:
    """ST-02: the connection lives."""
    async with broken(Faults(cut={2: 30}, noise={3: "a stray line"})) as (agent, session, events):
        for text in ("a", "b"):
            agent.chunk(session.id, text)
        assert [getattr(event, "text", None) for event in events] == ["b"]
        assert session.client.diagnostics_seen == 2


async def test_the_connection_breaks_at_a_message() -> None:
    """Ours: what came before is there, what follows is not, and every call gets the cause."""
    async with broken(Faults(lose_at=3, cause=ConnectionLost("the cable was pulled"))) as (agent, session, _):
        turn = session.prompt("go")
        agent.chunk(session.id, "a")
        agent.chunk(session.id, "b")
        with pytest.raises(ConnectionLost, match="the cable was pulled"):
            await within(turn)
        assert session.snapshot.messages[-1].text == "a"
        assert session.client.closed
        agent.chunk(session.id, "c")
        assert session.snapshot.messages[-1].text == "a"
