"""A chat page for a coding agent, in one file.

    pip install acp-client-sdk nicegui
    python nicegui_chat.py "npx my-agent --acp"

One agent and one session for everybody who opens the page: a second tab, or a reload in the middle of a turn, shows the
same conversation with the same open questions. Closing a tab stops nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import difflib
import os
from collections.abc import Iterable, Iterator
from typing import Any

from nicegui import app, background_tasks, ui
from starlette.middleware.trustedhost import TrustedHostMiddleware

from acp_client import (
    LATER,
    AcpError,
    Client,
    Diff,
    Host,
    Message,
    PendingPermission,
    Plan,
    Resource,
    ResourceLink,
    Session,
    SessionSnapshot,
    TerminalRef,
    Text,
    ToolCall,
    Turn,
)

REPAINT = 0.1
"""Seconds between two looks at the session. What changes faster is shown at once with the next one."""

ICONS = {"pending": "hourglass_empty", "in_progress": "play_arrow", "completed": "check", "failed": "error"}
STEP_ICONS = {"completed": "check_box", "in_progress": "play_arrow"}
COLORS = {"allow_once": "positive", "allow_always": "positive", "reject_once": "negative", "reject_always": "negative"}
LINE_COLORS = {"+": "bg-green-1 text-green-10", "-": "bg-red-1 text-red-10", "@": "text-grey-7"}
STATES = {"running": "working", "requires_action": "waiting for your answer"}

POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'self'"
)
"""What an agent writes is Markdown, which may name pictures on any server: the browser is told not to fetch them."""

NAMES = ["127.0.0.1", "localhost"]
"""How the browser may call this server. A site whose name was made to lead here must not be able to click Allow."""


class Desk(Host):
    """Leaves the agent's questions open: every page shows them, and the first click counts."""

    async def request_permission(self, question: PendingPermission) -> Any:
        return LATER


