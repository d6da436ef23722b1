"""Plain text is applied without reading its model: whoever asks for it gets the same, and nothing else differs."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_client.errors import InvalidModel
from acp_client.models.convert import structure
from acp_client.state.events import Event, TextAppended
from tests.state.support import MODELS, Session

KINDS = ("user_message_chunk", "agent_message_chunk", "agent_thought_chunk")

ODD: st.SearchStrategy[Any] = st.sampled_from([None, "", "text", 0, True, [], {}, {"x": 1}, {"audience": ["user"]}])
CONTENT = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, st.text(max_size=5)),
    st.builds(
        lambda text, extra: {"type": "text", "text": text, **extra},
        st.one_of(st.text(max_size=3), ODD),
        st.dictionaries(st.sampled_from(["annotations", "_meta", "x", "type"]), ODD, max_size=2),
    ),
    st.just({"type": "resource_link", "name": "n", "uri": "file:///n"}),
    ODD,
)
CHUNK = st.builds(
    lambda kind, content, beside: {"sessionUpdate": kind, "content": content, **beside},
    st.sampled_from(KINDS),
    CONTENT,
    st.dictionaries(st.sampled_from(["messageId", "_meta", "x"]), st.one_of(st.sampled_from(["m1", "m2"]), ODD)),
)


def by_the_long_way(session: Session, raw: Any) -> Event:
    """Apply an update after reading its model, as every kind but plain text is."""
    try:
        event: Event = session.reducer.apply_model(structure(MODELS[session.protocol].SessionUpdate, raw))
    except InvalidModel:
        event = session.reducer.unknown_update(raw, "invalid")
    return event


@pytest.mark.parametrize("version", [1, 2])
@given(chunks=st.lists(CHUNK, max_size=6))
def test_text_ends_up_the_same_whether_its_model_was_read_or_not(version: int, chunks: list[Any]) -> None:
    """Ours: the fast path and the plain one give the same events, models, states and refusals."""
    fast, plain = Session(version), Session(version)
    for raw in chunks:
        one, other = fast.update(copy.deepcopy(raw)), by_the_long_way(plain, raw)
        assert one == other
        assert one.update == other.update
    assert fast.now == plain.now


@pytest.mark.parametrize("version", [1, 2])
def test_the_model_of_a_text_is_made_once_and_survives_a_pickle(version: int) -> None:
    """Ours: events are carried to other processes before anybody has asked for the model, and after it."""
    session = Session(version)
    raw = {"sessionUpdate": "agent_message_chunk", "messageId": "m1", "content": {"type": "text", "text": "hé"}}
    event = session.update(raw)
    assert isinstance(event, TextAppended)
    carried = pickle.loads(pickle.dumps(event))
    assert carried.update == event.update == structure(MODELS[version].SessionUpdate, raw)
    assert event.update is event.update
    assert pickle.loads(pickle.dumps(event)).update == event.update


def test_an_echo_of_a_prompt_has_its_model(one: Session) -> None:
    """Ours: in version 1 it takes the place of what was sent, and its event tells the update it came from."""
    one.reducer.local_user_message([])
    raw = {"sessionUpdate": "user_message_chunk", "messageId": "m1", "content": {"type": "text", "text": "hi"}}
    event = one.update(raw)
    assert (event.type, event.update) == ("item", structure(MODELS[1].SessionUpdate, raw))
    following = one.update({**raw, "content": {"type": "text", "text": " there"}})
    assert (one.message(event.key).text, following.key) == ("hi there", event.key)  # type: ignore[attr-defined]
