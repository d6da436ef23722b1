"""Who watches a session, and at which pace.

Plain callbacks run inside the step that applied the update. Coroutine callbacks get a task that takes one event after
another. Streams merge what their consumer has not taken. None of them can hold up reading, and none can harm another.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Self, TypeAlias

from acp_client.host import is_coroutine_function
from acp_client.policy.session_work import SessionWork
from acp_client.state.events import Event
from acp_client.state.mailbox import Mailbox
from acp_client.state.snapshot import SessionSnapshot

log = logging.getLogger("acp_client")

CALLBACK_GRACE = 5.0
"""Seconds that coroutine callbacks get to take the updates of a turn before its result is returned without them."""

Update: TypeAlias = Event


class Subscriptions:
    """Everybody who watches one session."""

    def __init__(self, work: SessionWork) -> None:
        self._work = work
        self._queued: list[_QueuedCallback] = []
        self._inboxes: list[Inbox] = []
        self._warned = False

    def add(self, callback: Callable[[Update], Any]) -> Callable[[], None]:
        """Subscribe a plain or a coroutine function; returns the function that ends the subscription."""
        if is_coroutine_function(callback):
            queued = _QueuedCallback(callback)
            self._queued.append(queued)
            return self._listen(queued.put, lambda: self._queued.remove(queued))
        return self._listen(callback, lambda: None)

    def _listen(self, listener: Callable[[Update], Any], on_end: Callable[[], None]) -> Callable[[], None]:
        self._work.listeners = [*self._work.listeners, listener]
        ended = False

        def end() -> None:
            nonlocal ended
            if not ended:
                ended = True
                self._work.listeners = [other for other in self._work.listeners if other is not listener]
                on_end()

        return end

    def stream(self) -> EventStream:
        """Return a stream of events from now on; a dead connection or closed session ends it at once."""
        stream = self.closed_stream()
        self.begin(stream.inbox)
        return stream

    def closed_stream(self) -> EventStream:
        """Return a stream that gets nothing before its inbox is given to `begin`."""
        return EventStream(Inbox(self._work.store.snapshot))

    def begin(self, inbox: Inbox) -> None:
        """Collect the events from now on."""
        if inbox.finished or inbox.abandoned:
            return
        inbox.on_close = self._listen(inbox.put, lambda: self._inboxes.remove(inbox))
        self._inboxes.append(inbox)
        if self._work.lost is not None or self._work.closed:
            inbox.finish()

    def late_stream(self, ended: bool) -> EventStream:
        """Return a stream for somebody who comes late: it begins with a gap that holds the snapshot."""
        stream = self.stream()
        stream.inbox.mark_gap(self._work.updates)
        if ended:
            stream.inbox.finish()
        return stream

    def finish(self) -> None:
        """End every stream after what it still holds: nothing follows in this session."""
        for inbox in list(self._inboxes):
            inbox.finish()

    async def end(self, grace: float) -> None:
        """Let the coroutine callbacks take what came, at most `grace` seconds, then stop them. Nothing follows."""
        try:
            await self.caught_up(grace)
        finally:
            for queued in self._queued:
                queued.stop()

    async def caught_up(self, grace: float) -> bool:
        """Wait until the coroutine callbacks have returned for everything so far; False when `grace` was too short.

        A callback that waits here, also in a task it has started, waits neither for itself nor for one that waits too.
        """
        own = [queued for queued in self._queued if queued.is_current]
        behind = [queued for queued in self._queued if queued not in own and not queued.idle]
        if not behind:
            return True
        waits = [asyncio.ensure_future(queued.reach(queued.received, inside=bool(own))) for queued in behind]
        try:
            for queued in own:
                queued.begin_wait()
            _, late = await asyncio.wait(waits, timeout=grace)
        finally:
            for queued in own:
                queued.waits -= 1
            for wait in waits:
                wait.cancel()
        if late and not self._warned:
            self._warned = True
            log.warning("an on_update callback of session %r is more than %g s behind", self._work.session_id, grace)
        return not late


_inside: ContextVar[tuple[tuple[_QueuedCallback, int], ...]] = ContextVar("acp_client_callbacks", default=())
"""The callbacks that the running task belongs to, each with the number of its call; tasks started there inherit it."""


class _QueuedCallback:
    """One coroutine callback: its calls run one after another, in a task that lives while there is something to do."""

    def __init__(self, callback: Callable[[Update], Awaitable[Any]]) -> None:
        self._callback = callback
        self._queue: deque[Update] = deque()
        self._task: asyncio.Task[None] | None = None
        self._waiters: list[tuple[int, bool, asyncio.Future[None]]] = []
        self.received = 0
        self._returned = 0
        self.waits = 0
        """How many waits for a turn go on inside the running call."""

    @property
    def idle(self) -> bool:
        return self._returned == self.received

    @property
    def is_current(self) -> bool:
        """Whether the caller runs inside the call of this callback that is under way."""
        return self._task is not None and (self, self._returned) in _inside.get()

    def begin_wait(self) -> None:
        """The running call waits for a turn: no other callback may wait for it meanwhile, or both wait for ever."""
        self.waits += 1
        for _, inside, waiter in self._waiters:
            if inside and not waiter.done():
                waiter.set_result(None)

    def stop(self) -> None:
        """Cancel the running call, unless it is the caller, and forget the rest."""
        self._queue.clear()
        if self._task is not None and not self.is_current:
            self._task.cancel()

    def put(self, event: Update) -> None:
        self.received += 1
        self._queue.append(event)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._drain())

    async def _drain(self) -> None:
        outside = _inside.get()
        try:
            while self._queue:
                event = self._queue.popleft()
                _inside.set((*outside, (self, self._returned)))
                try:
                    await self._callback(event)
                except Exception:
                    log.exception("an on_update callback failed")
                except asyncio.CancelledError:
                    task = asyncio.current_task()
                    if task is not None and task.cancelling():
                        raise
                    log.exception("an on_update callback failed")
                self._returned += 1
                self._wake()
        finally:
            self._task = None

    def _wake(self) -> None:
        for position, _, waiter in self._waiters:
            if position <= self._returned and not waiter.done():
                waiter.set_result(None)

    async def reach(self, position: int, inside: bool) -> None:
        """Wait until the calls for the first `position` events have returned; `inside`: for another callback."""
        if self._returned >= position or (inside and self.waits):
            return
        entry = position, inside, asyncio.get_running_loop().create_future()
        self._waiters.append(entry)
        try:
            await entry[2]
        finally:
            self._waiters.remove(entry)


class Inbox(Mailbox):
    """What waits for one stream. The session knows the inbox and not the stream, so that one left behind can go."""

    def __init__(self, snapshot: Callable[[], SessionSnapshot]) -> None:
        super().__init__(snapshot)
        self._wake: asyncio.Future[None] | None = None
        self.finished = False
        self.abandoned = False
        self.on_close: Callable[[], None] = _nothing

    def abandon(self) -> None:
        """Nobody can take anything any more. May be called in any thread; noticed at the next event."""
        self.abandoned = True
        self.on_put = self.close

    def finish(self) -> None:
        """Nothing more comes; what is there can still be taken."""
        self.finished = True
        self.on_close()
        self._wake_up()

    def close(self) -> None:
        self.clear()
        self.finish()

    async def wait(self) -> None:
        """Wait until something was put, or the end."""
        self._wake = asyncio.get_running_loop().create_future()
        self.on_put = self._wake_up
        try:
            await self._wake
        finally:
            self._wake = None
            self.on_put = self.close if self.abandoned else None

    def _wake_up(self) -> None:
        if not self.abandoned:
            self.on_put = None  # once is enough
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)


class EventStream(AsyncIterator[Update]):
    """Events at the pace of their consumer. One consumer; safe to cancel, nothing is lost by that."""

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox

    def __del__(self) -> None:
        self.inbox.abandon()

    def close(self) -> None:
        """Stop collecting. Leaving the iteration does it too, when nobody holds the stream any more."""
        self.inbox.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Update:
        inbox = self.inbox
        while True:
            event = inbox.take()
            if event is not None:
                return event
            if inbox.finished:
                raise StopAsyncIteration
            await inbox.wait()

    async def aclose(self) -> None:
        """Stop collecting."""
        self.close()


def _nothing() -> None:
    """Nobody to tell."""
