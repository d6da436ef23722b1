"""The loop thread: starting, adopting, waiting, being interrupted, ending."""

from __future__ import annotations

import asyncio
import queue
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from acp_client.blocking import Client, LoopThread
from acp_client.errors import ConnectionClosed, UsageError
from acp_client.testing import ScriptedAgent
from acp_client.transports.base import CLOSING
from acp_client.transports.specs import StdioSpec
from tests.blocking.kit import BOUND, InThread, blocking_stage, interrupt_main


@pytest.fixture
def thread() -> Iterator[LoopThread]:
    started = LoopThread.start()
    yield started
    started.close()


class ForeignLoop:
    """A loop that the host runs in a thread of its own."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self.loop).result(BOUND)

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(BOUND)
        self.loop.close()


@pytest.fixture
def foreign() -> Iterator[ForeignLoop]:
    made = ForeignLoop()
    yield made
    if not made.loop.is_closed():
        made.stop()


async def _value() -> int:
    return 42


async def _fail() -> None:
    raise KeyError("x")


def test_a_started_loop_runs_coroutines_and_functions_for_other_threads(thread: LoopThread) -> None:
    """Ours: `run` waits for a coroutine, `call` for a function; both bring back what was raised."""
    assert thread.run(_value()) == 42
    assert thread.call(threading.get_ident) != threading.get_ident()
    with pytest.raises(KeyError):
        thread.run(_fail())
    with pytest.raises(ZeroDivisionError):
        thread.call(lambda: 1 // 0)


def test_the_thread_is_a_daemon_with_a_name() -> None:
    """H1: it never holds up the end of the program."""
    started = LoopThread.start(name="my loop")
    (found,) = [t for t in threading.enumerate() if t.name == "my loop"]
    assert found.daemon
    started.close()
    assert not found.is_alive()


def test_a_blocking_call_on_the_loop_itself_is_refused(thread: LoopThread) -> None:
    """H3, HE-02: it would wait for itself; the error names the other façade, and nothing is left unawaited."""

    def call_inside() -> None:
        thread.run(_value())

    with pytest.raises(UsageError, match=r"acp_client\.Client"):
        thread.call(call_inside)


def test_no_blocking_call_of_the_facade_works_on_the_loop(version: int) -> None:
    """H3: refused, not deadlocked, whichever call it is."""
    with blocking_stage(version) as play:
        turn = play.begin()
        calls = [
            lambda: play.client.new_session("/other"),
            lambda: play.client.list_sessions(),
            lambda: play.session.set_mode("m"),
            lambda: play.session.close(),
            lambda: play.session.ask("x", busy="queue"),
            turn.wait,
            lambda: next(iter(turn)),
            play.client.close,
            play.thread.close,
            lambda: Client.connect(ScriptedAgent().transport, thread=play.thread),
        ]
        for call in calls:
            with pytest.raises(UsageError, match="its own event loop"):
                play.do(call)


def test_what_does_not_wait_works_on_the_loop_too(version: int) -> None:
    """Ours: a callback without `post` may look around and may cancel."""
    with blocking_stage(version) as play:
        turn = play.begin()
        assert play.do(lambda: play.session.snapshot.session_id) == play.session.id
        assert play.do(lambda: play.session.pending) == ()
        handle = play.do(lambda: turn.cancel())
        play.finish("cancelled")
        assert handle.wait() == "confirmed"


def test_a_wait_with_a_timeout_cancels_the_coroutine(thread: LoopThread) -> None:
    """Ours: nothing goes on that nobody waits for."""
    cancelled = threading.Event()

    async def never() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with pytest.raises(TimeoutError, match=r"0\.01"):
        thread.run(never(), timeout=0.01)
    assert cancelled.wait(BOUND)


def test_ctrl_c_interrupts_a_wait_and_cancels_what_was_waited_for(thread: LoopThread) -> None:
    """H1, hosts F: every wait can be interrupted."""
    cancelled = threading.Event()

    async def never() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
    jobs.put(interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        thread.wait(thread.submit(never()), jobs)
    assert cancelled.wait(BOUND)


def test_an_adopted_loop_is_never_closed(foreign: ForeignLoop) -> None:
    """H3: it is the host's; only the clients on it are closed."""
    thread = LoopThread.adopt(foreign.loop)
    agent = thread.call(ScriptedAgent)
    client = Client.connect(agent.transport, thread=thread)
    thread.close()
    assert client.closed
    assert agent.closed
    assert foreign.loop.is_running()
    assert thread.run(_value()) == 42


def test_a_loop_that_does_not_run_is_not_adopted() -> None:
    """Ours: a wait for it would never end."""
    loop = asyncio.new_event_loop()
    with pytest.raises(UsageError, match="does not run"):
        LoopThread.adopt(loop)
    loop.close()


