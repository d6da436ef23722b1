"""The Python examples of the documentation, as programs.

A block that runs an event loop of its own, or needs none, is a whole program. The others of a page are fragments: they
are run one after another, with `await` at the top level and with the `client` and `session` that the pages promise.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import attrs

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@attrs.frozen
class Example:
    """One block of a page; `line` is where it begins."""

    page: str
    line: int
    code: str

    @property
    def is_program(self) -> bool:
        """Whether it runs by itself."""
        return "asyncio.run(" in self.code or "from acp_client.blocking import" in self.code

    def compiled(self) -> CodeType:
        """Return the code of a fragment, with the line numbers of its page."""
        code = "\n" * self.line + self.code
        compiled: CodeType = compile(code, self.page, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        return compiled

    async def run(self, names: dict[str, Any]) -> None:
        """Run a fragment in `names`."""
        code = self.compiled()
        result = eval(code, names)
        if code.co_flags & inspect.CO_COROUTINE:
            await result


def pages() -> list[Path]:
    """Return every page that may hold examples."""
    return [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)]


def examples_of(page: Path) -> Iterator[Example]:
    """Return the examples of one page, in order."""
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start())
        yield Example(page.relative_to(ROOT).as_posix(), line + 1, textwrap.dedent(match[1]))
