# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import UNSET, Model, Unset, WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v1.enums import PlanEntryPriorityValue, PlanEntryStatusValue
    from acp_client.models.v1.unions import (
        ContentBlock,
        PlanUpdateContent,
        SessionConfigOption,
        SessionUpdate,
        StateUpdate,
    )


class Usage(WithMeta):
    """v1 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    total_tokens: int = field("totalTokens", "uint64")
    input_tokens: int = field("inputTokens", "uint64")
    output_tokens: int = field("outputTokens", "uint64")
    thought_tokens: int | None = field("thoughtTokens", "uint64|null/e", default=None)
    cached_read_tokens: int | None = field("cachedReadTokens", "uint64|null/e", default=None)
    cached_write_tokens: int | None = field("cachedWriteTokens", "uint64|null/e", default=None)


class Error(WithMeta):
    """v1 object (stable); protocol page: errors."""

    code: int = field("code", "int32")
    message: str = field("message", "str")
    data: Any = field("data", "any/e", default=None)


class SessionNotification(WithMeta):
    """v1 params of `session/update` (stable); protocol page: prompt turn."""

    session_id: str = field("sessionId", "str")
    update: SessionUpdate = field("update", "SessionUpdate")


class ContentChunk(WithMeta):
    """v1 object (stable); protocol page: prompt turn."""

    content: ContentBlock = field("content", "ContentBlock")
    message_id: str | None = field("messageId", "str|null/e", default=None)


class Plan(WithMeta):
    """v1 `sessionUpdate: plan` (stable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "plan")
    entries: Sequence[PlanEntry] = field("entries", "[PlanEntry]/es")


class PlanUpdate(WithMeta):
    """v1 `sessionUpdate: plan_update` (unstable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "plan_update")
    UNSTABLE: ClassVar[bool] = True
    plan: PlanUpdateContent = field("plan", "PlanUpdateContent")


class PlanRemoved(WithMeta):
    """v1 `sessionUpdate: plan_removed` (unstable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "plan_removed")
    UNSTABLE: ClassVar[bool] = True
    plan_id: str = field("planId", "str")


class AvailableCommandsUpdate(WithMeta):
    """v1 `sessionUpdate: available_commands_update` (stable); protocol page: slash commands."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "available_commands_update")
    available_commands: Sequence[AvailableCommand] = field("availableCommands", "[AvailableCommand]/es")


class CurrentModeUpdate(WithMeta):
    """v1 `sessionUpdate: current_mode_update` (stable); protocol page: session modes."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "current_mode_update")
    current_mode_id: str = field("currentModeId", "str")


class ConfigOptionUpdate(WithMeta):
    """v1 `sessionUpdate: config_option_update` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "config_option_update")
    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/es")


class SessionInfoUpdate(WithMeta):
    """v1 `sessionUpdate: session_info_update` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "session_info_update")
    title: str | Unset | None = field("title", "str|null/e", default=UNSET)
    updated_at: str | Unset | None = field("updatedAt", "str|null/e", default=UNSET)


class UsageUpdate(WithMeta):
    """v1 `sessionUpdate: usage_update` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "usage_update")
    used: int = field("used", "uint64")
    size: int = field("size", "uint64")
    cost: Cost | None = field("cost", "Cost|null/e", default=None)


class Notice(WithMeta):
    """v1 `sessionUpdate: notice` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "notice")
    severity: str = field("severity", "str")
    title: str = field("title", "str+")
    description: str | None = field("description", "str|null/e", default=None)


class CompactionUpdate(Model):
    """v1 `sessionUpdate: compaction_update` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "compaction_update")
    compaction_id: str = field("compactionId", "str")
    status: str = field("status", "str")
    summary: Sequence[ContentBlock] | Unset | None = field("summary", "[ContentBlock]|null/es", default=UNSET)
    error: str | Unset | None = field("error", "str|null/e", default=UNSET)
    meta: dict[str, Any] | Unset | None = field("_meta", "object|null/e", default=UNSET)


class CompactionSummaryChunk(WithMeta):
    """v1 `sessionUpdate: compaction_summary_chunk` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "compaction_summary_chunk")
    compaction_id: str = field("compactionId", "str")
    content: ContentBlock = field("content", "ContentBlock")


