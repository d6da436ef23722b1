"""What is promised, as ratios within one round, and whether a set of results keeps it.

A target looks at the results of one cell and gives one value a round; its median is held against the bound. Nothing
here is an absolute time, except where a person waits.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs

from integration.bench.workloads import CHUNKS_PER_SESSION

Result = Mapping[str, Any]
Round = Mapping[str, Result]
Measure = Callable[[Round], float | None]

KB = 1024
WAITING_UPDATE = 1000
"""S9: bytes that one update may take while the callback it waits for sleeps."""

KEPT_TEXTS = 5
"""S9: bytes for one character: in the state, in the mailbox, in the result, and wide ones in the event at hand."""


@attrs.frozen
class Target:
    """`at_most` tells the direction of the bound; without a bound the value is only reported."""

    text: str
    measure: Measure
    bound: float | None
    at_most: bool = True
    unit: str = "x"


@attrs.frozen
class Verdict:
    cell: str
    target: Target
    values: tuple[float, ...]

    @property
    def value(self) -> float:
        return statistics.median(self.values)

    @property
    def kept(self) -> bool | None:
        """Whether the bound was kept; None when there is none."""
        if self.target.bound is None:
            return None
        return self.value <= self.target.bound if self.target.at_most else self.value >= self.target.bound


def judge(cell: str, rounds: Iterable[Round]) -> Iterator[Verdict]:
    """Yield the verdicts on one cell; a target whose clients did not all run is left out."""
    complete = list(rounds)
    scenario, n, transport, protocol = cell.split(":")
    for target in _targets(scenario, int(n), transport, int(protocol)):
        values = tuple(value for value in (target.measure(a_round) for a_round in complete) if value is not None)
        if values:
            yield Verdict(cell, target, values)


# measures


def ratio(key: str, over: str, under: str) -> Measure:
    """`key` of one client divided by that of another."""

    def measure(a_round: Round) -> float | None:
        if over not in a_round or under not in a_round:
            return None
        return float(a_round[over][key]) / max(float(a_round[under][key]), 1e-9)

    return measure


def best_of(key: str, clients: tuple[str, ...], under: str) -> Measure:
    """The least `key` of several clients divided by that of another."""

    def measure(a_round: Round) -> float | None:
        values = [float(a_round[client][key]) for client in clients if client in a_round]
        return min(values) / float(a_round[under][key]) if values and under in a_round else None

    return measure


def growth_kb(result: Result) -> float:
    return float(result["rss_peak_kb"] - result["rss_before_kb"])


def growth_ratio(over: str, under: str) -> Measure:
    def measure(a_round: Round) -> float | None:
        if over not in a_round or under not in a_round:
            return None
        return growth_kb(a_round[over]) / max(growth_kb(a_round[under]), 1.0)

    return measure


def of(client: str, value: Callable[[Result], float]) -> Measure:
    return lambda a_round: value(a_round[client]) if client in a_round else None


# the table

NPM = ("npm-sdk", "npm-sdk-active")


def _targets(scenario: str, n: int, transport: str, protocol: int) -> list[Target]:
    if scenario in ("S1", "S2"):
        return [target for client in ("ours", "ours-events") for target in _streams(client, transport, protocol)]
    if scenario.startswith("S5"):
        return [*_big("ours", scenario), *_big("ours-events", scenario)]
    if scenario in REQUESTS:
        return REQUESTS[scenario](transport)
    return {"S7": _sessions, "S8": _long, "S9": _slow}[scenario](n)


def _streams(client: str, transport: str, protocol: int) -> list[Target]:
    if transport == "stdio":
        targets = [Target(f"{client}: CPU / floor-proto (goal 2.5)", ratio("cpu_s", client, "floor-proto"), 3.0)]
    else:
        targets = [
            Target(f"{client}: CPU / floor-orjson", ratio("cpu_s", client, "floor-orjson"), 1.3),
            Target(f"{client}: CPU / floor-sansio", ratio("cpu_s", client, "floor-sansio"), None),
        ]
    if protocol == 1:
        times = 5.0 if transport == "stdio" else 3.0
        targets.append(
            Target(f"CPU of the Python SDK / {client}", ratio("cpu_s", "python-sdk", client), times, at_most=False)
        )
    targets.append(
        Target(f"CPU of the npm SDK at its best / {client}", best_of("cpu_s", NPM, client), 1.0, at_most=False)
    )
    return targets


def _round_trips(transport: str) -> list[Target]:
    bound = 1.25 if transport == "stdio" else None
    return [
        Target("p50 / floor-orjson", ratio("p50_us", "ours", "floor-orjson"), bound),
        Target("p50 of the Python SDK / ours", ratio("p50_us", "python-sdk", "ours"), None, at_most=False),
    ]


def _in_flight(transport: str) -> list[Target]:
    stdio = transport == "stdio"
    return [
        Target("rate / Python SDK", ratio("rate", "ours", "python-sdk"), 2.5 if stdio else None, at_most=False),
        Target("rate / npm SDK", ratio("rate", "ours", "npm-sdk"), 1.0 if stdio else None, at_most=False),
        Target("rate / floor-orjson", ratio("rate", "ours", "floor-orjson"), None, at_most=False),
    ]


def _storm(transport: str) -> list[Target]:
    bound = 5.0 if transport == "stdio" else None
    return [
        Target("rate / npm SDK", ratio("rate", "ours", "npm-sdk"), bound, at_most=False),
        Target("rate / Python SDK", ratio("rate", "ours", "python-sdk"), None, at_most=False),
        Target("rate / floor-orjson", ratio("rate", "ours", "floor-orjson"), None, at_most=False),
    ]


def _cancel(transport: str) -> list[Target]:
    stdio = transport == "stdio"
    return [
        Target("time / floor-orjson", ratio("cancel_ms", "ours", "floor-orjson"), 2.0 if stdio else None),
        Target(
            "time of the Python SDK / ours",
            ratio("cancel_ms", "python-sdk", "ours"),
            6.0 if stdio else None,
            at_most=False,
        ),
        Target(
            "time of the npm SDK / ours", ratio("cancel_ms", "npm-sdk", "ours"), 6.0 if stdio else None, at_most=False
        ),
    ]


REQUESTS: dict[str, Callable[[str], list[Target]]] = {
    "S3seq": _round_trips,
    "S3conc": _in_flight,
    "S4": _storm,
    "S4cancel": _cancel,
}


def _big(client: str, scenario: str) -> list[Target]:
    bound = None if scenario == "S5c" else 1.3
    return [
        Target(f"{client}: time / floor-orjson", ratio("elapsed_s", client, "floor-orjson"), bound),
        Target(f"{client}: growth of peak RSS / floor-proto", growth_ratio(client, "floor-proto"), bound),
    ]


def _sessions(n: int) -> list[Target]:
    def besides_text(result: Result) -> float:
        return (growth_kb(result) * KB - int(result["chars"])) / n / 1000

    return [
        Target("time / floor-orjson", ratio("elapsed_s", "ours", "floor-orjson"), 1.5),
        Target(
            f"RSS growth of a session of {CHUNKS_PER_SESSION} updates, besides its text",
            of("ours", besides_text),
            15.0,
            unit=" kB",
        ),
    ]


def _long(n: int) -> list[Target]:
    def second_half(result: Result) -> float:
        first: float = result["first_half_cpu_s"] / result["half"]
        second = float(result["cpu_s"] - result["first_half_cpu_s"]) / (n - int(result["half"]))
        return second / first

    return [
        Target("CPU of the second half / the first", of("ours", second_half), 1.3),
        Target("growth of peak RSS / text", of("ours", lambda result: growth_kb(result) * KB / result["chars"]), 3.0),
        Target("CPU / floor-proto", ratio("cpu_s", "ours", "floor-proto"), None),
    ]


def _slow(n: int) -> list[Target]:
    targets = []
    for client in ("ours-sleep", "ours-events-sleep", "ours-blocking", "ours-blocking-events"):
        waiting = 0 if "events" in client else n * WAITING_UPDATE

        def memory(result: Result, waiting: int = waiting) -> float:
            return growth_kb(result) * KB / (KEPT_TEXTS * int(result["chars"]) + waiting)

        slowest = of(client, lambda result: float(result["agent"]["longestAnswerMs"]))
        targets += [
            Target(f"{client}: longest wait for an answer", slowest, 100.0, unit=" ms"),
            Target(f"{client}: growth of peak RSS / what is allowed", of(client, memory), 1.0),
        ]
    return targets
