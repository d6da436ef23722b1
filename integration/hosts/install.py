"""Installs the hosts that the tests here embed the package in: notebook kernels, an editor's Python, a chat page's.

Everything lives in `$ACP_PEERS_DIR/hosts` or `.peers/hosts`, one environment per host, with the versions that
`versions.json` pins and the project itself in editable form. What is there and up to date is left alone. Neovim and
Chromium are programs of the system; the tests say what to install when they are missing.

    python -m integration.hosts.install [NAME ...]
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("ACP_PEERS_DIR", PROJECT / ".peers")).absolute() / "hosts"
VERSIONS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "versions.json").read_text())


def names() -> list[str]:
    """Return the names of everything that can be installed."""
    return [name for kind in VERSIONS.values() for name in kind]


def python_of(name: str) -> Path:
    """Return the interpreter of an environment."""
    return FOLDER / name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def is_current(name: str) -> bool:
    """Say whether something is installed as it is pinned now."""
    stamp = FOLDER / f"{name}.stamp"
    return stamp.exists() and stamp.read_text() == _digest(name)


def install(name: str) -> None:
    """Install one thing, unless it is there already."""
    if is_current(name):
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"installing {name} into {FOLDER}", file=sys.stderr)
    if name in VERSIONS["python"]:
        _install_python(name, **VERSIONS["python"][name])
    else:
        _install_npm(name, VERSIONS["npm"][name])
    (FOLDER / f"{name}.stamp").write_text(_digest(name))


def _install_python(name: str, extra: str, packages: Sequence[str]) -> None:
    venv.create(FOLDER / name, with_pip=True, clear=True)
    project = f"{PROJECT}[{extra}]" if extra else str(PROJECT)
    _run([str(python_of(name)), "-m", "pip", "install", "--quiet", "--editable", project, *packages])


def _install_npm(name: str, packages: Sequence[str]) -> None:
    folder = FOLDER / name
    folder.mkdir(exist_ok=True)
    (folder / "package.json").write_text("{}")
    _run(["npm", "install", "--silent", "--no-audit", "--no-fund", *packages], folder)


def _digest(name: str) -> str:
    pins = next(kind[name] for kind in VERSIONS.values() if name in kind)
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    # The project's own dependencies are installed with it.
    own = [project["dependencies"], project["optional-dependencies"]["jupyter"]]
    return hashlib.sha256(json.dumps([pins, own, str(PROJECT)]).encode()).hexdigest()


def _run(command: Sequence[str], folder: Path | None = None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or names():
        if wanted not in names():
            raise SystemExit(f"unknown host {wanted!r}; known: {', '.join(names())}")
        install(wanted)
