"""Terminals of a version 2 agent: bytes, exits, references."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_client.state.events import ItemChanged, OutputAppended, UnknownUpdate
from acp_client.state.items import TerminalRef
from tests.state.support import Session, Wire, tool_update


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def terminal(terminal_id: str = "x1", **members: Any) -> Wire:
    return {"sessionUpdate": "terminal_update", "terminalId": terminal_id, **members}


def output(data: bytes | str, terminal_id: str = "x1") -> Wire:
    value = data if isinstance(data, str) else encoded(data)
    return {"sessionUpdate": "terminal_output_chunk", "terminalId": terminal_id, "data": value}


FULL: Wire = {
    "command": "make",
    "cwd": "/w",
    "output": {"data": encoded(b"out")},
    "exitStatus": {"exitCode": 3, "signal": "SIGTERM"},
    "size": {"cols": 80, "rows": 24},
    "capabilities": {"cancel": {}},
}
ATTRIBUTES = {
    "command": (["command"], None),
    "cwd": (["cwd"], None),
    "output": (["output"], b""),
    "exitStatus": (["exit_code", "signal"], None),
    "size": (["cols", "rows"], None),
    "capabilities": (["can_cancel"], False),
}


@pytest.mark.parametrize("field", FULL)
def test_every_field_is_a_patch(two: Session, field: str) -> None:
    """Spec MUST (V2-TRM-01): omitted keeps, null clears."""
    event = two.update(terminal(**FULL))
    assert isinstance(event, ItemChanged)
    assert (event.key, event.kind) == ("terminal:x1", "terminal")
    before = two.terminal()
    two.update(terminal())
    assert two.terminal() == before
    nothing: Wire = {field: None}
    two.update(terminal(**nothing))
    names, cleared = ATTRIBUTES[field]
    assert [getattr(two.terminal(), name) for name in names] == [cleared] * len(names)
    assert [getattr(before, name) for name in names] != [cleared] * len(names), "an earlier snapshot stays"


def test_references_and_updates_come_in_either_order(two: Session) -> None:
    """Spec MUST (V2-TRM-02): state is kept for ids that no tool call names."""
    two.play(terminal("early"), tool_update(content=[{"type": "terminal", "terminalId": "late"}]), terminal("late"))
    assert two.tool().content == (TerminalRef("late"),)
    assert set(two.now.terminals) == {"early", "late"}


def test_chunks_are_decoded_one_by_one(two: Session) -> None:
    """Spec MUST (V2-TRM-03): padded chunks, which would be invalid when joined, are bytes in order."""
    events = two.play(output(b"a"), output(b"bc"), output(b"def"))
    assert two.terminal().output == b"abcdef"
    assert [(e.data, e.text) for e in events if isinstance(e, OutputAppended)] == [
        (b"a", "a"),
        (b"bc", "bc"),
        (b"def", "def"),
    ]


def test_a_snapshot_replaces_all_bytes(two: Session) -> None:
    """Spec MUST (V2-TRM-04): no merging; later chunks go on behind it; null clears."""
    two.play(output(b"old"), terminal(output={"data": encoded(b"new")}), output(b"er"))
    assert two.terminal().output == b"newer"
    two.play(terminal(output=None), output(b"x"))
    assert two.terminal().output == b"x"


def test_characters_may_be_cut_between_chunks(two: Session) -> None:
    """Spec MUST (V2-TRM-05): the decoder remembers; a snapshot resets it."""
    euro = "€".encode()
    events = two.play(output(euro[:1]), output(euro[1:]), output(euro[:2]), terminal(output=None), output(b"ok"))
    assert [event.text for event in events if isinstance(event, OutputAppended)] == ["", "€", "", "ok"]
    assert two.terminal().text == "ok"


def test_a_snapshot_may_end_within_a_character(two: Session) -> None:
    """Spec MUST (V2-TRM-05): the chunk behind it completes it."""
    euro = "€".encode()
    event = two.play(terminal(output={"data": encoded(b"a" + euro[:2])}), output(euro[2:] + b"b"))[1]
    assert isinstance(event, OutputAppended)
    assert event.text == "€b"
    assert two.terminal().text == "a€b"


def test_bytes_that_are_no_text_are_kept(two: Session) -> None:
    """Spec MUST (V2-TRM-06): the bytes as they came; their text shows a replacement."""
    two.update(output(b"a\xff\xfeb"))
    assert two.terminal().output == b"a\xff\xfeb"
    assert two.terminal().text == "a\ufffd\ufffdb"


@pytest.mark.parametrize("data", ["@@@", "YQ", "YQ==YQ==", "Y Q==", "é", "===="])
def test_invalid_base64_is_dropped(two: Session, data: str) -> None:
    """Spec MUST (V2-TRM-07): a chunk changes nothing and is reported; in a snapshot the field counts as omitted."""
    two.update(output(b"before"))
    event = two.update(output(data))
    assert isinstance(event, UnknownUpdate)
    assert (event.reason, event.raw["data"], event.count) == ("invalid", data, 1)
    two.update(terminal(output={"data": data}, command="make"))
    assert (two.terminal().output, two.terminal().command) == (b"before", "make")


def test_an_exit_status_means_exited_even_if_empty(two: Session) -> None:
    """Spec MUST (V2-TRM-08): codes may be negative or large, null clears."""
    assert not two.store.is_running("terminal", "x1")
    two.update(terminal())
    assert two.store.is_running("terminal", "x1")
    two.update(terminal(exitStatus={}))
    assert (two.terminal().exited, two.terminal().exit_code) == (True, None)
    assert not two.store.is_running("terminal", "x1")
    two.update(terminal(exitStatus={"exitCode": -(2**62)}))
    assert two.terminal().exit_code == -(2**62)
    two.update(terminal(exitStatus=None))
    assert not two.terminal().exited


def test_an_exit_is_not_the_end_of_the_tool_call_or_of_output(two: Session) -> None:
    """Spec MUST (V2-TRM-09, CAN-73): chunks still append, the tool call keeps its status."""
    two.play(tool_update(status="in_progress"), terminal(exitStatus={"signal": "SIGTERM"}), output(b"late"))
    assert two.terminal().output == b"late"
    assert two.tool().status == "in_progress"


def test_the_rest_of_a_character_shows_once_it_has_ended(two: Session) -> None:
    """Ours: what can never be completed is no text, and it is shown as that."""
    two.update(output(b"a\xe2\x82"))
    assert two.terminal().text == "a"
    two.update(terminal(exitStatus={}))
    assert two.terminal().text == "a\ufffd"


def test_sizes_and_malformed_fields(two: Session) -> None:
    """Spec (V2-TRM-11): 1 to 65535; everything else counts as omitted."""
    two.update(terminal(size={"cols": 80, "rows": 24}))
    two.update(terminal(size={"cols": 0, "rows": 24}, command=5, exitStatus="x"))
    assert (two.terminal().cols, two.terminal().rows, two.terminal().command) == (80, 24, None)
    assert not two.terminal().exited


def test_capabilities_allow_to_cancel(two: Session) -> None:
    """Spec MUST (CAN-70): as for tool calls, malformed ones clear."""
    assert not two.store.can_cancel("terminal", "x1")
    two.update(terminal(capabilities={"cancel": {}}))
    assert two.store.can_cancel("terminal", "x1")
    two.update(terminal(capabilities=[]))
    assert not two.store.can_cancel("terminal", "x1")


def test_metadata_is_a_patch_by_key(two: Session) -> None:
    """Spec MUST (V2-PAR-07)."""
    two.play(terminal(_meta={"a": 1}), terminal(_meta={"b": 2}), terminal(_meta={"a": None}))
    assert two.terminal().meta == {"b": 2}


@given(st.binary(max_size=60), st.data())
def test_any_cut_gives_the_same_bytes_and_text(data: bytes, draw: st.DataObject) -> None:
    """Law: however the output is cut, bytes, text and the texts of the events are the same."""
    session = Session(2)
    events = []
    rest = data
    while rest:
        size = draw.draw(st.integers(1, len(rest)))
        events.append(session.update(output(rest[:size])))
        rest = rest[size:]
    session.update(terminal(command="x"))
    whole = session.terminal()
    assert whole.output == data
    assert whole.text == "".join(event.text for event in events if isinstance(event, OutputAppended))
    session.update(terminal(exitStatus={}))
    assert session.terminal().text == data.decode("utf-8", "replace")
