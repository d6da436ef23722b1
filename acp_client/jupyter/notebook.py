"""An agent in a notebook: one connection, one session, three ways to run a turn.

The connection lives on a loop thread of its own, always: a kernel's loop stands still while a cell computes or asks,
and an agent must not be lost over that.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Collection
from types import TracebackType
from typing import Any, Self

from acp_client._handshake import Target
from acp_client.blocking import Client, LoopThread, Session
from acp_client.client import SessionRef
from acp_client.host import LATER, Host, PermissionReply
from acp_client.jupyter.interrupts import interruptible
from acp_client.jupyter.live import LiveTurn
from acp_client.jupyter.view import SessionView
from acp_client.policy.permissions import PermissionPolicy, deny_all
from acp_client.policy.questions import PendingPermission
from acp_client.policy.session_work import Busy
from acp_client.policy.turns import TurnResult
from acp_client.protocol.negotiation import ProtocolChoice
from acp_client.session import CANCEL_GRACE, Prompt


class Notebook:
    """A session with an agent. `target` as in `acp_client.Client.connect`; connecting waits, and can be interrupted.

    `permissions` is a policy that acts first. What it leaves open is asked: with buttons while a turn runs in the
    background, by `input()` while a cell waits for it. Where nobody can be asked, `unattended` decides, which says no
    unless you give another policy. `host` serves what else the agent asks for. An interrupt gives the agent `grace`
    seconds to stop. `resume` comes back to an earlier session in place of a new one.
    """

    def __init__(
        self,
        target: Target,
        host: Host | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
        permissions: PermissionPolicy | None = None,
        unattended: PermissionPolicy = deny_all,
        protocol: ProtocolChoice = "auto",
        resume: SessionRef | None = None,
        grace: float | None = CANCEL_GRACE,
        thread: LoopThread | None = None,
    ) -> None:
        self._unattended = unattended
        self._grace = grace
        with interruptible():
            self.client = Client.connect(
                target, _answering_later(host or Host()), protocol=protocol, permissions=permissions, thread=thread
            )
            try:
                self.session = self._open(cwd, resume)
            except BaseException:
                self.client.close()
                raise

    def _open(self, cwd: str | os.PathLike[str] | None, resume: SessionRef | None) -> Session:
        if resume is not None:
            return self.client.restore_session(resume)
        return self.client.new_session(os.fspath(cwd) if cwd is not None else os.getcwd())

    def start(self, prompt: Prompt, *, busy: Busy = "error", buttons: bool = True) -> LiveTurn:
        """Start a turn and return at once. It is shown here, with Stop and the options of open questions as buttons.

        Await what is returned to have an asynchronous cell wait for the end: `result = await nb.start("...")`. With
        `buttons=False` it is shown without them. Raises as `acp_client.blocking.Session.prompt`.
        """
        live = LiveTurn(self.session, self._unattended, self._grace, buttons)
        live.begin(
            lambda: self.session.start(
                prompt, on_event=live.on_event, on_done=live.on_event, busy=busy, grace=self._grace
            )
        )
        return live

    def ask(self, prompt: Prompt, *, busy: Busy = "error") -> TurnResult:
        """Run a turn to its end, shown here while it runs, and return its result. An interrupt cancels it."""
        with interruptible():
            return self.start(prompt, busy=busy, buttons=False).wait()

    def close(self) -> None:
        """End the connection and the agent's process. Idempotent."""
        self.client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Notebook {self.session!r}>"

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        return SessionView(self.session.snapshot)._repr_mimebundle_(include, exclude)


def _answering_later(host: Host) -> Host:
    """Return the host without its permission handler: in a notebook the person answers where the turn is shown."""

    async def leave_open(question: PendingPermission) -> PermissionReply:
        return LATER

    served: Any = copy.copy(host)
    served.request_permission = leave_open
    result: Host = served
    return result
