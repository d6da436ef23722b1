"""`$/cancel_request` from the agent: what it names is answered once, everything else is silence."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from acp_client.host import Host, TerminalExit, uncancellable
from acp_client.policy.questions import PendingElicitation
from acp_client.rpc.inbound import EndedBy
from tests.kit import CANCELLED, SELECTED, Desk, Stage, settle_down, stage, within


class Worker(Desk):
    """A host whose file and terminal methods work until they are told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()
        self.ended: list[str] = []

    async def _work(self, what: str) -> None:
        try:
            await self.go_on.wait()
            self.ended.append(f"{what} finished")
        except asyncio.CancelledError:
            self.ended.append(f"{what} cancelled")
            raise

    async def read_text_file(self, request: Any) -> str:
        await self._work("read")
        return "text"

    @uncancellable
    async def write_text_file(self, request: Any) -> None:
        await self._work("write")

    async def create_terminal(self, request: Any) -> str:
        return "term-1"

    async def terminal_output(self, request: Any) -> Any:
        raise AssertionError("not used here")

    async def wait_for_terminal_exit(self, request: Any) -> TerminalExit:
        await self._work("wait")
        return TerminalExit(exit_code=0)

    async def kill_terminal(self, request: Any) -> None:
        return None

    async def release_terminal(self, request: Any) -> None:
        return None

    async def extension_request(self, method: str, params: Any) -> Any:
        await self._work("extension")
        return {"done": True}


FILE = {"sessionId": "s1", "path": "/project/a.txt"}
TERMINAL = {"sessionId": "s1", "terminalId": "term-1"}


async def test_a_cancelled_elicitation_is_answered_exactly_once(scene: Stage) -> None:
    """CAN-14, CAN-61: -32800, and never an acceptance, however late the form comes."""
    request_id = scene.elicit()
    (question,) = await scene.asked()
    scene.cancel_request(request_id)
    assert scene.answer_to(request_id)["error"]["code"] == -32800
    assert isinstance(question, PendingElicitation)
    assert not question.accept({"env": "prod"})
    assert question.ended_by is EndedBy.AGENT_CANCEL
    assert len(scene.answers_to(request_id)) == 1


@pytest.mark.parametrize("request_id", [999, "999", 3.5, None, True, [], {"a": 1}])
async def test_a_cancel_of_an_unknown_id_is_silence(scene: Stage, request_id: object) -> None:
    """CAN-15: nothing is written and the connection is up."""
    before = len(scene.agent.written)
    scene.cancel_request(request_id)
    assert len(scene.agent.written) == before
    assert scene.answer_to(scene.request("unknown/method", {}))["error"]["code"] == -32601


async def test_a_cancel_that_comes_after_the_answer_is_silence(scene: Stage) -> None:
    """CAN-15, CAN-16, race 6: an answered request gets no second answer."""
    request_id = scene.ask()
    scene.questions[0].select("yes")
    scene.cancel_request(request_id)
    assert scene.answer_to(request_id)["result"] == SELECTED


async def test_a_cancel_never_touches_requests_of_our_own(scene: Stage) -> None:
    """CAN-17, race 14, V2-RPC-04: the two directions have ids of their own, even when they are equal."""
    turn = scene.session.prompt("go")
    own = scene.prompt_id()
    scene.cancel_request(own)
    assert not turn.done
    request_id = scene.ask(request_id=own)
    scene.cancel_request(own)
    assert scene.answer_to(request_id)["result"] == CANCELLED
    assert not turn.done
    if scene.version == 2:
        scene.agent.respond(own, {"messageId": "m1"})
        scene.running()
    scene.finish(prompt_id=own)
    assert (await within(turn)).stop_reason == "end_turn"


async def test_a_cancel_is_served_while_the_handler_runs() -> None:
    """CAN-18, CAN-19, CP-07, V1: the handler and what it awaits are stopped, the answer does not wait for it."""
    host = Worker()
    async with stage(1, host) as scene:
        request_id = scene.request("fs/read_text_file", FILE)
        await settle_down()
        scene.cancel_request(request_id)
        assert scene.answer_to(request_id)["error"]["code"] == -32800
        await settle_down()
        assert host.ended == ["read cancelled"]


async def test_a_wait_for_a_terminal_ends_alone_and_the_terminal_stays() -> None:
    """CAN-89, CP-07: -32800 for the wait; other requests for the terminal go on."""
    host = Worker()
    async with stage(1, host) as scene:
        first = scene.request("terminal/wait_for_exit", TERMINAL)
        second = scene.request("terminal/wait_for_exit", TERMINAL)
        await settle_down()
        scene.cancel_request(first)
        scene.cancel_request(first)
        assert scene.answer_to(first)["error"]["code"] == -32800
        assert scene.answers_to(second) == []
        host.go_on.set()
        await settle_down()
        assert scene.answer_to(second)["result"] == {"exitCode": 0, "signal": None}


