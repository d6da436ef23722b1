"""Whatever the two sides do, in whatever order and with whatever delays: the rules of cancellation hold on the wire.

The delays are virtual. `ACP_EXAMPLES=2000 pytest tests/cancellation/test_state_machine.py` looks longer, at random.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import Counter
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.cancellation.machine import Line, Plan
from tests.virtual_time import VirtualLoop

EXAMPLES = int(os.environ.get("ACP_EXAMPLES", "0"))
"""How many random runs to try; 0: the same few every time, as in CI."""

STEPS = 30

SITUATIONS = (
    "session/cancel with open permissions",
    "permission inside a window",
    "permission after a new prompt",
    "cancel of an open id",
    "cancel of an unknown id",
    "id used twice",
    "answer that comes too late",
    "handler that swallows its cancellation",
    "prompt ends in a window with a result",
    "prompt queue held",
    "prompt cancel held",
    "approved",
    "waiter ended by ConnectionLost",
)
"""What even a short run has met, or it proves nothing. The numbers that are printed tell of more."""

PLACES = st.sampled_from([(0, 0), (0, 0), (0, 0), (0, 1), (1, 0)])
"""Connection and session: mostly the same, so that things meet."""
DELAYS = st.sampled_from([0.0, 0.0, 0.0, 0.3, 2.0, 12.0])
IDS = st.sampled_from([1, 2, 3, 4, 5, 6, "1", 40])
"""Ids of the agent: few, so that they are used again, and equal to ids of the client."""
BUSY = st.sampled_from(["error", "queue", "cancel", "overlap"])
NUMBERS = st.integers(0, 3)
RARELY = st.sampled_from([False] * 7 + [True])
GRACES = st.sampled_from([1.0, 10.0, None])
ANSWERS = st.sampled_from(["ok", "cancelled", "-32800", "-32603"])
PLANS = st.builds(
    Plan,
    st.sampled_from(
        ["later", "later", "allow", "allow", "deny", "dismiss", "raise", "refuse", "abort", "nonsense", "stubborn"]
    ),
    st.sampled_from([0.0, 0.5, 5.0]),
)


class CancellationMachine(RuleBasedStateMachine):
    """CAN-14, CAN-15, CAN-17, CAN-22, CAN-28, CAN-30, CAN-80, CAN-81, CAN-85, CAN-86, CAN-90, CAN-93, virtual time."""

    version: ClassVar[int]
    seen: ClassVar[Counter[str]]

    @initialize(endings=st.tuples(st.booleans(), st.booleans()))
    def connect(self, endings: tuple[bool, bool]) -> None:
        self.loop = VirtualLoop()
        asyncio.set_event_loop(self.loop)
        self.met: Counter[str] = Counter()
        self.lines = [Line(self.version, name, self.loop, self.met) for name in ("a", "b")]
        self.endings = endings
        self.problems: list[Any] = []
        self.put_off: list[asyncio.TimerHandle] = []
        self.loop.set_exception_handler(lambda loop, context: self.problems.append(context))
        for line in self.lines:
            self.loop.run_until_complete(line.open())

    def do(self, delay: float, step: Any, *values: Any) -> None:
        async def now() -> None:
            if delay:
                self.put_off.append(self.loop.call_later(delay, step, *values))
            else:
                step(*values)
            for _ in range(12):
                await asyncio.sleep(0)

        self.loop.run_until_complete(now())

    # the host

    @rule(
        place=PLACES,
        busy=BUSY,
        delay=DELAYS,
        way=st.sampled_from(["await", "wait", "iterate"]),
    )
    def prompt(self, place: tuple[int, int], busy: str, delay: float, way: str) -> None:
        self.do(delay, self.lines[place[0]].prompt, place[1], busy, way)

    @rule(
        place=PLACES,
        number=NUMBERS,
        choice=st.sampled_from(["approve", "approve", "dismiss", "withdraw"]),
        times=st.integers(1, 2),
        delay=DELAYS,
    )
    def host_answers(self, place: tuple[int, int], number: int, choice: str, times: int, delay: float) -> None:
        self.do(delay, self.lines[place[0]].answer, number, choice, times)

    @rule(place=PLACES, grace=GRACES, delay=DELAYS)
    def cancel_session(self, place: tuple[int, int], grace: float | None, delay: float) -> None:
        self.do(delay, self.lines[place[0]].cancel_session, place[1], grace)

    @rule(
        place=PLACES,
        number=NUMBERS,
        grace=GRACES,
        escalate=st.sampled_from([(), (), ("request",), ("request", "close"), ("stop",)]),
        delay=DELAYS,
    )
    def cancel_turn(
        self, place: tuple[int, int], number: int, grace: float | None, escalate: Any, delay: float
    ) -> None:
        self.do(delay, self.lines[place[0]].cancel_turn, number, grace, escalate)

    @rule(place=PLACES, number=NUMBERS, delay=DELAYS)
    def give_up_a_wait(self, place: tuple[int, int], number: int, delay: float) -> None:
        self.do(delay, self.lines[place[0]].give_up_a_wait, number)

    @rule(place=PLACES, number=NUMBERS, delay=DELAYS)
    def withdraw_a_prompt(self, place: tuple[int, int], number: int, delay: float) -> None:
        self.do(delay, self.lines[place[0]].withdraw_a_prompt, number)

    @rule(place=PLACES)
    def withdraw_requests(self, place: tuple[int, int]) -> None:
        self.do(0.0, self.lines[place[0]].sessions[place[1]].withdraw_requests)

    @rule(place=PLACES, delay=DELAYS, rarely=RARELY)
    def close_session(self, place: tuple[int, int], delay: float, rarely: bool) -> None:
        line = self.lines[place[0]]
        if rarely:
            self.do(delay, lambda: line.wait_for(line.sessions[place[1]].close()))

    # both

    @rule(place=PLACES, questions=st.integers(1, 3), plan=PLANS, busy=BUSY, inserted=st.booleans())
    def begin_work(self, place: tuple[int, int], questions: int, plan: Plan, busy: str, inserted: bool) -> None:
        """A prompt, work that begins, and one to three questions: what is worth cancelling."""
        line = self.lines[place[0]]
        self.do(0.0, line.prompt, place[1], busy, "await")
        if self.version == 2:
            if inserted:
                self.do(0.0, line.answer_prompt, 0, "ok")
            self.do(0.0, line.tell, place[1], {"sessionUpdate": "state_update", "state": "running"})
        for _ in range(questions):
            self.do(0.0, line.ask, place[1], None, "permission", plan, None)

    @rule(place=PLACES, how=ANSWERS, plan=PLANS, grace=GRACES, delay=DELAYS)
    def stop_work(self, place: tuple[int, int], how: str, plan: Plan, grace: float | None, delay: float) -> None:
        """A cancel, a question that crosses it, and the end of the work in one way or another."""
        line = self.lines[place[0]]
        self.do(0.0, line.cancel_session, place[1], grace)
        self.do(0.0, line.ask, place[1], None, "permission", plan, None)
        self.do(delay, line.answer_prompt, 0, how)
        if self.version == 2:
            idle = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "cancelled"}
            self.do(delay, line.tell, place[1], idle)

    # the agent

    @rule(
        place=PLACES,
        request_id=IDS,
        kind=st.sampled_from(["permission", "permission", "permission", "form", "custom"]),
        plan=PLANS,
        call=st.none() | NUMBERS,
        delay=DELAYS,
    )
    def agent_asks(
        self, place: tuple[int, int], request_id: Any, kind: str, plan: Plan, call: int | None, delay: float
    ) -> None:
        self.do(delay, self.lines[place[0]].ask, place[1], request_id, kind, plan, call)

    @rule(place=PLACES, number=NUMBERS, delay=DELAYS)
    def agent_retracts_what_is_open(self, place: tuple[int, int], number: int, delay: float) -> None:
        self.do(delay, self.lines[place[0]].retract_open, number)

    @rule(place=PLACES, request_id=IDS | st.sampled_from([99, None, True, 1.0]), delay=DELAYS)
    def agent_retracts_some_id(self, place: tuple[int, int], request_id: Any, delay: float) -> None:
        self.do(delay, self.lines[place[0]].retract, request_id)

    @rule(place=PLACES, number=NUMBERS, how=ANSWERS, delay=DELAYS)
    def agent_answers_a_prompt(self, place: tuple[int, int], number: int, how: str, delay: float) -> None:
        self.do(delay, self.lines[place[0]].answer_prompt, number, how)

    @rule(place=PLACES, delay=DELAYS)
    def agent_answers_a_close(self, place: tuple[int, int], delay: float) -> None:
        self.do(delay, self.lines[place[0]].answer_close)

    @rule(
        place=PLACES,
        state=st.sampled_from(["running", "running", "requires_action", "idle", "idle"]),
        reason=st.sampled_from(["end_turn", "cancelled", "error"]),
        delay=DELAYS,
    )
    def agent_changes_state(self, place: tuple[int, int], state: str, reason: str, delay: float) -> None:
        ended = {"stopReason": reason} if state == "idle" else {}
        if self.version == 2:
            self.do(
                delay, self.lines[place[0]].tell, place[1], {"sessionUpdate": "state_update", "state": state, **ended}
            )

    @rule(place=PLACES, delay=DELAYS)
    def agent_says_something(self, place: tuple[int, int], delay: float) -> None:
        content = {"type": "text", "text": "word "}
        chunk = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": content}
        self.do(delay, self.lines[place[0]].tell, place[1], chunk)

    @rule(place=PLACES, call=NUMBERS, status=st.sampled_from(["in_progress", "completed"]), delay=DELAYS)
    def agent_reports_a_tool_call(self, place: tuple[int, int], call: int, status: str, delay: float) -> None:
        update = {"sessionUpdate": "tool_call_update", "toolCallId": f"t{call}", "status": status}
        self.do(delay, self.lines[place[0]].tell, place[1], update)

    @rule(place=PLACES, delay=DELAYS, rarely=RARELY)
    def agent_leaves(self, place: tuple[int, int], delay: float, rarely: bool) -> None:
        if rarely:
            self.do(delay, self.lines[place[0]].agent.close)

    @rule(seconds=st.sampled_from([0.3, 1.5, 6.0, 11.0]))
    def time_passes(self, seconds: float) -> None:
        self.loop.run_until_complete(asyncio.sleep(seconds))

    # what holds

    @invariant()
    def nothing_is_wrong(self) -> None:
        if hasattr(self, "lines"):
            wrong = [*self.problems, *self.lines[0].check(), *self.lines[1].check()]
            assert wrong == [], wrong

    def teardown(self) -> None:
        if not hasattr(self, "lines"):
            return
        for timer in self.put_off:
            timer.cancel()  # nothing begins any more once a connection is being ended
        try:
            for line, orderly in zip(self.lines, self.endings, strict=True):
                self.loop.run_until_complete(line.end(orderly))
            self.nothing_is_wrong()
        finally:
            self.loop.close()
            asyncio.set_event_loop(None)
        for situation in sorted(key for key, count in self.met.items() if count):
            event(situation)
        type(self).seen.update(self.met)


def test_the_rules_hold_in_every_order_and_with_every_delay(
    version: int, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """CAN-14, CAN-22, CAN-30, CAN-80, CAN-86, CAN-90: one answer each, no approval in a window, no endless wait."""
    caplog.set_level(logging.CRITICAL, logger="acp_client")
    seen: Counter[str] = Counter()
    machine = type("Machine", (CancellationMachine,), {"version": version, "seen": seen})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=EXAMPLES or 120,
            stateful_step_count=STEPS,
            derandomize=not EXAMPLES,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
    with capsys.disabled():
        numbers = ", ".join(f"{count} x {what}" for what, count in sorted(seen.items()))
        print(f"\nversion {version}: {numbers}")  # noqa: T201  # the numbers belong into the log of a test run
    assert [what for what in SITUATIONS if not seen[what]] == []
