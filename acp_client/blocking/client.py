"""The client for threads: the calls of `acp_client.Client`, each waiting for its end.

Everything happens on the loop of a `LoopThread`; here is only what crosses over. Names and parameters are those of the
asyncio façade, where the contracts are written down.
"""

from __future__ import annotations

import inspect
import os
import warnings
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from types import TracebackType
from typing import Any, Self, TypeVar

from acp_client import client as asyncio_facade
from acp_client._handshake import CONFIGURED, Target, Timeout
from acp_client._subscriptions import CALLBACK_GRACE, Update
from acp_client.blocking.delivery import Delivery, Post, posted
from acp_client.blocking.handlers import Desk, bridged
from acp_client.blocking.loop_thread import CLOSE_TIMEOUT, LoopThread
from acp_client.blocking.session import Session
from acp_client.blocking.unstable import UnstableCalls
from acp_client.client import HANDSHAKE_TIMEOUT, SessionRef
from acp_client.errors import AuthRequired, ConnectionLost
from acp_client.host import Host
from acp_client.policy.cancellation import CancellationPolicy
from acp_client.policy.permissions import PermissionPolicy
from acp_client.policy.questions import PendingQuestion
from acp_client.protocol.dialect import (
    AgentCapabilities,
    AuthMethod,
    Implementation,
    McpServer,
    SessionInfo,
    SessionPage,
)
from acp_client.protocol.negotiation import ProtocolChoice
from acp_client.rpc.connection import REQUEST_TIMEOUT
from acp_client.rpc.messages import Json
from acp_client.rpc.peer import Diagnostic
from acp_client.session import Session as AsyncSession
from acp_client.transports.base import Transport

T = TypeVar("T")

LAST_RESORT = 1.0
"""Seconds an agent whose client was never closed gets to end by itself: the interpreter's exit must not wait longer."""


