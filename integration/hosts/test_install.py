"""The installer: what it says when it cannot, and how the suite treats what is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from integration.hosts import install, needs


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which no program is found and nothing was installed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(install, "FOLDER", tmp_path / "hosts")


def test_a_host_is_the_parts_it_consists_of() -> None:
    """Ours: hosts are asked for by name, single parts as well."""
    assert install.parts_of("editor") == ["nvim", "neovim"]
    assert install.parts_of("browser") == ["browser"]
    with pytest.raises(SystemExit, match="unknown host 'emacs'; known: kernels, editor, chat"):
        install.main(["emacs"])


@pytest.mark.usefixtures("nowhere")
def test_everything_that_cannot_be_installed_is_told_at_once() -> None:
    """Ours: whoever may not install is told what to ask for, all of it, and nothing is taken for installed."""
    with pytest.raises(SystemExit) as told:
        install.main(["nvim", "chromium", "browser"])
    said = str(told.value).splitlines()
    assert said[0] == "nvim was not found; install it, on Debian: sudo apt-get install neovim"
    assert said[1] == "chromium was not found; install it, on Debian: sudo apt-get install chromium"
    assert said[2].startswith("cannot install browser: npm was not found")
    assert not install.is_current("browser")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users without root exist on POSIX")
def test_only_root_runs_apt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ours: nobody is asked for a password by a test command."""
    apt = tmp_path / "apt-get"
    apt.write_text(f"#!/bin/sh\necho run > {tmp_path}/ran\nexit 1\n")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SystemExit, match="sudo apt-get install neovim"):
        install.main(["nvim"])
    assert not (tmp_path / "ran").exists()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SystemExit, match="update failed"):
        install.main(["nvim"])
    assert (tmp_path / "ran").exists()


@pytest.mark.usefixtures("nowhere")
def test_what_is_missing_is_skipped_or_fails_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a developer's run goes on without it, the project's own test command does not."""
    monkeypatch.delenv("ACP_REQUIRE_PEERS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install neovim"):
        needs.need_program("nvim", "neovim")
    with pytest.raises(pytest.skip.Exception, match=r"python -m integration\.hosts\.install neovim"):
        needs.need_environment("neovim")
    monkeypatch.setenv("ACP_REQUIRE_PEERS", "1")
    with pytest.raises(pytest.fail.Exception, match="apt-get install neovim"):
        needs.need_program("nvim", "neovim")
