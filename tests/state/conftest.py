"""Sessions of either version."""

from __future__ import annotations

import pytest

from tests.state.support import Session


@pytest.fixture(params=[1, 2], ids=["v1", "v2"])
def session(request: pytest.FixtureRequest) -> Session:
    """A session, in each version."""
    return Session(request.param)


@pytest.fixture
def one() -> Session:
    """A version 1 session."""
    return Session(1)


@pytest.fixture
def two() -> Session:
    """A version 2 session."""
    return Session(2)
