"""Every exception of the package, sorted by whose fault it is.

`AgentError`: the agent refused. `ProtocolViolation`: the agent broke the rules. `ConnectionLost`: nobody is there.
`UsageError`: this side was called wrong. `RequestTimeout`: too slow. `RequestRefused` is the one an application raises
itself, to choose the error that the agent gets. All of them pickle and copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800
AUTH_REQUIRED = -32000
RESOURCE_NOT_FOUND = -32002
UNSUPPORTED_PROTOCOL_VERSION = -32022

_SHOWN_DATA = 200
"""Characters of an error's `data` that its text repeats; the whole value stays in the attribute."""


def _rebuild(cls: type[AcpError], args: tuple[Any, ...], state: dict[str, Any]) -> AcpError:
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    return error


class AcpError(Exception):
    """Base of all errors of this package."""

    def __reduce__(self) -> tuple[Any, ...]:
        # The default rebuilds through __init__, which fails for errors whose arguments are not their `args`.
        return _rebuild, (type(self), self.args, self.__dict__)


class UsageError(AcpError):
    """The application called the package in a way that cannot work; nothing was sent."""


class SessionBusy(UsageError):
    """A turn is running in the session, or is being cancelled, and the prompt was not to wait for it."""


class NotSupported(UsageError):
    """The agent, or the protocol version it speaks, does not offer what was asked for."""


class SessionClosed(UsageError):
    """The session was closed or deleted on this connection."""


class AuthMethodRefused(UsageError):
    """The login method cannot be used through the protocol: it is unknown, or it is a command to run in a terminal."""


class RequestTimeout(AcpError):
    """The agent did not answer a request in the time the application gave it."""

    def __init__(self, method: str, timeout: float) -> None:
        super().__init__(method, timeout)
        self.method, self.timeout = method, timeout

    def __str__(self) -> str:
        return f"no answer to {self.method} within {self.timeout:g} s; the agent was told to stop working on it"


class HandshakeTimeout(RequestTimeout):
    """The agent did not answer `initialize` in time and was stopped; `heard` is the last thing it said elsewhere."""

    def __init__(self, timeout: float, heard: str) -> None:
        super().__init__("initialize", timeout)
        self.heard = heard

    def __str__(self) -> str:
        return (
            f"agent did not answer initialize within {self.timeout:g} s ({self.heard}); check that the command starts "
            "an ACP agent, or give it more time (handshake_timeout)"
        )


class AgentError(AcpError):
    """The agent answered a request with an error: its `code`, `message` and `data` are kept as they came."""

    def __init__(self, method: str, code: int, message: str, data: object = None) -> None:
        super().__init__(method, code, message, data)
        self.method, self.code, self.message, self.data = method, code, message, data

    def __str__(self) -> str:
        text = f"agent refused {self.method}: {self.message} (code {self.code})"
        return text if self.data is None else f"{text}; data: {_shortened(self.data)}"


class RequestCancelled(AgentError):
    """The agent answered that the request was cancelled (-32800)."""


class AuthRequired(AgentError):
    """The agent wants a login first (-32000); `methods` are the ones it advertised."""

    methods: Sequence[object] = ()

    def __str__(self) -> str:
        offered = ", ".join(repr(getattr(method, "id", method)) for method in self.methods) or "none"
        return f"{super().__str__()}; log in with one of the agent's methods ({offered}) and try again"


class SessionNotFound(AgentError):
    """The agent does not know the session or resource (-32002)."""


class ProtocolViolation(AcpError):
    """The agent sent something that the protocol does not allow."""


class InvalidResponse(ProtocolViolation):
    """The answer to a request has not the shape that its method defines."""

    def __init__(self, method: str, problem: str) -> None:
        super().__init__(method, problem)
        self.method, self.problem = method, problem

    def __str__(self) -> str:
        text = f"agent gave an invalid answer to {self.method}: {self.problem}"
        return f"{text}; check that the command starts an ACP agent" if self.method == "initialize" else text


