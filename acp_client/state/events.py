"""What happened in a session, one object per update, for those who follow instead of redrawing.

An event says what changed; the new state is in the snapshot. Treat events as immutable: all subscribers get the same
ones. Only creation at full speed keeps them from being guarded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import attrs

if TYPE_CHECKING:
    from acp_client.models.base import Model
    from acp_client.state.items import Role
    from acp_client.state.snapshot import SessionSnapshot

CHUNKS: Mapping[Role, str] = {
    "user": "user_message_chunk",
    "agent": "agent_message_chunk",
    "thought": "agent_thought_chunk",
}
"""The kind of update by which a message of each role goes on."""

Unread: TypeAlias = "tuple[Callable[[Any], Model], str | None]"
"""An update that was nothing but text: how to read it when somebody asks, and the id of its message."""


@attrs.define(kw_only=True)
class Event:
    """What all events have in common.

    `version` is the state's version after it. `count` says for how many of the agent's updates it stands: usually one,
    more where text was merged, none for what this side did. So the counts add up to the updates that came.
    `replayed`: it repeats earlier work. `late`: no turn of ours was running. `extra` is what stood beside the update in
    its notification: `_meta` and members that the protocol does not know.
    """

    type: ClassVar[str] = "event"

    version: int
    count: int = 0
    replayed: bool = False
    late: bool = False
    _update: Model | Unread | None = attrs.field(default=None, repr=False, eq=False, alias="update")
    extra: Mapping[str, Any] | None = attrs.field(default=None, repr=False, eq=False)

    @property
    def update(self) -> Model | None:
        """The update as it came; None for what this side did, and where several were merged."""
        return self._update  # type: ignore[return-value]  # only `TextAppended` has unread ones

    @property
    def meta(self) -> Mapping[str, Any]:
        """The `_meta` of the notification, and else of the update in it; empty when there is none."""
        of_update = getattr(self.update, "meta", None)
        meta = self.extra.get("_meta") if self.extra is not None else None
        return meta if isinstance(meta, dict) else of_update if isinstance(of_update, dict) else {}


@attrs.define(kw_only=True)
class TextAppended(Event):
    """A message or thought goes on; the first one for a key begins it."""

    type: ClassVar[str] = "text"

    key: str
    role: Role
    text: str

    @property
    def update(self) -> Model | None:
        """The update as it came, made when it is first asked for; None where several were merged."""
        update = self._update
        if type(update) is tuple:
            read, message_id = update
            raw = {"sessionUpdate": CHUNKS[self.role], "content": {"type": "text", "text": self.text}}
            update = self._update = read(raw if message_id is None else {**raw, "messageId": message_id})
        return update  # type: ignore[return-value]  # it has been read


@attrs.define(kw_only=True)
class OutputAppended(Event):
    """A terminal printed `data`; `text` is what of it can be read as text now, the rest comes with the next one."""

    type: ClassVar[str] = "output"

    key: str
    terminal_id: str
    data: bytes
    text: str


@attrs.define(kw_only=True)
class ItemChanged(Event):
    """An item is new or has changed: `kind` is message, tool_call, plan, compaction or terminal."""

    type: ClassVar[str] = "item"

    key: str
    kind: str
    removed: bool = False


@attrs.define(kw_only=True)
class StateChanged(Event):
    """The agent reported its state, perhaps the same again, perhaps with other background work."""

    type: ClassVar[str] = "state"

    state: str
    stop_reason: str | None = None
    previous: str = "idle"

    @property
    def completed(self) -> bool:
        """Whether work has just ended: idle was not the state before, and it is no repetition of the past."""
        return self.state == "idle" and self.previous != "idle" and not self.replayed


@attrs.define(kw_only=True)
class InfoChanged(Event):
    """Something beside the timeline changed: usage, commands, config_options or session_info.

    `timeline` says that the whole history was replaced by what the agent replayed.
    """

    type: ClassVar[str] = "info"

    what: str


@attrs.define(kw_only=True)
class NoticeShown(Event):
    """The agent wants something shown now, which is no part of the history.

    `severity` is info, warning, error or unknown.
    """

    type: ClassVar[str] = "notice"

    severity: str
    title: str
    description: str | None = None


@attrs.define(kw_only=True)
class QuestionOpened(Event):
    """The agent asks, and waits for an answer. A pickled one comes without its question."""

    type: ClassVar[str] = "question_opened"

    question: Any


@attrs.define(kw_only=True)
class QuestionEnded(Event):
    """A question is over; `question.ended_by` says why. A pickled one comes without its question."""

    type: ClassVar[str] = "question_ended"

    question: Any


@attrs.define(kw_only=True)
class UnknownUpdate(Event):
    """An update that changed nothing: of a kind that is not known, or invalid. `raw` is the object as it came."""

    type: ClassVar[str] = "unknown"

    raw: Any
    reason: str
    """"unknown" or "invalid"."""


@attrs.define(kw_only=True)
class TurnEnded(Event):
    """A turn of ours has ended."""

    type: ClassVar[str] = "turn_ended"

    result: Any


@attrs.define(kw_only=True)
class Gap(Event):
    """In place of `missed` updates: their consumer was too far behind. Redraw from `snapshot`, which contains them."""

    type: ClassVar[str] = "gap"

    snapshot: SessionSnapshot
    missed: int
