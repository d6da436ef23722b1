"""What waits on a connection, in virtual time: requests, their bounds, and an end that nothing can hold up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from acp_client.errors import ConnectionClosed, ConnectionLost, RequestTimeout
from acp_client.rpc.connection import FLUSH_GRACE, Connection
from acp_client.rpc.messages import Json
from acp_client.transports.memory import MemoryTransport
from tests.rpc.test_peer import Listener
from tests.virtual_time import VirtualLoop, pass_time


class Ending(Listener):
    """An owner that tells its connection when the end came, as the client does."""

    connection: Connection

    def on_lost(self, cause: ConnectionLost) -> None:
        super().on_lost(cause)
        self.connection.has_ended(cause)


class Line:
    """A connection to the end of a memory transport."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.transport = MemoryTransport()
        self.transport.agent.on_messages = self.written.extend
        self.owner = Ending()
        self.owner.connection = self.connection = Connection(self.transport, self.owner)
        self.loop = asyncio.get_running_loop()

    def answer(self, result: str = "null", request_id: int = 1) -> None:
        self.transport.agent.send([f'{{"jsonrpc":"2.0","id":{request_id},"result":{result}}}'])

    def ask(self, **options: Any) -> asyncio.Task[Json]:
        return self.loop.create_task(self.connection.request("_x/call", {}, **options))


