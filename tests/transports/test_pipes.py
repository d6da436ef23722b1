"""Pipes, read and written by the loop or by threads: the same behaviour."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from io import FileIO

import pytest

from acp_client.transports import pipes
from acp_client.transports.pipes import LoopReader, LoopWriter, ThreadReader, ThreadWriter
from tests.transports.support import BOUND, within

MakeReader = type[LoopReader] | type[ThreadReader]
MakeWriter = type[LoopWriter] | type[ThreadWriter]

readers = pytest.mark.parametrize("reader", [LoopReader, ThreadReader])
writers = pytest.mark.parametrize("writer", [LoopWriter, ThreadWriter])


def pipe() -> tuple[FileIO, FileIO]:
    ours, theirs = os.pipe()
    return FileIO(ours, "rb"), FileIO(theirs, "wb")


class Seen:
    """What a pipe reported."""

    def __init__(self) -> None:
        self.data = b""
        self.ends: list[OSError | None] = []
        self.changed = asyncio.Event()

    def block(self, data: bytes) -> None:
        self.data += data
        self.changed.set()

    def end(self, error: OSError | None) -> None:
        self.ends.append(error)
        self.changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self.changed.clear()
            await within(self.changed.wait())


@readers
async def test_a_reader_reports_everything_and_then_the_end(reader: MakeReader) -> None:
    """Ours."""
    source, sink = pipe()
    seen = Seen()
    reader(asyncio.get_running_loop(), source, seen.block, seen.end)
    with sink:
        sink.write(b"a" * 50_000)
        await seen.until(lambda: len(seen.data) == 50_000)
        sink.write(b"b")
    await seen.until(lambda: bool(seen.ends))
    assert seen.data.endswith(b"ab")
    assert seen.ends == [None]


@readers
async def test_a_reader_reports_a_failing_read(reader: MakeReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault ST-10."""
    source, sink = pipe()
    seen = Seen()
    problem = OSError(5, "input/output error")

    def failing(descriptor: int, size: int) -> bytes:
        raise problem

    with sink:
        monkeypatch.setattr("acp_client.transports.pipes.os.read", failing)
        sink.write(b"x")
        reader(asyncio.get_running_loop(), source, seen.block, seen.end)
        await seen.until(lambda: bool(seen.ends))
    assert seen.ends == [problem]


@readers
async def test_a_closed_reader_reports_nothing_more(reader: MakeReader) -> None:
    """Ours: also not what was read but not handed over yet."""
    source, sink = pipe()
    other_source, other_sink = pipe()
    seen, other = Seen(), Seen()
    made = reader(asyncio.get_running_loop(), source, seen.block, seen.end)
    reader(asyncio.get_running_loop(), other_source, other.block, other.end)
    with sink, other_sink:
        sink.write(b"x")
        made.close()
        made.close()
        other_sink.write(b"x")
    await other.until(lambda: bool(other.ends))
    assert seen.data == b""
    assert seen.ends == []


