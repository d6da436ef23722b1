"""An independent reading of the cancellation rules: it sees the messages of one connection and nothing of the client.

It computes its own window from what was said and heard, and remembers what the host has chosen, so that a mistake in
the client's rules cannot hide here. Where the rules leave two readings, it demands nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import attrs

from acp_client.rpc.messages import Json, Message

PERMISSION = "session/request_permission"


@attrs.define(eq=False)
class Asked:
    """A request of the agent that has no answer yet."""

    method: str
    session: str | None
    call: str | None = None
    doomed: bool = False
    """It was cancelled or withdrawn: whatever is answered now, it is no approval."""
    cancelled: bool = False
    """It ended with work that was cancelled: the outcome has to be `cancelled`."""
    chosen: set[str] = attrs.field(factory=set)
    """The options the host has chosen, whether in time or not."""


@attrs.define
class Window:
    """From a `session/cancel` to the end of what it cancelled."""

    covered: set[int]
    narrow: bool = False
    """A prompt was sent since: only calls known to be cancelled still belong to it."""


@attrs.define
class Book:
    """One session as the wire tells it."""

    state: str = "idle"
    waiting: dict[int, bool] = attrs.field(factory=dict)
    """Prompts without an answer; whether an idle came since."""
    live: set[int] = attrs.field(factory=set)
    """Prompts that were inserted and whose end was not seen."""
    window: Window | None = None
    calls: set[str] = attrs.field(factory=set)
    cancelled: set[str] = attrs.field(factory=set)
    closed: bool = False


class WireJudge:
    """Watches one connection from `initialize` on. `faults` says what was wrong, `seen` how often what was tried."""

    def __init__(self, version: int, seen: Counter[str]) -> None:
        self.version, self.seen = version, seen
        self.faults: list[str] = []
        self.open: dict[Json, Asked] = {}
        self.answered: set[Json] = set()
        self.owed: dict[int, str] = {}
        """Requests of the client without an answer, with their methods."""
        self.books: dict[str, Book] = {}
        self.ended = False
        self._ids: set[int] = set()
        self._retracted: set[int] = set()

    def book(self, session: str) -> Book:
        return self.books.setdefault(session, Book())

    # what the agent says

    def says(self, message: Message) -> None:
        """Take note of a message right before the client gets it."""
        params = message.get("params") or {}
        if "method" not in message:
            self._on_answer(message)
        elif message["method"] == "session/update":
            self._on_update(self.book(params["sessionId"]), params["update"])
        elif message["method"] == "$/cancel_request":
            self._on_retracted(params["requestId"])
        elif "id" in message:
            self._on_asked(message["id"], message["method"], params)

    def delivered(self) -> None:
        """Check what the client must have done when a message was delivered: nothing that was doomed is left open."""
        for request_id, asked in self.open.items():
            if asked.doomed and not self.ended:
                self.faults.append(f"request {request_id!r} was cancelled and got no answer")

    def _on_asked(self, request_id: Json, method: str, params: Json) -> None:
        if request_id in self.open:
            self.seen["id used twice"] += 1
            return
        session = params.get("sessionId")
        call = (params.get("toolCall") or params.get("subject", {}).get("toolCall", {})).get("toolCallId")
        self.open[request_id] = asked = Asked(method, session, call)
        self.answered.discard(request_id)
        if session is None:
            return
        book = self.book(session)
        if method == PERMISSION and self._is_cancelled(book, call):
            asked.doomed = asked.cancelled = True
            book.cancelled.add(call or "")
        elif method == PERMISSION and not book.closed:
            book.calls.add(call or "")

    def _is_cancelled(self, book: Book, call: str | None) -> bool:
        window = book.window
        if window is None or book.closed:
            return False
        if not self._works(book, window):
            return False  # it ended without a word, or it never began: the rules leave both readings
        if window.narrow:
            self.seen["permission after a new prompt"] += 1
            return call in book.cancelled
        self.seen["permission inside a window"] += 1
        return True

    @staticmethod
    def _works(book: Book, window: Window) -> bool:
        """Say whether what was cancelled surely goes on. In version 1 no state is told, so only answers are owed."""
        return book.state != "idle" or bool(window.covered & (set(book.waiting) | book.live))

    def _on_retracted(self, request_id: Json) -> None:
        asked = self.open.get(request_id) if type(request_id) in (int, str) else None
        if asked is None:
            known = type(request_id) in (int, str) and request_id in self.answered
            self.seen["cancel of an answered id" if known else "cancel of an unknown id"] += 1
        else:
            self.seen["cancel of an open id"] += 1
            asked.doomed = True
            asked.cancelled = asked.method == PERMISSION

    def _on_answer(self, message: Message) -> None:
        request_id = message["id"]
        self.owed.pop(request_id, None)
        for book in self.books.values():
            if request_id not in book.waiting:
                continue
            idled = book.waiting.pop(request_id)
            if self.version == 2 and "result" in message and not idled:
                book.live.add(request_id)
            if book.window is not None:
                code = message.get("error", {}).get("code")
                self.seen[f"prompt ends in a window with {'a result' if code is None else code}"] += 1
                if not self._works(book, book.window):
                    book.window = None  # what begins after that may be other work

    def _on_update(self, book: Book, update: Json) -> None:
        match update["sessionUpdate"]:
            case "state_update" if update["state"] == "idle":
                self.seen["idle inside a window"] += book.window is not None
                book.state, book.window = "idle", None
                book.live.clear()
                book.waiting = dict.fromkeys(book.waiting, True)
            case "state_update":
                book.state = update["state"]
            case "tool_call" | "tool_call_update":
                # What the agent says of a call is authoritative again.
                book.cancelled.discard(update["toolCallId"])
                if update.get("status") in ("completed", "failed", "cancelled"):
                    book.calls.discard(update["toolCallId"])
                else:
                    book.calls.add(update["toolCallId"])

    # what the client writes

    def heard(self, messages: Sequence[Message]) -> None:
        """Take note of one write of the client."""
        if self.ended:
            self.faults.append(f"something was written after the connection had ended: {messages}")
        for message in messages:
            if "method" not in message:
                self._on_response(message)
            elif "id" in message:
                self._on_request(message["id"], message["method"], message["params"])
            elif message["method"] == "session/cancel":
                self._on_cancel(message["params"]["sessionId"])
            elif message["method"] == "$/cancel_request":
                self._on_withdrawn(message["params"]["requestId"])
        if any(message.get("method") in ("session/cancel", "session/close") for message in messages):
            self.delivered()  # the answers stand in the same write, or something can slip in between

    def _on_response(self, message: Message) -> None:
        request_id = message["id"]
        if request_id is None:
            return  # a protest about something malformed answers nothing
        asked = self.open.pop(request_id, None)
        if asked is None:
            self.faults.append(f"{message} answers no open request of this connection")
            return
        self.answered.add(request_id)
        result = message.get("result") or {}
        outcome = result.get("outcome", {})
        choice = "accept" if result.get("action") == "accept" else outcome.get("optionId")
        if choice is not None:
            self.seen["approved"] += 1
            if asked.doomed:
                self.faults.append(f"request {request_id!r} was approved although it was cancelled")
            if choice not in asked.chosen:
                self.faults.append(f"request {request_id!r} got an answer nobody chose for it: {message}")
        elif asked.cancelled and outcome.get("outcome") != "cancelled":
            self.faults.append(f"request {request_id!r} ended with cancelled work, and got {message}")
        if asked.method == PERMISSION and message.get("error", {}).get("code") == -32603:
            self.faults.append(f"request {request_id!r} got an error where it should get the outcome cancelled")
        if asked.doomed and asked.method != PERMISSION and message.get("error", {}).get("code") != -32800:
            self.faults.append(f"request {request_id!r} was cancelled, and got {message}")

    def _on_request(self, request_id: int, method: str, params: Json) -> None:
        if request_id in self._ids:
            self.faults.append(f"the client used id {request_id} twice")
        self._ids.add(request_id)
        self.owed[request_id] = method
        if method == "session/prompt":
            book = self.book(params["sessionId"])
            book.waiting[request_id] = False
            if book.window is not None:
                book.window.narrow = True
        elif method == "session/close":
            self._doom(params["sessionId"], everything=True)
            self.book(params["sessionId"]).closed = True

    def _on_cancel(self, session: str) -> None:
        book = self.book(session)
        self.seen["session/cancel"] += 1
        self.seen["session/cancel with open permissions"] += bool(self._doom(session))
        covered = {*book.waiting, *book.live}
        book.cancelled |= book.calls
        book.window = Window(covered) if covered or book.state != "idle" else None

    def _doom(self, session: str, everything: bool = False) -> int:
        doomed = 0
        for asked in self.open.values():
            if asked.session == session and (asked.method == PERMISSION or everything):
                asked.doomed = True
                asked.cancelled = asked.method == PERMISSION
                doomed += 1
        return doomed

    def _on_withdrawn(self, request_id: int) -> None:
        self.seen["$/cancel_request of ours"] += 1
        if request_id not in self.owed or request_id in self._retracted:
            self.faults.append(f"the client withdrew {request_id}, which is answered, unknown or withdrawn already")
        self._retracted.add(request_id)
