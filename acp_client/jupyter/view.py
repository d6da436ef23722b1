"""What a notebook stores of a session: HTML, Markdown and text, readable without this package."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import attrs

from acp_client.jupyter.rendering import Shown, html_of, markdown_of, text_of
from acp_client.state.snapshot import SessionSnapshot


@attrs.frozen
class View:
    """Something to display, fixed at this moment: its text by media type."""

    bundle: Mapping[str, str]

    @classmethod
    def of(cls, shown: Shown) -> View:
        """Return the view of what is shown."""
        return View({"text/plain": text_of(shown), "text/markdown": markdown_of(shown), "text/html": html_of(shown)})

    def __repr__(self) -> str:
        return self.bundle["text/plain"]

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        return {
            kind: text
            for kind, text in self.bundle.items()
            if (include is None or kind in include) and (exclude is None or kind not in exclude)
        }


class SessionView(View):
    """A whole session, for `display(SessionView(session.snapshot))`, whichever façade the session is from."""

    def __init__(self, snapshot: SessionSnapshot) -> None:
        shown = Shown.of(snapshot, status=f"{snapshot.state}, {len(snapshot.items)} items")
        super().__init__(View.of(shown).bundle)
