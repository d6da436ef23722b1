"""Sessions and logins: what is sent, what comes first, what is refused before it is sent."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Awaitable
from typing import Any

import pytest

from acp_client.client import Client, SessionRef
from acp_client.errors import (
    AuthMethodRefused,
    AuthRequired,
    InvalidResponse,
    NotSupported,
    RequestTimeout,
    SessionNotFound,
    UsageError,
)
from acp_client.host import Host
from acp_client.protocol.dialect import McpServer
from acp_client.testing import ScriptedAgent
from tests.kit import BOUND, Stage, settle_down, stage, within

METHODS = [{"id": "token", "methodId": "token", "name": "Token", "type": "agent"}]
TERMINAL = {"id": "term", "methodId": "term", "name": "Login", "type": "terminal", "args": ["--login"]}
FUTURE = {"id": "f", "methodId": "f", "name": "Future", "type": "_acme/magic"}


async def start(scene: Stage, work: Awaitable[Any], method: str) -> tuple[asyncio.Future[Any], dict[str, Any]]:
    """Begin a call; returns its future and the request it wrote."""
    task = asyncio.ensure_future(work)
    await settle_down()
    return task, scene.written(method)[-1]


async def test_a_new_session_sends_everything_whole(version: int) -> None:
    """V1-SES-01, V1-SES-02, V2-SES-02, V2-SES-04, V2-SES-05, V2-SES-06, FC-10, V2-PAR-04."""
    servers = [
        McpServer(name="a", command="/bin/a", args=("x",), env={"K": "v"}),
        McpServer(name="b", type="http", url="http://127.0.0.1/", headers={"H": "v"}),
    ]
    async with stage(version) as scene:
        assert scene.written("session/new")[0]["params"] == {"cwd": "/project", "mcpServers": []}
        await scene.client.new_session(
            "/w", mcp_servers=servers, additional_directories=["/d", "/w", "/d"], meta={"k": 1}
        )
        params = scene.written("session/new")[-1]["params"]
        stdio = {"name": "a", "command": "/bin/a", "args": ["x"], "env": [{"name": "K", "value": "v"}]}
        http = {"type": "http", "name": "b", "url": "http://127.0.0.1/", "headers": [{"name": "H", "value": "v"}]}
        assert params["mcpServers"] == [stdio if version == 1 else {"type": "stdio", **stdio}, http]
        assert params["additionalDirectories"] == ["/d"]
        assert params["_meta"] == {"k": 1}


async def test_paths_are_passed_on_as_they_are(scene: Stage) -> None:
    """V2-SES-01: they belong to the agent's machine, whatever that is."""
    await scene.client.new_session("C:\\work")
    assert scene.written("session/new")[-1]["params"]["cwd"] == "C:\\work"


@pytest.mark.parametrize("version", [1, 2])
async def test_what_the_agent_does_not_offer_is_refused_before_it_is_sent(version: int) -> None:
    """V1-SES-03, V1-SES-04, V2-SES-03, V2-SES-04, V2-INI-12, SO-13: no probing; the error names the agent."""
    capabilities: dict[str, Any] = {} if version == 1 else {"session": {}}
    async with stage(version, agent={"capabilities": capabilities}) as scene:
        client, before = scene.client, len(scene.agent.written)
        calls: list[Awaitable[Any]] = [
            client.new_session("/w", additional_directories=["/d"]),
            client.new_session("/w", mcp_servers=[McpServer(name="b", type="http", url="http://x")]),
            client.new_session("/w", mcp_servers=[McpServer(name="b", type="sse", url="http://x")]),
            client.delete_session("s1"),
            client.logout(),
        ]
        if version == 1:
            calls += [
                client.load_session("s9", "/w"),
                client.resume_session("s9", "/w"),
                client.list_sessions(),
                scene.session.close(),
            ]
        for call in calls:
            with pytest.raises(NotSupported, match="scripted-agent"):
                await call
        with pytest.raises(UsageError):
            await client.new_session("")
        assert len(scene.agent.written) == before


async def test_an_agent_without_sessions_gets_no_session_call() -> None:
    """V2-INI-12: the capability is absent."""
    agent = ScriptedAgent(capabilities={})
    async with Client.connect(agent.transport) as client:
        with pytest.raises(NotSupported):
            await client.new_session("/w")
        assert len(agent.written) == 1


