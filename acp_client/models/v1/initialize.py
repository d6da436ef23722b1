# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: initialize."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_client.models.base import EMPTY_MAP, EMPTY_OBJECT, WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from acp_client.models.v1.unions import AuthMethod


class InitializeResponse(WithMeta):
    """v1 result of `initialize` (stable); protocol page: initialization."""

    protocol_version: int = field("protocolVersion", "uint16")
    agent_capabilities: AgentCapabilities = field("agentCapabilities", "AgentCapabilities/e", default=EMPTY_OBJECT)
    auth_methods: Sequence[AuthMethod] = field("authMethods", "[AuthMethod]/es", default=())
    agent_info: Implementation | None = field("agentInfo", "Implementation|null/e", default=None)


class AgentCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""

    load_session: bool = field("loadSession", "bool/e", default=False)
    prompt_capabilities: PromptCapabilities = field("promptCapabilities", "PromptCapabilities/e", default=EMPTY_OBJECT)
    mcp_capabilities: McpCapabilities = field("mcpCapabilities", "McpCapabilities/e", default=EMPTY_OBJECT)
    session_capabilities: SessionCapabilities = field(
        "sessionCapabilities", "SessionCapabilities/e", default=EMPTY_OBJECT
    )
    auth: AgentAuthCapabilities = field("auth", "AgentAuthCapabilities/e", default=EMPTY_OBJECT)
    providers: ProvidersCapabilities | None = field(
        "providers", "ProvidersCapabilities|null/e", default=None, unstable=True
    )


class PromptCapabilities(WithMeta):
    """v1 object (stable); protocol page: prompt turn."""

    image: bool = field("image", "bool/e", default=False)
    audio: bool = field("audio", "bool/e", default=False)
    embedded_context: bool = field("embeddedContext", "bool/e", default=False)


class McpCapabilities(WithMeta):
    """v1 object (stable); protocol page: MCP servers."""

    http: bool = field("http", "bool/e", default=False)
    sse: bool = field("sse", "bool/e", default=False)
    acp: bool = field("acp", "bool/e", default=False, unstable=True)


class SessionCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""

    list: SessionListCapabilities | None = field("list", "SessionListCapabilities|null/e", default=None)
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
    resume: SessionResumeCapabilities | None = field("resume", "SessionResumeCapabilities|null/e", default=None)
    close: SessionCloseCapabilities | None = field("close", "SessionCloseCapabilities|null/e", default=None)


class SessionListCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""


class SessionDeleteCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""


class SessionAdditionalDirectoriesCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""


class SessionSystemPromptCapabilities(WithMeta):
    """v1 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    mode: SessionSystemPromptModeCapabilities | None = field(
        "mode", "SessionSystemPromptModeCapabilities|null/e", default=None
    )


class SessionSystemPromptModeCapabilities(WithMeta):
    """v1 object (unstable); protocol page: session modes."""

    UNSTABLE: ClassVar[bool] = True
    override: SessionSystemPromptOverrideCapabilities | None = field(
        "override", "SessionSystemPromptOverrideCapabilities|null/e", default=None
    )


class SessionSystemPromptOverrideCapabilities(WithMeta):
    """v1 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True


class SessionForkCapabilities(WithMeta):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True


class SessionArchiveCapabilities(WithMeta):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True


class SessionStatusCapabilities(WithMeta):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True


class SessionTitleCapabilities(WithMeta):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True


class SessionResumeCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""


class SessionCloseCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""


class AgentAuthCapabilities(WithMeta):
    """v1 object (stable); protocol page: authentication."""

    status: AuthStatusCapabilities | None = field(
        "status", "AuthStatusCapabilities|null/e", default=None, unstable=True
    )
    logout: LogoutCapabilities | None = field("logout", "LogoutCapabilities|null/e", default=None)


class AuthStatusCapabilities(WithMeta):
    """v1 object (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True


class LogoutCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""


class ProvidersCapabilities(WithMeta):
    """v1 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True


class AuthMethodTerminal(WithMeta):
    """v1 `type: terminal` (stable); protocol page: terminals."""

    TAG: ClassVar[tuple[str, str]] = ("type", "terminal")
    id: str = field("id", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    args: Sequence[str] = field("args", "[str]/n", default=())
    env: Mapping[str, str] = field("env", "{str}/n", default=EMPTY_MAP, secret=True)


class AuthMethodAgent(WithMeta):
    """v1 object (stable); protocol page: authentication."""

    id: str = field("id", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)


class Implementation(WithMeta):
    """v1 object (stable); protocol page: initialization."""

    name: str = field("name", "str")
    title: str | None = field("title", "str|null/e", default=None)
    version: str = field("version", "str")


class InitializeRequest(WithMeta):
    """v1 params of `initialize` (stable); protocol page: initialization."""

    protocol_version: int = field("protocolVersion", "uint16")
    client_capabilities: ClientCapabilities = field("clientCapabilities", "ClientCapabilities/e", default=EMPTY_OBJECT)
    client_info: Implementation | None = field("clientInfo", "Implementation|null/e", default=None)


class ClientCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""

    fs: FileSystemCapabilities = field("fs", "FileSystemCapabilities/e", default=EMPTY_OBJECT)
    terminal: bool = field("terminal", "bool/e", default=False)
    session: ClientSessionCapabilities | None = field("session", "ClientSessionCapabilities|null/e", default=None)
    subagents: SubagentCapabilities | None = field(
        "subagents", "SubagentCapabilities|null/e", default=None, unstable=True
    )
    plan: PlanCapabilities | None = field("plan", "PlanCapabilities|null/e", default=None, unstable=True)
    auth: AuthCapabilities = field("auth", "AuthCapabilities/e", default=EMPTY_OBJECT)
    elicitation: ElicitationCapabilities | None = field("elicitation", "ElicitationCapabilities|null/e", default=None)


class FileSystemCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""

    read_text_file: bool = field("readTextFile", "bool/e", default=False)
    write_text_file: bool = field("writeTextFile", "bool/e", default=False)


class ClientSessionCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""

    compaction: CompactionCapabilities | None = field("compaction", "CompactionCapabilities|null/e", default=None)
    config_options: SessionConfigOptionsCapabilities | None = field(
        "configOptions", "SessionConfigOptionsCapabilities|null/e", default=None
    )
    notices: NoticeCapabilities | None = field("notices", "NoticeCapabilities|null/e", default=None)


class CompactionCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""


class SessionConfigOptionsCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""

    boolean: BooleanConfigOptionCapabilities | None = field(
        "boolean", "BooleanConfigOptionCapabilities|null/e", default=None
    )


class BooleanConfigOptionCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""


class NoticeCapabilities(WithMeta):
    """v1 object (stable); protocol page: initialization."""


class SubagentCapabilities(WithMeta):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True


class PlanCapabilities(WithMeta):
    """v1 object (unstable); protocol page: agent plan."""

    UNSTABLE: ClassVar[bool] = True


class AuthCapabilities(WithMeta):
    """v1 object (stable); protocol page: authentication."""

    terminal: bool = field("terminal", "bool/e", default=False)


class ElicitationCapabilities(WithMeta):
    """v1 object (stable); protocol page: elicitation."""

    form: ElicitationFormCapabilities | None = field("form", "ElicitationFormCapabilities|null/e", default=None)
    url: ElicitationUrlCapabilities | None = field("url", "ElicitationUrlCapabilities|null/e", default=None)


class ElicitationFormCapabilities(WithMeta):
    """v1 object (stable); protocol page: elicitation."""


class ElicitationUrlCapabilities(WithMeta):
    """v1 object (stable); protocol page: elicitation."""
