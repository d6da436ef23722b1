# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: content."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_client.models.base import WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v2.unions import EmbeddedResourceResource


class TextContent(WithMeta):
    """v2 `type: text` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "text")
    text: str = field("text", "str")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)


class ImageContent(WithMeta):
    """v2 `type: image` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "image")
    data: str = field("data", "str")
    mime_type: str = field("mimeType", "str")
    uri: str | None = field("uri", "str|null/e", default=None)
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)


class AudioContent(WithMeta):
    """v2 `type: audio` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "audio")
    data: str = field("data", "str")
    mime_type: str = field("mimeType", "str")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)


class ResourceLink(WithMeta):
    """v2 `type: resource_link` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "resource_link")
    name: str = field("name", "str")
    uri: str = field("uri", "str")
    title: str | None = field("title", "str|null/e", default=None)
    description: str | None = field("description", "str|null/e", default=None)
    icons: Sequence[Icon] | None = field("icons", "[Icon]|null/es", default=None)
    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    size: int | None = field("size", "uint64|null/e", default=None)
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)


class EmbeddedResource(WithMeta):
    """v2 `type: resource` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "resource")
    resource: EmbeddedResourceResource = field("resource", "EmbeddedResourceResource")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)


class Annotations(WithMeta):
    """v2 object (stable); protocol page: content."""

    audience: Sequence[str] | None = field("audience", "[str]|null/es", default=None)
    last_modified: str | None = field("lastModified", "str|null/e", default=None)
    priority: float | None = field("priority", "double(0..1)|null/e", default=None)


class Icon(WithMeta):
    """v2 object (stable); protocol page: content."""

    src: str = field("src", "str")
    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    sizes: Sequence[str] | None = field("sizes", "[str]|null/es", default=None)
    theme: str | None = field("theme", "str|null/e", default=None)


class TextResourceContents(WithMeta):
    """v2 object (stable); protocol page: content."""

    text: str = field("text", "str")
    uri: str = field("uri", "str")
    mime_type: str | None = field("mimeType", "str|null/e", default=None)


class BlobResourceContents(WithMeta):
    """v2 object (stable); protocol page: content."""

    blob: str = field("blob", "str")
    uri: str = field("uri", "str")
    mime_type: str | None = field("mimeType", "str|null/e", default=None)
