"""Decisions about permission requests that need no person: small functions that compose.

A policy looks at a pending permission and returns a `Verdict`. It grants by the options' `kind` alone, never by their
order, names or ids; where it is not clear which option is meant, a person is asked. Nothing here crosses from "no" to
an option that allows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import attrs

if TYPE_CHECKING:
    from acp_client.policy.questions import PendingPermission


class Verdict(StrEnum):
    """What a policy says of a permission request."""

    ALLOW = "allow"
    DENY = "deny"
    CANCEL = "cancel"
    ASK = "ask"
    """No opinion: the host's handler or its user decides."""


@attrs.frozen
class PermissionOption:
    """One answer that the agent offers: `option_id` is opaque and goes back exactly as it came."""

    option_id: str
    name: str
    kind: str

    @property
    def allows(self) -> bool:
        """Whether choosing it is known to approve; an unknown kind is not."""
        return self.kind in ("allow_once", "allow_always")


@lru_cache(64)
def offered(option_id: str, name: str, kind: str) -> PermissionOption:
    """Return an option; agents offer the same ones again and again."""
    return PermissionOption(option_id, name, kind)


PermissionPolicy: TypeAlias = "Callable[[PendingPermission], Verdict]"


def ask(question: PendingPermission) -> Verdict:
    """Leave every question to the host."""
    return Verdict.ASK


def deny_all(question: PendingPermission) -> Verdict:
    """Say no to everything, without asking anybody."""
    return Verdict.DENY


def allow_all(question: PendingPermission) -> Verdict:
    """Say yes to everything, once each time. Only for agents that cannot do harm where they run."""
    return Verdict.ALLOW


def allow(kinds: Collection[str]) -> PermissionPolicy:
    """Return a policy that allows tool calls of these kinds (`read`, `edit`, ...), once each, and asks for the rest."""
    wanted = frozenset(kinds)

    def policy(question: PendingPermission) -> Verdict:
        tool_call = question.tool_call
        return Verdict.ALLOW if tool_call is not None and tool_call.kind in wanted else Verdict.ASK

    return policy


allow_reads: PermissionPolicy = allow(("read", "search"))
"""Allows what only looks (kinds `read` and `search`) and asks for the rest."""


def first_of(*policies: PermissionPolicy) -> PermissionPolicy:
    """Return a policy that takes the first verdict other than `ASK`."""

    def policy(question: PendingPermission) -> Verdict:
        verdicts = (candidate(question) for candidate in policies)
        return next((verdict for verdict in verdicts if verdict is not Verdict.ASK), Verdict.ASK)

    return policy


def allow_option(options: Sequence[PermissionOption]) -> PermissionOption | None:
    """Return the one option that allows once; None when there is none or when several make it a choice of its own."""
    once = [option for option in options if option.kind == "allow_once"]
    return once[0] if len(once) == 1 else None


def deny_option(options: Sequence[PermissionOption]) -> PermissionOption | None:
    """Return the first option that rejects once; None when there is none: then the outcome is `cancelled`."""
    return next((option for option in options if option.kind == "reject_once"), None)


def is_menu(options: Sequence[PermissionOption]) -> bool:
    """Say whether several options allow once: a choice between plans, which only a person can make."""
    return sum(option.kind == "allow_once" for option in options) > 1
