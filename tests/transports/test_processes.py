"""Nothing of an agent stays behind: closing, cancelling, crashing, exiting."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from acp_client.errors import AgentStartError, ConnectionClosed
from acp_client.transports import process as process_module
from acp_client.transports import stdio
from acp_client.transports.process import AgentProcess, exit_hint, exit_text
from acp_client.transports.specs import StdioSpec
from tests.transports.support import BOUND, Recorder, closed, is_running, open_descriptors, opened, script, within

pytestmark = pytest.mark.usefixtures("brief")

ECHO = "import os, sys\nfor line in sys.stdin.buffer: os.write(1, line)"

STUBBORN = """
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.write(1, b"ready\\n")
while True: signal.pause()
"""

WITH_CHILD = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", {child!r}], {options})
os.write(1, b"%d\\n" % child.pid)
{then}
"""


def with_child(then: str, options: str = "", child: str = "import signal; signal.pause()", **spec: Any) -> StdioSpec:
    return script(WITH_CHILD.format(child=child, options=options, then=then), **spec)


async def test_an_agent_that_ends_with_its_input_is_given_the_time() -> None:
    """Spec TR-STD-10: closing stdin comes first, and nothing else if that is enough."""
    transport, recorder = await opened(script("import sys; print('up', flush=True); sys.stdin.read(); sys.exit(7)"))
    await recorder.next()
    await closed(transport)
    assert transport.exit_code == 7


async def test_an_agent_that_ignores_its_input_and_sigterm_is_killed() -> None:
    """Fault PL-03; spec TR-STD-10: two graces and no more; closing again does nothing."""
    transport, recorder = await opened(script(STUBBORN, exit_grace=0.1))
    await recorder.next()
    await closed(transport, transport)
    assert transport.exit_code == -9
    assert not is_running(transport.pid)


async def test_an_agent_that_writes_without_end_can_still_end() -> None:
    """Ours: its output is read while it closes down, so that it does not block before it sees the end of its input."""
    transport, recorder = await opened(
        script("""
        import os, sys
        os.write(1, b"up\\n")
        sys.stdin.read()
        os.write(1, b"x" * 2_000_000)
        sys.exit(5)
        """)
    )
    await recorder.next()
    await closed(transport)
    assert transport.exit_code == 5


async def test_the_real_agent_behind_a_launcher_ends_with_it() -> None:
    """Fault PL-02: launchers do not forward signals, so the whole group gets them."""
    inner = f"{sys.executable} -I -S -c 'import os, signal; os.write(1, b\"%d\\n\" % os.getpid()); signal.pause()'"
    transport, recorder = await opened(StdioSpec(("sh", "-c", f"{inner}; :"), exit_grace=0.1))
    pid = int(await recorder.next())
    assert pid != transport.pid
    await closed(transport)
    assert not is_running(pid)
    assert not is_running(transport.pid)


@pytest.mark.parametrize("child", ["import signal; signal.pause()", STUBBORN.replace('os.write(1, b"ready\\n")', "")])
async def test_what_a_dead_agent_left_behind_is_swept(child: str) -> None:
    """Fault PL-02: an agent that exits while a child of it holds its pipes neither hangs us nor leaves the child."""
    transport, recorder = await opened(with_child("sys.exit(3)", child=child))
    pid = int(await recorder.next())

    cause = await recorder.next_cause()
    assert cause.exit_code == 3
    await closed(transport)
    assert not is_running(pid)


async def test_a_child_without_our_pipes_is_swept_as_well() -> None:
    """Fault PL-02: nothing but the process group tells that it is there."""
    transport, recorder = await opened(with_child("sys.stdin.read()", "stdin=-3, stdout=-3, stderr=-3"))
    pid = int(await recorder.next())
    await closed(transport)
    assert not is_running(pid)


async def test_the_agent_leads_its_own_session() -> None:
    """Fault HE-07: an interrupt for the host's process group does not reach the agent."""
    transport, _ = await opened(script(ECHO))
    assert os.getsid(transport.pid) == os.getpgid(transport.pid) == transport.pid
    assert os.getsid(0) != transport.pid
    await closed(transport)


async def test_a_silent_agent_is_closed_with_what_it_wrote_to_stderr() -> None:
    """Fault PL-04: whoever gives up on the handshake finds the end of stderr here, and no process afterwards."""
    transport, recorder = await opened(
        script(
            "import os, signal; os.write(2, b'waiting for a login\\n'); os.write(1, b'x\\n'); signal.pause()",
            exit_grace=0.1,
        )
    )
    await recorder.next()
    await closed(transport)
    assert transport.stderr_tail == "waiting for a login\n"
    assert not is_running(transport.pid)