class Chat:
    """The connection and the session, which live as long as the server. Knows no page."""

    def __init__(self, agent: str, folder: str) -> None:
        self._agent, self._folder = agent, folder
        self._starting: asyncio.Task[None] | None = None
        self.session: Session | None = None
        self.problem = ""

    @property
    def alive(self) -> bool:
        """Whether there is somebody to talk to."""
        return self.session is not None and not self.session.client.closed

    @property
    def starting(self) -> bool:
        """Whether the agent is on its way."""
        return self._starting is not None and not self._starting.done()

    @property
    def failed(self) -> bool:
        """Whether the agent could not be started, or is gone, and nobody has asked for another one yet."""
        return self._starting is not None and not self.starting and not self.alive

    def start(self) -> None:
        """Start the agent unless it runs. Does not wait: it may take longer than a browser waits for a page."""
        if not self.starting and not self.alive:
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        self.problem = ""
        try:
            self.session = await self._open()
        except AcpError as error:
            self.problem = str(error)

    async def _open(self) -> Session:
        client = await Client.connect(self._agent, Desk())
        try:
            return await client.new_session(self._folder)
        except BaseException:
            await client.aclose()
            raise

    async def close(self) -> None:
        """End the agent. The server waits for this and for nothing else: what it leaves behind would stay."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        if self.session is not None:
            await self.session.client.aclose()

    def send(self, text: str) -> None:
        """Prompt, if the agent has nothing to do."""
        if self.session is not None and self.session.state == "idle":
            try:
                background_tasks.create(self._watch(self.session.prompt(text)))
            except AcpError as error:
                self.problem = str(error)

    async def _watch(self, turn: Turn) -> None:
        self.problem = ""
        try:
            await turn.wait()
        except AcpError as error:
            self.problem = str(error)

    def stop(self) -> None:
        """Cancel what goes on. Returns at once; the pages show the end when the agent has said so."""
        if self.session is not None:
            self.session.cancel()

    @property
    def status(self) -> str:
        """What goes on, in a line."""
        if self.problem:
            return self.problem
        if self.session is None or self.starting:
            return "starting the agent"
        if self.session.client.lost_cause is not None:
            return str(self.session.client.lost_cause)
        snapshot, usage = self.session.snapshot, self.session.snapshot.usage
        parts = [STATES.get(snapshot.state, snapshot.state)]
        if snapshot.state == "idle" and snapshot.stop_reason:
            parts = [f"idle ({snapshot.stop_reason})"]
        if usage is not None:
            parts.append(f"{usage.used:,} of {usage.size:,} tokens" if usage.size else f"{usage.used:,} tokens")
            parts += [f"{usage.cost.amount:.2f} {usage.cost.currency}"] if usage.cost else []
        return " · ".join(parts)


class Page:
    """One open page: a viewer. Compares the session's items with those it shows, and repaints what is not the same."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._seen: SessionSnapshot | None = None
        self._painted: dict[str, tuple[tuple[Any, ...], Any]] = {}
        self._questions: tuple[Any, ...] = ()
        ui.context.client.content.classes("h-screen p-0 gap-0 no-wrap")
        # In a column that runs upwards the browser keeps the end in sight while text comes in.
        scrolled = ui.element("div").classes("w-full grow flex flex-col-reverse flex-nowrap overflow-y-auto")
        with scrolled, ui.column().classes("w-full max-w-3xl mx-auto mb-auto p-4 gap-3"):
            self._timeline = ui.column().classes("w-full gap-3")
            self._desk = ui.column().classes("w-full")
        with ui.column().classes("w-full max-w-3xl mx-auto px-4 pb-2 gap-1"):
            with ui.row().classes("w-full items-center no-wrap"):
                self._input = ui.input(placeholder="Ask the agent").props("outlined dense autofocus")
                self._input.classes("grow").on("keydown.enter", self._send)
                self._button = ui.button("Send", on_click=self._send)
                self._stop = ui.button("Stop", color="warning", on_click=chat.stop)
                self._again = ui.button("Start again", on_click=chat.start)
            self._status = ui.label().classes("text-caption text-grey-8")
        ui.timer(REPAINT, self.repaint)
        self.repaint()

    def _send(self) -> None:
        if self._button.enabled and (text := self._input.value.strip()):
            self._input.value = ""
            self._chat.send(text)
            self.repaint()

    def repaint(self) -> None:
        """Show the session as it is now."""
        chat, session = self._chat, self._chat.session
        idle = session is not None and session.state == "idle"
        self._status.text = chat.status
        self._button.set_enabled(chat.alive and idle)
        self._stop.set_visibility(chat.alive and not idle)
        self._again.set_visibility(chat.failed)
        if session is None or session.snapshot is self._seen:
            return
        snapshot = session.snapshot
        if self._seen is not None and self._seen.session_id != snapshot.session_id:  # the agent was started again
            self._timeline.clear()
            self._painted.clear()
        self._seen = snapshot
        for key in self._painted.keys() - {item.key for item in snapshot.items}:
            self._painted.pop(key)[1].delete()
        for item in snapshot.items:
            self._show(item, snapshot)
        if snapshot.pending != self._questions:
            self._questions = snapshot.pending
            self._desk.clear()
            with self._desk:
                for question in snapshot.pending:
                    show_question(question)

    def _show(self, item: Any, snapshot: SessionSnapshot) -> None:
        look = look_of(item, snapshot)
        shown, frame = self._painted.get(item.key, ((), None))
        if len(shown) == len(look) and all(old is new for old, new in zip(shown, look, strict=True)):
            return
        if frame is not None and isinstance(item, Message) and frame.text is not None:
            frame.text.set_content(item.text)  # text that goes on: the rest of the page stays as it is
        else:
            if frame is None:
                with self._timeline:
                    frame = ui.column().classes("w-full gap-1")
            frame.clear()
            with frame:
                frame.text = paint(item, look[1:])
        self._painted[item.key] = look, frame


