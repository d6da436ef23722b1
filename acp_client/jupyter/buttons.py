"""Buttons under a running turn. Needs ipywidgets; without it, or outside a kernel, there are none.

Widgets are made and changed on the kernel's own thread. Clicks may arrive on another one, so all a click does is answer
a question or cancel the turn, which any thread may.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

from acp_client.policy.permissions import PermissionOption
from acp_client.policy.questions import PendingPermission, PendingQuestion

STYLES = {"allow_once": "success", "allow_always": "success", "reject_once": "danger", "reject_always": "danger"}


def in_kernel() -> bool:
    """Say whether this is a notebook and no terminal."""
    from IPython.core.getipython import get_ipython

    return hasattr(get_ipython(), "kernel")


def available() -> bool:
    """Say whether there is a kernel that widgets can live in, and widgets."""
    return in_kernel() and find_spec("ipywidgets") is not None


class Buttons:
    """The text of a turn with Stop and, while a question is open, its options."""

    def __init__(self, on_stop: Callable[[], object]) -> None:
        import ipywidgets

        self._widgets = ipywidgets
        self._text = ipywidgets.HTML()
        self._stop = self._button("Stop", "warning", on_stop)
        self._row = ipywidgets.HBox([self._stop])
        self._box = ipywidgets.VBox([self._text, self._row])
        self._shown: Sequence[PendingQuestion] = ()

    def bundle(self) -> dict[str, str]:
        """Return what to display."""
        bundle: dict[str, str] = self._box._repr_mimebundle_()
        return bundle

    def show(self, html: str, questions: Sequence[PendingQuestion]) -> None:
        """Show a text and the buttons of the open questions."""
        self._text.value = html
        if tuple(questions) != tuple(self._shown):
            self._shown = tuple(questions)
            old, self._row.children = self._row.children, [*self._options(questions), self._stop]
            for button in old:
                if button is not self._stop:
                    _close(button)

    def close(self) -> None:
        """Take everything away, at both ends."""
        for widget in (*self._row.children, self._row, self._text, self._box):
            _close(widget)

    def _options(self, questions: Sequence[PendingQuestion]) -> list[Any]:
        return [
            self._button(option.name, STYLES.get(option.kind, ""), partial(_choose, question, option))
            for question in questions
            if isinstance(question, PendingPermission)
            for option in question.options
        ]

    def _button(self, label: str, style: str, on_click: Callable[[], object]) -> Any:
        button = self._widgets.Button(description=label, button_style=style, tooltip=label)
        button.on_click(lambda _: on_click())
        return button


def _close(widget: Any) -> None:
    """Close a widget with what was made for it: a kernel lives long, and turns are many."""
    for part in (widget, widget.layout, getattr(widget, "style", None)):
        if part is not None:
            part.close()


def _choose(question: PendingPermission, option: PermissionOption) -> None:
    question.select(option)
