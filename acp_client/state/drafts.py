"""The items of a session while they change: one mutable draft per item, frozen into its immutable twin on demand."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from acp_client.state.content import Content, Meta
from acp_client.state.events import Unread
from acp_client.state.growing import EMPTY, NO_OUTPUT, Body, Output, output_of
from acp_client.state.items import (
    FINAL_STATUSES,
    Compaction,
    Item,
    Message,
    Plan,
    Role,
    Terminal,
    ToolCall,
)
from acp_client.state.parts import locations, plan_entries, tool_content

TAIL = 32
"""Appended texts that are kept apart before they are joined: one join per so many, and no small strings left over."""


def patched(meta: Meta | None, patch: Meta | None) -> Meta | None:
    """Return metadata after a patch by top-level keys: None in the patch removes a key, None as patch removes all."""
    if patch is None:
        return None
    merged = {**(meta or {}), **patch}
    return {key: value for key, value in merged.items() if value is not None} or None


class MessageDraft:
    """A message; text is collected in `tail`, and moved into the body now and then."""

    __slots__ = (
        "_body",
        "born",
        "dirty",
        "epoch",
        "frozen",
        "key",
        "local",
        "message_id",
        "meta",
        "position",
        "role",
        "tail",
        "unread",
    )

    kind: ClassVar[str] = "message"

    def __init__(self, key: str, role: Role, message_id: str | None, born: int) -> None:
        self.key, self.role, self.message_id = key, role, message_id
        self.meta: Meta | None = None
        self.tail: list[str] = []
        self._body = EMPTY
        self.position = 0
        self.dirty = False
        self.frozen: Item | None = None
        self.epoch = -1
        """The mark since which its text was last noted as the agent's; see `SessionStore.note_text`."""
        self.born = born
        """The state's version when it was first seen."""
        self.unread: Unread | None = None
        """What its plain texts have in place of their updates."""
        self.local = False
        """Written by this side, and no echo of the agent has come."""

    def seal(self) -> Body:
        """Move the tail into the body."""
        if self.tail:
            self._body = self._body.with_text("".join(self.tail))
            self.tail.clear()
        return self._body

    def append(self, block: Content) -> None:
        self._body = self.seal().with_block(block)

    def replace(self, blocks: Iterable[Content]) -> None:
        self.tail.clear()
        self._body = Body.of(tuple(blocks))

    @property
    def length(self) -> int:
        """Characters of text so far."""
        return self._body.length + sum(map(len, self.tail)) if self.tail else self._body.length

    def since(self, length: int) -> str | tuple[Body, int]:
        """Return what is behind the first `length` characters now, as a part of a `Gained`."""
        if length == 0 and self._body is EMPTY:  # a short message, and most are
            return "".join(self.tail)
        return self.seal(), length

    def freeze(self) -> Item:
        return Message(key=self.key, role=self.role, message_id=self.message_id, content=self.seal(), meta=self.meta)


class ToolCallDraft:
    """A tool call; `content` and `locations` are models until it is frozen."""

    __slots__ = (
        "can_cancel",
        "cancelled_locally",
        "content",
        "dirty",
        "frozen",
        "key",
        "kind_of_tool",
        "locations",
        "meta",
        "name",
        "position",
        "raw_input",
        "raw_output",
        "status",
        "title",
        "tool_call_id",
    )

    kind: ClassVar[str] = "tool_call"

    def __init__(self, tool_call_id: str) -> None:
        self.key = f"tool:{tool_call_id}"
        self.tool_call_id = tool_call_id
        self.title: str | None = None
        self.name: str | None = None
        self.kind_of_tool = "other"
        self.status = "pending"
        self.content: list[Any] = []
        self.locations: Sequence[Any] = ()
        self.raw_input: Any = None
        self.raw_output: Any = None
        self.can_cancel = False
        self.cancelled_locally = False
        self.meta: Meta | None = None
        self.position = 0
        self.dirty = False
        self.frozen: Item | None = None

    @property
    def finished(self) -> bool:
        return self.status in FINAL_STATUSES

    def freeze(self) -> ToolCall:
        return ToolCall(
            key=self.key,
            tool_call_id=self.tool_call_id,
            title=self.title,
            name=self.name,
            kind=self.kind_of_tool,
            status=self.status,
            content=tool_content(self.content),
            locations=locations(self.locations),
            raw_input=self.raw_input,
            raw_output=self.raw_output,
            can_cancel=self.can_cancel,
            cancelled_locally=self.cancelled_locally,
            meta=self.meta,
        )


