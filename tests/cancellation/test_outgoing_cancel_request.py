"""`$/cancel_request` that this side sends: for requests that were left, and only for those."""

from __future__ import annotations

import asyncio
import logging

import pytest

from acp_client.errors import AgentError, ConnectionLost, RequestCancelled, RequestTimeout
from tests.kit import Stage, settle_down, within

CANCEL = "$/cancel_request"


async def leave(scene: Stage) -> object:
    """Send a request and cancel the task that waits for it; returns the request's id."""
    task = asyncio.create_task(scene.client.list_sessions())
    await settle_down()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return scene.written("session/list")[-1]["id"]


async def test_leaving_a_request_tells_the_agent_once_with_the_exact_id(scene: Stage) -> None:
    """CAN-01, CAN-02, CP-08: a notification without id, naming the request in value and type."""
    request_id = await leave(scene)
    (notification,) = scene.written(CANCEL)
    assert notification["params"] == {"requestId": request_id}
    assert type(notification["params"]["requestId"]) is int
    assert "id" not in notification


async def test_the_answer_to_a_request_that_was_left_is_taken_quietly(
    scene: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """CAN-03, CAN-06: the late answer is matched and dropped, nothing is logged as an error, nothing stays."""
    request_id = await leave(scene)
    with caplog.at_level(logging.INFO):
        scene.agent.respond(request_id, {"sessions": []})
    assert not caplog.records
    assert len(scene.client._connection.peer.outbound) == 0


async def test_a_graceful_caller_gets_the_normal_result_after_the_timeout(scene: Stage) -> None:
    """CAN-04, CAN-11: an agent that ignores the cancel and answers later is heard."""
    call = asyncio.create_task(scene.client.request("_x/slow", {}, timeout=0.0, graceful=BOUND))
    await scene.agent.next(CANCEL)
    scene.agent.respond(scene.written("_x/slow")[0]["id"], {"part": 1})
    assert await within(call) == {"part": 1}
    assert len(scene.written(CANCEL)) == 1


BOUND = 5.0


async def test_a_cancelled_answer_has_its_own_type_with_code_and_data(scene: Stage) -> None:
    """CAN-05: -32800 is distinct from other errors; nothing of it is lost."""
    call = asyncio.create_task(scene.client.request("_x/slow", {}))
    await settle_down()
    scene.agent.fail(scene.written("_x/slow")[0]["id"], -32800, "Request cancelled", data={"requestId": 7})
    with pytest.raises(RequestCancelled) as caught:
        await within(call)
    assert caught.value.code == -32800
    assert caught.value.data == {"requestId": 7}
    assert isinstance(caught.value, AgentError)


async def test_an_id_is_never_used_again_while_its_answer_is_owed(scene: Stage) -> None:
    """CAN-07, V2-RPC-03: also after the request was abandoned."""
    left = await leave(scene)
    calls = [asyncio.create_task(scene.client.request("_x/many", {})) for _ in range(50)]
    await settle_down()
    ids = [message["id"] for message in scene.agent.written if "id" in message and "method" in message]
    assert len(set(ids)) == len(ids)
    assert ids.count(left) == 1
    for message in scene.written("_x/many"):
        scene.agent.respond(message["id"], {})
    await within(asyncio.gather(*calls))


async def test_a_request_is_cancelled_at_most_once(scene: Stage) -> None:
    """CAN-08: a timeout with a grace, then the end of the grace: one notification."""
    with pytest.raises(RequestTimeout):
        await within(scene.client.request("_x/slow", {}, timeout=0.0, graceful=0.001))
    assert len(scene.written(CANCEL)) == 1


async def test_nothing_is_written_for_a_request_that_was_answered(scene: Stage) -> None:
    """CAN-09: the answer is there, so there is nothing to cancel."""
    call = asyncio.create_task(scene.client.request("_x/quick", {}))
    await settle_down()
    scene.agent.respond(scene.written("_x/quick")[0]["id"], {})
    call.cancel()
    await asyncio.wait([call])
    assert scene.written(CANCEL) == []


async def test_a_request_comes_before_its_cancel_on_the_wire(scene: Stage) -> None:
    """CAN-10: either the pair in order or nothing."""
    await leave(scene)
    methods = scene.methods()
    assert methods.index("session/list") < methods.index(CANCEL)


async def test_a_request_cancelled_before_it_began_writes_nothing(scene: Stage) -> None:
    """CAN-10: never sent, so there is nothing to cancel."""
    task = asyncio.create_task(scene.client.list_sessions())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert scene.written("session/list") == []
    assert scene.written(CANCEL) == []


async def test_cancelling_after_the_connection_ended_writes_nothing(scene: Stage) -> None:
    """CAN-12, CAN-80: only the end of the connection is seen, with its cause and never as a cancel."""
    call = asyncio.create_task(scene.client.request("_x/slow", {}, timeout=None))
    await settle_down()
    scene.agent.close()
    written = len(scene.agent.written)
    with pytest.raises(ConnectionLost, match="_x/slow"):
        await within(call)
    assert len(scene.agent.written) == written


@pytest.mark.parametrize("request_id", [999, "1", "x", 1.0, True])
async def test_an_answer_to_no_request_of_ours_is_ignored(scene: Stage, request_id: object) -> None:
    """CAN-13: unknown ids, and values that only look like one of ours."""
    call = asyncio.create_task(scene.client.request("_x/slow", {}))
    await settle_down()
    scene.agent.send({"jsonrpc": "2.0", "id": request_id, "error": {"code": 1, "message": "?"}})
    await settle_down()
    assert not call.done()
    scene.agent.respond(scene.written("_x/slow")[0]["id"], "fine")
    assert await within(call) == "fine"


@pytest.mark.parametrize("message", [{}, {"id": None}])
async def test_an_error_that_names_no_request_settles_none(scene: Stage, message: dict[str, object]) -> None:
    """CAN-91, V2-RPC-07, V2-RPC-21, V1-RPC-09: it is never answered and the connection stays up."""
    call = asyncio.create_task(scene.client.request("_x/slow", {}))
    await settle_down()
    before = len(scene.agent.written)
    scene.agent.send({"jsonrpc": "2.0", "error": {"code": -32601, "message": "no such method"}, **message})
    assert len(scene.agent.written) == before
    assert not call.done()
    scene.agent.respond(scene.written("_x/slow")[0]["id"], 1)
    assert await within(call) == 1


async def test_a_request_that_times_out_is_cancelled_and_its_late_answer_ignored(
    scene: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """UX-05, ours: the timeout covers the answer, and expiry tells the agent."""
    with pytest.raises(RequestTimeout) as caught:
        await within(scene.client.request("_x/slow", {}, timeout=0.001))
    assert caught.value.method == "_x/slow"
    request_id = scene.written("_x/slow")[0]["id"]
    assert scene.written(CANCEL)[0]["params"] == {"requestId": request_id}
    with caplog.at_level(logging.INFO):
        scene.agent.respond(request_id, {})
    assert not caplog.records


async def test_a_thousand_abandoned_requests_leave_nothing_behind(scene: Stage) -> None:
    """CP-08: one cancel per call, and no entry or unretrieved exception stays once the answers came."""
    for _ in range(1000):
        with pytest.raises(RequestTimeout):
            await scene.client.request("_x/slow", {}, timeout=0.0)
    assert len(scene.written(CANCEL)) == 1000
    for message in scene.written("_x/slow"):
        scene.agent.respond(message["id"], {})
    assert len(scene.client._connection.peer.outbound) == 0
