"""Results as Markdown: what each client took, whether it delivered everything, and which targets are kept."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from integration.bench.footprint import BARE, BARE_CLIENT, OURS
from integration.bench.targets import Verdict, growth_kb, judge

Result = dict[str, Any]
Cells = dict[str, dict[str, list[Result]]]

IMPORT_BOUND = 1.3
SIZE_BOUND_KB = 3000


def read(file: Path) -> list[Result]:
    """Return the results of a run, in its order."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def show(results: Iterable[Result]) -> bool:
    """Print everything about a set of results; True when no bound was missed and nothing was lost."""
    everything = list(results)
    cells = _by_cell(result for result in everything if result["cell"] != "import" and not result["growth"])
    faults = [fault for cell, clients in cells.items() for fault in _faults(cell, clients)]
    verdicts = [verdict for cell, clients in cells.items() for verdict in judge(cell, _rounds(clients))]
    for cell, clients in cells.items():
        print(f"\n**{cell}**\n")
        _print_table(HEADINGS, (_row(name, runs) for name, runs in clients.items()))
    print("\n**Growth: CPU microseconds of one (S4cancel: of one answer, wall)**\n")
    _print_growth(result for result in everything if result.get("growth"))
    print("\n**Targets**\n")
    rows = [_verdict_row(verdict) for verdict in verdicts]
    rows += [row for result in everything if result["cell"] == "import" for row in _footprint_rows(result)]
    _print_table(("cell", "what", "bound", "measured", "min-max", ""), rows)
    for fault in faults:
        print(f"\nNOT AS IT SHOULD BE: {fault}")
    return not faults and all(row[-1] != "FAIL" for row in rows)


def _by_cell(results: Iterable[Result]) -> Cells:
    cells: Cells = {}
    for result in results:
        cells.setdefault(result["cell"], {}).setdefault(result["client"], []).append(result)
    return cells


def _rounds(clients: Mapping[str, Sequence[Result]]) -> list[dict[str, Result]]:
    rounds: dict[int, dict[str, Result]] = {}
    for name, runs in clients.items():
        for run in runs:
            if "error" not in run:
                rounds.setdefault(run["round"], {})[name] = run
    return [rounds[number] for number in sorted(rounds)]


def _faults(cell: str, clients: Mapping[str, Sequence[Result]]) -> Iterator[str]:
    """Yield what makes the figures worthless: updates that did not arrive, text that differs, questions left open."""
    floor = next((runs[0] for name, runs in clients.items() if name.startswith("floor-")), {})
    scenario, n = cell.split(":")[:2]
    for name, runs in clients.items():
        for run in runs:
            if "error" in run:
                if name.startswith("ours"):
                    yield f"{cell} {name}: {run['error']}"
                continue
            wanted = int(n) * (1000 if scenario == "S7" else 1)
            if "delivered" in run and run["delivered"] != wanted:
                yield f"{cell} {name}: {run['delivered']} of {wanted} updates"
            # JavaScript counts UTF-16 units.
            if "chars" in floor and not name.startswith("npm") and run["chars"] != floor["chars"]:
                yield f"{cell} {name}: {run['chars']} characters, the floor has {floor['chars']}"
            if scenario == "S4cancel" and run["agent"] and run["agent"].get("cancelled", wanted) != wanted:
                yield f"{cell} {name}: {run['agent']['cancelled']} of {wanted} requests were answered cancelled"


# tables

HEADINGS = ("client", "runs", "wall s (min-max)", "rate /s", "CPU s", "CPU us each", "RSS growth MB", "notes")