async def test_a_wake_up_without_data_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a descriptor may be reported although there is nothing to read."""
    source, sink = pipe()
    seen = Seen()
    read, calls = os.read, []

    def empty_first(descriptor: int, size: int) -> bytes:
        calls.append(descriptor)
        if len(calls) == 1:
            raise BlockingIOError
        return read(descriptor, size)

    monkeypatch.setattr("acp_client.transports.pipes.os.read", empty_first)
    LoopReader(asyncio.get_running_loop(), source, seen.block, seen.end)
    with sink:
        sink.write(b"x")
        await seen.until(lambda: seen.data == b"x")
    await seen.until(lambda: bool(seen.ends))
    assert len(calls) == 3


@writers
async def test_a_writer_keeps_the_order_however_little_the_pipe_takes(writer: MakeWriter) -> None:
    """Spec MUST TR-STD-08."""
    source, sink = pipe()
    broken: list[OSError] = []
    made = writer(asyncio.get_running_loop(), sink, broken.append)
    data = [bytes([65 + number]) * 100_000 for number in range(5)]
    for piece in data:
        made.write(piece)
    received: list[bytes] = []

    def read_all() -> None:
        with source:
            while block := source.read(65536):
                received.append(block)

    thread = threading.Thread(target=read_all)
    thread.start()
    await within(made.drain())
    await within(made.drain())
    made.close()
    thread.join(BOUND)
    assert b"".join(received) == b"".join(data)
    assert broken == []


async def test_a_full_pipe_is_waited_for() -> None:
    """Spec MUST TR-STD-08: also when it was filled to the last byte by the message before."""
    source, sink = pipe()
    made = LoopWriter(asyncio.get_running_loop(), sink, lambda error: None)
    filled = 0
    while not made.is_waiting:
        made.write(b"x" * 4096)
        filled += 4096
    draining = asyncio.ensure_future(made.drain())
    await asyncio.wait({draining}, timeout=0)
    received = len(source.read(filled - 4096))
    await within(draining)
    made.close()
    with source:
        while block := source.read(filled):
            received += len(block)
    assert received == filled


@writers
async def test_a_writer_reports_a_broken_pipe_once(writer: MakeWriter) -> None:
    """Fault PL-12."""
    source, sink = pipe()
    source.close()
    broken: list[OSError] = []
    told = asyncio.Event()

    def on_broken(error: OSError) -> None:
        broken.append(error)
        told.set()

    made = writer(asyncio.get_running_loop(), sink, on_broken)
    made.write(b"x")
    made.write(b"y")
    await within(told.wait())
    made.write(b"z")
    await within(made.drain())
    made.close()
    assert [type(error) for error in broken] == [BrokenPipeError]


async def test_a_break_that_is_noticed_after_closing_is_not_reported() -> None:
    """Fault PL-12."""
    source, sink = pipe()
    source.close()
    broken: list[OSError] = []
    made = ThreadWriter(asyncio.get_running_loop(), sink, broken.append)
    made.write(b"x")
    for thread in threading.enumerate():
        if thread.name == "acp-client-write":
            thread.join(BOUND)
    made.close()
    await within(made.drain())
    await asyncio.wait({asyncio.ensure_future(made.drain())}, timeout=0)
    assert broken == []


@writers
async def test_a_pipe_that_breaks_under_a_backlog_is_reported(writer: MakeWriter) -> None:
    """Fault PL-12."""
    source, sink = pipe()
    broken: list[OSError] = []
    made = writer(asyncio.get_running_loop(), sink, broken.append)
    made.write(b"x" * 200_000)
    made.write(b"y" * 200_000)
    draining = asyncio.ensure_future(made.drain())
    await asyncio.wait({draining}, timeout=0)
    source.close()
    await within(draining)
    assert [type(error) for error in broken] == [BrokenPipeError]


@writers
async def test_closing_drops_what_was_not_written_and_wakes_who_waits(writer: MakeWriter) -> None:
    """Ours: nobody waits for an agent that does not read."""
    source, sink = pipe()
    broken: list[OSError] = []
    made = writer(asyncio.get_running_loop(), sink, broken.append)
    made.write(b"x" * 200_000)
    made.write(b"y" * 200_000)
    draining = asyncio.ensure_future(made.drain())
    await asyncio.wait({draining}, timeout=0)
    made.close()
    made.close()
    await within(draining)
    made.write(b"z")
    source.close()
    assert broken == []


@pytest.mark.parametrize("watching", [True, False])
def test_pipes_can_be_closed_after_their_loop(watching: bool) -> None:
    """Ours: the last resort of a host whose loop is gone."""
    source, sink = pipe()
    back_source, back_sink = pipe()
    broken: list[OSError] = []
    seen: list[bytes] = []

    async def main() -> tuple[LoopReader | ThreadReader, LoopWriter | ThreadWriter]:
        loop = asyncio.get_running_loop()
        make_reader, make_writer = (LoopReader, LoopWriter) if watching else (ThreadReader, ThreadWriter)
        writer = make_writer(loop, sink, broken.append)
        writer.write(b"x" * 200_000)
        waiting = asyncio.ensure_future(writer.drain())
        await asyncio.wait({waiting}, timeout=0)
        waiting.cancel()
        return make_reader(loop, back_source, seen.append, lambda error: None), writer

    reader, writer = asyncio.run(main())
    back_sink.write(b"late")
    source.read(200_000)
    reader.close()
    writer.close()
    source.close()
    back_sink.close()
    for thread in threading.enumerate():
        if thread.name.startswith("acp-client-"):
            thread.join(BOUND)
    assert (broken, seen) == ([], [])


async def test_pipes_are_never_watched_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault HE-01: loops there accept a pipe and fail later."""
    source, sink = pipe()
    with source, sink:
        assert pipes.can_watch(asyncio.get_running_loop(), sink)
        monkeypatch.setattr(pipes, "_WINDOWS", True)
        assert not pipes.can_watch(asyncio.get_running_loop(), sink)
