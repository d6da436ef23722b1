# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: initialize."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import EMPTY_MAP, EMPTY_OBJECT, Model, field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from acp_client.models.v1.unions import AuthMethod


class InitializeResponse(Model):
    """v1 result of `initialize` (stable); protocol page: initialization."""

    protocol_version: int = field("protocolVersion", "uint16")
    agent_capabilities: AgentCapabilities = field("agentCapabilities", "AgentCapabilities/e", default=EMPTY_OBJECT)
    auth_methods: Sequence[AuthMethod] = field("authMethods", "[AuthMethod]/es", default=())
    agent_info: Implementation | None = field("agentInfo", "Implementation|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AgentCapabilities(Model):
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
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PromptCapabilities(Model):
    """v1 object (stable); protocol page: prompt turn."""

    image: bool = field("image", "bool/e", default=False)
    audio: bool = field("audio", "bool/e", default=False)
    embedded_context: bool = field("embeddedContext", "bool/e", default=False)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class McpCapabilities(Model):
    """v1 object (stable); protocol page: MCP servers."""

    http: bool = field("http", "bool/e", default=False)
    sse: bool = field("sse", "bool/e", default=False)
    acp: bool = field("acp", "bool/e", default=False, unstable=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionCapabilities(Model):
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
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionListCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionDeleteCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionAdditionalDirectoriesCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionSystemPromptCapabilities(Model):
    """v1 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    mode: SessionSystemPromptModeCapabilities | None = field(
        "mode", "SessionSystemPromptModeCapabilities|null/e", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionSystemPromptModeCapabilities(Model):
    """v1 object (unstable); protocol page: session modes."""

    UNSTABLE: ClassVar[bool] = True
    override: SessionSystemPromptOverrideCapabilities | None = field(
        "override", "SessionSystemPromptOverrideCapabilities|null/e", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionSystemPromptOverrideCapabilities(Model):
    """v1 object (unstable); protocol page: prompt turn."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionForkCapabilities(Model):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionArchiveCapabilities(Model):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionStatusCapabilities(Model):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionTitleCapabilities(Model):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionResumeCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionCloseCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AgentAuthCapabilities(Model):
    """v1 object (stable); protocol page: authentication."""

    status: AuthStatusCapabilities | None = field(
        "status", "AuthStatusCapabilities|null/e", default=None, unstable=True
    )
    logout: LogoutCapabilities | None = field("logout", "LogoutCapabilities|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthStatusCapabilities(Model):
    """v1 object (unstable); protocol page: authentication."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class LogoutCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ProvidersCapabilities(Model):
    """v1 object (unstable); protocol page: providers."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthMethodTerminal(Model):
    """v1 `type: terminal` (stable); protocol page: terminals."""

    TAG: ClassVar[tuple[str, str]] = ("type", "terminal")
    id: str = field("id", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    args: Sequence[str] = field("args", "[str]/n", default=())
    env: Mapping[str, str] = field("env", "{str}/n", default=EMPTY_MAP, secret=True)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthMethodAgent(Model):
    """v1 object (stable); protocol page: authentication."""

    id: str = field("id", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class Implementation(Model):
    """v1 object (stable); protocol page: initialization."""

    name: str = field("name", "str")
    title: str | None = field("title", "str|null/e", default=None)
    version: str = field("version", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class InitializeRequest(Model):
    """v1 params of `initialize` (stable); protocol page: initialization."""

    protocol_version: int = field("protocolVersion", "uint16")
    client_capabilities: ClientCapabilities = field("clientCapabilities", "ClientCapabilities/e", default=EMPTY_OBJECT)
    client_info: Implementation | None = field("clientInfo", "Implementation|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ClientCapabilities(Model):
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
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class FileSystemCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    read_text_file: bool = field("readTextFile", "bool/e", default=False)
    write_text_file: bool = field("writeTextFile", "bool/e", default=False)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ClientSessionCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    compaction: CompactionCapabilities | None = field("compaction", "CompactionCapabilities|null/e", default=None)
    config_options: SessionConfigOptionsCapabilities | None = field(
        "configOptions", "SessionConfigOptionsCapabilities|null/e", default=None
    )
    notices: NoticeCapabilities | None = field("notices", "NoticeCapabilities|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class CompactionCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SessionConfigOptionsCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    boolean: BooleanConfigOptionCapabilities | None = field(
        "boolean", "BooleanConfigOptionCapabilities|null/e", default=None
    )
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class BooleanConfigOptionCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class NoticeCapabilities(Model):
    """v1 object (stable); protocol page: initialization."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class SubagentCapabilities(Model):
    """v1 object (unstable); protocol page: initialization."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class PlanCapabilities(Model):
    """v1 object (unstable); protocol page: agent plan."""

    UNSTABLE: ClassVar[bool] = True
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AuthCapabilities(Model):
    """v1 object (stable); protocol page: authentication."""

    terminal: bool = field("terminal", "bool/e", default=False)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ElicitationCapabilities(Model):
    """v1 object (stable); protocol page: elicitation."""

    form: ElicitationFormCapabilities | None = field("form", "ElicitationFormCapabilities|null/e", default=None)
    url: ElicitationUrlCapabilities | None = field("url", "ElicitationUrlCapabilities|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ElicitationFormCapabilities(Model):
    """v1 object (stable); protocol page: elicitation."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ElicitationUrlCapabilities(Model):
    """v1 object (stable); protocol page: elicitation."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)
