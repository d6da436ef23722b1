"""What the documentation shows runs as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_client import Client
from tests.docs.examples import Example, examples_of, pages

PROGRAMS = [example for page in pages() for example in examples_of(page) if example.is_program]
FRAGMENTS = {page.stem: [e for e in examples_of(page) if not e.is_program] for page in pages()}
FRAGMENTS = {page: examples for page, examples in FRAGMENTS.items() if examples}


@pytest.mark.parametrize("example", PROGRAMS, ids=[f"{example.page}:{example.line}" for example in PROGRAMS])
def test_a_whole_program_of_the_docs_runs(example: Example, tmp_path: Path) -> None:
    """Ours: copy and paste has to work."""
    script = tmp_path / "example.py"
    script.write_text(example.code, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", script.name],
        cwd=tmp_path,
        input="y\n",
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "ended with" in run.stdout


@pytest.mark.parametrize("page", FRAGMENTS, ids=str)
async def test_the_fragments_of_a_page_run_one_after_another(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: what a guide shows in pieces works in its order."""
    monkeypatch.chdir(tmp_path)
    async with Client.connect("demo") as client:
        names = {"client": client, "session": await client.new_session(os.getcwd())}
        for example in FRAGMENTS[page]:
            await example.run(names)


def test_the_embedding_example_of_the_readme_is_short() -> None:
    """Ours: twenty lines show all of it, imports included."""
    (example,) = [example for example in PROGRAMS if example.page == "README.md"]
    lines = [line for line in example.code.splitlines() if line.strip()]
    assert len(lines) <= 20
