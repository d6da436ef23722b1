"""Agents as a command line meets them: `python -m tests.cli.agents SCENARIO` is one that behaves in a known way.

Written against the wire alone, so that the command line is tested against something that shares no code with it.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Message = dict[str, Any]

OPTIONS = [
    {"optionId": "ok-id", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always-id", "name": "Allow always", "kind": "allow_always"},
    {"optionId": "no-id", "name": "Reject", "kind": "reject_once"},
]


def send(**message: Any) -> None:
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def received() -> Iterator[Message]:
    """Read messages until the client leaves."""
    for line in sys.stdin:
        yield json.loads(line)


def update(kind: str, **fields: Any) -> None:
    """Send one update of the one session."""
    send(method="session/update", params={"sessionId": "s1", "update": {"sessionUpdate": kind, **fields}})


def say(text: str) -> None:
    """Stream some text."""
    update("agent_message_chunk", content={"type": "text", "text": text})


class Agent:
    """A version 1 agent with one session. `on_prompt` is what it does with a prompt; the rest is manners."""

    def __init__(self, on_prompt: Callable[[Agent, Any], None]) -> None:
        self.on_prompt = on_prompt
        self.prompt_id: Any = None
        self.answers: dict[Any, Callable[[Any], None]] = {}
        self.on_cancel: Callable[[], None] = lambda: self.end("cancelled")
        self.version: Any = 1
        self.auth_methods: list[Message] = []
        self.on_new_session: Callable[[Any], None] = lambda request_id: send(id=request_id, result={"sessionId": "s1"})

    def run(self) -> None:
        """Serve until the client leaves."""
        for message in received():
            match message:
                case {"method": "initialize", "id": request_id}:
                    result = {
                        "protocolVersion": self.version,
                        "agentCapabilities": {},
                        "authMethods": self.auth_methods,
                    }
                    send(id=request_id, result=result)
                case {"method": "session/new", "id": request_id}:
                    self.on_new_session(request_id)
                case {"method": "session/prompt", "id": request_id}:
                    self.prompt_id = request_id
                    self.on_prompt(self, message["params"])
                case {"method": "session/cancel"}:
                    self.on_cancel()
                case {"id": request_id} if request_id in self.answers:
                    self.answers.pop(request_id)(message.get("result"))

    def end(self, reason: str) -> None:
        """Answer the prompt."""
        send(id=self.prompt_id, result={"stopReason": reason})

    def ask(self, then: Callable[[Any], None], options: list[Message] = OPTIONS, kind: str = "edit") -> None:
        """Ask for permission."""
        call = {"toolCallId": "t1", "title": "Write hello.txt", "kind": kind}
        params = {"sessionId": "s1", "toolCall": call, "options": options}
        self.answers[70] = then
        send(id=70, method="session/request_permission", params=params)


def asking(options: list[Message] = OPTIONS, kind: str = "edit") -> Agent:
    """Asks once, and says in its text what it was answered."""

    def on_prompt(agent: Agent, params: Any) -> None:
        def answered(result: Any) -> None:
            say(f"outcome: {result['outcome'].get('optionId', result['outcome']['outcome'])}")
            agent.end("end_turn")

        agent.ask(answered, options, kind)

    return Agent(on_prompt)


def replying(text: str, reason: str = "end_turn") -> Agent:
    """Says one thing and ends."""

    def on_prompt(agent: Agent, params: Any) -> None:
        say(text)
        agent.end(reason)

    return Agent(on_prompt)


def refusing_prompts() -> Agent:
    """Answers prompts with an error."""
    return Agent(lambda agent, params: send(id=agent.prompt_id, error={"code": -32603, "message": "model is down"}))


def dying(agent: Agent, params: Any) -> None:
    """Dies in the middle of a turn."""
    say("half an ans")
    sys.stderr.write("FATAL: out of memory\n")
    sys.exit(7)


def deaf_to_cancel(agent: Agent, params: Any) -> None:
    """Works on, whatever comes."""
    agent.on_cancel = lambda: None
    say("working")


def stubborn(agent: Agent, params: Any) -> None:
    """Ignores the cancel, the end of its input and SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path(sys.argv[2]).write_text("working", encoding="utf-8")
    say("working")
    agent.on_cancel = lambda: None
    agent.run()
    signal.pause()


