"""The stdio transport against real processes of a few lines."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import sys
from pathlib import Path

import pytest

from acp_client.errors import AgentStartError, ConnectionLost, MessageTooLarge
from acp_client.transports.specs import StdioSpec
from acp_client.transports.stdio import STDERR_TAIL, StdioTransport
from tests.transports.support import Recorder, closed, opened, script, within

pytestmark = pytest.mark.usefixtures("brief")

ECHO = """
import os, sys
for line in sys.stdin.buffer:
    os.write(1, line)
"""


async def last_words(spec: StdioSpec) -> ConnectionLost:
    """Run an agent that ends by itself and return what the transport says about it."""
    transport, recorder = await opened(spec)
    cause = await recorder.next_cause()
    await closed(transport)
    return cause


async def test_lines_are_exchanged_with_a_child_process() -> None:
    """Spec MUST TR-STD-01, TR-STD-02, TR-STD-03."""
    transport, recorder = await opened(script(ECHO))
    transport.send([b'{"n":1}', b'{"n":2}'])

    assert await recorder.next() == b'{"n":1}'
    assert await recorder.next() == b'{"n":2}'
    await closed(transport)
    assert transport.exit_code == 0


async def test_one_send_is_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a cancel and the answers it implies leave together; nothing slips in between."""
    transport, recorder = await opened(script(ECHO))
    written: list[bytes] = []
    write = os.write

    def counting(descriptor: int, data: bytes) -> int:
        written.append(bytes(data))
        return write(descriptor, data)

    monkeypatch.setattr("acp_client.transports.pipes.os.write", counting)
    transport.send([b'{"cancel":1}', b'{"answer":1}', b'{"answer":2}'])
    assert written == [b'{"cancel":1}\n{"answer":1}\n{"answer":2}\n']
    await recorder.until(lambda: len(recorder.messages) == 3)
    await closed(transport)


async def test_junk_carriage_returns_and_a_last_line_without_end_are_tolerated() -> None:
    """Fault ST-02; spec TR-STD-05, TR-STD-12: noise is handed on as it came, empty lines are not."""
    output = b'Database migrated\n\x1b[32m[tool] hi\x1b[0m\n"str"\n[1,2]\n42\n\n{"n":1}\r\n{"last":true}'
    transport, recorder = await opened(script(f"import os; os.write(1, {output!r})"))

    await recorder.next_cause()
    assert recorder.messages == [
        b"Database migrated",
        b"\x1b[32m[tool] hi\x1b[0m",
        b'"str"',
        b"[1,2]",
        b"42",
        b'{"n":1}',
        b'{"last":true}',
    ]
    await closed(transport)


async def test_an_agent_may_fill_stderr_before_it_answers() -> None:
    """Fault ST-05; spec TR-STD-04: stderr is drained from the start, line ends or not."""
    transport, recorder = await opened(
        script("""
        import os, sys
        line = sys.stdin.buffer.readline()
        sys.stderr.buffer.write(b"x" * 2**20)
        sys.stderr.flush()
        os.write(1, line)
        sys.stdin.read()
        """)
    )
    transport.send([b'{"id":1}'])

    assert await recorder.next() == b'{"id":1}'
    await closed(transport)


async def test_the_end_of_stderr_and_the_exit_status_are_in_the_error() -> None:
    """Fault ST-06: bounded, however much was written before."""
    cause = await last_words(
        script("""
        import sys
        for _ in range(160):
            sys.stderr.write("y" * 65536)
        sys.stderr.write("\\nFATAL: no API key\\n")
        sys.exit(1)
        """)
    )
    assert cause.exit_code == 1
    assert str(cause).endswith("exited with status 1; last stderr line: 'FATAL: no API key'")
    assert len(cause.stderr_tail) <= STDERR_TAIL


async def test_a_request_gets_the_exit_status_of_an_agent_that_dies_of_it() -> None:
    """Fault PL-01; spec TR-STD-09."""
    transport, recorder = await opened(script("import sys; sys.stdin.readline(); sys.exit(1)"))
    transport.send([b'{"method":"initialize"}'])

    cause = await recorder.next_cause()
    assert cause.exit_code == 1
    assert "exited with status 1 before answering initialize" in str(cause.again("initialize"))
    await closed(transport)


async def test_the_signal_that_killed_the_agent_is_named() -> None:
    """Fault PL-01."""
    cause = await last_words(script("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"))

    assert (cause.exit_code, cause.signal) == (None, "SIGKILL")
    assert "was killed by signal SIGKILL" in str(cause)


async def test_a_failing_read_is_the_cause_and_no_clean_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault ST-10: the cause is kept, and nothing reaches the loop's exception handler."""
    unhandled: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: unhandled.append(context))
    transport, recorder = await opened(script(ECHO))
    read = os.read

    def failing(descriptor: int, size: int) -> bytes:
        read(descriptor, size)
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr("acp_client.transports.pipes.os.read", failing)
    transport.send([b'{"id":1}'])

    cause = await recorder.next_cause()
    assert isinstance(cause.__cause__, OSError)
    assert cause.__cause__.errno == errno.EIO
    assert "could not be read any more" in str(cause)
    monkeypatch.undo()
    await closed(transport)
    assert unhandled == []


async def test_an_agent_that_closes_its_output_is_lost_although_it_runs() -> None:
    """Ours: nobody waits for ever for the exit of an agent that cannot say anything more."""
    transport, recorder = await opened(script("import os, sys; os.close(1); sys.stdin.read()"))

    cause = await recorder.next_cause()
    assert "closed its output without exiting" in str(cause)
    await closed(transport)
    assert transport.exit_code is not None


