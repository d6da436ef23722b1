"""For tests of hosts: agents that need no account, recordings that play again, and a wire that breaks on purpose."""

from typing import TYPE_CHECKING, Any

from acp_client.testing.demo import DemoAgent
from acp_client.testing.faults import Faults, FaultyTransport
from acp_client.testing.recording import Line, RecordingTransport
from acp_client.testing.replay import ReplayedAgent
from acp_client.testing.scripted import ScriptedAgent

if TYPE_CHECKING:
    from acp_client.testing.demo_agent import demo_command, demo_websocket

__all__ = [
    "DemoAgent",
    "Faults",
    "FaultyTransport",
    "Line",
    "RecordingTransport",
    "ReplayedAgent",
    "ScriptedAgent",
    "demo_command",
    "demo_websocket",
]


def __getattr__(name: str) -> Any:
    # Imported on demand: a module that its package has imported cannot be run with `-m` without a warning.
    if name in ("demo_command", "demo_websocket"):
        from acp_client.testing import demo_agent

        return getattr(demo_agent, name)
    raise AttributeError(name)
