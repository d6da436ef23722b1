"""Requests about sessions: opening, coming back, settings, closing. The state they change is the sessions' own.

Used by `Client` and `Session`; what they offer in public is documented there.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from acp_client._subscriptions import Update
from acp_client.errors import (
    INVALID_PARAMS,
    AcpError,
    AgentError,
    InvalidModel,
    InvalidResponse,
    NotSupported,
    RequestTimeout,
    SessionClosed,
    SessionNotFound,
    UsageError,
)
from acp_client.policy.router import Router
from acp_client.protocol.dialect import Dialect, McpServer, OpenCall, Roots
from acp_client.rpc.messages import Json, sendable
from acp_client.rpc.outbound import PendingRequest
from acp_client.session import Session

if TYPE_CHECKING:
    from acp_client.client import Client

T = TypeVar("T")
Callback: TypeAlias = Callable[[Update], Any]


def with_meta(params: dict[str, Json], meta: Mapping[str, Json] | None) -> dict[str, Json]:
    """Return the params of a message with `_meta`, where there is one."""
    return params if meta is None else {**params, "_meta": dict(meta)}


def _nothing() -> None:
    """There is nobody to unsubscribe."""


def _path(value: str | os.PathLike[str]) -> str:
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if type(path) is not str or "\0" in path:
        raise UsageError(f"a directory is a path in the agent's syntax, not {path!r}")
    return path


class SessionCalls:
    """The sessions of one client, and the calls that change which there are."""

    def __init__(self, client: Client, router: Router) -> None:
        self._client = client
        self._router = router
        self.sessions: dict[str, Session] = {}

    @property
    def dialect(self) -> Dialect:
        """The protocol version's rules."""
        return self._router.dialect

    def roots(
        self,
        cwd: str | os.PathLike[str],
        mcp_servers: Sequence[McpServer],
        additional_directories: Sequence[str | os.PathLike[str]],
        meta: Mapping[str, Json] | None,
    ) -> Roots:
        """Check what a session is to work with against what the agent offers. Raises `NotSupported`, `UsageError`."""
        offers, require = self._client.capabilities, self._client._require
        folder, others = _path(cwd), [_path(entry) for entry in additional_directories]
        if not folder:
            raise UsageError("a session needs a working directory: an absolute path on the agent's machine")
        require(offers.sessions, "hold sessions")
        if additional_directories:
            require(offers.additional_directories, "use additional directories")
        mcp = {"stdio": offers.mcp_stdio, "http": offers.mcp_http, "sse": offers.mcp_sse}
        for server in mcp_servers:
            require(mcp.get(server.type, False), f"use MCP servers of type {server.type}")
        directories = tuple(entry for entry in dict.fromkeys(others) if entry != folder)
        return Roots(cwd=folder, additional_directories=directories, mcp_servers=tuple(mcp_servers), meta=meta)

    async def open_new(self, call: OpenCall, roots: Roots, on_update: Callback | None = None) -> Session:
        """Send a call whose answer names a new session; what came for it before the answer is applied first."""

        def opened(result: Json) -> Session:
            session_id = self.read(call.method, result, lambda r: self.dialect.new_session_id(call.method, r))
            session = self.sessions.get(session_id) or self._register(session_id, roots)
            if on_update is not None:
                session.on_update(on_update)
            self.read(call.method, result, lambda r: self._apply(session, call, r, newer=False))
            self._router.give_early(session._work)
            return session

        self._router.opening += 1
        try:
            session: Session = await self._client._ask(call.method, call.params, in_step=opened)
        finally:
            self._router.end_opening()
        await session._subscriptions.caught_up(self._client._settings.callback_grace)
        return session

    async def reopen(self, session_id: str, call: OpenCall, roots: Roots, on_update: Callback | None = None) -> Session:
        """Send a call that comes back to a session, registered before it: its history precedes the answer (SO-04)."""
        known = self.sessions.get(session_id)
        session = known or self._register(session_id, roots)
        unsubscribe = session.on_update(on_update) if on_update is not None else _nothing
        store, before = session._work.store, session._work.updates
        store.begin_replay(reset=call.replays)

        def opened(result: Json) -> None:
            # In the step of the answer: an update right behind it is new work and no history.
            self.read(call.method, result, lambda r: self._apply(session, call, r, newer=True))
            replaced = store.end_replay()
            if replaced is not None:
                session._work.emit(replaced)
            session.replayed = session._work.updates - before

        try:
            await self._client._ask(call.method, call.params, None, in_step=opened)
        except BaseException:
            store.end_replay(failed=True)
            unsubscribe()
            if known is None:
                self.forget(session_id)
            raise
        await session._subscriptions.caught_up(self._client._settings.callback_grace)
        return session

    def _apply(self, session: Session, call: OpenCall, result: Json, newer: bool) -> None:
        for event in self.dialect.apply_opened(session._work.store, call.method, result, newer):
            session._work.emit(event)

    def _register(self, session_id: str, roots: Roots) -> Session:
        session = Session(self._client, self._router.add(session_id, roots.cwd), roots)
        self.sessions[session_id] = session
        return session

    def forget(self, session_id: str) -> None:
        """Drop a session that is closed, deleted, or could not be opened."""
        self._router.forget(session_id)
        session = self.sessions.pop(session_id, None)
        if session is not None:
            session._work.closed = True
            session._subscriptions.finish()
            self._client._connection.spawn(session._subscriptions.end(self._client._settings.callback_grace))

    async def close(self, session: Session, raising: bool, meta: Mapping[str, Json] | None = None) -> None:
        """Close a session; with `raising` an agent that does not offer or refuses it is an error.

        Giving up the wait leaves the request and takes the session as closed.
        """
        client = self._client
        if session.closed or client.closed:
            return
        if raising:
            client._require(client.capabilities.close_session, "close sessions")
        answer: asyncio.Future[AcpError | None] = asyncio.get_running_loop().create_future()

        def settled(result: Json, error: AcpError | None) -> None:
            # In the step of the answer itself: what comes behind it finds the session closed already.
            session._work.has_closed(SessionClosed(f"session {session.id} was closed"))
            self.forget(session.id)
            if not answer.done():
                answer.set_result(error)

        params = sendable("session/close", with_meta({"sessionId": session.id}, meta))
        requests: list[PendingRequest] = []
        peer = client._connection.peer
        session._work.begin_close(lambda: requests.append(peer.request("session/close", params, settled)))
        timeout = client._settings.request_timeout
        try:
            async with asyncio.timeout(timeout):
                error = await answer
        except TimeoutError:
            error = RequestTimeout("session/close", timeout or 0.0)
        finally:
            client._connection.leave(requests[0])
            if not answer.done() or answer.cancelled():
                settled(None, None)
        if raising and error is not None and not isinstance(error, SessionNotFound):
            raise error

    async def set_config_option(
        self, session: Session, option_id: str, value: str | bool, meta: Mapping[str, Json] | None
    ) -> None:
        """Set an option after checking the value against what the agent offers."""
        store = session._work.store
        option = next((o for o in store.snapshot().config_options if o.id == option_id), None)
        if option is None:
            raise UsageError(f"the session has no option {option_id!r}")
        if option.type == "boolean" and not isinstance(value, bool):
            raise UsageError(f"option {option_id!r} takes True or False, not {value!r}")
        if option.type == "select" and all(value != choice.value for choice in option.choices):
            raise UsageError(f"option {option_id!r} takes one of {[c.value for c in option.choices]}, not {value!r}")
        call = self.dialect.set_config_option(store, option_id, value)

        def taken(result: Json) -> None:
            for event in self.read(call.method, result, lambda r: self.dialect.apply_config_answer(store, call, r)):
                session._work.emit(event)

        await self._client._ask(call.method, call.params, meta=meta, in_step=taken)

    async def cancel_entity(self, session: Session, kind: str, entity_id: str, meta: Mapping[str, Json] | None) -> None:
        """Cancel one tool call or terminal that advertises it now."""
        store = session._work.store
        if not store.can_cancel(kind, entity_id):
            raise NotSupported(f"the agent does not offer to cancel {kind.replace('_', ' ')} {entity_id!r} now")
        key = "toolCallId" if kind == "tool_call" else "terminalId"
        try:
            await self._client._ask(f"{kind}/cancel", {"sessionId": session.id, key: entity_id}, meta=meta)
        except AgentError as error:
            if error.code != INVALID_PARAMS or store.is_running(kind, entity_id):
                raise  # an entity that ended meanwhile was a race, not a mistake (CAN-74)

    @staticmethod
    def read(method: str, result: Json, read: Callable[[Json], T]) -> T:
        """Read an answer; what does not fit its method is an `InvalidResponse`."""
        try:
            return read(result)
        except InvalidModel as problem:
            raise InvalidResponse(method, str(problem)) from None
