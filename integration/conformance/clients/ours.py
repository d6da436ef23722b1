"""The client program on this package: the host code of an application that shows dialogs, and nothing more."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from typing import Any, cast

from acp_client import (
    ALLOW,
    LATER,
    AcpError,
    AgentError,
    Client,
    Host,
    NotSupported,
    PendingElicitation,
    PendingPermission,
    Session,
    StdioSpec,
    TextAppended,
    Turn,
)

GRACE = 1.0
"""Seconds this host gives an agent to confirm a cancel."""


class Dialogs(Host):
    """Shows every question and keeps it, also when it is over: a click may come late."""

    def __init__(self) -> None:
        self.shown: list[PendingPermission | PendingElicitation] = []
        self.always_allow = False
        self.failing = False

    async def request_permission(self, question: PendingPermission) -> Any:
        if self.failing:
            raise ValueError("the dialog cannot be shown")
        if self.always_allow:
            return ALLOW
        self.shown.append(question)
        return LATER

    async def elicit(self, question: PendingElicitation) -> Any:
        self.shown.append(question)
        return LATER

    def of(self, session: Session) -> list[PendingPermission | PendingElicitation]:
        return [question for question in self.shown if question.session_id == session.id]


class Program:
    """What the application does with its one connection."""

    def __init__(self, client: Client, dialogs: Dialogs) -> None:
        self.client, self.dialogs = client, dialogs
        self.turns: dict[str, Turn] = {}
        self.tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        await self.open()
        self.prompt(next(iter(self.client.sessions.values())), "begin")
        await self.client.wait_closed()

    async def open(self) -> None:
        session = await self.client.new_session(os.getcwd())
        session.on_update(lambda event: self.follow(session, event))

    def follow(self, session: Session, event: object) -> None:
        if isinstance(event, TextAppended) and event.text.startswith("host: "):
            self.spawn(self.act(session, event.text.removeprefix("host: ")))

    def spawn(self, doing: Any) -> None:
        task = asyncio.ensure_future(doing)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def act(self, session: Session, what: str) -> None:
        match what.split(" ", 1):
            case ["cancel"]:
                session.cancel(grace=GRACE)
            case ["withdraw"]:
                self.turns[session.id].withdraw()
            case ["prompt", text]:
                self.prompt(session, text)
            case ["open"]:
                await self.open()
            case ["close"]:
                await self.close(session)
            case ["echo", text]:
                self.client.notify("_kit/echo", {"text": text})
            case ["stop", tool]:
                await self.stop(session, tool.removeprefix("tool "))
            case ["quit"]:
                await self.client.aclose()
            case _:
                self.click(session, what)

    def click(self, session: Session, what: str) -> None:
        match what:
            case "always allow":
                self.dialogs.always_allow = True
            case "fail":
                self.dialogs.failing = True
            case "allow":
                for question in self.dialogs.of(session):
                    if isinstance(question, PendingPermission):
                        question.allow()
                    else:
                        question.accept({"name": "Somebody"})
            case "dismiss":
                for question in self.dialogs.of(session):
                    question.cancel()

    def prompt(self, session: Session, text: str) -> None:
        turn = session.prompt(text, busy="overlap")
        self.turns[session.id] = turn
        self.spawn(self.report(turn))

    async def report(self, turn: Turn) -> None:
        try:
            result = await turn.wait()
            end = result.stop_reason or str(result.cancel or "without a reason")
        except AgentError as error:
            end = f"error {error.code}"
        self.client.notify("_kit/turn", {"end": end})

    async def close(self, session: Session) -> None:
        try:
            await session.close()
            outcome = "ok"
        except AcpError as error:
            outcome = str(error)
        self.client.notify("_kit/closed", {"outcome": outcome})

    async def stop(self, session: Session, tool: str) -> None:
        try:
            await session.cancel_tool_call(tool)
        except NotSupported:
            return  # the button is shown only where the tool call offers it


async def main() -> None:
    """Run the program until the connection ends."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--agent", type=json.loads)
    arguments.add_argument("--version", type=int)
    options = arguments.parse_args()
    dialogs = Dialogs()
    protocol = cast("Any", options.version)
    async with Client.connect(StdioSpec(options.agent), dialogs, protocol=protocol) as client:
        await Program(client, dialogs).run()


if __name__ == "__main__":
    asyncio.run(main())
