"""Where a message of the agent goes: to the session it belongs to, to the host, or to nobody.

One router serves one connection. It is pure like the sessions it holds, so that the whole core can be run through any
order of events without an event loop.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_client.errors import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    ConnectionLost,
    InvalidModel,
)
from acp_client.policy.cancellation import CancellationPolicy
from acp_client.policy.permissions import PermissionPolicy, ask
from acp_client.policy.questions import INTERNAL, OUTCOME_CANCELLED, PendingElicitation, PendingQuestion
from acp_client.policy.session_work import SessionWork, StopTimer
from acp_client.rpc.inbound import Answer, EndedBy, InboundRequest
from acp_client.rpc.messages import Json
from acp_client.rpc.peer import Diagnostic, Peer

if TYPE_CHECKING:
    from acp_client.protocol.dialect import Dialect

log = logging.getLogger("acp_client")

UPDATE = "session/update"
REQUEST_PERMISSION = "session/request_permission"
ELICIT = "elicitation/create"
ELICITATION_COMPLETE = "elicitation/complete"

MAX_EARLY = 100_000
"""Messages kept for sessions whose opening answer is still on its way: a recorded replay had a few thousand."""

MAX_VISITS = 1000
"""Visits whose completion may still be told: agents need not report any, so the oldest are forgotten."""


class Ports:
    """What a router needs from its surroundings; replaceable one by one."""

    def __init__(
        self,
        *,
        post: Callable[[Callable[[], None]], None],
        later: Callable[[float, Callable[[], None]], StopTimer],
        ask_host: Callable[[PendingQuestion], None],
        serve: Callable[[InboundRequest], None],
        on_notification: Callable[[str, Json], None],
        on_completed: Callable[[PendingElicitation], None],
        on_stray_update: Callable[[Json], None],
        on_diagnostic: Callable[[Diagnostic], None],
        on_lost: Callable[[ConnectionLost], None],
        harmless: tuple[type[BaseException], ...] = (Exception,),
    ) -> None:
        self.post, self.later, self.ask_host, self.serve = post, later, ask_host, serve
        self.on_notification, self.on_completed = on_notification, on_completed
        self.on_stray_update, self.on_diagnostic, self.on_lost = on_stray_update, on_diagnostic, on_lost
        self.harmless = harmless
        """What a listener of a session may raise; it is logged."""


class Router:
    """Routes one connection's messages. `attach` it to its peer before the first one."""

    peer: Peer
    dialect: Dialect

    def __init__(
        self,
        ports: Ports,
        cancellation: CancellationPolicy | None = None,
        permissions: PermissionPolicy | None = None,
        elicitation_modes: frozenset[str] = frozenset(),
    ) -> None:
        self._ports = ports
        self.harmless = ports.harmless
        self.cancellation = cancellation or CancellationPolicy()
        self.permissions = permissions or ask
        self.elicitation_modes = elicitation_modes
        self.sessions: dict[str, SessionWork] = {}
        self.questions: dict[str, PendingElicitation] = {}
        """Elicitations that belong to a request of ours and to no session."""
        self.opening = 0
        """Calls under way whose answer names a session we do not know yet."""
        self._early: dict[str, list[Callable[[SessionWork], None]]] = {}
        self._early_count = 0
        self._visits: dict[str, PendingElicitation] = {}
        """URL elicitations somebody consented to, by the agent's id, until it reports their completion."""
        self._warned: set[str] = set()
        self._numbers = 0

    def attach(self, peer: Peer) -> None:
        """Bind the peer whose messages this router gets."""
        self.peer = peer

    # sessions

    def add(self, session_id: str, cwd: str) -> SessionWork:
        """Register a session before its first message can arrive."""
        work = SessionWork(session_id, cwd, self)
        self.sessions[session_id] = work
        return work

    def give_early(self, work: SessionWork) -> None:
        """Apply what arrived for a session before the answer that named it (SO-01)."""
        early = self._early.pop(work.session_id, [])
        self._early_count -= len(early)
        for step in early:
            step(work)

    def end_opening(self) -> None:
        """An opening call is over; with the last one, what nobody claimed belongs to no session."""
        self.opening -= 1
        if self.opening == 0:
            early, self._early, self._early_count = self._early, {}, 0
            for session_id, steps in early.items():
                stray = _Stray(session_id, self)
                for step in steps:
                    step(stray)  # type: ignore[arg-type]  # stands in for a session nobody opened

    def forget(self, session_id: str) -> None:
        """Drop a session that was closed or deleted; what comes for it later is stray (SO-18)."""
        self.sessions.pop(session_id, None)

    # what sessions need: policy.session_work.Surroundings

    def hand_in(self, entry: InboundRequest, answer: Answer, by: EndedBy) -> bool:
        """Settle a request from any thread: decided at once, written in the connection's thread."""
        if not self.peer.inbound.claim(entry, answer, by):
            return False
        self._ports.post(lambda: self.peer.inbound.release(entry))
        return True

    def later(self, delay: float, step: Callable[[], None]) -> StopTimer:
        return self._ports.later(delay, step)

    def report(self, diagnostic: Diagnostic) -> None:
        self._ports.on_diagnostic(diagnostic)

    def ask_host(self, question: PendingQuestion) -> None:
        self._ports.ask_host(question)

    # what arrives: rpc.peer.Owner

    def on_notification(self, method: str, params: Json) -> None:
        if method == UPDATE:
            try:
                work = self.sessions[params["sessionId"]]
                raw = params["update"]
            except (KeyError, TypeError):
                self._on_unknown_session(params)
            else:
                work.on_update(raw, params)
        elif method == ELICITATION_COMPLETE:
            self._on_elicitation_complete(params)
        elif not method.startswith("$/"):
            self._ports.on_notification(method, params)

    def _on_unknown_session(self, params: Json) -> None:
        session_id = params.get("sessionId") if isinstance(params, dict) else None
        if not isinstance(session_id, str) or "update" not in params:
            self.report(Diagnostic("invalid_update", "agent sent a session/update without a session or an update"))
        elif session_id in self.sessions or not self._keep_early(
            session_id, lambda work: work.on_update(params["update"], params)
        ):
            self._ports.on_stray_update(params)

    def _keep_early(self, session_id: str, step: Callable[[SessionWork], None]) -> bool:
        if not self.opening or self._early_count >= MAX_EARLY:
            return False
        self._early.setdefault(session_id, []).append(step)
        self._early_count += 1
        return True

    def _on_elicitation_complete(self, params: Json) -> None:
        # Nothing here changes any state: unknown and completed ids are ignored (CAN-66, V2-ELI-15).
        elicitation_id = params.get("elicitationId") if isinstance(params, dict) else None
        visit = self._visits.pop(elicitation_id, None) if isinstance(elicitation_id, str) else None
        if visit is not None:
            self._ports.on_completed(visit)

    def on_request(self, entry: InboundRequest) -> None:
        if entry.method == REQUEST_PERMISSION:
            self._on_permission(entry)
        elif not self.peer.ready:  # there is no version yet, so there are no methods
            self._refuse(entry, METHOD_NOT_FOUND, f"no such method before initialize: {entry.method[:80]}")
        elif entry.method == ELICIT:
            self._on_elicitation(entry)
        elif self.dialect.serves(entry.method) or entry.method.startswith("_"):
            self._ports.serve(entry)
        else:
            self._refuse(entry, METHOD_NOT_FOUND, f"no such method: {entry.method[:80]}")

    def _on_permission(self, entry: InboundRequest) -> None:
        if entry.session_id is None:
            self._refuse(entry, INVALID_PARAMS, "invalid params: sessionId: expected a string")
            return
        work = self.sessions.get(entry.session_id)
        if work is not None:
            work.on_permission(entry)
            return
        # Nobody can see it, so nobody can approve it (V2-PER-12).
        entry.withdraw = lambda: OUTCOME_CANCELLED
        if not self._keep_early(entry.session_id, lambda work: work.on_permission(entry)):
            self.peer.inbound.settle(entry, OUTCOME_CANCELLED, EndedBy.POLICY)

    def _on_elicitation(self, entry: InboundRequest) -> None:
        try:
            self.dialect.check_elicitation(entry.params)
        except InvalidModel as problem:
            self._refuse(entry, INVALID_PARAMS, f"invalid params: {problem}")
            return
        if entry.params["mode"] not in self.elicitation_modes:
            self._refuse(entry, INVALID_PARAMS, "this client does not serve that elicitation mode")
        elif "sessionId" not in entry.params:
            self._open_elicitation(entry)
        elif (work := self.sessions.get(entry.params["sessionId"])) is not None:
            work.on_elicitation(entry)
        elif not self._keep_early(entry.params["sessionId"], lambda work: work.on_elicitation(entry)):
            self._refuse(entry, RESOURCE_NOT_FOUND, "no such session")

    def _open_elicitation(self, entry: InboundRequest) -> None:
        self._numbers += 1
        question = PendingElicitation(self, entry, self._numbers)
        question.id = f"r{self._numbers}"
        self.questions[question.id] = question

        def ended(entry: InboundRequest) -> None:
            self.questions.pop(question.id, None)
            self.note_visit(question)
            question.has_ended()

        entry.on_end = ended
        self.ask_host(question)

    def note_visit(self, question: PendingQuestion) -> None:
        """Remember an ended question if it is a URL that somebody goes to, so that the completion is told once."""
        if isinstance(question, PendingElicitation) and question.consented and question.elicitation_id is not None:
            self._visits[question.elicitation_id] = question
            if len(self._visits) > MAX_VISITS:
                del self._visits[next(iter(self._visits))]

    def on_diagnostic(self, diagnostic: Diagnostic) -> None:
        self.report(diagnostic)

    def on_lost(self, cause: ConnectionLost) -> None:
        for work in list(self.sessions.values()):
            work.on_lost(cause)
        self._ports.on_lost(cause)

    def warn_once(self, key: str, text: str) -> None:
        """Log one warning per key and connection: floods of the same oddity stay one line (FC-09)."""
        if key not in self._warned and len(self._warned) < 1000:
            self._warned.add(key)
            log.warning(text)

    def _refuse(self, entry: InboundRequest, code: int, message: str) -> None:
        self.peer.inbound.settle(entry, Answer(code=code, message=message), EndedBy.POLICY)

    def withdraw(self, session_id: str | None = None) -> int:
        """End the open requests of one session, or all of them, from this side with -32800. Safe from any thread."""
        entries = list(self.peer.inbound) if session_id is None else self.peer.inbound.of_session(session_id)
        return sum(self.hand_in(entry, INTERNAL, EndedBy.INTERNAL_CANCEL) for entry in entries)

    def cancel_all(self) -> None:
        """End every open request of the agent from this side: -32800 for all of them (a window closes)."""
        answer = Answer(code=REQUEST_CANCELLED, message="the client is closing")
        with self.peer.one_write():
            for entry in self.peer.inbound:
                self.peer.inbound.settle(entry, answer, EndedBy.INTERNAL_CANCEL)


class _Stray:
    """Takes what came early for a session that nobody opened: updates become stray, questions are refused."""

    def __init__(self, session_id: str, router: Router) -> None:
        self._session_id, self._router = session_id, router

    def on_update(self, raw: Json, params: Json) -> None:
        self._router._ports.on_stray_update(params)

    def on_permission(self, entry: InboundRequest) -> None:
        self._router.peer.inbound.settle(entry, OUTCOME_CANCELLED, EndedBy.POLICY)

    def on_elicitation(self, entry: InboundRequest) -> None:
        self._router._refuse(entry, RESOURCE_NOT_FOUND, "no such session")
