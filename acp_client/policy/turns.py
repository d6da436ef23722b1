"""When a turn begins and ends, and how a cancel ends: the rules, without waiting and without writing.

A turn is one prompt and the work it starts. In version 1 it ends with the prompt's answer. In version 2 the answer only
says that the message was inserted, and the turn ends with an idle state; which idle is the one is decided here, because
several prompts may be on their way, an idle may be repeated, and answer and idle may come in either order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import attrs

from acp_client.errors import AcpError, AgentError, ConnectionLost, RequestCancelled
from acp_client.rpc.messages import Json
from acp_client.rpc.outbound import PendingRequest
from acp_client.state.content import Content
from acp_client.state.growing import Gained
from acp_client.state.items import Usage

CANCELLED = "cancelled"
ERROR = "error"


def _gained(text: Gained | str) -> Gained:
    return text if isinstance(text, Gained) else Gained.of(text)


class CancelOutcome(StrEnum):
    """How a cancel ended."""

    CONFIRMED = "confirmed"
    """The agent stopped because of it, or there was nothing on the wire yet."""
    FINISHED_FIRST = "finished_first"
    """The work ended by itself, or nothing was running."""
    FAILED = "failed"
    """The work ended with an error, which is kept."""
    UNCONFIRMED = "unconfirmed"
    """The grace is over and the agent said nothing; the session stays usable, a late end is swallowed."""
    CONNECTION_LOST = "connection_lost"


@attrs.frozen(kw_only=True)
class TurnResult:
    """How a turn ended. Picklable.

    `stop_reason` is the agent's word (`end_turn`, `cancelled`, `refusal`, ...), or None when it gave none. `cancel`
    says how a cancel of ours ended, None when there was none. `error` keeps what the agent reported, also where the
    turn counts as cancelled. `updates` counts the session's updates during the turn. `raw` is what ended it as it came:
    the prompt's answer in version 1, the idle state in version 2; `meta` is its `_meta`.
    """

    session_id: str
    stop_reason: str | None
    _text: Gained = attrs.field(default=Gained.of(""), alias="text", converter=_gained, repr=False)
    cancel: CancelOutcome | None = None
    error: AcpError | None = None
    message_id: str | None = None
    usage: Usage | None = None
    raw: Mapping[str, Json] = attrs.field(factory=dict, repr=False)
    meta: Mapping[str, Json] | None = None
    updates: int = 0
    open_tool_calls: tuple[str, ...] = ()
    callbacks_late: bool = False

    @property
    def text(self) -> str:
        """What the agent's messages gained in the turn. Put together when it is read."""
        return self._text.text

    @property
    def empty(self) -> bool:
        """Whether nothing at all arrived: what some agents make of a failure behind them."""
        return self.updates == 0


class Phase(StrEnum):
    HELD = "held"
    SENT = "sent"
    ENDED = "ended"


