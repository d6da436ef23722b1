"""On which thread the host's handlers run when the host has threads and no loop.

A question goes to the thread that waits for the session's turn and runs its handler there. With `post`, handlers run on
the host's own thread, also while that thread is blocked in a call of this package. Everything else gets a thread.
Routing happens on the loop; handlers never run there unless they are coroutine functions.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from acp_client.blocking.delivery import Delivery
from acp_client.blocking.loop_thread import Jobs, call_soon
from acp_client.errors import REQUEST_CANCELLED, RequestRefused
from acp_client.host import CANCEL, TERMINAL_METHODS, Host, is_coroutine_function, provides, uncancellable
from acp_client.policy.questions import PendingPermission, PendingQuestion
from acp_client.rpc.messages import Json

Handler = Callable[..., Any]

_SERVED = ("read_text_file", "write_text_file", *TERMINAL_METHODS, "extension_request")

_LEFT = object()
"""In place of a reply: the thread that was to run the handler has left."""


class HostCall:
    """One call of a handler: run once, by the thread that takes it first. Made on the loop."""

    def __init__(self, function: Callable[[], Any], interrupted: Any = CANCEL) -> None:
        self._function = function
        self._interrupted = interrupted
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._taken = False
        self._reply: asyncio.Future[Any] = self._loop.create_future()

    async def reply(self) -> Any:
        """Wait for what the handler returns, or `_LEFT`. Giving up the wait takes the call back if it has not begun."""
        try:
            reply = await self._reply
        finally:
            self._take()
        # A plain function may return something to await, as it may in the async façade.
        return await reply if inspect.isawaitable(reply) else reply

    def run(self, on_interrupt: Callable[[], object] = lambda: None) -> None:
        """Run the handler unless somebody has. An interrupt inside goes through, after `on_interrupt`."""
        if not self._take():
            return
        try:
            reply = self._function()
        except Exception as error:
            self._settle(error)
        except BaseException:
            try:
                on_interrupt()
            finally:
                self._settle(self._interrupted)
            raise
        else:
            self._settle(reply)

    def give_back(self) -> None:
        """Say that the thread it was meant for has left. Changes nothing when it was run."""
        if self._take():
            self._settle(_LEFT)

    def _take(self) -> bool:
        with self._lock:
            taken, self._taken = self._taken, True
        return not taken

    def _settle(self, reply: Any) -> None:
        def step() -> None:
            if self._reply.done():
                return
            if isinstance(reply, Exception):
                self._reply.set_exception(reply)
            else:
                self._reply.set_result(reply)

        call_soon(self._loop, step)


class Waiter:
    """A thread that is blocked in a call, and the handlers it has to run meanwhile."""

    def __init__(self, session_id: str | None, on_interrupt: Callable[[], object]) -> None:
        self.session_id = session_id
        self.thread = threading.get_ident()
        self.jobs: Jobs = queue.SimpleQueue()
        self._on_interrupt = on_interrupt
        self._own: list[HostCall] = []

    def give(self, call: HostCall, *, shared: bool) -> None:
        """Have the thread run a handler; what is not `shared` with others it gives back when it leaves."""
        if not shared:
            self._own.append(call)
        self.jobs.put(lambda: call.run(self._on_interrupt))

    def leave(self) -> None:
        for call in list(self._own):
            call.give_back()


@attrs.frozen
class Attendance:
    """A thread has promised to wait for a turn; `permission` then takes the place of the host's handler."""

    thread: int
    permission: Handler | None = None


