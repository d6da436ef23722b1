"""The client program on the official Python SDK, which speaks version 1. Runs in the environment of its peer alone."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
from collections.abc import Coroutine
from typing import Any

acp = importlib.import_module("acp")  # in the environment of the peer only
schema = importlib.import_module("acp.schema")

REQUEST_CANCELLED = -32800
GRACE = 1.0
"""Seconds a careful host gives an agent to confirm a cancel."""


class Dialogs:
    """The open questions of the application: a future each, which a click resolves."""

    def __init__(self) -> None:
        self.open: list[tuple[str, str | None, asyncio.Future[str]]] = []

    async def show(self, kind: str, session_id: str | None) -> str:
        """Show a question and wait for "allow" or "dismiss"."""
        clicked: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.open.append((kind, session_id, clicked))
        return await clicked

    def click(self, button: str, session_id: str | None, kind: str | None = None) -> None:
        """Click a button in every dialog, of a session and of a kind if they are given."""
        for its_kind, owner, clicked in self.open:
            if kind in (None, its_kind) and session_id in (None, owner) and not clicked.done():
                clicked.set_result(button)


class Application:
    """What the SDK calls, and what the application does with its one connection."""

    def __init__(self, careful: bool) -> None:
        self.careful = careful
        self.dialogs = Dialogs()
        self.always_allow = False
        self.failing = False
        self.cancelling: set[str] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.agent: Any = None
        self.gone = asyncio.Event()

    def on_connect(self, agent: Any) -> None:
        self.agent = agent

    # what the agent asks

    async def request_permission(self, options: Any, session_id: str, tool_call: Any, **others: Any) -> Any:
        if self.failing:
            raise ValueError("the dialog cannot be shown")
        if self.careful and session_id in self.cancelling:
            return self.cancelled()
        button = "allow" if self.always_allow else await self.dialogs.show("permission", session_id)
        if button != "allow":
            return self.cancelled()
        chosen = schema.AllowedOutcome(outcome="selected", option_id=options[0].option_id)
        return schema.RequestPermissionResponse(outcome=chosen)

    @staticmethod
    def cancelled() -> Any:
        return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))

    async def create_elicitation(self, message: str, mode: Any, **others: Any) -> Any:
        button = await self.dialogs.show("form", getattr(mode, "session_id", None))
        if button == "allow":
            return schema.AcceptElicitationResponse(action="accept", content={"name": "Somebody"})
        return schema.CancelElicitationResponse(action="cancel")

    async def complete_elicitation(self, elicitation_id: str, **others: Any) -> None:
        """Nothing to do: no page was opened."""

    async def ext_method(self, method: str, params: Any) -> dict[str, Any]:
        raise acp.RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: Any) -> None:
        """Nothing to do: none is known."""

    async def session_update(self, session_id: str, update: Any, **others: Any) -> None:
        text = getattr(getattr(update, "content", None), "text", "")
        if text.startswith("host: "):
            what = text.removeprefix("host: ")
            if what.startswith("echo "):
                await self.tell("echo", text=what.removeprefix("echo "))
            else:
                self.spawn(self.act(session_id, what))

    # what the person does

    def spawn(self, doing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(doing)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def tell(self, what: str, /, **params: str) -> None:
        await self.agent.ext_notification(f"kit/{what}", params)

    async def act(self, session_id: str, what: str) -> None:
        match what.split(" ", 1):
            case ["cancel"]:
                await self.cancel(session_id)
            case ["prompt", text]:
                await self.prompt(session_id, text)
            case ["open"]:
                await self.agent.new_session(cwd=os.getcwd(), mcp_servers=[])
            case ["close"]:
                await self.close(session_id)
            case ["withdraw"] | ["stop", _]:
                await self.tell("cannot", what=f"has no means to {what.split()[0]}")
            case ["quit"]:
                await self.quit()
            case ["allow"] | ["dismiss"]:
                self.dialogs.click(what, session_id)
            case ["always", "allow"]:
                self.always_allow = True
            case ["fail"]:
                self.failing = True

    async def cancel(self, session_id: str) -> None:
        self.cancelling.add(session_id)
        await self.agent.cancel(session_id=session_id)
        if self.careful:
            self.dialogs.click("dismiss", session_id, "permission")

    async def close(self, session_id: str) -> None:
        if self.careful:
            self.dialogs.click("dismiss", session_id)
        try:
            await self.agent.close_session(session_id=session_id)
            outcome = "ok"
        except acp.RequestError as error:
            outcome = "ok" if self.careful and error.code == -32002 else f"error {error.code}"
        await self.tell("closed", outcome=outcome)

    async def quit(self) -> None:
        if self.careful:
            self.dialogs.click("dismiss", None)
            await asyncio.sleep(0)  # lets the handlers return what was clicked
        self.gone.set()

    async def prompt(self, session_id: str, text: str) -> None:
        try:
            end = await self.end_of_turn(session_id, text)
        except ConnectionError:
            self.gone.set()
            return
        self.cancelling.discard(session_id)
        await self.tell("turn", end=end)

    async def end_of_turn(self, session_id: str, text: str) -> str:
        turn = asyncio.ensure_future(self.agent.prompt(session_id=session_id, prompt=[acp.text_block(text)]))
        try:
            while not (await asyncio.wait({turn}, timeout=GRACE))[0]:
                if self.careful and session_id in self.cancelling:
                    return "unconfirmed"
            return str(turn.result().stop_reason)
        except acp.RequestError as error:
            return "cancelled" if self.careful and error.code == REQUEST_CANCELLED else f"error {error.code}"


async def main() -> None:
    """Run the program until the connection ends."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--agent", type=json.loads)
    arguments.add_argument("--version", type=int)
    arguments.add_argument("--careful", action="store_true")
    options = arguments.parse_args()
    application = Application(options.careful)
    async with acp.spawn_agent_process(application, *options.agent, use_unstable_protocol=True) as (agent, _):
        forms = schema.ElicitationCapabilities(form=schema.ElicitationFormCapabilities())
        await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(elicitation=forms),
            client_info=schema.Implementation(name="kit", version="1"),
        )
        session = await agent.new_session(cwd=os.getcwd(), mcp_servers=[])
        application.spawn(application.prompt(session.session_id, "begin"))
        await application.gone.wait()


if __name__ == "__main__":
    asyncio.run(main())
