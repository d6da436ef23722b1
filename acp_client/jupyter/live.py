"""One turn in a notebook: shown while it runs, stopped by an interrupt, its questions answered by whoever is there."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Collection, Generator
from contextlib import suppress
from typing import Any

from acp_client.blocking import Session, Turn
from acp_client.errors import AcpError, ConnectionLost, UsageError
from acp_client.jupyter import asking, buttons
from acp_client.jupyter.interrupts import TICK, interruptible
from acp_client.jupyter.rendering import Shown, html_of
from acp_client.jupyter.view import View
from acp_client.policy.permissions import PermissionPolicy
from acp_client.policy.questions import PendingPermission, PendingQuestion
from acp_client.policy.turns import TurnResult
from acp_client.session import CANCEL_GRACE

REPAINT = 0.1
"""Seconds between two repaints at least: faster than people read."""

PAINT_SHARE = 10
"""A repaint is followed by a pause this many times as long: a huge turn must not eat the kernel."""

HINT = "answer with .allow(), .deny() or .answer(name) of the turn, or wait for it in a cell"


class LiveTurn:
    """A turn under way. Made by `Notebook.start`; shown where it was made until it has ended.

    It goes on while cells run and after they have returned. `await` it or `wait()` for it to have the cell wait: then
    an interrupt cancels the turn, and questions are asked by `input()`, because most kernels deliver no click then.
    """

    def __init__(self, session: Session, unattended: PermissionPolicy, grace: float | None, with_buttons: bool) -> None:
        self._session = session
        self._unattended = unattended
        self._grace = grace
        # Seconds a cell waits for the end of a cancelled turn: bounded also where the turn's grace is not.
        self._patience = CANCEL_GRACE if grace is None else None
        self._first = len(session.snapshot.items)
        self._with_buttons = with_buttons and buttons.available()
        self._buttons: buttons.Buttons | None = None
        self._handle: Any = None
        # A terminal cannot replace what it has printed: there, only questions and the end are shown.
        self._repaints = buttons.in_kernel()
        self._painted = -1
        self._changed = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._poked = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self._asks_here = False
        self._cell: object = None
        self.turn: Turn

    # what is going on

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self.turn.done

    @property
    def result(self) -> TurnResult:
        """The result of an ended turn. Raises its error, or `UsageError` while it runs."""
        return self.turn.result

    @property
    def pending(self) -> tuple[PendingQuestion, ...]:
        """The session's questions that wait for an answer."""
        return self._session.pending

    def allow(self) -> bool:
        """Answer the oldest question with the option that allows once. False when there is none open."""
        question = self._oldest()
        return question is not None and question.allow()

    def deny(self) -> bool:
        """Answer the oldest question with no. False when there is none open."""
        question = self._oldest()
        return question is not None and question.deny()

    def answer(self, option: str) -> bool:
        """Answer the oldest question with one of its options: its name or its id. False when there is none open."""
        question = self._oldest()
        if question is None:
            return False
        named = [offered for offered in question.options if option in (offered.option_id, offered.name)]
        if not named:
            raise UsageError(f"option {option!r} was not offered; offered: {[o.name for o in question.options]}")
        return question.select(named[0])

    def _oldest(self) -> PendingPermission | None:
        return next((question for question in self.pending if isinstance(question, PendingPermission)), None)

    def cancel(self) -> None:
        """Cancel the turn; never waits."""
        self.turn.cancel(self._grace)

    # waiting

    def wait(self) -> TurnResult:
        """Block until it has ended and return its result; an interrupt cancels it first."""
        with interruptible():
            return self._wait()

    def _wait(self) -> TurnResult:
        try:
            self._begin_asking()
            while not self.done:
                self._changed.wait(TICK)
                self._changed.clear()
                self._paint()
                self._answer_here()
                if not self.done:
                    time.sleep(REPAINT)
        except KeyboardInterrupt:
            with suppress(ConnectionLost, TimeoutError):
                self.turn.cancel(self._grace).wait(self._patience)
            self._paint()
            raise
        finally:
            self._asks_here = False
        self._paint()
        return self.result

    def __await__(self) -> Generator[Any, None, TurnResult]:
        return self._wait_in_cell(asks_here=True).__await__()

    async def with_buttons(self) -> TurnResult:
        """Wait as `await` does, but leave the questions to the buttons: only for ipykernel 7.4 and later."""
        return await self._wait_in_cell(asks_here=False)

    async def _wait_in_cell(self, asks_here: bool) -> TurnResult:
        if asks_here:
            self._begin_asking()
        try:
            while not self.done:
                self._paint()
                self._answer_here()
                await self._next_look()
        except (asyncio.CancelledError, KeyboardInterrupt):
            await self._cancel_in_cell()
            raise
        finally:
            self._asks_here = False
        self._paint()
        return self.result

    async def _next_look(self) -> None:
        # Bounded: an interrupt is only noticed when the loop wakes up.
        with suppress(TimeoutError):
            async with asyncio.timeout(TICK):
                await self._poked.wait()
        self._poked.clear()

    async def _cancel_in_cell(self) -> None:
        """Cancel and wait, bounded, for the end. A second interrupt ends this wait."""
        handle = self.turn.cancel(self._grace)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                while handle.outcome is None and not self._session.client.closed:
                    await self._next_look()
        self._paint()

    def _begin_asking(self) -> None:
        """From now on questions are asked by `input()`. Never beside buttons: while it asks, no click is delivered."""
        self._asks_here = True
        if self._buttons is not None:
            self._buttons.close()
            self._buttons = None
            self._painted = -1

    def _answer_here(self) -> None:
        while self._asks_here and (question := self._oldest()) is not None:
            self._paint()
            asking.answer(question, self._unattended)

    # showing

    def begin(self, start: Callable[[], Turn]) -> None:
        """Start the turn, show it here, and follow it from the kernel's loop where there is one."""
        self._loop = _running_loop()
        self.turn = start()
        try:
            self._show()
        except BaseException:
            self.turn.cancel(self._grace)  # nobody will ever hold it
            raise
        if self._loop is not None:
            # Outside this cell's context: an update finds its display by id, but those that run notebooks without
            # anybody there (nbclient) lose what belongs to a cell that has ended.
            self._following = self._loop.create_task(self._follow(), context=contextvars.Context())

    def _show(self) -> None:
        from IPython.core.getipython import get_ipython
        from IPython.display import display

        self._cell = getattr(get_ipython(), "execution_count", None)
        bundle = self._view()._repr_mimebundle_()
        if self._with_buttons:
            self._buttons = buttons.Buttons(self.cancel)
            bundle |= self._buttons.bundle()
        self._handle = display(bundle, raw=True, display_id=True)

    def on_event(self, event: object) -> None:
        """Note that there is something new. Called on the connection's thread."""
        self._changed.set()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._poked.set)

    async def _follow(self) -> None:
        pause = REPAINT
        while not self.done:
            await asyncio.sleep(pause)
            await self._next_look()
            begun = time.monotonic()
            self._paint()
            pause = max(REPAINT, PAINT_SHARE * (time.monotonic() - begun))
        self._paint()

    def _paint(self) -> None:
        """Show the present state, unless it is shown already."""
        snapshot = self._session.snapshot
        if self._handle is None or (snapshot.version == self._painted and not self.done):
            return
        if not (self._repaints or self.done or snapshot.pending):
            return
        self._painted = snapshot.version
        if self.done:
            self._paint_end()
        elif self._buttons is not None:
            shown = self._shown()
            self._buttons.show(html_of(shown), shown.questions)
        else:
            self._handle.update(self._view())

    def _paint_end(self) -> None:
        # What is saved in the notebook: no widgets, whose state would not survive the kernel.
        self._handle.update(self._view())
        self._handle = None
        if self._buttons is not None:
            self._buttons.close()
            self._buttons = None

    def _view(self) -> View:
        return View.of(self._shown())

    def _shown(self) -> Shown:
        hint = "" if self._buttons is not None or self._asks_here else HINT
        return Shown.of(self._session.snapshot, first=self._first, status=self._status(), hint=hint)

    def _status(self) -> str:
        if not self.done:
            return "running"
        try:
            return f"ended: {self.result.stop_reason or 'without a reason'}"
        except AcpError as error:
            return f"failed: {error}"

    def __repr__(self) -> str:
        return f"<LiveTurn {self._status()}>"

    def _ipython_display_(self) -> None:
        """Show it in another cell; in the cell it was started in, it is shown already."""
        from IPython.core.getipython import get_ipython
        from IPython.display import display

        if self._cell != getattr(get_ipython(), "execution_count", None):
            display(self._view())

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        return self._view()._repr_mimebundle_(include, exclude)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
