"""Notebooks for real: three kernels that treat clicks and interrupts differently, played through their own protocol."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from integration.hosts.install import PROJECT, python_of
from integration.hosts.kernels import BOUND, VERSIONS, Cell, Kernel, write_spec
from integration.hosts.needs import need_environment, need_module

DEMO = "sys.executable, '-m', 'acp_client.testing.demo_agent'"
SILENT = f"({DEMO}, '--step', '60')"
"""A demo agent that says nothing for a minute: nothing it does can wake the kernel's loop."""

CANCEL_BOUND = 1.0
"""Seconds from an interrupt to the end of the cell."""


@pytest.fixture
def kernel(running_kernel: Kernel) -> Iterator[Kernel]:
    """A kernel with a fresh `nb`, which is closed behind the test, together with its agent."""
    running_kernel.run(
        "import sys\n"
        "from acp_client import allow_all\n"
        "from acp_client.jupyter import Notebook, SessionView, ticking\n"
        f"nb = Notebook(({DEMO}))"
    )
    yield running_kernel
    running_kernel.run("nb.close()")


def plain(cell: Cell) -> str:
    """What the only display of a cell says in plain text."""
    assert len(cell.displays) == 1, cell.displays
    return cell.displays[0]["text/plain"]


def ended(kernel: Kernel, cell: Cell) -> str:
    """Wait until the turn that a cell shows has ended, and return what it shows."""
    kernel.until(lambda: "ended:" in plain(cell))
    return plain(cell)


def pause(kernel: Kernel, seconds: float) -> None:
    """Let a kernel become idle in the middle of a cell."""
    kernel.until(lambda: False, seconds)


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


def test_a_click_on_stop_cancels_and_shows_it(kernel: Kernel) -> None:
    """H7: also while a question is open; nothing is approved by it."""
    cell = kernel.run("turn = nb.start('use a tool')")
    kernel.button("Allow once")
    kernel.click("Stop")
    assert "ended: cancelled" in ended(kernel, cell)
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
    kernel.run("import time\nwhile not turn.done: time.sleep(0.05)")
    assert "ended: end_turn" in ended(kernel, cell)


AWAITED_CLICKS = {
    ("6.31.0", "main"): False,
    ("7.3.0", "main"): False,
    ("7.3.0", "subshell"): True,
    ("7.4.0", "main"): True,
    ("7.4.0", "subshell"): True,
}
"""Whether a click arrives while a cell awaits. A kernel that changes this should be noticed, see `with_buttons`."""


@pytest.mark.parametrize("shell", ["main", "subshell"])
def test_whether_a_click_arrives_while_a_cell_awaits_depends_on_the_kernel(kernel: Kernel, shell: str) -> None:
    """H7: the matrix as it is; `with_buttons` is only for kernels where it says yes."""
    expected = AWAITED_CLICKS.get((kernel.version, shell))
    if expected is None:
        pytest.skip(f"ipykernel {kernel.version} has no subshells")
    subshell = kernel.subshell() if shell == "subshell" else None
    cell = kernel.begin("result = await nb.start('use a tool').with_buttons()")
    kernel.click("Allow once", subshell)
    assert kernel.until(lambda: cell.done, seconds=10 if expected else 1.5) is expected
    if not expected:
        interrupted(kernel, cell)
    kernel.run("pass")


# interrupts


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("await nb.start('slow')", "CancelledError"),
        ("nb.ask('slow')", "KeyboardInterrupt"),
        ("turn = nb.start('slow'); turn.wait()", "KeyboardInterrupt"),
        ("session = nb.session; session.ask('slow')", "KeyboardInterrupt"),
    ],
    ids=["await", "ask", "wait", "blocking facade"],
)
def test_an_interrupt_of_an_idle_cell_cancels_the_turn_within_a_second(
    kernel: Kernel, code: str, error: str, record_property: Any
) -> None:
    """H7, HE-07: the agent is silent, so nothing but the tick wakes the kernel; then the next prompt works."""
    kernel.run(f"silent, nb = nb, Notebook({SILENT})")
    cell = kernel.begin(code)
    pause(kernel, 0.7)
    seconds = interrupted(kernel, cell)
    record_property("seconds", round(seconds, 3))
    assert error in cell.error
    assert seconds < CANCEL_BOUND
    assert kernel.run("print(nb.session.state, nb.session.snapshot.stop_reason)").text == "idle cancelled\n"
    kernel.run("nb.close(); nb = silent; assert nb.ask('hello').stop_reason == 'end_turn'")


def test_an_interrupt_reaches_the_asyncio_facade_through_ticking(kernel: Kernel) -> None:
    """H7: for notebooks that use the asyncio façade on the kernel's own loop."""
    kernel.run(
        "from acp_client import Client\n"
        f"client = await Client.connect({SILENT})\n"
        "session = await client.new_session('/tmp')"
    )
    cell = kernel.begin("await ticking(session.prompt('slow'))")
    pause(kernel, 0.7)
    assert interrupted(kernel, cell) < CANCEL_BOUND
    assert "CancelledError" in cell.error
    kernel.run("import asyncio\nwhile session.state != 'idle': await asyncio.sleep(0.05)\nawait client.aclose()")


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
        assert "application/vnd.jupyter.widget-view+json" not in cell.displays[0]
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
        "import asyncio\nwhile not turn.done: await asyncio.sleep(0.1)\nawait asyncio.sleep(0.3)",
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
