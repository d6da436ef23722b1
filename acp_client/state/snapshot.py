"""Everything known of a session at one moment, as one immutable object."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import attrs

from acp_client.state.content import Meta
from acp_client.state.items import BackgroundWork, Command, ConfigOption, Item, Message, Plan, Terminal, ToolCall, Usage
from acp_client.state.timeline import Timeline

NO_TERMINALS: Mapping[str, Terminal] = MappingProxyType({})
NO_ITEMS = Timeline.of(())


@attrs.frozen(kw_only=True)
class SessionSnapshot:
    """A session at one moment. Shared by everybody who asks until something changes; may be read in any thread.

    A pickled one comes without its questions.

    `version` grows with every change; an event whose `version` is not greater is contained. `items` is the timeline in
    order of first sight: items that did not change since an earlier snapshot are the same objects.
    """

    version: int
    session_id: str
    cwd: str
    state: str = "idle"
    """idle, running, requires_action, or what else the agent calls it: then treat it as busy."""
    stop_reason: str | None = None
    """Why the latest work ended, while `state` is idle; None where the agent gave no reason."""
    error: Mapping[str, Any] | None = None
    """With stop reason "error": code, message and perhaps data."""
    items: Timeline = NO_ITEMS
    terminals: Mapping[str, Terminal] = NO_TERMINALS
    """The agent's terminals by their id, also those that no tool call shows."""
    usage: Usage | None = None
    commands: tuple[Command, ...] = ()
    config_options: tuple[ConfigOption, ...] = ()
    title: str | None = None
    updated_at: str | None = None
    meta: Meta | None = None
    background: tuple[BackgroundWork, ...] | None = None
    """What goes on in the background: None is not known, an empty tuple is nothing."""
    pending: tuple[Any, ...] = ()
    """Questions that wait for an answer."""
    connected: bool = True
    gap: bool = False
    """Updates may be missing: the connection was lost since the history was last complete."""
    last_activity: float = 0.0
    """When the latest update came, on the monotonic clock."""

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The messages and thoughts of the timeline."""
        return tuple(item for item in self.items if isinstance(item, Message))

    @cached_property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of the timeline."""
        return tuple(item for item in self.items if isinstance(item, ToolCall))

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """The plans of the timeline."""
        return tuple(item for item in self.items if isinstance(item, Plan))

    def item(self, key: str) -> Item | None:
        """Return the item of the timeline with that key, or None."""
        return self.items.get(key)

    def __copy__(self) -> SessionSnapshot:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> SessionSnapshot:
        make, arguments = self.__reduce__()
        return attrs.evolve(make(*copy.deepcopy(arguments, memo)), pending=self.pending)

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], SessionSnapshot], tuple[dict[str, Any]]]:
        # Questions belong to a connection and stay behind.
        values = {field.name: getattr(self, field.name) for field in attrs.fields(SessionSnapshot)}
        return _snapshot, (values | {"terminals": dict(self.terminals), "pending": ()},)


def _snapshot(values: dict[str, Any]) -> SessionSnapshot:
    return SessionSnapshot(**values | {"terminals": MappingProxyType(values["terminals"])})
