"""Values that grow by appending and are looked at in between: the content of a message, the output of a terminal.

Each moment of such a value is one object that shares everything with the moments before it. Appending costs what is
appended; the whole is joined when somebody reads it, and then once. So ten thousand snapshots of one long answer cost
as much as the answer, not its square. A moment never changes, and may be read in any thread while others are made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeAlias, TypeVar, cast

from acp_client.state.content import Content, Text

SMALL = 512
"""Up to this length a piece is copied into the next one: many tiny appends would cost more than their text."""

Whole = TypeVar("Whole")
Piece = TypeVar("Piece")


class _Moment(ABC, Generic[Whole, Piece]):
    """A chain of pieces that ends at a moment whose whole value is known."""

    __slots__ = ("_piece", "_previous", "_whole")

    def __init__(self, previous: _Moment[Whole, Piece] | None, piece: Piece | None, whole: Whole | None) -> None:
        self._previous, self._piece, self._whole = previous, piece, whole

    @property
    def whole(self) -> Whole:
        """The joined value."""
        whole = self._whole
        if whole is None:
            whole = self._whole = self._read()
            # In this order: a reader in another thread that finds no previous moment looks for the whole again.
            self._previous = self._piece = None
        return whole

    def _read(self) -> Whole:
        pieces: list[Piece] = []
        moment: _Moment[Whole, Piece] = self
        while (whole := moment._whole) is None:
            piece, previous = moment._piece, moment._previous
            if previous is not None:
                pieces.append(cast("Piece", piece))
                moment = previous
        pieces.reverse()
        return self._join(whole, pieces)

    @abstractmethod
    def _join(self, whole: Whole, pieces: list[Piece]) -> Whole:
        """Return `whole` with the pieces behind it."""


Kept: TypeAlias = str | bytes
"""A text as it is kept; see `packed`."""


def packed(text: str) -> Kept:
    """Return a text as it is kept: one wide character makes a string four times as long, UTF-8 does not."""
    return text if text.isascii() else text.encode("utf-8", "surrogatepass")


def unpacked(kept: Kept) -> str:
    """Return the text that was packed."""
    return kept if type(kept) is str else cast("bytes", kept).decode("utf-8", "surrogatepass")


def glued(run: Sequence[Kept]) -> Kept:
    """Return several kept texts as one."""
    if all(type(kept) is str for kept in run):
        return "".join(cast("Sequence[str]", run))
    return b"".join([kept.encode("ascii") if isinstance(kept, str) else kept for kept in run])


class Body(_Moment["tuple[Kept | Content, ...]", "Kept | Content"]):
    """Content blocks; neighbouring plain texts are one block. `length` counts the characters of all texts."""

    __slots__ = ("length",)

    def __init__(
        self,
        previous: _Moment[tuple[Kept | Content, ...], Kept | Content] | None = None,
        piece: Kept | Content | None = None,
        whole: tuple[Kept | Content, ...] | None = None,
        length: int = 0,
    ) -> None:
        super().__init__(previous, piece, whole)
        self.length = length

    @classmethod
    def of(cls, blocks: Sequence[Content]) -> Body:
        """Return the body that consists of `blocks`."""
        body = EMPTY
        for block in blocks:
            body = body.with_block(block)
        return body

    def with_text(self, text: str) -> Body:
        """Return the body with plain text appended."""
        if not text:
            return self
        kept, piece, previous = packed(text), self._piece, self._previous
        length = self.length + len(text)
        if previous is not None and isinstance(piece, str | bytes) and len(piece) < SMALL:
            return Body(previous, glued((piece, kept)), None, length)
        return Body(self, kept, None, length)

    def with_block(self, block: Content) -> Body:
        """Return the body with a block appended."""
        if type(block) is not Text:
            return Body(self, block, None, self.length)
        return self.with_text(block.text) if block.plain else Body(self, block, None, self.length + len(block.text))

    @property
    def content(self) -> tuple[Content, ...]:
        """The blocks."""
        return tuple([Text(unpacked(part)) if isinstance(part, str | bytes) else part for part in self.whole])

    @property
    def packed_text(self) -> Kept:
        """The texts in order, without what stands between them, as they are kept."""
        return glued([_kept_text(part) for part in self.whole if isinstance(part, str | bytes | Text)])

    @property
    def text(self) -> str:
        """The texts in order, without what stands between them."""
        return unpacked(self.packed_text)

    def _join(self, whole: tuple[Kept | Content, ...], pieces: list[Kept | Content]) -> tuple[Kept | Content, ...]:
        joined: list[Kept | Content] = []
        run: list[Kept] = []
        for part in (*whole, *pieces):
            if isinstance(part, str | bytes):
                run.append(part)
            else:
                _end_run(run, joined)
                joined.append(part)
        _end_run(run, joined)
        return tuple(joined)


def _kept_text(part: Kept | Text) -> Kept:
    return packed(part.text) if isinstance(part, Text) else part


def _end_run(run: list[Kept], joined: list[Kept | Content]) -> None:
    kept = glued(run)
    if kept:
        joined.append(kept)
    run.clear()


EMPTY = Body(whole=())
"""The body that everything begins with."""


class Gained:
    """The text that some messages gained, put together when it is read. Two are equal when their texts are.

    A part is a text, or what a body has behind its first so many characters.
    """

    __slots__ = ("_kept", "_parts")

    def __init__(self, parts: Sequence[str | tuple[Body, int]] | None, kept: Kept | None = None) -> None:
        self._parts, self._kept = parts, kept

    @classmethod
    def of(cls, text: str) -> Gained:
        """Return a text that is there already."""
        return cls(None, packed(text))

    @property
    def kept(self) -> Kept:
        kept, parts = self._kept, self._parts
        if kept is None and parts is not None:
            kept = self._kept = glued([packed(part) if isinstance(part, str) else _behind(*part) for part in parts])
            self._parts = None
        # A reader in another thread that finds no parts finds the text.
        return kept if kept is not None else cast("Kept", self._kept)

    @property
    def text(self) -> str:
        return unpacked(self.kept)

    def __eq__(self, other: object) -> bool:
        return self.kept == other.kept if isinstance(other, Gained) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it would have to put the text together

    def __reduce__(self) -> tuple[type[Gained], tuple[None, Kept]]:
        return Gained, (None, self.kept)


def _behind(body: Body, length: int) -> Kept:
    return packed(body.text[length:]) if length else body.packed_text


class Output(_Moment[bytes, bytes]):
    """Bytes."""

    __slots__ = ()

    def with_bytes(self, data: bytes) -> Output:
        """Return the output with `data` appended."""
        piece, previous = self._piece, self._previous
        if previous is not None and piece is not None and len(piece) < SMALL:
            return Output(previous, piece + data, None)
        return Output(self, data, None)

    def _join(self, whole: bytes, pieces: list[bytes]) -> bytes:
        return b"".join([whole, *pieces])


def output_of(data: bytes) -> Output:
    """Return the output that consists of `data`."""
    return Output(None, None, data)


NO_OUTPUT = output_of(b"")
"""The output that everything begins with."""
