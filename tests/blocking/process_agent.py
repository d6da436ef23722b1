"""An agent in a process of its own, as plain as can be. It tells every method it gets to a socket.

    python process_agent.py SOCKET [stubborn] [silent]

It talks version 1 and works on a prompt until it is cancelled, except on "quick", which it answers, and "ask", where it
asks for permission. A stubborn one ignores the end of its input and the request to end, a silent one does not even
answer `initialize`.
"""

from __future__ import annotations

import json
import signal
import socket
import sys
from typing import Any

link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def chunk(text: str) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send(method="session/update", params={"sessionId": "s1", "update": update})


def ask() -> None:
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    params = {"sessionId": "s1", "options": options, "toolCall": {"toolCallId": "t1", "title": "Edit"}}
    send(id="ask", method="session/request_permission", params=params)


def main() -> None:
    prompt_id: Any = None
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method", "answer")
        link.sendall(f"{method}\n".encode())
        if "silent" in sys.argv:
            continue
        if method == "initialize":
            send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
        elif method == "session/new":
            send(id=message["id"], result={"sessionId": "s1"})
        elif method == "session/prompt":
            prompt_id, text = message["id"], message["params"]["prompt"][0]["text"]
            chunk(text)
            if text == "ask":
                ask()
            elif text == "quick":
                send(id=prompt_id, result={"stopReason": "end_turn"})
        elif method == "session/cancel":
            send(id=prompt_id, result={"stopReason": "cancelled"})


if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
main()
while "stubborn" in sys.argv:
    signal.pause()
