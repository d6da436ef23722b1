"""A real browser without a screen, and the pages it has open."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs

from integration.hosts.install import FOLDER

BOUND = 20.0
"""Seconds within which everything that has to happen does."""


class Browser:
    """Headless Chromium, driven through playwright-core in a node process."""

    def __init__(self, node: str, chromium: str) -> None:
        paths = {"PLAYWRIGHT": str(FOLDER / "browser"), "CHROMIUM": chromium}
        self._process = subprocess.Popen(
            [node, str(Path(__file__).parent / "browser.mjs")],
            env={**os.environ, **paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, command: str, **options: Any) -> Any:
        """Run one command of `browser.mjs`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"command": command, **options}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the browser ended at {command}"
        answer = json.loads(line)
        assert "error" not in answer, f"{command} {options}: {answer.get('error')}"
        return answer["value"]

    def open(self, url: str, user: str = "somebody") -> Tab:
        """Open a tab; every user has cookies of their own."""
        return Tab(self, self.do("open", url=url, user=user))

    @property
    def foreign_requests(self) -> list[str]:
        """Addresses of other machines that any page asked for."""
        local = ("127.0.0.1", "localhost", None)
        return [url for url in self.do("requests") if urlsplit(url).hostname not in local]

    def close(self) -> None:
        """End it."""
        with self._process as process:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(BOUND)


@attrs.frozen
class Tab:
    """One open page."""

    browser: Browser
    number: int

    def do(self, command: str, **options: Any) -> Any:
        return self.browser.do(command, tab=self.number, **options)

    @property
    def text(self) -> str:
        """What is to be read on it."""
        text: str = self.do("text")
        return text

    @property
    def buttons(self) -> list[str]:
        """The labels of its buttons, in capitals where the page shows them so."""
        labels: list[str] = self.do("buttons")
        return [label.strip().lower() for label in labels]

    def click(self, label: str) -> None:
        self.do("click", label=label)

    def say(self, text: str) -> None:
        """Type something and press Enter."""
        self.do("type", text=text)

    def until(self, reached: Callable[[Tab], bool]) -> None:
        """Wait until something is the case on it."""
        end = time.monotonic() + BOUND
        while not reached(self):
            if time.monotonic() > end:
                raise AssertionError(f"not within {BOUND} s; the page says:\n{self.text}\nbuttons: {self.buttons}")
            time.sleep(0.02)

    def until_text(self, text: str) -> None:
        """Wait until it says something."""
        self.until(lambda tab: text in tab.text)
