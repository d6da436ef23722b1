"""Agents for tests and demonstrations: scripted in memory, as a process, recorded, and faulty ones."""

from acp_client.testing.scripted import ScriptedAgent

__all__ = ["ScriptedAgent"]
