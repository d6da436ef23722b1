"""The session itself: foreground state, background, commands, usage, title, plans, notices, compactions."""

from __future__ import annotations

from typing import Any

import pytest

from acp_client.state.content import Text
from acp_client.state.events import InfoChanged, ItemChanged, NoticeShown, StateChanged, UnknownUpdate
from acp_client.state.items import (
    BackgroundWork,
    Command,
    Compaction,
    Cost,
    Plan,
    PlanEntry,
    Usage,
)
from tests.state.support import Session, Wire, chunk, message, state, text, tool_update

T9: Wire = {"type": "tool_call", "toolCallId": "t9"}


class TestState:
    @pytest.mark.parametrize("name", ["running", "idle", "requires_action", "unknown", "_dreaming"])
    def test_the_agents_word_is_kept(self, two: Session, name: str) -> None:
        """Spec MUST (V2-STA-01, V2-STA-02): an unknown state is neither idle nor the former one."""
        two.update(state("running"))
        event = two.update(state(name))
        assert two.now.state == name
        assert isinstance(event, StateChanged)
        assert (event.state, event.previous) == (name, "running")

    def test_a_session_without_reports_is_idle(self, session: Session) -> None:
        """Spec MUST (V2-SES-08)."""
        assert (session.now.state, session.now.stop_reason, session.now.background) == ("idle", None, None)

    @pytest.mark.parametrize(
        "reason",
        ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error", "_bored", "later"],
    )
    def test_stop_reasons_are_open(self, two: Session, reason: str) -> None:
        """Spec MUST (V2-STA-04, V2-STA-05): kept as they came."""
        two.play(state("running"), state("idle", stopReason=reason))
        assert two.now.stop_reason == reason

    @pytest.mark.parametrize("members", [{}, {"stopReason": None}, {"stopReason": 5}])
    def test_no_stop_reason_is_none(self, two: Session, members: Wire) -> None:
        """Spec MUST (V2-STA-04): absent, null and malformed are not reported; the former one is gone, too."""
        two.play(state("idle", stopReason="end_turn"), state("running"), state("idle", **members))
        assert two.now.stop_reason is None

    def test_an_error_is_kept_and_goes_with_the_state(self, two: Session) -> None:
        """Spec MUST (V2-STA-06): optional, with code, message and data."""
        two.update(state("idle", stopReason="error", error={"code": 400, "message": "no", "data": [1]}))
        assert two.now.error == {"code": 400, "message": "no", "data": [1]}
        two.update(state("idle", stopReason="error", error={"code": 400, "message": "no"}))
        assert two.now.error == {"code": 400, "message": "no"}
        two.update(state("idle", stopReason="error"))
        assert two.now.stop_reason == "error"
        assert not two.now.error
        two.play(state("idle", stopReason="error", error={"code": 1, "message": "x"}), state("running"))
        assert not two.now.stop_reason
        assert not two.now.error

    def test_work_without_a_prompt_makes_no_user_message(self, two: Session) -> None:
        """Spec MUST (V2-STA-07)."""
        two.play(state("running"), chunk("by myself"), state("idle"))
        assert two.texts() == [("agent", "by myself")]

    def test_work_is_completed_once(self, two: Session) -> None:
        """Spec SHOULD (V2-STA-15, V2-SES-19): into idle from something else; repeated and replayed ones are none."""
        events = two.play(state("idle"), state("running"), state("requires_action"), state("idle"), state("idle"))
        assert [e.completed for e in events if isinstance(e, StateChanged)] == [False, False, False, True, False]
        two.update(state("running"))
        two.store.begin_replay(reset=False)
        event = two.update(state("idle", stopReason="cancelled"))
        assert isinstance(event, StateChanged)
        assert event.replayed
        assert not event.completed

    def test_questions_do_not_change_it(self, two: Session) -> None:
        """Spec MUST (V2-STA-10): neither opening nor ending one."""
        two.update(state("running"))
        two.store.pending = {"q1": "a question"}
        two.store.changed()
        assert (two.now.state, two.now.pending) == ("running", ("a question",))
        two.store.pending = {}
        two.store.changed()
        assert two.now.state == "running"

    def test_metadata_of_a_state_is_not_the_sessions(self, two: Session) -> None:
        """Spec MUST (V2-STA-14, V2-PAR-08)."""
        two.update(state("running", _meta={"a": 1}))
        assert two.now.meta is None

    def test_a_session_sets_the_state_that_is_not_reported(self, one: Session) -> None:
        """Ours: version 1 has no states; a turn runs between its prompt and the answer."""
        first = one.reducer.local_state("running", None)
        assert (one.now.state, first.previous, first.count) == ("running", "idle", 0)
        last = one.reducer.local_state("idle", "end_turn")
        assert (one.now.state, one.now.stop_reason, last.completed) == ("idle", "end_turn", True)

    def test_whether_a_message_came_before_the_idle(self, two: Session) -> None:
        """Ours: work may be over before the answer to its prompt comes; this tells it apart from earlier work."""
        two.update(state("idle"))
        two.update(message("u1", role="user", content=[text("hi")]))
        assert not two.store.saw_user_message_before_idle("u1")
        two.play(state("running"), state("idle"))
        assert two.store.saw_user_message_before_idle("u1")
        assert not two.store.saw_user_message_before_idle("u2")
        two.play(message("u2", role="user"), state("idle"))
        assert two.store.saw_user_message_before_idle("u2")

    def test_a_replayed_idle_says_nothing_about_it(self, two: Session) -> None:
        """Spec MUST NOT (V2-SES-19)."""
        two.update(message("u1", role="user"))
        two.store.begin_replay(reset=False)
        two.update(state("idle"))
        two.store.end_replay()
        assert not two.store.saw_user_message_before_idle("u1")


