# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import Model, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v1.enums import RoleValue
    from acp_client.models.v1.unions import EmbeddedResourceResource


class TextContent(Model):
    """v1 `type: text` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "text")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    text: str = field("text", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ImageContent(Model):
    """v1 `type: image` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "image")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    data: str = field("data", "str")
    mime_type: str = field("mimeType", "str")
    uri: str | None = field("uri", "str|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class AudioContent(Model):
    """v1 `type: audio` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "audio")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    data: str = field("data", "str")
    mime_type: str = field("mimeType", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class ResourceLink(Model):
    """v1 `type: resource_link` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "resource_link")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    description: str | None = field("description", "str|null/e", default=None)
    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    name: str = field("name", "str")
    size: int | None = field("size", "int64|null/e", default=None)
    title: str | None = field("title", "str|null/e", default=None)
    uri: str = field("uri", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class EmbeddedResource(Model):
    """v1 `type: resource` (stable); protocol page: content."""

    TAG: ClassVar[tuple[str, str]] = ("type", "resource")
    annotations: Annotations | None = field("annotations", "Annotations|null/e", default=None)
    resource: EmbeddedResourceResource = field("resource", "EmbeddedResourceResource")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class Annotations(Model):
    """v1 object (stable); protocol page: content."""

    audience: Sequence[RoleValue] | None = field("audience", "[Role]|null/es", default=None)
    last_modified: str | None = field("lastModified", "str|null/e", default=None)
    priority: float | None = field("priority", "double|null/e", default=None)
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class TextResourceContents(Model):
    """v1 object (stable); protocol page: content."""

    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    text: str = field("text", "str")
    uri: str = field("uri", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)


class BlobResourceContents(Model):
    """v1 object (stable); protocol page: content."""

    blob: str = field("blob", "str")
    mime_type: str | None = field("mimeType", "str|null/e", default=None)
    uri: str = field("uri", "str")
    meta: dict[str, Any] | None = field("_meta", "object|null/e", default=None)