def test_a_call_ends_when_its_adopted_loop_is_stopped(foreign: ForeignLoop) -> None:
    """Ours: nobody waits for ever for a loop that the host has stopped."""
    thread = LoopThread.adopt(foreign.loop)
    begun = threading.Event()

    async def never() -> None:
        begun.set()
        await asyncio.Event().wait()

    waiting = InThread(lambda: thread.run(never()))
    assert begun.wait(BOUND)
    foreign.loop.call_soon_threadsafe(foreign.loop.stop)
    with pytest.raises(ConnectionClosed):
        waiting.result()
    assert not thread.alive


def test_a_call_ends_when_its_thread_is_closed(thread: LoopThread) -> None:
    """Ours: whoever still waits is told."""
    begun = threading.Event()

    async def never() -> None:
        begun.set()
        await asyncio.Event().wait()

    waiting = InThread(lambda: thread.run(never()))
    assert begun.wait(BOUND)
    thread.close()
    with pytest.raises(ConnectionClosed):
        waiting.result()


def test_a_thread_that_cannot_be_started_is_an_error_and_leaves_no_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: said to whoever asked for it, and never a wait without end."""
    made: list[asyncio.AbstractEventLoop] = []

    def refuse(self: threading.Thread) -> None:
        made.append(self._args[0])  # type: ignore[attr-defined]  # the loop it was to run
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="new thread"):
        LoopThread.start()
    assert made[0].is_closed()


def test_closing_the_thread_closes_its_clients_and_can_be_repeated() -> None:
    """Ours: an agent never outlives the loop that could end it."""
    thread = LoopThread.start()
    agent = thread.call(ScriptedAgent)
    client = Client.connect(agent.transport, thread=thread)
    session = client.new_session("/project")
    thread.close()
    thread.close()
    assert agent.closed
    assert client.closed
    assert session.snapshot.connected is False
    client.close()


def test_a_client_is_ended_even_when_its_adopted_loop_was_stopped_before(foreign: ForeignLoop) -> None:
    """Ours: the order in which a host takes itself down is its own."""
    thread = LoopThread.adopt(foreign.loop)
    agent = thread.call(ScriptedAgent)
    client = Client.connect(agent.transport, thread=thread)
    killed: list[bool] = []
    agent.transport.kill = lambda: killed.append(True)  # type: ignore[method-assign]
    foreign.stop()
    client.close()
    assert killed == [True]


def test_calls_after_the_end_say_that_it_is_over() -> None:
    """Ours: the error of a closed connection, in every call that would need it."""
    with blocking_stage(2) as play:
        session, client = play.session, play.client
    for call in (lambda: client.new_session("/x"), lambda: session.ask("x"), lambda: session.set_mode("m")):
        with pytest.raises(ConnectionClosed):
            call()
    client.notify("_x")
    assert isinstance(client.wait_closed(), ConnectionClosed)


def test_a_client_without_a_thread_brings_its_own_and_takes_it_along() -> None:
    """Ours: nothing of a closed client is left running."""
    before = threading.active_count()
    client = Client.connect(ScriptedAgent().transport)
    assert threading.active_count() == before + 1
    client.close()
    assert threading.active_count() == before


def test_a_failed_connect_leaves_no_thread() -> None:
    """Ours: whatever happens, nothing is left behind."""
    before = threading.active_count()
    with pytest.raises(UsageError):
        Client.connect("http://localhost:1")
    assert threading.active_count() == before


def test_two_clients_live_in_two_loops_in_two_threads() -> None:
    """H2: nothing is shared between clients, not even a loop."""
    first, second = Client.connect(ScriptedAgent(protocol=1).transport), Client.connect(ScriptedAgent().transport)
    assert first.thread.loop is not second.thread.loop
    assert (first.protocol_version, second.protocol_version) == (1, 2)
    first.close()
    assert second.new_session("/project").id == "s1"
    second.close()


async def nothing_is_closing() -> None:
    while closing := [task for task in asyncio.all_tasks() if task.get_name() == CLOSING]:
        await asyncio.wait(closing)


DEAF = "import signal; print('still starting', flush=True); signal.pause()"


@pytest.mark.parametrize("own", [True, False], ids=["own thread", "given thread"])
def test_ctrl_c_while_connecting_leaves_no_agent_behind(own: bool, thread: LoopThread) -> None:
    """H1, hosts F: at once for the caller; an agent that is deaf to the end of its input is ended in the background."""
    begun: list[Any] = []

    def begin(transport: Any) -> Any:
        begun.append(transport)
        return transport

    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        Client.connect(
            StdioSpec((sys.executable, "-c", DEAF), exit_grace=0.2),
            on_transport=begin,
            on_diagnostic=lambda diagnostic: interrupt_main(),
            thread=None if own else thread,
        )
    (agent,) = begun
    if own:
        for started in set(threading.enumerate()) - before:
            started.join(BOUND)
            assert not started.is_alive()
    else:
        thread.run(nothing_is_closing())
    assert agent.exit_code is not None
