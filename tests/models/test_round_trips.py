"""Laws of all models: nothing is lost on the way through, and the fast readers mean what the slow ones say."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_client.errors import InvalidModel
from acp_client.models.base import UNSET, Model
from acp_client.models.compiling import BROKEN
from acp_client.models.convert import converter, hook, structure, unstructure
from acp_client.models.interpret import SCOPES, read_class, read_union
from acp_client.models.shapes import TaggedUnion, parse
from tests.models.generating import (
    EXTRA,
    PACKAGES,
    classes,
    members,
    mutations,
    object_of,
    places,
    union_value,
    unknown_variant,
    variant,
)

ALL = [(version, cls) for version in PACKAGES for cls in classes(version)]
IDS = [f"v{version}.{cls.__name__}" for version, cls in ALL]
EVERY_CLASS = pytest.mark.parametrize(("version", "cls"), ALL, ids=IDS)
UNIONS = [(v, union) for v, package in PACKAGES.items() for union in package.UNIONS.values()]
EVERY_UNION = pytest.mark.parametrize(("version", "union"), UNIONS, ids=[f"v{v}.{union.name}" for v, union in UNIONS])


def test_every_class_is_tried() -> None:
    """Ours: the lists below are what the packages export; stable and unstable, in both versions."""
    assert len(ALL) == len(set(ALL)) > 350
    assert {version for version, _ in ALL} == {1, 2}
    assert any(cls.UNSTABLE for _, cls in ALL)
    assert len(UNIONS) > 20


@EVERY_CLASS
def test_nothing_is_lost_on_the_way_through(version: int, cls: type[Model]) -> None:
    """V2-PAR-09, FC-01: `structure(unstructure(x)) == x`, with unknown members and `_meta` unchanged."""
    rng = random.Random(cls.__name__)
    for n in range(6):
        wire = object_of(cls, rng, full=n == 0)
        there = structure(cls, wire)
        back = unstructure(there)
        assert structure(cls, back) == there
        assert unstructure(structure(cls, back)) == back
        for key in EXTRA:
            assert back.get(key) == wire.get(key)
        for field in members(cls):
            _check_member(field, wire, back)


def _check_member(field: Any, wire: dict[str, Any], back: dict[str, Any]) -> None:
    if field.wire not in wire:
        assert field.required or field.wire not in back or back[field.wire] is not None
    elif field.patch or field.required:
        assert field.wire in back or (wire[field.wire] is None and not parse(field.shape).nullable)
    elif field.wire == "_meta" and wire["_meta"] is not None:
        assert back["_meta"] == wire["_meta"]


@EVERY_CLASS
def test_fast_and_slow_readers_agree(version: int, cls: type[Model]) -> None:
    """Ours: for what fits and for what does not, also by one broken place."""
    rng = random.Random(cls.__name__)
    wires = [object_of(cls, rng, full=n == 0) for n in range(3)]
    for wire in list(wires):
        paths = list(places(wire))
        for path in rng.sample(paths, min(len(paths), 8)):
            wires += [broken for _, broken in mutations(wire, path)]
    tried: list[Any] = [*wires, None, [], "text", 7]
    outcomes = {_agree(cls, wire) for wire in tried}
    assert False in outcomes, "something was broken"


def _agree(cls: type[Model], wire: Any) -> bool:
    problem = ""
    try:
        slow = read_class(cls, wire)
    except InvalidModel as error:
        problem = str(error)
    if not problem:
        assert hook(cls)(wire) == slow
        return True
    with pytest.raises(BROKEN):
        hook(cls)(wire)
    with pytest.raises(InvalidModel) as caught:
        structure(cls, wire)
    assert str(caught.value) == problem
    return False


@EVERY_UNION
def test_unions_are_read_by_their_tag(version: int, union: Any) -> None:
    """FC-08: every known tag, unknown ones kept whole, and the fast reader agrees with the slow one."""
    owner = PACKAGES[version].InitializeRequest
    rng = random.Random(union.name)
    wires = [union_value(owner, union, rng, full=n == 0) for n in range(20)]
    if isinstance(union, TaggedUnion):
        wires += [variant(owner, union, tag, rng) for tag in union.variants for _ in range(3)]
        if union.other is not None:
            for _ in range(3):
                raw = unknown_variant(owner, union, rng)
                made = structure(union.alias, raw)
                assert (type(made), made.tag, made.raw) == (union.other, raw[union.key], raw)
                assert unstructure(made) is raw
    for wire in wires:
        made = structure(union.alias, wire)
        assert made == read_union(owner, union, wire)
        assert structure(union.alias, _within_its_tag(union, wire, unstructure(made))) == made


def _within_its_tag(union: Any, wire: Any, back: Any) -> Any:
    """A variant of a union inside a union writes its own tag; whoever holds it adds the outer one."""
    if isinstance(union, TaggedUnion) and isinstance(wire, dict) and union.key in wire:
        return {union.key: wire[union.key], **back}
    return back


@EVERY_CLASS
def test_three_states_stay_three(version: int, cls: type[Model]) -> None:
    """Ours: omitted, null and a value of a patch member are three things, there and back."""
    rng = random.Random(cls.__name__)
    for field in members(cls):
        if not field.patch or (cls.MAX_SCOPES and field.wire in SCOPES):
            continue  # the members that name what an elicitation belongs to exclude each other
        wire = object_of(cls, rng, full=True)
        attribute = field.name
        value = getattr(structure(cls, wire), attribute)
        assert value is not UNSET
        without = {key: member for key, member in wire.items() if key != field.wire}
        assert getattr(structure(cls, without), attribute) is UNSET
        assert field.wire not in unstructure(structure(cls, without))
        if parse(field.shape).nullable:
            cleared = structure(cls, {**wire, field.wire: None})
            assert getattr(cleared, attribute) is None
            assert unstructure(cleared)[field.wire] is None


@given(st.sampled_from(ALL), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_any_object_survives(chosen: tuple[int, type[Model]], rng: random.Random) -> None:
    """Law: the same as above, with values that shrink."""
    _, cls = chosen
    there = structure(cls, object_of(cls, rng))
    assert structure(cls, unstructure(there)) == there
    assert converter().structure(converter().unstructure(there), cls) == there


@EVERY_CLASS
def test_python_values_make_the_same_object(version: int, cls: type[Model]) -> None:
    """Ours, H11: an object can be built by hand from the attributes of another, carried, copied, and printed."""
    made = structure(cls, object_of(cls, random.Random(cls.__name__), full=True))
    twin = cls(**{name: getattr(made, name) for name in cls.FIELDS})
    assert twin == made
    assert repr(twin) == repr(made)
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.copy(made) == copy.deepcopy(made) == made
    with pytest.raises(TypeError, match="no field 'nobody'"):
        cls(**{name: getattr(made, name) for name in cls.FIELDS}, nobody=1)
