"""The Anthropic Messages API, as far as agents need it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from integration.peers.model.replies import ERROR_TEXT, Body, Document, Event, Reply, Stream, fresh_id, spoken, text_of
from integration.peers.model.script import CallTool, Fail, Say, Step, Think, steps_for


def anthropic_messages(body: Body) -> Reply:
    """POST /v1/messages"""
    tools = {tool["name"]: tool.get("input_schema", {}) for tool in body.get("tools") or [] if "name" in tool}
    steps = steps_for(_newest(body["messages"]), tools)
    if steps == [Fail()]:
        return Document({"type": "error", "error": {"type": "invalid_request_error", "message": ERROR_TEXT}}, 400)
    message = {
        "id": fresh_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "fake"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }
    stop = "tool_use" if any(isinstance(step, CallTool) for step in steps) else "end_turn"
    if body.get("stream"):
        return Stream(_events(message, steps, stop))
    return Document({**message, "content": [{"type": "text", "text": spoken(steps)}], "stop_reason": "end_turn"})


def _newest(messages: Sequence[Body]) -> str | None:
    """Return the user's text since the last answer; None when there is only a tool's result."""
    text, has_result = "", False
    for message in reversed(messages):
        if message.get("role") == "assistant":
            break
        if message.get("role") == "user":  # messages of the role "system" come in between
            content = message.get("content")
            text = text_of(content) + "\n" + text
            parts = content if isinstance(content, list) else []
            has_result = has_result or any(part.get("type") == "tool_result" for part in parts)
    text = re.sub(r"<system-reminder>.*?</system-reminder>", "", text, flags=re.DOTALL)
    return None if has_result and "ACP_" not in text else text


def _events(message: Body, steps: Sequence[Step], stop: str) -> Iterator[Event]:
    yield Event({"type": "message_start", "message": message}, "message_start")
    for index, block in enumerate(_blocks(steps)):
        yield from _block_events(index, block)
    delta = {"stop_reason": stop, "stop_sequence": None}
    yield Event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}}, "message_delta")
    yield Event({"type": "message_stop"}, "message_stop")


def _blocks(steps: Sequence[Step]) -> list[list[Step]]:
    """Put the steps into content blocks: pieces of text that follow each other are one block."""
    blocks: list[list[Step]] = []
    for step in steps:
        if blocks and isinstance(step, Say) and isinstance(blocks[-1][0], Say):
            blocks[-1].append(step)
        else:
            blocks.append([step])
    return blocks


def _block_events(index: int, block: Sequence[Step]) -> Iterator[Event]:
    begin = {"type": "content_block_start", "index": index, "content_block": _empty_block(block[0])}
    yield Event(begin, "content_block_start")
    for step in block:
        pause = step.pause if isinstance(step, Say) else 0.0
        for delta in _deltas(step):
            yield Event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta", pause)
    yield Event({"type": "content_block_stop", "index": index}, "content_block_stop")


def _empty_block(step: Step) -> Body:
    if isinstance(step, CallTool):
        return {"type": "tool_use", "id": fresh_id("toolu_"), "name": step.name, "input": {}}
    if isinstance(step, Think):
        return {"type": "thinking", "thinking": "", "signature": ""}
    return {"type": "text", "text": ""}


def _deltas(step: Step) -> list[Body]:
    if isinstance(step, CallTool):
        arguments = json.dumps(step.arguments)
        middle = len(arguments) // 2
        return [{"type": "input_json_delta", "partial_json": half} for half in (arguments[:middle], arguments[middle:])]
    if isinstance(step, Think):
        return [
            {"type": "thinking_delta", "thinking": step.text},
            {"type": "signature_delta", "signature": "c2ln"},
        ]
    assert isinstance(step, Say)
    return [{"type": "text_delta", "text": step.text}]
