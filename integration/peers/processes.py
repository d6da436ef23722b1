"""Helper processes of the tests, and the search for processes that a test should not have left behind."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 10.0
"""Seconds for a helper process, or for what an agent started, to end."""


@contextmanager
def serving(command: Sequence[str], env: Mapping[str, str]) -> Iterator[int]:
    """Run a server that writes `{"port": N}` once it listens and ends when its stdin does. Yields the port."""
    with subprocess.Popen(
        command, env={**os.environ, **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line, f"{' '.join(command)} ended with status {process.wait()} before it listened"
            yield json.loads(line)["port"]
        finally:
            process.stdin.close()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def processes_at(home: Path) -> list[int]:
    """Return the processes whose HOME is this folder: an agent with a home of its own, and all that it started.

    Whatever groups and sessions they made for themselves. Only Linux tells; elsewhere there are none.
    """
    mark = f"HOME={home}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def survivors(home: Path) -> list[int]:
    """Return the processes with this HOME that do not end by themselves in time. Kills them."""
    waiting = {}
    for pid in processes_at(home):
        with contextlib.suppress(ProcessLookupError):
            waiting[os.pidfd_open(pid)] = pid
    left = []
    for handle, pid in waiting.items():
        ended, _, _ = select.select([handle], [], [], PATIENCE)
        if not ended:
            left.append(pid)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os.close(handle)
    return left
