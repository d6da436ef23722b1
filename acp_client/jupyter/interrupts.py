"""Waiting in a cell in a way that an interrupt reaches.

While a cell is asynchronous, which one `await` in it makes it, kernels turn an interrupt into the cancellation of the
cell. They do not wake their event loop for it, so a cell that waits for a silent agent would go on waiting until the
agent says something; and code of the cell that blocks is not interrupted at all.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

TICK = 0.2
"""Seconds after which a waiting cell looks up, which is what an interrupt takes at most."""


async def ticking(work: Awaitable[T]) -> T:
    """Await something and be interruptible meanwhile: `await ticking(session.prompt("..."))`.

    An interrupt cancels the work; what it does about that is its own affair, and nothing is awaited here.
    """
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=TICK)
    except asyncio.CancelledError:
        task.cancel()
        raise
    return task.result()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let an interrupt end what blocks inside, also in an asynchronous cell, with `KeyboardInterrupt`.

    The handler of the kernel is put back in any case; other threads have none and change nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.default_int_handler)
