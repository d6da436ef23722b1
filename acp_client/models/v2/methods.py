# Generated, see __init__.py. Do not edit.
"""Method tables of protocol v2."""

from __future__ import annotations

from acp_client.models.methods import Method
from acp_client.models.v2.client import RequestPermissionRequest, RequestPermissionResponse
from acp_client.models.v2.config import SetSessionConfigOptionResponse
from acp_client.models.v2.elicitation import CompleteElicitationNotification
from acp_client.models.v2.initialize import InitializeRequest, InitializeResponse
from acp_client.models.v2.session import (
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    AuthStatusRequest,
    AuthStatusResponse,
    AuthStatusUpdateNotification,
    CancelRequestNotification,
    CancelSessionNotification,
    CancelTerminalRequest,
    CancelTerminalResponse,
    CancelToolCallRequest,
    CancelToolCallResponse,
    CloseSessionRequest,
    CloseSessionResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    DisableProviderRequest,
    DisableProviderResponse,
    ForkSessionRequest,
    ForkSessionResponse,
    ListProvidersRequest,
    ListProvidersResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoginAuthRequest,
    LoginAuthResponse,
    LogoutAuthRequest,
    LogoutAuthResponse,
    MessageMcpNotification,
    MessageMcpRequest,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SessionStatusRequest,
    SessionStatusResponse,
    SetProviderRequest,
    SetProviderResponse,
    SetSessionTitleRequest,
    SetSessionTitleResponse,
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
)
from acp_client.models.v2.unions import (
    CreateElicitationRequest,
    CreateElicitationResponse,
    MessageMcpResponse,
    SetSessionConfigOptionRequest,
)
from acp_client.models.v2.updates import UpdateSessionNotification

AGENT_METHODS: dict[str, Method] = {
    "$/cancel_request": Method("$/cancel_request", "notification", "protocol", CancelRequestNotification, None, True),
    "auth/login": Method("auth/login", "request", "agent", LoginAuthRequest, LoginAuthResponse, True),
    "auth/logout": Method("auth/logout", "request", "agent", LogoutAuthRequest, LogoutAuthResponse, True),
    "auth/status": Method("auth/status", "request", "agent", AuthStatusRequest, AuthStatusResponse, False),
    "initialize": Method("initialize", "request", "agent", InitializeRequest, InitializeResponse, True),
    "mcp/message": Method("mcp/message", "notification", "agent", MessageMcpNotification, None, False),
    "providers/disable": Method(
        "providers/disable", "request", "agent", DisableProviderRequest, DisableProviderResponse, False
    ),
    "providers/list": Method("providers/list", "request", "agent", ListProvidersRequest, ListProvidersResponse, False),
    "providers/set": Method("providers/set", "request", "agent", SetProviderRequest, SetProviderResponse, False),
    "session/archive": Method(
        "session/archive", "request", "agent", ArchiveSessionRequest, ArchiveSessionResponse, False
    ),
    "session/cancel": Method("session/cancel", "notification", "agent", CancelSessionNotification, None, True),
    "session/close": Method("session/close", "request", "agent", CloseSessionRequest, CloseSessionResponse, True),
    "session/delete": Method("session/delete", "request", "agent", DeleteSessionRequest, DeleteSessionResponse, True),
    "session/fork": Method("session/fork", "request", "agent", ForkSessionRequest, ForkSessionResponse, False),
    "session/list": Method("session/list", "request", "agent", ListSessionsRequest, ListSessionsResponse, True),
    "session/new": Method("session/new", "request", "agent", NewSessionRequest, NewSessionResponse, True),
    "session/prompt": Method("session/prompt", "request", "agent", PromptRequest, PromptResponse, True),
    "session/resume": Method("session/resume", "request", "agent", ResumeSessionRequest, ResumeSessionResponse, True),
    "session/set_config_option": Method(
        "session/set_config_option",
        "request",
        "agent",
        SetSessionConfigOptionRequest,
        SetSessionConfigOptionResponse,
        True,
    ),
    "session/set_title": Method(
        "session/set_title", "request", "agent", SetSessionTitleRequest, SetSessionTitleResponse, False
    ),
    "session/status": Method("session/status", "request", "agent", SessionStatusRequest, SessionStatusResponse, False),
    "session/unarchive": Method(
        "session/unarchive", "request", "agent", UnarchiveSessionRequest, UnarchiveSessionResponse, False
    ),
    "terminal/cancel": Method(
        "terminal/cancel", "request", "agent", CancelTerminalRequest, CancelTerminalResponse, True
    ),
    "tool_call/cancel": Method(
        "tool_call/cancel", "request", "agent", CancelToolCallRequest, CancelToolCallResponse, True
    ),
}
"""The methods that the agent handles: what this side sends."""

CLIENT_METHODS: dict[str, Method] = {
    "$/cancel_request": Method("$/cancel_request", "notification", "protocol", CancelRequestNotification, None, True),
    "auth/status_update": Method(
        "auth/status_update", "notification", "client", AuthStatusUpdateNotification, None, False
    ),
    "elicitation/complete": Method(
        "elicitation/complete", "notification", "client", CompleteElicitationNotification, None, True
    ),
    "elicitation/create": Method(
        "elicitation/create", "request", "client", CreateElicitationRequest, CreateElicitationResponse, True
    ),
    "mcp/message": Method("mcp/message", "request", "client", MessageMcpRequest, MessageMcpResponse, False),
    "session/request_permission": Method(
        "session/request_permission", "request", "client", RequestPermissionRequest, RequestPermissionResponse, True
    ),
    "session/update": Method("session/update", "notification", "client", UpdateSessionNotification, None, True),
}
"""The methods that the client handles: what this side receives."""
