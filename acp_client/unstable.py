"""Calls of the protocol that may still change, for applications that ask for them by name.

Reached as `Client.unstable`. Each feature has to be named in `Client.connect(unstable=...)`; stable code never meets
them. Their answers are the wire models of the connection's protocol version.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from acp_client._session_calls import SessionCalls
from acp_client.errors import UsageError
from acp_client.protocol.dialect import McpServer
from acp_client.rpc.messages import Json
from acp_client.session import Session

if TYPE_CHECKING:
    from acp_client.client import Client
    from acp_client.models import v1, v2

    SessionStatus: TypeAlias = v1.SessionStatusResponse | v2.SessionStatusResponse
    Providers: TypeAlias = v1.ListProvidersResponse | v2.ListProvidersResponse
    AuthStatus: TypeAlias = v1.AuthStatusResponse | v2.AuthStatusResponse

Meta: TypeAlias = Mapping[str, Json] | None

FEATURES = frozenset({"fork", "archive", "title", "status", "providers", "auth_status", "plan"})
"""Names that `Client.connect(unstable=...)` takes. "plan" takes plans as files and Markdown from version 1 agents."""


def checked(features: frozenset[str]) -> frozenset[str]:
    """Return the features an application named. Raises `UsageError` for a name that does not exist."""
    unknown = features - FEATURES
    if unknown:
        raise UsageError(f"unknown unstable features: {sorted(unknown)}; there are {sorted(FEATURES)}")
    return features


def brings(features: frozenset[str], method: str) -> bool:
    """Say whether one of the features brings this notification, so that it is no surprise."""
    return method == "auth/status_update" and "auth_status" in features


class UnstableCalls:
    """What one connection's agent offers beyond the stable protocol.

    Every call raises `UsageError` when its feature was not named at connect, `NotSupported` when the agent does not
    offer it, and else what every request raises. Cancelling a call writes `$/cancel_request` and waits for nothing.
    """

    def __init__(self, client: Client, calls: SessionCalls, features: frozenset[str]) -> None:
        self._client, self._calls, self._features = client, calls, features

    # sessions

    async def fork_session(
        self,
        session_id: str,
        cwd: str | os.PathLike[str],
        *,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str | os.PathLike[str]] = (),
        meta: Mapping[str, Json] | None = None,
    ) -> Session:
        """Open a new session that begins with the conversation of another. Feature "fork"."""
        self._require("fork", "fork sessions")
        roots = self._calls.roots(cwd, mcp_servers, additional_directories, meta)
        return await self._calls.open_new(self._calls.dialect.fork_session(session_id, roots), roots)

    async def archive_session(self, session_id: str, *, meta: Meta = None) -> None:
        """Put a session away: the agent keeps it and lists it as archived. Feature "archive"."""
        await self._call("archive", "archive sessions", "session/archive", {"sessionId": session_id}, meta)

    async def unarchive_session(self, session_id: str, *, meta: Meta = None) -> None:
        """Take an archived session back. Feature "archive"."""
        await self._call("archive", "archive sessions", "session/unarchive", {"sessionId": session_id}, meta)

    async def set_session_title(self, session_id: str, title: str, *, meta: Meta = None) -> str:
        """Name a session; returns the title as the agent keeps it. Feature "title"."""
        params = {"sessionId": session_id, "title": title}
        answer = await self._call("title", "name sessions", "session/set_title", params, meta)
        return str(answer.title)

    async def session_status(self, session_id: str, *, meta: Meta = None) -> SessionStatus:
        """Ask whether a session is open at the agent. That it is does not mean it is open here. Feature "status"."""
        status: SessionStatus = await self._call(
            "status", "tell a session's status", "session/status", {"sessionId": session_id}, meta
        )
        return status

    # model providers

    async def list_providers(self, *, meta: Meta = None) -> Providers:
        """Ask which model providers the agent can be pointed to. Feature "providers"."""
        providers: Providers = await self._call("providers", "configure providers", "providers/list", {}, meta)
        return providers

    async def set_provider(
        self,
        provider_id: str,
        api_type: str,
        base_url: str,
        headers: Mapping[str, str] | None = None,
        *,
        meta: Meta = None,
    ) -> None:
        """Point a provider to an endpoint; `headers` may hold secrets and go to the agent as they are.

        Feature "providers".
        """
        params: dict[str, Json] = {"providerId": provider_id, "apiType": api_type, "baseUrl": base_url}
        if headers is not None:
            params["headers"] = dict(headers)
        await self._call("providers", "configure providers", "providers/set", params, meta)

    async def disable_provider(self, provider_id: str, *, meta: Meta = None) -> None:
        """Turn a provider off; the agent refuses for one it needs. Feature "providers"."""
        await self._call("providers", "configure providers", "providers/disable", {"providerId": provider_id}, meta)

    # login

    async def auth_status(self, *, meta: Meta = None) -> AuthStatus:
        """Ask whether the agent is logged in, and as whom. Feature "auth_status".

        Changes come to `Host.extension_notification` as `auth/status_update`.
        """
        status: AuthStatus = await self._call("auth_status", "tell its login status", "auth/status", {}, meta)
        return status

    def _require(self, feature: str, doing: str) -> None:
        if feature not in self._features:
            raise UsageError(
                f"{feature!r} is not part of the stable protocol: ask for it with connect(unstable={{{feature!r}}})"
            )
        self._client._require(feature in self._client.capabilities.unstable, doing)

    async def _call(self, feature: str, doing: str, method: str, params: Json, meta: Meta) -> Any:
        self._require(feature, doing)
        result = await self._client._ask(method, params, meta=meta)
        return self._calls.read(method, result, lambda r: self._calls.dialect.structure_answer(method, r))
