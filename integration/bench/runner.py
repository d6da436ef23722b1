"""Runs clients against the load generator: rounds interleaved (A B C, A B C, ...), one JSON line a run.

Interleaved because machines change their speed while one looks: only figures of the same round are compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from integration.bench.cells import Cell
from integration.bench.workloads import SLICES, workload
from integration.bench.workshop import HERE, PROJECT, Workshop

Result = dict[str, Any]

RUN_TIMEOUT = 180.0
"""Seconds for one run: ten times the slowest that was seen."""

AGENT_EXIT = 2.0
"""Seconds an agent gets to end after its client has."""

MODES = {"S4": "perm", "S4cancel": "perm", "S7": "multi", "S9": "paced"}


def run_cell(cell: Cell, shop: Workshop, out: Path) -> list[Result]:
    """Run all rounds of one cell and append each result to `out`. A client that failed is not run again."""
    results: list[Result] = []
    failed: set[str] = set()
    for turn in range(cell.rounds):
        for client in cell.clients:
            if client in failed:
                continue
            result = _run(client, cell, shop)
            result.update(client=client, round=turn, cell=cell.name, growth=cell.growth, load=os.getloadavg()[0])
            if "error" in result:
                failed.add(client)
                print(f"{cell.name} {client}: {result['error']}\n{result.get('stderr', '')}", file=sys.stderr)
            with out.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(result) + "\n")
            results.append(result)
    return results


def _run(client: str, cell: Cell, shop: Workshop) -> Result:
    with _agent(cell, shop) as where:
        command = [
            *_command(client, shop),
            *("--transport", cell.transport, "--scenario", cell.scenario),
            *("--n", str(cell.n), "--proto", str(cell.protocol), *where),
        ]
        started = time.perf_counter()
        environment = {**os.environ, "NPM_PEERS": str(shop.npm), "PYTHONPATH": str(PROJECT)}
        try:
            done = subprocess.run(
                command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=RUN_TIMEOUT, check=False
            )
        except subprocess.TimeoutExpired as expired:
            return {"error": f"no result after {RUN_TIMEOUT:.0f} s", "stderr": str(expired.stderr or "")[-2000:]}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    result: Result = json.loads(lines[-1]) if lines else {"error": f"no result, exit status {done.returncode}"}
    if done.stderr:
        result["stderr"] = done.stderr[-2000:]
    return {**result, "whole_s": time.perf_counter() - started}


def _command(client: str, shop: Workshop) -> list[str]:
    """Return the program of a client: a name, or a name and a variant."""
    for name, program, default in (
        ("ours", [sys.executable, "-m", "integration.bench.driver"], "update"),
        ("floor", [str(shop.python), "-m", "integration.bench.clients.floor"], "orjson"),
        ("python-sdk", [str(shop.python), "-m", "integration.bench.clients.python_sdk"], ""),
        ("npm-sdk", ["node", str(HERE / "clients" / "npm_sdk.mjs")], "notification"),
    ):
        if client == name or client.startswith(name + "-"):
            variant = client[len(name) + 1 :] or default
            return [*program, *(("--variant", variant) if variant else ())]
    raise ValueError(f"no such client: {client!r}")


@contextmanager
def _agent(cell: Cell, shop: Workshop) -> Iterator[list[str]]:
    """Yield the arguments that say where the agent is; over ws start it and see that it ends."""
    answers = SLICES if cell.scenario == "S9" else cell.n
    command = [str(shop.firehose), "--mode", MODES.get(cell.scenario, "stream"), "--n", str(answers)]
    file = workload(cell.scenario, cell.n, cell.protocol, shop.data)
    if file is not None:
        command += ["--data", str(file)]
    if cell.transport == "stdio":
        yield ["--agent", " ".join(command)]
        return
    with subprocess.Popen([*command, "--ws"], stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout is not None
        try:
            yield ["--url", f"ws://127.0.0.1:{agent.stdout.readline().split()[1]}/acp"]
        finally:
            try:
                agent.wait(AGENT_EXIT)
            except subprocess.TimeoutExpired:
                agent.kill()
