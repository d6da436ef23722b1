"""The real core without an event loop, and the alphabet of things that can happen to it.

A world is one connection with one session. Every letter is one event; what the client writes is judged by an
independent model of the rules in `judge`, which knows nothing of the core's own state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acp_client.errors import AcpError, ConnectionLost, SessionBusy
from acp_client.policy.questions import PendingPermission, PendingQuestion
from acp_client.policy.router import Ports, Router
from acp_client.policy.turns import CancelWork, Phase, TurnWork
from acp_client.protocol.versions import dialect
from acp_client.rpc.messages import Json, Message, decode, encode
from acp_client.rpc.peer import Peer
from acp_client.state.content import Text

SESSION = "s1"
PERMISSIONS = (1, 2, 3)
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
ERRORS = {"withdrawn": -32800, "failed": -32603}


class World:
    """One connection of one version, and everything observable about it."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.wire: list[Message] = []
        self.questions: dict[int, PendingPermission] = {}
        self.turns: list[TurnWork] = []
        self.cancels: list[CancelWork] = []
        self.timers: list[Callable[[], None]] = []
        self.asked: set[int] = set()
        self.clicked: set[int] = set()
        self.retracted: set[int] = set()
        self.answered: set[int] = set()
        self.lost = False
        ports = Ports(
            post=lambda step: step(),
            later=self._later,
            ask_host=self._on_question,
            serve=lambda entry: None,
            on_notification=lambda method, params: None,
            on_completed=lambda question: None,
            on_stray_update=lambda params: None,
            on_diagnostic=lambda diagnostic: None,
            on_lost=lambda cause: None,
        )
        self.router = Router(ports)
        self.router.dialect = dialect(version)
        self.peer = Peer(self.router, self._send)
        self.peer.ready = True
        self.router.attach(self.peer)
        self.session = self.router.add(SESSION, "/project")

    def _send(self, messages: Sequence[bytes]) -> None:
        self.wire.extend(decode(message) for message in messages)

    def _later(self, delay: float, step: Callable[[], None]) -> Callable[[], None]:
        self.timers.append(step)
        return lambda: self.timers.remove(step) if step in self.timers else None

    def _on_question(self, question: PendingQuestion) -> None:
        assert isinstance(question, PendingPermission)
        self.questions[question.entry.params["n"]] = question

    # the alphabet

    def letters(self) -> list[str]:
        """Everything that can happen now, in a fixed order."""
        if self.lost:
            return []
        letters = ["prompt", "cancel", "lost"]
        letters += [f"ask {n}" for n in PERMISSIONS if n not in self.asked and (n == 1 or n - 1 in self.asked)]
        letters += [f"click {n}" for n in sorted(self.questions) if n not in self.clicked]
        letters += [f"retract {n}" for n in sorted(self.asked - self.retracted)]
        if self.unanswered():
            letters += ["answer ok", "answer withdrawn", "answer failed"]
            letters += ["answer cancelled"] if self.version == 1 else []
        if self.version == 2:
            letters += ["running", "idle end_turn", "idle cancelled"]
        if self.timers:
            letters.append("grace over")
        return letters

    def do(self, letter: str) -> None:
        """Let one thing happen."""
        match letter.split():
            case ["prompt"]:
                self._prompt()
            case ["cancel"]:
                self.cancels.append(self.session.cancel(10.0))
            case ["lost"]:
                self.lost = True
                self.peer.lost(ConnectionLost("gone"))
            case ["ask", number]:
                self._ask(int(number))
            case ["click", number]:
                self.clicked.add(int(number))
                self.questions[int(number)].select("yes")
            case ["retract", number]:
                self.retracted.add(int(number))
                self._receive({"method": "$/cancel_request", "params": {"requestId": 100 + int(number)}})
            case ["answer", how]:
                self._answer(how)
            case ["running"]:
                self._update({"sessionUpdate": "state_update", "state": "running"})
            case ["idle", reason]:
                self._update({"sessionUpdate": "state_update", "state": "idle", "stopReason": reason})
            case ["grace", "over"]:
                self.timers.pop(0)()

    def _prompt(self) -> None:
        turn = TurnWork([Text(text="go")])
        try:
            self.session.prompt(turn, "error" if len(self.turns) % 2 == 0 else "overlap", 10.0)
        except (SessionBusy, AcpError):
            return
        self.turns.append(turn)

    def _ask(self, number: int) -> None:
        self.asked.add(number)
        call = {"toolCallId": f"t{number}", "title": "Edit"}
        params: dict[str, Json] = {"sessionId": SESSION, "options": OPTIONS, "n": number}
        if self.version == 1:
            params["toolCall"] = call
        else:
            params |= {"title": "Edit?", "subject": {"type": "tool_call", "toolCall": call}}
        self._receive({"id": 100 + number, "method": "session/request_permission", "params": params})

    def _answer(self, how: str) -> None:
        request_id = self.unanswered()[0]
        if how in ERRORS:
            self._receive({"id": request_id, "error": {"code": ERRORS[how], "message": how}})
        elif self.version == 1:
            reason = "end_turn" if how == "ok" else how
            self._receive({"id": request_id, "result": {"stopReason": reason}})
        else:
            self._receive({"id": request_id, "result": {"messageId": f"m{request_id}"}})

    def _update(self, update: Json) -> None:
        self._receive({"method": "session/update", "params": {"sessionId": SESSION, "update": update}})

    def _receive(self, message: Message) -> None:
        if "id" in message and "method" not in message:
            self.answered.add(message["id"])
        self.peer.frames([encode({"jsonrpc": "2.0", **message})])

    # what can be seen

    def unanswered(self) -> list[int]:
        """Ids of prompts on the wire that the agent has not answered."""
        ids = [message["id"] for message in self.wire if message.get("method") == "session/prompt"]
        return [request_id for request_id in ids if request_id not in self.answered]

    def answers_to(self, number: int) -> list[Message]:
        """What the client wrote in answer to permission request `number`."""
        return [m for m in self.wire if m.get("id") == 100 + number and "method" not in m]

    def fingerprint(self) -> tuple[object, ...]:
        """Everything that can matter for what happens next: two worlds with the same one behave the same."""
        work = self.session
        return (
            self.lost,
            tuple(sorted(self.asked)),
            tuple(sorted(self.clicked)),
            tuple(sorted(self.retracted)),
            tuple((n, q.ended_by) for n, q in sorted(self.questions.items())),
            tuple((n, str(self.answers_to(n))) for n in sorted(self.asked)),
            tuple(_turn_state(turn) for turn in self.turns[-3:]),
            len(self.turns) % 2,
            tuple((c.over, c.narrow, c.waits_for_idle, c.outcome) for c in work._cancels),
            len(self.timers),
            tuple(request_id in self.answered for request_id in self.unanswered()),
            (work.store.state, work.store.stop_reason),
            tuple((call.tool_call_id, call.status) for call in work.store.snapshot().tool_calls),
        )


def _turn_state(turn: TurnWork) -> tuple[object, ...]:
    cancel = None if turn.cancel is None else (turn.cancel.over, turn.cancel.outcome)
    return (
        turn.phase,
        turn.answered,
        turn.inserted,
        turn.sent_busy,
        turn.worked,
        turn.idle_passed,
        cancel,
        turn.outcome,
    )


def is_over(turn: TurnWork) -> bool:
    return turn.phase is Phase.ENDED
