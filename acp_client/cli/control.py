"""Ctrl-C and the other ways in which somebody outside ends a command.

The first Ctrl-C cancels the turn, if there is one, and the command goes on to its end; the second leaves at once. The
agent's process is never left behind: it runs in its own process group and gets no signal of ours by accident, so it
has to be ended on purpose.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from acp_client.cli.output import Output, tolerate_any_text
from acp_client.cli.status import ENDED_OTHERWISE, INTERRUPTED, one_line
from acp_client.transports.base import Transport

LEAVE_BOUND = 3.0
"""Seconds between the end of the agent and ours: what is left is to reap it."""

ENDING_SIGNALS = ("SIGTERM", "SIGHUP")


class Control:
    """What ends one command. Belongs to its event loop."""

    def __init__(self, output: Output, warnings: _Warnings) -> None:
        self.output = output
        self._warnings = warnings
        self.on_interrupt: Callable[[], None] | None = None
        """Cancels the turn that runs. While it is None, Ctrl-C ends the command."""
        self.interrupts = 0
        self.status: int | None = None
        """The exit status that somebody outside has settled."""
        self._transport: Transport | None = None
        self._task: asyncio.Task[int] | None = None
        self._leaving = False

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self.interrupts > 0

    def connected(self) -> None:
        """Show the warnings that were held back for the case that no connection comes about."""
        self._warnings.show_held()

    def watch(self, transport: Transport) -> Transport:
        """Remember whom to stop at once; for the `on_transport` of a client."""
        self._transport = transport
        return transport

    async def supervise(self, command: Coroutine[Any, Any, int]) -> int:
        """Run a command to its end, or to the end somebody makes, and return the exit status."""
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(command)
        with _handlers(loop, self._on_signal):
            try:
                status = await self._task
            except asyncio.CancelledError:
                status = ENDED_OTHERWISE
        await self.output.drain()
        return status if self.status is None else self.status

    def stop(self, status: int) -> None:
        """End the command in good order: the turn is cancelled and the agent gets its time to stop."""
        self.status = status
        if self._task is not None:
            self._task.cancel()

    def _on_signal(self, number: signal.Signals) -> None:
        if number != signal.SIGINT:
            self._end_or_leave(128 + number)
            return
        self.interrupts += 1
        if self.interrupts == 1 and self.on_interrupt is not None:
            self.status = INTERRUPTED
            self.on_interrupt()
        else:
            self._end_or_leave(INTERRUPTED)

    def _end_or_leave(self, status: int) -> None:
        if self.status is None:
            self.stop(status)
        else:
            self._leave()

    def _leave(self) -> None:
        """Stop the agent here and now and go, whatever still waits for something."""
        if self._transport is not None:
            self._transport.kill()
        if not self._leaving:
            self._leaving = True
            status = self.status or INTERRUPTED
            self.stop(status)
            asyncio.get_running_loop().call_later(LEAVE_BOUND, os._exit, status)


def run(command: Callable[[Control], Coroutine[Any, Any, int]]) -> int:
    """Run a command on an event loop of its own; the loop and the signal handlers are gone on return."""
    tolerate_any_text()

    async def main() -> int:
        control: Control
        output = Output(on_broken=lambda: control.stop(ENDED_OTHERWISE))
        control = Control(output, _show_warnings(output))
        return await control.supervise(command(control))

    return asyncio.run(main())


@contextlib.contextmanager
def _handlers(loop: asyncio.AbstractEventLoop, on_signal: Callable[[signal.Signals], None]) -> Iterator[None]:
    numbers = [signal.SIGINT, *(getattr(signal, name) for name in ENDING_SIGNALS if hasattr(signal, name))]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] is signal.SIG_IGN:
            continue  # started with nohup, or in the background of a shell
        # Not `loop.add_signal_handler`, which Windows has not; the loop wakes up for signals everywhere.
        signal.signal(number, lambda number, frame: loop.call_soon_threadsafe(on_signal, signal.Signals(number)))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Warnings(logging.Handler):
    """Warnings of the package as people at a terminal want them: one line on stderr, no traceback.

    Those from before the connection wait: when none comes about, its error tells all of it in one line.
    """

    def __init__(self, output: Output) -> None:
        super().__init__(logging.WARNING)
        self._output = output
        self._held: list[str] | None = []

    def emit(self, record: logging.LogRecord) -> None:
        """Queue the message of a record."""
        line = f"acp-client: {one_line(record.getMessage())}\n"
        if self._held is None:
            self._output.err(line)
        else:
            self._held.append(line)

    def show_held(self) -> None:
        """Show what was held back, and hold nothing back any more."""
        held, self._held = self._held, None
        for line in held or ():
            self._output.err(line)


def _show_warnings(output: Output) -> _Warnings:
    logger, warnings = logging.getLogger("acp_client"), _Warnings(output)
    logger.addHandler(warnings)
    logger.propagate = False
    return warnings