class Desk:
    """Knows who waits for what, and brings every call of a handler to its thread."""

    def __init__(self, delivery: Delivery) -> None:
        self.delivery = delivery
        # Until something was run by `post`, the thread that made the client is the best guess for the host's own.
        self._maker = threading.get_ident()
        self._lock = threading.Lock()
        self._waiters: list[Waiter] = []
        self._posted: list[HostCall] = []
        self._attended: dict[str, list[Attendance]] = {}
        self._changed: set[asyncio.Future[None]] = set()

    # threads that wait

    @contextmanager
    def waiting(
        self,
        session_id: str | None = None,
        on_interrupt: Callable[[], object] = lambda: None,
    ) -> Iterator[Waiter]:
        """While the caller is blocked inside, it is given the handlers that are its own to run."""
        waiter = Waiter(session_id, on_interrupt)
        try:
            with self._lock:
                self._waiters.append(waiter)
                posted = list(self._posted) if self._is_home(waiter) else []
            for call in posted:
                waiter.give(call, shared=True)
            self._look_again()
            yield waiter
        finally:
            with self._lock:
                self._waiters = [other for other in self._waiters if other is not waiter]
            waiter.leave()

    def attend(self, session_id: str, attendance: Attendance) -> None:
        """Hold the session's questions for a thread that will wait for a turn. Runs on the loop."""
        self._attended.setdefault(session_id, []).append(attendance)

    def unattend(self, session_id: str, attendance: Attendance) -> None:
        """Take one `attend` back: the turn has ended. Runs on the loop."""
        attended = self._attended[session_id]
        attended.remove(attendance)
        if not attended:
            del self._attended[session_id]
        self._look_again()

    def _is_home(self, waiter: Waiter) -> bool:
        return self.delivery.posts and waiter.thread == (self.delivery.thread or self._maker)

    def _look_again(self) -> None:
        with self._lock:
            changed = list(self._changed)
        for future in changed:
            call_soon(future.get_loop(), functools.partial(_resolve, future))

    # bringing calls there; all of this runs on the loop

    async def ask(self, handler: Handler, question: PendingQuestion) -> Any:
        """Have a question's handler run, and return its reply."""
        reply: Any = _LEFT
        while reply is _LEFT and question.open:
            reply = await self._ask_once(handler, question)
        return CANCEL if reply is _LEFT else reply

    async def _ask_once(self, handler: Handler, question: PendingQuestion) -> Any:
        own = self._own_handler(question)
        handler = own or handler
        if is_coroutine_function(handler):
            return await handler(question)
        if self.delivery.posts and own is None:
            return await self._posting(lambda: handler(question), CANCEL)
        if (waiter := self._find(lambda waiter: self._is_meant(waiter, question))) is not None:
            return await self._in_waiter(waiter, handler, question)
        if question.session_id in self._attended:
            return await self._until_waited_for(question)
        return await _in_thread(lambda: handler(question))

    def _own_handler(self, question: PendingQuestion) -> Handler | None:
        if not isinstance(question, PendingPermission):
            return None
        attended = self._attended.get(question.session_id or "", ())
        return next((entry.permission for entry in reversed(attended) if entry.permission is not None), None)

    async def serve(self, function: Callable[[], Any]) -> Any:
        """Have any other handler run, and return its reply."""
        if self.delivery.posts:
            refusal = RequestRefused(REQUEST_CANCELLED, "the client's handler was interrupted")
            return await self._posting(function, refusal)
        return await _in_thread(function)

    def _find(self, wanted: Callable[[Waiter], bool]) -> Waiter | None:
        with self._lock:
            return next((waiter for waiter in reversed(self._waiters) if wanted(waiter)), None)

    def _is_meant(self, waiter: Waiter, question: PendingQuestion) -> bool:
        session_id = question.session_id
        if session_id is not None and waiter.session_id == session_id:
            return True
        if session_id in self._attended:
            return any(entry.thread == waiter.thread for entry in self._attended[session_id])
        return waiter.session_id is None

    async def _in_waiter(self, waiter: Waiter, handler: Handler, question: PendingQuestion) -> Any:
        call = HostCall(lambda: handler(question))
        waiter.give(call, shared=False)
        if self._find(lambda other: other is waiter) is None:
            call.give_back()  # it left in this very moment and may not have seen the call
        return await call.reply()

    async def _posting(self, function: Callable[[], Any], interrupted: Any) -> Any:
        call = HostCall(function, interrupted)
        with self._lock:
            self._posted.append(call)
        self.delivery.put(call.run)
        home = self._find(self._is_home)
        if home is not None:
            home.give(call, shared=True)
        try:
            return await call.reply()
        finally:
            with self._lock:
                self._posted.remove(call)

    async def _until_waited_for(self, question: PendingQuestion) -> Any:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with self._lock:
            self._changed.add(future)
        try:
            if self._find(lambda waiter: self._is_meant(waiter, question)) is None:
                await future
        finally:
            with self._lock:
                self._changed.discard(future)
        return _LEFT


async def _in_thread(function: Callable[[], Any]) -> Any:
    call = HostCall(function)
    threading.Thread(target=call.run, name="acp-client handler", daemon=True).start()
    return await call.reply()


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


# the host as the async façade sees it


def bridged(host: Host, desk: Desk) -> Host:
    """Return a host for the async façade that provides exactly what `host` does, each method on its thread.

    Choosing a login method is left out: the thread that opens a session does it.
    """
    bridge = Host()
    bridge.elicitation_modes = host.elicitation_modes
    _provide(bridge, "request_permission", _asking(host.request_permission, desk), host.request_permission)
    if provides(host, "elicit"):
        _provide(bridge, "elicit", _asking(host.elicit, desk), host.elicit)
    for name in _SERVED:
        if provides(host, name):
            handler = getattr(host, name)
            _provide(bridge, name, handler if is_coroutine_function(handler) else _serving(handler, desk), handler)
    for name in ("elicitation_completed", "extension_notification"):
        if provides(host, name):
            handler = getattr(host, name)
            _provide(bridge, name, _telling(handler, desk), handler)
    return bridge


def _provide(bridge: Host, name: str, method: Handler, original: Handler) -> None:
    if method is not original and getattr(original, "__acp_uncancellable__", False):
        method = uncancellable(method)
    setattr(bridge, name, method)


def _asking(handler: Handler, desk: Desk) -> Callable[[PendingQuestion], Awaitable[Any]]:
    async def ask(question: PendingQuestion) -> Any:
        return await desk.ask(handler, question)

    return ask


def _serving(handler: Handler, desk: Desk) -> Callable[..., Awaitable[Any]]:
    async def serve(*args: Json) -> Any:
        return await desk.serve(lambda: handler(*args))

    return serve


def _telling(handler: Handler, desk: Desk) -> Callable[..., None]:
    def tell(*values: Any) -> None:
        desk.delivery.put(lambda: handler(*values))

    return tell
