"""The OpenAI chat completions API, as far as agents need it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence

from integration.peers.model.replies import (
    Body,
    Document,
    Event,
    Reply,
    Stream,
    fresh_id,
    openai_error,
    spoken,
    text_of,
)
from integration.peers.model.script import CallTool, Fail, Say, Step, Think, steps_for


def openai_chat(body: Body) -> Reply:
    """POST /v1/chat/completions"""
    tools = {
        tool["function"]["name"]: tool["function"].get("parameters", {})
        for tool in body.get("tools") or []
        if "function" in tool
    }
    newest = body["messages"][-1]
    steps = steps_for(None if newest.get("role") == "tool" else text_of(newest.get("content")), tools)
    if steps == [Fail()]:
        return Document(openai_error(), 400)
    base = {"id": fresh_id("chatcmpl-"), "created": int(time.time()), "model": body.get("model", "fake")}
    if body.get("stream"):
        return Stream(_chat_events({**base, "object": "chat.completion.chunk"}, steps))
    message = {"role": "assistant", "content": spoken(steps)}
    choices = [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}]
    return Document({**base, "object": "chat.completion", "choices": choices, "usage": _CHAT_USAGE})


_CHAT_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _chat_events(base: Body, steps: Sequence[Step]) -> Iterator[Event]:
    def chunk(delta: Body, finish: str | None = None, pause: float = 0.0) -> Event:
        return Event({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}, None, pause)

    yield chunk({"role": "assistant", "content": ""})
    calls = 0
    for step in steps:
        if isinstance(step, Say):
            yield chunk({"content": step.text}, pause=step.pause)
        elif isinstance(step, Think):
            yield chunk({"reasoning_content": step.text})
        elif isinstance(step, CallTool):
            function = {"name": step.name, "arguments": json.dumps(step.arguments)}
            yield chunk(
                {"tool_calls": [{"index": calls, "id": fresh_id("call_"), "type": "function", "function": function}]}
            )
            calls += 1
    yield chunk({}, "tool_calls" if calls else "stop")
    yield Event({**base, "choices": [], "usage": _CHAT_USAGE})
    yield Event("[DONE]")
