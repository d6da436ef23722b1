# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: client."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_client.models.base import WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v1.enums import PermissionOptionKindValue
    from acp_client.models.v1.tools import ToolCallUpdate
    from acp_client.models.v1.unions import RequestPermissionOutcome


class WriteTextFileRequest(WithMeta):
    """v1 params of `fs/write_text_file` (stable); protocol page: file system."""

    session_id: str = field("sessionId", "str")
    path: str = field("path", "str")
    content: str = field("content", "str")


class ReadTextFileRequest(WithMeta):
    """v1 params of `fs/read_text_file` (stable); protocol page: file system."""

    session_id: str = field("sessionId", "str")
    path: str = field("path", "str")
    line: int | None = field("line", "uint32|null", default=None)
    limit: int | None = field("limit", "uint32|null", default=None)


class RequestPermissionRequest(WithMeta):
    """v1 params of `session/request_permission` (stable); protocol page: tool calls."""

    session_id: str = field("sessionId", "str")
    tool_call: ToolCallUpdate = field("toolCall", "ToolCallUpdate")
    options: Sequence[PermissionOption] = field("options", "[PermissionOption]")


class PermissionOption(WithMeta):
    """v1 object (stable); protocol page: tool calls."""

    option_id: str = field("optionId", "str")
    name: str = field("name", "str")
    kind: PermissionOptionKindValue = field("kind", "PermissionOptionKind")


class CreateTerminalRequest(WithMeta):
    """v1 params of `terminal/create` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    command: str = field("command", "str")
    args: Sequence[str] = field("args", "[str]/n", default=())
    env: Sequence[EnvVariable] = field("env", "[EnvVariable]/n", default=())
    cwd: str | None = field("cwd", "str|null", default=None)
    output_byte_limit: int | None = field("outputByteLimit", "uint64|null", default=None)


class EnvVariable(WithMeta):
    """v1 object (stable); protocol page: tool calls."""

    name: str = field("name", "str")
    value: str = field("value", "str", secret=True)


class TerminalOutputRequest(WithMeta):
    """v1 params of `terminal/output` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")


class ReleaseTerminalRequest(WithMeta):
    """v1 params of `terminal/release` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")


class WaitForTerminalExitRequest(WithMeta):
    """v1 params of `terminal/wait_for_exit` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")


class KillTerminalRequest(WithMeta):
    """v1 params of `terminal/kill` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")


class WriteTextFileResponse(WithMeta):
    """v1 result of `fs/write_text_file` (stable); protocol page: file system."""


class ReadTextFileResponse(WithMeta):
    """v1 result of `fs/read_text_file` (stable); protocol page: file system."""

    content: str = field("content", "str")


class RequestPermissionResponse(WithMeta):
    """v1 result of `session/request_permission` (stable); protocol page: tool calls."""

    outcome: RequestPermissionOutcome = field("outcome", "RequestPermissionOutcome")


class CancelledPermissionOutcome(WithMeta):
    """v1 `outcome: cancelled` (stable); protocol page: cancellation."""

    TAG: ClassVar[tuple[str, str]] = ("outcome", "cancelled")


class SelectedPermissionOutcome(WithMeta):
    """v1 `outcome: selected` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("outcome", "selected")
    option_id: str = field("optionId", "str")


class CreateTerminalResponse(WithMeta):
    """v1 result of `terminal/create` (stable); protocol page: terminals."""

    terminal_id: str = field("terminalId", "str")


class TerminalOutputResponse(WithMeta):
    """v1 result of `terminal/output` (stable); protocol page: terminals."""

    output: str = field("output", "str")
    truncated: bool = field("truncated", "bool")
    exit_status: TerminalExitStatus | None = field("exitStatus", "TerminalExitStatus|null/e", default=None)


class TerminalExitStatus(WithMeta):
    """v1 object (stable); protocol page: terminals."""

    exit_code: int | None = field("exitCode", "uint32|null/e", default=None)
    signal: str | None = field("signal", "str|null/e", default=None)


class ReleaseTerminalResponse(WithMeta):
    """v1 result of `terminal/release` (stable); protocol page: terminals."""


class WaitForTerminalExitResponse(WithMeta):
    """v1 result of `terminal/wait_for_exit` (stable); protocol page: terminals."""

    exit_code: int | None = field("exitCode", "uint32|null/e", default=None)
    signal: str | None = field("signal", "str|null/e", default=None)


class KillTerminalResponse(WithMeta):
    """v1 result of `terminal/kill` (stable); protocol page: terminals."""
