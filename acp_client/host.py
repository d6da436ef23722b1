"""What an application may implement for the agent it embeds. None of it is required, and every default declines.

Subclass `Host` and override what you provide: a capability is advertised exactly when its method is overridden. A
method may be a coroutine function, which runs as a task, or a plain function, which runs in a thread of its own and may
block, for instance to ask a person.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import attrs

from acp_client.errors import METHOD_NOT_FOUND, RequestRefused
from acp_client.policy.permissions import PermissionOption, Verdict
from acp_client.policy.questions import PendingElicitation, PendingPermission
from acp_client.protocol.dialect import AuthMethod
from acp_client.protocol.negotiation import Abilities
from acp_client.rpc.messages import Json

if TYPE_CHECKING:
    from acp_client.models import v1

T = TypeVar("T")
MaybeAwaitable: TypeAlias = T | Awaitable[T]


class Later(Enum):
    """The one value that leaves a question open after its handler returned."""

    LATER = "later"


LATER = Later.LATER
"""Returned by a handler that has shown its question: somebody answers through the object later."""

DENY, ALLOW, CANCEL = Verdict.DENY, Verdict.ALLOW, Verdict.CANCEL


class Declined(Enum):
    """The explicit refusal of an elicitation."""

    DECLINE = "decline"


DECLINE = Declined.DECLINE


@attrs.frozen
class Accept:
    """The values of a form, or (without content) the consent to open a URL."""

    content: Mapping[str, Json] | None = attrs.field(default=None, repr=False)


@attrs.frozen
class TerminalExit:
    """How a command ended: `exit_code`, or the name of the `signal` that ended it."""

    exit_code: int | None = None
    signal: str | None = None


@attrs.frozen
class TerminalOutput:
    """What a command has written so far, and how it ended if it did."""

    output: str
    truncated: bool = False
    exit: TerminalExit | None = None


PermissionReply: TypeAlias = str | PermissionOption | Verdict | Later | None
ElicitationReply: TypeAlias = Accept | Declined | Verdict | Later | None

TERMINAL_METHODS = (
    "create_terminal",
    "terminal_output",
    "wait_for_terminal_exit",
    "kill_terminal",
    "release_terminal",
)

F = TypeVar("F", bound=Callable[..., object])


def uncancellable(method: F) -> F:
    """Mark a `Host` method that must run to its end: the agent's `$/cancel_request` for it is ignored (CAN-21a)."""
    method.__acp_uncancellable__ = True  # type: ignore[attr-defined]  # a mark on the function object
    return method


class Host:
    """What the agent may ask of the application. Override what you serve.

    What a handler raises never reaches the agent in words: it gets the outcome `cancelled` for a permission and an
    internal error for everything else, and the fault is logged. Raise `RequestRefused` to choose the error.
    """

    elicitation_modes: frozenset[str] = frozenset({"form"})
    """Modes advertised when `elicit` is overridden; add "url" only if you show the whole URL and ask before opening."""

    def request_permission(self, question: PendingPermission) -> MaybeAwaitable[PermissionReply]:
        """Return an option (or its id), `ALLOW`, `DENY`, `CANCEL`, or `LATER` to answer through the object."""
        return DENY

    def elicit(self, question: PendingElicitation) -> MaybeAwaitable[ElicitationReply]:
        """Return `Accept(content)`, `DECLINE`, `CANCEL`, or `LATER` to answer through the object."""
        return DECLINE

    def elicitation_completed(self, question: PendingElicitation) -> MaybeAwaitable[None]:
        """Learn that the visit to a URL somebody consented to is over (V2-ELI-15).

        Called on the loop: a plain function must not block, a coroutine function runs as a task.
        """

    def read_text_file(self, request: v1.ReadTextFileRequest) -> MaybeAwaitable[str]:
        """Return the text of a file, unsaved changes included: `line` 1-based, at most `limit` lines (version 1)."""
        raise _not_served("fs/read_text_file")

    def write_text_file(self, request: v1.WriteTextFileRequest) -> MaybeAwaitable[None]:
        """Write a file, creating it if it is missing (version 1)."""
        raise _not_served("fs/write_text_file")

    def create_terminal(self, request: v1.CreateTerminalRequest) -> MaybeAwaitable[str]:
        """Start a command and return its terminal id at once. All five terminal methods or none (version 1)."""
        raise _not_served("terminal/create")

    def terminal_output(self, request: v1.TerminalOutputRequest) -> MaybeAwaitable[TerminalOutput]:
        """Return what the command has written so far."""
        raise _not_served("terminal/output")

    def wait_for_terminal_exit(self, request: v1.WaitForTerminalExitRequest) -> MaybeAwaitable[TerminalExit]:
        """Wait until the command has ended."""
        raise _not_served("terminal/wait_for_exit")

    def kill_terminal(self, request: v1.KillTerminalRequest) -> MaybeAwaitable[None]:
        """Stop the command; its terminal stays."""
        raise _not_served("terminal/kill")

    def release_terminal(self, request: v1.ReleaseTerminalRequest) -> MaybeAwaitable[None]:
        """Stop the command if it runs and forget the terminal."""
        raise _not_served("terminal/release")

    def choose_auth_method(self, methods: Sequence[AuthMethod]) -> MaybeAwaitable[str | None]:
        """Return the id of the method to log in with when the agent asks for it, or None to get `AuthRequired`."""
        return None

    def extension_request(self, method: str, params: Json) -> MaybeAwaitable[Json]:
        """Answer a custom request; its method begins with an underscore."""
        raise _not_served(method)

    def extension_notification(self, method: str, params: Json) -> MaybeAwaitable[None]:
        """Take a notification that the protocol does not define. Called as `elicitation_completed`."""


def _not_served(method: str) -> RequestRefused:
    return RequestRefused(METHOD_NOT_FOUND, f"no such method: {method}")


def provides(host: Host, method: str) -> bool:
    """Say whether the application overrides a method of `Host`."""
    provided = getattr(host, method)
    return getattr(provided, "__func__", provided) is not getattr(Host, method)


def abilities_of(host: Host, *, unstable: frozenset[str] = frozenset(), meta: Json = None) -> Abilities:
    """Return what the handshake may advertise for this host. `terminal` needs all five methods."""
    return Abilities(
        read_text_file=provides(host, "read_text_file"),
        write_text_file=provides(host, "write_text_file"),
        terminal=all(provides(host, method) for method in TERMINAL_METHODS),
        elicitation=frozenset(host.elicitation_modes) if provides(host, "elicit") else frozenset(),
        unstable=unstable,
        meta=meta,
    )


def is_coroutine_function(function: Callable[..., object]) -> bool:
    """Say whether calling it makes a coroutine; also for objects whose `__call__` is one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004  # the method object is inspected, not its existence
    )
