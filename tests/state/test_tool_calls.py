"""Tool calls: patches, resets, content, and what a cancel does to them."""

from __future__ import annotations

from typing import Any

import pytest

from acp_client.state.content import Text, UnknownContent
from acp_client.state.events import ItemChanged
from acp_client.state.items import Diff, FileChange, Location, TerminalRef
from tests.state.support import Session, Wire, chunk, state, text, tool_call, tool_update, wrapped

FULL: Wire = {
    "name": "edit_file",
    "title": "Edit",
    "kind": "edit",
    "status": "in_progress",
    "content": [wrapped(text("x"))],
    "locations": [{"path": "/a", "line": 3}],
    "rawInput": {"n": 1},
    "rawOutput": [2],
}


def test_the_first_update_creates_with_defaults(two: Session) -> None:
    """Spec MUST (V2-TOL-01, V2-TOL-03): there is no announcement; kind other, status pending, nothing else."""
    event = two.update(tool_update())
    call = two.tool()
    assert (call.title, call.name, call.kind, call.status) == (None, None, "other", "pending")
    assert (call.content, call.locations, call.raw_input, call.raw_output, call.can_cancel) == (
        (),
        (),
        None,
        None,
        False,
    )
    assert isinstance(event, ItemChanged)
    assert (event.key, event.kind, event.count) == ("tool:t1", "tool_call", 1)


@pytest.mark.parametrize("field", FULL)
def test_an_omitted_field_stays(session: Session, field: str) -> None:
    """Spec MUST (V2-TOL-02, fault SO-10): an update says only what it mentions."""
    session.update(tool_update(**FULL))
    before = session.tool()
    session.update(tool_update(**{key: value for key, value in FULL.items() if key != field}))
    assert session.tool() == before


@pytest.mark.parametrize(
    ("field", "attribute", "reset"),
    [
        ("name", "name", None),
        ("title", "title", None),
        ("kind", "kind", "other"),
        ("status", "status", "pending"),
        ("content", "content", ()),
        ("locations", "locations", ()),
        ("rawInput", "raw_input", None),
        ("rawOutput", "raw_output", None),
    ],
)
def test_null_resets_in_version_2_and_means_unchanged_in_version_1(
    one: Session, two: Session, field: str, attribute: str, reset: Any
) -> None:
    """Spec MUST (V2-TOL-03, V2-TOL-10, V2-PAR-06; v1 section 7): the one field in which null differs."""
    for session in (one, two):
        session.update(tool_update(**FULL))
    before = getattr(one.tool(), attribute)
    nothing: Wire = {field: None}
    one.update(tool_update(**nothing))
    two.update(tool_update(**nothing))
    assert getattr(one.tool(), attribute) == before
    assert getattr(two.tool(), attribute) == reset


def test_arrays_replace_and_an_empty_one_clears(session: Session) -> None:
    """Spec MUST (V2-TOL-04, fault SO-10): content is not appended twice; [] empties content only."""
    session.update(tool_update(**FULL))
    session.update(tool_update(content=[wrapped(text("y"))], locations=[{"path": "/b"}]))
    assert session.tool().content == (Text("y"),)
    assert session.tool().locations == (Location("/b"),)
    session.update(tool_update(content=[]))
    assert session.tool().content == ()
    assert session.tool().locations == (Location("/b"),)
    assert (session.tool().title, session.tool().raw_output) == ("Edit", [2])
    session.update(tool_update(locations=[]))
    assert session.tool().locations == ()


def test_a_chunk_appends_one_item_and_may_come_first(two: Session) -> None:
    """Spec MUST (V2-TOL-04): a chunk for an unseen id creates the call with defaults."""
    raw = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t1"}
    two.play(raw | {"content": wrapped(text("a"))}, raw | {"content": {"type": "terminal", "terminalId": "x"}})
    assert two.tool().content == (Text("a"), TerminalRef("x"))
    assert (two.tool().kind, two.tool().status) == ("other", "pending")
    two.update(tool_update(content=[wrapped(text("b"))]))
    two.update(raw | {"content": wrapped(text("c"))})
    assert two.tool().content == (Text("b"), Text("c"))


