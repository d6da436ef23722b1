"""What a test needs from outside: skipped by name where it is missing, an error where nothing may be missing."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

import pytest

from integration.hosts.install import is_current


def _missing(what: str, how: str) -> None:
    text = f"{what} is missing: {how}"
    if os.environ.get("ACP_REQUIRE_PEERS") == "1":
        pytest.fail(text, pytrace=False)
    pytest.skip(text)


def need_environment(name: str) -> None:
    """Need one of the environments that `install` makes."""
    if not is_current(name):
        _missing(f"the environment {name!r}", f"python -m integration.hosts.install {name}")


def need_module(name: str, package: str) -> None:
    """Need an importable module."""
    if find_spec(name) is None:
        _missing(f"the module {name}", f"pip install {package}")


def need_program(name: str, package: str) -> str:
    """Need a program of the system; returns its path."""
    path = shutil.which(name)
    if path is None:
        _missing(f"the program {name}", f"apt-get install {package}")
        raise AssertionError("not reached")
    return path
