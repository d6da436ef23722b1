"""How the command line answers permission requests: by a mode, or by asking whoever is at standard input."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from acp_client.cli.status import one_line
from acp_client.cli.stdin import LineReader
from acp_client.host import CANCEL, DENY, Host, PermissionReply
from acp_client.policy.permissions import PermissionOption, allow_option
from acp_client.policy.questions import PendingPermission

READING = ("read", "search")
"""Kinds of tool calls that only look."""

Say = Callable[[str], None]


class AnsweringHost(Host):
    """The host of `acp-client prompt`: it answers permission requests and offers nothing else."""

    def __init__(self, mode: str, questioner: Questioner, say: Say) -> None:
        self._mode = mode
        self._questioner = questioner
        self._say = say

    async def request_permission(self, question: PendingPermission) -> PermissionReply:
        """Answer by the mode; ask only where the mode is to ask."""
        if self._mode == "ask":
            return await self._questioner.ask(question)
        reply = decided(self._mode, question)
        answer = one_line(reply.name) if isinstance(reply, PermissionOption) else "denied"
        self._say(f"permission: {title_of(question)}: {answer} (--permission {self._mode})")
        return reply


def decided(mode: str, question: PendingPermission) -> PermissionReply:
    """Return the answer of a mode that asks nobody. What it does not clearly allow it denies."""
    tool_call = question.tool_call
    allowed = mode == "allow" or (mode == "allow-reads" and tool_call is not None and tool_call.kind in READING)
    option = allow_option(question.options) if allowed else None
    return DENY if option is None else option


class Questioner:
    """Asks one question after another and reads an answer a line: the number of an option, or its id."""

    def __init__(self, lines: LineReader, say: Say, details: Callable[[PendingPermission], Sequence[str]]) -> None:
        self._lines = lines
        self._say = say
        self._details = details
        self._asking = asyncio.Lock()

    async def ask(self, question: PendingPermission) -> PermissionReply:
        """Ask until an option is chosen. The end of the input means no, and so does a question without options."""
        async with self._asking:
            if not question.options:
                self._say(f"permission: {title_of(question)}: the agent offers no options; denied")
                return CANCEL
            self._show(question)
            return await self._answer(question)

    async def _answer(self, question: PendingPermission) -> PermissionReply:
        while True:
            line = await self._lines.next()
            if line is None:
                self._say("no more input, which means no")
                return DENY
            option = chosen(line, question.options)
            if option is not None:
                return option
            self._say(f"{one_line(line)!r} is no option; answer with a number from 1 to {len(question.options)}")

    def _show(self, question: PendingPermission) -> None:
        self._say(f"permission: {title_of(question)}")
        for line in self._details(question):
            self._say(f"  {line}")
        for number, option in enumerate(question.options, 1):
            shown = "" if _is_number(option.option_id) else f" [{one_line(option.option_id)}]"
            self._say(f"  {number}) {one_line(option.name)}{shown}")
        self._say("answer with a number or an option id:")


def chosen(line: str, options: Sequence[PermissionOption]) -> PermissionOption | None:
    """Return the option that a line names. A number is one of those shown, never an id that looks like one."""
    word = line.strip()
    if _is_number(word):
        return options[int(word) - 1] if len(word) < 5 and 1 <= int(word) <= len(options) else None
    return next((option for option in options if option.option_id in (line, word)), None)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()


def title_of(question: PendingPermission) -> str:
    """Return the question in one line."""
    return one_line(question.title) if question.title.strip() else "the agent asks for permission"
