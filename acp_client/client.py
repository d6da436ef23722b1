"""The façade: one connection to one agent, its handshake, its sessions, its end.

`Client` wraps an outbound request manager and an inbound request dispatcher, both inside the connection's peer, and the
policy layer that answers for them. It belongs to the event loop it was connected on.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import shlex
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

import attrs

from acp_client._handshake import (
    CONFIGURED,
    Settings,
    Target,
    Timeout,
    before_the_handshake,
    default_info,
    heard_from,
    negotiate,
    resolve,
)
from acp_client._serving import Serving
from acp_client._session_calls import SessionCalls, with_meta
from acp_client._subscriptions import CALLBACK_GRACE, Update
from acp_client._telling import Telling
from acp_client.errors import (
    AuthMethodRefused,
    AuthRequired,
    ConnectionClosed,
    ConnectionLost,
    HandshakeTimeout,
    InvalidResponse,
    NotSupported,
    SessionNotFound,
    UsageError,
)
from acp_client.host import Host, abilities_of
from acp_client.policy.cancellation import CancellationPolicy
from acp_client.policy.permissions import PermissionPolicy
from acp_client.policy.questions import PendingQuestion
from acp_client.policy.router import Ports, Router
from acp_client.protocol.dialect import (
    AgentCapabilities,
    AgentDescription,
    AuthMethod,
    Dialect,
    Implementation,
    McpServer,
    Roots,
    SessionInfo,
    SessionPage,
)
from acp_client.protocol.negotiation import ProtocolChoice
from acp_client.rpc.connection import REQUEST_TIMEOUT, Connection
from acp_client.rpc.messages import Json, sendable
from acp_client.rpc.peer import Diagnostic
from acp_client.session import Session
from acp_client.state.content import Audio, Content, Image, Resource
from acp_client.transports.base import ConnectSpec, Transport
from acp_client.transports.specs import WebSocketSpec
from acp_client.unstable import UnstableCalls, checked

log = logging.getLogger("acp_client")

HANDSHAKE_TIMEOUT = 60.0
"""Seconds an agent gets from its start to the answer to `initialize`: cold starts of launchers take tens of seconds."""


@attrs.frozen(kw_only=True)
class SessionRef:
    """A session to come back to, in this process or another. Picklable; its repr holds no secret."""

    session_id: str
    roots: Roots = attrs.field(repr=False)
    target: ConnectSpec | None = None
    protocol_version: int = 2
    cookies: Mapping[str, str] = attrs.field(factory=dict, repr=False)

    @property
    def cwd(self) -> str:
        """The directory the session works in."""
        return self.roots.cwd


class _Connecting:
    """What `Client.connect` returns: await it, or use it as an async context manager. Starts one agent at most."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock: asyncio.Lock | None = None
        self._client: Client | None = None

    def __await__(self) -> Generator[Any, None, Client]:
        return self._connect().__await__()

    async def _connect(self) -> Client:
        self._lock = self._lock or asyncio.Lock()
        async with self._lock:
            if self._client is None:
                self._client = await Client._open(self._settings)
            return self._client

    async def __aenter__(self) -> Client:
        return await self._connect()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.aclose()


