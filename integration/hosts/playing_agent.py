"""An agent that says and does what its prompt says, whatever that is: for what no decent agent writes.

    python playing_agent.py [GATE]

A prompt that is a JSON array holds the updates of the turn; any other text comes back as it is. With a gate, it does
not come up before that file exists.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(**fields: Any) -> None:
    send(method="session/update", params={"sessionId": "s1", "update": fields})


def play(turn: int, text: str) -> None:
    update(sessionUpdate="user_message", messageId=f"user-{turn}", content=[{"type": "text", "text": text}])
    update(sessionUpdate="state_update", state="running")
    if text.startswith("["):
        for fields in json.loads(text):
            update(**fields)
    else:
        content = {"type": "text", "text": text}
        update(sessionUpdate="agent_message_chunk", messageId=f"agent-{turn}", content=content)
    update(sessionUpdate="state_update", state="idle", stopReason="end_turn")


def main() -> None:
    for gate in sys.argv[1:]:
        while not Path(gate).exists():
            time.sleep(0.02)
    turn = 0
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                info = {"name": "playing-agent", "version": "1"}
                send(id=message["id"], result={"protocolVersion": 2, "info": info, "capabilities": {"session": {}}})
            case "session/new":
                send(id=message["id"], result={"sessionId": "s1"})
            case "session/prompt":
                turn += 1
                send(id=message["id"], result={"messageId": f"user-{turn}"})
                play(turn, message["params"]["prompt"][0]["text"])


main()
