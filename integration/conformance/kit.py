"""Plays rules with client programs: starts a program with the scripted agent, waits for both, reads the verdict."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs

from integration.conformance.agent import PLAYS
from integration.conformance.rules import RULES
from integration.peers.install import PROJECT, executable, folder_of

HERE = Path(__file__).parent
assert PLAYS, "importing the plays is what fills the table of rules"

PLAY_TIME = 30.0
"""Seconds for one rule: the longest play has a few waits of 5 s, each of which breaks the rule when it runs out."""

END_TIME = 5.0
"""Seconds for a program to end when its connection has ended."""

LOOK = 0.2
"""Seconds between looks for the verdict, while a program has not ended."""

ENDS = "CAN-80"
"""The rule whose second half is that the program comes to its end."""


@attrs.frozen
class ClientProgram:
    """A program that plays the client. `versions` are those its library speaks, `peer` what has to be installed."""

    name: str
    command: tuple[str, ...]
    versions: tuple[int, ...] = (1, 2)
    peer: str | None = None
    env: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen
class Verdict:
    """What came of one rule: "kept", "broken" or "not shown", and why."""

    rule: str
    version: int
    verdict: str
    reason: str = ""


OURS = ClientProgram(
    "acp_client", (sys.executable, "-m", "integration.conformance.clients.ours"), env={"PYTHONPATH": str(PROJECT)}
)


def _on_python_sdk(name: str, *flags: str) -> ClientProgram:
    python = str(executable("python-sdk", "python"))
    program = str(HERE / "clients" / "python_sdk.py")
    return ClientProgram(name, (python, program, *flags), versions=(1,), peer="python-sdk")


def _on_npm_sdk(name: str, *flags: str) -> ClientProgram:
    env = {"NPM_SDK": str(folder_of("npm-sdk"))}
    return ClientProgram(name, ("node", str(HERE / "clients" / "npm_sdk.mjs"), *flags), peer="npm-sdk", env=env)


OTHERS = (
    _on_python_sdk("Python SDK 0.12.1"),
    _on_python_sdk("Python SDK, careful host", "--careful"),
    _on_npm_sdk("npm SDK 2.4.0"),
    _on_npm_sdk("npm SDK, careful host", "--careful"),
)


def plays_of(program: ClientProgram) -> list[tuple[str, int]]:
    """Return every rule with each version that a program can play it in."""
    return [(rule.id, version) for rule in RULES.values() for version in rule.versions if version in program.versions]


def play_all(program: ClientProgram, plays: Iterable[tuple[str, int]]) -> list[Verdict]:
    """Play several rules, as many at a time as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda wanted: play(program, *wanted), plays))


def play(program: ClientProgram, rule: str, version: int) -> Verdict:
    """Play one rule in one version. Whatever happens, no process is left."""
    with tempfile.TemporaryDirectory() as folder:
        verdict = Path(folder) / "verdict.json"
        agent = [sys.executable, str(HERE / "agent.py")]
        agent += ["--rule", rule, "--version", str(version), "--verdict", str(verdict)]
        ended, errors = _run(program, ["--agent", json.dumps(agent), "--version", str(version)], verdict)
        if not verdict.exists():
            last = errors.strip().splitlines()[-1:] or ["nothing on stderr"]
            return Verdict(rule, version, "broken", f"the program did not see the rule through: {last[0]}")
        found = Verdict(rule, version, **json.loads(verdict.read_text()))
        if rule == ENDS and not ended and found.verdict == "kept":
            return Verdict(
                rule, version, "broken", f"the program still waited {END_TIME:g} s after the connection ended"
            )
        return found


def _run(program: ClientProgram, arguments: Sequence[str], verdict: Path) -> tuple[bool, str]:
    """Run a client program until the verdict is there; returns whether it ended by itself, and its stderr."""
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            [*program.command, *arguments],
            env={**os.environ, **program.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        ) as process,
    ):
        ended = _ends(process, verdict)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        errors.seek(0)
        return ended, errors.read()


def _ends(process: subprocess.Popen[bytes], verdict: Path) -> bool:
    """Wait until the rule is played and the program has ended, each bounded; returns whether the program has."""
    looks = int(PLAY_TIME / LOOK)
    while looks and process.poll() is None and not verdict.exists():
        looks -= 1
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LOOK)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_TIME)
    for _ in range(int(END_TIME / LOOK)):
        if verdict.exists():
            break  # an agent that outlives the program has seen the end and is about to judge
        time.sleep(LOOK)
    return process.poll() is not None
