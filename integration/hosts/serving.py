"""The chat examples of the documentation as running servers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import attrs

from integration.hosts.install import PROJECT, python_of
from integration.peers.processes import survivors

EXAMPLES = PROJECT / "docs" / "examples"

LISTEN_BOUND = 30.0
"""Seconds until a server listens: the imports of NiceGUI take some on a busy machine."""

END_BOUND = 15.0
"""Seconds within which a server that is asked to stop does, also with an agent that has to be killed."""


def demo_agent(*arguments: str) -> str:
    """Return the command line of the demo agent in the environment of the examples."""
    return " ".join((str(python_of("chat")), "-m", "acp_client.testing.demo_agent", *arguments))


def playing_agent(*arguments: str) -> str:
    """Return the command line of `playing_agent.py`."""
    return " ".join((str(python_of("chat")), str(Path(__file__).parent / "playing_agent.py"), *arguments))


@attrs.define
class Servers:
    """Those that a test starts; each works in `home`, which is its HOME and that of its agent, too."""

    home: Path
    running: list[subprocess.Popen[bytes]] = attrs.Factory(list)
    _latest: tuple[list[str], dict[str, str]] = attrs.field(init=False)

    def start(self, example: str, agent: str | None = None) -> str:
        """Start an example on a free port of the loopback interface and return its address."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        # NiceGUI looks for pytest around it, and would serve its own tests.
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        env |= {"HOME": str(self.home), "PYTHONPATH": str(PROJECT)} | ({"ACP_AGENT": agent} if agent else {})
        self._run([str(python_of("chat")), str(EXAMPLES / example), "--port", str(port)], env)
        return f"http://127.0.0.1:{port}/"

    def _run(self, command: list[str], env: dict[str, str]) -> None:
        self._latest = command, env
        self.running.append(subprocess.Popen(command, cwd=self.home, env=env))
        _wait_for(int(command[-1]), self.running[-1])

    def restart(self) -> None:
        """Stop the latest one and start it again at the same address."""
        self.stop()
        self._run(*self._latest)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        """Ask all of them to stop, and see that nothing is left of them."""
        for process in self.running:
            process.send_signal(by)
        codes = [process.wait(END_BOUND) for process in self.running]
        assert survivors(self.home) == [], "a server left processes behind"
        assert set(codes) <= {0, -15}, codes


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + LISTEN_BOUND
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nobody listens on port {port}")
