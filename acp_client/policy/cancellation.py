"""Which requests of the agent end with a `session/cancel`, and with what.

Decides, never writes: a policy gets the requests of the session that are open and says which to answer. The session's
work does the writing, right behind the cancel, in the same write. No policy can approve anything: the answers it can
choose from do not contain an approval.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

import attrs

log = logging.getLogger("acp_client")


class Withdrawal(StrEnum):
    """What a request is answered with when the work it belongs to is cancelled."""

    CANCELLED = "cancelled"
    """Permission: the outcome `cancelled`. Elicitation: the action `cancel`."""
    REFUSED = "refused"
    """The JSON-RPC error -32800."""


@attrs.frozen
class OpenRequest:
    """A request of the agent that nobody has answered yet, as a policy sees it.

    `kind` is "permission" or "elicitation". `in_background` says that its subject stands in the latest list of
    background work the agent reported.
    """

    id: str
    kind: str
    session_id: str
    tool_call_id: str | None = None
    terminal_id: str | None = None
    in_background: bool = False


Decision = tuple[OpenRequest, Withdrawal]


def contract(kind: str) -> Withdrawal | None:
    """Return how the protocol wants an open request of that kind to end; None where it stays open."""
    return Withdrawal.CANCELLED if kind == "permission" else None


class CancellationPolicy:
    """The contract: every open permission request of the session, background or not (CAN-22, CAN-23).

    Elicitations stay open until the agent or the user ends them (CAN-60). Subclass and override `on_session_cancel` to
    decide otherwise; it must be quick and must not wait, and it may be called from any thread.
    """

    def on_session_cancel(self, open_requests: Sequence[OpenRequest]) -> Iterable[Decision]:
        """Return the requests to answer, each with its answer; requests left out stay open."""
        return [(request, withdrawal) for request in open_requests if (withdrawal := contract(request.kind))]


class SpareBackgroundWork(CancellationPolicy):
    """Leaves permissions open whose subject the agent listed as background work, which a cancel does not stop."""

    def on_session_cancel(self, open_requests: Sequence[OpenRequest]) -> Iterable[Decision]:
        """Return every permission request of foreground work."""
        return super().on_session_cancel([request for request in open_requests if not request.in_background])


def decide(
    policy: CancellationPolicy, open_requests: Sequence[OpenRequest], report: Callable[[str], None]
) -> list[Decision]:
    """Ask the policy; when it fails or answers nonsense, report that and let the contract decide.

    No answer may get lost over a fault in a host's policy, so nothing of a faulty decision is used.
    """
    try:
        known = {request.id: request for request in open_requests}
        decisions = [_checked(decision, known) for decision in policy.on_session_cancel(open_requests)]
    except Exception as error:
        log.exception("the cancellation policy failed; the default acts")
        report(f"cancellation policy {type(policy).__name__} failed ({type(error).__name__}); the default acted")
        decisions = list(CancellationPolicy().on_session_cancel(open_requests))
    return decisions


def _checked(decision: object, known: Mapping[str, OpenRequest]) -> Decision:
    match decision:
        case (OpenRequest() as request, Withdrawal() as withdrawal) if known.get(request.id) == request:
            return request, withdrawal
    raise TypeError(f"a decision must be (one of the open requests, a Withdrawal), not {decision!r}")
