"""The Gemini API, as far as agents need it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from integration.peers.model.replies import ERROR_TEXT, Body, Document, Event, Reply, Stream, fresh_id, text_of
from integration.peers.model.script import CallTool, Fail, Say, Step, Think, Tools, steps_for


def gemini_stream(body: Body) -> Reply:
    """POST /v1beta/models/MODEL:streamGenerateContent"""
    steps = _gemini_steps(body)
    if steps == [Fail()]:
        return Document(_GEMINI_ERROR, 400)
    return Stream(_gemini_events(steps))


def gemini_generate(body: Body) -> Reply:
    """POST /v1beta/models/MODEL:generateContent"""
    steps = _gemini_steps(body)
    if steps == [Fail()]:
        return Document(_GEMINI_ERROR, 400)
    return Document(_gemini_chunk([_gemini_part(step) for step in steps], "STOP"))


_GEMINI_ERROR = {"error": {"code": 400, "message": ERROR_TEXT, "status": "INVALID_ARGUMENT"}}


def _gemini_steps(body: Body) -> Sequence[Step]:
    config = body.get("generationConfig") or {}
    wanted = config.get("responseJsonSchema") or config.get("responseSchema")
    if wanted or config.get("responseMimeType") == "application/json":
        return [Say(json.dumps(_fitting(wanted or {})))]  # a side job: routing, or who speaks next
    parts = (body.get("contents") or [{}])[-1].get("parts") or []
    newest = None if any("functionResponse" in part for part in parts) else text_of(parts)
    return steps_for(newest, _gemini_tools(body))


def _gemini_tools(body: Body) -> Tools:
    return {
        function["name"]: function.get("parametersJsonSchema") or function.get("parameters") or {}
        for tool in body.get("tools") or []
        for function in tool.get("functionDeclarations") or []
    }


def _fitting(schema: Body) -> Body:
    """Return an object that fits a schema."""
    values: Mapping[str, object] = {"boolean": False, "number": 1, "integer": 1, "array": [], "object": {}}
    return {
        name: (described.get("enum") or [values.get(str(described.get("type")).lower(), "user")])[-1]
        for name, described in (schema.get("properties") or {}).items()
    }


def _gemini_events(steps: Sequence[Step]) -> Iterator[Event]:
    for number, step in enumerate(steps, 1):
        finish = "STOP" if number == len(steps) else None
        yield Event(_gemini_chunk([_gemini_part(step)], finish), None, step.pause if isinstance(step, Say) else 0.0)


def _gemini_part(step: Step) -> Body:
    if isinstance(step, CallTool):
        return {"functionCall": {"name": step.name, "args": step.arguments, "id": fresh_id("fc_")}}
    if isinstance(step, Think):
        return {"text": f"**Thinking** {step.text}", "thought": True}
    assert isinstance(step, Say)
    return {"text": step.text}


def _gemini_chunk(parts: Sequence[Body], finish: str | None) -> Body:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake", "responseId": "r1"}
