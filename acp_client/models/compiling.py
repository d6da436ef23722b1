"""Straight-line functions that read protocol objects, made from the same descriptions as `interpret` reads.

A function is compiled when its class is first met, so that an import costs nothing and a session pays only for what it
uses. It raises one of `BROKEN` for what does not fit; whoever wants to know why asks `interpret`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from acp_client.models.base import Field, Model
from acp_client.models.interpret import (
    check_scopes,
    extra_members,
    fallback,
    known_members,
    read_type,
    read_union,
)
from acp_client.models.shapes import (
    AnyJson,
    AnyObject,
    Boolean,
    Integer,
    KeyedUnion,
    ListOf,
    ListUnion,
    MapOf,
    Ref,
    Shape,
    TaggedUnion,
    Text,
    Type,
    parse,
    resolve,
)

Read: TypeAlias = Callable[[Any], Any]

BROKEN = (ValueError, KeyError, TypeError, AttributeError)
"""What a compiled function raises for a value that does not fit (`InvalidModel` is a `ValueError`)."""

_functions: dict[type[Model], Read] = {}
_unions: dict[tuple[str, str], Read] = {}


def reader(cls: type[Model]) -> Read:
    """Return the function that reads objects of one class."""
    function = _functions.get(cls)
    if function is None:
        # Registered before it is made: classes may contain each other.
        function = _functions[cls] = _Later(lambda: _compile(cls))
    return function


def ready(function: Read) -> Read:
    """Return a function itself where its stand-in was given."""
    return function.made() if isinstance(function, _Later) else function


class _Later:
    """Stands for a function until it is first called; then the function takes its place wherever it was put."""

    def __init__(self, make: Callable[[], Read]) -> None:
        self._make = make
        self._made: Read | None = None
        self._places: list[tuple[dict[str, Any], str]] = []

    def put(self, names: dict[str, Any], name: str) -> None:
        self._places.append((names, name))

    def made(self) -> Read:
        if self._made is None:
            self._made = self._make()
            for names, name in self._places:
                names[name] = self._made
        return self._made

    def __call__(self, value: Any) -> Any:
        return self.made()(value)


def _put(names: dict[str, Any], name: str, function: Read) -> None:
    """Give a function its name in `names`; what only stands for one will be replaced there."""
    names[name] = function
    if isinstance(function, _Later):
        function.put(names, name)


def union_reader(cls: type[Model], union: TaggedUnion | KeyedUnion | ListUnion) -> Read:
    """Return the function that reads values of a union; `cls` tells the protocol version."""
    key = (cls.__module__.rpartition(".")[0], union.name)
    function = _unions.get(key)
    if function is None:
        function = _unions[key] = _union(cls, union)
    return function


def _union(cls: type[Model], union: TaggedUnion | KeyedUnion | ListUnion) -> Read:
    def by_rules(value: Any) -> Any:
        return read_union(cls, union, value)

    if not isinstance(union, TaggedUnion):
        return by_rules
    table: dict[str, Read] = {}
    for tag, variant in union.variants.items():
        target = resolve(cls, variant) if isinstance(variant, str) else variant
        if isinstance(target, type):
            _put(table, tag, reader(target))
        else:
            assert isinstance(target, TaggedUnion)
            table[tag] = union_reader(cls, target)
    key = union.key

    def by_tag(value: Any) -> Any:
        try:
            read = table[value[key]]
        except (KeyError, TypeError):
            return by_rules(value)
        return read(value)

    return by_tag


def _compile(cls: type[Model]) -> Read:
    names: dict[str, Any] = {
        "C": cls,
        "new": object.__new__,
        "BROKEN": BROKEN,
        "KNOWN": known_members(cls),
        "extra": extra_members,
        "scopes": check_scopes,
    }
    lines = [
        "def read(o):",
        "    if type(o) is not dict: raise TypeError('an object')",
        "    g = o.get",
        "    r = new(C)",
    ]
    # Without its tag where no union has to be told apart: in a permission request, for one.
    lines.append("    n = 0" if cls.TAG is None else f"    n = 1 if {cls.TAG[0]!r} in o else 0")
    for number, (name, field) in enumerate(cls.FIELDS.items()):
        if name != "extra":
            lines += ["    " + line for line in _field(cls, field, number, names)]
    if cls.MAX_SCOPES:
        lines.append(f"    scopes({cls.MAX_SCOPES}, o, '')")
    lines.append("    r.extra = None if len(o) == n else extra(o, KNOWN)")
    lines.append("    return r")
    exec(compile("\n".join(lines), f"<reader of {cls.__name__}>", "exec"), names)  # our own text
    function: Read = names["read"]
    _functions[cls] = function
    return function


def _field(cls: type[Model], field: Field, number: int, names: dict[str, Any]) -> list[str]:
    """Return the lines that read one member into `r`."""
    shape, target, wire = parse(field.shape), f"r.{field.name}", repr(field.wire)
    names[f"missing{number}"] = field
    default = _default(field, number, names)
    lines: list[str] = []
    if field.required:
        lines += [f"v = o[{wire}]", "n += 1"]
        body = _value(cls, field, shape, target, number, names)
        if shape.nullable or shape.default_on_null:
            empty = "None" if shape.nullable else _empty(field, shape)
            return [*lines, f"if v is None: {target} = {empty}", "else:", *indented(body)]
        return [*lines, *body]
    if field.patch:
        names["UNSET"] = field.default
        lines.append(f"v = g({wire}, UNSET)")
        null = "None" if shape.nullable else "UNSET"
        if shape.nullable:
            lines += [f"if v is UNSET: {target} = UNSET", f"elif v is None: {target} = {null}; n += 1", "else:"]
        else:
            lines += [f"if v is UNSET: {target} = UNSET", "else:"]
    elif shape.nullable or shape.default_on_null or shape.default_on_error:
        # Null, missing and (where it is lenient) broken mean the same here.
        lines += [f"v = g({wire})", f"if v is None: {target} = {default}", "else:"]
    else:
        lines += [f"if {wire} not in o: {target} = {default}", "else:", f"    v = o[{wire}]"]
    return [*lines, *indented(["n += 1", *_value(cls, field, shape, target, number, names)])]


def _default(field: Field, number: int, names: dict[str, Any]) -> str:
    if field.required:
        return "None"
    value = field.default
    if value is None or value is True or value is False:
        return repr(value)
    names[f"default{number}"] = field.make_default
    return f"default{number}()"


def _empty(field: Field, shape: Shape) -> str:
    return repr(fallback(field, shape))


def _value(cls: type[Model], field: Field, shape: Shape, target: str, number: int, names: dict[str, Any]) -> list[str]:
    """Return the lines that check the value `v`, which is there and not null, and store it."""
    lenient = shape.default_on_error or shape.clear_on_error
    broken = (
        "None" if shape.clear_on_error else _empty(field, shape) if field.required else _broken(field, number, names)
    )
    simple = "str" if shape.type == Text(0) and isinstance(shape.type, Text) else None
    simple = "bool" if isinstance(shape.type, Boolean) else simple
    fits = f"type(v) is {simple}" if simple is not None else _plain_check(cls, shape.type, number, names)
    if fits is not None:
        otherwise = f"{target} = {broken}" if lenient else f"raise TypeError({field.wire!r})"
        return [f"if {fits}: {target} = v", f"else: {otherwise}"]
    read = f"read{number}"
    if shape.skip_items and isinstance(shape.type, ListOf):
        _put(names, read, _skipping(converter(cls, shape.type.item), shape.type.minimum))
    else:
        _put(names, read, converter(cls, shape.type))
    lines = [f"{target} = {read}(v)"]
    if isinstance(shape.type, Integer):  # nearly always one already
        lines = [f"{target} = v if type(v) is int and {shape.type.low} <= v <= {shape.type.high} else {read}(v)"]
    return ["try:", *indented(lines), f"except BROKEN: {target} = {broken}"] if lenient else lines


def _plain_check(cls: type[Model], type_: Type, number: int, names: dict[str, Any]) -> str | None:
    """Return the condition under which `v` is taken as it is, for types of which nothing else is taken."""
    match type_:
        case AnyJson():
            return "True"
        case AnyObject():
            return "type(v) is dict"
        case Text(minimum):
            return f"type(v) is str and len(v) >= {minimum}"
        case Ref(name) if isinstance(values := resolve(cls, name), frozenset):
            names[f"enum{number}"] = values
            return f"type(v) is str and v in enum{number}"
    return None


def _broken(field: Field, number: int, names: dict[str, Any]) -> str:
    return "UNSET" if field.patch else _default(field, number, names)


def _skipping(item: Read, minimum: int) -> Read:
    names: dict[str, Any] = {}
    _put(names, "item", item)

    def read(value: Any) -> list[Any]:
        if type(value) is not list:
            raise TypeError("an array")
        kept, read_item = [], names["item"]
        for entry in value:
            try:
                kept.append(read_item(entry))
            except BROKEN:
                continue
        if len(kept) < minimum:
            raise ValueError("an array that is not empty")
        return kept

    return read


def converter(cls: type[Model], type_: Type) -> Read:
    """Return the function that checks and converts a value of one type."""
    match type_:
        case Ref(name):
            found = resolve(cls, name)
            if isinstance(found, TaggedUnion | KeyedUnion | ListUnion):
                return union_reader(cls, found)
            if not isinstance(found, frozenset):
                return reader(found)
        case ListOf(item, minimum):
            return _list(converter(cls, item), minimum)
        case MapOf(entry):
            return _map(converter(cls, entry))
    return lambda value: read_type(cls, type_, value, "")


def _list(item: Read, minimum: int) -> Read:
    names: dict[str, Any] = {}
    _put(names, "item", item)

    def read(value: Any) -> list[Any]:
        if type(value) is not list or len(value) < minimum:
            raise TypeError("an array")
        read_item = names["item"]
        return [read_item(entry) for entry in value]

    return read


def _map(entry: Read) -> Read:
    names: dict[str, Any] = {}
    _put(names, "item", entry)

    def read(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise TypeError("an object")
        read_item = names["item"]
        return {key: read_item(member) for key, member in value.items()}

    return read


def indented(lines: list[str]) -> list[str]:
    """Return lines one level deeper."""
    return ["    " + line for line in lines]
