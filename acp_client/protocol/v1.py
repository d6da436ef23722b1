"""Protocol version 1: the prompt's answer ends a turn, closed unions, and a client that serves files and terminals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from acp_client.models import v1
from acp_client.models.convert import structure, unstructure
from acp_client.models.shapes import TaggedUnion
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
from acp_client.state.v1 import V1Reducer

SET_MODE = "session/set_mode"

_SERVED: dict[str, type[Any]] = {
    "fs/read_text_file": v1.ReadTextFileRequest,
    "fs/write_text_file": v1.WriteTextFileRequest,
    "terminal/create": v1.CreateTerminalRequest,
    "terminal/output": v1.TerminalOutputRequest,
    "terminal/wait_for_exit": v1.WaitForTerminalExitRequest,
    "terminal/kill": v1.KillTerminalRequest,
    "terminal/release": v1.ReleaseTerminalRequest,
}

_OPENED: dict[str, type[Any]] = {
    "session/new": v1.NewSessionResponse,
    "session/load": v1.LoadSessionResponse,
    "session/resume": v1.ResumeSessionResponse,
    "session/fork": v1.ForkSessionResponse,
}

_UPDATE_KINDS = frozenset(cast(TaggedUnion, v1.UNIONS["SessionUpdate"]).variants)


class V1Dialect:
    """Version 1 as `acp_client.protocol.dialect.Dialect`."""

    version = 1
    reports_state = False
    allows_null_id = True
    login_method = "authenticate"
    logout_method = "logout"

    def describe(self, result: Json) -> AgentDescription:
        # An agent that echoes a higher number in this version's shape is read as version 1.
        answer = structure(v1.InitializeResponse, result)
        info = answer.agent_info
        return AgentDescription(
            protocol_version=1,
            info=Implementation(info.name, info.version, info.title) if info is not None else None,
            capabilities=_capabilities(answer.agent_capabilities),
            auth_methods=tuple(_auth_method(method) for method in answer.auth_methods),
            raw=result,
        )

    # sessions

    def new_session(self, roots: Roots) -> OpenCall:
        return OpenCall("session/new", _roots(roots))

    def load_session(self, session_id: str, roots: Roots) -> OpenCall:
        return OpenCall("session/load", {"sessionId": session_id, **_roots(roots)}, replays=True)

    def resume_session(self, session_id: str, roots: Roots, replay: bool) -> OpenCall:
        return OpenCall("session/resume", {"sessionId": session_id, **_roots(roots)})

    def fork_session(self, session_id: str, roots: Roots) -> OpenCall:
        return OpenCall("session/fork", {"sessionId": session_id, **_roots(roots)})

    def new_session_id(self, method: str, result: Json) -> str:
        return structure(v1.NewSessionResponse, result).session_id

    def apply_opened(self, store: SessionStore, method: str, result: Json, newer: bool) -> list[Event]:
        answer = structure(_OPENED[method], result)
        return V1Reducer(store).opened(answer.config_options, answer.modes, keep_newer=newer)

    def session_page(self, result: Json) -> SessionPage:
        page = structure(v1.ListSessionsResponse, result)
        return SessionPage(tuple(_session_info(entry) for entry in page.sessions), page.next_cursor)

    def structure_answer(self, method: str, result: Json) -> Any:
        return structure(v1.AGENT_METHODS[method].result, result)

    # prompts and updates

    def reducer(self, store: SessionStore) -> Reducer:
        return V1Reducer(store)

    def update_problem(self, raw: Json) -> str:
        kind = raw.get("sessionUpdate") if isinstance(raw, dict) else None
        return "unknown" if isinstance(kind, str) and kind not in _UPDATE_KINDS else "invalid"

    def prompt_params(self, session_id: str, blocks: Sequence[Content], meta: Json) -> dict[str, Json]:
        return prompt_to_wire(session_id, blocks, meta)

    def prompt_answer(self, result: Json) -> PromptAnswer:
        answer = structure(v1.PromptResponse, result)
        return PromptAnswer(stop_reason=answer.stop_reason)

    def set_config_option(self, store: SessionStore, option_id: str, value: str | bool) -> OpenCall:
        if store.is_mode_option(option_id):
            return OpenCall(SET_MODE, {"sessionId": store.session_id, "modeId": value})
        params: dict[str, Json] = {"sessionId": store.session_id, "configId": option_id, "value": value}
        if isinstance(value, bool):
            params["type"] = "boolean"
        return OpenCall("session/set_config_option", params)

    def apply_config_answer(self, store: SessionStore, call: OpenCall, result: Json) -> list[Event]:
        if call.method == SET_MODE:
            event = V1Reducer(store).apply_model(v1.CurrentModeUpdate(current_mode_id=call.params["modeId"]))
            event.count = 0
            return [event]
        if "configOptions" not in result:
            return []  # the update that follows tells (SO-15)
        return V1Reducer(store).opened(structure(v1.SetSessionConfigOptionResponse, result).config_options, None)

    # what the agent asks

    def permission(self, params: Json) -> tuple[PermissionDetails, Any]:
        request = structure(v1.RequestPermissionRequest, params)
        options = tuple([offered(option.option_id, option.name, option.kind) for option in request.options])
        distinct("options", [option.option_id for option in options])
        call = request.tool_call
        title = call.title or "Permission requested"
        return PermissionDetails(title, options, tool_call_id=call.tool_call_id, subject_type="tool_call"), call

    def check_elicitation(self, params: Json) -> None:
        structure(v1.CreateElicitationRequest, params)

    def serves(self, method: str) -> bool:
        return method in _SERVED

    def structure_request(self, method: str, params: Json) -> Any:
        return structure(_SERVED[method], params)


def _roots(roots: Roots) -> dict[str, Json]:
    return roots_to_wire(roots, stdio_has_type=False)


def _capabilities(offered: v1.AgentCapabilities) -> AgentCapabilities:
    session, prompt, mcp = offered.session_capabilities, offered.prompt_capabilities, offered.mcp_capabilities
    unstable = {
        "system_prompt": session.system_prompt,
        "fork": session.fork,
        "archive": session.archive,
        "status": session.status,
        "title": session.title,
        "providers": offered.providers,
        "auth_status": offered.auth.status,
    }
    return AgentCapabilities(
        load_session=offered.load_session,
        resume_session=session.resume is not None,
        list_sessions=session.list is not None,
        close_session=session.close is not None,
        delete_session=session.delete is not None,
        additional_directories=session.additional_directories is not None,
        prompt_image=prompt.image,
        prompt_audio=prompt.audio,
        prompt_embedded_context=prompt.embedded_context,
        mcp_http=mcp.http,
        mcp_sse=mcp.sse,
        logout=offered.auth.logout is not None,
        unstable=frozenset(name for name, value in unstable.items() if value is not None),
        raw=unstructure(offered),
    )


def _auth_method(method: Any) -> AuthMethod:
    if isinstance(method, v1.AuthMethodTerminal):
        return AuthMethod(
            id=method.id,
            name=method.name,
            type="terminal",
            description=method.description,
            args=tuple(method.args),
            env=dict(method.env),
            raw=unstructure(method),
        )
    return AuthMethod(id=method.id, name=method.name, description=method.description, raw=unstructure(method))


def _session_info(entry: v1.SessionInfo) -> SessionInfo:
    return SessionInfo(
        session_id=entry.session_id,
        cwd=entry.cwd,
        title=entry.title,
        updated_at=entry.updated_at,
        additional_directories=tuple(entry.additional_directories),
        meta=entry.meta,
    )
