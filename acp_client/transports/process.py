"""One agent process with everything it started: spawning, noticing its end, and ending it within a bound.

The agent leads a session and a process group of its own: a Ctrl-C in the host's terminal does not reach it, and what
it started (the real agent behind `npx`, its helpers) ends with it. Knows nothing of messages. No child watcher, signal
handler or event-loop policy is involved, so it works on any loop in any thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from io import FileIO
from typing import cast

from acp_client.errors import AgentStartError
from acp_client.transports.command import posix_command, shown, windows_command

log = logging.getLogger("acp_client")

_WINDOWS = os.name == "nt"

SWEEP_GRACE = 0.5
"""Seconds that what the agent left behind gets between SIGTERM and SIGKILL: it had the same signals as the agent."""

_KILL_GRACE = 0.1
"""Seconds for a kill to take effect; unreaped zombies, as in a container without an init, still count after it."""

_SWEEP_STEP = 0.02
"""Seconds between two looks at the group: the system does not tell when one becomes empty."""


class AgentProcess:
    """A running agent. Made by `spawn`; everything but `kill` belongs to the thread of the event loop."""

    def __init__(
        self, popen: subprocess.Popen[bytes], loop: asyncio.AbstractEventLoop, on_exit: Callable[[], None]
    ) -> None:
        self._popen = popen
        self._loop = loop
        self._on_exit = on_exit
        self._exited: asyncio.Future[None] = loop.create_future()
        self._group_gone = False
        self.stdin, self.stdout, self.stderr = cast("list[FileIO]", [popen.stdin, popen.stdout, popen.stderr])
        threading.Thread(target=self._wait, name="acp-client-wait", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def has_exited(self) -> bool:
        return self._exited.done()

    @property
    def exit_code(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._popen.returncode if self.has_exited else None

    @property
    def left_behind(self) -> bool:
        """Whether processes of the group are still there after the agent has exited."""
        if _WINDOWS or self._group_gone:
            return False
        try:
            os.killpg(self.pid, 0)
        except (ProcessLookupError, PermissionError):  # macOS refuses where only zombies are left
            self._group_gone = True  # for good: the number may belong to somebody else by the next look
        return not self._group_gone

    def _wait(self) -> None:
        """Block in a thread of its own until the agent exits."""
        if hasattr(os, "waitid"):
            # Leaves the zombie: its process id, and with it the group's, stays reserved until the loop has looked.
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._popen.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(self._reap)

    def _reap(self) -> None:
        self._popen.wait()  # returns at once
        self._group_gone = not self.left_behind
        self._exited.set_result(None)
        self._on_exit()

    async def stop(self, close_stdin: Callable[[], None], grace: float) -> None:
        """Close stdin, then terminate the group, then kill it, waiting `grace` seconds after each; then sweep."""
        for step in (close_stdin, self.terminate, self.kill):
            step()
            await asyncio.wait({self._exited}, timeout=grace)
            if self.has_exited:
                await self._sweep()
                return
        log.warning("agent process %d outlived SIGKILL; giving up on it", self.pid)

    async def _sweep(self) -> None:
        """End what is left of the group after its leader has exited."""
        for ask, grace in ((self.terminate, SWEEP_GRACE), (self.kill, _KILL_GRACE)):
            ask()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    while self.left_behind:  # noqa: ASYNC110  # nothing to wait on, see _SWEEP_STEP
                        await asyncio.sleep(_SWEEP_STEP)
        self._group_gone = True

    def terminate(self) -> None:
        """Ask the whole group to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the whole group now. From any thread, with or without a running loop; does nothing when it is gone."""
        self._signal(signal.SIGTERM if _WINDOWS else signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if _WINDOWS:
            _end_tree(self._popen)
        elif self._popen.returncode is None or self.left_behind:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def abandon(self) -> None:
        """End and reap it here and now, because nobody will: opening the connection failed."""
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(SWEEP_GRACE)
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()


def spawn(
    command: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None,
    loop: asyncio.AbstractEventLoop,
    on_exit: Callable[[], None],
) -> AgentProcess:
    """Start an agent with pipes for its three streams. `on_exit` is called in the loop when it has exited.

    Raises `AgentStartError` with what to do about it.
    """
    if cwd is not None and not os.path.isdir(cwd):
        raise AgentStartError(f"could not start agent {shown(command)!r}: its working directory {cwd!r} does not exist")
    try:
        popen = subprocess.Popen(
            windows_command(command, env, cwd) if _WINDOWS else posix_command(command, env, cwd),
            bufsize=0,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=not _WINDOWS,
            creationflags=_windows_flags() if _WINDOWS else 0,
        )
    except (OSError, ValueError) as error:
        raise _start_error(command, error) from error
    try:
        return AgentProcess(popen, loop, on_exit)
    except BaseException:  # no thread can be started
        with popen:
            popen.kill()
        raise


def _start_error(command: Sequence[str], error: Exception) -> AgentStartError:
    hint = ""
    if isinstance(error, FileNotFoundError):
        hint = f"; {command[0]!r} is there, but the interpreter that its first line names is not"
    elif isinstance(error, PermissionError):
        hint = "; check that it may be executed by this user"
    elif isinstance(error, OSError) and error.strerror == "Exec format error":
        hint = "; a script needs a first line such as '#!/usr/bin/env node'"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return AgentStartError(f"could not start agent {shown(command)!r}: {reason}{hint}")


def exit_text(code: int) -> str:
    """Return how a process ended, as the end of a sentence about it."""
    if code >= 0:
        return f"exited with status {code}"
    return f"was killed by signal {signal_name(code)}"


def signal_name(code: int) -> str | None:
    """Return the name of the signal behind a negative exit status."""
    if code >= 0:
        return None
    try:
        return signal.Signals(-code).name
    except ValueError:
        return str(-code)


_EXIT_HINTS = {
    126: "status 126 means that a program was found but could not be run: check its permissions",
    127: "status 127 means that a program was not found: add its folder with path_prepend, or set PATH in env",
}


def exit_hint(code: int) -> str | None:
    """Return what to do about an exit status, where it says that."""
    return _EXIT_HINTS.get(code)


def _windows_flags() -> int:
    # A group of its own keeps Ctrl-C away; no console window pops up over a graphical host.
    return int(getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0))


def _end_tree(popen: subprocess.Popen[bytes]) -> None:
    """End a process and its children on Windows, where only the running parent tells who they are."""
    if popen.poll() is None:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(popen.pid)], capture_output=True, timeout=SWEEP_GRACE)
        popen.kill()
