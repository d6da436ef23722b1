"""What holds for every story an agent can tell."""

from __future__ import annotations

import base64
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_client.state.events import Event, UnknownUpdate
from acp_client.state.snapshot import SessionSnapshot
from tests.state.support import Session, Wire, chunk, message, state, text, tool_call, tool_update, wrapped

IDS = st.sampled_from(["a", "b", "c"])
ROLES = st.sampled_from(["user", "agent", "thought"])
META = st.none() | st.dictionaries(st.sampled_from(["x", "y"]), st.none() | st.integers(), max_size=2)
WORDS = st.text(alphabet="ab €\n", max_size=5)
BLOCKS = st.one_of(
    WORDS.map(text),
    st.just({"type": "image", "data": "aGk=", "mimeType": "image/png"}),
    st.builds(lambda value: text(value) | {"annotations": {"priority": 1}}, WORDS),
)
STATUSES = ["pending", "in_progress", "completed", "failed"]


def patch(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Wire]:
    """Any subset of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


CHUNKS = st.builds(chunk, BLOCKS, IDS, ROLES)
V2_UPDATES = st.one_of(
    CHUNKS,
    st.builds(
        lambda i, role, members: message(i, role, **members),
        IDS,
        ROLES,
        patch(content=st.none() | st.lists(BLOCKS, max_size=3), _meta=META),
    ),
    st.builds(
        lambda i, members: tool_update(i, **members),
        IDS,
        patch(
            title=st.none() | WORDS,
            kind=st.none() | st.sampled_from(["edit", "_x"]),
            status=st.none() | st.sampled_from([*STATUSES, "paused", "cancelled", "_x"]),
            content=st.none() | st.lists(BLOCKS.map(wrapped), max_size=2),
            rawInput=st.none() | st.integers(),
            capabilities=st.none() | st.just({"cancel": {}}),
            _meta=META,
        ),
    ),
    st.builds(
        lambda i, block: {"sessionUpdate": "tool_call_content_chunk", "toolCallId": i, "content": wrapped(block)},
        IDS,
        BLOCKS,
    ),
    st.builds(
        lambda i, data: {
            "sessionUpdate": "terminal_output_chunk",
            "terminalId": i,
            "data": base64.b64encode(data).decode(),
        },
        IDS,
        st.binary(max_size=4),
    ),
    st.builds(
        lambda i, members: {"sessionUpdate": "terminal_update", "terminalId": i, **members},
        IDS,
        patch(
            command=st.none() | WORDS,
            output=st.none() | st.just({"data": "aGk="}),
            exitStatus=st.none() | st.just({"exitCode": -1}),
        ),
    ),
    st.builds(
        lambda i, kind: {"sessionUpdate": "plan_update", "plan": {"type": kind, "planId": i, "entries": []}},
        IDS,
        st.sampled_from(["items", "_x"]),
    ),
    st.builds(lambda i: {"sessionUpdate": "plan_removed", "planId": i}, IDS),
    st.builds(
        lambda i, block: {"sessionUpdate": "compaction_summary_chunk", "compactionId": i, "content": block},
        IDS,
        BLOCKS,
    ),
    st.builds(
        lambda name, members: state(name, **members),
        st.sampled_from(["idle", "running", "requires_action", "_x"]),
        patch(background=st.just([]) | st.just([{"type": "tool_call", "toolCallId": "a"}])),
    ),
    st.builds(lambda members: {"sessionUpdate": "session_info_update", **members}, patch(title=st.none() | WORDS)),
    st.builds(lambda used: {"sessionUpdate": "usage_update", "used": used, "size": 9}, st.integers(-1, 5)),
    st.just({"sessionUpdate": "_unknown", "x": 1}),
)
V1_UPDATES = st.one_of(
    CHUNKS,
    st.builds(chunk, BLOCKS, st.none(), ROLES),
    st.builds(
        lambda i, members: tool_update(i, **members),
        IDS,
        patch(title=WORDS, status=st.sampled_from(STATUSES), content=st.lists(BLOCKS.map(wrapped), max_size=2)),
    ),
    st.builds(tool_call, IDS),
    st.just({"sessionUpdate": "plan", "entries": []}),
    st.builds(lambda mode: {"sessionUpdate": "current_mode_update", "currentModeId": mode}, IDS),
    st.just({"sessionUpdate": "_unknown", "x": 1}),
)
STORIES = st.one_of(
    st.tuples(st.just(1), st.lists(V1_UPDATES, max_size=25)), st.tuples(st.just(2), st.lists(V2_UPDATES, max_size=25))
)


def frozen(snapshot: SessionSnapshot) -> SessionSnapshot:
    """Return the snapshot after everything lazy in it was read."""
    assert repr(snapshot)
    for item in snapshot.items:
        assert repr(item)
    return snapshot


@given(STORIES)
def test_looking_in_between_changes_nothing(story: tuple[int, list[Wire]]) -> None:
    """Law: one snapshot at the end equals the last of many, and none of the many changes afterwards."""
    version, updates = story
    watched, unwatched = Session(version), Session(version)
    seen: list[tuple[SessionSnapshot, list[tuple[str, str]]]] = []
    for update in updates:
        watched.update(update)
        unwatched.update(update)
        snapshot = watched.now
        seen.append((snapshot, [] if len(seen) % 2 else watched.texts()))
    assert watched.now == unwatched.now
    again = Session(version)
    for update, (snapshot, texts) in zip(updates, seen, strict=True):
        again.update(update)
        assert frozen(snapshot) == again.now
        assert not texts or texts == again.texts()


@given(STORIES)
def test_every_update_is_one_event_and_items_keep_their_order(story: tuple[int, list[Wire]]) -> None:
    """Law: one event an update, versions grow by one, an item stands where it was first seen (V2-MSG-05)."""
    version, updates = story
    session = Session(version)
    order: list[str] = []
    for number, update in enumerate(updates, 1):
        event: Event = session.update(update)
        assert (event.count, event.version, session.store.version) == (1, number, number)
        keys = [item.key for item in session.now.items]
        order = [key for key in order if key in keys] + [key for key in keys if key not in order]
        assert keys == order
        assert len(set(keys)) == len(keys)
        if isinstance(event, UnknownUpdate):
            assert event.raw == update
        assert all(session.now.item(item.key) is item for item in session.now.items)


@given(STORIES)
def test_open_tool_calls_are_those_that_are_not_finished(story: tuple[int, list[Wire]]) -> None:
    """Law: the list that a turn's result carries agrees with the timeline, also after a cancel."""
    version, updates = story
    session = Session(version)
    for number, update in enumerate(updates):
        session.update(update)
        if number % 7 == 3:
            session.reducer.mark_cancelled()
        unfinished = [call.tool_call_id for call in session.now.tool_calls if not call.finished]
        assert list(session.store.open_tool_calls()) == unfinished
        assert all(session.store.tool_call(call.tool_call_id) == call for call in session.now.tool_calls)


