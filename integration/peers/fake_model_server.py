"""A model server without a model, on loopback, for agents that must run offline.

    python -m integration.peers.fake_model_server

Writes `{"port": N}` to stdout once it listens and ends when its stdin does. What it answers is decided in
`model.script`, in which shape by the API's module; here is only HTTP.
"""

from __future__ import annotations

import gzip
import json
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from integration.peers.model.anthropic import anthropic_messages
from integration.peers.model.chat import openai_chat
from integration.peers.model.gemini import gemini_generate, gemini_stream
from integration.peers.model.replies import Api, Document, Event, Reply, Stream
from integration.peers.model.responses import openai_responses

APIS: Mapping[str, Api] = {
    "/messages/count_tokens": lambda body: Document({"input_tokens": 42}),
    "/messages": anthropic_messages,
    "/chat/completions": openai_chat,
    "/responses": openai_responses,
    ":countTokens": lambda body: Document({"totalTokens": 42}),
    ":streamGenerateContent": gemini_stream,
    ":generateContent": gemini_generate,
}
"""The APIs by how their path ends."""

MODEL = {
    "id": "fake-model",
    "object": "model",
    "type": "model",
    "display_name": "Fake",
    "created": 0,
    "created_at": "2026-01-01T00:00:00Z",
    "owned_by": "fake",
}
MODELS = {"object": "list", "data": [MODEL], "has_more": False, "first_id": "fake-model", "last_id": "fake-model"}


class Handler(BaseHTTPRequestHandler):
    """One connection of an agent."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing is logged: agents ask a lot."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path.endswith("/models"):
            self._write_document(Document({**MODELS, "models": []}))
        else:
            self._write_document(Document(MODEL if "/models/" in path else {}))

    def do_POST(self) -> None:
        try:
            self._write(self._reply(self.path.split("?")[0], self._body()))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the agent was cancelled

    @staticmethod
    def _reply(path: str, body: Any) -> Reply:
        for ending, api in APIS.items():
            if path.endswith(ending):
                return api(body)
        return Document({})  # telemetry and the like

    def _body(self) -> Any:
        raw = self._chunks() if "chunked" in self.headers.get("transfer-encoding", "") else self._counted()
        if self.headers.get("content-encoding", "").lower() == "gzip":
            raw = gzip.decompress(raw)
        try:
            return json.loads(raw or b"{}")
        except ValueError:
            return {}

    def _counted(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def _chunks(self) -> bytes:
        raw = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            raw += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return raw

    def _write(self, reply: Reply) -> None:
        if isinstance(reply, Stream):
            self._write_stream(reply)
        else:
            self._write_document(reply)

    def _write_document(self, document: Document) -> None:
        raw = json.dumps(document.body).encode()
        self.send_response(document.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _write_stream(self, stream: Stream) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("connection", "close")
        self.end_headers()
        for event in stream.events:
            self._write_event(event)
            time.sleep(event.pause)

    def _write_event(self, event: Event) -> None:
        name = f"event: {event.name}\n" if event.name else ""
        data = event.data if isinstance(event.data, str) else json.dumps(event.data)
        self.wfile.write(f"{name}data: {data}\n\n".encode())
        self.wfile.flush()


def main() -> None:
    """Serve until stdin ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
