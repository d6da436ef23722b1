"""Permission requests and elicitations: what they say, what may answer them, what never does."""

from __future__ import annotations

from typing import Any

import pytest

from acp_client.errors import UsageError
from acp_client.host import ALLOW, DENY, Host
from acp_client.policy import permissions
from acp_client.policy.permissions import Verdict
from acp_client.policy.questions import PendingElicitation, PendingPermission
from acp_client.rpc.inbound import EndedBy
from tests.kit import CANCELLED, OPTIONS, Stage, settle_down, stage

ALLOW_ONLY = [{"optionId": "a", "name": "Yes", "kind": "allow_always"}]
MENU = [
    {"optionId": "a", "name": "Plan A", "kind": "allow_once"},
    {"optionId": "b", "name": "Plan B", "kind": "allow_once"},
]
VENDOR = [{"optionId": "approve_for_session", "name": "?", "kind": "_acme"}]


def selected(option_id: str) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


async def test_a_request_shows_what_it_is_about(scene: Stage) -> None:
    """V2-PER-01, V2-PER-02, V1-PER-01, V2-TOL-12, CP-11: the tool call is made by it when nobody announced it."""
    scene.ask("new", kind="execute")
    question = scene.questions[0]
    assert question.title
    assert question.tool_call is not None
    assert (question.tool_call.title, question.tool_call.kind) == ("Edit a file", "execute")
    scene.questions[0].select("yes")
    scene.tool_update("new", status="completed")
    assert scene.status("new") == "completed"


async def test_the_title_of_a_request_is_not_that_of_its_tool_call(scene2: Stage) -> None:
    """V2-PER-02: nor its description."""
    params = {**scene2.permission_params("t1"), "description": "because"}
    scene2.request("session/request_permission", params)
    question = scene2.questions[0]
    assert (question.title, question.description) == ("Edit a file?", "because")
    assert question.tool_call is not None
    assert question.tool_call.title == "Edit a file"


async def test_only_offered_options_can_be_chosen_and_go_back_unchanged(scene: Stage) -> None:
    """V2-PER-04, V1-PER-02, CP-14: ids are opaque; another one is our own mistake and leaves it open."""
    request_id = scene.ask(options=[{"optionId": " Weird/ID ", "name": "x", "kind": "allow_once"}])
    question = scene.questions[0]
    with pytest.raises(UsageError, match="not offered"):
        question.select("yes")
    assert question.open
    assert question.select(question.options[0])
    assert scene.answer_to(request_id)["result"] == selected(" Weird/ID ")


async def test_dismissing_is_not_approving(scene: Stage) -> None:
    """V2-PER-05, V1-PER-05: the outcome cancelled."""
    request_id = scene.ask()
    question = scene.questions[0]
    assert question.cancel()
    assert not question.cancel()
    assert scene.answer_to(request_id)["result"] == CANCELLED
    assert question.ended_by is EndedBy.HOST


@pytest.mark.parametrize(
    "change",
    [
        {"options": []},
        {"options": None},
        {"options": [OPTIONS[0], OPTIONS[0]]},
        {"options": [{"optionId": "a", "name": "x"}]},
        {"title": None},
        {"subject": {"type": "tool_call"}},
        {"subject": {"type": "command", "command": 5, "cwd": "/"}},
        {"subject": {"type": "tool_call", "toolCall": {"title": "no id"}}},
    ],
)
async def test_malformed_requests_of_version_2_are_invalid_params(scene2: Stage, change: dict[str, Any]) -> None:
    """V2-PER-03, V2-PER-08: a known subject that is broken is not shown as a generic question."""
    request_id = scene2.request("session/request_permission", {**scene2.permission_params(), **change})
    assert scene2.answer_to(request_id)["error"]["code"] == -32602
    assert scene2.session.pending == ()


async def test_unknown_kinds_of_options_are_invalid_in_version_1(scene1: Stage) -> None:
    """V1-PER-03: the set is closed."""
    assert scene1.answer_to(scene1.ask(options=VENDOR))["error"]["code"] == -32602


async def test_a_request_without_options_can_only_be_cancelled(version: int) -> None:
    """V1-PER-06: never `selected`."""
    async with stage(1, permissions=permissions.allow_all) as scene:
        params = {**scene.permission_params(), "options": []}
        assert scene.answer_to(scene.request("session/request_permission", params))["result"] == CANCELLED


@pytest.mark.parametrize(
    ("subject", "command"),
    [
        ({"type": "command", "command": "ls", "cwd": "/w", "toolCallId": "t1"}, "ls"),
        ({"type": "_acme/thing", "x": 1}, None),
        ({"type": "future"}, None),
        (None, None),
    ],
)
async def test_every_other_subject_is_a_question_too(scene2: Stage, subject: Any, command: str | None) -> None:
    """V2-PER-06, V2-PER-07: shown, raw kept, and a command is never run here."""
    params = {**scene2.permission_params(None), "subject": subject}
    scene2.request("session/request_permission", params)
    question = scene2.questions[0]
    assert question.command == command
    assert question.raw["subject"] == subject


