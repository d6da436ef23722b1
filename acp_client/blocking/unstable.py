"""The calls of `acp_client.unstable` for threads; the contracts are written down there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from acp_client import unstable as asyncio_calls
from acp_client.protocol.dialect import McpServer
from acp_client.rpc.messages import Json
from acp_client.unstable import Meta

if TYPE_CHECKING:
    from acp_client.blocking.client import Client
    from acp_client.blocking.session import Session


class UnstableCalls:
    """What one connection's agent offers beyond the stable protocol."""

    def __init__(self, client: Client, calls: asyncio_calls.UnstableCalls) -> None:
        self._client, self._calls = client, calls

    def fork_session(
        self,
        session_id: str,
        cwd: str | os.PathLike[str],
        *,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str | os.PathLike[str]] = (),
        meta: Mapping[str, Json] | None = None,
    ) -> Session:
        """Open a new session that begins with the conversation of another."""
        return self._client._wrapped(
            self._client._wait(
                self._calls.fork_session(
                    session_id,
                    cwd,
                    mcp_servers=mcp_servers,
                    additional_directories=additional_directories,
                    meta=meta,
                )
            )
        )

    def archive_session(self, session_id: str, *, meta: Meta = None) -> None:
        """Put a session away."""
        self._client._wait(self._calls.archive_session(session_id, meta=meta))

    def unarchive_session(self, session_id: str, *, meta: Meta = None) -> None:
        """Take an archived session back."""
        self._client._wait(self._calls.unarchive_session(session_id, meta=meta))

    def set_session_title(self, session_id: str, title: str, *, meta: Meta = None) -> str:
        """Name a session; returns the title as the agent keeps it."""
        return self._client._wait(self._calls.set_session_title(session_id, title, meta=meta))

    def session_status(self, session_id: str, *, meta: Meta = None) -> asyncio_calls.SessionStatus:
        """Ask whether a session is open at the agent."""
        return self._client._wait(self._calls.session_status(session_id, meta=meta))

    def list_providers(self, *, meta: Meta = None) -> asyncio_calls.Providers:
        """Ask which model providers the agent can be pointed to."""
        return self._client._wait(self._calls.list_providers(meta=meta))

    def set_provider(
        self,
        provider_id: str,
        api_type: str,
        base_url: str,
        headers: Mapping[str, str] | None = None,
        *,
        meta: Meta = None,
    ) -> None:
        """Point a provider to an endpoint."""
        self._client._wait(self._calls.set_provider(provider_id, api_type, base_url, headers, meta=meta))

    def disable_provider(self, provider_id: str, *, meta: Meta = None) -> None:
        """Turn a provider off."""
        self._client._wait(self._calls.disable_provider(provider_id, meta=meta))

    def auth_status(self, *, meta: Meta = None) -> asyncio_calls.AuthStatus:
        """Ask whether the agent is logged in, and as whom."""
        return self._client._wait(self._calls.auth_status(meta=meta))
