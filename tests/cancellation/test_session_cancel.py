"""`session/cancel` and the questions that are open, or arrive, while it is under way."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from acp_client.policy.permissions import allow_all
from acp_client.policy.questions import PendingPermission
from acp_client.rpc.inbound import EndedBy
from tests.kit import CANCELLED, SELECTED, Desk, Stage, settle_down, stage, within


async def test_cancel_answers_every_open_permission_right_behind_itself_in_one_write(scene: Stage) -> None:
    """CAN-22, CAN-24, CAN-25, CAN-27, CAN-35, CP-01: at once, as results, nothing in between."""
    scene.begin()
    first, second = scene.ask("t1"), scene.ask("t2")
    before = len(scene.agent.written)

    scene.session.cancel()

    cancel, one, two = scene.agent.written[before:]
    assert cancel == {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": scene.session.id}}
    assert one == {"jsonrpc": "2.0", "id": first, "result": CANCELLED}
    assert two == {"jsonrpc": "2.0", "id": second, "result": CANCELLED}
    assert scene.agent.writes[-1] == [cancel, one, two]


async def test_questions_of_background_work_are_answered_too(scene2: Stage) -> None:
    """CAN-23: the duty has no exception; what arrives later is another matter (CAN-92)."""
    scene2.begin()
    scene2.running(background=[{"type": "tool_call", "toolCallId": "t9"}])
    request_id = scene2.ask("t9")
    scene2.session.cancel()
    assert scene2.answer_to(request_id)["result"] == CANCELLED


async def test_other_sessions_on_the_connection_are_not_touched(scene: Stage) -> None:
    """CAN-26, CP-02: their questions stay open and their answers go through."""
    other = await scene.client.new_session("/other")
    scene.begin()
    doomed, untouched = scene.ask("t1"), scene.ask("t1", session=other)
    scene.session.cancel()
    assert scene.answer_to(doomed)["result"] == CANCELLED
    assert scene.answers_to(untouched) == []
    other.pending[0].select("yes")  # type: ignore[attr-defined]  # the test asked for a permission
    assert scene.answer_to(untouched)["result"] == SELECTED


async def test_a_choice_after_the_cancel_is_discarded(scene: Stage) -> None:
    """CAN-28, race 1: the click loses, is told so, and nothing more is written."""
    scene.begin()
    request_id = scene.ask()
    question = scene.questions[0]
    scene.session.cancel()
    assert not question.select("yes")
    assert not question.deny()
    assert question.ended_by is EndedBy.SESSION_CANCEL
    assert scene.answer_to(request_id)["result"] == CANCELLED


async def test_a_choice_before_the_cancel_stands(scene: Stage) -> None:
    """Race 1: an answer already on the wire is not answered a second time."""
    scene.begin()
    request_id = scene.ask()
    assert scene.questions[0].select("yes")
    scene.session.cancel()
    assert scene.answer_to(request_id)["result"] == SELECTED


async def test_a_cancel_request_for_what_the_cancel_answered_is_ignored(scene: Stage) -> None:
    """CAN-29: agents send it all the same."""
    scene.begin()
    request_id = scene.ask()
    scene.session.cancel()
    before = len(scene.agent.written)
    scene.cancel_request(request_id)
    assert len(scene.agent.written) == before


async def test_a_permission_that_crossed_the_cancel_is_answered_without_asking(scene: Stage) -> None:
    """CAN-30, race 2: no dialog, outcome cancelled."""
    scene.begin()
    scene.session.cancel()
    request_id = scene.ask("t7")
    assert scene.answer_to(request_id)["result"] == CANCELLED
    await settle_down()
    assert isinstance(scene.host, Desk)
    assert scene.host.asked == []


async def test_no_policy_allows_anything_inside_the_window(version: int) -> None:
    """CAN-31: an allow-everything policy does not run for cancelled work."""
    async with stage(version, permissions=allow_all) as scene:
        scene.begin()
        assert scene.answer_to(scene.ask("t1"))["result"] == SELECTED
        scene.session.cancel()
        assert scene.answer_to(scene.ask("t2"))["result"] == CANCELLED


async def test_the_window_closes_with_the_turn(scene: Stage) -> None:
    """CAN-32: afterwards questions are shown again."""
    turn = scene.begin()
    scene.session.cancel()
    scene.finish("cancelled")
    await within(turn)
    request_id = scene.ask("t8")
    assert scene.answers_to(request_id) == []
    assert len(scene.questions) == 1


async def test_cancelling_an_idle_session_opens_no_window(scene: Stage) -> None:
    """CAN-32, CAN-34, CAN-42: the handle is done at once and the next question is shown."""
    handle = scene.session.cancel()
    assert await within(handle) == "finished_first"
    request_id = scene.ask("t1")
    assert scene.answers_to(request_id) == []


async def test_an_idle_version_1_session_writes_no_cancel(scene1: Stage) -> None:
    """Ours: without a prompt in flight there is nothing that could be cancelled, so questions stay open too."""
    request_id = scene1.ask()
    assert await within(scene1.session.cancel()) == "finished_first"
    assert "session/cancel" not in scene1.methods()
    assert scene1.answers_to(request_id) == []


async def test_a_prompt_behind_the_cancel_narrows_the_window_to_what_is_known_as_cancelled(scene2: Stage) -> None:
    """CAN-33, race 8: unknown tool calls go to the user, those of the cancelled work do not."""
    scene2.begin()
    scene2.tool_call("t1")
    scene2.session.cancel()
    scene2.session.prompt("next", busy="overlap")
    shown, doomed = scene2.ask("t5"), scene2.ask("t1")
    assert scene2.answers_to(shown) == []
    assert scene2.answer_to(doomed)["result"] == CANCELLED


async def test_unfinished_tool_calls_are_shown_as_cancelled_at_once(scene: Stage) -> None:
    """CAN-36, SO-20: provisional, and only what had not ended."""
    scene.begin()
    scene.tool_call("t1", "in_progress")
    scene.tool_call("t2", "completed")
    scene.session.cancel()
    assert scene.status("t1") == "cancelled"
    assert scene.status("t2") == "completed"


async def test_background_tool_calls_keep_their_status(scene2: Stage) -> None:
    """CAN-37: what the agent lists as background is not stopped by a cancel."""
    scene2.begin()
    scene2.tool_call("t1")
    scene2.tool_call("t9")
    scene2.running(background=[{"type": "tool_call", "toolCallId": "t9"}])
    scene2.session.cancel()
    assert scene2.status("t1") == "cancelled"
    assert scene2.status("t9") == "in_progress"


async def test_updates_after_the_cancel_correct_the_view(scene: Stage) -> None:
    """CAN-38, CAN-39: they are applied and they win over the local mark."""
    turn = scene.begin()
    scene.tool_call("t1")
    scene.session.cancel()
    scene.chunk("last words")
    scene.tool_update("t1", status="completed")
    assert scene.status("t1") == "completed"
    scene.finish("cancelled")
    assert (await within(turn)).text == "last words"


async def test_a_cancel_neither_closes_the_session_nor_fails_the_prompt(scene: Stage) -> None:
    """CAN-40: the turn stays open until the agent ends it."""
    turn = scene.begin()
    scene.session.cancel()
    await settle_down()
    assert not turn.done
    scene.finish("cancelled")
    result = await within(turn)
    assert (result.stop_reason, result.cancel) == ("cancelled", "confirmed")
    next_turn = scene.begin("again")
    scene.finish()
    assert (await within(next_turn)).stop_reason == "end_turn"


@pytest.mark.parametrize(
    "subject",
    [
        {"type": "tool_call", "toolCall": {"toolCallId": "t9"}},
        {"type": "command", "command": "ls", "cwd": "/project", "toolCallId": "t9"},
        {"type": "command", "command": "ls", "cwd": "/project", "terminalId": "x9"},
    ],
)
async def test_a_late_question_of_background_work_is_shown(scene2: Stage, subject: dict[str, Any]) -> None:
    """CAN-92: it does not belong to the cancelled work, whatever names it."""
    scene2.begin()
    background = [{"type": "tool_call", "toolCallId": "t9"}, {"type": "terminal", "terminalId": "x9"}]
    scene2.running(background=background)
    scene2.session.cancel()
    params = {**scene2.permission_params(None), "subject": subject}
    request_id = scene2.request("session/request_permission", params)
    assert scene2.answers_to(request_id) == []
    assert len(scene2.questions) == 1


async def test_two_stops_in_a_row_are_one_cancel(scene: Stage) -> None:
    """Race 7: idempotent; permissions are answered once and both handles end alike."""
    scene.begin()
    request_id = scene.ask()
    first, second = scene.session.cancel(), scene.session.cancel()
    assert len(scene.written("session/cancel")) == 1
    scene.answer_to(request_id)
    scene.finish("cancelled")
    assert await within(first) == await within(second) == "confirmed"


async def test_cancel_from_another_thread_decides_before_it_returns(scene: Stage) -> None:
    """Ours: a click that comes after Stop loses, in whichever thread either was made."""
    scene.begin()
    request_id = scene.ask()
    question = scene.questions[0]
    late: list[bool] = []

    def stop() -> None:
        scene.session.cancel()
        late.append(question.select("yes"))

    thread = threading.Thread(target=stop)
    thread.start()
    thread.join(5)
    assert late == [False]
    await settle_down()
    assert scene.answer_to(request_id)["result"] == CANCELLED
    assert scene.methods().index("session/cancel") < len(scene.methods()) - 1


async def test_a_choice_in_another_thread_before_the_cancel_is_written_first(scene: Stage) -> None:
    """Ours: what was decided first stands first on the wire."""
    scene.begin()
    request_id = scene.ask()
    question = scene.questions[0]
    thread = threading.Thread(target=question.select, args=("yes",))
    thread.start()
    thread.join(5)
    scene.session.cancel()
    assert scene.answer_to(request_id)["result"] == SELECTED
    order = [m.get("method") or m["id"] for m in scene.agent.written]
    assert order.index(request_id) < order.index("session/cancel")


async def test_only_one_of_many_threads_answers_a_question(scene: Stage) -> None:
    """Ours: three threads click at once; one wins, one answer is written."""
    request_id = scene.ask()
    question = scene.questions[0]
    barrier = threading.Barrier(3)
    won: list[bool] = []

    def click() -> None:
        barrier.wait()
        won.append(question.select("yes"))

    threads = [threading.Thread(target=click) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    await settle_down()
    assert sorted(won) == [False, False, True]
    assert scene.answer_to(request_id)["result"] == SELECTED


async def test_cancelling_the_awaiting_task_is_the_same_step_and_raises_at_once(scene: Stage) -> None:
    """CP-08, ours: nothing is awaited in the cancelled scope; the turn ends by itself in the background."""
    turn = scene.begin()
    request_id = scene.ask()
    waiting = asyncio.ensure_future(turn)
    await settle_down()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert scene.answer_to(request_id)["result"] == CANCELLED
    assert len(scene.written("session/cancel")) == 1
    assert scene.written("$/cancel_request") == []
    assert not turn.done
    scene.finish("cancelled")
    assert turn.result.cancel == "confirmed"


async def test_giving_up_a_viewers_wait_cancels_nothing(scene: Stage) -> None:
    """Ours: viewers are not owners."""
    turn = scene.begin()
    viewer = asyncio.ensure_future(turn.wait())
    await settle_down()
    viewer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await viewer
    assert scene.written("session/cancel") == []
    scene.finish()
    assert (await within(turn)).stop_reason == "end_turn"


async def test_leaving_the_block_early_cancels_and_waits(scene: Stage) -> None:
    """Ours: `async with` owns its turn."""
    scene_turn = scene.begin()

    async def leave() -> None:
        async with scene_turn:
            raise KeyError("left")

    leaving = asyncio.create_task(leave())
    await settle_down()
    assert len(scene.written("session/cancel")) == 1
    assert not leaving.done()
    scene.finish("cancelled")
    with pytest.raises(KeyError):
        await within(leaving)


async def test_stop_while_several_questions_are_open_leaves_the_session_usable(scene: Stage) -> None:
    """CP-01, CP-09: the next prompt works."""
    turn = scene.begin()
    for number in range(5):
        scene.ask(f"t{number}")
    scene.session.cancel()
    scene.finish("cancelled")
    assert (await within(turn)).cancel == "confirmed"
    assert scene.session.pending == ()
    again = scene.begin("again")
    scene.finish()
    assert (await within(again)).stop_reason == "end_turn"


async def test_floods_of_permissions_during_a_cancel_are_all_answered(scene: Stage) -> None:
    """Bad input: 2,000 requests inside the window; each gets its answer, nothing piles up."""
    scene.begin()
    scene.session.cancel()
    ids = [scene.ask(f"t{number % 7}") for number in range(2_000)]
    answered = [m["id"] for m in scene.agent.written if m.get("result") == CANCELLED]
    assert answered == ids
    assert len(scene.client._connection.peer.inbound) == 0


@pytest.mark.parametrize("elsewhere", [False, True], ids=["on the loop", "in another thread"])
async def test_cancelling_a_turn_that_has_ended_touches_nothing_of_the_next(scene: Stage, elsewhere: bool) -> None:
    """CAN-14, CAN-22: a late Stop for an old turn neither writes nor answers the question of the new one."""
    ended = scene.begin()
    scene.finish()
    await within(ended)
    running = scene.begin("next")
    request_id = scene.ask()
    (question,) = await scene.asked()
    assert isinstance(question, PendingPermission)
    before = len(scene.agent.written)
    if elsewhere:
        thread = threading.Thread(target=ended.cancel)
        thread.start()
        thread.join(5)
        await settle_down()
    else:
        ended.cancel()
    assert question.open
    assert len(scene.agent.written) == before
    assert question.select("yes")
    assert scene.answer_to(request_id)["result"]["outcome"]["optionId"] == "yes"
    assert not running.done
