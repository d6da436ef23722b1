"""One connection's JSON-RPC without its waiting: what is routed where, what is refused, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from acp_client.errors import AcpError, ConnectionLost, ProtocolViolation
from acp_client.rpc.inbound import Answer, EndedBy, InboundRequest
from acp_client.rpc.messages import Json, Message, decode, encode
from acp_client.rpc.peer import KEPT_NOISE, MAX_PROTEST, Diagnostic, Peer


class Listener:
    """The owner of a peer: remembers everything it was told."""

    def __init__(self) -> None:
        self.requests: list[InboundRequest] = []
        self.notes: list[tuple[str, Json]] = []
        self.diagnostics: list[Diagnostic] = []
        self.lost: list[ConnectionLost] = []
        self.act: Callable[[], None] = lambda: None

    def on_notification(self, method: str, params: Json) -> None:
        self.notes.append((method, params))
        self.act()

    def on_request(self, entry: InboundRequest) -> None:
        self.requests.append(entry)
        self.act()

    def on_diagnostic(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    def on_lost(self, cause: ConnectionLost) -> None:
        self.lost.append(cause)


class Scene:
    """A peer, its owner, and what it wrote, grouped by write."""

    def __init__(self) -> None:
        self.owner = Listener()
        self.writes: list[list[Message]] = []
        self.peer = Peer(self.owner, lambda messages: self.writes.append([decode(m) for m in messages]))
        self.peer.ready = True

    @property
    def written(self) -> list[Message]:
        return [message for group in self.writes for message in group]

    def receive(self, **message: Json) -> None:
        self.peer.frames([encode({"jsonrpc": "2.0", **message})])

    def told(self) -> list[tuple[str, str]]:
        return [(diagnostic.kind, diagnostic.detail) for diagnostic in self.owner.diagnostics]

    def call(self, method: str = "_x/call") -> list[Any]:
        settled: list[Any] = []
        self.peer.request(method, {"a": 1}, lambda result, error: settled.append(error or result))
        return settled


@pytest.fixture
def scene() -> Scene:
    return Scene()


def protest(code: int, message: str) -> Message:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}


# writing


def test_requests_and_notifications_are_written_as_they_are(scene: Scene) -> None:
    """V2-RPC-01: one write each."""
    scene.call()
    scene.peer.notify("_x/note", {"b": 2})
    assert scene.writes == [
        [{"jsonrpc": "2.0", "id": 1, "method": "_x/call", "params": {"a": 1}}],
        [{"jsonrpc": "2.0", "method": "_x/note", "params": {"b": 2}}],
    ]


def test_what_belongs_together_is_one_write(scene: Scene) -> None:
    """Ours: also nested, and also when something inside fails; nothing inside makes no write."""

    def write_and_fail() -> None:
        with scene.peer.one_write():
            scene.peer.notify("a", {})
            with scene.peer.one_write():
                scene.peer.notify("b", {})
            assert scene.writes == []
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert [[m["method"] for m in group] for group in scene.writes] == [["a", "b"]]
    with scene.peer.one_write():
        pass
    scene.peer.notify("c", {})
    assert len(scene.writes) == 2


def test_after_the_end_nothing_is_written(scene: Scene) -> None:
    """CAN-81, CAN-12: not even what was collected before; a request fails with what ended the connection."""
    pending = scene.peer.request("a", {}, lambda result, error: None)
    with scene.peer.one_write():
        scene.peer.notify("b", {})
        scene.peer.lost(ConnectionLost("gone"))
    scene.peer.notify("c", {})
    assert scene.peer.cancel_request(pending) is False
    (error,) = scene.call("d")
    assert isinstance(error, ConnectionLost)
    assert "gone" in str(error)
    assert "d" in str(error)
    assert [m["method"] for m in scene.written] == ["a"]


def test_the_first_cause_of_the_end_is_the_one_that_counts(scene: Scene) -> None:
    """CAN-80: everything is ended before the owner is told, once."""
    settled = scene.call()
    scene.receive(id=1, method="_x/ask")
    first = ConnectionLost("first")
    scene.peer.lost(first)
    scene.peer.lost(ConnectionLost("second"))
    assert scene.owner.lost == [first]
    assert scene.peer.lost_cause is first
    assert scene.owner.requests[0].ended_by is EndedBy.CONNECTION_LOST
    assert isinstance(settled[0], ConnectionLost)


def test_a_request_is_withdrawn_at_most_once_and_while_it_is_owed(scene: Scene) -> None:
    """CAN-01, CAN-08: by its id; the request stays open."""
    pending = scene.peer.request("a", {}, lambda result, error: None)
    assert scene.peer.cancel_request(pending) is True
    assert scene.peer.cancel_request(pending) is False
    answered = scene.peer.request("b", {}, lambda result, error: None)
    scene.receive(id=answered.id, result=None)
    assert scene.peer.cancel_request(answered) is False
    assert scene.written[1:] == [
        {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 2, "method": "b", "params": {}},
    ]
    assert scene.peer.outbound.is_open(pending)


# routing


def test_messages_go_where_they_belong_in_their_order(scene: Scene) -> None:
    """V2-RPC-14: notifications and requests to the owner, answers to who waits."""
    settled = scene.call()
    frames: list[Message] = [
        {"method": "n", "params": [1]},
        {"id": 5, "method": "_x/ask", "params": {"p": 1}},
        {"id": 1, "result": "done"},
        {"method": "m"},
    ]
    scene.peer.frames([encode({"jsonrpc": "2.0", **frame}) for frame in frames])
    assert scene.owner.notes == [("n", [1]), ("m", None)]
    assert [(e.id, e.method, e.params) for e in scene.owner.requests] == [(5, "_x/ask", {"p": 1})]
    assert settled == ["done"]


def test_what_a_listener_raises_harms_nothing_behind_it(scene: Scene) -> None:
    """Ours: a fault in the owner is logged; a request gets an error instead of silence."""

    def fail() -> None:
        raise RuntimeError("a bug")

    scene.owner.act = fail
    scene.peer.frames([b'{"method":"n"}', b'{"id":1,"method":"_x/ask"}', b'{"method":"m"}'])
    assert [name for name, _ in scene.owner.notes] == ["n", "m"]
    assert scene.written == [{"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "the client failed"}}]
    assert scene.owner.requests[0].ended_by is EndedBy.POLICY


def test_requests_of_the_protocol_itself_are_not_known(scene: Scene) -> None:
    """Ours: `$/` is reserved; the owner never sees such a request."""
    scene.receive(id=1, method="$/" + "x" * 100)
    scene.receive(id=2, method="_$/")
    text = "no such method: $/" + "x" * 78
    assert scene.written == [{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": text}}]
    assert [entry.id for entry in scene.owner.requests] == [2]


@pytest.mark.parametrize("params", ["text", 5, True])
def test_params_are_an_object_or_a_list_or_missing(scene: Scene, params: Json) -> None:
    """V2-RPC-16: everything else is refused, as a decision of ours."""
    scene.receive(id=1, method="_x/ask", params=params)
    assert scene.written[0]["error"] == {"code": -32602, "message": "params must be an object"}
    assert scene.owner.requests == []
    good: Json
    for good in ({}, [], None):
        scene.receive(id=1, method="_x/ask", params=good)
        scene.peer.inbound.settle(scene.owner.requests[-1], Answer(), EndedBy.HOST)
    assert len(scene.owner.requests) == 3


@pytest.mark.parametrize("request_id", [1.5, True, [], {}])
def test_impossible_ids_are_refused_under_null(scene: Scene, request_id: Json) -> None:
    """V2-RPC-06: with what would have been right."""
    scene.receive(id=request_id, method="_x/ask")
    text = "the id of a request must be a string or an integer"
    assert scene.written == [protest(-32600, text)]
    assert scene.told() == [("malformed", text)]


def test_null_is_an_id_where_the_version_says_so(scene: Scene) -> None:
    """V1-RPC-02."""
    assert scene.peer.allows_null_id is False
    scene.receive(id=None, method="_x/ask")
    assert scene.owner.requests == []
    scene.peer.allows_null_id = True
    scene.receive(id=None, method="_x/ask")
    assert scene.owner.requests[0].id is None
    scene.receive(id=1.5, method="_x/ask")
    assert len(scene.owner.requests) == 1


def test_an_id_in_use_is_refused_with_its_beginning(scene: Scene) -> None:
    """Bad input: an id may be as long as the agent likes."""
    for _ in range(2):
        scene.receive(id="i" * 100, method="_x/ask")
    assert scene.written == [protest(-32600, f"request id {'i' * 80} is still in use")]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"method": 5}, "the method of a message must be a string"),
        ({"id": 1}, "a message must have a method, a result or an error"),
        ({}, "a message must have a method, a result or an error"),
    ],
)
def test_what_is_neither_request_nor_answer_is_refused(scene: Scene, message: Message, text: str) -> None:
    """Ours: an answer would have had a result or an error."""
    scene.receive(**message)
    assert scene.written == [protest(-32600, text)]


def test_answers_to_nothing_are_ignored(scene: Scene) -> None:
    """V2-RPC-07: an unknown id is silence; an error without one is worth a note."""
    scene.receive(id=99, result=1)
    assert scene.told() == []
    scene.receive(id=None, error={"code": 1, "message": "what"})
    ((kind, detail),) = scene.told()
    assert kind == "unaddressed_error"
    assert detail.startswith('agent reported an error for no request: "{')
    assert "'what'" in detail
    assert scene.written == []


# what is retracted


@pytest.mark.parametrize("params", [None, [], "x", {}, {"requestId": 6}, {"requestId": "5"}, {"requestId": 5.0}])
def test_a_cancel_that_names_nothing_open_is_silence(
    scene: Scene, params: Json, caplog: pytest.LogCaptureFixture
) -> None:
    """CAN-15: on the wire, for the owner, and in the log."""
    scene.receive(id=5, method="_x/ask")
    scene.receive(method="$/cancel_request", params=params)
    assert scene.owner.requests[0].open
    assert (scene.written, scene.told(), scene.owner.notes, caplog.records) == ([], [], [], [])


def test_a_cancelled_request_gets_its_own_answer_or_the_common_one(scene: Scene) -> None:
    """CAN-14: what the answer is belongs to the request."""
    for request_id in (1, 2):
        scene.receive(id=request_id, method="_x/ask")
    scene.owner.requests[1].withdraw = lambda: Answer({"outcome": "cancelled"})
    for request_id in (1, 2):
        scene.receive(method="$/cancel_request", params={"requestId": request_id})
    assert scene.written == [
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32800, "message": "request cancelled"}},
        {"jsonrpc": "2.0", "id": 2, "result": {"outcome": "cancelled"}},
    ]
    assert {entry.ended_by for entry in scene.owner.requests} == {EndedBy.AGENT_CANCEL}


def test_a_request_that_must_run_to_its_end_is_not_cancelled(scene: Scene) -> None:
    """CAN-21a."""
    scene.receive(id=1, method="_x/ask")
    scene.owner.requests[0].uncancellable = True
    scene.receive(method="$/cancel_request", params={"requestId": 1})
    assert scene.owner.requests[0].open


# what is malformed


@pytest.mark.parametrize("frame", ['{"a":', b'{"a":', "[1,", b"[1,"])
def test_broken_messages_are_answered_and_reported_with_their_beginning(scene: Scene, frame: bytes | str) -> None:
    """V2-RPC-13: what begins like a message was meant as one."""
    scene.peer.frames([frame])
    shown = repr(frame if isinstance(frame, str) else frame.decode())
    assert scene.written == [protest(-32700, "invalid JSON")]
    assert scene.told() == [("malformed", f"invalid JSON: {shown}")]
    assert scene.peer.noise == []


@pytest.mark.parametrize("frame", ["npm warn", b"npm warn", '"text"', "17"])
def test_other_lines_are_noise(scene: Scene, frame: bytes | str) -> None:
    """Fault ST-02: no answer; kept for the error text of a handshake that fails."""
    scene.peer.frames([frame])
    shown = repr((frame if isinstance(frame, str) else frame.decode()).strip('"'))
    assert scene.written == []
    assert scene.told() == [("noise", f"agent wrote a line that is no message: {shown}")]
    assert scene.peer.noise == [shown]


@pytest.mark.parametrize("frame", ["", b"", "  \n", b" \t"])
def test_empty_lines_are_nothing(scene: Scene, frame: bytes | str) -> None:
    """Ours: not even noise."""
    scene.peer.frames([frame])
    assert (scene.written, scene.told(), scene.peer.noise) == ([], [], [])


def test_only_some_noise_is_kept(scene: Scene) -> None:
    """Bad input: an agent may print for ever."""
    scene.peer.frames([f"line {n}" for n in range(1000)])
    assert scene.peer.noise == [repr(f"line {n}") for n in range(KEPT_NOISE)]


def test_malformed_text_is_answered_a_few_times_and_only_when_ready(scene: Scene) -> None:
    """Bad input: not before `initialize` was answered, and not for ever; each is told to the owner."""
    scene.peer = Peer(scene.owner, lambda messages: scene.writes.append([decode(m) for m in messages]))
    scene.peer.frames(["{"])
    assert scene.written == []
    scene.peer.ready = True
    scene.peer.frames(["{"] * 1000)
    assert len(scene.written) == MAX_PROTEST
    assert len(scene.owner.diagnostics) == 1001


def test_arrays_are_refused_and_whoever_waits_for_an_answer_inside_learns_it(scene: Scene) -> None:
    """V2-RPC-12: requests inside are not processed; a request of ours must not wait for ever."""
    answered, waiting = scene.call("a"), scene.call("b")
    batch = [{"id": 1, "result": 1}, {"id": 2, "method": "_x/ask"}, {"id": "2", "result": 1}, {"id": True}, 5]
    scene.peer.frames([encode(batch)])  # type: ignore[arg-type]  # no message: that is the point
    (error,) = answered
    assert isinstance(error, AcpError)
    assert type(error) is ProtocolViolation
    assert str(error) == "the agent answered inside a JSON-RPC batch"
    assert (waiting, scene.owner.requests) == ([], [])
    assert scene.written[2:] == [protest(-32600, "JSON-RPC batches are not supported")]


def test_the_words_for_ended_requests_are_those_a_host_can_rely_on() -> None:
    """Ours: they are values of the public enumeration."""
    assert [str(by) for by in EndedBy] == [
        "host",
        "policy",
        "session_cancel",
        "agent_cancel",
        "internal_cancel",
        "session_close",
        "connection_lost",
        "timeout",
    ]


def test_a_request_that_cannot_be_written_is_not_kept(scene: Scene) -> None:
    """Ours: who called it wrong is told, and nobody waits for an answer to what was never sent."""
    with pytest.raises((TypeError, ValueError)):
        scene.peer.request("a", {"value": object()}, lambda result, error: None)
    assert len(scene.peer.outbound) == 0
    scene.call("b")
    assert [message["id"] for message in scene.written] == [2]
