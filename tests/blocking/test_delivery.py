"""Callbacks of turns that nobody waits for: on the host's thread, in order, each once."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import pytest

from acp_client.blocking import DrainQueue, Turn
from acp_client.errors import ConnectionLost
from acp_client.state.events import Gap, TextAppended
from tests.blocking.kit import BOUND, BlockingStage, InThread, blocking_stage
from tests.blocking.test_questions import HostThread


def test_post_is_the_only_way_to_the_callbacks(version: int) -> None:
    """H3: events and the end come on the host's thread, while it serves what is posted."""
    home, threads = HostThread(), set()
    events: list[Any] = []
    done: list[Turn] = []

    def on_event(event: Any) -> None:
        threads.add(threading.get_ident())
        events.append(event)

    def on_done(turn: Turn) -> None:
        threads.add(threading.get_ident())
        done.append(turn)

    with blocking_stage(version, post=home.queue.post) as play:
        turn = play.session.start("x", on_event=on_event, on_done=on_done)
        play.accept()
        play.chunk("a")
        play.finish()
        home.until(lambda: done)
        assert done == [turn]
        assert turn.result.text == "a"
    assert threads == {home.ident}
    assert events[-1].type == "turn_ended"


def test_order_is_kept_under_ten_thousand_chunks(version: int) -> None:
    """H3: a slow host gets fewer and longer texts, and all of it in order."""
    home = HostThread()
    texts: list[str] = []
    counts: list[int] = []
    done: list[Turn] = []

    def on_event(event: Any) -> None:
        assert not isinstance(event, Gap)
        if isinstance(event, TextAppended) and event.role == "agent":
            texts.append(event.text)
            counts.append(event.count)

    with blocking_stage(version, post=home.queue.post) as play:
        play.session.start("x", on_event=on_event, on_done=done.append)
        play.accept()

        def stream() -> None:
            for number in range(10_000):
                play.agent.chunk(play.session.id, f"{number} ")

        flood = InThread(lambda: play.do(stream))
        home.until(lambda: texts)
        flood.result()
        play.finish()
        home.until(lambda: done)
    assert "".join(texts) == "".join(f"{number} " for number in range(10_000))
    assert sum(counts) == 10_000
    assert len(texts) < 10_000


def test_on_update_gets_every_single_event_on_the_hosts_thread(version: int) -> None:
    """H3: the lossless subscription, in order; ending it ends it."""
    home = HostThread()
    texts: list[str] = []
    threads: set[int] = set()

    def on_update(event: Any) -> None:
        threads.add(threading.get_ident())
        if isinstance(event, TextAppended) and event.role == "agent":
            texts.append(event.text)

    with blocking_stage(version, post=home.queue.post) as play:
        end = play.session.on_update(on_update)
        play.begin()
        for number in range(500):
            play.chunk(str(number))
        home.until(lambda: len(texts) == 500)
        end()
        play.chunk("unseen")
        home.queue.drain()
    assert texts == [str(number) for number in range(500)]
    assert threads == {home.ident}


def test_without_post_callbacks_run_on_the_loop(play: BlockingStage) -> None:
    """Ours: as `on_update` in the asyncio façade, and a coroutine function may be slow."""
    threads: list[int] = []
    ended = threading.Event()

    async def slow(event: Any) -> None:
        threads.append(threading.get_ident())

    play.session.on_update(lambda event: threads.append(threading.get_ident()))
    play.session.on_update(slow)
    turn = play.session.start("x", on_event=lambda event: threads.append(threading.get_ident()))
    play.accept()
    play.chunk("a")
    play.finish()
    turn.wait()
    play.session.start("y", on_done=lambda turn: ended.set())
    play.finish()
    play.accept() if play.agent.protocol == 1 else None
    play.do(lambda: play.agent.close(ConnectionLost("gone")))
    assert ended.wait(BOUND)
    assert set(threads) == {play.do(threading.get_ident)}