class PlanDraft:
    """A plan; every update brings all of it, `entries` as models."""

    __slots__ = ("dirty", "entries", "frozen", "key", "markdown", "plan_id", "position", "raw", "uri")

    kind: ClassVar[str] = "plan"

    def __init__(self, plan_id: str | None) -> None:
        self.key = "plan" if plan_id is None else f"plan:{plan_id}"
        self.plan_id = plan_id
        self.entries: Sequence[Any] = ()
        self.uri: str | None = None
        self.markdown: str | None = None
        self.raw: Meta | None = None
        self.position = 0
        self.dirty = False
        self.frozen: Item | None = None

    def freeze(self) -> Item:
        return Plan(
            key=self.key,
            plan_id=self.plan_id,
            entries=plan_entries(self.entries),
            uri=self.uri,
            markdown=self.markdown,
            raw=self.raw,
        )


class CompactionDraft:
    """A compaction."""

    __slots__ = ("_summary", "compaction_id", "dirty", "error", "frozen", "key", "meta", "position", "status")

    kind: ClassVar[str] = "compaction"

    def __init__(self, compaction_id: str) -> None:
        self.key = f"compaction:{compaction_id}"
        self.compaction_id = compaction_id
        self.status = "in_progress"
        self._summary = EMPTY
        self.error: str | None = None
        self.meta: Meta | None = None
        self.position = 0
        self.dirty = False
        self.frozen: Item | None = None

    def append(self, block: Content) -> None:
        self._summary = self._summary.with_block(block)

    def replace(self, blocks: Iterable[Content]) -> None:
        self._summary = Body.of(tuple(blocks))

    def freeze(self) -> Item:
        return Compaction(
            key=self.key,
            compaction_id=self.compaction_id,
            status=self.status,
            summary=self._summary,
            error=self.error,
            meta=self.meta,
        )


class TerminalDraft:
    """A terminal, with the decoder that remembers the start of a character which the last chunk cut off."""

    __slots__ = (
        "_decoder",
        "_output",
        "_tail",
        "can_cancel",
        "cols",
        "command",
        "cwd",
        "dirty",
        "exit_code",
        "exited",
        "key",
        "meta",
        "rows",
        "signal",
        "terminal_id",
    )

    kind: ClassVar[str] = "terminal"

    def __init__(self, terminal_id: str) -> None:
        self.key = f"terminal:{terminal_id}"
        self.terminal_id = terminal_id
        self.command: str | None = None
        self.cwd: str | None = None
        self.exited = False
        self.exit_code: int | None = None
        self.signal: str | None = None
        self.cols: int | None = None
        self.rows: int | None = None
        self.can_cancel = False
        self.meta: Meta | None = None
        self.dirty = False
        self._output = NO_OUTPUT
        self._tail: list[bytes] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def append(self, data: bytes) -> str:
        """Append bytes; return what can be read as text now."""
        self._tail.append(data)
        if len(self._tail) >= TAIL:
            self._seal()
        return self._decoder.decode(data)

    def replace(self, data: bytes) -> None:
        """Begin anew with `data`."""
        self._tail.clear()
        self._output = output_of(data)
        self._decoder.reset()
        self._decoder.decode(data)

    def _seal(self) -> Output:
        if self._tail:
            self._output = self._output.with_bytes(b"".join(self._tail))
            self._tail.clear()
        return self._output

    def freeze(self) -> Terminal:
        return Terminal(
            key=self.key,
            terminal_id=self.terminal_id,
            command=self.command,
            cwd=self.cwd,
            output=self._seal(),
            exited=self.exited,
            exit_code=self.exit_code,
            signal=self.signal,
            cols=self.cols,
            rows=self.rows,
            can_cancel=self.can_cancel,
            meta=self.meta,
        )


ItemDraft = MessageDraft | ToolCallDraft | PlanDraft | CompactionDraft