class TestBackground:
    @pytest.mark.parametrize(
        "members", [{}, {"background": None}, {"background": "x"}, {"background": [T9, {"type": 1}]}]
    )
    def test_not_reported_is_unknown(self, two: Session, members: Wire) -> None:
        """Spec MUST (V2-STA-11, V2-STA-12): omitted, null or malformed, also by one item; nothing is abandoned."""
        two.update(state("running", background=[T9]))
        two.update(state("running", **members))
        assert two.now.background is None
        assert two.store.background_keys() == {("tool_call", "t9")}

    def test_lists_are_complete(self, two: Session) -> None:
        """Spec MUST (V2-STA-03, V2-STA-11): each replaces the former, an empty one says that nothing runs."""
        two.update(state("idle", background=[T9, {"type": "terminal", "terminalId": "x"}]))
        assert two.now.background == (BackgroundWork("tool_call", "t9"), BackgroundWork("terminal", "x"))
        assert two.store.is_background("terminal", "x")
        assert not two.store.is_background("tool_call", "x")
        event = two.update(state("idle", background=[{"type": "terminal", "terminalId": "x"}]))
        assert two.store.background_keys() == {("terminal", "x")}
        assert isinstance(event, StateChanged)
        assert not event.completed, "the state is the same, only the background is not"
        two.update(state("idle", background=[]))
        assert two.now.background is not None
        assert len(two.now.background) == 0
        assert two.store.background_keys() == frozenset()

    def test_on_an_unknown_state_it_is_unknown(self, two: Session) -> None:
        """Spec MUST (V2-STA-11): whatever stands there."""
        two.update(state("_dreaming", background=[]))
        assert two.now.background is None

    def test_unknown_items_mean_that_something_runs(self, two: Session) -> None:
        """Spec MUST (V2-STA-13): kept raw; child sessions by their id."""
        unknown = {"type": "_daemon", "pid": 7}
        two.update(state("idle", background=[unknown, {"type": "subagent", "sessionId": "s2"}]))
        assert two.now.background == (BackgroundWork("_daemon", None, unknown), BackgroundWork("subagent", "s2"))

    def test_work_that_was_never_announced_does_no_harm(self, two: Session) -> None:
        """Spec SHOULD (V2-STA-16)."""
        two.play(state("idle", background=[T9]), state("idle", background=[]), tool_update("t9", status="completed"))
        assert two.tool("t9").status == "completed"


