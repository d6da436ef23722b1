"""JSON text to Python values and back, and the shapes of JSON-RPC messages.

The only module that knows which JSON library is used. What the fast codec refuses is tried again with the standard
library before it counts as invalid: JavaScript agents cut strings in the middle of a surrogate pair.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, TypeAlias

import msgspec

from acp_client.errors import UsageError

Json: TypeAlias = Any
"""Any JSON value: None, bool, int, float, str, list or dict with string keys."""

Message: TypeAlias = dict[str, Json]
RequestId: TypeAlias = int | str | None

MAX_QUOTED = 200
"""Characters of a foreign line that a diagnostic repeats."""


class InvalidJson(ValueError):
    """A text is not JSON, or nests deeper than this interpreter can follow."""


decode_fast = msgspec.json.Decoder().decode
"""Like `decode`, but raises one of `REFUSED` for some texts that are valid."""

REFUSED = (msgspec.DecodeError, UnicodeError, RecursionError)

_fast_encode = msgspec.json.Encoder().encode


def decode(text: bytes | str) -> Json:
    """Return the value of one JSON text. Raises `InvalidJson`.

    Integers of any size are exact, lone surrogates are kept, NaN and numbers beyond a double are refused.
    """
    try:
        return decode_fast(text)
    except REFUSED:
        return decode_slowly(text)


def decode_slowly(text: bytes | str) -> Json:
    """Return the value of a JSON text that `decode_fast` refused. Raises `InvalidJson`."""
    try:
        if not isinstance(text, str):
            text = text.decode("utf-8", "surrogatepass")
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise InvalidJson("nested too deeply") from None
    except ValueError as error:
        raise InvalidJson(str(error)) from None


def _no_constant(name: str) -> float:
    raise InvalidJson(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise InvalidJson("number out of range")
    return number


def encode(message: Message) -> bytes:
    """Return one message as compact JSON: valid UTF-8, without a raw newline."""
    try:
        return _fast_encode(message)
    except (UnicodeError, OverflowError):
        # A lone surrogate or an integer beyond 64 bits: the escapes of the standard library can say both.
        return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii")


_SCALARS = frozenset((str, int, bool, type(None)))


def require_json(value: Json) -> Json:
    """Return `value` if it can be written as JSON; raises `ValueError` for NaN, infinities and other objects."""
    try:
        _check(value)
    except RecursionError:
        raise ValueError("it is nested too deeply, or in itself") from None
    return value


def _check(value: Json) -> None:
    if isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                raise ValueError(f"the keys of an object must be strings, not {type(key).__name__}")
            if type(member) not in _SCALARS:
                _check(member)
    elif isinstance(value, list | tuple):
        for member in value:
            if type(member) not in _SCALARS:
                _check(member)
    elif isinstance(value, float):
        if not isfinite(value):
            raise ValueError("NaN and infinite numbers do not exist in JSON")
    elif not (value is None or isinstance(value, str | int)):
        raise ValueError(f"a {type(value).__name__} is no JSON value")


def sendable(method: str, params: Json) -> Json:
    """Return `params` if a message of that method can be made of them. Raises `UsageError`."""
    try:
        return require_json(params)
    except ValueError as error:
        raise UsageError(f"cannot send {method}: {error}") from None


def request(request_id: RequestId, method: str, params: Json) -> Message:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def notification(method: str, params: Json) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def success(request_id: RequestId, result: Json) -> Message:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def failure(request_id: RequestId, code: int, message: str, data: Json = None) -> Message:
    error: dict[str, Json] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def quoted(text: bytes | str) -> str:
    """Return the beginning of a foreign line, safe to show."""
    if isinstance(text, bytes):
        text = text[: 4 * MAX_QUOTED].decode("utf-8", "replace")
    return repr(text[:MAX_QUOTED])
