"""Prompts and turns: what is sent, when a turn ends, what belongs to it."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import Any

import pytest

from acp_client.client import Client
from acp_client.errors import AgentError, ConnectionLost, InvalidResponse, NotSupported, SessionBusy, UsageError
from acp_client.state.content import Audio, Image, Resource, ResourceLink, Text, UnknownContent
from acp_client.state.events import Event
from tests.kit import Stage, settle_down, stage, within


async def test_content_blocks_have_the_wire_form_of_the_protocol(scene: Stage) -> None:
    """V2-PRM-02, V2-PRM-03, V1-PRM-04: what the agent offers to take is sent as it is."""
    blocks: list[Any] = [
        "look",
        Text(text="more"),
        Image.from_bytes(b"png", "image/png"),
        Audio(data="AA==", mime_type="audio/wav"),
        ResourceLink.from_path("/project/a b.py"),
        Resource.from_text("file:///project/a.py", "print()", "text/x-python"),
        UnknownContent(type="_x", raw={"type": "_x", "v": 1}),
    ]
    scene.session.prompt(blocks)
    prompt = scene.written("session/prompt")[0]["params"]["prompt"]
    assert prompt[0] == {"type": "text", "text": "look"}
    assert prompt[2] == {"type": "image", "data": "cG5n", "mimeType": "image/png"}
    assert prompt[4]["uri"] == "file:///project/a%20b.py"
    assert prompt[5]["resource"]["text"] == "print()"
    assert prompt[6] == {"type": "_x", "v": 1}


@pytest.mark.parametrize(
    "block",
    [Image.from_bytes(b"x", "image/png"), Audio(data="", mime_type="audio/wav"), Resource.from_text("u:x", "t")],
)
async def test_content_the_agent_does_not_take_is_refused_here(version: int, block: Any) -> None:
    """V2-PRM-02, V1-PRM-04: a clear error, nothing is written."""
    capabilities: dict[str, Any] = {} if version == 1 else {"session": {}}
    async with stage(version, agent={"capabilities": capabilities}) as scene:
        with pytest.raises(NotSupported):
            scene.session.prompt(["see", block])
        scene.session.prompt(["see", ResourceLink(name="a", uri="file:///a")])
        assert len(scene.written("session/prompt")) == 1


@pytest.mark.parametrize("prompt", ["", [], [""], ()])
async def test_an_empty_prompt_is_refused_here(scene: Stage, prompt: Any) -> None:
    """V2-PRM-01."""
    with pytest.raises(UsageError, match="empty"):
        scene.session.prompt(prompt)
    assert scene.written("session/prompt") == []


async def test_a_command_is_an_ordinary_prompt(scene: Stage) -> None:
    """V2-CMD-02, V2-CMD-03, V1-CMD-01: the text says `/name`."""
    scene.session.prompt("/test unit", meta={"k": 1})
    params = scene.written("session/prompt")[0]["params"]
    assert params["prompt"] == [{"type": "text", "text": "/test unit"}]
    assert params["_meta"] == {"k": 1}


@pytest.mark.parametrize("result", [{}, {"messageId": None}, {"messageId": 5}, None, []])
async def test_version_2_needs_the_inserted_message_in_the_answer(scene2: Stage, result: Any) -> None:
    """V2-PRM-04, V2-PRM-05."""
    turn = scene2.session.prompt("go")
    scene2.agent.respond(scene2.prompt_id(), result)
    with pytest.raises(InvalidResponse):
        await within(turn)


@pytest.mark.parametrize("result", [{}, {"stopReason": None}, {"stopReason": "_new"}, None])
async def test_version_1_needs_a_known_stop_reason(scene1: Stage, result: Any) -> None:
    """V1-PRM-02: closed; missing and unknown are invalid."""
    turn = scene1.session.prompt("go")
    scene1.agent.respond(scene1.prompt_id(), result)
    with pytest.raises(InvalidResponse):
        await within(turn)


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "max_turn_requests", "refusal"])
async def test_stop_reasons_arrive_as_they_are(scene: Stage, reason: str) -> None:
    """V1-PRM-02, V1-PRM-03, V1-PRM-06, V1-PRM-08: a refusal is shown; unstable usage in the answer does no harm."""
    turn = scene.begin()
    scene.chunk("text")
    if scene.version == 1:
        usage = {"totalTokens": 1, "inputTokens": 1, "outputTokens": 0}
        scene.agent.respond(scene.prompt_id(), {"stopReason": reason, "usage": usage})
    else:
        scene.idle(reason)
    result = await within(turn)
    assert (result.stop_reason, result.text) == (reason, "text")
    assert result.raw["stopReason"] == reason
    assert ("usage" in result.raw) is (scene.version == 1)


async def test_what_stands_beside_an_update_arrives(scene: Stage) -> None:
    """Ours: `_meta` and unknown members of the notification and of a turn's end survive."""
    events: list[Event] = []
    scene.session.on_update(events.append)
    turn = scene.begin()
    events.clear()
    content = {"type": "text", "text": "x"}
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "a1", "content": content, "_meta": {"inner": 1}}
    params = {"sessionId": scene.session.id, "update": update}
    scene.agent.notify("session/update", params)
    scene.agent.notify("session/update", {**params, "_meta": {"outer": 2}, "traceId": "t"})
    assert [event.meta for event in events] == [{"inner": 1}, {"outer": 2}]
    assert [event.extra for event in events] == [None, {"_meta": {"outer": 2}, "traceId": "t"}]
    if scene.version == 1:
        scene.agent.respond(scene.prompt_id(), {"stopReason": "end_turn", "_meta": {"end": 3}})
    else:
        scene.idle(_meta={"end": 3})
    assert (await within(turn)).meta == {"end": 3}
    refused = scene.session.prompt("again")
    scene.agent.fail(scene.prompt_id(), -32603, "no")
    with pytest.raises(AgentError):
        await within(refused)
    assert refused._work.result is not None
    assert refused._work.result.raw == {}


