"""Turns in a notebook, without a kernel: what is shown, who is asked, what an interrupt does."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import Any

import pytest

pytest.importorskip("IPython", reason="pip install 'acp-client-sdk[jupyter]'")

from IPython.core.error import StdinNotImplementedError

from acp_client import ConnectionLost, Host, NotSupported, UsageError, Verdict, allow_all
from acp_client.blocking import LoopThread
from acp_client.host import PermissionReply
from acp_client.jupyter import Notebook, asking, buttons, interruptible, ticking
from acp_client.jupyter import live as live_module
from acp_client.policy.questions import PendingPermission
from acp_client.testing import ScriptedAgent
from tests.blocking.kit import interrupt_main
from tests.jupyter.conftest import Desk, Display

MENU = [
    {"optionId": "a", "name": "Plan A", "kind": "allow_once"},
    {"optionId": "b", "name": "Plan B", "kind": "allow_once"},
]


def test_ask_shows_the_turn_once_and_returns_its_result(desk: Desk) -> None:
    """Ours: one display, replaced while the turn runs."""
    desk.plays(text="forty-two")
    assert desk.nb.ask("?").text == "forty-two"
    (display,) = desk.displays
    assert display.text == "> ?\nforty-two\nended: end_turn"
    assert set(display.shown[-1]) == {"text/plain", "text/markdown", "text/html"}


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [(["1"], "allow"), (["2"], "allow-always"), ([""], "reject"), (["7", "yes", "3"], "reject")],
)
def test_a_waiting_cell_asks_until_it_has_an_answer(desk: Desk, typed: list[Any], chosen: str) -> None:
    """Ours: by number; nothing is no, and nonsense is asked again."""
    desk.person.answers = typed
    desk.plays(asks=True)
    desk.nb.ask("go")
    answer = next(m for m in desk.agent.written if "result" in m)
    assert answer["result"]["outcome"]["optionId"] == chosen
    assert "Edit a file" in desk.person.questions[0]
    assert "1 = Allow, 2 = Always allow, 3 = Reject, empty = no" in desk.person.questions[0]


@pytest.mark.parametrize("nobody", [EOFError(), StdinNotImplementedError()], ids=["no stdin", "no front end"])
def test_where_nobody_answers_the_answer_is_no(desk: Desk, nobody: Exception) -> None:
    """Ours: silence approves nothing."""
    desk.person.answers = [nobody]
    live = desk.start()
    request_id = desk.ask()
    desk.finishes_when_answered(request_id)
    live.wait()
    assert desk.answer_to(request_id) == "reject"


@pytest.mark.parametrize(
    ("verdict", "options", "chosen"),
    [
        (Verdict.ALLOW, None, "allow"),
        (Verdict.DENY, None, "reject"),
        (Verdict.CANCEL, None, "cancelled"),
        (Verdict.ASK, None, "reject"),
        (Verdict.ALLOW, MENU, "cancelled"),
    ],
)
def test_a_policy_decides_where_nobody_is(desk: Desk, verdict: Verdict, options: Any, chosen: str) -> None:
    """Ours: no opinion is no, and so is a yes to several things at once."""
    live = desk.start()
    request_id = desk.ask(options=options)
    (question,) = live.pending
    assert isinstance(question, PendingPermission)
    asking.decide(question, lambda question: verdict)
    assert desk.answer_to(request_id) == chosen


def test_a_question_that_ends_while_it_is_typed_asks_no_further(desk: Desk) -> None:
    """Ours: the turn was cancelled elsewhere; what is typed then is for nobody."""
    live = desk.start()
    request_id = desk.ask()

    def cancelled_meanwhile() -> str:
        live.cancel()
        return "nonsense"

    desk.person.answers = [cancelled_meanwhile]
    desk.stops_when_told()
    assert live.wait().stop_reason == "cancelled"
    assert desk.answer_to(request_id) == "cancelled"
    assert len(desk.person.questions) == 1


def test_an_interrupt_at_the_question_cancels_and_goes_through(desk: Desk) -> None:
    """Ours: as the Stop button of the notebook; the next turn works."""
    desk.person.answers = [KeyboardInterrupt()]
    live = desk.start()
    request_id = desk.ask()
    desk.stops_when_told()
    with pytest.raises(KeyboardInterrupt):
        live.wait()
    assert desk.answer_to(request_id) == "cancelled"
    assert desk.displays[0].text.endswith("ended: cancelled")
    desk.plays()
    assert desk.nb.ask("again").text == "hello"


def test_an_interrupt_reaches_a_cell_that_blocks_whatever_the_kernel_makes_of_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H7: in a cell with an `await` somewhere, the handler of the kernel does nothing until the cell lets it."""
    ignored: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: ignored.append(number))

    update = Display.update

    def painted(display: Display, view: Any) -> None:
        update(display, view)
        if not desk.written("session/cancel"):
            interrupt_main()

    desk.stops_when_told()
    try:
        monkeypatch.setattr(Display, "update", painted)
        with pytest.raises(KeyboardInterrupt):
            desk.nb.ask("go")
        assert desk.displays[0].text.endswith("ended: cancelled")
        interrupt_main()
        assert ignored == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_turn_that_cannot_be_shown_is_cancelled(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: nobody would hold it, and the next prompt would find the session busy."""

    def display(value: Any, **options: Any) -> Display:
        raise KeyboardInterrupt

    monkeypatch.setattr("IPython.display.display", display)
    with pytest.raises(KeyboardInterrupt):
        desk.start()
    desk.thread.run(desk.agent.next("session/cancel"))


@pytest.mark.parametrize("way", ["blocking", "awaiting"])
async def test_a_cell_without_a_grace_still_waits_a_bounded_time(
    desk: Desk, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: `grace=None` is for agents that are slow to stop; the notebook must not hang on them."""
    monkeypatch.setattr(live_module, "CANCEL_GRACE", 0.01)
    agent = desk.do(lambda: ScriptedAgent(protocol=1))
    with Notebook(agent.transport, grace=None, thread=desk.thread) as nb:
        turn = nb.start("go")
        if way == "blocking":
            monkeypatch.setattr(turn, "_answer_here", interrupt_main)
            with pytest.raises(KeyboardInterrupt):
                turn.wait()
        else:
            await turn._cancel_in_cell()
        desk.thread.run(agent.next("session/cancel"))
        assert not turn.done


async def test_awaiting_asks_as_well_and_returns_the_result(desk: Desk) -> None:
    """Ours: on the thread of the cell."""
    threads: list[int] = []

    def answer() -> str:
        threads.append(threading.get_ident())
        return "1"

    desk.person.answers = [answer]
    desk.plays(asks=True, text="done")
    live = desk.start()
    assert (await live).text == "done"
    assert live.result.text == "done"
    assert threads == [threading.get_ident()]
    await asyncio.sleep(0)


async def test_cancelling_the_cell_cancels_the_turn_and_waits_for_its_end(desk: Desk) -> None:
    """Ours: an interrupt of an asynchronous cell is a cancellation."""
    live = desk.start()
    desk.stops_when_told()
    awaiting = asyncio.ensure_future(live._wait_in_cell(asks_here=True))
    await asyncio.sleep(0)
    awaiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await awaiting
    assert live.done
    assert live.result.cancel == "confirmed"
    assert desk.displays[0].text.endswith("ended: cancelled")


async def test_a_turn_is_repainted_while_its_cell_has_returned(desk: Desk) -> None:
    """Ours: by a task on the loop of the kernel, into the same display."""
    live = desk.start()
    desk.chunk("begin")
    following = live._following
    assert following is not None

    await desk.displays[0].until("begin")
    desk.ask()
    await desk.displays[0].until(".allow()")
    desk.finish()
    await following
    assert desk.displays[0].text.endswith("ended: end_turn")
    assert len(desk.displays) == 1


def test_a_turn_is_answered_by_name(desk: Desk) -> None:
    """Ours: where there are no buttons; a wrong name says which there are."""
    live = desk.start()
    assert (live.allow(), live.deny(), live.answer("x")) == (False, False, False)
    first, second, third = desk.ask("t1"), desk.ask("t2"), desk.ask("t3")
    with pytest.raises(UsageError, match="Always allow"):
        live.answer("Perhaps")
    assert live.answer("Always allow")
    assert live.allow()
    assert live.deny()
    assert [desk.answer_to(request_id) for request_id in (first, second, third)] == ["allow-always", "allow", "reject"]


def test_a_lost_connection_is_shown_and_raised(desk: Desk) -> None:
    """Ours: the cell says what happened."""
    live = desk.start()
    desk.do(lambda: desk.agent.close(ConnectionLost("gone")))
    with pytest.raises(ConnectionLost):
        live.wait()
    assert "failed: gone" in desk.displays[0].text
    assert "failed" in repr(live)


async def test_waiting_for_the_cancel_ends_with_the_connection(desk: Desk) -> None:
    """Ours: an interrupt of a cell never waits for an agent that is gone."""
    live = desk.start()
    desk.nb.close()
    await live._cancel_in_cell()
    assert live.done


def test_the_cell_that_started_a_turn_does_not_show_it_twice(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: `nb.start(...)` as the last line of a cell returns what is shown already; a later cell shows it again."""
    live = desk.start()
    live._ipython_display_()
    assert len(desk.displays) == 1
    live._cell = 17
    live._ipython_display_()
    assert len(desk.displays) == 2
    assert set(live._repr_mimebundle_(include={"text/html"})) == {"text/html"}


def test_the_interrupt_handler_is_put_back(desk: Desk) -> None:
    """Ours: no signal handler of ours stays; other threads have none to begin with."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible():
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        elsewhere: list[Any] = []

        def look() -> None:
            with interruptible():
                elsewhere.append(signal.getsignal(signal.SIGINT))

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert elsewhere == [signal.SIG_IGN]
    finally:
        signal.signal(signal.SIGINT, before)


async def test_ticking_returns_raises_and_cancels() -> None:
    """H7: it is the work itself, made interruptible."""

    async def value() -> int:
        return 42

    async def fail() -> None:
        raise KeyError("x")

    assert await ticking(value()) == 42
    with pytest.raises(KeyError):
        await ticking(fail())
    never = asyncio.get_running_loop().create_future()
    waiting = asyncio.ensure_future(ticking(never))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert never.cancelled()


# buttons


@pytest.fixture
def widgets(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Widgets that live without a kernel."""
    module = pytest.importorskip("ipywidgets", reason="pip install 'acp-client-sdk[jupyter]'")
    monkeypatch.setattr(buttons, "available", lambda: True)
    return module


async def test_buttons_follow_the_open_questions(desk: Desk, widgets: Any) -> None:
    """Ours: Stop is always there, the options while something is asked; a click answers."""
    live = desk.start()
    row = live._buttons
    assert row is not None
    assert "application/vnd.jupyter.widget-view+json" in desk.displays[0].shown[0]

    def labels() -> list[str]:
        return [button.description for button in row._row.children]

    request_id = desk.ask()
    live._paint()
    assert labels() == ["Allow", "Always allow", "Reject", "Stop"]
    assert "Edit a file" in row._text.value
    row._row.children[0].click()
    assert desk.answer_to(request_id) == "allow"
    live._paint()
    assert labels() == ["Stop"]
    desk.chunk("more")
    live._paint()
    assert "more" in row._text.value
    desk.stops_when_told()
    row._row.children[0].click()
    await live.with_buttons()
    assert live.result.stop_reason == "cancelled"
    assert live._buttons is None
    assert "application/vnd.jupyter.widget-view+json" not in desk.displays[0].shown[-1]
    await live  # once more, after the end


async def test_awaiting_takes_the_buttons_away(desk: Desk, widgets: Any) -> None:
    """Ours: never buttons and `input()` together, where a click could not be delivered."""
    desk.person.answers = ["3"]
    live = desk.start()
    request_id = desk.ask()
    live._paint()
    desk.finishes_when_answered(request_id)
    await live
    assert live._buttons is None
    assert desk.answer_to(request_id) == "reject"


def test_there_are_no_buttons_outside_of_a_kernel() -> None:
    """Ours: a terminal has none."""
    assert not buttons.in_kernel()
    assert not buttons.available()


def test_a_terminal_is_shown_questions_and_the_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: it cannot replace what it has printed, so it is not flooded; what is to be allowed is seen before."""
    monkeypatch.setattr(buttons, "in_kernel", lambda: False)
    desk.person.answers = ["1"]
    live = desk.start()
    (display,) = desk.displays
    desk.chunk("begin")
    live._paint()
    assert len(display.shown) == 1
    desk.finishes_when_answered(desk.ask())
    live.wait()
    assert "Edit a file" in display.shown[1]["text/plain"]
    assert display.text.endswith("ended: end_turn")


# the notebook itself


def test_a_notebook_resumes_a_session_and_shows_it(desk: Desk) -> None:
    """Ours: what was said before is there, where the agent can tell it."""
    desk.plays(text="before")
    desk.nb.ask("?")
    assert "before" in desk.nb._repr_mimebundle_()["text/html"]
    assert "s1" in repr(desk.nb)
    agent = desk.do(lambda: ScriptedAgent(protocol=1))
    agent.answers["session/load"] = lambda params: {}
    with Notebook(agent.transport, resume=desk.nb.session.ref, thread=desk.thread) as again:
        assert again.session.id == "s1"


def test_a_session_that_cannot_be_opened_leaves_no_agent() -> None:
    """Ours: whatever happens, nothing is left behind."""
    thread = LoopThread.start()
    agent = thread.call(lambda: ScriptedAgent(protocol=1))
    ref_agent = thread.call(lambda: ScriptedAgent(protocol=1, capabilities={}))
    with Notebook(agent.transport, thread=thread) as nb, pytest.raises(NotSupported):
        Notebook(ref_agent.transport, resume=nb.session.ref, thread=thread)
    assert ref_agent.closed
    thread.close()


def test_the_hosts_files_are_served_and_its_dialogs_are_not(desk: Desk) -> None:
    """Ours: in a notebook the person answers where the turn is shown."""

    class Mine(Host):
        def request_permission(self, question: PendingPermission) -> PermissionReply:
            raise AssertionError("not asked")

        def read_text_file(self, request: Any) -> str:
            return "text"

    agent = desk.do(lambda: ScriptedAgent(protocol=1))
    with Notebook(agent.transport, Mine(), permissions=allow_all, thread=desk.thread) as nb:
        file = desk.do(lambda: agent.request("fs/read_text_file", {"sessionId": nb.session.id, "path": "/a"}))
        assert desk.thread.run(agent.answer_to(file))["result"] == {"content": "text"}
        asked = desk.do(lambda: agent.ask_permission(nb.session.id))
        assert desk.thread.run(agent.answer_to(asked))["result"]["outcome"]["optionId"] == "allow"