def in_virtual_time(test: Callable[[Line], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a coroutine test on an open line, in a loop whose delays cost nothing."""

    async def run() -> None:
        line = Line()
        await line.connection.open()
        await test(line)
        await line.connection.aclose()

    def wrapped() -> None:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(run())

    wrapped.__doc__, wrapped.__name__ = test.__doc__, test.__name__
    return wrapped


@in_virtual_time
async def test_a_request_that_takes_too_long_is_withdrawn_and_says_so(line: Line) -> None:
    """CAN-01, CAN-06: method and seconds; its late answer finds nobody and harms nothing."""
    waiting = line.ask(timeout=2.5)
    await pass_time(2.4)
    assert not waiting.done()
    with pytest.raises(RequestTimeout) as caught:
        await waiting
    assert (line.loop.time(), caught.value.method, caught.value.timeout) == (2.5, "_x/call", 2.5)
    assert b'"$/cancel_request"' in line.written[-1]
    line.answer()
    assert len(line.written) == 2
    assert len(line.connection.peer.outbound) == 0


@in_virtual_time
async def test_a_limit_of_no_time_is_one(line: Line) -> None:
    """Ours: and is told as such."""
    with pytest.raises(RequestTimeout) as caught:
        await line.ask(timeout=0.0)
    assert (caught.value.timeout, line.loop.time()) == (0.0, 0.0)


@in_virtual_time
async def test_a_request_without_a_limit_waits_for_as_long_as_it_takes(line: Line) -> None:
    """Ours: healthy work takes hours."""
    waiting = line.ask(timeout=None)
    await pass_time(100_000)
    line.answer('"done"')
    assert await waiting == "done"
    assert len(line.written) == 1


@in_virtual_time
async def test_a_graceful_wait_takes_what_comes_after_the_limit(line: Line) -> None:
    """CAN-04: withdrawn at the limit, delivered all the same; a second limit ends it."""
    waiting = line.ask(timeout=2.0, graceful=0.5)
    await pass_time(2.1)
    assert b'"$/cancel_request"' in line.written[-1]
    assert not waiting.done()
    line.answer('"late"')
    assert await waiting == "late"
    never = line.ask(timeout=2.0, graceful=0.5)
    with pytest.raises(RequestTimeout):
        await never
    assert line.loop.time() == pytest.approx(2.1 + 2.5)
    assert len(line.written) == 4, "withdrawn once"


@in_virtual_time
async def test_an_answered_request_leaves_no_timer_behind(line: Line) -> None:
    """Ours: nothing is written when its limit would have come."""
    waiting = line.ask(timeout=2.0, graceful=1.0)
    await asyncio.sleep(0)
    line.answer('{"a":1}')
    assert await waiting == {"a": 1}
    await pass_time(10)
    assert len(line.written) == 1


@in_virtual_time
async def test_every_request_has_a_limit_of_its_own(line: Line) -> None:
    """CAN-06: in whichever order they were sent; what is answered in between has none any more."""
    ended: list[tuple[float, float]] = []

    async def ask(timeout: float) -> None:
        with pytest.raises(RequestTimeout):
            await line.connection.request("_x/call", {}, timeout=timeout)
        ended.append((timeout, line.loop.time()))

    asked = [asyncio.ensure_future(ask(timeout)) for timeout in (50.0, 1.0, 3.0, 3.0)]
    answered = line.ask(timeout=2.0)
    await pass_time(1.5)
    line.answer(request_id=5)
    await answered
    later = asyncio.ensure_future(ask(0.1))
    await asyncio.gather(*asked, later)
    assert ended == [(1.0, 1.0), (0.1, pytest.approx(1.6)), (3.0, 3.0), (3.0, 3.0), (50.0, 50.0)]


@in_virtual_time
async def test_a_closed_connection_is_kept_by_no_timer(line: Line) -> None:
    """Ours: the limit of a request that was answered long ago may be an hour."""
    waiting = line.ask(timeout=3600.0)
    await asyncio.sleep(0)
    line.answer()
    await waiting
    await line.connection.aclose()
    with pytest.raises(ConnectionLost):
        await line.ask(timeout=3600.0)
    left = [handle for handle in line.loop._scheduled if not handle.cancelled()]  # type: ignore[attr-defined]
    assert left == []


@in_virtual_time
async def test_who_gives_up_withdraws_without_waiting(line: Line) -> None:
    """CAN-06: at once."""
    waiting = line.ask()
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert b'"$/cancel_request"' in line.written[-1]
    assert line.loop.time() == 0.0


@in_virtual_time
async def test_what_is_made_of_the_answer_is_made_in_its_step(line: Line) -> None:
    """Ours: before anything behind it is read; what fails there belongs to who asked."""
    order: list[str] = []

    def read(result: Json) -> Json:
        order.append("answer")
        return result["a"]

    waiting = line.ask(in_step=read)
    broken = line.ask(in_step=lambda result: result["b"])
    await asyncio.sleep(0)
    line.owner.act = lambda: order.append("note")
    line.transport.agent.send([b'{"id":1,"result":{"a":7}}', b'{"method":"n"}', b'{"id":2,"result":{}}'])
    assert order == ["answer", "note"]
    assert await waiting == 7
    with pytest.raises(KeyError):
        await broken


@in_virtual_time
async def test_who_waits_for_the_end_gets_the_first_cause(line: Line) -> None:
    """CAN-80: and so does every request."""
    cause = ConnectionLost("the agent fell over")
    ended, asked = line.loop.create_task(line.connection.wait_ended()), line.ask()
    await asyncio.sleep(0)
    line.transport.agent.close(cause)
    assert await ended is cause
    assert await line.connection.wait_ended() is cause
    with pytest.raises(ConnectionLost, match="the agent fell over"):
        await asked


@in_virtual_time
async def test_closing_says_who_closed(line: Line) -> None:
    """CAN-85: it is no loss; the second close changes nothing."""
    asked = line.ask()
    await asyncio.sleep(0)
    await asyncio.gather(line.connection.aclose(), line.connection.aclose())
    (cause,) = line.owner.lost
    assert type(cause) is ConnectionClosed
    assert str(cause) == "the connection was closed by this side"
    with pytest.raises(ConnectionClosed):
        await asked


@in_virtual_time
async def test_closing_waits_for_what_was_queued_and_not_for_ever(line: Line) -> None:
    """CAN-85: an agent that does not read gets a second; a connection that is lost gets none."""
    flushed: list[float] = []

    async def never() -> None:
        flushed.append(line.loop.time())
        await pass_time(1000)

    line.transport.drain = never  # type: ignore[method-assign]  # a pipe that is full
    await line.connection.aclose()
    assert (flushed, line.loop.time()) == ([0.0], FLUSH_GRACE)

    lost = Line()
    await lost.connection.open()
    lost.transport.drain = never  # type: ignore[method-assign]
    lost.transport.agent.close()
    await lost.connection.aclose()
    assert (len(flushed), line.loop.time()) == (1, FLUSH_GRACE)


@in_virtual_time
async def test_closing_waits_for_handlers_that_clean_up_and_not_for_those_that_refuse(line: Line) -> None:
    """CAN-81: each was cancelled; the close returns when they are done, or a second later."""
    cleaned: list[str] = []

    async def careful() -> None:
        try:
            await pass_time(1000)
        finally:
            await pass_time(0.4)
            cleaned.append("done")

    line.connection.spawn(careful())
    await asyncio.sleep(0)
    await line.connection.aclose()
    assert (cleaned, line.loop.time()) == (["done"], 0.4)

    other = Line()
    await other.connection.open()
    released = asyncio.Event()

    async def stubborn() -> None:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                cleaned.append("refused")

    task = other.connection.spawn(stubborn())
    await asyncio.sleep(0)
    await other.connection.aclose()
    assert (cleaned, line.loop.time()) == (["done", "refused"], 0.4 + FLUSH_GRACE)
    released.set()
    await task


@in_virtual_time
async def test_giving_up_the_close_does_not_stop_it(line: Line) -> None:
    """CAN-85: nobody leaves an agent half closed."""

    async def slow() -> None:
        await pass_time(0.5)

    line.transport.drain = slow  # type: ignore[method-assign]
    closing = line.loop.create_task(line.connection.aclose())
    await pass_time(0.1)
    closing.cancel()
    await pass_time(1)
    assert [str(cause) for cause in line.owner.lost] == ["the connection was closed by this side"]
    assert not line.transport.is_open


@in_virtual_time
async def test_a_step_is_done_later_unless_it_is_called_off(line: Line) -> None:
    """Ours: what graces and idle timeouts are made of."""
    done: list[float] = []
    for delay in (1.0, 2.0, 3.0):
        handle = line.connection.later(delay, lambda: done.append(line.loop.time()))
    handle.cancel()
    await pass_time(10)
    assert done == [1.0, 2.0]
