"""Calls that cannot work: a typed error, nothing on the wire, and a session that goes on as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_client.client import Client
from acp_client.errors import UsageError
from acp_client.state.content import Text
from tests.kit import Stage, stage, within

UNSENDABLE: dict[str, tuple[Any, Any]] = {
    "bytes": (b"x", {}),
    "a number": (5, {}),
    "nothing": (None, {}),
    "a mapping": ({"type": "text", "text": "x"}, {}),
    "a list of numbers": ([5], {}),
    "a list with a mapping": (["x", {"type": "text", "text": "x"}], {}),
    "an object in the meta": ("x", {"meta": {"a": object()}}),
    "not a number in the meta": ("x", {"meta": {"a": float("nan")}}),
    "an object in the meta of a block": (Text(text="x", meta={"a": object()}), {}),
    "an unknown way to be busy": ("x", {"busy": "nonsense"}),
}


@pytest.mark.parametrize("name", UNSENDABLE)
async def test_a_prompt_that_cannot_be_sent_changes_nothing(scene: Stage, name: str) -> None:
    """Ours: refused before anything is written; the next prompt finds the session idle."""
    prompt, options = UNSENDABLE[name]
    before = len(scene.agent.written)
    with pytest.raises(UsageError):
        scene.session.prompt(prompt, **options)
    assert len(scene.agent.written) == before
    assert scene.session.state == "idle"
    turn = scene.begin()
    scene.finish()
    assert (await within(turn)).stop_reason == "end_turn"


@pytest.mark.parametrize("bad", [{"meta": {"a": object()}}, {"meta": {1: "x"}}, {"cwd": 5}, {"cwd": ""}])
async def test_a_session_that_cannot_be_asked_for_leaves_nothing_open(scene: Stage, bad: dict[str, Any]) -> None:
    """Ours: neither a message nor a request that waits for an answer for ever."""
    before = len(scene.agent.written)
    with pytest.raises(UsageError):
        await scene.client.new_session(**{"cwd": "/project", **bad})
    assert len(scene.agent.written) == before
    assert len(scene.client._connection.peer.outbound) == 0


async def test_paths_may_be_path_objects(version: int) -> None:
    """Ours: what `pathlib` gives is a path."""
    async with stage(version) as scene:
        session = await scene.client.new_session(Path("/project"), additional_directories=[Path("/other")])
        assert session.cwd == "/project"
        assert scene.written("session/new")[-1]["params"]["additionalDirectories"] == ["/other"]


async def test_messages_that_cannot_be_written_are_refused(scene: Stage) -> None:
    """Ours: requests and notifications alike."""
    before = len(scene.agent.written)
    with pytest.raises(UsageError, match="_acme/x"):
        await scene.client.request("_acme/x", {"a": object()})
    with pytest.raises(UsageError, match="_acme/y"):
        scene.client.notify("_acme/y", {"a": float("inf")})
    assert len(scene.agent.written) == before


@pytest.mark.parametrize("target", [5, None, b"agent", object()])
async def test_what_is_no_target_says_what_would_be(target: Any) -> None:
    """Ours: a typed error that names what can be given."""
    with pytest.raises(UsageError, match="command line"):
        await Client.connect(target)
