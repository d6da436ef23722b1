"""The OpenAI responses API, as far as agents need it."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterable, Iterator, Sequence

import attrs

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


def openai_responses(body: Body) -> Reply:
    """POST /v1/responses"""
    tools = {tool["name"]: tool["parameters"] for tool in body.get("tools") or [] if "parameters" in tool}
    steps = steps_for(_newest_item(body.get("input")), tools)
    if steps == [Fail()]:
        return Document(openai_error(), 400)
    base = {
        "id": fresh_id("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "model": body.get("model", "fake"),
        "status": "in_progress",
        "output": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    events = list(_events(base, steps))
    if body.get("stream"):
        return Stream(_numbered(events))
    last = events[-1].data
    assert isinstance(last, dict)
    return Document(last["response"])


def _newest_item(given: object) -> str | None:
    items = given if isinstance(given, list) else [{"content": given}]
    newest = items[-1] if items else {}
    return None if str(newest.get("type", "")).endswith("_output") else text_of(newest.get("content"))


def _numbered(events: Iterable[Event]) -> Iterator[Event]:
    for number, event in enumerate(events):
        assert isinstance(event.data, dict)
        yield attrs.evolve(event, data={**event.data, "sequence_number": number})


def _event(kind: str, **fields: object) -> Event:
    return Event({"type": kind, **fields}, kind)


def _events(base: Body, steps: Sequence[Step]) -> Iterator[Event]:
    yield _event("response.created", response=base)
    yield _event("response.in_progress", response=base)
    output: list[Body] = []
    for thought in (step for step in steps if isinstance(step, Think)):
        output.append((yield from _reasoning_events(len(output), thought)))
    if said := [step for step in steps if isinstance(step, Say)]:
        output.append((yield from _message_events(len(output), said)))
    for call in (step for step in steps if isinstance(step, CallTool)):
        output.append((yield from _call_events(len(output), call)))
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    }
    done = {**base, "status": "completed", "output": output, "usage": usage}
    yield _event("response.completed", response=done)


def _reasoning_events(index: int, thought: Think) -> Generator[Event, None, Body]:
    item = {"id": fresh_id("rs_"), "type": "reasoning", "summary": []}
    place = {"item_id": item["id"], "output_index": index, "summary_index": 0}
    part = {"type": "summary_text", "text": thought.text}
    yield _event("response.output_item.added", output_index=index, item=item)
    yield _event("response.reasoning_summary_part.added", **place, part={**part, "text": ""})
    yield _event("response.reasoning_summary_text.delta", **place, delta=thought.text)
    yield _event("response.reasoning_summary_text.done", **place, text=thought.text)
    done = {**item, "summary": [part]}
    yield _event("response.output_item.done", output_index=index, item=done)
    return done


def _message_events(index: int, said: Sequence[Say]) -> Generator[Event, None, Body]:
    item = {"id": fresh_id("msg_"), "type": "message", "status": "in_progress", "role": "assistant", "content": []}
    place = {"item_id": item["id"], "output_index": index, "content_index": 0}
    part = {"type": "output_text", "text": spoken(said), "annotations": []}
    yield _event("response.output_item.added", output_index=index, item=item)
    yield _event("response.content_part.added", **place, part={**part, "text": ""})
    for step in said:
        piece = _event("response.output_text.delta", **place, delta=step.text, logprobs=[])
        yield attrs.evolve(piece, pause=step.pause)
    yield _event("response.output_text.done", **place, text=part["text"], logprobs=[])
    yield _event("response.content_part.done", **place, part=part)
    done = {**item, "status": "completed", "content": [part]}
    yield _event("response.output_item.done", output_index=index, item=done)
    return done


def _call_events(index: int, call: CallTool) -> Generator[Event, None, Body]:
    arguments = json.dumps(call.arguments)
    item = {"id": fresh_id("fc_"), "type": "function_call", "status": "in_progress", "call_id": fresh_id("call_")}
    item |= {"name": call.name, "arguments": ""}
    place = {"item_id": item["id"], "output_index": index}
    yield _event("response.output_item.added", output_index=index, item=item)
    yield _event("response.function_call_arguments.delta", **place, delta=arguments)
    yield _event("response.function_call_arguments.done", **place, arguments=arguments, name=call.name)
    done = {**item, "status": "completed", "arguments": arguments}
    yield _event("response.output_item.done", output_index=index, item=done)
    return done
