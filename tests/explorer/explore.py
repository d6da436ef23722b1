"""Runs the core through every order of events, shortest first, and counts what it saw.

`python -m tests.explorer.explore [--version 1|2] [--depth N] [--seconds S]` goes to any depth. Orders that lead to the
same state are followed once and counted all.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

import attrs

from tests.explorer.judge import Judge
from tests.explorer.world import World


@attrs.frozen
class Report:
    """What an exploration has covered: all orders up to `depth`, and those beyond it that time allowed."""

    version: int
    depth: int
    states: int
    orders: int
    transitions: int
    faults: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"version {self.version}: every order of up to {self.depth} events: {self.orders} orders, "
            f"{self.states} states, {self.transitions} transitions run, {len(self.faults)} faults"
        )


Path = tuple[str, ...]


def play(version: int, path: Path) -> tuple[World, Judge, str | None]:
    """Run one order of events in a fresh world; stops at the first fault."""
    world = World(version)
    judge = Judge(world)
    for letter in path:
        world.do(letter)
        fault = judge.watch(letter)
        if fault is not None:
            return world, judge, fault
    return world, judge, None


def explore(version: int, depth: int, seconds: float) -> Report:
    """Follow every order of up to `depth` events, as far as `seconds` allow."""
    deadline = time.monotonic() + seconds
    frontier: dict[tuple[object, ...], tuple[Path, int]] = {World(version).fingerprint(): ((), 1)}
    states, orders, transitions, reached = 1, 1, 0, 0
    faults: list[str] = []
    for _ in range(depth):
        following: dict[tuple[object, ...], tuple[Path, int]] = {}
        for path, ways in frontier.values():
            for letter in play(version, path)[0].letters():
                if time.monotonic() > deadline or len(faults) > 10:
                    return Report(version, reached, states, orders, transitions, tuple(faults))
                transitions += 1
                longer = (*path, letter)
                world, judge, fault = play(version, longer)
                if fault is not None:
                    faults.append(f"{fault}: {' | '.join(longer)}")
                    continue
                key = (world.fingerprint(), judge.state())
                known = following.get(key)
                following[key] = (longer, ways) if known is None else (known[0], known[1] + ways)
        frontier = following
        states += len(frontier)
        orders += sum(ways for _, ways in frontier.values())
        reached += 1
    return Report(version, reached, states, orders, transitions, tuple(faults))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", type=int, choices=(1, 2), action="append")
    parser.add_argument("--depth", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=600.0)
    options = parser.parse_args()
    kinds: Counter[str] = Counter()
    for version in options.version or (1, 2):
        report = explore(version, options.depth, options.seconds)
        sys.stdout.write(f"{report}\n")
        for fault in report.faults:
            sys.stdout.write(f"  {fault}\n")
        kinds.update(fault.split(":")[0] for fault in report.faults)
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
