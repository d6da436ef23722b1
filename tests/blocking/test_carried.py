"""What is public and frozen, and every error, can be carried elsewhere: pickled, copied, printed without a secret."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import attrs
import pytest

import acp_client as acp
from acp_client import blocking, jupyter, testing
from acp_client.models.base import UNSET
from acp_client.state.snapshot import SessionSnapshot
from tests.kit import Stage

SECRET = "hunter2"
"""Given wherever a secret may be; must show up in no repr."""

OPTION = acp.PermissionOption("allow", "Allow", "allow_once")
ROOTS = acp.Roots(
    cwd="/project",
    additional_directories=("/more",),
    mcp_servers=(
        acp.McpServer(name="s", command="mcp", args=("--x",), env={"TOKEN": SECRET}),
        acp.McpServer(name="h", type="http", url="https://example.com", headers={"Authorization": SECRET}),
    ),
)
TEXT = acp.Text("hello")
ERROR = acp.AgentError("session/prompt", -32603, "no", {"why": [1]})
RESULT = acp.TurnResult(session_id="s1", stop_reason="end_turn", text="hello", error=ERROR, updates=3)
MESSAGE = acp.Message(key="agent:a1", role="agent", message_id="a1", content=(TEXT,), meta={"a": 1})
CHANGE = acp.FileChange(operation="modify", path="/a", old_text="1", new_text="2")
CALL = acp.ToolCall(
    key="tool:t1", tool_call_id="t1", content=(acp.Diff(changes=(CHANGE,)), acp.TerminalRef("x")), raw_input={"a": [1]}
)
PLAN = acp.Plan(key="plan", entries=(acp.PlanEntry(content="do", priority="high", status="pending"),))
TERMINAL = acp.Terminal(key="terminal:x", terminal_id="x", output=b"\xff ok", exited=True, exit_code=1)
SNAPSHOT = SessionSnapshot(version=7, session_id="s1", cwd="/project", terminals={"x": TERMINAL})

SAMPLES: list[Any] = [
    OPTION,
    ROOTS,
    *ROOTS.mcp_servers,
    TEXT,
    RESULT,
    MESSAGE,
    CHANGE,
    CALL,
    *CALL.content,
    PLAN,
    *PLAN.entries,
    TERMINAL,
    SNAPSHOT,
    acp.Accept({"password": SECRET}),
    acp.Annotations(audience=("user",), priority=0.5),
    acp.Icon(src="https://example.com/i.png"),
    acp.Location(path="/a", line=3),
    acp.AgentCapabilities(prompt_image=True),
    acp.Audio(data="AAAA", mime_type="audio/wav"),
    acp.AuthMethod(id="key", name="Key", type="agent"),
    acp.BackgroundWork("subagent", "b1", {"type": "subagent"}),
    acp.Command(name="help", description="Help", hint="what"),
    acp.Compaction(key="compaction:c", compaction_id="c", status="completed", summary=(TEXT,)),
    acp.ConfigChoice(value="a", name="A"),
    acp.ConfigOption(id="m", name="M", type="boolean", value=True),
    acp.Cost(0.5, "EUR"),
    acp.Diagnostic("noise", "a line"),
    acp.Event(version=1),
    acp.Gap(version=2, snapshot=SNAPSHOT, missed=4, count=4),
    acp.Image(data="AAAA", mime_type="image/png"),
    acp.Implementation("host", "1.0", "Host"),
    acp.InfoChanged(version=1, what="usage"),
    acp.ItemChanged(version=1, key="tool:t1", kind="tool_call"),
    acp.NoticeShown(version=1, severity="info", title="n"),
    acp.OpenRequest("q1", "permission", "s1", "t1"),
    acp.OutputAppended(version=1, key="terminal:x", terminal_id="x", data=b"a", text="a"),
    acp.QuestionEnded(version=1, question=None),
    acp.QuestionOpened(version=1, question=None),  # with a question: see below
    acp.Resource.from_text("file:///a", "text"),
    acp.ResourceLink(name="a", uri="file:///a"),
    acp.SessionInfo(session_id="s1", cwd="/project"),
    acp.SessionPage((acp.SessionInfo(session_id="s1", cwd="/project"),), "next"),
    acp.SessionRef(session_id="s1", roots=ROOTS, target=acp.StdioSpec(("agent",)), cookies={"session": SECRET}),
    acp.StateChanged(version=1, state="idle", stop_reason="end_turn"),
    acp.StdioSpec(("agent", "--acp"), cwd="/project", env={"API_KEY": SECRET}, env_unset=("X",)),
    acp.TerminalExit(1),
    acp.TerminalOutput("text", True, acp.TerminalExit(0)),
    acp.TextAppended(version=1, key="agent:a1", role="agent", text="hello"),
    acp.TurnEnded(version=1, result=RESULT),
    acp.UnknownContent("hologram", {"type": "hologram"}),
    acp.UnknownUpdate(version=1, raw={"a": 1}, reason="unknown"),
    acp.Usage(used=10, size=100, cost=acp.Cost(0.5, "EUR")),
    acp.WebSocketSpec(
        f"wss://user:{SECRET}@example.com/acp?token={SECRET}",
        headers={"Authorization": SECRET},
        header_env={"X-Key": "KEY"},
        cookies={"session": SECRET},
    ),
    jupyter.SessionView(SNAPSHOT),
    testing.Faults(drop=(1,), cut={2: 3}, noise={4: b"x"}, lose_at=5),
    testing.Line(0.5, "c2a", {"id": 1, "method": "initialize"}),
]

ERRORS: list[acp.AcpError] = [
    acp.AcpError("x"),
    ERROR,
    acp.AgentStartError("could not start", exit_code=127, stderr_tail="not found"),
    acp.AuthMethodRefused("x"),
    acp.AuthRequired("session/new", -32000, "log in"),
    acp.ConnectionClosed("closed"),
    acp.ConnectionLost("gone", signal="SIGKILL", close_code=1006, close_reason="x").again("session/prompt"),
    acp.FramingError("x"),
    acp.HandshakeTimeout(60.0, "it wrote nothing"),
    acp.InvalidModel("a.b", "a string"),
    acp.InvalidResponse("session/new", "no id"),
    acp.MessageTooLarge(10, ours=True),
    acp.NotSupported("x"),
    acp.ProtocolViolation("x"),
    acp.RequestCancelled("session/prompt", -32800, "cancelled"),
    acp.RequestRefused(-32603, "no", {"a": 1}),
    acp.RequestTimeout("session/new", 1.5),
    acp.SessionBusy("x"),
    acp.SessionClosed("x"),
    acp.SessionNotFound("session/load", -32002, "unknown"),
    acp.UnsupportedProtocolVersion(2, 99, [1]),
    acp.UsageError("x"),
]


def public(wanted: Any) -> set[type]:
    """The public classes of one sort."""
    found = (getattr(module, name) for module in (acp, blocking, jupyter, testing) for name in module.__all__)
    return {cls for cls in found if isinstance(cls, type) and wanted(cls)}


def test_there_is_a_sample_of_every_public_class_and_error() -> None:
    """H11: whoever adds one adds its sample."""
    assert {type(sample) for sample in SAMPLES} == public(attrs.has)
    assert {type(error) for error in ERRORS} == public(lambda cls: issubclass(cls, BaseException))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample).__name__)
def test_values_survive_pickle_and_copy(sample: Any) -> None:
    """H11: a job queue and a cluster can carry them, whatever the pickle protocol."""
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(sample, protocol))
        assert type(again) is type(sample)
        assert comparable(again) == comparable(sample)
    assert comparable(copy.copy(sample)) == comparable(sample)
    assert comparable(copy.deepcopy(sample)) == comparable(sample)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_survive_pickle_and_copy(error: acp.AcpError) -> None:
    """H11: a usual error of several arguments does not, and turns into an unrelated one on the other side."""
    error.add_note("seen by worker 3")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert again.__dict__ == error.__dict__
        assert again.args == error.args


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample).__name__)
def test_no_repr_shows_a_secret(sample: Any) -> None:
    """H11: cookies, headers, environment values, passwords in URLs and answers in forms end up in no log."""
    assert SECRET not in repr(sample)
    assert SECRET not in str(sample)


async def test_what_holds_an_open_question_travels_without_it(scene: Stage) -> None:
    """H11: a question is answered where it was asked; copies made there are the question itself."""
    seen: list[acp.Event] = []
    scene.session.on_update(seen.append)
    scene.begin()
    scene.ask()
    (question,) = scene.session.pending
    opened = next(event for event in seen if isinstance(event, acp.QuestionOpened))
    snapshot = scene.session.snapshot
    for copied in (copy.copy, copy.deepcopy):
        assert copied(opened).question is question
        assert copied(snapshot).pending == (question,)
        assert copied(snapshot) == snapshot
    question.cancel()
    ended = next(event for event in seen if isinstance(event, acp.QuestionEnded))
    for event in (opened, ended):
        again = pickle.loads(pickle.dumps(event))
        assert (type(again), again.version, again.question) == (type(event), event.version, None)
    assert pickle.loads(pickle.dumps(snapshot)) == attrs.evolve(snapshot, pending=())


def test_the_words_of_the_package_stay_the_same_objects() -> None:
    """Ours: handlers compare them by identity."""
    for word in (acp.DENY, acp.CANCEL, acp.ALLOW, acp.LATER, acp.DECLINE, UNSET):
        assert pickle.loads(pickle.dumps(word)) is word
        assert copy.deepcopy(word) is word


def comparable(value: Any) -> Any:
    """Errors compare by identity, everything else by value."""
    if isinstance(value, acp.TurnResult):
        return attrs.evolve(value, error=None), str(value.error), vars(value.error)
    if isinstance(value, acp.TurnEnded):
        return value.version, comparable(value.result)
    if isinstance(value, testing.Faults):
        return attrs.asdict(value, filter=attrs.filters.exclude("cause")), str(value.cause)
    return value
