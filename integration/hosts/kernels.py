"""A real notebook kernel and a front end for it that a test can play: run cells, answer questions, click, interrupt.

Speaks the kernel's own protocol through `jupyter_client`, which delivers clicks as a browser does.
"""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from integration.hosts.install import PROJECT, python_of

VERSIONS = ("6.31.0", "7.3.0", "7.4.0")

BOUND = 20.0
"""Seconds within which everything that has to happen does; a kernel takes a second to start."""


@attrs.define
class Cell:
    """One execution: how it ended, and what it shows now."""

    msg_id: str
    status: str | None = None
    error: str = ""
    outputs: list[dict[str, Any]] = attrs.Factory(list)
    prompts: list[str] = attrs.Factory(list)
    """Questions of `input()` that nobody has answered."""
    idle: bool = False

    @property
    def done(self) -> bool:
        """Whether the kernel has answered and is idle again."""
        return self.status is not None and self.idle

    @property
    def text(self) -> str:
        """What it printed."""
        return "".join(output["text"] for output in self.outputs if output["type"] == "stream")

    @property
    def displays(self) -> list[dict[str, str]]:
        """The mime bundles it shows."""
        return [output["data"] for output in self.outputs if output["type"] != "stream"]


class Kernel:
    """One running kernel with its client."""

    def __init__(self, version: str, folder: Path) -> None:
        from jupyter_client.kernelspec import KernelSpecManager
        from jupyter_client.manager import KernelManager

        self.version = version
        specs = write_spec(version, folder)
        self.manager = KernelManager(
            kernel_name="tested", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(specs)])
        )
        self.manager.start_kernel(cwd=str(folder))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=BOUND)
        self.cells: dict[str, Cell] = {}
        self.comms: dict[str, dict[str, Any]] = {}
        self._shown: dict[str, list[dict[str, Any]]] = {}

    def close(self) -> None:
        """Shut the kernel down."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()

    # cells

    def begin(self, code: str, *, stdin: bool = True) -> Cell:
        """Run a cell, without waiting for its end."""
        cell = Cell(self.client.execute(code, allow_stdin=stdin))
        self.cells[cell.msg_id] = cell
        return cell

    def run(self, code: str, *, stdin: bool = True) -> Cell:
        """Run a cell to its end, which must be a good one."""
        cell = self.end(self.begin(code, stdin=stdin))
        assert cell.status == "ok", cell.error
        return cell

    def end(self, cell: Cell) -> Cell:
        """Wait for the end of a cell."""
        self.until(lambda: cell.done)
        return cell

    def settle(self) -> None:
        """End the cells that a failed test has left running, for those that follow."""
        for cell in self.cells.values():
            if not cell.done:
                self.interrupt()
                self.end(cell)

    def until(self, reached: Callable[[], bool], seconds: float = BOUND) -> bool:
        """Take messages until something is the case; False after `seconds` without a bound of its own."""
        end = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > end:
                if seconds == BOUND:
                    raise AssertionError(f"not within {BOUND} s; cells: {list(self.cells.values())[-3:]}")
                return False
            self._take_what_came()
        return True

    def _take_what_came(self) -> None:
        for channel in (self.client.stdin_channel, self.client.shell_channel):
            while channel.msg_ready():
                self._take(channel.get_msg(timeout=1))
        try:
            self._take(self.client.get_iopub_msg(timeout=0.01))
        except queue.Empty:
            return

    def _take(self, message: dict[str, Any]) -> None:
        kind, content = message["msg_type"], message["content"]
        cell = self.cells.get(message["parent_header"].get("msg_id", ""))
        if kind == "comm_open":
            self.comms[content["comm_id"]] = content["data"]["state"]
        elif kind == "comm_close":
            self.comms.pop(content["comm_id"], None)
        elif kind == "comm_msg" and content["data"].get("method") == "update":
            self.comms.get(content["comm_id"], {}).update(content["data"]["state"])
        elif kind == "update_display_data":
            for output in self._shown.get(content["transient"]["display_id"], []):
                output["data"] = content["data"]
        elif cell is not None:
            self._take_of_cell(cell, kind, content)

    def _take_of_cell(self, cell: Cell, kind: str, content: dict[str, Any]) -> None:
        if kind in ("stream", "display_data", "execute_result"):
            output = {"type": kind, "text": content.get("text", ""), "data": content.get("data", {})}
            cell.outputs.append(output)
            if display_id := content.get("transient", {}).get("display_id"):
                self._shown.setdefault(display_id, []).append(output)
        elif kind == "input_request":
            cell.prompts.append(content["prompt"])
        elif kind == "execute_reply":
            cell.status = content["status"]
            cell.error = "\n".join(content.get("traceback", ())) + content.get("ename", "")
        elif kind == "status":
            cell.idle = content["execution_state"] == "idle"

    # the person

    def question(self, cell: Cell) -> str:
        """Wait until `input()` asks something in a cell, and return what."""
        self.until(lambda: bool(cell.prompts))
        return cell.prompts.pop(0)

    def type(self, text: str) -> None:
        """Answer `input()`."""
        self.client.input(text)

    def interrupt(self) -> None:
        """Press the Stop button of the notebook."""
        self.manager.interrupt_kernel()

    def button(self, label: str) -> str:
        """Wait for a button and return the id of its comm."""
        self.until(lambda: bool(self._buttons(label)))
        return self._buttons(label)[-1]

    def _buttons(self, label: str) -> list[str]:
        return [
            comm_id
            for comm_id, state in self.comms.items()
            if state.get("_model_name") == "ButtonModel" and state.get("description") == label
        ]

    def click(self, label: str, subshell: str | None = None) -> None:
        """Click a button, in the main shell or in a subshell, where some front ends send clicks."""
        data = {"method": "custom", "content": {"event": "click"}}
        message = self.client.session.msg("comm_msg", {"comm_id": self.button(label), "data": data})
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)

    def subshell(self) -> str:
        """Open a subshell and return its id."""
        message = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(message)
        reply = self.client.control_channel.get_msg(timeout=BOUND)
        subshell_id: str = reply["content"]["subshell_id"]
        return subshell_id


def write_spec(version: str, folder: Path) -> Path:
    """Write the description of a kernel of that version, and return the folder to look for it in."""
    specs = folder / "specs"
    (specs / "tested").mkdir(parents=True, exist_ok=True)
    argv = [str(python_of(f"kernel-{version}")), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    # The working tree, whatever is installed.
    spec = {"argv": argv, "display_name": "tested", "language": "python", "env": {"PYTHONPATH": str(PROJECT)}}
    (specs / "tested" / "kernel.json").write_text(json.dumps(spec))
    return specs
