"""Plays every rule with every client program and prints who keeps what.

    python -m integration.conformance.run [--ours] [--write]

`--ours` plays with our client alone; `--write` writes `docs/reference/conformance.md`. Fails when ours breaks a rule.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from integration.conformance.kit import OTHERS, OURS, ClientProgram, Verdict, play_all, plays_of
from integration.conformance.rules import RULES
from integration.peers.install import PROJECT, install

PAGE = PROJECT / "docs" / "reference" / "conformance.md"
TEXTS = PROJECT / "docs" / "reference" / "rules" / "cancellation.md"

Results: TypeAlias = Mapping[str, Sequence[Verdict]]

MARKS = {"kept": "✓", "broken": "✗", "not shown": "–"}

HEAD = """\
# Conformance, side by side

The rules of {doc}`rules/cancellation` that show on the wire, played against client programs: ours, and programs on the
official SDKs. Written by `python -m integration.conformance.run --write`; do not edit.

A scripted agent, a process of its own, plays one rule at a time. It tells the program what a person would do ("cancel",
"click allow") and judges by what the program writes. A program on an SDK comes in two forms. In the first, its host code
is what the SDK's documentation suggests: a handler shows a dialog and returns what was clicked, a button sends
`session/cancel`, and a dialog closes when the SDK's signal says that the agent cancelled it. The second is *careful*: it
adds what a host can do by itself, a list of its open dialogs that are dismissed on cancel and close, a flag that answers
questions while a cancel is under way, -32800 taken for cancelled, and a bound on the wait.

Two things to keep in mind. The rules follow the newest text of the protocol, where a client that cancels a session MUST
answer its open permission requests. The npm SDK follows the schema of its release, where it MAY, and where the agent's
`$/cancel_request` is what ends them: it does what it says it does. And the Python SDK speaks version 1 alone, in which
heeding `$/cancel_request` is optional.

✓ kept, ✗ broken, – not shown (no means for it, or the rule was not reached), empty: does not speak the version.
Numbers are protocol versions, where the result differs.
"""


def table(programs: Sequence[ClientProgram], results: Results) -> list[str]:
    """Return the lines of a table of rules and programs."""
    texts = _texts()
    lines = ["| Rule | | " + " | ".join(program.name for program in programs) + " |"]
    lines.append("|---|---|" + "---|" * len(programs))
    for rule in sorted(RULES, key=list(texts).index):
        cells = [_cell([v for v in results[program.name] if v.rule == rule]) for program in programs]
        lines.append(f"| {rule} | {texts[rule]} | " + " | ".join(cells) + " |")
    lines.append("| | **plays** | " + " | ".join(_sum(results[program.name]) for program in programs) + " |")
    return lines


def _sum(verdicts: Sequence[Verdict]) -> str:
    counts = Counter(verdict.verdict for verdict in verdicts)
    return " ".join(f"{counts[verdict]} {mark}" for verdict, mark in MARKS.items() if counts[verdict])


def _cell(verdicts: Sequence[Verdict]) -> str:
    marks = {MARKS[verdict.verdict] for verdict in verdicts}
    if len(marks) == 1:
        return marks.pop()
    return ", ".join(f"{verdict.version} {MARKS[verdict.verdict]}" for verdict in verdicts)


def reasons(programs: Sequence[ClientProgram], results: Results) -> list[str]:
    """Return, for each program, what it did where it did not keep a rule."""
    lines = []
    for program in programs:
        found = [verdict for verdict in results[program.name] if verdict.verdict != "kept"]
        if not found:
            continue
        lines += ["", f"### {program.name}", "", "| Rule | Version | What happened |", "|---|---|---|"]
        for verdict in found:
            lines.append(f"| {verdict.rule} | {verdict.version} | {MARKS[verdict.verdict]} {verdict.reason} |")
    return lines


def _texts() -> dict[str, str]:
    """The rules' texts, from the documentation."""
    rows = (line.split(" | ") for line in TEXTS.read_text().splitlines() if line.startswith("| CAN-"))
    return {row[0].removeprefix("| "): row[3] for row in rows}


def page(programs: Sequence[ClientProgram], results: Results) -> str:
    """Return the documentation page."""
    lines = [HEAD, *table(programs, results), "", "## What the others do instead", *reasons(programs, results)]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Play, print, and write the page if asked to."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--ours", action="store_true", help="play with our client alone")
    arguments.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(PROJECT)}")
    options = arguments.parse_args()
    programs = (OURS,) if options.ours else (OURS, *OTHERS)
    results = {}
    for program in programs:
        if program.peer is not None:
            install(program.peer)
        print(f"playing with {program.name}", file=sys.stderr)
        results[program.name] = play_all(program, plays_of(program))
    print("\n".join([*table(programs, results), *reasons(programs, results)]))
    if options.write and not options.ours:
        Path(PAGE).write_text(page(programs, results), encoding="utf-8")
    return int(any(verdict.verdict != "kept" for verdict in results[OURS.name]))


if __name__ == "__main__":
    raise SystemExit(main())
