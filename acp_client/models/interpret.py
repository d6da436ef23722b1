"""Reads a protocol object by its description, one rule at a time, and says where it does not fit.

Slow and plain: this is the meaning of the notation in `shapes`. `compiling` makes fast functions of the same rules, and
falls back to this module to explain what was wrong.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, NoReturn

from acp_client.errors import InvalidModel
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
    Shape,
    TaggedUnion,
    Text,
    Type,
    Union,
    parse,
    parse_type,
    resolve,
)

SCOPES = ("sessionId", "requestId")


def refuse(path: str, expected: str) -> NoReturn:
    """Raise the error for a value that does not fit."""
    raise InvalidModel(path.removeprefix("."), expected)


def read_class(cls: type[Model], value: Any, path: str = "") -> Any:
    """Return the object of `cls` that a JSON object describes. Raises `InvalidModel`."""
    if type(value) is not dict:
        refuse(path, "an object")
    made = object.__new__(cls)
    for name, field in cls.FIELDS.items():
        if name != "extra":
            setattr(made, name, read_field(cls, field, value, path))
    check_scopes(cls.MAX_SCOPES, value, path)
    made.extra = extra_members(value, known_members(cls))
    return made


def read_field(cls: type[Model], field: Field, value: dict[str, Any], path: str) -> Any:
    """Return what one member means, with the lenient rules of the schema applied."""
    here, shape = f"{path}.{field.wire}", parse(field.shape)
    if field.wire not in value:
        if field.required:
            refuse(here, "a value, the member is required")
        return field.make_default()
    member = value[field.wire]
    if member is None and shape.nullable:
        return None
    if member is None and shape.default_on_null:
        return fallback(field, shape)
    try:
        if shape.skip_items and type(member) is list and isinstance(shape.type, ListOf):
            member = [item for item in member if _fits(cls, shape.type.item, item)]
        return read_type(cls, shape.type, member, here)
    except InvalidModel:
        if shape.clear_on_error:
            return None
        if shape.default_on_error:
            return fallback(field, shape)
        raise


def fallback(field: Field, shape: Shape) -> Any:
    """Return what stands for a value that is lenient and broken: the default, or nothing for a required list."""
    if not field.required:
        return field.make_default()
    return {} if isinstance(shape.type, MapOf | AnyObject) else []


def _fits(cls: type[Model], type_: Type, value: Any) -> bool:
    try:
        read_type(cls, type_, value, "")
    except InvalidModel:
        return False
    return True


def read_type(cls: type[Model], type_: Type, value: Any, path: str) -> Any:
    """Return a value of one type. `cls` is the class whose version names are looked up in."""
    match type_:
        case Text(minimum):
            if type(value) is not str or len(value) < minimum:
                refuse(path, "a string" if not minimum else "a string that is not empty")
        case Boolean():
            if type(value) is not bool:
                refuse(path, "true or false")
        case Integer(low, high):
            value = int(value) if type(value) is float and value.is_integer() else value
            if type(value) is not int or not low <= value <= high:
                refuse(path, f"an integer from {low} to {high}")
        case Number(low, high):
            if type(value) not in (int, float) or not isfinite(value) or not low <= value <= high:
                refuse(path, f"a number from {low} to {high}")
        case AnyObject():
            if type(value) is not dict:
                refuse(path, "an object")
        case RequestId():
            if type(value) not in (int, str):
                refuse(path, "a string or an integer")
        case Answer():
            if not _is_answer(value):
                refuse(path, "a string, number, boolean or list of strings")
        case ListOf(item, minimum):
            if type(value) is not list or len(value) < minimum:
                refuse(path, "an array" if not minimum else "an array that is not empty")
            return [read_type(cls, item, entry, f"{path}[{n}]") for n, entry in enumerate(value)]
        case MapOf(entry_type):
            if type(value) is not dict:
                refuse(path, "an object")
            return {key: read_type(cls, entry_type, entry, f"{path}.{key}") for key, entry in value.items()}
        case Ref(name):
            return _read_named(cls, name, value, path)
        case AnyJson():
            pass
    return value


def _is_answer(value: Any) -> bool:
    if type(value) is list:
        return all(type(entry) is str for entry in value)
    return type(value) in (str, bool, int) or (type(value) is float and isfinite(value))


def _read_named(cls: type[Model], name: str, value: Any, path: str) -> Any:
    found = resolve(cls, name)
    if isinstance(found, frozenset):
        if type(value) is not str or value not in found:
            refuse(path, f"one of {sorted(found)}")
        return value
    if isinstance(found, TaggedUnion | KeyedUnion | ListUnion):
        return read_union(cls, found, value, path)
    return read_class(found, value, path)


def read_union(cls: type[Model], union: Union, value: Any, path: str = "") -> Any:
    """Return the variant of a union that a value describes. Raises `InvalidModel`."""
    match union:
        case TaggedUnion():
            return _read_tagged(cls, union, value, path)
        case KeyedUnion():
            return _read_keyed(union, value, path)
        case ListUnion():
            return _read_list(union, value, path)


def _read_tagged(cls: type[Model], union: TaggedUnion, value: Any, path: str) -> Any:
    if type(value) is not dict:
        refuse(path, "an object")
    tag = value.get(union.key)
    variant = union.variants.get(tag) if type(tag) is str else None
    if isinstance(variant, str):
        return _read_named(cls, variant, value, path)
    if variant is not None:
        return read_class(variant, value, path)
    if union.untagged is not None and (union.key not in value or union.untagged_takes_all):
        return read_class(union.untagged, value, path)
    if union.other is None or type(tag) is not str:
        refuse(f"{path}.{union.key}", f"one of {sorted(union.variants)}")
    for name, notation in union.other_required.items():
        if name not in value:
            refuse(f"{path}.{name}", "a value, the member is required")
        read_type(cls, parse_type(notation), value[name], f"{path}.{name}")
    check_scopes(union.other_scopes, value, path)
    return unknown(union.other, tag, value)


def unknown(cls: type[Unknown], tag: str, raw: dict[str, Any]) -> Unknown:
    """Return the object for a variant that the schema does not know."""
    return cls(tag=tag, raw=raw)


def _read_keyed(union: KeyedUnion, value: Any, path: str) -> Any:
    if type(value) is not dict:
        refuse(path, "an object")
    first: InvalidModel | None = None
    for key, variant in union.variants.items():
        if key in value:
            try:
                return read_class(variant, value, path)
            except InvalidModel as error:
                first = first or error
    if first is not None:
        raise first
    refuse(path, f"an object with one of {sorted(union.variants)}")


def _read_list(union: ListUnion, value: Any, path: str) -> Any:
    if type(value) is not list or len(value) < union.minimum:
        refuse(path, "an array that is not empty" if union.minimum else "an array")
    first: InvalidModel | None = None
    for item in union.items:
        try:
            return [read_class(item, entry, f"{path}[{n}]") for n, entry in enumerate(value)]
        except InvalidModel as error:
            first = first or error
    assert first is not None
    raise first


def check_scopes(allowed: int, value: dict[str, Any], path: str) -> None:
    """Check that an elicitation names what it belongs to, and not more than its version allows."""
    if allowed and not 1 <= sum(key in value for key in SCOPES) <= allowed:
        refuse(path, "exactly one of sessionId and requestId" if allowed == 1 else "a sessionId or a requestId")


def known_members(cls: type[Model]) -> frozenset[str]:
    """Return the members that a class gives a meaning to, its tags included."""
    tags = {cls.TAG[0]} if cls.TAG is not None else set()
    if cls.TAG is not None and cls.TAG[0] == "state":
        tags.add("sessionUpdate")  # a state update stands in the same object as the update it is
    return frozenset(tags | {field.wire for field in cls.FIELDS.values() if field.wire})


def extra_members(value: dict[str, Any], known: frozenset[str]) -> dict[str, Any] | None:
    """Return the members that the schema does not know, None when there are none."""
    return {key: member for key, member in value.items() if key not in known} or None
