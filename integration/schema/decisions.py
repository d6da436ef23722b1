"""What the official schema does not say, or says only in prose, as tables.

Every entry is a decision of ours: which members are patches, which values are secrets, how a variant without a name of
its own is called, and which module and page of the protocol documentation a type belongs to.
"""

from __future__ import annotations

SDK_VERSION = "2.4.0"
"""Version of the npm package @agentclientprotocol/sdk whose schema the models follow."""

MARKS = {
    "x-deserialize-default-on-error": "e",
    "x-deserialize-skip-invalid-items": "s",
    "x-deserialize-default-on-null": "n",
}

LEFT_OUT = {"ExtRequest", "ExtResponse", "ExtNotification", "ProxySuccessorResponse"}
"""Definitions without content."""

AS_SHAPE = {
    "RequestId": {"v1": "id", "v2": "id"},
    "ElicitationContentValue": {"v1": "answer", "v2": "any"},
    "ErrorData": {"v1": "any", "v2": "any"},
}
"""Unions of plain values. Error data is chosen by the error code, so it stays as it came."""

ONE_CLASS = {"IdleStateUpdate"}
"""Unions whose variants differ only in an optional string: one class with that string."""

MERGED_INTO_USERS = ("ErrorStopReason", "ElicitationSessionScope", "ElicitationRequestScope")
"""Definitions whose members always stand in somebody else's object."""

KEYED = {
    "TextResourceContents": "text",
    "BlobResourceContents": "blob",
    "MessageMcpResult": "result",
    "MessageMcpError": "error",
}
"""The member by which a variant without a tag is recognised, in the order in which they are tried."""

INLINE_VARIANTS = {
    ("CreateElicitationResponse", "decline"): "ElicitationDeclineAction",
    ("CreateElicitationResponse", "cancel"): "ElicitationCancelAction",
    ("SetSessionConfigOptionRequest", "id"): "SetSessionConfigOptionIdRequest",
    ("SetSessionConfigOptionRequest", "value_id"): "SetSessionConfigOptionIdRequest",
    ("SetSessionConfigOptionRequest", "boolean"): "SetSessionConfigOptionBooleanRequest",
    ("RequestPermissionOutcome", "cancelled"): "CancelledPermissionOutcome",
    ("MessageMcpResponse", "Result"): "MessageMcpResult",
    ("MessageMcpResponse", "Error"): "MessageMcpError",
}
"""Names of the variants that the schema spells out in place."""

_SUBAGENT = {"title", "description", "capabilities", "state", "cwd", "additionalDirectories", "_meta"}
_MESSAGE = {"senderSessionId", "recipientSessionId", "senderMessageId", "recipientMessageId", "content", "_meta"}

PATCH_FIELDS: dict[str, dict[str, set[str]]] = {
    "v1": {
        "SessionInfoUpdate": {"title", "updatedAt"},
        "CompactionUpdate": {"summary", "error", "_meta"},
        "SubagentUpdate": _SUBAGENT,
        "SessionMessage": _MESSAGE,
        "McpError": {"data"},
    },
    "v2": {
        "ToolCallUpdate": {
            "name", "title", "kind", "status", "content", "locations", "rawInput", "rawOutput", "capabilities", "_meta",
        },
        "UserMessage": {"content", "_meta"},
        "AgentMessage": {"content", "_meta"},
        "AgentThought": {"content", "_meta"},
        "TerminalUpdate": {"command", "cwd", "output", "exitStatus", "size", "capabilities", "_meta"},
        "SessionInfoUpdate": {"title", "updatedAt", "_meta"},
        "CompactionUpdate": {"summary", "error", "_meta"},
        "UsageUpdate": {"cost"},
        "SubagentUpdate": _SUBAGENT,
        "SessionMessage": _MESSAGE,
        "McpError": {"data"},
    },
}  # fmt: skip
"""Members for which omitted, null and a value are three different things."""

CLEARED_ON_ERROR = {("v2", "ToolCallUpdate", "capabilities"), ("v2", "TerminalUpdate", "capabilities")}
"""Members whose invalid value means "no controls", not "as before"."""

SECRETS = {
    ("EnvVariable", "value"),
    ("HttpHeader", "value"),
    ("SetProviderRequest", "headers"),
    ("AuthMethodTerminal", "env"),
    ("ElicitationAcceptAction", "content"),
}
"""Members that `repr` hides."""

MODULES: dict[str, tuple[str, ...]] = {
    "content": ("ContentBlock",),
    "tools": ("ToolCallContent", "ToolCallUpdate", "ToolCall", "TerminalUpdate"),
    "config": ("SessionConfigOption", "SetSessionConfigOptionRequest", "SetSessionConfigOptionResponse"),
    "updates": ("SessionUpdate", "SessionNotification", "UpdateSessionNotification"),
    "elicitation": ("CreateElicitationRequest", "CreateElicitationResponse", "CompleteElicitationNotification"),
    "client": (
        "RequestPermissionRequest", "RequestPermissionResponse", "ReadTextFileRequest", "ReadTextFileResponse",
        "WriteTextFileRequest", "WriteTextFileResponse", "CreateTerminalRequest", "CreateTerminalResponse",
        "TerminalOutputRequest", "TerminalOutputResponse", "ReleaseTerminalRequest", "ReleaseTerminalResponse",
        "WaitForTerminalExitRequest", "WaitForTerminalExitResponse", "KillTerminalRequest", "KillTerminalResponse",
    ),
    "initialize": ("InitializeRequest", "InitializeResponse"),
    "session": (),
}  # fmt: skip
"""Modules and the types they start from: a type lies in the first module that reaches it, the rest in the last one."""

PAGES = {
    "content": "content",
    "tools": "tool calls",
    "config": "session config options",
    "updates": "prompt turn",
    "elicitation": "elicitation",
    "client": "tool calls",
    "initialize": "initialization",
    "session": "session setup",
}
"""The page of the protocol documentation for a module's types, unless their name says otherwise."""

PAGES_BY_WORD = {
    "Elicitation": "elicitation",
    "CommandPermission": "tool calls",
    "Terminal": "terminals",
    "TextFile": "file system",
    "Plan": "agent plan",
    "Mode": "session modes",
    "Command": "slash commands",
    "Prompt": "prompt turn",
    "Cancel": "cancellation",
    "ListSessions": "session list",
    "DeleteSession": "session delete",
    "Auth": "authentication",
    "Provider": "providers",
    "Mcp": "MCP servers",
    "Error": "errors",
}
"""The page for types with this word in their name; the first match wins."""
