"""Messages: ids, chunks, upserts, boundaries."""

from __future__ import annotations

import pytest

from acp_client.state.content import Image, Text, UnknownContent
from acp_client.state.events import ItemChanged, TextAppended, UnknownUpdate
from tests.state.support import Session, chunk, message, text, tool_call, tool_update

IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def test_each_message_type_has_its_own_ids(session: Session) -> None:
    """Spec MUST (V2-MSG-01): user, agent and thought messages with one id are three messages."""
    session.play(chunk("q", "m", "user"), chunk("hm", "m", "thought"), chunk("a", "m", "agent"))
    assert session.texts() == [("user", "q"), ("thought", "hm"), ("agent", "a")]
    assert [m.key for m in session.now.messages] == ["user:m", "thought:m", "agent:m"]


def test_chunks_create_append_and_interleave(session: Session) -> None:
    """Spec MUST (V2-MSG-03, V2-MSG-04, fault SO-11): one message per id, in arrival order, however they mix."""
    session.play(chunk("a", "m1"), chunk("x", "m2"), chunk("b", "m1"), chunk("y", "m2"))
    assert session.texts() == [("agent", "ab"), ("agent", "xy")]


def test_position_is_that_of_first_sight(two: Session) -> None:
    """Spec MUST (V2-MSG-05): a later patch does not move a message."""
    two.play(chunk("a", "m1"), tool_update("t1"), message("m1", content=[text("new")]), chunk("!", "m1"))
    assert [item.key for item in two.now.items] == ["agent:m1", "tool:t1"]
    assert two.message("agent:m1").text == "new!"


def test_an_upsert_keeps_clears_or_replaces_the_content(two: Session) -> None:
    """Spec MUST (V2-MSG-02): omitted keeps, null and [] clear, an array replaces chunks too; chunks go on behind it."""
    two.play(chunk("one", "m1"), message("m1"))
    assert two.message("agent:m1").text == "one"
    two.update(message("m1", content=[text("two")]))
    assert two.message("agent:m1").text == "two"
    two.update(message("m1", content=None))
    assert two.message("agent:m1").content == ()
    two.play(chunk("three", "m1"), message("m1", content=[]))
    assert two.message("agent:m1").content == ()
    two.update(chunk("four", "m1"))
    assert two.message("agent:m1").text == "four"


def test_an_upsert_of_a_new_id_creates_the_message(two: Session) -> None:
    """Spec MUST (V2-MSG-02): an upsert is enough, even without content."""
    events = two.play(message("m1", role="user"), message("m2", role="thought", content=[text("hm")]))
    assert two.texts() == [("user", ""), ("thought", "hm")]
    assert [(e.key, e.kind) for e in events if isinstance(e, ItemChanged)] == [
        ("user:m1", "message"),
        ("thought:m2", "message"),
    ]


def test_upsert_metadata_is_a_patch_by_key(two: Session) -> None:
    """Spec MUST (V2-MSG-06, V2-PAR-07): omitted keeps, null clears, an object patches top-level keys, no deep merge."""
    steps: list[tuple[object, object]] = [
        ({"a": 1, "b": {"x": 1}}, {"a": 1, "b": {"x": 1}}),
        ({"b": {"y": 2}}, {"a": 1, "b": {"y": 2}}),
        ({}, {"a": 1, "b": {"y": 2}}),
        ({"a": None, "c": 3}, {"b": {"y": 2}, "c": 3}),
    ]
    for patch, expected in steps:
        two.update(message("m1", _meta=patch))
        assert two.message("agent:m1").meta == expected
    two.update(message("m1"))
    assert two.message("agent:m1").meta == {"b": {"y": 2}, "c": 3}
    two.update(message("m1", _meta=None))
    assert two.message("agent:m1").meta is None


def test_chunk_metadata_belongs_to_the_chunk(two: Session) -> None:
    """Spec MUST (V2-MSG-06): it is on the event's update and not on the message."""
    event = two.update(chunk("a") | {"_meta": {"k": 1}})
    assert two.message("agent:m1").meta is None
    assert getattr(event.update, "meta", None) == {"k": 1}


def test_malformed_parts_of_an_upsert_are_left_out(two: Session) -> None:
    """Spec MUST (V2-MSG-07): invalid blocks are skipped, content that is no array counts as omitted."""
    two.update(message("m1", content=[text("a"), {"type": "text"}, 5, text("b")]))
    assert two.message("agent:m1").text == "ab"
    two.update(message("m1", content="nonsense"))
    assert two.message("agent:m1").text == "ab"


