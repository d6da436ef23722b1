"""What went wrong in hosts of other clients: loops that cannot spawn, handlers that block, fail or call back."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from acp_client import Client, Host, TextAppended, UsageError, blocking
from acp_client.host import ALLOW
from acp_client.models import v1
from acp_client.policy.questions import PendingPermission
from acp_client.rpc.messages import decode, encode, success
from acp_client.testing import ScriptedAgent
from tests.blocking.kit import BOUND, InThread
from tests.blocking.test_exit import AGENT, Link
from tests.kit import Stage, stage, within

OPTION = {
    "name": "Mode",
    "category": "mode",
    "type": "select",
    "currentValue": "a",
    "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}],
}


async def test_a_loop_that_cannot_spawn_still_gets_its_agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """HE-01: as the loop that notebooks use on Windows."""

    async def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    monkeypatch.setattr(asyncio.get_running_loop(), "subprocess_exec", refuse, raising=False)
    link = Link(tmp_path / "link")
    async with Client.connect([sys.executable, str(AGENT), link.path]) as client:
        session = await client.new_session("/")
        assert (await within(session.prompt("quick"))).text == "quick"
    link.accept()
    link.close()


async def test_the_blocking_facade_works_inside_a_running_loop() -> None:
    """HE-02: it brings its own loop, and patches nothing."""
    before = (asyncio.run, asyncio.get_event_loop, asyncio.Task, asyncio.BaseEventLoop.run_until_complete)
    agent = ScriptedAgent(protocol=1)
    agent.answers["session/prompt"] = lambda params: {"stopReason": "end_turn"}
    with blocking.Client.connect(agent.transport) as client:
        assert client.new_session("/project").ask("x").stop_reason == "end_turn"
    assert before == (asyncio.run, asyncio.get_event_loop, asyncio.Task, asyncio.BaseEventLoop.run_until_complete)


async def test_the_blocking_facade_on_the_running_loop_itself_names_the_other_one() -> None:
    """HE-02: adopting the loop one stands on cannot work, and the error says what does."""
    thread = blocking.LoopThread.adopt(asyncio.get_running_loop())
    with pytest.raises(UsageError, match=r"acp_client\.Client"):
        blocking.Client.connect(ScriptedAgent().transport, thread=thread)


async def test_connections_are_closed_from_any_task_in_any_order() -> None:
    """HE-03: no scope is bound to the task that opened it."""

    async def open_one() -> Client:
        return await Client.connect(ScriptedAgent().transport)

    first, second = await asyncio.create_task(open_one()), await asyncio.create_task(open_one())
    await asyncio.create_task(first.aclose())
    await asyncio.create_task(second.aclose())
    stack = AsyncExitStack()

    async def enter() -> None:
        await stack.enter_async_context(Client.connect(ScriptedAgent().transport))
        await stack.enter_async_context(await open_one())

    await asyncio.create_task(enter())
    await asyncio.create_task(stack.aclose())
    assert first.closed
    assert second.closed


async def test_an_update_handler_may_call_back_into_its_connection(version: int) -> None:
    """HE-04: nobody who reads waits for it, and what follows comes in order."""
    option = {("id" if version == 1 else "configId"): "mode", **OPTION}
    seen: list[str] = []
    async with stage(version, agent={"session_result": {"configOptions": [option]}}) as scene:
        scene.agent.answers["session/set_config_option"] = lambda params: {"configOptions": [option]}

        async def call_back(event: Any) -> None:
            if isinstance(event, TextAppended):
                await scene.session.set_mode("b")
                seen.append(event.text)

        scene.session.on_update(call_back)
        turn = scene.begin()
        for number in range(5):
            scene.chunk(str(number))
        scene.finish()
        await within(turn)
        assert seen == ["0", "1", "2", "3", "4"]
        assert len(scene.written("session/set_config_option")) == 5


class Slow(Host):
    """Asks somebody who takes a while."""

    def __init__(self) -> None:
        self.asked, self.decided = threading.Event(), threading.Event()

    def request_permission(self, question: PendingPermission) -> Any:
        self.asked.set()
        assert self.decided.wait(BOUND)
        return ALLOW


async def test_a_handler_that_blocks_holds_up_nobody(version: int) -> None:
    """HE-05: another session streams while a person thinks."""
    host = Slow()
    async with stage(version, host) as scene:
        other = await scene.client.new_session("/other")
        scene.begin()
        request_id = scene.ask(options=[{"optionId": "yes", "name": "Yes", "kind": "allow_once"}])
        await asyncio.to_thread(host.asked.wait, BOUND)
        turn = other.prompt("x")
        for number in range(20):
            scene.chunk(str(number), session=other)
        assert "".join(await texts_of(turn, 20)) == "".join(map(str, range(20)))
        assert scene.answers_to(request_id) == []
        host.decided.set()
        assert (await scene.agent.answer_to(request_id))["result"]["outcome"]["optionId"] == "yes"


async def texts_of(events: Any, updates: int) -> list[str]:
    """The agent's texts of so many updates."""
    texts: list[str] = []
    async for event in events:
        if isinstance(event, TextAppended) and event.role == "agent":
            texts.append(event.text)
            updates -= event.count
            if updates <= 0:
                break
    return texts


