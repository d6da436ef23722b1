"""What the application is told beside the sessions' events: notifications, strays, oddities. Nothing here is answered.

What its callbacks raise is logged; what they return to be awaited runs as a task of the connection.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from acp_client._handshake import Settings
from acp_client.policy.questions import PendingElicitation
from acp_client.policy.router import Router
from acp_client.rpc.connection import Connection
from acp_client.rpc.messages import Json
from acp_client.rpc.peer import Diagnostic
from acp_client.unstable import brings

log = logging.getLogger("acp_client")


class Telling:
    """The application's ear on one connection."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.connection: Connection
        self.router: Router
        self.diagnostics_seen = 0

    def notification(self, method: str, params: Json) -> None:
        if not method.startswith("_") and not brings(self._settings.unstable, method):
            self.router.warn_once(method, f"agent sends notifications this client does not know: {method[:80]!r}")
        self._tell("extension_notification", self._settings.host.extension_notification, method, params)

    def completed(self, question: PendingElicitation) -> None:
        self._tell("elicitation_completed", self._settings.host.elicitation_completed, question)

    def stray_update(self, params: Json) -> None:
        self.router.warn_once("stray", "agent sends updates for a session that is not open here")
        if self._settings.on_stray_update is not None:
            self._tell("on_stray_update", self._settings.on_stray_update, params)

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        self.diagnostics_seen += 1
        self.router.warn_once(diagnostic.kind, f"{diagnostic.kind}: {diagnostic.detail}")
        if self._settings.on_diagnostic is not None:
            self._tell("on_diagnostic", self._settings.on_diagnostic, diagnostic)

    def _tell(self, name: str, callback: Callable[..., Any], *values: Any) -> None:
        try:
            told = callback(*values)
        except Exception:
            log.exception("the application's %s failed", name)
        else:
            if inspect.isawaitable(told):
                self.connection.spawn(self._finish(name, told))

    @staticmethod
    async def _finish(name: str, told: Awaitable[object]) -> None:
        try:
            await told
        except Exception:
            log.exception("the application's %s failed", name)
