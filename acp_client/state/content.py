"""Content blocks as an application sees and writes them, the same for both protocol versions.

Their JSON is the same in both versions too, so one function reads the models of either and one writes. Knows nothing of
messages or sessions.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any, Self, TypeAlias

import attrs

Meta: TypeAlias = Mapping[str, Any]

_SAFE_ICONS = ("https:", "data:")


@attrs.frozen(kw_only=True)
class Annotations:
    """Hints for the display of a block; everything is optional."""

    audience: tuple[str, ...] | None = None
    last_modified: str | None = None
    priority: float | None = None
    meta: Meta | None = None


@attrs.frozen(kw_only=True)
class Icon:
    """An icon of a resource: an `https:` or `data:` address. Fetch it without credentials and without redirects."""

    src: str
    mime_type: str | None = None
    sizes: tuple[str, ...] | None = None
    theme: str | None = None


@attrs.frozen
class Text:
    """Markdown text. In a received message, neighbouring texts without annotations and `_meta` are one."""

    text: str
    annotations: Annotations | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    @property
    def plain(self) -> bool:
        """Whether there is nothing but the text."""
        return self.annotations is None and self.meta is None


@attrs.frozen(kw_only=True)
class Image:
    """An image; `data` is base64."""

    data: str = attrs.field(repr=False)
    mime_type: str
    uri: str | None = None
    annotations: Annotations | None = None
    meta: Meta | None = None

    @classmethod
    def from_bytes(cls, data: bytes, mime_type: str, uri: str | None = None) -> Self:
        """Return the block for an image's bytes."""
        return cls(data=base64.b64encode(data).decode("ascii"), mime_type=mime_type, uri=uri)


@attrs.frozen(kw_only=True)
class Audio:
    """A recording; `data` is base64."""

    data: str = attrs.field(repr=False)
    mime_type: str
    annotations: Annotations | None = None
    meta: Meta | None = None

    @classmethod
    def from_bytes(cls, data: bytes, mime_type: str) -> Self:
        """Return the block for a recording's bytes."""
        return cls(data=base64.b64encode(data).decode("ascii"), mime_type=mime_type)


@attrs.frozen(kw_only=True)
class ResourceLink:
    """A link to something the agent can read by itself."""

    name: str
    uri: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    icons: tuple[Icon, ...] | None = None
    annotations: Annotations | None = None
    meta: Meta | None = None

    @classmethod
    def from_path(cls, path: str | PurePath, name: str | None = None, mime_type: str | None = None) -> Self:
        """Return the link to a file, given by its absolute path on the agent's machine (POSIX or Windows).

        Raises `ValueError` for a relative path.
        """
        pure = _pure(path)
        if not pure.is_absolute():
            raise ValueError(f"a link needs the absolute path on the agent's machine, not {str(path)!r}")
        return cls(name=name or pure.name, uri=pure.as_uri(), mime_type=mime_type)


@attrs.frozen(kw_only=True)
class Resource:
    """Something embedded whole: either `text` or `blob` (base64)."""

    uri: str
    text: str | None = None
    blob: str | None = attrs.field(default=None, repr=False)
    mime_type: str | None = None
    annotations: Annotations | None = None
    meta: Meta | None = None

    @classmethod
    def from_text(cls, uri: str, text: str, mime_type: str | None = None) -> Self:
        """Return the block for a text."""
        return cls(uri=uri, text=text, mime_type=mime_type)

    @classmethod
    def from_bytes(cls, uri: str, data: bytes, mime_type: str | None = None) -> Self:
        """Return the block for bytes."""
        return cls(uri=uri, blob=base64.b64encode(data).decode("ascii"), mime_type=mime_type)


@attrs.frozen
class UnknownContent:
    """A block of a type that this package does not know; `raw` is the object as it came."""

    type: str
    raw: Mapping[str, Any] = attrs.field(repr=False)


Content: TypeAlias = Text | Image | Audio | ResourceLink | Resource | UnknownContent


def _pure(path: str | PurePath) -> PurePath:
    if isinstance(path, PurePath):
        return path
    windows = PureWindowsPath(path)
    return windows if windows.drive else PurePosixPath(path)


