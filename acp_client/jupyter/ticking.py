"""Waiting in an asynchronous cell in a way that an interrupt reaches.

A kernel turns an interrupt into the cancellation of the cell, but does not wake its event loop for it: a cell that
waits for a silent agent would go on waiting until the agent says something.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
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
