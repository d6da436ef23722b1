"""Text of an agent as HTML and as Markdown that can do no harm: nothing it writes becomes markup of ours.

An agent's text is Markdown by the protocol, and may hold anything: it is rendered with HTML switched off and without
images, which would be fetched from wherever they point.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$&])")
_HTML_SPECIAL = re.compile(r"[<&]")
_FENCE = re.compile(r"^`{3,}", re.MULTILINE)


def escaped(text: str) -> str:
    """Return plain text for HTML."""
    return html.escape(text, quote=True)


def html_of_markdown(text: str) -> str:
    """Return the HTML of an agent's Markdown: no raw HTML, no images, no `javascript:` links."""
    rendered: str = _renderer().render(text)
    return rendered


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["image"])


def markdown_of_markdown(text: str) -> str:
    """Return an agent's Markdown for a Markdown renderer that would pass HTML through: it shows it as text instead."""
    without_html = _HTML_SPECIAL.sub(lambda match: "&lt;" if match[0] == "<" else "&amp;", text)
    return without_html.replace("![", "!\\[")


def markdown_of_text(text: str) -> str:
    """Return one line of plain text for Markdown."""
    return _MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(text.split()))


def markdown_block(text: str, language: str = "") -> str:
    """Return a code block that the text cannot end."""
    fence = "`" * max([3, *(len(match) + 1 for match in _FENCE.findall(text))])
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
