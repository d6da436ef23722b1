"""Servers that live as long as the tests, and the programs that others wrote, as specs to connect to."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from integration.peers.install import PROJECT
from integration.peers.processes import serving
from integration.peers.reference import NPM_AGENT, npm_environment


@pytest.fixture(scope="session")
def fake_model() -> Iterator[str]:
    """The URL of a model server without a model."""
    with serving([sys.executable, "-m", "integration.peers.fake_model_server"], {"PYTHONPATH": str(PROJECT)}) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def npm_agent_url() -> Iterator[str]:
    """The WebSocket URL of the agent on the official npm SDK, which offers both versions there."""
    with serving([*NPM_AGENT, "--websocket"], npm_environment()) as port:
        yield f"ws://127.0.0.1:{port}/acp"
