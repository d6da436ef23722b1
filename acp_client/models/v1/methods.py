# Generated, see __init__.py. Do not edit.
"""Method tables of protocol v1."""

from __future__ import annotations

from acp_client.models.methods import Method
from acp_client.models.v1.client import (
    CreateTerminalRequest,
    CreateTerminalResponse,
    KillTerminalRequest,
    KillTerminalResponse,
    ReadTextFileRequest,
    ReadTextFileResponse,
    ReleaseTerminalRequest,
    ReleaseTerminalResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    TerminalOutputRequest,
    TerminalOutputResponse,
    WaitForTerminalExitRequest,
    WaitForTerminalExitResponse,
    WriteTextFileRequest,
    WriteTextFileResponse,
)
from acp_client.models.v1.config import SetSessionConfigOptionResponse
from acp_client.models.v1.elicitation import CompleteElicitationNotification
from acp_client.models.v1.initialize import InitializeRequest, InitializeResponse
from acp_client.models.v1.session import (
    ArchiveSessionRequest,
    ArchiveSessionResponse,
    AuthenticateRequest,
    AuthenticateResponse,
    AuthStatusRequest,
    AuthStatusResponse,
    AuthStatusUpdateNotification,
    CancelNotification,
    CancelRequestNotification,
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
    LoadSessionRequest,
    LoadSessionResponse,
    LogoutRequest,
    LogoutResponse,
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
    SetSessionModeRequest,
    SetSessionModeResponse,
    SetSessionTitleRequest,
    SetSessionTitleResponse,
    UnarchiveSessionRequest,
    UnarchiveSessionResponse,
)
from acp_client.models.v1.unions import (
    CreateElicitationRequest,
    CreateElicitationResponse,
    MessageMcpResponse,
    SetSessionConfigOptionRequest,
)
from acp_client.models.v1.updates import SessionNotification

AGENT_METHODS: dict[str, Method] = {
    "$/cancel_request": Method("$/cancel_request", "notification", "protocol", CancelRequestNotification, None, True),
    "auth/status": Method("auth/status", "request", "agent", AuthStatusRequest, AuthStatusResponse, False),
    "authenticate": Method("authenticate", "request", "agent", AuthenticateRequest, AuthenticateResponse, True),
    "initialize": Method("initialize", "request", "agent", InitializeRequest, InitializeResponse, True),
    "logout": Method("logout", "request", "agent", LogoutRequest, LogoutResponse, True),
    "mcp/message": Method("mcp/message", "notification", "agent", MessageMcpNotification, None, False),
    "providers/disable": Method(
        "providers/disable", "request", "agent", DisableProviderRequest, DisableProviderResponse, False
    ),
    "providers/list": Method("providers/list", "request", "agent", ListProvidersRequest, ListProvidersResponse, False),
    "providers/set": Method("providers/set", "request", "agent", SetProviderRequest, SetProviderResponse, False),
    "session/archive": Method(
        "session/archive", "request", "agent", ArchiveSessionRequest, ArchiveSessionResponse, False
    ),
    "session/cancel": Method("session/cancel", "notification", "agent", CancelNotification, None, True),
    "session/close": Method("session/close", "request", "agent", CloseSessionRequest, CloseSessionResponse, True),
    "session/delete": Method("session/delete", "request", "agent", DeleteSessionRequest, DeleteSessionResponse, True),
    "session/fork": Method("session/fork", "request", "agent", ForkSessionRequest, ForkSessionResponse, False),
    "session/list": Method("session/list", "request", "agent", ListSessionsRequest, ListSessionsResponse, True),
    "session/load": Method("session/load", "request", "agent", LoadSessionRequest, LoadSessionResponse, True),
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
    "session/set_mode": Method(
        "session/set_mode", "request", "agent", SetSessionModeRequest, SetSessionModeResponse, True
    ),
    "session/set_title": Method(
        "session/set_title", "request", "agent", SetSessionTitleRequest, SetSessionTitleResponse, False
    ),
    "session/status": Method("session/status", "request", "agent", SessionStatusRequest, SessionStatusResponse, False),
    "session/unarchive": Method(
        "session/unarchive", "request", "agent", UnarchiveSessionRequest, UnarchiveSessionResponse, False
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
    "fs/read_text_file": Method(
        "fs/read_text_file", "request", "client", ReadTextFileRequest, ReadTextFileResponse, True
    ),
    "fs/write_text_file": Method(
        "fs/write_text_file", "request", "client", WriteTextFileRequest, WriteTextFileResponse, True
    ),
    "mcp/message": Method("mcp/message", "request", "client", MessageMcpRequest, MessageMcpResponse, False),
    "session/request_permission": Method(
        "session/request_permission", "request", "client", RequestPermissionRequest, RequestPermissionResponse, True
    ),
    "session/update": Method("session/update", "notification", "client", SessionNotification, None, True),
    "terminal/create": Method(
        "terminal/create", "request", "client", CreateTerminalRequest, CreateTerminalResponse, True
    ),
    "terminal/kill": Method("terminal/kill", "request", "client", KillTerminalRequest, KillTerminalResponse, True),
    "terminal/output": Method(
        "terminal/output", "request", "client", TerminalOutputRequest, TerminalOutputResponse, True
    ),
    "terminal/release": Method(
        "terminal/release", "request", "client", ReleaseTerminalRequest, ReleaseTerminalResponse, True
    ),
    "terminal/wait_for_exit": Method(
        "terminal/wait_for_exit", "request", "client", WaitForTerminalExitRequest, WaitForTerminalExitResponse, True
    ),
}
"""The methods that the client handles: what this side receives."""