def test_a_loop_in_another_thread_connects_prompts_and_closes(tmp_path: Path) -> None:
    """HE-08: no child watcher is needed, and the exit status is known."""
    link = Link(tmp_path / "link")

    async def run() -> tuple[str, Any]:
        async with Client.connect([sys.executable, str(AGENT), link.path]) as client:
            text = (await (await client.new_session("/")).prompt("quick")).text
        return text, client.transport.exit_code  # type: ignore[attr-defined]  # a process has one

    running = InThread(lambda: asyncio.run(run()))
    link.accept()
    assert running.result() == ("quick", 0)
    link.until_end()
    link.close()


async def test_an_update_handler_that_fails_is_logged_and_goes_on(
    scene: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """HE-09: also when a cancellation leaks out of it; the ones behind it are all delivered."""
    faults: list[BaseException] = [ValueError("broken"), asyncio.CancelledError()]
    seen: list[str] = []

    def fragile(event: Any) -> None:
        if isinstance(event, TextAppended):
            if faults:
                raise faults.pop(0)
            seen.append(event.text)

    async def fragile_too(event: Any) -> None:
        fragile(event)

    for handler in (fragile, fragile_too):
        caplog.clear()
        faults[:], seen[:] = [ValueError("broken"), asyncio.CancelledError()], []
        end = scene.session.on_update(handler)
        turn = scene.begin()
        with caplog.at_level(logging.ERROR, "acp_client"):
            for number in range(7):
                scene.chunk(str(number))
            scene.finish()
            await within(turn)
        assert seen == ["2", "3", "4", "5", "6"]
        assert [record.exc_info is not None for record in caplog.records] == [True, True]
        end()


class BrokenFiles(Host):
    """Serves files, badly."""

    def read_text_file(self, request: v1.ReadTextFileRequest) -> str:
        raise OSError("disk on fire")


async def test_a_file_handler_that_fails_is_one_error_for_the_agent() -> None:
    """HE-09: and the cause does not travel."""
    async with stage(1, BrokenFiles()) as scene:
        request_id = scene.request("fs/read_text_file", {"sessionId": scene.session.id, "path": "/a"})
        answer = await scene.agent.answer_to(request_id)
        assert answer["error"]["code"] == -32603
        assert "fire" not in str(answer)
        assert len(scene.answers_to(request_id)) == 1


PING_INTERVAL, PING_TIMEOUT = 0.02, 0.1


@asynccontextmanager
async def pinging_agent(enough: threading.Event) -> AsyncIterator[str]:
    """A WebSocket agent with an impatient keepalive, which says when several of its time-outs have passed."""

    async def ping(connection: ServerConnection) -> None:
        end = asyncio.get_running_loop().time() + 3 * (PING_INTERVAL + PING_TIMEOUT)
        while asyncio.get_running_loop().time() < end:
            await (await connection.ping())
        enough.set()

    async def talk(connection: ServerConnection) -> None:
        pinging = asyncio.create_task(ping(connection))
        async for frame in connection:
            message = decode(frame)
            await connection.send(encode(success(message["id"], PINGING_ANSWERS[message["method"]])), text=True)
        await pinging

    async with serve(talk, "127.0.0.1", 0, ping_interval=PING_INTERVAL, ping_timeout=PING_TIMEOUT) as server:
        yield f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/"


PINGING_ANSWERS: dict[str, Any] = {
    "initialize": {"protocolVersion": 1, "agentCapabilities": {}},
    "session/new": {"sessionId": "s1"},
    "session/prompt": {"stopReason": "end_turn"},
}


def test_a_host_that_blocks_its_own_loop_keeps_its_connection() -> None:
    """H6: the socket lives on the loop thread, so a modal dialog does not cost the connection."""
    enough, ready, done = threading.Event(), threading.Event(), threading.Event()
    urls: list[str] = []

    async def agent() -> None:
        async with pinging_agent(enough) as url:
            urls.append(url)
            ready.set()
            await asyncio.to_thread(done.wait, BOUND)

    async def host() -> str | None:
        with blocking.Client.connect(urls[0]) as client:
            session = client.new_session("/")
            assert enough.wait(BOUND)  # the host's loop stands still meanwhile
            return session.ask("x").stop_reason

    serving = InThread(lambda: asyncio.run(agent()))
    assert ready.wait(BOUND)
    assert asyncio.run(host()) == "end_turn"
    done.set()
    serving.result()
