"""Turns WebSocket text frames into messages. A frame is a message, except behind bridges that forward raw output.

Such bridges cut one message into several frames, or put several lines into one. Both are told apart from ordinary
frames by their first and last byte, at no cost worth measuring; only then is the structure of the text looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BytesIO

from acp_client.errors import FramingError, MessageTooLarge

_BLANK = b" \t\r\n"
_OPEN, _CLOSE = ord("{"), ord("}")
_MARKS = re.compile(rb'["{}\[\]]')
_IN_STRING = re.compile(rb'["\\]')
_START = b'{"jsonrpc"'

_REMEMBERED = 2**20
"""Longest frame, in bytes, that is kept to see whether the next one goes on with it: bridges cut in smaller pieces."""


class MessageAssembler:
    """Messages out of text frames, in order. `limit` bounds a message that comes in pieces, in bytes; None for none.

    Once a message came in pieces the frames count as a stream of lines: a message ends with its last bracket, or with
    its line. `problem` is set when the pieces cannot be put together; nothing more comes out then.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._bridged = False
        self._last = b""
        self._pieces: BytesIO | None = None
        self._nesting = _Nesting()
        self.problem: FramingError | MessageTooLarge | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether part of a message has come and its rest has not."""
        return self._pieces is not None

    def feed(self, frames: Iterable[bytes]) -> list[bytes]:
        """Take frames and return the messages that are now complete."""
        messages: list[bytes] = []
        for frame in frames:
            if not self._bridged and frame and frame[0] == _OPEN and frame[-1] == _CLOSE and b"\n" not in frame:
                self._last = frame
                messages.append(frame)
            else:
                messages += self._look_at(frame)
        if len(self._last) > _REMEMBERED:
            self._last = b""
        return messages

    def _look_at(self, frame: bytes) -> list[bytes]:
        if self.problem is not None:
            return []
        if self._bridged:
            return self._stream(frame)
        text = frame.strip(_BLANK)
        if not text:
            return []
        if text[0] != _OPEN:
            return self._not_an_object(text)
        if text[-1] == _CLOSE:
            return _lines_if_objects(text)
        self._bridged = True
        return self._stream(frame)

    def _not_an_object(self, text: bytes) -> list[bytes]:
        """Either noise, which is handed on, or the rest of a message whose first part ended like a whole one."""
        if self._last and not _Nesting().closes(self._last):
            self.problem = FramingError(
                "the agent, or a bridge before it, cut a message into several WebSocket frames at a place where the "
                "first part looked whole; one frame has to carry one message"
            )
            return []
        return [text]

    def _stream(self, frame: bytes) -> list[bytes]:
        """Cut a frame at the ends of messages in it, and keep the part of one that goes on in the next frame."""
        found: list[bytes] = []
        if self._pieces is not None and frame.startswith(_START):
            found.append(self._take(b""))  # the rest of the last message never came; whoever decodes it will say so
        *whole, last = frame.split(b"\n")
        for line in whole:
            found += self._line(line)
            if self._pieces is not None:
                found.append(self._take(b""))
        return found + self._line(last)

    def _line(self, line: bytes) -> list[bytes]:
        found: list[bytes] = []
        position = 0
        while position < len(line) and self.problem is None:
            if self._pieces is None:
                start = line.find(b"{", position)
                noise = line[position : len(line) if start < 0 else start].strip(_BLANK)
                if noise:
                    found.append(noise)
                if start < 0:
                    break
                position, self._pieces = start, BytesIO()
            end = self._nesting.end(line, position)
            if end is None:
                self._keep(line[position:])
                break
            found.append(self._take(line[position:end]))
            position = end
        return found

    def _keep(self, piece: bytes) -> None:
        assert self._pieces is not None
        if self._limit is not None and self._pieces.tell() + len(piece) > self._limit:
            self.problem, self._pieces = MessageTooLarge(self._limit), None
        else:
            self._pieces.write(piece)

    def _take(self, last: bytes) -> bytes:
        assert self._pieces is not None
        pieces, self._pieces = self._pieces, None
        self._nesting = _Nesting()
        pieces.write(last)
        return pieces.getvalue()


class _Nesting:
    """How deep in brackets, and whether in a string, a JSON text is; fed in pieces, each byte looked at once."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self._skip = 0

    def end(self, text: bytes, start: int) -> int | None:
        """Return the position behind the bracket that closes the outermost one, or None when it is not in here."""
        position = start + self._skip
        while match := (_IN_STRING if self._in_string else _MARKS).search(text, position):
            mark, position = match.group(), match.end()
            if mark == b'"':
                self._in_string = not self._in_string
            elif mark == b"\\":
                position += 1  # whatever it escapes is no mark
            else:
                self._depth += 1 if mark in b"{[" else -1
                if self._depth <= 0:
                    return position
        self._skip = max(0, position - len(text))
        return None

    def closes(self, text: bytes) -> bool:
        """Whether a text that begins with a bracket ends with the one that closes it."""
        return self.end(text, 0) == len(text)


def _lines_if_objects(text: bytes) -> list[bytes]:
    """Cut a text at its line ends if every line looks like an object; one that is laid out over lines stays whole."""
    lines = [line.strip(_BLANK) for line in text.split(b"\n")]
    lines = [line for line in lines if line]
    return lines if all(line[0] == _OPEN and line[-1] == _CLOSE for line in lines) else [text]
