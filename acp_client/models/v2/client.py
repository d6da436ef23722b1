# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import Model, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v2.tools import ToolCallUpdate
    from acp_client.models.v2.unions import RequestPermissionOutcome, RequestPermissionSubject


class RequestPermissionRequest(Model):
    """v2 params of `session/request_permission` (stable); protocol page: tool calls."""

    session_id: str = field("sessionId", "str")
    title: str = field("title", "str")
    description: str | None = field("description", "str|null/e", default=None)
    subject: RequestPermissionSubject | None = field("subject", "RequestPermissionSubject|null", default=None)
    options: Sequence[PermissionOption] = field("options", "[PermissionOption]+")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ToolCallPermissionSubject(Model):
    """v2 `type: tool_call` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("type", "tool_call")
    tool_call: ToolCallUpdate = field("toolCall", "ToolCallUpdate")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CommandPermissionSubject(Model):
    """v2 `type: command` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("type", "command")
    command: str = field("command", "str")
    cwd: str = field("cwd", "str")
    tool_call_id: str | None = field("toolCallId", "str|null/e", default=None)
    terminal_id: str | None = field("terminalId", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PermissionOption(Model):
    """v2 object (stable); protocol page: tool calls."""

    option_id: str = field("optionId", "str")
    name: str = field("name", "str")
    kind: str = field("kind", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class RequestPermissionResponse(Model):
    """v2 result of `session/request_permission` (stable); protocol page: tool calls."""

    outcome: RequestPermissionOutcome = field("outcome", "RequestPermissionOutcome")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelledPermissionOutcome(Model):
    """v2 `outcome: cancelled` (stable); protocol page: cancellation."""

    TAG: ClassVar[tuple[str, str]] = ("outcome", "cancelled")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SelectedPermissionOutcome(Model):
    """v2 `outcome: selected` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("outcome", "selected")
    option_id: str = field("optionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)
