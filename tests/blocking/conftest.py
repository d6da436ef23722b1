"""What the tests of the blocking façade begin with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.blocking.kit import BlockingStage, Undecided, blocking_stage


@pytest.fixture
def play(version: int) -> Iterator[BlockingStage]:
    """A blocking client with a session, in each version."""
    with blocking_stage(version, Undecided()) as opened:
        yield opened


@pytest.fixture
def play2() -> Iterator[BlockingStage]:
    """A blocking client with a session, version 2."""
    with blocking_stage(2, Undecided()) as opened:
        yield opened
