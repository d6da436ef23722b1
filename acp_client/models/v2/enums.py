# Generated, see __init__.py. Do not edit.
"""Constants of protocol v2, one class for each set of values.

The attributes are plain strings (or numbers). In an open set any other value may come, and is kept as it came; of a
closed set there is a `Literal` type as well, named like the class with `Value` behind it.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias


class ToolKind:
    """v2 open set of values (stable)."""

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
    """v2 open set of values (stable)."""

    PENDING: Final = "pending"
    IN_PROGRESS: Final = "in_progress"
    PAUSED: Final = "paused"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    CANCELLED: Final = "cancelled"


class Role:
    """v2 open set of values (stable)."""

    ASSISTANT: Final = "assistant"
    USER: Final = "user"


class IconTheme:
    """v2 open set of values (stable)."""

    LIGHT: Final = "light"
    DARK: Final = "dark"


class DiffFileType:
    """v2 open set of values (stable)."""

    TEXT: Final = "text"
    BINARY: Final = "binary"
    DIRECTORY: Final = "directory"
    SYMLINK: Final = "symlink"


class DiffPatchFormat:
    """v2 open set of values (stable)."""

    GIT_PATCH: Final = "git_patch"


class PermissionOptionKind:
    """v2 open set of values (stable)."""

    ALLOW_ONCE: Final = "allow_once"
    ALLOW_ALWAYS: Final = "allow_always"
    REJECT_ONCE: Final = "reject_once"
    REJECT_ALWAYS: Final = "reject_always"


class ElicitationSchemaType:
    """v2 closed set of values (stable)."""

    OBJECT: Final = "object"


class StringFormat:
    """v2 open set of values (stable)."""

    EMAIL: Final = "email"
    URI: Final = "uri"
    DATE: Final = "date"
    DATE_TIME: Final = "date-time"


class LlmProtocol:
    """v2 open set of values (unstable)."""

    ANTHROPIC: Final = "anthropic"
    OPENAI: Final = "openai"
    AZURE: Final = "azure"
    VERTEX: Final = "vertex"
    BEDROCK: Final = "bedrock"


class AuthState:
    """v2 open set of values (unstable)."""

    AUTHENTICATED: Final = "authenticated"
    UNAUTHENTICATED: Final = "unauthenticated"
    NOT_REQUIRED: Final = "not_required"
    UNKNOWN: Final = "unknown"


class SessionConfigOptionCategory:
    """v2 open set of values (stable)."""

    MODE: Final = "mode"
    MODEL: Final = "model"
    MODEL_CONFIG: Final = "model_config"
    THOUGHT_LEVEL: Final = "thought_level"


class SessionStatus:
    """v2 open set of values (unstable)."""

    OPEN: Final = "open"
    SAVED: Final = "saved"


class StopReason:
    """v2 open set of values (stable)."""

    END_TURN: Final = "end_turn"
    MAX_TOKENS: Final = "max_tokens"
    MAX_TURN_REQUESTS: Final = "max_turn_requests"
    REFUSAL: Final = "refusal"
    CANCELLED: Final = "cancelled"
    ERROR: Final = "error"


class ErrorCode:
    """v2 open set of values (stable)."""

    PARSE_ERROR: Final = -32700
    INVALID_REQUEST: Final = -32600
    METHOD_NOT_FOUND: Final = -32601
    INVALID_PARAMS: Final = -32602
    INTERNAL_ERROR: Final = -32603
    REQUEST_CANCELLED: Final = -32800
    AUTHENTICATION_REQUIRED: Final = -32000
    RESOURCE_NOT_FOUND: Final = -32002
    UNSUPPORTED_PROTOCOL_VERSION: Final = -32022


class PlanEntryPriority:
    """v2 open set of values (stable)."""

    HIGH: Final = "high"
    MEDIUM: Final = "medium"
    LOW: Final = "low"


class PlanEntryStatus:
    """v2 open set of values (stable)."""

    PENDING: Final = "pending"
    IN_PROGRESS: Final = "in_progress"
    COMPLETED: Final = "completed"
    CANCELLED: Final = "cancelled"


class NoticeSeverity:
    """v2 open set of values (stable)."""

    INFO: Final = "info"
    WARNING: Final = "warning"
    ERROR: Final = "error"


class CompactionStatus:
    """v2 open set of values (stable)."""

    IN_PROGRESS: Final = "in_progress"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    CANCELLED: Final = "cancelled"


class SystemPromptMode:
    """v2 open set of values (unstable)."""

    APPEND: Final = "append"
    OVERRIDE: Final = "override"


class SessionArchiveFilter:
    """v2 open set of values (unstable)."""

    EXCLUDE: Final = "exclude"
    INCLUDE: Final = "include"
    ONLY: Final = "only"


ElicitationSchemaTypeValue: TypeAlias = Literal["object"]

CLOSED_ENUMS: dict[str, frozenset[str]] = {
    "ElicitationSchemaType": frozenset(("object",)),
}
"""The values of the closed sets, by the name of the set."""
