"""What most behaviour tests begin with."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, settings

from tests.kit import Stage, stage

# A busy machine is no counterexample.
settings.register_profile("ours", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ours")


@pytest.fixture(params=[1, 2], ids=["v1", "v2"])
def version(request: pytest.FixtureRequest) -> int:
    """Each protocol version in turn."""
    number: int = request.param
    return number


@pytest.fixture
async def scene(version: int) -> AsyncIterator[Stage]:
    """A client with a session, in each version."""
    async with stage(version) as opened:
        yield opened


@pytest.fixture
async def scene1() -> AsyncIterator[Stage]:
    """A client with a session, version 1 only."""
    async with stage(1) as opened:
        yield opened


@pytest.fixture
async def scene2() -> AsyncIterator[Stage]:
    """A client with a session, version 2 only."""
    async with stage(2) as opened:
        yield opened