class Client:
    """One open connection to one agent. Made by `connect`; usable by any task of its event loop."""

    def __init__(self, settings: Settings, spec: ConnectSpec | None, transport: Transport) -> None:
        self._settings = settings
        self._spec = spec
        self._serving = Serving(settings.host, settings.question_timeout)
        self._telling = Telling(settings)
        self._router = Router(
            self._ports(),
            settings.cancellation,
            settings.permissions,
            abilities_of(settings.host).elicitation,
        )
        self._connection = Connection(transport, self._router)
        self._router.attach(self._connection.peer)
        for part in (self._serving, self._telling):
            part.connection, part.router = self._connection, self._router
        self._calls = SessionCalls(self, self._router)
        self._unstable = UnstableCalls(self, self._calls, settings.unstable)
        self._description: AgentDescription
        self._closing = False
        self._stopping: asyncio.Task[None] | None = None

    @staticmethod
    def connect(
        target: Target,
        host: Host | None = None,
        *,
        protocol: ProtocolChoice = "auto",
        info: Implementation | None = None,
        handshake_timeout: float | None = HANDSHAKE_TIMEOUT,
        request_timeout: float | None = REQUEST_TIMEOUT,
        question_timeout: float | None = None,
        callback_grace: float = CALLBACK_GRACE,
        cancellation: CancellationPolicy | None = None,
        permissions: PermissionPolicy | None = None,
        unstable: Iterable[str] = (),
        capabilities_meta: Mapping[str, Json] | None = None,
        meta: Mapping[str, Json] | None = None,
        on_diagnostic: Callable[[Diagnostic], None] | None = None,
        on_stray_update: Callable[[Json], None] | None = None,
        on_transport: Callable[[Transport], Transport] | None = None,
    ) -> _Connecting:
        """Reach an agent and agree on a protocol version; never logs in. Await the result or use it with `async with`.

        `protocol`: "auto" offers version 2 and takes 1; 1 or 2 pins it. `host` serves what the agent asks; without one
        everything is declined. `permissions` and `cancellation` are policies that act before the host. Timeouts are
        seconds, None for none; `question_timeout` dismisses questions nobody answers; `callback_grace` is the time that
        coroutines given to `on_update` get at the end of a turn, and at the end of all. `unstable` names features
        outside the stable protocol, see `unstable`. `on_transport` may wrap the transport, for instance to record it.

        Raises `AgentStartError`, `ConnectionLost`, `HandshakeTimeout`, `UnsupportedProtocolVersion`,
        `InvalidResponse`, `AgentError`. Whatever happens, cancellation included, no process is left behind.
        """
        if protocol not in ("auto", 1, 2):
            raise UsageError(f'protocol must be "auto", 1 or 2, not {protocol!r}')
        return _Connecting(
            Settings(
                target=target,
                host=host or Host(),
                protocol=protocol,
                info=info or default_info(),
                handshake_timeout=handshake_timeout,
                request_timeout=request_timeout,
                question_timeout=question_timeout,
                callback_grace=callback_grace,
                cancellation=cancellation,
                permissions=permissions,
                unstable=checked(frozenset(unstable)),
                capabilities_meta=capabilities_meta,
                meta=meta,
                on_diagnostic=on_diagnostic,
                on_stray_update=on_stray_update,
                on_transport=on_transport,
            )
        )

    def _ports(self) -> Ports:
        return Ports(
            post=lambda step: self._connection.post(step),
            later=lambda delay, step: self._later(delay, step),
            ask_host=self._serving.ask,
            serve=self._serving.serve,
            on_notification=self._telling.notification,
            on_completed=self._telling.completed,
            on_stray_update=self._telling.stray_update,
            on_diagnostic=self._telling.diagnostic,
            on_lost=self._on_lost,
            harmless=(Exception, asyncio.CancelledError),
        )

    # the handshake

    @classmethod
    async def _open(cls, settings: Settings) -> Client:
        spec, transport = resolve(settings.target)
        if settings.on_transport is not None:
            transport = settings.on_transport(transport)
        client = cls(settings, spec, transport)
        connection, ready = client._connection, False
        try:
            async with asyncio.timeout(settings.handshake_timeout):
                await connection.open()
                client._speak(*await negotiate(connection, settings))
            ready = True
        except TimeoutError:
            raise HandshakeTimeout(settings.handshake_timeout or 0.0, heard_from(connection)) from None
        except ConnectionLost as lost:
            raise before_the_handshake(connection, lost) from lost.__cause__
        finally:
            if not ready:
                await connection.aclose()
        return client

    def _speak(self, dialect: Dialect, description: AgentDescription) -> None:
        self._router.dialect, self._description = dialect, description
        self._connection.peer.allows_null_id = dialect.allows_null_id
        self._connection.peer.ready = True

    # what it is connected to

    @property
    def protocol_version(self) -> int:
        """The version this connection speaks, 1 or 2."""
        return self._description.protocol_version

    @property
    def agent(self) -> Implementation | None:
        """Name and version of the agent, None for old agents that do not say."""
        return self._description.info

    @property
    def capabilities(self) -> AgentCapabilities:
        """What the agent offers."""
        return self._description.capabilities

    @property
    def auth_methods(self) -> tuple[AuthMethod, ...]:
        """Ways to log in that the agent advertises. Information only: it may need no login."""
        return self._description.auth_methods

    @property
    def initialize_result(self) -> Mapping[str, Json]:
        """The whole `initialize` answer as it came."""
        return self._description.raw

    @property
    def sessions(self) -> Mapping[str, Session]:
        """Open sessions by id."""
        return dict(self._calls.sessions)

    @property
    def transport(self) -> Transport:
        """The transport in use."""
        return self._connection.transport

    @property
    def pending(self) -> tuple[PendingQuestion, ...]:
        """The questions of all sessions, and those that belong to a request of ours and to no session."""
        of_sessions = [question for session in self._calls.sessions.values() for question in session.pending]
        return (*of_sessions, *self._router.questions.values())

    @property
    def last_activity(self) -> float:
        """When the agent last sent something for any session: seconds of the monotonic clock."""
        return max((session.last_activity for session in self._calls.sessions.values()), default=0.0)

    @property
    def diagnostics_seen(self) -> int:
        """How many oddities were reported."""
        return self._telling.diagnostics_seen

    @property
    def closed(self) -> bool:
        """Whether the connection has ended, by whichever side."""
        return self._connection.peer.lost_cause is not None

    @property
    def lost_cause(self) -> ConnectionLost | None:
        """The first cause of the end, None while the connection is open."""
        return self._connection.peer.lost_cause

    async def wait_closed(self) -> ConnectionLost:
        """Wait until the connection has ended; returns the first cause."""
        return await self._connection.wait_ended()

    # requests

    async def request(
        self, method: str, params: Json = None, *, timeout: Timeout = CONFIGURED, graceful: float = 0.0
    ) -> Json:
        """Send a custom (`_vendor/...`) or unstable request and return its raw result.

        `timeout` seconds (default: the client's `request_timeout`; None: no limit). See `Connection.request` for what
        cancelling does. Raises `AgentError`, `InvalidResponse`, `RequestTimeout`, `ConnectionLost`.
        """
        return await self._request(method, {} if params is None else params, timeout, graceful)

    def notify(self, method: str, params: Json = None) -> None:
        """Send a custom notification. Belongs to the client's event loop; after the end it does nothing.

        Raises `UsageError` when the params cannot be written as JSON.
        """
        self._connection.peer.notify(method, {} if params is None else sendable(method, params))

    async def _request(
        self,
        method: str,
        params: Json,
        timeout: Timeout = CONFIGURED,
        graceful: float = 0.0,
        in_step: Callable[[Json], Any] | None = None,
    ) -> Any:
        limit = self._settings.request_timeout if timeout is CONFIGURED else timeout
        try:
            return await self._connection.request(
                method, sendable(method, params), timeout=limit, graceful=graceful, in_step=in_step
            )
        except AuthRequired as error:
            error.methods = self.auth_methods
            raise

    async def _ask(
        self,
        method: str,
        params: Json,
        timeout: Timeout = CONFIGURED,
        meta: Mapping[str, Json] | None = None,
        in_step: Callable[[Json], Any] | None = None,
    ) -> Any:
        """Send a request whose result is an object; null counts as an empty one (V2-RPC-17)."""

        def take(result: Json) -> Any:
            if result is not None and not isinstance(result, dict):
                raise InvalidResponse(method, f"expected an object, got {type(result).__name__}")
            return (result or {}) if in_step is None else in_step(result or {})

        return await self._request(method, with_meta(params, meta), timeout, 0.0, take)

    # sessions

    async def new_session(
        self,
        cwd: str | os.PathLike[str],
        *,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str | os.PathLike[str]] = (),
        meta: Mapping[str, Json] | None = None,
        on_update: Callable[[Update], Any] | None = None,
    ) -> Session:
        """Open a session that works in `cwd`, an absolute path on the agent's machine.

        `on_update` is subscribed before anything is sent, as `Session.on_update` does later. On return it has been
        told, and the state holds, everything the agent reported before its answer.
        """
        roots = self._calls.roots(cwd, mcp_servers, additional_directories, meta)
        return await self._with_login(
            lambda: self._calls.open_new(self._router.dialect.new_session(roots), roots, on_update)
        )

    async def load_session(
        self,
        session_id: str,
        cwd: str | os.PathLike[str],
        *,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str | os.PathLike[str]] = (),
        meta: Mapping[str, Json] | None = None,
        on_update: Callable[[Update], Any] | None = None,
    ) -> Session:
        """Open an earlier session and have its history replayed, which is complete on return.

        Raises `SessionNotFound` when the agent does not know it, `NotSupported` when it cannot load.
        """
        self._require(self.capabilities.load_session, "load sessions")
        roots = self._calls.roots(cwd, mcp_servers, additional_directories, meta)
        call = self._router.dialect.load_session(session_id, roots)
        return await self._with_login(lambda: self._calls.reopen(session_id, call, roots, on_update))

    async def resume_session(
        self,
        session_id: str,
        cwd: str | os.PathLike[str],
        *,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str | os.PathLike[str]] = (),
        replay: bool = False,
        meta: Mapping[str, Json] | None = None,
        on_update: Callable[[Update], Any] | None = None,
    ) -> Session:
        """Go on with an earlier session, without its history unless `replay` asks for it (version 2).

        Raises as `load_session`.
        """
        self._require(self.capabilities.resume_session, "resume sessions")
        roots = self._calls.roots(cwd, mcp_servers, additional_directories, meta)
        call = self._router.dialect.resume_session(session_id, roots, replay)
        return await self._with_login(lambda: self._calls.reopen(session_id, call, roots, on_update))

    async def restore_session(
        self, ref: SessionRef, *, replay: bool = True, on_update: Callable[[Update], Any] | None = None
    ) -> Session:
        """Come back to a stored session. Never opens a new one in its place.

        With `replay` it is opened together with its history where the agent can give it, else resumed; without, it is
        resumed, and loaded only where the agent cannot resume. Raises `NotSupported` when the agent can do
        neither, `SessionNotFound` when it does not know the session.
        """
        roots, offers = ref.roots, self.capabilities
        if offers.load_session and (replay or not offers.resume_session):
            call = self._router.dialect.load_session(ref.session_id, roots)
        else:
            self._require(offers.resume_session, "resume or load sessions")
            call = self._router.dialect.resume_session(ref.session_id, roots, replay)
        return await self._with_login(lambda: self._calls.reopen(ref.session_id, call, roots, on_update))

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, *, meta: Mapping[str, Json] | None = None
    ) -> SessionPage:
        """Return one page of the sessions the agent keeps; give `next_cursor` back unchanged for the next."""
        self._require(self.capabilities.list_sessions, "list sessions")
        params = {key: value for key, value in (("cwd", cwd), ("cursor", cursor)) if value is not None}
        result = await self._ask("session/list", params, meta=meta)
        return self._calls.read("session/list", result, self._router.dialect.session_page)

    async def iter_sessions(self, cwd: str | None = None) -> AsyncIterator[SessionInfo]:
        """Iterate over all sessions the agent keeps, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list_sessions(cwd, cursor)
            for entry in page.sessions:
                yield entry
            cursor = page.next_cursor
            if cursor is None:
                return

    async def delete_session(self, session_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Delete a session at the agent; one it does not know counts as deleted."""
        self._require(self.capabilities.delete_session, "delete sessions")
        try:
            await self._ask("session/delete", {"sessionId": session_id}, meta=meta)
        except SessionNotFound:
            log.debug("session to be deleted was not known to the agent")
        self._calls.forget(session_id)

    async def _with_login(self, open_session: Callable[[], Awaitable[Session]]) -> Session:
        """Open a session; when the agent wants a login and the host picks a method, log in and try once more."""
        try:
            return await open_session()
        except AuthRequired:
            method_id = self._settings.host.choose_auth_method(self.auth_methods)
            if inspect.isawaitable(method_id):
                method_id = await method_id
            if method_id is None:
                raise
        await self.authenticate(method_id)
        return await open_session()

    @property
    def unstable(self) -> UnstableCalls:
        """Calls outside the stable protocol, each of a feature named in `connect(unstable=...)`."""
        return self._unstable

    # login

    async def authenticate(self, method_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Log in with one of the advertised methods of type "agent". May take as long as a person takes.

        Raises `AuthMethodRefused` for unknown methods and for those that are a command to run in a terminal.
        """
        method = next((m for m in self.auth_methods if m.id == method_id), None)
        if method is None:
            known = [m.id for m in self.auth_methods]
            raise AuthMethodRefused(f"the agent offers no login method {method_id!r}; it offers {known}")
        if method.type == "terminal":
            raise AuthMethodRefused(
                f"login method {method_id!r} is not a call: "
                f"run {self._login_command(method)} in a terminal, then reconnect"
            )
        if method.type != "agent":
            raise AuthMethodRefused(f"login method {method_id!r} is of the unknown type {method.type!r}")
        await self._ask(self._router.dialect.login_method, {"methodId": method_id}, None, meta)

    def _login_command(self, method: AuthMethod) -> str:
        """Return what to run, with the names of the variables to set; their values may be secrets."""
        words = [*getattr(self._spec, "command", ("<the agent's command>",)), *method.args]
        variables = f" with {', '.join(method.env)} set as `auth_methods` says" if method.env else ""
        return f"`{shlex.join(words)}`{variables}"

    async def logout(self, *, meta: Mapping[str, Json] | None = None) -> None:
        """Log out. Running sessions may need a login again. Raises `NotSupported` where the agent has no logout."""
        self._require(self.capabilities.logout, "log out")
        await self._ask(self._router.dialect.logout_method, {}, meta=meta)

    def withdraw_requests(self) -> int:
        """End all the agent asks for in any session with -32800; see `Session.withdraw_requests`."""
        return self._router.withdraw()

    # the end

    async def aclose(self) -> None:
        """End everything, bounded: open requests of the agent get -32800, then the transport closes.

        Idempotent, and safe from any task of the loop. An agent process is gone on return.
        """
        if not self._closing:
            self._closing = True
            self._router.cancel_all()
        await self._connection.aclose()
        # What had come is still delivered; a callback that hangs must not outlive its connection.
        ends = [session._subscriptions.end(self._settings.callback_grace) for session in self._calls.sessions.values()]
        await asyncio.gather(*ends)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def _stop_soon(self) -> None:
        if self._stopping is None:
            self._stopping = asyncio.ensure_future(self.aclose())

    def _on_lost(self, cause: ConnectionLost) -> None:
        for session in self._calls.sessions.values():
            session._subscriptions.finish()
        self._connection.has_ended(cause)
        if not isinstance(cause, ConnectionClosed):
            log.info("connection to the agent ended: %s", cause.reason)

    # small helpers

    def _require(self, offered: bool, doing: str) -> None:
        if not offered:
            name = self.agent.label if self.agent is not None else "the agent"
            raise NotSupported(f"{name} does not offer to {doing}")

    def _require_content(self, block: Content) -> None:
        offers = self.capabilities
        if isinstance(block, Image):
            self._require(offers.prompt_image, "take images in prompts")
        elif isinstance(block, Audio):
            self._require(offers.prompt_audio, "take audio in prompts")
        elif isinstance(block, Resource):
            self._require(offers.prompt_embedded_context, "take embedded resources in prompts; send a ResourceLink")

    def _later(self, delay: float, step: Callable[[], None]) -> Callable[[], None]:
        return self._connection.later(delay, step).cancel

    @staticmethod
    def _now() -> float:
        return time.monotonic()

    def _ref(self, session: Session) -> SessionRef:
        cookies, target = dict(getattr(self._connection.transport, "cookies", {})), self._spec
        if cookies and isinstance(target, WebSocketSpec):
            target = attrs.evolve(target, cookies={**target.cookies, **cookies})  # back to the same server (TR-WS-05)
        return SessionRef(
            session_id=session.id,
            roots=session.roots,
            target=target,
            protocol_version=self.protocol_version,
            cookies=cookies,
        )
