"""Calls outside the stable protocol: only when asked for by name, and only what the agent offers."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from acp_client.client import Client
from acp_client.errors import InvalidResponse, NotSupported, UsageError
from acp_client.host import Host
from acp_client.testing import ScriptedAgent
from acp_client.unstable import FEATURES, UnstableCalls
from tests.kit import within

OFFERS: dict[int, dict[str, Any]] = {
    1: {
        "sessionCapabilities": {"fork": {}, "archive": {}, "title": {}, "status": {}},
        "providers": {},
        "auth": {"status": {}},
    },
    2: {
        "session": {"mcp": {"stdio": {}}, "fork": {}, "archive": {}, "title": {}, "status": {}},
        "providers": {},
        "auth": {"status": {}},
    },
}

ANSWERS: dict[str, Any] = {
    "session/fork": {"sessionId": "forked"},
    "session/archive": {},
    "session/unarchive": {},
    "session/set_title": {"title": "A shorter title"},
    "session/status": {"status": "open"},
    "providers/list": {"providers": [{"providerId": "p", "supported": ["x", 7], "required": False}]},
    "providers/set": {},
    "providers/disable": {},
    "auth/status": {"state": "_acme_half", "accounts": [{"label": "me"}]},
}

CALLS: list[tuple[str, Callable[[UnstableCalls], Awaitable[Any]], str, dict[str, Any]]] = [
    ("fork", lambda u: u.fork_session("s", "/w"), "session/fork", {"sessionId": "s", "cwd": "/w", "mcpServers": []}),
    ("archive", lambda u: u.archive_session("s"), "session/archive", {"sessionId": "s"}),
    ("archive", lambda u: u.unarchive_session("s"), "session/unarchive", {"sessionId": "s"}),
    ("title", lambda u: u.set_session_title("s", "T"), "session/set_title", {"sessionId": "s", "title": "T"}),
    ("status", lambda u: u.session_status("s"), "session/status", {"sessionId": "s"}),
    ("providers", lambda u: u.list_providers(), "providers/list", {}),
    (
        "providers",
        lambda u: u.set_provider("p", "x", "http://127.0.0.1/", {"K": "v"}),
        "providers/set",
        {"providerId": "p", "apiType": "x", "baseUrl": "http://127.0.0.1/", "headers": {"K": "v"}},
    ),
    ("providers", lambda u: u.disable_provider("p"), "providers/disable", {"providerId": "p"}),
    ("auth_status", lambda u: u.auth_status(), "auth/status", {}),
]
BY_METHOD = pytest.mark.parametrize(("feature", "call", "method", "params"), CALLS, ids=[c[2] for c in CALLS])


@asynccontextmanager
async def connected(
    version: int, features: frozenset[str] = FEATURES, offers: Any = None, host: Host | None = None
) -> AsyncIterator[tuple[ScriptedAgent, Client]]:
    answers = {method: lambda params, result=result: result for method, result in ANSWERS.items()}
    capabilities = OFFERS[version] if offers is None else offers
    agent = ScriptedAgent(version, capabilities=capabilities, answers=answers)
    async with Client.connect(agent.transport, host, protocol=version, unstable=features) as client:  # type: ignore[arg-type]  # 1 or 2
        yield agent, client


@BY_METHOD
async def test_a_call_writes_its_method(version: int, feature: str, call: Any, method: str, params: Any) -> None:
    """Ours: one named call per unstable method, the same in both versions."""
    async with connected(version) as (agent, client):
        assert feature in client.capabilities.unstable
        await within(call(client.unstable))
        assert agent.written[-1]["method"] == method
        assert agent.written[-1]["params"] == params


@BY_METHOD
async def test_nothing_unstable_is_sent_unasked(
    version: int, feature: str, call: Any, method: str, params: Any
) -> None:
    """Ours: a feature has to be named at connect, whatever the agent offers."""
    async with connected(version, FEATURES - {feature}) as (agent, client):
        before = len(agent.written)
        with pytest.raises(UsageError, match=feature):
            await call(client.unstable)
        assert len(agent.written) == before


@BY_METHOD
async def test_what_the_agent_does_not_offer_is_not_sent(
    version: int, feature: str, call: Any, method: str, params: Any
) -> None:
    """Ours: refused here, without asking the agent."""
    async with connected(version, offers={"session": {}} if version == 2 else {}) as (agent, client):
        before = len(agent.written)
        with pytest.raises(NotSupported):
            await call(client.unstable)
        assert len(agent.written) == before


async def test_answers_are_read(version: int) -> None:
    """Ours: models of the connection's version; unknown values and broken items do no harm."""
    async with connected(version) as (agent, client):
        assert await client.unstable.set_session_title("s", "A much longer title") == "A shorter title"
        assert (await client.unstable.session_status("s")).status == "open"
        providers = (await client.unstable.list_providers()).providers
        assert [(provider.provider_id, provider.supported) for provider in providers] == [("p", ["x"])]
        status = await client.unstable.auth_status()
        assert (status.state, [account.label for account in status.accounts]) == ("_acme_half", ["me"])
        agent.answers["session/status"] = lambda params: {"status": 7}
        with pytest.raises(InvalidResponse, match="session/status"):
            await client.unstable.session_status("s")


async def test_a_fork_is_a_session_with_what_came_before_its_answer(version: int) -> None:
    """V1-SES-08, SO-01: updates that name the fork before the answer does are in its state."""
    async with connected(version) as (agent, client):
        chunk = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "early"}}

        def fork(params: Any) -> Any:
            agent.update("forked", chunk)
            return ANSWERS["session/fork"]

        agent.answers["session/fork"] = fork
        session = await client.unstable.fork_session("s", "/w")
        assert session.id == "forked"
        assert client.sessions["forked"] is session
        assert [message.text for message in session.snapshot.messages] == ["early"]


async def test_a_misspelt_feature_is_an_error() -> None:
    """Ours: it would silently ask for nothing."""
    with pytest.raises(UsageError, match="forks"):
        Client.connect("demo", unstable={"forks"})


async def test_login_changes_are_told_without_a_warning(version: int, caplog: pytest.LogCaptureFixture) -> None:
    """Ours: what was asked for is no surprise; unasked it is told as well, and logged as unknown."""

    class Listening(Host):
        def __init__(self) -> None:
            self.told: list[tuple[str, Any]] = []

        def extension_notification(self, method: str, params: Any) -> None:
            self.told.append((method, params))

    caplog.set_level(logging.WARNING, "acp_client")
    for features, warnings in ((frozenset({"auth_status"}), 0), (frozenset[str](), 1)):
        host = Listening()
        async with connected(version, features, host=host) as (agent, _):
            agent.notify("auth/status_update", {"state": "authenticated"})
            assert host.told == [("auth/status_update", {"state": "authenticated"})]
            assert len(caplog.records) == warnings
