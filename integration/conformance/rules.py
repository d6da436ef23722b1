"""The table of rules: each is a function that plays it on a `Stage` and raises `Broken` when the client breaks it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from integration.conformance.stage import Stage

Play: TypeAlias = Callable[[Stage], None]


class Rule(NamedTuple):
    """A rule of the documentation and the play that shows it; `versions` are those it is played in."""

    id: str
    versions: tuple[int, ...]
    play: Play


RULES: dict[str, Rule] = {}


def rule(rule_id: str, *versions: int) -> Callable[[Play], Play]:
    """Enter a play into the table."""

    def enter(play: Play) -> Play:
        assert rule_id not in RULES, rule_id
        RULES[rule_id] = Rule(rule_id, versions, play)
        return play

    return enter
