"""Two connections whose agents use the same ids, hosts that answer as a rule says, and everything both may do.

Steps may be put off: they then happen at a later virtual moment, between whatever else is going on. The `WireJudge` of
each connection says what was wrong.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Awaitable, Sequence
from typing import Any

import attrs

from acp_client.client import Client
from acp_client.errors import AcpError, RequestRefused, SessionBusy
from acp_client.host import ALLOW, CANCEL, DENY, LATER, Accept, Host
from acp_client.policy.questions import PendingElicitation, PendingPermission, PendingQuestion
from acp_client.rpc.messages import Json, Message, decode
from acp_client.session import CancelHandle, Session, Turn
from acp_client.testing import ScriptedAgent
from tests.cancellation.wire_judge import PERMISSION, WireJudge
from tests.virtual_time import VirtualLoop

FOREVER = 1e9

TEARDOWN = 60.0
"""Virtual seconds after the end of a connection within which every waiter has ended."""


@attrs.frozen
class Plan:
    """What a handler of the host does with one question, after thinking about it for `seconds`."""

    what: str
    seconds: float = 0.0


class PlannedHost(Host):
    """Answers each question as it was planned, and tells the judge what it chose."""

    def __init__(self) -> None:
        self.judge: WireJudge
        self.plans: dict[Json, Plan] = {}
        self.questions: list[PendingQuestion] = []

    async def request_permission(self, question: PendingPermission) -> Any:
        self.questions.append(question)
        plan = self.plans[question.entry.id]
        if plan.what == "stubborn":
            try:
                await asyncio.sleep(plan.seconds + 1)
            except asyncio.CancelledError:
                self.judge.seen["handler that swallows its cancellation"] += 1
            return self._choose(question, question.options[0].option_id)
        await asyncio.sleep(plan.seconds)
        match plan.what:
            case "allow":
                self._choose(question, question.options[0].option_id)
                return ALLOW
            case "deny":
                self._choose(question, question.options[1].option_id)
                return DENY
            case "dismiss":
                return CANCEL
            case "nonsense":
                return "never offered"
        return self._fail_or_wait(plan)

    async def elicit(self, question: PendingElicitation) -> Any:
        self.questions.append(question)
        plan = self.plans[question.entry.id]
        await asyncio.sleep(plan.seconds)
        if plan.what in ("allow", "stubborn"):
            self._choose(question, "accept")
            return Accept({"env": "prod"})
        return self._fail_or_wait(plan)

    async def extension_request(self, method: str, params: Json) -> Json:
        plan = self.plans[params["id"]]
        await asyncio.sleep(plan.seconds)
        if plan.what == "later":
            await asyncio.sleep(FOREVER)
        self._fail_or_wait(plan)
        return {"done": True}

    @staticmethod
    def _fail_or_wait(plan: Plan) -> Any:
        match plan.what:
            case "raise":
                raise ValueError("a fault of the host")
            case "refuse":
                raise RequestRefused(-32602, "not like this")
            case "abort":
                raise asyncio.CancelledError
        return LATER

    def _choose(self, question: PendingQuestion, choice: str) -> str:
        asked = self.judge.open.get(question.entry.id)
        # The agent may use an id again once it was answered: a choice for the old question is none for the new one.
        if asked is not None and question.open:
            asked.chosen.add(choice)
        return choice


class WatchedAgent(ScriptedAgent):
    """A scripted agent that lets a judge see both directions in their order."""

    def __init__(self, version: int, judge: WireJudge) -> None:
        super().__init__(protocol=version)
        self.judge = judge
        end, hear, notice = self.transport.agent, self.transport.agent.on_messages, self.transport.agent.on_closed

        def on_messages(messages: Sequence[bytes]) -> None:
            judge.heard([decode(message) for message in messages])
            hear(messages)

        def on_closed() -> None:
            judge.ended = True
            notice()

        end.on_messages, end.on_closed = on_messages, on_closed

    def send(self, message: Message) -> None:
        if not self.closed:
            self.judge.says(message)
            super().send(message)
            self.judge.delivered()


class Line:
    """One connection with two sessions, and what the two sides do on it."""

    def __init__(self, version: int, name: str, loop: VirtualLoop, seen: Counter[str]) -> None:
        self.version, self.name, self.loop, self.seen = version, name, loop, seen
        self.judge = WireJudge(version, seen)
        self.host = PlannedHost()
        self.host.judge = self.judge
        self.agent = WatchedAgent(version, self.judge)
        self.client: Client
        self.sessions: list[Session] = []
        self.turns: list[Turn] = []
        self.cancels: list[tuple[CancelHandle, float]] = []
        self.waits: list[asyncio.Task[Any]] = []
        self.faults: list[str] = []
        self._calls = 0

    async def open(self) -> None:
        self.client = await Client.connect(self.agent.transport, self.host, on_diagnostic=lambda diagnostic: None)
        self.sessions = [await self.client.new_session("/project"), await self.client.new_session("/project")]

    def wait_for(self, work: Awaitable[Any]) -> None:
        """Wait for something in a task that has to end at the latest with the connection."""

        async def wait() -> None:
            try:
                await work
            except AcpError as error:
                self.seen[f"waiter ended by {type(error).__name__}"] += 1

        self.waits.append(self.loop.create_task(wait(), name=repr(work)))

    # the host

    def prompt(self, session: int, busy: Any, way: str) -> None:
        try:
            turn = self.sessions[session].prompt("go", busy=busy, grace=5.0)
        except SessionBusy:
            self.seen["prompt refused as busy"] += 1
        except AcpError:
            self.seen["prompt after the end"] += 1
        else:
            self.seen[f"prompt {busy}" + (" held" if turn.held else "")] += 1
            self.turns.append(turn)
            self.wait_for(turn.accepted())
            self.wait_for({"await": _awaited, "wait": Turn.wait, "iterate": _iterated}[way](turn))

    def cancel_session(self, session: int, grace: float | None) -> None:
        self._cancelling(self.sessions[session].cancel(grace), grace)

    def cancel_turn(self, number: int, grace: float | None, escalate: Sequence[str]) -> None:
        if self.turns:
            handle = self.turns[-1 - number % len(self.turns)].cancel(grace, escalate)
            self._cancelling(handle, None if grace is None else grace * (1 + len(escalate)))

    def _cancelling(self, handle: CancelHandle, within: float | None) -> None:
        if within is not None:
            self.cancels.append((handle, self.loop.time() + within))
        self.wait_for(handle.wait())

    def give_up_a_wait(self, number: int) -> None:
        running = [wait for wait in self.waits if not wait.done()]
        if running:
            running[number % len(running)].cancel()

    def withdraw_a_prompt(self, number: int) -> None:
        if self.turns and not self.judge.ended:
            self.turns[-1 - number % len(self.turns)].withdraw()

    def answer(self, number: int, choice: str, times: int) -> None:
        """Answer one of the last questions, whether it is still open or not, once or twice."""
        if not self.host.questions:
            return
        question = self.host.questions[-1 - number % min(4, len(self.host.questions))]
        for _ in range(times):
            was_open = question.open
            self.seen["answer to an open question" if was_open else "answer that comes too late"] += 1
            if self._answer(question, choice) != was_open:
                self.faults.append(f"{question!r} took an answer although it was over, or refused one")
            if was_open and not self.judge.ended and question.entry.id in self.judge.open:
                self.faults.append(f"{question!r} was decided, and its answer was not written")

    def _answer(self, question: PendingQuestion, choice: str) -> bool:
        match choice, question:
            case "approve", PendingPermission():
                return question.select(self.host._choose(question, question.options[0].option_id))
            case "approve", PendingElicitation():
                self.host._choose(question, "accept")
                return question.accept({"env": "prod"})
            case "withdraw", _:
                return question.withdraw()
        return question.cancel()

    # the agent

    def ask(self, session: int, request_id: Json, kind: str, plan: Plan, call: int | None) -> None:
        """Ask under an id, which may be in use, or under the lowest that is free."""
        if request_id is None:
            request_id = next(free for free in itertools.count(1) if free not in self.judge.open)
        if request_id in self.judge.open:
            plan = self.host.plans[request_id]  # it stays the one question that was asked under this id
        self.host.plans[request_id] = plan
        params: dict[str, Json] = {"sessionId": self.sessions[session].id}
        if kind == "permission":
            self._calls += 1
            params |= self._permission(f"{self.name}{self._calls}", f"t{self._calls if call is None else call}")
            self.agent.request(PERMISSION, params, request_id)
        elif kind == "form":
            schema = {"type": "object", "properties": {"env": {"type": "string"}}}
            params |= {"mode": "form", "message": "Where to?", "requestedSchema": schema}
            self.agent.request("elicitation/create", params, request_id)
        else:
            self.agent.request("_vendor/work", {**params, "id": request_id}, request_id)

    def _permission(self, mark: str, call_id: str) -> dict[str, Json]:
        options = [
            {"optionId": f"yes-{mark}", "name": "Allow", "kind": "allow_once"},
            {"optionId": f"no-{mark}", "name": "Reject", "kind": "reject_once"},
        ]
        call = {"toolCallId": call_id, "title": "Edit"}
        if self.version == 1:
            return {"options": options, "toolCall": call}
        return {"options": options, "title": "Edit?", "subject": {"type": "tool_call", "toolCall": call}}

    def retract(self, request_id: Json) -> None:
        self.agent.notify("$/cancel_request", {"requestId": request_id})

    def retract_open(self, number: int) -> None:
        if self.judge.open:
            self.retract(list(self.judge.open)[number % len(self.judge.open)])

    def answer_prompt(self, number: int, how: str) -> None:
        owed = [request_id for request_id, method in self.judge.owed.items() if method == "session/prompt"]
        if not owed:
            return
        request_id = owed[number % len(owed)]
        if how in ("-32800", "-32603"):
            self.agent.fail(request_id, int(how), "not done")
        elif self.version == 1:
            self.agent.respond(request_id, {"stopReason": "end_turn" if how == "ok" else how})
        else:
            self.agent.respond(request_id, {"messageId": f"m{request_id}"})

    def answer_close(self) -> None:
        for request_id in [key for key, method in self.judge.owed.items() if method == "session/close"]:
            self.agent.respond(request_id, {})

    def tell(self, session: int, update: Json) -> None:
        self.agent.update(self.sessions[session].id, update)

    # what has to hold

    def check(self) -> list[str]:
        """Everything that is wrong now."""
        faults = [*self.judge.faults, *self.faults]
        for handle, limit in self.cancels:
            if self.loop.time() > limit and handle.outcome is None:
                faults.append("a cancel has no outcome although its grace is over")
        for turn in self.turns:
            if self.judge.ended and not turn.done:
                faults.append(f"{turn!r} outlived its connection")
        for wait in self.waits:
            if wait.done() and not wait.cancelled() and (error := wait.exception()) is not None:
                faults.append(f"a waiter ended with {error!r}")
        return faults

    async def end(self, orderly: bool) -> None:
        """End the connection; every waiter must end with it."""
        if not orderly:
            self.agent.close()
        was_open = not self.judge.ended
        await self.client.aclose()
        if orderly and was_open and self.judge.open:
            self.faults.append(f"the client closed and left {list(self.judge.open)} unanswered")
        if self.waits:
            _, endless = await asyncio.wait(self.waits, timeout=TEARDOWN)
            self.faults += [f"a waiter outlives its connection: {wait.get_name()}" for wait in endless]


async def _awaited(turn: Turn) -> None:
    await turn


async def _iterated(turn: Turn) -> None:
    async for _ in turn:
        pass
