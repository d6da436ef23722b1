# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import EMPTY_MAP, UNSET, WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from acp_client.models.v1.client import EnvVariable
    from acp_client.models.v1.enums import StopReasonValue
    from acp_client.models.v1.unions import ContentBlock, McpServer, SessionConfigOption
    from acp_client.models.v1.updates import Usage


class MessageMcpRequest(WithMeta):
    """v1 params of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    server_id: str = field("serverId", "str")
    request_id: str = field("requestId", "str")
    method: str = field("method", "str")
    params: Mapping[str, Any] | None = field("params", "object|null", default=None)


class AuthenticateResponse(WithMeta):
    """v1 result of `authenticate` (stable); protocol page: authentication."""


class ListProvidersResponse(WithMeta):
    """v1 result of `providers/list` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    providers: Sequence[ProviderInfo] = field("providers", "[ProviderInfo]")


class ProviderInfo(WithMeta):
    """v1 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    supported: Sequence[str] = field("supported", "[str]/es")
    required: bool = field("required", "bool")
    current: ProviderCurrentConfig | None = field("current", "ProviderCurrentConfig|null", default=None)


class ProviderCurrentConfig(WithMeta):
    """v1 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    api_type: str = field("apiType", "str")
    base_url: str = field("baseUrl", "str")


class SetProviderResponse(WithMeta):
    """v1 result of `providers/set` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True


class DisableProviderResponse(WithMeta):
    """v1 result of `providers/disable` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True


class LogoutResponse(WithMeta):
    """v1 result of `logout` (stable); protocol page: session setup."""


