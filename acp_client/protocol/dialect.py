"""What a protocol version is, to everybody above it.

A dialect turns neutral calls into params and answers into neutral values. It is the one place where the typed boundary
is crossed: below it there are strings and dicts, above it attrs objects. `InvalidModel` tells what does not fit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import attrs

from acp_client.errors import InvalidModel
from acp_client.policy.questions import PermissionDetails
from acp_client.rpc.messages import Json
from acp_client.state.content import Content, block_to_wire
from acp_client.state.events import Event
from acp_client.state.store import SessionStore


@attrs.frozen
class Implementation:
    """Name and version of a program; `label` is what to show."""

    name: str
    version: str
    title: str | None = None

    @property
    def label(self) -> str:
        return self.title or self.name


@attrs.frozen(kw_only=True)
class AuthMethod:
    """One way to log in that the agent advertises.

    `type` is "agent" (use `Client.authenticate`), "terminal" (run the agent's command with `args` and `env` in a
    terminal, then connect again) or a future one. `raw` is the whole object.
    """

    id: str
    name: str
    type: str = "agent"
    description: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    raw: Mapping[str, Json] = attrs.field(factory=dict, repr=False)


@attrs.frozen(kw_only=True)
class AgentCapabilities:
    """What the agent offers, named alike in both versions. `raw` is its capabilities object as it came."""

    sessions: bool = True
    load_session: bool = False
    resume_session: bool = False
    list_sessions: bool = False
    close_session: bool = False
    delete_session: bool = False
    additional_directories: bool = False
    prompt_image: bool = False
    prompt_audio: bool = False
    prompt_embedded_context: bool = False
    mcp_stdio: bool = True
    mcp_http: bool = False
    mcp_sse: bool = False
    logout: bool = False
    unstable: frozenset[str] = frozenset()
    """Unstable features the agent offers, by name: fork, archive, status, title, providers, auth_status, ..."""
    raw: Mapping[str, Json] = attrs.field(factory=dict, repr=False)


@attrs.frozen(kw_only=True)
class AgentDescription:
    """What an `initialize` answer says."""

    protocol_version: int
    info: Implementation | None
    capabilities: AgentCapabilities
    auth_methods: tuple[AuthMethod, ...]
    raw: Mapping[str, Json] = attrs.field(repr=False)


@attrs.frozen
class PromptAnswer:
    """What the answer to a prompt says: the end (version 1) or the inserted message (version 2)."""

    stop_reason: str | None = None
    message_id: str | None = None


@attrs.frozen(kw_only=True)
class SessionInfo:
    """One entry of the agent's session list."""

    session_id: str
    cwd: str
    title: str | None = None
    updated_at: str | None = None
    additional_directories: tuple[str, ...] = ()
    meta: Mapping[str, Json] | None = None


@attrs.frozen
class SessionPage:
    """One page of the session list; `next_cursor` None means the end (an empty string does not)."""

    sessions: tuple[SessionInfo, ...]
    next_cursor: str | None = None


@attrs.frozen(kw_only=True)
class McpServer:
    """One MCP server for the agent to use: `command` (absolute) with `args` and `env`, or a `url` with `headers`.

    `type` is "stdio", "http" or "sse" (version 1 only); what the agent does not offer is refused before it is sent.
    """

    name: str
    type: str = "stdio"
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    url: str | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)


@attrs.frozen(kw_only=True)
class Roots:
    """Where a session works and what it may use, sent whole with new, load and resume."""

    cwd: str
    additional_directories: Sequence[str] = ()
    mcp_servers: Sequence[McpServer] = ()
    meta: Mapping[str, Json] | None = None


class Reducer(Protocol):
    """How updates of one version change a session's state. See `acp_client.state`."""

    def apply(self, raw: Json) -> Event: ...
    def apply_tool_call(self, tool_call: Any) -> Event: ...
    def unknown_update(self, raw: Json, reason: str) -> Event: ...
    def mark_cancelled(self, tool_call_ids: Collection[str] | None = None) -> list[Event]: ...
    def local_user_message(self, blocks: Sequence[Content]) -> Event: ...
    def local_state(self, state: str, stop_reason: str | None) -> Event: ...


