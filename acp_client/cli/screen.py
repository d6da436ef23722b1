"""A turn as people read it: the agent's text on stdout, everything else on stderr, one line a thing.

Text goes to stdout exactly as the agent wrote it, unless stdout is a terminal: then what a terminal would act on is
replaced, here as everywhere on stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from acp_client.cli.output import Output
from acp_client.cli.status import one_line, printable
from acp_client.cli.stdin import is_terminal
from acp_client.cli.styling import Style
from acp_client.policy.questions import PendingPermission
from acp_client.policy.turns import TurnResult
from acp_client.session import Session
from acp_client.state.events import (
    Event,
    InfoChanged,
    ItemChanged,
    NoticeShown,
    QuestionEnded,
    StateChanged,
    TextAppended,
    UnknownUpdate,
)
from acp_client.state.items import Compaction, Diff, FileChange, Plan, ToolCall

MAX_DIFF_LINES = 60
"""Lines of a diff that are shown with a question: a screenful."""

_STYLES = {"completed": "green", "failed": "red", "cancelled": "yellow"}
_MARKS = {"completed": "x", "in_progress": ">", "cancelled": "-"}
_ANSWERED = ("host", "policy")


class Screen:
    """Shows one session."""

    def __init__(self, output: Output, style: Style) -> None:
        self._output = output
        self._style = style
        self._session: Session | None = None
        self._cleans_text = is_terminal(sys.stdout)
        self._shares_terminal = self._cleans_text and is_terminal(sys.stderr)
        self._text_open = False
        """The agent's text on stdout stands in the middle of a line."""
        self._thought_open = False
        self._shown: dict[str, list[str]] = {}

    def watch(self, session: Session) -> None:
        """Show what happens in a session from now on."""
        self._session = session
        client = session.client
        name = client.agent.label if client.agent is not None else "an agent that gives no name"
        self.say(f"connected to {name}, protocol version {client.protocol_version}, session {session.id}", "dim")
        session.on_update(self.show)

    # lines

    def say(self, text: str, style: str = "") -> None:
        """Write one line to stderr, behind whatever stands in the middle of a line there."""
        self._end_lines()
        # What comes from the agent cannot begin a line of its own and pose as one of ours.
        line = printable(text.expandtabs(4)).replace("\n", " ")
        self._output.err(self._style(line, style) + "\n")

    def fail(self, error: BaseException) -> None:
        """Say why the command failed, in one line."""
        self.say(f"acp-client: {one_line(error)}", "red")

    def _end_lines(self) -> None:
        if self._thought_open or (self._text_open and self._shares_terminal):
            # To stderr: stdout carries the agent's text and not one character more.
            self._output.err("\n")
            self._text_open = self._text_open and not self._shares_terminal
        self._thought_open = False

    # events

    def show(self, event: Event) -> None:
        """Show one event."""
        match event:
            case TextAppended(role="agent"):
                self._show_text(event.text)
            case TextAppended(role="thought"):
                self._show_thought(event.text)
            case ItemChanged():
                self._show_item(event.key)
            case NoticeShown():
                text = event.title if not event.description else f"{event.title}: {event.description}"
                self.say(f"{event.severity}: {text}", "yellow")
            case QuestionEnded() if event.question.ended_by not in _ANSWERED:
                self.say(f"the question is over: {event.question.ended_by}", "yellow")
            case StateChanged() if event.state not in ("idle", "running"):
                self.say(f"state: {event.state}", "dim")
            case InfoChanged(what="session_info"):
                self._show_title()
            case UnknownUpdate():
                self.say(f"update of a kind that is {event.reason} here", "dim")

    def _show_text(self, text: str) -> None:
        if self._thought_open:
            self._end_lines()
        self._output.out(printable(text.replace("\r", "")) if self._cleans_text else text)
        if text:
            self._text_open = not text.endswith("\n")

    def _show_thought(self, text: str) -> None:
        if not self._thought_open:
            self._end_lines()
        self._output.err(self._style(printable(text), "dim"))
        self._thought_open = not text.endswith("\n")

    def _show_title(self) -> None:
        assert self._session is not None
        title = self._session.snapshot.title
        if title:
            self._show_once("title", [f"title: {title}"], "dim")

    def _show_item(self, key: str) -> None:
        assert self._session is not None
        match item := self._session.snapshot.item(key):
            case ToolCall():
                self._show_once(key, [f"tool: {_name_of(item)}: {item.status}"], _STYLES.get(item.status, "cyan"))
            case Plan():
                self._show_once(key, ["plan:", *_plan_lines(item)])
            case Compaction():
                self._show_once(key, [f"compaction: {item.status}"], "dim")

    def _show_once(self, key: str, lines: list[str], style: str = "") -> None:
        if self._shown.get(key) != lines:
            self._shown[key] = lines
            for line in lines:
                self.say(line, style)

    # the end

    def finish(self, result: TurnResult) -> None:
        """Say how the turn ended."""
        if self._text_open:
            self._output.out("\n")
            self._text_open = False
        for line in _end_lines(result):
            self.say(line, "dim")


def _name_of(tool_call: ToolCall) -> str:
    return f"{tool_call.title or tool_call.tool_call_id} ({tool_call.kind})"


def _plan_lines(plan: Plan) -> Iterator[str]:
    for entry in plan.entries:
        yield f"  [{_MARKS.get(entry.status, ' ')}] {entry.content}"


def _end_lines(result: TurnResult) -> Iterator[str]:
    if result.error is not None:
        yield f"error: {one_line(result.error)}"
    if result.empty:
        yield "the agent reported nothing at all in this turn"
    for tool_call_id in result.open_tool_calls:
        yield f"tool call left open: {tool_call_id}"
    cancel = "" if result.cancel is None else f", cancel {result.cancel}"
    yield f"ended: {result.stop_reason or 'no reason given'}{cancel}"


def details_of(question: PendingPermission) -> Sequence[str]:
    """Return what a person needs to know before answering: description, command, changes."""
    lines = [] if not question.description else question.description.splitlines()
    if question.command:
        lines.append(f"command: {question.command}")
    tool_call = question.tool_call
    if tool_call is not None:
        lines.append(f"tool: {_name_of(tool_call)}")
        lines += [location.path for location in tool_call.locations]
        for part in tool_call.content:
            if isinstance(part, Diff):
                lines += _diff_lines(part)
    if len(lines) > MAX_DIFF_LINES:
        lines[MAX_DIFF_LINES:] = [f"... {len(lines) - MAX_DIFF_LINES} more lines"]
    return lines


def _diff_lines(diff: Diff) -> Iterator[str]:
    for change in diff.changes:
        yield f"{change.operation}: {change.path}"
        yield from _change_lines(change)
    if diff.patch and all(change.new_text is None for change in diff.changes):
        yield from diff.patch.splitlines()


def _change_lines(change: FileChange) -> Iterator[str]:
    if change.new_text is None:
        return
    before, after = (change.old_text or "").splitlines(), change.new_text.splitlines()
    yield from list(unified_diff(before, after, lineterm="", n=2))[2:]
