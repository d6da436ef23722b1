"""One line of a method table: what a method is called, who handles it, and which types it carries.

The tables themselves are generated: `v1.methods` and `v2.methods`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple


class Method(NamedTuple):
    """A method of the protocol; `params` and `result` are model classes or union types, `result` is None for a notification."""

    name: str
    kind: Literal["request", "notification"]
    side: Literal["agent", "client", "protocol"]
    params: Any
    result: Any
    stable: bool
