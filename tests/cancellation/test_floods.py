"""Agents that send far too much of what cancelling is about: all of it is answered, none of it is kept.

Growth is counted in entries, messages, log records and steps of work, never in seconds.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from acp_client.rpc.messages import Json
from tests.kit import CANCELLED, Stage, settle_down, stage

FLOOD = 10_000

MALFORMED: list[Json] = [
    None,
    [],
    "40",
    {},
    {"requestId": None},
    {"requestId": 1.5},
    {"requestId": True},
    {"requestId": []},
    {"requestId": {"id": 1}},
    {"id": 40},
]


def kept(scene: Stage) -> dict[str, int]:
    """Everything a connection could keep of what an agent sends about requests."""
    router, peer = scene.client._router, scene.client._connection.peer
    work = scene.session._work
    return {
        "open requests": len(peer.inbound),
        "requests of ours": len(peer.outbound),
        "noise": len(peer.noise),
        "questions": len(work.questions) + len(router.questions),
        "cancels": len(work._cancels),
        "unanswered prompts": len(work._unanswered),
        "early": len(router._early),
        "visits": len(router._visits),
        "warned": len(router._warned),
        "tasks": len(scene.client._connection._tasks),
        "timers": len(scene.clock._timers),
        "listeners": len(work.listeners),
    }


def steps(work: Callable[[], Any]) -> int:
    """Count the calls of functions of the package that some work takes."""
    calls = 0

    def on_event(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        if event == "call" and "acp_client" in frame.f_code.co_filename:
            calls += 1

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Everything the package logs from `info` on; debugging is not for a running program."""
    caplog.set_level(logging.INFO, logger="acp_client")
    return caplog


async def test_a_flood_of_malformed_cancels_leaves_nothing(scene: Stage, log: pytest.LogCaptureFixture) -> None:
    """CAN-15, bad input: silence on the wire and in the log, and what is open stays open."""
    request_id = scene.ask()
    await settle_down()
    before, written = kept(scene), len(scene.agent.written)
    for number in range(FLOOD):
        scene.agent.notify("$/cancel_request", MALFORMED[number % len(MALFORMED)])
    assert (kept(scene), len(scene.agent.written)) == (before, written)
    assert log.records == []
    scene.cancel_request(request_id)
    assert scene.answer_to(request_id)["result"] == CANCELLED


async def test_a_flood_of_cancels_for_one_id_is_one_answer(scene: Stage, log: pytest.LogCaptureFixture) -> None:
    """CAN-14, CAN-16, bad input."""
    request_id = scene.ask()
    written = len(scene.agent.written)
    for _ in range(FLOOD):
        scene.cancel_request(request_id)
    assert len(scene.agent.written) == written + 1
    assert scene.answer_to(request_id)["result"] == CANCELLED
    assert log.records == []


async def test_a_flood_of_answers_to_nothing_leaves_nothing(scene: Stage, log: pytest.LogCaptureFixture) -> None:
    """V2-RPC-07, bad input: unknown ids, ids of the agent's own requests, impossible ones."""
    turn = scene.session.prompt("go")
    request_id = scene.ask()
    await settle_down()
    before, written = kept(scene), len(scene.agent.written)
    ids: list[Json] = [99, "1", 1.0, True, request_id, -1]
    for number in range(FLOOD):
        scene.agent.send({"jsonrpc": "2.0", "id": ids[number % len(ids)], "result": {"stopReason": "end_turn"}})
    assert (kept(scene), len(scene.agent.written)) == (before, written)
    assert log.records == []
    assert not turn.done
    turn.cancel()


async def test_a_flood_of_ids_in_use_is_refused_a_few_times_and_warned_once(
    scene: Stage, log: pytest.LogCaptureFixture
) -> None:
    """Bad input: only the first request under the id exists; the protests are limited, their place in the log too."""
    request_id = scene.ask(request_id=40)
    await settle_down()
    before, written = kept(scene), len(scene.agent.written)
    for number in range(FLOOD):
        scene.ask(f"t{number}", request_id=40)
    protests = scene.agent.written[written:]
    assert {message["id"] for message in protests} == {None}
    assert len(protests) == 10
    assert kept(scene) == {**before, "warned": before["warned"] + 1}
    assert len(log.records) == 1
    assert len(scene.questions) == 1
    scene.questions[0].cancel()
    assert scene.answer_to(request_id)["result"] == CANCELLED


