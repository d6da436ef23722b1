"""The scripted agent's end of one connection: what a rule says, hears and checks.

Standard library only, blocking, one thread that reads. The client is any program that starts the agent, opens a session
and prompts once; from then on the agent leads. It tells the program what to do by pieces of an answer, for instance
`host: cancel`, which the program's host code carries out as if a person had pressed a button:

    cancel            cancel the session              allow          click "allow" in every dialog of the session
    withdraw          take the last prompt back       dismiss        close every dialog of the session
    prompt TEXT       send a further prompt           always allow   answer later questions without a dialog
    open              open a second session           fail           let the code that shows dialogs raise
    close             close the session               stop tool ID   ask the agent to stop a tool call
    echo TEXT         send it back in `_kit/echo`     quit           shut down in an orderly way

The program reports the end of each turn in a notification `_kit/turn` with `end`: the stop reason as its library gives
it, or `error CODE`. What it has no means for it says in `_kit/cannot`; what came of a close in `_kit/closed`.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

Message: TypeAlias = dict[str, Any]

PATIENCE = 5.0
"""Seconds a client gets for what it has to write."""

OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]
REPORTS = {
    "_kit/turn": "a report of the turn's end",
    "_kit/closed": "a report of the close",
    "_kit/echo": "what its host was to send back",
}
CANCELLED = {"outcome": {"outcome": "cancelled"}}
REQUEST_CANCELLED = -32800


class Broken(Exception):
    """The client broke the rule; says how."""


class NotShown(Exception):
    """The client offers no means for what the rule is about, or did not come to it; says which."""


def check(holds: bool, otherwise: str) -> None:
    """Go on only if it holds."""
    if not holds:
        raise Broken(otherwise)


class Stage:
    """One connection with a client program, in one protocol version."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.heard: list[Message] = []
        """Every message of the client, in order."""
        self.ended = False
        self.answers_by_itself: dict[str, Callable[[Message], Message]] = {
            "initialize": self._initialize,
            "session/new": self._new_session,
            "session/close": lambda params: {},
        }
        self.client: Message = {}
        """The params of `initialize`."""
        self._sessions = 0
        self._pings = 0
        self._texts = 0
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    # hearing

    def _read(self) -> None:
        for line in sys.stdin.buffer:
            self._lines.put(line)
        self._lines.put(b"")

    def _hear(self, until: float) -> bool:
        """Take one message from the client; False when none comes in time."""
        try:
            line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return False
        if not line:
            self.ended = True
            return False
        message = json.loads(line)
        self.heard.append(message)
        answer = self.answers_by_itself.get(message.get("method"))
        if answer is not None and "id" in message:
            self.result(message["id"], answer(message.get("params") or {}))
        return True

    def wait_until(self, reached: Callable[[], bool], what: str) -> None:
        """Hear until it is reached. Raises `Broken` when it is not, in time."""
        until = time.monotonic() + PATIENCE
        while not reached():
            for message in self.sent("_kit/cannot"):
                raise NotShown(message["params"]["what"])
            if self._hear(until):
                continue
            raise Broken(f"{'closed the connection before' if self.ended else 'did not write'} {what}")

    def wait_for_end(self) -> None:
        """Hear until the client has closed its end."""
        until = time.monotonic() + PATIENCE
        while self._hear(until):
            continue
        check(self.ended, "did not close the connection")

    def sent(self, method: str) -> list[Message]:
        """What the client has sent with this method so far."""
        return [message for message in self.heard if message.get("method") == method]

    def wait_for(self, method: str, count: int = 1) -> Message:
        """Hear until the client has sent so many of this method; returns the last."""
        what = REPORTS.get(method, method if count == 1 else f"{method} a further time")
        self.wait_until(lambda: len(self.sent(method)) >= count, what)
        return self.sent(method)[count - 1]

    def heard_since(self, count: int) -> list[Message]:
        """What the client has written after its first `count` messages, but for answers that it was asked for."""
        return [m for m in self.heard[count:] if not str(m.get("id", "")).startswith("ping-")]

    def answers(self, request_id: object) -> list[Message]:
        """What the client has answered to one request so far."""
        return [m for m in self.heard if "method" not in m and "id" in m and _same(m["id"], request_id)]

    def answer(self, request_id: object) -> Message:
        """Hear until the client has answered a request; it may do so once only."""
        self.wait_until(lambda: bool(self.answers(request_id)), f"an answer to request {request_id!r}")
        return self.only_answer(request_id)

    def only_answer(self, request_id: object) -> Message:
        """Return the one answer to a request, which must be there."""
        answers = self.answers(request_id)
        check(bool(answers), f"did not answer request {request_id!r}")
        check(len(answers) == 1, f"answered request {request_id!r} {len(answers)} times")
        return answers[0]

    def unanswered(self, request_id: object, otherwise: str) -> None:
        """Check that a request is still open."""
        for answer in self.answers(request_id):
            raise Broken(f"{otherwise}: {shown(answer)}")

    def turns(self) -> list[str]:
        """How the turns ended, as the program's host was told."""
        return [message["params"]["end"] for message in self.sent("_kit/turn")]

    def wait_for_turn(self, count: int = 1) -> str:
        """Hear until so many turns have ended; returns how the last did."""
        self.wait_for("_kit/turn", count)
        return self.turns()[count - 1]

    def settle(self) -> None:
        """Let the client do all it does by itself: three round trips of requests that it has to answer."""
        for _ in range(3):
            self._pings += 1
            ping = f"ping-{self._pings}"
            self.send(request(ping, "_kit/ping", {}))
            self.wait_until(lambda ping=ping: bool(self.answers(ping)), "an answer to an unknown request")  # type: ignore[misc]

    # saying

    def send(self, *messages: Message) -> None:
        """Write messages, all in one write."""
        sys.stdout.buffer.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        sys.stdout.buffer.flush()

    def result(self, request_id: object, result: Message) -> None:
        self.send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def error(self, request_id: object, code: int, message: str = "no", data: object = None) -> None:
        error = {"code": code, "message": message, **({} if data is None else {"data": data})}
        self.send({"jsonrpc": "2.0", "id": request_id, "error": error})

    def update(self, kind: str, /, session: str = "s1", **fields: object) -> None:
        self.send(update(kind, session, **fields))

    def state(self, state: str, /, session: str = "s1", **fields: object) -> None:
        """Report a state (version 2)."""
        self.update("state_update", session, state=state, **fields)

    def directs(self, what: str, session: str = "s1") -> Message:
        """Return the message that tells the program's host what to do."""
        self._texts += 1
        content = {"type": "text", "text": f"host: {what}"}
        return update("agent_message_chunk", session, messageId=f"a{self._texts}", content=content)

    def direct(self, what: str, session: str = "s1") -> None:
        """Tell the program's host what to do."""
        self.send(self.directs(what, session))

    def ask(self, request_id: object, tool: str = "t1", session: str = "s1") -> None:
        """Ask for permission."""
        self.send(self.asks(request_id, tool, session))

    def asks(self, request_id: object, tool: str = "t1", session: str = "s1") -> Message:
        """Return a permission request in the shape of the version."""
        call = {"toolCallId": tool, "title": "Run it", "kind": "execute", "status": "pending"}
        params: Message = {"sessionId": session, "options": OPTIONS}
        if self.version == 1:
            params["toolCall"] = call
        else:
            params |= {"title": "Run it?", "subject": {"type": "tool_call", "toolCall": call}}
        return request(request_id, "session/request_permission", params)

    def show_form(self, request_id: object) -> None:
        """Ask for input, if the client shows forms."""
        if self.version == 1:
            shows = (self.client.get("clientCapabilities") or {}).get("elicitation") or {}
        else:
            shows = (self.client.get("capabilities") or {}).get("elicitation") or {}
        if "form" not in shows:
            raise NotShown("shows no forms")
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        params = {"mode": "form", "sessionId": "s1", "message": "Who?", "requestedSchema": schema}
        self.send(request(request_id, "elicitation/create", params))

    def cancel_request(self, request_id: object) -> None:
        """Send `$/cancel_request`."""
        self.send(cancels(request_id))

    # what most rules begin and end with

    def open(self, answered: bool = True) -> Message:
        """Play the opening; returns the client's first prompt, which in version 2 is answered and runs."""
        prompt = self.wait_for("session/prompt")
        if self.version == 2 and answered:
            self.insert(prompt)
        return prompt

    def insert(self, prompt: Message) -> None:
        """Answer a prompt of version 2: its message is in the conversation, and the work begins."""
        self.result(prompt["id"], {"messageId": f"u{prompt['id']}"})
        self.state("running", prompt["params"]["sessionId"])

    def finish(self, prompt: Message, stop_reason: str = "end_turn") -> None:
        """End a turn that runs, as the version does it."""
        if self.version == 1:
            self.result(prompt["id"], {"stopReason": stop_reason})
        else:
            self.state("idle", prompt["params"]["sessionId"], stopReason=stop_reason)

    def prompt_again(self, text: str = "again") -> Message:
        """Have the host send a further prompt and return it."""
        count = len(self.sent("session/prompt"))
        self.direct(f"prompt {text}")
        return self.wait_for("session/prompt", count + 1)

    def cancel(self) -> None:
        """Have the host cancel the session, and hear the cancel."""
        self.direct("cancel")
        self.wait_for("session/cancel")

    def _initialize(self, params: Message) -> Message:
        self.client = params
        info = {"name": "scripted-agent", "version": "1"}
        if self.version == 1:
            offers: Message = {"sessionCapabilities": {"close": {}, "list": {}}}
            return {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": offers, "authMethods": []}
        return {"protocolVersion": 2, "info": info, "capabilities": {"session": {}}, "authMethods": []}

    def _new_session(self, params: Message) -> Message:
        self._sessions += 1
        return {"sessionId": f"s{self._sessions}"}

    @staticmethod
    def leave() -> NoReturn:
        """End the process at once; the thread that reads may still wait."""
        os._exit(0)


def request(request_id: object, method: str, params: Message) -> Message:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def notification(method: str, params: Message) -> Message:
    """Return a notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def update(kind: str, session: str, /, **fields: object) -> Message:
    """Return one `session/update`."""
    return notification("session/update", {"sessionId": session, "update": {"sessionUpdate": kind, **fields}})


def cancels(request_id: object) -> Message:
    """Return a `$/cancel_request`."""
    return notification("$/cancel_request", {"requestId": request_id})


def is_cancelled(answer: Message) -> bool:
    """Whether a permission was answered with the outcome `cancelled`."""
    return answer.get("result") == CANCELLED


def is_approval(answer: Message) -> bool:
    """Whether an answer lets the agent go on."""
    result = answer.get("result") or {}
    return (result.get("outcome") or {}).get("outcome") == "selected" or result.get("action") == "accept"


def code_of(answer: Message) -> object:
    """The error code of an answer, None when it is a result."""
    return (answer.get("error") or {}).get("code")


def shown(answer: Message) -> str:
    """Return the content of an answer as it is quoted in a verdict."""
    return f"`{json.dumps(answer.get('result', answer.get('error')))}`"


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other
