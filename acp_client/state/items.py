"""What a session's timeline consists of, and the other values of a snapshot. Immutable, the same for both versions.

Strings with a fixed vocabulary (statuses, kinds, priorities, severities) are open: a value that this package does not
know is kept as it came.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import attrs

from acp_client.state.content import Content, Meta
from acp_client.state.growing import EMPTY, NO_OUTPUT, Body, Output, output_of

Role: TypeAlias = Literal["user", "agent", "thought"]

FINAL_STATUSES = frozenset({"completed", "failed", "cancelled"})
"""What ends a tool call. Everything else, unknown values included, is still in progress (`paused` may go on)."""


def _body(content: Body | Iterable[Content]) -> Body:
    return content if isinstance(content, Body) else Body.of(tuple(content))


def _output(data: Output | bytes) -> Output:
    return data if isinstance(data, Output) else output_of(data)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Message:
    """A message of the user or the agent, or a thought of the agent.

    `content` and `text` are put together when they are first read; text between other blocks is one block.
    """

    type: ClassVar[str] = "message"

    key: str
    role: Role
    message_id: str | None = None
    _body: Body = attrs.field(default=EMPTY, alias="content", converter=_body)
    meta: Meta | None = None

    @property
    def content(self) -> tuple[Content, ...]:
        """The blocks, neighbouring plain texts merged."""
        return self._body.content

    @property
    def text(self) -> str:
        """All texts in order."""
        return self._body.text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return _message_fields(self) == _message_fields(other) and self.content == other.content

    __hash__ = None  # type: ignore[assignment]  # blocks and metadata hold dicts

    def __repr__(self) -> str:
        return f"Message(key={self.key!r}, role={self.role!r}, text={_shortened(self.text)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _message, (*_message_fields(self), self.content)


def _message_fields(message: Message) -> tuple[Any, ...]:
    return message.key, message.role, message.message_id, message.meta


def _message(key: str, role: Role, message_id: str | None, meta: Meta | None, content: tuple[Content, ...]) -> Message:
    return Message(key=key, role=role, message_id=message_id, meta=meta, content=content)


def _shortened(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:57]!r}..."


@attrs.frozen(kw_only=True)
class FileChange:
    """One file of a diff. `operation` is add, delete, modify, move, copy or an unknown one.

    Version 1 agents give the texts (`old_text` None for a new file), version 2 agents a patch beside the changes.
    """

    operation: str
    path: str
    old_path: str | None = None
    old_text: str | None = attrs.field(default=None, repr=False)
    new_text: str | None = attrs.field(default=None, repr=False)
    file_type: str | None = None
    mime_type: str | None = None
    raw: Mapping[str, Any] | None = attrs.field(default=None, repr=False)
    """The whole object, where the operation is unknown."""
    meta: Meta | None = None


@attrs.frozen(kw_only=True)
class Diff:
    """Changes to files, for display only. `changes` is authoritative, `patch` may be missing."""

    changes: tuple[FileChange, ...]
    patch: str | None = attrs.field(default=None, repr=False)
    patch_format: str | None = None
    meta: Meta | None = None


@attrs.frozen
class TerminalRef:
    """A terminal shown inside a tool call; it may never become known."""

    terminal_id: str


ToolContent: TypeAlias = Content | Diff | TerminalRef


@attrs.frozen
class Location:
    """A file that a tool call works on; `line` counts from 1."""

    path: str
    line: int | None = None


@attrs.frozen(kw_only=True)
class ToolCall:
    """A tool call as it is now. Show `title`; `name` is the program's own name for it.

    `cancelled_locally`: a cancel of ours set the status, and the agent has not said another one since.
    """

    type: ClassVar[str] = "tool_call"

    key: str
    tool_call_id: str
    title: str | None = None
    name: str | None = None
    kind: str = "other"
    status: str = "pending"
    content: tuple[ToolContent, ...] = ()
    locations: tuple[Location, ...] = ()
    raw_input: Any = attrs.field(default=None, repr=False)
    raw_output: Any = attrs.field(default=None, repr=False)
    can_cancel: bool = False
    cancelled_locally: bool = False
    meta: Meta | None = None

    @property
    def finished(self) -> bool:
        """Whether the status is a final one."""
        return self.status in FINAL_STATUSES


@attrs.frozen(kw_only=True)
class PlanEntry:
    """One step of a plan."""

    content: str
    priority: str
    status: str
    meta: Meta | None = None


@attrs.frozen(kw_only=True)
class Plan:
    """A plan: steps, or a file (`uri`), or `markdown`; of an unknown kind only `raw`."""

    type: ClassVar[str] = "plan"

    key: str
    plan_id: str | None = None
    entries: tuple[PlanEntry, ...] = ()
    uri: str | None = None
    markdown: str | None = None
    raw: Mapping[str, Any] | None = None


@attrs.frozen(kw_only=True)
class Compaction:
    """A compaction of the conversation: `status` is in_progress, completed, failed, cancelled or unknown."""

    type: ClassVar[str] = "compaction"

    key: str
    compaction_id: str
    status: str
    _summary: Body = attrs.field(
        default=EMPTY, alias="summary", converter=_body, eq=lambda body: body.whole, repr=False
    )
    error: str | None = None
    meta: Meta | None = None

    @property
    def summary(self) -> tuple[Content, ...]:
        """What is kept instead of the conversation."""
        return self._summary.content

    def __reduce__(self) -> tuple[Any, ...]:
        return _compaction, (self.key, self.compaction_id, self.status, self.summary, self.error, self.meta)


def _compaction(
    key: str,
    compaction_id: str,
    status: str,
    summary: tuple[Content, ...],
    error: str | None,
    meta: Meta | None,
) -> Compaction:
    return Compaction(key=key, compaction_id=compaction_id, status=status, summary=summary, error=error, meta=meta)


Item: TypeAlias = Message | ToolCall | Plan | Compaction


@attrs.frozen(kw_only=True)
class Terminal:
    """A terminal of the agent, for display only: isolate or sanitize what it prints.

    `output` holds the bytes; `text` reads them as UTF-8 and shows what is none as U+FFFD. While it runs, the start of a
    character at the very end is left out. `exited` says that it ended, even where no code is known.
    """

    key: str
    terminal_id: str
    command: str | None = None
    cwd: str | None = None
    _output: Output = attrs.field(
        default=NO_OUTPUT, alias="output", converter=_output, eq=lambda out: out.whole, repr=False
    )
    exited: bool = False
    exit_code: int | None = None
    signal: str | None = None
    cols: int | None = None
    rows: int | None = None
    can_cancel: bool = False
    meta: Meta | None = None

    @property
    def output(self) -> bytes:
        """All bytes so far."""
        return self._output.whole

    @cached_property
    def text(self) -> str:
        """The output as text."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(self.output, final=self.exited)

    def __reduce__(self) -> tuple[Any, ...]:
        names = [field.name for field in attrs.fields(Terminal) if field.name != "_output"]
        return _terminal, ({name: getattr(self, name) for name in names}, self.output)


