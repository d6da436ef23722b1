"""An event loop for programs that have none: a daemon thread that runs it, and waits that can be interrupted.

Knows nothing of agents. Whoever waits here is a thread without a loop, or with one of another kind; the thread of the
loop itself must not wait, and is told so.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
import weakref
from collections.abc import Callable, Coroutine
from concurrent import futures
from typing import Any, Protocol, TypeAlias, TypeVar

from acp_client.errors import ConnectionClosed, UsageError
from acp_client.transports.base import CLOSING, EXIT_GRACE

T = TypeVar("T")
Job: TypeAlias = Callable[[], None]
Jobs: TypeAlias = "queue.SimpleQueue[Job | None]"
"""What a waiting thread has to do meanwhile; None only wakes it."""

TICK = 0.2
"""Seconds after which every wait looks up: a lock cannot be interrupted on Windows, and a loop may have ended."""

CLOSE_TIMEOUT = 5.0
"""Seconds that what still runs on the loop gets to end when the thread is closed."""

END_TIMEOUT = 3 * EXIT_GRACE
"""Seconds for which a thread that is to end lets agents end first, in the background."""

_new_loop: Callable[[], asyncio.AbstractEventLoop] = getattr(asyncio, "ProactorEventLoop", asyncio.SelectorEventLoop)
"""Never the host's event-loop policy: it may make loops that need a GUI, or that cannot start processes."""


class Dependent(Protocol):
    """What lives on a loop and has to end before it."""

    def close(self) -> None: ...


class LoopThread:
    """An event loop in a thread of its own. Made by `start`, or by `adopt` from a loop that runs already.

    One is enough for a whole program; it serves any number of clients.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, thread: threading.Thread | None, stop: asyncio.Event | None
    ) -> None:
        self.loop = loop
        self.dependents: weakref.WeakSet[Dependent] = weakref.WeakSet()
        """Closed by `close`."""
        self._thread = thread
        self._stop = stop

    @classmethod
    def start(cls, *, name: str = "acp-client") -> LoopThread:
        """Start a daemon thread that runs a new loop. It never holds up the end of the program; `close` ends it."""
        loop, stop = _new_loop(), asyncio.Event()
        thread = threading.Thread(target=_serve, args=(loop, stop), name=name, daemon=True)
        try:
            thread.start()
        except BaseException:
            loop.close()
            raise
        return cls(loop, thread, stop)

    @classmethod
    def adopt(cls, loop: asyncio.AbstractEventLoop) -> LoopThread:
        """Use a loop that runs in another thread of the host. It is never closed or stopped from here.

        Raises `UsageError` when it does not run.
        """
        if not loop.is_running():
            raise UsageError("cannot adopt an event loop that does not run; LoopThread.start() makes one that does")
        return cls(loop, None, None)

    @property
    def in_loop(self) -> bool:
        """Whether the caller runs on the loop."""
        try:
            return asyncio.get_running_loop() is self.loop
        except RuntimeError:
            return False

    @property
    def alive(self) -> bool:
        """Whether the loop still takes work."""
        if self.loop.is_closed():
            return False
        return self.loop.is_running() if self._thread is None else self._thread.is_alive()

    def post(self, step: Callable[[], object]) -> None:
        """Have a function called on the loop soon, without waiting. Does nothing when the loop has ended."""
        call_soon(self.loop, step)

    def call(self, function: Callable[[], T]) -> T:
        """Call a function on the loop and return what it returns; at once when the caller is on the loop.

        When the loop has ended nothing can change any more, and the function is called right here.
        """
        if self.in_loop or not self.alive:
            return function()
        future: futures.Future[T] = futures.Future()

        def step() -> None:
            if not future.set_running_or_notify_cancel():
                return  # the caller was interrupted before it began
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)

        self.post(step)
        return self.wait(future, queue.SimpleQueue())

    def run(self, coroutine: Coroutine[Any, Any, T], *, timeout: float | None = None) -> T:
        """Run a coroutine on the loop and wait for it; for what has no blocking counterpart.

        Ctrl-C interrupts the wait and cancels the coroutine, and so does `timeout` (seconds), with `TimeoutError`.
        Raises `UsageError` on the loop's own thread, `ConnectionClosed` when the loop ends meanwhile.
        """
        return self.wait(self.submit(coroutine), queue.SimpleQueue(), timeout)

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> futures.Future[T]:
        """Start a coroutine on the loop; `wait` waits for it. Raises as `run`."""
        try:
            self.require_elsewhere()
            self._require_alive()
        except BaseException:
            coroutine.close()
            raise
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def wait(self, future: futures.Future[T], jobs: Jobs, timeout: float | None = None) -> T:
        """Wait for what `submit` returned and do the `jobs` that come meanwhile. Whatever ends the wait cancels it."""
        try:
            future.add_done_callback(lambda _: jobs.put(None))
            end = None if timeout is None else time.monotonic() + timeout
            while not future.done():
                left = TICK if end is None else min(TICK, end - time.monotonic())
                if left <= 0:
                    raise TimeoutError(f"not over after {timeout:g} s")
                self._do_next(jobs, left)
            return future.result()
        except futures.CancelledError:
            raise ConnectionClosed("the event loop of the connection was stopped") from None
        finally:
            future.cancel()

    def _do_next(self, jobs: Jobs, limit: float) -> None:
        try:
            job = jobs.get(timeout=limit)
        except queue.Empty:
            self._require_alive()
        else:
            if job is not None:
                job()

    def require_elsewhere(self) -> None:
        """Raise `UsageError` when the caller is on the loop, which must not wait for itself."""
        if self.in_loop:
            raise UsageError(
                "a blocking call on the thread of its own event loop would never return: "
                "use acp_client.Client there, or call from another thread"
            )

    def _require_alive(self) -> None:
        if not self.alive:
            raise ConnectionClosed("the event loop of the connection was stopped")

    def close(self, *, timeout: float = CLOSE_TIMEOUT) -> None:
        """Close the clients, then stop the loop if `start` made it; an adopted one is left alone. Safe to repeat.

        `timeout` (seconds) is what anything else that runs on the loop gets to end.
        """
        self.require_elsewhere()
        for dependent in list(self.dependents):
            dependent.close()
        if self._thread is not None and self._stop is not None:
            self.post(self._stop.set)
            self._thread.join(timeout)


def call_soon(loop: asyncio.AbstractEventLoop, step: Callable[[], object]) -> None:
    """Have a function called on a loop, from any thread. A closed loop has nobody left who could notice."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(step)


def _closing() -> list[asyncio.Task[Any]]:
    return [task for task in asyncio.all_tasks() if task.get_name() == CLOSING]


def _serve(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    async def serve() -> None:
        await stop.wait()
        # Whoever was interrupted while it connected does not wait for the agent's end; it must come all the same.
        end = loop.time() + END_TIMEOUT
        while (closing := _closing()) and (left := end - loop.time()) > 0:
            await asyncio.wait(closing, timeout=left)

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(serve())
