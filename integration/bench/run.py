"""The benchmark, in one command: `python -m integration.bench.run --quick` or `--full`.

Sets up what is missing, runs every cell, writes one JSON line a run, prints tables and verdicts. The exit status is 1
when a bound was missed. Run it alone: the agent takes one core and the client another.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import attrs

from integration.bench import summary
from integration.bench.cells import Cell, cells
from integration.bench.footprint import footprint
from integration.bench.runner import run_cell
from integration.bench.workshop import Workshop

IMPORT_ROUNDS = 9


def main() -> int:
    options = _options()
    if options.summary:
        return 0 if summary.show(summary.read(options.summary)) else 1
    shop = Workshop()
    shop.set_up()
    out = options.out or shop.results / f"{time.strftime('%Y%m%d-%H%M%S')}.jsonl"
    for cell in _chosen(options):
        print(cell.name, *cell.clients, file=sys.stderr)
        run_cell(cell, shop, out)
    if not options.only or "import" in options.only:
        with out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(footprint(shop, IMPORT_ROUNDS)) + "\n")
    print(f"results: {out}", file=sys.stderr)
    return 0 if summary.show(summary.read(out)) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m integration.bench.run", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="short streams, few rounds (the default)")
    size.add_argument("--full", action="store_true", help="the sizes that the published figures have")
    parser.add_argument("--only", type=_names, help="scenarios, or cells as S1:200000:stdio:1, or import; with commas")
    parser.add_argument("--clients", type=_names, help="only these clients")
    parser.add_argument("--rounds", type=int, help="rounds of each cell")
    parser.add_argument("--out", type=Path, help="file of the results")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="run nothing, show the results in FILE")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return text.split(",")


def _chosen(options: argparse.Namespace) -> list[Cell]:
    chosen: Sequence[Cell] = list(cells(quick=not options.full))
    if options.only:
        chosen = [cell for cell in chosen if _matches(cell, options.only)]
    if options.clients:
        narrowed = [tuple(client for client in cell.clients if client in options.clients) for cell in chosen]
        chosen = [attrs.evolve(cell, clients=clients) for cell, clients in zip(chosen, narrowed, strict=True)]
    if options.rounds:
        chosen = [attrs.evolve(cell, rounds=options.rounds) for cell in chosen]
    return list(chosen)


def _matches(cell: Cell, wanted: Sequence[str]) -> bool:
    """Say whether a cell is meant: by its scenario, or by the beginning of its name."""
    return any(cell.scenario == name or cell.name == name for name in wanted)


if __name__ == "__main__":
    sys.exit(main())
