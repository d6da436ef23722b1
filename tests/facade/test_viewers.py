"""Who watches a session: callbacks and iterators, slow ones, hanging ones, and those that were left behind."""

from __future__ import annotations

import asyncio
import gc
import resource
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from acp_client.rpc.messages import Message, notification
from acp_client.session import Turn
from acp_client.state.events import Event, Gap, TextAppended
from tests.kit import Stage, settle_down, stage, within

UPDATES = 200_000
BYTES_PER_UPDATE = 1200
"""What one update may take while it waits for a callback: its event, its model and its text."""


async def test_viewers_left_behind_cost_nothing(scene: Stage) -> None:
    """Ours: an iteration that was left is forgotten with the next event, and nobody had to close it."""
    listeners = len(scene.session._work.listeners)
    for _ in range(50):
        async for _ in aiter_once(scene):
            break
    gc.collect()
    scene.chunk("x")
    assert len(scene.session._work.listeners) == listeners
    assert scene.session._subscriptions._inboxes == []


def aiter_once(scene: Stage) -> Any:
    events = scene.session.events()
    scene.chunk("one event, so that the iteration begins")
    return events


async def test_turn_iterators_left_behind_are_forgotten_while_the_turn_runs(scene: Stage) -> None:
    """Ours: the turn does not hold what nobody iterates any more."""
    turn = scene.begin()
    for _ in range(20):
        aiter(turn)
    gc.collect()
    scene.chunk("x")
    assert scene.session._subscriptions._inboxes == []
    scene.finish()
    assert (await within(turn)).stop_reason == "end_turn"


async def direct(turn: Turn) -> None:
    await turn


async def in_a_task(turn: Turn) -> None:
    await asyncio.wait_for(turn.wait(), 60)


async def gathered(turn: Turn) -> None:
    await asyncio.gather(turn.wait(), turn.wait())


async def shielded(turn: Turn) -> None:
    await asyncio.shield(asyncio.ensure_future(turn.wait()))


@pytest.mark.parametrize("wait", [direct, in_a_task, gathered, shielded])
@pytest.mark.parametrize("callbacks", [1, 2])
async def test_a_wait_inside_a_callback_does_not_wait_for_itself(
    scene: Stage, wait: Callable[[Turn], Awaitable[None]], callbacks: int
) -> None:
    """Ours: nor in a task that the callback started, nor do two callbacks wait for each other."""
    turn = scene.begin()
    waited: list[int] = []

    def waiting(number: int) -> Callable[[Event], Awaitable[None]]:
        async def callback(event: Event) -> None:
            if isinstance(event, TextAppended):
                await wait(turn)
                waited.append(number)

        return callback

    for number in range(callbacks):
        scene.session.on_update(waiting(number))
    scene.chunk("x")
    await settle_down()
    scene.finish()
    result = await within(turn)
    assert sorted(waited) == list(range(callbacks))
    assert not result.callbacks_late


async def test_a_task_that_outlives_its_callback_waits_like_everybody(scene: Stage) -> None:
    """Ours: only the call that is under way is left out of the wait."""
    tasks: list[asyncio.Task[Any]] = []
    release = asyncio.Event()

    async def callback(event: Event) -> None:
        if isinstance(event, TextAppended) and event.text == "first":
            tasks.append(asyncio.ensure_future(turn.wait()))
        elif isinstance(event, TextAppended):
            await release.wait()

    turn = scene.begin()
    scene.session.on_update(callback)
    scene.chunk("first")
    await settle_down()
    scene.chunk("second")
    scene.finish()
    await settle_down()
    assert not tasks[0].done()
    release.set()
    assert not (await within(tasks[0])).callbacks_late


async def test_a_callback_that_is_too_slow_is_told_of(version: int, caplog: pytest.LogCaptureFixture) -> None:
    """Ours: the result comes after the grace, says so, and the log does once."""

    async def hangs(event: Event) -> None:
        await asyncio.Event().wait()

    async with stage(version, callback_grace=0.01) as scene:
        scene.session.on_update(hangs)
        for _ in range(3):
            turn = scene.begin()
            scene.chunk("x")
            scene.finish()
            assert (await within(turn)).callbacks_late
    assert sum("behind" in record.message for record in caplog.records) == 1


async def test_closing_ends_callbacks_that_hang(version: int) -> None:
    """Ours: of open sessions and of closed ones; nothing of ours runs on after `aclose`."""
    ended: list[str] = []

    async with stage(version, callback_grace=0.01) as scene:
        other = await scene.client.new_session("/project")
        for session in (scene.session, other):

            async def hangs(event: Event, session_id: str = session.id) -> None:
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.append(session_id)

            session.on_update(hangs)
            scene.chunk("x", session=session)
        closing = asyncio.ensure_future(other.close())
        await settle_down()
        scene.agent.respond(scene.written("session/close")[0]["id"], {})
        await within(closing)
        expected = {scene.session.id, other.id}
    await settle_down()
    assert set(ended) == expected


async def test_closing_delivers_what_had_come(scene: Stage) -> None:
    """Ours: a callback that is behind, but not hanging, gets everything."""
    seen: list[str] = []

    async def slow(event: Event) -> None:
        await asyncio.sleep(0)
        if isinstance(event, TextAppended):
            seen.append(event.text)

    scene.session.on_update(slow)
    for number in range(100):
        scene.chunk(str(number))
    await within(scene.client.aclose())
    assert seen == [str(number) for number in range(100)]


async def test_hundreds_of_thousands_of_updates_wait_in_order_and_in_bounds(scene2: Stage) -> None:
    """PF-02, ST-09: a callback sleeps while they come and gets each of them; an iterator gets their sum."""
    turn = scene2.begin()
    awake, taken = asyncio.Event(), 0

    async def sleeps(event: Event) -> None:
        nonlocal taken
        await awake.wait()
        if isinstance(event, TextAppended):
            assert event.text == f"{taken:07d}"
            taken += event.count

    scene2.session.on_update(sleeps)
    events = scene2.session.events()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for start in range(0, UPDATES, 1000):
        scene2.agent.send_batch([chunk(scene2, number) for number in range(start, start + 1000)])
    assert scene2.answer_to(scene2.request("no/such", {}))["error"]["code"] == -32601
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * 1024 < UPDATES * BYTES_PER_UPDATE
    awake.set()
    scene2.finish()
    await within(turn)
    assert taken == UPDATES
    merged = [event async for event in counted(events, UPDATES)]
    assert sum(event.count for event in merged) >= UPDATES
    assert len(merged) < 100
    assert not any(isinstance(event, Gap) for event in merged)
    assert "".join(event.text for event in merged if isinstance(event, TextAppended))[:14] == "00000000000001"


def chunk(scene: Stage, number: int) -> Message:
    content = {"type": "text", "text": f"{number:07d}"}
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "a1", "content": content}
    return notification("session/update", {"sessionId": scene.session.id, "update": update})


async def counted(events: Any, total: int) -> Any:
    got = 0
    async for event in events:
        got += event.count
        yield event
        if got >= total:
            return
