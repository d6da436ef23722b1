"""A stage for behaviour tests: a scripted agent in memory, a client, a host whose answers the test decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from acp_client.client import Client
from acp_client.host import LATER, Host
from acp_client.policy.questions import PendingElicitation, PendingPermission, PendingQuestion
from acp_client.rpc.messages import Json
from acp_client.session import Session, Turn
from acp_client.testing import ScriptedAgent

BOUND = 5.0
"""Seconds within which everything that has to happen does."""

CANCELLED = {"outcome": {"outcome": "cancelled"}}
SELECTED = {"outcome": {"outcome": "selected", "optionId": "yes"}}
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


async def within(awaitable: Awaitable[Any]) -> Any:
    """Await something that must come, bounded."""
    async with asyncio.timeout(BOUND):
        return await awaitable


async def settle_down() -> None:
    """Let every task that can run do so; nothing is waited for."""
    for _ in range(20):
        await asyncio.sleep(0)


class Desk(Host):
    """A host that leaves every question open for the test to answer."""

    elicitation_modes = frozenset({"form", "url"})

    def __init__(self) -> None:
        self.asked: list[PendingQuestion] = []

    async def request_permission(self, question: PendingPermission) -> Any:
        self.asked.append(question)
        return LATER

    async def elicit(self, question: PendingElicitation) -> Any:
        self.asked.append(question)
        return LATER


class Clock:
    """Time that passes when the test says so, for the timers a connection sets."""

    def __init__(self, client: Client) -> None:
        self.now = 0.0
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        client._router._ports.later = self.later

    def later(self, delay: float, step: Callable[[], None]) -> Callable[[], None]:
        self._count += 1
        timer = (self.now + delay, self._count, step)
        self._timers.append(timer)
        return lambda: self._timers.remove(timer) if timer in self._timers else None

    def advance(self, seconds: float) -> None:
        """Let the timers of the next `seconds` go off, in order."""
        end = self.now + seconds
        while due := sorted(timer for timer in self._timers if timer[0] <= end):
            self._timers.remove(due[0])
            self.now = due[0][0]
            due[0][2]()
        self.now = end


class Stage:
    """One client, one agent, one session, and short words for what they do."""

    def __init__(self, agent: ScriptedAgent, client: Client, session: Session, host: Host, version: int) -> None:
        self.agent, self.client, self.session, self.host, self.version = agent, client, session, host, version
        self.clock = Clock(client)
        self._ids = iter(range(40, 10_000))

    # the agent

    def written(self, method: str) -> list[dict[str, Any]]:
        """Every message the client wrote with this method."""
        return [message for message in self.agent.written if message.get("method") == method]

    def methods(self) -> list[str | None]:
        """The methods the client wrote after the session was opened; None for answers."""
        names = [message.get("method") for message in self.agent.written]
        return names[names.index("session/new") + 1 :]

    def answers_to(self, request_id: Json) -> list[dict[str, Any]]:
        """What the client answered to one request of the agent."""
        return [m for m in self.agent.written if "method" not in m and "id" in m and same(m["id"], request_id)]

    def answer_to(self, request_id: Json) -> dict[str, Any]:
        """The one answer to a request, which must have been written by now."""
        answers = self.answers_to(request_id)
        assert len(answers) == 1, f"expected one answer to {request_id!r}, got {answers}"
        return answers[0]

    def update(self, kind: str, session: Session | None = None, **fields: Json) -> None:
        self.agent.update((session or self.session).id, {"sessionUpdate": kind, **fields})

    def chunk(self, text: str, message_id: str = "a1", session: Session | None = None) -> None:
        self.update("agent_message_chunk", session, messageId=message_id, content={"type": "text", "text": text})

    def tool_call(self, tool_call_id: str = "t1", status: str = "in_progress", **fields: Json) -> None:
        kind = "tool_call" if self.version == 1 else "tool_call_update"
        self.update(kind, toolCallId=tool_call_id, title=f"Tool {tool_call_id}", status=status, **fields)

    def tool_update(self, tool_call_id: str = "t1", **fields: Json) -> None:
        self.update("tool_call_update", toolCallId=tool_call_id, **fields)

    def running(self, **fields: Json) -> None:
        """Version 2 says so; in version 1 the open prompt does."""
        if self.version == 2:
            self.update("state_update", state="running", **fields)

    def idle(self, stop_reason: str | None = "end_turn", **fields: Json) -> None:
        reason: dict[str, Any] = {} if stop_reason is None else {"stopReason": stop_reason}
        self.update("state_update", state="idle", **reason, **fields)

    def ask(
        self,
        tool_call_id: str | None = "t1",
        *,
        request_id: Json = None,
        session: Session | None = None,
        options: list[dict[str, str]] | None = None,
        **fields: Json,
    ) -> Json:
        """Send a permission request; returns its id."""
        request_id = next(self._ids) if request_id is None else request_id
        params = self.permission_params(tool_call_id, session, options, **fields)
        self.agent.send({"jsonrpc": "2.0", "id": request_id, "method": "session/request_permission", "params": params})
        return request_id

    def permission_params(
        self,
        tool_call_id: str | None = "t1",
        session: Session | None = None,
        options: list[dict[str, str]] | None = None,
        **fields: Json,
    ) -> dict[str, Json]:
        params: dict[str, Json] = {"sessionId": (session or self.session).id, "options": options or OPTIONS}
        call = {"toolCallId": tool_call_id, "title": "Edit a file", "kind": "edit", **fields}
        if self.version == 1:
            return {**params, "toolCall": call}
        subject = {"subject": {"type": "tool_call", "toolCall": call}} if tool_call_id is not None else {}
        return {**params, "title": "Edit a file?", **subject}

    def request(self, method: str, params: Json, request_id: Json = None) -> Json:
        request_id = next(self._ids) if request_id is None else request_id
        self.agent.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id

    def elicit(self, mode: str = "form", request_id: Json = None, **fields: Json) -> Json:
        params: dict[str, Json] = {"mode": mode, "sessionId": self.session.id, "message": "Where to?", **fields}
        if mode == "form":
            params.setdefault(
                "requestedSchema", {"type": "object", "properties": {"env": {"type": "string"}}, "required": ["env"]}
            )
        else:
            params |= {"elicitationId": "e1", "url": "https://example.com/login"}
        return self.request("elicitation/create", params, request_id)

    def cancel_request(self, request_id: Json) -> None:
        self.agent.notify("$/cancel_request", {"requestId": request_id})

    # the client

    def prompt_id(self) -> Json:
        """The id of the last prompt on the wire."""
        return self.written("session/prompt")[-1]["id"]

    def begin(self, text: str = "go", **options: Any) -> Turn:
        """Prompt, and let the agent begin to work."""
        turn = self.session.prompt(text, **options)
        if self.version == 2:
            self.agent.respond(self.prompt_id(), {"messageId": f"u{self.prompt_id()}"})
        self.running()
        return turn

    def finish(self, stop_reason: str = "end_turn", prompt_id: Json = None) -> None:
        """End the running turn as the version does it."""
        if self.version == 1:
            self.agent.respond(self.prompt_id() if prompt_id is None else prompt_id, {"stopReason": stop_reason})
        else:
            self.idle(stop_reason)

    @property
    def questions(self) -> list[PendingPermission]:
        """The open permission requests."""
        return [question for question in self.session.pending if isinstance(question, PendingPermission)]

    async def asked(self, count: int = 1) -> list[PendingQuestion]:
        """The questions that reached the host's handler, once there are `count`."""
        assert isinstance(self.host, Desk)
        host = self.host

        async def enough() -> None:
            while len(host.asked) < count:
                await asyncio.sleep(0)

        await within(enough())
        return host.asked

    def status(self, tool_call_id: str = "t1") -> str:
        """The status of a tool call as the view shows it."""
        return next(c.status for c in self.session.snapshot.tool_calls if c.tool_call_id == tool_call_id)


def same(one: Json, other: Json) -> bool:
    """Equality that tells 1 from "1", from 1.0 and from true."""
    return type(one) is type(other) and bool(one == other)


@asynccontextmanager
async def stage(version: int, host: Host | None = None, **options: Any) -> AsyncIterator[Stage]:
    """Open a client with a session against a scripted agent of one version."""
    host = Desk() if host is None else host
    agent_options = options.pop("agent", {})
    agent = ScriptedAgent(protocol=version, **agent_options)
    async with Client.connect(agent.transport, host, **options) as client:
        yield Stage(agent, client, await client.new_session("/project"), host, version)
