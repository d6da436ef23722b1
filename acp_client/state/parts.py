"""Parts of a snapshot, read from the models of either version: what a tool call holds, the steps of a plan, commands.

Drafts keep the models and read them when somebody looks, so an update that nobody looks at costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from acp_client.models.base import Unknown
from acp_client.state.content import UnknownContent, block_from_model
from acp_client.state.items import Command, Diff, FileChange, Location, PlanEntry, TerminalRef, ToolContent


def tool_content(models: Iterable[Any]) -> tuple[ToolContent, ...]:
    """Return what a tool call shows."""
    return tuple([_tool_content(model) for model in models])


def _tool_content(model: Any) -> ToolContent:
    tag = model.TAG
    if tag is None:
        return UnknownContent(model.tag, model.raw)
    if tag[1] == "content":
        return block_from_model(model.content)
    if tag[1] == "terminal":
        return TerminalRef(model.terminal_id)
    return _patch(model) if hasattr(model, "changes") else _replacement(model)


def _replacement(model: Any) -> Diff:
    """Return a version 1 diff: one file, its texts before and after."""
    operation = "add" if model.old_text is None else "modify"
    change = FileChange(
        operation=operation, path=model.path, old_text=model.old_text, new_text=model.new_text, meta=model.meta
    )
    return Diff(changes=(change,))


def _patch(model: Any) -> Diff:
    """Return a version 2 diff."""
    patch = model.patch
    return Diff(
        changes=tuple(_file_change(change) for change in model.changes),
        patch=None if patch is None else patch.text,
        patch_format=None if patch is None else patch.format,
        meta=model.meta,
    )


def _file_change(change: Any) -> FileChange:
    if change.TAG is None:
        raw = change.raw
        return FileChange(operation=change.tag, path=_string(raw, "path"), old_path=raw.get("oldPath"), raw=raw)
    return FileChange(
        operation=change.TAG[1],
        path=change.path,
        old_path=getattr(change, "old_path", None),
        file_type=change.file_type,
        mime_type=change.mime_type,
        meta=change.meta,
    )


def _string(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def locations(models: Iterable[Any]) -> tuple[Location, ...]:
    """Return the files that a tool call works on. Lines count from 1; a 0 says nothing."""
    return tuple([Location(model.path, model.line or None) for model in models])


def plan_entries(models: Iterable[Any]) -> tuple[PlanEntry, ...]:
    """Return a plan's steps."""
    return tuple(
        [
            PlanEntry(content=model.content, priority=model.priority, status=model.status, meta=model.meta)
            for model in models
        ]
    )


def commands(models: Iterable[Any]) -> tuple[Command, ...]:
    """Return the agent's commands."""
    return tuple([_command(model) for model in models])


def _command(model: Any) -> Command:
    if isinstance(model, Unknown):
        raw = model.raw
        return Command(name=raw["name"], description=raw["description"], type=model.tag, raw=raw)
    name, description, given = model.name, model.description, model.input
    if isinstance(given, Unknown):
        raw = {"type": "command", "name": name, "description": description, "input": given.raw}
        return Command(name=name, description=description, raw=raw, meta=model.meta)
    hint = None if given is None else given.hint
    return Command(name=name, description=description, hint=hint, meta=model.meta)
