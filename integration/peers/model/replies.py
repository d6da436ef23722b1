"""What the fake model replies over HTTP, without touching a socket, and what its APIs have in common."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import attrs

from integration.peers.model.script import Say, Step

Body: TypeAlias = Mapping[str, Any]


@attrs.frozen
class Document:
    """A reply of one JSON document."""

    body: object
    status: int = 200


@attrs.frozen
class Event:
    """One server-sent event, and the seconds until the next."""

    data: object
    name: str | None = None
    pause: float = 0.0


@attrs.frozen
class Stream:
    """A reply of server-sent events."""

    events: Iterable[Event]


Reply: TypeAlias = Document | Stream
Api: TypeAlias = Callable[[Body], Reply]

ERROR_TEXT = "the fake model was asked to fail"


def fresh_id(prefix: str) -> str:
    """Return an id that was not used before."""
    return prefix + uuid.uuid4().hex[:20]


def text_of(content: object) -> str:
    """Join the text parts of a message, however its API nests them."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part.get("text", "") for part in parts if isinstance(part, dict))


def spoken(steps: Sequence[Step]) -> str:
    """Return the text of an answer as a whole."""
    return "".join(step.text for step in steps if isinstance(step, Say))


def openai_error() -> Body:
    """Return the body of an error of either OpenAI API."""
    return {"error": {"message": ERROR_TEXT, "type": "invalid_request_error", "code": "asked"}}
