"""Messages out of WebSocket text frames, also behind bridges that forward raw output."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_client.errors import FramingError, MessageTooLarge
from acp_client.transports.wsmessages import MessageAssembler
from tests.transports.support import cut

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('ab{}[]":,\\\n é😀'), max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("x{}", max_size=3), inner, max_size=3),
    max_leaves=8,
)
MESSAGES = VALUES.map(
    lambda value: json.dumps({"jsonrpc": "2.0", "value": value}, ensure_ascii=False, separators=(",", ":")).encode()
)


@given(st.lists(MESSAGES, max_size=6))
def test_a_frame_is_a_message(messages: list[bytes]) -> None:
    """Spec MUST TR-WS-01; fault WS-02: nothing waits for a line end."""
    assert MessageAssembler(None).feed(messages) == messages


@given(MESSAGES, st.lists(MESSAGES, max_size=6), st.lists(st.integers(0), max_size=12))
def test_messages_forwarded_as_a_raw_stream_come_out_whole(
    first: bytes, messages: list[bytes], places: list[int]
) -> None:
    """Fault WS-01: once a message came in pieces the frames are put together, wherever they are cut."""
    assembler = MessageAssembler(None)
    assert assembler.feed([first[:5]]) == []
    assert assembler.is_waiting

    stream = first[5:] + b"\n" + b"".join(message + b"\n" for message in messages)
    found = [message for frame in cut(stream, places) for message in assembler.feed([frame])]

    assert found == [first, *messages]
    assert not assembler.is_waiting


def test_a_message_in_two_frames_is_put_together() -> None:
    """Fault WS-01: the very example."""
    assembler = MessageAssembler(None)
    assert assembler.feed([b'{"jsonrpc":"2.0","id":1,"re']) == []
    assert assembler.feed([b'sult":{"protocolVersion":1}}\n']) == [
        b'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
    ]


def test_line_ends_in_frames_are_tolerated_and_separate_messages() -> None:
    """Fault WS-02: a frame without, one with a line end, one with two messages."""
    found = MessageAssembler(None).feed([b'{"n":1}', b'{"n":2}\n', b'{"n":3}\r\n{"n":4}\n', b"\n"])

    assert found == [b'{"n":1}', b'{"n":2}', b'{"n":3}', b'{"n":4}']


def test_a_message_laid_out_over_lines_stays_one() -> None:
    """Ours: line ends are legal between the tokens of JSON."""
    laid_out = b'{\n  "n": {\n    "m": 1\n  }\n}'

    assert MessageAssembler(None).feed([laid_out, laid_out + b"\n"]) == [laid_out, laid_out]


def test_what_is_no_object_is_handed_on() -> None:
    """Fault ST-02, WS-10: noise is the receiver's to report; it harms nobody."""
    noise = [b"heartbeat", b"[1,2]", b"42"]

    assert MessageAssembler(None).feed([b'{"n":1}', *noise]) == [b'{"n":1}', *noise]


def test_noise_in_a_raw_stream_ends_with_its_line() -> None:
    """Fault ST-02 behind a bridge: junk with a bracket in it must not swallow what follows."""
    assembler = MessageAssembler(None)
    found = assembler.feed([b'{"n":', b'1}\nloading {config\n{"n":2}\nready\n'])

    assert found[0] == b'{"n":1}'
    assert b'{"n":2}' in found
    assert found[-1] == b"ready"


def test_a_message_whose_rest_never_comes_gives_way_to_the_next() -> None:
    """Fault WS-01: the torn one is handed on, so that somebody reports it; the next one is whole."""
    found = MessageAssembler(None).feed([b'{"torn":', b'{"jsonrpc":"2.0","n":1}'])

    assert found == [b'{"torn":', b'{"jsonrpc":"2.0","n":1}']


def test_a_cut_that_could_not_be_noticed_is_an_error_and_no_silence() -> None:
    """Fault WS-01: the first part ended like a whole message, so it is gone; say so."""
    assembler = MessageAssembler(None)
    assert assembler.feed([b'{"a":{"b":1}']) == [b'{"a":{"b":1}']
    assert assembler.feed([b',"c":2}', b'{"n":1}x']) == []
    assert isinstance(assembler.problem, FramingError)


@pytest.mark.parametrize("piece", [b'{"x":"', b"y" * 1000])
def test_a_message_in_pieces_is_bounded(piece: bytes) -> None:
    """Ours: the limit holds for what is put together, too."""
    assembler = MessageAssembler(5000)
    assembler.feed([b'{"x":"'])
    for _ in range(1000):
        assembler.feed([piece])
    assert isinstance(assembler.problem, MessageTooLarge)
    assert not assembler.is_waiting
