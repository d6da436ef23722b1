"""Every member of every update, broken in every way: the host is told, nobody fails, the neighbours are applied."""

from __future__ import annotations

import logging
import random
from collections import Counter
from functools import cache
from typing import Any

import pytest

from acp_client.errors import InvalidModel
from acp_client.models.convert import structure
from acp_client.models.shapes import TaggedUnion
from acp_client.state.events import Event, TextAppended, UnknownUpdate
from tests.kit import Stage, stage
from tests.models.generating import PACKAGES, mutations, places, variant

UPDATES = [(version, tag) for version, package in PACKAGES.items() for tag in package.UNIONS["SessionUpdate"].variants]


@cache
def cases(version: int, tag: str) -> list[tuple[str, Any]]:
    """A valid update with every member there, and all that one broken place makes of it."""
    package = PACKAGES[version]
    union = package.UNIONS["SessionUpdate"]
    assert isinstance(union, TaggedUnion)
    made: list[tuple[str, Any]] = []
    rng = random.Random(f"{version}{tag}")
    for _ in range(4 if tag == "state_update" else 1):  # it has several forms
        whole = variant(package.InitializeRequest, union, tag, rng, full=True)
        made.append(("whole", whole))
        for path in places(whole):
            made += [(f"{'.'.join(map(str, path))} {how}", broken) for how, broken in mutations(whole, path)]
    return made


def fits(version: int, update: Any) -> bool:
    """Whether the schema's lenient rules take it."""
    package = PACKAGES[version]
    try:
        structure(package.UNIONS["SessionUpdate"].alias, update)
    except InvalidModel:
        return False
    return True


@pytest.mark.parametrize(("version", "tag"), UPDATES, ids=[f"v{version}-{tag}" for version, tag in UPDATES])
async def test_a_broken_update_harms_nobody(version: int, tag: str, caplog: pytest.LogCaptureFixture) -> None:
    """FC-03, V2-PAR-06: one event for each, an unknown one where it does not fit, with the object as it came."""
    caplog.set_level(logging.ERROR)
    tried = cases(version, tag)
    outcomes: Counter[bool] = Counter()
    async with stage(version) as scene:
        scene.begin()
        events: list[Event] = []
        scene.session.on_update(events.append)
        for number, (how, update) in enumerate(tried):
            events.clear()
            scene.agent.update(scene.session.id, update)
            scene.chunk(f"<{number}>", message_id="neighbour")
            outcomes[_told(version, how, update, events)] += 1
            assert isinstance(events[-1], TextAppended), how
            assert events[-1].text == f"<{number}>", how
        neighbour = next(m for m in scene.session.snapshot.messages if m.text.startswith("<0>"))
        assert neighbour.text == "".join(f"<{number}>" for number in range(len(tried)))
        _connection_lives(scene)
    assert caplog.records == [], "nothing was logged as an error"
    assert len(tried) > 12, "there was something to break"
    assert outcomes[True] > 0
    assert outcomes[False] > 0


def _told(version: int, how: str, update: Any, events: list[Event]) -> bool:
    """Check the event for one update; returns whether the update was good enough to be applied."""
    mine = [event for event in events[:-1] if event.count]
    assert len(mine) == 1, f"{how}: {events}"
    (event,) = mine
    if fits(version, update):
        return True
    assert isinstance(event, UnknownUpdate), how
    assert event.raw == update, how
    assert event.reason in ("invalid", "unknown"), how
    return False


def _connection_lives(scene: Stage) -> None:
    assert scene.answer_to(scene.request("no/such", {}))["error"]["code"] == -32601
    assert not scene.client.closed


def test_the_suite_is_large_enough() -> None:
    """Ours: thousands of broken updates in either version, so that it cannot become empty unseen."""
    for version in PACKAGES:
        assert sum(len(cases(v, tag)) for v, tag in UPDATES if v == version) > 2000
