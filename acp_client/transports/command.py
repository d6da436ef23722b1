"""What is started when a command line is started: environment, program, arguments. Pure: nothing is run here.

The program is looked up in the PATH that the agent will see, not in the PATH of this process. On Windows a bare name is
completed with PATHEXT and a batch file is handed to cmd.exe with every argument quoted; no shell is used anywhere else.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PureWindowsPath

from acp_client.errors import AgentStartError, UsageError

_SHOWN_COMMAND = 120
"""Characters of a command line that messages repeat."""

_BATCH = (".bat", ".cmd")
_PLAIN_IN_BATCH = frozenset("#$*+-./:?@\\_")
"""Characters besides letters and digits that mean nothing to cmd.exe."""


def shown(command: Sequence[str]) -> str:
    """Return the command line as messages show it."""
    text = shlex.join(command)
    return text if len(text) <= _SHOWN_COMMAND else f"{text[:_SHOWN_COMMAND]}..."


def environment(
    inherited: Mapping[str, str],
    *,
    changes: Mapping[str, str],
    unset: Sequence[str],
    inherit: bool,
    path_prepend: Sequence[str],
    windows: bool,
) -> dict[str, str]:
    """Merge `changes` over what is inherited, drop `unset`, and put `path_prepend` before PATH.

    On Windows names are compared without case, as the system does.
    """
    merged: dict[str, str] = {}
    spelled: dict[str, str] = {}

    def put(name: str, value: str) -> None:
        merged[spelled.setdefault(_key(name, windows), name)] = value

    for name, value in (inherited if inherit else {}).items():
        put(name, value)
    for name, value in changes.items():
        put(name, value)
    for name in unset:
        merged.pop(spelled.get(_key(name, windows), name), None)
    if path_prepend:
        path = _lookup(merged, "PATH", windows)
        put("PATH", (";" if windows else ":").join([*path_prepend, *([path] if path else [])]))
    return merged


def posix_command(command: Sequence[str], env: Mapping[str, str], cwd: str | None) -> list[str]:
    """Return the command, whose program exists: by its path, taken from the agent's folder, or in the agent's PATH.

    Raises `AgentStartError`, with what to do, when there is no such program.
    """
    program, path = command[0], env.get("PATH", os.defpath)
    found = _executable(Path(cwd or ".") / program) if "/" in program else shutil.which(program, path=path) is not None
    if not found:
        raise _not_found(command, path)
    return list(command)


def windows_command(
    command: Sequence[str], env: Mapping[str, str], cwd: str | None, exists: Callable[[str], bool] = os.path.isfile
) -> list[str] | str:
    """Return what to start on Windows: a list for a program, one quoted line for a batch file such as `npx.cmd`.

    Raises `AgentStartError` when there is no such program, `UsageError` when cmd.exe cannot take an argument.
    """
    found = next((path for path in _windows_candidates(command[0], env, cwd) if exists(path)), None)
    if found is None:
        raise _not_found(command, _lookup(env, "PATH", True))
    if not found.lower().endswith(_BATCH):
        return [found, *command[1:]]
    shell = _lookup(env, "COMSPEC", True) or "cmd.exe"
    line = " ".join([f'"{found}"', *map(_batch_argument, command[1:])])
    # The outermost quotes belong to cmd.exe; extensions are on and delayed expansion is off whatever the user set.
    return f'"{shell}" /e:ON /v:OFF /d /s /c "{line}"'


def _windows_candidates(program: str, env: Mapping[str, str], cwd: str | None) -> list[str]:
    suffixes = (_lookup(env, "PATHEXT", True) or ".COM;.EXE;.BAT;.CMD").lower().split(";")
    if "\\" in program or "/" in program or ":" in program:
        folders = [cwd or "."]
    else:
        folders = [folder.strip('"') for folder in _lookup(env, "PATH", True).split(";") if folder]
    complete = PureWindowsPath(program).suffix.lower() in suffixes
    names = [program] if complete else [program + suffix for suffix in suffixes if suffix]
    return [str(PureWindowsPath(folder) / name) for folder in folders for name in names]


def _batch_argument(argument: str) -> str:
    """Quote one argument so that cmd.exe passes it on as it is: no variable, operator or second command in it."""
    if any(character in argument for character in "\0\r\n"):
        raise UsageError("an argument for a Windows batch file has a line break or a NUL, which cmd.exe cannot pass on")
    quoted, backslashes = "", 0
    for character in argument:
        if character == '"':
            quoted += "\\" * backslashes + '"'
        elif character == "%":
            quoted += "%%cd:~,"  # expands to nothing and uses up the percent sign that would begin a variable
        backslashes = backslashes + 1 if character == "\\" else 0
        quoted += character
    if argument and not argument.endswith("\\") and all(_is_plain(character) for character in argument):
        return quoted
    return f'"{quoted}{chr(92) * backslashes}"'


def _is_plain(character: str) -> bool:
    return not character.isascii() or character.isalnum() or character in _PLAIN_IN_BATCH


def _key(name: str, windows: bool) -> str:
    return name.upper() if windows else name


def _lookup(env: Mapping[str, str], name: str, windows: bool) -> str:
    return next((value for key, value in env.items() if _key(key, windows) == name), "")


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _not_found(command: Sequence[str], path: str) -> AgentStartError:
    if "/" in command[0] or os.sep in command[0]:
        place = Path(command[0])
        what = "a folder" if place.is_dir() else "not executable" if place.exists() else "not there"
        return AgentStartError(
            f"could not start agent {shown(command)!r}: {command[0]!r} is {what}; give the path of a program"
        )
    places = f"looked in {path!r}" if path else "the agent's PATH is empty"
    return AgentStartError(
        f"could not start agent {shown(command)!r}: there is no program {command[0]!r} that can be run ({places}); "
        "install it, give its full path, or add its folder with path_prepend"
    )