class AuthStatusResponse(WithMeta):
    """v1 result of `auth/status` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    state: str = field("state", "str")
    accounts: Sequence[AuthAccount] = field("accounts", "[AuthAccount]/es", default=())


class AuthAccount(WithMeta):
    """v1 object (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    label: str = field("label", "str")
    active: bool | None = field("active", "bool|null/e", default=None)
    name: str | None = field("name", "str|null/e", default=None)
    email: str | None = field("email", "str|null/e", default=None)
    organization: str | None = field("organization", "str|null/e", default=None)


class NewSessionResponse(WithMeta):
    """v1 result of `session/new` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    modes: SessionModeState | None = field("modes", "SessionModeState|null/e", default=None)
    config_options: Sequence[SessionConfigOption] | None = field(
        "configOptions", "[SessionConfigOption]|null/es", default=None
    )


class SessionModeState(WithMeta):
    """v1 object (stable); protocol page: session modes."""

    current_mode_id: str = field("currentModeId", "str")
    available_modes: Sequence[SessionMode] = field("availableModes", "[SessionMode]/es")


class SessionMode(WithMeta):
    """v1 object (stable); protocol page: session modes."""

    id: str = field("id", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)


class LoadSessionResponse(WithMeta):
    """v1 result of `session/load` (stable); protocol page: session setup."""

    modes: SessionModeState | None = field("modes", "SessionModeState|null/e", default=None)
    config_options: Sequence[SessionConfigOption] | None = field(
        "configOptions", "[SessionConfigOption]|null/es", default=None
    )


class ListSessionsResponse(WithMeta):
    """v1 result of `session/list` (stable); protocol page: session list."""

    sessions: Sequence[SessionInfo] = field("sessions", "[SessionInfo]/es")
    next_cursor: str | None = field("nextCursor", "str|null/e", default=None)


class SessionInfo(WithMeta):
    """v1 object (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/es", default=())
    title: str | None = field("title", "str|null/e", default=None)
    updated_at: str | None = field("updatedAt", "str|null/e", default=None)
    archived: bool | None = field("archived", "bool|null/e", default=None, unstable=True)


class DeleteSessionResponse(WithMeta):
    """v1 result of `session/delete` (stable); protocol page: session delete."""


class ForkSessionResponse(WithMeta):
    """v1 result of `session/fork` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    modes: SessionModeState | None = field("modes", "SessionModeState|null/e", default=None)
    config_options: Sequence[SessionConfigOption] | None = field(
        "configOptions", "[SessionConfigOption]|null/es", default=None
    )


class ArchiveSessionResponse(WithMeta):
    """v1 result of `session/archive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True


class UnarchiveSessionResponse(WithMeta):
    """v1 result of `session/unarchive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True


class SessionStatusResponse(WithMeta):
    """v1 result of `session/status` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    status: str = field("status", "str")


class SetSessionTitleResponse(WithMeta):
    """v1 result of `session/set_title` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    title: str = field("title", "str")


class ResumeSessionResponse(WithMeta):
    """v1 result of `session/resume` (stable); protocol page: session setup."""

    modes: SessionModeState | None = field("modes", "SessionModeState|null/e", default=None)
    config_options: Sequence[SessionConfigOption] | None = field(
        "configOptions", "[SessionConfigOption]|null/es", default=None
    )


class CloseSessionResponse(WithMeta):
    """v1 result of `session/close` (stable); protocol page: session setup."""


class SetSessionModeResponse(WithMeta):
    """v1 result of `session/set_mode` (stable); protocol page: session modes."""


class PromptResponse(WithMeta):
    """v1 result of `session/prompt` (stable); protocol page: prompt turn."""

    stop_reason: StopReasonValue = field("stopReason", "StopReason")
    usage: Usage | None = field("usage", "Usage|null/e", default=None, unstable=True)


class AuthStatusUpdateNotification(WithMeta):
    """v1 params of `auth/status_update` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    state: str = field("state", "str")
    accounts: Sequence[AuthAccount] = field("accounts", "[AuthAccount]/es", default=())


class AuthenticateRequest(WithMeta):
    """v1 params of `authenticate` (stable); protocol page: authentication."""

    method_id: str = field("methodId", "str")


class ListProvidersRequest(WithMeta):
    """v1 params of `providers/list` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True


class SetProviderRequest(WithMeta):
    """v1 params of `providers/set` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    api_type: str = field("apiType", "str")
    base_url: str = field("baseUrl", "str")
    headers: Mapping[str, str] = field("headers", "{str}", default=EMPTY_MAP, secret=True)


class DisableProviderRequest(WithMeta):
    """v1 params of `providers/disable` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")


class LogoutRequest(WithMeta):
    """v1 params of `logout` (stable); protocol page: session setup."""


class AuthStatusRequest(WithMeta):
    """v1 params of `auth/status` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True


class NewSessionRequest(WithMeta):
    """v1 params of `session/new` (stable); protocol page: session setup."""

    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n")
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)


class McpServerHttp(WithMeta):
    """v1 `type: http` (stable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "http")
    name: str = field("name", "str")
    url: str = field("url", "str")
    headers: Sequence[HttpHeader] = field("headers", "[HttpHeader]/n")


class McpServerSse(WithMeta):
    """v1 `type: sse` (stable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "sse")
    name: str = field("name", "str")
    url: str = field("url", "str")
    headers: Sequence[HttpHeader] = field("headers", "[HttpHeader]/n")


class McpServerAcp(WithMeta):
    """v1 `type: acp` (unstable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "acp")
    UNSTABLE: ClassVar[bool] = True
    name: str = field("name", "str")
    server_id: str = field("serverId", "str")


class McpServerStdio(WithMeta):
    """v1 object (stable); protocol page: MCP servers."""

    name: str = field("name", "str")
    command: str = field("command", "str")
    args: Sequence[str] = field("args", "[str]/n")
    env: Sequence[EnvVariable] = field("env", "[EnvVariable]/n")


class HttpHeader(WithMeta):
    """v1 object (stable); protocol page: session setup."""

    name: str = field("name", "str")
    value: str = field("value", "str", secret=True)


class SystemPrompt(WithMeta):
    """v1 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    mode: str = field("mode", "str")
    content: Sequence[ContentBlock] = field("content", "[ContentBlock]")


class LoadSessionRequest(WithMeta):
    """v1 params of `session/load` (stable); protocol page: session setup."""

    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    session_id: str = field("sessionId", "str")
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)


class ListSessionsRequest(WithMeta):
    """v1 params of `session/list` (stable); protocol page: session list."""

    cwd: str | None = field("cwd", "str|null", default=None)
    cursor: str | None = field("cursor", "str|null", default=None)
    archived: str | None = field("archived", "str|null", default=None, unstable=True)


class DeleteSessionRequest(WithMeta):
    """v1 params of `session/delete` (stable); protocol page: session delete."""

    session_id: str = field("sessionId", "str")


class ForkSessionRequest(WithMeta):
    """v1 params of `session/fork` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None)


class ArchiveSessionRequest(WithMeta):
    """v1 params of `session/archive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")


class UnarchiveSessionRequest(WithMeta):
    """v1 params of `session/unarchive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")


class SessionStatusRequest(WithMeta):
    """v1 params of `session/status` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")


class SetSessionTitleRequest(WithMeta):
    """v1 params of `session/set_title` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    title: str = field("title", "str")


class ResumeSessionRequest(WithMeta):
    """v1 params of `session/resume` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)


class CloseSessionRequest(WithMeta):
    """v1 params of `session/close` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")


class SetSessionModeRequest(WithMeta):
    """v1 params of `session/set_mode` (stable); protocol page: session modes."""

    session_id: str = field("sessionId", "str")
    mode_id: str = field("modeId", "str")


class PromptRequest(WithMeta):
    """v1 params of `session/prompt` (stable); protocol page: prompt turn."""

    session_id: str = field("sessionId", "str")
    prompt: Sequence[ContentBlock] = field("prompt", "[ContentBlock]")


class MessageMcpResult(WithMeta):
    """v1 result of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    result: Any = field("result", "any")


class MessageMcpError(WithMeta):
    """v1 result of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    error: McpError = field("error", "McpError")


class McpError(WithMeta):
    """v1 object (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    code: int = field("code", "int32")
    message: str = field("message", "str")
    data: Any = field("data", "any", default=UNSET)


class CancelNotification(WithMeta):
    """v1 params of `session/cancel` (stable); protocol page: cancellation."""

    session_id: str = field("sessionId", "str")


class MessageMcpNotification(WithMeta):
    """v1 params of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    server_id: str = field("serverId", "str")
    request_id: str = field("requestId", "str")
    method: str = field("method", "str")
    params: Mapping[str, Any] | None = field("params", "object|null", default=None)


class CancelRequestNotification(WithMeta):
    """v1 params of `$/cancel_request` (stable); protocol page: cancellation."""

    request_id: int | str | None = field("requestId", "id|null")
