"""Sessions and turns as an application sees them: the same objects for both protocol versions.

The rules live in `acp_client.policy`; here is what waits for them: awaiting a turn, iterating its events, the two kinds
of subscriptions. Everything belongs to the client's event loop, except what says that it may be called from any thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, get_args

import attrs

from acp_client._subscriptions import EventStream, Inbox, Subscriptions, Update
from acp_client.errors import AuthRequired, NotSupported, UsageError
from acp_client.policy.questions import PendingQuestion
from acp_client.policy.session_work import Busy, SessionWork
from acp_client.policy.turns import CancelOutcome, CancelWork, Phase, TurnResult, TurnWork
from acp_client.protocol.dialect import Roots
from acp_client.rpc.messages import Json, sendable
from acp_client.state.content import Content, Text
from acp_client.state.snapshot import SessionSnapshot

if TYPE_CHECKING:
    from acp_client.client import Client, SessionRef

CANCEL_GRACE = 10.0
"""Seconds an agent gets to confirm a cancel: recorded agents need 0.5 s, one finishes its turn first."""

Prompt: TypeAlias = str | Content | Iterable[str | Content]
"""What a prompt may be: text, one content block, or several of either."""

ESCALATIONS = ("request", "close", "stop")


class CancelHandle:
    """A cancel under way. Awaiting it tells how it ended; giving up the wait changes nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._work: CancelWork | None = None
        self._waiters: list[asyncio.Future[None]] = []

    @property
    def outcome(self) -> CancelOutcome | None:
        """How it ended, or None while it is open."""
        return None if self._work is None else self._work.outcome

    async def wait(self) -> CancelOutcome:
        """Wait for the end. Bounded by the grace the cancel was given."""
        while self.outcome is None:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
        assert self.outcome is not None
        return self.outcome

    def __await__(self) -> Generator[Any, None, CancelOutcome]:
        return self.wait().__await__()

    def _bind(self, work: CancelWork) -> None:
        self._work = work
        if work.outcome is None:
            work.on_outcome.append(self._wake)
        self._wake()

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)


