"""An agent that does what a test says, in memory and without waiting.

Delivery is synchronous: when `send` returns, the client has acted on the message and what it wrote in answer stands in
`written`. Only the handshake and `session/new` are answered by itself, and each of those can be switched off.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

from acp_client.errors import ConnectionLost
from acp_client.rpc.messages import Json, Message, decode, encode, failure, notification, request, success
from acp_client.transports.memory import MemoryTransport

BOUND = 5.0
"""Seconds that `next` and `answer_to` wait for something that must come."""

V1_CAPABILITIES: Mapping[str, Json] = {
    "loadSession": True,
    "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
    "mcpCapabilities": {"http": True, "sse": True},
    "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}, "additionalDirectories": {}},
    "auth": {"logout": {}},
}
V2_CAPABILITIES: Mapping[str, Json] = {
    "session": {
        "prompt": {"image": {}, "audio": {}, "embeddedContext": {}},
        "mcp": {"stdio": {}, "http": {}},
        "delete": {},
        "additionalDirectories": {},
    }
}

Automatic: TypeAlias = Callable[[Json], Json]
"""Makes the result of a request from its params."""


class ScriptedAgent:
    """The agent's side of one connection.

    `protocol` is the version it answers, `capabilities` and `auth_methods` what it offers (all of the stable protocol
    by default). `auto` names the methods it answers by itself; `answers` adds more, each with a function from params to
    the result.
    """

    def __init__(
        self,
        protocol: int = 2,
        capabilities: Mapping[str, Json] | None = None,
        auth_methods: Sequence[Mapping[str, Json]] = (),
        auto: Collection[str] = ("initialize", "session/new"),
        answers: Mapping[str, Automatic] | None = None,
        session_result: Mapping[str, Json] | None = None,
    ) -> None:
        self.protocol = protocol
        self.transport = MemoryTransport()
        self.written: list[Message] = []
        """Every message of the client, in order."""
        self.writes: list[list[Message]] = []
        """The same, grouped as the client wrote them: one list per write."""
        self.closed = False
        self._end = self.transport.agent
        self._end.on_messages = self._on_messages
        self._end.on_closed = self._on_closed
        self._answered: set[Json] = set()
        self._unread: list[Message] = []
        self._arrived: list[asyncio.Future[None]] = []
        self._ids = itertools.count(0)
        self._sessions = itertools.count(1)
        self._session_result = dict(session_result or {})
        self._capabilities = capabilities if capabilities is not None else _capabilities(protocol)
        self._auth_methods = list(auth_methods)
        own: dict[str, Automatic] = {"initialize": self._initialize, "session/new": self._new_session}
        self.answers: dict[str, Automatic] = {method: own[method] for method in auto} | dict(answers or {})

    # what it says

    def send(self, message: Message) -> None:
        """Send one message as it is."""
        self._end.send([encode(message)])

    def send_batch(self, messages: Sequence[Message]) -> None:
        """Send several messages in one read of the client."""
        self._end.send([encode(message) for message in messages])

    def send_raw(self, frame: bytes | str) -> None:
        """Send one frame that need not be a message."""
        self._end.send([frame])

    def respond(self, request_id: Json, result: Json) -> None:
        """Answer a request of the client."""
        self._answered.add(request_id)
        self.send(success(request_id, result))

    def fail(self, request_id: Json, code: int, message: str, data: Json = None) -> None:
        """Answer a request of the client with an error."""
        self.send(failure(request_id, code, message, data))

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self.send(notification(method, params))

    def update(self, session_id: str, update: Json) -> None:
        """Send one `session/update`."""
        self.notify("session/update", {"sessionId": session_id, "update": update})

    def request(self, method: str, params: Json, id: Json = None) -> Json:
        """Send a request; returns its id, a fresh one (from 0) when none is given."""
        request_id = f"agent-{next(self._ids)}" if id is None else id
        self.send(request(request_id, method, params))
        return request_id

    def ask_permission(
        self,
        session_id: str,
        tool_call_id: str = "t1",
        options: Sequence[Mapping[str, str]] | None = None,
        id: Json = None,
        title: str = "Edit a file",
    ) -> Json:
        """Ask for permission in the shape of the version spoken; returns the request's id."""
        offered = list(options or PERMISSION_OPTIONS)
        call = {"toolCallId": tool_call_id, "title": title, "kind": "edit"}
        params: dict[str, Json] = {"sessionId": session_id, "options": offered}
        if self.protocol == 1:
            params["toolCall"] = call
        else:
            params |= {"title": title, "subject": {"type": "tool_call", "toolCall": call}}
        return self.request("session/request_permission", params, id)

    def chunk(self, session_id: str, text: str, message_id: str = "a1") -> None:
        """Send a piece of an agent message."""
        content = {"type": "text", "text": text}
        self.update(session_id, {"sessionUpdate": "agent_message_chunk", "messageId": message_id, "content": content})

    def finish(self, prompt_id: Json, session_id: str = "s1", stop_reason: str = "end_turn") -> None:
        """End a turn as the version does it: by the prompt's answer, or by its answer and an idle state."""
        if self.protocol == 1:
            self.respond(prompt_id, {"stopReason": stop_reason})
            return
        if prompt_id not in self._answered:
            self.respond(prompt_id, {"messageId": f"u{prompt_id}"})
            self.update(session_id, {"sessionUpdate": "state_update", "state": "running"})
        self.update(session_id, {"sessionUpdate": "state_update", "state": "idle", "stopReason": stop_reason})

    def close(self, cause: ConnectionLost | None = None) -> None:
        """End the connection, for the `cause` that the client is given."""
        self._end.close(cause)

    # what it hears

    async def next(self, method: str | None = None) -> Message:
        """Return the next message that was not read yet, skipping to one of `method`. Bounded.

        Raises `AssertionError`, with what was written instead, when none comes.
        """
        try:
            async with asyncio.timeout(BOUND):
                while True:
                    for message in self._unread:
                        if method is None or message.get("method") == method:
                            del self._unread[: self._unread.index(message) + 1]
                            return message
                    await self._wait()
        except TimeoutError:
            heard = [message.get("method", f"answer to {message.get('id')!r}") for message in self.written]
            raise AssertionError(f"the client wrote no {method or 'message'} within {BOUND} s, only {heard}") from None

    async def next_prompt(self) -> Message:
        """Return the next unread `session/prompt`."""
        return await self.next("session/prompt")

    async def answer_to(self, request_id: Json) -> Message:
        """Return the client's answer to a request of this agent, once it is there. Bounded."""
        try:
            async with asyncio.timeout(BOUND):
                while True:
                    for message in self.written:
                        if "method" not in message and "id" in message and _same(message["id"], request_id):
                            return message
                    await self._wait()
        except TimeoutError:
            raise AssertionError(f"the client did not answer request {request_id!r} within {BOUND} s") from None

    async def _wait(self) -> None:
        if self.closed:
            raise AssertionError("the client closed the connection")
        arrived: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrived.append(arrived)
        await arrived

    # inside

    def _on_messages(self, messages: Sequence[bytes]) -> None:
        decoded = [decode(message) for message in messages]
        self.writes.append(decoded)
        self.written.extend(decoded)
        self._unread.extend(decoded)
        for message in decoded:
            answer = self.answers.get(message.get("method", ""))
            if answer is not None and "id" in message:
                self.respond(message["id"], answer(message.get("params")))
        self._wake()

    def _on_closed(self) -> None:
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        arrived, self._arrived = self._arrived, []
        for waiter in arrived:
            if not waiter.done():
                waiter.set_result(None)

    def _initialize(self, params: Json) -> Json:
        info = {"name": "scripted-agent", "version": "1.0"}
        if self.protocol == 1:
            return {
                "protocolVersion": 1,
                "agentInfo": info,
                "agentCapabilities": self._capabilities,
                "authMethods": self._auth_methods,
            }
        return {
            "protocolVersion": self.protocol,
            "info": info,
            "capabilities": self._capabilities,
            "authMethods": self._auth_methods,
        }

    def _new_session(self, params: Json) -> Json:
        return {"sessionId": f"s{next(self._sessions)}", **self._session_result}


PERMISSION_OPTIONS: Sequence[Mapping[str, str]] = (
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "allow-always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
)


def _capabilities(protocol: int) -> Mapping[str, Json]:
    return V1_CAPABILITIES if protocol == 1 else V2_CAPABILITIES


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
