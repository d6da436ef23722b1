"""An independent reading of the cancellation rules: it watches events and the wire, and says what is wrong.

It keeps its own window, computed from what was sent and received alone, so that a mistake in the core cannot hide in
the model that checks it.
"""

from __future__ import annotations

from acp_client.policy.turns import TurnWork
from acp_client.rpc.messages import Message
from tests.explorer.world import World, is_over


class Judge:
    """Watches one world from its first event."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.doomed: set[int] = set()
        self._decided: set[int] = set()
        self._window = False
        self._narrow = False
        self._covered: set[int] = set()
        self._state = "idle"
        self._idled: list[TurnWork] = []
        self._seen = 0
        self._wire_when_lost = -1

    def watch(self, letter: str) -> str | None:
        """Take note of one event that has just been done. Returns what is wrong, or None."""
        written = self.world.wire[self._seen :]
        self._seen = len(self.world.wire)
        self._on_wire(letter, written)
        self._on_event(letter)
        return self._fault(letter, written)

    def state(self) -> tuple[object, ...]:
        """What the judge remembers: worlds that differ in it are different."""
        return (frozenset(self.doomed), frozenset(self._decided), self._window, self._narrow, self._state)

    def _on_wire(self, letter: str, written: list[Message]) -> None:
        methods = [message.get("method") for message in written]
        if "session/cancel" in methods:
            open_now = {n for n in self.world.asked if n not in self._decided}
            self.doomed |= open_now
            self._covered = set(self.world.unanswered())
            busy = bool(self._covered) or self._state != "idle" or bool(self._live())
            self._window, self._narrow = busy, False
        if "session/prompt" in methods and self._window:
            self._narrow = True

    def _on_event(self, letter: str) -> None:
        match letter.split():
            case ["ask", number]:
                if self._window and not self._narrow:
                    self.doomed.add(int(number))
            case ["click" | "retract", number]:
                self._decided.add(int(number))
            case ["running"]:
                self._state = "running"
            case ["idle", _]:
                self._state, self._window = "idle", False
                self._idled = [turn for turn in self.world.turns if is_over(turn) and turn.inserted]
            case ["answer", _]:
                self._on_answer()
            case ["lost"]:
                self._wire_when_lost = len(self.world.wire)
        self._decided |= self.doomed

    def _on_answer(self) -> None:
        owed = self._covered & set(self.world.unanswered())
        if owed:
            return
        if self.world.version == 1 or (self._state == "idle" and not self._live()):
            self._window = False

    def _live(self) -> list[int]:
        """Prompts that were inserted and whose work has not been seen to end: it may begin at any moment."""
        return [
            turn.request.id for turn in self.world.turns if turn.request and turn.may_work and turn not in self._idled
        ]

    def _fault(self, letter: str, written: list[Message]) -> str | None:
        world = self.world
        for number in world.asked:
            answers = world.answers_to(number)
            if len(answers) > 1:
                return f"request {number} was answered {len(answers)} times"
            if number in self._decided and not answers and not world.lost:
                return f"request {number} was decided and is not answered"
            if number in self.doomed and answers and outcome(answers[0]) == "selected" and letter != "lost":
                return f"request {number} was approved although it was cancelled"
        if 0 <= self._wire_when_lost < len(world.wire):
            return "something was written after the connection was lost"
        if "session/cancel" in [m.get("method") for m in written]:
            behind = written[[m.get("method") for m in written].index("session/cancel") + 1 :]
            if any("method" in message for message in behind):
                return "something stands between the cancel and its answers"
        return self._hanging()

    def _hanging(self) -> str | None:
        world = self.world
        if world.lost and not all(is_over(turn) for turn in world.turns):
            return "a turn outlived its connection"
        if world.lost and any(cancel.outcome is None for cancel in world.cancels):
            return "a cancel outlived its connection"
        if world.version == 1 and not world.unanswered():
            if not all(is_over(turn) for turn in world.turns):
                return "a turn outlived the answer of its prompt"
            if any(cancel.outcome is None for cancel in world.cancels):
                return "a cancel outlived the answers it waited for"
        if world.version == 2 and self._state == "idle" and not self._window:
            if any(cancel.outcome is None for cancel in world.cancels):
                return "a cancel outlived the idle it waited for"
        return None


def outcome(answer: Message) -> str:
    """The outcome word of a permission answer, or the code of an error."""
    if "error" in answer:
        return str(answer["error"]["code"])
    word = answer["result"]["outcome"]["outcome"]
    assert isinstance(word, str)
    return word
