"""Programs that end, or are interrupted, while an agent works: tried with real processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.blocking.kit import BOUND

ROOT = Path(__file__).parents[2]
AGENT = Path(__file__).parent / "process_agent.py"

EXIT_BOUND = 2.0
"""Seconds a program may take to end after its last line (H1)."""

BEGIN = """
import sys, threading
sys.path.insert(0, {root!r})
from acp_client.blocking import Client, LoopThread
from acp_client.host import Host

class MyHost(Host):
    def __init__(self):
        self.asked = threading.Event()
    def request_permission(self, question):
        self.asked.set()
        threading.Event().wait()

seen = {{kind: threading.Event() for kind in ("text", "question_opened")}}
host = MyHost()
client = Client.connect({agent!r}, host)
session = client.new_session("/")
session.on_update(lambda event: event.type in seen and seen[event.type].set())
"""

SLOW = "session.start('slow'); seen['text'].wait()"
WAITING = "threading.Thread(target=session.prompt('slow').wait, daemon=True).start(); seen['text'].wait()"
ENDINGS = {
    "in mid-turn": SLOW,
    "with a pending permission": "session.prompt('ask'); seen['question_opened'].wait()",
    "with a handler blocked": "session.start('ask'); host.asked.wait()",
    "with a thread that waits": WAITING,
    "without a prompt": "",
    "with an error": f"{SLOW}; print('ready', flush=True); sys.exit(1)",
    "with os._exit": f"{SLOW}; print('ready', flush=True); import os; os._exit(1)",
}


class Link:
    """What the agent tells. Its end is the end of the agent's process."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        self._listener.settimeout(BOUND)

    def accept(self) -> None:
        self._socket, _ = self._listener.accept()
        self._socket.settimeout(BOUND)
        self._lines = self._socket.makefile("r", encoding="utf-8")

    def until(self, method: str) -> None:
        """Wait until the agent was told a method."""
        heard = []
        for line in self._lines:
            heard.append(line.strip())
            if heard[-1] == method:
                return
        raise AssertionError(f"the agent ended; it had heard {heard}")

    def until_end(self) -> list[str]:
        """Wait until the agent is gone, and return what it was still told."""
        return [line.strip() for line in self._lines]

    def close(self) -> None:
        self._lines.close()
        self._socket.close()
        self._listener.close()


@pytest.fixture
def link(tmp_path: Path) -> Iterator[Link]:
    opened = Link(tmp_path / "link")
    yield opened
    opened.close()


@contextmanager
def program(link: Link, code: str, *agent_options: str) -> Iterator[subprocess.Popen[str]]:
    """Run a program with an agent, in a process group of its own; it is killed at the end whatever happened."""
    agent = [sys.executable, str(AGENT), link.path, *agent_options]
    begin = BEGIN.format(root=str(ROOT), agent=agent)
    with subprocess.Popen(
        [sys.executable, "-c", begin + code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            link.accept()
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_that_forgot_to_close_ends_at_once_and_leaves_no_agent(link: Link, ending: str) -> None:
    """H1: no thread and no handler of ours holds it up, and the agent's process is gone with it."""
    with program(link, f"{ENDINGS[ending]}\nprint('ready', flush=True)") as process:
        assert first_line(process) == "ready"
        process.wait(EXIT_BOUND)
        link.until_end()


@pytest.mark.parametrize("ending", ["in mid-turn", "with a handler blocked"])
def test_an_agent_that_does_not_want_to_end_is_ended(link: Link, ending: str) -> None:
    """H1: a stubborn agent gets a moment and no more."""
    with program(link, f"{ENDINGS[ending]}\nprint('ready', flush=True)", "stubborn") as process:
        assert first_line(process) == "ready"
        process.wait(EXIT_BOUND)
        link.until_end()


@pytest.mark.parametrize("given_up", [False, True], ids=["still connecting", "given up"])
def test_a_program_that_ends_while_a_thread_connects_leaves_no_agent(link: Link, given_up: bool) -> None:
    """H1: there is no client yet that could be closed, and the agent does not end by itself."""
    agent = [sys.executable, str(AGENT), link.path, "stubborn", "silent"]
    code = f"""
import sys, threading
sys.path.insert(0, {str(ROOT)!r})
from acp_client.blocking import Client, LoopThread
loop = LoopThread.start()
threading.Thread(target=lambda: Client.connect({agent!r}, thread=loop), daemon=True).start()
sys.stdin.readline()
if {given_up}:
    loop.close(timeout=0)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, text=True) as process:
        link.accept()
        link.until("initialize")
        assert process.stdin is not None
        process.stdin.close()
        process.wait(EXIT_BOUND)
        link.until_end()


def test_a_closed_client_leaves_no_process_while_the_program_goes_on(link: Link) -> None:
    """H1: closing is what ends the agent, not the end of the program."""
    code = ENDINGS["in mid-turn"] + "\nclient.close(); print('closed', flush=True); sys.stdin.read()"
    with program(link, code) as process:
        assert first_line(process) == "closed"
        link.until_end()
        assert process.poll() is None


def test_an_interrupt_of_the_whole_group_becomes_a_cancel(link: Link) -> None:
    """HE-07: Stop in a notebook, Ctrl-C in a terminal: the agent stays, is told, and takes the next prompt."""
    code = """
try:
    session.ask("slow")
except KeyboardInterrupt:
    print("interrupted", session.state, flush=True)
print(session.ask("quick").text, flush=True)
client.close()
"""
    with program(link, code) as process:
        link.until("session/prompt")
        os.killpg(process.pid, signal.SIGINT)
        link.until("session/cancel")
        assert first_line(process) == "interrupted idle"
        link.until("session/prompt")
        assert first_line(process) == "quick"
        assert process.wait(BOUND) == 0
        link.until_end()


def test_importing_the_facade_changes_nothing_and_loads_nothing_optional() -> None:
    """H2: in a fresh interpreter: no optional module, no thread, no signal handler, no policy, no logging set-up."""
    code = """
import asyncio, logging, signal, sys, threading
handlers = [signal.getsignal(n) for n in signal.valid_signals()]
hooks = sys.excepthook, sys.displayhook, threading.excepthook
import acp_client.blocking
assert [signal.getsignal(n) for n in signal.valid_signals()] == handlers
assert (sys.excepthook, sys.displayhook, threading.excepthook) == hooks
assert threading.active_count() == 1
assert type(asyncio.get_event_loop_policy()) is asyncio.DefaultEventLoopPolicy
assert not logging.root.handlers and not logging.getLogger("acp_client").handlers
optional = ("IPython", "ipywidgets", "rich", "markdown_it", "acp_client.jupyter", "acp_client.cli",
            "acp_client.testing", "acp_client.models.v1", "acp_client.models.v2", "websockets")
assert not [name for name in optional if name in sys.modules], [n for n in optional if n in sys.modules]
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30, cwd=ROOT)
