"""A coding agent in Neovim: prompt from a buffer, read the answer, decide what it may do, stop it.

    :[range]AcpPrompt TEXT   ask, with the lines of the range (or the whole buffer) as context
    :AcpAnswer N             choose option N of the question; in the agent's window the keys 1 to 9 do it
    :AcpStop                 cancel what runs
    :AcpClose                end the agent; the next prompt starts a new one

`g:acp_agent` is the command line of your agent or its ws:// URL, `g:acp_mode` the mode to begin in, if it has modes.
`AcpStatus()` is for the status line.

The agent is connected on a loop in a thread of its own. Everything that touches the editor runs on the plugin's thread,
where `post=nvim.async_call` brings it. The plugin's thread never waits for the agent.
"""

from __future__ import annotations

import difflib
import io
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pynvim

from acp_client import (
    LATER,
    AcpError,
    Diff,
    Host,
    Message,
    PendingPermission,
    Plan,
    RequestRefused,
    Resource,
    ResourceLink,
    SessionBusy,
    Text,
    ToolCall,
    Transport,
)
from acp_client.blocking import Client, LoopThread, Session, Turn
from acp_client.models import v1

T = TypeVar("T")

MARKS = {"completed": "✔", "failed": "✘", "cancelled": "⊘", "in_progress": "▶"}

QUIT_GRACE = 1.0
"""Seconds the agent gets to end by itself when the editor quits."""

WARNING = 3
NOT_FOUND, INVALID, REFUSED = -32002, -32602, -32603


class Excerpt(NamedTuple):
    """Lines of a buffer, as they are here, saved or not."""

    name: str
    is_file: bool
    span: str
    text: str

    def block(self, embedded: bool) -> Text | Resource | ResourceLink:
        """Return them as a block of a prompt; not every agent takes embedded text."""
        if embedded:
            uri = Path(self.name).as_uri() if self.is_file else f"untitled:{self.name}"
            return Resource.from_text(uri + self.span, self.text)
        if self.is_file and not self.span:
            return ResourceLink.from_path(self.name)
        return Text(f"{self.name}{self.span}:\n{self.text}")


class Buffers:
    """The files that are open in the editor."""

    # One call each: between two calls the person at the keyboard may do anything.
    _LOADED = """
        local found = {}
        for _, number in ipairs(vim.api.nvim_list_bufs()) do
            if vim.api.nvim_buf_is_loaded(number) and vim.bo[number].buftype == '' then
                table.insert(found, {number, vim.api.nvim_buf_get_name(number)})
            end
        end
        return found"""
    _READ = """
        local number = ...
        local ends = vim.bo[number].endofline or vim.bo[number].fixendofline
        return {vim.api.nvim_buf_get_lines(number, 0, -1, false), ends}"""
    _WRITE = """
        local number, first, last, lines, ends = ...
        if vim.bo[number].readonly then error('the buffer is read-only') end
        vim.bo[number].endofline, vim.bo[number].fixendofline = ends, ends
        vim.api.nvim_buf_set_lines(number, first, last, false, lines)
        vim.api.nvim_buf_call(number, function() vim.cmd('silent noautocmd keepalt write!') end)"""

    def __init__(self, nvim: Any) -> None:
        self._nvim = nvim

    def find(self, path: str) -> int | None:
        """Return the number of the buffer that has a file open."""
        wanted = os.path.realpath(path)
        loaded = self._nvim.exec_lua(self._LOADED)
        return next((number for number, name in loaded if name and os.path.realpath(name) == wanted), None)

    def read(self, number: int) -> str:
        """Return the text of a buffer."""
        lines, ends = self._nvim.exec_lua(self._READ, number)
        return "\n".join(lines) + ("\n" if ends and lines != [""] else "")

    def write(self, number: int, text: str) -> None:
        """Change a buffer to a text, where they differ, and save it. The change can be undone."""
        old, ends = self._nvim.exec_lua(self._READ, number)
        ends, lines = text.endswith("\n"), text.removesuffix("\n").split("\n")
        first = common(old, lines)
        behind = min(common(old[::-1], lines[::-1]), min(len(old), len(lines)) - first)
        changed = lines[first : len(lines) - behind]
        self._nvim.exec_lua(self._WRITE, number, first, len(old) - behind, changed, ends)

    def excerpt(self, first: int, last: int) -> Excerpt | None:
        """Return lines of the current buffer, None where there is nothing in it to talk about."""
        buffer = self._nvim.current.buffer
        lines, name = buffer[:], buffer.name
        if name == View.NAME or lines == [""]:
            return None
        is_file = buffer.options["buftype"] == "" and Path(name).is_absolute()
        span = "" if (first, last) == (1, len(lines)) else f"#L{first}-L{last}"
        return Excerpt(
            name if is_file else f"buffer-{buffer.number}", is_file, span, "\n".join(lines[first - 1 : last])
        )


