"""Cores of both versions."""

from __future__ import annotations

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
