"""Where a message goes, what is kept for a session that is not there yet, and what is refused in which words."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from acp_client.errors import ConnectionLost
from acp_client.rpc.inbound import Answer, EndedBy
from tests.policy.core import Core

CANCELLED = {"outcome": {"outcome": "cancelled"}}
MODES = frozenset({"form", "url"})


def error(core: Core, request_id: Any) -> tuple[int, str]:
    answer = core.answer(request_id)["error"]
    return answer["code"], answer["message"]


def entry(core: Core, request_id: Any) -> Any:
    found = core.peer.inbound.find(request_id)
    assert found is not None
    return found


# what belongs to no session


def test_notifications_reach_the_host_unless_they_are_of_the_protocol(core: Core) -> None:
    """V2-EXT-02, ours: `$/` is reserved and silent."""
    for method in ("_acme/note", "unknown/note", "$/progress"):
        core.receive(method=method, params={"a": 1})
    assert core.notes == [("_acme/note", {"a": 1}), ("unknown/note", {"a": 1})]
    assert core.reports == []


def test_a_custom_or_known_request_is_served_and_another_is_not_known(core: Core) -> None:
    """V2-RPC-09, FC-03: with the beginning of its name."""
    core.receive(id=1, method="_acme/ask", params={})
    assert [request.id for request in core.served] == [1]
    core.receive(id=2, method="x" * 100, params={})
    assert error(core, 2) == (-32601, "no such method: " + "x" * 80)
    core.receive(id=3, method="fs/read_text_file", params={"sessionId": "s1", "path": "/a"})
    assert [request.id for request in core.served] == ([1, 3] if core.version == 1 else [1])


@pytest.mark.parametrize(
    "params",
    [None, [], "x", {}, {"sessionId": "s1"}, {"sessionId": 5, "update": {}}, {"update": {}}, {"sessionId": []}],
)
def test_an_update_without_session_or_content_is_reported(core: Core, params: Any) -> None:
    """V2-RPC-19: and nothing else happens."""
    core.receive(method="session/update", params=params)
    assert core.reports == [("invalid_update", "agent sent a session/update without a session or an update")]
    assert core.strays == []
    assert core.events == []


def test_an_update_of_an_unknown_session_is_stray(core: Core) -> None:
    """SO-18: as it came."""
    core.text("hello", session="s9")
    core.router.forget("s1")
    core.text("hello")
    assert [params["sessionId"] for params in core.strays] == ["s9", "s1"]
    assert core.strays[0]["update"]["content"]["text"] == "hello"
    core.router.forget("s1")


def test_the_end_reaches_every_session_and_the_host(core: Core) -> None:
    """CAN-80."""
    other = core.router.add("s2", "/other")
    cause = ConnectionLost("gone")
    core.peer.lost(cause)
    assert (core.work.lost, other.lost, core.lost) == (cause, cause, [cause])


# sessions that are not there yet


def test_what_comes_before_the_session_is_kept_for_it_in_order(version: int) -> None:
    """SO-01: updates, permissions and elicitations alike."""
    core = Core(version, session=False, elicitation_modes=MODES)
    core.router.opening = 1
    core.text("one", session="new")
    core.permission(1, session="new")
    core.elicit(2, sessionId="new")
    core.text("two", session="new")
    core.text("other", session="third")
    assert (core.strays, core.asked, core.written) == ([], [], [])
    work = core.router.add("new", "/new")
    core.router.give_early(work)
    assert work.updates == 2
    assert "".join(message.text for message in work.store.snapshot().messages) == "onetwo"
    assert [question.entry.id for question in core.asked] == [1, 2]
    core.router.end_opening()
    assert core.router.opening == 0
    assert [params["sessionId"] for params in core.strays] == ["third"]


def test_what_nobody_claimed_is_stray_or_refused_when_the_last_opening_is_over(version: int) -> None:
    """SO-18, V2-PER-12: nobody can see it, so nobody can approve it."""
    core = Core(version, session=False, elicitation_modes=MODES)
    core.router.opening = 2
    core.text("one", session="new")
    core.permission(1, session="new")
    core.elicit(2, sessionId="new")
    asked = entry(core, 1)
    core.router.end_opening()
    assert (core.strays, core.written) == ([], [])
    core.router.end_opening()
    assert len(core.strays) == 1
    assert core.answer(1)["result"] == CANCELLED
    assert asked.ended_by is EndedBy.POLICY
    assert error(core, 2) == (-32002, "no such session")
    core.permission(3, session="new")
    core.elicit(4, sessionId="new")
    assert core.answer(3)["result"] == CANCELLED
    assert error(core, 4) == (-32002, "no such session")
    assert core.asked == []


def test_a_permission_that_waits_for_its_session_can_be_cancelled(version: int) -> None:
    """CAN-18: queued and not dispatched; the session then gets nothing to decide."""
    core = Core(version, session=False)
    core.router.opening = 1
    core.permission(1, session="new")
    core.receive(method="$/cancel_request", params={"requestId": 1})
    assert core.answer(1)["result"] == CANCELLED
    core.router.give_early(core.router.add("new", "/new"))
    assert core.asked == []
    assert len(core.written) == 1


def test_only_so_much_is_kept_for_sessions_to_come(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad input: a flood for a session that never opens ends as stray; what was claimed makes room again."""
    monkeypatch.setattr("acp_client.policy.router.MAX_EARLY", 3)
    core = Core(version, session=False)
    core.router.opening = 1
    for number in range(5):
        core.text(f"{number}", session="new")
    assert len(core.strays) == 2
    core.permission(1, session="new")
    assert core.answer(1)["result"] == CANCELLED
    work = core.router.add("new", "/new")
    core.router.give_early(work)
    assert work.updates == 3
    for number in range(4):
        core.text(f"{number}", session="next")
    assert len(core.strays) == 3
    core.router.end_opening()
    assert len(core.strays) == 6
    core.router.opening = 1
    for number in range(4):
        core.text(f"{number}", session="last")
    assert len(core.strays) == 7