async def test_a_flood_of_permissions_while_cancelling_is_answered_whole(
    scene: Stage, log: pytest.LogCaptureFixture
) -> None:
    """CAN-30, bad input: each exactly once, nobody is asked, and only their tool call is kept."""
    scene.begin()
    scene.session.cancel(grace=None)
    before = kept(scene)
    for number in range(FLOOD):
        scene.ask("t1", request_id=f"p{number}")
    answers = [message for message in scene.agent.written if str(message.get("id")).startswith("p")]
    assert [message["id"] for message in answers] == [f"p{number}" for number in range(FLOOD)]
    assert all(message["result"] == CANCELLED for message in answers)
    assert kept(scene) == before
    assert len(scene.session.snapshot.tool_calls) == 1
    assert scene.host.asked == []  # type: ignore[attr-defined]  # a desk
    assert log.records == []
    scene.finish("cancelled")


async def test_a_flood_of_open_permissions_ends_in_one_write(scene: Stage) -> None:
    """CAN-22, bad input: ten thousand answers right behind the cancel, each once."""
    scene.begin()
    ids = [scene.ask("t1", request_id=f"p{number}") for number in range(FLOOD)]
    await settle_down()
    scene.session.cancel(grace=None)
    cancel, *answers = scene.agent.writes[-1]
    assert cancel["method"] == "session/cancel"
    assert [message["id"] for message in answers] == ids
    assert all(message["result"] == CANCELLED for message in answers)
    await settle_down()
    assert kept(scene)["open requests"] == kept(scene)["questions"] == kept(scene)["tasks"] == 0


async def test_a_flood_of_stops_is_one_cancel_on_the_wire(scene: Stage) -> None:
    """Race 7, bad input from this side: impatient users; the timers end with it."""
    scene.begin()
    for _ in range(1000):
        scene.session.cancel()
    assert scene.methods().count("session/cancel") == 1
    assert kept(scene)["cancels"] == 1
    scene.finish("cancelled")
    assert kept(scene)["timers"] == kept(scene)["cancels"] == 0


async def test_a_flood_of_requests_for_unknown_sessions_and_methods_is_answered_whole(
    scene: Stage, log: pytest.LogCaptureFixture
) -> None:
    """V2-PER-12, V2-RPC-09, bad input: nothing is kept for a session that nobody opens."""
    await settle_down()
    before = kept(scene)
    params = {**scene.permission_params(), "sessionId": "s9"}
    for number in range(FLOOD // 2):
        scene.request("session/request_permission", params, f"p{number}")
        scene.request(f"unknown/{number}", {}, f"m{number}")
    counts = Counter(message["id"] for message in scene.agent.written if "method" not in message)
    assert sum(counts.values()) == FLOOD
    assert set(counts.values()) == {1}
    assert kept(scene) == before
    assert log.records == []


@pytest.mark.parametrize("kind", ["cancels of unknown ids", "permissions while cancelling", "asked and retracted"])
async def test_the_work_for_each_message_does_not_grow_with_their_number(version: int, kind: str) -> None:
    """Bad input: ten times as many take ten times the calls, not more."""

    async def work(count: int) -> int:
        async with stage(version) as scene:
            scene.begin()
            if kind == "permissions while cancelling":
                scene.session.cancel(grace=None)

            def flood() -> None:
                for number in range(count):
                    if kind != "cancels of unknown ids":
                        scene.ask("t1", request_id=f"p{number}")
                    if kind != "permissions while cancelling":
                        scene.cancel_request(f"p{number}")

            return steps(flood)

    few, many = await work(100), await work(1000)
    assert few > 100
    assert many < 10.5 * few
