"""Our client, on the public API.

Variants: `update`           counts calls of `on_update`; `events` what `events()` yields, whose counts add up
          `sleep`            S9: one of the `on_update` callbacks, a coroutine function, sleeps for three seconds
          `events-sleep`     S9: the consumer of `events()` sleeps as long
          `blocking`         S9: the same through `acp_client.blocking` with a callback that blocks its thread
          `blocking-events`  S9: the same with a thread that iterates over the events
"""

from __future__ import annotations

import asyncio
import shlex
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import acp_client
from acp_client import (
    LATER,
    Event,
    Host,
    Message,
    Session,
    SessionSnapshot,
    StateChanged,
    TextAppended,
    allow_all,
    blocking,
)
from integration.bench.scenarios import Arguments, Driver, Holding, Tally, main

SLEEP = 3.0
"""S9: seconds for which the consumer sleeps at its first update."""

LOOK_EVERY = 100
"""S8: updates after which each of the two viewers takes a snapshot."""


class HoldingHost(Host):
    """Leaves permission requests open for the scenario that cancels them."""

    def __init__(self) -> None:
        self.holding: Holding | None = None

    async def request_permission(self, question: acp_client.PendingPermission) -> Any:
        assert self.holding is not None
        self.holding.hold(question)
        return LATER


def counts(update: Event) -> bool:
    """Say whether an event stands for updates of the workload: the state that ends a turn is none of them."""
    return update.count > 0 and type(update) is not StateChanged


def text_of(update: Event) -> int:
    """Return how many characters of the agent's text an update brought."""
    return len(update.text) if type(update) is TextAppended and update.role == "agent" else 0


class Viewer:
    """S8: looks at the whole session now and then, and at its last message, as something that redraws does."""

    def __init__(self, session: Session, tally: Tally, offset: int) -> None:
        self._session, self._tally, self._left = session, tally, offset
        self.seen = 0
        session.on_update(self.see)

    def see(self, update: Event) -> None:
        self._left -= update.count
        if self._left <= 0:
            self._left += LOOK_EVERY
            snapshot: SessionSnapshot = self._session.snapshot
            last = snapshot.items[-1]
            self.seen = len(last.text) if isinstance(last, Message) else 0
            self._tally.mark_half()


