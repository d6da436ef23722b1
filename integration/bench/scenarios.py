"""What every Python client is put through, and how it is measured: one loop, so that only the client differs.

A client supplies a `Driver` and calls `main`. Uses nothing but the standard library: the clients run in environments
that know nothing of this project. Prints one JSON line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, Protocol

STREAMS = ("S1", "S2", "S5a", "S5b", "S5c", "S8", "S9")
BURSTS = 20
"""S3conc: so many bursts of n / BURSTS requests in flight."""


class Arguments(argparse.Namespace):
    """The command line of a client."""

    transport: str
    scenario: str
    n: int
    proto: int
    agent: str
    url: str
    variant: str


def arguments() -> Arguments:
    parser = argparse.ArgumentParser()
    parser.add_argument("--transport", choices=["stdio", "ws"], default="stdio")
    parser.add_argument("--scenario", required=True)
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--proto", type=int, default=1)
    parser.add_argument("--agent", default="", help="command of the agent (stdio)")
    parser.add_argument("--url", default="", help="address of the agent (ws)")
    parser.add_argument("--variant", default="", help="a way of using the client that it offers")
    return parser.parse_args(namespace=Arguments())


class Tally:
    """What the application does with an update: it touches typed fields, so that lazy decoding cannot hide."""

    __slots__ = ("chars", "count", "done", "half", "half_cpu", "want")

    def __init__(self) -> None:
        self.count = self.chars = self.half = 0
        self.want = -1
        self.done: asyncio.Future[None] | None = None
        self.half_cpu = 0.0

    def hit(self, chars: int, count: int = 1) -> None:
        self.count += count
        self.chars += chars
        if self.count >= self.want and self.done is not None and not self.done.done():
            self.done.set_result(None)

    def expect(self, n: int) -> asyncio.Future[None]:
        self.want = n
        self.done = asyncio.get_running_loop().create_future()
        return self.done

    def mark_half(self) -> None:
        """Remember the CPU time when half of the updates have arrived; whoever hits calls it now and then."""
        if not self.half_cpu and 2 * self.count >= self.want:
            self.half, self.half_cpu = self.count, cpu()


class Holding:
    """S4cancel: the permission requests held open, and the moment when all have arrived."""

    def __init__(self, n: int) -> None:
        self.want = n
        self.held: list[Any] = []
        self.full: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def hold(self, request: object) -> None:
        self.held.append(request)
        if len(self.held) == self.want:
            self.full.set_result(None)


class Driver(Protocol):
    """One client under test. `holding` is None while permission requests are to be answered with the first option."""

    tally: Tally
    holding: Holding | None

    async def connect(self) -> None: ...
    async def new_session(self) -> str: ...
    async def prompt(self, session_id: str) -> object:
        """Send a prompt, return the `_meta` of the turn's end when it has ended."""

    async def echo(self, session_id: str) -> object:
        """Send a small request and return when it was answered."""

    async def cancel(self, session_id: str) -> None:
        """Cancel the session and answer what is held with `cancelled`."""

    def extra(self) -> dict[str, object]:
        """Return what else belongs into the result."""


def cpu() -> float:
    """Return the CPU seconds of this process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def memory_kb(key: str) -> int:
    """Return a figure of this process: VmRSS now, VmHWM at its highest."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise LookupError(key)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Clock:
    """Wall and CPU time of the measured part."""

    def start(self) -> None:
        self.cpu, self.wall = cpu(), time.perf_counter()

    def stop(self) -> None:
        self.cpu, self.wall = cpu() - self.cpu, time.perf_counter() - self.wall


async def measure(arguments: Arguments, driver: Driver) -> dict[str, object]:
    """Run one scenario and return its figures."""
    await driver.connect()
    before, clock = memory_kb("VmRSS"), Clock()
    figures = await _scenario(arguments)(driver, arguments, clock)
    return {
        "scenario": arguments.scenario,
        "transport": arguments.transport,
        "n": arguments.n,
        "proto": arguments.proto,
        **figures,
        **driver.extra(),
        "elapsed_s": clock.wall,
        "cpu_s": clock.cpu,
        "rss_before_kb": before,
        "rss_after_kb": memory_kb("VmRSS"),
        "rss_peak_kb": memory_kb("VmHWM"),
    }


