"""Writing that never waits, and what becomes of it when nobody reads."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tests.cli.terminal import BOUND, COMMAND, ROOT, Marked, agent

LINES = 20_000


@contextmanager
def reading(*agent_words: str) -> Iterator[tuple[subprocess.Popen[str], IO[str], IO[str]]]:
    """Run a prompt whose stdout is read by the test; nothing may be left running."""
    marked = Marked()
    with subprocess.Popen(
        [*COMMAND, "prompt", "--agent", agent(*agent_words), "hi"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=marked.environment,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        yield process, process.stdout, process.stderr
    marked.assert_nothing_left()


def test_a_reader_that_leaves_ends_the_command_quietly() -> None:
    """Ours: `acp-client prompt ... | head -1` leaves no traceback and no agent."""
    with reading("chatter") as (process, out, err):
        assert out.readline() == "line 0\n"
        out.close()
        assert process.wait(BOUND) == 1
        errors = err.read()
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors


def test_a_reader_that_does_not_read_cannot_make_the_agent_wait(tmp_path: Path) -> None:
    """Fault ST-09: the agent's output is taken as fast as it comes, whoever reads ours."""
    written = tmp_path / "written"
    os.mkfifo(written)
    signal = os.open(written, os.O_RDONLY | os.O_NONBLOCK)
    with reading("chatter", str(written)) as (process, out, _):
        assert select.select([signal], [], [], BOUND)[0], "the agent is still waiting to write"
        os.close(signal)
        assert out.read().count("\n") == LINES
        assert process.wait(BOUND) == 0
