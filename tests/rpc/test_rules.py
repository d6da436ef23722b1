"""JSON-RPC as the protocol wants it, through the client, on the wire."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from acp_client.errors import InvalidResponse, ProtocolViolation
from acp_client.host import Host
from tests.kit import SELECTED, Stage, settle_down, stage, within


async def call(scene: Stage, method: str = "_x/call") -> tuple[asyncio.Task[Any], Any]:
    """Send a request; returns its task and the id it has on the wire."""
    task = asyncio.create_task(scene.client.request(method, {}))
    await settle_down()
    return task, scene.written(method)[-1]["id"]


async def test_every_message_is_json_rpc_2_with_integer_ids(scene: Stage) -> None:
    """V2-RPC-01, V1-RPC-01, V2-RPC-02: ids are integers, never null, never fractional."""
    task, _ = await call(scene)
    scene.ask()
    assert all(message["jsonrpc"] == "2.0" for message in scene.agent.written)
    ids = [message["id"] for message in scene.agent.written if "id" in message and "method" in message]
    assert all(type(request_id) is int for request_id in ids)
    task.cancel()


@pytest.mark.parametrize("request_id", [1.5, True, [], {"a": 1}])
async def test_a_request_with_an_impossible_id_gets_an_error_under_null(scene: Stage, request_id: Any) -> None:
    """V2-RPC-06: -32600 with id null."""
    scene.request("session/request_permission", scene.permission_params(), request_id)
    assert (scene.agent.written[-1]["id"], scene.agent.written[-1]["error"]["code"]) == (None, -32600)


async def test_null_ids_are_refused_in_version_2_and_answered_in_version_1(version: int) -> None:
    """V2-RPC-06, V1-RPC-02: version 1 answers under the id null."""
    async with stage(version) as scene:
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": None, "method": "_x/ask", "params": {}}
        scene.agent.send(message)
        answer = scene.agent.written[-1]
        assert answer["id"] is None
        assert answer["error"]["code"] == (-32601 if version == 1 else -32600)


@pytest.mark.parametrize("request_id", [0, -5, "", "0", 2**63 - 1])
async def test_zero_negative_and_empty_ids_are_ids(scene: Stage, request_id: Any) -> None:
    """V2-RPC-05, V2-RPC-20, V1-RPC-09: presence counts, not truth; the answer has the same value and type."""
    scene.ask(request_id=request_id)
    scene.questions[0].select("yes")
    assert scene.answer_to(request_id)["result"] == SELECTED


async def test_notifications_are_never_answered(scene: Stage) -> None:
    """V2-RPC-08, V2-RPC-09, V1-RPC-05, V2-RPC-19, FC-03: known or not, well formed or not."""
    before = len(scene.agent.written)
    shapes: tuple[Any, ...] = ({}, None, [], "x", {"sessionId": 5})
    for method in ("_vendor/note", "craft/what", "session/update", "$/progress", "session/cancel"):
        for params in shapes:
            scene.agent.send({"jsonrpc": "2.0", "method": method, "params": params})
    assert len(scene.agent.written) == before


async def test_unknown_requests_and_bad_params_have_their_codes(scene: Stage) -> None:
    """V2-RPC-09, V2-RPC-10, V1-RPC-04, V2-RPC-22: -32601 and -32602, each with one short sentence."""
    for method, params, code in (
        ("no/such", {}, -32601),
        ("session/request_permission", {}, -32602),
        ("session/request_permission", {"sessionId": "s1", "options": 5}, -32602),
        ("elicitation/create", {"mode": "form"}, -32602),
        ("session/request_permission", "text", -32602),
    ):
        error = scene.answer_to(scene.request(method, params))["error"]
        assert error["code"] == code
        assert "\n" not in error["message"]
        assert len(error["message"]) < 200


async def test_a_failing_handler_tells_nothing_private(caplog: pytest.LogCaptureFixture) -> None:
    """V2-RPC-10, HE-09: -32603; what was raised is in the log of this side."""

    class Failing(Host):
        async def extension_request(self, method: str, params: Any) -> Any:
            raise RuntimeError("token=secret")

    async with stage(2, Failing()) as scene:
        request_id = scene.request("_x/ask", {})
        await settle_down()
        assert scene.answer_to(request_id)["error"] == {"code": -32603, "message": "the client's handler failed"}


@pytest.mark.parametrize("batch", [[], [{"jsonrpc": "2.0", "method": "_x/n"}], [1, 2]])
async def test_an_array_gets_one_error_and_none_of_it_is_processed(scene: Stage, batch: Any) -> None:
    """V2-RPC-11, V2-RPC-12, V1-RPC-03: -32600 with id null, once."""
    before = len(scene.agent.written)
    scene.agent.send(batch)
    (answer,) = scene.agent.written[before:]
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)


async def test_a_request_answered_inside_an_array_fails_instead_of_hanging(scene: Stage) -> None:
    """V2-RPC-12: its caller gets a clear error."""
    task, request_id = await call(scene)
    scene.agent.send([{"jsonrpc": "2.0", "id": request_id, "result": {}}])  # type: ignore[arg-type]  # malformed
    with pytest.raises(ProtocolViolation, match="batch"):
        await within(task)


async def test_broken_text_is_answered_at_most_ten_times(scene: Stage) -> None:
    """V2-RPC-13, TR-STD-06, TR-WS-06: -32700 with id null, and an agent that prints junk is not echoed for ever."""
    before = len(scene.agent.written)
    for _ in range(50):
        scene.agent.send_raw(b'{"jsonrpc": "2.0", "id": 1, ')
    answers = scene.agent.written[before:]
    assert len(answers) == 10
    assert {(answer["id"], answer["error"]["code"]) for answer in answers} == {(None, -32700)}
    assert scene.answer_to(scene.request("no/such", {}))["error"]["code"] == -32601


@pytest.mark.parametrize(
    "line", [b"Database migrated", b"\x1b[32m[tool]\x1b[0m", b"", b"   ", b'"text"', b"42", b"null"]
)
async def test_lines_that_are_no_messages_get_no_answer(scene: Stage, line: bytes) -> None:
    """TR-STD-06: only what begins like a message is answered."""
    before = len(scene.agent.written)
    scene.agent.send_raw(line)
    assert len(scene.agent.written) == before


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"result": 1, "error": {"code": 1, "message": "x"}},
        {"error": "text"},
        {"error": {"code": "x", "message": "y"}},
    ],
)
async def test_a_malformed_response_fails_its_request_only(scene: Stage, answer: dict[str, Any]) -> None:
    """V2-RPC-18, V2-RPC-21: an invalid response, never an answer to it; the connection goes on."""
    task, request_id = await call(scene)
    if answer:
        scene.agent.send({"jsonrpc": "2.0", "id": request_id, **answer})
        with pytest.raises(InvalidResponse):
            await within(task)
    else:
        scene.agent.send({"jsonrpc": "2.0", "id": request_id})
        task.cancel()
    other, other_id = await call(scene, "_x/other")
    scene.agent.respond(other_id, 1)
    assert await within(other) == 1


async def test_updates_are_applied_in_order_while_callbacks_are_slow(scene: Stage) -> None:
    """V2-RPC-14, V1-RPC-07, SO-07: the wait for a turn includes what the coroutine callbacks have taken."""
    seen: list[str] = []
    go_on = asyncio.Event()

    async def slow(event: Any) -> None:
        await go_on.wait()
        if event.type == "text":
            seen.append(event.text)

    scene.session.on_update(slow)
    turn = scene.begin()
    for number in range(100):
        scene.chunk(str(number))
    scene.finish()
    waiting = asyncio.ensure_future(turn)
    await settle_down()
    assert not waiting.done()
    go_on.set()
    assert not (await within(waiting)).callbacks_late
    assert seen == [str(number) for number in range(100)]


async def test_a_pending_permission_blocks_nothing(scene: Stage) -> None:
    """V2-RPC-15, V1-RPC-07, SO-17, CP-09: updates, other requests and answers go on."""
    first, second = scene.ask("t1"), scene.ask("t2")
    scene.chunk("still here")
    assert scene.session.snapshot.messages[-1].text == "still here"
    assert scene.answer_to(scene.request("no/such", {}))["error"]["code"] == -32601
    scene.questions[1].select("no")
    scene.questions[0].select("yes")
    assert scene.answer_to(second)["result"]["outcome"]["optionId"] == "no"
    assert scene.answer_to(first)["result"]["outcome"]["optionId"] == "yes"


async def test_params_may_be_missing_and_results_null(scene: Stage) -> None:
    """V2-RPC-16, V2-RPC-17, V1-RPC-06: an absent params is an empty one, a null result an empty object."""
    scene.agent.send({"jsonrpc": "2.0", "id": 77, "method": "no/such"})
    assert scene.answer_to(77)["error"]["code"] == -32601
    closing = asyncio.create_task(scene.session.close())
    await settle_down()
    scene.agent.respond(scene.written("session/close")[0]["id"], None)
    await within(closing)


async def test_a_flood_of_unknown_notifications_is_one_warning(scene: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """FC-09: one line per method and connection."""
    with caplog.at_level(logging.WARNING):
        for _ in range(1000):
            scene.agent.notify("craft/what", {})
    assert len(caplog.records) == 1


async def test_extensions_pass_in_both_directions(version: int) -> None:
    """V2-EXT-02, V2-EXT-08, V2-EXT-03: underscore methods reach the host and the agent without registration."""

    class Extended(Host):
        notes: list[Any] = []  # noqa: RUF012  # one test, one host

        async def extension_request(self, method: str, params: Any) -> Any:
            return {"method": method, **params}

        def extension_notification(self, method: str, params: Any) -> None:
            self.notes.append((method, params))

    host = Extended()
    async with stage(version, host) as scene:
        request_id = scene.request("_vendor/ask", {"n": 1})
        scene.agent.notify("_vendor/note", {"n": 2})
        await settle_down()
        assert scene.answer_to(request_id)["result"] == {"method": "_vendor/ask", "n": 1}
        assert host.notes == [("_vendor/note", {"n": 2})]
        task, wire_id = await call(scene, "_vendor/do")
        scene.agent.respond(wire_id, {"deep": [1, None]})
        assert await within(task) == {"deep": [1, None]}


async def test_null_ids_leave_other_requests_alone(scene1: Stage) -> None:
    """V1-RPC-02: two requests under null are two requests."""
    for _ in range(2):
        scene1.agent.send({"jsonrpc": "2.0", "id": None, "method": "no/such", "params": {}})
    assert [m["error"]["code"] for m in scene1.agent.written[-2:]] == [-32601, -32601]
