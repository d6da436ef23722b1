"""The architecture, read from the imports: every layer may know the ones below it and none above."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import acp_client

PACKAGE = Path(__file__).parent.parent / "acp_client"

LAYERS = [
    {"errors", "models"},
    {"transports"},
    {"rpc"},
    {"state", "policy", "protocol"},
    {"host"},
    {"_subscriptions", "session", "_serving", "_session_calls", "_handshake", "_telling", "unstable", "client"},
    {"blocking", "jupyter", "cli", "testing", "__main__"},
]
"""From the bottom up. `__init__` only names what is public and may import everything."""

WAITING = ("acp_client.rpc.connection", "acp_client.transports.")
PURE = {"state", "policy", "protocol", "models", "errors", "rpc"}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(parts).removesuffix(".__init__"), path


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer_of(module: str) -> int | None:
    part = [*module.split("."), ""][1]
    return next((level for level, names in enumerate(LAYERS) if part in names), None)


MODULES = [(name, path) for name, path in modules() if name != "acp_client"]


@pytest.mark.parametrize(("name", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_a_module_imports_nothing_from_a_layer_above(name: str, path: Path) -> None:
    """Ours: design, layers. Also every module has a place in them."""
    own = layer_of(name)
    assert own is not None, f"{name} stands in no layer"
    for target in imports(path):
        if target.startswith("acp_client."):
            other = layer_of(target)
            assert other is not None, f"{name} imports {target}, which stands in no layer"
            assert other <= own, f"{name} imports {target} from a layer above"


@pytest.mark.parametrize(("name", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_only_the_connection_transports_and_facade_know_asyncio(name: str, path: Path) -> None:
    """Ours: decisions are synchronous, so that every order of events can be run without a loop."""
    if name.split(".")[1] in PURE and not name.startswith(WAITING):
        assert not {"asyncio", "socket", "subprocess"} & {target.split(".")[0] for target in imports(path)}


@pytest.mark.parametrize(("name", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_hand_written_modules_stay_below_600_lines(name: str, path: Path) -> None:
    """Ours: a module that outgrows this does two things."""
    if not name.startswith(("acp_client.models.v1", "acp_client.models.v2")):
        assert len(path.read_text().splitlines()) <= 600


def test_the_public_names_are_loaded_from_where_they_are() -> None:
    """Ours: what type checkers see, what `__all__` lists and what a first use loads are the same."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    shown = {
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("acp_client.")
        for alias in node.names
    }
    assert {(f"acp_client.{home}", name) for name, home in acp_client._HOME_OF.items()} == shown
    assert {name for _, name in shown} == set(acp_client.__all__)
    assert all(getattr(acp_client, name) is not None for name in acp_client.__all__)
    assert set(acp_client.__all__) <= set(dir(acp_client))
    with pytest.raises(AttributeError, match="no attribute 'Nobody'"):
        _ = acp_client.Nobody


def test_importing_the_package_loads_no_optional_module_and_no_models() -> None:
    """Ours: plugins pay the import at their start; models come with the first connection."""
    script = (
        "import sys, threading, signal\n"
        "before = signal.getsignal(signal.SIGINT)\n"
        "import acp_client\n"
        "names = ('acp_client.models.v1', 'acp_client.models.v2', 'rich', 'IPython', 'ipywidgets', 'acp_client.cli',\n"
        "         'acp_client.jupyter', 'acp_client.testing', 'websockets')\n"
        "assert not [n for n in names if n in sys.modules], [n for n in names if n in sys.modules]\n"
        "assert threading.active_count() == 1 and signal.getsignal(signal.SIGINT) is before\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=30)


ONE_TURN = """
import asyncio, sys
from acp_client import Client, allow_all

async def main(version):
    agent = [sys.executable, "-m", "acp_client.testing.demo_agent"]
    async with await Client.connect(agent, protocol=version, permissions=allow_all) as client:
        await (await client.new_session("/")).prompt("Use a tool")
    print(*sorted(name for name in sys.modules if name in ("acp_client.models.v1", "acp_client.models.v2")))

asyncio.run(main(int(sys.argv[1])))
"""


@pytest.mark.parametrize("version", [1, 2])
def test_a_turn_loads_the_models_of_its_own_version_only(version: int) -> None:
    """Ours: each costs some twenty milliseconds, at the first update that is more than text."""
    run = subprocess.run(
        [sys.executable, "-c", ONE_TURN, str(version)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.returncode, run.stdout.strip()) == (0, f"acp_client.models.v{version}"), run.stderr
