"""Running turns from a thread: waiting, iterating, leaving, interrupting."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from acp_client.blocking import Session
from acp_client.errors import AgentError, ConnectionLost, SessionBusy, UsageError
from acp_client.policy.session_work import Busy
from acp_client.state.events import TextAppended
from tests.blocking.kit import CANCELLED, BlockingStage, InThread, interrupt_main
from tests.kit import Stage


async def answer(play: BlockingStage, *texts: str) -> None:
    """The agent answers the next prompt."""
    prompt = await play.agent.next_prompt()
    for text in texts:
        play.agent.chunk(play.session.id, text)
    play.agent.finish(prompt["id"], play.session.id)


async def answer_cancel(play: BlockingStage) -> None:
    """The agent stops when it is told to."""
    await play.agent.next("session/cancel")
    play.agent.finish(play.written("session/prompt")[-1]["id"], play.session.id, "cancelled")


async def somebody_waits(play: BlockingStage) -> None:
    """Return when a thread is blocked in a call of the client."""
    while not play.client._desk._waiters:  # nothing tells of it
        await asyncio.sleep(0)


def test_ask_returns_the_result(play: BlockingStage) -> None:
    """Ours: one call for a whole turn."""
    play.later(answer(play, "for", "ty-two"))
    result = play.session.ask("What is the answer?")
    assert (result.text, result.stop_reason) == ("forty-two", "end_turn")
    assert play.written("session/prompt")[0]["params"]["prompt"][0]["text"] == "What is the answer?"


def test_ask_shows_events_on_the_calling_thread(play: BlockingStage) -> None:
    """Ours: a script prints while it waits."""
    play.later(answer(play, "for", "ty-two"))
    seen: list[tuple[str, int]] = []

    def show(event: Any) -> None:
        if isinstance(event, TextAppended) and event.role == "agent":
            seen.append((event.text, threading.get_ident()))

    play.session.ask("?", on_event=show)
    assert "".join(text for text, _ in seen) == "forty-two"
    assert {ident for _, ident in seen} == {threading.get_ident()}


def interrupted_at(number: int, call: Callable[[], Any], enough: Callable[[], bool]) -> bool:
    """Run a call and interrupt it where the blocking façade enters its `number`-th function, as a signal would.

    Returns False when it was `enough` by then, that is when it was blocked.
    """
    entered, satisfied = 0, False

    def trace(frame: FrameType, event: str, arg: object) -> None:
        nonlocal entered, satisfied
        caller = frame.f_back.f_code.co_filename if frame.f_back is not None else ""
        if "acp_client/blocking/" not in frame.f_code.co_filename + caller:
            return
        entered += 1
        satisfied = satisfied or (frame.f_code.co_name == "_do_next" and enough())
        if entered == number:
            sys.settrace(None)
            raise KeyboardInterrupt

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return not satisfied
    finally:
        sys.settrace(before)
    raise AssertionError("it returned by itself")


# An interrupt between making a coroutine and handing it in leaves one that never began: no more than a warning.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <coroutine:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_an_interrupt_at_any_call_leaves_no_turn_behind(play: BlockingStage) -> None:
    """HE-07: also between the prompt and the wait for its end, where no `try` of the caller could be yet."""

    async def stop_when_told() -> None:
        while True:
            await play.agent.next("session/cancel")
            play.agent.finish(play.written("session/prompt")[-1]["id"], play.session.id, "cancelled")

    def waits() -> bool:
        return any(waiter.session_id for waiter in play.client._desk._waiters)

    play.later(stop_when_told())
    number = 1
    while interrupted_at(number, lambda: play.session.ask("go"), waits):
        assert not play.do(lambda: play.session._session._work.is_busy), f"busy after an interrupt at call {number}"
        assert play.client._desk._waiters == [], f"a question would be given to nobody after call {number}"
        number += 1
    assert len(play.written("session/prompt")) > 3, "some came after the prompt was sent"


def test_ask_cancels_the_turn_when_its_callback_fails(play: BlockingStage) -> None:
    """Ours: whoever leaves early leaves nothing running."""

    async def agent() -> None:
        await play.agent.next_prompt()
        play.agent.chunk(play.session.id, "x")
        await play.agent.next("session/cancel")
        play.agent.finish(play.written("session/prompt")[0]["id"], play.session.id, "cancelled")

    play.later(agent())

    def fail(event: Any) -> None:
        raise KeyError("broken")

    with pytest.raises(KeyError):
        play.session.ask("?", on_event=fail)
    assert len(play.written("session/cancel")) == 1
    assert play.session.prompt("again").done is False


def test_the_errors_of_a_turn_reach_the_thread_that_waits(play: BlockingStage) -> None:
    """Ours: the same errors as in the asyncio façade."""
    turn = play.session.prompt("x")
    with pytest.raises(SessionBusy):
        play.session.prompt("y")
    with pytest.raises(UsageError):
        play.session.prompt("")
    with pytest.raises(UsageError):
        _ = turn.result
    play.do(lambda: play.agent.fail(play.written("session/prompt")[0]["id"], -32603, "no"))
    with pytest.raises(AgentError):
        turn.wait()


def test_a_lost_connection_ends_every_wait(play: BlockingStage) -> None:
    """Ours: nobody waits for an agent that is gone."""
    turn = play.begin()
    events = play.session.events()
    first, second = InThread(turn.wait), InThread(lambda: list(events))
    play.do(lambda: play.agent.close(ConnectionLost("gone")))
    with pytest.raises(ConnectionLost):
        first.result()
    second.result()
    assert isinstance(play.client.wait_closed(), ConnectionLost)


def test_waiting_with_a_timeout_leaves_the_turn_alone(play: BlockingStage) -> None:
    """Ours: a bounded look is not a cancel."""
    turn = play.begin()
    with pytest.raises(TimeoutError):
        turn.wait(timeout=0.01)
    assert not turn.done
    assert play.written("session/cancel") == []
    play.finish()
    assert turn.wait(timeout=5).stop_reason == "end_turn"
    assert turn.result == turn.wait()


def test_accepted_tells_the_message_id(play2: BlockingStage) -> None:
    """Ours: version 2 answers a prompt when it has taken it."""
    turn = play2.begin()
    assert turn.accepted() == turn.message_id
    assert turn.message_id is not None
    assert turn.withdraw() is False


def test_a_turn_is_iterated_event_by_event(play: BlockingStage) -> None:
    """Ours: the same events as in the asyncio façade, the end included."""
    play.later(answer(play, "a", "b"))
    with play.session.stream("x") as turn:
        types = [event.type for event in turn]
    assert "text" in types
    assert types[-1] == "turn_ended"
    assert turn.result.text == "ab"


def test_leaving_the_block_early_cancels_and_waits_for_the_end(play: BlockingStage) -> None:
    """Ours: as `async with` does."""

    async def agent() -> None:
        prompt = await play.agent.next_prompt()
        play.agent.chunk(play.session.id, "a")
        await play.agent.next("session/cancel")
        play.agent.finish(prompt["id"], play.session.id, "cancelled")

    play.later(agent())
    with play.session.stream("x") as turn:
        for event in turn:
            if event.type == "text":
                break
    assert turn.done
    assert turn.result.cancel == "confirmed"


def test_cancel_works_from_any_thread_and_tells_how_it_ended(play: BlockingStage) -> None:
    """Ours: a Stop button in one thread, a waiting script in another."""
    turn = play.begin()
    request_id = play.ask_permission()
    waiting = InThread(turn.wait)
    handle = InThread(lambda: turn.cancel()).result()
    assert play.answer_to(request_id) == CANCELLED
    play.finish("cancelled")
    assert handle.wait() == "confirmed"
    assert handle.outcome == "confirmed"
    assert waiting.result().stop_reason == "cancelled"
    assert play.session.cancel().wait() in ("finished_first", "confirmed")


def test_ctrl_c_cancels_the_turn_once_waits_for_its_end_and_goes_through(play: BlockingStage) -> None:
    """HE-07, hosts F: the agent stops before the program goes on, and the session stays usable."""

    async def agent() -> None:
        prompt = await play.agent.next_prompt()
        interrupt_main()
        await play.agent.next("session/cancel")
        play.agent.finish(prompt["id"], play.session.id, "cancelled")

    play.later(agent())
    with pytest.raises(KeyboardInterrupt):
        play.session.ask("x")
    assert len(play.written("session/cancel")) == 1
    assert play.session.state == "idle"
    play.later(answer(play, "fine"))
    assert play.session.ask("next").text == "fine"


def test_a_second_ctrl_c_goes_through_at_once(play: BlockingStage) -> None:
    """Ours: an agent that does not stop keeps nobody."""

    async def agent() -> None:
        await somebody_waits(play)
        interrupt_main()
        await play.agent.next("session/cancel")
        await somebody_waits(play)
        interrupt_main()

    turn = play.session.prompt("x", grace=None)
    play.later(agent())
    with pytest.raises(KeyboardInterrupt):
        turn.wait()
    assert not turn.done
    assert len(play.written("session/cancel")) == 1


def test_ctrl_c_while_a_prompt_is_on_its_way_leaves_no_turn_behind(
    play: BlockingStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: nobody would ever hold it."""
    call = play.thread.call

    def interrupted_call(step: Any) -> Any:
        monkeypatch.undo()  # only the first call is interrupted
        call(step)
        play.later(answer_cancel(play))
        raise KeyboardInterrupt

    monkeypatch.setattr(play.thread, "call", interrupted_call)
    with pytest.raises(KeyboardInterrupt):
        play.session.prompt("x")
    assert len(play.written("session/cancel")) == 1
    assert play.session.state == "idle"


