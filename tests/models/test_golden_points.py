"""What the readers must get right, in examples written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from acp_client.errors import InvalidModel
from acp_client.models import v1, v2
from acp_client.models.base import UNSET
from acp_client.models.convert import structure, unstructure

TEXT = {"type": "text", "text": "hello"}
DEEP: Any = "the end"
for _ in range(400):
    DEEP = [DEEP]


@pytest.mark.parametrize("package", [v1, v2])
def test_a_known_tag_with_a_broken_payload_is_an_error_and_not_unknown(package: Any) -> None:
    """FC-08: by tag, never by which fields happen to fit."""
    with pytest.raises(InvalidModel, match="text: expected a value, the member is required"):
        structure(package.ContentBlock, {"type": "text", "uri": "file:///x", "name": "a link?"})


def test_unknown_tags_are_kept_whole_where_the_union_is_open() -> None:
    """FC-08: version 2 keeps them, with and without an underscore; version 1 closes this union."""
    for tag in ("_acme/card", "hologram"):
        raw = {"type": tag, "payload": {"n": 2**70}, "_meta": None}
        block = structure(v2.ContentBlock, raw)
        assert (type(block), block.tag, unstructure(block)) == (v2.UnknownContentBlock, tag, raw)
        with pytest.raises(InvalidModel, match="type: expected one of"):
            structure(v1.ContentBlock, raw)
    malformed: list[Any] = [{}, {"type": 7}, {"type": None}, [], "text", None]
    for broken in malformed:
        with pytest.raises(InvalidModel):
            structure(v2.ContentBlock, broken)


def test_nested_tags_stand_in_one_object() -> None:
    """FC-08: an update, a state update and an idle state are read from the same object, and written into one."""
    wire = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn", "_meta": {"a": 1}}
    update = structure(v2.SessionUpdate, wire)
    assert isinstance(update, v2.IdleStateUpdate)
    assert update.extra is None
    notification = structure(v2.UpdateSessionNotification, {"sessionId": "s", "update": wire})
    assert unstructure(notification) == {"sessionId": "s", "update": wire}


def test_marks_for_generators_mean_nothing() -> None:
    """V2-PAR-09: `x-side`, `x-method` and `x-docs-ignore` in a message are unknown members like any other."""
    marks = {"x-side": "client", "x-method": "session/other", "x-docs-ignore": True}
    update = structure(v2.SessionUpdate, {"sessionUpdate": "usage_update", "used": 1, "size": 2, **marks})
    assert isinstance(update, v2.UsageUpdate)
    assert update.extra == marks
    assert unstructure(update) == {"sessionUpdate": "usage_update", "used": 1, "size": 2, **marks}


def test_omitted_null_and_a_value_are_three_things_where_they_are() -> None:
    """Ours: patches of version 2 tell them apart and write them again; version 1 has two for the same message."""
    for wire, value in (({}, UNSET), ({"title": None}, None), ({"title": "T"}, "T")):
        update = structure(v2.ToolCallUpdate, {"toolCallId": "t", **wire})
        assert update.title == value
        assert unstructure(update) == {"toolCallId": "t", "sessionUpdate": "tool_call_update", **wire}
    nothing, null = (structure(v1.ToolCallUpdate, {"toolCallId": "t", **wire}) for wire in ({}, {"title": None}))
    assert nothing == null
    assert not UNSET
    assert UNSET is not None


def test_a_broken_value_counts_as_missing_where_the_schema_says_so() -> None:
    """Ours: lenient members fall back to their default, others are errors."""
    annotated = structure(v2.TextContent, {**TEXT, "annotations": "nonsense"})
    assert annotated.annotations is None
    with pytest.raises(InvalidModel, match="text: expected a string"):
        structure(v2.TextContent, {"type": "text", "text": 7})


def test_broken_items_are_left_out_where_the_schema_says_so() -> None:
    """Ours: the rest of the list is kept, in order; elsewhere one broken item breaks the whole."""
    plan = {"type": "items", "planId": "p", "entries": [{"content": "a", "priority": "high", "status": "pending"}, 7]}
    items = structure(v2.PlanUpdateContent, plan)
    assert isinstance(items, v2.PlanItems)
    assert [entry.content for entry in items.entries] == ["a"]
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}, 7]
    request = {"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": options}
    with pytest.raises(InvalidModel, match=r"options\[1\]"):
        structure(v1.RequestPermissionRequest, request)


@pytest.mark.parametrize("number", [0, -(2**63), 2**63 - 1])
def test_integers_keep_their_kind_and_booleans_are_none(number: int) -> None:
    """Ours: true is no 1, 1.0 is 1 where an integer is asked for, and what is out of range is refused."""
    assert structure(v2.Error, {"code": number % 2**31, "message": "m"}).code == number % 2**31
    assert type(structure(v2.Error, {"code": 1.0, "message": "m"}).code) is int
    for broken in (True, 1.5, "1", 2**80):
        with pytest.raises(InvalidModel, match="code"):
            structure(v2.Error, {"code": broken, "message": "m"})


@pytest.mark.parametrize(
    "value", [None, 0, False, "", [], {}, 2**80, DEEP, "\ud83d"], ids=lambda value: type(value).__name__
)
def test_any_json_is_not_looked_into(value: Any) -> None:
    """Ours: raw input and output may be anything, null included, and come back as they came."""
    wire = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawInput": value, "rawOutput": value}
    update = structure(v2.SessionUpdate, wire)
    assert update.raw_input == value
    assert unstructure(update) == wire


def test_empty_objects_are_information() -> None:
    """Ours: a capability that is an empty object is there; `{}` survives."""
    wire: dict[str, Any] = {"session": {"prompt": {"image": {}}, "delete": {}}}
    offered = structure(v2.AgentCapabilities, wire)
    assert offered.session is not None
    assert offered.session.delete is not None
    assert offered.session.prompt is not None
    assert offered.session.prompt.audio is None
    assert unstructure(offered) == wire


def test_answers_of_a_form_keep_their_json_types() -> None:
    """V2-ELI-11: true stays a boolean, 1 an integer, 1.5 a number, and lists stay lists."""
    content = {"a": True, "b": 1, "c": 1.5, "d": "1", "e": ["x", "y"]}
    accepted = structure(v2.CreateElicitationResponse, {"action": "accept", "content": content})
    assert unstructure(accepted) == {"action": "accept", "content": content}
    assert [type(value) for value in accepted.content.values()] == [bool, int, float, str, list]


def test_properties_of_a_form_keep_their_order() -> None:
    """Ours: it is the order in which they are shown."""
    properties = {name: {"type": "string"} for name in ("zeta", "alpha", "mid")}
    schema = structure(v2.ElicitationSchema, {"type": "object", "properties": properties})
    assert list(schema.properties) == ["zeta", "alpha", "mid"]


def test_errors_name_the_place_and_never_the_value() -> None:
    """Ours: what stands there may be a secret."""
    with pytest.raises(InvalidModel) as caught:
        structure(v2.NewSessionRequest, {"cwd": 12345})
    assert "cwd" in str(caught.value)
    assert "12345" not in str(caught.value)
    made = structure(
        v2.NewSessionRequest,
        {
            "cwd": "/",
            "mcpServers": [
                {"type": "stdio", "name": "n", "command": "c", "env": [{"name": "K", "value": "s3cret"}]},
                {"type": "http", "name": "n", "url": "http://x", "headers": [{"name": "A", "value": "s3cret"}]},
            ],
        },
    )
    assert "s3cret" not in repr(made)


def test_classes_say_where_they_come_from() -> None:
    """Ours: version, stability and the member names of the wire."""
    assert v2.ForkSessionRequest.UNSTABLE
    assert not v2.NewSessionRequest.UNSTABLE
    assert v2.NewSessionRequest.FIELDS["system_prompt"].unstable
    assert v2.NewSessionRequest.FIELDS["mcp_servers"].wire == "mcpServers"
    assert v1.AGENT_METHODS["session/prompt"].result is v1.PromptResponse
    assert v2.AGENT_METHODS["session/prompt"].params is v2.PromptRequest
    assert v1.CLIENT_METHODS["fs/read_text_file"].params is v1.ReadTextFileRequest
    assert "fs/read_text_file" not in v2.CLIENT_METHODS
