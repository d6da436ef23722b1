# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import UNSET, Model, Unset, WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v2.unions import (
        AvailableCommand,
        AvailableCommandInput,
        BackgroundWork,
        ContentBlock,
        PlanUpdateContent,
        SessionConfigOption,
        SessionUpdate,
        StateUpdate,
        ToolCallContent,
    )


class Command(WithMeta):
    """v2 `type: command` (stable); protocol page: slash commands."""

    TAG: ClassVar[tuple[str, str]] = ("type", "command")
    name: str = field("name", "str")
    description: str = field("description", "str")
    input: AvailableCommandInput | None = field("input", "AvailableCommandInput|null/e", default=None)


class TextCommandInput(WithMeta):
    """v2 `type: text` (stable); protocol page: slash commands."""

    TAG: ClassVar[tuple[str, str]] = ("type", "text")
    hint: str = field("hint", "str")


class RunningStateUpdate(WithMeta):
    """v2 `state: running` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("state", "running")
    background: Sequence[BackgroundWork] | None = field("background", "[BackgroundWork]|null/e", default=None)


class IdleStateUpdate(WithMeta):
    """v2 `state: idle` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("state", "idle")
    usage: Usage | None = field("usage", "Usage|null/e", default=None, unstable=True)
    background: Sequence[BackgroundWork] | None = field("background", "[BackgroundWork]|null/e", default=None)
    stop_reason: str | None = field("stopReason", "str|null/e", default=None)
    error: Error | None = field("error", "Error|null/e", default=None)


class RequiresActionStateUpdate(WithMeta):
    """v2 `state: requires_action` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("state", "requires_action")
    background: Sequence[BackgroundWork] | None = field("background", "[BackgroundWork]|null/e", default=None)


class UnknownStateUpdate(WithMeta):
    """v2 `state: unknown` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("state", "unknown")
    UNSTABLE: ClassVar[bool] = True
    background: Sequence[BackgroundWork] | None = field("background", "[BackgroundWork]|null/e", default=None)


class BackgroundTerminal(WithMeta):
    """v2 `type: terminal` (stable); protocol page: terminals."""

    TAG: ClassVar[tuple[str, str]] = ("type", "terminal")
    terminal_id: str = field("terminalId", "str")


class BackgroundToolCall(WithMeta):
    """v2 `type: tool_call` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("type", "tool_call")
    tool_call_id: str = field("toolCallId", "str")


class BackgroundSubagent(WithMeta):
    """v2 `type: subagent` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("type", "subagent")
    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")


class Error(WithMeta):
    """v2 object (stable); protocol page: errors."""

    code: int = field("code", "int32")
    message: str = field("message", "str")
    data: Any = field("data", "any|null/e", default=None)


class Usage(WithMeta):
    """v2 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    total_tokens: int = field("totalTokens", "uint64")
    input_tokens: int = field("inputTokens", "uint64")
    output_tokens: int = field("outputTokens", "uint64")
    thought_tokens: int | None = field("thoughtTokens", "uint64|null/e", default=None)
    cached_read_tokens: int | None = field("cachedReadTokens", "uint64|null/e", default=None)
    cached_write_tokens: int | None = field("cachedWriteTokens", "uint64|null/e", default=None)


class UpdateSessionNotification(WithMeta):
    """v2 params of `session/update` (stable); protocol page: prompt turn."""

    session_id: str = field("sessionId", "str")
    update: SessionUpdate = field("update", "SessionUpdate")


class ContentChunk(WithMeta):
    """v2 object (stable); protocol page: prompt turn."""

    message_id: str = field("messageId", "str")
    content: ContentBlock = field("content", "ContentBlock")


class UserMessage(Model):
    """v2 `sessionUpdate: user_message` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "user_message")
    message_id: str = field("messageId", "str")
    content: Sequence[ContentBlock] | Unset | None = field("content", "[ContentBlock]|null/es", default=UNSET)
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class AgentMessage(Model):
    """v2 `sessionUpdate: agent_message` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "agent_message")
    message_id: str = field("messageId", "str")
    content: Sequence[ContentBlock] | Unset | None = field("content", "[ContentBlock]|null/es", default=UNSET)
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class AgentThought(Model):
    """v2 `sessionUpdate: agent_thought` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "agent_thought")
    message_id: str = field("messageId", "str")
    content: Sequence[ContentBlock] | Unset | None = field("content", "[ContentBlock]|null/es", default=UNSET)
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class ToolCallContentChunk(WithMeta):
    """v2 `sessionUpdate: tool_call_content_chunk` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "tool_call_content_chunk")
    tool_call_id: str = field("toolCallId", "str")
    content: ToolCallContent = field("content", "ToolCallContent")


class TerminalOutputChunk(WithMeta):
    """v2 `sessionUpdate: terminal_output_chunk` (stable); protocol page: terminals."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "terminal_output_chunk")
    terminal_id: str = field("terminalId", "str")
    data: str = field("data", "str")


class PlanUpdate(WithMeta):
    """v2 `sessionUpdate: plan_update` (stable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "plan_update")
    plan: PlanUpdateContent = field("plan", "PlanUpdateContent")


class PlanRemoved(WithMeta):
    """v2 `sessionUpdate: plan_removed` (unstable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "plan_removed")
    UNSTABLE: ClassVar[bool] = True
    plan_id: str = field("planId", "str")


