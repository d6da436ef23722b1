"""The blocking façade offers what the asyncio façade offers, under the same names and with the same parameters."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from acp_client import blocking, client, session, unstable
from acp_client.blocking.unstable import UnstableCalls

PAIRS = [
    (client.Client, blocking.Client),
    (session.Session, blocking.Session),
    (session.Turn, blocking.Turn),
    (session.CancelHandle, blocking.CancelHandle),
    (unstable.UnstableCalls, UnstableCalls),
]

RENAMED = {"aclose": "close", "__aenter__": "__enter__", "__aexit__": "__exit__", "__aiter__": "__iter__"}
"""What a thread writes differently, because it has no `async`."""

NOT_FOR_THREADS = {"__await__": "wait"}
"""What needs a loop, and the call that takes its place."""

ADDED_PARAMETERS = {
    ("Client", "connect"): ["thread", "post"],
    ("Client", "wait_closed"): ["timeout"],
    ("Turn", "wait"): ["timeout"],
    ("Turn", "accepted"): ["timeout"],
    ("CancelHandle", "wait"): ["timeout"],
}
"""A thread cannot be cancelled from outside, so its waits can be bounded."""

ADDED_NAMES = {
    "Client": {"thread"},
    "Session": {"start", "ask", "stream", "roots", "replayed"},
    "Turn": set(),
    "CancelHandle": set(),
    "UnstableCalls": set(),
}
"""Some of them are plain attributes there and properties here."""


def public(cls: type) -> dict[str, Any]:
    """Everything a class offers, special methods of waiting included."""
    special = {*RENAMED, *RENAMED.values(), *NOT_FOR_THREADS}
    return {name: value for name, value in vars(cls).items() if not name.startswith("_") or name in special}


NAMES = [(ours, theirs, name) for ours, theirs in PAIRS for name in public(ours)]


@pytest.mark.parametrize(("original", "twin", "name"), NAMES, ids=[f"{o.__name__}.{n}" for o, _, n in NAMES])
def test_every_public_name_exists_with_the_same_parameters(original: type, twin: type, name: str) -> None:
    """Ours: names and signatures are one interface, so that code moves between the façades."""
    there = NOT_FOR_THREADS.get(name) or RENAMED.get(name, name)
    assert there in public(twin), f"blocking.{twin.__name__} lacks {there}"
    if name in NOT_FOR_THREADS or isinstance(getattr(original, name), property):
        return
    expected = list(inspect.signature(getattr(original, name)).parameters.values())
    added = ADDED_PARAMETERS.get((original.__name__, name), [])
    found = inspect.signature(getattr(twin, there)).parameters
    assert [parameter for parameter in found.values() if parameter.name not in added] == expected
    assert all(found[parameter].default is None for parameter in added)


@pytest.mark.parametrize(("original", "twin"), PAIRS, ids=[original.__name__ for original, _ in PAIRS])
def test_the_blocking_facade_adds_only_what_is_listed(original: type, twin: type) -> None:
    """Ours: whatever else a thread needs is a decision, not an accident."""
    renamed = {NOT_FOR_THREADS.get(name) or RENAMED.get(name, name) for name in public(original)}
    assert set(public(twin)) - renamed == ADDED_NAMES[original.__name__]


@pytest.mark.parametrize(("original", "twin"), PAIRS, ids=[original.__name__ for original, _ in PAIRS])
def test_properties_stay_properties(original: type, twin: type) -> None:
    """Ours: reading is reading in both."""
    for name, value in public(original).items():
        if isinstance(value, property):
            assert isinstance(public(twin)[name], property)


def test_the_three_ways_to_run_a_turn_take_what_a_prompt_takes() -> None:
    """Ours: `start`, `stream` and `ask` are `prompt` with something more."""
    prompt = inspect.signature(blocking.Session.prompt).parameters
    for way in (blocking.Session.start, blocking.Session.stream, blocking.Session.ask):
        parameters = inspect.signature(way).parameters
        assert {name: parameters[name].default for name in prompt} == {n: p.default for n, p in prompt.items()}
