"""Who watches a session, and at which pace.

Plain callbacks run inside the step that applied the update. Coroutine callbacks get a task that takes one event after
another. Streams merge what their consumer has not taken. None of them can hold up reading, and none can harm another.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Self, TypeAlias

from acp_client.host import is_coroutine_function
from acp_client.policy.session_work import SessionWork
from acp_client.state.events import Event
from acp_client.state.mailbox import Mailbox

log = logging.getLogger("acp_client")

CALLBACK_GRACE = 5.0
"""Seconds that coroutine callbacks get to take the updates of a turn before its result is returned without them."""

Update: TypeAlias = Event


class Subscriptions:
    """Everybody who watches one session."""

    def __init__(self, work: SessionWork) -> None:
        self._work = work
        self._queued: list[_QueuedCallback] = []
        self._streams: list[EventStream] = []
        self._warned = False

    def add(self, callback: Callable[[Update], Any]) -> Callable[[], None]:
        """Subscribe a plain or a coroutine function; returns the function that ends the subscription."""
        if is_coroutine_function(callback):
            queued = _QueuedCallback(callback)
            self._queued.append(queued)
            return self._listen(queued.put, lambda: self._queued.remove(queued))
        return self._listen(_guarded(callback), lambda: None)

    def _listen(self, listener: Callable[[Update], None], on_end: Callable[[], None]) -> Callable[[], None]:
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
        stream = EventStream(Mailbox(self._work.store.snapshot))
        stream.on_close = self._listen(stream.put, lambda: self._streams.remove(stream))
        self._streams.append(stream)
        if self._work.lost is not None or self._work.closed:
            stream.finish()
        return stream

    def late_stream(self, ended: bool) -> EventStream:
        """Return a stream for somebody who comes late: it begins with a gap that holds the snapshot."""
        stream = self.stream()
        stream.mark_gap(self._work.updates)
        if ended:
            stream.finish()
        return stream

    def finish(self) -> None:
        """End every stream after what it still holds: nothing follows in this session."""
        for stream in list(self._streams):
            stream.finish()

    async def caught_up(self, grace: float) -> bool:
        """Wait until the coroutine callbacks have returned for everything so far; False when `grace` was too short.

        A callback that waits here does not wait for itself.
        """
        behind = [queued for queued in self._queued if not queued.is_current and not queued.idle]
        if not behind:
            return True
        waits = [asyncio.ensure_future(queued.reach(queued.received)) for queued in behind]
        try:
            _, late = await asyncio.wait(waits, timeout=grace)
        finally:
            for wait in waits:
                wait.cancel()
        if late and not self._warned:
            self._warned = True
            log.warning("an on_update callback of session %r is more than %g s behind", self._work.session_id, grace)
        return not late


def _guarded(callback: Callable[[Update], Any]) -> Callable[[Update], None]:
    def listener(event: Update) -> None:
        try:
            callback(event)
        except (Exception, asyncio.CancelledError):
            log.exception("an on_update callback failed")

    return listener


class _QueuedCallback:
    """One coroutine callback: its calls run one after another, in a task that lives while there is something to do."""

    def __init__(self, callback: Callable[[Update], Awaitable[Any]]) -> None:
        self._callback = callback
        self._queue: deque[Update] = deque()
        self._task: asyncio.Task[None] | None = None
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self.received = 0
        self._returned = 0

    @property
    def idle(self) -> bool:
        return self._returned == self.received

    @property
    def is_current(self) -> bool:
        """Whether the caller runs inside this callback."""
        return self._task is not None and asyncio.current_task() is self._task

    def put(self, event: Update) -> None:
        self.received += 1
        self._queue.append(event)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._drain())

    async def _drain(self) -> None:
        try:
            while self._queue:
                event = self._queue.popleft()
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
        for position, waiter in self._waiters:
            if position <= self._returned and not waiter.done():
                waiter.set_result(None)

    async def reach(self, position: int) -> None:
        """Wait until the calls for the first `position` events have returned."""
        if self._returned >= position:
            return
        entry = position, asyncio.get_running_loop().create_future()
        self._waiters.append(entry)
        try:
            await entry[1]
        finally:
            self._waiters.remove(entry)


class EventStream(AsyncIterator[Update]):
    """Events at the pace of their consumer. One consumer; safe to cancel, nothing is lost by that."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._wake: asyncio.Future[None] | None = None
        self._finished = False
        self.on_close: Callable[[], None] = _nothing

    def put(self, event: Update) -> None:
        self._mailbox.put(event)
        self._wake_up()

    def mark_gap(self, missed: int) -> None:
        self._mailbox.mark_gap(missed)

    def finish(self) -> None:
        """Nothing more comes; what is there can still be taken."""
        self._finished = True
        self.on_close()
        self._wake_up()

    def close(self) -> None:
        """Stop collecting. Leaving the iteration does it too, when the stream is collected."""
        self._finished = True
        self._mailbox.clear()
        self.on_close()
        self._wake_up()

    def _wake_up(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Update:
        while True:
            event = self._mailbox.take()
            if event is not None:
                return event
            if self._finished:
                raise StopAsyncIteration
            self._wake = asyncio.get_running_loop().create_future()
            try:
                await self._wake
            finally:
                self._wake = None

    async def aclose(self) -> None:
        """Stop collecting."""
        self.close()


def _nothing() -> None:
    """Nobody to tell."""
