"""What happened in a session so far, as drafts: every item by its id, and the timeline they stand in.

A replay builds a second history beside the one that is shown; see `SessionStore`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from acp_client.state.drafts import CompactionDraft, ItemDraft, MessageDraft, PlanDraft, TerminalDraft, ToolCallDraft
from acp_client.state.items import Role, Terminal
from acp_client.state.snapshot import NO_TERMINALS
from acp_client.state.timeline import TimelineBuilder


class History:
    """The drafts of one session's items. Messages have an id space per role; every other kind has one, too."""

    __slots__ = (
        "_dirty_terminals",
        "_terminals_now",
        "_unnamed",
        "builder",
        "compactions",
        "last_unnamed",
        "messages",
        "open_message",
        "open_tools",
        "plans",
        "terminals",
        "tools",
    )

    def __init__(self) -> None:
        self.builder = TimelineBuilder()
        self.messages: dict[Role, dict[str, MessageDraft]] = {"user": {}, "agent": {}, "thought": {}}
        self.tools: dict[str, ToolCallDraft] = {}
        self.open_tools: dict[str, ToolCallDraft] = {}
        """Tool calls without a final status."""
        self.plans: dict[str | None, PlanDraft] = {}
        self.compactions: dict[str, CompactionDraft] = {}
        self.terminals: dict[str, TerminalDraft] = {}
        self.open_message: MessageDraft | None = None
        """Where a chunk without a message id goes, if it is of the same role."""
        self.last_unnamed: dict[Role, MessageDraft] = {}
        self._unnamed: dict[Role, int] = {"user": 0, "agent": 0, "thought": 0}
        self._dirty_terminals: list[TerminalDraft] = []
        self._terminals_now = NO_TERMINALS

    @property
    def empty(self) -> bool:
        """Whether nothing at all has been seen."""
        return not self.builder and not self.terminals

    def new_message(self, role: Role, message_id: str | None, born: int) -> MessageDraft:
        """Add a message; without an id its key is its number among those."""
        if message_id is None:
            self._unnamed[role] += 1
            draft = self.last_unnamed[role] = MessageDraft(f"{role}#{self._unnamed[role]}", role, None, born)
        else:
            draft = self.messages[role][message_id] = MessageDraft(f"{role}:{message_id}", role, message_id, born)
        self.builder.add(draft)
        return draft

    def tool(self, tool_call_id: str) -> ToolCallDraft:
        """Return the draft of a tool call, which may be new."""
        draft = self.tools.get(tool_call_id)
        if draft is None:
            draft = self.tools[tool_call_id] = self.open_tools[tool_call_id] = ToolCallDraft(tool_call_id)
            self.builder.add(draft)
        return draft

    def plan(self, plan_id: str | None) -> PlanDraft:
        """Return the draft of a plan, which may be new."""
        draft = self.plans.get(plan_id)
        if draft is None:
            draft = self.plans[plan_id] = PlanDraft(plan_id)
            self.builder.add(draft)
        return draft

    def compaction(self, compaction_id: str) -> CompactionDraft:
        """Return the draft of a compaction, which may be new."""
        draft = self.compactions.get(compaction_id)
        if draft is None:
            draft = self.compactions[compaction_id] = CompactionDraft(compaction_id)
            self.builder.add(draft)
        return draft

    def terminal(self, terminal_id: str) -> TerminalDraft:
        """Return the draft of a terminal, which may be new. Terminals have no place of their own in the timeline."""
        draft = self.terminals.get(terminal_id)
        if draft is None:
            draft = self.terminals[terminal_id] = TerminalDraft(terminal_id)
        return draft

    def touch(self, draft: ItemDraft | TerminalDraft) -> None:
        """Have the draft frozen for the next snapshot."""
        if isinstance(draft, TerminalDraft):
            if not draft.dirty:
                draft.dirty = True
                self._dirty_terminals.append(draft)
        else:
            self.builder.touch(draft)

    def remove_plan(self, plan_id: str) -> PlanDraft | None:
        """Take a plan out of the timeline; None when there is no such plan."""
        removed = self.plans.pop(plan_id, None)
        if removed is not None:
            self.builder.remove(removed)
        return removed

    def set_status(self, draft: ToolCallDraft, status: str) -> None:
        """Take the agent's word for a tool call's status, whatever we have set before."""
        draft.status = status
        draft.cancelled_locally = False
        if draft.finished:
            self.open_tools.pop(draft.tool_call_id, None)
        else:
            self.open_tools[draft.tool_call_id] = draft

    def cancel_locally(self, draft: ToolCallDraft) -> None:
        """Show a tool call as cancelled until the agent says something else."""
        draft.status = "cancelled"
        draft.cancelled_locally = True
        self.open_tools.pop(draft.tool_call_id, None)
        self.builder.touch(draft)

    def unfinished(self) -> list[ToolCallDraft]:
        """Return the tool calls without a final status, in order of first sight."""
        return sorted(self.open_tools.values(), key=lambda draft: draft.position)

    def terminals_now(self) -> Mapping[str, Terminal]:
        """Return the terminals as they are now; the same object until one changes."""
        if self._dirty_terminals:
            frozen = dict(self._terminals_now)
            for draft in self._dirty_terminals:
                draft.dirty = False
                frozen[draft.terminal_id] = draft.freeze()
            self._dirty_terminals.clear()
            self._terminals_now = MappingProxyType(frozen)
        return self._terminals_now
