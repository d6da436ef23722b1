# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: client."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_client.models.base import WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v2.tools import ToolCallUpdate
    from acp_client.models.v2.unions import RequestPermissionOutcome, RequestPermissionSubject


class RequestPermissionRequest(WithMeta):
    """v2 params of `session/request_permission` (stable); protocol page: tool calls."""

    session_id: str = field("sessionId", "str")
    title: str = field("title", "str")
    description: str | None = field("description", "str|null/e", default=None)
    subject: RequestPermissionSubject | None = field("subject", "RequestPermissionSubject|null", default=None)
    options: Sequence[PermissionOption] = field("options", "[PermissionOption]+")


class ToolCallPermissionSubject(WithMeta):
    """v2 `type: tool_call` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("type", "tool_call")
    tool_call: ToolCallUpdate = field("toolCall", "ToolCallUpdate")


class CommandPermissionSubject(WithMeta):
    """v2 `type: command` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("type", "command")
    command: str = field("command", "str")
    cwd: str = field("cwd", "str")
    tool_call_id: str | None = field("toolCallId", "str|null/e", default=None)
    terminal_id: str | None = field("terminalId", "str|null/e", default=None)


class PermissionOption(WithMeta):
    """v2 object (stable); protocol page: tool calls."""

    option_id: str = field("optionId", "str")
    name: str = field("name", "str")
    kind: str = field("kind", "str")


class RequestPermissionResponse(WithMeta):
    """v2 result of `session/request_permission` (stable); protocol page: tool calls."""

    outcome: RequestPermissionOutcome = field("outcome", "RequestPermissionOutcome")


class CancelledPermissionOutcome(WithMeta):
    """v2 `outcome: cancelled` (stable); protocol page: cancellation."""

    TAG: ClassVar[tuple[str, str]] = ("outcome", "cancelled")


class SelectedPermissionOutcome(WithMeta):
    """v2 `outcome: selected` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("outcome", "selected")
    option_id: str = field("optionId", "str")