class TestCommands:
    def update(self, *commands: Any) -> Wire:
        return {"sessionUpdate": "available_commands_update", "availableCommands": list(commands)}

    def test_commands_of_version_1(self, one: Session) -> None:
        """Spec MUST (V1-CMD-01): no tags; each update replaces; invalid ones are skipped."""
        one.update(self.update({"name": "a", "description": "A", "input": {"hint": "args"}}, {"name": 5}))
        assert one.now.commands == (Command(name="a", description="A", hint="args"),)
        one.update(self.update({"name": "b", "description": "B", "input": None}))
        assert one.now.commands == (Command(name="b", description="B"),)

    def test_commands_of_version_2(self, two: Session) -> None:
        """Spec MUST (V2-CMD-01, V2-CMD-04): a tagged union; unknown types and inputs are kept raw and shown plain."""
        macro = {"type": "_macro", "name": "m", "description": "M", "keys": "qq"}
        picker = {"type": "command", "name": "p", "description": "P", "input": {"type": "_picker", "of": "x"}}
        two.update(
            self.update(
                {"type": "command", "name": "a", "description": "A", "input": {"type": "text", "hint": "args"}},
                {"type": "command", "name": "b", "description": "B"},
                macro,
                picker,
                {"name": "untyped", "description": "U"},
                {"type": "_macro", "name": "no description"},
            )
        )
        assert two.now.commands == (
            Command(name="a", description="A", hint="args"),
            Command(name="b", description="B"),
            Command(name="m", description="M", type="_macro", raw=macro),
            Command(name="p", description="P", raw=picker),
        )

    def test_every_update_replaces(self, two: Session) -> None:
        """Spec MUST (V2-CMD-05): also by nothing."""
        event = two.play(self.update({"type": "command", "name": "a", "description": "A"}), self.update())[1]
        assert two.now.commands == ()
        assert isinstance(event, InfoChanged)
        assert event.what == "commands"

    def test_an_opening_answer_brings_them(self, two: Session) -> None:
        """Spec MUST (V2-SES-09, V2-SES-10): unless an update during the opening brought newer ones."""
        answer = {"sessionId": "s1", "availableCommands": [{"type": "command", "name": "a", "description": "A"}]}
        assert [e.what for e in two.opened(answer) if isinstance(e, InfoChanged)] == ["commands"]
        assert [command.name for command in two.now.commands] == ["a"]
        two.store.begin_replay(reset=False)
        two.update(self.update({"type": "command", "name": "b", "description": "B"}))
        assert two.opened(answer, keep_newer=True) == []
        assert [command.name for command in two.now.commands] == ["b"]


class TestSessionInfo:
    def update(self, **members: Any) -> Wire:
        return {"sessionUpdate": "session_info_update", **members}

    def test_it_is_a_patch(self, session: Session) -> None:
        """Spec MUST (V2-SES-23, V1-SES-09): omitted keeps, null clears."""
        event = session.update(self.update(title="T", updatedAt="2026-12-01T03:25:04.520Z"))
        assert isinstance(event, InfoChanged)
        assert event.what == "session_info"
        session.update(self.update())
        assert (session.now.title, session.now.updated_at) == ("T", "2026-12-01T03:25:04.520Z")
        session.update(self.update(title=None))
        assert (session.now.title, session.now.updated_at) == (None, "2026-12-01T03:25:04.520Z")
        session.update(self.update(updatedAt=None))
        assert session.now.updated_at is None
        assert session.now.cwd == "/workspace"

    @pytest.mark.parametrize("value", ["yesterday", "2026-12-01", 5, "2026-12-01T03:25:04"])
    def test_a_malformed_time_is_not_reported(self, two: Session, value: object) -> None:
        """Spec SHOULD (V2-SES-24): RFC 3339 or unchanged."""
        two.update(self.update(updatedAt="2026-12-01T03:25:04+01:00"))
        two.update(self.update(updatedAt=value))
        assert two.now.updated_at == "2026-12-01T03:25:04+01:00"

    def test_metadata(self, one: Session, two: Session) -> None:
        """Spec MUST (V2-PAR-07; v1 section 13): a patch by key in version 2, a value in version 1."""
        for session in (one, two):
            session.play(self.update(_meta={"a": 1}), self.update(title="x"), self.update(_meta={"b": 2}))
        assert (one.now.meta, two.now.meta) == ({"b": 2}, {"a": 1, "b": 2})