class Editor(Host):
    """What the agent may ask of the editor. Runs on the plugin's thread."""

    def __init__(self, nvim: Any, view: View, folder: str) -> None:
        self._nvim, self._view, self._buffers = nvim, view, Buffers(nvim)
        self._folder = Path(os.path.realpath(folder))

    def request_permission(self, question: PendingPermission) -> Any:
        """Show the question and leave it open: a key answers it later, and keeping it open blocks nothing."""
        question.on_ended(lambda: self._nvim.async_call(self._view.redraw))
        self._view.redraw()
        return LATER

    def read_text_file(self, request: v1.ReadTextFileRequest) -> str:
        """Serve a file as the editor has it, unsaved changes included."""
        number = self._buffers.find(request.path)
        if number is not None:
            text = self._buffers.read(number)
        else:
            path = self._inside(request.path)
            text = refused_unless(lambda: path.read_bytes().decode("utf-8"))
        first = (request.line or 1) - 1
        lines = io.StringIO(text, newline="\n").readlines()
        return "".join(lines[first:] if request.limit is None else lines[first : first + request.limit])

    def write_text_file(self, request: v1.WriteTextFileRequest) -> None:
        """Write a file; if it is open here, through its buffer."""
        number = self._buffers.find(request.path)
        if number is not None:
            self._buffers.write(number, request.content)
            return
        path = self._inside(request.path)
        refused_unless(lambda: path.parent.mkdir(parents=True, exist_ok=True))
        refused_unless(lambda: path.write_bytes(request.content.encode("utf-8")))

    def _inside(self, path: str) -> Path:
        """What is not open here is the agent's business in the folder of its session only, links resolved."""
        real = Path(os.path.realpath(path))
        if not os.path.isabs(path) or not real.is_relative_to(self._folder):
            raise RequestRefused(INVALID, f"only open files and files in {self._folder} are served, not {path}")
        return real


