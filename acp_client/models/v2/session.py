# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import EMPTY_MAP, UNSET, WithMeta, field

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


class MessageMcpRequest(WithMeta):
    """v2 params of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    server_id: str = field("serverId", "str")
    request_id: str = field("requestId", "str")
    method: str = field("method", "str")
    params: Mapping[str, Any] | None = field("params", "object|null", default=None)


class LoginAuthResponse(WithMeta):
    """v2 result of `auth/login` (stable); protocol page: authentication."""


class ListProvidersResponse(WithMeta):
    """v2 result of `providers/list` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    providers: Sequence[ProviderInfo] = field("providers", "[ProviderInfo]")


class ProviderInfo(WithMeta):
    """v2 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    supported: Sequence[str] = field("supported", "[str]/es")
    required: bool = field("required", "bool")
    current: ProviderCurrentConfig | None = field("current", "ProviderCurrentConfig|null", default=None)


class ProviderCurrentConfig(WithMeta):
    """v2 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    api_type: str = field("apiType", "str")
    base_url: str = field("baseUrl", "str")


class SetProviderResponse(WithMeta):
    """v2 result of `providers/set` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True


class DisableProviderResponse(WithMeta):
    """v2 result of `providers/disable` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True


class LogoutAuthResponse(WithMeta):
    """v2 result of `auth/logout` (stable); protocol page: authentication."""


