"""Agents for tests and demonstrations: scripted in memory, playing a part as a process, and a recorder of the wire."""

from acp_client.testing.demo import DemoAgent
from acp_client.testing.demo_agent import demo_command, demo_websocket
from acp_client.testing.recording import Line, RecordingTransport
from acp_client.testing.scripted import ScriptedAgent

__all__ = ["DemoAgent", "Line", "RecordingTransport", "ScriptedAgent", "demo_command", "demo_websocket"]
