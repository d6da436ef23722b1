"""The rule tables of the docs, and the tests that name their ids.

A rule is a table row whose first cell is an id. A test names it in its own docstring, body, decorators or name, or in a
table at the top of its module that feeds parameters. Comments, module docstrings and helper functions do not count, and
neither do ranges: each id is written out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "reference" / "rules"
SUITES = (ROOT / "tests", ROOT / "integration")
NOT_TESTABLE = "not testable here: "

_FAULTS = ("CP", "ST", "WS", "PL", "SO", "FC", "AU", "TF", "HE", "PF", "UX")
_ID = re.compile(
    rf"(?<![\w-])(?:CAN-\d+[a-z]?|V[12]-[A-Z]{{2,3}}-\d+|TR-[A-Z]+-\d+|(?:{'|'.join(_FAULTS)})-\d+)(?![\w-])"
)
_IN_NAME = re.compile(
    rf"(?<=_)(?:can_\d+[a-z]?|v[12]_[a-z]{{2,3}}_\d+|tr_[a-z]+_\d+|(?:{'|'.join(_FAULTS).lower()})_\d+)(?=_|$)"
)


@attrs.frozen
class Rule:
    """One row of a table. `untestable` is the reason why no test can exist here, if there is none."""

    id: str
    page: str
    text: str
    untestable: str | None = None


def rules() -> list[Rule]:
    """Return every rule, in the order of the pages."""
    return [rule for page in sorted(PAGES.glob("*.md")) for rule in _rules_of(page)]


def _rules_of(page: Path) -> Iterator[Rule]:
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if _ID.fullmatch(cells[0]):
            reason = next((cell for cell in cells if cell.startswith(NOT_TESTABLE)), None)
            text = " | ".join(cells[1:])
            yield Rule(cells[0], page.stem, text, None if reason is None else reason.removeprefix(NOT_TESTABLE))


def naming_tests() -> dict[str, list[str]]:
    """Return, for every id that a test names, the tests that name it."""
    found: dict[str, list[str]] = {}
    for suite in SUITES:
        for path in sorted(suite.rglob("test_*.py")):
            if path.parent != Path(__file__).parent and "node_modules" not in path.parts:
                for rule_id, test in _named_in(path):
                    found.setdefault(rule_id, []).append(test)
    return found


def _named_in(path: Path) -> Iterator[tuple[str, str]]:
    module = path.relative_to(ROOT).as_posix()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        name = _name_of(node)
        if name is not None:
            # Written anew from the tree: decorators and strings are in it, comments are not.
            for rule_id in dict.fromkeys([*_ID.findall(ast.unparse(node)), *_ids_of_name(name)]):
                yield rule_id, f"{module}::{name}"


def _name_of(node: ast.stmt) -> str | None:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name.startswith("test"):
            return name
        case ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return None


def _ids_of_name(name: str) -> list[str]:
    ids = _IN_NAME.findall(name)
    return [re.sub(r"(?<=\d)[A-Z]$", lambda m: m[0].lower(), found.upper().replace("_", "-")) for found in ids]
