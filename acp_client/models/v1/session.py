# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import EMPTY_MAP, UNSET, Model, field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from acp_client.models.v1.client import EnvVariable
    from acp_client.models.v1.enums import StopReasonValue
    from acp_client.models.v1.unions import ContentBlock, McpServer, SessionConfigOption
    from acp_client.models.v1.updates import Usage


class MessageMcpRequest(Model):
    """v1 params of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    server_id: str = field("serverId", "str")
    request_id: str = field("requestId", "str")
    method: str = field("method", "str")
    params: Mapping[str, Any] | None = field("params", "object|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthenticateResponse(Model):
    """v1 result of `authenticate` (stable); protocol page: authentication."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ListProvidersResponse(Model):
    """v1 result of `providers/list` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    providers: Sequence[ProviderInfo] = field("providers", "[ProviderInfo]")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ProviderInfo(Model):
    """v1 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    supported: Sequence[str] = field("supported", "[str]/es")
    required: bool = field("required", "bool")
    current: ProviderCurrentConfig | None = field("current", "ProviderCurrentConfig|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ProviderCurrentConfig(Model):
    """v1 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    api_type: str = field("apiType", "str")
    base_url: str = field("baseUrl", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetProviderResponse(Model):
    """v1 result of `providers/set` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class DisableProviderResponse(Model):
    """v1 result of `providers/disable` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class LogoutResponse(Model):
    """v1 result of `logout` (stable); protocol page: session setup."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthStatusResponse(Model):
    """v1 result of `auth/status` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    state: str = field("state", "str")
    accounts: Sequence[AuthAccount] = field("accounts", "[AuthAccount]/es", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthAccount(Model):
    """v1 object (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    label: str = field("label", "str")
    active: bool | None = field("active", "bool|null/e", default=None)
    name: str | None = field("name", "str|null/e", default=None)
    email: str | None = field("email", "str|null/e", default=None)
    organization: str | None = field("organization", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class NewSessionResponse(Model):
    """v1 result of `session/new` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    modes: SessionModeState | None = field("modes", "SessionModeState|null/e", default=None)
    config_options: Sequence[SessionConfigOption] | None = field(
        "configOptions", "[SessionConfigOption]|null/es", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionModeState(Model):
    """v1 object (stable); protocol page: session modes."""

    current_mode_id: str = field("currentModeId", "str")
    available_modes: Sequence[SessionMode] = field("availableModes", "[SessionMode]/es")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionMode(Model):
    """v1 object (stable); protocol page: session modes."""

    id: str = field("id", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class LoadSessionResponse(Model):
    """v1 result of `session/load` (stable); protocol page: session setup."""

    modes: SessionModeState | None = field("modes", "SessionModeState|null/e", default=None)
    config_options: Sequence[SessionConfigOption] | None = field(
        "configOptions", "[SessionConfigOption]|null/es", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ListSessionsResponse(Model):
    """v1 result of `session/list` (stable); protocol page: session list."""

    sessions: Sequence[SessionInfo] = field("sessions", "[SessionInfo]/es")
    next_cursor: str | None = field("nextCursor", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionInfo(Model):
    """v1 object (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/es", default=())
    title: str | None = field("title", "str|null/e", default=None)
    updated_at: str | None = field("updatedAt", "str|null/e", default=None)
    archived: bool | None = field("archived", "bool|null/e", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class DeleteSessionResponse(Model):
    """v1 result of `session/delete` (stable); protocol page: session delete."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ForkSessionResponse(Model):
    """v1 result of `session/fork` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    modes: SessionModeState | None = field("modes", "SessionModeState|null/e", default=None)
    config_options: Sequence[SessionConfigOption] | None = field(
        "configOptions", "[SessionConfigOption]|null/es", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ArchiveSessionResponse(Model):
    """v1 result of `session/archive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class UnarchiveSessionResponse(Model):
    """v1 result of `session/unarchive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionStatusResponse(Model):
    """v1 result of `session/status` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    status: str = field("status", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetSessionTitleResponse(Model):
    """v1 result of `session/set_title` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    title: str = field("title", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ResumeSessionResponse(Model):
    """v1 result of `session/resume` (stable); protocol page: session setup."""

    modes: SessionModeState | None = field("modes", "SessionModeState|null/e", default=None)
    config_options: Sequence[SessionConfigOption] | None = field(
        "configOptions", "[SessionConfigOption]|null/es", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CloseSessionResponse(Model):
    """v1 result of `session/close` (stable); protocol page: session setup."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetSessionModeResponse(Model):
    """v1 result of `session/set_mode` (stable); protocol page: session modes."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PromptResponse(Model):
    """v1 result of `session/prompt` (stable); protocol page: prompt turn."""

    stop_reason: StopReasonValue = field("stopReason", "StopReason")
    usage: Usage | None = field("usage", "Usage|null/e", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthStatusUpdateNotification(Model):
    """v1 params of `auth/status_update` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    state: str = field("state", "str")
    accounts: Sequence[AuthAccount] = field("accounts", "[AuthAccount]/es", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthenticateRequest(Model):
    """v1 params of `authenticate` (stable); protocol page: authentication."""

    method_id: str = field("methodId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ListProvidersRequest(Model):
    """v1 params of `providers/list` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetProviderRequest(Model):
    """v1 params of `providers/set` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    api_type: str = field("apiType", "str")
    base_url: str = field("baseUrl", "str")
    headers: Mapping[str, str] = field("headers", "{str}", default=EMPTY_MAP, secret=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class DisableProviderRequest(Model):
    """v1 params of `providers/disable` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class LogoutRequest(Model):
    """v1 params of `logout` (stable); protocol page: session setup."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthStatusRequest(Model):
    """v1 params of `auth/status` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class NewSessionRequest(Model):
    """v1 params of `session/new` (stable); protocol page: session setup."""

    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n")
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpServerHttp(Model):
    """v1 `type: http` (stable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "http")
    name: str = field("name", "str")
    url: str = field("url", "str")
    headers: Sequence[HttpHeader] = field("headers", "[HttpHeader]/n")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpServerSse(Model):
    """v1 `type: sse` (stable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "sse")
    name: str = field("name", "str")
    url: str = field("url", "str")
    headers: Sequence[HttpHeader] = field("headers", "[HttpHeader]/n")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpServerAcp(Model):
    """v1 `type: acp` (unstable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "acp")
    UNSTABLE: ClassVar[bool] = True
    name: str = field("name", "str")
    server_id: str = field("serverId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpServerStdio(Model):
    """v1 object (stable); protocol page: MCP servers."""

    name: str = field("name", "str")
    command: str = field("command", "str")
    args: Sequence[str] = field("args", "[str]/n")
    env: Sequence[EnvVariable] = field("env", "[EnvVariable]/n")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class HttpHeader(Model):
    """v1 object (stable); protocol page: session setup."""

    name: str = field("name", "str")
    value: str = field("value", "str", secret=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SystemPrompt(Model):
    """v1 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    mode: str = field("mode", "str")
    content: Sequence[ContentBlock] = field("content", "[ContentBlock]")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class LoadSessionRequest(Model):
    """v1 params of `session/load` (stable); protocol page: session setup."""

    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    session_id: str = field("sessionId", "str")
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ListSessionsRequest(Model):
    """v1 params of `session/list` (stable); protocol page: session list."""

    cwd: str | None = field("cwd", "str|null", default=None)
    cursor: str | None = field("cursor", "str|null", default=None)
    archived: str | None = field("archived", "str|null", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class DeleteSessionRequest(Model):
    """v1 params of `session/delete` (stable); protocol page: session delete."""

    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ForkSessionRequest(Model):
    """v1 params of `session/fork` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ArchiveSessionRequest(Model):
    """v1 params of `session/archive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class UnarchiveSessionRequest(Model):
    """v1 params of `session/unarchive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionStatusRequest(Model):
    """v1 params of `session/status` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetSessionTitleRequest(Model):
    """v1 params of `session/set_title` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    title: str = field("title", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ResumeSessionRequest(Model):
    """v1 params of `session/resume` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CloseSessionRequest(Model):
    """v1 params of `session/close` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetSessionModeRequest(Model):
    """v1 params of `session/set_mode` (stable); protocol page: session modes."""

    session_id: str = field("sessionId", "str")
    mode_id: str = field("modeId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PromptRequest(Model):
    """v1 params of `session/prompt` (stable); protocol page: prompt turn."""

    session_id: str = field("sessionId", "str")
    prompt: Sequence[ContentBlock] = field("prompt", "[ContentBlock]")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class MessageMcpResult(Model):
    """v1 result of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    result: Any = field("result", "any")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class MessageMcpError(Model):
    """v1 result of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    error: McpError = field("error", "McpError")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpError(Model):
    """v1 object (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    code: int = field("code", "int32")
    message: str = field("message", "str")
    data: Any = field("data", "any", default=UNSET)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelNotification(Model):
    """v1 params of `session/cancel` (stable); protocol page: cancellation."""

    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class MessageMcpNotification(Model):
    """v1 params of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    server_id: str = field("serverId", "str")
    request_id: str = field("requestId", "str")
    method: str = field("method", "str")
    params: Mapping[str, Any] | None = field("params", "object|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelRequestNotification(Model):
    """v1 params of `$/cancel_request` (stable); protocol page: cancellation."""

    request_id: int | str | None = field("requestId", "id|null")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)
