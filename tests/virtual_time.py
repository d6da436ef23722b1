"""An event loop whose clock jumps to the next timer as soon as nothing else is left to do: delays cost no time.

Only for work inside one thread of one process, as with agents in memory: nothing from outside can wake it.
"""

from __future__ import annotations

import asyncio
import selectors


class NothingEverHappens(AssertionError):
    """Somebody waits, and neither a timer nor a task is left that could end the wait."""


class _Selector(selectors.SelectSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise NothingEverHappens("a task waits for something that can never come")
        self.now += max(timeout, 0.0)
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(0)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Timers go off in their order, at once; `time` says which moment it would be."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


async def pass_time(seconds: float) -> None:
    """Let so many seconds of a `VirtualLoop` pass, with whatever comes due in them. They cost none of ours."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop), "only where time is virtual"
    due: asyncio.Future[None] = loop.create_future()
    loop.call_later(seconds, due.set_result, None)
    await due