async def test_updates_before_the_answer_are_kept(scene: Stage) -> None:
    """SO-01, V1-SES-08, V2-SES-07: commands and text that came first are there when the call returns."""
    scene.agent.answers.pop("session/new")
    task, request = await start(scene, scene.client.new_session("/w"), "session/new")
    command = {"name": "test", "description": "d", **({"type": "command"} if scene.version == 2 else {})}
    early = scene.agent
    early.update("s9", {"sessionUpdate": "available_commands_update", "availableCommands": [command]})
    early.chunk("s9", "early")
    ask = {**scene.permission_params(), "sessionId": "s9"}
    request_id = scene.request("session/request_permission", ask)
    early.respond(request["id"], {"sessionId": "s9"})
    session = await within(task)
    assert [c.name for c in session.snapshot.commands] == ["test"]
    assert session.snapshot.messages[0].text == "early"
    assert scene.answers_to(request_id) == []
    assert len(session.pending) == 1


async def test_what_came_early_for_nobody_is_stray(version: int) -> None:
    """SO-03, V1-UPD-05: told to the connection's hook, the connection is up, its question is not approved."""
    stray: list[Any] = []
    async with stage(version, on_stray_update=stray.append) as scene:
        scene.agent.chunk("ghost", "boo")
        assert [params["sessionId"] for params in stray] == ["ghost"]
        ask = {**scene.permission_params(), "sessionId": "ghost"}
        assert "selected" not in str(scene.answer_to(scene.request("session/request_permission", ask)))


async def test_updates_outside_a_turn_reach_the_session(scene: Stage) -> None:
    """SO-02, V1-PRM-07: also right after the end of a turn, marked as late."""
    seen: list[Any] = []
    scene.session.on_update(seen.append)
    scene.chunk("hello")
    assert (seen[0].text, seen[0].late) == ("hello", True)


