# Generated, see __init__.py. Do not edit.
"""Types of protocol v2: config."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_client.models.base import WithMeta, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_client.models.v2.unions import SessionConfigOption, SessionConfigSelectOptions


class SessionConfigSelect(WithMeta):
    """v2 `type: select` (stable); protocol page: session config options."""

    TAG: ClassVar[tuple[str, str]] = ("type", "select")
    config_id: str = field("configId", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    category: str | None = field("category", "str|null/e", default=None)
    current_value: str = field("currentValue", "str")
    options: SessionConfigSelectOptions = field("options", "SessionConfigSelectOptions")


class SessionConfigBoolean(WithMeta):
    """v2 `type: boolean` (stable); protocol page: session config options."""

    TAG: ClassVar[tuple[str, str]] = ("type", "boolean")
    config_id: str = field("configId", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)
    category: str | None = field("category", "str|null/e", default=None)
    current_value: bool = field("currentValue", "bool")


class SessionConfigSelectOption(WithMeta):
    """v2 object (stable); protocol page: session config options."""

    value: str = field("value", "str")
    name: str = field("name", "str")
    description: str | None = field("description", "str|null/e", default=None)


class SessionConfigSelectGroup(WithMeta):
    """v2 object (stable); protocol page: session config options."""

    group_id: str = field("groupId", "str")
    name: str = field("name", "str")
    options: Sequence[SessionConfigSelectOption] = field("options", "[SessionConfigSelectOption]+/es")


class SetSessionConfigOptionResponse(WithMeta):
    """v2 result of `session/set_config_option` (stable); protocol page: session config options."""

    config_options: Sequence[SessionConfigOption] = field("configOptions", "[SessionConfigOption]/s")


class SetSessionConfigOptionIdRequest(WithMeta):
    """v2 `type: id` in params of `session/set_config_option` (stable); protocol page: session config options."""

    TAG: ClassVar[tuple[str, str]] = ("type", "id")
    session_id: str = field("sessionId", "str")
    config_id: str = field("configId", "str")
    value: str = field("value", "str")


class SetSessionConfigOptionBooleanRequest(WithMeta):
    """v2 `type: boolean` in params of `session/set_config_option` (stable); protocol page: session config options."""

    TAG: ClassVar[tuple[str, str]] = ("type", "boolean")
    session_id: str = field("sessionId", "str")
    config_id: str = field("configId", "str")
    value: bool = field("value", "bool")
