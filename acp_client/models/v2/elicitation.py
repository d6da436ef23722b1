# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: elicitation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from acp_client.models.base import UNSET, Unset, WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from acp_client.models.v2.enums import ElicitationSchemaTypeValue
    from acp_client.models.v2.unions import ElicitationPropertySchema, MultiSelectItems


class ElicitationFormMode(WithMeta):
    """v2 `mode: form` in params of `elicitation/create` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("mode", "form")
    MAX_SCOPES: ClassVar[int] = 1
    message: str = field("message", "str")
    requested_schema: ElicitationSchema = field("requestedSchema", "ElicitationSchema")
    session_id: str | None = field("sessionId", "str", default=None)
    tool_call_id: str | None = field("toolCallId", "str|null/e", default=None)
    request_id: int | str | Unset = field("requestId", "id", default=UNSET)


class ElicitationUrlMode(WithMeta):
    """v2 `mode: url` in params of `elicitation/create` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("mode", "url")
    MAX_SCOPES: ClassVar[int] = 1
    message: str = field("message", "str")
    elicitation_id: str = field("elicitationId", "str")
    url: str = field("url", "str")
    session_id: str | None = field("sessionId", "str", default=None)
    tool_call_id: str | None = field("toolCallId", "str|null/e", default=None)
    request_id: int | str | Unset = field("requestId", "id", default=UNSET)


class ElicitationSchema(WithMeta):
    """v2 object (stable); protocol page: elicitation."""

    type: ElicitationSchemaTypeValue = field("type", "ElicitationSchemaType")
    title: str | None = field("title", "str|null/e", default=None)
    properties: Mapping[str, ElicitationPropertySchema] = field("properties", "{ElicitationPropertySchema}")
    required: Sequence[str] | None = field("required", "[str]|null", default=None)
    description: str | None = field("description", "str|null/e", default=None)


class StringPropertySchema(WithMeta):
    """v2 `type: string` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("type", "string")
    title: str | None = field("title", "str|null/e", default=None)
    description: str | None = field("description", "str|null/e", default=None)
    min_length: int | None = field("minLength", "uint32|null", default=None)
    max_length: int | None = field("maxLength", "uint32|null", default=None)
    pattern: str | None = field("pattern", "str|null", default=None)
    format: str | None = field("format", "str|null", default=None)
    default: str | None = field("default", "str|null/e", default=None)
    enum: Sequence[str] | None = field("enum", "[str]+|null", default=None)
    one_of: Sequence[EnumOption] | None = field("oneOf", "[EnumOption]+|null", default=None)


class NumberPropertySchema(WithMeta):
    """v2 `type: number` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("type", "number")
    title: str | None = field("title", "str|null/e", default=None)
    description: str | None = field("description", "str|null/e", default=None)
    minimum: float | None = field("minimum", "double|null", default=None)
    maximum: float | None = field("maximum", "double|null", default=None)
    default: float | None = field("default", "double|null/e", default=None)


class IntegerPropertySchema(WithMeta):
    """v2 `type: integer` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("type", "integer")
    title: str | None = field("title", "str|null/e", default=None)
    description: str | None = field("description", "str|null/e", default=None)
    minimum: int | None = field("minimum", "int64|null", default=None)
    maximum: int | None = field("maximum", "int64|null", default=None)
    default: int | None = field("default", "int64|null/e", default=None)


class BooleanPropertySchema(WithMeta):
    """v2 `type: boolean` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("type", "boolean")
    title: str | None = field("title", "str|null/e", default=None)
    description: str | None = field("description", "str|null/e", default=None)
    default: bool | None = field("default", "bool|null/e", default=None)


class MultiSelectPropertySchema(WithMeta):
    """v2 `type: array` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("type", "array")
    title: str | None = field("title", "str|null/e", default=None)
    description: str | None = field("description", "str|null/e", default=None)
    min_items: int | None = field("minItems", "uint64|null", default=None)
    max_items: int | None = field("maxItems", "uint64|null", default=None)
    items: MultiSelectItems = field("items", "MultiSelectItems")
    default: Sequence[str] | None = field("default", "[str]|null/es", default=None)


class EnumOption(WithMeta):
    """v2 object (stable); protocol page: elicitation."""

    const: str = field("const", "str")
    title: str = field("title", "str")
    description: str | None = field("description", "str|null/e", default=None)


class StringMultiSelectItems(WithMeta):
    """v2 `type: string` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("type", "string")
    enum: Sequence[str] = field("enum", "[str]+")


class TitledMultiSelectItems(WithMeta):
    """v2 object (stable); protocol page: elicitation."""

    any_of: Sequence[EnumOption] = field("anyOf", "[EnumOption]+")


class CompleteElicitationNotification(WithMeta):
    """v2 params of `elicitation/complete` (stable); protocol page: elicitation."""

    elicitation_id: str = field("elicitationId", "str")


class ElicitationAcceptAction(WithMeta):
    """v2 `action: accept` in result of `elicitation/create` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("action", "accept")
    content: Mapping[str, Any] | None = field("content", "{any}|null", default=None, secret=True)


class ElicitationDeclineAction(WithMeta):
    """v2 `action: decline` in result of `elicitation/create` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("action", "decline")


class ElicitationCancelAction(WithMeta):
    """v2 `action: cancel` in result of `elicitation/create` (stable); protocol page: elicitation."""

    TAG: ClassVar[tuple[str, str]] = ("action", "cancel")