class View:
    """The agent's window: a scratch buffer that shows the session, redrawn from its first changed line on."""

    NAME = "acp://agent"

    _OPTIONS = "buftype=nofile bufhidden=hide noswapfile nomodifiable undolevels=-1 filetype=markdown wrap linebreak"

    # Windows that are at the end stay there; where somebody reads further up, nothing moves.
    _SHOW = """
        local number, first, lines = ...
        local last, following = vim.api.nvim_buf_line_count(number), {}
        for _, window in ipairs(vim.fn.win_findbuf(number)) do
            if vim.api.nvim_win_get_cursor(window)[1] >= last then table.insert(following, window) end
        end
        vim.bo[number].modifiable = true
        vim.api.nvim_buf_set_lines(number, first, -1, false, lines)
        vim.bo[number].modifiable = false
        for _, window in ipairs(following) do
            vim.api.nvim_win_set_cursor(window, {vim.api.nvim_buf_line_count(number), 0})
        end"""
    _SAY = """
        vim.g.acp_status = ...
        vim.cmd('redrawstatus!')"""

    def __init__(self, nvim: Any) -> None:
        self._nvim = nvim
        self._number: int | None = None
        self._lines: list[str] = []
        self._known: dict[str, tuple[Any, bool, list[str]]] = {}
        self._session: Session | None = None
        self.asked: PendingPermission | None = None
        """The question that is shown: what nobody has seen cannot be answered."""
        self.turn: Turn | None = None
        """The latest one: until it ends, an agent that has not said so yet is at work."""
        self._word: str | None = None
        self._said = ""

    def open(self) -> None:
        """Show the window, without leaving the one the cursor is in."""
        call = self._nvim.call
        if self._number is None or not call("bufloaded", self._number):
            self._make()
        elif call("bufwinnr", self._number) < 0:
            self._nvim.command(f"botright sbuffer {self._number} | wincmd p")

    def _make(self) -> None:
        self._nvim.command(f"botright new {self.NAME} | setlocal {self._OPTIONS}")
        self._nvim.command("setlocal statusline=%f%=%{get(g:,'acp_status','')}")
        for key, command in [*((str(digit), f"AcpAnswer {digit}") for digit in range(1, 10)), ("<C-c>", "AcpStop")]:
            self._nvim.command(f"nnoremap <buffer> <silent> <nowait> {key} <Cmd>{command}<CR>")
        self._number, self._lines = self._nvim.current.buffer.number, [""]
        self._nvim.command("wincmd p")

    def show(self, session: Session) -> None:
        """Show another session from now on."""
        self._session, self._known, self._word = session, {}, None
        self.redraw()

    def redraw(self) -> None:
        """Bring buffer and status up to date with the session."""
        if self._session is None or self._number is None or not self._nvim.call("bufloaded", self._number):
            return
        # No call to the editor from here to the next one: it would let other callbacks run, which may redraw as well.
        snapshot = self._session.snapshot
        self.asked = next((one for one in snapshot.pending if isinstance(one, PendingPermission)), None)
        about = self.asked.tool_call.key if self.asked is not None and self.asked.tool_call is not None else None
        lines = [line for item in snapshot.items for line in self._lines_of(item, item.key == about)]
        if self.asked is not None:
            lines += whole_lines(question_lines(self.asked))
        same = common(self._lines, lines)
        changed, old = lines[same:], self._lines[same:]
        self._lines = lines
        if changed != old:
            self._nvim.exec_lua(self._SHOW, self._number, same, changed)
        self._say_state()

    def _lines_of(self, item: Any, in_question: bool) -> list[str]:
        # Items that did not change are the same objects as before.
        known = self._known.get(item.key)
        if known is None or known[0] is not item or known[1] is not in_question:
            known = self._known[item.key] = (item, in_question, whole_lines(item_lines(item, in_question)))
        return known[2]

    def _say_state(self) -> None:
        assert self._session is not None
        snapshot = self._session.snapshot
        if self._word is not None:
            self._say(self._word)
        elif snapshot.pending:
            self._say("asks")
        elif snapshot.state == "idle" and self.turn is not None and not self.turn.done:
            self._say("running")
        elif snapshot.state == "idle" and snapshot.error is not None:
            self._say(f"failed: {snapshot.error.get('message')}")
        else:
            self._say(snapshot.stop_reason or "idle" if snapshot.state == "idle" else snapshot.state)

    def say(self, word: str | None) -> None:
        """Say something in place of the session's state, until it is taken back with None."""
        self._word = word
        if word is not None:
            self._say(word)
        else:
            self.redraw()

    def _say(self, text: str) -> None:
        text = " ".join(text.split())
        if text != self._said:
            self._said = text
            self._nvim.exec_lua(self._SAY, f"acp: {text}")


