"""What the reducers of both versions have in common: one synchronous step per update, one event out of each.

A reducer keeps nothing itself, so several may work on one store. An update is converted before anything is changed, so
what fails changes nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from acp_client.models.base import UNSET, Model
from acp_client.state.content import Content, Meta, block_from_model
from acp_client.state.drafts import TAIL, ItemDraft, MessageDraft, TerminalDraft
from acp_client.state.events import (
    CHUNKS,
    Event,
    InfoChanged,
    ItemChanged,
    NoticeShown,
    StateChanged,
    TextAppended,
    UnknownUpdate,
    Unread,
)
from acp_client.state.items import ConfigChoice, ConfigOption, Role
from acp_client.state.store import SessionStore

Handler: TypeAlias = Callable[[Any, Any], Event]

_new = object.__new__


class Reducer(ABC):
    """Applies updates of one version to a store. Subclasses say which class means what."""

    ROLES: ClassVar[Mapping[str, Role]] = {kind: role for role, kind in CHUNKS.items()}
    NAMED_CHUNKS: ClassVar[bool]
    """Whether every chunk has the id of its message."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._handlers = self.handlers()

    @classmethod
    @abstractmethod
    def handlers(cls) -> Mapping[type[Model], Handler]:
        """Return which method does what with which class of update; the same mapping every time."""

    @staticmethod
    @abstractmethod
    def read(raw: Any) -> Model:
        """Return the model of an update. Raises one of `BROKEN` for what is none."""

    def apply(self, raw: Any) -> Event:
        """Apply a session update; return what it changed. Raises one of `BROKEN` for what is none, changing nothing."""
        role = self.ROLES.get(raw["sessionUpdate"])
        if role is not None:
            # Nine of ten updates are this: plain text with nothing beside it. Their models wait until somebody asks.
            try:
                content, message_id = raw["content"], raw["messageId"] if len(raw) == 3 else None
                text, kind = content["text"], content["type"]
            except (KeyError, TypeError):
                return self.apply_model(self.read(raw))
            if (
                (type(message_id) is str or (len(raw) == 2 and not self.NAMED_CHUNKS))
                and kind == "text"
                and type(text) is str
                and type(content) is dict
                and len(content) == 2
            ):
                return self._on_text(role, message_id, text, None)
        return self.apply_model(self.read(raw))

    def apply_model(self, update: Model) -> Event:
        """Apply an update that has been read. Never fails."""
        try:
            handler = self._handlers[type(update)]
        except KeyError:
            raise TypeError(f"not a session update: {type(update).__name__}") from None
        return handler(self, update)

    def apply_tool_call(self, tool_call: Model) -> Event:
        """Apply the tool call inside a permission request, which is no update of its own."""
        event = self.apply_model(tool_call)
        event.count = 0
        return event

    def unknown_update(self, raw: Any, reason: str) -> UnknownUpdate:
        """Return the event for an update that could not be read, `reason` "unknown" or "invalid". Changes nothing."""
        store = self._store
        return UnknownUpdate(raw=raw, reason=reason, version=store.changed(), count=1, replayed=store.replaying)

    def mark_cancelled(self, tool_call_ids: Collection[str] | None = None) -> list[Event]:
        """Show unfinished tool calls as cancelled, all or those with the given ids, until the agent says otherwise.

        What the agent listed as background work stays as it is (CAN-36, CAN-37).
        """
        keys = self._store.cancel_tool_calls(tool_call_ids)
        return [ItemChanged(key=key, kind="tool_call", version=self._store.changed()) for key in keys]

    def local_user_message(self, blocks: Sequence[Content]) -> Event:
        """Put a prompt into the timeline, for agents that do not echo it. An echo right behind it takes its place."""
        store = self._store
        draft = store.history.new_message("user", None, store.version + 1)
        draft.replace(blocks)
        draft.local = True
        store.history.open_message = draft
        return ItemChanged(key=draft.key, kind=draft.kind, version=store.changed())

    def local_state(self, state: str, stop_reason: str | None) -> StateChanged:
        """Set the foreground state, for agents that do not report it."""
        store = self._store
        previous, store.state = store.state, state
        store.stop_reason, store.error = stop_reason, None
        return StateChanged(state=state, stop_reason=stop_reason, previous=previous, version=store.changed())

    # events

    def _item(self, draft: ItemDraft | TerminalDraft, update: Model) -> ItemChanged:
        store = self._store
        store.history.touch(draft)
        return ItemChanged(
            key=draft.key,
            kind=draft.kind,
            version=store.changed(),
            count=1,
            replayed=store.replaying,
            update=update,
        )

    def _info(self, what: str, update: Model | None) -> InfoChanged:
        store = self._store
        count = 0 if update is None else 1
        return InfoChanged(what=what, version=store.changed(), count=count, replayed=store.replaying, update=update)

    def _unused(self, update: Any, reason: str = "unknown") -> UnknownUpdate:
        """Return the event for a readable update that has no place in the state."""
        from acp_client.models.convert import unstructure

        event = self.unknown_update(unstructure(update), reason)
        event._update = update
        return event

    # messages

    def _on_text(self, role: Role, message_id: str | None, text: str, update: Model | None) -> Event:
        """Append text of one role: the one thing that is done tens of thousands of times a second.

        `update` is None where it has not been read.
        """
        store = self._store
        history = store.history
        if message_id is not None:
            draft = history.messages[role].get(message_id)
        else:
            draft = history.open_message
            if draft is not None and (draft.role != role or draft.message_id is not None or draft.local):
                draft = None
        if draft is None:
            opened = self._open_message(role, message_id, text, update)
            if not isinstance(opened, MessageDraft):
                return opened
            draft = opened
        history.open_message = draft
        if draft.epoch != store.epoch:
            store.note_text(draft)
        tail = draft.tail
        tail.append(text)
        if len(tail) >= TAIL:
            draft.seal()
        if not draft.dirty:
            history.touch(draft)
        store.version = version = store.version + 1
        # Slot by slot: the constructor would take longer than all of the above.
        event = _new(TextAppended)
        event.key = draft.key
        event.role = role
        event.text = text
        event.version = version
        event.count = 1
        event.replayed = store.replaying
        event.late = False
        event._update = update or draft.unread or self._unread(draft)
        event.extra = None
        return event

    def _unread(self, draft: MessageDraft) -> Unread:
        draft.unread = self.read, draft.message_id
        return draft.unread

    def _on_chunk(self, update: Any) -> Event:
        """Append a chunk that is more than text, or has been read already."""
        content, store, role = update.content, self._store, self.ROLES[update.TAG[1]]
        text = content.text if content.TAG == ("type", "text") else None
        if text is not None and content.annotations is None and content.meta is None:
            return self._on_text(role, update.message_id, text, update)
        message_id = update.message_id
        draft = None if message_id is None else store.history.messages[role].get(message_id)
        if draft is None:
            opened = self._open_message(role, message_id, text, update)
            if not isinstance(opened, MessageDraft):
                return opened
            draft = opened
        store.history.open_message = draft
        if draft.epoch != store.epoch:
            store.note_text(draft)
        draft.append(block_from_model(content))
        event = self._item(draft, update)
        return event if text is None else self._text(draft, text, event.version, update)

    def _open_message(
        self, role: Role, message_id: str | None, text: str | None, update: Model | None
    ) -> MessageDraft | Event:
        """Return the message for a chunk whose id, if it has one, is new; or what became of it otherwise."""
        return self._store.history.new_message(role, message_id, self._store.version + 1)

    def _text(self, draft: MessageDraft, text: str, version: int, update: Model | Unread) -> TextAppended:
        return TextAppended(
            key=draft.key,
            role=draft.role,
            text=text,
            version=version,
            count=1,
            replayed=self._store.replaying,
            update=update,
        )

    # plans

    def _on_plan_update(self, update: Any) -> Event:
        plan = update.plan
        tag = plan.TAG
        draft = self._store.history.plan(plan.raw["planId"] if tag is None else plan.plan_id)
        draft.entries, draft.uri, draft.markdown, draft.raw = (), None, None, None
        if tag is None:
            draft.raw = plan.raw
        elif tag[1] == "items":
            draft.entries = plan.entries
        elif tag[1] == "file":
            draft.uri = plan.uri
        else:
            draft.markdown = plan.content
        self._store.history.open_message = None
        return self._item(draft, update)

    def _on_plan_removed(self, update: Any) -> Event:
        store = self._store
        removed = store.history.remove_plan(update.plan_id)
        if removed is None:
            return self._unused(update)
        store.history.open_message = None
        return ItemChanged(
            key=removed.key,
            kind=removed.kind,
            removed=True,
            version=store.changed(),
            count=1,
            replayed=store.replaying,
            update=update,
        )

    # compactions

    def _on_compaction(self, update: Any) -> Event:
        summary = None if update.summary is UNSET else tuple(map(block_from_model, update.summary or ()))
        draft = self._store.history.compaction(update.compaction_id)
        draft.status = update.status
        if summary is not None:
            draft.replace(summary)
        if update.error is not UNSET:
            draft.error = update.error
        draft.meta = self._new_meta(draft.meta, update.meta)
        return self._item(draft, update)

    def _on_compaction_chunk(self, update: Any) -> Event:
        block = block_from_model(update.content)
        draft = self._store.history.compaction(update.compaction_id)
        draft.append(block)
        return self._item(draft, update)

    @abstractmethod
    def _new_meta(self, meta: Meta | None, given: Any) -> Meta | None:
        """Return an upsert's stored metadata after `given` came."""

    # the rest

    def _on_notice(self, update: Any) -> Event:
        store = self._store
        return NoticeShown(
            severity=update.severity,
            title=update.title,
            description=update.description,
            version=store.changed(),
            count=1,
            replayed=store.replaying,
            update=update,
        )


def config_option(option_id: str, model: Any) -> ConfigOption:
    """Return a select or boolean option."""
    kind = model.TAG[1]
    return ConfigOption(
        id=option_id,
        name=model.name,
        description=model.description,
        category=model.category,
        type=kind,
        value=model.current_value,
        choices=tuple(_choices(model.options)) if kind == "select" else (),
        meta=model.meta,
    )


def _choices(options: Iterable[Any], group: str | None = None) -> Iterable[ConfigChoice]:
    for option in options:
        if hasattr(option, "options"):
            yield from _choices(option.options, option.name)
        else:
            yield ConfigChoice(value=option.value, name=option.name, description=option.description, group=group)