def test_a_chunk_with_a_malformed_known_block_changes_nothing(session: Session) -> None:
    """Spec MUST (V2-MSG-08, V2-EXT-07, V1-UPD-01): it is reported as invalid and never taken for an unknown block."""
    session.update(chunk("a"))
    before = session.now.items
    event = session.update(chunk({"type": "text", "text": 5}))
    assert isinstance(event, UnknownUpdate)
    assert event.reason == "invalid"
    assert event.raw["content"] == {"type": "text", "text": 5}
    assert session.now.items == before


def test_an_unknown_block_is_kept_whole(two: Session) -> None:
    """Spec SHOULD (V2-EXT-04, V2-CNT-01): type and raw object survive."""
    block = {"type": "_hologram", "data": "?", "n": {"x": 1}}
    event = two.update(chunk(block))
    assert isinstance(event, ItemChanged)
    assert two.message("agent:m1").content == (UnknownContent("_hologram", block),)


def test_blocks_between_texts_keep_their_place(session: Session) -> None:
    """Ours: neighbouring plain texts are one block, everything else stays where it came."""
    session.play(chunk("a"), chunk("b"), chunk(IMAGE), chunk("c"), chunk("d"))
    image = Image(data="aGk=", mime_type="image/png")
    assert session.message("agent:m1").content == (Text("ab"), image, Text("cd"))
    assert session.message("agent:m1").text == "abcd"


def test_annotated_text_is_a_block_of_its_own(session: Session) -> None:
    """Ours: annotations are about one block; its text still is appended text for those who follow."""
    event = session.play(chunk("a"), chunk(text("b") | {"annotations": {"priority": 0.5}}), chunk("c"))[1]
    assert [block.text for block in session.message("agent:m1").content if isinstance(block, Text)] == ["a", "b", "c"]
    assert isinstance(event, TextAppended)
    assert event.text == "b"


def test_a_text_event_says_what_was_added(session: Session) -> None:
    """Ours: key, role and the new text, one update each, versions grow."""
    events = session.play(chunk("Hel"), chunk("lo"))
    assert all(isinstance(event, TextAppended) for event in events)
    assert [(e.key, e.role, e.text, e.count) for e in events if isinstance(e, TextAppended)] == [
        ("agent:m1", "agent", "Hel", 1),
        ("agent:m1", "agent", "lo", 1),
    ]
    assert events[0].version < events[1].version == session.now.version


@pytest.mark.parametrize("between", ["tool", "plan", "thought", "user"])
def test_without_ids_other_work_breaks_a_message(one: Session, between: str) -> None:
    """Spec (v1 section 7, fault SO-11): consecutive chunks of one kind are one message, whatever else ends it."""
    other = {
        "tool": tool_call(),
        "plan": {"sessionUpdate": "plan", "entries": []},
        "thought": chunk("hm", None, "thought"),
        "user": chunk("q", None, "user"),
    }[between]
    one.play(chunk("a", None), chunk("b", None), other, chunk("c", None))
    assert [t for t in one.texts() if t[0] == "agent"] == [("agent", "ab"), ("agent", "c")]


def test_without_ids_other_updates_do_not_break_a_message(one: Session) -> None:
    """Ours: usage, commands and titles come in the middle of an answer and are no part of it."""
    one.play(
        chunk("a", None),
        {"sessionUpdate": "usage_update", "used": 1, "size": 2},
        {"sessionUpdate": "session_info_update", "title": "T"},
        {"sessionUpdate": "available_commands_update", "availableCommands": []},
        chunk("b", None),
    )
    assert one.texts() == [("agent", "ab")]


def test_a_change_between_an_id_and_none_starts_a_message(one: Session) -> None:
    """Spec (v1 section 7): recorded, an agent writes warnings without an id between answers with one."""
    one.play(chunk("warning", None), chunk("a", "m1"), chunk("b", "m1"), chunk("again", None), chunk("c", "m1"))
    assert one.texts() == [("agent", "warning"), ("agent", "abc"), ("agent", "again")]
    assert [m.key for m in one.now.messages] == ["agent#1", "agent:m1", "agent#2"]


def test_an_empty_chunk_without_an_id_begins_no_message(one: Session) -> None:
    """Ours: recorded, an agent carries usage figures in an empty chunk behind each tool call: no empty bubble."""
    one.play(chunk("a", None), tool_call())
    event = one.update(chunk("", None))
    assert isinstance(event, TextAppended)
    assert (event.key, event.text, event.count) == ("agent#1", "", 1)
    one.update(chunk("b", None))
    assert one.texts() == [("agent", "a"), ("agent", "b")]
    assert [item.key for item in one.now.items] == ["agent#1", "tool:t1", "agent#2"]


def test_an_empty_id_is_an_id(session: Session) -> None:
    """Spec (V2-MSG-01): ids are opaque strings."""
    session.play(chunk("a", ""), chunk("b", ""))
    assert [m.key for m in session.now.messages] == ["agent:"]
    assert session.message("agent:").message_id == ""