class Ours:
    """What all variants on asyncio share; permission requests are decided by the policy that ships."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.tally = Tally()
        self.host = HoldingHost()
        self.sessions: dict[str, Session] = {}
        self.consumers: list[asyncio.Task[None]] = []

    @property
    def holding(self) -> Holding | None:
        return self.host.holding

    @holding.setter
    def holding(self, holding: Holding | None) -> None:
        self.host.holding = holding

    async def connect(self) -> None:
        arguments = self.arguments
        self.client = await acp_client.Client.connect(
            shlex.split(arguments.agent) if arguments.transport == "stdio" else arguments.url,
            self.host,
            protocol=1 if arguments.proto == 1 else 2,
            permissions=None if arguments.scenario == "S4cancel" else allow_all,
        )

    async def new_session(self) -> str:
        session = await self.client.new_session("/tmp")
        self.sessions[session.id] = session
        await self.watch(session)
        if self.arguments.scenario == "S8":
            self.viewers = [Viewer(session, self.tally, offset) for offset in (LOOK_EVERY, LOOK_EVERY // 2)]
        return session.id

    async def watch(self, session: Session) -> None:
        """Count what the session brings, in the way of the variant."""
        watch: dict[str, Callable[[Session], Awaitable[None]]] = {
            "update": self._by_callback,
            "events": self._by_events,
            "sleep": self._by_sleeping_callback,
            "events-sleep": self._by_sleeping_events,
        }
        await watch[self.arguments.variant or "update"](session)

    async def _by_callback(self, session: Session) -> None:
        hit = self.tally.hit

        def count(update: Event) -> None:
            if type(update) is TextAppended:
                hit(len(update.text) if update.role == "agent" else 0, update.count)
            elif counts(update):
                hit(0, update.count)

        session.on_update(count)

    async def _by_events(self, session: Session, pause: float = 0.0) -> None:
        events = session.events()

        async def consume() -> None:
            rest = pause
            async for update in events:
                if type(update) is TextAppended:
                    self.tally.hit(len(update.text) if update.role == "agent" else 0, update.count)
                elif counts(update):
                    self.tally.hit(0, update.count)
                if rest:
                    await asyncio.sleep(rest)
                    rest = 0.0

        self.consumers.append(asyncio.ensure_future(consume()))

    async def _by_sleeping_callback(self, session: Session) -> None:
        rest = SLEEP

        async def count(update: Event) -> None:
            nonlocal rest
            if counts(update):
                self.tally.hit(text_of(update), update.count)
            if rest:
                pause, rest = rest, 0.0
                await asyncio.sleep(pause)

        session.on_update(count)

    async def _by_sleeping_events(self, session: Session) -> None:
        await self._by_events(session, SLEEP)

    async def prompt(self, session_id: str) -> object:
        return (await self.sessions[session_id].prompt("go").wait()).meta

    async def echo(self, session_id: str) -> object:
        return await self.client.request("session/set_mode", {"sessionId": session_id, "modeId": "code"})

    async def cancel(self, session_id: str) -> None:
        self.sessions[session_id].cancel()

    def extra(self) -> dict[str, object]:
        if self.arguments.scenario != "S8":
            return {}
        (session,) = self.sessions.values()
        return {"messages": len(session.snapshot.messages), "viewers_saw": [viewer.seen for viewer in self.viewers]}


class Blocking:
    """S9 for a host with threads: its callback, or the thread that reads the events, blocks."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.tally = Tally()
        self.holding: Holding | None = None
        self.delivered = threading.Event()
        self.queue = blocking.DrainQueue() if arguments.variant == "blocking" else None

    async def connect(self) -> None:
        await asyncio.to_thread(self._connect)

    def _connect(self) -> None:
        arguments = self.arguments
        self.client = blocking.Client.connect(
            shlex.split(arguments.agent) if arguments.transport == "stdio" else arguments.url,
            protocol=1 if arguments.proto == 1 else 2,
            permissions=allow_all,
            post=self.queue.post if self.queue is not None else None,
        )

    async def new_session(self) -> str:
        self.session = await asyncio.to_thread(self.client.new_session, "/tmp")
        self.loop = asyncio.get_running_loop()
        if self.queue is not None:
            await asyncio.to_thread(self.session.on_update, self._sleepy_count())
            work: Callable[[], None] = self._drain
        else:
            events = await asyncio.to_thread(self.session.events)
            work = partial(self._iterate, events)
        threading.Thread(target=work, daemon=True).start()
        return self.session.id

    def _drain(self) -> None:
        """The host's own thread: runs what the client posts."""
        assert self.queue is not None
        while not self.delivered.is_set():
            self.queue.drain()
            time.sleep(0.01)

    def _iterate(self, events: blocking.Events) -> None:
        count = self._sleepy_count()
        for update in events:
            count(update)

    def _sleepy_count(self) -> Callable[[Event], None]:
        rest = SLEEP

        def count(update: Event) -> None:
            nonlocal rest
            self._count(update)
            if rest:
                pause, rest = rest, 0.0
                time.sleep(pause)

        return count

    def _count(self, update: Event) -> None:
        if counts(update):
            self.loop.call_soon_threadsafe(self.tally.hit, text_of(update), update.count)

    async def prompt(self, session_id: str) -> object:
        meta = (await asyncio.to_thread(self.session.prompt("go").wait)).meta
        assert self.tally.done is not None
        self.tally.done.add_done_callback(lambda _: self.delivered.set())
        return meta

    async def echo(self, session_id: str) -> object:
        raise NotImplementedError("only S9 is run with threads")

    async def cancel(self, session_id: str) -> None:
        raise NotImplementedError("only S9 is run with threads")

    def extra(self) -> dict[str, object]:
        return {}


def make(arguments: Arguments) -> Driver:
    return Blocking(arguments) if arguments.variant.startswith("blocking") else Ours(arguments)


if __name__ == "__main__":
    main(make)
