# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import Model, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v1.enums import PermissionOptionKindValue
    from acp_client.models.v1.tools import ToolCallUpdate
    from acp_client.models.v1.unions import RequestPermissionOutcome


class WriteTextFileRequest(Model):
    """v1 params of `fs/write_text_file` (stable); protocol page: file system."""

    session_id: str = field("sessionId", "str")
    path: str = field("path", "str")
    content: str = field("content", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ReadTextFileRequest(Model):
    """v1 params of `fs/read_text_file` (stable); protocol page: file system."""

    session_id: str = field("sessionId", "str")
    path: str = field("path", "str")
    line: int | None = field("line", "uint32|null", default=None)
    limit: int | None = field("limit", "uint32|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class RequestPermissionRequest(Model):
    """v1 params of `session/request_permission` (stable); protocol page: tool calls."""

    session_id: str = field("sessionId", "str")
    tool_call: ToolCallUpdate = field("toolCall", "ToolCallUpdate")
    options: Sequence[PermissionOption] = field("options", "[PermissionOption]")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PermissionOption(Model):
    """v1 object (stable); protocol page: tool calls."""

    option_id: str = field("optionId", "str")
    name: str = field("name", "str")
    kind: PermissionOptionKindValue = field("kind", "PermissionOptionKind")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CreateTerminalRequest(Model):
    """v1 params of `terminal/create` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    command: str = field("command", "str")
    args: Sequence[str] = field("args", "[str]/n", default=())
    env: Sequence[EnvVariable] = field("env", "[EnvVariable]/n", default=())
    cwd: str | None = field("cwd", "str|null", default=None)
    output_byte_limit: int | None = field("outputByteLimit", "uint64|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class EnvVariable(Model):
    """v1 object (stable); protocol page: tool calls."""

    name: str = field("name", "str")
    value: str = field("value", "str", secret=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class TerminalOutputRequest(Model):
    """v1 params of `terminal/output` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ReleaseTerminalRequest(Model):
    """v1 params of `terminal/release` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class WaitForTerminalExitRequest(Model):
    """v1 params of `terminal/wait_for_exit` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class KillTerminalRequest(Model):
    """v1 params of `terminal/kill` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class WriteTextFileResponse(Model):
    """v1 result of `fs/write_text_file` (stable); protocol page: file system."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ReadTextFileResponse(Model):
    """v1 result of `fs/read_text_file` (stable); protocol page: file system."""

    content: str = field("content", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class RequestPermissionResponse(Model):
    """v1 result of `session/request_permission` (stable); protocol page: tool calls."""

    outcome: RequestPermissionOutcome = field("outcome", "RequestPermissionOutcome")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelledPermissionOutcome(Model):
    """v1 `outcome: cancelled` (stable); protocol page: cancellation."""

    TAG: ClassVar[tuple[str, str]] = ("outcome", "cancelled")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SelectedPermissionOutcome(Model):
    """v1 `outcome: selected` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("outcome", "selected")
    option_id: str = field("optionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CreateTerminalResponse(Model):
    """v1 result of `terminal/create` (stable); protocol page: terminals."""

    terminal_id: str = field("terminalId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class TerminalOutputResponse(Model):
    """v1 result of `terminal/output` (stable); protocol page: terminals."""

    output: str = field("output", "str")
    truncated: bool = field("truncated", "bool")
    exit_status: TerminalExitStatus | None = field("exitStatus", "TerminalExitStatus|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class TerminalExitStatus(Model):
    """v1 object (stable); protocol page: terminals."""

    exit_code: int | None = field("exitCode", "uint32|null/e", default=None)
    signal: str | None = field("signal", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ReleaseTerminalResponse(Model):
    """v1 result of `terminal/release` (stable); protocol page: terminals."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class WaitForTerminalExitResponse(Model):
    """v1 result of `terminal/wait_for_exit` (stable); protocol page: terminals."""

    exit_code: int | None = field("exitCode", "uint32|null/e", default=None)
    signal: str | None = field("signal", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class KillTerminalResponse(Model):
    """v1 result of `terminal/kill` (stable); protocol page: terminals."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)