def test_unknown_kinds_and_statuses_are_kept(two: Session) -> None:
    """Spec MUST (V2-TOL-05, V2-TOL-06): an unknown status is in progress, a known final one is not."""
    two.update(tool_update(kind="_dream", status="_half_done"))
    assert (two.tool().kind, two.tool().status, two.tool().finished) == ("_dream", "_half_done", False)
    assert two.store.open_tool_calls() == ("t1",)
    two.play(tool_update(status="paused"), tool_update("t2", status="paused"), tool_update("t2", status="in_progress"))
    assert two.store.open_tool_calls() == ("t1", "t2")
    two.play(tool_update(status="failed"), tool_update("t2", status="cancelled"))
    assert two.store.open_tool_calls() == ()


def test_closed_enums_of_version_1(one: Session) -> None:
    """Spec MUST (V1-UPD-03, V1-UPD-04): unknown means default in an announcement and unchanged in an update."""
    one.update(tool_call(kind="dream", status="half"))
    assert (one.tool().kind, one.tool().status) == ("other", "pending")
    one.update(tool_update(kind="edit", status="in_progress"))
    one.update(tool_update(kind="dream", status="half", title=5))
    assert (one.tool().kind, one.tool().status, one.tool().title) == ("edit", "in_progress", "Edit")


def test_malformed_items_are_left_out(session: Session) -> None:
    """Spec MUST (V1-UPD-02, V2-PAR-03): bad content and bad locations are dropped one by one."""
    session.update(
        tool_update(
            title="T",
            content=[wrapped(text("a")), {"type": "content"}, 3],
            locations=[{"path": "/a"}, {"line": 1}, {"path": "/b", "line": "x"}],
        )
    )
    assert session.tool().content == (Text("a"),)
    assert session.tool().locations == (Location("/a"), Location("/b"))


def test_a_malformed_field_of_a_patch_changes_nothing(two: Session) -> None:
    """Spec MUST (V2-PAR-01): on a patch field, invalid means omitted."""
    two.update(tool_update(**FULL))
    before = two.tool()
    two.update(tool_update(title=5, kind=[], status={}, content="x", locations=1))
    assert two.tool() == before


def test_lines_count_from_one(session: Session) -> None:
    """Spec MUST (V2-TOL-09): line 0 says nothing."""
    session.update(tool_update(locations=[{"path": "/a", "line": 0}, {"path": "/b", "line": 1}]))
    assert session.tool().locations == (Location("/a"), Location("/b", 1))


def test_updates_do_not_change_the_state(two: Session) -> None:
    """Spec MUST (V2-TOL-07, V2-STA-09): background work may report while idle."""
    two.play(state("idle", stopReason="end_turn"), tool_update(status="in_progress"), chunk("late"))
    assert (two.now.state, two.now.stop_reason) == ("idle", "end_turn")


def test_content_of_every_kind(two: Session) -> None:
    """Spec MUST (V2-TOL-08): blocks, diffs, terminal references, and unknown ones kept raw."""
    unknown = {"type": "_chart", "data": [1]}
    changes = [{"operation": "add", "path": "/a"}]
    two.update(
        tool_update(
            content=[
                wrapped(text("a")),
                {"type": "diff", "changes": changes},
                {"type": "terminal", "terminalId": "x1"},
                unknown,
            ]
        )
    )
    diff = Diff(changes=(FileChange(operation="add", path="/a"),))
    assert two.tool().content == (Text("a"), diff, TerminalRef("x1"), UnknownContent("_chart", unknown))


def test_a_terminal_that_nobody_created_is_shown(one: Session) -> None:
    """Spec MUST (V1-UPD-06): recorded; the reference is kept, and there is no output."""
    one.update(tool_call(content=[{"type": "terminal", "terminalId": "unknown"}]))
    assert one.tool().content == (TerminalRef("unknown"),)
    assert one.now.terminals == {}


def test_the_tool_call_of_a_permission_request_is_applied(session: Session) -> None:
    """Spec MUST (V2-TOL-11, V1-PER-01): like an update, in order; it is none of the agent's updates."""
    session.update(tool_update(title="Edit", kind="edit"))
    model = session.model("ToolCallUpdate", {"toolCallId": "t1", "status": "pending", "title": "Edit f"})
    event = session.reducer.apply_tool_call(model)
    assert (session.tool().title, session.tool().kind) == ("Edit f", "edit")
    assert (event.key, event.count) == ("tool:t1", 0)


