"""Writes Python source from a `Reading`: the classes of one protocol version, its unions, enums and method tables."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from integration.schema import decisions
from integration.schema.reading import EnumType, Member, ObjectType, Reading, UnionType

_WORD = re.compile(r"[A-Za-z_]\w*")
_SCALARS = {
    "str": "str",
    "bool": "bool",
    "any": "Any",
    "object": "Mapping[str, Any]",
    "id": "int | str",
    "double": "float",
}
_ANSWER = "str | float | bool | Sequence[str]"


GENERATED = "# Generated, see __init__.py. Do not edit.\n"


class Emitter:
    """Source files of one version, by file name."""

    def __init__(self, reading: Reading, header: str) -> None:
        self._reading, self._header = reading, header
        self._module_of = self._assign_modules()

    def files(self) -> dict[str, str]:
        """Return all files, each ready for the formatter."""
        made = {f"{module}.py": self._module(module) for module in decisions.MODULES}
        made["enums.py"] = self._enums()
        made["unions.py"] = self._unions()
        made["methods.py"] = self._methods()
        made["__init__.py"] = self._init()
        return made

    # -- modules

    def _assign_modules(self) -> dict[str, str]:
        assigned: dict[str, str] = {}
        for module, roots in decisions.MODULES.items():
            pending = [root for root in roots if self._known(root)]
            while pending:
                name = pending.pop()
                if name not in assigned:
                    assigned[name] = module
                    pending += self._references(name)
        for name in (*self._reading.objects, *self._reading.unions):
            assigned.setdefault(name, next(reversed(decisions.MODULES)))
        return assigned

    def _known(self, name: str) -> bool:
        return name in self._reading.objects or name in self._reading.unions

    def _references(self, name: str) -> list[str]:
        if name in self._reading.unions:
            union = self._reading.unions[name]
            return [n for n in (*union.members, *union.items) if self._known(n)]
        made = self._reading.objects[name]
        words = [w for m in made.members for w in _WORD.findall(m.type)] + ([made.base] if made.base else [])
        return [w for w in words if self._known(w)]

    def _module(self, module: str) -> str:
        names = [n for n in self._reading.objects if self._module_of[n] == module]
        names.sort(key=lambda n: self._reading.objects[n].base is not None)
        body = "".join(self._class(self._reading.objects[n]) for n in names)
        imports = self._type_imports(module, body)
        base = _used(body, ("EMPTY_MAP", "EMPTY_OBJECT", "UNSET", "Model", "Unset", "WithMeta", "field"))
        collections = _used(body, ("Mapping", "Sequence"))
        checking = [f"    from collections.abc import {', '.join(collections)}"] if collections else []
        checking += [
            f"    from acp_client.models.{self._reading.version}.{m} import {', '.join(n)}" for m, n in imports.items()
        ]
        typing = ["TYPE_CHECKING", *_used(body, ("Any", "ClassVar"))]
        return (
            f'{GENERATED}"""Types of protocol {self._reading.version}: {module}."""\n\n'
            f"from __future__ import annotations\n\nfrom typing import {', '.join(typing)}\n\n"
            f"from acp_client.models.base import {', '.join(base)}\n\n"
            f"if TYPE_CHECKING:\n" + "\n".join(checking) + "\n\n" + body
        )

    def _type_imports(self, module: str, body: str) -> dict[str, list[str]]:
        wanted: dict[str, list[str]] = {}
        words = set(_WORD.findall("\n".join(line.partition(" = ")[0] for line in body.splitlines() if ": " in line)))
        for name in sorted(words):
            if name in self._reading.unions:
                wanted.setdefault("unions", []).append(name)
            elif name.endswith("Value") and name.removesuffix("Value") in self._reading.enums:
                wanted.setdefault("enums", []).append(name)
            elif name in self._reading.objects and self._module_of[name] != module:
                wanted.setdefault(self._module_of[name], []).append(name)
        return dict(sorted(wanted.items()))

    # -- classes

    def _class(self, made: ObjectType) -> str:
        own = [m for m in made.members if m.wire != "_meta" or m.patch]
        base = made.base or ("Model" if any(m.wire == "_meta" for m in own) else "WithMeta")
        lines = [f"class {made.name}({base}):", f'    """{self._about(made)}"""', ""]
        if made.tag:
            lines.append(f'    TAG: ClassVar[tuple[str, str]] = ("{made.tag[0]}", "{made.tag[1]}")')
        if made.unstable:
            lines.append("    UNSTABLE: ClassVar[bool] = True")
        if made.max_scopes:
            lines.append(f"    MAX_SCOPES: ClassVar[int] = {made.max_scopes}")
        lines += [self._member(m) for m in own]
        return "\n".join(lines).rstrip() + "\n\n\n"

    def _about(self, made: ObjectType) -> str:
        stability = "unstable" if made.unstable else "stable"
        page = next((p for w, p in decisions.PAGES_BY_WORD.items() if w in made.name), None)
        return (
            f"{self._reading.version} {made.role} ({stability}); "
            f"protocol page: {page or decisions.PAGES[self._module_of[made.name]]}."
        )

    def _member(self, m: Member) -> str:
        attribute = _snake(m.wire)
        shape = m.type + ("|null" if m.nullable else "") + (f"/{m.marks}" if m.marks else "")
        default, annotation = self._default(m), self._annotation(m)
        options = f", default={default}" if default else ""
        options += ", unstable=True" if m.unstable else ""
        options += ", secret=True" if m.secret else ""
        return f'    {attribute}: {annotation} = field("{m.wire}", "{shape}"{options})'

    def _default(self, m: Member) -> str:
        if m.required:
            return ""
        if m.patch:
            return "UNSET"
        if m.nullable or m.type == "any":
            return "None"
        if m.type.startswith("["):
            return "()"
        if m.type.startswith("{"):
            return "EMPTY_MAP"
        if isinstance(m.default, dict):
            return "EMPTY_OBJECT"
        if m.default is not None:
            return f'"{m.default}"' if isinstance(m.default, str) else repr(m.default)
        return "None"

    def _annotation(self, m: Member) -> str:
        if m.wire == "_meta":
            return "dict[str, Any] | Unset | None" if m.patch else "dict[str, Any] | None"
        text = self._python(m.type)
        if text == "Any":
            return text
        if m.patch:
            text += " | Unset"
        return f"{text} | None" if m.nullable or self._default(m) == "None" else text

    def _python(self, kind: str) -> str:
        if kind.startswith("["):
            return f"Sequence[{self._python(kind.rstrip('+')[1:-1])}]"
        if kind.startswith("{"):
            return f"Mapping[str, {self._python(kind[1:-1])}]"
        name = kind.partition("(")[0].rstrip("+")
        if name in _SCALARS:
            return _SCALARS[name]
        if name == "answer":
            return _ANSWER
        if name.startswith(("int", "uint")):
            return "int"
        return f"{name}Value" if name in self._reading.enums else name

    # -- unions, enums, methods

    def _unions(self) -> str:
        version, unions = self._reading.version, self._reading.unions
        order = _dependencies_first(unions)
        classes = {n for u in unions.values() for n in (*u.members, *u.items) if n in self._reading.objects}
        classes |= set(self._reading.aliases.values())
        by_module: dict[str, list[str]] = {}
        for name in sorted(classes):
            by_module.setdefault(self._module_of[name], []).append(name)
        parts = [
            f'{GENERATED}"""Unions of protocol {version}: the Python types, and how their variants are told apart."""\n',
            "from __future__ import annotations\n",
            "from collections.abc import Sequence\nfrom typing import TypeAlias\n",
            "from acp_client.models.base import Unknown",
            "from acp_client.models.shapes import KeyedUnion, ListUnion, TaggedUnion, Union",
            *(f"from acp_client.models.{version}.{m} import {', '.join(n)}" for m, n in sorted(by_module.items())),
            "\n",
            *(self._unknown(u) for u in unions.values() if u.other),
            *(f"{n}: TypeAlias = {self._alias(unions[n])}" for n in order),
            "",
            *(f"{alias}: TypeAlias = {name}" for alias, name in self._reading.aliases.items()),
            "",
            "UNIONS: dict[str, Union] = {u.name: u for u in (",
            *(f"    {self._description(unions[n])}," for n in order),
            ")}",
            '"""How each union is told apart, by its name."""\n',
        ]
        return "\n".join(parts)

    def _unknown(self, union: UnionType) -> str:
        what = f"Variant of `{union.name}` whose `{union.key}` the {self._reading.version} schema does not have"
        return f'class {union.other}(Unknown):\n    """{what}."""\n\n'

    def _alias(self, union: UnionType) -> str:
        if union.items:
            return " | ".join(f"Sequence[{name}]" for name in union.items)
        return " | ".join(union.members)

    def _description(self, union: UnionType) -> str:
        if union.items:
            return f'ListUnion("{union.name}", {union.name}, ({", ".join(union.items)},), {union.minimum})'
        if union.keyed:
            variants = ", ".join(f'"{k}": {v}' for k, v in union.keyed.items())
            return f'KeyedUnion("{union.name}", {union.name}, {{{variants}}})'
        variants = ", ".join(
            f'"{tag}": ' + (f'"{name}"' if name in self._reading.unions else name)
            for tag, name in union.variants.items()
        )
        options = f", other={union.other}" if union.other else ""
        if union.other_required:
            options += ", other_required={" + ", ".join(f'"{k}": "{v}"' for k, v in union.other_required.items()) + "}"
        options += f", other_scopes={union.other_scopes}" if union.other_scopes else ""
        options += f", untagged={union.untagged}" if union.untagged else ""
        options += ", untagged_takes_all=True" if union.untagged_takes_all else ""
        return f'TaggedUnion("{union.name}", {union.name}, "{union.key}", {{{variants}}}{options})'

    def _enums(self) -> str:
        enums = self._reading.enums.values()
        closed = [e for e in enums if e.closed]
        return "\n".join(
            [
                f'{GENERATED}"""Constants of protocol {self._reading.version}, one class for each set of values.\n',
                "The attributes are plain strings (or numbers). In an open set any other value may come, and is kept as it came; of a",
                'closed set there is a `Literal` type as well, named like the class with `Value` behind it.\n"""\n',
                "from __future__ import annotations\n",
                "from typing import Final, Literal, TypeAlias" if closed else "from typing import Final",
                "\n",
                *(self._enum(e) for e in enums),
                *(
                    f"{e.name}Value: TypeAlias = Literal[{', '.join(repr(v) for v in e.values.values())}]"
                    for e in closed
                ),
                "\nCLOSED_ENUMS: dict[str, frozenset[str]] = {",
                *(f'    "{e.name}": frozenset(({", ".join(repr(v) for v in e.values.values())},)),' for e in closed),
                '}\n"""The values of the closed sets, by the name of the set."""\n',
            ]
        )

    def _enum(self, enum: EnumType) -> str:
        stability = "unstable" if enum.unstable else "stable"
        kind = "closed set of values" if enum.closed else "open set of values"
        lines = [f"class {enum.name}:", f'    """{self._reading.version} {kind} ({stability})."""', ""]
        lines += [f"    {name}: Final = {value!r}" for name, value in enum.values.items()]
        return "\n".join(lines) + "\n\n"

    def _methods(self) -> str:
        methods, version = self._reading.methods, self._reading.version
        used = {n for m in methods for n in (m.params, m.result) if n}
        by_module: dict[str, list[str]] = {}
        for name in sorted(used):
            module = "unions" if name in self._reading.unions else self._module_of[name]
            by_module.setdefault(module, []).append(name)
        imports = [f"from acp_client.models.{version}.{m} import {', '.join(n)}" for m, n in sorted(by_module.items())]
        tables = []
        for table, sides, about in (
            ("AGENT_METHODS", ("agent", "protocol"), "agent handles: what this side sends"),
            ("CLIENT_METHODS", ("client", "protocol"), "client handles: what this side receives"),
        ):
            tables.append(f"{table}: dict[str, Method] = {{")
            for m in methods:
                if m.side in sides:
                    stable = not m.unstable
                    tables.append(
                        f'    "{m.name}": Method("{m.name}", "{m.kind}", "{m.side}", {m.params}, {m.result}, {stable}),'
                    )
            tables.append(f'}}\n"""The methods that the {about}."""\n')
        return "\n".join(
            [
                f'{GENERATED}"""Method tables of protocol {version}."""\n',
                "from __future__ import annotations\n",
                "from acp_client.models.methods import Method",
                *imports,
                "",
                *tables,
            ]
        )

    def _init(self) -> str:
        names: dict[str, list[str]] = {}
        for name in self._reading.objects:
            names.setdefault(self._module_of[name], []).append(name)
        for e in self._reading.enums.values():
            names.setdefault("enums", []).extend([e.name, f"{e.name}Value"] if e.closed else [e.name])
        names["enums"].append("CLOSED_ENUMS")
        names["unions"] = ["UNIONS", *self._reading.unions, *self._reading.aliases]
        names["unions"] += [u.other for u in self._reading.unions.values() if u.other]
        names["methods"] = ["AGENT_METHODS", "CLIENT_METHODS"]
        version = self._reading.version
        every = sorted(n for group in names.values() for n in group)
        return "\n".join(
            [
                f'{self._header}"""All types of protocol {version}: classes, unions, constants and method tables."""\n',
                *(
                    f"from acp_client.models.{version}.{m} import {', '.join(sorted(n))}"
                    for m, n in sorted(names.items())
                ),
                "",
                "__all__ = [" + ", ".join(f'"{n}"' for n in every) + "]",
                "",
            ]
        )


def _used(body: str, names: Iterable[str]) -> list[str]:
    words = set(_WORD.findall(body))
    return [name for name in names if name in words]


def _dependencies_first(unions: dict[str, UnionType]) -> list[str]:
    return sorted(unions, key=lambda n: any(member in unions for member in unions[n].members))


def _snake(wire: str) -> str:
    name = re.sub(r"([A-Z])", lambda c: "_" + c[0].lower(), wire.lstrip("_"))
    return f"{name}_" if keyword.iskeyword(name) else name
