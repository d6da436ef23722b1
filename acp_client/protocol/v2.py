"""Protocol version 2: one idle state ends a turn, everything is an upsert, the agent owns terminals and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_client.models import v2
from acp_client.models.convert import structure, unstructure
from acp_client.policy.permissions import offered
from acp_client.policy.questions import PermissionDetails
from acp_client.protocol.dialect import (
    AgentCapabilities,
    AgentDescription,
    AuthMethod,
    Implementation,
    OpenCall,
    PromptAnswer,
    Reducer,
    Roots,
    SessionInfo,
    SessionPage,
    distinct,
    prompt_to_wire,
    roots_to_wire,
)
from acp_client.rpc.messages import Json
from acp_client.state.content import Content
from acp_client.state.events import Event
from acp_client.state.store import SessionStore
from acp_client.state.v2 import V2Reducer

RESUME = "session/resume"
_OPENED: dict[str, Any] = {RESUME: v2.ResumeSessionResponse}


class V2Dialect:
    """Version 2 as `acp_client.protocol.dialect.Dialect`."""

    version = 2
    reports_state = True
    allows_null_id = False
    login_method = "auth/login"
    logout_method = "auth/logout"

    def describe(self, result: Json) -> AgentDescription:
        answer = structure(v2.InitializeResponse, result)
        return AgentDescription(
            protocol_version=2,
            info=Implementation(answer.info.name, answer.info.version, answer.info.title),
            capabilities=_capabilities(answer.capabilities, bool(answer.auth_methods)),
            auth_methods=tuple(_auth_method(method) for method in answer.auth_methods),
            raw=result,
        )

    # sessions

    def new_session(self, roots: Roots) -> OpenCall:
        return OpenCall("session/new", _roots(roots))

    def load_session(self, session_id: str, roots: Roots) -> OpenCall:
        return self.resume_session(session_id, roots, True)

    def resume_session(self, session_id: str, roots: Roots, replay: bool) -> OpenCall:
        params = {"sessionId": session_id, **_roots(roots)}
        if replay:
            params["replayFrom"] = {"type": "start"}
        return OpenCall(RESUME, params, replays=replay)

    def fork_session(self, session_id: str, roots: Roots) -> OpenCall:
        return OpenCall("session/fork", {"sessionId": session_id, **_roots(roots)})

    def new_session_id(self, method: str, result: Json) -> str:
        return structure(v2.NewSessionResponse, result).session_id

    def apply_opened(self, store: SessionStore, method: str, result: Json, newer: bool) -> list[Event]:
        answer = structure(_OPENED.get(method, v2.NewSessionResponse), result)
        return V2Reducer(store).opened(answer.config_options, answer.available_commands, keep_newer=newer)

    def session_page(self, result: Json) -> SessionPage:
        page = structure(v2.ListSessionsResponse, result)
        return SessionPage(tuple(_session_info(entry) for entry in page.sessions), page.next_cursor)

    def structure_answer(self, method: str, result: Json) -> Any:
        return structure(v2.AGENT_METHODS[method].result, result)

    # prompts and updates

    def reducer(self, store: SessionStore) -> Reducer:
        return V2Reducer(store)

    def update_problem(self, raw: Json) -> str:
        return "invalid"  # unknown kinds are values here: only a broken known one fails

    def prompt_params(self, session_id: str, blocks: Sequence[Content], meta: Json) -> dict[str, Json]:
        return prompt_to_wire(session_id, blocks, meta)

    def prompt_answer(self, result: Json) -> PromptAnswer:
        return PromptAnswer(message_id=structure(v2.PromptResponse, result).message_id)

    def set_config_option(self, store: SessionStore, option_id: str, value: str | bool) -> OpenCall:
        kind = "boolean" if isinstance(value, bool) else "id"
        params = {"sessionId": store.session_id, "configId": option_id, "type": kind, "value": value}
        return OpenCall("session/set_config_option", params)

    def apply_config_answer(self, store: SessionStore, call: OpenCall, result: Json) -> list[Event]:
        if "configOptions" not in result:
            return []  # the update that follows tells (SO-15)
        return V2Reducer(store).opened(structure(v2.SetSessionConfigOptionResponse, result).config_options, None)

    # what the agent asks

    def permission(self, params: Json) -> tuple[PermissionDetails, Any]:
        request = structure(v2.RequestPermissionRequest, params)
        options = tuple([offered(option.option_id, option.name, option.kind) for option in request.options])
        distinct("options", [option.option_id for option in options])
        details = PermissionDetails(request.title, options, request.description or None)
        subject = request.subject
        if isinstance(subject, v2.ToolCallPermissionSubject):
            details.subject_type, details.tool_call_id = "tool_call", subject.tool_call.tool_call_id
            return details, subject.tool_call
        if isinstance(subject, v2.CommandPermissionSubject):
            details.subject_type = "command"
            details.command, details.command_cwd = subject.command, subject.cwd
            details.tool_call_id, details.terminal_id = subject.tool_call_id or None, subject.terminal_id or None
        elif isinstance(subject, v2.UnknownRequestPermissionSubject):
            details.subject_type = subject.tag
        return details, None

    def check_elicitation(self, params: Json) -> None:
        structure(v2.CreateElicitationRequest, params)

    def serves(self, method: str) -> bool:
        return False  # files and terminals are the agent's own business in this version (V2-TRM-13)

    def structure_request(self, method: str, params: Json) -> Any:
        raise AssertionError(f"version 2 serves no {method}")  # never reached: `serves` says so


def _roots(roots: Roots) -> dict[str, Json]:
    return roots_to_wire(roots, stdio_has_type=True)


def _capabilities(offered: v2.AgentCapabilities, has_login: bool) -> AgentCapabilities:
    session = offered.session
    raw = unstructure(offered)
    if session is None:
        return AgentCapabilities(sessions=False, mcp_stdio=False, logout=has_login, raw=raw)
    prompt, mcp = session.prompt, session.mcp
    unstable = {
        "system_prompt": session.system_prompt,
        "fork": session.fork,
        "archive": session.archive,
        "status": session.status,
        "title": session.title,
        "providers": offered.providers,
        "auth_status": offered.auth.status if offered.auth is not None else None,
    }
    return AgentCapabilities(
        load_session=True,
        resume_session=True,
        list_sessions=True,
        close_session=True,
        delete_session=session.delete is not None,
        additional_directories=session.additional_directories is not None,
        prompt_image=prompt is not None and prompt.image is not None,
        prompt_audio=prompt is not None and prompt.audio is not None,
        prompt_embedded_context=prompt is not None and prompt.embedded_context is not None,
        mcp_stdio=mcp is not None and mcp.stdio is not None,
        mcp_http=mcp is not None and mcp.http is not None,
        logout=has_login,
        unstable=frozenset(name for name, value in unstable.items() if value is not None),
        raw=raw,
    )


def _auth_method(method: Any) -> AuthMethod:
    raw = unstructure(method)
    if isinstance(method, v2.UnknownAuthMethod):
        return AuthMethod(id=raw["methodId"], name=raw["name"], type=method.tag, raw=raw)
    if isinstance(method, v2.AuthMethodTerminal):
        return AuthMethod(
            id=method.method_id,
            name=method.name,
            type="terminal",
            description=method.description,
            args=tuple(method.args),
            env={variable.name: variable.value for variable in method.env},
            raw=raw,
        )
    return AuthMethod(id=method.method_id, name=method.name, description=method.description, raw=raw)


def _session_info(entry: v2.SessionInfo) -> SessionInfo:
    return SessionInfo(
        session_id=entry.session_id,
        cwd=entry.cwd,
        title=entry.title,
        updated_at=entry.updated_at,
        additional_directories=tuple(entry.additional_directories),
        meta=entry.meta,
    )
