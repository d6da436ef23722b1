"""A stage for hosts without a loop: a scripted agent in memory, a blocking client, and both reachable from a thread."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from acp_client.blocking import Client, LoopThread, Session, Turn
from acp_client.host import LATER, Host, Later
from acp_client.policy.questions import PendingPermission
from acp_client.rpc.messages import Json, Message
from acp_client.testing import ScriptedAgent

T = TypeVar("T")

BOUND = 5.0
"""Seconds within which everything that has to happen does."""

CANCELLED = {"outcome": {"outcome": "cancelled"}}


def selected(option_id: str) -> Json:
    """The outcome of a choice."""
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


class Undecided(Host):
    """A host that leaves every question open."""

    def request_permission(self, question: PendingPermission) -> Later:
        return LATER


class BlockingStage:
    """One client, one agent, one session. The agent belongs to the loop, so every word of it crosses over."""

    def __init__(self, thread: LoopThread, agent: ScriptedAgent, client: Client, session: Session) -> None:
        self.thread, self.agent, self.client, self.session = thread, agent, client, session

    # the agent

    def do(self, step: Callable[[], T]) -> T:
        """Have the agent do something on the loop, and return when the client has taken it."""
        return self.thread.call(step)

    def later(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Let the agent act by itself while the test's thread is blocked."""
        future = self.thread.submit(coroutine)
        future.add_done_callback(lambda done: done.cancelled() or done.exception())

    def chunk(self, text: str, message_id: str = "a1") -> None:
        self.do(lambda: self.agent.chunk(self.session.id, text, message_id))

    def ask_permission(self, tool_call_id: str = "t1", session: Session | None = None) -> Json:
        return self.do(lambda: self.agent.ask_permission((session or self.session).id, tool_call_id))

    def finish(self, stop_reason: str = "end_turn") -> None:
        """End the latest prompt."""
        prompt_id = self.written("session/prompt")[-1]["id"]
        self.do(lambda: self.agent.finish(prompt_id, self.session.id, stop_reason))

    def written(self, method: str) -> list[Message]:
        """What the client wrote with this method."""
        return [message for message in self.agent.written if message.get("method") == method]

    def answer_to(self, request_id: Json) -> Json:
        """The result the client gave, once it is there."""
        answer: Json = self.thread.run(self.agent.answer_to(request_id))
        return answer["result"]

    def next(self, method: str) -> Message:
        """The next message of that method, once it is there."""
        return self.thread.run(self.agent.next(method))

    # the client

    def begin(self, text: str = "go", **options: Any) -> Turn:
        """Prompt, and let the agent insert the message and begin."""
        turn = self.session.prompt(text, **options)
        self.accept()
        return turn

    def accept(self) -> None:
        """In version 2 the agent says that it works on the latest prompt."""
        if self.agent.protocol == 2:
            prompt_id = self.written("session/prompt")[-1]["id"]
            self.do(lambda: self.agent.respond(prompt_id, {"messageId": f"u{prompt_id}"}))
            self.do(lambda: self.agent.update(self.session.id, {"sessionUpdate": "state_update", "state": "running"}))


@contextmanager
def blocking_stage(version: int, host: Host | None = None, **options: Any) -> Iterator[BlockingStage]:
    """Open a blocking client with a session against a scripted agent of one version."""
    thread = LoopThread.start(name="test loop")
    agent = thread.call(lambda: ScriptedAgent(protocol=version, **options.pop("agent", {})))
    try:
        with Client.connect(agent.transport, host, thread=thread, **options) as client:
            yield BlockingStage(thread, agent, client, client.new_session("/project"))
    finally:
        thread.close()


class InThread:
    """Something that runs in another thread, and what became of it."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self.value: Any = None
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.value = self._function()
        except BaseException as error:
            self.error = error

    def result(self) -> Any:
        """Wait for the end, bounded, and return or raise what it was."""
        self.thread.join(BOUND)
        assert not self.thread.is_alive(), "still running"
        if self.error is not None:
            raise self.error
        return self.value


def interrupt_main() -> None:
    """Press Ctrl-C in the main thread, from any other one."""
    signal.pthread_kill(threading.main_thread().ident or os.getpid(), signal.SIGINT)
