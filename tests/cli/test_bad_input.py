"""What can go wrong before a turn: one line each, that says what was tried, what came back and what to do."""

from __future__ import annotations

import socket
import struct
import threading

import pytest

from tests.cli.terminal import Run, acp_client, agent


def error_line(run: Run) -> str:
    """Return the one line of the error, which is all that is said."""
    (line,) = run.err.splitlines()
    assert line.startswith("acp-client: ")
    assert run.out == ""
    return line


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ([], "no command given"),
        (["dance"], "invalid choice: 'dance'"),
        (["prompt"], "required: TEXT"),
        (["prompt", " "], "it is empty"),
        (["prompt", "--protocol", "3", "hi"], "choose auto, 1 or 2"),
        (["prompt", "--permission", "maybe", "hi"], "invalid choice"),
        (["prompt", "two", "words"], "unrecognized arguments: words"),
        (["demo-agent", "--ws", "http"], "is no port"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(words: list[str], hint: str) -> None:
    """Ours: with where to find help."""
    run = acp_client(*words)
    assert (run.status, run.out) == (2, "")
    (line,) = run.err.splitlines()
    assert hint in line
    assert "--help" in line


@pytest.mark.parametrize(
    ("target", "status", "hints"),
    [
        ("no-such-agent --acp", 3, ["no-such-agent"]),
        (agent("exit"), 3, ["status 4", "FATAL: no API key", "initialize"]),
        (agent("noise-only"), 3, ["status 1", "Usage: my-tool FILE"]),
        (agent("nonsense"), 3, ["initialize"]),
        (agent("version-3"), 3, ["agent answered 3", "speaks 1 and 2"]),
        (agent("version-text"), 3, ["'two'"]),
        (agent("login"), 3, ["log in", "'key'"]),
        (agent("bad-session"), 3, ["session/new"]),
        ("http://127.0.0.1:1/acp", 2, ["ws://"]),
        ("'unclosed", 2, ["command line"]),
    ],
)
def test_an_agent_that_cannot_be_used_is_one_line(target: str, status: int, hints: list[str]) -> None:
    """Ours: no traceback, nothing left running, and a reason that helps."""
    run = acp_client("prompt", "--agent", target, "hi")
    assert run.status == status
    line = error_line(run)
    assert [hint for hint in hints if hint not in line] == []


def test_noise_before_the_handshake_does_no_harm() -> None:
    """Fault ST-02: it is told on stderr, and the turn goes on."""
    run = acp_client("prompt", "--agent", agent("noise"), "hi")
    assert (run.status, run.out) == (0, "hello\n")
    assert "Database migrated" in run.err


def test_a_url_nobody_listens_on_says_so() -> None:
    """Ours: connection refused, and what to check."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        run = acp_client("inspect", "--agent", f"ws://127.0.0.1:{port}/acp")
    assert run.status == 3
    assert "refused" in error_line(run)


def test_tls_where_there_is_none_says_so() -> None:
    """Ours: what broke, and what to check, whichever way the server reacts to what it takes for rubbish."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def break_off() -> None:
            accepted, _ = listener.accept()
            accepted.recv(16)
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            accepted.close()

        thread = threading.Thread(target=break_off)
        thread.start()
        run = acp_client("inspect", "--agent", f"wss://127.0.0.1:{listener.getsockname()[1]}/acp")
        thread.join(5)
    assert run.status == 3
    line = error_line(run)
    assert "TLS" in line
    assert "wss:// endpoint" in line


def test_a_missing_working_directory_is_wrong_usage() -> None:
    """Ours: told before anything is started."""
    run = acp_client("prompt", "--cwd", "/no/such/dir", "hi")
    assert run.status == 2
    assert "/no/such/dir" in error_line(run)