def test_ctrl_c_while_iterating_cancels_too(play: BlockingStage) -> None:
    """Ours: a streaming script is waiting as well."""

    async def agent() -> None:
        prompt = await play.agent.next_prompt()
        play.agent.chunk(play.session.id, "a")
        interrupt_main()
        await play.agent.next("session/cancel")
        play.agent.finish(prompt["id"], play.session.id, "cancelled")

    play.later(agent())

    def read_all() -> None:
        with play.session.stream("x") as turn:
            for _ in turn:
                pass

    with pytest.raises(KeyboardInterrupt):
        read_all()
    assert play.session.state == "idle"


def test_ctrl_c_goes_through_where_no_turn_is_waited_for(play: BlockingStage) -> None:
    """Ours: it ends the wait and nothing else."""

    async def agent() -> None:
        await play.agent.next("session/close")
        await somebody_waits(play)
        interrupt_main()

    play.later(agent())
    with pytest.raises(KeyboardInterrupt):
        play.session.close()
    assert play.written("session/cancel") == []


def test_ctrl_c_in_the_moment_of_the_end_cancels_nothing(play: BlockingStage) -> None:
    """Ours: there is nothing left to cancel."""
    turn = play.session.prompt("x", busy="queue")
    assert not turn.held

    def interrupted(question: Any) -> Any:
        play.finish()
        raise KeyboardInterrupt

    turn.cancel()
    play.finish("cancelled")
    turn.wait()
    turn = play.session.stream("y", permission=interrupted)
    play.accept()
    play.ask_permission()
    with pytest.raises(KeyboardInterrupt):
        turn.wait()
    assert len(play.written("session/cancel")) == 1


