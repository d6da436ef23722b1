"""The demo agent: an agent without a model, for demonstrations, hosts under development, and tests.

It speaks both protocol versions, by negotiation. Words in the prompt choose what a turn does:

- `tool` (or `permission`): a tool call with a diff that asks for permission; `perm2`: two questions at once
- `slow`: a slow part worth cancelling; `hang`: one that ignores the cancel
- `plan`, `think`, `usage`, `elicit`, `big=KB`, `unknown`, `error`, `refuse`, `exit`

Anything else gets a streamed answer. Everything it does is written on dicts, so that it is independent of the client
it serves.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

Json: TypeAlias = Any
Send: TypeAlias = Callable[[Json], None]

OPTIONS = [
    {"optionId": "allow-once", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "allow-always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "reject-once", "name": "Reject", "kind": "reject_once"},
    {"optionId": "reject-always", "name": "Always reject", "kind": "reject_always"},
]
MODES = [("ask", "Ask"), ("auto", "Never ask")]
ANSWER = (
    "This is the **demo agent**. It has no model behind it; it plays a fixed part so that you can see a host at work. "
)


class Refusal(Exception):
    """A request is answered with an error."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        super().__init__(code, message, data)
        self.code, self.message, self.data = code, message, data


class Stopped(Exception):
    """The turn was cancelled."""


class DemoSession:
    """One conversation; it outlives the connection it was made on."""

    def __init__(self, session_id: str, cwd: str) -> None:
        self.id, self.cwd = session_id, cwd
        self.history: list[Json] = []
        self.title: str | None = None
        self.mode = "ask"
        self.turn: asyncio.Task[None] | None = None
        self.cancelled = False
        self.state = "idle"