async def test_unknown_kinds_of_options_are_never_an_approval_by_themselves(version: int) -> None:
    """V2-PER-09, V2-PER-11: kept and shown; no policy picks them, and "always" is a hint for the agent."""
    async with stage(2, permissions=permissions.allow_all) as scene:
        request_id = scene.ask(options=VENDOR)
        assert scene.answer_to(request_id)["result"] == CANCELLED
        other = scene.ask(options=ALLOW_ONLY)
        assert scene.answer_to(other)["result"] == CANCELLED


async def test_policies_answer_before_anybody_is_asked(version: int) -> None:
    """V2-PER-10, V1-PER-04, CP-12, CP-14: allow once, deny once, never across; a menu is for a person."""
    cases: list[tuple[Any, list[dict[str, str]], Any]] = [
        (permissions.allow_all, OPTIONS, selected("yes")),
        (permissions.deny_all, OPTIONS, selected("no")),
        (permissions.deny_all, list(reversed(OPTIONS)), selected("no")),
        (permissions.deny_all, ALLOW_ONLY, CANCELLED),
        (permissions.allow_all, ALLOW_ONLY, CANCELLED),
        (permissions.allow_all, MENU, None),
        (lambda question: Verdict.CANCEL, OPTIONS, CANCELLED),
        (permissions.ask, OPTIONS, None),
    ]
    for policy, options, answer in cases:
        async with stage(version, permissions=policy) as scene:
            answers = scene.answers_to(scene.ask(options=options))
            assert [m["result"] for m in answers] == ([] if answer is None else [answer])


async def test_policies_compose_by_kind(version: int) -> None:
    """Ours: reads are allowed, the rest goes on to the next policy, and then to the host."""
    policy = permissions.first_of(permissions.allow_reads, permissions.allow(["fetch"]))
    async with stage(version, permissions=policy) as scene:
        for kind, allowed in (("read", True), ("search", True), ("fetch", True), ("edit", False), ("other", False)):
            assert bool(scene.answers_to(scene.ask(f"t-{kind}", kind=kind))) == allowed


async def test_a_failing_policy_grants_nothing(version: int) -> None:
    """Ours: reported, and the host is asked."""

    def broken(question: PendingPermission) -> Verdict:
        raise RuntimeError("bug")

    for policy in (broken, lambda question: "whatever"):
        async with stage(version, permissions=policy) as scene:
            assert scene.answers_to(scene.ask()) == []
            assert len(scene.questions) == 1


@pytest.mark.parametrize(("reply", "answer"), [(ALLOW, "yes"), (DENY, "no"), ("always", "always"), (None, None)])
async def test_handlers_answer_by_what_they_return(version: int, reply: Any, answer: str | None) -> None:
    """HE-05, ours: coroutine and plain functions alike; a forgotten return is no answer, so nothing is granted."""

    class Replying(Host):
        async def request_permission(self, question: PendingPermission) -> Any:
            return reply

    class Blocking(Host):
        def request_permission(self, question: PendingPermission) -> Any:
            return reply

    for host in (Replying(), Blocking()):
        async with stage(version, host) as scene:
            request_id = scene.ask()
            result = (await scene.agent.answer_to(request_id))["result"]
            assert result == (CANCELLED if answer is None else selected(answer))


async def test_a_host_that_provides_nothing_declines(version: int) -> None:
    """FC-05, V2-PER-12, CP-12: rejected once, never approved; elicitations were not advertised."""
    async with stage(version, Host()) as scene:
        answer = await scene.agent.answer_to(scene.ask())
        assert answer["result"] == selected("no")
        assert scene.answer_to(scene.elicit())["error"]["code"] == -32602


async def test_custom_outcomes_are_not_made_up(scene: Stage) -> None:
    """V2-PER-13, V2-ELI-18: the client has no outcome or action of its own."""
    ids = [scene.ask(), scene.ask("t2"), scene.elicit()]
    scene.questions[0].cancel()
    scene.questions[0].deny()
    scene.session.pending[-1].cancel()
    text = str([scene.answer_to(request_id) for request_id in ids])
    assert "'_" not in text


# elicitation


def elicitation(scene: Stage) -> PendingElicitation:
    question = scene.session.pending[-1]
    assert isinstance(question, PendingElicitation)
    return question


