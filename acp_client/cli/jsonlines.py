"""A turn as programs read it: one JSON object a line, each with a `type`, the last one the result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs

from acp_client.cli.output import Output
from acp_client.errors import AgentError, ConnectionLost
from acp_client.policy.questions import PendingElicitation, PendingPermission, PendingQuestion
from acp_client.policy.turns import TurnResult
from acp_client.session import Session
from acp_client.state.content import Audio, Image, Resource, ResourceLink, Text
from acp_client.state.events import Event, InfoChanged, ItemChanged
from acp_client.state.items import Compaction, Diff, Message, Terminal, TerminalRef
from acp_client.state.snapshot import SessionSnapshot

_NOT_WRITTEN = {"replayed", "snapshot", "result"}
"""Fields of events that are left out: the wire's own object, and what another line tells."""

_TYPES = {
    Text: "text",
    Image: "image",
    Audio: "audio",
    ResourceLink: "resource_link",
    Resource: "resource",
    Diff: "diff",
    TerminalRef: "terminal",
}
"""What tells apart the parts of a message or a tool call."""

_PROPERTIES = {Message: ("text", "content"), Compaction: ("summary",), Terminal: ("text",)}
"""What is put together when it is read, and so is no field."""


class JsonLines:
    """Writes one session's events."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._session: Session | None = None

    def watch(self, session: Session) -> None:
        """Write what happens in a session from now on, beginning with what the session is."""
        self._session = session
        client = session.client
        self.write(
            {
                "type": "session",
                "session_id": session.id,
                "cwd": session.cwd,
                "protocol_version": client.protocol_version,
                "agent": plain(client.agent),
            }
        )
        session.on_update(self.show)

    def show(self, event: Event) -> None:
        """Write one event."""
        self.write(self._described(event))

    def write(self, line: Mapping[str, Any]) -> None:
        """Write one object as one line."""
        self._output.out(json.dumps(line, allow_nan=False) + "\n")

    def _described(self, event: Event) -> dict[str, Any]:
        fields = {name: value for name, value in _members(event).items() if name not in _NOT_WRITTEN}
        described = {"type": event.type, **fields}
        if self._session is not None:
            snapshot = self._session.snapshot
            if isinstance(event, ItemChanged):
                terminals = {terminal.key: terminal for terminal in snapshot.terminals.values()}
                described["item"] = plain(snapshot.item(event.key) or terminals.get(event.key))
            elif isinstance(event, InfoChanged):
                described |= _info(snapshot, event.what)
        return described

    def finish(
        self,
        result: TurnResult | None,
        error: BaseException | None,
        *,
        cancel: str | None = None,
        protocol_version: int | None = None,
    ) -> None:
        """Write the result: of the turn, or of what prevented it."""
        if result is not None:
            error = error or result.error
        session_id = None if self._session is None else self._session.id
        self.write(
            {
                "type": "result",
                "stop_reason": None if result is None else result.stop_reason,
                "cancel": cancel if result is None or result.cancel is None else str(result.cancel),
                "session_id": session_id,
                "protocol_version": protocol_version,
                "error": None if error is None else described_error(error),
            }
        )


def described_error(error: BaseException) -> dict[str, Any]:
    """Return an error as an object: its type, its text, and what belongs to its kind."""
    described: dict[str, Any] = {"type": type(error).__name__, "message": str(error)}
    if isinstance(error, AgentError):
        described |= {"code": error.code, "data": error.data}
    if isinstance(error, ConnectionLost):
        cause = {"exit_code": error.exit_code, "signal": error.signal, "close_code": error.close_code}
        described |= {key: value for key, value in cause.items() if value is not None}
    return described


def plain(value: Any) -> Any:
    """Return a value of the package as JSON can hold it. Bytes are left out: a text goes with them."""
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | float() | str():
            return value
        case PendingQuestion():
            return _question(value)
        case Mapping():
            return {str(key): plain(each) for key, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(each) for each in value]
    if attrs.has(type(value)):
        return _members(value)
    return repr(value)


def _members(value: Any) -> dict[str, Any]:
    tag = _TYPES.get(type(value)) or getattr(type(value), "type", None)
    names = [field.name for field in attrs.fields(type(value)) if not field.name.startswith("_")]
    members = {name: getattr(value, name) for name in [*names, *_PROPERTIES.get(type(value), ())]}
    described = {"type": tag} if isinstance(tag, str) else {}
    return described | {name: plain(each) for name, each in members.items() if not isinstance(each, bytes)}


def _info(snapshot: SessionSnapshot, what: str) -> dict[str, Any]:
    """Return the new value of what an `info` event is about."""
    if what == "session_info":
        return {"title": snapshot.title, "updated_at": snapshot.updated_at}
    return {what: plain(getattr(snapshot, what))} if what in ("usage", "commands", "config_options") else {}


def _question(question: PendingQuestion) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": question.id,
        "kind": question.kind,
        "session_id": question.session_id,
        "ended_by": None if question.ended_by is None else str(question.ended_by),
    }
    if isinstance(question, PendingPermission):
        tool_call = question.tool_call
        described |= {
            "title": question.title,
            "description": question.description,
            "command": question.command,
            "tool_call_id": None if tool_call is None else tool_call.tool_call_id,
            "options": [plain(option) for option in question.options],
        }
    elif isinstance(question, PendingElicitation):
        described |= {"mode": question.mode, "message": question.message}
    return described
