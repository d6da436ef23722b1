# Generated, see __init__.py. Do not edit.
"""Types of protocol v1: config."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_client.models.base import WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v1.unions import SessionConfigOption, SessionConfigSelectOptions


class SessionConfigSelect(WithMeta):
    """v1 `type: select` (stable); protocol page: session config options."""

    TAG: ClassVar[tuple[str, str]] = ("type", "select")
    id: str = field("id", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    category: str | None = field("category", "str|null/e", default=None)
    current_value: str = field("currentValue", "str")
    options: SessionConfigSelectOptions = field("options", "SessionConfigSelectOptions")


class SessionConfigBoolean(WithMeta):
    """v1 `type: boolean` (stable); protocol page: session config options."""

    TAG: ClassVar[tuple[str, str]] = ("type", "boolean")
    id: str = field("id", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    category: str | None = field("category", "str|null/e", default=None)
    current_value: bool = field("currentValue", "bool")


class SessionConfigSelectOption(WithMeta):
    """v1 object (stable); protocol page: session config options."""

    value: str = field("value", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)


class SessionConfigSelectGroup(WithMeta):
    """v1 object (stable); protocol page: session config options."""

    group: str = field("group", "str")
    name: str = field("name", "str")
    options: Sequence[SessionConfigSelectOption] = field("options", "[SessionConfigSelectOption]/es")


class SetSessionConfigOptionResponse(WithMeta):
    """v1 result of `session/set_config_option` (stable); protocol page: session config options."""

    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/es")


class SetSessionConfigOptionBooleanRequest(WithMeta):
    """v1 `type: boolean` in params of `session/set_config_option` (stable); protocol page: session config options."""

    TAG: ClassVar[tuple[str, str]] = ("type", "boolean")
    session_id: str = field("sessionId", "str")
    config_id: str = field("configId", "str")
    value: bool = field("value", "bool")


class SetSessionConfigOptionIdRequest(WithMeta):
    """v1 params of `session/set_config_option` (stable); protocol page: session config options."""

    session_id: str = field("sessionId", "str")
    config_id: str = field("configId", "str")
    value: str = field("value", "str")
