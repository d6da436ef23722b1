"""Exit statuses, and the one line that each failure gets."""

from __future__ import annotations

import re

from acp_client.errors import AuthRequired, ConnectionLost, NotSupported, UsageError

ENDED = 0
ENDED_OTHERWISE = 1
USAGE = 2
NO_AGENT = 3
INTERRUPTED = 130

_ACTED_ON = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but tab and line feed, what turns the direction of writing around, and halves of characters."""


def of_failure(error: BaseException, *, in_turn: bool) -> int:
    """Return the status for an error; `in_turn` says that the agent had the prompt."""
    if isinstance(error, UsageError) and not isinstance(error, NotSupported):
        return USAGE
    if in_turn and not isinstance(error, ConnectionLost | AuthRequired):
        return ENDED_OTHERWISE
    return NO_AGENT


def one_line(text: object) -> str:
    """Return the text of something, an error for instance, as one line that a terminal only shows."""
    fallback = type(text).__name__ if isinstance(text, BaseException) else ""
    return printable(" ".join(str(text).split()) or fallback)


def printable(text: str) -> str:
    """Return `text` with what a terminal would act on replaced; line breaks and tabs stay."""
    return _ACTED_ON.sub("\N{REPLACEMENT CHARACTER}", text)
