"""What a consumer has not taken yet: texts of one message merged, the rest in order, and a bound on what is kept.

Pure: who waits, and for how long, is decided above. A consumer that takes at its own pace, say once per repaint, gets
merged texts and therefore few events; one that takes at once gets every single update.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from acp_client.state.events import Event, Gap, OutputAppended, TextAppended, TurnEnded
from acp_client.state.growing import glued, packed, unpacked
from acp_client.state.snapshot import SessionSnapshot

MAILBOX_LIMIT = 1024
"""Events kept for a consumer that does not take them; a second of a busy agent, beside its text, is some hundred."""

JOIN_AT = 64
"""Merged pieces that are kept apart before they are joined."""

MAX_MERGED = 1_000_000
"""Characters of one merged event: what waited for a minute must not come as one string."""

_Appended: TypeAlias = TextAppended | OutputAppended
_Key: TypeAlias = str | tuple[str, bool, bool]
_MERGEABLE = (TextAppended, OutputAppended)


class _Sealed:
    """Some appends, joined."""

    __slots__ = ("count", "data", "length", "text", "version")

    def __init__(self, text: str, data: bytes, count: int, version: int) -> None:
        self.text, self.length, self.data, self.count, self.version = packed(text), len(text), data, count, version


class _Merged:
    """One append to a message or terminal, or several."""

    __slots__ = ("_count", "_data", "_pieces", "_sealed", "key", "last")

    def __init__(self, key: _Key, event: _Appended) -> None:
        self.key, self.last = key, event
        self._sealed: list[_Sealed] | None = None
        """None while it is one, which is then returned as it came."""

    def add(self, event: _Appended) -> None:
        if self._sealed is None:
            self._begin(self.last)
        self.last = event
        self._count += event.count
        self._pieces.append(event.text)
        if type(event) is OutputAppended:
            self._data.append(event.data)
        if len(self._pieces) >= JOIN_AT:
            self._seal()

    def _begin(self, first: _Appended) -> None:
        self._sealed = []
        self._count = first.count
        self._pieces: list[str] = [first.text]
        self._data: list[bytes] = [first.data] if isinstance(first, OutputAppended) else []

    def _seal(self) -> None:
        assert self._sealed is not None
        if self._pieces:
            text, data = "".join(self._pieces), b"".join(self._data)
            self._sealed.append(_Sealed(text, data, self._count, self.last.version))
        self._pieces, self._data, self._count = [], [], 0

    def take(self) -> tuple[Event, bool]:
        """Return the event for the oldest of them, up to `MAX_MERGED` characters, and whether something is left."""
        if self._sealed is None:
            return self.last, False
        if not self._sealed:
            return self._joined("".join(self._pieces), b"".join(self._data), self._count, self.last.version), False
        self._seal()
        count, length = 1, self._sealed[0].length
        while count < len(self._sealed) and length + self._sealed[count].length <= MAX_MERGED:
            length += self._sealed[count].length
            count += 1
        taken, self._sealed = self._sealed[:count], self._sealed[count:]
        event = self._joined(
            unpacked(glued([sealed.text for sealed in taken])),
            b"".join([sealed.data for sealed in taken]),
            sum([sealed.count for sealed in taken]),
            taken[-1].version,
        )
        return event, bool(self._sealed)

    def _joined(self, text: str, data: bytes, count: int, version: int) -> Event:
        last = self.last
        if isinstance(last, OutputAppended):
            return OutputAppended(
                key=last.key,
                terminal_id=last.terminal_id,
                data=data,
                text=text,
                version=version,
                count=count,
                replayed=last.replayed,
                late=last.late,
            )
        return TextAppended(
            key=last.key,
            role=last.role,
            text=text,
            version=version,
            count=count,
            replayed=last.replayed,
            late=last.late,
        )


class Mailbox:
    """Events for one consumer.

    Texts of the same message (and output of the same terminal) that wait here are merged, unless something else than
    text came in between. Over `limit` events, everything further becomes one `Gap`, with the snapshot of the moment
    when it is taken; the ends of turns are kept behind it. The counts of what is taken add up to those of what was put.
    """

    def __init__(self, snapshot: Callable[[], SessionSnapshot], limit: int = MAILBOX_LIMIT) -> None:
        self._snapshot = snapshot
        self._limit = limit
        self._waiting: deque[Event | _Merged] = deque()
        self._mergeable: dict[_Key, _Merged] = {}
        self._in_gap = False
        self._missed = 0
        self._ends: list[TurnEnded] = []
        self.on_put: Callable[[], object] | None = None
        """Called after each event; for whoever waits for one."""

    def __len__(self) -> int:
        """How many events can be taken."""
        return len(self._waiting) + self._in_gap + len(self._ends)

    def put(self, event: Event) -> None:
        """Add an event."""
        if self._in_gap:
            if type(event) is TurnEnded:
                self._ends.append(event)
            else:
                self._missed += event.count
        elif isinstance(event, _MERGEABLE):
            key = event.key if not (event.replayed or event.late) else (event.key, event.replayed, event.late)
            merged = self._mergeable.get(key)
            if merged is not None:
                merged.add(event)
            elif self._admit(event):
                self._mergeable[key] = merged = _Merged(key, event)
                self._waiting.append(merged)
        elif self._admit(event):
            self._mergeable.clear()
            self._waiting.append(event)
        if self.on_put is not None:
            self.on_put()

    def _admit(self, event: Event) -> bool:
        """Return whether one more is kept; where not, begin a gap with it."""
        if len(self._waiting) < self._limit:
            return True
        self._in_gap = True
        self.put(event)
        return False

    def mark_gap(self, missed: int) -> None:
        """Have the consumer begin with a gap that stands for `missed` updates before the first event put."""
        self._in_gap = True
        self._missed += missed

    def take(self) -> Event | None:
        """Return the next event, or None when there is none."""
        if self._waiting:
            first = self._waiting[0]
            if not isinstance(first, _Merged):
                return self._waiting.popleft()  # type: ignore[return-value]  # it is `first`
            event, more = first.take()
            if not more:
                self._waiting.popleft()
                if self._mergeable.get(first.key) is first:
                    del self._mergeable[first.key]
            return event
        return self._gap() if self._in_gap else None

    def _gap(self) -> Gap:
        snapshot, missed = self._snapshot(), self._missed
        self._in_gap, self._missed = False, 0
        self._waiting.extend(self._ends)
        self._ends.clear()
        return Gap(snapshot=snapshot, missed=missed, version=snapshot.version, count=missed)

    def drain(self) -> list[Event]:
        """Take everything that is there."""
        events: list[Event] = []
        while (event := self.take()) is not None:
            events.append(event)
        return events

    def clear(self) -> None:
        """Forget everything."""
        self._waiting.clear()
        self._mergeable.clear()
        self._ends.clear()
        self._in_gap, self._missed = False, 0
