"""The calls of a blocking client that are about sessions, logins and settings: they reach the agent and come back."""

from __future__ import annotations

import asyncio
import gc
import threading
import warnings
from typing import Any

import pytest

from acp_client.blocking import Client, LoopThread
from acp_client.blocking import client as client_module
from acp_client.errors import AgentError, AuthRequired, NotSupported, RequestTimeout
from acp_client.testing import ScriptedAgent
from tests.blocking.kit import BlockingStage, InThread, blocking_stage

SESSIONS = [{"sessionId": f"old{number}", "cwd": "/project"} for number in range(3)]


def list_sessions(params: Any) -> Any:
    """Two pages."""
    if params.get("cursor") is None:
        return {"sessions": SESSIONS[:2], "nextCursor": "next"}
    return {"sessions": SESSIONS[2:]}


def test_sessions_are_listed_page_by_page(play: BlockingStage) -> None:
    """Ours: one page, or all of them one by one."""
    play.agent.answers["session/list"] = list_sessions
    page = play.client.list_sessions(cwd="/project")
    assert [entry.session_id for entry in page.sessions] == ["old0", "old1"]
    assert [entry.session_id for entry in play.client.iter_sessions()] == ["old0", "old1", "old2"]


def test_an_earlier_session_is_loaded_resumed_restored_closed_and_deleted(version: int) -> None:
    """Ours: every way back gives the same kind of session."""
    with blocking_stage(version) as play:
        for method in ("session/load", "session/resume", "session/close", "session/delete"):
            play.agent.answers[method] = lambda params: {}
        loaded = play.client.load_session("old1", "/project")
        resumed = play.client.resume_session("old2", "/project", replay=version == 2)
        restored = play.client.restore_session(resumed.ref)
        assert (loaded.id, resumed.id) == ("old1", "old2")
        assert restored is resumed
        assert set(play.client.sessions) == {"s1", "old1", "old2"}
        loaded.close()
        assert loaded.closed
        play.client.delete_session("old2")
        assert set(play.client.sessions) == {"s1"}


def test_settings_are_set(version: int) -> None:
    """Ours: options and modes; unknown ones are refused here."""
    option = {
        "id" if version == 1 else "configId": "mode",
        "name": "Mode",
        "category": "mode",
        "type": "select",
        "currentValue": "ask",
        "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}],
    }
    with blocking_stage(version, agent={"session_result": {"configOptions": [option]}}) as play:
        play.agent.answers["session/set_config_option"] = lambda params: {
            "configOptions": [{**option, "currentValue": params["value"]}]
        }
        play.session.set_mode("code")
        play.session.set_config_option("mode", "code")
        assert play.session.snapshot.config_options[0].value == "code"


def test_what_the_agent_does_not_offer_is_said_at_once(play2: BlockingStage) -> None:
    """Ours: errors of the asyncio façade come through unchanged."""
    with pytest.raises(NotSupported):
        play2.session.cancel_tool_call("t1")
    with pytest.raises(NotSupported):
        play2.session.cancel_terminal("t1")
    with pytest.raises(NotSupported):
        play2.session.set_mode("x")


def test_a_login_that_nobody_chooses_is_an_error_with_the_methods() -> None:
    """Ours: the host chooses none by default."""
    methods = [{"id": "key", "name": "Key"}]
    with blocking_stage(1, agent={"auth_methods": methods}) as play:
        for method in ("authenticate", "logout"):
            play.agent.answers[method] = lambda params: {}
        del play.agent.answers["session/new"]

        async def refuse() -> None:
            new = await play.agent.next("session/new")
            while new["params"]["cwd"] != "/locked":
                new = await play.agent.next("session/new")
            play.agent.fail(new["id"], -32000, "log in")

        play.later(refuse())
        with pytest.raises(AuthRequired) as caught:
            play.client.new_session("/locked")
        assert [method.id for method in caught.value.methods] == ["key"]  # type: ignore[attr-defined]
        play.client.authenticate("key")
        play.client.logout()
    assert play.written("authenticate")
    assert play.written("logout")