def _terminal(fields: dict[str, Any], output: bytes) -> Terminal:
    return Terminal(**fields, output=output)


@attrs.frozen
class Cost:
    """What the session has cost so far; `currency` is a code such as EUR, or another unit such as credits."""

    amount: float
    currency: str


@attrs.frozen(kw_only=True)
class Usage:
    """How full the agent's context is (`used` of `size` tokens) and what the session has cost so far."""

    used: int
    size: int | None = None
    cost: Cost | None = None


@attrs.frozen(kw_only=True)
class Command:
    """A command of the agent, run by a prompt that begins with a slash, the name and a space.

    `hint` says what to type behind it. `raw` is the whole object where its type is not "command" or its input not text.
    """

    name: str
    description: str
    hint: str | None = None
    type: str = "command"
    raw: Mapping[str, Any] | None = attrs.field(default=None, repr=False)
    meta: Meta | None = attrs.field(default=None, repr=False)


@attrs.frozen(kw_only=True)
class ConfigChoice:
    """One value of a select option; `group` is the heading it stands under."""

    value: str
    name: str
    description: str | None = None
    group: str | None = None


@attrs.frozen(kw_only=True)
class ConfigOption:
    """A setting of the session.

    `type` is "select" (`value` is that of one of `choices`), "boolean" or unknown (then there is `raw`).
    """

    id: str
    name: str
    description: str | None = None
    category: str | None = None
    type: str
    value: str | bool | None
    choices: tuple[ConfigChoice, ...] = ()
    raw: Mapping[str, Any] | None = attrs.field(default=None, repr=False)
    meta: Meta | None = attrs.field(default=None, repr=False)


@attrs.frozen
class BackgroundWork:
    """Something that goes on without the session being busy: `type` is terminal, tool_call, subagent or unknown."""

    type: str
    id: str | None
    raw: Mapping[str, Any] | None = attrs.field(default=None, repr=False)
