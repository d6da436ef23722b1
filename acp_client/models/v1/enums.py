# Generated, see __init__.py. Do not edit.
"""Constants of protocol v1, one class for each set of values.

The attributes are plain strings (or numbers). In an open set any other value may come, and is kept as it came; of a
closed set there is a `Literal` type as well, named like the class with `Value` behind it.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias


class ToolKind:
    """v1 closed set of values (stable)."""

    READ: Final = "read"
    EDIT: Final = "edit"
    DELETE: Final = "delete"
    MOVE: Final = "move"
    SEARCH: Final = "search"
    EXECUTE: Final = "execute"
    THINK: Final = "think"
    FETCH: Final = "fetch"
    SWITCH_MODE: Final = "switch_mode"
    OTHER: Final = "other"


class ToolCallStatus:
    """v1 closed set of values (stable)."""

    PENDING: Final = "pending"
    IN_PROGRESS: Final = "in_progress"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"


class Role:
    """v1 closed set of values (stable)."""

    ASSISTANT: Final = "assistant"
    USER: Final = "user"


class PermissionOptionKind:
    """v1 closed set of values (stable)."""

    ALLOW_ONCE: Final = "allow_once"
    ALLOW_ALWAYS: Final = "allow_always"
    REJECT_ONCE: Final = "reject_once"
    REJECT_ALWAYS: Final = "reject_always"


class ElicitationSchemaType:
    """v1 closed set of values (stable)."""

    OBJECT: Final = "object"


class StringFormat:
    """v1 closed set of values (stable)."""

    EMAIL: Final = "email"
    URI: Final = "uri"
    DATE: Final = "date"
    DATE_TIME: Final = "date-time"


class LlmProtocol:
    """v1 open set of values (unstable)."""

    ANTHROPIC: Final = "anthropic"
    OPENAI: Final = "openai"
    AZURE: Final = "azure"
    VERTEX: Final = "vertex"
    BEDROCK: Final = "bedrock"


class AuthState:
    """v1 open set of values (unstable)."""

    AUTHENTICATED: Final = "authenticated"
    UNAUTHENTICATED: Final = "unauthenticated"
    NOT_REQUIRED: Final = "not_required"
    UNKNOWN: Final = "unknown"


class SessionConfigOptionCategory:
    """v1 open set of values (stable)."""

    MODE: Final = "mode"
    MODEL: Final = "model"
    MODEL_CONFIG: Final = "model_config"
    THOUGHT_LEVEL: Final = "thought_level"


class SessionStatus:
    """v1 open set of values (unstable)."""

    OPEN: Final = "open"
    SAVED: Final = "saved"


class StopReason:
    """v1 closed set of values (stable)."""

    END_TURN: Final = "end_turn"
    MAX_TOKENS: Final = "max_tokens"
    MAX_TURN_REQUESTS: Final = "max_turn_requests"
    REFUSAL: Final = "refusal"
    CANCELLED: Final = "cancelled"


class ErrorCode:
    """v1 open set of values (stable)."""

    PARSE_ERROR: Final = -32700
    INVALID_REQUEST: Final = -32600
    METHOD_NOT_FOUND: Final = -32601
    INVALID_PARAMS: Final = -32602
    INTERNAL_ERROR: Final = -32603
    REQUEST_CANCELLED: Final = -32800
    AUTHENTICATION_REQUIRED: Final = -32000
    RESOURCE_NOT_FOUND: Final = -32002


class PlanEntryPriority:
    """v1 closed set of values (stable)."""

    HIGH: Final = "high"
    MEDIUM: Final = "medium"
    LOW: Final = "low"


class PlanEntryStatus:
    """v1 closed set of values (stable)."""

    PENDING: Final = "pending"
    IN_PROGRESS: Final = "in_progress"
    COMPLETED: Final = "completed"


class NoticeSeverity:
    """v1 open set of values (stable)."""

    INFO: Final = "info"
    WARNING: Final = "warning"
    ERROR: Final = "error"


class CompactionStatus:
    """v1 open set of values (stable)."""

    IN_PROGRESS: Final = "in_progress"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    CANCELLED: Final = "cancelled"


class SystemPromptMode:
    """v1 open set of values (unstable)."""

    APPEND: Final = "append"
    OVERRIDE: Final = "override"


class SessionArchiveFilter:
    """v1 open set of values (unstable)."""

    EXCLUDE: Final = "exclude"
    INCLUDE: Final = "include"
    ONLY: Final = "only"


ToolKindValue: TypeAlias = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
]
ToolCallStatusValue: TypeAlias = Literal["pending", "in_progress", "completed", "failed"]
RoleValue: TypeAlias = Literal["assistant", "user"]
PermissionOptionKindValue: TypeAlias = Literal["allow_once", "allow_always", "reject_once", "reject_always"]
ElicitationSchemaTypeValue: TypeAlias = Literal["object"]
StringFormatValue: TypeAlias = Literal["email", "uri", "date", "date-time"]
StopReasonValue: TypeAlias = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
PlanEntryPriorityValue: TypeAlias = Literal["high", "medium", "low"]
PlanEntryStatusValue: TypeAlias = Literal["pending", "in_progress", "completed"]

CLOSED_ENUMS: dict[str, frozenset[str]] = {
    "ToolKind": frozenset(
        (
            "read",
            "edit",
            "delete",
            "move",
            "search",
            "execute",
            "think",
            "fetch",
            "switch_mode",
            "other",
        )
    ),
    "ToolCallStatus": frozenset(
        (
            "pending",
            "in_progress",
            "completed",
            "failed",
        )
    ),
    "Role": frozenset(
        (
            "assistant",
            "user",
        )
    ),
    "PermissionOptionKind": frozenset(
        (
            "allow_once",
            "allow_always",
            "reject_once",
            "reject_always",
        )
    ),
    "ElicitationSchemaType": frozenset(("object",)),
    "StringFormat": frozenset(
        (
            "email",
            "uri",
            "date",
            "date-time",
        )
    ),
    "StopReason": frozenset(
        (
            "end_turn",
            "max_tokens",
            "max_turn_requests",
            "refusal",
            "cancelled",
        )
    ),
    "PlanEntryPriority": frozenset(
        (
            "high",
            "medium",
            "low",
        )
    ),
    "PlanEntryStatus": frozenset(
        (
            "pending",
            "in_progress",
            "completed",
        )
    ),
}
"""The values of the closed sets, by the name of the set."""
