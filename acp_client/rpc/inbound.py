"""Requests the agent sent that this side has not answered yet: each is answered exactly once.

An answer is given in two steps. `claim` decides who settles a request and with what; it may be called from any thread
and succeeds once. `release` writes the claimed answer; only the thread of the connection calls it. `settle` does both.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from enum import StrEnum

from acp_client.errors import INTERNAL_ERROR
from acp_client.rpc.messages import Json, Message, RequestId, failure, success

log = logging.getLogger("acp_client")


class EndedBy(StrEnum):
    """Who settled a request of the agent: what a dialog that vanishes can tell its user."""

    HOST = "host"
    POLICY = "policy"
    SESSION_CANCEL = "session_cancel"
    AGENT_CANCEL = "agent_cancel"
    INTERNAL_CANCEL = "internal_cancel"
    SESSION_CLOSE = "session_close"
    CONNECTION_LOST = "connection_lost"
    TIMEOUT = "timeout"


class Answer:
    """What a request is answered with: a result, or an error."""

    __slots__ = ("code", "data", "message", "result")

    def __init__(self, result: Json = None, *, code: int = 0, message: str = "", data: Json = None) -> None:
        self.result, self.code, self.message, self.data = result, code, message, data

    @property
    def is_error(self) -> bool:
        return self.code != 0

    def to(self, request_id: RequestId) -> Message:
        """Return the response message."""
        if self.code:
            return failure(request_id, self.code, self.message, self.data)
        return success(request_id, self.result)


class InboundRequest:
    """One request of the agent. `ended_by` is None while it is open; `on_end` is called once, after the write."""

    __slots__ = (
        "answer",
        "ended_by",
        "id",
        "key",
        "method",
        "on_end",
        "params",
        "session_id",
        "stop",
        "uncancellable",
        "withdraw",
    )

    def __init__(self, request_id: RequestId, key: object, method: str, params: Json) -> None:
        self.id, self.key, self.method, self.params = request_id, key, method, params
        session_id = params.get("sessionId") if isinstance(params, dict) else None
        self.session_id: str | None = session_id if isinstance(session_id, str) else None
        self.ended_by: EndedBy | None = None
        self.answer: Answer | None = None
        self.on_end: Callable[[InboundRequest], None] | None = None
        self.stop: Callable[[], object] | None = None
        """Stops the handler, when somebody else ends its request; one that answered itself may finish."""
        self.withdraw: Callable[[], Answer] | None = None
        """What `$/cancel_request` for it is answered with; None: -32800."""
        self.uncancellable = False
        """`$/cancel_request` for it is ignored: its handler must run to the end."""

    @property
    def open(self) -> bool:
        return self.ended_by is None


class InboundRequestDispatcher:
    """Requests the agent sent that are not answered yet."""

    def __init__(self, write: Callable[[Message], None]) -> None:
        self._write = write
        self._open: dict[object, InboundRequest] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[InboundRequest]:
        return iter(list(self._open.values()))

    def open(self, request_id: RequestId, method: str, params: Json) -> InboundRequest | None:
        """Register a request; None when its id is that of a request still open."""
        key: object = object() if request_id is None else request_id
        if key in self._open:
            return None
        entry = InboundRequest(request_id, key, method, params)
        self._open[key] = entry
        return entry

    def find(self, request_id: Json) -> InboundRequest | None:
        """Return the open request with exactly this id: 3 and "3" are different, 3.0 and true are no ids."""
        return self._open.get(request_id) if type(request_id) in (int, str) else None

    def of_session(self, session_id: str) -> list[InboundRequest]:
        return [entry for entry in self if entry.session_id == session_id]

    def claim(self, entry: InboundRequest, answer: Answer, by: EndedBy) -> bool:
        """Decide how a request ends. True for the one caller who decides it; safe from any thread."""
        with self._lock:
            if entry.ended_by is not None:
                return False
            entry.ended_by, entry.answer = by, answer
            return True

    def release(self, entry: InboundRequest) -> None:
        """Write a claimed answer and tell whoever waits for the end. Repeating it does nothing."""
        if self._open.get(entry.key) is not entry:
            return
        assert entry.answer is not None
        del self._open[entry.key]
        if entry.ended_by is not EndedBy.CONNECTION_LOST:
            try:
                self._write(entry.answer.to(entry.id))
            except (TypeError, ValueError, RecursionError):
                log.exception("the answer to %s cannot be written as JSON", entry.method)
                self._write(failure(entry.id, INTERNAL_ERROR, "the client could not write its answer"))
        if entry.on_end is not None:
            entry.on_end(entry)
        if entry.stop is not None and entry.ended_by is not EndedBy.HOST:
            entry.stop()

    def settle(self, entry: InboundRequest, answer: Answer, by: EndedBy) -> bool:
        """Claim and release in one; False when somebody else decided first."""
        if not self.claim(entry, answer, by):
            return False
        self.release(entry)
        return True

    def lose_all(self) -> None:
        """End what is open without writing: nobody is there to read an answer."""
        for entry in self:
            self.claim(entry, Answer(), EndedBy.CONNECTION_LOST)
            entry.ended_by = EndedBy.CONNECTION_LOST
            self.release(entry)