async def test_modes_that_were_not_advertised_are_refused(version: int) -> None:
    """V2-ELI-01: unknown ones too; never rendered as a known one."""

    class FormsOnly(Host):
        async def elicit(self, question: PendingElicitation) -> Any:
            raise AssertionError("not asked")

    async with stage(version, FormsOnly()) as scene:
        assert scene.answer_to(scene.elicit("url"))["error"]["code"] == -32602
        params = {"mode": "_holo", "sessionId": "s1", "message": "?"}
        assert scene.answer_to(scene.request("elicitation/create", params))["error"]["code"] == -32602


@pytest.mark.parametrize("scope", [{}, {"sessionId": "s1", "requestId": 1}, {"sessionId": None, "requestId": 1}])
async def test_exactly_one_scope_is_named_in_version_2(scene2: Stage, scope: dict[str, Any]) -> None:
    """V2-ELI-02: a key that is there counts, also with null."""
    params = {"mode": "url", "message": "?", "elicitationId": "e", "url": "https://x.y", **scope}
    assert scene2.answer_to(scene2.request("elicitation/create", params))["error"]["code"] == -32602


async def test_a_question_outside_a_session_names_a_request(scene2: Stage) -> None:
    """V2-ELI-03: an opaque association, for a login for instance."""
    params = {"mode": "url", "message": "?", "elicitationId": "e", "url": "https://x.y", "requestId": "abc"}
    request_id = scene2.request("elicitation/create", params)
    (question,) = await scene2.asked()
    assert isinstance(question, PendingElicitation)
    assert (question.session_id, question.request_id) == (None, "abc")
    question.decline()
    assert scene2.answer_to(request_id)["result"] == {"action": "decline"}


async def test_the_host_gets_all_it_needs_to_show(scene: Stage) -> None:
    """V2-ELI-04, V2-ELI-05, V2-ELI-06, V2-ELI-10, V2-ELI-13, V2-ELI-14, V2-ELI-19: schema and URL whole."""
    schema = {
        "type": "object",
        "properties": {
            "env": {"type": "string", "pattern": "(a+)+$", "default": "dev", "oneOf": [{"const": "dev", "title": "D"}]},
            "n": {"type": "integer", "minimum": 1, "maximum": 5},
            "ok": {"type": "boolean", "default": True},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["a"]}},
        },
        "required": ["env"],
    }
    scene.elicit(requestedSchema=schema)
    form = elicitation(scene)
    assert (form.mode, form.message, form.schema) == ("form", "Where to?", schema)
    scene.elicit("url")
    assert elicitation(scene).url == "https://example.com/login"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "properties": {}},
        {"type": "object", "properties": {"a": {"type": "string", "minLength": "x"}}},
        {"type": "object", "properties": {"a": {"type": "integer", "minimum": "x"}}},
        {"type": "object", "properties": 5},
    ],
)
async def test_malformed_constraints_make_the_request_invalid(scene2: Stage, schema: Any) -> None:
    """V2-ELI-05, V2-ELI-07: never lenient."""
    assert scene2.answer_to(scene2.elicit(requestedSchema=schema))["error"]["code"] == -32602


async def test_unknown_property_types_are_kept_raw(scene2: Stage) -> None:
    """V2-ELI-08, V2-ELI-09: the host decides whether it can fill them; unknown formats are annotations."""
    properties = {"a": {"type": "_color"}, "b": {"type": "string", "format": "_x", "default": 5, "title": 7}}
    scene2.elicit(requestedSchema={"type": "object", "properties": properties})
    form = elicitation(scene2)
    assert form.schema is not None
    assert form.schema["properties"] == properties


async def test_values_keep_their_json_types(scene: Stage) -> None:
    """V2-ELI-11, V2-ELI-12: strings, numbers, booleans, lists of strings; what JSON cannot say is refused here."""
    request_id = scene.elicit()
    content = {"s": "x", "i": 1, "f": 1.5, "b": True, "l": ["a"]}
    with pytest.raises(UsageError):
        elicitation(scene).accept({"x": float("nan")})
    elicitation(scene).accept(content)
    assert scene.answer_to(request_id)["result"] == {"action": "accept", "content": content}


async def test_a_completion_that_never_comes_holds_up_nothing(scene: Stage) -> None:
    """V2-ELI-15, V2-ELI-16: consent is the answer; the turn goes on without a completion."""
    request_id = scene.elicit("url")
    elicitation(scene).accept()
    assert scene.answer_to(request_id)["result"] == {"action": "accept"}
    assert scene.session.pending == ()


async def test_version_2_serves_no_files_and_no_terminals(scene2: Stage) -> None:
    """V2-TRM-13, V2-NTC-02, V2-DIF-04: these are the agent's own; patches are data here, nothing applies them."""
    for method in ("fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output"):
        assert scene2.answer_to(scene2.request(method, {"sessionId": "s1"}))["error"]["code"] == -32601
    await settle_down()