def _row(client: str, runs: Sequence[Result]) -> tuple[str, ...]:
    good = [run for run in runs if "error" not in run]
    if not good:
        return (client, str(len(runs)), f"failed: {runs[0]['error'][:80]}", "", "", "", "", "")
    walls = [run["elapsed_s"] for run in good]
    units = good[0].get("delivered") or good[0]["n"]
    return (
        client,
        str(len(good)),
        f"{_median(good, 'elapsed_s'):.3f} ({min(walls):.3f}-{max(walls):.3f})",
        f"{_median(good, 'rate'):,.0f}" if "rate" in good[0] else "",
        f"{_median(good, 'cpu_s'):.3f}",
        f"{_median(good, 'cpu_s') / units * 1e6:.2f}",
        f"{statistics.median(growth_kb(run) for run in good) / 1024:.1f}",
        _notes(good),
    )


def _notes(runs: Sequence[Result]) -> str:
    notes = []
    if "p50_us" in runs[0]:
        notes.append(f"p50 {_median(runs, 'p50_us'):.0f} us, p99 {_median(runs, 'p99_us'):.0f} us")
    if "cancel_ms" in runs[0]:
        notes.append(f"{_median(runs, 'cancel_ms'):.1f} ms")
    if runs[0].get("gaps"):
        notes.append(f"{runs[0]['gaps']} gaps")
    if (runs[0].get("agent") or {}).get("longestAnswerMs"):
        notes.append(f"longest answer {max(run['agent']['longestAnswerMs'] for run in runs):.1f} ms")
    return "; ".join(notes)


def _median(runs: Sequence[Result], key: str) -> float:
    return float(statistics.median(run[key] for run in runs))


def _print_growth(results: Iterable[Result]) -> None:
    rows = []
    for cell, clients in _by_cell(results).items():
        scenario, n = cell.split(":")[:2]
        for name, runs in clients.items():
            if good := [run for run in runs if "error" not in run]:
                key, units = ("elapsed_s", int(n)) if scenario == "S4cancel" else ("cpu_s", good[0]["delivered"])
                growth = statistics.median(growth_kb(run) for run in good) / 1024
                each = _median(good, key) / units * 1e6
                rows.append((scenario, n, name, f"{_median(good, key):.4f}", f"{each:.2f}", f"{growth:.1f}"))
    _print_table(("scenario", "n", "client", "s", "us each", "RSS growth MB"), rows)


def _verdict_row(verdict: Verdict) -> tuple[str, ...]:
    target = verdict.target
    sign = "<=" if target.at_most else ">="
    return (
        verdict.cell,
        target.text,
        "report" if target.bound is None else f"{sign} {target.bound:g}{target.unit}",
        f"{verdict.value:.2f}{target.unit}",
        f"{min(verdict.values):.2f}-{max(verdict.values):.2f}",
        {True: "pass", False: "FAIL", None: ""}[verdict.kept],
    )


def _footprint_rows(result: Result) -> Iterator[tuple[str, ...]]:
    ratio, ms = statistics.median(result["ratios"]), result["ms"]
    spread = f"{min(result['ratios']):.2f}-{max(result['ratios']):.2f}"
    against = f"import, {ms[OURS]:.0f} ms, against the bare libraries, {ms[BARE]:.0f} ms"
    yield "import", against, f"<= {IMPORT_BOUND}x", f"{ratio:.2f}x", spread, _passed(ratio <= IMPORT_BOUND)
    loaded = f"the same against websockets' client loaded, {ms[BARE_CLIENT]:.0f} ms"
    yield "import", loaded, "report", f"{ms[OURS] / ms[BARE_CLIENT]:.2f}x", "", ""
    optional = ", ".join(result["optional"]) or "none"
    yield "import", "optional modules loaded", "none", optional, "", _passed(not result["optional"])
    megabytes = f"{result['size_kb'] / 1000:.2f} MB"
    yield "install", "core tree without byte code", "< 3 MB", megabytes, "", _passed(result["size_kb"] < SIZE_BOUND_KB)


def _passed(kept: bool) -> str:
    return "pass" if kept else "FAIL"


def _print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print(f"| {' | '.join(headings)} |\n|{' --- |' * len(headings)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
