# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: content."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_client.models.base import WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v1.enums import RoleValue
    from acp_client.models.v1.unions import EmbeddedResourceResource


class TextContent(WithMeta):
    """v1 `type: text` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "text")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    text: str = field("text", "str")


class ImageContent(WithMeta):
    """v1 `type: image` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "image")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    data: str = field("data", "str")
    mime_type: str = field("mimeType", "str")
    uri: str | None = field("uri", "str|null/e", default=None)


class AudioContent(WithMeta):
    """v1 `type: audio` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "audio")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    data: str = field("data", "str")
    mime_type: str = field("mimeType", "str")


class ResourceLink(WithMeta):
    """v1 `type: resource_link` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "resource_link")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    description: str | None = field("description", "str|null/e", default=None)
    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    name: str = field("name", "str")
    size: int | None = field("size", "int64|null/e", default=None)
    title: str | None = field("title", "str|null/e", default=None)
    uri: str = field("uri", "str")


class EmbeddedResource(WithMeta):
    """v1 `type: resource` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "resource")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    resource: EmbeddedResourceResource = field("resource", "EmbeddedResourceResource")


class Annotations(WithMeta):
    """v1 object (stable); protocol page: content."""

    audience: Sequence[RoleValue] | None = field("audience", "[Role]|null/es", default=None)
    last_modified: str | None = field("lastModified", "str|null/e", default=None)
    priority: float | None = field("priority", "double|null/e", default=None)


class TextResourceContents(WithMeta):
    """v1 object (stable); protocol page: content."""

    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    text: str = field("text", "str")
    uri: str = field("uri", "str")


class BlobResourceContents(WithMeta):
    """v1 object (stable); protocol page: content."""

    blob: str = field("blob", "str")
    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    uri: str = field("uri", "str")
