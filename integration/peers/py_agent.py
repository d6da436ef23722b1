"""An agent on the official Python SDK that does what the words of a prompt say. No model, no account. Version 1 only.

Runs in the environment of the `python-sdk` peer, over stdio, and knows nothing of this project. Words, played in order:
plain think hold perm perm2 plan mode files extension big=KB error refuse
"""

from __future__ import annotations

import asyncio
import importlib
import json
import uuid
from collections.abc import Sequence
from typing import Any

acp = importlib.import_module("acp")  # in the environment of the peer only
schema = importlib.import_module("acp.schema")

OPTIONS = [
    schema.PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    schema.PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


class Cancelled(Exception):
    """The client cancelled the turn, or dismissed a question of it."""


class Session:
    """One conversation and what was said in it."""

    def __init__(self, cwd: str) -> None:
        self.id = uuid.uuid4().hex
        self.cwd = cwd
        self.history: list[Any] = []
        self.stop = asyncio.Event()


class Turn:
    """One prompt: what a session and a connection can do for its words."""

    def __init__(self, client: Any, session: Session) -> None:
        self.client, self.session = client, session

    async def play(self, prompt: Sequence[Any]) -> str:
        for word in " ".join(getattr(block, "text", "") for block in prompt).split():
            name, _, value = word.partition("=")
            action = getattr(self, f"do_{name}", None)
            if action is not None and (stop_reason := await action(value)):
                return str(stop_reason)
        return "end_turn"

    async def update(self, update: Any) -> None:
        self.session.history.append(update)
        await self.client.session_update(self.session.id, update)

    async def say(self, text: str) -> None:
        await self.update(acp.update_agent_message_text(text))

    async def ask_permission(self, name: str) -> None:
        call = {"title": "Run `make`", "kind": "execute", "status": "pending"}
        await self.update(acp.start_tool_call(name, raw_input={"command": "make"}, **call))
        answer = await self.client.request_permission(
            session_id=self.session.id, tool_call=schema.ToolCallUpdate(tool_call_id=name, **call), options=OPTIONS
        )
        if answer.outcome.outcome == "cancelled":
            raise Cancelled
        allowed = answer.outcome.option_id == "yes"
        content = [acp.tool_content(acp.text_block("made" if allowed else "refused"))]
        await self.update(acp.update_tool_call(name, status="completed" if allowed else "failed", content=content))
        await self.say(f"permission:{answer.outcome.option_id} ")

    async def do_plain(self, value: str) -> None:
        for piece in ("Hello ", "from ", "Python. "):
            await self.say(piece)

    async def do_think(self, value: str) -> None:
        await self.update(acp.update_agent_thought_text("hmm "))

    async def do_hold(self, value: str) -> None:
        await self.say("holding ")
        await self.session.stop.wait()
        raise Cancelled

    async def do_perm(self, value: str) -> None:
        await self.ask_permission(f"call-{len(self.session.history)}")

    async def do_perm2(self, value: str) -> None:
        ends = await asyncio.gather(self.ask_permission("a"), self.ask_permission("b"), return_exceptions=True)
        for end in ends:
            if isinstance(end, BaseException):
                raise end

    async def do_plan(self, value: str) -> None:
        entries = [acp.plan_entry("Look", priority="high", status="completed"), acp.plan_entry("Do")]
        await self.update(acp.update_plan(entries))

    async def do_mode(self, value: str) -> None:
        await self.update(schema.CurrentModeUpdate(session_update="current_mode_update", current_mode_id="code"))

    async def do_files(self, value: str) -> None:
        path = f"{self.session.cwd}/made.txt"
        await self.client.write_text_file(content="one\ntwo\n", path=path, session_id=self.session.id)
        read = await self.client.read_text_file(path=path, session_id=self.session.id, line=2, limit=1)
        await self.say(f"files:{json.dumps(read.content)} ")

    async def do_extension(self, value: str) -> None:
        try:
            answer = await self.client.ext_method("peer/ping", {"n": 1})
        except acp.RequestError as error:
            answer = {"code": error.code}
        await self.say(f"extension:{json.dumps(answer)} ")

    async def do_big(self, value: str) -> None:
        await self.say("x" * (1024 * int(value)))

    async def do_error(self, value: str) -> None:
        raise acp.RequestError.internal_error({"why": "asked"})

    async def do_refuse(self, value: str) -> str:
        return "refusal"


class PyAgent:
    """What the SDK calls."""

    def __init__(self) -> None:
        self.client: Any = None
        self.sessions: dict[str, Session] = {}

    def on_connect(self, client: Any) -> None:
        self.client = client

    async def initialize(self, protocol_version: int, **others: Any) -> Any:
        abilities = schema.SessionCapabilities(
            list=schema.SessionListCapabilities(),
            resume=schema.SessionResumeCapabilities(),
            close=schema.SessionCloseCapabilities(),
        )
        content = schema.PromptCapabilities(image=True, audio=True, embedded_context=True)
        return schema.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=schema.Implementation(name="python-agent", title="Agent on the Python SDK", version="1.0.0"),
            agent_capabilities=schema.AgentCapabilities(
                load_session=True, prompt_capabilities=content, session_capabilities=abilities
            ),
        )

    def modes(self) -> Any:
        modes = [schema.SessionMode(id="ask", name="Ask"), schema.SessionMode(id="code", name="Code")]
        return schema.SessionModeState(current_mode_id="ask", available_modes=modes)

    def find(self, session_id: str) -> Session:
        if session_id not in self.sessions:
            raise acp.RequestError.resource_not_found(session_id)
        return self.sessions[session_id]

    async def new_session(self, cwd: str, **others: Any) -> Any:
        session = Session(cwd)
        self.sessions[session.id] = session
        return schema.NewSessionResponse(session_id=session.id, modes=self.modes())

    async def list_sessions(self, **others: Any) -> Any:
        known = [schema.SessionInfo(session_id=session.id, cwd=session.cwd) for session in self.sessions.values()]
        return schema.ListSessionsResponse(sessions=known)

    async def load_session(self, session_id: str, **others: Any) -> Any:
        for update in self.find(session_id).history:
            await self.client.session_update(session_id, update)
        return schema.LoadSessionResponse(modes=self.modes())

    async def resume_session(self, session_id: str, **others: Any) -> Any:
        self.find(session_id)
        return schema.ResumeSessionResponse(modes=self.modes())

    async def close_session(self, session_id: str, **others: Any) -> Any:
        self.find(session_id)
        return schema.CloseSessionResponse()

    async def set_session_mode(self, mode_id: str, session_id: str, **others: Any) -> Any:
        return schema.SetSessionModeResponse()

    async def cancel(self, session_id: str, **others: Any) -> None:
        self.find(session_id).stop.set()

    async def prompt(self, prompt: Sequence[Any], session_id: str, **others: Any) -> Any:
        session = self.find(session_id)
        session.stop.clear()
        session.history.extend(acp.update_user_message(block) for block in prompt)
        try:
            return schema.PromptResponse(stop_reason=await Turn(self.client, session).play(prompt))
        except Cancelled:
            return schema.PromptResponse(stop_reason="cancelled")


if __name__ == "__main__":
    asyncio.run(acp.run_agent(PyAgent(), use_unstable_protocol=True))