def _scenario(arguments: Arguments) -> Callable[[Driver, Arguments, Clock], Any]:
    others = {"S3seq": _one_by_one, "S3conc": _in_flight, "S4": _storm, "S4cancel": _cancel, "S7": _many_sessions}
    return _stream if arguments.scenario in STREAMS else others[arguments.scenario]


async def _stream(driver: Driver, arguments: Arguments, clock: Clock) -> dict[str, object]:
    session_id = await driver.new_session()
    delivered = driver.tally.expect(arguments.n)
    clock.start()
    started = clock.cpu
    meta = await driver.prompt(session_id)
    await delivered
    clock.stop()
    tally = driver.tally
    figures: dict[str, object] = {"delivered": tally.count, "chars": tally.chars, "agent": meta}
    if tally.half_cpu:
        figures.update(first_half_cpu_s=tally.half_cpu - started, half=tally.half)
    return {**figures, "rate": tally.count / clock.wall}


async def _many_sessions(driver: Driver, arguments: Arguments, clock: Clock) -> dict[str, object]:
    before = memory_kb("VmRSS")
    sessions = [await driver.new_session() for _ in range(arguments.n)]
    idle = memory_kb("VmRSS") - before
    delivered = driver.tally.expect(1000 * arguments.n)
    clock.start()
    await asyncio.gather(*(driver.prompt(session_id) for session_id in sessions))
    await delivered
    clock.stop()
    tally = driver.tally
    return {"delivered": tally.count, "chars": tally.chars, "rate": tally.count / clock.wall, "rss_idle_kb": idle}


async def _one_by_one(driver: Driver, arguments: Arguments, clock: Clock) -> dict[str, object]:
    session_id = await driver.new_session()
    for _ in range(500):
        await driver.echo(session_id)
    waits: list[float] = []
    clock.start()
    for _ in range(arguments.n):
        sent = time.perf_counter()
        await driver.echo(session_id)
        waits.append(time.perf_counter() - sent)
    clock.stop()
    return {
        "rate": arguments.n / clock.wall,
        "p50_us": percentile(waits, 0.5) * 1e6,
        "p99_us": percentile(waits, 0.99) * 1e6,
    }


async def _in_flight(driver: Driver, arguments: Arguments, clock: Clock) -> dict[str, object]:
    session_id = await driver.new_session()
    burst = arguments.n // BURSTS
    await asyncio.gather(*(driver.echo(session_id) for _ in range(burst)))
    clock.start()
    for _ in range(BURSTS):
        await asyncio.gather(*(driver.echo(session_id) for _ in range(burst)))
    clock.stop()
    return {"rate": BURSTS * burst / clock.wall}


async def _storm(driver: Driver, arguments: Arguments, clock: Clock) -> dict[str, object]:
    session_id = await driver.new_session()
    clock.start()
    meta = await driver.prompt(session_id)
    clock.stop()
    return {"rate": arguments.n / clock.wall, "agent": meta}


async def _cancel(driver: Driver, arguments: Arguments, clock: Clock) -> dict[str, object]:
    session_id = await driver.new_session()
    driver.holding = Holding(arguments.n)
    prompt = asyncio.ensure_future(driver.prompt(session_id))
    await driver.holding.full
    clock.start()
    await driver.cancel(session_id)
    meta = await prompt
    clock.stop()
    return {"cancel_ms": clock.wall * 1e3, "agent": meta}


def main(make: Callable[[Arguments], Driver]) -> None:
    """Run the scenario of the command line, print the result and leave at once: how a client closes is not measured."""
    wanted = arguments()

    async def run() -> None:
        _leave(await measure(wanted, make(wanted)), 0)

    try:
        asyncio.run(run())
    except BaseException as error:  # whatever ended the run is its result
        traceback.print_exc()
        _leave({"error": f"{type(error).__name__}: {error}"[:300]}, 1)


def _leave(result: dict[str, object], status: int) -> NoReturn:
    print(json.dumps(result), flush=True)
    os._exit(status)
