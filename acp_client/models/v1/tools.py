# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v1.enums import ToolCallStatusValue, ToolKindValue
    from acp_client.models.v1.unions import ContentBlock, ToolCallContent


class ToolCallUpdate(WithMeta):
    """v1 `sessionUpdate: tool_call_update` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "tool_call_update")
    tool_call_id: str = field("toolCallId", "str")
    kind: ToolKindValue | None = field("kind", "ToolKind|null/e", default=None)
    status: ToolCallStatusValue | None = field("status", "ToolCallStatus|null/e", default=None)
    title: str | None = field("title", "str|null/e", default=None)
    name: str | None = field("name", "str|null/e", default=None)
    content: Sequence[ToolCallContent] | None = field("content", "[ToolCallContent]|null/es", default=None)
    locations: Sequence[ToolCallLocation] | None = field("locations", "[ToolCallLocation]|null/es", default=None)
    raw_input: Any = field("rawInput", "any/e", default=None)
    raw_output: Any = field("rawOutput", "any/e", default=None)


class Content(WithMeta):
    """v1 `type: content` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("type", "content")
    content: ContentBlock = field("content", "ContentBlock")


class Diff(WithMeta):
    """v1 `type: diff` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("type", "diff")
    path: str = field("path", "str")
    old_text: str | None = field("oldText", "str|null/e", default=None)
    new_text: str = field("newText", "str")


class Terminal(WithMeta):
    """v1 `type: terminal` (stable); protocol page: terminals."""

    TAG: ClassVar[tuple[str, str]] = ("type", "terminal")
    terminal_id: str = field("terminalId", "str")


class ToolCallLocation(WithMeta):
    """v1 object (stable); protocol page: tool calls."""

    path: str = field("path", "str")
    line: int | None = field("line", "uint32|null/e", default=None)


class ToolCall(WithMeta):
    """v1 `sessionUpdate: tool_call` (stable); protocol page: tool calls."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "tool_call")
    tool_call_id: str = field("toolCallId", "str")
    title: str = field("title", "str")
    name: str | None = field("name", "str|null/e", default=None)
    kind: ToolKindValue | None = field("kind", "ToolKind/e", default=None)
    status: ToolCallStatusValue | None = field("status", "ToolCallStatus/e", default=None)
    content: Sequence[ToolCallContent] = field("content", "[ToolCallContent]/es", default=())
    locations: Sequence[ToolCallLocation] = field("locations", "[ToolCallLocation]/es", default=())
    raw_input: Any = field("rawInput", "any/e", default=None)
    raw_output: Any = field("rawOutput", "any/e", default=None)
