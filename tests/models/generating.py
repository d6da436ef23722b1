"""JSON values that fit a protocol type, and ways to break them, made from the same descriptions as the readers.

Everything takes a `random.Random`, so that plain loops with a seed and hypothesis can both drive it.
"""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from acp_client.models import v1, v2
from acp_client.models.base import Field, Model, Unknown
from acp_client.models.shapes import (
    Answer,
    AnyJson,
    AnyObject,
    Boolean,
    Integer,
    KeyedUnion,
    ListOf,
    ListUnion,
    MapOf,
    Number,
    Ref,
    RequestId,
    TaggedUnion,
    Text,
    Type,
    parse,
    parse_type,
    resolve,
)

Json = Any
PACKAGES: dict[int, ModuleType] = {1: v1, 2: v2}

TEXTS = ("", "a", "two words", "naïve", "漢字", "\N{GRINNING FACE}", "\ud83d", "line\nbreak", "0", "true")
LEAVES: tuple[Json, ...] = (None, True, False, 0, -1, 2**53 + 1, 2**64, 0.5, "", "text", "\ud83d", [], {})
EXTRA = {"x-side": "agent", "futureMember": {"deep": [1, None, {"a": 2**64}]}}
"""Unknown members that every object may have; `x-...` is documentation for generators and means nothing (V2-PAR-09)."""


def classes(version: int) -> list[type[Model]]:
    """Every class of a version but those that stand for what is unknown."""
    found = vars(PACKAGES[version]).values()
    models = [c for c in found if inspect.isclass(c) and issubclass(c, Model) and not issubclass(c, Unknown)]
    return sorted({c for c in models if c is not Model}, key=lambda c: c.__name__)


def any_json(rng: random.Random, depth: int = 2) -> Json:
    """Return any JSON value."""
    kind = rng.randrange(4 if depth else 2)
    if kind == 2:
        return [any_json(rng, depth - 1) for _ in range(rng.randrange(3))]
    if kind == 3:
        return {rng.choice("abc"): any_json(rng, depth - 1) for _ in range(rng.randrange(3))}
    return copy.deepcopy(rng.choice(LEAVES))


def value_of(owner: type[Model], type_: Type, rng: random.Random, full: bool = False) -> Json:
    """Return a value of one type; with `full`, every member is there."""
    match type_:
        case Text(minimum):
            return rng.choice([text for text in TEXTS if len(text) >= minimum])
        case Boolean():
            return rng.random() < 0.5
        case Integer(low, high):
            return rng.choice([low, high, min(max(low, 1), high), float(min(max(low, 7), high))])
        case Number(low, high):
            return rng.choice([low, high, min(max(low, 0.25), high), int(min(max(low, 1), high))])
        case AnyJson():
            return any_json(rng)
        case AnyObject():
            return {"k": any_json(rng)} if full or rng.random() < 0.7 else {}
        case RequestId():
            return rng.choice([0, 7, -1, "7", ""])
        case Answer():
            return rng.choice(["x", 1, 0.5, True, [], ["a", "b"]])
        case ListOf(item, minimum):
            return [value_of(owner, item, rng, full) for _ in range(max(minimum, 2 if full else rng.randrange(3)))]
        case MapOf(entry):
            return {f"k{n}": value_of(owner, entry, rng, full) for n in range(2 if full else rng.randrange(3))}
        case Ref(name):
            return _named(owner, name, rng, full)
    raise AssertionError(type_)


def _named(owner: type[Model], name: str, rng: random.Random, full: bool) -> Json:
    found = resolve(owner, name)
    if isinstance(found, frozenset):
        return rng.choice(sorted(found))
    if isinstance(found, TaggedUnion | KeyedUnion | ListUnion):
        return union_value(owner, found, rng, full)
    return object_of(found, rng, full)


def union_value(
    owner: type[Model], union: TaggedUnion | KeyedUnion | ListUnion, rng: random.Random, full: bool = False
) -> Json:
    """Return a value of a union, now and then of a variant that nobody knows."""
    if isinstance(union, KeyedUnion):
        return object_of(rng.choice(list(union.variants.values())), rng, full)
    if isinstance(union, ListUnion):
        item = rng.choice(union.items)
        return [object_of(item, rng, full) for _ in range(max(union.minimum, rng.randrange(3)))]
    if union.other is not None and not full and rng.random() < 0.2:
        return unknown_variant(owner, union, rng)
    if union.untagged is not None and rng.random() < 0.2:
        return {key: member for key, member in object_of(union.untagged, rng, full).items() if key != union.key}
    tag = rng.choice(sorted(union.variants))
    return variant(owner, union, tag, rng, full)


def variant(owner: type[Model], union: TaggedUnion, tag: str, rng: random.Random, full: bool = False) -> Json:
    """Return a value of one known variant."""
    target = union.variants[tag]
    if isinstance(target, str):
        inner = resolve(owner, target)
        assert isinstance(inner, TaggedUnion)
        return {**union_value(owner, inner, rng, full), union.key: tag}
    return {**object_of(target, rng, full), union.key: tag}


def unknown_variant(owner: type[Model], union: TaggedUnion, rng: random.Random) -> Json:
    """Return a value whose tag no version knows."""
    made = {union.key: rng.choice(["_acme", "from_the_future"]), **copy.deepcopy(EXTRA)}
    made |= {name: value_of(owner, parse_type(kind), rng) for name, kind in union.other_required.items()}
    return made | ({"sessionId": "s"} if union.other_scopes else {})


def object_of(cls: type[Model], rng: random.Random, full: bool = False) -> dict[str, Json]:
    """Return a JSON object that fits a class."""
    made: dict[str, Json] = {cls.TAG[0]: cls.TAG[1]} if cls.TAG is not None else {}
    for field in members(cls):
        shape = parse(field.shape)
        if not (field.required or full or rng.random() < 0.6):
            continue
        if (shape.nullable or shape.default_on_null) and not full and rng.random() < 0.2:
            made[field.wire] = None
        else:
            made[field.wire] = value_of(cls, shape.type, rng, full)
    if cls.MAX_SCOPES:
        made.pop("requestId", None)
        made["sessionId"] = "s"
    if rng.random() < 0.5 or full:
        made |= copy.deepcopy(EXTRA)
    return made


def members(cls: type[Model]) -> list[Field]:
    """The members that a class knows."""
    return [field for field in cls.FIELDS.values() if field.wire]


REPLACEMENTS: tuple[Json, ...] = (None, "text", 7, True, [], [None, 7], {})


def places(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every member and item inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in inside:
        yield (*path, key)
        yield from places(member, (*path, key))


def mutations(value: Json, path: tuple[Any, ...]) -> Iterator[tuple[str, Json]]:
    """Yield copies that are broken at one place, each with a word for how: dropped, replaced, put one level deeper."""
    yield "dropped", _changed(value, path, lambda holder, key: holder.__delitem__(key))
    for replacement in REPLACEMENTS:
        new = copy.deepcopy(replacement)
        yield f"{replacement!r}", _changed(value, path, lambda holder, key, new=new: holder.__setitem__(key, new))
    yield "in a list", _changed(value, path, lambda holder, key: holder.__setitem__(key, [holder[key]]))
    yield "in an object", _changed(value, path, lambda holder, key: holder.__setitem__(key, {"value": holder[key]}))


def _changed(value: Json, path: tuple[Any, ...], change: Any) -> Json:
    """Return the value with one place changed; what lies beside the path is shared."""
    holder = copy.copy(value)
    if len(path) == 1:
        change(holder, path[0])
    else:
        holder[path[0]] = _changed(value[path[0]], path[1:], change)
    return holder
