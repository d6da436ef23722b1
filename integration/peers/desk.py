"""What the tests against peers have in common: a host that leaves questions to the test, and the wire of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from acp_client import LATER, Host, PendingElicitation, PendingPermission, TextAppended, Transport, Turn
from acp_client.testing.recording import RECEIVED, SENT, Line, RecordingTransport

T = TypeVar("T")

CANCELLED = {"outcome": {"outcome": "cancelled"}}

PATIENCE = 45.0
"""Seconds for one step of a peer: agents start in 3 s, and machines that build things are slow."""


async def within(awaitable: Awaitable[T]) -> T:
    """Await something that must come, bounded."""
    async with asyncio.timeout(PATIENCE):
        return await awaitable


class Desk(Host):
    """Leaves every permission request open for the test to answer."""

    def __init__(self) -> None:
        self.questions: asyncio.Queue[PendingPermission] = asyncio.Queue()

    async def request_permission(self, question: PendingPermission) -> Any:
        self.questions.put_nowait(question)
        return LATER

    async def asked(self, count: int = 1) -> Sequence[PendingPermission]:
        """Wait for that many further questions."""
        return [await within(self.questions.get()) for _ in range(count)]


class FormDesk(Desk):
    """The same for forms, and for pages to visit."""

    elicitation_modes = frozenset({"form", "url"})

    def __init__(self) -> None:
        super().__init__()
        self.forms: asyncio.Queue[PendingElicitation] = asyncio.Queue()

    async def elicit(self, question: PendingElicitation) -> Any:
        self.forms.put_nowait(question)
        return LATER

    async def form(self) -> PendingElicitation:
        """Wait for the next elicitation."""
        return await within(self.forms.get())


class Wire:
    """Records one connection: pass `wrap` as `on_transport`."""

    def __init__(self) -> None:
        self.recording: RecordingTransport

    def wrap(self, transport: Transport) -> Transport:
        self.recording = RecordingTransport(transport)
        return self.recording

    @property
    def lines(self) -> list[Line]:
        return self.recording.lines

    def sent_since(self, method: str) -> list[Any]:
        """What the client wrote after the last message of this method."""
        sent = self.recording.sent()
        last = max(index for index, message in enumerate(sent) if message.get("method") == method)
        return sent[last + 1 :]

    def requests_of_agent(self, method: str) -> list[Any]:
        """The ids of the agent's requests of this method."""
        return [m["id"] for m in self.recording.received() if m.get("method") == method and "id" in m]

    def answers_to(self, ids: Sequence[Any]) -> list[Any]:
        """What the client answered to requests of the agent."""
        return [m for m in self.recording.sent() if "method" not in m and m.get("id") in ids]

    def place(self, direction: str, fits: Callable[[Any], bool]) -> int:
        """Where the last fitting message stands in the order of the whole connection."""
        places = [n for n, line in enumerate(self.lines) if line.dir == direction and fits(line.msg)]
        assert places, f"no such message among {[line.msg for line in self.lines if line.dir == direction]}"
        return places[-1]

    def end_of_turn(self) -> int:
        """Where the message stands that ended the last turn: version 1's prompt answer, version 2's idle state."""
        prompts = {m["id"] for m in self.recording.sent() if m.get("method") == "session/prompt"}

        def ends(message: Any) -> bool:
            if "stopReason" in (message.get("result") or {}):
                return bool(message["id"] in prompts)
            update = (message.get("params") or {}).get("update") or {}
            return bool(update.get("state") == "idle")

        return self.place(RECEIVED, ends)

    def last_answer(self, ids: Sequence[Any]) -> int:
        """Where the last of the client's answers to these requests stands."""
        return self.place(SENT, lambda message: "method" not in message and message.get("id") in ids)


async def first_text(turn: Turn) -> str:
    """Wait until the turn streams its first piece of an answer."""

    async def look() -> str:
        async for event in turn:
            if isinstance(event, TextAppended) and event.role == "agent":
                return event.text
        raise AssertionError(f"the turn ended without a text: {turn.result}")

    return await within(look())
