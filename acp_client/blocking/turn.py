"""Turns for threads: the calls of `acp_client.Turn` and of what belongs to it, each waiting for its end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias, cast

from acp_client._subscriptions import EventStream, Update
from acp_client.errors import ConnectionLost
from acp_client.host import MaybeAwaitable, PermissionReply
from acp_client.policy.questions import PendingPermission
from acp_client.policy.turns import CancelOutcome, TurnResult
from acp_client.rpc.messages import Json
from acp_client.session import CANCEL_GRACE
from acp_client.session import CancelHandle as AsyncCancelHandle
from acp_client.session import Turn as AsyncTurn

if TYPE_CHECKING:
    from acp_client.blocking.client import Client
    from acp_client.blocking.session import Session

PermissionHandler: TypeAlias = Callable[[PendingPermission], MaybeAwaitable[PermissionReply]]


class CancelHandle:
    """A cancel under way; `wait` tells how it ended."""

    def __init__(self, client: Client, handle: AsyncCancelHandle) -> None:
        self._client = client
        self._handle = handle

    @property
    def outcome(self) -> CancelOutcome | None:
        """How it ended, or None while it is open."""
        return self._handle.outcome

    def wait(self, timeout: float | None = None) -> CancelOutcome:
        """Wait for the end, bounded by the grace the cancel was given. Raises `TimeoutError` after `timeout`."""
        if self.outcome is None and not self._client.thread.alive:
            return CancelOutcome.CONNECTION_LOST  # nobody is left who could say more
        return self.outcome or self._client._wait(self._handle.wait(), timeout)


class Events(Iterator[Update]):
    """Events, waited for one by one. What a slow consumer has missed is merged, then skipped."""

    def __init__(self, session: Session, stream: EventStream, turn: Turn | None = None) -> None:
        self._session = session
        self._stream = stream
        self._turn = turn

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Update:
        event = self._session._wait(_next(self._stream), turn=self._turn)
        if event is None:
            raise StopIteration
        return event

    def close(self) -> None:
        """Stop collecting; a thread that waits in here is told that it is over."""
        self._session.client.thread.call(self._stream.close)


async def _next(stream: AsyncIterator[Update]) -> Update | None:
    try:
        return await anext(stream)
    except StopAsyncIteration:
        return None


class Turn:
    """One prompt and the work it starts, until it ends.

    `wait` for its result, iterate it for its events, or use it with `with` to have it cancelled, and the end awaited
    within the grace, when the block is left early. Ctrl-C while a thread waits for it cancels it, waits as long, and
    then goes its way; a second one goes at once.
    """

    def __init__(self, session: Session, turn: AsyncTurn, grace: float | None):
        self.session = session
        self._turn = turn
        self._grace = grace

    def __repr__(self) -> str:
        return repr(self._turn)

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._turn.done

    @property
    def held(self) -> bool:
        """Whether the prompt still waits here for another turn, so that nothing was sent."""
        return self._turn.held

    @property
    def message_id(self) -> str | None:
        """The id of the inserted user message, once the agent told it (version 2)."""
        return self._turn.message_id

    @property
    def result(self) -> TurnResult:
        """The result of an ended turn. Raises its error, or `UsageError` while it runs."""
        return self._turn.result

    def wait(self, timeout: float | None = None) -> TurnResult:
        """Wait for the end; see `acp_client.Turn.wait`. After `timeout` seconds `TimeoutError`; the turn goes on."""
        return self.session._wait(self._turn.wait(), timeout, turn=self)

    def accepted(self, timeout: float | None = None) -> str | None:
        """Wait until the agent has answered the prompt; see `acp_client.Turn.accepted`."""
        return self.session._wait(self._turn.accepted(), timeout, turn=self)

    def cancel(
        self,
        grace: float | None = CANCEL_GRACE,
        escalate: Sequence[str] = (),
        *,
        meta: Mapping[str, Json] | None = None,
    ) -> CancelHandle:
        """Cancel the turn. Never waits; safe from any thread, the loop's too; see `acp_client.Turn.cancel`."""
        return CancelHandle(self.session.client, self._turn.cancel(grace, escalate, meta=meta))

    def withdraw(self) -> bool:
        """Ask the agent not to insert the prompt; see `acp_client.Turn.withdraw`."""
        return self.session.client.thread.call(self._turn.withdraw)

    def __iter__(self) -> Events:
        stream = self.session.client.thread.call(lambda: aiter(self._turn))
        return Events(self.session, cast("EventStream", stream), self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self.done:
            self.cancel(self._grace).wait()

    def _cancel_now(self) -> None:
        if not self.done:
            self.cancel(self._grace)

    def _cancel_unless_cancelled(self) -> None:
        """Cancel and wait, unless somebody did and has waited as long as they wanted."""
        if self._turn._work.cancel is None:
            self._cancel_and_wait()

    def _cancel_and_wait(self) -> None:
        """Give the agent the chance to stop, bounded also where the grace is not."""
        if not self.done:
            with suppress(ConnectionLost, TimeoutError):
                self.cancel(self._grace).wait(CANCEL_GRACE if self._grace is None else None)
