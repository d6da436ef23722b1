"""Notebooks for real: three kernels that treat clicks and interrupts differently, played through their own protocol."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from integration.hosts.install import PROJECT, python_of
from integration.hosts.kernels import BOUND, VERSIONS, Cell, Kernel, write_spec
from integration.hosts.needs import need_environment, need_module

DEMO = "sys.executable, '-m', 'acp_client.testing.demo_agent'"
SILENT = f"({DEMO}, '--step', '60')"
"""A demo agent that says nothing for a minute: nothing it does can wake the kernel's loop."""

ASYNCHRONOUS = "import asyncio; await asyncio.sleep(0)"
"""Makes a cell one in which kernels do not raise `KeyboardInterrupt`."""

SAY = "lambda event: print('begun')"

CANCEL_BOUND = 1.0
"""Seconds from an interrupt to the end of the cell."""


@pytest.fixture
def kernel(running_kernel: Kernel) -> Iterator[Kernel]:
    """A kernel with a fresh `nb`, which is closed behind the test, together with its agent."""
    running_kernel.run(
        "import sys\n"
        "from acp_client import allow_all\n"
        "from acp_client.jupyter import Notebook, SessionView, interruptible, ticking\n"
        f"nb = Notebook(({DEMO}))"
    )
    yield running_kernel
    running_kernel.settle()
    running_kernel.run("nb.close()")
    running_kernel.until(lambda: not running_kernel.comms)  # no test clicks the buttons of another


def plain(cell: Cell) -> str:
    """What the only display of a cell says in plain text."""
    assert len(cell.displays) == 1, cell.displays
    return cell.displays[0]["text/plain"]


def ended(kernel: Kernel, cell: Cell) -> str:
    """Wait until the turn that a cell shows has ended, and return what it shows."""
    kernel.until(lambda: "ended:" in plain(cell))
    return plain(cell)


def interrupted(kernel: Kernel, cell: Cell) -> float:
    """Interrupt a cell, and return how long it then took to end."""
    begun = time.monotonic()
    kernel.interrupt()
    kernel.end(cell)
    return time.monotonic() - begun


# a turn in the background, and clicks


@pytest.mark.parametrize(("label", "outcome"), [("Allow once", "was changed"), ("Reject", "was left alone")])
def test_a_click_answers_a_turn_whose_cell_has_returned(kernel: Kernel, label: str, outcome: str) -> None:
    """H7: the recommended form: it works in every kernel."""
    cell = kernel.run("turn = nb.start('use a tool')")
    kernel.click(label)
    assert outcome in ended(kernel, cell)
    assert kernel.run("print(turn.result.stop_reason)").text == "end_turn\n"


@pytest.mark.parametrize(("prompt", "button"), [("use a tool", "Allow once"), ("slow", "Stop")])
def test_a_click_on_stop_cancels_and_shows_it(
    kernel: Kernel, prompt: str, button: str, measured: Callable[[str, float], None]
) -> None:
    """H7: while a question is open, of which nothing is approved by it, and in mid-turn."""
    cell = kernel.run(f"turn = nb.start({prompt!r})")
    kernel.button(button)
    begun = time.monotonic()
    kernel.click("Stop")
    assert "ended: cancelled" in ended(kernel, cell)
    measured("seconds from the click on Stop to the cancelled turn on display", time.monotonic() - begun)
    assert kernel.run("print(turn.result.cancel, turn.result.open_tool_calls)").text == "confirmed ()\n"


def test_nothing_of_an_ended_turn_is_left_in_the_kernel(kernel: Kernel) -> None:
    """Ours: widgets are closed with all that was made for them."""
    cell = kernel.run("turn = nb.start('use a tool')")
    kernel.click("Reject")
    ended(kernel, cell)
    assert kernel.until(lambda: not kernel.comms, seconds=5), list(kernel.comms.values())


def test_cells_run_while_a_turn_goes_on_in_the_background(kernel: Kernel) -> None:
    """Ours: also one that blocks the kernel's loop, which the connection is not on."""
    cell = kernel.run("turn = nb.start('slow=20')")
    kernel.run("import threading\nwhile not turn.done: threading.Event().wait(0.05)")
    assert "ended: end_turn" in ended(kernel, cell)


CLICKS = {
    ("6.31.0", "awaiting", "main"): False,
    ("6.31.0", "blocking", "main"): False,
    ("7.3.0", "awaiting", "main"): False,
    ("7.3.0", "awaiting", "subshell"): True,
    ("7.3.0", "blocking", "main"): False,
    ("7.3.0", "blocking", "subshell"): True,
    ("7.4.0", "awaiting", "main"): True,
    ("7.4.0", "awaiting", "subshell"): True,
    ("7.4.0", "blocking", "main"): False,
    ("7.4.0", "blocking", "subshell"): False,
}
"""Whether a click arrives while a cell runs. A kernel that changes this should be noticed, see `with_buttons`."""

