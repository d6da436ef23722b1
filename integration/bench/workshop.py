"""What the benchmark needs besides the project: the peers' environments, the load generator, room for data and results.

Everything lives in one folder, `$ACP_PEERS_DIR/bench` or `.peers/bench`, and is made on first use; a part is made again
when what it is made from has changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent


class Workshop:
    """The folder, and the paths of what is in it."""

    def __init__(self) -> None:
        self.folder = Path(os.environ.get("ACP_PEERS_DIR", PROJECT / ".peers")).absolute() / "bench"
        self.firehose = self.folder / "firehose"
        self.python = self.folder / "python" / "bin" / "python"
        self.npm = self.folder / "npm"
        self.data = self.folder / "data"
        self.results = self.folder / "results"
        self.installed = self.folder / "installed"

    def set_up(self) -> None:
        """Make whatever is missing or out of date. Needs gcc, node with npm, and the package registries once."""
        for folder in (self.folder, self.data, self.results):
            folder.mkdir(parents=True, exist_ok=True)
        self._make("firehose", (HERE / "agent" / "firehose.c",), self._compile)
        self._make("data", (HERE / "workloads.py",), self._forget_data)
        self._make("python", (HERE / "requirements.txt",), self._install_python)
        self._make("npm", (HERE / "package.json",), self._install_npm)

    def install_project(self) -> Path:
        """Install the project and its core dependencies into an empty folder, without byte code, and return it."""
        shutil.rmtree(self.installed, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(self.installed)]
        _run([*pip, str(PROJECT)])
        return self.installed

    def _make(self, name: str, sources: Sequence[Path], make: Callable[[], None]) -> None:
        digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
        stamp = self.folder / f"{name}.stamp"
        if stamp.exists() and stamp.read_text() == digest:
            return
        print(f"setting up {name} in {self.folder}", file=sys.stderr)
        make()
        stamp.write_text(digest)

    def _compile(self) -> None:
        _run(["gcc", "-O2", "-Wall", "-o", str(self.firehose), str(HERE / "agent" / "firehose.c")])

    def _forget_data(self) -> None:
        for file in self.data.glob("*.ndjson"):
            file.unlink()

    def _install_python(self) -> None:
        venv.create(self.folder / "python", with_pip=True, clear=True)
        _run([str(self.python), "-m", "pip", "install", "--quiet", "-r", str(HERE / "requirements.txt")])

    def _install_npm(self) -> None:
        self.npm.mkdir(exist_ok=True)
        shutil.copy(HERE / "package.json", self.npm / "package.json")
        _run(["npm", "install", "--silent", "--no-audit", "--no-fund"], self.npm)


def _run(command: Sequence[str], folder: Path | None = None) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
