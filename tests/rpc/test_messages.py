"""The JSON codec: what the fast one refuses gets a second chance, and nothing invalid gets out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_client.rpc.messages import (
    MAX_QUOTED,
    InvalidJson,
    decode,
    encode,
    failure,
    notification,
    quoted,
    request,
    require_json,
    success,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**64), 10**40])
def test_integers_beyond_64_bits_stay_exact_in_both_directions(number: int) -> None:
    """Ours: an id or a size is never rounded to a float."""
    assert decode(str(number).encode()) == number
    assert json.loads(encode({"id": number}))["id"] == number


def test_lone_surrogates_are_kept_and_written_as_escapes() -> None:
    """Ours: JavaScript agents cut strings inside a surrogate pair (TR: outgoing text is valid UTF-8)."""
    text = decode(rb'{"text": "cut \ud83d here"}')["text"]
    assert text == "cut \ud83d here"
    wire = encode({"text": text, "more": [1, 2]})
    assert wire.decode("utf-8").isascii()
    assert b" " not in wire.replace(b"cut ", b"").replace(b" here", b""), "as compact as every other message"
    assert decode(wire)["text"] == text


def test_surrogates_written_as_raw_bytes_are_kept() -> None:
    """Ours: some agents encode half a pair as if it were a character."""
    assert decode(b'"a\xed\xa0\xbdb"') == "a\ud83db"


@pytest.mark.parametrize("text", [b"NaN", b"[Infinity]", b'{"a": -Infinity}', b"1e400", b'{"a": [1e999]}'])
def test_numbers_that_json_does_not_know_are_refused(text: bytes) -> None:
    """Ours: NaN, infinities, and numbers no double can hold."""
    with pytest.raises(InvalidJson):
        decode(text)


def test_nesting_deeper_than_the_interpreter_follows_is_invalid_and_not_a_crash() -> None:
    """Ours: depth 2,000 is refused with one clear error."""
    with pytest.raises(InvalidJson, match=r"^nested too deeply$"):
        decode(b"[" * 2000 + b"]" * 2000)


def test_nesting_of_some_hundred_levels_is_fine() -> None:
    """Ours: real payloads are far from the limit."""
    value = decode(b"[" * 300 + b"]" * 300)
    for _ in range(299):
        value = value[0]
    assert value == []


def test_a_byte_order_mark_is_skipped() -> None:
    """Ours: TR-STD-02 forbids sending one; agents on Windows do."""
    assert decode(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
    assert decode('\ufeff{"a": 1}') == {"a": 1}


@pytest.mark.parametrize("text", [b"", b"hello", b'{"a": }', b"{'a': 1}", b'"a\xff"', b'{"a": 1} trailing'])
def test_text_that_is_no_json_raises_invalid_json(text: bytes) -> None:
    """Ours: one error type for every kind of broken text."""
    with pytest.raises(InvalidJson):
        decode(text)


def test_the_last_of_duplicate_keys_wins() -> None:
    """Ours: as every JSON reader in the field."""
    assert decode(b'{"a": 1, "a": 2}') == {"a": 2}


@given(json_values)
def test_what_is_encoded_decodes_to_the_same_value(value: object) -> None:
    """Ours: the codec loses nothing, lone surrogates and big integers included."""
    wire = encode({"value": value})
    assert b"\n" not in wire
    wire.decode("utf-8")
    assert decode(wire)["value"] == value


@given(st.text(alphabet=st.characters(categories=["Cs", "L", "P"])))
def test_any_string_leaves_as_valid_utf8(text: str) -> None:
    """TR-STD-02: UTF-8 always, whatever the host puts in."""
    assert decode(encode({"text": text}).decode("utf-8"))["text"] == text


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [1, {"a": float("-inf")}], {1: 2}, object(), {"a": b"x"}]
)
def test_values_that_json_cannot_say_are_refused_before_they_are_sent(value: object) -> None:
    """Ours: TR: no NaN or Infinity on the wire, and no silent conversion of foreign objects."""
    with pytest.raises(ValueError):
        require_json(value)


@given(json_values)
def test_every_json_value_may_be_sent(value: object) -> None:
    """Ours: the check refuses nothing that can be written."""
    assert require_json(value) is value


def test_messages_have_the_shapes_of_json_rpc() -> None:
    """V2-RPC-01, V1-RPC-01: every message says 2.0; an error carries data only when there is some."""
    assert request(1, "m", {}) == {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {}}
    assert notification("m", {}) == {"jsonrpc": "2.0", "method": "m", "params": {}}
    assert success("a", None) == {"jsonrpc": "2.0", "id": "a", "result": None}
    assert failure(None, -32700, "no") == {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no"}}
    assert failure(1, 5, "no", {"a": 1})["error"] == {"code": 5, "message": "no", "data": {"a": 1}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[NaN]", "^NaN is no JSON number$"),
        ("-Infinity", "^-Infinity is no JSON number$"),
        ("1e400", "^number out of range$"),
        ('{"a": }', "^Expecting value"),
    ],
)
def test_broken_text_says_what_is_wrong_with_it(text: str, problem: str) -> None:
    """Ours: the sentence goes into a diagnostic."""
    with pytest.raises(InvalidJson, match=problem):
        decode(text)


def test_a_foreign_line_is_quoted_in_part_and_made_safe() -> None:
    """Bad input: escapes and broken text do no harm, and a long line is cut."""
    assert quoted("a\x1b[2Jb") == repr("a\x1b[2Jb")
    assert quoted(b"a\xff\n") == repr("a\ufffd\n")
    assert quoted("x" * 1000) == repr("x" * MAX_QUOTED)
    assert quoted(b"x" * 1000) == repr("x" * MAX_QUOTED)
    wide = "\U0001f600" * 1000
    assert quoted(wide.encode()) == repr(wide[:MAX_QUOTED])


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([1, "text", None, float("nan")], "NaN and infinite numbers do not exist in JSON"),
        ([float("inf"), 1, "text"], "NaN and infinite numbers do not exist in JSON"),
        ({"a": {1}, "b": 1}, "a set is no JSON value"),
        ({"b": 1, "a": (b"x", 1.5)}, "a bytes is no JSON value"),
        ({1: 2}, "the keys of an object must be strings, not int"),
    ],
)
def test_what_cannot_be_sent_is_found_wherever_it_is_and_named(value: object, problem: str) -> None:
    """Ours: in front of good values and behind them."""
    with pytest.raises(ValueError) as caught:
        require_json(value)
    assert str(caught.value) == problem


def test_what_contains_itself_cannot_be_sent() -> None:
    """Ours: it is refused, and looking for its end does not go on for ever."""
    endless: dict[str, object] = {"a": 1}
    endless["b"] = [endless]
    with pytest.raises(ValueError) as caught:
        require_json(endless)
    assert str(caught.value) == "it is nested too deeply, or in itself"


def test_no_number_that_json_does_not_know_is_ever_written() -> None:
    """Ours: the fast codec writes null, the second one, which takes what that one refuses, refuses too."""
    assert encode({"number": float("nan")}) == b'{"number":null}'
    with pytest.raises(ValueError):
        encode({"text": "\ud83d", "number": float("nan")})
