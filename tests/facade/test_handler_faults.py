"""Handlers that misbehave in every way there is: the agent gets exactly one answer, and it is never an approval."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from acp_client.errors import RequestRefused
from acp_client.host import Accept, Host
from acp_client.policy.questions import PendingElicitation, PendingPermission
from acp_client.rpc.messages import Json
from tests.kit import CANCELLED, settle_down, stage


class NotRepresentable:
    def __repr__(self) -> str:
        raise RuntimeError("not even that")


FAULTS: dict[str, Any] = {
    "an exception": ValueError("private detail"),
    "the end of the thread": SystemExit(3),
    "an interrupt": KeyboardInterrupt(),
    "a refusal with data that is no JSON": RequestRefused(-32001, "private detail", object()),
    "a refusal without a code": RequestRefused(0, "private detail"),
}
REPLIES: dict[str, Any] = {
    "a number": 5,
    "an object": object(),
    "what has no repr": NotRepresentable(),
    "content that is no mapping": Accept(5),  # type: ignore[arg-type]  # that is the point
    "content that is a list": Accept([1]),  # type: ignore[arg-type]  # that is the point
    "content that is no JSON": Accept({"a": object()}),
}


class Plain(Host):
    """Serves with plain functions, which run in threads."""

    def __init__(self, deed: Any) -> None:
        self.deed = deed

    def request_permission(self, question: PendingPermission) -> Any:
        return self.do()

    def elicit(self, question: PendingElicitation) -> Any:
        return self.do()

    def extension_request(self, method: str, params: Json) -> Any:
        return self.do()

    def do(self) -> Any:
        if isinstance(self.deed, BaseException):
            raise self.deed
        return self.deed


class Returning(Plain):
    """Plain functions that return something to await."""

    def do(self) -> Any:
        async def later() -> Any:
            return Plain.do(self)

        return later()


class Coroutines(Host):
    """Serves with coroutine functions."""

    def __init__(self, deed: Any) -> None:
        self.plain = Plain(deed)

    async def request_permission(self, question: PendingPermission) -> Any:
        return self.plain.do()

    async def elicit(self, question: PendingElicitation) -> Any:
        return self.plain.do()

    async def extension_request(self, method: str, params: Json) -> Any:
        return self.plain.do()


@asynccontextmanager
async def served(version: int, host: Host) -> AsyncIterator[tuple[Any, ...]]:
    """Have all three kinds of handlers run; yields what each was answered with."""
    async with stage(version, host) as scene:
        ids = scene.ask(), scene.elicit(), scene.request("_acme/x", {})
        answers = [await scene.agent.answer_to(request_id) for request_id in ids]
        yield scene, answers[0], answers[1], answers[2]


ENDS_THE_LOOP = ("the end of the thread", "an interrupt")
"""In a task asyncio lets nobody catch them: they end the event loop."""


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind in (Plain, Returning, Coroutines)
        for name in FAULTS
        if kind is Plain or name not in ENDS_THE_LOOP
    ],
)
async def test_what_a_handler_raises_is_answered_once(version: int, kind: Any, name: str) -> None:
    """CAN-84: `cancelled` for a permission, -32603 for the rest; what was raised stays here."""
    async with served(version, kind(FAULTS[name])) as (scene, permission, elicitation, extension):
        assert permission["result"] == CANCELLED
        assert elicitation["error"]["code"] == extension["error"]["code"] == -32603
        assert "private" not in str((permission, elicitation, extension))
        assert len(scene.client._connection.peer.inbound) == 0


@pytest.mark.parametrize("kind", [Plain, Returning, Coroutines])
@pytest.mark.parametrize("name", REPLIES)
async def test_a_reply_that_is_no_answer_is_a_fault(version: int, kind: Any, name: str) -> None:
    """CAN-84: the same as if it had raised."""
    async with served(version, kind(REPLIES[name])) as (scene, permission, elicitation, _):
        assert permission["result"] == CANCELLED
        assert elicitation["error"]["code"] == -32603
        assert len(scene.client._connection.peer.inbound) == 0


async def test_a_result_that_is_no_json_is_an_internal_error(version: int) -> None:
    """CAN-84: of a custom request, too."""
    async with served(version, Plain(object())) as (_, _, _, extension):
        assert extension["error"]["code"] == -32603


@pytest.mark.parametrize("kind", [Plain, Returning, Coroutines])
async def test_a_handler_whose_own_work_was_cancelled_is_no_approval(version: int, kind: Any) -> None:
    """CAN-84: a library below the handler may cancel; -32800 says that this side gave up."""
    async with served(version, kind(asyncio.CancelledError())) as (_, *answers):
        assert [answer["error"]["code"] for answer in answers] == [-32800] * 3


async def test_an_awaitable_of_a_plain_function_is_stopped_with_its_request(version: int) -> None:
    """CAN-81: as a coroutine function is, when somebody else ends the request."""
    stopped = asyncio.Event()

    class Waiting(Host):
        def extension_request(self, method: str, params: Json) -> Any:
            async def wait() -> None:
                begun.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    stopped.set()

            return wait()

    begun = asyncio.Event()
    async with stage(version, Waiting()) as scene:
        request_id = scene.request("_acme/x", {})
        await asyncio.wait_for(begun.wait(), 5)
        scene.cancel_request(request_id)
        await asyncio.wait_for(stopped.wait(), 5)
        await settle_down()
        assert scene.answer_to(request_id)["error"]["code"] == -32800
