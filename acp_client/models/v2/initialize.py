# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: initialize."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import EMPTY_OBJECT, Model, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v2.unions import AuthMethod


class InitializeResponse(Model):
    """v2 result of `initialize` (stable); protocol page: initialization."""

    protocol_version: int = field("protocolVersion", "uint16")
    info: Implementation = field("info", "Implementation")
    capabilities: AgentCapabilities = field("capabilities", "AgentCapabilities/e", default=EMPTY_OBJECT)
    auth_methods: Sequence[AuthMethod] = field("authMethods", "[AuthMethod]/es", default=())
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class Implementation(Model):
    """v2 object (stable); protocol page: initialization."""

    name: str = field("name", "str")
    title: str | None = field("title", "str|null/e", default=None)
    version: str = field("version", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AgentCapabilities(Model):
    """v2 object (stable); protocol page: initialization."""

    session: SessionCapabilities | None = field("session", "SessionCapabilities|null/e", default=None)
    auth: AgentAuthCapabilities | None = field("auth", "AgentAuthCapabilities|null/e", default=None)
    providers: ProvidersCapabilities | None = field(
        "providers", "ProvidersCapabilities|null/e", default=None, unstable=True
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionCapabilities(Model):
    """v2 object (stable); protocol page: initialization."""

    prompt: PromptCapabilities | None = field("prompt", "PromptCapabilities|null/e", default=None)
    mcp: McpCapabilities | None = field("mcp", "McpCapabilities|null/e", default=None)
    delete: SessionDeleteCapabilities | None = field("delete", "SessionDeleteCapabilities|null/e", default=None)
    additional_directories: SessionAdditionalDirectoriesCapabilities | None = field(
        "additionalDirectories", "SessionAdditionalDirectoriesCapabilities|null/e", default=None
    )
    system_prompt: SessionSystemPromptCapabilities | None = field(
        "systemPrompt", "SessionSystemPromptCapabilities|null/e", default=None, unstable=True
    )
    fork: SessionForkCapabilities | None = field("fork", "SessionForkCapabilities|null/e", default=None, unstable=True)
    archive: SessionArchiveCapabilities | None = field(
        "archive", "SessionArchiveCapabilities|null/e", default=None, unstable=True
    )
    status: SessionStatusCapabilities | None = field(
        "status", "SessionStatusCapabilities|null/e", default=None, unstable=True
    )
    title: SessionTitleCapabilities | None = field(
        "title", "SessionTitleCapabilities|null/e", default=None, unstable=True
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PromptCapabilities(Model):
    """v2 object (stable); protocol page: prompt turn."""

    image: PromptImageCapabilities | None = field("image", "PromptImageCapabilities|null/e", default=None)
    audio: PromptAudioCapabilities | None = field("audio", "PromptAudioCapabilities|null/e", default=None)
    embedded_context: PromptEmbeddedContextCapabilities | None = field(
        "embeddedContext", "PromptEmbeddedContextCapabilities|null/e", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PromptImageCapabilities(Model):
    """v2 object (stable); protocol page: prompt turn."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PromptAudioCapabilities(Model):
    """v2 object (stable); protocol page: prompt turn."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PromptEmbeddedContextCapabilities(Model):
    """v2 object (stable); protocol page: prompt turn."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpCapabilities(Model):
    """v2 object (stable); protocol page: MCP servers."""

    stdio: McpStdioCapabilities | None = field("stdio", "McpStdioCapabilities|null/e", default=None)
    http: McpHttpCapabilities | None = field("http", "McpHttpCapabilities|null/e", default=None)
    acp: McpAcpCapabilities | None = field("acp", "McpAcpCapabilities|null/e", default=None, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpStdioCapabilities(Model):
    """v2 object (stable); protocol page: MCP servers."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpHttpCapabilities(Model):
    """v2 object (stable); protocol page: MCP servers."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpAcpCapabilities(Model):
    """v2 object (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionDeleteCapabilities(Model):
    """v2 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionAdditionalDirectoriesCapabilities(Model):
    """v2 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionSystemPromptCapabilities(Model):
    """v2 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    mode: SessionSystemPromptModeCapabilities | None = field(
        "mode", "SessionSystemPromptModeCapabilities|null/e", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionSystemPromptModeCapabilities(Model):
    """v2 object (unstable); protocol page: session modes."""

    UNSTABLE: ClassVar[bool] = True
    override: SessionSystemPromptOverrideCapabilities | None = field(
        "override", "SessionSystemPromptOverrideCapabilities|null/e", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionSystemPromptOverrideCapabilities(Model):
    """v2 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionForkCapabilities(Model):
    """v2 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionArchiveCapabilities(Model):
    """v2 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionStatusCapabilities(Model):
    """v2 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionTitleCapabilities(Model):
    """v2 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AgentAuthCapabilities(Model):
    """v2 object (stable); protocol page: authentication."""

    status: AuthStatusCapabilities | None = field(
        "status", "AuthStatusCapabilities|null/e", default=None, unstable=True
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthStatusCapabilities(Model):
    """v2 object (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ProvidersCapabilities(Model):
    """v2 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthMethodTerminal(Model):
    """v2 `type: terminal` (stable); protocol page: terminals."""

    TAG: ClassVar[tuple[str, str]] = ("type", "terminal")
    method_id: str = field("methodId", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    args: Sequence[str] = field("args", "[str]/n", default=())
    env: Sequence[EnvVariable] = field("env", "[EnvVariable]/n", default=(), secret=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthMethodAgent(Model):
    """v2 `type: agent` (stable); protocol page: authentication."""

    TAG: ClassVar[tuple[str, str]] = ("type", "agent")
    method_id: str = field("methodId", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class EnvVariable(Model):
    """v2 object (stable); protocol page: initialization."""

    name: str = field("name", "str")
    value: str = field("value", "str", secret=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class InitializeRequest(Model):
    """v2 params of `initialize` (stable); protocol page: initialization."""

    protocol_version: int = field("protocolVersion", "uint16")
    info: Implementation = field("info", "Implementation")
    capabilities: ClientCapabilities = field("capabilities", "ClientCapabilities/e", default=EMPTY_OBJECT)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ClientCapabilities(Model):
    """v2 object (stable); protocol page: initialization."""

    auth: ClientAuthCapabilities | None = field("auth", "ClientAuthCapabilities|null/e", default=None)
    elicitation: ElicitationCapabilities | None = field("elicitation", "ElicitationCapabilities|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ClientAuthCapabilities(Model):
    """v2 object (stable); protocol page: authentication."""

    terminal: TerminalAuthCapabilities | None = field("terminal", "TerminalAuthCapabilities|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class TerminalAuthCapabilities(Model):
    """v2 object (stable); protocol page: terminals."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ElicitationCapabilities(Model):
    """v2 object (stable); protocol page: elicitation."""

    form: ElicitationFormCapabilities | None = field("form", "ElicitationFormCapabilities|null/e", default=None)
    url: ElicitationUrlCapabilities | None = field("url", "ElicitationUrlCapabilities|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ElicitationFormCapabilities(Model):
    """v2 object (stable); protocol page: elicitation."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ElicitationUrlCapabilities(Model):
    """v2 object (stable); protocol page: elicitation."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)
