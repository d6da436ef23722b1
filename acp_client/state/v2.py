"""Version 2 of the protocol: everything is an upsert, the agent reports its state and owns its terminals."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from acp_client.models import v2
from acp_client.models.base import UNSET, Model
from acp_client.models.convert import hook
from acp_client.state.content import Meta, block_from_model
from acp_client.state.drafts import TerminalDraft, patched
from acp_client.state.events import Event, OutputAppended, StateChanged
from acp_client.state.items import BackgroundWork, ConfigOption, Cost, Role, Usage
from acp_client.state.reducing import Handler, Reducer, config_option

IDLE = "idle"

_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")

_MESSAGES: dict[type[Model], Role] = {v2.UserMessage: "user", v2.AgentMessage: "agent", v2.AgentThought: "thought"}


@cache
def _reader() -> Callable[[Any], Model]:
    return hook(v2.SessionUpdate)


def read_update(raw: Any) -> Model:
    """Return the model of a session update. A function that can be pickled, for events that have not read theirs."""
    return _reader()(raw)


class V2Reducer(Reducer):
    """Applies version 2 updates."""

    NAMED_CHUNKS = True
    read = staticmethod(read_update)

    @classmethod
    @cache
    def handlers(cls) -> Mapping[type[Model], Handler]:
        return {
            v2.UserMessageChunk: cls._on_chunk,
            v2.AgentMessageChunk: cls._on_chunk,
            v2.AgentThoughtChunk: cls._on_chunk,
            v2.UserMessage: cls._on_message,
            v2.AgentMessage: cls._on_message,
            v2.AgentThought: cls._on_message,
            v2.ToolCallUpdate: cls._on_tool_call,
            v2.ToolCallContentChunk: cls._on_tool_call_chunk,
            v2.TerminalUpdate: cls._on_terminal,
            v2.TerminalOutputChunk: cls._on_output,
            v2.RunningStateUpdate: cls._on_state,
            v2.IdleStateUpdate: cls._on_state,
            v2.RequiresActionStateUpdate: cls._on_state,
            v2.UnknownStateUpdate: cls._on_state,
            v2.OtherStateUpdate: cls._on_state,
            v2.PlanUpdate: cls._on_plan_update,
            v2.PlanRemoved: cls._on_plan_removed,
            v2.AvailableCommandsUpdate: cls._on_commands,
            v2.ConfigOptionUpdate: cls._on_config_options,
            v2.SessionInfoUpdate: cls._on_session_info,
            v2.UsageUpdate: cls._on_usage,
            v2.Notice: cls._on_notice,
            v2.CompactionUpdate: cls._on_compaction,
            v2.CompactionSummaryChunk: cls._on_compaction_chunk,
            v2.SubagentUpdate: cls._unused,
            v2.SessionMessage: cls._unused,
            v2.SessionMessageChunk: cls._unused,
            v2.UnknownSessionUpdate: cls._on_unknown,
        }

    def opened(
        self,
        config_options: Iterable[Any] | None,
        available_commands: Sequence[Any] | None,
        keep_newer: bool = False,
    ) -> list[Event]:
        """Take what an opening answer, or the answer to a changed option, says. An empty list says nothing.

        With `keep_newer`, what updates have brought since `SessionStore.begin_replay` wins (V2-SES-10).
        """
        store = self._store
        kept = store.reported if keep_newer else frozenset[str]()
        events: list[Event] = []
        options = _config_options(config_options or ())
        if options and "options" not in kept:
            store.options = options
            events.append(self._info("config_options", None))
        if available_commands and "commands" not in kept:
            store.set_commands(available_commands)
            events.append(self._info("commands", None))
        return events

    def _new_meta(self, meta: Meta | None, given: Any) -> Meta | None:
        return meta if given is UNSET else patched(meta, given)

    # messages

    def _on_message(self, update: Any) -> Event:
        store, role = self._store, _MESSAGES[type(update)]
        content = None if update.content is UNSET else tuple(map(block_from_model, update.content or ()))
        history = store.history
        draft = history.messages[role].get(update.message_id)
        if draft is None:
            draft = history.new_message(role, update.message_id, store.version + 1)
        if content is not None:
            store.note_text(draft, replaced=True)
            draft.replace(content)
        draft.meta = self._new_meta(draft.meta, update.meta)
        return self._item(draft, update)

    # tool calls

    def _on_tool_call(self, update: Any) -> Event:
        history = self._store.history
        draft = history.tool(update.tool_call_id)
        if update.content is not UNSET:
            draft.content = list(update.content or ())
        if update.name is not UNSET:
            draft.name = update.name
        if update.title is not UNSET:
            draft.title = update.title
        if update.kind is not UNSET:
            draft.kind_of_tool = "other" if update.kind is None else update.kind
        if update.status is not UNSET:
            history.set_status(draft, "pending" if update.status is None else update.status)
        if update.locations is not UNSET:
            draft.locations = update.locations or ()
        if update.raw_input is not UNSET:
            draft.raw_input = update.raw_input
        if update.raw_output is not UNSET:
            draft.raw_output = update.raw_output
        if update.capabilities is not UNSET:
            draft.can_cancel = _offers_cancel(update.capabilities)
        draft.meta = self._new_meta(draft.meta, update.meta)
        return self._item(draft, update)

    def _on_tool_call_chunk(self, update: Any) -> Event:
        draft = self._store.history.tool(update.tool_call_id)
        draft.content.append(update.content)
        return self._item(draft, update)

    # terminals

    def _on_terminal(self, update: Any) -> Event:
        draft = self._store.history.terminal(update.terminal_id)
        if update.command is not UNSET:
            draft.command = update.command
        if update.cwd is not UNSET:
            draft.cwd = update.cwd
        if update.output is not UNSET:
            _set_output(draft, update.output)
        if update.exit_status is not UNSET:
            _set_exit(draft, update.exit_status)
        if update.size is not UNSET:
            size = update.size
            draft.cols, draft.rows = (None, None) if size is None else (size.cols, size.rows)
        if update.capabilities is not UNSET:
            draft.can_cancel = _offers_cancel(update.capabilities)
        draft.meta = self._new_meta(draft.meta, update.meta)
        return self._item(draft, update)

    def _on_output(self, update: Any) -> Event:
        data = _decoded(update.data)
        if data is None:
            return self._unused(update, "invalid")
        store = self._store
        draft = store.history.terminal(update.terminal_id)
        text = draft.append(data)
        store.history.touch(draft)
        return OutputAppended(
            key=draft.key,
            terminal_id=draft.terminal_id,
            data=data,
            text=text,
            version=store.changed(),
            count=1,
            replayed=store.replaying,
            update=update,
        )

    # the session itself

    def _on_state(self, update: Any) -> Event:
        store = self._store
        background = None if update.TAG is None else _background(update.background)
        previous = store.state
        store.state = update.tag if update.TAG is None else update.TAG[1]
        idle = store.state == IDLE
        store.stop_reason = update.stop_reason if idle else None
        store.error = _error(update.error) if idle else None
        store.set_background(background)
        version = store.changed()
        if idle and not store.replaying:
            store.idle_version = version
        return StateChanged(
            state=store.state,
            stop_reason=store.stop_reason,
            previous=previous,
            version=version,
            count=1,
            replayed=store.replaying,
            update=update,
        )

    def _on_commands(self, update: Any) -> Event:
        self._store.set_commands(update.available_commands)
        self._store.reported.add("commands")
        return self._info("commands", update)

    def _on_config_options(self, update: Any) -> Event:
        self._store.options = _config_options(update.config_options)
        self._store.reported.add("options")
        return self._info("config_options", update)

    def _on_session_info(self, update: Any) -> Event:
        store = self._store
        if update.title is not UNSET:
            store.title = update.title
        updated_at = update.updated_at
        if updated_at is None or (updated_at is not UNSET and _TIME.fullmatch(updated_at)):
            store.updated_at = updated_at
        store.meta = self._new_meta(store.meta, update.meta)
        return self._info("session_info", update)

    def _on_usage(self, update: Any) -> Event:
        store = self._store
        if update.cost is UNSET:
            cost = None if store.usage is None else store.usage.cost
        else:
            cost = None if update.cost is None else Cost(update.cost.amount, update.cost.currency)
        store.usage = Usage(used=update.used, size=update.size, cost=cost)
        return self._info("usage", update)

    def _on_unknown(self, update: Any) -> Event:
        event = self.unknown_update(update.raw, "unknown")
        event._update = update
        return event


def _offers_cancel(capabilities: Any) -> bool:
    return capabilities is not None and capabilities.cancel is not None


def _decoded(data: str) -> bytes | None:
    """Return the bytes of strict base64, or None: joining or repairing chunks would invent output."""
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        return None


def _set_output(draft: TerminalDraft, output: Any) -> None:
    data = b"" if output is None else _decoded(output.data)
    if data is not None:
        draft.replace(data)


def _set_exit(draft: TerminalDraft, status: Any) -> None:
    draft.exited = status is not None
    draft.exit_code, draft.signal = (None, None) if status is None else (status.exit_code, status.signal)


def _background(listed: Iterable[Any] | None) -> tuple[BackgroundWork, ...] | None:
    return None if listed is None else tuple(_background_work(work) for work in listed)


def _background_work(work: Any) -> BackgroundWork:
    if isinstance(work, v2.BackgroundTerminal):
        return BackgroundWork("terminal", work.terminal_id)
    if isinstance(work, v2.BackgroundToolCall):
        return BackgroundWork("tool_call", work.tool_call_id)
    if isinstance(work, v2.BackgroundSubagent):
        return BackgroundWork("subagent", work.session_id)
    return BackgroundWork(work.tag, None, work.raw)


def _error(error: Any) -> dict[str, Any] | None:
    if error is None:
        return None
    data = {} if error.data is None else {"data": error.data}
    return {"code": error.code, "message": error.message, **data}


def _config_options(options: Iterable[Any]) -> tuple[ConfigOption, ...]:
    return tuple(_config_option(option) for option in options)


def _config_option(option: Any) -> ConfigOption:
    if option.TAG is not None:
        return config_option(option.config_id, option)
    raw = option.raw
    value = raw.get("currentValue")
    return ConfigOption(
        id=raw["configId"],
        name=raw["name"],
        description=raw.get("description"),
        category=raw.get("category"),
        type=option.tag,
        value=value if isinstance(value, str | bool) else None,
        raw=raw,
    )
