"""What is started when a command line is started."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_client.errors import AgentStartError, UsageError
from acp_client.transports.command import environment, posix_command, shown, windows_command

HOST = {"PATH": "/usr/bin:/bin", "HOME": "/home/u", "CLAUDECODE": "1"}


def merged(**options: object) -> dict[str, str]:
    defaults: dict[str, object] = {
        "changes": {},
        "unset": (),
        "inherit": True,
        "path_prepend": (),
        "windows": False,
    }
    return environment(HOST, **(defaults | options))  # type: ignore[arg-type]  # one dict for five types


def test_variables_are_merged_over_the_inherited_ones() -> None:
    """Fault PL-08: PATH stays, the host's own marker goes."""
    assert merged(changes={"A": "1"}, unset=("CLAUDECODE", "NOT_THERE")) == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/u",
        "A": "1",
    }


def test_nothing_is_inherited_on_request() -> None:
    """Fault PL-08: replacing all is a choice."""
    assert merged(changes={"A": "1"}, inherit=False) == {"A": "1"}


def test_folders_are_put_before_the_path() -> None:
    """Fault PL-07: a graphical host has a poor PATH."""
    assert merged(path_prepend=("/opt/node/bin", "/opt/x"))["PATH"] == "/opt/node/bin:/opt/x:/usr/bin:/bin"
    assert merged(path_prepend=("/opt/x",), inherit=False) == {"PATH": "/opt/x"}


def test_windows_names_are_one_whatever_their_case() -> None:
    """Fault PL-06: `Path` and `PATH` are the same variable there."""
    env = environment(
        {"Path": "C:\\Windows", "Tmp": "T"},
        changes={"PATH": "C:\\new"},
        unset=("TMP",),
        inherit=True,
        path_prepend=("C:\\node",),
        windows=True,
    )
    assert env == {"Path": "C:\\node;C:\\new"}


def executable(path: Path) -> Path:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_program_is_found_in_the_path_of_the_agent(tmp_path: Path) -> None:
    """Fault PL-07: not in the PATH of the host."""
    executable(tmp_path / "my-agent")

    assert posix_command(("my-agent", "--acp"), {"PATH": str(tmp_path)}, None) == ["my-agent", "--acp"]
    with pytest.raises(AgentStartError, match="path_prepend"):
        posix_command(("my-agent", "--acp"), {"PATH": "/nowhere"}, None)


def test_a_path_is_taken_from_the_folder_of_the_agent(tmp_path: Path) -> None:
    """Ours: `./run` means the agent's working directory."""
    executable(tmp_path / "run")

    assert posix_command(("./run",), {}, str(tmp_path)) == ["./run"]
    with pytest.raises(AgentStartError, match=r"'\./run'"):
        posix_command(("./run",), {}, str(tmp_path / ".."))


def test_a_missing_program_is_explained() -> None:
    """Fault PL-07: what was looked for, where, and what to do."""
    with pytest.raises(AgentStartError) as caught:
        posix_command(("npx", "foo"), {"PATH": "/a:/b"}, None)

    text = str(caught.value)
    assert "agent 'npx foo'" in text
    assert "'/a:/b'" in text
    assert "path_prepend" in text


def test_a_long_command_line_is_shortened_in_messages() -> None:
    """Ours."""
    assert shown(("npx", "a b")) == "npx 'a b'"
    assert len(shown(("x" * 500,))) < 130


WINDOWS = {"Path": 'C:\\Windows;"C:\\Program Files\\nodejs"', "PATHEXT": ".COM;.EXE;.CMD", "ComSpec": "C:\\W\\cmd.exe"}
NPX = "C:\\Program Files\\nodejs\\npx.cmd"


def on_windows(*command: str, there: str = NPX) -> list[str] | str:
    return windows_command(command, WINDOWS, "C:\\work", exists=lambda path: path == there)


def test_a_batch_file_is_run_by_the_command_processor() -> None:
    """Fault PL-06: `npx` is `npx.cmd` there, in a folder with a blank in its name."""
    assert on_windows("npx", "foo") == f'"C:\\W\\cmd.exe" /e:ON /v:OFF /d /s /c ""{NPX}" foo"'


@pytest.mark.parametrize(
    ("argument", "quoted"),
    [
        ("plain-1.0", "plain-1.0"),
        ("", '""'),
        ("a b", '"a b"'),
        ("a&b|c>d^e", '"a&b|c>d^e"'),
        ('say "hi"', '"say ""hi"""'),
        ("%PATH%", '"%%cd:~,%PATH%%cd:~,%"'),
        ("C:\\dir\\", '"C:\\dir\\\\"'),
        ('back\\"quote', '"back\\\\""quote"'),
        ("日本", "日本"),
    ],
)
def test_arguments_of_a_batch_file_mean_themselves(argument: str, quoted: str) -> None:
    """Fault PL-06: no operator, variable or second command."""
    assert on_windows("npx", argument) == f'"C:\\W\\cmd.exe" /e:ON /v:OFF /d /s /c ""{NPX}" {quoted}"'


@given(st.text(st.sampled_from('ab "\\&|<>^%!()=;,'), max_size=12))
def test_quotes_of_a_batch_argument_are_balanced(argument: str) -> None:
    """Fault PL-06: cmd.exe counts quotes only, so everything it could act on stands between two of them."""
    line = on_windows("npx", argument)
    assert isinstance(line, str)
    word = line.removeprefix(f'"C:\\W\\cmd.exe" /e:ON /v:OFF /d /s /c ""{NPX}" ').removesuffix('"')
    outside = "".join(word.split('"')[::2])
    assert not set(outside) & set(' &|<>^%!()=;,"')


@pytest.mark.parametrize("argument", ["a\nb", "a\rb", "a\0b"])
def test_what_the_command_processor_cannot_take_is_refused(argument: str) -> None:
    """Fault PL-06."""
    with pytest.raises(UsageError, match="line break"):
        on_windows("npx", argument)


def test_a_windows_program_needs_no_shell() -> None:
    """Fault PL-06: only batch files go through cmd.exe."""
    assert on_windows("agent", "a b", there="C:\\Windows\\agent.exe") == ["C:\\Windows\\agent.exe", "a b"]
    assert on_windows("agent.exe", there="C:\\Windows\\agent.exe") == ["C:\\Windows\\agent.exe"]
    assert on_windows(".\\agent", there="C:\\work\\agent.exe") == ["C:\\work\\agent.exe"]
    assert on_windows("D:\\x\\agent.exe", there="D:\\x\\agent.exe") == ["D:\\x\\agent.exe"]


def test_a_missing_windows_program_is_explained() -> None:
    """Fault PL-06, PL-07."""
    with pytest.raises(AgentStartError, match="'nope'"):
        on_windows("nope")