async def test_notifications_queued_before_the_cancel_are_written_before_the_answer(scene: Stage) -> None:
    """CAN-20: what the host said stands before the answer."""
    request_id = scene.elicit()
    scene.client.notify("_x/progress", {"n": 1})
    scene.cancel_request(request_id)
    kinds = [m.get("method") or m.get("id") for m in scene.agent.written][-2:]
    assert kinds == ["_x/progress", request_id]


async def test_a_handler_that_must_not_be_stopped_answers_normally() -> None:
    """CAN-21a: the cancel is ignored; the normal result is the only answer."""
    host = Worker()
    async with stage(1, host) as scene:
        request_id = scene.request("fs/write_text_file", {**FILE, "content": "x"})
        await settle_down()
        scene.cancel_request(request_id)
        assert scene.answers_to(request_id) == []
        host.go_on.set()
        await settle_down()
        assert scene.answer_to(request_id)["result"] == {}
        assert host.ended == ["write finished"]


async def test_a_cancelled_permission_gets_the_outcome_cancelled(scene: Stage) -> None:
    """CAN-21b, V2-PER-05: a result, not an error; the dialog is told why it is over."""
    request_id = scene.ask()
    question = scene.questions[0]
    scene.cancel_request(request_id)
    assert scene.answer_to(request_id)["result"] == CANCELLED
    assert question.ended_by is EndedBy.AGENT_CANCEL
    assert not question.select("yes")


async def test_cancelling_one_request_touches_nothing_else(scene: Stage) -> None:
    """CAN-21c, race 15: other requests stay open, no work is cancelled, the state is what it was."""
    scene.begin()
    state = scene.session.state
    first, second = scene.ask("t1"), scene.ask("t2")
    scene.cancel_request(first)
    assert scene.answers_to(second) == []
    assert "session/cancel" not in scene.methods()
    assert scene.session.state == state


@pytest.mark.parametrize("params", [{}, None, [], {"requestId": None}, {"requestId": {}}, {"request_id": 40}, "x", 5])
async def test_a_malformed_cancel_is_ignored(scene: Stage, params: object) -> None:
    """CAN-21d: nothing is written, whatever the params are."""
    request_id = scene.ask(request_id=40)
    before = len(scene.agent.written)
    scene.agent.send({"jsonrpc": "2.0", "method": "$/cancel_request", "params": params})
    assert len(scene.agent.written) == before
    scene.questions[0].select("yes")
    assert scene.answer_to(request_id)["result"] == SELECTED


async def test_other_dollar_methods_are_ignored_or_refused(scene: Stage) -> None:
    """CAN-21e: a notification gets silence, a request -32601."""
    before = len(scene.agent.written)
    scene.agent.notify("$/progress", {"n": 1})
    assert len(scene.agent.written) == before
    assert scene.answer_to(scene.request("$/progress", {}))["error"]["code"] == -32601
    assert scene.answer_to(scene.request("$/cancel_request", {"requestId": 1}))["error"]["code"] == -32601


async def test_an_answer_made_before_the_cancel_is_the_only_one(scene: Stage) -> None:
    """CAN-21f: the handler was done; what it said counts."""
    request_id = scene.elicit()
    (question,) = await scene.asked()
    assert isinstance(question, PendingElicitation)
    assert question.accept({"env": "dev"})
    scene.cancel_request(request_id)
    assert scene.answer_to(request_id)["result"] == {"action": "accept", "content": {"env": "dev"}}


async def test_a_request_cancelled_in_the_same_read_gets_one_answer(scene: Stage) -> None:
    """CAN-21g, race 15: perm 40, perm 41 and the cancel of 40 in one block; 41 is still open."""
    ask = {"jsonrpc": "2.0", "method": "session/request_permission"}
    scene.agent.send_batch(
        [
            {**ask, "id": 40, "params": scene.permission_params("t1")},
            {**ask, "id": 41, "params": scene.permission_params("t2")},
            {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 40}},
        ]
    )
    await settle_down()
    assert scene.answer_to(40)["result"] == CANCELLED
    assert scene.answers_to(41) == []


async def test_a_string_that_looks_like_a_number_is_another_id(scene: Stage) -> None:
    """V2-RPC-05, CAN-15: "40" does not cancel 40, and each answer has its own id's type."""
    number, text = scene.ask("t1", request_id=40), scene.ask("t2", request_id="40")
    scene.cancel_request("40")
    assert scene.answers_to(number) == []
    assert scene.answer_to(text)["id"] == "40"