async def test_the_answer_of_version_2_is_not_the_end(scene2: Stage) -> None:
    """V2-PRM-09, V2-PRM-12, V2-STA-08: neither the answer nor running before it; an idle after work is."""
    turn = scene2.session.prompt("go")
    scene2.running()
    scene2.agent.respond(scene2.prompt_id(), {"messageId": "m1"})
    await settle_down()
    assert not turn.done
    assert scene2.session.state == "running"
    scene2.idle()
    assert (await within(turn)).message_id == "m1"


async def test_an_error_answer_means_not_inserted(scene2: Stage) -> None:
    """V2-PRM-10, UX-03: raised with its data; an idle with an error may come as well."""
    turn = scene2.session.prompt("go")
    scene2.agent.fail(scene2.prompt_id(), -32603, "Internal error", data={"details": "No session found"})
    scene2.idle("error")
    with pytest.raises(AgentError, match="No session found") as caught:
        await within(turn)
    assert caught.value.data == {"details": "No session found"}


async def test_the_agents_echo_is_the_user_message(scene: Stage) -> None:
    """V2-PRM-11, V2-PRM-06: shown once, whether the agent echoes it or not."""
    scene.session.prompt("go")
    if scene.version == 2:
        assert scene.session.snapshot.messages == ()
        scene.update("user_message", messageId="m1", content=[{"type": "text", "text": "go"}])
    assert [(m.role, m.text) for m in scene.session.snapshot.messages] == [("user", "go")]


async def test_prompts_may_overlap_and_are_held_by_the_agent(scene2: Stage) -> None:
    """V2-PRM-07, V2-PRM-08: inserted when the first has ended; its text is what was said since it was sent."""
    first = scene2.begin()
    second = scene2.session.prompt("two", busy="overlap")
    second_id = scene2.prompt_id()
    scene2.chunk("one")
    scene2.idle()
    assert (await within(first)).text == "one"
    assert not second.done
    scene2.agent.respond(second_id, {"messageId": "m2"})
    scene2.running()
    scene2.chunk("two", "a2")
    scene2.idle("refusal")
    result = await within(second)
    assert (result.stop_reason, result.text) == ("refusal", "onetwo")


async def test_both_overlapping_prompts_end_with_the_idle_when_both_were_inserted(scene2: Stage) -> None:
    """V2-PRM-08, V2-PRM-12: inserted into the running work, the idle is the end of both."""
    first = scene2.begin()
    second = scene2.session.prompt("two", busy="overlap")
    scene2.agent.respond(scene2.prompt_id(), {"messageId": "m2"})
    scene2.running()
    scene2.idle()
    assert (await within(first)).stop_reason == (await within(second)).stop_reason == "end_turn"


async def test_a_busy_session_refuses_by_default(scene: Stage) -> None:
    """CP-06, V1-PRM-05: locally, and the running turn is untouched."""
    turn = scene.begin()
    with pytest.raises(SessionBusy):
        scene.session.prompt("b")
    assert len(scene.written("session/prompt")) == 1
    scene.finish()
    assert (await within(turn)).stop_reason == "end_turn"


