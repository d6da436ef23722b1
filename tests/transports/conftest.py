"""Shared fixtures of the transport tests."""

from __future__ import annotations

import pytest

from acp_client.transports import stdio


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the wait for the last words of an agent, which some tests have to sit out."""
    monkeypatch.setattr(stdio, "END_WAIT", 0.3)
