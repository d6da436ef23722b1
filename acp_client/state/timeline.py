"""The items of a session in order of first sight, as a sequence that shares what did not change.

Items are kept in segments: a change copies one segment and the list of segments, so a snapshot of a timeline of a
million items costs a few thousand pointers and not a million.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, overload

from acp_client.state.drafts import ItemDraft
from acp_client.state.items import Item

BITS = 8
SIZE = 1 << BITS
"""Items in a segment."""


class Timeline(Sequence[Item]):
    """Items of one moment. Never changes; indexing and `get` take constant time."""

    __slots__ = ("_length", "_positions", "_segments")

    def __init__(self, segments: tuple[tuple[Item, ...], ...], length: int, positions: Mapping[str, int]) -> None:
        self._segments, self._length, self._positions = segments, length, positions

    @classmethod
    def of(cls, items: Sequence[Item]) -> Timeline:
        """Return the timeline of `items`."""
        segments = tuple(tuple(items[start : start + SIZE]) for start in range(0, len(items), SIZE))
        return cls(segments, len(items), {item.key: position for position, item in enumerate(items)})

    def get(self, key: str) -> Item | None:
        """Return the item with that key, or None."""
        position = self._positions.get(key)
        # Positions are shared with later moments, which know keys that are not in this one.
        return None if position is None or position >= self._length else self[position]

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(self._length)))
        position = range(self._length)[index]
        return self._segments[position >> BITS][position & (SIZE - 1)]

    def __iter__(self) -> Iterator[Item]:
        return chain.from_iterable(self._segments)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]  # items hold dicts

    def __repr__(self) -> str:
        return f"<Timeline of {self._length} items>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Timeline.of, (tuple(self),)


def _same(one: Item, other: object) -> bool:
    return one is other or one == other


class TimelineBuilder:
    """The drafts in order of first sight, and the timeline they make."""

    __slots__ = ("_changed", "_dirty", "_drafts", "_length", "_positions", "_segments", "_timeline")

    def __init__(self) -> None:
        self._drafts: list[ItemDraft] = []
        self._positions: dict[str, int] = {}
        self._dirty: list[ItemDraft] = []
        self._changed: set[int] = set()
        self._segments: list[tuple[Item, ...]] = []
        self._timeline: Timeline | None = None

    def __len__(self) -> int:
        return len(self._drafts)

    def add(self, draft: ItemDraft) -> None:
        """Add a new draft at the end."""
        drafts = self._drafts
        draft.position = self._positions[draft.key] = len(drafts)
        drafts.append(draft)
        draft.dirty = True
        self._dirty.append(draft)

    def touch(self, draft: ItemDraft) -> None:
        """Have the draft frozen for the next timeline."""
        if not draft.dirty:
            draft.dirty = True
            self._dirty.append(draft)

    def remove(self, removed: ItemDraft) -> None:
        """Take a draft out; whatever follows moves up. Costs as much as the timeline is long."""
        self.timeline()
        del self._drafts[removed.position]
        # A new mapping, because earlier timelines go on with the old one.
        self._positions = {draft.key: position for position, draft in enumerate(self._drafts)}
        for draft in self._drafts[removed.position :]:
            draft.position -= 1
        segments = -(-len(self._drafts) // SIZE)
        del self._segments[segments:]
        self._changed.update(range(removed.position >> BITS, segments))
        self._timeline = None

    def timeline(self) -> Timeline:
        """Return the timeline as it is now; the same object until something changes."""
        if self._timeline is None or self._dirty:
            for draft in self._dirty:
                draft.dirty = False
                draft.frozen = draft.freeze()
                self._changed.add(draft.position >> BITS)
            self._dirty.clear()
            for number in sorted(self._changed):
                self._segments[number : number + 1] = [self._segment(number)]
            self._changed.clear()
            self._timeline = Timeline(tuple(self._segments), len(self._drafts), self._positions)
        return self._timeline

    def _segment(self, number: int) -> tuple[Item, ...]:
        drafts = self._drafts[number << BITS : (number + 1) << BITS]
        return tuple([draft.frozen for draft in drafts if draft.frozen is not None])