def test_events_of_a_session_end_when_they_are_closed(play: BlockingStage) -> None:
    """Ours: a renderer's thread is told to go home."""
    events = play.session.events()
    reading = InThread(lambda: [event.type for event in events])
    play.begin()
    play.chunk("a")
    events.close()
    reading.result()


BUSY: list[Busy] = ["error", "queue", "cancel", "overlap"]


@pytest.mark.parametrize("busy", BUSY)
def test_no_event_of_an_iteration_left_early_shows_up_in_the_next_turn(play: BlockingStage, busy: Busy) -> None:
    """H5: after `break` the old turn goes on by itself, and the next prompt says so or begins afresh."""
    old = play.begin("old")
    old_id = play.written("session/prompt")[0]["id"]
    play.chunk("old ")
    for event in old:
        if event.type == "text":
            break
    play.chunk("old, unread")
    if busy == "error":
        with pytest.raises(SessionBusy):
            play.session.prompt("new", busy=busy)
        play.finish()
    new = play.session.prompt("new", busy=busy)
    if busy != "error":
        play.do(lambda: play.agent.finish(old_id, play.session.id, "cancelled" if busy == "cancel" else "end_turn"))
    play.accept()
    play.chunk("new", "a2")
    play.finish()
    texts = [event.text for event in new if isinstance(event, TextAppended) and event.role == "agent"]
    assert texts == ["new"]
    assert new.wait().text == "new"
    assert old.wait().text == "old old, unread"


@pytest.mark.parametrize("busy", BUSY)
async def test_no_event_of_an_iteration_left_early_shows_up_in_the_next_turn_on_a_loop(
    scene: Stage, busy: Busy
) -> None:
    """H5: the same in the asyncio façade."""
    old = scene.begin("old")
    old_id = scene.prompt_id()
    scene.chunk("old ")
    async for event in old:
        if event.type == "text":
            break
    scene.chunk("old, unread")
    if busy == "error":
        scene.finish()
    new = scene.session.prompt("new", busy=busy)
    if busy != "error":
        scene.finish("cancelled" if busy == "cancel" else "end_turn", old_id)
    if scene.version == 2:
        scene.agent.respond(scene.prompt_id(), {"messageId": "u9"})
        scene.running()
    scene.chunk("new", "a2")
    scene.finish()
    assert [event.text async for event in new if isinstance(event, TextAppended) and event.role == "agent"] == ["new"]
    assert (await new).text == "new"
    assert (await old).text == "old old, unread"


def test_a_session_reads_as_in_the_other_facade(play: BlockingStage) -> None:
    """Ours: properties are there without waiting for the agent."""
    session: Session = play.session
    assert (session.id, session.cwd, session.state) == ("s1", "/project", "idle")
    assert session.client is play.client
    assert play.client.sessions == {"s1": session}
    assert session.roots.cwd == "/project"
    assert session.ref.session_id == "s1"
    assert session.replayed == 0
    assert session.last_activity > 0
    assert play.client.last_activity > 0
    assert play.client.agent is not None
    assert play.client.agent.name == "scripted-agent"
    assert play.client.capabilities.prompt_image
    assert play.client.auth_methods == ()
    assert play.client.initialize_result["protocolVersion"] == play.client.protocol_version
    assert play.client.transport is play.agent.transport
    assert play.client.lost_cause is None
    assert play.client.diagnostics_seen == 0
    assert not session.closed
    assert "s1" in repr(session)
    assert "s1" in repr(play.begin())
