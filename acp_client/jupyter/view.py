"""What a notebook stores of a session: HTML, Markdown and text, readable without this package."""

from __future__ import annotations

from collections.abc import Collection

import attrs

from acp_client.jupyter.rendering import Shown, html_of, markdown_of, text_of
from acp_client.state.snapshot import SessionSnapshot


@attrs.frozen
class View:
    """Something to display, fixed at this moment."""

    shown: Shown

    def __repr__(self) -> str:
        return text_of(self.shown)

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        bundle = {
            "text/plain": text_of(self.shown),
            "text/markdown": markdown_of(self.shown),
            "text/html": html_of(self.shown),
        }
        return {
            kind: text
            for kind, text in bundle.items()
            if (include is None or kind in include) and (exclude is None or kind not in exclude)
        }


class SessionView(View):
    """A whole session, for `display(SessionView(session.snapshot))`, whichever façade the session is from."""

    def __init__(self, snapshot: SessionSnapshot) -> None:
        super().__init__(Shown.of(snapshot, status=f"{snapshot.state}, {len(snapshot.items)} items"))
