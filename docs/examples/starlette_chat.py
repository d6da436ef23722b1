"""A chat server for many users: one agent process, one session per user, any number of open pages each.

    pip install acp-client-sdk starlette "uvicorn[standard]"
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
import json
import os
import secrets
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from acp_client import LATER, AcpError, Client, Host, Message, PendingPermission, Session, SessionSnapshot, ToolCall

REPAINT = 0.05
"""Seconds in which changes are collected before they are sent: a page cannot show more."""

COOKIE = "user"


class Desk(Host):
    """Leaves the agent's questions open until a page answers."""

    async def request_permission(self, question: PendingPermission) -> Any:
        return LATER


class Chats:
    """The connection to the agent, and the session of every user."""

    def __init__(self, agent: str, folder: str) -> None:
        self._agent, self._folder = agent, folder
        self._sessions: dict[str, Session] = {}
        self._opening = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def running(self, app: Starlette) -> AsyncIterator[None]:
        async with Client.connect(self._agent, Desk()) as self._client:
            yield

    async def of(self, user: str) -> Session:
        """Return the session of a user; the first call opens it."""
        async with self._opening:
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
        """Serve one page: what changes goes out, what the user does comes in."""
        user = socket.cookies.get(COOKIE)
        if user is None or not _same_origin(socket):
            await socket.close(1008)
            return
        await socket.accept()
        session = await self.of(user)
        tasks = [asyncio.create_task(_watch(session, socket))]
        try:
            while True:
                match json.loads(await socket.receive_text()):
                    case {"prompt": str(text)}:
                        tasks.append(asyncio.create_task(_ask(session, text, socket)))
                    case {"answer": [str(question_id), str(option_id)]}:
                        _answer(session, question_id, option_id)
                    case {"stop": True}:
                        session.cancel()
        except (WebSocketDisconnect, RuntimeError):
            pass  # the page is gone; the session is not
        finally:
            for task in tasks:
                task.cancel()  # a wait that is cancelled does not cancel the turn


def _same_origin(socket: WebSocket) -> bool:
    """Say whether the page came from here: a browser sends the cookie along for pages of other sites, too."""
    origin = socket.headers.get("origin")
    return origin is None or origin.partition("://")[2] == socket.headers.get("host")


async def _watch(session: Session, socket: WebSocket) -> None:
    """Send the session, then what of it is not the same any more."""
    sent: dict[str, Any] = {}
    events = session.events()
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await socket.send_json(_changes(session.snapshot, sent))
        async for _ in events:
            await asyncio.sleep(REPAINT)  # what comes meanwhile is in the snapshot as well
            await socket.send_json(_changes(session.snapshot, sent))
        await socket.send_json({"problem": "the agent is gone"})


def _changes(snapshot: SessionSnapshot, sent: dict[str, Any]) -> dict[str, Any]:
    changed = [item for item in snapshot.items if sent.get(item.key) is not item]
    sent.update({item.key: item for item in changed})
    return {
        "state": snapshot.state,
        "stopReason": snapshot.stop_reason,
        "items": [{"key": item.key, **_shown(item)} for item in changed],
        "questions": [
            {"id": question.id, "title": question.title, "options": [[o.option_id, o.name] for o in question.options]}
            for question in snapshot.pending
            if isinstance(question, PendingPermission)
        ],
    }


def _shown(item: Any) -> dict[str, str]:
    match item:
        case Message():
            return {"kind": item.role, "text": item.text}
        case ToolCall():
            return {"kind": "tool", "text": f"{item.title or item.kind} ({item.status})"}
        case _:
            return {"kind": item.type, "text": item.type}


async def _ask(session: Session, text: str, socket: WebSocket) -> None:
    """Prompt, and tell the page that did so when it does not end well."""
    try:
        await session.prompt(text).wait()
    except AcpError as error:
        await socket.send_json({"problem": str(error)})


def _answer(session: Session, question_id: str, option_id: str) -> None:
    for question in session.pending:
        if question.id == question_id and isinstance(question, PendingPermission):
            question.select(option_id)


PAGE = """<!doctype html><meta charset="utf-8"><title>Agent</title>
<style>body{font-family:sans-serif;max-width:48rem;margin:auto}.user{text-align:right}.thought{opacity:.6}
#items div{white-space:pre-wrap;margin:.5em 0}</style>
<div id="items"></div><div id="questions"></div>
<form><input autofocus size="60"> <button>Send</button> <button type="button" id="stop">Stop</button></form>
<p id="state"></p>
<script>
const [items, questions, form, state] = ["#items", "#questions", "form", "#state"].map((q) => document.querySelector(q));
let socket;
const send = (order) => socket.send(JSON.stringify(order));
form.onsubmit = (event) => { event.preventDefault(); send({ prompt: form[0].value }); form.reset(); };
document.querySelector("#stop").onclick = () => send({ stop: true });
function show(changes) {
  if (changes.problem) { state.textContent = changes.problem; return; }
  for (const { key, kind, text } of changes.items) {
    let line = document.getElementById(key);
    if (!line) { line = items.appendChild(document.createElement("div")); line.id = key; line.className = kind; }
    line.textContent = text;
  }
  questions.replaceChildren(...changes.questions.map(({ id, title, options }) => {
    const box = document.createElement("p");
    box.append(title, " ", ...options.map(([option, name]) => {
      const button = document.createElement("button");
      button.textContent = name;
      button.onclick = () => send({ answer: [id, option] });
      return button;
    }));
    return box;
  }));
  state.textContent = changes.state + (changes.state === "idle" && changes.stopReason ? ` (${changes.stopReason})` : "");
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
    return Starlette(routes=routes, lifespan=chats.running)


def main() -> None:
    """Serve on this machine."""
    parser = argparse.ArgumentParser(description="A chat server for a coding agent.")
    parser.add_argument("agent", nargs="?", default="demo", help="command line or ws:// URL of the agent")
    parser.add_argument("--port", type=int, default=8080)
    options = parser.parse_args()
    uvicorn.run(application(options.agent, os.getcwd()), host="127.0.0.1", port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