def test_capabilities_are_a_patch_and_malformed_ones_clear(two: Session) -> None:
    """Spec MUST (CAN-70, V2-TOL-13): omit keeps; null, {}, {"cancel": null} and nonsense clear."""
    assert not two.store.can_cancel("tool_call", "t1")
    for clearing in (None, {}, {"cancel": None}, "nonsense", {"cancel": 5}):
        two.update(tool_update(capabilities={"cancel": {}}))
        two.update(tool_update(title="still"))
        assert two.store.can_cancel("tool_call", "t1")
        two.update(tool_update(capabilities=clearing))
        assert not two.store.can_cancel("tool_call", "t1")


def test_metadata_is_patched_in_version_2_and_replaced_in_version_1(one: Session, two: Session) -> None:
    """Spec MUST (V2-PAR-07; v1 section 13: never a key patch there)."""
    for session in (one, two):
        session.play(tool_update(_meta={"a": 1}), tool_update(), tool_update(_meta={"b": 2}))
    assert one.tool().meta == {"b": 2}
    assert two.tool().meta == {"a": 1, "b": 2}


class TestVersion1:
    def test_an_announcement_creates(self, one: Session) -> None:
        """Spec (v1 section 7): title required; defaults other, pending, empty."""
        one.update(tool_call())
        call = one.tool()
        assert (call.title, call.kind, call.status, call.content, call.locations) == (
            "Edit",
            "other",
            "pending",
            (),
            (),
        )

    def test_an_update_for_an_unknown_id_creates(self, one: Session) -> None:
        """Ours: recorded, an agent announces a call only in its permission request; there must be something to show."""
        one.update(tool_update("t7", status="completed"))
        assert (one.tool("t7").title, one.tool("t7").status) == ("t7", "completed")
        one.update(tool_update("t8", name="write_file"))
        assert one.tool("t8").title == "write_file"
        one.update(tool_update("t8", title="Write"))
        assert one.tool("t8").title == "Write"

    def test_a_second_announcement_wipes_nothing(self, one: Session) -> None:
        """Fault SO-10: recorded, some agents patch a call by announcing it again."""
        one.play(tool_update(**FULL), tool_call(title="Edit f"))
        assert one.tool().title == "Edit f"
        assert (one.tool().kind, one.tool().status, one.tool().content) == ("edit", "in_progress", (Text("x"),))

    def test_a_diff_carries_the_texts(self, one: Session) -> None:
        """Spec (v1 section 7): no old text, or null, is a new file."""
        one.update(
            tool_call(
                content=[
                    {"type": "diff", "path": "/a", "oldText": "1", "newText": "2"},
                    {"type": "diff", "path": "/b", "oldText": None, "newText": "3"},
                    {"type": "diff", "path": "/c", "newText": "4"},
                ]
            )
        )
        assert one.tool().content == (
            Diff(changes=(FileChange(operation="modify", path="/a", old_text="1", new_text="2"),)),
            Diff(changes=(FileChange(operation="add", path="/b", new_text="3"),)),
            Diff(changes=(FileChange(operation="add", path="/c", new_text="4"),)),
        )


class TestDiffsOfVersion2:
    def diff(self, two: Session, **members: Any) -> Diff:
        two.update(tool_update(content=[{"type": "diff", **members}]))
        found = two.tool().content[0]
        assert isinstance(found, Diff)
        return found

    def test_changes_count_and_the_patch_may_be_missing(self, two: Session) -> None:
        """Spec MUST (V2-DIF-01): omitted and null alike."""
        changes = [{"operation": "modify", "path": "/a"}]
        for members in ({}, {"patch": None}):
            diff = self.diff(two, changes=changes, **members)
            assert (diff.changes, diff.patch) == ((FileChange(operation="modify", path="/a"),), None)

    def test_operations(self, two: Session) -> None:
        """Spec MUST (V2-DIF-02): known ones with their paths, unknown ones whole, invalid ones left out."""
        unknown = {"operation": "_touch", "path": "/t", "when": 1}
        diff = self.diff(
            two,
            changes=[
                {"operation": "add", "path": "/a", "fileType": "text", "mimeType": "text/plain"},
                {"operation": "delete", "path": "/d"},
                {"operation": "move", "oldPath": "/m", "path": "/n"},
                {"operation": "copy", "oldPath": "/c", "path": "/e", "fileType": 7},
                {"operation": "move", "path": "/n"},
                {"operation": "add"},
                unknown,
                "nonsense",
            ],
        )
        assert diff.changes == (
            FileChange(operation="add", path="/a", file_type="text", mime_type="text/plain"),
            FileChange(operation="delete", path="/d"),
            FileChange(operation="move", path="/n", old_path="/m"),
            FileChange(operation="copy", path="/e", old_path="/c"),
            FileChange(operation="_touch", path="/t", raw=unknown),
        )

    def test_patches_are_kept_as_they_came(self, two: Session) -> None:
        """Spec MUST (V2-DIF-03): also of a format that nobody knows; a malformed one counts as missing."""
        for kind in ("git_patch", "_ed"):
            diff = self.diff(two, changes=[], patch={"format": kind, "text": "--- /dev/null\n"})
            assert (diff.patch, diff.patch_format) == ("--- /dev/null\n", kind)
        assert self.diff(two, changes=[], patch={"format": "git_patch"}).patch is None