class DemoAgent:
    """The agent's side of one connection: `receive` what the client writes, everything else goes out by `send`.

    `versions` are those it may agree on, `step` the seconds between two pieces of text. `sessions` may be shared by
    several connections, so that a session can be loaded again.
    """

    def __init__(
        self,
        send: Send,
        *,
        versions: tuple[int, ...] = (1, 2),
        step: float = 0.02,
        sessions: dict[str, DemoSession] | None = None,
    ) -> None:
        self._send = send
        self._versions = versions
        self.step = step
        self.sessions = {} if sessions is None else sessions
        self.version = 0
        self._client: Json = {}
        self._ids = itertools.count()
        self._serial = itertools.count(1)
        self._asked: dict[Json, asyncio.Future[Json]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def receive(self, message: Json) -> None:
        """Act on one message of the client."""
        if not isinstance(message, dict):
            self._send(_error(None, -32600, "a message must be an object"))
        elif "method" not in message:
            self._on_answer(message)
        elif "id" in message:
            self._spawn(self._serve(message))
        else:
            # As a task too, so that it acts behind the requests that came before it.
            self._spawn(self._on_notification(message["method"], message.get("params") or {}))

    async def aclose(self) -> None:
        """End every turn."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # requests of the client

    async def _serve(self, message: Json) -> None:
        request_id, method, params = message["id"], message["method"], message.get("params") or {}
        try:
            if not self.version and method != "initialize":
                raise Refusal(-32600, "first request must be initialize")
            handler = self._handlers().get(method)
            if handler is None:
                raise Refusal(-32601, f"no such method: {method}")
            result = await handler(params)
        except Refusal as refusal:
            self._send(_error(request_id, refusal.code, refusal.message, refusal.data))
        else:
            self._send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def _handlers(self) -> dict[str, Callable[[Json], Coroutine[Any, Any, Json]]]:
        shared: dict[str, Callable[[Json], Coroutine[Any, Any, Json]]] = {
            "initialize": self._initialize,
            "session/new": self._new,
            "session/list": self._list,
            "session/resume": self._resume,
            "session/close": self._close,
            "session/delete": self._delete,
            "session/prompt": self._prompt,
            "session/set_config_option": self._set_option,
        }
        return (
            {**shared, "session/load": self._load, "session/set_mode": self._set_mode} if self.version == 1 else shared
        )

    async def _initialize(self, params: Json) -> Json:
        asked = params.get("protocolVersion")
        if type(asked) is not int:
            raise Refusal(-32602, "protocolVersion must be an integer")
        possible = [version for version in self._versions if version <= asked]
        if not possible:
            raise Refusal(-32022, "unsupported version", {"requested": asked, "supported": list(self._versions)})
        self.version = max(possible)
        info = {"name": "demo-agent", "title": "Demo agent", "version": "1.0"}
        if self.version == 1:
            self._client = params.get("clientCapabilities") or {}
            prompt = {"image": True, "audio": True, "embeddedContext": True}
            session: Json = {"list": {}, "resume": {}, "close": {}, "delete": {}}
            offers: Json = {"loadSession": True, "promptCapabilities": prompt, "sessionCapabilities": session}
            return {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": offers, "authMethods": []}
        self._client = params.get("capabilities") or {}
        session = {"prompt": {"image": {}, "audio": {}, "embeddedContext": {}}, "mcp": {"stdio": {}}, "delete": {}}
        return {"protocolVersion": 2, "info": info, "capabilities": {"session": session}, "authMethods": []}

    async def _new(self, params: Json) -> Json:
        cwd = params.get("cwd")
        if not isinstance(cwd, str) or not cwd:
            raise Refusal(-32602, "cwd must be a path")
        session = DemoSession(f"demo-{os.getpid()}-{len(self.sessions) + 1}", cwd)
        self.sessions[session.id] = session
        return {"sessionId": session.id, **self._settings(session)}

    def _settings(self, session: DemoSession) -> dict[str, Json]:
        choices = [{"value": value, "name": name} for value, name in MODES]
        option = {
            "name": "Mode",
            "category": "mode",
            "type": "select",
            "currentValue": session.mode,
            "options": choices,
        }
        return {"configOptions": [{"id" if self.version == 1 else "configId": "mode", **option}]}

    async def _list(self, params: Json) -> Json:
        wanted = params.get("cwd")
        entries = [
            {"sessionId": session.id, "cwd": session.cwd, "title": session.title}
            for session in self.sessions.values()
            if wanted is None or session.cwd == wanted
        ]
        return {"sessions": entries}

    async def _load(self, params: Json) -> Json:
        session = self._session(params)
        self._replay(session)
        return self._settings(session)

    async def _resume(self, params: Json) -> Json:
        session = self._session(params)
        if self.version == 2:
            if (params.get("replayFrom") or {}).get("type") == "start":
                self._replay(session)
            self._write_update(session, {"sessionUpdate": "state_update", "state": session.state})
        return self._settings(session)

    def _replay(self, session: DemoSession) -> None:
        for update in list(session.history):
            self._write_update(session, update)

    async def _close(self, params: Json) -> Json:
        await self._end_turn(self._session(params))
        return {}

    async def _delete(self, params: Json) -> Json:
        session = self.sessions.pop(params.get("sessionId"), None)
        if session is not None:
            await self._end_turn(session)
        return {}

    async def _end_turn(self, session: DemoSession) -> None:
        self._cancel(session)
        if session.turn is not None:
            await asyncio.wait([session.turn])

    async def _set_option(self, params: Json) -> Json:
        session = self._session(params)
        if params.get("configId") != "mode" or params.get("value") not in dict(MODES):
            raise Refusal(-32602, "no such option or value")
        session.mode = params["value"]
        return self._settings(session)

    async def _set_mode(self, params: Json) -> Json:
        session = self._session(params)
        if params.get("modeId") not in dict(MODES):
            raise Refusal(-32602, "no such mode")
        session.mode = params["modeId"]
        self._write_update(session, {"sessionUpdate": "current_mode_update", "currentModeId": session.mode})
        return {}

    def _session(self, params: Json) -> DemoSession:
        session = self.sessions.get(params.get("sessionId"))
        if session is None:
            raise Refusal(-32002, "no such session", {"sessionId": params.get("sessionId")})
        return session

    # what the client says besides

    def _on_answer(self, message: Json) -> None:
        future = self._asked.pop(message.get("id"), None)
        if future is not None and not future.done():
            future.set_result(message)

    async def _on_notification(self, method: str, params: Json) -> None:
        if method == "session/cancel" and params.get("sessionId") in self.sessions:
            self._cancel(self.sessions[params["sessionId"]])

    def _cancel(self, session: DemoSession) -> None:
        if session.turn is not None and not session.turn.done():
            session.cancelled = True
            session.turn.cancel()

    # a turn

    async def _prompt(self, params: Json) -> Json:
        session = self._session(params)
        blocks = params.get("prompt")
        if not isinstance(blocks, list) or not blocks:
            raise Refusal(-32602, "prompt must not be empty")
        if session.turn is not None and not session.turn.done():
            raise Refusal(-32600, "a turn is already in progress")
        words = " ".join(str(block.get("text", "")) for block in blocks).lower().split()
        session.title = session.title or " ".join(words)[:40]
        session.cancelled = False
        if self.version == 1:
            for block in blocks:
                session.history.append({"sessionUpdate": "user_message_chunk", "content": block})
            end = await self._start_turn(session, words)
            if isinstance(end, Refusal):
                raise end
            return {"stopReason": end}
        message_id = f"user-{next(self._serial)}"
        self._update(session, {"sessionUpdate": "user_message", "messageId": message_id, "content": blocks})
        self._spawn(self._report_end(session, self._start_turn(session, words)))
        return {"messageId": message_id}

    def _start_turn(self, session: DemoSession, words: list[str]) -> Coroutine[Any, Any, str | Refusal]:
        """Start a turn at once, so that a cancel right behind its prompt finds it; await the rest for its end."""
        outcome: list[str | Refusal] = ["cancelled"]
        turn = session.turn = self._spawn(self._run(session, words, outcome))

        async def end() -> str | Refusal:
            await asyncio.wait([turn])
            return outcome[0]

        return end()

    async def _report_end(self, session: DemoSession, turn: Coroutine[Any, Any, str | Refusal]) -> None:
        """Version 2: say how a turn ended once it has."""
        end = await turn
        if isinstance(end, Refusal):
            self._state(session, "idle", stopReason="error", error={"code": end.code, "message": end.message})
        else:
            self._state(session, "idle", stopReason=end)

    def _state(self, session: DemoSession, state: str, **fields: Json) -> None:
        session.state = state
        self._write_update(session, {"sessionUpdate": "state_update", "state": state, **fields})

    async def _run(self, session: DemoSession, words: list[str], outcome: list[str | Refusal]) -> None:
        try:
            if self.version == 2:
                self._state(session, "running")
            outcome[0] = await _Turn(self, session).play(words)
        except Refusal as refusal:
            outcome[0] = refusal
        except (Stopped, asyncio.CancelledError):
            outcome[0] = "cancelled"

    # what a turn needs

    def _update(self, session: DemoSession, update: Json) -> None:
        session.history.append(update)
        self._write_update(session, update)

    def _write_update(self, session: DemoSession, update: Json) -> None:
        params = {"sessionId": session.id, "update": update}
        self._send({"jsonrpc": "2.0", "method": "session/update", "params": params})

    async def _ask(self, method: str, params: Json) -> Json:
        """Send a request and return the whole answer; withdraws it when the turn is cancelled."""
        request_id = next(self._ids)
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._asked[request_id] = future
        self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        try:
            return await future
        finally:
            self._asked.pop(request_id, None)


class _Turn:
    """One turn of the demo agent."""

    def __init__(self, agent: DemoAgent, session: DemoSession) -> None:
        self._agent, self._session = agent, session
        number = next(agent._serial)
        self._message, self._thought, self._tool = f"agent-{number}", f"thought-{number}", f"tool-{number}"

    async def play(self, words: list[str]) -> str:
        """Do what the words say and return the stop reason."""
        parts = {word.partition("=")[0]: word.partition("=")[2] for word in words}
        if "think" in parts or "tool" in parts or "permission" in parts:
            self._chunk("agent_thought_chunk", self._thought, "The user wants to see something. ")
        if "plan" in parts or "tool" in parts:
            self._plan("in_progress")
        await self._say(ANSWER)
        if "error" in parts:
            raise Refusal(-32603, "the demo agent was asked to fail")
        if "exit" in parts:
            os._exit(3)
        await self._extras(parts)
        if parts.keys() & {"tool", "permission", "perm", "perm2"}:
            ids = [f"{self._tool}a", f"{self._tool}b"] if "perm2" in parts else [self._tool]
            await asyncio.gather(*(self._edit(tool_call_id) for tool_call_id in ids))
        if parts.keys() & {"slow", "wait"}:
            for number in range(int(parts.get("slow") or 200)):
                await self._say(f"{number} ", self._agent.step * 5)
        if "hang" in parts:
            await self._hang()
        return "refusal" if "refuse" in parts else "end_turn"

    async def _extras(self, parts: dict[str, str]) -> None:
        if "usage" in parts:
            cost = {"amount": 0.01, "currency": "USD"}
            self._update({"sessionUpdate": "usage_update", "used": 1200, "size": 200000, "cost": cost})
        if "unknown" in parts:
            self._update({"sessionUpdate": "_demo/update", "value": 1})
        if "big" in parts:
            await self._say("x" * 1024 * int(parts["big"] or 64))
        if "elicit" in parts:
            await self._elicit()

    async def _hang(self) -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                if not self._session.cancelled:
                    raise
                self._session.cancelled = False  # this part of the play ignores the cancel

    async def _edit(self, tool_call_id: str) -> None:
        """Change a file, in words only, after asking."""
        call = {"toolCallId": tool_call_id, "title": "Edit greeting.txt", "kind": "edit", "status": "pending"}
        first = "tool_call" if self._agent.version == 1 else "tool_call_update"
        self._update({"sessionUpdate": first, **call, "content": [self._diff()]})
        allowed = self._session.mode == "auto" or await self._may(call)
        self._tool_update(tool_call_id, "in_progress" if allowed else "failed")
        if allowed:
            await asyncio.sleep(self._agent.step)
            self._tool_update(tool_call_id, "completed")
        await self._say("The file was changed. " if allowed else "The file was left alone. ")
        self._plan("completed")

    def _diff(self) -> Json:
        path = f"{self._session.cwd.rstrip('/')}/greeting.txt"
        if self._agent.version == 1:
            return {"type": "diff", "path": path, "oldText": "hello\n", "newText": "hello, world\n"}
        patch = f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-hello\n+hello, world\n"
        change = {"operation": "modify", "path": path}
        return {"type": "diff", "changes": [change], "patch": {"format": "git_patch", "text": patch}}

    def _tool_update(self, tool_call_id: str, status: str) -> None:
        self._update({"sessionUpdate": "tool_call_update", "toolCallId": tool_call_id, "status": status})

    async def _may(self, call: Json) -> bool:
        agent = self._agent
        params: dict[str, Json] = {"sessionId": self._session.id, "options": OPTIONS}
        if agent.version == 1:
            params["toolCall"] = call
        else:
            params |= {"title": "Edit greeting.txt?", "subject": {"type": "tool_call", "toolCall": call}}
            agent._state(self._session, "requires_action")
        answer = await agent._ask("session/request_permission", params)
        outcome = (answer.get("result") or {}).get("outcome") or {}
        if outcome.get("outcome") != "selected":
            raise Stopped
        if agent.version == 2:
            agent._state(self._session, "running")
        return str(outcome.get("optionId", "")).startswith("allow")

    async def _elicit(self) -> None:
        schema = {"type": "object", "properties": {"name": {"type": "string", "title": "Name"}}, "required": ["name"]}
        params: Json = {
            "mode": "form",
            "sessionId": self._session.id,
            "message": "Who are you?",
            "requestedSchema": schema,
        }
        answer = await self._agent._ask("elicitation/create", params)
        await self._say(f"elicitation: {json.dumps(answer.get('result', answer.get('error')))} ")

    def _plan(self, status: str) -> None:
        entries = [
            {"content": "Answer", "priority": "high", "status": "completed"},
            {"content": "Change the file", "priority": "medium", "status": status},
        ]
        if self._agent.version == 1:
            self._update({"sessionUpdate": "plan", "entries": entries})
        else:
            plan = {"type": "items", "planId": "demo", "entries": entries}
            self._update({"sessionUpdate": "plan_update", "plan": plan})

    async def _say(self, text: str, step: float | None = None) -> None:
        for word in text.split(" ") if len(text) < 1000 else [text]:
            if word:
                self._chunk("agent_message_chunk", self._message, word + " ")
                await asyncio.sleep(self._agent.step if step is None else step)

    def _chunk(self, kind: str, message_id: str, text: str) -> None:
        content = {"type": "text", "text": text}
        self._update({"sessionUpdate": kind, "messageId": message_id, "content": content})

    def _update(self, update: Json) -> None:
        self._agent._update(self._session, update)


def _error(request_id: Json, code: int, message: str, data: Json = None) -> Json:
    error = {"code": code, "message": message} if data is None else {"code": code, "message": message, "data": data}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}