class TestUsage:
    def update(self, used: object = 1, **members: Any) -> Wire:
        return {"sessionUpdate": "usage_update", "used": used, "size": 2**63, **members}

    def test_the_latest_counts(self, session: Session) -> None:
        """Spec MUST (V2-USG-01, V2-USG-02): costs are the session's so far, in any unit, and are not added up."""
        session.play(self.update(cost={"amount": 1.5, "currency": "credits"}))
        event = session.update(self.update(7, cost={"amount": 2, "currency": "credits"}))
        assert session.now.usage == Usage(used=7, size=2**63, cost=Cost(2, "credits"))
        assert isinstance(event, InfoChanged)
        assert event.what == "usage"

    def test_an_omitted_cost_stays(self, session: Session) -> None:
        """Spec MUST (V2-USG-01; v1 section 7): also a malformed one."""
        session.play(
            self.update(cost={"amount": 1, "currency": "EUR"}), self.update(2), self.update(3, cost={"amount": 1})
        )
        assert session.now.usage == Usage(used=3, size=2**63, cost=Cost(1, "EUR"))

    def test_a_null_cost_clears_in_version_2_only(self, one: Session, two: Session) -> None:
        """Spec MUST (V2-USG-01; v1 section 7: not reported)."""
        for session in (one, two):
            session.play(self.update(cost={"amount": 1, "currency": "EUR"}), self.update(cost=None))
        assert one.now.usage is not None
        assert one.now.usage.cost == Cost(1, "EUR")
        assert two.now.usage == Usage(used=1, size=2**63)

    def test_a_malformed_one_changes_nothing(self, session: Session) -> None:
        """Spec MUST (V2-PAR-05, V2-PAR-11): counts are strict; fractions and negatives are no counts."""
        session.update(self.update())
        for value in (None, -1, 1.5, "1", True):
            assert isinstance(session.update(self.update(value)), UnknownUpdate)
        assert session.now.usage == Usage(used=1, size=2**63)


ENTRY = {"content": "Look", "priority": "high", "status": "pending"}


class TestPlans:
    def plan(self, session: Session, key: str) -> Plan:
        item = session.now.item(key)
        assert isinstance(item, Plan)
        return item

    def update(self, plan_id: str = "p1", type: str = "items", **members: Any) -> Wire:
        return {"sessionUpdate": "plan_update", "plan": {"type": type, "planId": plan_id, **members}}

    def test_the_one_plan_of_version_1(self, one: Session) -> None:
        """Spec (v1 section 7): the whole list, replaced by each update."""
        one.update(
            {"sessionUpdate": "plan", "entries": [ENTRY, {"content": "x", "priority": "high", "status": "paused"}]}
        )
        assert self.plan(one, "plan").entries == (PlanEntry(content="Look", priority="high", status="pending"),)
        event = one.update({"sessionUpdate": "plan", "entries": []})
        assert self.plan(one, "plan").entries == ()
        assert isinstance(event, ItemChanged)
        assert (event.key, event.kind, len(one.now.plans)) == ("plan", "plan", 1)

    def test_plans_are_replaced_one_by_one(self, two: Session) -> None:
        """Spec MUST (V2-PLN-01, V2-PLN-02): by id, whole, several at a time; open values, invalid entries skipped."""
        odd = {"content": "Do", "priority": "_soon", "status": "_blocked"}
        two.play(self.update("p1", entries=[ENTRY]), self.update("p2", entries=[odd, {"content": "x"}]))
        two.update(self.update("p1", entries=[ENTRY | {"status": "cancelled"}]))
        assert [(plan.plan_id, plan.entries) for plan in two.now.plans] == [
            ("p1", (PlanEntry(content="Look", priority="high", status="cancelled"),)),
            ("p2", (PlanEntry(content="Do", priority="_soon", status="_blocked"),)),
        ]

    def test_any_kind_replaces_any_other(self, two: Session) -> None:
        """Spec MUST (V2-PLN-03, V2 section 19): files, Markdown and unknown kinds too."""
        kinds: list[tuple[Wire, dict[str, object]]] = [
            (
                self.update(entries=[ENTRY]),
                {"entries": (PlanEntry(content="Look", priority="high", status="pending"),)},
            ),
            (self.update(type="file", uri="file:///p"), {"uri": "file:///p"}),
            (self.update(type="markdown", content="# P"), {"markdown": "# P"}),
            (self.update(type="_gantt", bars=[1]), {"raw": {"type": "_gantt", "planId": "p1", "bars": [1]}}),
            (self.update(entries=[]), {}),
        ]
        for raw, expected in kinds:
            two.update(raw)
            assert self.plan(two, "plan:p1") == Plan(key="plan:p1", plan_id="p1", **expected)  # type: ignore[arg-type]  # one field each
        assert len(two.now.plans) == 1

    def test_an_unknown_kind_needs_an_id(self, two: Session) -> None:
        """Spec MUST (V2-PLN-03, V2-EXT-07)."""
        assert isinstance(two.update({"sessionUpdate": "plan_update", "plan": {"type": "_gantt"}}), UnknownUpdate)
        assert two.now.plans == ()

    def test_metadata_of_the_update_is_not_the_plans(self, two: Session) -> None:
        """Spec MUST (V2-PLN-04)."""
        two.update(self.update(entries=[]) | {"_meta": {"a": 1}})
        assert not hasattr(self.plan(two, "plan:p1"), "meta")

    def test_a_plan_may_be_removed(self, session: Session) -> None:
        """Spec (section 19, unstable): it leaves the timeline; earlier snapshots keep it, others keep their place."""
        session.play(chunk("a", "m1"), self.update("p1", entries=[]), chunk("b", "m2"), self.update("p2", entries=[]))
        before = session.now
        event = session.update({"sessionUpdate": "plan_removed", "planId": "p1"})
        assert isinstance(event, ItemChanged)
        assert (event.key, event.removed) == ("plan:p1", True)
        assert [item.key for item in session.now.items] == ["agent:m1", "agent:m2", "plan:p2"]
        assert session.now.item("plan:p1") is None
        assert session.message("agent:m2").text == "b"
        assert [item.key for item in before.items] == ["agent:m1", "plan:p1", "agent:m2", "plan:p2"]
        assert before.item("agent:m2") is before.items[2]
        session.play(chunk("!", "m2"), chunk("c", "m3"))
        assert session.texts() == [("agent", "a"), ("agent", "b!"), ("agent", "c")]

    def test_removing_what_is_not_there_does_nothing(self, session: Session) -> None:
        """Ours: the host is told that it meant nothing."""
        event = session.update({"sessionUpdate": "plan_removed", "planId": "p1"})
        assert isinstance(event, UnknownUpdate)
        assert event.raw == {"sessionUpdate": "plan_removed", "planId": "p1"}