class TurnWork:
    """One prompt and what is known of its end. Changed only by the session's work."""

    def __init__(self, blocks: Sequence[Content], meta: Json = None, overlap: bool = False) -> None:
        self.blocks, self.meta, self.overlap = blocks, meta, overlap
        self.phase = Phase.HELD
        self.request: PendingRequest | None = None
        self.answered = False
        self.inserted = False
        """The agent answered with success: the message is in the conversation."""
        self.message_id: str | None = None
        self.end: Mapping[str, Json] = {}
        """What ended it, as it came."""
        self.end_meta: Mapping[str, Json] | None = None
        self.sent_busy = False
        """Something else was running, or not known to be over, when it was sent."""
        self.worked = False
        """Work was seen since it was sent, so that the next idle means something."""
        self.idle_passed = False
        """An idle came after work and before the answer."""
        self.cancel: CancelWork | None = None
        self.stop_reason: str | None = None
        self.error: AcpError | None = None
        self.outcome: CancelOutcome | None = None
        self.started_at = 0
        """Number of the session's updates when it was sent."""
        self.text_mark: object = None
        self.result: TurnResult | None = None
        self.on_begin: list[Callable[[], None]] = []
        self.on_answer: list[Callable[[], None]] = []
        self.on_end: list[Callable[[], None]] = []

    @property
    def failed(self) -> AcpError | None:
        """The error that ends the caller's wait, if the turn is not to be reported as an ordinary end."""
        if self.error is None or self.stop_reason is not None:
            return None
        return None if self.outcome is CancelOutcome.UNCONFIRMED else self.error

    @property
    def may_work(self) -> bool:
        """Whether its message is in the conversation and the end of its work has not been seen."""
        return self.inserted and (self.phase is not Phase.ENDED or self.outcome is CancelOutcome.UNCONFIRMED)

    def ends_at_idle(self) -> bool:
        """Say whether an idle that comes now ends it (V2-PRM-09, V2-PRM-12, V2-STA-15)."""
        if self.inserted:
            return self.worked or self.cancel is not None
        if self.worked and not self.sent_busy:
            self.idle_passed = True
        return False

    def ends_at_answer(self, seen_before_idle: bool, is_idle: bool) -> bool:
        """Say whether the success answer ends it, because its work was over before (CAN-48)."""
        if not is_idle:
            return False
        covered = self.cancel is not None and self.cancel.over
        return self.idle_passed or covered or (seen_before_idle and self.worked)

    def ended_with(self, raw: Mapping[str, Json], meta: Json) -> None:
        """Keep the message that ends it."""
        self.end, self.end_meta = raw, meta if isinstance(meta, dict) and meta else None

    def settle(self, stop_reason: str | None, error: AcpError | None) -> None:
        """Record the end. An error after our own cancel, or -32800, is an end as cancelled with the error kept."""
        self.phase = Phase.ENDED
        self.stop_reason, self.error = stop_reason, error
        refused = isinstance(error, RequestCancelled) or (self.cancel is not None and isinstance(error, AgentError))
        if refused and stop_reason is None:
            self.stop_reason = CANCELLED
        if self.cancel is not None:
            self.outcome = outcome_of(stop_reason, error)


class CancelWork:
    """One `session/cancel` and what it still waits for. The window in which permissions get `cancelled` is its life."""

    def __init__(self, turns: Sequence[TurnWork], waits_for_idle: bool) -> None:
        self.turns = list(turns)
        self.waits_for_idle = waits_for_idle
        self.over = False
        """The agent has ended what was cancelled; the window is closed."""
        self.narrow = False
        """A new prompt was sent meanwhile: only tool calls known to be cancelled still belong to this cancel."""
        self.outcome: CancelOutcome | None = None
        self.on_outcome: list[Callable[[], None]] = []
        self.timers: list[Callable[[], None]] = []

    def resolve(self, outcome: CancelOutcome) -> None:
        """Say how it ended, once, and tell who waits."""
        if self.outcome is not None:
            return
        self.outcome = outcome
        for stop_timer in self.timers:
            stop_timer()
        listeners, self.on_outcome = self.on_outcome, []
        for listener in listeners:
            listener()

    def owed(self) -> list[TurnWork]:
        """The turns whose end has not come."""
        return [turn for turn in self.turns if turn.phase is not Phase.ENDED]

    def outcome_of_turns(self) -> CancelOutcome:
        """Sum up how its turns ended."""
        outcomes = {turn.outcome for turn in self.turns}
        for outcome in (CancelOutcome.CONNECTION_LOST, CancelOutcome.FAILED, CancelOutcome.CONFIRMED):
            if outcome in outcomes:
                return outcome
        return CancelOutcome.FINISHED_FIRST


def outcome_of(stop_reason: str | None, error: AcpError | None) -> CancelOutcome:
    """Say how a cancel ended, from the end of the work it was meant for (CAN-43, CAN-53)."""
    if isinstance(error, ConnectionLost):
        return CancelOutcome.CONNECTION_LOST
    if isinstance(error, RequestCancelled) or stop_reason == CANCELLED:
        return CancelOutcome.CONFIRMED
    if error is not None or stop_reason == ERROR:
        return CancelOutcome.FAILED
    return CancelOutcome.FINISHED_FIRST