RUNNING = {
    "awaiting": ("result = await nb.start('use a tool').with_buttons()", "Allow once"),
    # Stop is there from the beginning; other buttons would be made by the loop that is blocked.
    "blocking": ("import threading\nturn = nb.start('slow')\nwhile not turn.done: threading.Event().wait(.05)", "Stop"),
}
"""Code of a cell that runs on until a button was clicked, and which one."""


@pytest.mark.parametrize("shell", ["main", "subshell"])
@pytest.mark.parametrize("cell_is", RUNNING)
def test_whether_a_click_arrives_while_a_cell_runs_depends_on_the_kernel(
    kernel: Kernel, cell_is: str, shell: str
) -> None:
    """H7: the matrix as it is; `with_buttons` is only for kernels where it says yes."""
    expected = CLICKS.get((kernel.version, cell_is, shell))
    if expected is None:
        pytest.skip(f"ipykernel {kernel.version} has no subshells")
    subshell = kernel.subshell() if shell == "subshell" else None
    code, label = RUNNING[cell_is]
    cell = kernel.begin(code)
    kernel.click(label, subshell)
    assert kernel.until(lambda: cell.done, seconds=BOUND / 2 if expected else 1.5) is expected
    if not expected:
        kernel.interrupt()
        kernel.end(cell)
    kernel.run("pass")


def test_a_click_in_a_subshell_answers_a_turn_whose_cell_has_returned(kernel: Kernel) -> None:
    """H7: the recommended form, from front ends that give each kind of widget a subshell."""
    if kernel.version.startswith("6."):
        pytest.skip(f"ipykernel {kernel.version} has no subshells")
    cell = kernel.run("turn = nb.start('use a tool')")
    kernel.click("Allow once", kernel.subshell())
    assert "was changed" in ended(kernel, cell)


# interrupts


WIDGET = "application/vnd.jupyter.widget-view+json"


def said(cell: Cell) -> bool:
    """Whether a cell has printed that it begins."""
    return "begun" in cell.text


def shown(cell: Cell) -> bool:
    """Whether a cell shows a running turn."""
    return any("running" in display["text/markdown"] for display in cell.displays)


def shown_plain(cell: Cell) -> bool:
    """Whether a cell shows one without buttons, which are taken away where it begins to wait."""
    return shown(cell) and all(WIDGET not in display for display in cell.displays)


WAITS = {
    "await": ("await nb.start('slow')", "CancelledError", shown_plain),
    "await with buttons": ("await nb.start('slow').with_buttons()", "CancelledError", shown),
    "ask": ("nb.ask('slow')", "KeyboardInterrupt", shown_plain),
    "wait": ("turn = nb.start('slow'); turn.wait()", "KeyboardInterrupt", shown_plain),
    "ask in an asynchronous cell": (f"{ASYNCHRONOUS}; nb.ask('slow')", "KeyboardInterrupt", shown_plain),
    "blocking facade": (f"nb.session.ask('slow', on_event={SAY})", "KeyboardInterrupt", said),
    "blocking facade in an asynchronous cell": (
        f"{ASYNCHRONOUS}\nwith interruptible(): nb.session.ask('slow', on_event={SAY})",
        "KeyboardInterrupt",
        said,
    ),
}
"""Code of a cell that waits for a turn, what an interrupt raises in it, and what shows that it waits."""


def waits(kernel: Kernel, code: str, sign: Callable[[Cell], bool]) -> Cell:
    """Begin a cell that waits, and return it when it does."""
    cell = kernel.begin(code)
    kernel.until(lambda: sign(cell))
    return cell


def interrupted_in_time(kernel: Kernel, cell: Cell, error: str, measured: Callable[[str, float], None]) -> bool:
    """Interrupt a cell, and say whether it ended in time."""
    seconds = interrupted(kernel, cell)
    measured(f"seconds from the interrupt to the end of the cell, {error}", seconds)
    assert error in cell.error
    return seconds < CANCEL_BOUND


@pytest.mark.parametrize("way", WAITS)
def test_an_interrupt_of_an_idle_cell_cancels_the_turn_within_a_second(
    kernel: Kernel, way: str, measured: Callable[[str, float], None]
) -> None:
    """H7, HE-07: the agent is silent, so nothing but the tick wakes the kernel; then the next prompt works."""
    code, error, sign = WAITS[way]
    kernel.run(f"talking, nb = nb, Notebook({SILENT})")

    def cancelled_in_time() -> bool:
        in_time = interrupted_in_time(kernel, waits(kernel, code, sign), error, measured)
        assert kernel.run("print(nb.session.state, nb.session.snapshot.stop_reason)").text == "idle cancelled\n"
        return in_time

    # Thrice: a busy machine may miss a second once, and a cell that hangs misses every one.
    assert any(cancelled_in_time() for _ in range(3))
    kernel.run("nb.close(); nb = talking; assert nb.ask('hello').stop_reason == 'end_turn'")