class TestCancelling:
    def test_unfinished_calls_show_as_cancelled_at_once(self, session: Session) -> None:
        """Spec SHOULD (CAN-36, fault SO-20): all that run, none that ended."""
        session.play(
            tool_update("t1", status="in_progress"),
            tool_update("t2", status="completed"),
            tool_update("t3"),
        )
        events = session.reducer.mark_cancelled()
        assert [(e.key, e.kind, e.count) for e in events] == [("tool:t1", "tool_call", 0), ("tool:t3", "tool_call", 0)]
        assert [(c.status, c.cancelled_locally) for c in session.now.tool_calls] == [
            ("cancelled", True),
            ("completed", False),
            ("cancelled", True),
        ]
        assert session.store.open_tool_calls() == ()

    def test_listed_background_work_keeps_its_status(self, two: Session) -> None:
        """Spec SHOULD (CAN-37): and an update that lists nothing takes nothing off the list."""
        two.play(
            tool_update("t1", status="in_progress"),
            tool_update("t9", status="in_progress"),
            state("running", background=[{"type": "tool_call", "toolCallId": "t9"}]),
            state("requires_action"),
        )
        two.reducer.mark_cancelled()
        assert (two.tool("t1").status, two.tool("t9").status) == ("cancelled", "in_progress")

    def test_a_terminal_of_the_same_id_protects_nothing(self, two: Session) -> None:
        """Spec MUST (V2-TRM-12): terminal and tool call ids have nothing to do with each other."""
        two.play(
            tool_update("t1", status="in_progress"),
            state("running", background=[{"type": "terminal", "terminalId": "t1"}]),
        )
        two.reducer.mark_cancelled()
        assert two.tool("t1").status == "cancelled"
        assert two.store.background_keys() == {("terminal", "t1")}

    def test_later_updates_win(self, session: Session) -> None:
        """Spec SHOULD (CAN-38): a status overrides the mark; an update without one leaves it."""
        session.update(tool_update(status="in_progress"))
        session.reducer.mark_cancelled()
        session.update(tool_update(title="Edit f"))
        assert (session.tool().status, session.tool().cancelled_locally) == ("cancelled", True)
        session.update(tool_update(status="completed"))
        assert (session.tool().status, session.tool().cancelled_locally) == ("completed", False)

    def test_a_call_that_goes_on_is_open_again(self, session: Session) -> None:
        """Ours: what the agent says counts, also for the list of open calls."""
        session.play(tool_update("t1", status="in_progress"), tool_update("t2", status="in_progress"))
        session.reducer.mark_cancelled()
        session.update(tool_update("t1", status="in_progress"))
        assert session.store.open_tool_calls() == ("t1",)
        assert not session.store.is_cancelled("t1")
        assert session.store.is_running("tool_call", "t1")

    def test_what_is_cancelled_is_remembered(self, session: Session) -> None:
        """Spec SHOULD (CAN-33): known for later permission requests of the same call."""
        session.play(tool_update("t1", status="in_progress"), tool_update("t2", status="in_progress"))
        session.reducer.mark_cancelled(["t1"])
        assert session.store.is_cancelled("t1")
        assert not session.store.is_cancelled("t2")
        assert not session.store.is_cancelled("never seen")
        assert not session.store.is_running("tool_call", "never seen")

    def test_nothing_to_cancel_changes_nothing(self, session: Session) -> None:
        """Ours: no event and the same snapshot."""
        session.update(tool_update(status="completed"))
        before = session.now
        assert session.reducer.mark_cancelled() == []
        assert session.reducer.mark_cancelled(["unknown"]) == []
        assert session.now is before
