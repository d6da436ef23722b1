"""Writing to stdout and stderr without ever waiting for them.

One daemon thread writes both, in order. A reader that is slow, or a terminal that was stopped, holds up neither the
event loop, which has to go on reading the agent, nor the exit.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import TextIO

DRAIN_BOUND = 5.0
"""Seconds that a reader who has stopped reading may hold up the end of the program."""


class Output:
    """Both standard streams. `on_broken` is called on the loop when nobody reads stdout any more."""

    def __init__(self, on_broken: Callable[[], None] | None = None) -> None:
        self._queue: queue.SimpleQueue[tuple[TextIO, str] | Callable[[], None]] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._on_broken = on_broken
        self.broken = False
        """Nobody reads stdout any more."""
        threading.Thread(target=self._write, name="acp-client output", daemon=True).start()

    def out(self, text: str) -> None:
        """Queue text for stdout, exactly as it is."""
        self._queue.put((sys.stdout, text))

    def err(self, text: str) -> None:
        """Queue text for stderr, exactly as it is."""
        self._queue.put((sys.stderr, text))

    async def drain(self) -> None:
        """Wait until everything queued was written, or nobody takes it, at most `DRAIN_BOUND` seconds."""
        written = asyncio.Event()
        self._queue.put(lambda: self._post(written.set))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(written.wait(), DRAIN_BOUND)

    def _post(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(call)

    def _write(self) -> None:
        while True:
            item = self._queue.get()
            if callable(item):
                item()
                continue
            stream, text = item
            try:
                stream.write(text)
                stream.flush()
            except (OSError, ValueError, AttributeError):
                self._has_broken(stream)

    def _has_broken(self, stream: TextIO) -> None:
        if stream is not sys.stdout or self.broken:
            return
        self.broken = True
        with contextlib.suppress(OSError, ValueError, AttributeError):
            # What is still in the buffer must not fail once more at the interpreter's exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if self._on_broken is not None:
            self._post(self._on_broken)


def tolerate_any_text() -> None:
    """Make both streams replace what their encoding cannot say, instead of failing over it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # text files have it
