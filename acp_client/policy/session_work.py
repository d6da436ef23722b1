"""What happens in one session: updates, questions, turns and cancels, one synchronous step at a time.

`SessionWork` owns a session's state and decides what is written for it. It never waits and needs no event loop: the
façade above gives it callbacks, a way to set timers and a way to reach the connection's thread.
"""

from __future__ import annotations

import itertools
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Literal, Protocol, TypeAlias

from acp_client.errors import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    AcpError,
    AgentError,
    ConnectionLost,
    InvalidModel,
    InvalidResponse,
    SessionBusy,
    SessionClosed,
)
from acp_client.policy.cancellation import CancellationPolicy, Withdrawal, contract, decide
from acp_client.policy.permissions import PermissionPolicy, Verdict, allow_option, is_menu
from acp_client.policy.questions import PendingElicitation, PendingPermission, PendingQuestion, PermissionDetails
from acp_client.policy.turns import CancelOutcome, CancelWork, Phase, TurnResult, TurnWork, outcome_of
from acp_client.protocol.dialect import Dialect
from acp_client.rpc.inbound import Answer, EndedBy, InboundRequest
from acp_client.rpc.messages import Json
from acp_client.rpc.peer import Diagnostic, Peer
from acp_client.state.events import (
    Event,
    QuestionEnded,
    QuestionOpened,
    StateChanged,
    TurnEnded,
)
from acp_client.state.store import SessionStore

log = logging.getLogger("acp_client")

PROMPT = "session/prompt"
IDLE = "idle"

CLOSE_GRACE = 5.0
"""Seconds an agent gets, after it answered a close, to answer the prompts it still owes."""

Busy: TypeAlias = Literal["error", "queue", "cancel", "overlap"]
Listener: TypeAlias = Callable[[Event], object]
StopTimer: TypeAlias = Callable[[], None]


class Surroundings(Protocol):
    """What a session needs from the connection it lives on."""

    peer: Peer
    dialect: Dialect
    cancellation: CancellationPolicy
    permissions: PermissionPolicy
    harmless: tuple[type[BaseException], ...]
    """What a listener may raise."""

    def hand_in(self, entry: InboundRequest, answer: Answer, by: EndedBy) -> bool: ...
    def later(self, delay: float, step: Callable[[], None]) -> StopTimer: ...
    def report(self, diagnostic: Diagnostic) -> None: ...
    def ask_host(self, question: PendingQuestion) -> None: ...
    def note_visit(self, question: PendingQuestion) -> None: ...