class Client:
    """One open connection to one agent, usable from any thread but the loop's own. Made by `connect`.

    A call that waits can be interrupted by Ctrl-C. A client that is never closed ends its agent when it is collected or
    when the interpreter exits; close it, and do not rely on that.
    """

    def __init__(self, client: asyncio_facade.Client, thread: LoopThread, host: Host, desk: Desk, owns: bool) -> None:
        self._client = client
        self._thread = thread
        self._host = host
        self._desk = desk
        self._owns_thread = owns
        self._sessions: dict[str, Session] = {}
        self._last_resort = weakref.finalize(self, _end_unclosed, client, thread, owns)
        thread.dependents.add(self)

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
        thread: LoopThread | None = None,
        post: Post | None = None,
    ) -> Client:
        """Reach an agent and agree on a protocol version; see `acp_client.Client.connect`. Use it with `with`.

        `thread` is the loop to live on; without one the client starts its own and ends it with itself. `post` has a
        function called on the host's own thread: then handlers and callbacks run there and nowhere else. Without it,
        callbacks run on the loop and must be quick, questions are handled by the thread that waits for their turn, and
        what else the agent asks for gets a thread each. Policies and `on_transport` always run on the loop.
        """
        host = host or Host()
        delivery = Delivery(post)
        desk = Desk(delivery)
        # The thread that connects need not be the host's own: this tells which one is, before anything is asked there.
        delivery.put(_nothing)
        begun: list[Transport] = []

        def begin(transport: Transport) -> Transport:
            begun.append(transport if on_transport is None else on_transport(transport))
            return begun[0]

        async def open_client() -> asyncio_facade.Client:
            return await asyncio_facade.Client.connect(
                target,
                bridged(host, desk),
                protocol=protocol,
                info=info,
                handshake_timeout=handshake_timeout,
                request_timeout=request_timeout,
                question_timeout=question_timeout,
                callback_grace=callback_grace,
                cancellation=cancellation,
                permissions=permissions,
                unstable=unstable,
                capabilities_meta=capabilities_meta,
                meta=meta,
                on_diagnostic=_delivered(on_diagnostic, delivery),
                on_stray_update=_delivered(on_stray_update, delivery),
                on_transport=begin,
            )

        loop_thread = thread or LoopThread.start()
        last_resort = weakref.finalize(loop_thread.loop, _end_begun, begun)
        try:
            with desk.waiting() as waiter:
                client = loop_thread.wait(loop_thread.submit(open_client()), waiter.jobs)
            made = Client(client, loop_thread, host, desk, owns=thread is None)
        except BaseException as error:
            # An interrupt is not held up: the agent ends in the background, or at the latest with the interpreter.
            interrupted = not isinstance(error, Exception)
            if not interrupted:
                last_resort.detach()
            if thread is None:
                loop_thread.close(timeout=0.0 if interrupted else CLOSE_TIMEOUT)
            raise
        last_resort.detach()
        return made

    # what it is connected to

    @property
    def thread(self) -> LoopThread:
        """The loop it lives on."""
        return self._thread

    @property
    def protocol_version(self) -> int:
        """The version this connection speaks, 1 or 2."""
        return self._client.protocol_version

    @property
    def agent(self) -> Implementation | None:
        """Name and version of the agent, None for old agents that do not say."""
        return self._client.agent

    @property
    def capabilities(self) -> AgentCapabilities:
        """What the agent offers."""
        return self._client.capabilities

    @property
    def auth_methods(self) -> tuple[AuthMethod, ...]:
        """Ways to log in that the agent advertises."""
        return self._client.auth_methods

    @property
    def initialize_result(self) -> Mapping[str, Json]:
        """The whole `initialize` answer as it came."""
        return self._client.initialize_result

    @property
    def sessions(self) -> Mapping[str, Session]:
        """Open sessions by id."""
        opened = self._thread.call(lambda: self._client.sessions)
        return {session_id: self._wrapped(session) for session_id, session in opened.items()}

    @property
    def transport(self) -> Transport:
        """The transport in use."""
        return self._client.transport

    @property
    def diagnostics_seen(self) -> int:
        """How many oddities were reported."""
        return self._client.diagnostics_seen

    @property
    def pending(self) -> tuple[PendingQuestion, ...]:
        """The questions of all sessions, and those that belong to a request of ours and to no session."""
        return self._thread.call(lambda: self._client.pending)

    @property
    def last_activity(self) -> float:
        """When the agent last sent something for any session: seconds of the monotonic clock."""
        return self._thread.call(lambda: self._client.last_activity)

    @property
    def closed(self) -> bool:
        """Whether the connection has ended, by whichever side."""
        return self._client.closed

    @property
    def lost_cause(self) -> ConnectionLost | None:
        """The first cause of the end, None while the connection is open."""
        return self._client.lost_cause

    def wait_closed(self, timeout: float | None = None) -> ConnectionLost:
        """Wait until the connection has ended; returns the first cause. Raises `TimeoutError` after `timeout`."""
        return self.lost_cause or self._wait(self._client.wait_closed(), timeout)

    # requests

    def request(
        self, method: str, params: Json = None, *, timeout: Timeout = CONFIGURED, graceful: float = 0.0
    ) -> Json:
        """Send a custom or unstable request and return its raw result; see `acp_client.Client.request`."""
        return self._wait(self._client.request(method, params, timeout=timeout, graceful=graceful))

    def notify(self, method: str, params: Json = None) -> None:
        """Send a custom notification. Safe from any thread; after the end it does nothing."""
        self._thread.call(lambda: self._client.notify(method, params))

    # sessions

    def new_session(
        self,
        cwd: str | os.PathLike[str],
        *,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str | os.PathLike[str]] = (),
        meta: Mapping[str, Json] | None = None,
        on_update: Callable[[Update], Any] | None = None,
    ) -> Session:
        """Open a session that works in `cwd`, an absolute path on the agent's machine."""
        return self._open(
            lambda: self._client.new_session(
                cwd,
                mcp_servers=mcp_servers,
                additional_directories=additional_directories,
                meta=meta,
                on_update=self._listener(on_update),
            )
        )

    def load_session(
        self,
        session_id: str,
        cwd: str | os.PathLike[str],
        *,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str | os.PathLike[str]] = (),
        meta: Mapping[str, Json] | None = None,
        on_update: Callable[[Update], Any] | None = None,
    ) -> Session:
        """Open an earlier session and have its history replayed, which is complete on return."""
        return self._open(
            lambda: self._client.load_session(
                session_id,
                cwd,
                mcp_servers=mcp_servers,
                additional_directories=additional_directories,
                meta=meta,
                on_update=self._listener(on_update),
            )
        )

    def resume_session(
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
        """Go on with an earlier session, without its history unless `replay` asks for it (version 2)."""
        return self._open(
            lambda: self._client.resume_session(
                session_id,
                cwd,
                mcp_servers=mcp_servers,
                additional_directories=additional_directories,
                replay=replay,
                meta=meta,
                on_update=self._listener(on_update),
            )
        )

    def restore_session(
        self, ref: SessionRef, *, replay: bool = True, on_update: Callable[[Update], Any] | None = None
    ) -> Session:
        """Come back to a stored session, with its history where that is possible. Never opens a new one."""
        listener = self._listener(on_update)
        return self._open(lambda: self._client.restore_session(ref, replay=replay, on_update=listener))

    def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, *, meta: Mapping[str, Json] | None = None
    ) -> SessionPage:
        """Return one page of the sessions the agent keeps; give `next_cursor` back unchanged for the next."""
        return self._wait(self._client.list_sessions(cwd, cursor, meta=meta))

    def iter_sessions(self, cwd: str | None = None) -> Iterator[SessionInfo]:
        """Iterate over all sessions the agent keeps, page by page."""
        cursor: str | None = None
        while True:
            page = self.list_sessions(cwd, cursor)
            yield from page.sessions
            cursor = page.next_cursor
            if cursor is None:
                return

    def delete_session(self, session_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Delete a session at the agent; one it does not know counts as deleted."""
        self._wait(self._client.delete_session(session_id, meta=meta))

    def _open(self, open_session: Callable[[], Coroutine[Any, Any, AsyncSession]]) -> Session:
        """Open a session; when the agent wants a login and the host picks a method, log in and try once more.

        The host picks it here, on the thread that waits, where it can ask somebody.
        """
        try:
            return self._wrapped(self._wait(open_session()))
        except AuthRequired:
            method_id = self._host.choose_auth_method(self.auth_methods)
            if inspect.isawaitable(method_id):
                method_id = self._wait(_awaited(method_id))
            if method_id is None:
                raise
        self.authenticate(method_id)
        return self._wrapped(self._wait(open_session()))

    def _listener(self, callback: Callable[[Update], Any] | None) -> Callable[[Update], Any] | None:
        return None if callback is None else posted(callback, self._desk.delivery)

    def _wrapped(self, session: AsyncSession) -> Session:
        known = self._sessions.get(session.id)
        if known is None or known._session is not session:
            known = self._sessions[session.id] = Session(self, session)
        return known

    @property
    def unstable(self) -> UnstableCalls:
        """Calls outside the stable protocol, each of a feature named in `connect(unstable=...)`."""
        return UnstableCalls(self, self._client.unstable)

    # login

    def authenticate(self, method_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Log in with one of the advertised methods of type "agent". May take as long as a person takes."""
        self._wait(self._client.authenticate(method_id, meta=meta))

    def logout(self, *, meta: Mapping[str, Json] | None = None) -> None:
        """Log out. Running sessions may need a login again."""
        self._wait(self._client.logout(meta=meta))

    def withdraw_requests(self) -> int:
        """End all the agent asks for in any session with -32800. Returns how many; safe from any thread."""
        return self._client.withdraw_requests()

    # the end

    def close(self) -> None:
        """End everything, bounded; an agent process is gone on return. Idempotent, safe from any other thread."""
        self._thread.require_elsewhere()
        if self._thread.alive:
            self._thread.run(self._client.aclose())
        else:
            self._client.transport.kill()  # an adopted loop was stopped before its clients were closed
        self._last_resort.detach()
        if self._owns_thread:
            self._thread.dependents.discard(self)
            self._thread.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self, coroutine: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        with self._desk.waiting() as waiter:
            return self._thread.wait(self._thread.submit(coroutine), waiter.jobs, timeout)


async def _awaited(value: Awaitable[T]) -> T:
    return await value


def _delivered(callback: Callable[[Any], None] | None, delivery: Delivery) -> Callable[[Any], None] | None:
    if callback is None or not delivery.posts:
        return callback
    return lambda value: delivery.put(lambda: callback(value))


def _nothing() -> None:
    """Being called is all."""


def _end_begun(transports: Sequence[Transport]) -> None:
    """End an agent at once that has not got as far as a client: the interpreter exits while a thread connects."""
    for transport in transports:
        transport.kill()


def _end_unclosed(client: asyncio_facade.Client, thread: LoopThread, owns: bool) -> None:
    """End an agent whose client was not closed: it was collected, or the interpreter exits.

    Runs in any thread, even on the loop. The agent gets the end of its input and a moment, then it is killed.
    """
    if not client.closed:
        warnings.warn(f"unclosed {client!r}: its agent is stopped now", ResourceWarning, stacklevel=2)
    if thread.in_loop:
        client._stop_soon()
        return
    try:
        closing = thread.submit(client.aclose())
        closing.result(LAST_RESORT)
    except (futures.TimeoutError, futures.CancelledError, ConnectionLost):
        client.transport.kill()
    if owns:
        thread.close(timeout=LAST_RESORT)
