"""Version 1 of the protocol: messages may have no ids, null means unchanged, modes stand beside config options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import attrs

from acp_client.models import v1
from acp_client.models.base import UNSET, Model
from acp_client.models.convert import hook
from acp_client.state.content import Meta, block_from_model
from acp_client.state.drafts import MessageDraft
from acp_client.state.events import Event
from acp_client.state.items import ConfigChoice, ConfigOption, Cost, Role, Usage
from acp_client.state.reducing import Handler, Reducer, config_option

MODE = "mode"
"""Id and category of the option that stands for the session modes."""


@cache
def _reader() -> Callable[[Any], Model]:
    return hook(v1.SessionUpdate)


def read_update(raw: Any) -> Model:
    """Return the model of a session update. A function that can be pickled, for events that have not read theirs."""
    return _reader()(raw)


class V1Reducer(Reducer):
    """Applies version 1 updates."""

    NAMED_CHUNKS = False
    read = staticmethod(read_update)

    @classmethod
    @cache
    def handlers(cls) -> Mapping[type[Model], Handler]:
        return {
            v1.UserMessageChunk: cls._on_chunk,
            v1.AgentMessageChunk: cls._on_chunk,
            v1.AgentThoughtChunk: cls._on_chunk,
            v1.ToolCall: cls._on_tool_call,
            v1.ToolCallUpdate: cls._on_tool_call,
            v1.Plan: cls._on_plan,
            v1.PlanUpdate: cls._on_plan_update,
            v1.PlanRemoved: cls._on_plan_removed,
            v1.AvailableCommandsUpdate: cls._on_commands,
            v1.CurrentModeUpdate: cls._on_mode,
            v1.ConfigOptionUpdate: cls._on_config_options,
            v1.SessionInfoUpdate: cls._on_session_info,
            v1.UsageUpdate: cls._on_usage,
            v1.Notice: cls._on_notice,
            v1.CompactionUpdate: cls._on_compaction,
            v1.CompactionSummaryChunk: cls._on_compaction_chunk,
            v1.SubagentUpdate: cls._unused,
            v1.SessionMessage: cls._unused,
            v1.SessionMessageChunk: cls._unused,
        }

    def opened(self, config_options: Iterable[Any] | None, modes: Any | None, keep_newer: bool = False) -> list[Event]:
        """Take what an opening answer, or the answer to a changed option, says; None says nothing.

        With `keep_newer`, what updates have brought since `SessionStore.begin_replay` wins.
        """
        store = self._store
        kept = store.reported if keep_newer else frozenset[str]()
        before = store.config_options
        if config_options is not None and "options" not in kept:
            store.options = tuple(config_option(option.id, option) for option in config_options)
        if modes is not None:
            current = store.mode.value if store.mode is not None and MODE in kept else modes.current_mode_id
            store.mode = _mode_option(current, modes.available_modes)
        return [self._info("config_options", None)] if store.config_options != before else []

    def _new_meta(self, meta: Meta | None, given: Any) -> Meta | None:
        new: Meta | None = meta if given is UNSET else given
        return new

    # messages

    def _open_message(
        self, role: Role, message_id: str | None, text: str | None, update: Model | None
    ) -> MessageDraft | Event:
        history = self._store.history
        current = history.open_message
        if current is not None and current.role == role:
            if current.local:
                return self._echo(current, message_id, text, update)
            if message_id is None and current.message_id is None:
                return current
        if message_id is None and text == "":
            # Recorded: nothing but metadata, after a tool call. It begins no message.
            last = history.last_unnamed.get(role)
            if last is not None:
                return self._text(last, "", self._store.changed(), update or (self.read, None))
        return history.new_message(role, message_id, self._store.version + 1)

    def _echo(self, draft: MessageDraft, message_id: str | None, text: str | None, update: Any) -> Event:
        """Take the agent's own words for a prompt in place of what was sent."""
        draft.local = False
        if message_id is not None:
            draft.message_id = message_id
            self._store.history.messages["user"][message_id] = draft
        if update is None:
            update = self._text(draft, text or "", 0, self._unread(draft)).update
        draft.replace([block_from_model(update.content)])
        return self._item(draft, update)

    # tool calls and plans

    def _on_tool_call(self, update: Any) -> Event:
        # A call that is announced again is merged like an update: some agents do it to patch it.
        history = self._store.history
        replaces = update.tool_call_id not in history.tools or type(update) is v1.ToolCallUpdate
        draft = history.tool(update.tool_call_id)
        if update.content is not None and (update.content or replaces):
            draft.content = update.content
        if update.locations is not None and (update.locations or replaces):
            draft.locations = update.locations
        if update.name is not None:
            draft.name = update.name
        if update.title is not None:
            draft.title = update.title
        if update.raw_input is not None:
            draft.raw_input = update.raw_input
        if update.raw_output is not None:
            draft.raw_output = update.raw_output
        if update.meta is not None:
            draft.meta = update.meta
        if update.kind is not None:
            draft.kind_of_tool = update.kind
        if update.status is not None:
            history.set_status(draft, update.status)
        if draft.title is None:
            draft.title = draft.name or draft.tool_call_id
        history.open_message = None
        return self._item(draft, update)

    def _on_plan(self, update: Any) -> Event:
        draft = self._store.history.plan(None)
        draft.entries = update.entries
        self._store.history.open_message = None
        return self._item(draft, update)

    # the session itself

    def _on_commands(self, update: Any) -> Event:
        self._store.set_commands(update.available_commands)
        return self._info("commands", update)

    def _on_config_options(self, update: Any) -> Event:
        self._store.options = tuple(config_option(option.id, option) for option in update.config_options)
        self._store.reported.add("options")
        return self._info("config_options", update)

    def _on_mode(self, update: Any) -> Event:
        store = self._store
        known = store.mode
        if known is None:
            store.mode = _mode_option(update.current_mode_id, ())
        else:
            store.mode = attrs.evolve(known, value=update.current_mode_id)
        store.reported.add(MODE)
        return self._info("config_options", update)

    def _on_session_info(self, update: Any) -> Event:
        store = self._store
        if update.title is not UNSET:
            store.title = update.title
        if update.updated_at is not UNSET:
            store.updated_at = update.updated_at
        if update.meta is not None:
            store.meta = update.meta
        return self._info("session_info", update)

    def _on_usage(self, update: Any) -> Event:
        store = self._store
        cost = None if store.usage is None else store.usage.cost
        if update.cost is not None:
            cost = Cost(update.cost.amount, update.cost.currency)
        store.usage = Usage(used=update.used, size=update.size, cost=cost)
        return self._info("usage", update)


def _mode_option(current: Any, modes: Iterable[Any]) -> ConfigOption:
    choices = tuple(ConfigChoice(value=mode.id, name=mode.name, description=mode.description) for mode in modes)
    return ConfigOption(id=MODE, name="Mode", category=MODE, type="select", value=current, choices=choices)
