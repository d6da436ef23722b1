"""A chat page for a coding agent, in one file.

    pip install acp-client-sdk nicegui
    python nicegui_chat.py "npx my-agent --acp"

One agent and one session for everybody who opens the page: a second tab, or a reload in the middle of a turn, shows the
same conversation with the same open questions. Closing a tab stops nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import html
import os
from collections.abc import Iterator
from typing import Any

from nicegui import app, background_tasks, ui

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
    Text,
    ToolCall,
    Turn,
)

REPAINT = 0.1
"""Seconds between two looks at the session. What changes faster is shown at once with the next one."""

ICONS = {"pending": "hourglass_empty", "in_progress": "play_arrow", "completed": "check", "failed": "error"}
STEP_ICONS = {"completed": "check_box", "in_progress": "play_arrow"}
COLORS = {"allow_once": "positive", "allow_always": "positive", "reject_once": "negative", "reject_always": "negative"}

POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self' ws: wss:"
)
"""What an agent writes is Markdown, which may name pictures on any server: the browser is told not to fetch them."""


class Desk(Host):
    """Leaves the agent's questions open: every page shows them, and the first click counts."""

    async def request_permission(self, question: PendingPermission) -> Any:
        return LATER


class Chat:
    """The connection and the session, which live as long as the server."""

    session: Session

    def __init__(self, agent: str, folder: str) -> None:
        self._agent, self._folder = agent, folder
        self._client: Client | None = None
        self._opening = asyncio.Lock()
        self.problem = ""

    async def open(self) -> None:
        """Start the agent, for the first page that asks."""
        async with self._opening:
            if self._client is None:
                self._client = await Client.connect(self._agent, Desk())
                self.session = await self._client.new_session(self._folder)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    def send(self, text: str) -> None:
        """Prompt, and keep what goes wrong for the pages to show."""
        self.problem = ""
        try:
            background_tasks.create(self._watch(self.session.prompt(text)))
        except AcpError as error:
            self.problem = str(error)

    async def _watch(self, turn: Turn) -> None:
        try:
            await turn.wait()
        except AcpError as error:
            self.problem = str(error)


class Page:
    """One open page. Compares the session's items with those it shows, and repaints the ones that are not the same."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._version = -1
        self._painted: dict[str, tuple[Any, Any]] = {}
        self._questions: tuple[Any, ...] = ()
        with ui.column().classes("w-full max-w-3xl mx-auto"):
            self._timeline = ui.column().classes("w-full gap-2")
            self._desk = ui.column().classes("w-full")
            with ui.row().classes("w-full items-center no-wrap"):
                self._input = ui.input("Ask the agent").classes("grow").on("keydown.enter", self._send)
                self._button = ui.button("Send", on_click=self._send)
                self._stop = ui.button("Stop", color="warning", on_click=lambda: chat.session.cancel())
            self._status = ui.label().classes("text-caption text-grey")
        ui.timer(REPAINT, self.repaint)
        self.repaint()

    def _send(self) -> None:
        text = self._input.value.strip()
        if text and self._chat.session.state == "idle":
            self._input.value = ""
            self._chat.send(text)
        self.repaint()

    def repaint(self) -> None:
        """Show the session as it is now."""
        snapshot = self._chat.session.snapshot
        usage = snapshot.usage
        spent = f" · {usage.used:,} of {usage.size or 0:,} tokens" if usage is not None else ""
        ended = f" ({snapshot.stop_reason})" if snapshot.state == "idle" and snapshot.stop_reason else ""
        self._status.text = self._chat.problem or f"{snapshot.state}{ended}{spent}"
        if snapshot.version == self._version:
            return
        self._version = snapshot.version
        for item in snapshot.items:
            self._show(item)
        if snapshot.pending != self._questions:
            self._questions = snapshot.pending
            self._desk.clear()
            with self._desk:
                for question in snapshot.pending:
                    show_question(question)
        self._stop.set_visibility(snapshot.state != "idle")
        self._button.set_enabled(snapshot.state == "idle")

    def _show(self, item: Any) -> None:
        shown, frame = self._painted.get(item.key, (None, None))
        if shown is item:
            return
        if isinstance(item, Message) and isinstance(shown, Message) and item.role != "user":
            frame.text.set_content(item.text)  # text that goes on: the rest of the page stays as it is
        else:
            if frame is None:
                with self._timeline:
                    frame = ui.column().classes("w-full")
            frame.clear()
            with frame:
                paint(item, frame)
        self._painted[item.key] = item, frame


def paint(item: Any, frame: Any) -> None:
    """Build the elements of one item."""
    match item:
        case Message(role="user"):
            ui.chat_message(item.text, name="You", sent=True).classes("self-end")
        case Message(role="thought"):
            with ui.expansion("Thought", icon="psychology").classes("text-grey"):
                frame.text = ui.markdown(item.text)
        case Message():
            frame.text = ui.markdown(item.text)
        case ToolCall():
            title, icon = f"{item.title or item.kind} ({item.status})", ICONS.get(item.status, "block")
            with ui.expansion(title, icon=icon, value=not item.finished).classes("w-full"):
                for content in item.content:
                    paint_content(content)
        case Plan():
            for step in item.entries:
                with ui.row().classes("items-center gap-1"):
                    ui.icon(STEP_ICONS.get(step.status, "check_box_outline_blank"))
                    ui.label(step.content)


def paint_content(content: Any) -> None:
    """Build what a tool call shows."""
    if isinstance(content, Diff):
        lines = "\n".join(diff_line(line) for line in diff_lines(content))
        ui.html(f"<pre class='text-caption'>{lines}</pre>", sanitize=False)  # every line is escaped
    elif isinstance(content, Text):
        ui.markdown(content.text)


def diff_lines(diff: Diff) -> Iterator[str]:
    """Yield the lines of a diff, from its patch or from the texts before and after."""
    if diff.patch is not None:
        yield from diff.patch.splitlines()
        return
    for change in diff.changes:
        old, new = (change.old_text or "").splitlines(), (change.new_text or "").splitlines()
        yield from difflib.unified_diff(old, new, change.old_path or change.path, change.path, lineterm="")


def diff_line(line: str) -> str:
    """Return one line as HTML."""
    color = {"+": "text-positive", "-": "text-negative"}.get(line[:1], "")
    return f"<span class='{color}'>{html.escape(line)}</span>"


def show_question(question: Any) -> None:
    """Build a question with one button for each answer."""
    if not isinstance(question, PendingPermission):
        return
    with ui.card().classes("w-full"):
        ui.label(question.title).classes("text-bold")
        with ui.row():
            for option in question.options:
                ui.button(
                    option.name,
                    color=COLORS.get(option.kind, "primary"),
                    on_click=lambda option=option: question.select(option),
                )


def main() -> None:
    """Serve the page on this machine."""
    parser = argparse.ArgumentParser(description="A chat page for a coding agent.")
    parser.add_argument("agent", nargs="?", default="demo", help="command line or ws:// URL of the agent")
    parser.add_argument("--port", type=int, default=8080)
    options = parser.parse_args()
    chat = Chat(options.agent, os.getcwd())
    app.on_shutdown(chat.close)

    @app.middleware("http")
    async def restrict(request: Any, call_next: Any) -> Any:
        response = await call_next(request)
        response.headers["Content-Security-Policy"] = POLICY
        return response

    @ui.page("/")
    async def page() -> None:
        await chat.open()
        Page(chat)

    ui.run(host="127.0.0.1", port=options.port, title="Agent", show=False, reload=False)


if __name__ == "__main__":
    main()