async def test_loading_replays_before_it_returns(scene: Stage) -> None:
    """SO-04, SO-05, V1-SES-05, V2-SES-16, V2-SES-18: history is there, flagged, and no part of the next turn."""
    task, request = await start(
        scene, scene.client.load_session("s9", "/w"), "session/load" if scene.version == 1 else "session/resume"
    )
    assert request["params"]["cwd"] == "/w"
    for text in ("a", "b", "c"):
        scene.agent.chunk("s9", text)
    scene.agent.respond(request["id"], {})
    session = await within(task)
    assert session.replayed == 3
    assert session.snapshot.messages[0].text == "abc"
    turn = session.prompt("go")
    if scene.version == 2:
        scene.agent.respond(scene.prompt_id(), {"messageId": "m1"})
        scene.agent.update("s9", {"sessionUpdate": "state_update", "state": "running"})
    scene.agent.chunk("s9", "new", "a2")
    if scene.version == 1:
        scene.agent.respond(scene.prompt_id(), {"stopReason": "end_turn"})
    else:
        scene.agent.update("s9", {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"})
    assert (await within(turn)).text == "new"


async def test_resuming_asks_for_no_history_unless_told(scene2: Stage) -> None:
    """V2-SES-15, V2-SES-16: cwd, servers and directories again; replayFrom only on request."""
    for replay in (False, True):
        work = scene2.client.resume_session("s9", "/w", replay=replay, additional_directories=["/d"])
        task, request = await start(scene2, work, "session/resume")
        expected = {"sessionId": "s9", "cwd": "/w", "mcpServers": [], "additionalDirectories": ["/d"]}
        assert request["params"] == {**expected, **({"replayFrom": {"type": "start"}} if replay else {})}
        scene2.agent.respond(request["id"], {})
        await within(task)


async def test_a_replay_nobody_asked_for_doubles_nothing(scene1: Stage) -> None:
    """SO-06: the history that was known is replaced, not repeated."""
    scene1.chunk("A")
    task, request = await start(scene1, scene1.client.resume_session("s1", "/project"), "session/resume")
    scene1.chunk("A")
    scene1.agent.respond(request["id"], {})
    session = await within(task)
    assert session is scene1.session
    assert [m.text for m in session.snapshot.messages] == ["A"]


async def test_an_unknown_session_has_its_own_error(scene: Stage) -> None:
    """SO-13, V2-SES-22: nothing is left registered, nothing is opened in its place."""
    task, request = await start(scene, scene.client.resume_session("s9", "/w"), "session/resume")
    scene.agent.fail(request["id"], -32002, "not found", data={"sessionId": "s9"})
    with pytest.raises(SessionNotFound) as caught:
        await within(task)
    assert caught.value.data == {"sessionId": "s9"}
    assert list(scene.client.sessions) == ["s1"]


async def test_a_stored_reference_brings_the_session_back(scene: Stage) -> None:
    """Ours, V1-SES-06: pickled, its repr without a secret; resumed or loaded, never replaced by a new session."""
    ref: SessionRef = pickle.loads(pickle.dumps(scene.session.ref))
    assert (ref.session_id, ref.cwd) == ("s1", "/project")
    method = "session/load" if scene.version == 1 else "session/resume"
    task, request = await start(scene, scene.client.restore_session(ref), method)
    scene.agent.respond(request["id"], {})
    assert (await within(task)).id == "s1"
    assert len(scene.written("session/new")) == 1


async def test_the_list_is_paged_by_opaque_cursors(scene: Stage) -> None:
    """V2-SES-11, V2-SES-12, V2-SES-13, V2-SES-14, V1-SES-07: empty is a cursor, missing and null are the end."""
    entry = {"sessionId": "a", "cwd": "/w", "title": "T", "additionalDirectories": ["/d"]}
    pages: list[dict[str, Any]] = [
        {"sessions": [entry, {"broken": 1}], "nextCursor": ""},
        {"sessions": "broken" if scene.version == 1 else [], "nextCursor": None},
    ]

    async def collect() -> list[Any]:
        return [info async for info in scene.client.iter_sessions("/w")]

    task = asyncio.ensure_future(collect())
    for page in pages:
        message = await scene.agent.next("session/list")
        scene.agent.respond(message["id"], page)
    (info,) = await within(task)
    assert (info.session_id, info.title, info.additional_directories) == ("a", "T", ("/d",))
    assert [m["params"] for m in scene.written("session/list")] == [{"cwd": "/w"}, {"cwd": "/w", "cursor": ""}]


async def test_a_list_without_its_key_is_an_invalid_answer(scene2: Stage) -> None:
    """V2-SES-13, V2-PAR-02: missing is invalid, present and malformed is empty."""
    task, request = await start(scene2, scene2.client.list_sessions(), "session/list")
    scene2.agent.respond(request["id"], {})
    with pytest.raises(InvalidResponse, match="sessions"):
        await within(task)
    task, request = await start(scene2, scene2.client.list_sessions(), "session/list")
    scene2.agent.respond(request["id"], {"sessions": 5})
    assert (await within(task)).sessions == ()


async def test_several_sessions_share_a_connection(scene: Stage) -> None:
    """V2-SES-25: everything goes by the session's id."""
    other = await scene.client.new_session("/other")
    scene.chunk("one")
    scene.chunk("two", session=other)
    assert scene.session.snapshot.messages[0].text == "one"
    assert other.snapshot.messages[0].text == "two"


async def test_closed_sessions_leave_nothing_behind(scene: Stage) -> None:
    """SO-18: a thousand opened and closed, and the tables are empty."""
    scene.agent.answers["session/close"] = lambda params: {}
    for _ in range(1000):
        await (await scene.client.new_session("/w")).close()
    assert list(scene.client.sessions) == ["s1"]
    assert list(scene.client._router.sessions) == ["s1"]


async def test_deleting_an_unknown_session_succeeds(scene: Stage) -> None:
    """V2-SES-20, V1-SES-10."""
    task, request = await start(scene, scene.client.delete_session("s9"), "session/delete")
    scene.agent.fail(request["id"], -32002, "not found")
    await within(task)


async def test_options_are_set_as_each_version_wants_it(scene: Stage) -> None:
    """V1-CFG-02, V2-CFG-02, V2-CFG-03, SO-15: type and value; a bad value is refused here; an empty answer waits."""
    name = "id" if scene.version == 1 else "configId"
    options = [
        {
            name: "model",
            "name": "M",
            "type": "select",
            "currentValue": "a",
            "options": [{"value": v, "name": v} for v in "ab"],
        },
        {name: "fast", "name": "F", "type": "boolean", "currentValue": False},
    ]
    scene.update("config_option_update", configOptions=options)
    for option_id, value, kind in (
        ("model", "b", {} if scene.version == 1 else {"type": "id"}),
        ("fast", True, {"type": "boolean"}),
    ):
        work = scene.session.set_config_option(option_id, value)
        task, request = await start(scene, work, "session/set_config_option")
        assert request["params"] == {"sessionId": "s1", "configId": option_id, "value": value, **kind}
        scene.agent.respond(request["id"], {})
        await within(task)
    for option_id, bad in (("model", "z"), ("fast", "yes"), ("nope", "a")):
        with pytest.raises(UsageError):
            await scene.session.set_config_option(option_id, bad)


async def test_modes_of_version_1_are_set_with_their_own_method() -> None:
    """SO-15, V1-MOD-02: shown as an option, the new value is in the state when the call returns."""
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}
    async with stage(1, agent={"session_result": {"modes": modes}}) as scene:
        task, request = await start(scene, scene.session.set_mode("code", meta={"k": 1}), "session/set_mode")
        assert request["params"] == {"sessionId": "s1", "modeId": "code", "_meta": {"k": 1}}
        scene.agent.respond(request["id"], {})
        await within(task)
        assert scene.session.snapshot.config_options[0].value == "code"


async def test_control_requests_have_a_time_limit_and_prompts_have_none(version: int) -> None:
    """UX-01, UX-05, V1-PRM-01, V2-PRM-07, SO-17: the list fails alone; the turn goes on as long as it takes."""
    async with stage(version, request_timeout=0.01) as scene:
        turn = scene.begin()
        with pytest.raises(RequestTimeout):
            await within(scene.client.list_sessions())
        assert not turn.done
        scene.finish()
        assert (await within(turn)).stop_reason == "end_turn"


# logging in


async def test_advertised_methods_are_information_only(version: int) -> None:
    """AU-01, V2-AUT-02: sessions are opened without a login."""
    async with stage(version, agent={"auth_methods": METHODS}) as scene:
        assert [method.id for method in scene.client.auth_methods] == ["token"]
        assert "authenticate" not in scene.methods()


async def test_a_login_uses_the_method_of_the_version(version: int) -> None:
    """V1-AUT-02, V2-AUT-03, V2-AUT-11: without a time limit."""
    async with stage(version, agent={"auth_methods": METHODS}, request_timeout=0.001) as scene:
        name = "authenticate" if version == 1 else "auth/login"
        task, request = await start(scene, scene.client.authenticate("token"), name)
        assert request["params"] == {"methodId": "token"}
        scene.agent.respond(request["id"], {})
        await within(task)


async def test_methods_that_are_no_call_are_refused_here(version: int) -> None:
    """AU-05, V1-AUT-01, V1-AUT-03, V2-AUT-01, V2-AUT-04, V2-AUT-05, V2-AUT-06, V2-AUT-10: with what to do instead."""
    env = {"K": "v"} if version == 1 else [{"name": "K", "value": "v"}]
    methods = [{**TERMINAL, "env": env}, FUTURE, {"type": "terminal", "id": "x", "methodId": "x"}, 5]
    async with stage(version, agent={"auth_methods": methods}) as scene:
        terminal = scene.client.auth_methods[0]
        assert (terminal.type, terminal.args, dict(terminal.env)) == ("terminal", ("--login",), {"K": "v"})
        assert [method.id for method in scene.client.auth_methods] == ["term", "f"]
        before = len(scene.agent.written)
        with pytest.raises(AuthMethodRefused, match="--login"):
            await scene.client.authenticate("term")
        with pytest.raises(AuthMethodRefused, match="nope"):
            await scene.client.authenticate("nope")
        if version == 2:
            with pytest.raises(AuthMethodRefused, match="_acme/magic"):
                await scene.client.authenticate("f")
        assert len(scene.agent.written) == before


class Chooser(Host):
    def choose_auth_method(self, methods: Any) -> str | None:
        return "token"


@pytest.mark.parametrize("works", [True, False])
async def test_a_refused_session_is_tried_once_more_after_a_login(version: int, works: bool) -> None:
    """AU-02, AU-04, V1-AUT-05, V2-AUT-07, V2-AUT-08: two attempts, never a third."""
    agent = ScriptedAgent(protocol=version, auth_methods=METHODS, auto=("initialize",))
    async with Client.connect(agent.transport, Chooser()) as client:
        task = asyncio.ensure_future(client.new_session("/w"))
        async with asyncio.timeout(BOUND):
            agent.fail((await agent.next("session/new"))["id"], -32000, "login first")
            agent.respond((await agent.next())["id"], {})
            second = await agent.next("session/new")
            if works:
                agent.respond(second["id"], {"sessionId": "s1"})
                assert (await task).id == "s1"
            else:
                agent.fail(second["id"], -32000, "login first")
                with pytest.raises(AuthRequired, match="token"):
                    await task
        assert [m["method"] for m in agent.written].count("session/new") == 2


async def test_without_a_choice_the_error_tells_the_methods(version: int) -> None:
    """AU-02, V2-AUT-08, V2-AUT-09: on any session operation, a prompt included."""
    async with stage(version, agent={"auth_methods": METHODS}) as scene:
        turn = scene.session.prompt("go")
        scene.agent.fail(scene.prompt_id(), -32000, "login first")
        with pytest.raises(AuthRequired):
            await within(turn)
        task, request = await start(scene, scene.client.list_sessions(), "session/list")
        scene.agent.fail(request["id"], -32000, "login first")
        with pytest.raises(AuthRequired) as caught:
            await within(task)
        assert [getattr(method, "id", None) for method in caught.value.methods] == ["token"]


async def test_logging_out_needs_the_offer(version: int) -> None:
    """V1-AUT-04, V2-AUT-01: version 2 offers it with its login methods."""
    async with stage(version, agent={"auth_methods": METHODS}) as scene:
        task, request = await start(scene, scene.client.logout(), "logout" if version == 1 else "auth/logout")
        scene.agent.respond(request["id"], {})
        await within(task)