def look_of(item: Any, snapshot: SessionSnapshot) -> tuple[Any, ...]:
    """Return all that an item's picture depends on: itself, and the terminals that a tool call shows."""
    contents = item.content if isinstance(item, ToolCall) else ()
    shown = (content.terminal_id for content in contents if isinstance(content, TerminalRef))
    return (item, *(snapshot.terminals[terminal] for terminal in shown if terminal in snapshot.terminals))


def paint(item: Any, terminals: Iterable[Any]) -> Any:
    """Build the elements of one item; returns the one that takes the text if it goes on."""
    match item:
        case Message(role="user"):
            ui.label(item.text).classes("self-end max-w-xl whitespace-pre-wrap rounded-xl bg-blue-1 px-4 py-2")
        case Message(role="thought"):
            with ui.expansion("Thought", icon="psychology").props("dense").classes("text-grey-8"):
                return ui.markdown(item.text)
        case Message():
            return ui.markdown(item.text)
        case ToolCall():
            title, icon = f"{item.title or item.kind} ({item.status})", ICONS.get(item.status, "block")
            box = ui.expansion(title, icon=icon, value=not item.finished)
            with box.props("dense").classes("w-full border border-gray-300 rounded"):
                for content in item.content:
                    paint_content(content)
                for terminal in terminals:
                    paint_lines((f"$ {terminal.command or ''}", *terminal.text.splitlines()))
        case Plan():
            for step in item.entries:
                with ui.row().classes("items-center gap-1"):
                    ui.icon(STEP_ICONS.get(step.status, "check_box_outline_blank"))
                    ui.label(step.content)
            ui.markdown(item.markdown or "")
    return None


def paint_content(content: Any) -> None:
    """Build what a tool call shows."""
    match content:
        case Diff():
            paint_lines(diff_lines(content), LINE_COLORS)
        case Text():
            ui.markdown(content.text)
        case ResourceLink() | Resource():
            ui.label(content.uri).classes("text-caption")


def paint_lines(lines: Iterable[str], colors: dict[str, str] | None = None) -> None:
    """Build lines of fixed width; what they begin with may choose their colour."""
    with ui.column().classes("w-full gap-0 p-2 overflow-x-auto font-mono text-xs"):
        for line in lines:
            ui.label(line).classes(f"min-w-full whitespace-pre min-h-4 {(colors or {}).get(line[:1], '')}")


def diff_lines(diff: Diff) -> Iterator[str]:
    """Yield the lines of a diff, from its patch or from the texts before and after."""
    if diff.patch is not None:
        yield from diff.patch.splitlines()
        return
    for change in diff.changes:
        old, new = (change.old_text or "").splitlines(), (change.new_text or "").splitlines()
        yield from difflib.unified_diff(old, new, change.old_path or change.path, change.path, lineterm="")


def show_question(question: Any) -> None:
    """Build a question with one button for each answer. What is asked about is in the timeline, or a command."""
    if not isinstance(question, PendingPermission):
        return
    with ui.card().classes("w-full gap-2"):
        ui.label(question.title).classes("text-bold")
        if question.description:
            ui.label(question.description)
        if question.command:
            paint_lines(question.command.splitlines())
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
    default = os.environ.get("ACP_AGENT", "demo")
    parser.add_argument("agent", nargs="?", default=default, help="command line or ws:// URL; default: $ACP_AGENT")
    parser.add_argument("--port", type=int, default=8080)
    options = parser.parse_args()
    chat = Chat(options.agent, os.getcwd())
    app.on_startup(chat.start)
    app.on_shutdown(chat.close)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=NAMES)

    @app.middleware("http")
    async def restrict(request: Any, call_next: Any) -> Any:
        response = await call_next(request)
        response.headers["Content-Security-Policy"] = POLICY
        return response

    @ui.page("/")
    def page() -> None:
        Page(chat)

    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C, after everything was closed
        ui.run(host="127.0.0.1", port=options.port, title="Agent", show=False, reload=False)


if __name__ == "__main__":
    main()
