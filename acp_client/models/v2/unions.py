# Generated, see __init__.py. Do not edit.
"""Unions of protocol v2: the Python types, and how their variants are told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from acp_client.models.base import Unknown
from acp_client.models.shapes import KeyedUnion, ListUnion, TaggedUnion, Union
from acp_client.models.v2.client import (
    CancelledPermissionOutcome,
    CommandPermissionSubject,
    SelectedPermissionOutcome,
    ToolCallPermissionSubject,
)
from acp_client.models.v2.config import (
    SessionConfigBoolean,
    SessionConfigSelect,
    SessionConfigSelectGroup,
    SessionConfigSelectOption,
    SetSessionConfigOptionBooleanRequest,
    SetSessionConfigOptionIdRequest,
)
from acp_client.models.v2.content import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from acp_client.models.v2.elicitation import (
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
from acp_client.models.v2.initialize import AuthMethodAgent, AuthMethodTerminal
from acp_client.models.v2.session import (
    McpServerAcp,
    McpServerHttp,
    McpServerStdio,
    MessageMcpError,
    MessageMcpResult,
    ReplayFromStart,
)
from acp_client.models.v2.tools import (
    AddDiffChange,
    Content,
    CopyDiffChange,
    DeleteDiffChange,
    Diff,
    ModifyDiffChange,
    MoveDiffChange,
    Terminal,
    TerminalUpdate,
    ToolCallUpdate,
)
from acp_client.models.v2.updates import (
    AgentMessage,
    AgentMessageChunk,
    AgentThought,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    BackgroundSubagent,
    BackgroundTerminal,
    BackgroundToolCall,
    Command,
    CompactionSummaryChunk,
    CompactionUpdate,
    ConfigOptionUpdate,
    IdleStateUpdate,
    Notice,
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
    TerminalOutputChunk,
    TextCommandInput,
    ToolCallContentChunk,
    UnknownStateUpdate,
    UsageUpdate,
    UserMessage,
    UserMessageChunk,
)


class UnknownRequestPermissionSubject(Unknown):
    """Variant of `RequestPermissionSubject` whose `type` the v2 schema does not have."""


class UnknownToolCallContent(Unknown):
    """Variant of `ToolCallContent` whose `type` the v2 schema does not have."""


class UnknownContentBlock(Unknown):
    """Variant of `ContentBlock` whose `type` the v2 schema does not have."""


class UnknownDiffChange(Unknown):
    """Variant of `DiffChange` whose `operation` the v2 schema does not have."""


class UnknownCreateElicitationRequest(Unknown):
    """Variant of `CreateElicitationRequest` whose `mode` the v2 schema does not have."""


class UnknownElicitationPropertySchema(Unknown):
    """Variant of `ElicitationPropertySchema` whose `type` the v2 schema does not have."""


class UnknownMultiSelectItems(Unknown):
    """Variant of `MultiSelectItems` whose `type` the v2 schema does not have."""


class UnknownAuthMethod(Unknown):
    """Variant of `AuthMethod` whose `type` the v2 schema does not have."""


class UnknownSessionConfigOption(Unknown):
    """Variant of `SessionConfigOption` whose `type` the v2 schema does not have."""


class UnknownAvailableCommand(Unknown):
    """Variant of `AvailableCommand` whose `type` the v2 schema does not have."""


class UnknownAvailableCommandInput(Unknown):
    """Variant of `AvailableCommandInput` whose `type` the v2 schema does not have."""


class OtherStateUpdate(Unknown):
    """Variant of `StateUpdate` whose `state` the v2 schema does not have."""


class UnknownBackgroundWork(Unknown):
    """Variant of `BackgroundWork` whose `type` the v2 schema does not have."""


class UnknownSessionUpdate(Unknown):
    """Variant of `SessionUpdate` whose `sessionUpdate` the v2 schema does not have."""


class UnknownPlanUpdateContent(Unknown):
    """Variant of `PlanUpdateContent` whose `type` the v2 schema does not have."""


class UnknownMcpServer(Unknown):
    """Variant of `McpServer` whose `type` the v2 schema does not have."""


class UnknownReplayFrom(Unknown):
    """Variant of `ReplayFrom` whose `type` the v2 schema does not have."""


class UnknownSetSessionConfigOptionRequest(Unknown):
    """Variant of `SetSessionConfigOptionRequest` whose `type` the v2 schema does not have."""


class UnknownRequestPermissionOutcome(Unknown):
    """Variant of `RequestPermissionOutcome` whose `outcome` the v2 schema does not have."""


class UnknownCreateElicitationResponse(Unknown):
    """Variant of `CreateElicitationResponse` whose `action` the v2 schema does not have."""


RequestPermissionSubject: TypeAlias = (
    ToolCallPermissionSubject | CommandPermissionSubject | UnknownRequestPermissionSubject
)
ToolCallContent: TypeAlias = Content | Diff | Terminal | UnknownToolCallContent
ContentBlock: TypeAlias = (
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource | UnknownContentBlock
)
EmbeddedResourceResource: TypeAlias = TextResourceContents | BlobResourceContents
DiffChange: TypeAlias = (
    AddDiffChange | DeleteDiffChange | ModifyDiffChange | MoveDiffChange | CopyDiffChange | UnknownDiffChange
)
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
AuthMethod: TypeAlias = AuthMethodTerminal | AuthMethodAgent | UnknownAuthMethod
SessionConfigOption: TypeAlias = SessionConfigSelect | SessionConfigBoolean | UnknownSessionConfigOption
SessionConfigSelectOptions: TypeAlias = Sequence[SessionConfigSelectOption] | Sequence[SessionConfigSelectGroup]
AvailableCommand: TypeAlias = Command | UnknownAvailableCommand
AvailableCommandInput: TypeAlias = TextCommandInput | UnknownAvailableCommandInput
StateUpdate: TypeAlias = (
    RunningStateUpdate | IdleStateUpdate | RequiresActionStateUpdate | UnknownStateUpdate | OtherStateUpdate
)
BackgroundWork: TypeAlias = BackgroundTerminal | BackgroundToolCall | BackgroundSubagent | UnknownBackgroundWork
PlanUpdateContent: TypeAlias = PlanItems | PlanFile | PlanMarkdown | UnknownPlanUpdateContent
McpServer: TypeAlias = McpServerHttp | McpServerAcp | McpServerStdio | UnknownMcpServer
ReplayFrom: TypeAlias = ReplayFromStart | UnknownReplayFrom
SetSessionConfigOptionRequest: TypeAlias = (
    SetSessionConfigOptionIdRequest | SetSessionConfigOptionBooleanRequest | UnknownSetSessionConfigOptionRequest
)
RequestPermissionOutcome: TypeAlias = (
    CancelledPermissionOutcome | SelectedPermissionOutcome | UnknownRequestPermissionOutcome
)
CreateElicitationResponse: TypeAlias = (
    ElicitationAcceptAction | ElicitationDeclineAction | ElicitationCancelAction | UnknownCreateElicitationResponse
)
MessageMcpResponse: TypeAlias = MessageMcpResult | MessageMcpError
SessionUpdate: TypeAlias = (
    UserMessageChunk
    | UserMessage
    | AgentMessageChunk
    | AgentMessage
    | AgentThoughtChunk
    | AgentThought
    | StateUpdate
    | ToolCallContentChunk
    | ToolCallUpdate
    | TerminalUpdate
    | TerminalOutputChunk
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | SessionMessage
    | SessionMessageChunk
    | UnknownSessionUpdate
)


UNIONS: dict[str, Union] = {
    u.name: u
    for u in (
        TaggedUnion(
            "RequestPermissionSubject",
            RequestPermissionSubject,
            "type",
            {"tool_call": ToolCallPermissionSubject, "command": CommandPermissionSubject},
            other=UnknownRequestPermissionSubject,
        ),
        TaggedUnion(
            "ToolCallContent",
            ToolCallContent,
            "type",
            {"content": Content, "diff": Diff, "terminal": Terminal},
            other=UnknownToolCallContent,
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
            other=UnknownContentBlock,
        ),
        KeyedUnion(
            "EmbeddedResourceResource",
            EmbeddedResourceResource,
            {"text": TextResourceContents, "blob": BlobResourceContents},
        ),
        TaggedUnion(
            "DiffChange",
            DiffChange,
            "operation",
            {
                "add": AddDiffChange,
                "delete": DeleteDiffChange,
                "modify": ModifyDiffChange,
                "move": MoveDiffChange,
                "copy": CopyDiffChange,
            },
            other=UnknownDiffChange,
        ),
        TaggedUnion(
            "CreateElicitationRequest",
            CreateElicitationRequest,
            "mode",
            {"form": ElicitationFormMode, "url": ElicitationUrlMode},
            other=UnknownCreateElicitationRequest,
            other_required={"message": "str"},
            other_scopes=1,
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
            {"terminal": AuthMethodTerminal, "agent": AuthMethodAgent},
            other=UnknownAuthMethod,
            other_required={"methodId": "str", "name": "str"},
        ),
        TaggedUnion(
            "SessionConfigOption",
            SessionConfigOption,
            "type",
            {"select": SessionConfigSelect, "boolean": SessionConfigBoolean},
            other=UnknownSessionConfigOption,
            other_required={"configId": "str", "name": "str"},
        ),
        ListUnion(
            "SessionConfigSelectOptions",
            SessionConfigSelectOptions,
            (
                SessionConfigSelectOption,
                SessionConfigSelectGroup,
            ),
            1,
        ),
        TaggedUnion(
            "AvailableCommand",
            AvailableCommand,
            "type",
            {"command": Command},
            other=UnknownAvailableCommand,
            other_required={"name": "str", "description": "str"},
        ),
        TaggedUnion(
            "AvailableCommandInput",
            AvailableCommandInput,
            "type",
            {"text": TextCommandInput},
            other=UnknownAvailableCommandInput,
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
            "BackgroundWork",
            BackgroundWork,
            "type",
            {"terminal": BackgroundTerminal, "tool_call": BackgroundToolCall, "subagent": BackgroundSubagent},
            other=UnknownBackgroundWork,
        ),
        TaggedUnion(
            "PlanUpdateContent",
            PlanUpdateContent,
            "type",
            {"items": PlanItems, "file": PlanFile, "markdown": PlanMarkdown},
            other=UnknownPlanUpdateContent,
            other_required={"planId": "str"},
        ),
        TaggedUnion(
            "McpServer",
            McpServer,
            "type",
            {"http": McpServerHttp, "acp": McpServerAcp, "stdio": McpServerStdio},
            other=UnknownMcpServer,
        ),
        TaggedUnion("ReplayFrom", ReplayFrom, "type", {"start": ReplayFromStart}, other=UnknownReplayFrom),
        TaggedUnion(
            "SetSessionConfigOptionRequest",
            SetSessionConfigOptionRequest,
            "type",
            {"id": SetSessionConfigOptionIdRequest, "boolean": SetSessionConfigOptionBooleanRequest},
            other=UnknownSetSessionConfigOptionRequest,
            other_required={"sessionId": "str", "configId": "str", "value": "any"},
        ),
        TaggedUnion(
            "RequestPermissionOutcome",
            RequestPermissionOutcome,
            "outcome",
            {"cancelled": CancelledPermissionOutcome, "selected": SelectedPermissionOutcome},
            other=UnknownRequestPermissionOutcome,
        ),
        TaggedUnion(
            "CreateElicitationResponse",
            CreateElicitationResponse,
            "action",
            {"accept": ElicitationAcceptAction, "decline": ElicitationDeclineAction, "cancel": ElicitationCancelAction},
            other=UnknownCreateElicitationResponse,
        ),
        KeyedUnion("MessageMcpResponse", MessageMcpResponse, {"result": MessageMcpResult, "error": MessageMcpError}),
        TaggedUnion(
            "SessionUpdate",
            SessionUpdate,
            "sessionUpdate",
            {
                "user_message_chunk": UserMessageChunk,
                "user_message": UserMessage,
                "agent_message_chunk": AgentMessageChunk,
                "agent_message": AgentMessage,
                "agent_thought_chunk": AgentThoughtChunk,
                "agent_thought": AgentThought,
                "state_update": "StateUpdate",
                "tool_call_content_chunk": ToolCallContentChunk,
                "tool_call_update": ToolCallUpdate,
                "terminal_update": TerminalUpdate,
                "terminal_output_chunk": TerminalOutputChunk,
                "plan_update": PlanUpdate,
                "plan_removed": PlanRemoved,
                "available_commands_update": AvailableCommandsUpdate,
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
            other=UnknownSessionUpdate,
        ),
    )
}
"""How each union is told apart, by its name."""