class Turn:
    """One prompt and the work it starts, until it ends.

    Await it for the `TurnResult`; cancelling that await cancels the turn. Iterate it for its events; leaving the
    iteration neither cancels nor waits. Use it as an async context manager to have it cancelled, and the end awaited
    within `CANCEL_GRACE`, when the block is left early.
    """

    def __init__(self, session: Session, work: TurnWork, grace: float | None) -> None:
        self.session = session
        self._work = work
        self._grace = grace
        self._subscriptions = session._subscriptions
        self._unclaimed: EventStream | None = None
        """The events since the prompt, until somebody iterates."""
        self._claimed: list[Inbox] = []
        if work.phase is not Phase.ENDED:
            self._unclaimed = self._stream_of_its_own()
            work.on_end.append(self._on_end)

    def __repr__(self) -> str:
        return f"<Turn of session {self.session.id!r} {self._work.phase}>"

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._work.phase is Phase.ENDED

    @property
    def held(self) -> bool:
        """Whether the prompt still waits here for another turn, so that nothing was sent."""
        return self._work.phase is Phase.HELD

    @property
    def message_id(self) -> str | None:
        """The id of the inserted user message, once the agent told it (version 2)."""
        return self._work.message_id

    @property
    def result(self) -> TurnResult:
        """The result of an ended turn. Raises its error, or `UsageError` while it runs."""
        if self._work.result is None:
            raise UsageError("the turn has not ended yet; await it")
        if self._work.failed is not None:
            raise self._work.failed
        return self._work.result

    def __await__(self) -> Generator[Any, None, TurnResult]:
        return self._run().__await__()

    async def _run(self) -> TurnResult:
        try:
            return await self.wait()
        except asyncio.CancelledError:
            # The step is synchronous, so nothing is awaited in the cancelled scope; the turn ends in the background.
            if not self.done:
                self.cancel(grace=self._grace)
            raise

    async def wait(self) -> TurnResult:
        """Wait for the end without owning the turn: giving up this wait does not cancel it.

        Returns when the state holds every update of the turn and the coroutines given to `on_update` have taken them,
        the latter within the client's `callback_grace`. Raises `AgentError`, `ConnectionLost`, `SessionBusy`.
        """
        self._drop_unused_stream()
        await self._until(self._work.on_end, lambda: self.done)
        if not await self._subscriptions.caught_up(self.session.client._settings.callback_grace):
            assert self._work.result is not None
            self._work.result = attrs.evolve(self._work.result, callbacks_late=True)
        if isinstance(self._work.failed, AuthRequired):
            self._work.failed.methods = self.session.client.auth_methods
        return self.result

    async def accepted(self) -> str | None:
        """Wait until the agent has answered the prompt; return the inserted message's id, None when there is none.

        Version 1 answers at the end of the turn and names no message.
        """
        await self._until(self._work.on_answer, lambda: self._work.answered or self.done)
        return self._work.message_id

    @staticmethod
    async def _until(listeners: list[Callable[[], None]], reached: Callable[[], bool]) -> None:
        if reached():
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not waiter.done():
                waiter.set_result(None)

        listeners.append(wake)
        try:
            await waiter
        finally:
            if wake in listeners:
                listeners.remove(wake)

    def cancel(
        self,
        grace: float | None = CANCEL_GRACE,
        escalate: Sequence[str] = (),
        *,
        meta: Mapping[str, Json] | None = None,
    ) -> CancelHandle:
        """Cancel the turn; see `Session.cancel`. A prompt that is still held here is dropped and nothing is written.

        With `escalate`, an agent that lets the grace pass gets another step, each with the same grace: "request"
        (`$/cancel_request` for the prompt), "close" (the session), "stop" (the agent).
        """
        return self.session._cancel(grace, escalate, self._work, meta)

    def withdraw(self) -> bool:
        """Ask the agent not to insert the prompt (`$/cancel_request`); work that has begun goes on.

        Whether it was inserted all the same is told by `accepted` and by the result's `message_id`. False when there is
        nothing to withdraw any more. Belongs to the client's event loop.
        """
        return self.session._work.withdraw(self._work)

    def _stream_of_its_own(self) -> EventStream:
        """Return a stream that begins when the prompt is sent: what comes before belongs to another turn."""
        stream = self._subscriptions.closed_stream()
        inbox = stream.inbox  # not the stream, which may be left behind
        self._work.on_begin.append(lambda: self._subscriptions.begin(inbox))
        return stream

    def __aiter__(self) -> AsyncIterator[Update]:
        stream, self._unclaimed = self._unclaimed, None
        if stream is None and self.held:
            stream = self._stream_of_its_own()
        elif stream is None:
            stream = self._subscriptions.late_stream(ended=self.done)
        self._claimed.append(stream.inbox)
        return stream

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.done:
            return
        handle = self.cancel(grace=self._grace)
        if not isinstance(error, asyncio.CancelledError):
            await handle.wait()

    def _drop_unused_stream(self) -> None:
        # Whoever awaits first and never iterates must not pay for every event of the turn.
        if self._unclaimed is not None:
            self._unclaimed.close()
            self._unclaimed = None

    def _on_end(self) -> None:
        for inbox in self._claimed:
            inbox.finish()
        self._claimed.clear()
        if self._unclaimed is not None:
            self._unclaimed.inbox.finish()


