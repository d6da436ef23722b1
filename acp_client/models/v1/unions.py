# Generated, see __init__.py. Do not edit.
"""Unions of protocol v1: the Python types, and how their variants are told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from acp_client.models.base import Unknown
from acp_client.models.shapes import KeyedUnion, ListUnion, TaggedUnion, Union
from acp_client.models.v1.client import CancelledPermissionOutcome, SelectedPermissionOutcome
from acp_client.models.v1.config import (
    SessionConfigBoolean,
    SessionConfigSelect,
    SessionConfigSelectGroup,
    SessionConfigSelectOption,
    SetSessionConfigOptionBooleanRequest,
    SetSessionConfigOptionIdRequest,
)
from acp_client.models.v1.content import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from acp_client.models.v1.elicitation import (
    BooleanPropertySchema,
    ElicitationAcceptAction,
    ElicitationCancelAction,
    ElicitationDeclineAction,
    ElicitationFormMode,
    ElicitationUrlMode,
    IntegerPropertySchema,
    MultiSelectPropertySchema,
    NumberPropertySchema,
    StringMultiSelectItems,
    StringPropertySchema,
    TitledMultiSelectItems,
)
from acp_client.models.v1.initialize import AuthMethodAgent, AuthMethodTerminal
from acp_client.models.v1.session import (
    McpServerAcp,
    McpServerHttp,
    McpServerSse,
    McpServerStdio,
    MessageMcpError,
    MessageMcpResult,
)
from acp_client.models.v1.tools import Content, Diff, Terminal, ToolCall, ToolCallUpdate
from acp_client.models.v1.updates import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    IdleStateUpdate,
    Notice,
    Plan,
    PlanFile,
    PlanItems,
    PlanMarkdown,
    PlanRemoved,
    PlanUpdate,
    RequiresActionStateUpdate,
    RunningStateUpdate,
    SessionInfoUpdate,
    SessionMessage,
    SessionMessageChunk,
    SubagentUpdate,
    UnknownStateUpdate,
    UnstructuredCommandInput,
    UsageUpdate,
    UserMessageChunk,
)


class UnknownCreateElicitationRequest(Unknown):
    """Variant of `CreateElicitationRequest` whose `mode` the v1 schema does not have."""


class UnknownElicitationPropertySchema(Unknown):
    """Variant of `ElicitationPropertySchema` whose `type` the v1 schema does not have."""


class UnknownMultiSelectItems(Unknown):
    """Variant of `MultiSelectItems` whose `type` the v1 schema does not have."""


class OtherStateUpdate(Unknown):
    """Variant of `StateUpdate` whose `state` the v1 schema does not have."""


class UnknownCreateElicitationResponse(Unknown):
    """Variant of `CreateElicitationResponse` whose `action` the v1 schema does not have."""


ToolCallContent: TypeAlias = Content | Diff | Terminal
ContentBlock: TypeAlias = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
EmbeddedResourceResource: TypeAlias = TextResourceContents | BlobResourceContents
CreateElicitationRequest: TypeAlias = ElicitationFormMode | ElicitationUrlMode | UnknownCreateElicitationRequest
ElicitationPropertySchema: TypeAlias = (
    StringPropertySchema
    | NumberPropertySchema
    | IntegerPropertySchema
    | BooleanPropertySchema
    | MultiSelectPropertySchema
    | UnknownElicitationPropertySchema
)
MultiSelectItems: TypeAlias = StringMultiSelectItems | TitledMultiSelectItems | UnknownMultiSelectItems
AuthMethod: TypeAlias = AuthMethodTerminal | AuthMethodAgent
SessionConfigOption: TypeAlias = SessionConfigSelect | SessionConfigBoolean
SessionConfigSelectOptions: TypeAlias = Sequence[SessionConfigSelectOption] | Sequence[SessionConfigSelectGroup]
SessionUpdate: TypeAlias = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCall
    | ToolCallUpdate
    | Plan
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | SessionMessage
    | SessionMessageChunk
)
PlanUpdateContent: TypeAlias = PlanItems | PlanFile | PlanMarkdown
StateUpdate: TypeAlias = (
    RunningStateUpdate | IdleStateUpdate | RequiresActionStateUpdate | UnknownStateUpdate | OtherStateUpdate
)
McpServer: TypeAlias = McpServerHttp | McpServerSse | McpServerAcp | McpServerStdio
SetSessionConfigOptionRequest: TypeAlias = SetSessionConfigOptionBooleanRequest | SetSessionConfigOptionIdRequest
RequestPermissionOutcome: TypeAlias = CancelledPermissionOutcome | SelectedPermissionOutcome
CreateElicitationResponse: TypeAlias = (
    ElicitationAcceptAction | ElicitationDeclineAction | ElicitationCancelAction | UnknownCreateElicitationResponse
)
MessageMcpResponse: TypeAlias = MessageMcpResult | MessageMcpError

AvailableCommandInput: TypeAlias = UnstructuredCommandInput

UNIONS: dict[str, Union] = {
    u.name: u
    for u in (
        TaggedUnion(
            "ToolCallContent", ToolCallContent, "type", {"content": Content, "diff": Diff, "terminal": Terminal}
        ),
        TaggedUnion(
            "ContentBlock",
            ContentBlock,
            "type",
            {
                "text": TextContent,
                "image": ImageContent,
                "audio": AudioContent,
                "resource_link": ResourceLink,
                "resource": EmbeddedResource,
            },
        ),
        KeyedUnion(
            "EmbeddedResourceResource",
            EmbeddedResourceResource,
            {"text": TextResourceContents, "blob": BlobResourceContents},
        ),
        TaggedUnion(
            "CreateElicitationRequest",
            CreateElicitationRequest,
            "mode",
            {"form": ElicitationFormMode, "url": ElicitationUrlMode},
            other=UnknownCreateElicitationRequest,
            other_required={"message": "str"},
            other_scopes=2,
        ),
        TaggedUnion(
            "ElicitationPropertySchema",
            ElicitationPropertySchema,
            "type",
            {
                "string": StringPropertySchema,
                "number": NumberPropertySchema,
                "integer": IntegerPropertySchema,
                "boolean": BooleanPropertySchema,
                "array": MultiSelectPropertySchema,
            },
            other=UnknownElicitationPropertySchema,
        ),
        TaggedUnion(
            "MultiSelectItems",
            MultiSelectItems,
            "type",
            {"string": StringMultiSelectItems},
            other=UnknownMultiSelectItems,
            untagged=TitledMultiSelectItems,
        ),
        TaggedUnion(
            "AuthMethod",
            AuthMethod,
            "type",
            {"terminal": AuthMethodTerminal},
            untagged=AuthMethodAgent,
            untagged_takes_all=True,
        ),
        TaggedUnion(
            "SessionConfigOption",
            SessionConfigOption,
            "type",
            {"select": SessionConfigSelect, "boolean": SessionConfigBoolean},
        ),
        ListUnion(
            "SessionConfigSelectOptions",
            SessionConfigSelectOptions,
            (
                SessionConfigSelectOption,
                SessionConfigSelectGroup,
            ),
            0,
        ),
        TaggedUnion(
            "SessionUpdate",
            SessionUpdate,
            "sessionUpdate",
            {
                "user_message_chunk": UserMessageChunk,
                "agent_message_chunk": AgentMessageChunk,
                "agent_thought_chunk": AgentThoughtChunk,
                "tool_call": ToolCall,
                "tool_call_update": ToolCallUpdate,
                "plan": Plan,
                "plan_update": PlanUpdate,
                "plan_removed": PlanRemoved,
                "available_commands_update": AvailableCommandsUpdate,
                "current_mode_update": CurrentModeUpdate,
                "config_option_update": ConfigOptionUpdate,
                "session_info_update": SessionInfoUpdate,
                "usage_update": UsageUpdate,
                "notice": Notice,
                "compaction_update": CompactionUpdate,
                "compaction_summary_chunk": CompactionSummaryChunk,
                "subagent_update": SubagentUpdate,
                "session_message": SessionMessage,
                "session_message_chunk": SessionMessageChunk,
            },
        ),
        TaggedUnion(
            "PlanUpdateContent",
            PlanUpdateContent,
            "type",
            {"items": PlanItems, "file": PlanFile, "markdown": PlanMarkdown},
        ),
        TaggedUnion(
            "StateUpdate",
            StateUpdate,
            "state",
            {
                "running": RunningStateUpdate,
                "idle": IdleStateUpdate,
                "requires_action": RequiresActionStateUpdate,
                "unknown": UnknownStateUpdate,
            },
            other=OtherStateUpdate,
        ),
        TaggedUnion(
            "McpServer",
            McpServer,
            "type",
            {"http": McpServerHttp, "sse": McpServerSse, "acp": McpServerAcp},
            untagged=McpServerStdio,
            untagged_takes_all=True,
        ),
        TaggedUnion(
            "SetSessionConfigOptionRequest",
            SetSessionConfigOptionRequest,
            "type",
            {"boolean": SetSessionConfigOptionBooleanRequest},
            untagged=SetSessionConfigOptionIdRequest,
            untagged_takes_all=True,
        ),
        TaggedUnion(
            "RequestPermissionOutcome",
            RequestPermissionOutcome,
            "outcome",
            {"cancelled": CancelledPermissionOutcome, "selected": SelectedPermissionOutcome},
        ),
        TaggedUnion(
            "CreateElicitationResponse",
            CreateElicitationResponse,
            "action",
            {"accept": ElicitationAcceptAction, "decline": ElicitationDeclineAction, "cancel": ElicitationCancelAction},
            other=UnknownCreateElicitationResponse,
        ),
        KeyedUnion("MessageMcpResponse", MessageMcpResponse, {"result": MessageMcpResult, "error": MessageMcpError}),
    )
}
"""How each union is told apart, by its name."""
