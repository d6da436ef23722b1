"""Kernels that the tests of this folder share: starting one takes a second."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from integration.hosts.kernels import VERSIONS, Kernel
from integration.hosts.needs import need_environment, need_module


@pytest.fixture(scope="module", params=VERSIONS, ids=[f"ipykernel-{version}" for version in VERSIONS])
def running_kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel of each version, for all tests of a module."""
    need_module("jupyter_client", "jupyter-client")
    need_environment(f"kernel-{request.param}")
    kernel = Kernel(request.param, tmp_path_factory.mktemp(f"kernel-{request.param}"))
    yield kernel
    kernel.close()