async def test_an_agents_refusal_of_a_second_prompt_is_the_same_error(scene1: Stage) -> None:
    """CP-06: with overlap, -32600 becomes `SessionBusy`, and the first turn goes on."""
    first = scene1.begin()
    first_id = scene1.prompt_id()
    second = scene1.session.prompt("b", busy="overlap")
    scene1.agent.fail(scene1.prompt_id(), -32600, "in progress")
    with pytest.raises(SessionBusy, match="in progress"):
        await within(second)
    scene1.agent.respond(first_id, {"stopReason": "end_turn"})
    assert (await within(first)).stop_reason == "end_turn"


async def test_queued_prompts_leave_in_order_one_at_a_time(scene: Stage) -> None:
    """Ours: `queue` holds them here; each gets its own text."""
    turns = [scene.begin("0"), *(scene.session.prompt(str(n), busy="queue") for n in (1, 2))]
    for number, turn in enumerate(turns):
        assert len(scene.written("session/prompt")) == number + 1
        if number and scene.version == 2:
            scene.agent.respond(scene.prompt_id(), {"messageId": f"m{number}"})
            scene.running()
        scene.chunk(f"answer {number}", f"a{number}")
        scene.finish()
        assert (await within(turn)).text == f"answer {number}"


async def test_cancel_then_send_waits_for_the_end_of_the_old_turn(scene: Stage) -> None:
    """Ours: `cancel` cancels, waits bounded, then sends."""
    old = scene.begin()
    new = scene.session.prompt("b", busy="cancel")
    assert len(scene.written("session/cancel")) == 1
    assert new.held
    scene.finish("cancelled")
    assert (await within(old)).cancel == "confirmed"
    assert len(scene.written("session/prompt")) == 2
    if scene.version == 2:
        scene.agent.respond(scene.prompt_id(), {"messageId": "m2"})
        scene.running()
    scene.finish()
    assert (await within(new)).cancel is None


async def test_leaving_an_iteration_leaks_nothing_into_the_next_turn(scene: Stage) -> None:
    """Ours: `break` neither cancels nor waits; the next turn's events are its own."""
    turn = scene.begin()
    scene.chunk("old")
    async for event in turn:
        if event.type == "text":
            break
    assert scene.written("session/cancel") == []
    scene.finish()
    await within(turn)
    scene.chunk("EM", "late")
    again = scene.begin("again")
    scene.chunk("X", "a2")
    scene.finish()
    texts = [event.text async for event in again if event.type == "text"]  # type: ignore[attr-defined]  # a text event
    assert texts == ["X"]
    assert (await within(again)).text == "X"


@pytest.mark.parametrize("busy", ["queue", "cancel"])
async def test_a_turn_that_is_held_shows_nothing_of_the_one_before(scene: Stage, busy: Any) -> None:
    """H5: its events begin when its prompt is sent, for every iteration of it."""
    first = scene.begin()
    scene.chunk("old")
    second = scene.session.prompt("again", busy=busy)
    assert second.held
    iterations = [aiter(second), aiter(second)]
    scene.chunk("late", "a1")
    scene.finish("cancelled" if busy == "cancel" else "end_turn")
    await within(first)
    assert not second.held
    if scene.version == 2:
        scene.agent.respond(scene.prompt_id(), {"messageId": "u2"})
    scene.running()
    scene.chunk("new", "a2")
    scene.finish()
    for iteration in iterations:
        assert [event.text async for event in iteration if event.type == "text"] == ["new"]
    assert (await within(second)).text == "new"


async def test_leaving_a_block_while_the_turn_is_held_drops_it(scene: Stage) -> None:
    """H5: nothing was sent, nothing is; the turn before goes on."""
    first = scene.begin()
    async with scene.session.prompt("again", busy="queue") as second:
        pass
    assert second.done
    assert len(scene.written("session/prompt")) == 1
    assert [event async for event in second] == []
    scene.finish()
    assert (await within(first)).stop_reason == "end_turn"


async def test_iterating_late_begins_with_the_whole_picture(scene: Stage) -> None:
    """Ours: who awaited first and iterates then gets a gap with the snapshot, not a part of the story."""
    turn = scene.begin()
    scene.chunk("text")
    scene.finish()
    await within(turn)
    (gap,) = [event async for event in turn]
    assert gap.type == "gap"
    assert gap.snapshot.messages[-1].text == "text"  # type: ignore[attr-defined]  # a gap has one


async def test_work_the_agent_begins_by_itself_is_no_turn_of_ours(scene2: Stage) -> None:
    """Ours, V2-STA-07: shown in the state; a prompt sent meanwhile ends with its own work."""
    scene2.running()
    turn = scene2.session.prompt("go")
    scene2.idle()
    assert not turn.done
    scene2.agent.respond(scene2.prompt_id(), {"messageId": "m1"})
    scene2.running()
    scene2.idle("max_tokens")
    assert (await within(turn)).stop_reason == "max_tokens"


