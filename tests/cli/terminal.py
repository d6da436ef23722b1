"""Running `acp-client` as a user does: in a pipe or in a terminal, and looking at what it leaves behind."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "acp_client")
BOUND = 10.0
"""Seconds that anything that has to happen may take."""

_IN_TERMINAL = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"  # so that Ctrl-C means what it means to people
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)


def agent(scenario: str, *words: str) -> str:
    """Return the command line of an agent of `tests.cli.agents`."""
    return shlex.join([sys.executable, "-m", "tests.cli.agents", scenario, *words])


@attrs.frozen
class Marked:
    """An environment by which everything that a run starts can be found again."""

    mark: str = attrs.field(factory=lambda: uuid.uuid4().hex)

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "ACP_CLIENT_TEST_RUN": self.mark, "PYTHONWARNINGS": "error", "TERM": "xterm"}

    def living(self) -> list[str]:
        """Return the command lines of what still runs."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue  # it has just ended, or is not ours
        return found

    def assert_nothing_left(self) -> None:
        """Fail when something of the run is still there."""
        assert not self.living()


@attrs.frozen
class Run:
    """A run that is over."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Stdout as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def result(self) -> dict[str, Any]:
        """The last JSON line."""
        return self.lines[-1]


def acp_client(*words: str, answers: str = "") -> Run:
    """Run `acp-client` with a pipe for each stream, to its end; nothing may be left running."""
    marked = Marked()
    run = subprocess.run(
        [*COMMAND, *words],
        input=answers.encode(),
        capture_output=True,
        timeout=BOUND,
        check=False,
        cwd=ROOT,
        env=marked.environment,
    )
    marked.assert_nothing_left()
    # Decoded here: text mode would hide which line endings were written.
    out, err = run.stdout.decode(), run.stderr.decode()
    assert "Traceback" not in err, err
    return Run(run.returncode, out, err)


class Terminal:
    """A run inside a pseudo-terminal: what it shows, and what is typed."""

    def __init__(self, process: subprocess.Popen[str], master: int) -> None:
        self._process = process
        self._master = master
        self.shown = ""

    def until(self, text: str) -> None:
        """Read until the terminal has shown `text`."""
        self._read_until(lambda: text in self.shown)

    def until_exists(self, path: Path) -> None:
        """Read until the agent has written a file."""
        self._read_until(path.exists)

    def type(self, text: str) -> None:
        """Type; `\\x03` is Ctrl-C and `\\x04` the end of the input."""
        os.write(self._master, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.type("\x03")

    def wait(self) -> Run:
        """Wait for the end and return what a terminal and a pipe for stdout have got."""
        self._read_until(lambda: self._process.poll() is not None)
        out = "" if self._process.stdout is None else self._process.stdout.read()
        assert "Traceback" not in self.shown
        return Run(self._process.wait(BOUND), out, self.shown)

    def _read_until(self, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + BOUND
        while not reached():
            assert time.monotonic() < deadline, f"the terminal showed only {self.shown!r}"
            if select.select([self._master], [], [], 0.05)[0]:
                try:
                    self.shown += os.read(self._master, 65536).decode(errors="replace")
                except OSError:  # nobody has it open any more
                    self._process.wait(BOUND)


@contextmanager
def terminal(*words: str, out_to_pipe: bool = False) -> Iterator[Terminal]:
    """Run `acp-client` in a terminal; with `out_to_pipe` its stdout is a pipe. Nothing may be left running."""
    marked = Marked()
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _IN_TERMINAL, *COMMAND, *words],
        stdin=slave,
        stdout=subprocess.PIPE if out_to_pipe else slave,
        stderr=slave,
        text=True,
        cwd=ROOT,
        env=marked.environment,
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield Terminal(process, master)
        marked.assert_nothing_left()
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        os.close(master)