class Session:
    """One conversation with the agent. Made by the client's `new_session`, `load_session` and `resume_session`."""

    def __init__(self, client: Client, work: SessionWork, roots: Roots) -> None:
        self._client = client
        self._work = work
        self._subscriptions = Subscriptions(work)
        self.roots = roots
        self.replayed = 0
        """Updates of earlier work that the agent replayed when the session was opened."""

    def __repr__(self) -> str:
        return f"<Session {self.id!r} {self.state}>"

    @property
    def id(self) -> str:
        """The agent's id of the session."""
        return self._work.session_id

    @property
    def cwd(self) -> str:
        """The directory the agent works in, in the syntax of its machine."""
        return self.roots.cwd

    @property
    def client(self) -> Client:
        """The client it was opened with."""
        return self._client

    @property
    def state(self) -> str:
        """What the agent does: "idle", "running", "requires_action", or a word of its own, which means busy."""
        return self._work.store.state

    @property
    def snapshot(self) -> SessionSnapshot:
        """Everything known of the session now. Frozen; shared until the next change."""
        return self._work.store.snapshot()

    @property
    def pending(self) -> tuple[PendingQuestion, ...]:
        """The questions that wait for an answer, oldest first."""
        return tuple(self._work.questions.values())

    @property
    def last_activity(self) -> float:
        """When the agent last sent something for this session: seconds of the monotonic clock."""
        return self._work.last_activity

    @property
    def closed(self) -> bool:
        """Whether it was closed on this connection."""
        return self._work.closed

    @property
    def ref(self) -> SessionRef:
        """A reference that can be stored and given to `Client.restore_session` later, in another process too."""
        return self._client._ref(self)

    # prompts

    def prompt(
        self,
        prompt: Prompt,
        *,
        busy: Busy = "error",
        grace: float | None = CANCEL_GRACE,
        idle_timeout: float | None = None,
        meta: Mapping[str, Json] | None = None,
    ) -> Turn:
        """Start a turn. The prompt is written before this returns, unless `busy` says to hold it.

        `busy`, when a turn runs or is being cancelled: "error" raises `SessionBusy`; "queue" holds the prompt until
        the turn has ended; "cancel" cancels first, bounded by `grace` seconds; "overlap" writes at once. There is no
        limit on the time a turn takes; `idle_timeout` seconds without traffic of this session, while no question is
        open, cancel it.

        Raises `UsageError` for an empty prompt or what cannot be sent, `NotSupported` for content the agent does not
        take; then nothing has changed.
        """
        if not self._client._connection.in_loop and not self._client.closed:
            raise UsageError(
                "a session belongs to the thread of its client's event loop; call it there, "
                "or use acp_client.blocking for threads"
            )
        if busy not in get_args(Busy):
            raise UsageError(f"busy must be one of {get_args(Busy)}, not {busy!r}")
        blocks = self._blocks(prompt)
        work = TurnWork(blocks, dict(meta) if meta is not None else None)
        sendable("session/prompt", self._work.params_of(work))
        turn = Turn(self, work, grace)
        try:
            self._work.prompt(work, busy, grace)
        except BaseException:
            turn._drop_unused_stream()
            raise
        if idle_timeout is not None:
            self._watch_idle(turn, idle_timeout)
        return turn

    def _blocks(self, prompt: Prompt) -> list[Content]:
        single = isinstance(prompt, str | Content)
        if not single and (isinstance(prompt, bytes | Mapping) or not isinstance(prompt, Iterable)):
            raise UsageError(f"a prompt is text, a content block, or several of them, not a {type(prompt).__name__}")
        parts: Iterable[Any] = [prompt] if single else prompt  # type: ignore[assignment]  # not single: an iterable
        blocks = [Text(text=part) if isinstance(part, str) else part for part in parts]
        for block in blocks:
            if not isinstance(block, Content):
                raise UsageError(f"a prompt is made of text and content blocks, not of a {type(block).__name__}")
        if not blocks or all(isinstance(block, Text) and not block.text for block in blocks):
            raise UsageError("cannot send an empty prompt: give it some text or another content block")
        for block in blocks:
            self._client._require_content(block)
        return blocks

    def _watch_idle(self, turn: Turn, timeout: float) -> None:
        """Cancel a turn that gets no traffic of its own session; questions stop the clock."""

        def look() -> None:
            if turn.done:
                return
            quiet = self._client._now() - self._work.last_activity
            if turn.held or self._work.questions:
                quiet = 0.0
            if quiet >= timeout:
                turn.cancel(grace=turn._grace)
            else:
                self._client._later(timeout - quiet, look)

        self._work.last_activity = self._client._now()
        self._client._later(timeout, look)

    def cancel(
        self,
        grace: float | None = CANCEL_GRACE,
        escalate: Sequence[str] = (),
        *,
        meta: Mapping[str, Json] | None = None,
    ) -> CancelHandle:
        """Stop what the session does. Safe from any thread, idempotent, and done when it returns.

        In one step it queues `session/cancel` and, right behind it, the answers that the cancellation policy gives to
        open questions: by default `cancelled` for every permission request. Unfinished tool calls are shown as
        cancelled until the agent says otherwise. The handle tells how it ended, at most `grace` seconds later; None
        waits for ever.
        """
        return self._cancel(grace, escalate, None, meta)

    def _cancel(
        self,
        grace: float | None,
        escalate: Sequence[str],
        turn: TurnWork | None,
        meta: Mapping[str, Json] | None = None,
    ) -> CancelHandle:
        for step in escalate:
            if step not in ESCALATIONS:
                raise UsageError(f"unknown escalation {step!r}; choose from {ESCALATIONS}")
        if meta is not None:
            sendable("session/cancel", dict(meta))
        handle = CancelHandle(self)
        connection = self._client._connection
        if not connection.in_loop and self._work.owes_cancel() and (turn is None or turn.phase is Phase.SENT):
            # Decided here and now, so that a click that comes later in any thread is too late.
            self._work.claim_open_questions()
        steps = [self._escalation(step, turn) for step in escalate]
        connection.post(lambda: handle._bind(self._work.cancel(grace, steps, turn, meta)))
        return handle

    def _escalation(self, step: str, turn: TurnWork | None) -> Callable[[], None]:
        def cancel_requests() -> None:
            for active in [turn] if turn is not None else list(self._work.active):
                self._work.withdraw(active)

        def close() -> None:
            self._client._connection.spawn(self._close_quietly())

        def stop() -> None:
            self._client._stop_soon()

        return {"request": cancel_requests, "close": close, "stop": stop}[step]

    async def _close_quietly(self) -> None:
        await self._client._calls.close(self, raising=False)

    # watching

    def on_update(self, callback: Callable[[Update], Any]) -> Callable[[], None]:
        """Call `callback` once for every event, in order, none left out. Returns the function that ends it.

        A plain function runs on the loop and must be quick. A coroutine function runs outside the reading, one call
        after another, however slow it is. What it raises is logged and harms nobody else.
        """
        return self._subscriptions.add(callback)

    def events(self) -> AsyncIterator[Update]:
        """Iterate over events from now on, for renderers: what a slow consumer has missed is merged, then skipped.

        Text of one message is merged (`count` says how many updates an event stands for); when too much waits, the
        rest becomes one `Gap` with the snapshot. Ends with the session or the connection.
        """
        return self._subscriptions.stream()

    # settings

    async def set_config_option(
        self, option_id: str, value: str | bool, *, meta: Mapping[str, Json] | None = None
    ) -> None:
        """Set one of the agent's options, also a version 1 mode (its option's category is `mode`).

        Raises `UsageError` when the session has no such option or value, else as every request.
        """
        await self._client._calls.set_config_option(self, option_id, value, meta)

    async def set_mode(self, mode_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Set the option of category `mode`. Raises `NotSupported` when the agent has none."""
        option = next((o for o in self.snapshot.config_options if o.category == "mode"), None)
        if option is None:
            raise NotSupported("the agent offers no modes in this session")
        await self.set_config_option(option.id, mode_id, meta=meta)

    async def cancel_tool_call(self, tool_call_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Ask the agent to stop one tool call (version 2). The answer says accepted, not stopped.

        Raises `NotSupported` unless the tool call advertises it now. That it has just ended is no error.
        """
        await self._client._calls.cancel_entity(self, "tool_call", tool_call_id, meta)

    async def cancel_terminal(self, terminal_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Ask the agent to stop the process of one of its terminals (version 2); see `cancel_tool_call`."""
        await self._client._calls.cancel_entity(self, "terminal", terminal_id, meta)

    def withdraw_requests(self) -> int:
        """End all the agent asks for in this session with -32800, for instance because its project was closed.

        Questions, files, terminals and custom requests alike; their handlers are cancelled. Returns how many there
        were. Never cancels the session's work. Safe from any thread.
        """
        return self._client._router.withdraw(self.id)

    # the end

    async def close(self, *, meta: Mapping[str, Json] | None = None) -> None:
        """Close the session: open permissions get `cancelled`, other requests -32800; its state stays readable.

        An agent that does not know the session any more counts as success. Raises `NotSupported` where the agent
        does not offer it.
        """
        await self._client._calls.close(self, raising=True, meta=meta)
