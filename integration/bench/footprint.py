"""What it costs to have the package and never use it: import time, modules loaded, size on disk."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from integration.bench.workshop import Workshop

BARE = "import asyncio, attrs, cattrs, websockets"
"""The reference, as it is: `websockets` loads its parts on first use, so this is cheaper than it looks."""

BARE_CLIENT = "import asyncio, attrs, cattrs, websockets.asyncio.client"
OURS = "import acp_client"
OURS_USED = "from acp_client import Client"
"""What the first use loads; not held against a bound."""

STATEMENTS = (BARE, BARE_CLIENT, OURS, OURS_USED)

CORE = {"acp_client", "attr", "attrs", "cattr", "cattrs", "msgspec", "typing_extensions", "websockets"}

PROBE = """
import sys, time
sys.path.insert(0, {folder!r})
before = set(sys.modules)
started = time.perf_counter()
{statement}
elapsed = time.perf_counter() - started
import json
new = set(sys.modules) - before
files = {{name: getattr(sys.modules[name], "__file__", None) or "" for name in new}}
foreign = {{name.partition(".")[0] for name, file in files.items() if file.startswith({folder!r})}}
parts = sorted(name for name in new if name.startswith("acp_client."))
print(json.dumps(dict(ms=elapsed * 1e3, modules=len(new), foreign=sorted(foreign), parts=parts)))
"""

OPTIONAL_PARTS = {"blocking", "cli", "jupyter", "testing"}


def footprint(shop: Workshop, rounds: int) -> dict[str, Any]:
    """Measure in an installed copy, interleaved, each import in a fresh interpreter. Returns one result."""
    folder = shop.install_project()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc")
    for statement in STATEMENTS:
        _probe(folder, statement)  # writes the byte code
    runs = [{name: _probe(folder, name) for name in STATEMENTS} for _ in range(rounds)]
    ours = runs[0][OURS_USED]
    return {
        "cell": "import",
        "client": "ours",
        "size_kb": size / 1000,
        "ratios": [run[OURS]["ms"] / run[BARE]["ms"] for run in runs],
        "ms": {name: statistics.median(run[name]["ms"] for run in runs) for name in STATEMENTS},
        "modules": ours["modules"],
        "optional": [name for name in ours["foreign"] if name not in CORE]
        + [part for part in ours["parts"] if part.removeprefix("acp_client.").split(".")[0] in OPTIONAL_PARTS],
    }


def _probe(folder: Path, statement: str) -> dict[str, Any]:
    program = PROBE.format(folder=str(folder), statement=statement)
    done = subprocess.run([sys.executable, "-E", "-s", "-c", program], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{statement!r} failed:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result
