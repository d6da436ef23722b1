"""The stdio transport: an agent as a child process, one message a line.

Joins three parts that know nothing of each other: the process, its pipes, and the cutting into lines. Decides when the
connection is over and what the first cause was. Reading never depends on writing, and neither waits for the other.

When the host exits without closing, the agent sees the end of its stdin, which is how agents learn that they are done.
One that ignores this survives the host, unless the host calls `kill` from an exit hook of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from io import FileIO
from typing import TYPE_CHECKING

from acp_client.errors import ConnectionClosed, ConnectionLost, MessageTooLarge, ProtocolViolation, UsageError
from acp_client.transports.base import CLOSING, Receiver
from acp_client.transports.command import environment, shown
from acp_client.transports.lines import LineSplitter
from acp_client.transports.pipes import READ_SIZE, PipeReader, PipeWriter, open_reader, open_writer
from acp_client.transports.process import AgentProcess, exit_hint, exit_text, signal_name, spawn

if TYPE_CHECKING:
    from acp_client.transports.specs import StdioSpec

STDERR_TAIL = 64 * 1024
"""Bytes of stderr that are remembered: enough for the last stack trace."""

END_WAIT = 1.0
"""Seconds between the first sign of the end and our verdict, for the exit status and the last lines to arrive.

A process that the agent left behind may hold its pipes open for ever.
"""


class StdioTransport:
    """One agent process. Made by `StdioSpec.transport`; used by one event loop, in any thread."""

    def __init__(self, spec: StdioSpec) -> None:
        self._spec = spec
        self._name = f"agent {shown(spec.command)!r}"
        self._lines = LineSplitter(spec.max_message_bytes)
        self._tail = bytearray()
        self._receiver: Receiver | None = None
        self._process: AgentProcess | None = None
        self._loop: asyncio.AbstractEventLoop
        self._stdin: PipeWriter
        self._stdout: PipeReader
        self._stderr: PipeReader
        self._owed = {"exit", "stdout", "stderr"}
        self._verdict: asyncio.TimerHandle | None = None
        self._problem: Exception | None = None
        self._ended = False
        self._stopping: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process id of the agent; None before it was started."""
        return None if self._process is None else self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit status, negative for a signal; None while the agent runs."""
        return None if self._process is None else self._process.exit_code

    @property
    def stderr_tail(self) -> str:
        """The end of what the agent wrote to stderr so far."""
        return self._tail[-STDERR_TAIL:].decode(errors="replace")

    # opening

    async def open(self, receiver: Receiver) -> None:
        """Start the agent. Does not wait, so there is no moment at which a cancellation could leave a process behind.

        Raises `AgentStartError` when the program cannot be started, `UsageError` when it was opened before.
        """
        if self._process is not None or self._ended:
            raise UsageError("a transport serves one connection; make a new one for the next")
        spec, self._loop = self._spec, asyncio.get_running_loop()
        env = environment(
            os.environ,
            changes=spec.env,
            unset=spec.env_unset,
            inherit=spec.inherit_env,
            path_prepend=spec.path_prepend,
            windows=os.name == "nt",
        )
        process = spawn(spec.command, env, spec.cwd, self._loop, self._on_exit)
        self._process, self._receiver = process, receiver
        try:
            _enlarge(process.stdout)
            self._stdin = open_writer(self._loop, process.stdin, self._on_stdin_broken)
            self._stdout = open_reader(self._loop, process.stdout, self._on_stdout, self._on_stdout_end)
            self._stderr = open_reader(self._loop, process.stderr, self._on_stderr, self._on_stderr_end)
        except BaseException:
            self._ended = True
            process.abandon()
            raise

    # writing

    def send(self, messages: Sequence[bytes]) -> None:
        """Write whole messages, each as a line, in one write. Never blocks; after the end it does nothing."""
        if not self._ended and self._process is not None:
            one = len(messages) == 1
            self._stdin.write(messages[0] + b"\n" if one else b"\n".join([*messages, b""]))

    async def drain(self) -> None:
        """Wait until the pipe has taken what was sent, or the connection has ended."""
        if self._process is not None:
            await self._stdin.drain()

    # reading

    def _on_stdout(self, block: bytes) -> None:
        if self._ended or self._receiver is None:
            return  # still read, so that an agent that is closing down does not block on a full pipe
        lines = self._lines.feed(block)
        if lines:
            self._receiver.frames(lines)
        self._check_limit()

    def _on_stdout_end(self, error: OSError | None) -> None:
        if not self._ended and self._receiver is not None and (lines := self._lines.finish()):
            self._receiver.frames(lines)
        self._check_limit()
        self._problem = self._problem or error
        self._settled("stdout")

    def _check_limit(self) -> None:
        if self._lines.too_long and self._spec.max_message_bytes is not None:
            self._problem = MessageTooLarge(self._spec.max_message_bytes)
            self._lose(f"{self._name} sent a message of more than {self._spec.max_message_bytes} bytes")

    def _on_stderr(self, block: bytes) -> None:
        self._tail += block
        if len(self._tail) > 2 * STDERR_TAIL:
            del self._tail[:-STDERR_TAIL]

    def _on_stderr_end(self, error: OSError | None) -> None:
        self._settled("stderr")

    # the end

    def _on_exit(self) -> None:
        self._settled("exit")

    def _on_stdin_broken(self, error: OSError) -> None:
        self._problem = self._problem or error
        self._expect_end()

    def _settled(self, what: str) -> None:
        """One of the signs of the end has been seen: with all of them the cause is known, else it is waited for."""
        self._owed.discard(what)
        if not self._owed:
            self._judge()
        elif what != "stderr":  # closing stderr alone is no sign
            self._expect_end()

    def _expect_end(self) -> None:
        if self._verdict is None and not self._ended:
            self._verdict = self._loop.call_later(END_WAIT, self._judge)

    def _judge(self) -> None:
        """Say why the connection is over, from all that has arrived by now."""
        assert self._process is not None
        code = self._process.exit_code
        if code is not None:
            self._lose(f"{self._name} {exit_text(code)}")
        elif "stdout" not in self._owed:
            failed = "could not be read any more" if self._problem else "closed its output without exiting"
            self._lose(f"{self._name} {failed}")
        else:
            self._lose(f"{self._name} does not read its input any more")

    def _lose(self, reason: str) -> None:
        code = self.exit_code
        cause = ConnectionLost(
            reason,
            exit_code=code if code is None or code >= 0 else None,
            signal=None if code is None else signal_name(code),
            stderr_tail=self.stderr_tail,
        )
        cause.__cause__ = self._problem
        cause.problem = self._problem if isinstance(self._problem, ProtocolViolation) else None
        if code is not None and (hint := exit_hint(code)):
            cause.add_note(hint)
        self._end(cause)

    def _end(self, cause: ConnectionLost) -> None:
        if self._ended:
            return
        self._ended = True
        if self._verdict is not None:
            self._verdict.cancel()
        if self._process is not None:
            self._begin_stop(self._process)
        if self._receiver is not None:
            self._receiver.lost(cause)

    # closing

    async def aclose(self) -> None:
        """Close stdin, then terminate, then kill, with a bounded time for each; sweep what the agent left behind.

        Safe to repeat, to call from any task, and to abandon: the agent is ended all the same.
        """
        if self._verdict is not None and not self._ended:
            self._judge()  # the agent ended it first; only what it said last was still awaited
        self._end(ConnectionClosed("the connection was closed by this side"))
        if self._stopping is not None:
            await asyncio.shield(self._stopping)

    def kill(self) -> None:
        """End the agent and all it started at once, from any thread, without a running loop: for exit hooks."""
        if self._process is not None:
            self._process.kill()

    def _begin_stop(self, process: AgentProcess) -> None:
        if process.has_exited and not process.left_behind:
            self._release()
        else:
            self._stopping = self._loop.create_task(self._stop(process), name=CLOSING)

    async def _stop(self, process: AgentProcess) -> None:
        try:
            await process.stop(self._stdin.close, self._spec.exit_grace)
        finally:
            if not process.has_exited:
                process.abandon()  # the loop is shutting down: no time is left for grace
            self._release()

    def _release(self) -> None:
        self._stdin.close()
        self._stdout.close()
        self._stderr.close()


def _enlarge(pipe: FileIO) -> None:
    """Let a pipe hold as much as one read takes; a system that does not want to is right, too."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, READ_SIZE)