async def test_an_idle_timeout_watches_its_own_session_only(scene: Stage) -> None:
    """UX-02: other traffic does not re-arm it, questions stop it, expiry cancels and keeps the connection."""
    now = [0.0]
    scene.client._now = lambda: now[0]  # type: ignore[method-assign]  # time that passes when the test says so
    scene.client._later = scene.clock.later  # type: ignore[method-assign]  # the same
    scene.begin(idle_timeout=10)
    scene.session._work.last_activity = 0.0

    def pass_time(seconds: float) -> None:
        now[0] += seconds
        scene.clock.advance(seconds)

    scene.ask()
    pass_time(30)
    assert scene.written("session/cancel") == []
    scene.questions[0].select("yes")
    pass_time(20)
    assert len(scene.written("session/cancel")) == 1
    assert not scene.client.closed


async def test_a_turn_without_anything_says_so(scene: Stage) -> None:
    """UX-07: what some agents make of a failure behind them."""
    turn = scene.session.prompt("go")
    if scene.version == 1:
        scene.finish()
        assert (await within(turn)).empty
    else:
        scene.agent.respond(scene.prompt_id(), {"messageId": "m"})
        scene.running()
        scene.idle()
        assert (await within(turn)).text == ""


async def test_open_tool_calls_are_listed_at_the_end(scene: Stage) -> None:
    """SO-20."""
    turn = scene.begin()
    scene.tool_call("t1")
    scene.tool_call("t2", "completed")
    scene.finish()
    assert (await within(turn)).open_tool_calls == ("t1",)


async def test_activity_is_visible(scene: Stage) -> None:
    """UX-06: per session and for the connection."""
    scene.session._work.last_activity = 0.0
    scene.chunk("x")
    assert scene.session.last_activity > 0.0
    assert scene.client.last_activity == scene.session.last_activity


async def test_a_lost_connection_fails_the_turn_and_nothing_is_sent_again(scene: Stage) -> None:
    """WS-09: at once, with the cause; the session shows it."""
    turn = scene.begin()
    scene.agent.close(ConnectionLost("server closed the connection", close_code=1012, close_reason="restart"))
    with pytest.raises(ConnectionLost) as caught:
        await within(turn)
    assert caught.value.close_code == 1012
    assert not scene.session.snapshot.connected
    assert scene.session.snapshot.gap
    with pytest.raises(ConnectionLost):
        scene.session.prompt("more")


async def test_a_callback_may_call_back_into_the_client(scene: Stage) -> None:
    """HE-04: the reading does not wait for it."""
    done = asyncio.Event()

    async def callback(event: Any) -> None:
        if event.type == "text":
            await scene.client.request("_x/mode", {})
            done.set()

    scene.session.on_update(callback)
    scene.chunk("go")
    message = await scene.agent.next("_x/mode")
    scene.agent.respond(message["id"], {})
    await within(done.wait())


async def test_failing_callbacks_harm_nobody(scene: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """HE-09: logged each time, the rest is delivered, to them and to others."""
    seen: list[str] = []

    def failing(event: Any) -> None:
        if event.text == "0":
            raise ValueError("bug")
        if event.text == "1":
            raise asyncio.CancelledError

    scene.session.on_update(failing)
    scene.session.on_update(lambda event: seen.append(str(getattr(event, "text", ""))))
    for number in range(5):
        scene.chunk(str(number))
    assert seen == ["0", "1", "2", "3", "4"]
    assert len(caplog.records) == 2


async def test_results_and_errors_travel(scene: Stage) -> None:
    """Ours: pickled and copied, a turn's result is the same."""
    turn = scene.begin()
    scene.session.cancel()
    scene.agent.fail(scene.prompt_id(), -32800, "cancelled", data={"a": 1}) if scene.version == 1 else scene.idle(
        "cancelled"
    )
    result = await within(turn)
    twin = pickle.loads(pickle.dumps(result))
    assert (twin.stop_reason, twin.cancel) == (result.stop_reason, result.cancel)
    assert copy.copy(result) == result
    if scene.version == 1:
        assert twin.error.data == {"a": 1}


async def test_sessions_can_be_closed_by_another_task_in_another_order(version: int) -> None:
    """HE-03: no scope is tied to the task that opened it."""
    from acp_client.testing import ScriptedAgent

    clients = [await Client.connect(ScriptedAgent(protocol=version).transport) for _ in range(2)]
    for client in clients:
        await asyncio.create_task(client.aclose())
        await client.aclose()
        assert client.closed