class SessionWork:
    """One session of one connection. Every method but `claim_open_questions` belongs to the connection's thread."""

    def __init__(self, session_id: str, cwd: str, around: Surroundings) -> None:
        self.session_id = session_id
        self._around = around
        self._peer = around.peer
        self._dialect = around.dialect
        self.store = SessionStore(session_id, cwd)
        self._reducer = around.dialect.reducer(self.store)
        self._apply = self._reducer.apply
        self._harmless = around.harmless
        self.listeners: list[Listener] = []
        self.active: list[TurnWork] = []
        self.queue: list[TurnWork] = []
        self._unanswered: list[TurnWork] = []
        """Prompts on the wire without an answer, also those whose turn was given up."""
        self.questions: dict[str, PendingQuestion] = {}
        self.store.pending = self.questions
        self._cancels: list[CancelWork] = []
        self._idle: tuple[Mapping[str, Json], Json] = {}, None
        """The last idle state as it came, and its `_meta`."""
        self._numbers = itertools.count(1)
        self._ended_in_step: list[PendingQuestion] | None = None
        self.updates = 0
        self.last_activity = monotonic()
        self.closed = False
        self.lost: ConnectionLost | None = None

    # updates

    def on_update(self, raw: Json, params: Mapping[str, Json]) -> None:
        """Apply the update `raw` of one `session/update` with `params`, and tell the listeners what it changed."""
        self.updates += 1
        self.store.last_activity = self.last_activity = monotonic()
        try:
            event = self._apply(raw)
        except (InvalidModel, ValueError, KeyError, TypeError, AttributeError):
            event = self._reducer.unknown_update(raw, self._dialect.update_problem(raw))
        if len(params) > 2:
            event.extra = {key: value for key, value in params.items() if key not in ("sessionId", "update")}
        active = self.active
        if not active and not event.replayed:
            event.late = True
        self.emit(event)
        if type(event) is StateChanged:
            self._on_state(event, raw)
        else:
            for turn in active:
                turn.worked = True

    def emit(self, event: Event) -> None:
        """Tell every listener, in order. What a listener raises is logged and harms nobody."""
        for listener in self.listeners:
            try:
                listener(event)
            except self._harmless:
                log.exception("an on_update callback failed")

    @contextmanager
    def _one_step(self) -> Iterator[None]:
        """Write what is written inside as one group, and tell nobody before all of it is queued."""
        if self._ended_in_step is not None:
            yield
            return
        ended: list[PendingQuestion] = []
        self._ended_in_step = ended
        try:
            with self._peer.one_write():
                yield
        finally:
            self._ended_in_step = None
            self._tell_ended(ended)

    def _note_work(self) -> None:
        """Remember that work was seen: the next idle ends what it belongs to. A question is work as well."""
        for turn in self.active:
            turn.worked = True

    def _on_state(self, event: StateChanged, raw: Json) -> None:
        if not self._dialect.reports_state or event.replayed:
            return
        if event.state == IDLE:
            self._idle = raw, event.meta
            self._on_idle(event.stop_reason)
        else:
            self._note_work()

    # turns

    @property
    def is_busy(self) -> bool:
        """Whether a turn of ours runs, waits, or is being cancelled."""
        return bool(self.active or self.queue) or any(cancel.outcome is None for cancel in self._cancels)

    def prompt(self, turn: TurnWork, busy: Busy, grace: float | None) -> None:
        """Send a prompt, or hold it as `busy` says. Raises `SessionBusy`, `SessionClosed`, `ConnectionLost`."""
        self._require_open()
        if busy == "overlap" or not self.is_busy:
            self._send(turn)
        elif busy == "queue":
            self.queue.append(turn)
        elif busy == "cancel":
            self.cancel(grace)
            self.queue.append(turn)
            self._pump()
        else:
            raise SessionBusy(
                f"session {self.session_id} is busy with another turn: await it or cancel it first, "
                'or prompt with busy="queue", "cancel" or "overlap"'
            )

    def _require_open(self) -> None:
        if self.lost is not None:
            raise self.lost.again(PROMPT)
        if self.closed:
            raise SessionClosed(f"session {self.session_id} was closed on this connection; resume it to go on")

    def _send(self, turn: TurnWork) -> None:
        turn.sent_busy = self._dialect.reports_state and (
            self.store.state != IDLE or bool(self.active) or any(not cancel.over for cancel in self._cancels)
        )
        turn.overlap = bool(self.active)
        turn.phase = Phase.SENT
        _call_all(turn.on_begin)
        turn.started_at = self.updates
        turn.text_mark = self.store.text_mark()
        for cancel in self._cancels:
            cancel.narrow = True
        self.active.append(turn)
        self._unanswered.append(turn)
        if not self._dialect.reports_state:
            self.emit(self._reducer.local_user_message(turn.blocks))
            self.emit(self._reducer.local_state("running", None))
        turn.request = self._peer.request(
            PROMPT, self.params_of(turn), lambda result, error: self._on_answer(turn, result, error)
        )

    def params_of(self, turn: TurnWork) -> dict[str, Json]:
        """Return the params of a turn's prompt."""
        return self._dialect.prompt_params(self.session_id, turn.blocks, turn.meta)

    def _pump(self) -> None:
        while self.queue and not self.active and all(cancel.outcome is not None for cancel in self._cancels):
            if self.lost is not None or self.closed:
                return
            self._send(self.queue.pop(0))

    def _on_answer(self, turn: TurnWork, result: Json, error: AcpError | None) -> None:
        turn.answered = True
        self._unanswered.remove(turn)
        if error is None:
            try:
                answer = self._dialect.prompt_answer(result)
            except InvalidModel as problem:
                error = InvalidResponse(PROMPT, str(problem))
            else:
                turn.inserted = True
                turn.message_id = answer.message_id
                if not self._dialect.reports_state:
                    turn.ended_with(result, result.get("_meta"))
                _call_all(turn.on_answer)
                self._on_success(turn, answer.stop_reason)
        if error is not None:
            self._end(turn, None, self._explained(turn, error))
        self._check_cancels()
        self._pump()

    def _on_success(self, turn: TurnWork, stop_reason: str | None) -> None:
        if not self._dialect.reports_state:
            self._end(turn, stop_reason, None)
            return
        seen = turn.message_id is not None and self.store.saw_user_message_before_idle(turn.message_id)
        if turn.ends_at_answer(seen, self.store.state == IDLE):
            turn.ended_with(*self._idle)
            self._end(turn, self.store.stop_reason, self._idle_error())

    def _explained(self, turn: TurnWork, error: AcpError) -> AcpError:
        """In version 1 an agent refuses a second prompt in its own words; the host gets one type for it."""
        if turn.overlap and isinstance(error, AgentError) and error.code == INVALID_REQUEST:
            busy = SessionBusy(f"agent refused a prompt while another runs: {error.message} (code {error.code})")
            busy.__cause__ = error
            return busy
        return error

    def _end(
        self, turn: TurnWork, stop_reason: str | None, error: AcpError | None, outcome: CancelOutcome | None = None
    ) -> None:
        if turn.phase is Phase.ENDED:
            return
        turn.settle(stop_reason, error)
        turn.outcome = outcome or turn.outcome
        if turn in self.active:
            self.active.remove(turn)
        if not self._dialect.reports_state and not self.active:
            self.emit(self._reducer.local_state(IDLE, turn.stop_reason))
        turn.result = TurnResult(
            session_id=self.session_id,
            stop_reason=turn.stop_reason,
            text=self.store.text_since(turn.text_mark) if turn.text_mark is not None else "",
            cancel=turn.outcome,
            error=turn.error,
            message_id=turn.message_id,
            usage=self.store.usage,
            raw=turn.end,
            meta=turn.end_meta,
            updates=self.updates - turn.started_at,
            open_tool_calls=self.store.open_tool_calls(),
        )
        self.emit(TurnEnded(result=turn.result, version=self.store.version))
        _call_all(turn.on_end)
        # Who waits for the answer waits in vain now: held prompts get none, and a late one is of no use any more.
        _call_all(turn.on_answer)

    def _on_idle(self, stop_reason: str | None) -> None:
        error = self._idle_error()
        for turn in [turn for turn in self.active if turn.ends_at_idle()]:
            turn.ended_with(*self._idle)
            self._end(turn, stop_reason, error)
        for cancel in [cancel for cancel in self._cancels if not cancel.over]:
            cancel.over = True
            cancel.resolve(outcome_of(stop_reason, error))
        self._cancels.clear()
        self._pump()

    def _idle_error(self) -> AcpError | None:
        error = self.store.error
        if self.store.stop_reason != "error" or error is None:
            return None
        return AgentError(PROMPT, error["code"], error["message"], error.get("data"))

    # cancelling

    def cancel(
        self,
        grace: float | None,
        escalation: Sequence[Callable[[], None]] = (),
        turn: TurnWork | None = None,
        meta: Mapping[str, Json] | None = None,
    ) -> CancelWork:
        """Do the whole step of a cancel: in one write it and the answers it implies; then mark the tool calls.

        For one `turn`, nothing is written when it has ended or was never sent.
        """
        if turn is not None and turn.phase is not Phase.SENT:
            self.drop(turn)
            self._release_cancelled()
            return turn.cancel or _resolved(turn.outcome or CancelOutcome.FINISHED_FIRST)
        for held in list(self.queue):
            self.drop(held)
        if not self.owes_cancel():
            self._release_cancelled()
            return _resolved(CancelOutcome.FINISHED_FIRST if self.lost is None else CancelOutcome.CONNECTION_LOST)
        window = self._window()
        if window is None or window.narrow:
            window = self._open_window(meta)
        if grace is not None and window.outcome is None:
            self._set_grace(window, grace, deque(escalation))
        return window

    def _set_grace(self, window: CancelWork, grace: float, escalation: deque[Callable[[], None]]) -> None:
        def over() -> None:
            if window.outcome is not None:
                return
            if not escalation:
                self._give_up(window)
                return
            self._set_grace(window, grace, escalation)
            escalation.popleft()()

        window.timers.append(self._around.later(grace, over))

    @property
    def waits_for_idle(self) -> bool:
        """Whether the agent said that foreground work runs, so that it owes an idle."""
        return self._dialect.reports_state and self.store.state != IDLE

    def _open_window(self, meta: Mapping[str, Json] | None) -> CancelWork:
        params: dict[str, Json] = {"sessionId": self.session_id}
        if meta is not None:
            params["_meta"] = dict(meta)
        given_up = [turn for turn in self._unanswered if turn not in self.active]
        window = CancelWork([*self.active, *given_up], self.waits_for_idle)
        for turn in self.active:
            turn.cancel = window
        self._cancels.append(window)
        with self._one_step():
            self._peer.notify("session/cancel", params)
            self.claim_open_questions()
            self._release_cancelled()
        for event in self._reducer.mark_cancelled():
            self.emit(event)
        self._check_cancels()
        return window

    def claim_open_questions(self) -> None:
        """Decide the open questions as the cancellation policy says, without writing. Safe from any thread."""
        policy, questions = self._around.cancellation, [q for q in list(self.questions.values()) if q.open]
        decided: Iterable[tuple[PendingQuestion, Withdrawal | None]]
        if type(policy) is CancellationPolicy:  # nothing has to be described to the contract
            decided = [(question, contract(question.kind)) for question in questions]
        else:
            background, by_id = self.store.background_keys(), {question.id: question for question in questions}
            requests = [question.open_request(background) for question in questions]
            decisions = decide(policy, requests, self._report("policy_failed"))
            decided = [(by_id[request.id], withdrawal) for request, withdrawal in decisions]
        claim = self._peer.inbound.claim
        for question, withdrawal in decided:
            if withdrawal is not None:
                claim(question.entry, question.answer_for(withdrawal), EndedBy.SESSION_CANCEL)

    def owes_cancel(self) -> bool:
        """Whether a cancel would be written now: not in version 1 while no prompt is in flight."""
        return self.lost is None and not self.closed and (self._dialect.reports_state or bool(self._unanswered))

    def _release_cancelled(self) -> None:
        for question in list(self.questions.values()):
            if question.ended_by is EndedBy.SESSION_CANCEL:
                self._peer.inbound.release(question.entry)

    def _window(self) -> CancelWork | None:
        return self._cancels[-1] if self._cancels and not self._cancels[-1].over else None

    def _check_cancels(self) -> None:
        """Close the windows that wait for nothing any more."""
        for cancel in list(self._cancels):
            working = self._dialect.reports_state and any(turn.may_work for turn in cancel.turns)
            if self.waits_for_idle or working:
                cancel.waits_for_idle = True
            if cancel.waits_for_idle or not all(turn.answered or turn.request is None for turn in cancel.turns):
                continue
            cancel.over = True
            self._cancels.remove(cancel)
            cancel.resolve(cancel.outcome_of_turns())

    def _give_up(self, window: CancelWork) -> None:
        for turn in window.owed():
            self._end(turn, None, None, CancelOutcome.UNCONFIRMED)
        window.resolve(CancelOutcome.UNCONFIRMED)
        self._pump()

    def drop(self, turn: TurnWork) -> bool:
        """End a prompt that was held here and never sent; False when it is not held."""
        if turn.phase is not Phase.HELD or turn not in self.queue:
            return False
        self.queue.remove(turn)
        self._end(turn, "cancelled", None, CancelOutcome.CONFIRMED)
        return True

    def withdraw(self, turn: TurnWork) -> bool:
        """Ask the agent not to insert a prompt: `$/cancel_request` for it. Never stops work that has begun."""
        if self.drop(turn):
            return True
        return turn.request is not None and self._peer.cancel_request(turn.request)

    # questions

    def on_permission(self, entry: InboundRequest) -> None:
        """Take a permission request: show its tool call, then answer it, or ask the host."""
        try:
            details, tool_call = self._dialect.permission(entry.params)
        except InvalidModel as problem:
            self._refuse(entry, problem)
            return
        self._note_work()
        cancelled = self._belongs_to_cancelled(details)
        if tool_call is not None:
            self.emit(self._reducer.apply_tool_call(tool_call))
        tool_call_id = details.tool_call_id
        question = PendingPermission(
            self._around,
            entry,
            next(self._numbers),
            details,
            lambda: self.store.tool_call(tool_call_id) if tool_call_id is not None else None,
        )
        entry.withdraw = question.withdrawn
        if cancelled:
            self._peer.inbound.settle(entry, question.withdrawn(), EndedBy.SESSION_CANCEL)
            for event in self._reducer.mark_cancelled([tool_call_id] if tool_call_id is not None else []):
                self.emit(event)
        elif not self._decided_by_policy(question):
            self._open(question)

    def _belongs_to_cancelled(self, details: PermissionDetails) -> bool:
        """Say whether a request that crossed a cancel on the wire is part of what was cancelled (CAN-30, 33, 92)."""
        window = self._window()
        if window is None or details.is_about(self.store.background_keys()):
            return False
        if window.narrow:
            return details.tool_call_id is not None and self.store.is_cancelled(details.tool_call_id)
        return True

    def _decided_by_policy(self, question: PendingPermission) -> bool:
        try:
            verdict = self._around.permissions(question)
            if type(verdict) is not Verdict:
                verdict = Verdict(verdict)
        except Exception as error:
            log.exception("the permission policy failed; the host decides")
            self._report("policy_failed")(f"permission policy failed ({type(error).__name__}); the host decides")
            return False
        settle = self._peer.inbound.settle
        if verdict is Verdict.ALLOW:
            option = allow_option(question.options)
            if option is not None:
                return settle(question.entry, question.approval(option), EndedBy.POLICY)
            return not is_menu(question.options) and settle(question.entry, question.denial(), EndedBy.POLICY)
        if verdict is Verdict.DENY:
            return settle(question.entry, question.denial(), EndedBy.POLICY)
        return verdict is Verdict.CANCEL and settle(question.entry, question.withdrawn(), EndedBy.POLICY)

    def on_elicitation(self, entry: InboundRequest) -> None:
        """Take an elicitation whose shape was checked; the host answers it."""
        self._note_work()
        self._open(PendingElicitation(self._around, entry, next(self._numbers)))

    def _open(self, question: PendingQuestion) -> None:
        self.questions[question.id] = question
        question.entry.on_end = partial(self._on_question_ended, question)
        self.store.changed()
        self.emit(QuestionOpened(question=question, version=self.store.version))
        if question.open:
            self._around.ask_host(question)

    def _on_question_ended(self, question: PendingQuestion, entry: InboundRequest) -> None:
        if self._ended_in_step is not None:
            self._ended_in_step.append(question)
        else:
            self._tell_ended((question,))

    def _tell_ended(self, questions: Iterable[PendingQuestion]) -> None:
        for question in questions:
            self.questions.pop(question.id, None)
            if question.kind == PendingElicitation.kind:
                self._around.note_visit(question)
            self.emit(QuestionEnded(question=question, version=self.store.changed()))
            question.has_ended()

    def _refuse(self, entry: InboundRequest, problem: InvalidModel) -> None:
        answer = Answer(code=INVALID_PARAMS, message=f"invalid params: {problem}")
        self._peer.inbound.settle(entry, answer, EndedBy.POLICY)
        self._around.report(Diagnostic("invalid_request", f"agent sent an invalid permission request: {problem}"))

    # the end

    def begin_close(self, write: Callable[[], object]) -> None:
        """Close the session: `write` the request, then answer what is open, in one write."""
        for held in list(self.queue):
            self.drop(held)
        self.closed = True
        with self._one_step():
            write()
            for entry in self._peer.inbound.of_session(self.session_id):
                withdrawn = entry.withdraw() if entry.withdraw is not None else None
                self._peer.inbound.settle(entry, withdrawn or SESSION_GONE, EndedBy.SESSION_CLOSE)
        for event in self._reducer.mark_cancelled():
            self.emit(event)

    def has_closed(self, cause: AcpError) -> None:
        """Take the answer to the close. Prompts the agent has not answered may still be answered behind it (CAN-78)."""
        for turn in [turn for turn in self.active if turn.inserted]:
            self._end(turn, "cancelled", None)
        for cancel in [cancel for cancel in self._cancels if cancel.waits_for_idle]:
            cancel.over = True
            self._cancels.remove(cancel)
            cancel.resolve(cancel.outcome_of_turns())
        if self.active:
            self._around.later(CLOSE_GRACE, lambda: self._give_up_closed(cause))

    def _give_up_closed(self, cause: AcpError) -> None:
        for turn in list(self.active):
            self._end(turn, None, cause)
        for cancel in self._cancels:
            cancel.over = True
            cancel.resolve(CancelOutcome.UNCONFIRMED)
        self._cancels.clear()

    def on_lost(self, cause: ConnectionLost) -> None:
        """End everything with the connection."""
        self.lost = cause
        self.store.set_connected(False)
        self.store.set_gap(True)
        for turn in [*self.active, *self.queue]:
            self._end(turn, None, cause.again(PROMPT))
        self.queue.clear()
        for cancel in self._cancels:
            cancel.over = True
            cancel.resolve(CancelOutcome.CONNECTION_LOST)
        self._cancels.clear()

    def _report(self, kind: str) -> Callable[[str], None]:
        return lambda detail: self._around.report(Diagnostic(kind, detail))


SESSION_GONE = Answer(code=-32800, message="the session was closed")


def _call_all(listeners: list[Callable[[], None]]) -> None:
    called, listeners[:] = list(listeners), []
    for listener in called:
        listener()


def _resolved(outcome: CancelOutcome) -> CancelWork:
    work = CancelWork((), waits_for_idle=False)
    work.over = True
    work.resolve(outcome)
    return work
