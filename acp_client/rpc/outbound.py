"""Requests this side sent that the agent has not answered yet.

Pure: it hands out ids and settles each request once, by calling back. It neither writes nor waits. A request that its
caller gave up stays here as a tombstone, so that its late answer is recognised and its id is not used again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from acp_client.errors import (
    AUTH_REQUIRED,
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    AcpError,
    AgentError,
    AuthRequired,
    ConnectionLost,
    InvalidResponse,
    RequestCancelled,
    SessionNotFound,
)
from acp_client.rpc.messages import Json, Message, RequestId

Settled: TypeAlias = Callable[[Json, AcpError | None], None]
"""Called once with the result, or with None and the error."""

_ERROR_TYPES: dict[int, type[AgentError]] = {
    REQUEST_CANCELLED: RequestCancelled,
    AUTH_REQUIRED: AuthRequired,
    RESOURCE_NOT_FOUND: SessionNotFound,
}


class PendingRequest:
    """One request on its way: `id` and `method` as written; `cancel_sent` once `$/cancel_request` was queued."""

    __slots__ = ("cancel_sent", "id", "method", "on_settled")

    def __init__(self, request_id: int, method: str, on_settled: Settled) -> None:
        self.id, self.method, self.on_settled = request_id, method, on_settled
        self.cancel_sent = False


class OutboundRequestManager:
    """Requests we sent that the agent has not answered yet, in the order of their ids."""

    def __init__(self) -> None:
        self._pending: dict[RequestId, PendingRequest] = {}
        self._last_id = 0
        self._lost: ConnectionLost | None = None

    def __len__(self) -> int:
        return len(self._pending)

    def __iter__(self) -> Iterator[PendingRequest]:
        return iter(list(self._pending.values()))

    def open(self, method: str, on_settled: Settled) -> PendingRequest:
        """Register a request before it is written. Ids only grow, so none is used twice on a connection."""
        self._last_id += 1
        pending = PendingRequest(self._last_id, method, on_settled)
        if self._lost is None:
            self._pending[pending.id] = pending
        return pending

    def settle(self, message: Message) -> bool:
        """Give a response to the request it answers; False when no request of ours has its id."""
        request_id = message["id"]
        # True == 1 and 1.0 == 1: only an id of our own type may match.
        pending = self._pending.pop(request_id, None) if type(request_id) is int else None
        if pending is None:
            return False
        if ("error" in message) == ("result" in message):
            pending.on_settled(None, InvalidResponse(pending.method, "exactly one of result and error must be there"))
        elif "result" in message:
            pending.on_settled(message["result"], None)
        else:
            pending.on_settled(None, _agent_error(pending.method, message["error"]))
        return True

    def fail(self, request_id: RequestId, error: AcpError) -> bool:
        """Settle one request with an error of this side."""
        pending = self._pending.pop(request_id, None) if type(request_id) is int else None
        if pending is None:
            return False
        pending.on_settled(None, error)
        return True

    def abandon(self, pending: PendingRequest) -> bool:
        """Leave a tombstone for a request nobody waits for any more; False when it was settled already."""
        if self._pending.get(pending.id) is not pending:
            return False
        pending.on_settled = _dropped
        return True

    def forget(self, pending: PendingRequest) -> None:
        """Drop a request that was never written."""
        del self._pending[pending.id]

    def is_open(self, pending: PendingRequest) -> bool:
        """Say whether the answer is still owed."""
        return self._pending.get(pending.id) is pending

    def fail_all(self, cause: ConnectionLost) -> None:
        """End every request with the first cause of the end of the connection."""
        self._lost = self._lost or cause
        pending, self._pending = self._pending, {}
        for request in pending.values():
            request.on_settled(None, cause.again(request.method))


def _dropped(result: Json, error: AcpError | None) -> None:
    """Take a late answer that nobody waits for."""


def _agent_error(method: str, error: Json) -> AcpError:
    if not isinstance(error, dict):
        return InvalidResponse(method, "its error is no object")
    code, message = error.get("code"), error.get("message")
    if type(code) is not int or not isinstance(message, str):
        return InvalidResponse(method, "its error has no integer code or no message text")
    return _ERROR_TYPES.get(code, AgentError)(method, code, message, error.get("data"))
