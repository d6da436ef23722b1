"""Protocol objects from JSON values and back: the typed boundary.

`structure` reads by the lenient rules of the schema and explains what does not fit; `hook` is the bare function for hot
use; `converter` is a cattrs converter with the same functions, for applications that have types of their own around
them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, overload

from acp_client.models.base import UNSET, Model, Unknown, package_of
from acp_client.models.compiling import BROKEN, reader, ready, union_reader
from acp_client.models.interpret import read_class, read_union
from acp_client.models.shapes import TaggedUnion, Union, parse

if TYPE_CHECKING:
    import cattrs

M = TypeVar("M", bound=Model)

_VERSIONS = ("acp_client.models.v1", "acp_client.models.v2")


@overload
def structure(tp: type[M], data: Any) -> M: ...
@overload
def structure(tp: Any, data: Any) -> Any: ...
def structure(tp: Any, data: Any) -> Any:
    """Return the object of a class or union that a JSON value describes.

    Raises `InvalidModel` with the path of the first member that does not fit; values are never quoted.
    """
    try:
        return hook(tp)(data)
    except BROKEN:
        return _explained(tp, data)


def _explained(tp: Any, data: Any) -> Any:
    """Read again, slowly: it raises the error that tells where."""
    if isinstance(tp, type) and issubclass(tp, Model):
        return read_class(tp, data)
    owner, union = _union_of(tp)
    return read_union(owner, union, data)


@cache
def hook(tp: Any) -> Callable[[Any], Any]:
    """Return the function that reads values of a class or union.

    It raises `ValueError`, `KeyError`, `TypeError` or `AttributeError` for a value that does not fit.
    """
    if isinstance(tp, type) and issubclass(tp, Model):
        return ready(reader(tp))
    owner, union = _union_of(tp)
    return union_reader(owner, union)


def _union_of(tp: Any) -> tuple[type[Model], Union]:
    # A version that was never imported cannot be where the union comes from.
    for package in [sys.modules[name] for name in _VERSIONS if name in sys.modules]:
        for union in package.UNIONS.values():
            if union.alias == tp:
                return _any_class(package), union
    raise TypeError(f"{tp!r} is no class or union of the protocol")


def _any_class(package: Any) -> type[Model]:
    """Return some class of a version, by which names are looked up."""
    found: type[Model] = package.InitializeRequest
    return found


def unstructure(value: Any) -> Any:
    """Return the JSON value of a protocol object: what is not set is left out, unknown members come back."""
    if isinstance(value, Unknown):
        return value.raw
    if isinstance(value, Model):
        return _unstructured(value)
    if isinstance(value, list | tuple):
        return [unstructure(item) for item in value]
    if isinstance(value, Mapping):
        return {key: unstructure(item) for key, item in value.items()}
    return value


def _unstructured(model: Model) -> dict[str, Any]:
    wire: dict[str, Any] = {}
    if model.TAG is not None:
        wire[model.TAG[0]] = model.TAG[1]
    for name, field in model.FIELDS.items():
        if name == "extra":
            continue
        value = getattr(model, name)
        if value is UNSET or (value is None and not (field.patch or field.required)):
            continue
        if not field.required and not field.patch and value == field.make_default():
            continue
        member = unstructure(value)
        outer = _outer_tag(type(model), field.shape, value)
        wire[field.wire] = {**outer, **member} if outer else member
    return {**wire, **model.extra} if model.extra else wire


def _outer_tag(owner: type[Model], shape: str, value: Any) -> dict[str, str]:
    """Return the tag of the union around a union, where both stand in one object."""
    name = getattr(parse(shape).type, "name", None)
    union = package_of(owner).UNIONS.get(name) if name is not None else None
    if not isinstance(union, TaggedUnion) or not isinstance(value, Model) or isinstance(value, Unknown):
        return {}
    if value.TAG is None or value.TAG[0] == union.key:
        return {}
    outer = next(tag for tag, variant in union.variants.items() if isinstance(variant, str))
    return {union.key: outer}


@cache
def converter() -> cattrs.Converter:
    """Return a cattrs converter that reads and writes the objects of both versions by the same rules."""
    import cattrs

    made = cattrs.Converter()
    made.register_structure_hook_func(_is_model, lambda data, tp: structure(tp, data))
    made.register_unstructure_hook_func(_is_model, unstructure)
    return made


def _is_model(tp: Any) -> bool:
    return isinstance(tp, type) and issubclass(tp, Model)
