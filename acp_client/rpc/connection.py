"""The one place between the transports and the façade that waits.

Binds a `Peer` to a transport and an event loop: requests that somebody awaits, handlers that run as tasks, calls that
come from other threads, and an end that is bounded.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from acp_client.errors import AcpError, ConnectionClosed, ConnectionLost, RequestTimeout
from acp_client.rpc.messages import Json
from acp_client.rpc.outbound import PendingRequest
from acp_client.rpc.peer import Owner, Peer
from acp_client.transports.base import CLOSING, Transport

T = TypeVar("T")

log = logging.getLogger("acp_client")

REQUEST_TIMEOUT = 60.0
"""Seconds an agent gets to answer an ordinary request: longer than the slowest start that was measured."""

FLUSH_GRACE = 1.0
"""Seconds that what was queued gets to leave before the connection is closed."""


class Connection:
    """One open connection to one agent, on one event loop."""

    def __init__(self, transport: Transport, owner: Owner) -> None:
        self.transport = transport
        self.peer = Peer(owner, transport.send)
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._posted: deque[Callable[[], None]] = deque()
        self._deadlines = _Deadlines(self._loop, self._expire)
        self._closing: asyncio.Future[None] | None = None
        self._ended = asyncio.Event()

    async def open(self) -> None:
        """Start the transport. Raises `ConnectionLost`; nothing is left behind when it fails or is cancelled."""
        await self.transport.open(_Ears(self))

    # threads

    @property
    def in_loop(self) -> bool:
        """Whether the caller is in the thread of the event loop."""
        return threading.get_ident() == self._thread

    def post(self, step: Callable[[], None]) -> None:
        """Run one synchronous step in the loop's thread: at once there, else soon, in order of posting."""
        if self.in_loop:
            self.run_posted()
            step()
            return
        self._posted.append(step)
        try:
            self._loop.call_soon_threadsafe(self.run_posted)
        except RuntimeError:  # the loop is closed: nobody is left to tell
            log.debug("a call from another thread came after the event loop was closed")

    def run_posted(self) -> None:
        """Run what other threads posted so far, so that it keeps its place before what the caller does next."""
        while self._posted:
            self._posted.popleft()()

    # requests of ours

    async def request(
        self,
        method: str,
        params: Json,
        *,
        timeout: float | None = REQUEST_TIMEOUT,
        graceful: float = 0.0,
        in_step: Callable[[Json], T] | None = None,
    ) -> T:
        """Send a request and return its result, or what `in_step` makes of it in the step of the answer itself.

        Cancelling the caller, or `timeout` seconds without an answer, queues `$/cancel_request`, leaves a tombstone and
        raises at once; nothing is awaited there. With `graceful` seconds a timeout waits that much longer for the
        answer that the agent still owes, and delivers it, whatever it is.

        Raises `AgentError`, `InvalidResponse`, `RequestTimeout`, `ConnectionLost`, and what `in_step` raises.
        """
        future: asyncio.Future[T] = self._loop.create_future()
        waiter = _Waiter(future, in_step, graceful)
        pending = self.peer.request(method, params, waiter.settle)
        if timeout is not None and not future.done():
            self._deadlines.add(pending, waiter, timeout)
        try:
            return await future
        except RequestTimeout:
            raise RequestTimeout(method, timeout or 0.0) from None
        finally:
            self._deadlines.remove(pending)
            self.leave(pending)

    def leave(self, pending: PendingRequest) -> None:
        """Stop waiting for a request: tell the agent, keep a tombstone. Does nothing when it was answered."""
        if self.peer.outbound.is_open(pending):
            self.peer.cancel_request(pending)
            self.peer.outbound.abandon(pending)

    def _expire(self, pending: PendingRequest, waiter: _Waiter) -> None:
        future, graceful = waiter.future, waiter.graceful
        if graceful > 0 and not future.done():
            self.peer.cancel_request(pending)
            waiter.graceful = 0.0
            self._deadlines.add(pending, waiter, graceful)
        elif not future.done():
            future.set_exception(RequestTimeout(pending.method, 0.0))

    # handlers

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine as a task that lives at most as long as the connection."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def later(self, delay: float, step: Callable[[], None]) -> asyncio.TimerHandle:
        """Run one step after `delay` seconds, unless the handle is cancelled."""
        return self._loop.call_later(delay, step)

    # the end

    async def wait_ended(self) -> ConnectionLost:
        """Wait until the connection has ended and return its first cause."""
        await self._ended.wait()
        assert self.peer.lost_cause is not None
        return self.peer.lost_cause

    def has_ended(self, cause: ConnectionLost) -> None:
        """Wake who waits for the end and stop what runs on the connection's behalf."""
        self._ended.set()
        self._deadlines.stop()
        for task in self._tasks:
            task.cancel()

    async def aclose(self) -> None:
        """Flush, then close the transport, bounded. Safe to repeat, from any task; later callers wait for the first."""
        if self._closing is None:
            self._closing = self._loop.create_task(self._close(), name=CLOSING)
        # Shielded: whoever gives up waiting must not leave the agent half closed.
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self.run_posted()
        if self.peer.lost_cause is None:
            try:
                async with asyncio.timeout(FLUSH_GRACE):
                    await self.transport.drain()
            except TimeoutError:
                log.debug("closing although not everything was written: the agent does not read")
        self.peer.lost(ConnectionClosed("the connection was closed by this side"))
        await self.transport.aclose()
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        if tasks:
            # Handlers were cancelled above; one that refuses to end must not hold up the close.
            await asyncio.wait(tasks, timeout=FLUSH_GRACE)


class _Waiter:
    """Who waits for the answer to one request."""

    __slots__ = ("deadline", "future", "graceful", "in_step")

    deadline: float
    """On the loop's clock; set when the waiter is added to the deadlines."""

    def __init__(self, future: asyncio.Future[Any], in_step: Callable[[Json], Any] | None, graceful: float) -> None:
        self.future, self.in_step, self.graceful = future, in_step, graceful

    def settle(self, result: Json, error: AcpError | None) -> None:
        future = self.future
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
            return
        try:
            future.set_result(result if self.in_step is None else self.in_step(result))
        except Exception as problem:  # belongs to whoever asked
            future.set_exception(problem)


class _Deadlines:
    """Requests that must be answered in time. One timer for all, because nearly all of them are."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_late: Callable[[PendingRequest, _Waiter], None]) -> None:
        self._loop, self._on_late = loop, on_late
        self._open: dict[PendingRequest, _Waiter] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, pending: PendingRequest, waiter: _Waiter, timeout: float) -> None:
        """Have it reported after `timeout` seconds, unless it is removed before."""
        waiter.deadline = deadline = self._loop.time() + timeout
        self._open[pending] = waiter
        if self._timer is None or deadline < self._timer.when():
            self._set(deadline)

    def remove(self, pending: PendingRequest) -> None:
        self._open.pop(pending, None)

    def stop(self) -> None:
        """Let go of the timer: everything has been settled."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, deadline: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(deadline, self._on_time, deadline)

    def _on_time(self, now: float) -> None:
        self._timer = None
        late = [(pending, waiter) for pending, waiter in self._open.items() if waiter.deadline <= now]
        for pending, _ in late:
            del self._open[pending]
        if self._open:
            self._set(min(waiter.deadline for waiter in self._open.values()))
        for pending, waiter in late:
            self._on_late(pending, waiter)


class _Ears:
    """Hands what the transport reads to the peer, after what other threads posted before."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.frames = connection.peer.frames

    def lost(self, cause: ConnectionLost) -> None:
        self._connection.run_posted()
        self._connection.peer.lost(cause)
