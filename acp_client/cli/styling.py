"""Colours on stderr, where it is a terminal and `rich` is installed; plain text everywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable

from acp_client.cli.stdin import is_terminal

Style = Callable[[str, str], str]
"""Makes a text out of a text and the name of a style: dim, bold, green, yellow, red, cyan."""


def plain(text: str, style: str) -> str:
    """Return the text as it is."""
    return text


def stderr_style() -> Style:
    """Return how to style what goes to stderr."""
    if not is_terminal(sys.stderr):
        return plain
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        return plain
    console = Console(stderr=True, soft_wrap=True)

    def rich(text: str, style: str) -> str:
        with console.capture() as captured:
            console.print(Text(text, style), end="", soft_wrap=True)
        return captured.get()

    return rich
