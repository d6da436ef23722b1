"""What can be said on the command line. Knows words and their meaning, nothing of what they start."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from acp_client.cli.status import USAGE

EPILOG = """\
exit status: 0 the turn ended, 1 it ended otherwise (refusal, a limit, an error), 2 wrong usage, 3 the agent could not
be started, reached or agreed with, 130 after Ctrl-C
"""

_AGENT_HELP = '"demo" (the default), a command line such as "npx my-agent --acp", or a ws:// or wss:// URL'


class _Parser(argparse.ArgumentParser):
    """argparse, with errors that are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, in one line, and leave."""
        print(f"{self.prog}: {' '.join(message.split())} (see '{self.prog} --help')", file=sys.stderr)
        sys.exit(USAGE)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments; `command` names the command. Leaves with status 2 when they make no sense."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.error("no command given; choose one of prompt, inspect, demo, demo-agent")
    return arguments


def _parser() -> _Parser:
    parser = _Parser(prog="acp-client", description="Talk to a coding agent over the Agent Client Protocol.")
    parser.add_argument("--version", action="version", version=f"acp-client {_version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _add_prompt(commands)
    _add_inspect(commands)
    _add_demo(commands)
    _add_demo_agent(commands)
    return parser


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("acp-client-sdk")
    except PackageNotFoundError:
        return "(not installed)"


def _add_prompt(commands: argparse._SubParsersAction[_Parser]) -> None:
    prompt = commands.add_parser(
        "prompt",
        help="send one prompt and follow the turn to its end",
        description="Send one prompt. The agent's text goes to stdout as it comes, everything else to stderr.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_agent(prompt)
    prompt.add_argument("--cwd", metavar="DIR", help="directory the agent works in (default: this one)")
    _add_protocol(prompt)
    prompt.add_argument(
        "--permission",
        choices=("ask", "deny", "allow", "allow-reads"),
        help="how to answer permission requests (default: ask when stdin is a terminal, else deny)",
    )
    prompt.add_argument("--json", action="store_true", help="write one JSON object per event to stdout")
    prompt.add_argument("text", metavar="TEXT", type=_text, help="the prompt; quote it as one argument")


def _add_inspect(commands: argparse._SubParsersAction[_Parser]) -> None:
    inspect = commands.add_parser(
        "inspect",
        help="show what an agent is and offers",
        description="Connect, show version, capabilities and login methods, and leave. Never logs in.",
    )
    _add_agent(inspect)
    _add_protocol(inspect)
    inspect.add_argument("--json", action="store_true", help="write one JSON object to stdout")


def _add_demo(commands: argparse._SubParsersAction[_Parser]) -> None:
    demo = commands.add_parser(
        "demo",
        help="play all of it against the demo agent",
        description="Stream an answer, answer a permission request, cancel a turn while its question is open. "
        "Ends with status 0 only if everything went as it should.",
    )
    _add_protocol(demo)


def _add_demo_agent(commands: argparse._SubParsersAction[_Parser]) -> None:
    agent = commands.add_parser(
        "demo-agent",
        help="be the demo agent, for hosts under development",
        description="Speak ACP on stdin and stdout, or on a WebSocket with --ws.",
    )
    agent.add_argument("--ws", metavar="PORT", type=_port, help="listen on this port of the loopback interface")
    _add_protocol(agent)


def _add_agent(parser: _Parser) -> None:
    parser.add_argument("--agent", metavar="TARGET", default="demo", help=_AGENT_HELP)


def _add_protocol(parser: _Parser) -> None:
    parser.add_argument(
        "--protocol", type=_protocol, default="auto", metavar="{auto,1,2}", help="protocol version (default: auto)"
    )


def _protocol(word: str) -> str | int:
    if word not in ("auto", "1", "2"):
        raise argparse.ArgumentTypeError(f"{word!r} is no protocol version; choose auto, 1 or 2")
    return word if word == "auto" else int(word)


def _port(word: str) -> int:
    if not word.isascii() or not word.isdigit() or int(word) > 65535:
        raise argparse.ArgumentTypeError(f"{word!r} is no port; give a number from 0 to 65535")
    return int(word)


def _text(word: str) -> str:
    if not word.strip():
        raise argparse.ArgumentTypeError("it is empty; give the agent something to do")
    return word