def test_custom_requests_and_notifications_reach_the_agent(play: BlockingStage) -> None:
    """Ours: whatever the protocol does not name."""
    play.agent.answers["_vendor/add"] = lambda params: params["a"] + params["b"]
    assert play.client.request("_vendor/add", {"a": 1, "b": 2}) == 3
    play.client.notify("_vendor/seen", {"n": 1})
    assert play.written("_vendor/seen")[0]["params"] == {"n": 1}
    with pytest.raises(RequestTimeout):
        play.client.request("_vendor/never", timeout=0.01)
    assert play.written("$/cancel_request")


def test_questions_can_be_withdrawn(play: BlockingStage) -> None:
    """Ours: a window closes, the agent is told -32800."""
    play.begin()
    request_id = play.ask_permission()
    assert play.session.withdraw_requests() == 1
    answer = play.thread.run(play.agent.answer_to(request_id))
    assert answer["error"]["code"] == -32800


def test_waiting_for_the_end_of_the_connection_can_be_bounded(play: BlockingStage) -> None:
    """Ours: a supervisor looks in now and then."""
    with pytest.raises(TimeoutError):
        play.client.wait_closed(timeout=0.01)
    waiting = InThread(play.client.wait_closed)
    play.client.close()
    play.client.close()
    assert waiting.result() is play.client.lost_cause


def test_an_unclosed_client_that_is_collected_ends_its_agent() -> None:
    """H1: nothing is left behind, and whoever forgot is told."""
    agent = ScriptedAgent()
    before = threading.active_count()
    clients = [Client.connect(agent.transport)]

    def forget() -> None:
        clients.clear()
        gc.collect()

    with pytest.warns(ResourceWarning, match="unclosed"):
        forget()
    assert agent.closed
    assert threading.active_count() == before


def test_an_unclosed_client_may_be_collected_on_the_loop_itself() -> None:
    """H1: a collection can happen in any thread."""
    thread = LoopThread.start()
    agent = thread.call(ScriptedAgent)
    holder = [Client.connect(agent.transport, thread=thread)]

    def collect() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            holder.clear()
            gc.collect()

    thread.call(collect)
    thread.run(agent_closed(agent))
    thread.close()


def test_an_agent_that_does_not_end_in_the_last_moment_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """H1: the end of a program waits for nobody."""
    monkeypatch.setattr(client_module, "LAST_RESORT", 0.01)
    agent = ScriptedAgent()
    killed: list[bool] = []

    async def never() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(agent.transport, "aclose", never)
    monkeypatch.setattr(agent.transport, "kill", lambda: killed.append(True))
    clients = [Client.connect(agent.transport)]

    def forget() -> None:
        clients.clear()
        gc.collect()

    with pytest.warns(ResourceWarning, match="unclosed"):
        forget()
    assert killed == [True]


def test_a_client_that_lost_its_agent_needs_no_closing() -> None:
    """Ours: there is nothing left to warn of."""
    thread = LoopThread.start()
    agent = thread.call(ScriptedAgent)
    clients = [Client.connect(agent.transport, thread=thread)]
    thread.call(agent.close)
    clients[0].wait_closed()
    clients.clear()
    gc.collect()
    thread.close()


async def agent_closed(agent: ScriptedAgent) -> None:
    """Wait until the client has closed the connection."""
    with pytest.raises(AssertionError, match="closed"):
        await agent.next("never")


def test_errors_of_requests_keep_code_and_data(play: BlockingStage) -> None:
    """Ours: whatever the thread, the same error."""
    asking = InThread(lambda: play.client.request("_vendor/x"))
    request = play.next("_vendor/x")
    play.do(lambda: play.agent.fail(request["id"], -32099, "no", {"why": "x"}))
    with pytest.raises(AgentError) as caught:
        asking.result()
    assert (caught.value.code, caught.value.data) == (-32099, {"why": "x"})
