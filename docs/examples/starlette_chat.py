"""A chat server for many users: one agent process, one session per user, any number of open pages each.

    pip install acp-client-sdk starlette uvicorn websockets
    python starlette_chat.py "npx my-agent --acp"

A page that connects, for the first time or again, gets the whole session, then what changes. Pages are viewers: when
the last one of a user is closed, the turn goes on, its questions stay open, and the next page shows them.

A cookie tells users apart. Put a login in its place before anybody else can reach the server, and run one process:
a second one would not hold the sessions of the first.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import difflib
import json
import os
import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from acp_client import (
    LATER,
    AcpError,
    Client,
    Diff,
    Host,
    Message,
    PendingPermission,
    Plan,
    Session,
    SessionSnapshot,
    Text,
    ToolCall,
)

REPAINT = 0.05
"""Seconds in which changes are collected before they are sent: a page cannot show more."""

SHUTDOWN_GRACE = 2
"""Seconds that open pages may hold up the end of the server; one that waits for the agent to start would for longer."""

COOKIE = "user"

NAMES = ["127.0.0.1", "localhost"]
"""How browsers may call this server: add yours. Sites whose names were made to lead here are turned away."""


class Desk(Host):
    """Leaves the agent's questions open until a page answers."""

    async def request_permission(self, question: PendingPermission) -> Any:
        return LATER


class Chats:
    """The agent, and the session of every user. The first user starts the agent, and the first after its end again."""

    def __init__(self, agent: str, folder: str) -> None:
        self._agent, self._folder = agent, folder
        self._client: Client | None = None
        self._sessions: dict[str, Session] = {}
        self._opening = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def running(self, app: Starlette) -> AsyncIterator[None]:
        """Hold the agent while the server runs."""
        yield
        async with self._opening:  # an attempt that was given up ends its agent first
            if self._client is not None:
                await self._client.aclose()

    async def of(self, user: str) -> Session:
        """Return the session of a user; the first call opens it."""
        async with self._opening:
            if self._client is None or self._client.closed:
                self._sessions.clear()
                self._client = await Client.connect(self._agent, Desk())
            if user not in self._sessions:
                self._sessions[user] = await self._client.new_session(self._folder)
        return self._sessions[user]

    # what is served

    async def page(self, request: Request) -> Response:
        response = HTMLResponse(PAGE)
        if COOKIE not in request.cookies:
            response.set_cookie(COOKIE, secrets.token_urlsafe(), httponly=True, samesite="strict")
        return response

    async def talk(self, socket: WebSocket) -> None:
        """Serve one page for as long as it is open."""
        user = socket.cookies.get(COOKIE)
        if user is None or not _same_origin(socket):
            await socket.close(1008)
            return
        await socket.accept()
        try:
            viewer = Viewer(await self.of(user), socket)
        except AcpError as error:
            await _tell(socket, {"problem": str(error)})
            await socket.close(1011)
            return
        await viewer.serve()


def _same_origin(socket: WebSocket) -> bool:
    """Say whether the page came from here: a browser sends the cookie along for pages of other sites, too."""
    origin = socket.headers.get("origin")
    return origin is None or origin.partition("://")[2] == socket.headers.get("host")


async def _tell(socket: WebSocket, message: dict[str, Any]) -> None:
    """Send something, unless the page is gone, which is nobody's fault."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await socket.send_json(message)


class Viewer:
    """One open page: what changes goes out, what the user does comes in. Owns nothing of the session."""

    def __init__(self, session: Session, socket: WebSocket) -> None:
        self._session, self._socket = session, socket
        self._sent: dict[str, Any] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Work until the page is closed."""
        self._spawn(self._watch())
        try:
            while True:
                order = json.loads(await self._socket.receive_text())
                try:
                    self._obey(order)
                except AcpError as error:
                    await _tell(self._socket, {"problem": str(error)})
        except WebSocketDisconnect:
            return  # the page is gone; the session is not
        except ValueError:
            await self._socket.close(1003)
        finally:
            for task in self._tasks:
                task.cancel()  # a wait that is cancelled does not cancel the turn

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # in

    def _obey(self, order: Any) -> None:
        match order:
            case {"prompt": str(text)}:
                self._spawn(self._ask(text))
            case {"answer": [str(question_id), str(option_id)]}:
                for question in self._session.pending:
                    if question.id == question_id and isinstance(question, PendingPermission):
                        question.select(option_id)
            case {"stop": True}:
                self._session.cancel()
            case _:
                raise ValueError(f"no such order: {order!r}")

    async def _ask(self, text: str) -> None:
        """Prompt, and tell the page that did so when it does not end well."""
        try:
            await self._session.prompt(text).wait()
        except AcpError as error:
            await _tell(self._socket, {"problem": str(error)})

    # out

    async def _watch(self) -> None:
        """Send the whole session, then what of it is not the same any more."""
        events = self._session.events()  # before the snapshot, so that nothing falls in between
        version = await self._send_changes(whole=True)
        async for _ in events:
            await asyncio.sleep(REPAINT)  # what comes meanwhile is in the snapshot as well
            if self._session.snapshot.version != version:
                version = await self._send_changes()
        await _tell(self._socket, {"problem": f"{self._session.client.lost_cause}; reload to start again"})

    async def _send_changes(self, *, whole: bool = False) -> int:
        """Send what the page does not show yet; returns the version that it shows then."""
        snapshot = self._session.snapshot
        items = {item.key: item for item in snapshot.items}
        changed = [item for item in snapshot.items if self._sent.get(item.key) is not item]
        gone = list(self._sent.keys() - items.keys())
        self._sent = items
        await _tell(
            self._socket,
            {
                "whole": whole,
                "version": snapshot.version,
                "state": snapshot.state,
                "stopReason": snapshot.stop_reason,
                "items": [{"key": item.key, **_shown(item)} for item in changed],
                "gone": gone,
                "questions": _questions(snapshot),
            },
        )
        return snapshot.version


