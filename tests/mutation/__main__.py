"""What a run of mutmut has found: a score for each module, and what survived.

`python -m tests.mutation [--survivors PATTERN]`, in the folder where `mutmut run` was. A mutant that the type checker
refuses counts neither way: nobody could have committed it. One that no test reaches counts as survived.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

MUTANTS = Path("mutants")

_WORDS = {0: "survived", 5: "survived", 33: "survived", 34: "skipped", 37: "refused by the types", None: "not run"}
"""What mutmut's exit codes stand for; every other one is that of a failed or endless test run."""


def word(code: int | None) -> str:
    return _WORDS.get(code, "killed")


def found() -> Iterator[tuple[str, dict[str, int | None]]]:
    """Yield each mutated module with the exit codes of its mutants."""
    for path in sorted(MUTANTS.rglob("*.py.meta")):
        codes = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
        if codes:
            yield str(path.relative_to(MUTANTS)).removesuffix(".meta"), codes


def row(name: str, counts: Counter[str]) -> str:
    tried = counts["killed"] + counts["survived"]
    score = f"{100 * counts['killed'] / tried:.1f} %" if tried else "-"
    rest = [f"{number} {what}" for what, number in sorted(counts.items()) if what not in ("killed", "survived")]
    return f"{name:40} {counts['killed']:5} of {tried:5} {score:>8}   {', '.join(rest)}"


def difference(module: str, name: str) -> list[str]:
    """Return the changed lines of one mutant."""
    text = (MUTANTS / module).read_text(encoding="utf-8")
    lines = text.splitlines()
    bodies = {
        node.name: lines[node.lineno - 1 : node.end_lineno]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    function = name.rsplit(".", 1)[1]
    original, mutant = (bodies.get(key, []) for key in (re.sub(r"_\d+$", "_orig", function), function))
    changes = difflib.unified_diff(original[1:], mutant[1:], n=0, lineterm="")
    return [f"{line[0]} {line[1:].strip()}" for line in changes if not line.startswith(("---", "+++", "@@"))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--survivors", metavar="PATTERN", help="show the survivors whose name matches")
    pattern = parser.parse_args().survivors
    total: Counter[str] = Counter()
    for module, codes in found():
        counts = Counter(word(code) for code in codes.values())
        total += counts
        sys.stdout.write(row(module, counts) + "\n")
        for name, code in codes.items():
            if pattern is not None and word(code) == "survived" and re.search(pattern, name):
                sys.stdout.write("\n".join([f"  {name.rsplit('.', 1)[1]}", *difference(module, name), ""]))
    sys.stdout.write(row("all", total) + "\n")
    return 0 if total else 1


if __name__ == "__main__":
    sys.exit(main())
