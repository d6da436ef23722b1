# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import UNSET, Model, Unset, WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v2.unions import ContentBlock, DiffChange, ToolCallContent


class ToolCallUpdate(Model):
    """v2 `sessionUpdate: tool_call_update` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "tool_call_update")
    tool_call_id: str = field("toolCallId", "str")
    name: str | Unset | None = field("name", "str|null/e", default=UNSET)
    title: str | Unset | None = field("title", "str|null/e", default=UNSET)
    kind: str | Unset | None = field("kind", "str|null/e", default=UNSET)
    status: str | Unset | None = field("status", "str|null/e", default=UNSET)
    content: Sequence[ToolCallContent] | Unset | None = field("content", "[ToolCallContent]|null/es", default=UNSET)
    locations: Sequence[ToolCallLocation] | Unset | None = field(
        "locations", "[ToolCallLocation]|null/es", default=UNSET
    )
    raw_input: Any = field("rawInput", "any/e", default=UNSET)
    raw_output: Any = field("rawOutput", "any/e", default=UNSET)
    capabilities: ToolCallCapabilities | Unset | None = field(
        "capabilities", "ToolCallCapabilities|null/ec", default=UNSET
    )
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class Content(WithMeta):
    """v2 `type: content` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("type", "content")
    content: ContentBlock = field("content", "ContentBlock")


class Diff(WithMeta):
    """v2 `type: diff` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("type", "diff")
    changes: Sequence[DiffChange] = field("changes", "[DiffChange]/s")
    patch: DiffPatch | None = field("patch", "DiffPatch|null/e", default=None)


class Terminal(WithMeta):
    """v2 `type: terminal` (stable); protocol page: terminals."""

    TAG: ClassVar[tuple[str, str]] = ("type", "terminal")
    terminal_id: str = field("terminalId", "str")


class DiffPathChange(WithMeta):
    """v2 object (stable); protocol page: tool calls."""

    file_type: str | None = field("fileType", "str|null/e", default=None)
    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    path: str = field("path", "str")


class DiffPathPairChange(WithMeta):
    """v2 object (stable); protocol page: tool calls."""

    file_type: str | None = field("fileType", "str|null/e", default=None)
    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    old_path: str = field("oldPath", "str")
    path: str = field("path", "str")


class DiffPatch(WithMeta):
    """v2 object (stable); protocol page: tool calls."""

    format: str = field("format", "str")
    text: str = field("text", "str")


class ToolCallLocation(WithMeta):
    """v2 object (stable); protocol page: tool calls."""

    path: str = field("path", "str")
    line: int | None = field("line", "uint32(1..4294967295)|null/e", default=None)


class ToolCallCapabilities(WithMeta):
    """v2 object (stable); protocol page: tool calls."""

    cancel: ToolCallCancelCapabilities | None = field("cancel", "ToolCallCancelCapabilities|null/e", default=None)


class ToolCallCancelCapabilities(WithMeta):
    """v2 object (stable); protocol page: cancellation."""


class TerminalUpdate(Model):
    """v2 `sessionUpdate: terminal_update` (stable); protocol page: terminals."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "terminal_update")
    terminal_id: str = field("terminalId", "str")
    command: str | Unset | None = field("command", "str|null/e", default=UNSET)
    cwd: str | Unset | None = field("cwd", "str|null/e", default=UNSET)
    output: TerminalOutput | Unset | None = field("output", "TerminalOutput|null/e", default=UNSET)
    exit_status: TerminalExitStatus | Unset | None = field("exitStatus", "TerminalExitStatus|null/e", default=UNSET)
    size: TerminalSize | Unset | None = field("size", "TerminalSize|null/e", default=UNSET)
    capabilities: TerminalCapabilities | Unset | None = field(
        "capabilities", "TerminalCapabilities|null/ec", default=UNSET
    )
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class TerminalOutput(WithMeta):
    """v2 object (stable); protocol page: terminals."""

    data: str = field("data", "str")


class TerminalExitStatus(WithMeta):
    """v2 object (stable); protocol page: terminals."""

    exit_code: int | None = field("exitCode", "int64|null/e", default=None)
    signal: str | None = field("signal", "str|null/e", default=None)


class TerminalSize(WithMeta):
    """v2 object (stable); protocol page: terminals."""

    cols: int = field("cols", "uint16(1..65535)")
    rows: int = field("rows", "uint16(1..65535)")


class TerminalCapabilities(WithMeta):
    """v2 object (stable); protocol page: terminals."""

    cancel: TerminalCancelCapabilities | None = field("cancel", "TerminalCancelCapabilities|null/e", default=None)


class TerminalCancelCapabilities(WithMeta):
    """v2 object (stable); protocol page: terminals."""


class AddDiffChange(DiffPathChange):
    """v2 `operation: add` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("operation", "add")


class DeleteDiffChange(DiffPathChange):
    """v2 `operation: delete` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("operation", "delete")


class ModifyDiffChange(DiffPathChange):
    """v2 `operation: modify` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("operation", "modify")


class MoveDiffChange(DiffPathPairChange):
    """v2 `operation: move` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("operation", "move")


class CopyDiffChange(DiffPathPairChange):
    """v2 `operation: copy` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("operation", "copy")
