"""What the fake model says: a marker in the newest user text chooses it, whichever API it was asked through.

    ACP_PLAIN         three pieces of text
    ACP_THINK         a thought where the API has such a thing, then text
    ACP_SLOW=N        N pieces of text, one every quarter of a second: worth cancelling
    ACP_WRITE=PATH    a call of the agent's tool that writes a file
    ACP_RUN=PATH      a call of the agent's shell tool, with a command that writes a file
    ACP_FAIL          an error of the API
    none of them      the text "ok"

After a tool's result it says "Tool finished." and ends. Which tool writes a file, and how its arguments are called, is
read from the tools that the agent offers, so that one marker serves every agent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import attrs

PAUSE = 0.25
"""Seconds between the pieces of a slow answer: a cancel in the middle of it is never a race."""

Schema: TypeAlias = Mapping[str, Any]
Tools: TypeAlias = Mapping[str, Schema]


@attrs.frozen
class Say:
    """A piece of text, and the seconds until the next step."""

    text: str
    pause: float = 0.0


@attrs.frozen
class Think:
    """A thought."""

    text: str


@attrs.frozen
class CallTool:
    """A call of one of the agent's tools."""

    name: str
    arguments: Mapping[str, Any]


@attrs.frozen
class Fail:
    """An error in the shape of the API."""


Step: TypeAlias = Say | Think | CallTool | Fail

_WRITING = ("^write$", "^write_file$", "^create_file$", "write_?file", r"write(?!_?(stdin|todos?))")
_SHELL = ("^bash$", "^run_shell_command$", "^shell$", "^shell_command$", "^exec_command$", "bash", "shell", "exec")
_MARKER = re.compile(r"ACP_(PLAIN|THINK|SLOW|WRITE|RUN|FAIL)(?:=(\S+))?")
_PATH_WORDS = ("file_path", "filepath", "path", "absolute_path", "filename", "target_file")
_COMMAND_WORDS = ("command", "cmd", "script")
_TEXT_WORDS = ("content", "contents", "file_text", "text", "data")
_OF_TYPE: Mapping[str, object] = {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}


def steps_for(text: str | None, tools: Tools) -> Sequence[Step]:
    """Return what to answer to the newest user text; None stands for the result of a tool."""
    if text is None:
        return [Say("Tool ", 0.01), Say("finished.")]
    markers = _MARKER.findall(text)
    if not markers:
        return [Say("ok")]
    if not tools:
        return [Say("A title")]  # a side job: agents have the prompt itself summed up
    word, value = markers[-1]
    return _ANSWERS[word](value, tools)


def _write(path: str, tools: Tools) -> Sequence[Step]:
    return _call(_WRITING, tools, {"path": path, "text": "hello from the fake model\n"})


def _run(path: str, tools: Tools) -> Sequence[Step]:
    return _call(_SHELL, tools, {"command": f"echo hello-from-the-shell > {path}"})


_ANSWERS: Mapping[str, Callable[[str, Tools], Sequence[Step]]] = {
    "PLAIN": lambda value, tools: [Say("Hello ", 0.05), Say("from the ", 0.05), Say("fake model.")],
    "THINK": lambda value, tools: [Think("Let me think. "), Say("Thought "), Say("done.")],
    "SLOW": lambda value, tools: [Say(f"piece{number} ", PAUSE) for number in range(int(value or 40))],
    "WRITE": _write,
    "RUN": _run,
    "FAIL": lambda value, tools: [Fail()],
}


def _call(patterns: Sequence[str], tools: Tools, values: Mapping[str, str]) -> Sequence[Step]:
    for pattern in patterns:
        for name, schema in tools.items():
            if re.search(pattern, name, re.IGNORECASE):
                return [Say("I will use a tool. ", 0.01), CallTool(name, _arguments(schema or {}, values))]
    return [Say(f"no tool like {patterns[0]} among {', '.join(tools)}")]


def _arguments(schema: Schema, values: Mapping[str, str]) -> Mapping[str, Any]:
    """Fill a tool's arguments: what the call is about, what makes the agent ask, and whatever else it requires."""
    required = set(schema.get("required") or ())
    chosen: dict[str, Any] = {}
    for name, described in (schema.get("properties") or {}).items():
        word = name.lower()
        if word in _PATH_WORDS and "path" in values:
            chosen[name] = values["path"]
        elif word in _TEXT_WORDS and "text" in values:
            chosen[name] = values["text"]
        elif word in _COMMAND_WORDS and "command" in values:
            is_list = _type_of(described) == "array"
            chosen[name] = ["bash", "-c", values["command"]] if is_list else values["command"]
        elif word == "sandbox_permissions":
            chosen[name] = "require_escalated"  # this is what makes codex ask
        elif word == "justification":
            chosen[name] = "May the test command run?"
        elif name in required:
            chosen[name] = _any_value(described)
    return chosen


def _any_value(described: Schema) -> object:
    choices = described.get("enum")
    return choices[0] if choices else _OF_TYPE.get(_type_of(described), "A test")


def _type_of(described: Schema) -> str:
    kind = described.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "string")
    return str(kind or "string").lower()
