"""What a notebook shows of a session: complete, readable as text, and with nothing of the agent's taken for markup."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("markdown_it", reason="pip install 'acp-client-sdk[jupyter]'")

from markdown_it import MarkdownIt

from acp_client import (
    Cost,
    Diff,
    FileChange,
    Message,
    PendingElicitation,
    Plan,
    PlanEntry,
    Resource,
    ResourceLink,
    Terminal,
    TerminalRef,
    Text,
    ToolCall,
    UnknownContent,
    Usage,
)
from acp_client.jupyter import SessionView
from acp_client.jupyter.markup import html_of_markdown, markdown_block, markdown_of_markdown, markdown_of_text
from acp_client.jupyter.rendering import DIFF_LINES, OUTPUT_LINES, Shown, html_of, markdown_of, text_of
from acp_client.jupyter.view import View
from acp_client.state.items import Compaction
from acp_client.state.snapshot import SessionSnapshot
from acp_client.state.timeline import Timeline

EVIL = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> & ``` **x** [a](javascript:alert(1)) ![i](https://e.com/i)"
)


def message(text: str, role: Any = "agent", *blocks: Any) -> Message:
    return Message(key=f"{role}:1", role=role, content=(Text(text), *blocks))


def tool_call(*content: Any, title: str | None = "Edit", status: str = "completed") -> ToolCall:
    return ToolCall(key="tool:1", tool_call_id="1", title=title, kind="edit", status=status, content=content)


def shown(*items: Any, **fields: Any) -> Shown:
    fields.setdefault("terminals", {})
    return Shown(items=items, **fields)


EVERYWHERE = [
    message(EVIL),
    message(EVIL, "user"),
    message(EVIL, "thought"),
    message("x", "agent", ResourceLink(name=EVIL, uri="file:///a"), Resource.from_text(EVIL, "t")),
    tool_call(title=EVIL),
    tool_call(Text(EVIL)),
    tool_call(UnknownContent(EVIL, {})),
    tool_call(ResourceLink(name="n", title=EVIL, uri="u")),
    tool_call(Diff(changes=(FileChange(operation="modify", path=EVIL, old_text="a", new_text=EVIL),))),
    tool_call(Diff(changes=(FileChange(operation="delete", path=EVIL),))),
    tool_call(Diff(changes=(), patch=f"+{EVIL}\n-{EVIL}\n {EVIL}\n\n")),
    tool_call(TerminalRef("x")),
    Plan(key="plan", entries=(PlanEntry(content=EVIL, priority="high", status="pending"),)),
    Plan(key="plan", markdown=EVIL),
    Compaction(key="compaction:1", compaction_id="1", status=EVIL),
]
TERMINALS = {"x": Terminal(key="terminal:x", terminal_id="x", output=EVIL.encode())}


@pytest.mark.parametrize("item", EVERYWHERE, ids=lambda item: type(item).__name__)
def test_nothing_an_agent_writes_becomes_markup_of_ours(item: Any) -> None:
    """Ours: a notebook is opened in a browser that trusts it."""
    view = shown(item, terminals=TERMINALS, status=EVIL)
    renderer = MarkdownIt("commonmark", {"html": True})  # one that passes HTML through, as notebooks do
    for html in (html_of(view), renderer.render(markdown_of(view))):
        assert "<script" not in html
        assert "<img" not in html
        assert 'href="javascript' not in html


def test_html_shows_markdown_as_markdown() -> None:
    """Ours: that is what the protocol says the texts are."""
    html = html_of(shown(message("**bold** and `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |")))
    assert "<strong>bold</strong>" in html
    assert "<code>code</code>" in html
    assert "<table>" in html


def test_a_remote_image_is_not_fetched() -> None:
    """Ours: what a notebook loads, somebody can count."""
    text = "![pixel](https://example.com/pixel.png)"
    assert "<img" not in html_of_markdown(text)
    assert "<img" not in MarkdownIt().render(markdown_of_markdown(text))


def test_markdown_of_plain_text_shows_it_as_it_is() -> None:
    """Ours: a file name with stars in it is not bold."""
    assert markdown_of_text("**x** <b> [a](b)\nnext") == "\\*\\*x\\*\\* \\<b\\> \\[a\\]\\(b\\) next"


def test_a_code_block_cannot_be_ended_from_inside() -> None:
    """Ours: the fence is longer than any in the text."""
    block = markdown_block("a\n````\nb", "diff")
    assert block.startswith("`````diff\n")
    assert block.endswith("\n`````")
    assert markdown_block("a") == "```\na\n```"


def test_diffs_are_shown_line_by_line_and_shortened() -> None:
    """Ours: what is to be allowed can be read, and a generated file does not fill the notebook."""
    change = FileChange(operation="modify", path="/a", old_text="one\ntwo", new_text="one\n2")
    view = shown(tool_call(Diff(changes=(change,))))
    assert "-two" in markdown_of(view)
    assert "+2" in markdown_of(view)
    assert "rgba(46,160,67" in html_of(view)
    large = FileChange(operation="add", path="/b", new_text="x\n" * 1000)
    assert "more lines" in markdown_of(shown(tool_call(Diff(changes=(large,)))))
    assert markdown_of(shown(tool_call(Diff(changes=(large,))))).count("\n") < DIFF_LINES + 20


def test_the_end_of_a_terminal_is_shown_and_an_unknown_one_is_nothing() -> None:
    """Ours: the last lines are the ones that matter."""
    output = "".join(f"line {number}\n" for number in range(200)).encode()
    terminals = {"x": Terminal(key="terminal:x", terminal_id="x", output=output)}
    view = shown(tool_call(TerminalRef("x"), TerminalRef("unknown")), terminals=terminals)
    assert "line 199" in html_of(view)
    assert f"line {199 - OUTPUT_LINES}" not in markdown_of(view)


def test_the_footer_tells_state_and_usage() -> None:
    """Ours: how full the context is and what it has cost."""
    view = shown(status="ended: end_turn", usage=Usage(used=1200, size=200000, cost=Cost(0.0123, "USD")))
    assert "ended: end_turn · 1,200 of 200,000 tokens, 0.0123 USD" in html_of(view)
    assert "1,200 tokens" in html_of(shown(usage=Usage(used=1200)))
    assert text_of(view) == "ended: end_turn"


def test_plain_text_holds_the_conversation() -> None:
    """Ours: for terminals, and for comparing two versions of a notebook."""
    plan = Plan(key="plan", entries=(PlanEntry(content="do", priority="high", status="completed"),))
    items = [message("question", "user"), message("hm", "thought"), message("answer"), tool_call(), plan]
    assert text_of(shown(*items)).splitlines() == ["> question", "answer", "[✔ Edit]", "☑ do"]
    assert "[? edit]" in text_of(shown(tool_call(title=None, status="new status")))


def test_questions_are_shown_with_what_they_offer() -> None:
    """Ours: also a form, which a notebook cannot fill in."""
    question: Any = PendingElicitation.__new__(PendingElicitation)
    view = shown(questions=(question,), hint="answer elsewhere")
    for text in (html_of(view), markdown_of(view), text_of(view)):
        assert "asks for input" in text
        assert "answer elsewhere" in text


def test_a_session_is_shown_whole_and_in_the_kinds_asked_for() -> None:
    """Ours: for whichever façade; IPython says which kinds it wants."""
    snapshot = SessionSnapshot(version=1, session_id="s", cwd="/", items=Timeline.of((message("hello"),)))
    view = SessionView(snapshot)
    assert set(view._repr_mimebundle_()) == {"text/plain", "text/markdown", "text/html"}
    assert set(view._repr_mimebundle_(include={"text/html"})) == {"text/html"}
    assert set(view._repr_mimebundle_(exclude={"text/html"})) == {"text/plain", "text/markdown"}
    assert repr(view) == "hello\nidle, 1 items"
    assert repr(View.of(Shown.of(snapshot, first=1))) == ""
