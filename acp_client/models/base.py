"""What every generated protocol class is made of: fields, the third state `UNSET`, and the base classes.

Knows nothing of JSON rules (see `convert`) or of any message (see `v1`, `v2`). The classes are attrs classes for whoever asks
(`attrs.has`, `attrs.fields`, `attrs.evolve`), but attrs builds that description only when asked: running `attrs.define` on
all classes of one version costs some 70 ms of import, this costs some 10. For type checkers they are frozen; at
run time nothing guards them, because a guarded store makes decoding about 1.5 times slower.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final, dataclass_transform

if TYPE_CHECKING:
    from types import ModuleType

    import attrs


class Unset(Enum):
    """The type of `UNSET`: a member that is not in the JSON object at all."""

    UNSET = "unset"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET
"""Says of a patch field: not mentioned, so unchanged. `None` says: cleared. Falsy, and the same object after pickling."""


class _Marker(Enum):
    REQUIRED = "required"
    EMPTY_MAP = "empty map"
    EMPTY_OBJECT = "empty object"


REQUIRED: Final = _Marker.REQUIRED
EMPTY_MAP: Final[Any] = _Marker.EMPTY_MAP
"""Default of a field that is an empty dict of its own in each object."""
EMPTY_OBJECT: Final[Any] = _Marker.EMPTY_OBJECT
"""Default of a field that holds an object of its class with nothing set; all objects share one."""


class Field:
    """One member of a protocol object: its name on the wire, its shape (see `shapes`) and its default."""

    __slots__ = ("default", "name", "owner", "secret", "shape", "unstable", "wire")

    def __init__(self, wire: str, shape: str, default: Any, unstable: bool, secret: bool) -> None:
        self.wire, self.shape, self.default, self.unstable, self.secret = wire, shape, default, unstable, secret
        self.name = ""
        self.owner: type[Model]

    @property
    def required(self) -> bool:
        """Whether the object is invalid without it."""
        return self.default is REQUIRED

    @property
    def patch(self) -> bool:
        """Whether omitted, null and a value are three different things."""
        return self.default is UNSET

    def make_default(self) -> Any:
        """Return what the attribute holds when the member is missing."""
        if self.default is EMPTY_MAP:
            return {}
        if self.default is EMPTY_OBJECT:
            name = self.shape.partition("/")[0]
            return shared_default(getattr(package_of(self.owner), name))
        return self.default


def field(wire: str, shape: str, *, default: Any = REQUIRED, unstable: bool = False, secret: bool = False) -> Any:
    """Declare a member of a protocol object; without a default it is required. A secret one is hidden in `repr`."""
    return Field(wire, shape, default, unstable, secret)


class _AttrsFields:
    """Builds the attrs description of a model class when something reads it."""

    def __get__(self, instance: object, owner: type[Model]) -> tuple[attrs.Attribute[Any], ...]:
        from inspect import get_annotations

        import attrs

        described = {
            name: attrs.field(
                default=attrs.NOTHING if f.required else attrs.Factory(f.make_default),
                type=next(hints[name] for base in owner.__mro__ if name in (hints := get_annotations(base))),
                metadata={"wire": f.wire, "shape": f.shape, "unstable": f.unstable},
            )
            for name, f in owner.FIELDS.items()
        }
        twin = attrs.make_class(owner.__name__, described, init=False, repr=False, eq=False, kw_only=True)
        result: tuple[attrs.Attribute[Any], ...] = attrs.fields(twin)
        owner.__attrs_attrs__ = result
        return result


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class ModelMeta(type):
    """Turns the `field()` declarations of a class body into slots, without building the class twice."""

    FIELDS: dict[str, Field]

    def __new__(mcls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> ModelMeta:
        own = {key: value for key, value in body.items() if type(value) is Field}
        for key, declared in own.items():
            declared.name = key
            del body[key]
        body["__slots__"] = tuple(own)
        inherited = {key: f for base in bases for key, f in getattr(base, "FIELDS", {}).items()}
        last = {key: inherited.pop(key) for key in ("meta", "extra") if key in inherited}
        body["FIELDS"] = {**inherited, **own, **last}
        body["__attrs_attrs__"] = _AttrsFields()
        cls = super().__new__(mcls, name, bases, body)
        for declared in own.values():
            declared.owner = cls  # type: ignore[assignment]  # every class made here is a Model
        return cls


class Model(metaclass=ModelMeta):
    """Base of all protocol objects: keyword-only construction, equality by class and fields, pickle and copy.

    `extra` holds the members that the schema does not know, so that they survive a round trip.
    """

    FIELDS: ClassVar[dict[str, Field]]
    """The fields by attribute name."""
    TAG: ClassVar[tuple[str, str] | None] = None
    """The member, and its value, that marks this variant of a union."""
    UNSTABLE: ClassVar[bool] = False
    """Whether only the unstable schema defines it."""
    MAX_SCOPES: ClassVar[int] = 0
    """How many of `session_id` and `request_id` may be set; where it is not 0, one of them has to be."""
    __attrs_attrs__: ClassVar[Any]

    extra: dict[str, Any] | None = field("", "object|null", default=None)

    def __init__(self, **values: Any) -> None:
        for name, f in self.FIELDS.items():
            if name in values:
                setattr(self, name, values.pop(name))
            elif f.default is REQUIRED:
                raise TypeError(f"{type(self).__name__}() needs {name!r}")
            else:
                setattr(self, name, f.make_default())
        if values:
            raise TypeError(f"{type(self).__name__}() has no field {next(iter(values))!r}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.FIELDS)

    __hash__ = None  # type: ignore[assignment]  # holds lists and dicts

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in self._shown())
        return f"{type(self).__name__}({shown})"

    def _shown(self) -> Iterator[tuple[str, str]]:
        for name, f in self.FIELDS.items():
            value = getattr(self, name)
            if f.required or not (value is None or value is UNSET or value in ((), {}, False)):
                yield name, "<hidden>" if f.secret else repr(value)


class WithMeta(Model):
    """Base of the objects that may have `_meta`, which is nearly all of them."""

    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class Unknown(Model):
    """A variant that the schema does not know, kept whole: `raw` is the object as it came, `tag` what it calls itself.

    A tag that starts with `_` is an extension of the agent; any other one comes from a later protocol.
    """

    tag: str = field("", "str")
    raw: dict[str, Any] = field("", "object")


def package_of(cls: type) -> ModuleType:
    """Return the package of the protocol version that a generated class belongs to."""
    return sys.modules[cls.__module__.rpartition(".")[0]]


_shared: dict[type[Model], Model] = {}


def shared_default(cls: type[Model]) -> Model:
    """Return the object of `cls` with nothing set that stands for a missing member of that type."""
    made = _shared.get(cls)
    if made is None:
        made = _shared[cls] = cls()
    return made
