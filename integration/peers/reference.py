"""The agents on the official SDKs: how to start them."""

from __future__ import annotations

from pathlib import Path

from acp_client import StdioSpec
from integration.peers.install import executable, folder_of
from integration.peers.needs import need

HERE = Path(__file__).parent
NPM_AGENT = ("node", str(HERE / "ts_agent.mjs"))


def npm_environment() -> dict[str, str]:
    """Return what tells the npm SDK's agent where its SDK is."""
    need("npm-sdk")
    return {"NPM_SDK": str(folder_of("npm-sdk"))}


def npm_agent_spec(protocol: str, **env: str) -> StdioSpec:
    """Return how to start the agent on the npm SDK, with `protocol` "v1", "v2" or "both"."""
    return StdioSpec((*NPM_AGENT, "--protocol", protocol), env={**npm_environment(), **env})


def python_agent_spec() -> StdioSpec:
    """Return how to start the agent on the Python SDK."""
    need("python-sdk")
    return StdioSpec((str(executable("python-sdk", "python")), str(HERE / "py_agent.py")))
