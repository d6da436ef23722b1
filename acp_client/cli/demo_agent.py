"""`acp-client demo-agent`: be the demo agent, on stdio or on a WebSocket."""

from __future__ import annotations

import argparse

from acp_client.testing import demo_agent


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client leaves or somebody stops it."""
    words = ["--protocol", str(arguments.protocol)]
    if arguments.ws is not None:
        words += ["--ws", str(arguments.ws)]
    demo_agent.main(words)
    return 0
