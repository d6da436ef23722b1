"""A session, or one turn of it, as HTML, as Markdown and as plain text. Pure: snapshots in, strings out.

A saved notebook shows the HTML (or the Markdown) without this package, without scripts and without a network.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from acp_client.jupyter.markup import (
    escaped,
    html_of_markdown,
    markdown_block,
    markdown_of_markdown,
    markdown_of_text,
)
from acp_client.policy.questions import PendingPermission, PendingQuestion
from acp_client.state.content import Resource, ResourceLink, Text
from acp_client.state.items import (
    Diff,
    FileChange,
    Item,
    Message,
    Plan,
    Terminal,
    TerminalRef,
    ToolCall,
    ToolContent,
    Usage,
)
from acp_client.state.snapshot import SessionSnapshot

DIFF_LINES = 200
"""Lines of one diff that are shown: a notebook is not the place to review a generated file."""

OUTPUT_LINES = 40
"""Last lines of a terminal that are shown."""

MARKS = {"completed": "✔", "failed": "✘", "cancelled": "⊘", "in_progress": "▶", "pending": "…"}
STEPS = {"completed": "☑", "in_progress": "▶"}

_ADDED, _REMOVED = "background:rgba(46,160,67,.18)", "background:rgba(248,81,73,.18)"
_PRE = "margin:.2em 0;padding:.3em .5em;overflow:auto;background:rgba(128,128,128,.08);font-size:90%"
_QUIET = "opacity:.7;font-size:90%"


@attrs.frozen(kw_only=True)
class Shown:
    """What of a session is shown: some of its items, and how it stands."""

    items: Sequence[Item]
    terminals: Mapping[str, Terminal]
    usage: Usage | None = None
    status: str = ""
    questions: Sequence[PendingQuestion] = ()
    hint: str = ""
    """How open questions can be answered, for a view without buttons."""

    @classmethod
    def of(cls, snapshot: SessionSnapshot, *, first: int = 0, status: str = "", hint: str = "") -> Shown:
        """Return what is to be seen of a snapshot from its item number `first` on."""
        return cls(
            items=snapshot.items[first:],
            terminals=snapshot.terminals,
            usage=snapshot.usage,
            status=status,
            questions=snapshot.pending,
            hint=hint,
        )


# HTML


def html_of(shown: Shown) -> str:
    """Return a block of HTML with inline styles."""
    parts = [_item_html(item, shown.terminals) for item in shown.items]
    parts += [_question_html(question, shown.hint) for question in shown.questions]
    footer = " · ".join(filter(None, (shown.status, usage_text(shown.usage))))
    if footer:
        parts.append(f'<div style="{_QUIET}">{escaped(footer)}</div>')
    return f'<div class="acp-session">{"".join(parts)}</div>'


def _item_html(item: Item, terminals: Mapping[str, Terminal]) -> str:
    match item:
        case Message(role="user"):
            return f'<blockquote style="white-space:pre-wrap">{escaped(item.text)}</blockquote>'
        case Message(role="thought"):
            return _details("Thought", f'<div style="{_QUIET}">{html_of_markdown(item.text)}</div>')
        case Message():
            return html_of_markdown(item.text) + "".join(_attachment_html(item))
        case ToolCall():
            body = "".join(_content_html(content, terminals) for content in item.content)
            return _details(_tool_title(item), body)
        case Plan():
            return _plan_html(item)
        case _:
            return f'<div style="{_QUIET}">conversation compacted ({escaped(item.status)})</div>'


def _details(summary: str, body: str) -> str:
    if not body:
        return f"<div>{escaped(summary)}</div>"
    return f'<details><summary>{escaped(summary)}</summary><div style="margin-left:1em">{body}</div></details>'


def _attachment_html(message: Message) -> Iterator[str]:
    for block in message.content:
        if not isinstance(block, Text):
            yield f'<div style="{_QUIET}">{escaped(_named(block))}</div>'


def _content_html(content: ToolContent, terminals: Mapping[str, Terminal]) -> str:
    match content:
        case Text():
            return html_of_markdown(content.text)
        case Diff():
            return "".join(_diff_html(lines) for lines in diffs_of(content))
        case TerminalRef():
            return _pre([(line, "") for line in output_of(content, terminals)])
        case _:
            return f'<div style="{_QUIET}">{escaped(_named(content))}</div>'


def _diff_html(lines: Sequence[str]) -> str:
    styles = {"+": _ADDED, "-": _REMOVED}
    return _pre([(line, styles.get(line[:1], "")) for line in lines])


def _pre(lines: Iterable[tuple[str, str]]) -> str:
    body = "".join(
        f'<div style="{style}">{escaped(line) or "&nbsp;"}</div>'
        if style
        else f"<div>{escaped(line) or '&nbsp;'}</div>"
        for line, style in lines
    )
    return f'<pre style="{_PRE}">{body}</pre>' if body else ""


def _plan_html(plan: Plan) -> str:
    if plan.markdown is not None:
        return html_of_markdown(plan.markdown)
    steps = "".join(f"<div>{STEPS.get(step.status, '☐')} {escaped(step.content)}</div>" for step in plan.entries)
    return f'<div style="margin:.3em 0">{steps}</div>'


def _question_html(question: PendingQuestion, hint: str) -> str:
    text = escaped(question_text(question))
    more = f'<div style="{_QUIET}">{escaped(hint)}</div>' if hint else ""
    return f'<div style="border-left:3px solid orange;padding-left:.5em"><b>{text}</b>{more}</div>'


# Markdown


def markdown_of(shown: Shown) -> str:
    """Return the same as Markdown."""
    parts = [part for item in shown.items for part in _item_markdown(item, shown.terminals)]
    for question in shown.questions:
        parts.append(f"**{markdown_of_text(question_text(question))}** {markdown_of_text(shown.hint)}".rstrip())
    footer = " · ".join(filter(None, (shown.status, usage_text(shown.usage))))
    if footer:
        parts.append(f"*{markdown_of_text(footer)}*")
    return "\n\n".join(part for part in parts if part)


def _item_markdown(item: Item, terminals: Mapping[str, Terminal]) -> Iterator[str]:
    match item:
        case Message(role="agent"):
            yield markdown_of_markdown(item.text)
        case Message():
            yield "\n".join(f"> {line}" for line in markdown_of_markdown(item.text).splitlines())
        case ToolCall():
            yield f"**{markdown_of_text(_tool_title(item))}**"
            for content in item.content:
                yield from _content_markdown(content, terminals)
        case Plan():
            if item.markdown is not None:
                yield markdown_of_markdown(item.markdown)
            else:
                yield "\n".join(
                    f"- {STEPS.get(step.status, '☐')} {markdown_of_text(step.content)}" for step in item.entries
                )
        case _:
            yield f"*conversation compacted ({markdown_of_text(item.status)})*"


def _content_markdown(content: ToolContent, terminals: Mapping[str, Terminal]) -> Iterator[str]:
    match content:
        case Text():
            yield markdown_of_markdown(content.text)
        case Diff():
            for lines in diffs_of(content):
                yield markdown_block("\n".join(lines), "diff")
        case TerminalRef():
            output = output_of(content, terminals)
            if output:
                yield markdown_block("\n".join(output))
        case _:
            yield f"*{markdown_of_text(_named(content))}*"


# text


def text_of(shown: Shown) -> str:
    """Return the same as plain text: what a terminal and a diff of two notebooks show."""
    parts = [_item_text(item) for item in shown.items]
    for question in shown.questions:
        parts += [question_text(question), shown.hint]
    return "\n".join(filter(None, [*parts, shown.status]))


def _item_text(item: Item) -> str:
    match item:
        case Message(role="user"):
            return f"> {item.text}"
        case Message(role="agent"):
            return item.text
        case ToolCall():
            return f"[{_tool_title(item)}]"
        case Plan():
            return "\n".join(f"{STEPS.get(step.status, '☐')} {step.content}" for step in item.entries)
        case _:
            return ""


def question_text(question: PendingQuestion) -> str:
    """Return a question with the answers it offers, in one line."""
    if not isinstance(question, PendingPermission):
        return "The agent asks for input"
    offered = " / ".join(option.name for option in question.options) or "no answer is offered"
    return f"{question.title} — {offered}"


def usage_text(usage: Usage | None) -> str:
    """Return how full the context is and what was spent, in a few words."""
    if usage is None:
        return ""
    text = f"{usage.used:,} tokens" if usage.size is None else f"{usage.used:,} of {usage.size:,} tokens"
    return text if usage.cost is None else f"{text}, {usage.cost.amount:.4g} {usage.cost.currency}"


def _tool_title(call: ToolCall) -> str:
    return f"{MARKS.get(call.status, '?')} {call.title or call.name or call.kind}"


def _named(block: object) -> str:
    match block:
        case ResourceLink():
            return block.title or block.name
        case Resource():
            return block.uri
        case _:
            return f"[{type(block).__name__.lower()}]"


def diffs_of(diff: Diff) -> Iterator[list[str]]:
    """Return the lines of each diff, the long ones shortened."""
    if diff.patch is not None:
        yield _shortened(diff.patch.splitlines())
        return
    for change in diff.changes:
        yield _shortened(_change_lines(change))


def _change_lines(change: FileChange) -> list[str]:
    if change.new_text is None and change.old_text is None:
        return [f"{change.operation} {change.path}"]
    old, new = (change.old_text or "").splitlines(), (change.new_text or "").splitlines()
    return list(difflib.unified_diff(old, new, change.old_path or change.path, change.path, lineterm=""))


def _shortened(lines: list[str]) -> list[str]:
    more = len(lines) - DIFF_LINES
    return lines if more <= 0 else [*lines[:DIFF_LINES], f"… {more} more lines"]


def output_of(content: TerminalRef, terminals: Mapping[str, Terminal]) -> list[str]:
    """Return the last lines of a terminal; nothing for one that never became known."""
    terminal = terminals.get(content.terminal_id)
    return [] if terminal is None else terminal.text.splitlines()[-OUTPUT_LINES:]