# from the wire


def block_from_model(model: Any) -> Content:
    """Return the neutral block for a `ContentBlock` model of either version."""
    tag = model.TAG
    if tag is None:
        return UnknownContent(model.tag, model.raw)
    return _READERS[tag[1]](model)


def _annotations(model: Any) -> Annotations | None:
    found = model.annotations
    if found is None:
        return None
    return Annotations(
        audience=None if found.audience is None else tuple(found.audience),
        last_modified=found.last_modified,
        priority=found.priority,
        meta=found.meta,
    )


def _text(model: Any) -> Text:
    return Text(model.text, annotations=_annotations(model), meta=model.meta)


def _image(model: Any) -> Image:
    return Image(
        data=model.data, mime_type=model.mime_type, uri=model.uri, annotations=_annotations(model), meta=model.meta
    )


def _audio(model: Any) -> Audio:
    return Audio(data=model.data, mime_type=model.mime_type, annotations=_annotations(model), meta=model.meta)


def _resource_link(model: Any) -> ResourceLink:
    return ResourceLink(
        name=model.name,
        uri=model.uri,
        title=model.title,
        description=model.description,
        mime_type=model.mime_type,
        size=model.size,
        icons=_icons(model),
        annotations=_annotations(model),
        meta=model.meta,
    )


def _icons(model: Any) -> tuple[Icon, ...] | None:
    icons = getattr(model, "icons", None)  # version 1 has none
    if icons is None:
        return None
    return tuple(
        Icon(
            src=icon.src,
            mime_type=icon.mime_type,
            sizes=None if icon.sizes is None else tuple(icon.sizes),
            theme=icon.theme,
        )
        for icon in icons
        if icon.src[:8].lower().startswith(_SAFE_ICONS)
    )


def _resource(model: Any) -> Resource:
    inner = model.resource
    return Resource(
        uri=inner.uri,
        text=getattr(inner, "text", None),
        blob=getattr(inner, "blob", None),
        mime_type=inner.mime_type,
        annotations=_annotations(model),
        meta=model.meta,
    )


_READERS: dict[str, Callable[[Any], Content]] = {
    "text": _text,
    "image": _image,
    "audio": _audio,
    "resource_link": _resource_link,
    "resource": _resource,
}


# to the wire


def block_to_wire(block: Content) -> dict[str, Any]:
    """Return the JSON object of a block, which is the same in both versions. What is None is left out."""
    if isinstance(block, UnknownContent):
        return dict(block.raw)
    wire = _WRITERS[type(block)](block)
    if block.annotations is not None:
        wire["annotations"] = _present(
            audience=None if block.annotations.audience is None else list(block.annotations.audience),
            lastModified=block.annotations.last_modified,
            priority=block.annotations.priority,
            _meta=block.annotations.meta,
        )
    if block.meta is not None:
        wire["_meta"] = dict(block.meta)
    return wire


def _present(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _link_to_wire(link: ResourceLink) -> dict[str, Any]:
    return _present(
        type="resource_link",
        name=link.name,
        uri=link.uri,
        title=link.title,
        description=link.description,
        mimeType=link.mime_type,
        size=link.size,
        icons=None if link.icons is None else [_icon_to_wire(icon) for icon in link.icons],
    )


def _icon_to_wire(icon: Icon) -> dict[str, Any]:
    sizes = None if icon.sizes is None else list(icon.sizes)
    return _present(src=icon.src, mimeType=icon.mime_type, sizes=sizes, theme=icon.theme)


def _resource_to_wire(resource: Resource) -> dict[str, Any]:
    inner = _present(uri=resource.uri, text=resource.text, blob=resource.blob, mimeType=resource.mime_type)
    return {"type": "resource", "resource": inner}


_WRITERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Text: lambda block: {"type": "text", "text": block.text},
    Image: lambda block: _present(type="image", data=block.data, mimeType=block.mime_type, uri=block.uri),
    Audio: lambda block: _present(type="audio", data=block.data, mimeType=block.mime_type),
    ResourceLink: _link_to_wire,
    Resource: _resource_to_wire,
}