@pynvim.plugin
class Acp:
    """The commands. One connection and one session per editor."""

    def __init__(self, nvim: Any) -> None:
        self._nvim = nvim
        self._view = View(nvim)
        self._buffers = Buffers(nvim)
        self._thread: LoopThread | None = None
        self._session: Session | None = None
        self._transport: Transport | None = None
        self._closing: list[tuple[threading.Thread, Transport | None]] = []

    @pynvim.command("AcpPrompt", nargs="1", range="%")
    def prompt(self, args: Sequence[str], lines: Sequence[int]) -> None:
        """Ask the agent; the first time, connect to it before."""
        excerpt = self._buffers.excerpt(*lines)
        if self._session is not None and self._session.client.closed:
            self._close()
        if self._session is not None:
            self._view.open()
            self._send(args[0], excerpt)
        elif self._thread is not None:
            self._warn("the agent is still starting; :AcpClose gives it up")
        else:
            self._start(args[0], excerpt)

    def _start(self, text: str, excerpt: Excerpt | None) -> None:
        get, folder = self._nvim.vars.get, self._nvim.call("getcwd")
        self._nvim.command("augroup acp | autocmd! VimLeavePre * silent! call AcpQuit() | augroup END")
        self._view.open()
        self._view.say("starting")
        thread, self._transport = LoopThread.start(), None
        self._thread = thread
        work = (thread, get("acp_agent", "demo"), folder, get("acp_mode"), text, excerpt)
        # Connecting may take as long as a launcher needs to download an agent.
        threading.Thread(target=self._connect, args=work, daemon=True).start()

    def _connect(
        self, thread: LoopThread, agent: Any, folder: str, mode: str | None, text: str, excerpt: Excerpt | None
    ) -> None:
        """Runs in a thread of its own, and touches the editor only through `async_call`."""
        host, post = Editor(self._nvim, self._view, folder), self._nvim.async_call
        try:
            client = Client.connect(agent, host, thread=thread, post=post, on_transport=self._keep)
            session = client.new_session(folder)
            if mode is not None:
                session.set_mode(mode)
        except (AcpError, OSError) as error:
            thread.close()
            post(self._failed, thread, str(error))
        else:
            post(self._connected, thread, session, text, excerpt)

    def _keep(self, transport: Transport) -> Transport:
        self._transport = transport
        return transport

    def _failed(self, thread: LoopThread, problem: str) -> None:
        if thread is self._thread:
            self._thread = None
            self._view.say(f"failed: {problem}")

    def _connected(self, thread: LoopThread, session: Session, text: str, excerpt: Excerpt | None) -> None:
        if thread is self._thread:
            self._session = session
            self._view.show(session)
            self._send(text, excerpt)

    def _send(self, text: str, excerpt: Excerpt | None) -> None:
        assert self._session is not None
        embedded = self._session.client.capabilities.prompt_embedded_context
        blocks = [Text(text), *([excerpt.block(embedded)] if excerpt is not None else [])]
        try:
            self._view.turn = self._session.start(
                blocks, on_event=lambda event: self._view.redraw(), on_done=self._ended
            )
        except SessionBusy:
            self._warn("the agent is at work; :AcpStop cancels that")
        except AcpError as error:
            self._warn(str(error))
        else:
            self._view.say(None)

    def _ended(self, turn: Turn) -> None:
        if turn.session is not self._session:
            return  # closed meanwhile, and said so
        try:
            turn.result  # noqa: B018  # raises what went wrong
        except AcpError as error:
            self._view.redraw()
            self._view.say(f"failed: {error}")
        else:
            self._view.say(None)
        # Agents that write files themselves: have the buffers follow.
        self._nvim.command("silent! checktime")

    @pynvim.command("AcpAnswer", nargs="1")
    def answer(self, args: Sequence[str]) -> None:
        """Choose an option of the question that is shown."""
        question = self._view.asked
        if question is None or not question.open:
            self._warn("nothing is asked")
        elif not args[0].isdecimal() or not 1 <= int(args[0]) <= len(question.options):
            self._warn(f"no option {args[0]}")
        else:
            question.select(question.options[int(args[0]) - 1])

    @pynvim.command("AcpStop")
    def stop(self) -> None:
        """Cancel; what the agent asks is answered with "cancelled" in the same moment."""
        if self._session is not None:
            self._session.cancel()
        if self._view.turn is not None and not self._view.turn.done:
            self._view.say("stopping")

    @pynvim.command("AcpClose")
    def close(self) -> None:
        """End the agent, or give up one that does not start."""
        self._close()
        self._view.say("closed")

    def _close(self) -> None:
        """Begin to end the agent: its input ends, then it is terminated, then killed, a few seconds each."""
        thread, self._thread, self._session, self._view.turn = self._thread, None, None, None
        if thread is not None:
            closing = threading.Thread(target=thread.close, daemon=True)
            self._closing = [one for one in self._closing if one[0].is_alive()]
            self._closing.append((closing, self._transport))
            closing.start()

    @pynvim.function("AcpQuit", sync=True)
    def quit(self, args: Sequence[Any]) -> None:
        """End the agent, and do not let the editor wait long for that."""
        self._close()
        end = time.monotonic() + QUIT_GRACE
        for closing, transport in self._closing:
            closing.join(max(0.0, end - time.monotonic()))
            if closing.is_alive() and transport is not None:
                transport.kill()

    def _warn(self, text: str) -> None:
        self._nvim.api.notify(f"acp: {text}", WARNING, {})


