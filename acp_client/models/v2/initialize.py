# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: initialize."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_client.models.base import EMPTY_OBJECT, WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v2.unions import AuthMethod


class InitializeResponse(WithMeta):
    """v2 result of `initialize` (stable); protocol page: initialization."""

    protocol_version: int = field("protocolVersion", "uint16")
    info: Implementation = field("info", "Implementation")
    capabilities: AgentCapabilities = field("capabilities", "AgentCapabilities/e", default=EMPTY_OBJECT)
    auth_methods: Sequence[AuthMethod] = field("authMethods", "[AuthMethod]/es", default=())


class Implementation(WithMeta):
    """v2 object (stable); protocol page: initialization."""

    name: str = field("name", "str")
    title: str | None = field("title", "str|null/e", default=None)
    version: str = field("version", "str")


class AgentCapabilities(WithMeta):
    """v2 object (stable); protocol page: initialization."""

    session: SessionCapabilities | None = field("session", "SessionCapabilities|null/e", default=None)
    auth: AgentAuthCapabilities | None = field("auth", "AgentAuthCapabilities|null/e", default=None)
    providers: ProvidersCapabilities | None = field(
        "providers", "ProvidersCapabilities|null/e", default=None, unstable=True
    )


class SessionCapabilities(WithMeta):
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


class PromptCapabilities(WithMeta):
    """v2 object (stable); protocol page: prompt turn."""

    image: PromptImageCapabilities | None = field("image", "PromptImageCapabilities|null/e", default=None)
    audio: PromptAudioCapabilities | None = field("audio", "PromptAudioCapabilities|null/e", default=None)
    embedded_context: PromptEmbeddedContextCapabilities | None = field(
        "embeddedContext", "PromptEmbeddedContextCapabilities|null/e", default=None
    )


class PromptImageCapabilities(WithMeta):
    """v2 object (stable); protocol page: prompt turn."""


class PromptAudioCapabilities(WithMeta):
    """v2 object (stable); protocol page: prompt turn."""


class PromptEmbeddedContextCapabilities(WithMeta):
    """v2 object (stable); protocol page: prompt turn."""


class McpCapabilities(WithMeta):
    """v2 object (stable); protocol page: MCP servers."""

    stdio: McpStdioCapabilities | None = field("stdio", "McpStdioCapabilities|null/e", default=None)
    http: McpHttpCapabilities | None = field("http", "McpHttpCapabilities|null/e", default=None)
    acp: McpAcpCapabilities | None = field("acp", "McpAcpCapabilities|null/e", default=None, unstable=True)


class McpStdioCapabilities(WithMeta):
    """v2 object (stable); protocol page: MCP servers."""


class McpHttpCapabilities(WithMeta):
    """v2 object (stable); protocol page: MCP servers."""


class McpAcpCapabilities(WithMeta):
    """v2 object (unstable); protocol page: MCP servers."""

    UNSTABLE: ClassVar[bool] = True


class SessionDeleteCapabilities(WithMeta):
    """v2 object (stable); protocol page: initialization."""


class SessionAdditionalDirectoriesCapabilities(WithMeta):
    """v2 object (stable); protocol page: initialization."""


class SessionSystemPromptCapabilities(WithMeta):
    """v2 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    mode: SessionSystemPromptModeCapabilities | None = field(
        "mode", "SessionSystemPromptModeCapabilities|null/e", default=None
    )


class SessionSystemPromptModeCapabilities(WithMeta):
    """v2 object (unstable); protocol page: session modes."""

    UNSTABLE: ClassVar[bool] = True
    override: SessionSystemPromptOverrideCapabilities | None = field(
        "override", "SessionSystemPromptOverrideCapabilities|null/e", default=None
    )


class SessionSystemPromptOverrideCapabilities(WithMeta):
    """v2 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True


class SessionForkCapabilities(WithMeta):
    """v2 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True


class SessionArchiveCapabilities(WithMeta):
    """v2 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True


class SessionStatusCapabilities(WithMeta):
    """v2 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True


class SessionTitleCapabilities(WithMeta):
    """v2 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True


class AgentAuthCapabilities(WithMeta):
    """v2 object (stable); protocol page: authentication."""

    status: AuthStatusCapabilities | None = field(
        "status", "AuthStatusCapabilities|null/e", default=None, unstable=True
    )


class AuthStatusCapabilities(WithMeta):
    """v2 object (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True


class ProvidersCapabilities(WithMeta):
    """v2 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True


class AuthMethodTerminal(WithMeta):
    """v2 `type: terminal` (stable); protocol page: terminals."""

    TAG: ClassVar[tuple[str, str]] = ("type", "terminal")
    method_id: str = field("methodId", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    args: Sequence[str] = field("args", "[str]/n", default=())
    env: Sequence[EnvVariable] = field("env", "[EnvVariable]/n", default=(), secret=True)


class AuthMethodAgent(WithMeta):
    """v2 `type: agent` (stable); protocol page: authentication."""

    TAG: ClassVar[tuple[str, str]] = ("type", "agent")
    method_id: str = field("methodId", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)


class EnvVariable(WithMeta):
    """v2 object (stable); protocol page: initialization."""

    name: str = field("name", "str")
    value: str = field("value", "str", secret=True)


class InitializeRequest(WithMeta):
    """v2 params of `initialize` (stable); protocol page: initialization."""

    protocol_version: int = field("protocolVersion", "uint16")
    info: Implementation = field("info", "Implementation")
    capabilities: ClientCapabilities = field("capabilities", "ClientCapabilities/e", default=EMPTY_OBJECT)


class ClientCapabilities(WithMeta):
    """v2 object (stable); protocol page: initialization."""

    auth: ClientAuthCapabilities | None = field("auth", "ClientAuthCapabilities|null/e", default=None)
    elicitation: ElicitationCapabilities | None = field("elicitation", "ElicitationCapabilities|null/e", default=None)


class ClientAuthCapabilities(WithMeta):
    """v2 object (stable); protocol page: authentication."""

    terminal: TerminalAuthCapabilities | None = field("terminal", "TerminalAuthCapabilities|null/e", default=None)


class TerminalAuthCapabilities(WithMeta):
    """v2 object (stable); protocol page: terminals."""


class ElicitationCapabilities(WithMeta):
    """v2 object (stable); protocol page: elicitation."""

    form: ElicitationFormCapabilities | None = field("form", "ElicitationFormCapabilities|null/e", default=None)
    url: ElicitationUrlCapabilities | None = field("url", "ElicitationUrlCapabilities|null/e", default=None)


class ElicitationFormCapabilities(WithMeta):
    """v2 object (stable); protocol page: elicitation."""


class ElicitationUrlCapabilities(WithMeta):
    """v2 object (stable); protocol page: elicitation."""
