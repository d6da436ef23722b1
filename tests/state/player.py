"""Plays a recording of a real agent through the state, doing for each message what a session does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from acp_client.state.content import block_from_model
from acp_client.state.events import Event
from tests.state.support import Session, Wire

RECORDINGS = Path(__file__).parent / "recordings"

OPENING = {
    "session/new": "NewSessionResponse",
    "session/load": "LoadSessionResponse",
    "session/resume": "ResumeSessionResponse",
    "session/fork": "NewSessionResponse",
}


class Player:
    """The sessions of one recording, by their ids; `turns` holds what each prompt's turn brought."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.sessions: dict[str, Session] = {}
        self.events: list[Event] = []
        self.turns: list[str] = []
        self._mark: object = None
        self._calls: dict[Any, Wire] = {}

    def session(self, session_id: str) -> Session:
        """A session that has been heard of; updates may come before the answer that names it."""
        if session_id not in self.sessions:
            self.sessions[session_id] = Session(self.version)
        return self.sessions[session_id]

    def play(self, name: str) -> Player:
        """Play a recording whole."""
        for line in (RECORDINGS / f"{name}.jsonl").read_text("utf-8").splitlines():
            entry = json.loads(line)
            (self._sent if entry["dir"] == "c2a" else self._received)(entry["msg"])
        return self

    def _sent(self, message: Wire) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            return
        self._calls[message.get("id")] = message
        if method == "session/cancel":
            self.events += self.session(params["sessionId"]).reducer.mark_cancelled()
        elif method in ("session/load", "session/resume"):
            self.session(params["sessionId"]).store.begin_replay(reset=method == "session/load")
        elif method == "session/prompt" and "prompt" in params:
            self._prompt(self.session(params["sessionId"]), params["prompt"])

    def _prompt(self, session: Session, blocks: list[Wire]) -> None:
        self._mark = session.store.text_mark()
        if self.version == 1:
            neutral = [block_from_model(session.block(block)) for block in blocks]
            self.events += [session.reducer.local_user_message(neutral), session.reducer.local_state("running", None)]

    def _received(self, message: Wire) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method == "session/update":
            session = self.session(params["sessionId"])
            event = session.update(params["update"])
            self.events.append(event)
            if self.version == 2 and getattr(event, "completed", False):
                self.turns.append(session.store.text_since(self._mark).text)
        elif method == "session/request_permission":
            self._permission(self.session(params["sessionId"]), params)
        elif method is None:
            self._answer(self._calls[message["id"]], message)

    def _permission(self, session: Session, params: Wire) -> None:
        raw = params["toolCall"] if self.version == 1 else (params.get("subject") or {}).get("toolCall")
        if raw is not None:
            self.events.append(session.reducer.apply_tool_call(session.model("ToolCallUpdate", raw)))

    def _answer(self, call: Wire, message: Wire) -> None:
        method, params = call["method"], call["params"]
        session_id = params.get("sessionId") if method != "session/fork" else None
        result = message.get("result")
        if method in ("session/load", "session/resume"):
            self.session(params["sessionId"]).store.end_replay(failed=result is None)
        if result is None:
            if method == "session/prompt" and self.version == 1:
                self.events.append(self.session(params["sessionId"]).reducer.local_state("idle", None))
            return
        if method in OPENING:
            session = self.session(session_id or result["sessionId"])
            self.events += session.opened(result, OPENING[method], keep_newer=True)
        elif method == "session/set_mode":
            mode = {"sessionUpdate": "current_mode_update", "currentModeId": params["modeId"]}
            self.session(params["sessionId"]).update(mode)
        elif method == "session/set_config_option":
            self.session(params["sessionId"]).opened(result, "ResumeSessionResponse")
        elif method == "session/prompt" and self.version == 1:
            session = self.session(params["sessionId"])
            self.turns.append(session.store.text_since(self._mark).text)
            self.events.append(session.reducer.local_state("idle", result["stopReason"]))
