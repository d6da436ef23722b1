"""The two tables of open requests by themselves: who settles what, once, and with which words."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from acp_client.errors import (
    AcpError,
    AgentError,
    AuthRequired,
    ConnectionLost,
    InvalidResponse,
    ProtocolViolation,
    RequestCancelled,
    SessionNotFound,
)
from acp_client.rpc.inbound import Answer, EndedBy, InboundRequest, InboundRequestDispatcher
from acp_client.rpc.messages import Json, Message, encode
from acp_client.rpc.outbound import OutboundRequestManager


class Inbound:
    """A dispatcher and what it wrote."""

    def __init__(self) -> None:
        self.written: list[Message] = []
        self.table = InboundRequestDispatcher(self.written.append)

    def open(self, request_id: Any = 1, method: str = "_x/ask", params: Json = None) -> InboundRequest:
        entry = self.table.open(request_id, method, params)
        assert entry is not None
        return entry


@pytest.fixture
def inbound() -> Inbound:
    return Inbound()


# requests of the agent


def test_a_request_is_open_until_it_is_settled_and_then_says_by_whom(inbound: Inbound) -> None:
    """CAN-14: the first decides, everybody else is told that it is over, and nothing more is written."""
    entry = inbound.open(params={"sessionId": "s1"})
    assert (entry.open, entry.ended_by, entry.answer, entry.on_end, entry.withdraw) == (True, None, None, None, None)
    assert entry.uncancellable is False
    assert len(inbound.table) == 1
    answer = Answer({"a": 1})
    assert inbound.table.settle(entry, answer, EndedBy.HOST) is True
    assert inbound.table.settle(entry, Answer({"a": 2}), EndedBy.POLICY) is False
    assert (entry.open, entry.ended_by, entry.answer) == (False, EndedBy.HOST, answer)
    assert inbound.written == [{"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}]
    assert len(inbound.table) == 0


def test_a_claimed_request_is_decided_and_still_there_until_it_is_released(inbound: Inbound) -> None:
    """CAN-28: an answer from another thread counts at once, and is written later, once."""
    ended: list[tuple[InboundRequest, int]] = []
    entry = inbound.open()
    entry.on_end = lambda over: ended.append((over, len(inbound.written)))
    assert inbound.table.claim(entry, Answer("mine"), EndedBy.TIMEOUT) is True
    assert inbound.table.claim(entry, Answer("late"), EndedBy.HOST) is False
    assert (entry.ended_by, inbound.written, len(inbound.table)) == (EndedBy.TIMEOUT, [], 1)
    inbound.table.release(entry)
    inbound.table.release(entry)
    assert [message["result"] for message in inbound.written] == ["mine"]
    assert ended == [(entry, 1)], "told once, after the write"


def test_an_old_answer_never_releases_a_new_request_under_its_id(inbound: Inbound) -> None:
    """Race 13: the id was free again."""
    first = inbound.open(40)
    inbound.table.settle(first, Answer("first"), EndedBy.HOST)
    second = inbound.open(40)
    inbound.table.release(first)
    assert second.open
    assert [message["result"] for message in inbound.written] == ["first"]


def test_an_id_in_use_is_refused_and_ids_of_other_types_are_others(inbound: Inbound) -> None:
    """V2-RPC-04, V2-RPC-05: 3 and "3" differ; 3.0 and true are no ids."""
    entry, text = inbound.open(3), inbound.open("3")
    assert inbound.table.open(3, "_x/ask", {}) is None
    assert (inbound.table.find(3), inbound.table.find("3")) == (entry, text)
    inbound.open(1)
    no_id: Json
    for no_id in (3.0, True, None, [], {}, 4):
        assert inbound.table.find(no_id) is None


def test_null_ids_stand_side_by_side(inbound: Inbound) -> None:
    """V1-RPC-02: null is no name, so two requests under it are both answered, and neither can be retracted."""
    first, second = inbound.open(None), inbound.open(None)
    assert inbound.table.find(None) is None
    inbound.table.settle(second, Answer("second"), EndedBy.HOST)
    assert first.open
    inbound.table.settle(first, Answer("first"), EndedBy.HOST)
    assert [(message["id"], message["result"]) for message in inbound.written] == [(None, "second"), (None, "first")]


@pytest.mark.parametrize(
    ("params", "session_id"),
    [({"sessionId": "s1"}, "s1"), ({"sessionId": 7}, None), ({"sessionId": None}, None), ({}, None), ([1], None)],
)
def test_a_request_belongs_to_the_session_it_names(inbound: Inbound, params: Json, session_id: str | None) -> None:
    """Ours: what is no text names no session."""
    entry = inbound.open(params=params)
    assert entry.session_id == session_id
    assert entry.params == params
    assert inbound.table.of_session("s1") == ([entry] if session_id else [])


def test_an_error_answer_carries_code_message_and_data(inbound: Inbound) -> None:
    """V2-RPC-05: under its id; data only where there is some."""
    inbound.table.settle(inbound.open(1), Answer(code=-1, message="no", data={"why": 1}), EndedBy.HOST)
    inbound.table.settle(inbound.open(2), Answer(code=-2), EndedBy.HOST)
    inbound.table.settle(inbound.open(3), Answer(), EndedBy.HOST)
    assert inbound.written == [
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no", "data": {"why": 1}}},
        {"jsonrpc": "2.0", "id": 2, "error": {"code": -2, "message": ""}},
        {"jsonrpc": "2.0", "id": 3, "result": None},
    ]
    assert (Answer(code=-1).is_error, Answer("x").is_error) == (True, False)


def test_an_answer_that_cannot_be_written_becomes_an_error(caplog: pytest.LogCaptureFixture) -> None:
    """CAN-14: the agent gets one all the same, and whoever waits for the end learns it."""
    written: list[Message] = []

    def write(message: Message) -> None:
        encode(message)
        written.append(message)

    table = InboundRequestDispatcher(write)
    entry = table.open(1, "_x/ask", {})
    assert entry is not None
    ended: list[InboundRequest] = []
    entry.on_end = ended.append
    assert table.settle(entry, Answer({"a": object()}), EndedBy.HOST)
    error = {"code": -32603, "message": "the client could not write its answer"}
    assert written == [{"jsonrpc": "2.0", "id": 1, "error": error}]
    assert ended == [entry]
    assert "the answer to _x/ask cannot be written as JSON" in caplog.text


def test_the_end_of_the_connection_ends_everything_and_writes_nothing(inbound: Inbound) -> None:
    """CAN-80, CAN-81: also what was decided elsewhere and not written yet; its decision reached nobody."""
    ended: list[Any] = []
    opened, claimed = inbound.open(1), inbound.open(2)
    for entry in (opened, claimed):
        entry.on_end = lambda over: ended.append((over.id, over.ended_by))
    inbound.table.claim(claimed, Answer("decided"), EndedBy.HOST)
    inbound.table.lose_all()
    assert inbound.written == []
    assert ended == [(1, EndedBy.CONNECTION_LOST), (2, EndedBy.CONNECTION_LOST)]
    assert len(inbound.table) == 0
    assert inbound.table.settle(opened, Answer("late"), EndedBy.HOST) is False


def test_what_settles_a_request_while_all_are_gone_through_disturbs_nothing(inbound: Inbound) -> None:
    """Ours: the table may change under who iterates it."""
    entries = [inbound.open(n) for n in range(3)]
    for entry in inbound.table:
        inbound.table.settle(entry, Answer(entry.id), EndedBy.POLICY)
    assert [message["id"] for message in inbound.written] == [entry.id for entry in entries]


def test_one_of_many_threads_decides(inbound: Inbound) -> None:
    """CAN-28: a click, a cancel and a timeout in three threads make one answer."""
    for request_id in range(200):
        entry, start = inbound.open(request_id), threading.Barrier(3)
        won: list[int] = []

        def decide(
            number: int, entry: InboundRequest = entry, start: threading.Barrier = start, won: list[int] = won
        ) -> None:
            start.wait()
            if inbound.table.claim(entry, Answer(number), EndedBy.HOST):
                won.append(number)

        threads = [threading.Thread(target=decide, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        inbound.table.release(entry)
        assert inbound.written[-1] == {"jsonrpc": "2.0", "id": request_id, "result": won[0]}


class InboundMachine(RuleBasedStateMachine):
    """CAN-14, CAN-17: whatever happens in whatever order, each request that was taken is answered exactly once."""

    IDS = st.sampled_from([0, 1, "1", "", None, -3])

    def __init__(self) -> None:
        super().__init__()
        self.inbound = Inbound()
        self.taken: list[InboundRequest] = []
        self.ended: Counter[int] = Counter()
        self.lost_at = -1

    @rule(request_id=IDS)
    def ask(self, request_id: Any) -> None:
        entry = self.inbound.table.open(request_id, "_x/ask", {})
        if entry is None:
            assert request_id is not None
            assert any(e.key == request_id and type(e.id) is type(request_id) for e in self.inbound.table)
            return
        number = len(self.taken)
        entry.on_end = lambda over: self.ended.update([number])
        self.taken.append(entry)

    @rule(index=st.integers(0, 20), by=st.sampled_from(EndedBy))
    def settle(self, index: int, by: EndedBy) -> None:
        if index < len(self.taken) and by is not EndedBy.CONNECTION_LOST:
            entry = self.taken[index]
            was_open = entry.open
            assert self.inbound.table.settle(entry, Answer(index), by) == was_open

    @rule(index=st.integers(0, 20))
    def claim(self, index: int) -> None:
        if index < len(self.taken):
            self.inbound.table.claim(self.taken[index], Answer(index), EndedBy.HOST)

    @rule(index=st.integers(0, 20))
    def release(self, index: int) -> None:
        if index < len(self.taken) and not self.taken[index].open:
            self.inbound.table.release(self.taken[index])

    @rule(request_id=IDS)
    def retract(self, request_id: Any) -> None:
        entry = self.inbound.table.find(request_id)
        if entry is not None:
            assert (entry.id, type(entry.id)) == (request_id, type(request_id))
            self.inbound.table.settle(entry, Answer(code=-32800), EndedBy.AGENT_CANCEL)

    @invariant()
    def each_is_answered_once_and_then_gone(self) -> None:
        still = list(self.inbound.table)
        assert len(still) == len(self.inbound.table)
        assert len(self.inbound.written) + len(still) == len(self.taken)
        assert set(self.ended.values()) <= {1}
        assert sum(self.ended.values()) == len(self.inbound.written)


def test_each_request_is_answered_once_in_every_order() -> None:
    """CAN-14, CAN-17: a state machine on the table itself."""
    run_state_machine_as_test(InboundMachine, settings=settings(max_examples=40, derandomize=True, database=None))


# requests of ours


class Outbound:
    """A manager and how its requests were settled."""

    def __init__(self) -> None:
        self.table = OutboundRequestManager()
        self.settled: list[tuple[str, Json, AcpError | None]] = []

    def open(self, method: str = "_x/call") -> Any:
        return self.table.open(method, lambda result, error: self.settled.append((method, result, error)))

    def error(self) -> AcpError:
        (_, result, error) = self.settled.pop()
        assert result is None
        assert error is not None
        return error


@pytest.fixture
def outbound() -> Outbound:
    return Outbound()


def test_ids_grow_from_one_and_are_not_used_again(outbound: Outbound) -> None:
    """V2-RPC-02, V2-RPC-03, CAN-07: also those of requests that were given up or answered."""
    first, second = outbound.open(), outbound.open()
    assert (first.id, second.id, first.method, first.cancel_sent) == (1, 2, "_x/call", False)
    assert list(outbound.table) == [first, second]
    assert len(outbound.table) == 2
    assert outbound.table.settle({"id": 2, "result": None})
    assert outbound.table.abandon(first)
    assert outbound.open().id == 3


@pytest.mark.parametrize("request_id", [2, 0, "1", 1.0, True, None])
def test_an_answer_finds_the_request_of_exactly_its_id(outbound: Outbound, request_id: Any) -> None:
    """CAN-17: nothing else is settled, neither by an answer nor by a failure of this side."""
    pending = outbound.open()
    assert outbound.table.settle({"id": request_id, "result": 1}) is False
    assert outbound.table.fail(request_id, ProtocolViolation("no")) is False
    assert outbound.table.is_open(pending)
    assert outbound.settled == []


def test_a_request_is_settled_once(outbound: Outbound) -> None:
    """CAN-03: by its answer or by a failure of this side, whichever is first."""
    answered, failed = outbound.open("a"), outbound.open("b")
    assert outbound.table.settle({"id": 1, "result": {"x": 1}}) is True
    assert outbound.table.settle({"id": 1, "result": {"x": 2}}) is False
    problem = ProtocolViolation("inside a batch")
    assert outbound.table.fail(2, problem) is True
    assert outbound.table.fail(2, problem) is False
    assert outbound.settled == [("a", {"x": 1}, None), ("b", None, problem)]
    assert not outbound.table.is_open(answered)
    assert not outbound.table.is_open(failed)
    assert len(outbound.table) == 0


def test_a_request_given_up_swallows_its_answer(outbound: Outbound) -> None:
    """CAN-06: a tombstone takes the late answer; there is none to leave once the answer came."""
    pending = outbound.open()
    assert outbound.table.abandon(pending) is True
    assert outbound.table.is_open(pending)
    assert outbound.table.settle({"id": 1, "result": "late"}) is True
    assert outbound.table.abandon(pending) is False
    assert outbound.settled == []


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": -32800, "message": "cancelled"}, RequestCancelled),
        ({"code": -32000, "message": "log in"}, AuthRequired),
        ({"code": -32002, "message": "unknown"}, SessionNotFound),
        ({"code": 5, "message": "own", "data": [1]}, AgentError),
    ],
)
def test_an_error_of_the_agent_has_the_type_of_its_code(
    outbound: Outbound, error: dict[str, Json], kind: type[AgentError]
) -> None:
    """Ours: what it said is kept."""
    outbound.open("session/prompt")
    outbound.table.settle({"id": 1, "error": error})
    refusal = outbound.error()
    assert type(refusal) is kind
    assert isinstance(refusal, AgentError)
    assert (refusal.method, refusal.code, refusal.message) == ("session/prompt", error["code"], error["message"])
    assert refusal.data == error.get("data")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"error": 5}, "its error is no object"),
        ({"error": {"code": True, "message": "x"}}, "its error has no integer code or no message text"),
        ({"error": {"code": "1", "message": "x"}}, "its error has no integer code or no message text"),
        ({"error": {"code": 1, "message": 2}}, "its error has no integer code or no message text"),
        ({"error": {"code": 1}}, "its error has no integer code or no message text"),
        ({"result": 1, "error": {"code": 1, "message": "x"}}, "exactly one of result and error must be there"),
        ({}, "exactly one of result and error must be there"),
    ],
)
def test_a_malformed_answer_says_what_is_wrong_with_it(outbound: Outbound, answer: Message, problem: str) -> None:
    """V2-RPC-18: it settles its request, as the agent's fault."""
    outbound.open("session/new")
    outbound.table.settle({"id": 1, **answer})
    error = outbound.error()
    assert type(error) is InvalidResponse
    assert str(error) == f"agent gave an invalid answer to session/new: {problem}"


def test_the_end_settles_everything_with_its_first_cause(outbound: Outbound) -> None:
    """CAN-80: each learns what it was that failed; what is opened later is not kept."""
    outbound.open("a")
    outbound.open("b")
    outbound.table.fail_all(ConnectionLost("first"))
    outbound.table.fail_all(ConnectionLost("second"))
    assert [(method, type(error)) for method, _, error in outbound.settled] == [
        ("a", ConnectionLost),
        ("b", ConnectionLost),
    ]
    assert all("first" in str(error) and method in str(error) for method, _, error in outbound.settled)
    late = outbound.open("c")
    assert (late.id, outbound.table.is_open(late), len(outbound.table)) == (3, False, 0)