def _questions(snapshot: SessionSnapshot) -> list[dict[str, Any]]:
    return [
        {
            "id": question.id,
            "text": "\n".join(filter(None, (question.title, question.description, question.command))),
            "options": [[option.option_id, option.name] for option in question.options],
        }
        for question in snapshot.pending
        if isinstance(question, PendingPermission)
    ]


def _shown(item: Any) -> dict[str, str]:
    match item:
        case Message():
            return {"kind": item.role, "text": item.text}
        case ToolCall():
            return {"kind": "tool", "text": "\n".join((f"{item.title or item.kind} ({item.status})", *_details(item)))}
        case Plan():
            return {"kind": "plan", "text": "\n".join(f"{step.content} ({step.status})" for step in item.entries)}
        case _:
            return {"kind": item.type, "text": item.type}


def _details(call: ToolCall) -> Iterator[str]:
    """Yield the lines of what a tool call shows; nobody should allow a change that they have not seen."""
    for content in call.content:
        match content:
            case Text():
                yield content.text
            case Diff(patch=str(patch)):
                yield patch
            case Diff():
                for change in content.changes:
                    old, new = (change.old_text or "").splitlines(), (change.new_text or "").splitlines()
                    yield from difflib.unified_diff(old, new, change.old_path or change.path, change.path, lineterm="")


PAGE = """<!doctype html><meta charset="utf-8"><title>Agent</title>
<style>body{font:16px/1.5 sans-serif;max-width:48rem;margin:1rem auto;padding:0 1rem}
#items div{white-space:pre-wrap;margin:.5rem 0}#items .user{margin-left:auto;width:fit-content;background:#e3f2fd;
padding:.5rem 1rem;border-radius:1rem}.thought,#state{opacity:.65}
#items .tool{font:13px/1.4 monospace;border:1px solid #ccc;border-radius:4px;padding:.5rem}
#questions p{white-space:pre-wrap;border:2px solid #fb8c00;border-radius:4px;padding:.5rem}
form{display:flex;gap:.5rem}input{flex:1}input,button{font:inherit;padding:.3rem .8rem}</style>
<div id="items"></div><div id="questions"></div>
<form><input autofocus autocomplete="off" placeholder="Ask the agent"><button id="send">Send</button>
<button type="button" id="stop">Stop</button></form>
<p id="state"></p>
<script>
const [items, questions, form, state, stop] = ["#items", "#questions", "form", "#state", "#stop"].map(
  (name) => document.querySelector(name));
const lines = new Map();
let socket;
const send = (order) => socket.send(JSON.stringify(order));
form.onsubmit = (event) => { event.preventDefault(); send({ prompt: form[0].value }); form.reset(); };
stop.onclick = () => send({ stop: true });
function show(changes) {
  if (changes.problem) { state.textContent = changes.problem; return; }
  if (changes.whole) { items.replaceChildren(); lines.clear(); }
  for (const key of changes.gone) { lines.get(key).remove(); lines.delete(key); }
  for (const { key, kind, text } of changes.items) {
    if (!lines.has(key)) lines.set(key, items.appendChild(document.createElement("div")));
    lines.get(key).className = kind;
    lines.get(key).textContent = text;
  }
  questions.replaceChildren(...changes.questions.map(({ id, text, options }) => {
    const box = document.createElement("p");
    box.append(text, document.createElement("br"), ...options.flatMap(([option, name]) => {
      const button = document.createElement("button");
      button.textContent = name;
      button.onclick = () => send({ answer: [id, option] });
      return [button, " "];
    }));
    return box;
  }));
  const idle = changes.state === "idle";
  [document.querySelector("#send").disabled, stop.disabled] = [!idle, idle];
  state.textContent = changes.state + (idle && changes.stopReason ? ` (${changes.stopReason})` : "");
  window.scrollTo(0, document.body.scrollHeight);
}
function connect() {
  socket = new WebSocket(location.href.replace(/^http/, "ws") + "talk");
  socket.onmessage = (message) => show(JSON.parse(message.data));
  socket.onclose = () => setTimeout(connect, 1000);
}
connect();
</script>"""


def application(agent: str, folder: str) -> Starlette:
    """Return the server."""
    chats = Chats(agent, folder)
    routes = [Route("/", chats.page), WebSocketRoute("/talk", chats.talk)]
    names = Middleware(TrustedHostMiddleware, allowed_hosts=NAMES)
    return Starlette(routes=routes, middleware=[names], lifespan=chats.running)


def main() -> None:
    """Serve on this machine."""
    parser = argparse.ArgumentParser(description="A chat server for a coding agent.")
    default = os.environ.get("ACP_AGENT", "demo")
    parser.add_argument("agent", nargs="?", default=default, help="command line or ws:// URL; default: $ACP_AGENT")
    parser.add_argument("--port", type=int, default=8080)
    options = parser.parse_args()
    uvicorn.run(
        application(options.agent, os.getcwd()),
        host="127.0.0.1",
        port=options.port,
        log_level="warning",
        timeout_graceful_shutdown=SHUTDOWN_GRACE,
    )


if __name__ == "__main__":
    main()
