"""The `acp-client` command: a thin host that shows what the package does.

Reads the arguments and picks the command; each command is a module of its own and is imported only when it is used.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

from acp_client.cli.arguments import parse

__all__ = ["main"]

_MODULES = {
    "prompt": "acp_client.cli.prompting",
    "inspect": "acp_client.cli.inspecting",
    "demo": "acp_client.cli.demonstration",
    "demo-agent": "acp_client.cli.demo_agent",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; `argv` are the words behind the program's name."""
    try:
        arguments = parse(sys.argv[1:] if argv is None else argv)
        command = importlib.import_module(_MODULES[arguments.command])
        status: int = command.run(arguments)
    except KeyboardInterrupt:  # before the command has taken Ctrl-C over, or after it
        return 130
    except BrokenPipeError:  # whoever read the output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:  # a port in use, a full disk
        sys.stderr.write(f"acp-client: {error.strerror or error}\n")
        return 1
    return status