@given(STORIES)
def test_what_is_replayed_onto_itself_is_the_same(story: tuple[int, list[Wire]]) -> None:
    """Law (SO-06, WS-12): a second telling of the whole story leaves the timeline as it was, keys included."""
    version, updates = story
    session = Session(version)
    session.play(*updates)
    first = session.now
    for reset in (True, False):
        session.store.begin_replay(reset=reset)
        session.play(*updates)
        session.store.end_replay()
        assert session.now.items == first.items
        assert session.now.terminals == first.terminals


@given(STORIES, st.data())
def test_the_text_of_a_turn_is_what_was_added(story: tuple[int, list[Wire]], data: st.DataObject) -> None:
    """Law: for stories of chunks, text at the mark and text since make up the text."""
    version, updates = story
    updates = [update for update in updates if update["sessionUpdate"] == "agent_message_chunk"]
    cut = data.draw(st.integers(0, len(updates)))
    session = Session(version)
    session.play(*updates[:cut])
    before = {message.key: message.text for message in session.now.messages}
    mark = session.store.text_mark()
    session.play(*updates[cut:])
    gained = {m.key: m.text.removeprefix(before.get(m.key, "")) for m in session.now.messages}
    assert sorted(session.store.text_since(mark).text) == sorted("".join(gained.values()))


@given(st.text(max_size=40), st.sampled_from([1, 2]), st.data())
def test_any_cut_of_a_text_gives_the_same_message(whole: str, version: int, data: st.DataObject) -> None:
    """Law: how an answer is cut into chunks, and when somebody looks, cannot be seen in the end."""
    session = Session(version)
    session.update(chunk(""))
    rest = whole
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        session.update(chunk(rest[:size]))
        rest = rest[size:]
        if data.draw(st.booleans()):
            frozen(session.now)
    assert session.message("agent:m1").text == whole
    assert len(session.message("agent:m1").content) == (1 if whole else 0)


SAME_IN_BOTH = st.one_of(
    CHUNKS,
    st.builds(
        lambda i, members: ("tool", i, members),
        IDS,
        patch(
            kind=st.sampled_from(["edit", "read"]),
            status=st.sampled_from(STATUSES),
            content=st.lists(BLOCKS.map(wrapped), max_size=2),
            locations=st.just([{"path": "/a", "line": 1}]),
            rawInput=st.integers(),
        ),
    ),
    st.builds(
        lambda members: {"sessionUpdate": "session_info_update", **members},
        patch(title=st.none() | WORDS, updatedAt=st.just("2026-12-01T00:00:00Z")),
    ),
    st.builds(lambda used: {"sessionUpdate": "usage_update", "used": used, "size": 9}, st.integers(0, 5)),
    st.builds(
        lambda status, members: {
            "sessionUpdate": "compaction_update",
            "compactionId": "c",
            "status": status,
            **members,
        },
        st.sampled_from(["in_progress", "completed"]),
        patch(summary=st.none() | st.lists(BLOCKS, max_size=2)),
    ),
    st.builds(lambda name: ("commands", name), IDS),
    st.builds(lambda value: ("option", value), IDS),
)


def told(version: int, beat: Any, known: set[str]) -> Wire:
    """Return one beat of a story in the words of a version."""
    match beat:
        case ("tool", tool_id, members):
            announced = tool_id in known
            known.add(tool_id)
            spell = tool_update if announced or version == 2 else tool_call
            return spell(tool_id, **({} if announced else {"title": "Edit"}), **members)
        case ("commands", name):
            typed = {} if version == 1 else {"type": "command"}
            command = {"name": name, "description": "d", **typed}
            return {"sessionUpdate": "available_commands_update", "availableCommands": [command]}
        case ("option", value):
            key = "id" if version == 1 else "configId"
            choices = [{"value": value, "name": value}]
            option = {key: "o", "name": "O", "type": "select", "currentValue": value, "options": choices}
            return {"sessionUpdate": "config_option_update", "configOptions": [option]}
    wire: Wire = beat
    return wire


@given(st.lists(SAME_IN_BOTH, max_size=25))
def test_both_versions_tell_the_same_story(story: list[Any]) -> None:
    """Law: the same things happen, spelt as version 1 and as version 2; hosts cannot tell which it was."""
    one, two = Session(1), Session(2)
    for session in (one, two):
        known: set[str] = set()
        session.play(*[told(session.protocol, beat, known) for beat in story])
    assert one.now == two.now