class SubagentUpdate(Model):
    """v1 `sessionUpdate: subagent_update` (unstable); protocol page: prompt turn."""

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
    """v1 `sessionUpdate: session_message` (unstable); protocol page: prompt turn."""

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
    """v1 `sessionUpdate: session_message_chunk` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "session_message_chunk")
    UNSTABLE: ClassVar[bool] = True
    message_id: str = field("messageId", "str")
    content: ContentBlock = field("content", "ContentBlock")


class PlanEntry(WithMeta):
    """v1 object (stable); protocol page: agent plan."""

    content: str = field("content", "str")
    priority: PlanEntryPriorityValue = field("priority", "PlanEntryPriority")
    status: PlanEntryStatusValue = field("status", "PlanEntryStatus")


class PlanItems(WithMeta):
    """v1 `type: items` (unstable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("type", "items")
    UNSTABLE: ClassVar[bool] = True
    plan_id: str = field("planId", "str")
    entries: Sequence[PlanEntry] = field("entries", "[PlanEntry]/es")


class PlanFile(WithMeta):
    """v1 `type: file` (unstable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("type", "file")
    UNSTABLE: ClassVar[bool] = True
    plan_id: str = field("planId", "str")
    uri: str = field("uri", "str")


class PlanMarkdown(WithMeta):
    """v1 `type: markdown` (unstable); protocol page: agent plan."""

    TAG: ClassVar[tuple[str, str]] = ("type", "markdown")
    UNSTABLE: ClassVar[bool] = True
    plan_id: str = field("planId", "str")
    content: str = field("content", "str")


class AvailableCommand(WithMeta):
    """v1 object (stable); protocol page: slash commands."""

    name: str = field("name", "str")
    description: str = field("description", "str")
    input: UnstructuredCommandInput | None = field("input", "UnstructuredCommandInput|null/e", default=None)


class UnstructuredCommandInput(WithMeta):
    """v1 object (stable); protocol page: slash commands."""

    hint: str = field("hint", "str")


class Cost(WithMeta):
    """v1 object (stable); protocol page: prompt turn."""

    amount: float = field("amount", "double")
    currency: str = field("currency", "str")


class SubagentSessionCapabilities(WithMeta):
    """v1 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    cancel: SessionCancelCapabilities | None = field("cancel", "SessionCancelCapabilities|null/e", default=None)


class SessionCancelCapabilities(WithMeta):
    """v1 object (unstable); protocol page: cancellation."""

    UNSTABLE: ClassVar[bool] = True


class RunningStateUpdate(WithMeta):
    """v1 `state: running` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("state", "running")
    UNSTABLE: ClassVar[bool] = True


class IdleStateUpdate(WithMeta):
    """v1 `state: idle` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("state", "idle")
    UNSTABLE: ClassVar[bool] = True
    usage: Usage | None = field("usage", "Usage|null/e", default=None)
    stop_reason: str | None = field("stopReason", "str|null/e", default=None)
    error: Error | None = field("error", "Error|null/e", default=None)


class RequiresActionStateUpdate(WithMeta):
    """v1 `state: requires_action` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("state", "requires_action")
    UNSTABLE: ClassVar[bool] = True


class UnknownStateUpdate(WithMeta):
    """v1 `state: unknown` (unstable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("state", "unknown")
    UNSTABLE: ClassVar[bool] = True


class UserMessageChunk(ContentChunk):
    """v1 `sessionUpdate: user_message_chunk` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "user_message_chunk")


class AgentMessageChunk(ContentChunk):
    """v1 `sessionUpdate: agent_message_chunk` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "agent_message_chunk")


class AgentThoughtChunk(ContentChunk):
    """v1 `sessionUpdate: agent_thought_chunk` (stable); protocol page: prompt turn."""

    TAG: ClassVar[tuple[str, str]] = ("sessionUpdate", "agent_thought_chunk")
