"""An agent that has the client read and write its files, as the agents of version 1 do.

    python reading_agent.py

A prompt is "read PATH [LINE LIMIT]" or "write PATH TEXT", the text with \\n for the ends of lines; the answer is what
the client said. It takes no embedded text.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send(method="session/update", params={"sessionId": "s1", "update": update})


def main() -> None:
    prompt_id: Any = None
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                offers = message["params"]["clientCapabilities"]["fs"]
                assert offers == {"readTextFile": True, "writeTextFile": True}, offers
                send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
            case "session/new":
                send(id=message["id"], result={"sessionId": "s1"})
            case "session/prompt":
                prompt_id = message["id"]
                what, path, *rest = message["params"]["prompt"][0]["text"].split(" ")
                params: dict[str, Any] = {"sessionId": "s1", "path": path}
                if what == "write":
                    params["content"] = " ".join(rest).replace("\\n", "\n")
                elif rest:
                    params |= {"line": int(rest[0]), "limit": int(rest[1])}
                send(id=1, method=f"fs/{what}_text_file", params=params)
            case _:
                say(json.dumps(message.get("result", message.get("error"))))
                send(id=prompt_id, result={"stopReason": "end_turn"})


main()
