"""The state of one session: what its reducer changes and what snapshots are made of.

Belongs to one thread. Everything a host sees is in the snapshots, which are immutable. Knows no protocol version.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from acp_client.state.content import Meta
from acp_client.state.drafts import MessageDraft, TerminalDraft, ToolCallDraft
from acp_client.state.events import Event, InfoChanged
from acp_client.state.growing import Gained
from acp_client.state.history import History
from acp_client.state.items import BackgroundWork, Command, ConfigOption, Terminal, ToolCall, Usage
from acp_client.state.parts import commands
from acp_client.state.snapshot import SessionSnapshot

IDLE = "idle"
TOOL_CALL = "tool_call"
TERMINAL = "terminal"


class SessionStore:
    """State of one session. Changed by its reducers, and by its session for what the agent does not report.

    A history that the agent replays onto one that is there already is built beside it and takes its place at the end,
    so nothing is ever doubled, and a replay that fails or brings nothing changes nothing.
    """

    def __init__(self, session_id: str, cwd: str) -> None:
        self.session_id = session_id
        self.cwd = cwd
        self.version = 0
        self.state = IDLE
        self.stop_reason: str | None = None
        self.error: Mapping[str, Any] | None = None
        self.usage: Usage | None = None
        self.title: str | None = None
        self.updated_at: str | None = None
        self.meta: Meta | None = None
        self._commands: tuple[Command, ...] = ()
        self._unread_commands: Sequence[Any] | None = None
        self.options: tuple[ConfigOption, ...] = ()
        """The config options that the agent gave; see `config_options`."""
        self.mode: ConfigOption | None = None
        """The session modes of a version 1 agent, as an option."""
        self.background: tuple[BackgroundWork, ...] | None = None
        self.reported: set[str] = set()
        """Which of `commands`, `options` and `mode` updates have brought since the session was last opened."""
        self.idle_version = 0
        """The version at which the agent last reported to be idle."""
        self.last_activity = 0.0
        """When the latest update came, on the monotonic clock; for the session to set."""
        self.history = History()
        """What updates change."""
        self.replaying = False
        self.epoch = 0
        self._shown = self.history
        self._listed: tuple[BackgroundWork, ...] = ()
        self._agent_text: list[Any] = []
        """Messages of the agent, each with its length behind it, in order of their gains; see `text_since`."""
        self.pending: Mapping[str, Any] = {}
        """The questions that wait for an answer; whoever changes them says `changed`."""
        self._connected = True
        self._gap = False
        self._snapshot: SessionSnapshot | None = None

    # snapshots

    def snapshot(self) -> SessionSnapshot:
        """Return the state as it is now; the same object until something changes."""
        snapshot = self._snapshot
        if snapshot is None or snapshot.version != self.version:
            snapshot = self._snapshot = SessionSnapshot(
                version=self.version,
                session_id=self.session_id,
                cwd=self.cwd,
                state=self.state,
                stop_reason=self.stop_reason,
                error=self.error,
                items=self._shown.builder.timeline(),
                terminals=self._shown.terminals_now(),
                usage=self.usage,
                commands=self.commands,
                config_options=self.config_options,
                title=self.title,
                updated_at=self.updated_at,
                meta=self.meta,
                background=self.background,
                pending=tuple(self.pending.values()),
                connected=self._connected,
                gap=self._gap,
                last_activity=self.last_activity,
            )
        return snapshot

    @property
    def commands(self) -> tuple[Command, ...]:
        """The agent's commands."""
        if self._unread_commands is not None:
            self._commands, self._unread_commands = commands(self._unread_commands), None
        return self._commands

    def set_commands(self, models: Sequence[Any]) -> None:
        """Take the agent's commands, as models."""
        self._unread_commands = models

    @property
    def config_options(self) -> tuple[ConfigOption, ...]:
        """What can be set: the config options, or the session modes where the agent has none (V1-MOD-03)."""
        return self.options or (() if self.mode is None else (self.mode,))

    def is_mode_option(self, option_id: str) -> bool:
        """Whether that option stands for the session modes of a version 1 agent."""
        return not self.options and self.mode is not None and self.mode.id == option_id

    def changed(self) -> int:
        """Count a change; return the new version."""
        self.version += 1
        return self.version

    def set_connected(self, connected: bool) -> None:
        """Say whether the connection is there."""
        self._connected = connected
        self.changed()

    def set_gap(self, gap: bool) -> None:
        """Say whether updates may be missing."""
        self._gap = gap
        self.changed()

    # background work

    def set_background(self, listed: tuple[BackgroundWork, ...] | None) -> None:
        """Take what a state update says about background work; None says nothing."""
        self.background = listed
        if listed is not None:
            self._listed = listed

    def is_background(self, type: str, id: str | None) -> bool:
        """Whether the list that the agent reported last names that work."""
        return any(work.type == type and work.id == id for work in self._listed)

    def background_keys(self) -> frozenset[tuple[str, str]]:
        """Return type and id of what the agent listed last. One that reports no list abandons nothing."""
        return frozenset((work.type, work.id) for work in self._listed if work.id is not None)

    # tool calls and terminals

    def tool_call(self, tool_call_id: str) -> ToolCall | None:
        """Return a tool call as it is now."""
        draft = self._tool(tool_call_id)
        return None if draft is None else draft.freeze()

    def _tool(self, tool_call_id: str) -> ToolCallDraft | None:
        return self.history.tools.get(tool_call_id) or self._shown.tools.get(tool_call_id)

    def terminal(self, terminal_id: str) -> Terminal | None:
        """Return a terminal as it is now."""
        draft = self._terminal(terminal_id)
        return None if draft is None else draft.freeze()

    def _terminal(self, terminal_id: str) -> TerminalDraft | None:
        return self.history.terminals.get(terminal_id) or self._shown.terminals.get(terminal_id)

    def open_tool_calls(self) -> tuple[str, ...]:
        """Return the ids of the tool calls without a final status, in order of first sight."""
        return tuple(draft.tool_call_id for draft in self._shown.unfinished())

    def cancel_tool_calls(self, tool_call_ids: Collection[str] | None) -> list[str]:
        """Show unfinished foreground tool calls as cancelled, all or those with the given ids; return their keys."""
        keys: dict[str, None] = {}
        for history in (self._shown, self.history) if self.replaying else (self.history,):
            for draft in history.unfinished():
                wanted = tool_call_ids is None or draft.tool_call_id in tool_call_ids
                if wanted and not (self._listed and self.is_background(TOOL_CALL, draft.tool_call_id)):
                    history.cancel_locally(draft)
                    keys[draft.key] = None
        return list(keys)

    def is_cancelled(self, tool_call_id: str) -> bool:
        """Whether a tool call is cancelled, by the agent or by us."""
        call = self._tool(tool_call_id)
        return call is not None and call.status == "cancelled"

    def is_running(self, kind: str, entity_id: str) -> bool:
        """Whether a tool call (`kind` "tool_call") or terminal ("terminal") is known and has not ended."""
        if kind == TOOL_CALL:
            call = self._tool(entity_id)
            return call is not None and not call.finished
        terminal = self._terminal(entity_id)
        return terminal is not None and not terminal.exited

    def can_cancel(self, kind: str, entity_id: str) -> bool:
        """Whether the agent offers to cancel a tool call or terminal."""
        found = self._tool(entity_id) if kind == TOOL_CALL else self._terminal(entity_id)
        return found is not None and found.can_cancel

    def saw_user_message_before_idle(self, message_id: str) -> bool:
        """Whether that message of the user was known before the agent last reported to be idle."""
        draft = self.history.messages["user"].get(message_id)
        return draft is not None and draft.born < self.idle_version

    # the text of a turn

    def text_mark(self) -> object:
        """Return a mark of this moment for `text_since`."""
        self.epoch += 1
        return self._agent_text, len(self._agent_text)

    def note_text(self, draft: MessageDraft, replaced: bool = False) -> None:
        """Remember where a message stood when text was first added since the last mark. Called before it is added."""
        draft.epoch = self.epoch
        if draft.role == "agent" and not self.replaying:
            self._agent_text += (draft, 0 if replaced else draft.length)

    def text_since(self, mark: object) -> Gained:
        """Return what the agent's messages gained since a mark, in order of their first gain. Replayed text is none."""
        assert isinstance(mark, tuple)
        noted, start = mark
        entries = iter(self._agent_text[start if noted is self._agent_text else 0 :])
        begins: dict[MessageDraft, int] = {}
        for draft, length in zip(entries, entries, strict=True):
            begins[draft] = min(length, begins.get(draft, length))
        return Gained([draft.since(length) for draft, length in begins.items()])

    # replays

    def begin_replay(self, reset: bool) -> None:
        """From now on updates repeat earlier work, until `end_replay`; call it before the opening request is sent.

        `reset` says that a replay was asked for. One that comes unasked replaces what is shown all the same.
        """
        self.end_replay(failed=True)
        self.replaying = True
        self.reported.clear()
        if not self._shown.empty:
            self.history = History()

    def end_replay(self, failed: bool = False) -> Event | None:
        """End the replay. When it brought a history, that takes the place of the one shown, and an event says so.

        After a failure the old history stays.
        """
        if not self.replaying:
            return None
        self.replaying = False
        self.epoch += 1
        self.history.open_message = None
        if self._gap and not failed:
            self.set_gap(False)
        if self.history is self._shown:
            return None
        if failed or self.history.empty:
            self.history = self._shown
            return None
        self._shown = self.history
        self._agent_text = []
        return InfoChanged(what="timeline", version=self.changed(), replayed=True)