async def test_an_agent_that_closes_its_input_is_lost_although_it_runs() -> None:
    """Fault PL-12: a broken pipe is the end of the connection, and no exception of a send."""
    transport, recorder = await opened(
        script("import os, signal; os.close(0); os.write(1, b'closed\\n'); signal.pause()", exit_grace=0.1)
    )
    await recorder.next()
    transport.send([b"{}"])
    transport.send([b"{}"])
    await within(transport.drain())

    cause = await recorder.next_cause()
    assert isinstance(cause.__cause__, BrokenPipeError)
    assert "does not read its input any more" in str(cause)
    await closed(transport)


async def test_sends_to_a_killed_agent_are_quiet_and_the_next_agent_is_unharmed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Fault PL-12: no raw BrokenPipeError, no flood in the log, a fresh connection works."""
    transport, recorder = await opened(script(ECHO))
    os.kill(transport.pid, 9)
    for _ in range(4):
        transport.send([b"{}"])
    assert (await recorder.next_cause()).signal == "SIGKILL"
    transport.send([b"{}"])
    await closed(transport)
    assert not caplog.records

    fresh, recorder = await opened(script(ECHO))
    fresh.send([b'{"n":1}'])
    assert await recorder.next() == b'{"n":1}'
    await closed(fresh)


async def test_writes_wait_for_an_agent_that_does_not_read_yet() -> None:
    """Spec TR-STD-08: back-pressure is felt by whoever drains, never by whoever sends."""
    transport, recorder = await opened(
        script("""
        import os, sys
        os.write(1, b"ready\\n")
        sys.stdin.buffer.readline()
        os.write(1, b"%d\\n" % len(sys.stdin.buffer.readline()))
        sys.stdin.read()
        """)
    )
    await recorder.next()
    transport.send([b"go"])
    transport.send([b"x" * 5_000_000])
    transport.send([b"y" * 10])
    await within(transport.drain())

    assert await recorder.next() == b"5000001"
    await closed(transport)


async def test_the_environment_is_merged_and_unset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Fault PL-08: the child sees PATH and A, and not the host's marker; the folder is the one asked for."""
    monkeypatch.setenv("CLAUDECODE", "1")
    transport, recorder = await opened(
        script(
            "import json, os; print(json.dumps({'env': dict(os.environ), 'cwd': os.getcwd()}))",
            env={"A": "1"},
            env_unset=("CLAUDECODE",),
            path_prepend=("/opt/first",),
            cwd=tmp_path,
        )
    )
    seen = json.loads(await recorder.next())

    assert seen["cwd"] == str(tmp_path)
    assert seen["env"]["A"] == "1"
    assert seen["env"]["PATH"] == f"/opt/first:{os.environ['PATH']}"
    assert "CLAUDECODE" not in seen["env"]
    await closed(transport)


async def test_a_missing_interpreter_of_a_launcher_is_explained(tmp_path: Path) -> None:
    """Fault PL-07: status 127, what stderr said, and what to do."""
    launcher = tmp_path / "my-agent"
    launcher.write_text("#!/usr/bin/env nonexistent-node\n")
    launcher.chmod(0o755)
    cause = await last_words(StdioSpec((str(launcher), "--acp")))

    assert cause.exit_code == 127
    assert f"agent '{launcher} --acp' exited with status 127" in str(cause)
    assert "nonexistent-node" in str(cause)
    assert "path_prepend" in cause.__notes__[0]


@pytest.mark.parametrize(
    ("first_line", "mode", "hint"),
    [
        ("#!/nowhere/node\n", 0o755, "interpreter"),
        ("no first line\n", 0o755, "#!/usr/bin/env"),
        ("#!/bin/sh\n", 0o644, "is not executable"),
    ],
)
async def test_a_program_that_cannot_be_run_is_explained(tmp_path: Path, first_line: str, mode: int, hint: str) -> None:
    """Fault PL-07: an AgentStartError that says what to do."""
    program = tmp_path / "my-agent"
    program.write_text(first_line)
    program.chmod(mode)
    with pytest.raises(AgentStartError) as caught:
        await StdioSpec((str(program),)).transport().open(Recorder())
    assert hint in str(caught.value)


async def test_a_missing_program_or_folder_is_explained(tmp_path: Path) -> None:
    """Fault PL-07: ENOENT has two meanings."""
    with pytest.raises(AgentStartError, match="no program 'nonexistent-agent'"):
        await StdioSpec(("nonexistent-agent",)).transport().open(Recorder())
    with pytest.raises(AgentStartError, match="working directory '/nowhere'"):
        await script(ECHO, cwd="/nowhere").transport().open(Recorder())
    with pytest.raises(AgentStartError, match="null"):
        await StdioSpec((sys.executable, "a\0b")).transport().open(Recorder())


async def test_junk_over_the_limit_counts_as_well() -> None:
    """Spec TR-STD-07: also in the last line of an agent that ends there."""
    transport, recorder = await opened(script("import os; os.write(1, b'{}\\n' + b'x' * 50)", max_message_bytes=40))
    cause = await recorder.next_cause()
    assert isinstance(cause.__cause__, MessageTooLarge)
    assert recorder.messages == [b"{}"]
    await closed(transport)


async def test_a_limit_can_be_left_out() -> None:
    """Ours: None is no limit."""
    transport, recorder = await opened(script("print('x' * 100_000)", max_message_bytes=None))
    assert len(await recorder.next()) == 100_000
    await closed(transport)


async def test_nothing_is_known_before_the_agent_is_started() -> None:
    """Ours: a transport that was never opened can be asked, drained, killed and closed."""
    transport = StdioTransport(script(ECHO))
    assert (transport.pid, transport.exit_code, transport.stderr_tail) == (None, None, "")
    transport.send([b"{}"])
    transport.kill()
    await within(transport.drain())
    await closed(transport)