def test_an_interrupt_reaches_the_asyncio_facade_through_ticking(
    kernel: Kernel, measured: Callable[[str, float], None]
) -> None:
    """H7: for notebooks that use the asyncio façade on the kernel's own loop."""
    kernel.run(
        "from acp_client import Client\n"
        f"client = await Client.connect({SILENT})\n"
        "session = await client.new_session('/tmp')"
    )
    code = "turn = session.prompt('slow'); print('begun'); await ticking(turn.wait())"

    def cancelled_in_time() -> bool:
        in_time = interrupted_in_time(kernel, waits(kernel, code, said), "CancelledError", measured)
        kernel.run("await turn.cancel()")
        return in_time

    assert any(cancelled_in_time() for _ in range(3))
    kernel.run("await client.aclose()")


@pytest.mark.parametrize("first", ["", f"{ASYNCHRONOUS}; "], ids=["blocking cell", "asynchronous cell"])
def test_an_interrupt_ends_the_wait_for_an_agent_that_does_not_answer(kernel: Kernel, first: str) -> None:
    """H7: a launcher that downloads for minutes; connecting blocks, whatever else the cell does."""
    cell = waits(kernel, f"{first}print('begun'); Notebook(('sleep', '600'))", said)
    interrupted(kernel, cell)
    assert "KeyboardInterrupt" in cell.error
    kernel.run("assert nb.ask('hello').stop_reason == 'end_turn'")


# questions


@pytest.mark.parametrize("code", ["await nb.start('use a tool')", "nb.ask('use a tool')"], ids=["await", "ask"])
@pytest.mark.parametrize(("typed", "outcome"), [("1", "was changed"), ("", "was left alone"), ("3", "was left alone")])
def test_a_cell_that_waits_asks_by_input(kernel: Kernel, code: str, typed: str, outcome: str) -> None:
    """H7: on the main thread, with the diff shown before."""
    cell = kernel.begin(f"result = {code}")
    question = kernel.question(cell)
    assert "Edit greeting.txt?" in question
    assert "1 = Allow once" in question
    assert "hello, world" in cell.displays[0]["text/html"]
    kernel.type(typed)
    kernel.end(cell)
    assert cell.status == "ok"
    assert outcome in plain(cell)


@pytest.mark.parametrize("code", ["await nb.start('use a tool')", "nb.ask('use a tool')"], ids=["await", "ask"])
def test_an_interrupt_at_the_question_cancels_and_the_next_question_works(kernel: Kernel, code: str) -> None:
    """H7: nothing is approved, and no parked thread takes the answer to the next question."""
    cell = kernel.begin(f"result = {code}")
    kernel.question(cell)
    assert interrupted(kernel, cell) < CANCEL_BOUND
    assert "KeyboardInterrupt" in cell.error
    assert "ended: cancelled" in plain(cell)
    again = kernel.begin("answer = input('still there? ')")
    assert kernel.question(again) == "still there? "
    kernel.type("yes")
    kernel.end(again)
    assert kernel.run("print(answer)").text == "yes\n"
    asked = kernel.begin(f"result = {code}")
    kernel.question(asked)
    kernel.type("1")
    assert "was changed" in plain(kernel.end(asked))


def test_the_turn_of_an_earlier_cell_is_waited_for_with_input(kernel: Kernel) -> None:
    """H7, hosts C5: after "run all" a button would be waited for in vain."""
    cell = kernel.run("turn = nb.start('use a tool')")
    later = kernel.begin("turn.wait()")
    kernel.question(later)
    kernel.type("1")
    kernel.end(later)
    assert "was changed" in ended(kernel, cell)


@pytest.mark.parametrize(
    ("unattended", "outcome"),
    [("", "was left alone"), (", unattended=allow_all", "was changed")],
    ids=["deny by default", "allow by policy"],
)
@pytest.mark.parametrize("code", ["await nb.start('use a tool')", "nb.ask('use a tool')"], ids=["await", "ask"])
def test_where_nobody_can_be_asked_the_policy_decides(kernel: Kernel, code: str, unattended: str, outcome: str) -> None:
    """H7: no stdin: never an approval that nobody declared."""
    kernel.run(f"nb.close(); nb = Notebook(({DEMO}){unattended})")
    cell = kernel.begin(code, stdin=False)
    kernel.end(cell)
    assert cell.status == "ok"
    assert outcome in cell.displays[0]["text/plain"]


