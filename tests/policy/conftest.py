"""Cores of both versions."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.policy.core import Core


@pytest.fixture
def core(version: int) -> Core:
    """Each protocol version in turn."""
    return Core(version)


@pytest.fixture
def core1() -> Core:
    return Core(1)


@pytest.fixture
def core2() -> Core:
    return Core(2)


@pytest.fixture(autouse=True)
def nothing_is_swallowed(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What a rule raises is logged by the peer and harms nobody; here it is a failure."""
    caplog.set_level(logging.INFO, logger="acp_client")
    yield
    # `caplog.text` is that of the phase that is running, which is no longer the test.
    assert [r for r in caplog.get_records("call") if "could not be handled" in r.getMessage()] == []