def test_a_prompt_that_the_agent_does_not_echo_is_in_the_timeline(one: Session) -> None:
    """Ours: version 1 agents do not repeat the prompt; the transcript holds it all the same."""
    event = one.reducer.local_user_message([Text("hi"), Image(data="aGk=", mime_type="image/png")])
    one.play(chunk("hello", None))
    assert one.texts() == [("user", "hi"), ("agent", "hello")]
    assert (event.count, event.key) == (0, "user#1")


def test_an_echo_replaces_the_prompt_that_was_sent(one: Session) -> None:
    """Fault SO-06: an agent that repeats the prompt, in one or several chunks, does not double it."""
    one.reducer.local_user_message([Text("hi there")])
    first = one.update(chunk("hi", None, "user"))
    one.update(chunk(" there", None, "user"))
    assert one.texts() == [("user", "hi there")]
    assert isinstance(first, ItemChanged), "its text is not appended to what was shown before"


def test_an_echo_with_an_id_keeps_the_key(one: Session) -> None:
    """Ours: keys are stable; the id is learnt."""
    one.reducer.local_user_message([Text("hi")])
    one.play(chunk("h", "u9", "user"), chunk("i", "u9", "user"), chunk("yo", "a9"))
    assert one.texts() == [("user", "hi"), ("agent", "yo")]
    assert (one.message("user#1").message_id, one.message("user#1").key) == ("u9", "user#1")


def test_two_prompts_without_an_answer_between_are_two_messages(one: Session) -> None:
    """Ours: each prompt is a message, also after one that failed."""
    one.reducer.local_user_message([Text("one")])
    one.reducer.local_user_message([Text("two")])
    assert one.texts() == [("user", "one"), ("user", "two")]


def test_a_late_chunk_belongs_to_the_message_before_the_next_prompt(one: Session) -> None:
    """Fault SO-08: a chunk after the end of a turn joins its message and not the next turn's text."""
    one.reducer.local_user_message([Text("one")])
    mark = one.store.text_mark()
    one.update(chunk("answer", None))
    assert one.store.text_since(mark).text == "answer"
    one.update(chunk(" EM", None))
    one.reducer.local_user_message([Text("two")])
    mark = one.store.text_mark()
    one.update(chunk("X", None))
    assert one.store.text_since(mark).text == "X"
    assert one.texts() == [("user", "one"), ("agent", "answer EM"), ("user", "two"), ("agent", "X")]


class TestTextOfATurn:
    def test_it_is_what_the_agent_said_since_the_mark(self, session: Session) -> None:
        """Ours: all agent messages in order of their first text; thoughts and the user do not count."""
        session.update(chunk("old ", "m1"))
        mark = session.store.text_mark()
        session.play(chunk("hm", "t", "thought"), chunk("a", "m1"), chunk("x", "m2"), chunk("b", "m1"))
        assert session.store.text_since(mark).text == "abx"

    def test_marks_may_overlap(self, session: Session) -> None:
        """Ours: two prompts may be on their way; each gets what came since it was sent."""
        first = session.store.text_mark()
        session.update(chunk("a"))
        second = session.store.text_mark()
        session.update(chunk("b"))
        assert (session.store.text_since(first).text, session.store.text_since(second).text) == ("ab", "b")

    def test_a_replaced_message_counts_once_and_whole(self, two: Session) -> None:
        """Ours: an agent that streams and then sends the whole message has said it once."""
        two.update(chunk("old", "m0"))
        mark = two.store.text_mark()
        two.play(chunk("draf", "m1"), message("m1", content=[text("final")]), chunk("!", "m1"))
        assert two.store.text_since(mark).text == "final!"

    def test_an_older_message_that_is_replaced_counts_whole(self, two: Session) -> None:
        """Ours: its new words are what the agent says now, however long it was before."""
        two.update(chunk("a long story", "m0"))
        mark = two.store.text_mark()
        two.play(chunk("!", "m0"), message("m0", content=[text("short")]))
        assert two.store.text_since(mark).text == "short"

    def test_text_around_other_blocks_counts(self, session: Session) -> None:
        """Ours: an image in the answer hides nothing."""
        session.update(chunk("old"))
        mark = session.store.text_mark()
        session.play(chunk(IMAGE), chunk("a"), chunk(text("b") | {"_meta": {"k": 1}}))
        assert session.store.text_since(mark).text == "ab"

    def test_replayed_text_does_not_count(self, session: Session) -> None:
        """Fault SO-05: what was said earlier is nobody's answer."""
        mark = session.store.text_mark()
        session.store.begin_replay(reset=True)
        session.update(chunk("old"))
        session.store.end_replay()
        session.update(chunk("new"))
        assert session.store.text_since(mark).text == "new"