def test_without_widgets_a_background_turn_is_answered_by_name(kernel: Kernel) -> None:
    """Ours: ipywidgets is optional; the view says how to answer."""
    kernel.run("sys.modules['ipywidgets'] = None")
    try:
        cell = kernel.run("turn = nb.start('use a tool')")
        kernel.until(lambda: ".allow()" in plain(cell))
        assert WIDGET not in cell.displays[0]
        assert kernel.run("print(turn.answer('Allow once'), turn.allow(), turn.deny())").text == "True False False\n"
        assert "was changed" in ended(kernel, cell)
    finally:
        kernel.run("del sys.modules['ipywidgets']")


def test_the_kernel_keeps_its_own_interrupt_handler(kernel: Kernel) -> None:
    """Ours: what is put in its place around `input()` is taken away again."""
    before = kernel.run("import signal; print(signal.getsignal(signal.SIGINT))").text
    cell = kernel.begin("await nb.start('use a tool')")
    kernel.question(cell)
    kernel.type("1")
    kernel.end(cell)
    assert kernel.run("import signal; print(signal.getsignal(signal.SIGINT))").text == before


# what is saved


def executed(folder: Path, version: str, *cells: str, **options: Any) -> Any:
    """Run a notebook headless in a process of its own, and return it as it was saved."""
    import nbformat

    path = folder / "saved.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]), path)
    command = [sys.executable, "-m", "integration.hosts.run_notebook", str(path), str(write_spec(version, folder))]
    run = subprocess.run(
        [*command, json.dumps(options)], cwd=PROJECT, capture_output=True, text=True, timeout=BOUND, check=False
    )
    assert run.returncode == 0, run.stderr
    return nbformat.read(path, as_version=4)


@pytest.fixture(params=VERSIONS, ids=[f"ipykernel-{version}" for version in VERSIONS])
def version(request: pytest.FixtureRequest) -> str:
    """Each kernel version in turn."""
    need_module("nbclient", "nbclient")
    need_environment(f"kernel-{request.param}")
    value: str = request.param
    return value


def test_a_saved_notebook_holds_one_display_per_turn_and_no_prints(version: str, tmp_path: Path) -> None:
    """H8: whatever ran in the background, the cell that began the turn holds all of it, readable without us."""
    saved = executed(
        tmp_path,
        version,
        "import sys\nfrom acp_client.jupyter import Notebook\n"
        f"nb = Notebook(({DEMO}))\nturn = nb.start('hello plan')\nprint('returned')",
        "await turn._following",
        "result = nb.ask('use a tool')",
        "nb",
        "nb.close()",
    )
    background, waiting, asked, session, _ = [cell.outputs for cell in saved.cells]
    assert [output.output_type for output in background].count("display_data") == 1
    assert [output.text for output in background if output.output_type == "stream"] == ["returned\n"]
    assert waiting == []
    for outputs, text in ((background, "demo agent"), (asked, "was left alone"), (session, "demo agent")):
        (bundle,) = [output.data for output in outputs if output.output_type != "stream"]
        assert set(bundle) == {"text/plain", "text/markdown", "text/html"}
        assert all(text in bundle[kind] for kind in bundle)
        assert "<script" not in bundle["text/html"]


@pytest.mark.parametrize("code", ["await nb.start('slow')", "nb.ask('slow')"], ids=["await", "ask"])
def test_a_cell_that_runs_out_of_time_cancels_its_turn(version: str, code: str, tmp_path: Path) -> None:
    """H7: `interrupt_on_timeout` reaches the agent as `session/cancel`, and the notebook goes on."""
    log = tmp_path / "log"
    agent = f"('sh', '-c', f'tee {log} | {{sys.executable}} -m acp_client.testing.demo_agent --step 60')"
    saved = executed(
        tmp_path,
        version,
        f"import sys\nfrom acp_client.jupyter import Notebook\nnb = Notebook({agent})",
        code,
        "print(nb.session.snapshot.stop_reason); nb.close()",
        timeout=2,
        interrupt_on_timeout=True,
        allow_errors=True,
    )
    assert saved.cells[2].outputs[-1].text == "cancelled\n"
    assert '"session/cancel"' in log.read_text()


def test_the_notebook_of_the_documentation_runs(version: str, tmp_path: Path) -> None:
    """Ours: what the page shows works as it stands, in every kernel."""
    import nbformat

    shown = nbformat.read(PROJECT / "docs" / "examples" / "notebook.ipynb", as_version=4)
    nbformat.validate(shown)
    code = [cell.source for cell in shown.cells if cell.cell_type == "code"]
    saved = executed(tmp_path, version, *code)
    assert not [output for cell in saved.cells for output in cell.outputs if output.output_type == "error"]


def test_the_installed_kernels_are_those_that_are_pinned(version: str) -> None:
    """Ours: the matrix above is about these versions."""
    code = "import ipykernel; print(ipykernel.__version__)"
    assert sys.executable != str(python_of(f"kernel-{version}"))
    found = subprocess.run(
        [str(python_of(f"kernel-{version}")), "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == version