def asking_until_cancelled(agent: Agent, params: Any) -> None:
    """Asks, and ends as cancelled once it was cancelled and its question was answered."""
    outcome: list[str] = []

    def answered(result: Any) -> None:
        outcome.append(result["outcome"]["outcome"])
        say(f"outcome: {outcome[0]}")
        agent.end("cancelled")

    agent.on_cancel = lambda: None
    agent.ask(answered)


def with_version(version: Any) -> Agent:
    """Answers `initialize` with some version."""
    agent = replying("hi")
    agent.version = version
    return agent


def wanting_login() -> Agent:
    """Lets nobody open a session."""
    agent = replying("hi")
    agent.auth_methods = [{"id": "key", "name": "API key"}]
    agent.on_new_session = lambda request_id: send(id=request_id, error={"code": -32000, "message": "log in first"})
    return agent


def with_nonsense_session() -> Agent:
    """Answers `session/new` with nonsense."""
    agent = replying("hi")
    agent.on_new_session = lambda request_id: send(id=request_id, result={"sessionId": 42})
    return agent


MENU = [
    {"optionId": "plan-a", "name": "Plan A", "kind": "allow_once"},
    {"optionId": "plan-b", "name": "Plan B", "kind": "allow_once"},
]


def chattering(agent: Agent, params: Any) -> None:
    """Says far more than a pipe holds, and leaves a file when all of it was taken."""
    for number in range(20_000):
        say(f"line {number}\n")
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text("written", encoding="utf-8")
    agent.end("end_turn")


def _complain(code: int) -> int:
    sys.stderr.write("FATAL: no API key\n")
    return code


def _noise() -> None:
    sys.stdout.write("Database migrated\n\x1b[32mready\x1b[0m\n")
    replying("hello\n").run()


def _noise_only() -> None:
    sys.stdout.write("Usage: my-tool FILE\n")
    sys.exit(1)


def _silent() -> None:
    Path(sys.argv[2]).write_text("started", encoding="utf-8")
    for _ in received():
        pass


def _nonsense() -> None:
    for message in received():
        send(id=message["id"], result=["what", "is", "this"])


SCENARIOS: dict[str, Callable[[], None]] = {
    "exit": lambda: sys.exit(_complain(4)),
    "noise": _noise,
    "noise-only": _noise_only,
    "silent": _silent,
    "nonsense": _nonsense,
    "version-3": lambda: with_version(3).run(),
    "version-text": lambda: with_version("two").run(),
    "login": lambda: wanting_login().run(),
    "bad-session": lambda: with_nonsense_session().run(),
    "reply": lambda: replying("hello\n").run(),
    "escapes": lambda: replying("a\x1b]0;title\x07b\x1b[31mc\u202ed\r\n").run(),
    "refusal": lambda: replying("I will not", "refusal").run(),
    "limit": lambda: replying("and so", "max_tokens").run(),
    "failing": lambda: refusing_prompts().run(),
    "dying": lambda: Agent(dying).run(),
    "ask": lambda: asking().run(),
    "ask-read": lambda: asking(kind="read").run(),
    "ask-always-only": lambda: asking(OPTIONS[1:2]).run(),
    "ask-menu": lambda: asking(MENU).run(),
    "ask-until-cancelled": lambda: Agent(asking_until_cancelled).run(),
    "chatter": lambda: Agent(chattering).run(),
    "deaf": lambda: Agent(deaf_to_cancel).run(),
    "stubborn": lambda: Agent(stubborn).run(),
}


if __name__ == "__main__":
    SCENARIOS[sys.argv[1]]()
