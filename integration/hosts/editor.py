"""A real Neovim without a screen, driven from outside as a person would: commands, keys, a look at its buffers."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from integration.hosts.install import PROJECT, python_of

PAGE = PROJECT / "docs" / "how-to" / "editors.md"

BOUND = 20.0
"""Seconds within which everything that has to happen does."""

_STOPWATCH = """
function! Clock(stops, ends) abort
  let g:begun = reltime()
  call timer_start(1, {timer -> g:acp_status ==# a:ends ? Stopped(timer) : 0}, {'repeat': -1})
  execute a:stops
endfunction
function! Stopped(timer) abort
  let g:took = reltimefloat(reltime(g:begun))
  call timer_stop(a:timer)
endfunction
"""


class Editor:
    """One editor with the plugin of the documentation, and with folders of its own for all that it keeps."""

    def __init__(self, nvim: str, home: Path, work: Path, agent: str | None, env: Mapping[str, str]) -> None:
        self._nvim = nvim
        self._socket = str(home / "socket")
        self._answer = home / "answer"
        self._env = self._environment(home, env)
        init = home / "init.vim"
        chosen = f"let g:acp_agent = '{agent}'\n" if agent is not None else ""
        init.write_text(documented_settings() + chosen + _STOPWATCH)
        begin = [nvim, "--headless", "-u", str(init)]
        subprocess.run(
            [*begin, "+UpdateRemotePlugins", "+qa!"], env=self._env, check=True, capture_output=True, timeout=60
        )
        self.process = subprocess.Popen(
            [*begin, "--listen", self._socket],
            cwd=work,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.until(lambda: os.path.exists(self._socket))

    @staticmethod
    def _environment(home: Path, env: Mapping[str, str]) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
        manifest = {"NVIM_RPLUGIN_MANIFEST": str(home / "rplugin.vim")}
        return {**kept, "HOME": str(home), **folders, **manifest, **env}

    def eval(self, expression: str) -> Any:
        """Return the value of a Vim expression."""
        # By way of a file: what it prints is shortened in the middle.
        asked = f"writefile([json_encode({expression})], '{self._answer}')"
        command = [self._nvim, "--server", self._socket, "--remote-expr", asked]
        done = subprocess.run(command, env=self._env, capture_output=True, text=True, timeout=BOUND, check=False)
        said = (done.stdout + done.stderr).strip()  # which of both depends on the version
        if said != "0":
            raise AssertionError(f"{expression}: {said}")
        return json.loads(self._answer.read_text())

    def command(self, text: str) -> str:
        """Run an Ex command and return what it printed."""
        quoted = text.replace("'", "''")
        printed: str = self.eval(f"execute('{quoted}')")
        return printed

    def keys(self, text: str) -> None:
        """Type."""
        subprocess.run([self._nvim, "--server", self._socket, "--remote-send", text], env=self._env, check=True)

    def clock(self, command: str, status: str) -> float:
        """Run a command and return the seconds until the status line says something, by the editor's own clock."""
        self.command("unlet! g:took")
        self.command(f"call Clock('{command}', 'acp: {status}')")
        self.until(lambda: self.eval("exists('g:took')") == 1)
        seconds: float = self.eval("g:took")
        return seconds

    def lines(self, buffer: str = "acp://agent") -> str:
        """Return the text of a buffer."""
        return "\n".join(self.eval(f"getbufline('{buffer}', 1, '$')"))

    @property
    def status(self) -> str:
        """What the status line says."""
        status: str = self.eval("AcpStatus()")
        return status

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until something is the case."""
        end = time.monotonic() + BOUND
        while not reached():
            if time.monotonic() > end:
                raise AssertionError(
                    f"not within {BOUND} s: {self.status!r}\n{self.lines()}\n{self.command('messages')}"
                )
            time.sleep(0.02)

    def until_status(self, status: str) -> None:
        """Wait until the status line says something."""
        self.until(lambda: self.status == f"acp: {status}")

    def ask(self, prompt: str, status: str = "end_turn") -> str:
        """Prompt, wait until the status line says something, and return what the agent's window shows."""
        self.command("let g:acp_status = ''")  # the last turn's
        self.command(f"AcpPrompt {prompt}")
        self.until_status(status)
        return self.lines()

    def quit(self) -> float:
        """`:qa!`, and return how long its end took."""
        begun = time.monotonic()
        with contextlib.suppress(AssertionError):  # the answer is the end of the editor
            self.command("qa!")
        self.process.wait(BOUND)
        return time.monotonic() - begun

    def kill(self) -> None:
        """End it as a crash does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        """End it if it still runs."""
        if self.process.poll() is None:
            self.kill()


def documented_settings() -> str:
    """Return the settings that the documentation has people copy, with the folders of this checkout in them."""
    block = re.search(r"^```vim\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert block is not None
    settings = block[1].replace("~/acp_client/.venv/bin/python", str(python_of("neovim")))
    settings = settings.replace("~/acp_client/", f"{PROJECT}/")
    assert "~" not in settings, "every folder on the page has to be one that is replaced here"
    return settings
