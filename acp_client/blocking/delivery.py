"""How callbacks reach the host's own thread: posted there, one after another, never two at a time."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from acp_client.host import is_coroutine_function

log = logging.getLogger("acp_client")

Post: TypeAlias = Callable[[Callable[[], None]], object]
"""Has a function called soon on the thread of the host. Called from any thread."""

_NOTHING: Any = object()
"""In place of the argument of a call that takes none."""

BATCH = 100
"""Callbacks run in one go, so that a flood leaves the host time for its own events."""


class DrainQueue:
    """A `post` for hosts that have no way in from other threads (Vim, Tk): they drain it, say from a timer."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def post(self, call: Callable[[], None]) -> None:
        """Put a call in. Safe from any thread; never waits."""
        self._calls.put(call)

    def drain(self, max_ms: float | None = None) -> int:
        """Run what is in here, in order, and return how much; with `max_ms`, start nothing after that time.

        What a call raises is logged and does not stop the others.
        """
        end = None if max_ms is None else time.monotonic() + max_ms / 1000
        done = 0
        while end is None or time.monotonic() < end:
            try:
                call = self._calls.get_nowait()
            except queue.Empty:
                break
            guarded(call)
            done += 1
        return done


class Delivery:
    """One ordered stream of calls for the host's thread. With no `post` they run on the loop, at once."""

    def __init__(self, post: Post | None) -> None:
        self._post = post
        self._calls: deque[Any] = deque()
        """Calls, each with its argument behind it: a pair for each would double the work of the garbage collector."""
        self._lock = threading.Lock()
        self._under_way = False
        self.thread: int | None = None
        """The thread in which the host runs what is posted, once that is known."""

    @property
    def posts(self) -> bool:
        """Whether the host has a thread of its own for callbacks."""
        return self._post is not None

    def put(self, call: Callable[..., object], argument: Any = _NOTHING) -> None:
        """Have a call made, after those put in before. Safe from any thread where there is a `post`."""
        if self._post is None:
            guarded(call, argument)
            return
        with self._lock:
            self._calls += (call, argument)
            if self._under_way:
                return
            self._under_way = True
        self._post_run()

    def _post_run(self) -> None:
        assert self._post is not None
        try:
            self._post(self._run)
        except Exception:
            # The host is going away. The calls stay: the next one tries again.
            log.exception("the host's post failed")
            with self._lock:
                self._under_way = False

    def _run(self) -> None:
        """Make the calls that wait. Runs on the host's thread."""
        self.thread = threading.get_ident()
        try:
            for _ in range(BATCH):
                with self._lock:
                    if not self._calls:
                        self._under_way = False
                        return
                    call, argument = self._calls.popleft(), self._calls.popleft()
                guarded(call, argument)
        except BaseException:
            # The host is being stopped inside a callback. Should it go on after all, the next call starts again.
            with self._lock:
                self._under_way = False
            raise
        self._post_run()


def posted(callback: Callable[[Any], Any], delivery: Delivery) -> Callable[[Any], Any]:
    """Return what to subscribe in place of a callback: with a `post`, plain functions run on the host's thread."""
    if not delivery.posts or is_coroutine_function(callback):
        return callback
    return partial(delivery.put, callback)


def guarded(call: Callable[..., object], argument: Any = _NOTHING) -> None:
    """Make a call into the application; what it raises is logged."""
    try:
        if argument is _NOTHING:
            call()
        else:
            call(argument)
    except Exception:
        log.exception("a callback of the application failed")
