"""Reading answers without holding up anything: the loop, another question, or the exit."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_client.cli.stdin import LineReader, is_terminal


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Both ends of a pipe; closed afterwards, which also ends the reader's thread."""
    reading, writing = os.pipe()
    yield reading, writing
    for descriptor in (writing, reading):
        try:
            os.close(descriptor)
        except OSError:
            continue  # the test closed it


async def next_line(reader: LineReader) -> str | None:
    return await asyncio.wait_for(reader.next(), 5)


async def test_lines_come_one_by_one_however_they_were_written(pipe: tuple[int, int]) -> None:
    """Ours: lines and reads have nothing to do with each other; a last line needs no end."""
    reader = LineReader(pipe[0], keeps_unasked=True)
    os.write(pipe[1], b"1\r\ntw")
    assert await next_line(reader) == "1"
    os.write(pipe[1], "o\näh".encode())
    assert await next_line(reader) == "two"
    os.close(pipe[1])
    assert [await next_line(reader), await next_line(reader), await next_line(reader)] == ["äh", None, None]


async def test_a_wait_that_is_given_up_takes_no_line_from_a_pipe(pipe: tuple[int, int]) -> None:
    """Ours: lines in a pipe are answers in order; the next question gets the next one."""
    reader = LineReader(pipe[0], keeps_unasked=True)
    await abandon(reader)
    os.write(pipe[1], b"first\n")
    assert await next_line(reader) == "first"


async def test_on_a_terminal_a_line_for_a_question_that_is_over_is_dropped() -> None:
    """Ours: an answer never reaches a question that its writer has not seen."""
    master, slave = os.openpty()
    reader = LineReader(slave, keeps_unasked=False)
    await abandon(reader)
    os.write(master, b"for the old question\n")
    while reader.is_reading:  # the reader has no reason to tell anybody
        await asyncio.sleep(0)
    waiting = asyncio.ensure_future(next_line(reader))
    await asyncio.sleep(0)
    os.write(master, b"for the new one\n")
    assert await waiting == "for the new one"
    os.write(master, b"\x04")
    assert await next_line(reader) is None
    os.close(slave)
    os.close(master)


async def test_a_file_and_a_closed_input_are_read_too(tmp_path: Path) -> None:
    """Ours: not everything that stdin can be lets itself be polled."""
    answers = tmp_path / "answers"
    answers.write_text("1\n")
    with answers.open("rb") as file:
        reader = LineReader(file.fileno(), keeps_unasked=True)
        assert [await next_line(reader), await next_line(reader)] == ["1", None]
    assert await next_line(LineReader(None, keeps_unasked=True)) is None
    assert not is_terminal(None)


async def test_an_input_that_does_not_block_is_waited_for(pipe: tuple[int, int]) -> None:
    """Ours: whoever started us may have left such a descriptor."""
    os.set_blocking(pipe[0], False)
    reader = LineReader(pipe[0], keeps_unasked=True)
    waiting = asyncio.ensure_future(next_line(reader))
    await asyncio.sleep(0)
    os.write(pipe[1], b"late\n")
    assert await waiting == "late"


async def abandon(reader: LineReader) -> None:
    """Begin to wait for a line and give it up."""
    waiting = asyncio.ensure_future(reader.next())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