# what is shown


def item_lines(item: Any, in_question: bool) -> Iterator[str]:
    """Yield the lines of one item of the session; a question that is about it shows its changes itself."""
    match item:
        case Message(role="user"):
            yield from (f"> {line}" for line in item.text.split("\n"))
            yield ""
        case Message(role="thought"):
            yield from (f"*{line}*" for line in item.text.splitlines() if line)
        case Message():
            yield item.text
            yield ""
        case ToolCall():
            yield f"{MARKS.get(item.status, '…')} {item.title or item.kind}"
            yield from () if in_question else changes(item)
            yield ""
        case Plan():
            yield from (f"- [{'x' if step.status == 'completed' else ' '}] {step.content}" for step in item.entries)
            yield item.markdown or ""


def question_lines(question: PendingPermission) -> Iterator[str]:
    """Yield a question: what would be done, then the keys that answer."""
    yield f"? {question.title}"
    yield from (text for text in (question.description, question.command) if text)
    if question.tool_call is not None:
        yield from changes(question.tool_call)
    yield from (f"  [{number}] {option.name}" for number, option in enumerate(question.options, 1))


def changes(call: ToolCall) -> Iterator[str]:
    """Yield the diffs of a tool call as Markdown blocks, which the editor highlights."""
    for diff in call.content:
        if isinstance(diff, Diff):
            yield "```diff"
            yield from diff.patch.splitlines() if diff.patch is not None else unified(diff)
            yield "```"


def unified(diff: Diff) -> Iterator[str]:
    """Yield the lines of a diff that came as whole texts."""
    for change in diff.changes:
        old, new = (change.old_text or "").splitlines(), (change.new_text or "").splitlines()
        yield from difflib.unified_diff(old, new, change.old_path or change.path, change.path, lineterm="")


def whole_lines(lines: Iterable[str]) -> list[str]:
    """Cut texts of several lines: the editor takes single ones only."""
    return [line for text in lines for line in text.split("\n")]


def common(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines at the beginning are the same."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(old), len(new)))


def refused_unless(step: Callable[[], T]) -> T:
    """Do something with a file. What goes wrong is told to the agent; a missing file by the code that agents know."""
    try:
        return step()
    except FileNotFoundError as error:
        raise RequestRefused(NOT_FOUND, str(error)) from None
    except (OSError, UnicodeError) as error:
        raise RequestRefused(REFUSED, str(error)) from None
