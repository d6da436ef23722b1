"""What the tests of this folder share: kernels, since starting one takes a second, servers, and what they measure."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from integration.hosts.kernels import VERSIONS, Kernel
from integration.hosts.needs import need_environment, need_module
from integration.hosts.serving import Servers


@pytest.fixture(scope="module", params=VERSIONS, ids=[f"ipykernel-{version}" for version in VERSIONS])
def running_kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel of each version, for all tests of a module."""
    need_module("jupyter_client", "jupyter-client")
    need_environment(f"kernel-{request.param}")
    kernel = Kernel(request.param, tmp_path_factory.mktemp(f"kernel-{request.param}"))
    yield kernel
    kernel.close()


@pytest.fixture
def servers() -> Iterator[Servers]:
    """Starts the chat examples; in the end they are asked to stop, and leave nothing behind."""
    need_environment("chat")
    with tempfile.TemporaryDirectory(prefix="project-") as home:
        started = Servers(Path(home))
        yield started
        started.stop()


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Callable[[str, float], None]:
    """Takes a name and seconds that the run reports; nothing is asserted on them."""
    return lambda name, seconds: request.node.user_properties.append((name, round(seconds, 3)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was measured."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"measured {value} {name}: {report.nodeid.rpartition('::')[2]}")
