"""What is run: a cell is one scenario of one size over one transport in one protocol version, and the clients in it."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

OURS = ("ours", "ours-events")
FLOORS = ("floor-orjson", "floor-proto")
NPM = ("npm-sdk", "npm-sdk-active")
SDKS = ("python-sdk", *NPM)

GROWTH = {"S1": (1000, 10_000, 100_000, 1_000_000), "S4cancel": (10, 100, 1000, 10_000), "S7": (1, 10, 100, 1000)}
"""Sizes over three decades; what grows faster than the size shows in the cost of one."""

QUICK_SHARE = 5
"""--quick: streams are so many times shorter."""


@attrs.frozen
class Cell:
    """`growth` marks the cells that only show how the cost grows."""

    scenario: str
    n: int
    transport: str
    protocol: int
    clients: tuple[str, ...]
    rounds: int
    growth: bool = False

    @property
    def name(self) -> str:
        return f"{self.scenario}:{self.n}:{self.transport}:{self.protocol}"


def cells(*, quick: bool) -> Iterator[Cell]:
    """Yield every cell in the order in which it is run."""
    share, rounds = (QUICK_SHARE, 3) if quick else (1, 5)
    for transport in ("stdio", "ws"):
        floors = FLOORS if transport == "stdio" else (*FLOORS, "floor-sansio")
        for protocol in (1, 2):
            sdks = SDKS if protocol == 1 else NPM
            streams = (*OURS, *floors, *sdks)
            requests = ("ours", *floors, *sdks[:-1])
            yield Cell("S1", 200_000 // share, transport, protocol, streams, rounds)
            yield Cell("S2", 50_000 // share, transport, protocol, streams, rounds)
            yield Cell("S3seq", 20_000 // share, transport, protocol, requests, rounds)
            yield Cell("S3conc", 20_000, transport, protocol, requests, rounds)
            yield Cell("S4", 10_000 // share, transport, protocol, requests, rounds)
            yield Cell("S4cancel", 1000, transport, protocol, requests, rounds)
        yield Cell("S5a", 1, transport, 1, (*OURS, *floors, *SDKS), rounds)
        yield Cell("S5b", 50, transport, 1, (*OURS, *floors, *SDKS), rounds)
        yield Cell("S5c", 200, transport, 1, (*OURS, *floors, *SDKS), rounds)
    yield from _many_sessions(quick)
    yield from _long(quick)
    yield from _growth(quick)


def _many_sessions(quick: bool) -> Iterator[Cell]:
    clients = ("ours", *FLOORS, "floor-sansio", *SDKS)
    yield Cell("S7", 50 if quick else 500, "ws", 1, clients, 1 if quick else 3)


def _long(quick: bool) -> Iterator[Cell]:
    for protocol in (1, 2):
        yield Cell("S8", 100_000 if quick else 1_000_000, "stdio", protocol, ("ours", "floor-proto"), 1 if quick else 3)
    for transport in ("stdio", "ws"):
        clients = ("ours-sleep", "ours-events-sleep", "ours-blocking", "ours-blocking-events")
        yield Cell("S9", 200_000, transport, 1, clients, 1 if quick else 3)


def _growth(quick: bool) -> Iterator[Cell]:
    for scenario, sizes in GROWTH.items():
        transport = "ws" if scenario == "S7" else "stdio"
        for n in sizes[:-1] if quick else sizes:
            yield Cell(scenario, n, transport, 1, ("ours", "floor-orjson"), 1 if quick else 3, growth=True)