@pytest.mark.parametrize(
    ("method", "params", "version"),
    [
        ("fs/read_text_file", FILE, 1),
        ("terminal/wait_for_exit", TERMINAL, 1),
        ("_vendor/work", {}, 1),
        ("_vendor/work", {}, 2),
    ],
)
async def test_every_other_kind_of_request_is_answered_32800(method: str, params: object, version: int) -> None:
    """CAN-14, CAN-83: the same shape whatever was asked, and the handler is stopped."""
    async with stage(version, Worker()) as scene:
        request_id = scene.request(method, params)
        await settle_down()
        scene.cancel_request(request_id)
        assert scene.answer_to(request_id)["error"]["code"] == -32800


async def test_a_cancel_of_a_short_request_that_was_answered_is_ignored() -> None:
    """CAN-15, V1: `terminal/create` has answered with its id, which the agent needs to release it."""
    async with stage(1, Worker()) as scene:
        request_id = scene.request("terminal/create", {"sessionId": "s1", "command": "ls"})
        await settle_down()
        scene.cancel_request(request_id)
        assert scene.answer_to(request_id)["result"] == {"terminalId": "term-1"}


async def test_floods_of_cancels_and_requests_cost_nothing_that_stays(scene: Stage) -> None:
    """Bad input: 10,000 unknown cancels and 1,000 asked and retracted: one answer each, nothing kept."""
    before = len(scene.agent.written)
    for number in range(10_000):
        scene.cancel_request(f"no-{number}")
    assert len(scene.agent.written) == before
    for number in range(1_000):
        scene.ask(f"t{number}", request_id=f"p{number}")
        scene.cancel_request(f"p{number}")
    assert len(scene.agent.written) == before + 1_000
    assert scene.session.pending == ()
    assert len(scene.client._connection.peer.inbound) == 0


async def test_a_cancel_that_overtakes_its_request_is_an_unknown_id() -> None:
    """CAN-90: over two streams the cancel may come first; the request then waits for a normal answer."""
    async with stage(2) as scene:
        scene.cancel_request(40)
        request_id = scene.ask(request_id=40)
        assert scene.answers_to(request_id) == []
        scene.questions[0].select("yes")
        assert scene.answer_to(request_id)["result"] == SELECTED


async def test_equal_ids_on_two_streams_are_two_requests(version: int) -> None:
    """CAN-90: ids, sessions and questions are those of one stream; cancel and answer never reach the other one."""
    async with stage(version) as one, stage(version) as other:
        assert one.session.id == other.session.id
        one.session.prompt("go")
        other.session.prompt("go")
        assert one.ask(request_id=40) == other.ask(request_id=40)
        one.cancel_request(40)
        assert one.answer_to(40)["result"] == CANCELLED
        assert other.answers_to(40) == []
        one.ask("t2", request_id=41)
        other.questions[0].select("yes")
        assert other.answer_to(40)["result"] == SELECTED
        one.session.cancel()
        assert one.answer_to(41)["result"] == CANCELLED
        assert len(one.answers_to(40)) == 1
        assert other.written("session/cancel") == []
        other.ask("t2", request_id=41)
        one.agent.close()
        other.questions[0].select("yes")
        assert other.answer_to(41)["result"] == SELECTED


async def test_a_duplicate_id_does_not_get_the_answer_of_the_first(scene: Stage) -> None:
    """Bad input: an id that is still in use is refused under no id; the first is answered once."""
    request_id = scene.ask(request_id=40)
    scene.ask("t2", request_id=40)
    assert scene.agent.written[-1]["id"] is None
    assert scene.agent.written[-1]["error"]["code"] == -32600
    scene.questions[0].select("yes")
    assert scene.answer_to(request_id)["result"] == SELECTED


async def test_an_id_may_be_used_again_once_it_was_answered(scene: Stage) -> None:
    """Race 13: nothing is remembered that would hit the new request."""
    scene.ask(request_id=40)
    scene.questions[0].select("yes")
    scene.ask("t2", request_id=40)
    scene.cancel_request(40)
    first, second = scene.answers_to(40)
    assert first["result"] == SELECTED
    assert second["result"] == CANCELLED


async def test_a_host_without_handlers_answers_at_once(version: int) -> None:
    """FC-03, FC-05: what nobody serves is refused, not left unanswered."""
    async with stage(version, Host()) as scene:
        for method in ("fs/read_text_file", "terminal/create", "cursor/create_plan", "_vendor/work"):
            assert scene.answer_to(scene.request(method, {"sessionId": "s1"}))["error"]["code"] == -32601