@attrs.frozen
class OpenCall:
    """One call that opens a session: what to send, and whether the agent replays the history before it answers."""

    method: str
    params: dict[str, Json]
    replays: bool = False


class Dialect(Protocol):
    """Everything that differs between protocol versions. Pure; raises `InvalidModel` for what does not fit."""

    version: int
    reports_state: bool
    """The agent reports the foreground state; otherwise a prompt's answer ends its turn and we keep the state."""
    allows_null_id: bool
    login_method: str
    logout_method: str

    def describe(self, result: Json) -> AgentDescription:
        """Read an `initialize` answer of this version."""

    # sessions

    def new_session(self, roots: Roots) -> OpenCall: ...
    def load_session(self, session_id: str, roots: Roots) -> OpenCall: ...
    def resume_session(self, session_id: str, roots: Roots, replay: bool) -> OpenCall: ...

    def fork_session(self, session_id: str, roots: Roots) -> OpenCall: ...

    def new_session_id(self, method: str, result: Json) -> str:
        """Return the session id of an answer that names a new session."""

    def apply_opened(self, store: SessionStore, method: str, result: Json, newer: bool) -> list[Event]:
        """Take config options, modes and commands from an opening answer; `newer`: updates came before it and win."""

    def session_page(self, result: Json) -> SessionPage: ...

    def structure_answer(self, method: str, result: Json) -> Any:
        """Return the wire model of an answer, for calls that have no neutral form."""

    # prompts and updates

    def reducer(self, store: SessionStore) -> Reducer: ...
    def update_problem(self, raw: Json) -> str: ...
    def prompt_params(self, session_id: str, blocks: Sequence[Content], meta: Json) -> dict[str, Json]: ...
    def prompt_answer(self, result: Json) -> PromptAnswer: ...

    def set_config_option(self, store: SessionStore, option_id: str, value: str | bool) -> OpenCall:
        """Return the call that sets an option; a version 1 mode is set with its own method."""

    def apply_config_answer(self, store: SessionStore, call: OpenCall, result: Json) -> list[Event]: ...

    # what the agent asks

    def permission(self, params: Json) -> tuple[PermissionDetails, Any]:
        """Return what a permission request says, and the tool call in it (or None) for the reducer."""

    def check_elicitation(self, params: Json) -> None: ...
    def serves(self, method: str) -> bool: ...
    def structure_request(self, method: str, params: Json) -> Any: ...


def distinct(path: str, ids: Sequence[str]) -> None:
    """Raise `InvalidModel` when an id stands twice in a list whose ids must tell its entries apart."""
    if len(set(ids)) != len(ids):
        raise InvalidModel(path, "ids that differ from each other")


def mcp_server_to_wire(server: McpServer, *, stdio_has_type: bool) -> dict[str, Json]:
    """Return the object that describes an MCP server; version 1 knows stdio servers by having no `type`."""
    if server.type == "stdio":
        wire: dict[str, Json] = {
            "name": server.name,
            "command": server.command,
            "args": list(server.args),
            "env": pairs(server.env),
        }
        return {"type": "stdio", **wire} if stdio_has_type else wire
    return {"type": server.type, "name": server.name, "url": server.url, "headers": pairs(server.headers)}


def roots_to_wire(roots: Roots, *, stdio_has_type: bool) -> dict[str, Json]:
    """Return the params that new, load and resume have in common; `mcpServers` is always an array (FC-10)."""
    servers = [mcp_server_to_wire(server, stdio_has_type=stdio_has_type) for server in roots.mcp_servers]
    params: dict[str, Json] = {"cwd": roots.cwd, "mcpServers": servers}
    if roots.additional_directories:
        params["additionalDirectories"] = list(roots.additional_directories)
    if roots.meta is not None:
        params["_meta"] = dict(roots.meta)
    return params


def pairs(values: Mapping[str, str]) -> list[dict[str, str]]:
    """Return a mapping as the list of name and value objects that the protocol uses."""
    return [{"name": name, "value": value} for name, value in values.items()]


def prompt_to_wire(session_id: str, blocks: Sequence[Content], meta: Json) -> dict[str, Json]:
    """Return the params of a prompt, which are the same in both versions."""
    params: dict[str, Json] = {"sessionId": session_id, "prompt": [block_to_wire(block) for block in blocks]}
    return params if meta is None else {**params, "_meta": meta}
