"""Cutting a byte stream into lines."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from acp_client.transports.lines import LineSplitter
from tests.transports.support import cut


def lines_of(blocks: list[bytes], limit: int | None = None) -> tuple[list[bytes], bool]:
    splitter = LineSplitter(limit)
    lines = [line for block in blocks for line in splitter.feed(block)]
    return lines + splitter.finish(), splitter.too_long


LINES = st.lists(st.binary(max_size=9000).map(lambda line: line.replace(b"\n", b"").replace(b"\r", b"")), max_size=8)
ENDINGS = st.sampled_from([b"\n", b"\r\n"])


@given(LINES, ENDINGS, st.booleans(), st.lists(st.integers(0), max_size=12))
def test_lines_are_the_same_however_the_stream_is_cut(
    lines: list[bytes], ending: bytes, ended: bool, places: list[int]
) -> None:
    """Fault ST-03; spec TR-STD-02, TR-STD-05: both line endings, no empty lines, the last line without one."""
    stream = ending.join(lines) + (ending if ended else b"")

    found, too_long = lines_of(cut(stream, places))

    assert found == [line for line in lines if line]
    assert not too_long


@given(LINES, ENDINGS, st.integers(0, 6000), st.lists(st.integers(0), max_size=12))
def test_the_first_line_over_the_limit_ends_everything(
    lines: list[bytes], ending: bytes, limit: int, places: list[int]
) -> None:
    """Spec TR-STD-07: the limit counts the line without its ending, and exceeding it is fatal for the stream."""
    stream = b"".join(line + ending for line in lines)

    found, too_long = lines_of(cut(stream, places), limit)

    expected = []
    for line in lines:
        if len(line) > limit:
            assert too_long
            break
        expected.append(line)
    else:
        assert not too_long
    assert found == [line for line in expected if line]


def test_an_endless_line_is_given_up_at_the_limit() -> None:
    """Fault ST-01: no need to wait for the end of a line that is too long already."""
    splitter = LineSplitter(1_000_000)
    fed = 0
    while not splitter.too_long:
        assert splitter.feed(b"x" * 65536) == []
        fed += 65536
    assert fed < 1_100_000
    assert splitter.feed(b"\nmore\n") == []
    assert splitter.finish() == []


def test_an_unfinished_line_over_the_limit_is_given_up_behind_the_lines_before_it() -> None:
    """Fault ST-01: both in one read."""
    splitter = LineSplitter(10)
    assert splitter.feed(b"short\n" + b"x" * 12) == [b"short"]
    assert splitter.too_long


def test_a_line_of_64_megabytes_is_held_about_once() -> None:
    """Ours: an unfinished line grows in place and is handed out without a copy."""
    splitter, block = LineSplitter(None), b"x" * 65536
    tracemalloc.start()
    try:
        for _ in range(1024):
            splitter.feed(block)
        (line,) = splitter.feed(b"\n")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(line) == 64 * 2**20
    assert peak < 1.3 * len(line)
