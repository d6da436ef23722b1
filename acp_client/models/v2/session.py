# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import EMPTY_MAP, UNSET, Model, field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from acp_client.models.v2.initialize import EnvVariable
    from acp_client.models.v2.unions import (
        AvailableCommand,
        ContentBlock,
        McpServer,
        ReplayFrom,
        SessionConfigOption,
        StateUpdate,
    )


class MessageMcpRequest(Model):
    """v2 params of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    server_id: str = field("serverId", "str")
    request_id: str = field("requestId", "str")
    method: str = field("method", "str")
    params: Mapping[str, Any] | None = field("params", "object|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class LoginAuthResponse(Model):
    """v2 result of `auth/login` (stable); protocol page: authentication."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ListProvidersResponse(Model):
    """v2 result of `providers/list` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    providers: Sequence[ProviderInfo] = field("providers", "[ProviderInfo]")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ProviderInfo(Model):
    """v2 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    supported: Sequence[str] = field("supported", "[str]/es")
    required: bool = field("required", "bool")
    current: ProviderCurrentConfig | None = field("current", "ProviderCurrentConfig|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ProviderCurrentConfig(Model):
    """v2 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    api_type: str = field("apiType", "str")
    base_url: str = field("baseUrl", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetProviderResponse(Model):
    """v2 result of `providers/set` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class DisableProviderResponse(Model):
    """v2 result of `providers/disable` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class LogoutAuthResponse(Model):
    """v2 result of `auth/logout` (stable); protocol page: authentication."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthStatusResponse(Model):
    """v2 result of `auth/status` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    state: str = field("state", "str")
    accounts: Sequence[AuthAccount] = field("accounts", "[AuthAccount]/es", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthAccount(Model):
    """v2 object (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    label: str = field("label", "str")
    active: bool | None = field("active", "bool|null/e", default=None)
    name: str | None = field("name", "str|null/e", default=None)
    email: str | None = field("email", "str|null/e", default=None)
    organization: str | None = field("organization", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class NewSessionResponse(Model):
    """v2 result of `session/new` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/es", default=())
    available_commands: Sequence[AvailableCommand] = field("availableCommands", "[AvailableCommand]/es", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ListSessionsResponse(Model):
    """v2 result of `session/list` (stable); protocol page: session list."""

    sessions: Sequence[SessionInfo] = field("sessions", "[SessionInfo]/es")
    next_cursor: str | None = field("nextCursor", "str|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionInfo(Model):
    """v2 object (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    title: str | None = field("title", "str|null/e", default=None)
    updated_at: str | None = field("updatedAt", "str|null/e", default=None)
    archived: bool | None = field("archived", "bool|null/e", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class DeleteSessionResponse(Model):
    """v2 result of `session/delete` (stable); protocol page: session delete."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ForkSessionResponse(Model):
    """v2 result of `session/fork` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/es", default=())
    available_commands: Sequence[AvailableCommand] = field("availableCommands", "[AvailableCommand]/es", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ArchiveSessionResponse(Model):
    """v2 result of `session/archive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class UnarchiveSessionResponse(Model):
    """v2 result of `session/unarchive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionStatusResponse(Model):
    """v2 result of `session/status` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    status: str = field("status", "str")
    state: StateUpdate | None = field("state", "StateUpdate|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class UnsupportedProtocolVersionErrorData(Model):
    """v2 object (stable); protocol page: errors."""

    requested: int = field("requested", "uint16")
    supported: Sequence[int] = field("supported", "[uint16]")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionNotFoundErrorData(Model):
    """v2 object (stable); protocol page: errors."""

    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetSessionTitleResponse(Model):
    """v2 result of `session/set_title` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    title: str = field("title", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ResumeSessionResponse(Model):
    """v2 result of `session/resume` (stable); protocol page: session setup."""

    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/es", default=())
    available_commands: Sequence[AvailableCommand] = field("availableCommands", "[AvailableCommand]/es", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CloseSessionResponse(Model):
    """v2 result of `session/close` (stable); protocol page: session setup."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelToolCallResponse(Model):
    """v2 result of `tool_call/cancel` (stable); protocol page: cancellation."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelTerminalResponse(Model):
    """v2 result of `terminal/cancel` (stable); protocol page: terminals."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PromptResponse(Model):
    """v2 result of `session/prompt` (stable); protocol page: prompt turn."""

    message_id: str = field("messageId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthStatusUpdateNotification(Model):
    """v2 params of `auth/status_update` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    state: str = field("state", "str")
    accounts: Sequence[AuthAccount] = field("accounts", "[AuthAccount]/es", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class LoginAuthRequest(Model):
    """v2 params of `auth/login` (stable); protocol page: authentication."""

    method_id: str = field("methodId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ListProvidersRequest(Model):
    """v2 params of `providers/list` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetProviderRequest(Model):
    """v2 params of `providers/set` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    api_type: str = field("apiType", "str")
    base_url: str = field("baseUrl", "str")
    headers: Mapping[str, str] = field("headers", "{str}", default=EMPTY_MAP, secret=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class DisableProviderRequest(Model):
    """v2 params of `providers/disable` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class LogoutAuthRequest(Model):
    """v2 params of `auth/logout` (stable); protocol page: authentication."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthStatusRequest(Model):
    """v2 params of `auth/status` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class NewSessionRequest(Model):
    """v2 params of `session/new` (stable); protocol page: session setup."""

    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpServerHttp(Model):
    """v2 `type: http` (stable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "http")
    name: str = field("name", "str")
    url: str = field("url", "str")
    headers: Sequence[HttpHeader] = field("headers", "[HttpHeader]/n", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpServerAcp(Model):
    """v2 `type: acp` (unstable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "acp")
    UNSTABLE: ClassVar[bool] = True
    name: str = field("name", "str")
    server_id: str = field("serverId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpServerStdio(Model):
    """v2 `type: stdio` (stable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "stdio")
    name: str = field("name", "str")
    command: str = field("command", "str")
    args: Sequence[str] = field("args", "[str]/n", default=())
    env: Sequence[EnvVariable] = field("env", "[EnvVariable]/n", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class HttpHeader(Model):
    """v2 object (stable); protocol page: session setup."""

    name: str = field("name", "str")
    value: str = field("value", "str", secret=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SystemPrompt(Model):
    """v2 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    mode: str = field("mode", "str")
    content: Sequence[ContentBlock] = field("content", "[ContentBlock]")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ListSessionsRequest(Model):
    """v2 params of `session/list` (stable); protocol page: session list."""

    cwd: str | None = field("cwd", "str|null", default=None)
    cursor: str | None = field("cursor", "str|null", default=None)
    archived: str | None = field("archived", "str|null", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class DeleteSessionRequest(Model):
    """v2 params of `session/delete` (stable); protocol page: session delete."""

    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ForkSessionRequest(Model):
    """v2 params of `session/fork` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ArchiveSessionRequest(Model):
    """v2 params of `session/archive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class UnarchiveSessionRequest(Model):
    """v2 params of `session/unarchive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionStatusRequest(Model):
    """v2 params of `session/status` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SetSessionTitleRequest(Model):
    """v2 params of `session/set_title` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    title: str = field("title", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ResumeSessionRequest(Model):
    """v2 params of `session/resume` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    replay_from: ReplayFrom | None = field("replayFrom", "ReplayFrom|null", default=None)
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ReplayFromStart(Model):
    """v2 `type: start` (stable); protocol page: session setup."""

    TAG: ClassVar[tuple[str, str]] = ("type", "start")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CloseSessionRequest(Model):
    """v2 params of `session/close` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelToolCallRequest(Model):
    """v2 params of `tool_call/cancel` (stable); protocol page: cancellation."""

    session_id: str = field("sessionId", "str")
    tool_call_id: str = field("toolCallId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelTerminalRequest(Model):
    """v2 params of `terminal/cancel` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PromptRequest(Model):
    """v2 params of `session/prompt` (stable); protocol page: prompt turn."""

    session_id: str = field("sessionId", "str")
    prompt: Sequence[ContentBlock] = field("prompt", "[ContentBlock]+")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class MessageMcpResult(Model):
    """v2 result of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    result: Any = field("result", "any")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class MessageMcpError(Model):
    """v2 result of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    error: McpError = field("error", "McpError")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpError(Model):
    """v2 object (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    code: int = field("code", "int32")
    message: str = field("message", "str")
    data: Any = field("data", "any", default=UNSET)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelSessionNotification(Model):
    """v2 params of `session/cancel` (stable); protocol page: cancellation."""

    session_id: str = field("sessionId", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class MessageMcpNotification(Model):
    """v2 params of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    server_id: str = field("serverId", "str")
    request_id: str = field("requestId", "str")
    method: str = field("method", "str")
    params: Mapping[str, Any] | None = field("params", "object|null", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CancelRequestNotification(Model):
    """v2 params of `$/cancel_request` (stable); protocol page: cancellation."""

    request_id: int | str = field("requestId", "id")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)
