"""The transport inside the process: synchronous, in order, without an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from acp_client.errors import ConnectionClosed, ConnectionLost
from acp_client.transports.base import Frame
from acp_client.transports.memory import MemoryTransport
from tests.transports.support import Recorder


def run_to_end(transport: MemoryTransport, recorder: Recorder) -> None:
    """Open without an event loop: nothing in it waits."""
    coroutine = transport.open(recorder)
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise AssertionError("opening waited for something")


def test_both_directions_are_delivered_before_the_call_returns() -> None:
    """Ours: scripted agents rely on it, and need no event loop for it."""
    transport, recorder, read = MemoryTransport(), Recorder(), list[Sequence[bytes]]()
    transport.agent.on_messages = read.append
    run_to_end(transport, recorder)

    transport.agent.send([b"1", "2"])
    assert recorder.batches == [[b"1", b"2"]]
    transport.send([b"3", b"4"])
    assert read == [[b"3", b"4"]]


def test_what_the_agent_said_before_the_client_came_is_delivered_on_opening() -> None:
    """Ours: a real agent does not wait for its reader either; also when it is gone by then."""
    transport, recorder = MemoryTransport(), Recorder()
    transport.agent.send([b"1"])
    transport.agent.close()
    transport.agent.send([b"late"])
    assert not transport.agent.is_open
    run_to_end(transport, recorder)

    assert recorder.messages == [b"1"]
    assert [type(cause) for cause in recorder.causes] == [ConnectionLost]


def test_what_is_sent_from_inside_a_delivery_does_not_overtake() -> None:
    """Ours: wire order holds for agents that answer at once."""
    transport, read = MemoryTransport(), list[bytes]()

    class Answering(Recorder):
        def frames(self, frames: Sequence[Frame]) -> None:
            for frame in frames:
                self.batches.append([frame if isinstance(frame, bytes) else frame.encode()])
                transport.send([b"to " + self.batches[-1][0]])

    def answer(messages: Sequence[bytes]) -> None:
        read.extend(messages)
        if messages == [b"to first"]:
            transport.agent.send([b"reaction"])
            transport.agent.close()

    recorder = Answering()
    transport.agent.on_messages = answer
    run_to_end(transport, recorder)
    transport.agent.send([b"first", b"second"])

    assert recorder.messages == [b"first", b"second", b"reaction"]
    assert read == [b"to first", b"to second", b"to reaction"]
    assert len(recorder.causes) == 1


def test_the_agent_s_end_learns_of_the_end_once_whoever_ends_it() -> None:
    """Ours."""
    ways: list[Callable[[MemoryTransport], object]] = [
        lambda made: asyncio.run(made.aclose()),
        lambda made: made.agent.close(),
        lambda made: made.kill(),
    ]
    for ends in ways:
        transport, recorder, told = MemoryTransport(), Recorder(), list[bool]()
        transport.agent.on_closed = lambda told=told: told.append(True)  # type: ignore[misc]  # binds the loop variable
        run_to_end(transport, recorder)
        assert transport.agent.is_open
        ends(transport)
        transport.kill()
        transport.agent.close()
        assert told == [True]
        assert len(recorder.causes) == 1


def test_the_cause_is_the_agent_s_to_choose() -> None:
    """Ours: tests play any end of a connection."""
    transport, recorder = MemoryTransport(), Recorder()
    run_to_end(transport, recorder)
    cause = ConnectionLost("agent 'x' exited with status 1", exit_code=1)
    transport.agent.close(cause)
    assert recorder.causes == [cause]


def test_nobody_has_to_listen_at_the_agent_s_end() -> None:
    """Ours."""
    transport, recorder = MemoryTransport(), Recorder()
    run_to_end(transport, recorder)
    transport.send([b"1"])
    transport.kill()
    assert isinstance(recorder.causes[0], ConnectionClosed)
    MemoryTransport().kill()
