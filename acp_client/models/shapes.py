"""The little language in which a generated field states its shape, and the descriptions of unions.

    shape := type ["|null"] ["/" marks]
    type  := "[" type "]" ["+"]        array; with "+" at least one item
           | "{" type "}"              object used as a map
           | name ["(" low ".." high ")"] ["+"]   scalar, class, union or closed enum; "str+" is not empty

Marks are the lenient rules of the schema: `e` an invalid value counts as missing, `s` invalid items are left out, `n` null
counts as missing, `c` an invalid value counts as null. Read by `interpret` and `compiling`, written by the generator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from acp_client.models.base import Model, Unknown, package_of

MAX_DOUBLE = 1.7976931348623157e308

INTEGERS = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}


class Text(NamedTuple):
    """A string of at least `minimum` characters."""

    minimum: int


class Boolean(NamedTuple):
    """True or false."""


class Integer(NamedTuple):
    """A whole number in a range; never a boolean."""

    low: int
    high: int


class Number(NamedTuple):
    """A finite number in a range; never a boolean."""

    low: float
    high: float


class AnyJson(NamedTuple):
    """Any JSON value, not looked into."""


class AnyObject(NamedTuple):
    """Any JSON object, not looked into."""


class RequestId(NamedTuple):
    """A string or a 64-bit integer."""


class Answer(NamedTuple):
    """A value that a user may enter in a form: string, number, boolean or list of strings."""


class ListOf(NamedTuple):
    """An array of at least `minimum` items."""

    item: Type
    minimum: int


class MapOf(NamedTuple):
    """An object with free names."""

    value: Type


class Ref(NamedTuple):
    """A class, union or closed enum of the same protocol version."""

    name: str


Type: TypeAlias = Text | Boolean | Integer | Number | AnyJson | AnyObject | RequestId | Answer | ListOf | MapOf | Ref


class Shape(NamedTuple):
    """What one field accepts, and what becomes of a value that it does not accept."""

    type: Type
    nullable: bool = False
    default_on_error: bool = False
    skip_items: bool = False
    default_on_null: bool = False
    clear_on_error: bool = False


class TaggedUnion(NamedTuple):
    """A union told apart by the string member `key`.

    `variants`: tag to class, or to another union whose own tag stands in the same object. `other` takes unknown tags, if
    it has the members of `other_required`; without it they are invalid. `untagged` takes objects without the member and,
    with `untagged_takes_all`, those with an unknown tag as well.
    """

    name: str
    alias: Any
    key: str
    variants: Mapping[str, type[Model] | str]
    other: type[Unknown] | None = None
    other_required: Mapping[str, str] = {}
    other_scopes: int = 0
    untagged: type[Model] | None = None
    untagged_takes_all: bool = False


class KeyedUnion(NamedTuple):
    """A union told apart by which member is there: the first that is there and fits wins."""

    name: str
    alias: Any
    variants: Mapping[str, type[Model]]


class ListUnion(NamedTuple):
    """One array or another: the first item class that all items fit."""

    name: str
    alias: Any
    items: tuple[type[Model], ...]
    minimum: int


Union: TypeAlias = TaggedUnion | KeyedUnion | ListUnion

_NAMED: dict[str, Type] = {
    "bool": Boolean(),
    "any": AnyJson(),
    "object": AnyObject(),
    "id": RequestId(),
    "answer": Answer(),
}
_TOKEN = re.compile(r"(?P<name>\w+)(?:\((?P<low>[-\d.e]+?)\.\.(?P<high>[-\d.e]+)\))?(?P<some>\+?)$")


@cache
def parse(shape: str) -> Shape:
    """Read the notation of a field."""
    text, _, marks = shape.partition("/")
    kind = text.removesuffix("|null")
    return Shape(parse_type(kind), kind != text, "e" in marks, "s" in marks, "n" in marks, "c" in marks)


def parse_type(text: str) -> Type:
    """Read the notation of a type."""
    if text[0] == "[":
        return ListOf(parse_type(text.rstrip("+")[1:-1]), int(text[-1] == "+"))
    if text[0] == "{":
        return MapOf(parse_type(text[1:-1]))
    token = _TOKEN.match(text)
    if token is None:
        raise ValueError(f"not a shape: {text!r}")
    name, low, high = token["name"], token["low"], token["high"]
    if name == "str":
        return Text(1 if token["some"] else 0)
    if name == "double":
        return Number(*((float(low), float(high)) if low else (-MAX_DOUBLE, MAX_DOUBLE)))
    if name in INTEGERS:
        return Integer(*((int(low), int(high)) if low else INTEGERS[name]))
    return _NAMED[name] if name in _NAMED else Ref(name)


def resolve(owner: type[Model], name: str) -> type[Model] | Union | frozenset[str]:
    """Return what `name` stands for in the protocol version of `owner`: a class, a union, or the values of an enum."""
    package: Any = package_of(owner)
    if name in package.UNIONS:
        union: Union = package.UNIONS[name]
        return union
    if name in package.CLOSED_ENUMS:
        values: frozenset[str] = package.CLOSED_ENUMS[name]
        return values
    found: type[Model] = getattr(package, name)
    return found