class TestNotices:
    def notice(self, **members: Any) -> Wire:
        return {"sessionUpdate": "notice", "severity": "error", "title": "Quota", **members}

    def test_a_notice_is_shown_and_not_kept(self, session: Session) -> None:
        """Spec MUST (V2-NTC-01): a live event; even an error changes no state."""
        session.reducer.local_state("running", None)
        before = session.now.items
        event = session.update(self.notice(description="soon"))
        assert isinstance(event, NoticeShown)
        assert (event.severity, event.title, event.description) == ("error", "Quota", "soon")
        assert (session.now.items, session.now.state) == (before, "running")

    def test_severities_are_open_and_titles_are_not_empty(self, session: Session) -> None:
        """Spec MUST (V2-NTC-01)."""
        event = session.update(self.notice(severity="_whisper", description=5))
        assert isinstance(event, NoticeShown)
        assert (event.severity, event.description) == ("_whisper", None)
        assert isinstance(session.update(self.notice(title="")), UnknownUpdate)


class TestCompactions:
    def update(self, **members: Any) -> Wire:
        return {"sessionUpdate": "compaction_update", "compactionId": "c1", "status": "in_progress", **members}

    def summary_chunk(self, value: str) -> Wire:
        return {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c1", "content": text(value)}

    def compaction(self, session: Session) -> Compaction:
        item = session.now.item("compaction:c1")
        assert isinstance(item, Compaction)
        return item

    def test_it_is_an_upsert(self, session: Session) -> None:
        """Spec MUST (V2-CMP-01; v1 section 7): status always, the rest a patch; null and [] clear the summary."""
        session.update(self.update(summary=[text("a")], error="no"))
        session.update(self.update(status="_stuck"))
        found = self.compaction(session)
        assert (found.status, found.summary, found.error) == ("_stuck", (Text("a"),), "no")
        nothing: tuple[Any, ...] = (None, [])
        for clearing in nothing:
            session.update(self.update(summary=[text("a")], error="no"))
            session.update(self.update(status="completed", summary=clearing, error=None))
            found = self.compaction(session)
            assert (found.status, found.summary, found.error) == ("completed", (), None)

    def test_a_status_is_needed(self, session: Session) -> None:
        """Spec MUST (V2-CMP-01)."""
        raw = {"sessionUpdate": "compaction_update", "compactionId": "c1"}
        assert isinstance(session.update(raw), UnknownUpdate)
        assert len(session.now.items) == 0

    def test_chunks_append_and_create(self, session: Session) -> None:
        """Spec MUST (V2-CMP-02): in progress, at the place of first sight."""
        session.play(self.summary_chunk("a"), chunk("later"), self.summary_chunk("b"))
        found = self.compaction(session)
        assert (found.status, found.summary) == ("in_progress", (Text("ab"),))
        assert [item.key for item in session.now.items] == ["compaction:c1", "agent:m1"]

    def test_metadata(self, one: Session, two: Session) -> None:
        """Spec MUST (V2-PAR-07; v1 section 7): a patch by key in version 2, replaced as a value in version 1."""
        for session in (one, two):
            session.play(self.update(_meta={"a": 1}), self.update(), self.update(_meta={"b": 2}))
        assert (self.compaction(one).meta, self.compaction(two).meta) == ({"b": 2}, {"a": 1, "b": 2})


class TestUnknownUpdates:
    @pytest.mark.parametrize("kind", ["brand_new", "_acme/thing"])
    def test_they_flow_through_and_change_nothing(self, session: Session, kind: str) -> None:
        """Spec MUST (V2-PAR-12, V1-RPC-08, V1-UPD-01, fault FC-01): raw, no error, and the next update is read."""
        raw = {"sessionUpdate": kind, "x": 1}
        event = session.update(raw)
        assert isinstance(event, UnknownUpdate)
        assert (event.raw, event.count) == (raw, 1)
        session.update(chunk("ok"))
        assert session.texts() == [("agent", "ok")]

    def test_version_2_tells_unknown_from_invalid(self, two: Session) -> None:
        """Spec MUST (V2-EXT-07): only a known kind can be invalid."""
        unknown, invalid = two.play({"sessionUpdate": "brand_new"}, {"sessionUpdate": "usage_update"})
        assert isinstance(unknown, UnknownUpdate)
        assert isinstance(invalid, UnknownUpdate)
        assert (unknown.reason, invalid.reason) == ("unknown", "invalid")

    @pytest.mark.parametrize("raw", [None, [], "x", {}, {"sessionUpdate": 5}, {"sessionUpdate": None}])
    def test_nonsense_is_reported(self, session: Session, raw: Any) -> None:
        """Spec MUST (V2-RPC-19, V1-UPD-01)."""
        event = session.update(raw)
        assert isinstance(event, UnknownUpdate)
        assert (event.reason, event.raw) == ("invalid", raw)

    def test_unknown_fields_do_no_harm(self, session: Session) -> None:
        """Spec MUST (V2-EXT-06): ignored, and kept on the event's update."""
        event = session.update(chunk("ok") | {"futureField": {"x": 1}})
        assert session.texts() == [("agent", "ok")]
        assert event.update is not None
        assert event.update.extra == {"futureField": {"x": 1}}

    @pytest.mark.parametrize(
        "raw",
        [
            {"sessionUpdate": "subagent_update", "sessionId": "s2", "title": "child"},
            {"sessionUpdate": "session_message", "messageId": "m", "content": []},
            {"sessionUpdate": "session_message_chunk", "messageId": "m", "content": text("x")},
        ],
    )
    def test_subagents_are_handed_on(self, session: Session, raw: Wire) -> None:
        """Ours: readable, but no part of this session's state; the host has model and raw object."""
        event = session.update(raw)
        assert isinstance(event, UnknownUpdate)
        assert (event.reason, event.raw) == ("unknown", raw)
        assert event.update is not None
        assert len(session.now.items) == 0

    def test_what_is_no_update_is_a_mistake_of_ours(self, session: Session) -> None:
        """Ours: reducers take session updates and nothing else."""
        with pytest.raises(TypeError, match="not a session update: TextContent"):
            session.reducer.apply_model(session.model("TextContent", text("x")))