class AvailableCommandsUpdate(WithMeta):
    """v2 `sessionUpdate: available_commands_update` (stable); protocol page: slash commands."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "available_commands_update")
    available_commands: Sequence[AvailableCommand] = field("availableCommands", "[AvailableCommand]/s")


class ConfigOptionUpdate(WithMeta):
    """v2 `sessionUpdate: config_option_update` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "config_option_update")
    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/s")


class SessionInfoUpdate(Model):
    """v2 `sessionUpdate: session_info_update` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "session_info_update")
    title: str | Unset | None = field("title", "str|null/e", default=UNSET)
    updated_at: str | Unset | None = field("updatedAt", "str|null/e", default=UNSET)
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class UsageUpdate(WithMeta):
    """v2 `sessionUpdate: usage_update` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "usage_update")
    used: int = field("used", "uint64")
    size: int = field("size", "uint64")
    cost: Cost | Unset | None = field("cost", "Cost|null/e", default=UNSET)


class Notice(WithMeta):
    """v2 `sessionUpdate: notice` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "notice")
    severity: str = field("severity", "str")
    title: str = field("title", "str+")
    description: str | None = field("description", "str|null/e", default=None)


class CompactionUpdate(Model):
    """v2 `sessionUpdate: compaction_update` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "compaction_update")
    compaction_id: str = field("compactionId", "str")
    status: str = field("status", "str")
    summary: Sequence[ContentBlock] | Unset | None = field("summary", "[ContentBlock]|null/es", default=UNSET)
    error: str | Unset | None = field("error", "str|null/e", default=UNSET)
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class CompactionSummaryChunk(WithMeta):
    """v2 `sessionUpdate: compaction_summary_chunk` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "compaction_summary_chunk")
    compaction_id: str = field("compactionId", "str")
    content: ContentBlock = field("content", "ContentBlock")


class SubagentUpdate(Model):
    """v2 `sessionUpdate: subagent_update` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "subagent_update")
    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    title: str | Unset | None = field("title", "str|null/e", default=UNSET)
    description: str | Unset | None = field("description", "str|null/e", default=UNSET)
    capabilities: SubagentSessionCapabilities | Unset | None = field(
        "capabilities", "SubagentSessionCapabilities|null/e", default=UNSET
    )
    state: StateUpdate | Unset | None = field("state", "StateUpdate|null/e", default=UNSET)
    cwd: str | Unset | None = field("cwd", "str|null", default=UNSET)
    additional_directories: Sequence[str] | Unset | None = field("additionalDirectories", "[str]|null", default=UNSET)
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class SessionMessage(Model):
    """v2 `sessionUpdate: session_message` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "session_message")
    UNSTABLE: ClassVar[bool] = True
    message_id: str = field("messageId", "str")
    sender_session_id: str | Unset | None = field("senderSessionId", "str|null/e", default=UNSET)
    recipient_session_id: str | Unset | None = field("recipientSessionId", "str|null/e", default=UNSET)
    sender_message_id: str | Unset | None = field("senderMessageId", "str|null/e", default=UNSET)
    recipient_message_id: str | Unset | None = field("recipientMessageId", "str|null/e", default=UNSET)
    content: Sequence[ContentBlock] | Unset | None = field("content", "[ContentBlock]|null/es", default=UNSET)
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class SessionMessageChunk(WithMeta):
    """v2 `sessionUpdate: session_message_chunk` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "session_message_chunk")
    UNSTABLE: ClassVar[bool] = True
    message_id: str = field("messageId", "str")
    content: ContentBlock = field("content", "ContentBlock")


class PlanItems(WithMeta):
    """v2 `type: items` (stable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("type", "items")
    plan_id: str = field("planId", "str")
    entries: Sequence[PlanEntry] = field("entries", "[PlanEntry]/s")


class PlanFile(WithMeta):
    """v2 `type: file` (unstable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("type", "file")
    UNSTABLE: ClassVar[bool] = True
    plan_id: str = field("planId", "str")
    uri: str = field("uri", "str")


class PlanMarkdown(WithMeta):
    """v2 `type: markdown` (unstable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("type", "markdown")
    UNSTABLE: ClassVar[bool] = True
    plan_id: str = field("planId", "str")
    content: str = field("content", "str")


class PlanEntry(WithMeta):
    """v2 object (stable); protocol page: agent plan."""

    content: str = field("content", "str")
    priority: str = field("priority", "str")
    status: str = field("status", "str")


class Cost(WithMeta):
    """v2 object (stable); protocol page: prompt turn."""

    amount: float = field("amount", "double")
    currency: str = field("currency", "str")


class SubagentSessionCapabilities(WithMeta):
    """v2 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    cancel: SessionCancelCapabilities | None = field("cancel", "SessionCancelCapabilities|null/e", default=None)


class SessionCancelCapabilities(WithMeta):
    """v2 object (unstable); protocol page: cancellation."""

    UNSTABLE: ClassVar[bool] = True


class UserMessageChunk(ContentChunk):
    """v2 `sessionUpdate: user_message_chunk` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "user_message_chunk")


class AgentMessageChunk(ContentChunk):
    """v2 `sessionUpdate: agent_message_chunk` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "agent_message_chunk")


class AgentThoughtChunk(ContentChunk):
    """v2 `sessionUpdate: agent_thought_chunk` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "agent_thought_chunk")