class UnsupportedProtocolVersion(ProtocolViolation):
    """No protocol version is common to both sides.

    `answered` is the version in the agent's answer, or None where it refused with an error; `supported` is what it said
    it supports, if it said so.
    """

    def __init__(self, requested: int, answered: object, supported: Sequence[int] = ()) -> None:
        super().__init__(requested, answered, tuple(supported))
        self.requested, self.answered, self.supported = requested, answered, tuple(supported)

    def __str__(self) -> str:
        offers = f", it supports {list(self.supported)}" if self.supported else ""
        answer = "refused it" if self.answered is None else f"answered {self.answered!r}"
        other = self.answered if self.answered in (1, 2) else next((v for v in self.supported if v in (1, 2)), None)
        advice = (
            "this client speaks 1 and 2, so update the agent or this package"
            if other in (None, self.requested)
            else f"this client speaks {other} as well, so let it choose (protocol auto)"
        )
        return f"offered protocol version {self.requested}, agent {answer}{offers}; {advice}"


class MessageTooLarge(ProtocolViolation):
    """A message is longer than the limit of the transport (`limit`, bytes).

    With `ours` the agent refused one of this side's, and `limit` is the longest that was sent.
    """

    def __init__(self, limit: int, *, ours: bool = False) -> None:
        super().__init__(limit)
        self.limit, self.ours = limit, ours

    def __str__(self) -> str:
        if self.ours:
            return f"agent does not accept messages as long as those of this side, of up to {self.limit} bytes"
        return f"agent sent a message of more than {self.limit} bytes; raise max_message_bytes to accept it"


class FramingError(ProtocolViolation):
    """The agent, or a bridge before it, cuts messages in a way that cannot be put together again."""


class InvalidModel(AcpError, ValueError):
    """A value does not fit a protocol type; `path` names the field. The value itself is never quoted."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(path, expected)
        self.path, self.expected = path, expected

    def __str__(self) -> str:
        return f"{self.path or 'value'}: expected {self.expected}"


class ConnectionLost(AcpError):
    """Nobody is at the other end any more; carries the first cause that was seen.

    `exit_code` and `signal` belong to an agent process, `stderr_tail` is the end of what it wrote there; `close_code`
    and `close_reason` belong to a WebSocket. What the agent did with an unanswered request is unknown.
    """

    def __init__(
        self,
        reason: str,
        *,
        exit_code: int | None = None,
        signal: str | None = None,
        stderr_tail: str = "",
        close_code: int | None = None,
        close_reason: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason, self.exit_code, self.signal, self.stderr_tail = reason, exit_code, signal, stderr_tail
        self.close_code, self.close_reason = close_code, close_reason

    def again(self, doing: str) -> Self:
        """Return a copy for another caller: each one raises its own exception, with what it was `doing`."""
        copy = _rebuild(type(self), self.args, dict(self.__dict__))
        assert isinstance(copy, type(self))
        copy.doing = doing
        copy.__cause__ = self.__cause__
        return copy

    doing: str = ""
    advice: str = ""
    """What to check, where that is known."""
    problem: ProtocolViolation | None = None
    """What the agent sent that this side could not take, where that ended the connection."""

    def __str__(self) -> str:
        text = f"{self.reason} before answering {self.doing}" if self.doing else self.reason
        lines = self.stderr_tail.rstrip().splitlines()
        text = f"{text}; last stderr line: {lines[-1].strip()[:500]!r}" if lines else text
        return f"{text}; {self.advice}" if self.advice else text


class AgentStartError(ConnectionLost):
    """The agent could not be started or reached at all."""


class ConnectionClosed(ConnectionLost):
    """This side closed the connection."""


class RequestRefused(AcpError):
    """Raised by an application's handler: the agent gets exactly this error instead of an answer."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(code, message, data)
        self.code, self.message, self.data = code, message, data

    def __str__(self) -> str:
        return f"{self.message} (code {self.code})"


def _shortened(data: object) -> str:
    text = repr(data)
    return text if len(text) <= _SHOWN_DATA else f"{text[:_SHOWN_DATA]}..."
