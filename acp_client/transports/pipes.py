"""Reading and writing one pipe of a child process, without ever holding up the event loop.

Two ways with the same surface: the loop watches the descriptor (POSIX), or a daemon thread blocks on it (Windows, and
loops that cannot watch descriptors). Who uses them cannot tell the difference: blocks arrive in the loop's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from io import FileIO
from typing import Protocol

_WINDOWS = os.name == "nt"

READ_SIZE = 256 * 1024
"""Bytes of one read: with a pipe of the same size a burst costs half the wake-ups and a third of the time."""

OnBlock = Callable[[bytes], None]
OnEnd = Callable[[OSError | None], None]


class PipeReader(Protocol):
    """Calls `on_block` with what is read, and `on_end` once, with the error unless it was a plain end of file."""

    def close(self) -> None:
        """Stop reading; nothing is called afterwards."""


class PipeWriter(Protocol):
    """Writes in order without blocking. Calls `on_broken` once when the other side does not read any more."""

    def write(self, data: bytes) -> None:
        """Write at once what the pipe takes and keep the rest. Does nothing after the end."""

    async def drain(self) -> None:
        """Wait until nothing is kept, or the pipe has ended."""

    def close(self) -> None:
        """Close the pipe; what is kept is dropped."""


def open_reader(loop: asyncio.AbstractEventLoop, file: FileIO, on_block: OnBlock, on_end: OnEnd) -> PipeReader:
    """Begin to read a pipe in whichever way the loop can."""
    if can_watch(loop, file):
        return LoopReader(loop, file, on_block, on_end)
    return ThreadReader(loop, file, on_block, on_end)


def open_writer(loop: asyncio.AbstractEventLoop, file: FileIO, on_broken: Callable[[OSError], None]) -> PipeWriter:
    """Write to a pipe in whichever way the loop can."""
    if can_watch(loop, file):
        return LoopWriter(loop, file, on_broken)
    return ThreadWriter(loop, file, on_broken)


def can_watch(loop: asyncio.AbstractEventLoop, file: FileIO) -> bool:
    """Whether the loop tells when a pipe is ready. On Windows none does, and some fail only later."""
    if _WINDOWS:
        return False
    try:
        loop.add_writer(file.fileno(), _nothing)
    except NotImplementedError:
        return False
    loop.remove_writer(file.fileno())
    return True


def _nothing() -> None:
    """Stands for a callback while the loop is asked whether it can have one."""


class LoopReader:
    """A reader whose descriptor is watched by the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, file: FileIO, on_block: OnBlock, on_end: OnEnd) -> None:
        self._loop, self._file, self._on_block, self._on_end = loop, file, on_block, on_end
        loop.add_reader(file.fileno(), self._readable)
        os.set_blocking(file.fileno(), False)

    def _readable(self) -> None:
        try:
            block = os.read(self._file.fileno(), READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self.close()
            self._on_end(error)
            return
        if block:
            self._on_block(block)
        else:
            self.close()
            self._on_end(None)

    def close(self) -> None:
        if not self._file.closed:
            if not self._loop.is_closed():
                self._loop.remove_reader(self._file.fileno())
            self._file.close()


class _Drained:
    """Who waits until everything is written."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: list[asyncio.Future[None]] = []

    async def wait(self) -> None:
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(future)
        await future

    def wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done() and not self._loop.is_closed():
                future.set_result(None)


class LoopWriter:
    """A writer that writes directly, and lets the event loop say when the pipe takes more."""

    def __init__(self, loop: asyncio.AbstractEventLoop, file: FileIO, on_broken: Callable[[OSError], None]) -> None:
        self._loop, self._file, self._on_broken = loop, file, on_broken
        self._kept: deque[memoryview] = deque()
        self._drained = _Drained(loop)
        os.set_blocking(file.fileno(), False)

    @property
    def is_waiting(self) -> bool:
        """Whether something waits for the pipe to take more."""
        return bool(self._kept)

    def write(self, data: bytes) -> None:
        if self._file.closed:
            return
        if self._kept:
            self._kept.append(memoryview(data))
            return
        rest = self._put(data)
        if rest:
            self._kept.append(rest)
            self._loop.add_writer(self._file.fileno(), self._writable)

    def _put(self, data: bytes | memoryview) -> memoryview | None:
        """Write what the pipe takes and return the rest; None when there is none, or the pipe is broken."""
        try:
            written = os.write(self._file.fileno(), data)
        except (BlockingIOError, InterruptedError):
            written = 0
        except OSError as error:
            self.close()
            self._on_broken(error)
            return None
        return None if written == len(data) else memoryview(data)[written:]

    def _writable(self) -> None:
        while self._kept:
            rest = self._put(self._kept[0])
            if not self._kept:
                return  # closed meanwhile
            if rest:
                self._kept[0] = rest
                return
            self._kept.popleft()
        self._loop.remove_writer(self._file.fileno())
        self._drained.wake()

    async def drain(self) -> None:
        if self.is_waiting:
            await self._drained.wait()

    def close(self) -> None:
        if self._file.closed:
            return
        if self._kept and not self._loop.is_closed():
            self._loop.remove_writer(self._file.fileno())
        self._kept.clear()
        self._file.close()
        self._drained.wake()


def _post(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> bool:
    """Run something in the loop's thread; False when the loop is closed."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)
        return True
    return False


class ThreadReader:
    """A reader with a daemon thread: it may stay blocked in a read for as long as somebody holds the other end."""

    def __init__(self, loop: asyncio.AbstractEventLoop, file: FileIO, on_block: OnBlock, on_end: OnEnd) -> None:
        self._loop, self._file, self._on_block, self._on_end = loop, file, on_block, on_end
        self._closed = False
        threading.Thread(target=self._run, name="acp-client-read", daemon=True).start()

    def _run(self) -> None:
        # Only this thread closes the file: a descriptor closed under a blocked read could be reused by anybody.
        with self._file:
            error: OSError | None = None
            while not self._closed:
                try:
                    block = os.read(self._file.fileno(), READ_SIZE)
                except OSError as problem:
                    error, block = problem, b""
                if not block:
                    break
                if not _post(self._loop, partial(self._hand_over, block)):
                    return
        _post(self._loop, partial(self._end, error))

    def _hand_over(self, block: bytes) -> None:
        if not self._closed:
            self._on_block(block)

    def _end(self, error: OSError | None) -> None:
        if not self._closed:
            self._closed = True
            self._on_end(error)

    def close(self) -> None:
        self._closed = True


class ThreadWriter:
    """A writer with a daemon thread that blocks in the pipe in our place."""

    def __init__(self, loop: asyncio.AbstractEventLoop, file: FileIO, on_broken: Callable[[OSError], None]) -> None:
        self._loop, self._file, self._on_broken = loop, file, on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unwritten = 0
        self._closed = False
        self._drained = _Drained(loop)
        threading.Thread(target=self._run, name="acp-client-write", daemon=True).start()

    def write(self, data: bytes) -> None:
        if not self._closed:
            self._unwritten += 1
            self._queue.put(data)

    def _run(self) -> None:
        with contextlib.suppress(OSError), self._file:  # closing flushes nothing, but may report the broken pipe again
            while (data := self._queue.get()) is not None and not self._closed:
                rest = memoryview(data)
                try:
                    while rest and not self._closed:
                        rest = rest[os.write(self._file.fileno(), rest) :]
                except OSError as error:
                    _post(self._loop, partial(self._break, error))
                    return
                if not _post(self._loop, self._written):
                    return

    def _written(self) -> None:
        self._unwritten -= 1
        if self._unwritten <= 0:
            self._drained.wake()

    def _break(self, error: OSError) -> None:
        if not self._closed:
            self.close()
            self._on_broken(error)

    async def drain(self) -> None:
        if self._unwritten > 0 and not self._closed:
            await self._drained.wait()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._drained.wake()