@pytest.mark.parametrize("with_events", [False, True])
def test_the_end_is_told_once_also_when_the_connection_is_lost(version: int, with_events: bool) -> None:
    """Ours: an editor's spinner always stops."""
    home = HostThread()
    done: list[Turn] = []
    with blocking_stage(version, post=home.queue.post) as play:
        play.session.start("x", on_event=(lambda event: None) if with_events else None, on_done=done.append)
        play.do(lambda: play.agent.close(ConnectionLost("gone")))
        home.until(lambda: done)
        home.queue.drain()
        (turn,) = done
        with pytest.raises(ConnectionLost):
            _ = turn.result


def test_a_callback_that_fails_harms_nobody(version: int, caplog: pytest.LogCaptureFixture) -> None:
    """Ours: it is logged, and the next one is called."""
    home = HostThread()
    done: list[Turn] = []

    def on_event(event: Any) -> None:
        raise KeyError("broken")

    with blocking_stage(version, post=home.queue.post) as play:
        play.session.start("x", on_event=on_event, on_done=done.append)
        play.accept()
        play.finish()
        home.until(lambda: done)
    assert "callback" in caplog.text


def test_a_post_that_fails_loses_nothing(version: int, caplog: pytest.LogCaptureFixture) -> None:
    """Ours: a host that cannot take a call now gets it with the next one."""
    home = HostThread()
    texts: list[str] = []
    broken = [True]

    def post(call: Any) -> None:
        if broken[0]:
            raise RuntimeError("no event loop")
        home.queue.post(call)

    with blocking_stage(version, post=post) as play:
        play.session.on_update(lambda event: texts.append(getattr(event, "text", "")))
        play.chunk("a")
        broken[0] = False
        play.chunk("b")
        home.queue.drain()
    assert [text for text in texts if text] == ["a", "b"]
    assert "post failed" in caplog.text


def test_a_host_that_stops_inside_a_callback_can_go_on(play2: BlockingStage) -> None:
    """Ours: what a host raises to stop itself goes through, and the rest is still delivered."""
    delivery = play2.client._desk.delivery
    home = DrainQueue()
    delivery._post = home.post
    ran: list[str] = []

    def stop() -> None:
        raise SystemExit

    delivery.put(stop)
    delivery.put(lambda: ran.append("b"))
    with pytest.raises(SystemExit):
        home.drain()
    delivery.put(lambda: ran.append("c"))
    home.drain()
    assert ran == ["b", "c"]


def test_a_drain_queue_runs_calls_in_order_and_stops_in_time() -> None:
    """Hosts F: for hosts that nobody can post to; a timer drains it a few milliseconds at a time."""
    queue = DrainQueue()
    ran: list[int] = []
    for number in range(3):
        queue.post(partial(ran.append, number))
    assert queue.drain(max_ms=0) == 0
    assert queue.drain() == 3
    assert queue.drain() == 0
    assert ran == [0, 1, 2]


def test_a_flood_leaves_the_host_time_for_itself(play2: BlockingStage) -> None:
    """Ours: one posted call runs a bounded number of callbacks, then posts the rest again."""
    home = HostThread()
    delivery = play2.client._desk.delivery
    delivery._post = home.queue.post
    ran: list[int] = []
    for number in range(250):
        delivery.put(partial(ran.append, number))
    calls = home.queue._calls
    calls.get_nowait()()
    assert 0 < len(ran) < 250
    home.queue.drain()
    assert ran == list(range(250))


def test_diagnostics_and_stray_updates_are_delivered_like_events() -> None:
    """H3: every callback of the connection takes the same way."""
    home, seen = HostThread(), []

    def note(value: Any) -> None:
        seen.append(threading.get_ident())

    with blocking_stage(2, post=home.queue.post, on_diagnostic=note, on_stray_update=note) as play:
        play.do(lambda: play.agent.send_raw(b"noise"))
        play.do(lambda: play.agent.chunk("nobody", "x"))
        home.queue.drain()
        assert play.client.diagnostics_seen == 1
    assert seen == [home.ident] * 2