async def test_fifty_cancelled_connects_leave_nothing() -> None:
    """Fault PL-05: no child, no descriptor, no task."""
    before = open_descriptors()
    started: list[int] = []

    async def connect() -> None:
        transport = script(STUBBORN).transport()
        recorder = Recorder()
        try:
            await transport.open(recorder)
            started.append(transport.pid or 0)
            await recorder.next_cause()
        finally:
            transport.kill()
            await transport.aclose()

    for _ in range(50):
        task = asyncio.ensure_future(connect())
        await asyncio.wait({task}, timeout=0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await within(task)

    assert len(started) == 50
    assert not any(is_running(pid) for pid in started)
    assert open_descriptors() == before


async def test_a_failed_open_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault PL-05: also when the process runs already."""
    before, pids = open_descriptors(), []

    def failing(loop: object, file: object, *callbacks: object) -> None:
        pids.append(transport.pid)
        raise OSError("no more watches")

    monkeypatch.setattr("acp_client.transports.stdio.open_reader", failing)
    transport = script(ECHO).transport()
    with pytest.raises(OSError, match="no more watches"):
        await transport.open(Recorder())
    assert pids[0] is not None
    assert not is_running(pids[0])
    assert open_descriptors() == before


async def test_no_thread_to_wait_in_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault PL-05."""
    before = open_descriptors()

    def failing(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", failing)
    with pytest.raises(RuntimeError, match="new thread"):
        await script(ECHO).transport().open(Recorder())
    assert open_descriptors() == before


async def test_closing_while_the_last_words_are_awaited_keeps_the_first_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: the agent was gone before this side closed."""
    monkeypatch.setattr(stdio, "END_WAIT", 60.0)
    transport, recorder = await opened(with_child("sys.exit(3)"))
    await recorder.next()
    await asyncio.wait({transport._process._exited}, timeout=BOUND)  # nothing public tells before the verdict
    await closed(transport)
    assert (await recorder.next_cause()).exit_code == 3


def test_a_loop_that_shuts_down_ends_the_agent() -> None:
    """Ours: the task that closes is cancelled by asyncio.run, and still nothing is left."""
    pids: list[int] = []

    async def main() -> None:
        transport, recorder = await opened(script(STUBBORN, exit_grace=60.0))
        await recorder.next()
        pids.append(transport.pid)
        closing = asyncio.ensure_future(transport.aclose())
        await recorder.next_cause()
        assert not closing.done()

    asyncio.run(main())
    assert not is_running(pids[0])


@pytest.mark.parametrize("watching", [True, False])
def test_a_loop_in_another_thread_reports_the_exit_status(watching: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault HE-08: no child watcher, no signal handler."""
    if not watching:
        monkeypatch.setattr("acp_client.transports.pipes.can_watch", lambda loop, file: False)
    seen: list[Any] = []

    async def main() -> None:
        transport, recorder = await opened(script("import sys; print(sys.stdin.readline()); sys.exit(4)"))
        transport.send([b"hello"])
        seen.append(await recorder.next())
        seen.append((await recorder.next_cause()).exit_code)
        await closed(transport)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    thread.join(10)
    assert seen == [b"hello", 4]


async def test_a_loop_that_can_neither_spawn_nor_watch_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault HE-01: the selector loop of notebooks on Windows."""
    loop = asyncio.get_running_loop()

    def unable(*arguments: object, **options: object) -> None:
        raise NotImplementedError

    for name in ("subprocess_exec", "add_reader", "add_writer", "connect_read_pipe", "connect_write_pipe"):
        monkeypatch.setattr(loop, name, unable)
    transport, recorder = await opened(script(ECHO))
    transport.send([b'{"n":1}'])
    transport.send([b"x" * 1_000_000])
    await within(transport.drain())
    assert await recorder.next() == b'{"n":1}'
    assert len(await recorder.next()) == 1_000_000
    await closed(transport)
    assert isinstance(await recorder.next_cause(), ConnectionClosed)
    assert transport.exit_code == 0


HOST = """
import asyncio, atexit, os, sys
sys.path.insert(0, sys.argv[1])
from acp_client.transports.specs import StdioSpec

class Quiet:
    def frames(self, frames): self.up.set()
    def lost(self, cause): ...

async def main():
    receiver = Quiet()
    receiver.up = asyncio.Event()
    transport = StdioSpec((sys.executable, "-I", "-S", "-c", sys.argv[2], sys.argv[3])).transport()
    await transport.open(receiver)
    await receiver.up.wait()
    {leave}

asyncio.run(main())
"""

LINKED = """
import os, signal, socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
os.write(1, b"up\\n")
"""


@pytest.mark.parametrize(
    ("agent", "leave"),
    [
        ("sys.stdin.read()", "return"),
        ("sys.stdin.read()", "os._exit(0)"),
        ("while True: signal.pause()", "atexit.register(transport.kill)"),
    ],
    ids=["end of input", "hard exit", "exit hook"],
)
def test_no_agent_outlives_a_host_that_forgot_to_close(agent: str, leave: str, tmp_path: Path) -> None:
    """Ours; hosts A: agents end with their input, and `kill` is there for the exit hooks of hosts with others."""
    root = str(Path(process_module.__file__).parents[2])
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "link"))
        listener.listen()
        listener.settimeout(BOUND)
        code = HOST.format(leave=leave)
        subprocess.run(
            [sys.executable, "-c", code, root, LINKED + agent, str(tmp_path / "link")], check=True, timeout=10
        )
        link, _ = listener.accept()
        with link:
            link.settimeout(BOUND)
            assert link.recv(1) == b""  # the system closes it when the agent is gone


async def test_a_system_that_cannot_wait_without_reaping_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: macOS before Python 3.13."""
    monkeypatch.delattr(os, "waitid")
    transport, recorder = await opened(script("import sys; sys.stdin.readline(); sys.exit(6)"))
    transport.send([b"{}"])
    assert (await recorder.next_cause()).exit_code == 6
    await closed(transport)


async def test_an_agent_that_even_outlives_a_kill_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Fault PL-03: closing returns all the same, and what is reported is its number."""
    transport, recorder = await opened(script(STUBBORN, exit_grace=0.05))
    await recorder.next()
    monkeypatch.setattr(AgentProcess, "_signal", lambda process, number: None)
    monkeypatch.setattr(process_module, "SWEEP_GRACE", 0.05)
    await closed(transport)
    assert [record.getMessage() for record in caplog.records] == [
        f"agent process {transport.pid} outlived SIGKILL; giving up on it"
    ]
    os.kill(transport.pid, 9)
    await asyncio.wait({transport._process._exited}, timeout=BOUND)


async def test_a_process_tree_is_ended_by_its_root_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault PL-02, PL-03: there are no groups to signal there."""
    runs: list[list[str]] = []
    transport, recorder = await opened(script(STUBBORN, exit_grace=0.05))
    await recorder.next()
    monkeypatch.setattr(process_module, "_WINDOWS", True)
    monkeypatch.setattr(subprocess, "run", lambda argv, **options: runs.append(argv))
    await closed(transport)
    assert runs == [["taskkill", "/T", "/F", "/PID", str(transport.pid)]]
    assert not is_running(transport.pid)
    transport.kill()
    assert len(runs) == 1


async def test_a_system_that_forbids_to_run_it_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault PL-07: a folder that may hold no programs, for example."""

    def popen(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(AgentStartError, match="Permission denied; check that it may be executed"):
        await script(ECHO).transport().open(Recorder())


async def test_a_windows_agent_is_started_through_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault PL-06, HE-07: the resolved command, in a group of its own and without a window."""
    started: dict[str, Any] = {}

    def popen(argv: object, **options: Any) -> None:
        started.update(options, argv=argv)
        raise OSError("enough seen")

    monkeypatch.setattr(process_module, "_WINDOWS", True)
    monkeypatch.setattr(process_module, "windows_command", lambda command, env, cwd: f"resolved {command[0]}")
    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", 0x8000000, raising=False)
    with pytest.raises(AgentStartError, match="enough seen"):
        await StdioSpec(("npx",)).transport().open(Recorder())
    assert started["argv"] == "resolved npx"
    assert started["creationflags"] == 0x8000200
    assert started["start_new_session"] is False


def test_exit_statuses_are_put_into_words() -> None:
    """Fault PL-07: and two of them into advice."""
    assert exit_text(3) == "exited with status 3"
    assert exit_text(-15) == "was killed by signal SIGTERM"
    assert exit_text(-99) == "was killed by signal 99"
    assert "permissions" in (exit_hint(126) or "")
    assert "path_prepend" in (exit_hint(127) or "")
    assert exit_hint(1) is None
