"""The messages the load generator sends: deterministic, serialised once, kept as files of one JSON-RPC message a line.

Knows the shapes of ACP messages and nothing of clients. `runner` asks for a file; the same arguments give the same
bytes.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Object = dict[str, Any]

WORDS = [
    *("the", "quick", "agent", "reads", "a", "file", "then", "edits", "the", "module", "and", "runs", "the", "tests"),
    *("before", "it", "reports", "back", "with", "a", "short", "note", "about", "what", "changed", "and", "why", "ok"),
]
WIDE = ("naïve", "漢字", "→", "🙂")
"""One text in twenty starts with one of these: all-ASCII workloads flatter a client."""

CHUNKS_PER_SESSION = 1000
"""S7: updates of each session."""

CHUNKS_PER_MESSAGE = 1000
"""S8: chunks of each message."""

SLICES = 30
"""S9: permission requests, one behind each slice of the updates."""


def workload(scenario: str, n: int, protocol: int, folder: Path) -> Path | None:
    """Return the file of a scenario, written on first use; None for a scenario without one."""
    if scenario not in LINES:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{scenario}_v{protocol}_{n}.ndjson"
    if not file.exists():
        unfinished = file.with_suffix(".unfinished")
        with unfinished.open("w", encoding="utf-8") as out:
            for line in LINES[scenario](random.Random(f"{scenario}-{protocol}"), n, protocol):
                out.write(line)
                out.write("\n")
        unfinished.replace(file)
    return file


# messages


def dumps(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def session_id(number: int = 0) -> str:
    return f"sess_{number:06d}"


def notification(update: Object, session: str = session_id()) -> str:
    return dumps({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})


def prose(rng: random.Random, size: int) -> str:
    words: list[str] = []
    length = 0
    while length < size:
        words.append(rng.choice(WORDS))
        length += len(words[-1]) + 1
    if rng.random() < 0.05:
        words[0] = rng.choice(WIDE)
    return " ".join(words)[:size]


def code(rng: random.Random, size: int) -> str:
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append("    " * rng.randint(0, 3) + prose(rng, rng.randint(10, 70)) + "\n")
        length += len(lines[-1])
    return "".join(lines)[:size]


def chunk(rng: random.Random, protocol: int, kind: str = "agent_message_chunk", message_id: str = "msg_1") -> Object:
    update: Object = {"sessionUpdate": kind, "content": {"type": "text", "text": prose(rng, 60)}}
    if protocol == 2:
        update["messageId"] = message_id
    return update


def tool(rng: random.Random, protocol: int, number: int) -> Object:
    size = rng.randint(1024, 8192)
    is_diff = rng.random() < 0.5
    path = f"/home/u/p/src/m{number % 97}.py"
    content: Object
    if not is_diff:
        content = {"type": "content", "content": {"type": "text", "text": code(rng, size)}}
    elif protocol == 1:
        content = {"type": "diff", "path": path, "oldText": code(rng, size // 2), "newText": code(rng, size // 2)}
    else:
        patch = {"format": "git_patch", "text": code(rng, size)}
        content = {"type": "diff", "changes": [{"operation": "modify", "path": path}], "patch": patch}
    starts = protocol == 1 and rng.random() < 0.4
    return {
        "sessionUpdate": "tool_call" if starts else "tool_call_update",
        "toolCallId": f"call_{number:06d}",
        "title": f"Edit src/m{number % 97}.py",
        "kind": "edit" if is_diff else "execute",
        "status": "in_progress" if starts else "completed",
        "content": [content],
        "locations": [{"path": path, "line": rng.randint(1, 900)}],
        "rawInput": {"path": path, "args": ["-x", "--long", str(number)], "n": number},
    }


def plan(rng: random.Random, protocol: int) -> Object:
    entries = [
        {
            "content": prose(rng, 70),
            "priority": rng.choice(["high", "medium", "low"]),
            "status": rng.choice(["pending", "in_progress", "completed"]),
        }
        for _ in range(rng.randint(3, 9))
    ]
    if protocol == 1:
        return {"sessionUpdate": "plan", "entries": entries}
    return {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "plan_1", "entries": entries}}


def commands(rng: random.Random, protocol: int) -> Object:
    hint = {"hint": "text"} if protocol == 1 else {"type": "text", "hint": "text"}
    listed = [
        {"name": f"cmd{i}", "description": prose(rng, 40), **({"input": hint} if i % 2 else {})} for i in range(8)
    ]
    return {"sessionUpdate": "available_commands_update", "availableCommands": listed}


def other(rng: random.Random, protocol: int, number: int) -> Object:
    kind = number % (4 if protocol == 1 else 3)
    if kind == 0:
        return commands(rng, protocol)
    if kind == 1:
        cost = {"amount": 0.25, "currency": "USD"}
        return {"sessionUpdate": "usage_update", "used": 1000 + number, "size": 200000, "cost": cost}
    if kind == 2:
        return {"sessionUpdate": "session_info_update", "title": prose(rng, 30), "updatedAt": "2026-11-30T12:00:00Z"}
    return {"sessionUpdate": "current_mode_update", "currentModeId": "code"}


def mixed(rng: random.Random, protocol: int, number: int) -> Object:
    share = rng.random()
    if share < 0.70:
        return chunk(rng, protocol)
    if share < 0.80:
        return chunk(rng, protocol, "agent_thought_chunk", "msg_2")
    if share < 0.92:
        return tool(rng, protocol, number)
    if share < 0.96:
        return plan(rng, protocol)
    return other(rng, protocol, number)


def permission(protocol: int, number: int) -> str:
    options = [
        {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
        {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
        {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
    ]
    call = {
        "toolCallId": f"call_{number:06d}",
        "title": "Run tests",
        "kind": "execute",
        "status": "pending",
        "rawInput": {"command": "pytest -q"},
    }
    asked: Object = (
        {"toolCall": call}
        if protocol == 1
        else {"title": "Run tests", "subject": {"type": "tool_call", "toolCall": call}}
    )
    params = {"sessionId": session_id(), "options": options, **asked}
    return dumps({"jsonrpc": "2.0", "id": number + 1, "method": "session/request_permission", "params": params})


def big(rng: random.Random, size: int) -> str:
    """Return one tool call update whose line has just under `size` bytes."""
    content: Object = {"type": "content", "content": {"type": "text", "text": ""}}
    update: Object = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "call_1",
        "title": "cat big",
        "kind": "read",
        "status": "completed",
        "content": [content],
    }
    room = size - len(notification(update))
    block = code(rng, 65536).encode("ascii", "ignore").decode()
    text = (block * (size // len(block) + 2))[:room]
    while (excess := len(json.dumps(text)) - 2 - room) > 0:  # each line end is escaped: two bytes
        text = text[: -(excess // 2 + 1)]
    content["content"]["text"] = text
    return notification(update)


# scenarios


def _chunks(rng: random.Random, n: int, protocol: int) -> Iterator[str]:
    pool = [notification(chunk(rng, protocol)) for _ in range(1000)]
    return (pool[i % 1000] for i in range(n))


def _mix(rng: random.Random, n: int, protocol: int) -> Iterator[str]:
    return (notification(mixed(rng, protocol, i)) for i in range(n))


def _permissions(rng: random.Random, n: int, protocol: int) -> Iterator[str]:
    return (permission(protocol, i) for i in range(n))


def _repeated(size: int) -> Callable[[random.Random, int, int], Iterator[str]]:
    def lines(rng: random.Random, n: int, protocol: int) -> Iterator[str]:
        line = big(rng, size)
        return (line for _ in range(n))

    return lines


def _sessions(rng: random.Random, n: int, protocol: int) -> Iterator[str]:
    pool = [chunk(rng, protocol) for _ in range(100)]
    return (notification(pool[i % 100], session_id(number)) for i in range(CHUNKS_PER_SESSION) for number in range(n))


def _long_session(rng: random.Random, n: int, protocol: int) -> Iterator[str]:
    pool = [chunk(rng, protocol) for _ in range(1000)]
    for i in range(n):
        yield notification({**pool[i % 1000], "messageId": f"msg_{i // CHUNKS_PER_MESSAGE}"})


def _slices(rng: random.Random, n: int, protocol: int) -> Iterator[str]:
    asked = 0
    for i, line in enumerate(_chunks(rng, n, protocol), 1):
        yield line
        if i * SLICES // n > asked:
            yield permission(protocol, asked)
            asked += 1


LINES: dict[str, Callable[[random.Random, int, int], Iterator[str]]] = {
    "S1": _chunks,
    "S2": _mix,
    "S4": _permissions,
    "S4cancel": _permissions,
    "S5a": _repeated(10_000_000),
    "S5b": _repeated(1_000_000),
    "S5c": _repeated(100_000),
    "S7": _sessions,
    "S8": _long_session,
    "S9": _slices,
}
