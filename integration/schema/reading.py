"""Reads one version of the official JSON schema into the few facts that our models need.

Knows the schema's dialect (tagged unions, flattened unions, `x-deserialize-*` marks); knows nothing of Python source. What the
schema cannot say by itself (patch fields, secrets, names of variants without a definition) stands in `decisions`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from integration.schema import decisions

Schema: TypeAlias = dict[str, Any]

_SCALARS = {"string": "str", "boolean": "bool", "integer": "int64", "number": "double", "object": "object"}
_BOUNDS = {"uint16": (0, 65535), "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1)}


@dataclass(frozen=True)
class Member:
    """One member of an object."""

    wire: str
    type: str
    nullable: bool
    marks: str
    required: bool
    default: Any
    unstable: bool = False
    patch: bool = False
    secret: bool = False


@dataclass(frozen=True)
class ObjectType:
    """A class to generate; `tag` marks a variant, `base` names the class whose members it shares."""

    name: str
    members: tuple[Member, ...]
    unstable: bool
    role: str
    tag: tuple[str, str] | None = None
    base: str | None = None
    max_scopes: int = 0


@dataclass(frozen=True)
class EnumType:
    """A set of constants; an open one accepts any other value as well."""

    name: str
    values: Mapping[str, str | int]
    closed: bool
    unstable: bool


@dataclass(frozen=True)
class UnionType:
    """A union: tagged (`key`), told apart by a member (`keyed`), or by its items (`items`)."""

    name: str
    unstable: bool
    key: str = ""
    variants: Mapping[str, str] = field(default_factory=dict)
    keyed: Mapping[str, str] = field(default_factory=dict)
    items: tuple[str, ...] = ()
    minimum: int = 0
    other: str | None = None
    other_required: Mapping[str, str] = field(default_factory=dict)
    other_scopes: int = 0
    untagged: str | None = None
    untagged_takes_all: bool = False

    @property
    def members(self) -> tuple[str, ...]:
        """The names that the Python union joins, without repetitions."""
        named = (*self.variants.values(), *self.keyed.values(), self.untagged, self.other)
        return tuple(dict.fromkeys(name for name in named if name))


@dataclass(frozen=True)
class MethodType:
    """One line of the method table."""

    name: str
    kind: str
    side: str
    params: str
    result: str | None
    unstable: bool


class Reading:
    """Everything that is generated for one protocol version."""

    def __init__(self, version: str, stable: Schema, unstable: Schema) -> None:
        self.version = version
        self._defs: dict[str, Schema] = {n: s for n, s in unstable["$defs"].items() if _wanted(n, s)}
        self._stable: dict[str, Schema] = stable["$defs"]
        self.objects: dict[str, ObjectType] = {}
        self.enums: dict[str, EnumType] = {}
        self.unions: dict[str, UnionType] = {}
        self.aliases: dict[str, str] = {}
        self._shared = self._payloads_of_several_tags()
        for name, schema in self._defs.items():
            self._read(name, schema)
        for name in self._swallowed():
            self.objects.pop(name, None)
        self.methods = self._methods()

    def _swallowed(self) -> set[str]:
        return set(decisions.MERGED_INTO_USERS) & set(self._defs)

    # -- definitions

    def _read(self, name: str, schema: Schema) -> None:
        if name in self.objects:
            return
        variants = schema.get("anyOf") or schema.get("oneOf")
        if name in decisions.AS_SHAPE or schema.get("type") in ("string", "integer"):
            return
        if variants is None:
            self._add_object(name, name, self._members(name, schema))
        elif all("const" in v or _catch_all_scalar(v) for v in variants):
            self._read_enum(name, variants)
        elif name in decisions.ONE_CLASS:
            self._read_as_one_class(name, schema, variants)
        elif "properties" in schema and not any(_tag(v) for v in variants):
            self._read_scoped(name, schema, variants)
        elif variants[0].get("type") == "array":
            items = tuple(_ref(v["items"]) for v in variants)
            self.unions[name] = UnionType(
                name, self._is_unstable(name), items=items, minimum=variants[0].get("minItems", 0)
            )
        else:
            self._read_union(name, schema, variants)

    def _add_object(self, name: str, definition: str, members: tuple[Member, ...], **more: Any) -> None:
        more.setdefault("role", self._role(definition))
        unstable = more.pop("unstable", self._is_unstable(definition))
        if unstable:
            members = tuple(replace(m, unstable=False) for m in members)
        self.objects[name] = ObjectType(name=name, members=members, unstable=unstable, **more)

    def _role(self, name: str) -> str:
        schema = self._defs.get(name, {})
        if "x-method" not in schema:
            return "object"
        role = "result" if name.endswith("Response") else "params"
        return f"{role} of `{schema['x-method']}`"

    def _is_unstable(self, name: str) -> bool:
        return name in self._defs and name not in self._stable

    def _read_enum(self, name: str, variants: list[Schema]) -> None:
        values = {_constant(v): v["const"] for v in variants if "const" in v}
        closed = all("const" in v for v in variants)
        self.enums[name] = EnumType(name, values, closed, self._is_unstable(name))

    def _read_as_one_class(self, name: str, schema: Schema, variants: list[Schema]) -> None:
        """The variants differ in one string only; their members all become members of one class."""
        members = list(self._members(name, schema))
        for variant in variants:
            members += (m for ref in _refs(variant) for m in self._members(ref, self._defs[ref]))
        tags = [t for v in variants if (t := _tag(v))]
        enum = tags[0][0][0].upper() + tags[0][0][1:]
        if enum not in self._defs:
            self.enums[enum] = EnumType(enum, {_upper(v): v for _, v in tags}, False, self._is_unstable(name))
        self._add_object(name, name, _meta_last(members))

    def _read_scoped(self, name: str, schema: Schema, variants: list[Schema]) -> None:
        """A payload that carries one of two scopes: both become optional members."""
        members = (*self._members(name, schema), *self._scopes(variants))
        self._add_object(name, name, members, max_scopes=1 if "oneOf" in schema else 2)

    def _scopes(self, variants: list[Schema]) -> Iterator[Member]:
        strict = self.version == "v2"
        for ref in (_refs(v)[0] for v in variants):
            for m in self._members(ref, self._defs[ref]):
                if m.wire == "requestId":
                    yield replace(m, required=False, patch=True, nullable=not strict, marks="" if strict else "e")
                else:
                    yield replace(m, required=False, marks="" if strict and m.required else "e")

    # -- members

    def _members(self, name: str, schema: Schema) -> tuple[Member, ...]:
        required = schema.get("required", ())
        known = (
            self._stable.get(name, {}).get("properties", {}) if name in self._stable else schema.get("properties", {})
        )
        return _meta_last(
            self._member(name, wire, sub, wire in required, wire not in known)
            for wire, sub in schema.get("properties", {}).items()
        )

    def _member(self, owner: str, wire: str, schema: Schema, required: bool, unstable: bool) -> Member:
        marks = "".join(letter for key, letter in decisions.MARKS.items() if schema.get(key))
        if (self.version, owner, wire) in decisions.CLEARED_ON_ERROR:
            marks += "c"
        return Member(
            wire=wire,
            type=self._type(schema),
            nullable=_nullable(schema) or (_ref(schema) == "RequestId" and self._null_request_id()),
            marks=marks,
            required=required,
            default=schema.get("default"),
            unstable=unstable,
            patch=wire in decisions.PATCH_FIELDS[self.version].get(owner, ()),
            secret=(owner, wire) in decisions.SECRETS,
        )

    def _null_request_id(self) -> bool:
        return any(v.get("type") == "null" for v in self._defs["RequestId"]["anyOf"])

    def _type(self, schema: Schema) -> str:
        ref = _ref(schema)
        if ref:
            return self._named(ref)
        kinds = schema.get("type")
        kind = kinds if isinstance(kinds, str) or kinds is None else next(k for k in kinds if k != "null")
        if kind is None:
            return "any"
        if kind == "array":
            return f"[{self._type(schema['items'])}]" + ("+" if schema.get("minItems") else "")
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            return "{" + self._type(schema["additionalProperties"]) + "}"
        if kind == "string":
            return "str+" if schema.get("minLength") else "str"
        return _number(schema, kind) if kind in ("integer", "number") else _SCALARS[kind]

    def _named(self, name: str) -> str:
        if name in decisions.AS_SHAPE:
            return decisions.AS_SHAPE[name][self.version]
        schema = self._defs[name]
        if schema.get("type") in ("string", "integer"):
            return self._type(schema)
        variants = schema.get("anyOf") or schema.get("oneOf") or []
        if variants and all("const" in v or _catch_all_scalar(v) for v in variants):
            closed = all("const" in v for v in variants)
            return name if closed else "int32" if variants[0]["type"] == "integer" else "str"
        if len(variants) == 1:
            return _refs(variants[0])[0]
        return name

    # -- unions

    def _payloads_of_several_tags(self) -> set[str]:
        seen: list[str] = []
        for schema in self._defs.values():
            seen += (_refs(v)[0] for v in schema.get("anyOf") or schema.get("oneOf") or () if _tag(v) and _refs(v))
        return {name for name in seen if seen.count(name) > 1}

    def _read_union(self, name: str, schema: Schema, variants: list[Schema]) -> None:
        common = self._members(name, schema)
        if len(variants) == 1:
            self.aliases[name] = _refs(variants[0])[0]
            return
        key = next((t[0] for v in variants if (t := _tag(v))), "")
        union: dict[str, Any] = {"variants": {}, "keyed": {}}
        for variant in variants:
            tag, is_other = _tag(variant), "not" in variant
            if is_other:
                union["other"] = self._other_name(name)
                union["other_required"] = self._other_required(schema, variant, key)
                union["other_scopes"] = 1 if "oneOf" in variant else 2 if "anyOf" in variant else 0
            elif tag:
                union["variants"][tag[1]] = self._variant(name, common, variant, tag)
            elif key:
                union["untagged"] = self._variant(name, common, variant, None)
                union["untagged_takes_all"] = not any("not" in v for v in variants)
            else:
                cls = self._variant(name, common, variant, None)
                union["keyed"][decisions.KEYED[cls]] = cls
        self.unions[name] = UnionType(name, self._is_unstable(name), key=key, **union)

    def _other_name(self, union: str) -> str:
        return f"Other{union}" if f"Unknown{union}" in self._defs else f"Unknown{union}"

    def _other_required(self, schema: Schema, variant: Schema, key: str) -> dict[str, str]:
        members = {**schema.get("properties", {}), **variant["properties"]}
        return {
            wire: self._type(members[wire])
            for wire in (*schema.get("required", ()), *variant.get("required", ()))
            if wire != key
        }

    def _variant(self, union: str, common: tuple[Member, ...], variant: Schema, tag: tuple[str, str] | None) -> str:
        """Make the class of one variant, unless its payload is a union itself; return the name."""
        refs = _refs(variant)
        inline = [m for m in self._members("", variant) if not tag or m.wire != tag[0]]
        if not refs:
            name = decisions.INLINE_VARIANTS[union, tag[1] if tag else variant["title"]]
            members = _meta_last([*common, *inline])
            self._add_object(name, union, members, tag=tag, role=_variant_role(tag, self._role(union)))
            return name
        payload = refs[0]
        payload_schema = self._defs[payload]
        if "properties" not in payload_schema and not payload_schema.get("type"):
            return payload
        if payload not in self.objects:
            self._read(payload, payload_schema)
        made = self.objects[payload]
        role = _variant_role(tag, self._role(union))
        if common and not set(common) <= set(made.members):
            made = replace(made, members=_meta_last([*common, *made.members]))
            self.objects[payload] = made
        if payload in self._shared and tag:
            name = _pascal(tag[1]) + ("" if _pascal(tag[1]).endswith("Chunk") else union)
            self._add_object(name, payload, (), tag=tag, base=payload, role=role)
            return name
        if tag:
            self.objects[payload] = replace(made, tag=tag, role=role)
        return payload

    # -- methods

    def _methods(self) -> list[MethodType]:
        messages = {n: (s["x-method"], s["x-side"]) for n, s in self._defs.items() if "x-method" in s}
        results = {message: name for name, message in messages.items() if name.endswith("Response")}
        found = []
        for name, (method, side) in messages.items():
            is_request = name.endswith("Request")
            if is_request or name.endswith("Notification"):
                result = results[method, side] if is_request else None
                kind = "request" if is_request else "notification"
                found.append(MethodType(method, kind, side, name, result, self._is_unstable(name)))
        return sorted(found, key=lambda m: (m.name, m.side))


def load(folder: Path, version: str) -> Reading:
    """Read `folder`/{v1,v2}/schema.json and schema.unstable.json."""
    stable, unstable = (
        json.loads((folder / version / name).read_bytes()) for name in ("schema.json", "schema.unstable.json")
    )
    return Reading(version, stable, unstable)


def _wanted(name: str, schema: Schema) -> bool:
    return not schema.get("x-docs-ignore") and schema.get("x-side") != "proxy" and name not in decisions.LEFT_OUT


def _catch_all_scalar(schema: Schema) -> bool:
    return schema.get("title", "").lower() in ("unknown", "other") and schema.get("type") in ("string", "integer")


def _tag(variant: Schema) -> tuple[str, str] | None:
    for wire, sub in variant.get("properties", {}).items():
        if "const" in sub:
            return wire, sub["const"]
    return None


def _refs(schema: Schema) -> list[str]:
    return [sub["$ref"].rpartition("/")[2] for sub in (schema, *schema.get("allOf", ())) if "$ref" in sub]


def _ref(schema: Schema) -> str:
    found = _refs(schema) + [name for sub in schema.get("anyOf", ()) for name in _refs(sub)]
    return found[0] if found else ""


def _nullable(schema: Schema) -> bool:
    kinds = schema.get("type")
    return (isinstance(kinds, list) and "null" in kinds) or any(
        s.get("type") == "null" for s in schema.get("anyOf", ())
    )


def _number(schema: Schema, kind: str) -> str:
    name = schema.get("format", _SCALARS[kind])
    low, high = _BOUNDS.get(name, (None, None))
    wanted = (schema.get("minimum", low), schema.get("maximum", high))
    if wanted == (low, high):
        return str(name)
    return f"{name}({wanted[0]}..{wanted[1] if wanted[1] is not None else high})"


def _meta_last(members: Any) -> tuple[Member, ...]:
    by_name: dict[str, Member] = {}
    for member in members:
        by_name.setdefault(member.wire, member)
    return tuple(sorted(by_name.values(), key=lambda m: m.wire == "_meta"))


def _variant_role(tag: tuple[str, str] | None, union_role: str) -> str:
    if tag is None:
        return union_role
    about = f"`{tag[0]}: {tag[1]}`"
    return about if union_role == "object" else f"{about} in {union_role}"


def _pascal(tag: str) -> str:
    return "".join(word.capitalize() for word in tag.split("_"))


def _upper(text: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in text).upper()


def _constant(variant: Schema) -> str:
    return _upper(variant["const"] if isinstance(variant["const"], str) else variant["title"])
