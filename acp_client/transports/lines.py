"""Cuts a byte stream into lines, in time and memory linear in what it is fed. Knows nothing of pipes or JSON.

Lines are cut at the byte 0x0A before anybody decodes text, so a character that was split between two reads is whole
again. A line that is longer than one read is kept in pieces, joined once, and scanned once.
"""

from __future__ import annotations

_SHORT = 4096
"""Up to so many bytes a piece is joined with the next one at once: an agent may write byte by byte."""


class LineSplitter:
    """Lines of a stream, without their `\\n` or `\\r\\n`; empty lines are dropped.

    `limit` is the longest line in bytes, its ending not counted; None for no limit. Once a line is longer,
    `too_long` is set and nothing more comes out.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        """The line that has no end yet."""
        self._kept = 0
        """Its bytes."""
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
        if self._pieces:
            lines[0] = b"".join([*self._pieces, lines[0]])
        self._pieces, self._kept = [last] if last else [], len(last)
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
        self._kept += len(piece)
        # One byte of grace: the carriage return of the line ending may be the last one here.
        if self._limit is not None and self._kept > self._limit + 1:
            self._overflow()
        elif self._pieces and len(self._pieces[-1]) <= _SHORT:
            self._pieces[-1] += piece
        else:
            self._pieces.append(piece)

    def _within_limit(self, lines: list[bytes]) -> list[bytes]:
        for index, line in enumerate(lines):
            if self._limit is not None and len(line) > self._limit:
                self._overflow()
                return lines[:index]
        if self._limit is not None and self._kept > self._limit + 1:
            self._overflow()
        return lines

    def _overflow(self) -> None:
        self.too_long = True
        self._pieces.clear()
