"""Config options and session modes."""

from __future__ import annotations

from typing import Any

import pytest

from acp_client.state.events import InfoChanged, UnknownUpdate
from acp_client.state.items import (
    ConfigChoice,
    ConfigOption,
)
from tests.state.support import Session, Wire


def select(version: int, option_id: str = "model", value: str = "a", **members: Any) -> Wire:
    key = "id" if version == 1 else "configId"
    options = [{"value": "a", "name": "A"}, {"value": "b", "name": "B", "description": "best"}]
    base: Wire = {key: option_id, "name": "Model", "type": "select", "currentValue": value, "options": options}
    return base | members


def config_update(*options: Any) -> Wire:
    return {"sessionUpdate": "config_option_update", "configOptions": list(options)}


class TestConfigOptions:
    def test_a_select(self, session: Session) -> None:
        """Spec MUST (V2-CFG-01, V1-CFG-01): id, value and choices, whatever the version calls the id."""
        session.update(config_update(select(session.protocol, category="model", description="which")))
        assert session.now.config_options == (
            ConfigOption(
                id="model",
                name="Model",
                description="which",
                category="model",
                type="select",
                value="a",
                choices=(ConfigChoice(value="a", name="A"), ConfigChoice(value="b", name="B", description="best")),
            ),
        )

    def test_groups_are_headings(self, session: Session) -> None:
        """Spec MUST (V2-CFG-09): told from choices by their shape."""
        key = "group" if session.protocol == 1 else "groupId"
        groups = [{key: "g", "name": "Fast", "options": [{"value": "a", "name": "A"}]}]
        session.update(config_update(select(session.protocol, options=groups)))
        assert session.now.config_options[0].choices == (ConfigChoice(value="a", name="A", group="Fast"),)

    def test_a_boolean(self, session: Session) -> None:
        """Spec MUST (V2-CFG-01, V1-CFG-01)."""
        option = select(session.protocol, "fast", type="boolean", currentValue=True)
        session.update(config_update(option))
        found = session.now.config_options[0]
        assert (found.type, found.value, found.choices) == ("boolean", True, ())

    def test_an_unknown_type_is_kept_raw_or_left_out(self, session: Session) -> None:
        """Spec MUST (V2-CFG-01 keeps it, V1-CFG-01 skips it)."""
        slider = select(session.protocol, "temp", type="slider", currentValue=0.5)
        session.update(config_update(slider, select(session.protocol)))
        found = session.now.config_options
        assert [option.id for option in found] == (["model"] if session.protocol == 1 else ["temp", "model"])
        if session.protocol == 2:
            assert (found[0].type, found[0].raw, found[0].value) == ("slider", slider, None)

    def test_every_list_is_complete_and_keeps_its_order(self, session: Session) -> None:
        """Spec MUST (V2-CFG-04, V2-CFG-05, V2-CFG-06, V1-CFG-03): bad items skipped, unknown categories kept."""
        v = session.protocol
        session.update(config_update(select(v, "z"), {"name": "broken"}, select(v, "a", category="_mood")))
        assert [(o.id, o.category) for o in session.now.config_options] == [("z", None), ("a", "_mood")]
        event = session.update(config_update(select(v, "a", "b")))
        assert [(o.id, o.value) for o in session.now.config_options] == [("a", "b")]
        assert isinstance(event, InfoChanged)
        assert event.what == "config_options"

    @pytest.mark.parametrize("members", [{}, {"configOptions": None}, {"configOptions": {}}])
    def test_an_update_without_a_list_is_invalid(self, two: Session, members: Wire) -> None:
        """Spec MUST (V2-CFG-07)."""
        two.update(config_update(select(2)))
        assert isinstance(two.update({"sessionUpdate": "config_option_update", **members}), UnknownUpdate)
        assert [option.id for option in two.now.config_options] == ["model"]

    def test_an_opening_answer_brings_them(self, session: Session) -> None:
        """Spec MUST (V2-SES-09, fault SO-15): as events that are none of the agent's updates."""
        events = session.opened({"sessionId": "s1", "configOptions": [select(session.protocol)]})
        assert [option.id for option in session.now.config_options] == ["model"]
        assert [(e.what, e.count) for e in events if isinstance(e, InfoChanged)] == [("config_options", 0)]

    @pytest.mark.parametrize("members", [{}, {"configOptions": None}, {"configOptions": "x"}])
    def test_an_answer_without_them_says_nothing(self, session: Session, members: Wire) -> None:
        """Spec MUST (V2-SES-09): omitted, null and malformed are not provided."""
        session.update(config_update(select(session.protocol)))
        session.opened(members, "ResumeSessionResponse")
        assert [option.id for option in session.now.config_options] == ["model"]

    def test_an_update_before_the_answer_is_the_newer_one(self, session: Session) -> None:
        """Spec (V2-SES-10): what came during the opening wins, what was known before it does not."""
        v = session.protocol
        session.update(config_update(select(v, "old")))
        session.store.begin_replay(reset=False)
        session.opened({"configOptions": [select(v, "answer")]}, "ResumeSessionResponse", keep_newer=True)
        assert [option.id for option in session.now.config_options] == ["answer"]
        session.store.begin_replay(reset=False)
        session.update(config_update(select(v, "update")))
        session.opened({"configOptions": [select(v, "answer")]}, "ResumeSessionResponse", keep_newer=True)
        assert [option.id for option in session.now.config_options] == ["update"]


MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}


class TestModes:
    def test_modes_are_an_option(self, one: Session) -> None:
        """Spec MUST (V1-MOD-01, fault SO-15): under the id and category `mode`."""
        one.opened({"sessionId": "s1", "modes": MODES})
        assert one.now.config_options == (
            ConfigOption(
                id="mode",
                name="Mode",
                category="mode",
                type="select",
                value="ask",
                choices=(ConfigChoice(value="ask", name="Ask"), ConfigChoice(value="code", name="Code")),
            ),
        )
        assert one.store.is_mode_option("mode")

    def test_the_agent_changes_it(self, one: Session) -> None:
        """Spec MUST (V1-MOD-02)."""
        one.opened({"sessionId": "s1", "modes": MODES})
        event = one.update({"sessionUpdate": "current_mode_update", "currentModeId": "code"})
        assert one.now.config_options[0].value == "code"
        assert isinstance(event, InfoChanged)
        assert event.what == "config_options"

    def test_the_key_of_the_documentation_is_no_key(self, one: Session) -> None:
        """Spec (V1-MOD-02): `modeId` is a mistake there; the schema wins."""
        assert isinstance(one.update({"sessionUpdate": "current_mode_update", "modeId": "code"}), UnknownUpdate)

    def test_version_2_has_none(self, two: Session) -> None:
        """Spec MUST (V2-CFG-08): the update of version 1 is an unknown one there."""
        event = two.update({"sessionUpdate": "current_mode_update", "currentModeId": "code"})
        assert isinstance(event, UnknownUpdate)
        assert event.reason == "unknown"
        assert two.now.config_options == ()

    def test_config_options_take_their_place(self, one: Session) -> None:
        """Spec SHOULD (V1-MOD-03): where there are config options, only they count."""
        one.opened({"sessionId": "s1", "modes": MODES, "configOptions": [select(1, "mode")]})
        assert [(o.id, o.name) for o in one.now.config_options] == [("mode", "Model")]
        assert not one.store.is_mode_option("mode")
        one.update({"sessionUpdate": "current_mode_update", "currentModeId": "code"})
        assert one.now.config_options[0].value == "a"

    def test_no_options_at_all_leave_the_modes(self, one: Session) -> None:
        """Ours: an empty list offers nothing to set, so it hides nothing."""
        one.opened({"sessionId": "s1", "modes": MODES, "configOptions": []})
        assert [option.id for option in one.now.config_options] == ["mode"]

    def test_malformed_modes_are_none(self, one: Session) -> None:
        """Spec MUST (V1-MOD-01)."""
        one.opened({"sessionId": "s1", "modes": {"availableModes": []}})
        assert one.now.config_options == ()

    def test_a_mode_that_comes_before_the_answer_is_the_newer_one(self, one: Session) -> None:
        """Spec MUST (V1-SES-08, V2-SES-10): shown at once, and kept."""
        one.store.begin_replay(reset=True)
        one.update({"sessionUpdate": "current_mode_update", "currentModeId": "code"})
        assert one.now.config_options[0].value == "code"
        one.opened({"modes": MODES}, "LoadSessionResponse", keep_newer=True)
        assert (one.now.config_options[0].value, len(one.now.config_options[0].choices)) == ("code", 2)
        one.opened({"modes": MODES}, "LoadSessionResponse")
        assert one.now.config_options[0].value == "ask"
