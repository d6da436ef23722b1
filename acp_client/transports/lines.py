"""Cuts a byte stream into lines, in time and memory linear in what it is fed. Knows nothing of pipes or JSON.

Lines are cut at the byte 0x0A before anybody decodes text, so a character that was split between two reads is whole
again. A line that is longer than one read grows in one buffer and is scanned once.
"""

from __future__ import annotations

from io import BytesIO

_SHORT = 4096
"""Bytes of an unfinished line that are simply joined with the next read; longer ones get a growing buffer."""


class LineSplitter:
    """Lines of a stream, without their `\\n` or `\\r\\n`; empty lines are dropped.

    `limit` is the longest line in bytes, its ending not counted; None for no limit. Once a line is longer,
    `too_long` is set and nothing more comes out.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._tail = b""
        self._growing: BytesIO | None = None
        self.too_long = False

    def feed(self, block: bytes) -> list[bytes]:
        """Take what one read brought and return the lines that are now complete, in order."""
        if self.too_long:
            return []
        lines = block.split(b"\n")
        last = lines.pop()
        if not lines:
            self._keep(last)
            return []
        if self._growing is not None or self._tail:
            lines[0] = self._finish(lines[0])
        self._tail = last
        if b"\r" in block or lines[0].endswith(b"\r"):
            lines = [line.removesuffix(b"\r") for line in lines]
        if b"" in lines:
            lines = [line for line in lines if line]
        if self._limit is not None and (len(block) > self._limit or (lines and len(lines[0]) > self._limit)):
            lines = self._within_limit(lines)
        return lines

    def finish(self) -> list[bytes]:
        """The stream has ended: return its last line, which may lack the line ending."""
        return [] if self.too_long else self.feed(b"\n")

    def _keep(self, piece: bytes) -> None:
        """Put another piece to the line that has no end yet."""
        if self._growing is None:
            if len(self._tail) + len(piece) <= _SHORT:
                self._tail += piece
                return
            self._growing = BytesIO()
            self._growing.write(self._tail)
            self._tail = b""
        size = self._growing.tell() + len(piece)
        # One byte of grace: the carriage return of the line ending may be the last one here.
        if self._limit is not None and size > self._limit + 1:
            self._overflow()
        else:
            self._growing.write(piece)

    def _finish(self, piece: bytes) -> bytes:
        if self._growing is None:
            return self._tail + piece
        growing, self._growing = self._growing, None
        growing.write(piece)
        return growing.getvalue()  # hands out the buffer itself, cut to size: no second copy of a big line

    def _within_limit(self, lines: list[bytes]) -> list[bytes]:
        for index, line in enumerate(lines):
            if self._limit is not None and len(line) > self._limit:
                self._overflow()
                return lines[:index]
        if self._limit is not None and len(self._tail) > self._limit + 1:
            self._overflow()
        return lines

    def _overflow(self) -> None:
        self.too_long = True
        self._growing = None
        self._tail = b""
