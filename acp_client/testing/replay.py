"""Plays a recorded conversation as an agent: what it wrote then, when the client has written what it wrote then."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from acp_client.errors import UsageError
from acp_client.rpc.messages import Json, Message, decode, encode, success
from acp_client.testing.recording import RECEIVED, SENT, Line
from acp_client.transports.memory import MemoryTransport

MINIMAL: Mapping[int, Json] = {
    1: {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}},
    2: {"protocolVersion": 2, "info": {"name": "replay", "version": "1"}, "capabilities": {"session": {}}},
}
"""What `initialize` is answered with where the recording begins after it."""


class ReplayedAgent:
    """The agent of a recording, in memory; give its `transport` to `Client.connect`.

    The client may write more or less than was recorded: a message of the agent waits for the client's message before
    it, found by method (or, for an answer, by the id of the agent's request). Ids of the client's requests are those of
    today, everything else is as recorded. `waiting_for` says what the next message of the agent waits for.
    """

    def __init__(self, lines: Iterable[Line], protocol: int = 2) -> None:
        self.transport = MemoryTransport()
        self.transport.agent.on_messages = self._on_messages
        self._protocol = protocol
        kept = [line for line in lines if isinstance(line.msg, dict) or line.dir == RECEIVED]
        asked = {repr(line.msg["id"]) for line in kept if line.dir == RECEIVED and _is_request(line.msg)}
        # An answer to a request that was cut out of the recording will never come again.
        self._lines = deque(line for line in kept if line.dir == RECEIVED or _is_expected(line.msg, asked))
        self._has_handshake = any(line.dir == SENT and line.msg.get("method") == "initialize" for line in self._lines)
        self._heard: list[Message] = []
        self._ids: dict[Json, Json] = {}
        """Recorded id of a request of the client, as text, to the id it has now."""

    @classmethod
    def from_file(cls, path: str | Path, protocol: int = 2) -> Self:
        """Read a recording: one JSON object a line, with `dir` ("c2a" or "a2c") and `msg`, as `Line` has them."""
        lines = []
        for number, text in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
            try:
                entry = json.loads(text)
                lines.append(Line(entry.get("t", 0.0), entry["dir"], entry["msg"]))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise UsageError(f"{path}, line {number}: no line of a recording ({error})") from None
        return cls(lines, protocol)

    @property
    def waiting_for(self) -> str | None:
        """The method, or "an answer to ...", that the recording waits for; None when all of it was played."""
        return _named(self._lines[0].msg) if self._lines else None

    def _on_messages(self, messages: Sequence[bytes]) -> None:
        for message in messages:
            heard = decode(message)
            if heard.get("method") == "initialize" and not self._has_handshake:
                self._write(success(heard["id"], MINIMAL[self._protocol]))
            else:
                self._heard.append(heard)
        self._play()

    def _play(self) -> None:
        while self._lines:
            line = self._lines[0]
            if line.dir == SENT and not self._has_heard(line.msg):
                return
            self._lines.popleft()
            if line.dir == RECEIVED:
                self._write(self._addressed(line.msg))

    def _has_heard(self, recorded: Message) -> bool:
        for position, message in enumerate(self._heard):
            if _named(message) == _named(recorded):
                del self._heard[position]
                if "method" in recorded and "id" in recorded:
                    self._ids[repr(recorded["id"])] = message["id"]
                return True
        return False

    def _addressed(self, message: Json) -> Json:
        if isinstance(message, dict) and "method" not in message and repr(message.get("id")) in self._ids:
            return {**message, "id": self._ids[repr(message["id"])]}
        return message

    def _write(self, message: Json) -> None:
        self.transport.agent.send([message if isinstance(message, str) else encode(message)])


def _is_request(message: Json) -> bool:
    return isinstance(message, dict) and "method" in message and "id" in message


def _is_expected(message: Message, asked: set[Json]) -> bool:
    return "method" in message or repr(message.get("id")) in asked


def _named(message: Json) -> str:
    """Return what a message of the client is recognised by."""
    return message.get("method") or f"an answer to {message.get('id')!r}" if isinstance(message, dict) else "noise"
