"""Installs the hosts that the tests here embed the package in: notebook kernels, an editor, a chat page in a browser.

`versions.json` says what each host consists of. Python and npm environments live in `$ACP_PEERS_DIR/hosts` or
`.peers/hosts`, one folder each, with the project itself in editable form; what is there and as pinned is left alone.
Programs of the system come from apt where that is permitted; elsewhere this says what to install, and fails.

    python -m integration.hosts.install [NAME ...]      hosts or single parts of them; without names: all hosts
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("ACP_PEERS_DIR", PROJECT / ".peers")).absolute() / "hosts"
HOSTS: dict[str, dict[str, dict[str, Any]]] = json.loads((Path(__file__).parent / "versions.json").read_text())

INSTALL_TIMEOUT = 900.0
"""Seconds for one part: a browser is 350 MB, and registries have slow days."""


def parts(kind: str) -> dict[str, Any]:
    """Return the parts of one kind, "python", "npm" or "system", of all hosts."""
    return {name: pin for host in HOSTS.values() for name, pin in host.get(kind, {}).items()}


def parts_of(name: str) -> list[str]:
    """Return the parts of a host, or a part itself. Raises `SystemExit` for a name that is neither."""
    if name in HOSTS:
        return [part for kind in HOSTS[name].values() for part in kind]
    if name in {**parts("system"), **parts("python"), **parts("npm")}:
        return [name]
    raise SystemExit(f"unknown host {name!r}; known: {', '.join(HOSTS)}")


def python_of(name: str) -> Path:
    """Return the interpreter of a Python environment."""
    return FOLDER / name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def is_current(name: str) -> bool:
    """Say whether a part is installed, and as it is pinned now."""
    if name in parts("system"):
        return shutil.which(name) is not None
    stamp = FOLDER / f"{name}.stamp"
    return stamp.exists() and stamp.read_text() == _digest(name)


def install(name: str) -> None:
    """Install one part, unless it is there already. Raises `SystemExit` with what is wrong."""
    if is_current(name):
        return
    began = time.monotonic()
    print(f"installing {name}", file=sys.stderr, flush=True)
    if name in parts("system"):
        _install_system(name, parts("system")[name])
    else:
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        if name in parts("python"):
            _install_python(name, **parts("python")[name])
        else:
            _install_npm(name, parts("npm")[name])
        # Beside the folder, written last: what an interrupted install leaves behind does not count.
        (FOLDER / f"{name}.stamp").write_text(_digest(name))
    print(f"installed {name} in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


def _install_system(program: str, package: str) -> None:
    apt = shutil.which("apt-get")
    if apt is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise SystemExit(f"{program} was not found; install it, on Debian: sudo apt-get install {package}")
    command = [apt, "install", "--yes", "--no-install-recommends", package]
    # The lists of packages may be missing or too old to find one; fetching them first would cost every run seconds.
    if subprocess.run(command, capture_output=True, check=False, timeout=INSTALL_TIMEOUT).returncode:
        _run([apt, "update"])
        _run(command)


def _install_python(name: str, packages: Sequence[str], extra: str = "") -> None:
    venv.create(FOLDER / name, with_pip=True)
    project = f"{PROJECT}[{extra}]" if extra else str(PROJECT)
    _run([str(python_of(name)), "-m", "pip", "install", "--quiet", "--editable", project, *packages])


def _install_npm(name: str, packages: Sequence[str]) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit(f"cannot install {name}: npm was not found; install node 20 or newer")
    (FOLDER / name).mkdir()
    (FOLDER / name / "package.json").write_text('{"private": true}\n')
    quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--silent", "--ignore-scripts"]
    _run([npm, "install", *quiet, *packages], FOLDER / name)


def _digest(name: str) -> str:
    pin = parts("python").get(name) or parts("npm")[name]
    extra = pin.get("extra") if isinstance(pin, dict) else None
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    # What the project needs is installed with it.
    own = [project["dependencies"], project["optional-dependencies"][extra] if extra else []]
    return hashlib.sha256(json.dumps([pin, own, str(PROJECT)]).encode()).hexdigest()


def _run(command: Sequence[str], folder: Path | None = None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=INSTALL_TIMEOUT)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")


def main(wanted: Sequence[str]) -> None:
    """Install the named hosts or parts, or all hosts. Raises `SystemExit` with everything that is wrong."""
    wrong = []
    for part in [part for name in wanted or HOSTS for part in parts_of(name)]:
        try:
            install(part)
        except SystemExit as error:  # the others are wanted all the same
            wrong.append(str(error))
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
