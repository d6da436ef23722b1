"""Installs the peers: the official SDKs and real agents, each alone in a folder of its own, at pinned versions.

Everything lives in `$ACP_PEERS_DIR/peers` or `.peers/peers`. What is there and as pinned is left alone; what is not is
made anew. Needs node 20 or newer with npm, and the package registries once.

    python -m integration.peers.install [NAME ...]      without names: what the tests require
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("ACP_PEERS_DIR", PROJECT / ".peers")).absolute() / "peers"
VERSIONS: dict[str, Any] = json.loads((Path(__file__).parent / "versions.json").read_text())

INSTALL_TIMEOUT = 900.0
"""Seconds for one package: the largest is 460 MB, and registries have slow days."""


def names() -> list[str]:
    """Return the names of everything that can be installed."""
    return [*VERSIONS["npm"], *VERSIONS["python"]]


def folder_of(name: str) -> Path:
    """Return where a peer is, or would be."""
    return FOLDER / name


def executable(name: str, program: str) -> Path:
    """Return the path of a program that came with a peer."""
    if name in VERSIONS["python"]:
        return folder_of(name) / ("Scripts" if os.name == "nt" else "bin") / program
    return folder_of(name) / "node_modules" / ".bin" / (f"{program}.cmd" if os.name == "nt" else program)


def is_installed(name: str) -> bool:
    """Say whether a peer is there as it is pinned now."""
    stamp = _stamp(name)
    return stamp.exists() and stamp.read_text() == _digest(name)


def install(name: str) -> None:
    """Install one peer, unless it is there already."""
    if is_installed(name):
        return
    began = time.monotonic()
    print(f"installing {name} into {FOLDER}", file=sys.stderr, flush=True)
    shutil.rmtree(folder_of(name), ignore_errors=True)
    folder_of(name).mkdir(parents=True)
    if name in VERSIONS["python"]:
        _install_python(name, VERSIONS["python"][name])
    else:
        _install_npm(name, VERSIONS["npm"][name])
    _stamp(name).write_text(_digest(name))
    took = time.monotonic() - began
    print(f"installed {name}: {_megabytes(folder_of(name))} MB in {took:.0f} s", file=sys.stderr, flush=True)


def _install_python(name: str, packages: Sequence[str]) -> None:
    venv.create(folder_of(name), with_pip=True)
    _run([str(executable(name, "python")), "-m", "pip", "install", "--quiet", *packages], folder_of(name))


def _install_npm(name: str, packages: Sequence[str]) -> None:
    (folder_of(name) / "package.json").write_text('{"private": true}\n')
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit(f"cannot install {name}: npm was not found; install node 20 or newer")
    quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    if name not in VERSIONS["run scripts"]:
        quiet.append("--ignore-scripts")  # what does not run cannot surprise
    _run([npm, "install", *quiet, *packages], folder_of(name))


def _run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=INSTALL_TIMEOUT)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")


def _stamp(name: str) -> Path:
    # Beside the folder, written last: what an interrupted install leaves behind does not count.
    return FOLDER / f"{name}.stamp"


def _digest(name: str) -> str:
    pins = VERSIONS["npm"].get(name) or VERSIONS["python"][name]
    return hashlib.sha256(json.dumps([pins, name in VERSIONS["run scripts"]]).encode()).hexdigest()


def _megabytes(folder: Path) -> int:
    files = (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return sum(file.stat().st_size for file in files) // 2**20


def main(wanted: Sequence[str]) -> None:
    """Install the named peers, or all that the tests require. Raises `SystemExit` with what is wrong."""
    for name in wanted or VERSIONS["required"]:
        if name not in names():
            raise SystemExit(f"unknown peer {name!r}; known: {', '.join(names())}")
        install(name)


if __name__ == "__main__":
    main(sys.argv[1:])
