"""One synchronous step per incoming message, in wire order, and everything that is written, in order.

`Peer` is the JSON-RPC side of a connection without its waiting: a transport feeds it frames, it settles our requests,
hands out notifications and requests, and answers what is malformed. It needs no event loop, so tests can run every
order of events through it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import attrs

from acp_client.errors import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_CANCELLED,
    ConnectionLost,
    ProtocolViolation,
)
from acp_client.rpc.inbound import Answer, EndedBy, InboundRequest, InboundRequestDispatcher
from acp_client.rpc.messages import (
    REFUSED,
    InvalidJson,
    Json,
    Message,
    decode_fast,
    decode_slowly,
    encode,
    failure,
    notification,
    quoted,
    request,
)
from acp_client.rpc.outbound import OutboundRequestManager, PendingRequest, Settled

log = logging.getLogger("acp_client")

CANCEL_REQUEST = "$/cancel_request"
CANCELLED = Answer(code=REQUEST_CANCELLED, message="request cancelled")

MAX_PROTEST = 10
"""Answers to malformed text on one connection: an agent that prints junk must not get it echoed for ever."""

KEPT_NOISE = 5
"""Lines of noise remembered for the error text of a handshake that never completes."""


@attrs.frozen
class Diagnostic:
    """Something odd that harmed nothing. `kind` names it, `detail` is one sentence without secrets."""

    kind: str
    detail: str


class Owner(Protocol):
    """Who is told what arrives. All calls are synchronous; what they raise is logged and harms nobody."""

    def on_notification(self, method: str, params: Json) -> None: ...
    def on_request(self, entry: InboundRequest) -> None: ...
    def on_diagnostic(self, diagnostic: Diagnostic) -> None: ...
    def on_lost(self, cause: ConnectionLost) -> None: ...


class Peer:
    """The JSON-RPC state of one connection. Implements the receiving side of a transport."""

    def __init__(self, owner: Owner, send: Callable[[Sequence[bytes]], None]) -> None:
        self._owner = owner
        self._send = send
        self._corked: list[bytes] | None = None
        self._protests_left = MAX_PROTEST
        self.outbound = OutboundRequestManager()
        self.inbound = InboundRequestDispatcher(self.write)
        self.lost_cause: ConnectionLost | None = None
        self.noise: list[str] = []
        self.ready = False
        """Set once `initialize` was answered; before that, malformed text gets no answer."""

    # writing

    def write(self, message: Message) -> None:
        """Queue one message. After the end of the connection nothing is written."""
        if self.lost_cause is not None:
            return
        if self._corked is None:
            self._send((encode(message),))
        else:
            self._corked.append(encode(message))

    @contextmanager
    def one_write(self) -> Iterator[None]:
        """Collect what is written inside into one write of the transport: nothing can slip in between."""
        if self._corked is not None:
            yield
            return
        self._corked = []
        try:
            yield
        finally:
            messages, self._corked = self._corked, None
            if messages and self.lost_cause is None:
                self._send(messages)

    def request(self, method: str, params: Json, on_settled: Settled) -> PendingRequest:
        """Register a request, then write it. After the end of the connection it settles at once, with the cause."""
        pending = self.outbound.open(method, on_settled)
        if self.lost_cause is not None:
            on_settled(None, self.lost_cause.again(method))
        else:
            try:
                self.write(request(pending.id, method, params))
            except BaseException:
                self.outbound.forget(pending)  # never written, so nothing will answer it
                raise
        return pending

    def notify(self, method: str, params: Json) -> None:
        self.write(notification(method, params))

    def cancel_request(self, pending: PendingRequest) -> bool:
        """Queue `$/cancel_request` for a request of ours, at most once and only while its answer is owed."""
        if pending.cancel_sent or self.lost_cause is not None or not self.outbound.is_open(pending):
            return False
        pending.cancel_sent = True
        self.notify(CANCEL_REQUEST, {"requestId": pending.id})
        return True

    # reading

    def frames(self, frames: Sequence[bytes | str]) -> None:
        """Act on whole messages in wire order. Never raises."""
        route, on_notification = self._route, self._owner.on_notification
        for frame in frames:
            try:
                message = decode_fast(frame)
            except REFUSED:
                try:
                    message = decode_slowly(frame)
                except InvalidJson:
                    self._on_undecodable(frame)
                    continue
            try:
                # Nearly every message is one of these; the rest of the rules stands in `_route`.
                method = message.get("method") if type(message) is dict and "id" not in message else None
                if type(method) is str and method != CANCEL_REQUEST:
                    on_notification(method, message.get("params"))
                else:
                    route(message)
            except Exception:
                log.exception("a message of the agent could not be handled")

    def lost(self, cause: ConnectionLost) -> None:
        """End everything with the first cause. Later calls change nothing."""
        if self.lost_cause is not None:
            return
        self.lost_cause = cause
        self.inbound.lose_all()
        self.outbound.fail_all(cause)
        self._owner.on_lost(cause)

    def _route(self, message: Json) -> None:
        if type(message) is not dict:
            self._on_no_object(message)
            return
        method = message.get("method")
        if method is not None:
            if type(method) is not str:
                self._protest(INVALID_REQUEST, "the method of a message must be a string")
            elif "id" in message:
                self._on_request(message["id"], method, message.get("params"))
            else:  # the one notification that `frames` does not hand on
                self._on_cancel_request(message.get("params"))
        elif "result" in message or "error" in message:
            self._on_response(message)
        else:
            self._protest(INVALID_REQUEST, "a message must have a method, a result or an error")

    def _on_response(self, message: Message) -> None:
        # An error without an id, or with null, belongs to no request: recorded agents answer notifications so.
        if message.get("id") is None:
            self._diagnose("unaddressed_error", f"agent reported an error for no request: {quoted(str(message))}")
        elif not self.outbound.settle(message):
            log.debug("ignored an answer to no open request")

    def _on_request(self, request_id: Json, method: str, params: Json) -> None:
        if type(request_id) not in (int, str) and not (request_id is None and self.allows_null_id):
            self._protest(INVALID_REQUEST, "the id of a request must be a string or an integer")
            return
        entry = self.inbound.open(request_id, method, params)
        if entry is None:
            self._protest(INVALID_REQUEST, f"request id {str(request_id)[:80]} is still in use")
        elif params is not None and not isinstance(params, dict | list):
            self.inbound.settle(entry, Answer(code=INVALID_PARAMS, message="params must be an object"), EndedBy.POLICY)
        else:
            self._dispatch(entry)

    allows_null_id = False
    """Version 1 lets an agent ask under the id null; it is answered under it (V1-RPC-02)."""

    def _dispatch(self, entry: InboundRequest) -> None:
        if entry.method.startswith("$/"):
            refusal = Answer(code=METHOD_NOT_FOUND, message=f"no such method: {entry.method[:80]}")
            self.inbound.settle(entry, refusal, EndedBy.POLICY)
            return
        try:
            self._owner.on_request(entry)
        except Exception:
            log.exception("request %s could not be handled", entry.method)
            self.inbound.settle(entry, Answer(code=-32603, message="the client failed"), EndedBy.POLICY)

    def _on_cancel_request(self, params: Json) -> None:
        # Unknown, answered and malformed ids get silence, and ids of our own requests are another space.
        entry = self.inbound.find(params.get("requestId")) if isinstance(params, dict) else None
        if entry is not None and not entry.uncancellable:
            answer = entry.withdraw() if entry.withdraw is not None else CANCELLED
            self.inbound.settle(entry, answer, EndedBy.AGENT_CANCEL)

    # what is malformed

    def _on_undecodable(self, frame: bytes | str) -> None:
        if not frame.strip():
            return
        if self._begins_like_a_message(frame):
            self._protest(PARSE_ERROR, "invalid JSON", frame)
        else:
            self._on_noise(frame)

    @staticmethod
    def _begins_like_a_message(frame: bytes | str) -> bool:
        return frame[:1] in ("{", "[", b"{", b"[")

    def _on_noise(self, frame: bytes | str) -> None:
        if len(self.noise) < KEPT_NOISE:
            self.noise.append(quoted(frame))
        self._diagnose("noise", f"agent wrote a line that is no message: {quoted(frame)}")

    def _on_no_object(self, value: Json) -> None:
        if not isinstance(value, list):
            self._on_noise(str(value))
            return
        for entry in value:
            # The answer to a request of ours inside an array is never processed; its caller must not wait for ever.
            if isinstance(entry, dict) and "method" not in entry and type(entry.get("id")) is int:
                self.outbound.fail(entry["id"], ProtocolViolation("the agent answered inside a JSON-RPC batch"))
        self._protest(INVALID_REQUEST, "JSON-RPC batches are not supported")

    def _protest(self, code: int, text: str, frame: bytes | str = "") -> None:
        self._diagnose("malformed", f"{text}: {quoted(frame)}" if frame else text)
        if self.ready and self._protests_left > 0:
            self._protests_left -= 1
            self.write(failure(None, code, text))

    def _diagnose(self, kind: str, detail: str) -> None:
        self._owner.on_diagnostic(Diagnostic(kind, detail))
