"""Headless client SDK for the Agent Client Protocol: connect a program that people look at to a coding agent.

Begin with `Client.connect`. Names that are not listed here are internal, but for the modules `acp_client.models`,
`acp_client.blocking`, `acp_client.jupyter` and `acp_client.testing`, which are imported by themselves.

A name is loaded when it is first used, so that a plugin pays at its first connection and not at the start of its host.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_client.client import Client, SessionRef
    from acp_client.errors import (
        AcpError,
        AgentError,
        AgentStartError,
        AuthMethodRefused,
        AuthRequired,
        ConnectionClosed,
        ConnectionLost,
        FramingError,
        HandshakeTimeout,
        InvalidModel,
        InvalidResponse,
        MessageTooLarge,
        NotSupported,
        ProtocolViolation,
        RequestCancelled,
        RequestRefused,
        RequestTimeout,
        SessionBusy,
        SessionClosed,
        SessionNotFound,
        UnsupportedProtocolVersion,
        UsageError,
    )
    from acp_client.host import (
        ALLOW,
        CANCEL,
        DECLINE,
        DENY,
        LATER,
        Accept,
        Host,
        TerminalExit,
        TerminalOutput,
        uncancellable,
    )
    from acp_client.policy.cancellation import CancellationPolicy, OpenRequest, SpareBackgroundWork, Withdrawal
    from acp_client.policy.permissions import (
        PermissionOption,
        PermissionPolicy,
        Verdict,
        allow,
        allow_all,
        allow_reads,
        ask,
        deny_all,
        first_of,
    )
    from acp_client.policy.questions import PendingElicitation, PendingPermission, PendingQuestion
    from acp_client.policy.turns import CancelOutcome, TurnResult
    from acp_client.protocol.dialect import (
        AgentCapabilities,
        AuthMethod,
        Implementation,
        McpServer,
        Roots,
        SessionInfo,
        SessionPage,
    )
    from acp_client.rpc.inbound import EndedBy
    from acp_client.rpc.peer import Diagnostic
    from acp_client.session import CANCEL_GRACE, CancelHandle, Session, Turn
    from acp_client.state.content import (
        Annotations,
        Audio,
        Content,
        Icon,
        Image,
        Resource,
        ResourceLink,
        Text,
        UnknownContent,
    )
    from acp_client.state.events import (
        Event,
        Gap,
        InfoChanged,
        ItemChanged,
        NoticeShown,
        OutputAppended,
        QuestionEnded,
        QuestionOpened,
        StateChanged,
        TextAppended,
        TurnEnded,
        UnknownUpdate,
    )
    from acp_client.state.items import (
        BackgroundWork,
        Command,
        Compaction,
        ConfigChoice,
        ConfigOption,
        Cost,
        Diff,
        FileChange,
        Location,
        Message,
        Plan,
        PlanEntry,
        Terminal,
        TerminalRef,
        ToolCall,
        Usage,
    )
    from acp_client.state.snapshot import SessionSnapshot
    from acp_client.transports.base import ConnectSpec, Transport
    from acp_client.transports.specs import StdioSpec, WebSocketSpec, parse_target

__all__ = [
    "ALLOW",
    "CANCEL",
    "CANCEL_GRACE",
    "DECLINE",
    "DENY",
    "LATER",
    "Accept",
    "AcpError",
    "AgentCapabilities",
    "AgentError",
    "AgentStartError",
    "Annotations",
    "Audio",
    "AuthMethod",
    "AuthMethodRefused",
    "AuthRequired",
    "BackgroundWork",
    "CancelHandle",
    "CancelOutcome",
    "CancellationPolicy",
    "Client",
    "Command",
    "Compaction",
    "ConfigChoice",
    "ConfigOption",
    "ConnectSpec",
    "ConnectionClosed",
    "ConnectionLost",
    "Content",
    "Cost",
    "Diagnostic",
    "Diff",
    "EndedBy",
    "Event",
    "FileChange",
    "FramingError",
    "Gap",
    "HandshakeTimeout",
    "Host",
    "Icon",
    "Image",
    "Implementation",
    "InfoChanged",
    "InvalidModel",
    "InvalidResponse",
    "ItemChanged",
    "Location",
    "McpServer",
    "Message",
    "MessageTooLarge",
    "NotSupported",
    "NoticeShown",
    "OpenRequest",
    "OutputAppended",
    "PendingElicitation",
    "PendingPermission",
    "PendingQuestion",
    "PermissionOption",
    "PermissionPolicy",
    "Plan",
    "PlanEntry",
    "ProtocolViolation",
    "QuestionEnded",
    "QuestionOpened",
    "RequestCancelled",
    "RequestRefused",
    "RequestTimeout",
    "Resource",
    "ResourceLink",
    "Roots",
    "Session",
    "SessionBusy",
    "SessionClosed",
    "SessionInfo",
    "SessionNotFound",
    "SessionPage",
    "SessionRef",
    "SessionSnapshot",
    "SpareBackgroundWork",
    "StateChanged",
    "StdioSpec",
    "Terminal",
    "TerminalExit",
    "TerminalOutput",
    "TerminalRef",
    "Text",
    "TextAppended",
    "ToolCall",
    "Transport",
    "Turn",
    "TurnEnded",
    "TurnResult",
    "UnknownContent",
    "UnknownUpdate",
    "UnsupportedProtocolVersion",
    "Usage",
    "UsageError",
    "Verdict",
    "WebSocketSpec",
    "Withdrawal",
    "allow",
    "allow_all",
    "allow_reads",
    "ask",
    "deny_all",
    "first_of",
    "parse_target",
    "uncancellable",
]

_HOMES = {
    "client": "Client SessionRef",
    "errors": (
        "AcpError AgentError AgentStartError AuthMethodRefused AuthRequired ConnectionClosed "
        "ConnectionLost FramingError HandshakeTimeout InvalidModel InvalidResponse MessageTooLarge "
        "NotSupported ProtocolViolation RequestCancelled RequestRefused RequestTimeout SessionBusy "
        "SessionClosed SessionNotFound UnsupportedProtocolVersion UsageError"
    ),
    "host": "ALLOW CANCEL DECLINE DENY LATER Accept Host TerminalExit TerminalOutput uncancellable",
    "policy.cancellation": "CancellationPolicy OpenRequest SpareBackgroundWork Withdrawal",
    "policy.permissions": (
        "PermissionOption PermissionPolicy Verdict allow allow_all allow_reads ask deny_all first_of"
    ),
    "policy.questions": "PendingElicitation PendingPermission PendingQuestion",
    "policy.turns": "CancelOutcome TurnResult",
    "protocol.dialect": "AgentCapabilities AuthMethod Implementation McpServer Roots SessionInfo SessionPage",
    "rpc.inbound": "EndedBy",
    "rpc.peer": "Diagnostic",
    "session": "CANCEL_GRACE CancelHandle Session Turn",
    "state.content": "Annotations Audio Content Icon Image Resource ResourceLink Text UnknownContent",
    "state.events": (
        "Event Gap InfoChanged ItemChanged NoticeShown OutputAppended QuestionEnded QuestionOpened "
        "StateChanged TextAppended TurnEnded UnknownUpdate"
    ),
    "state.items": (
        "BackgroundWork Command Compaction ConfigChoice ConfigOption Cost Diff FileChange Location "
        "Message Plan PlanEntry Terminal TerminalRef ToolCall Usage"
    ),
    "state.snapshot": "SessionSnapshot",
    "transports.base": "ConnectSpec Transport",
    "transports.specs": "StdioSpec WebSocketSpec parse_target",
}
"""Where the names are; a test holds it against the imports above."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"acp_client.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
