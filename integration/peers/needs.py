"""Whether a test can run: the peers it needs, and what becomes of it without them."""

from __future__ import annotations

import os
import shutil

import pytest

from integration.peers.install import VERSIONS, is_installed

REQUIRED = os.environ.get("ACP_REQUIRE_PEERS") == "1"
"""Set by the project's own test command: a missing peer is a failure, not a reason to skip."""


def need(name: str) -> None:
    """Let a test go on only with a peer: skip it, or fail it where peers are required, saying what to install."""
    if is_installed(name):
        if name in VERSIONS["npm"] and shutil.which("node") is None:
            _missing(name, f"{name} needs node: install node 20 or newer")
        return
    _missing(name, f"{name} is not installed: python -m integration.peers.install {name}")


def _missing(name: str, what_to_do: str) -> None:
    if REQUIRED and name in VERSIONS["required"]:
        pytest.fail(what_to_do, pytrace=False)
    pytest.skip(what_to_do)
