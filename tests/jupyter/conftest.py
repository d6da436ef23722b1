"""A notebook without a kernel: a scripted agent, a display that remembers what it is given, a person at `input()`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest

pytest.importorskip("IPython", reason="pip install 'acp-client-sdk[jupyter]'")

from acp_client.blocking import LoopThread
from acp_client.jupyter import LiveTurn, Notebook, buttons
from acp_client.rpc.messages import Json
from acp_client.testing import ScriptedAgent


@attrs.define
class Display:
    """One output of a cell, and everything it has shown."""

    shown: list[dict[str, str]]
    painted: asyncio.Event = attrs.field(factory=asyncio.Event)

    def update(self, view: Any) -> None:
        self.shown.append(view._repr_mimebundle_())
        self.painted.set()

    async def until(self, text: str) -> None:
        """Wait until it shows a text."""
        while text not in self.text:
            self.painted.clear()
            await asyncio.wait_for(self.painted.wait(), 5)

    @property
    def text(self) -> str:
        return self.shown[-1]["text/plain"]


class Person:
    """Somebody at the keyboard, or nobody."""

    def __init__(self) -> None:
        self.answers: list[str | BaseException | Callable[[], str]] = []
        self.questions: list[str] = []

    def __call__(self, prompt: str = "") -> str:
        self.questions.append(prompt)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, str) else answer()


@attrs.define
class Desk:
    """A notebook, its agent and its person."""

    thread: LoopThread
    agent: ScriptedAgent
    nb: Notebook
    displays: list[Display]
    person: Person

    def do(self, step: Callable[[], Any]) -> Any:
        return self.thread.call(step)

    def written(self, method: str) -> list[Any]:
        return [message for message in self.agent.written if message.get("method") == method]

    def chunk(self, text: str) -> None:
        self.do(lambda: self.agent.chunk("s1", text))

    def ask(self, tool_call_id: str = "t1", options: Any = None) -> Json:
        return self.do(lambda: self.agent.ask_permission("s1", tool_call_id, options))

    def answer_to(self, request_id: Json) -> str:
        """The option that was chosen, or "cancelled"."""
        outcome = self.thread.run(self.agent.answer_to(request_id))["result"]["outcome"]
        return str(outcome.get("optionId", outcome["outcome"]))

    def finish(self, stop_reason: str = "end_turn") -> None:
        self.do(lambda: self.agent.finish(self.written("session/prompt")[-1]["id"], "s1", stop_reason))

    def plays(self, *, asks: bool = False, text: str = "hello") -> None:
        """Have the agent play the next turn by itself."""

        async def play() -> None:
            prompt = await self.agent.next_prompt()
            if asks:
                await self.agent.answer_to(self.agent.ask_permission("s1"))
            self.agent.chunk("s1", text)
            self.agent.finish(prompt["id"], "s1")

        self.thread.submit(play())

    def finishes_when_answered(self, request_id: Json) -> None:
        """Have the agent end its turn when a question is answered."""

        async def play() -> None:
            await self.agent.answer_to(request_id)
            self.agent.finish(self.written("session/prompt")[-1]["id"], "s1")

        self.thread.submit(play())

    def stops_when_told(self) -> None:
        """Have the agent end its turn when it is cancelled."""

        async def play() -> None:
            await self.agent.next("session/cancel")
            self.agent.finish(self.written("session/prompt")[-1]["id"], "s1", "cancelled")

        self.thread.submit(play())

    def start(self, **options: Any) -> LiveTurn:
        return self.nb.start("go", **options)


@pytest.fixture
def displays(monkeypatch: pytest.MonkeyPatch) -> list[Display]:
    """What is displayed, in place of a front end."""
    shown: list[Display] = []

    def display(value: Any, **options: Any) -> Display:
        shown.append(Display([value if options.get("raw") else value._repr_mimebundle_()]))
        return shown[-1]

    monkeypatch.setattr("IPython.display.display", display)
    return shown


@pytest.fixture
def desk(displays: list[Display], monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A notebook in version 1, whose agent the test plays."""
    person = Person()
    monkeypatch.setattr("builtins.input", person)
    monkeypatch.setattr(buttons, "in_kernel", lambda: True)
    monkeypatch.setattr(buttons, "available", lambda: False)
    thread = LoopThread.start()
    agent = thread.call(lambda: ScriptedAgent(protocol=1))
    with Notebook(agent.transport, cwd="/project", thread=thread) as nb:
        yield Desk(thread, agent, nb, displays, person)
    thread.close()