# permissions and elicitations


@pytest.mark.parametrize("session", [None, 5, []])
def test_a_permission_without_a_session_is_invalid(core: Core, session: Any) -> None:
    """V2-RPC-10."""
    core.permission(1, session=session)
    assert error(core, 1) == (-32602, "invalid params: sessionId: expected a string")


def test_a_permission_of_an_unknown_session_is_cancelled_by_policy(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    """V2-PER-12."""
    ended: list[Any] = []
    settle = core.peer.inbound.settle

    def watched(request: Any, answer: Answer, by: EndedBy) -> bool:
        ended.append(by)
        return settle(request, answer, by)

    monkeypatch.setattr(core.peer.inbound, "settle", watched)  # nothing else shows who ended it
    core.permission(1, session="s9")
    assert core.answer(1)["result"] == CANCELLED
    assert ended == [EndedBy.POLICY]


def test_an_elicitation_of_another_mode_is_refused(core: Core) -> None:
    """V2-ELI-01: none is served unless it was said so."""
    core.elicit(1)
    assert error(core, 1) == (-32602, "this client does not serve that elicitation mode")


def test_an_invalid_elicitation_is_refused_with_its_problem(version: int) -> None:
    """V2-RPC-10."""
    core = Core(version, elicitation_modes=MODES)
    core.receive(id=1, method="elicitation/create", params={"mode": "form", "sessionId": "s1", "message": 5})
    code, message = error(core, 1)
    assert code == -32602
    assert message.startswith("invalid params: ")
    assert message != "invalid params: None"


def test_questions_outside_sessions_have_numbers_and_places_of_their_own(version: int) -> None:
    """V2-ELI-03: each is answered, forgotten and told to be over by itself."""
    core = Core(version, elicitation_modes=MODES)
    over: list[str] = []
    for request_id in (1, 2):
        core.elicit(request_id, "form", requestId="login")
    first, second = core.form(0), core.form(1)
    first.on_ended(lambda: over.append(first.id))
    second.on_ended(lambda: over.append(second.id))
    assert core.router.questions == {"r1": first, "r2": second}
    assert (first.id, second.id) == ("r1", "r2")
    assert second.accept({"env": "x"})
    assert core.router.questions == {"r1": first}
    assert over == ["r2"]
    assert first.decline()
    assert core.router.questions == {}
    assert core.answer(1)["result"] == {"action": "decline"}


def test_the_end_of_a_visit_is_told_once_to_who_consented(version: int) -> None:
    """CAN-66, V2-ELI-15: unknown, repeated, malformed and refused ones are ignored."""
    core = Core(version, elicitation_modes=MODES)
    core.elicit(1, "url", elicitationId="inside")
    core.elicit(2, "url", elicitationId="outside", requestId="login")
    core.elicit(3, "url", elicitationId="refused")
    for question in (core.form(0), core.form(1)):
        question.accept()
    core.form(2).decline()
    params: Any
    for params in ({"elicitationId": "refused"}, {"elicitationId": "what"}, {"elicitationId": []}, {}, [], None):
        core.receive(method="elicitation/complete", params=params)
    assert core.completed == []
    for _ in range(2):
        core.receive(method="elicitation/complete", params={"elicitationId": "outside"})
        core.receive(method="elicitation/complete", params={"elicitationId": "inside"})
    assert [question.elicitation_id for question in core.completed] == ["outside", "inside"]
    assert core.reports == []


def test_only_so_many_visits_are_remembered(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad input: agents need not tell the end of any; the oldest are forgotten."""
    monkeypatch.setattr("acp_client.policy.router.MAX_VISITS", 2)
    core = Core(version, elicitation_modes=MODES)
    for number in range(3):
        core.elicit(number, "url", elicitationId=f"e{number}")
        core.form().accept()
    for number in range(3):
        core.receive(method="elicitation/complete", params={"elicitationId": f"e{number}"})
    assert [question.elicitation_id for question in core.completed] == ["e1", "e2"]


# ending from this side


def test_an_answer_from_a_thread_is_decided_at_once_and_written_by_the_connection(core: Core) -> None:
    """CAN-28: whoever comes second is told so, even before the first answer was written."""
    core.permission(1)
    core.posted = []
    assert core.question().select("yes") is True
    assert core.question().select("no") is False
    assert not core.answered(1)
    (step,) = core.posted
    step()
    assert core.answer(1)["result"]["outcome"]["optionId"] == "yes"


def test_withdrawing_ends_what_is_open_in_one_session_or_in_all(core: Core) -> None:
    """CAN-82, CAN-83: everything gets -32800; the number is told."""
    core.router.add("s2", "/other")
    core.permission(1)
    core.permission(2, session="s2")
    core.receive(id=3, method="_acme/ask", params={"sessionId": "s1"})
    requests = [entry(core, number) for number in (1, 2, 3)]
    assert core.router.withdraw("s1") == 2
    assert [request.open for request in requests] == [False, True, False]
    assert core.router.withdraw() == 1
    assert core.router.withdraw() == 0
    assert {error(core, number) for number in (1, 2, 3)} == {(-32800, "the client cancelled the request")}
    assert {request.ended_by for request in requests} == {EndedBy.INTERNAL_CANCEL}


def test_closing_answers_everything_in_one_write(core: Core) -> None:
    """CAN-85: -32800 for each, whatever it asks for."""
    core.permission(1)
    core.receive(id=2, method="_acme/ask", params={})
    requests = [entry(core, number) for number in (1, 2)]
    core.router.cancel_all()
    assert [message["id"] for message in core.writes[-1]] == [1, 2]
    assert {error(core, number) for number in (1, 2)} == {(-32800, "the client is closing")}
    assert {request.ended_by for request in requests} == {EndedBy.INTERNAL_CANCEL}


def test_one_oddity_is_one_warning_and_a_thousand_are_the_most(core: Core, caplog: pytest.LogCaptureFixture) -> None:
    """FC-09: no log is flooded by new oddities either."""
    with caplog.at_level(logging.WARNING):
        for number in range(2000):
            core.router.warn_once(f"key {number}", f"text {number}")
            core.router.warn_once("key 0", "again")
    assert [record.getMessage() for record in caplog.records] == [f"text {number}" for number in range(1000)]
