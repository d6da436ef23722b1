"""What every call has in common: `_meta`, what is left when a caller gives up, and callbacks that come in time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from acp_client.errors import AuthMethodRefused, RequestTimeout
from acp_client.host import Host
from acp_client.policy.questions import PendingElicitation
from acp_client.protocol.dialect import AuthMethod
from acp_client.rpc.messages import Json
from acp_client.state.events import Event, TextAppended
from acp_client.transports.specs import StdioSpec, WebSocketSpec
from tests.kit import Desk, Stage, settle_down, stage, within

META = {"trace": "t-1"}
METHODS = [{"id": "token", "methodId": "token", "name": "Token", "type": "agent"}]

CALLS: dict[str, Callable[[Stage], Awaitable[Any]]] = {
    "session/new": lambda s: s.client.new_session("/project", meta=META),
    "session/resume": lambda s: s.client.resume_session("old", "/project", meta=META),
    "session/list": lambda s: s.client.list_sessions(meta=META),
    "session/delete": lambda s: s.client.delete_session("old", meta=META),
    "session/close": lambda s: s.session.close(meta=META),
    "session/set_config_option": lambda s: s.session.set_config_option("model", "b", meta=META),
    "login": lambda s: s.client.authenticate("token", meta=META),
    "logout": lambda s: s.client.logout(meta=META),
}
OPTION = {
    "type": "select",
    "id": "model",
    "configId": "model",
    "name": "Model",
    "currentValue": "a",
    "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}],
}


@pytest.mark.parametrize("name", CALLS)
async def test_every_call_takes_meta(version: int, name: str) -> None:
    """Ours: `_meta` goes with each message, as it was given."""
    agent = {"auth_methods": METHODS, "session_result": {"configOptions": [OPTION]}}
    async with stage(version, agent=agent) as scene:
        before = len(scene.agent.written)
        call = asyncio.ensure_future(CALLS[name](scene))
        await settle_down()
        assert scene.agent.written[before]["params"]["_meta"] == META
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)


async def test_prompts_and_cancels_take_meta(scene: Stage) -> None:
    """Ours: notifications too."""
    scene.begin(meta=META)
    scene.session.cancel(meta=META)
    assert scene.written("session/prompt")[-1]["params"]["_meta"] == META
    assert scene.written("session/cancel")[-1]["params"]["_meta"] == META


@pytest.mark.parametrize("how", ["cancelled", "too slow"])
async def test_giving_up_a_close_tells_the_agent_and_closes_the_session(version: int, how: str) -> None:
    """CAN-01, CAN-10: `$/cancel_request`, a tombstone for the late answer, and no session left half closed."""
    async with stage(version, request_timeout=0.01 if how == "too slow" else 60) as scene:
        scene.begin()
        closing = asyncio.ensure_future(scene.session.close())
        await settle_down()
        request_id = scene.written("session/close")[0]["id"]
        if how == "cancelled":
            closing.cancel()
        with pytest.raises((asyncio.CancelledError, RequestTimeout)):
            await closing
        assert scene.written("$/cancel_request")[-1]["params"] == {"requestId": request_id}
        assert scene.session.closed
        assert scene.session.id not in scene.client.sessions
        scene.agent.respond(request_id, {})
        assert scene.answer_to(scene.request("no/such", {}))["error"]["code"] == -32601


async def test_all_requests_of_a_session_or_of_all_can_be_withdrawn(version: int) -> None:
    """CAN-82: -32800 for every kind; a handler that runs is cancelled; other sessions are not touched."""

    class Busy(Desk):
        def __init__(self) -> None:
            super().__init__()
            self.stopped = 0

        async def extension_request(self, method: str, params: Json) -> Json:
            try:
                await asyncio.Event().wait()
            finally:
                self.stopped += 1

    host = Busy()
    async with stage(version, host) as scene:
        other = await scene.client.new_session("/project")
        params = {"sessionId": scene.session.id}
        mine = [scene.ask(), scene.elicit(), scene.request("_acme/x", params)]
        theirs = [scene.ask(session=other), scene.request("_acme/x", {})]
        await settle_down()
        assert len(scene.client.pending) == 3
        assert scene.session.withdraw_requests() == 3
        await settle_down()
        assert [scene.answer_to(request_id)["error"]["code"] for request_id in mine] == [-32800] * 3
        assert all(scene.answers_to(request_id) == [] for request_id in theirs)
        assert host.stopped == 1
        assert scene.client.withdraw_requests() == 2
        await settle_down()
        assert [scene.answer_to(request_id)["error"]["code"] for request_id in theirs] == [-32800] * 2
        assert host.stopped == 2
        assert not scene.client.pending


async def test_a_replay_is_handed_to_callbacks_before_the_call_returns(version: int) -> None:
    """SO-04: to one given with the call from the first update on, to a coroutine in its own time, but completely."""
    async with stage(version) as scene:
        plain: list[str] = []
        slow: list[str] = []

        async def slowly(event: Event) -> None:
            await asyncio.sleep(0)
            if isinstance(event, TextAppended):
                slow.append(event.text)

        def at_once(event: Event) -> None:
            if isinstance(event, TextAppended):
                plain.append(event.text)
                assert event.replayed

        opening = asyncio.ensure_future(scene.client.load_session("old", "/project", on_update=slowly))
        await settle_down()
        scene.client.sessions["old"].on_update(at_once)
        for number in range(5):
            scene.chunk(str(number), session=scene.client.sessions["old"])
        method = "session/load" if version == 1 else "session/resume"
        scene.agent.respond(scene.written(method)[0]["id"], {})
        session = await within(opening)
        assert plain == slow == ["0", "1", "2", "3", "4"]
        assert session.replayed == 5


async def test_what_comes_right_behind_the_answer_is_new(version: int) -> None:
    """SO-04, V2-SES-09: history ends with the answer, also where both are read at once."""
    async with stage(version) as scene:
        opening = asyncio.ensure_future(scene.client.load_session("old", "/project"))
        await settle_down()
        events: list[Event] = []
        scene.client.sessions["old"].on_update(events.append)
        method = "session/load" if version == 1 else "session/resume"
        chunk = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "x"}}
        update = {"method": "session/update", "params": {"sessionId": "old", "update": chunk}}
        scene.agent.send_batch(
            [{"jsonrpc": "2.0", "id": scene.written(method)[0]["id"], "result": {}}, {"jsonrpc": "2.0", **update}]
        )
        session = await within(opening)
        assert [event.replayed for event in events if isinstance(event, TextAppended)] == [False]
        assert session.replayed == 0


async def test_a_new_session_can_be_watched_from_its_first_update(version: int) -> None:
    """SO-01: what the agent reports before the answer reaches the callback as well."""
    seen: list[str] = []

    def watch(event: Event) -> None:
        if isinstance(event, TextAppended):
            seen.append(event.text)

    async with stage(version) as scene:
        text = {"type": "text", "text": "early"}

        def new(params: Json) -> Json:
            update = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": text}
            scene.agent.update("early", update)
            return {"sessionId": "early"}

        scene.agent.answers["session/new"] = new
        await scene.client.new_session("/project", on_update=watch)
        assert seen == ["early"]


async def test_hosts_may_listen_with_coroutines(version: int) -> None:
    """Ours: `extension_notification`, `elicitation_completed` and `choose_auth_method` as coroutine functions."""
    told: list[str] = []

    class Listening(Desk):
        async def extension_notification(self, method: str, params: Json) -> None:
            await asyncio.sleep(0)
            told.append(method)

        async def elicitation_completed(self, question: PendingElicitation) -> None:
            await asyncio.sleep(0)
            told.append(str(question.elicitation_id))

        async def choose_auth_method(self, methods: Sequence[AuthMethod]) -> str | None:
            await asyncio.sleep(0)
            return methods[0].id

    async with stage(version, Listening(), agent={"auth_methods": METHODS}) as scene:
        scene.agent.notify("_acme/hello", {})
        scene.elicit("url")
        await settle_down()
        (question,) = scene.client.pending
        assert isinstance(question, PendingElicitation)
        question.accept()
        scene.agent.notify("elicitation/complete", {"elicitationId": "e1"})
        await settle_down()
        assert told == ["_acme/hello", "e1"]
        scene.agent.answers.pop("session/new")
        opening = asyncio.ensure_future(scene.client.new_session("/project"))
        await settle_down()
        scene.agent.fail(scene.written("session/new")[-1]["id"], -32000, "log in")
        await settle_down()
        login = "authenticate" if version == 1 else "auth/login"
        scene.agent.respond(scene.written(login)[0]["id"], {})
        await settle_down()
        scene.agent.respond(scene.written("session/new")[-1]["id"], {"sessionId": "s9"})
        assert (await within(opening)).id == "s9"


async def test_a_terminal_login_names_the_command(version: int) -> None:
    """Ours: the agent's own command with the arguments to add, and which variables to set, never their values."""
    method: dict[str, Any] = {
        "id": "t",
        "methodId": "t",
        "name": "Login",
        "type": "terminal",
        "args": ["--login", "a b"],
    }
    method["env"] = {"TOKEN_FILE": "secret"} if version == 1 else [{"name": "TOKEN_FILE", "value": "secret"}]
    async with stage(version, Host(), agent={"auth_methods": [method]}) as scene:
        scene.client._spec = StdioSpec(("my-agent", "--acp"))
        with pytest.raises(AuthMethodRefused) as caught:
            await scene.client.authenticate("t")
        assert "`my-agent --acp --login 'a b'`" in str(caught.value)
        assert "TOKEN_FILE" in str(caught.value)
        assert "secret" not in str(caught.value)


async def test_a_reference_goes_back_to_the_same_server(scene: Stage) -> None:
    """TR-WS-05: cookies the server set go with the target, and stay out of what is printed."""
    scene.client._spec = WebSocketSpec("ws://127.0.0.1:1/", cookies={"mine": "1"})
    scene.client.transport.cookies = {"route": "secret"}  # type: ignore[attr-defined]  # as the WebSocket transport has
    ref = scene.session.ref
    assert isinstance(ref.target, WebSocketSpec)
    assert ref.target.cookies == {"mine": "1", "route": "secret"}
    assert "secret" not in repr(ref)
