"""`acp-client prompt`: one prompt, followed to its end."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

from acp_client.cli import control, status
from acp_client.cli.answering import AnsweringHost, Questioner
from acp_client.cli.control import Control
from acp_client.cli.jsonlines import JsonLines
from acp_client.cli.screen import Screen, details_of
from acp_client.cli.stdin import LineReader, is_terminal
from acp_client.cli.styling import stderr_style
from acp_client.client import Client
from acp_client.errors import AcpError, UsageError
from acp_client.policy.turns import TurnResult
from acp_client.session import CancelHandle, Turn
from acp_client.transports.specs import WebSocketSpec, parse_target

END_TURN = "end_turn"


def run(arguments: argparse.Namespace) -> int:
    """Run the command; see `acp-client prompt --help`."""
    return control.run(lambda outside: _Prompting(arguments, outside).run())


class _Prompting:
    """One run of the command. Reports the result once, before the agent is stopped, which may take its time."""

    def __init__(self, arguments: argparse.Namespace, outside: Control) -> None:
        self._arguments = arguments
        self._outside = outside
        self._screen = Screen(outside.output, stderr_style())
        self._json = JsonLines(outside.output) if arguments.json else None
        mode = arguments.permission or ("ask" if is_terminal(sys.stdin) else "deny")
        questioner = Questioner(LineReader.of_stdin(), self._screen.say, details_of)
        self._host = AnsweringHost(mode, questioner, self._screen.say)
        self._version: int | None = None
        self._turn: Turn | None = None
        self._cancel: CancelHandle | None = None
        self._reported = False

    async def run(self) -> int:
        """Connect, prompt and wait for the end. Returns the exit status."""
        arguments = self._arguments
        try:
            cwd = _working_directory(arguments.agent, arguments.cwd)
            connecting = Client.connect(
                arguments.agent, self._host, protocol=arguments.protocol, on_transport=self._outside.watch
            )
            async with connecting as client:
                self._outside.connected()
                self._version = client.protocol_version
                try:
                    return self._ended(await self._converse(client, cwd))
                except AcpError as error:
                    return self._failed(error)
        except AcpError as error:
            return self._failed(error)
        except asyncio.CancelledError:
            self._left()
            raise

    async def _converse(self, client: Client, cwd: str) -> TurnResult:
        session = await client.new_session(cwd)
        (self._json or self._screen).watch(session)
        self._turn = session.prompt(self._arguments.text)
        self._outside.on_interrupt = self._interrupt
        try:
            return await self._turn
        finally:
            self._outside.on_interrupt = None

    def _interrupt(self) -> None:
        assert self._turn is not None
        self._screen.say("cancelling the turn; Ctrl-C again leaves at once", "yellow")
        self._cancel = self._turn.cancel()

    # reporting

    def _ended(self, result: TurnResult) -> int:
        self._report(result, None)
        return status.ENDED if result.stop_reason == END_TURN else status.ENDED_OTHERWISE

    def _failed(self, error: AcpError) -> int:
        self._screen.fail(error)
        self._report(None, error)
        return status.of_failure(error, in_turn=self._turn is not None)

    def _left(self) -> None:
        """Somebody outside ended the command before its time."""
        if not self._reported:
            self._report(None, None, "unconfirmed" if self._turn is not None else None)

    def _report(self, result: TurnResult | None, error: AcpError | None, cancel: str | None = None) -> None:
        self._reported = True
        if self._cancel is not None and self._cancel.outcome is not None:
            cancel = self._cancel.outcome
        if self._json is not None:
            self._json.finish(result, error, cancel=cancel, protocol_version=self._version)
        elif result is not None:
            self._screen.finish(result)


def _working_directory(target: str, directory: str | None) -> str:
    """Return the directory to work in: checked where the agent runs here, taken as it is where it may not."""
    try:
        here = os.getcwd()
    except FileNotFoundError:
        raise UsageError("the current directory is gone; change to one that exists, or name one with --cwd") from None
    if target != "demo" and isinstance(parse_target(target), WebSocketSpec):
        return directory or here
    path = os.path.abspath(directory or here)
    if not os.path.isdir(path):
        raise UsageError(f"--cwd: there is no directory {path!r}; name one that exists")
    return path