class AuthStatusResponse(WithMeta):
    """v2 result of `auth/status` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    state: str = field("state", "str")
    accounts: Sequence[AuthAccount] = field("accounts", "[AuthAccount]/es", default=())


class AuthAccount(WithMeta):
    """v2 object (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    label: str = field("label", "str")
    active: bool | None = field("active", "bool|null/e", default=None)
    name: str | None = field("name", "str|null/e", default=None)
    email: str | None = field("email", "str|null/e", default=None)
    organization: str | None = field("organization", "str|null/e", default=None)


class NewSessionResponse(WithMeta):
    """v2 result of `session/new` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/es", default=())
    available_commands: Sequence[AvailableCommand] = field("availableCommands", "[AvailableCommand]/es", default=())


class ListSessionsResponse(WithMeta):
    """v2 result of `session/list` (stable); protocol page: session list."""

    sessions: Sequence[SessionInfo] = field("sessions", "[SessionInfo]/es")
    next_cursor: str | None = field("nextCursor", "str|null", default=None)


class SessionInfo(WithMeta):
    """v2 object (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    title: str | None = field("title", "str|null/e", default=None)
    updated_at: str | None = field("updatedAt", "str|null/e", default=None)
    archived: bool | None = field("archived", "bool|null/e", default=None, unstable=True)


class DeleteSessionResponse(WithMeta):
    """v2 result of `session/delete` (stable); protocol page: session delete."""


class ForkSessionResponse(WithMeta):
    """v2 result of `session/fork` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/es", default=())
    available_commands: Sequence[AvailableCommand] = field("availableCommands", "[AvailableCommand]/es", default=())


class ArchiveSessionResponse(WithMeta):
    """v2 result of `session/archive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True


class UnarchiveSessionResponse(WithMeta):
    """v2 result of `session/unarchive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True


class SessionStatusResponse(WithMeta):
    """v2 result of `session/status` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    status: str = field("status", "str")
    state: StateUpdate | None = field("state", "StateUpdate|null/e", default=None)


class UnsupportedProtocolVersionErrorData(WithMeta):
    """v2 object (stable); protocol page: errors."""

    requested: int = field("requested", "uint16")
    supported: Sequence[int] = field("supported", "[uint16]")


class SessionNotFoundErrorData(WithMeta):
    """v2 object (stable); protocol page: errors."""

    session_id: str = field("sessionId", "str")


class SetSessionTitleResponse(WithMeta):
    """v2 result of `session/set_title` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    title: str = field("title", "str")


class ResumeSessionResponse(WithMeta):
    """v2 result of `session/resume` (stable); protocol page: session setup."""

    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/es", default=())
    available_commands: Sequence[AvailableCommand] = field("availableCommands", "[AvailableCommand]/es", default=())


class CloseSessionResponse(WithMeta):
    """v2 result of `session/close` (stable); protocol page: session setup."""


class CancelToolCallResponse(WithMeta):
    """v2 result of `tool_call/cancel` (stable); protocol page: cancellation."""


class CancelTerminalResponse(WithMeta):
    """v2 result of `terminal/cancel` (stable); protocol page: terminals."""


class PromptResponse(WithMeta):
    """v2 result of `session/prompt` (stable); protocol page: prompt turn."""

    message_id: str = field("messageId", "str")


class AuthStatusUpdateNotification(WithMeta):
    """v2 params of `auth/status_update` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    state: str = field("state", "str")
    accounts: Sequence[AuthAccount] = field("accounts", "[AuthAccount]/es", default=())


class LoginAuthRequest(WithMeta):
    """v2 params of `auth/login` (stable); protocol page: authentication."""

    method_id: str = field("methodId", "str")


class ListProvidersRequest(WithMeta):
    """v2 params of `providers/list` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True


class SetProviderRequest(WithMeta):
    """v2 params of `providers/set` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")
    api_type: str = field("apiType", "str")
    base_url: str = field("baseUrl", "str")
    headers: Mapping[str, str] = field("headers", "{str}", default=EMPTY_MAP, secret=True)


class DisableProviderRequest(WithMeta):
    """v2 params of `providers/disable` (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    provider_id: str = field("providerId", "str")


class LogoutAuthRequest(WithMeta):
    """v2 params of `auth/logout` (stable); protocol page: authentication."""


class AuthStatusRequest(WithMeta):
    """v2 params of `auth/status` (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True


class NewSessionRequest(WithMeta):
    """v2 params of `session/new` (stable); protocol page: session setup."""

    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)


class McpServerHttp(WithMeta):
    """v2 `type: http` (stable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "http")
    name: str = field("name", "str")
    url: str = field("url", "str")
    headers: Sequence[HttpHeader] = field("headers", "[HttpHeader]/n", default=())


class McpServerAcp(WithMeta):
    """v2 `type: acp` (unstable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "acp")
    UNSTABLE: ClassVar[bool] = True
    name: str = field("name", "str")
    server_id: str = field("serverId", "str")


class McpServerStdio(WithMeta):
    """v2 `type: stdio` (stable); protocol page: MCP servers."""

    TAG: ClassVar[tuple[str, str]] = ("type", "stdio")
    name: str = field("name", "str")
    command: str = field("command", "str")
    args: Sequence[str] = field("args", "[str]/n", default=())
    env: Sequence[EnvVariable] = field("env", "[EnvVariable]/n", default=())


class HttpHeader(WithMeta):
    """v2 object (stable); protocol page: session setup."""

    name: str = field("name", "str")
    value: str = field("value", "str", secret=True)


class SystemPrompt(WithMeta):
    """v2 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    mode: str = field("mode", "str")
    content: Sequence[ContentBlock] = field("content", "[ContentBlock]")


class ListSessionsRequest(WithMeta):
    """v2 params of `session/list` (stable); protocol page: session list."""

    cwd: str | None = field("cwd", "str|null", default=None)
    cursor: str | None = field("cursor", "str|null", default=None)
    archived: str | None = field("archived", "str|null", default=None, unstable=True)


class DeleteSessionRequest(WithMeta):
    """v2 params of `session/delete` (stable); protocol page: session delete."""

    session_id: str = field("sessionId", "str")


class ForkSessionRequest(WithMeta):
    """v2 params of `session/fork` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None)


class ArchiveSessionRequest(WithMeta):
    """v2 params of `session/archive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")


class UnarchiveSessionRequest(WithMeta):
    """v2 params of `session/unarchive` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")


class SessionStatusRequest(WithMeta):
    """v2 params of `session/status` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")


class SetSessionTitleRequest(WithMeta):
    """v2 params of `session/set_title` (unstable); protocol page: session setup."""

    UNSTABLE: ClassVar[bool] = True
    session_id: str = field("sessionId", "str")
    title: str = field("title", "str")


class ResumeSessionRequest(WithMeta):
    """v2 params of `session/resume` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")
    cwd: str = field("cwd", "str")
    additional_directories: Sequence[str] = field("additionalDirectories", "[str]/n", default=())
    mcp_servers: Sequence[McpServer] = field("mcpServers", "[McpServer]/n", default=())
    replay_from: ReplayFrom | None = field("replayFrom", "ReplayFrom|null", default=None)
    system_prompt: SystemPrompt | None = field("systemPrompt", "SystemPrompt|null", default=None, unstable=True)


class ReplayFromStart(WithMeta):
    """v2 `type: start` (stable); protocol page: session setup."""

    TAG: ClassVar[tuple[str, str]] = ("type", "start")


class CloseSessionRequest(WithMeta):
    """v2 params of `session/close` (stable); protocol page: session setup."""

    session_id: str = field("sessionId", "str")


class CancelToolCallRequest(WithMeta):
    """v2 params of `tool_call/cancel` (stable); protocol page: cancellation."""

    session_id: str = field("sessionId", "str")
    tool_call_id: str = field("toolCallId", "str")


class CancelTerminalRequest(WithMeta):
    """v2 params of `terminal/cancel` (stable); protocol page: terminals."""

    session_id: str = field("sessionId", "str")
    terminal_id: str = field("terminalId", "str")


class PromptRequest(WithMeta):
    """v2 params of `session/prompt` (stable); protocol page: prompt turn."""

    session_id: str = field("sessionId", "str")
    prompt: Sequence[ContentBlock] = field("prompt", "[ContentBlock]+")


class MessageMcpResult(WithMeta):
    """v2 result of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    result: Any = field("result", "any")


class MessageMcpError(WithMeta):
    """v2 result of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    error: McpError = field("error", "McpError")


class McpError(WithMeta):
    """v2 object (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    code: int = field("code", "int32")
    message: str = field("message", "str")
    data: Any = field("data", "any", default=UNSET)


class CancelSessionNotification(WithMeta):
    """v2 params of `session/cancel` (stable); protocol page: cancellation."""

    session_id: str = field("sessionId", "str")


class MessageMcpNotification(WithMeta):
    """v2 params of `mcp/message` (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    server_id: str = field("serverId", "str")
    request_id: str = field("requestId", "str")
    method: str = field("method", "str")
    params: Mapping[str, Any] | None = field("params", "object|null", default=None)


class CancelRequestNotification(WithMeta):
    """v2 params of `$/cancel_request` (stable); protocol page: cancellation."""

    request_id: int | str = field("requestId", "id")
