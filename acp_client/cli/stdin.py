"""Lines from standard input for whoever asks, read by a thread that holds up neither the loop nor the exit.

A line is read only when somebody waits for one. On a terminal, a line that comes when the question is gone was meant
for that question, so it is dropped; in a pipe the lines are answers in order, so it is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import select
import sys
import threading
from collections import deque

READ_SIZE = 65536


class LineReader:
    """The lines of one file descriptor. Belongs to one event loop."""

    def __init__(self, descriptor: int | None, *, keeps_unasked: bool) -> None:
        self._descriptor = descriptor
        self._keeps_unasked = keeps_unasked
        self._lines: deque[str] = deque()
        self._rest = b""
        self._ended = descriptor is None
        self._wanted: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.is_reading = False
        """The thread waits for input."""
        self._waiter: asyncio.Future[None] | None = None
        self._thread: threading.Thread | None = None

    @classmethod
    def of_stdin(cls) -> LineReader:
        """Return a reader for standard input; one that has nothing where it is closed."""
        stream = sys.stdin
        try:
            descriptor = None if stream is None else stream.fileno()
        except (OSError, ValueError):
            descriptor = None
        return cls(descriptor, keeps_unasked=not is_terminal(stream))

    async def next(self) -> str | None:
        """Return the next line without its end, or None when there is none. One caller at a time.

        Giving up the wait loses nothing but, on a terminal, the line that was being typed.
        """
        while not self._lines and not self._ended:
            self._ask()
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._lines.popleft() if self._lines else None

    def _ask(self) -> None:
        if self.is_reading:
            return
        self.is_reading = True
        self._wanted.put(None)
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._read, args=(loop,), name="acp-client stdin", daemon=True)
            self._thread.start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        data = b"-"
        while data:
            self._wanted.get()
            data = self._read_some()
            with contextlib.suppress(RuntimeError):  # the loop has ended: nobody wants the line any more
                loop.call_soon_threadsafe(self._take, data)

    def _read_some(self) -> bytes:
        assert self._descriptor is not None
        while True:
            try:
                # Not through `sys.stdin`: its lock, held by a thread that waits, would abort the interpreter's exit.
                return os.read(self._descriptor, READ_SIZE)
            except BlockingIOError:
                select.select([self._descriptor], [], [])
            except OSError:
                return b""

    def _take(self, data: bytes) -> None:
        self.is_reading = False
        if not data:
            self._ended = True
            if self._rest:
                self._lines.append(_text(self._rest))
        elif self._waiter is not None or self._keeps_unasked:
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._lines.extend(_text(line) for line in lines)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def is_terminal(stream: object) -> bool:
    """Say whether a stream is there and is a terminal."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]  # asked of whatever stands in `sys`
    except (AttributeError, ValueError):
        return False


def _text(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\r")
