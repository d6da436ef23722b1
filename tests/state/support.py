"""A session's state as tests drive it: wire objects in, events and snapshots out."""

from __future__ import annotations

from typing import Any

from acp_client.errors import InvalidModel
from acp_client.models import v1, v2
from acp_client.models.convert import hook, structure
from acp_client.state.events import Event
from acp_client.state.items import Message, Terminal, ToolCall
from acp_client.state.snapshot import SessionSnapshot
from acp_client.state.store import SessionStore
from acp_client.state.v1 import V1Reducer
from acp_client.state.v2 import V2Reducer

Wire = dict[str, Any]

REDUCERS: dict[int, Any] = {1: V1Reducer, 2: V2Reducer}
MODELS: dict[int, Any] = {1: v1, 2: v2}
UPDATES: dict[int, Any] = {1: hook(v1.SessionUpdate), 2: hook(v2.SessionUpdate)}


class Session:
    """One session of one protocol version."""

    def __init__(self, version: int) -> None:
        self.protocol = version
        self.store = SessionStore("s1", "/workspace")
        self.reducer = REDUCERS[version](self.store)

    def update(self, raw: Any) -> Event:
        """Apply one wire update the way a session does."""
        try:
            event: Event = self.reducer.apply(raw)
        except (InvalidModel, ValueError, KeyError, TypeError, AttributeError):
            event = self.reducer.unknown_update(raw, "invalid")
        return event

    def play(self, *updates: Wire) -> list[Event]:
        """Apply several."""
        return [self.update(raw) for raw in updates]

    def model(self, name: str, raw: Any) -> Any:
        """Read a wire object as the named type of this version."""
        return structure(getattr(MODELS[self.protocol], name), raw)

    def block(self, raw: Wire) -> Any:
        """Read a content block."""
        return hook(MODELS[self.protocol].ContentBlock)(raw)

    def opened(self, raw: Wire, name: str = "NewSessionResponse", keep_newer: bool = False) -> list[Event]:
        """Take an opening answer."""
        answer = self.model(name, raw)
        second = answer.modes if self.protocol == 1 else answer.available_commands
        events: list[Event] = self.reducer.opened(answer.config_options, second, keep_newer=keep_newer)
        return events

    @property
    def now(self) -> SessionSnapshot:
        """The snapshot."""
        return self.store.snapshot()

    def texts(self) -> list[tuple[str, str]]:
        """Role and text of each message."""
        return [(message.role, message.text) for message in self.now.messages]

    def tool(self, tool_call_id: str = "t1") -> ToolCall:
        """A tool call that must exist."""
        item = self.now.item(f"tool:{tool_call_id}")
        assert isinstance(item, ToolCall)
        return item

    def message(self, key: str) -> Message:
        """A message that must exist."""
        item = self.now.item(key)
        assert isinstance(item, Message)
        return item

    def terminal(self, terminal_id: str = "x1") -> Terminal:
        """A terminal that must exist."""
        return self.now.terminals[terminal_id]


def text(value: str) -> Wire:
    return {"type": "text", "text": value}


def chunk(value: str | Wire, message_id: str | None = "m1", role: str = "agent") -> Wire:
    """A chunk of a message: of the user, the agent, or (`role` "thought") of its thoughts."""
    kind = "agent_thought_chunk" if role == "thought" else f"{role}_message_chunk"
    raw: Wire = {"sessionUpdate": kind, "content": text(value) if isinstance(value, str) else value}
    return raw if message_id is None else raw | {"messageId": message_id}


def message(message_id: str = "m1", role: str = "agent", **members: Any) -> Wire:
    kind = "agent_thought" if role == "thought" else f"{role}_message"
    return {"sessionUpdate": kind, "messageId": message_id, **members}


def tool_update(tool_call_id: str = "t1", **members: Any) -> Wire:
    return {"sessionUpdate": "tool_call_update", "toolCallId": tool_call_id, **members}


def tool_call(tool_call_id: str = "t1", **members: Any) -> Wire:
    """Version 1's announcement."""
    return {"sessionUpdate": "tool_call", "toolCallId": tool_call_id, "title": "Edit", **members}


def state(name: str, **members: Any) -> Wire:
    return {"sessionUpdate": "state_update", "state": name, **members}


def wrapped(block: Wire) -> Wire:
    """A content block as an item of a tool call's content."""
    return {"type": "content", "content": block}
