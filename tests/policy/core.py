"""The core of a connection without an event loop: router, sessions and peer, and everything they do to the outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from acp_client.errors import ConnectionLost
from acp_client.policy.questions import PendingElicitation, PendingPermission, PendingQuestion
from acp_client.policy.router import Ports, Router
from acp_client.policy.turns import Phase, TurnResult, TurnWork
from acp_client.protocol.versions import dialect
from acp_client.rpc.inbound import InboundRequest
from acp_client.rpc.messages import Json, Message, decode, encode
from acp_client.rpc.peer import Peer
from acp_client.state.content import Text
from acp_client.state.events import Event, ItemChanged

OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
FORM = {"type": "object", "properties": {"env": {"type": "string"}}}


class Core:
    """One connection of one version with the session `s1`, unless it says otherwise."""

    def __init__(self, version: int, session: bool = True, **options: Any) -> None:
        self.version = version
        self.writes: list[list[Message]] = []
        self.asked: list[PendingQuestion] = []
        self.served: list[InboundRequest] = []
        self.notes: list[tuple[str, Json]] = []
        self.completed: list[PendingElicitation] = []
        self.strays: list[Json] = []
        self.reports: list[tuple[str, str]] = []
        self.lost: list[ConnectionLost] = []
        self.posted: list[Callable[[], None]] | None = None
        """Steps that other threads hand over, if they are to wait."""
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.router = Router(
            Ports(
                post=self._post,
                later=self._later,
                ask_host=self.asked.append,
                serve=self.served.append,
                on_notification=lambda method, params: self.notes.append((method, params)),
                on_completed=self.completed.append,
                on_stray_update=self.strays.append,
                on_diagnostic=lambda diagnostic: self.reports.append((diagnostic.kind, diagnostic.detail)),
                on_lost=self.lost.append,
            ),
            **options,
        )
        self.router.dialect = dialect(version)
        self.peer = Peer(self.router, self._send)
        self.peer.ready = True
        self.router.attach(self.peer)
        self.events: list[Event] = []
        if session:
            self.work = self.router.add("s1", "/work")
            self.work.listeners.append(self.events.append)

    def _send(self, messages: Sequence[bytes]) -> None:
        self.writes.append([decode(message) for message in messages])

    def _post(self, step: Callable[[], None]) -> None:
        if self.posted is None:
            step()
        else:
            self.posted.append(step)

    def _later(self, delay: float, step: Callable[[], None]) -> Callable[[], None]:
        timer = (delay, step)
        self.timers.append(timer)
        return lambda: self.timers.remove(timer) if timer in self.timers else None

    def time_is_up(self) -> None:
        """Let the oldest timer go off."""
        self.timers.pop(0)[1]()

    # what the client writes

    @property
    def written(self) -> list[Message]:
        return [message for group in self.writes for message in group]

    def methods(self) -> list[str]:
        return [message["method"] for message in self.written if "method" in message]

    def answer(self, request_id: Json) -> Message:
        """The one answer to a request of the agent."""
        (answer,) = [m for m in self.written if "method" not in m and m["id"] == request_id]
        return answer

    def answered(self, request_id: Json) -> bool:
        return any("method" not in m and m["id"] == request_id for m in self.written)

    # what the agent says

    def receive(self, **message: Json) -> None:
        self.peer.frames([encode({"jsonrpc": "2.0", **message})])

    def update(self, kind: str, session: str = "s1", **fields: Json) -> None:
        self.receive(
            method="session/update", params={"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
        )

    def state(self, state: str, **fields: Json) -> None:
        self.update("state_update", state=state, **fields)

    def text(self, text: str, message_id: str = "a1", session: str = "s1") -> None:
        self.update("agent_message_chunk", session, messageId=message_id, content={"type": "text", "text": text})

    def permission(
        self,
        request_id: Json = 40,
        call: str | None = "t1",
        session: Json = "s1",
        options: list[dict[str, str]] | None = None,
        **fields: Json,
    ) -> None:
        params: dict[str, Json] = {"sessionId": session, "options": options or OPTIONS, **fields}
        tool_call = {"toolCallId": call, "title": "Edit"}
        if self.version == 1:
            params["toolCall"] = tool_call
        else:
            params["title"] = "Edit?"
            if call is not None:
                params["subject"] = {"type": "tool_call", "toolCall": tool_call}
        self.receive(id=request_id, method="session/request_permission", params=params)

    def elicit(self, request_id: Json = 50, mode: str = "form", **fields: Json) -> None:
        params: dict[str, Json] = {"mode": mode, "message": "Where?", **fields}
        if "requestId" not in params:
            params.setdefault("sessionId", "s1")
        if mode == "form":
            params.setdefault("requestedSchema", FORM)
        elif mode == "url":
            params = {"elicitationId": "e1", "url": "https://example.com/in", **params}
        self.receive(id=request_id, method="elicitation/create", params=params)

    # the host

    def prompt(self, busy: Any = "error", grace: float | None = 10.0) -> TurnWork:
        turn = TurnWork([Text(text="go")])
        self.work.prompt(turn, busy, grace)
        return turn

    def prompt_id(self, number: int = -1) -> int:
        ids = [m["id"] for m in self.written if m.get("method") == "session/prompt"]
        found: int = ids[number]
        return found

    def accept(self, turn: TurnWork, message_id: str = "m1") -> None:
        """Version 2: the agent inserts the prompt and begins to work."""
        assert turn.request is not None
        self.receive(id=turn.request.id, result={"messageId": message_id})
        self.state("running")

    def begin(self) -> TurnWork:
        """A turn that works."""
        turn = self.prompt()
        if self.version == 2:
            self.accept(turn)
        return turn

    def end(self, turn: TurnWork, stop_reason: str = "end_turn") -> None:
        """The agent ends the turn as its version does it."""
        assert turn.request is not None
        if self.version == 1:
            self.receive(id=turn.request.id, result={"stopReason": stop_reason})
        else:
            self.state("idle", stopReason=stop_reason)

    def question(self, number: int = -1) -> PendingPermission:
        question = self.asked[number]
        assert isinstance(question, PendingPermission)
        return question

    def form(self, number: int = -1) -> PendingElicitation:
        question = self.asked[number]
        assert isinstance(question, PendingElicitation)
        return question

    def seen(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if type(event) is kind]

    def keys(self, since: int) -> list[str]:
        """The items that the events since then were about."""
        return [event.key for event in self.events[since:] if isinstance(event, ItemChanged)]


def result(turn: TurnWork) -> TurnResult:
    """The result of a turn that has ended."""
    assert turn.result is not None
    return turn.result


def phase(turn: TurnWork) -> Phase:
    """Asked anew each time: it changes behind the type checker's back."""
    return turn.phase
