"""The Neovim plugin of the documentation, in the real editor, with the demo agent in both versions and real agents."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from integration.hosts.editor import PAGE, Editor
from integration.hosts.install import PROJECT
from integration.hosts.needs import need_environment, need_program
from integration.peers.agents import CLAUDE, GEMINI, Scene
from integration.peers.needs import need
from integration.peers.processes import processes_at, survivors

READER = f"{sys.executable} {Path(__file__).parent / 'reading_agent.py'}"


DEAF = f'{sys.executable} -c "import signal; signal.signal(15, 1); signal.pause()"'


def demo(*arguments: str) -> str:
    """The command line of a demo agent."""
    return " ".join((sys.executable, "-m", "acp_client.testing.demo_agent", *arguments))


@attrs.frozen
class Room:
    """Where a test works: a folder for files, and a way to open an editor in it."""

    work: Path
    home: Path
    open: Callable[..., Editor]

    def heard(self, agent: str) -> str:
        """The command line of an agent whose input is kept."""
        script = self.home / "agent.sh"
        script.write_text(f"tee -a {self.home}/log | {agent}\n")
        return f"sh {script}"

    def messages(self, method: str) -> list[Any]:
        """What such an agent was sent."""
        sent = [json.loads(line) for line in (self.home / "log").read_text().splitlines()]
        return [message["params"] for message in sent if message.get("method") == method]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A folder, and editors that are gone afterwards with all that they started."""
    nvim = need_program("nvim", "neovim")
    need_environment("neovim")
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    home.mkdir()
    opened: list[Editor] = []

    def open_editor(agent: str | None = None, env: Mapping[str, str] | None = None) -> Editor:
        opened.append(Editor(nvim, home, work, agent, {"PYTHONPATH": str(PROJECT), **(env or {})}))
        return opened[-1]

    yield Room(work, home, open_editor)
    for editor in opened:
        editor.close()
    assert survivors(home) == [], "the editor left processes behind"


@pytest.fixture(params=["1", "2"], ids=["v1", "v2"])
def editor(request: pytest.FixtureRequest, room: Room) -> Editor:
    """An editor with a demo agent of each version."""
    return room.open(demo("--protocol", request.param))


# prompts and answers


def test_an_answer_streams_into_the_agents_window(editor: Editor, room: Room) -> None:
    """H9: without taking the cursor out of the file."""
    (room.work / "a.txt").write_text("one\n")
    editor.command("edit a.txt")
    shown = editor.ask("hello   plan")
    assert "> hello   plan" in shown
    assert "- [x] Answer" in shown
    assert "demo agent" in shown
    assert editor.eval("expand('%:t')") == "a.txt"
    assert editor.eval("winnr('$')") == 2


def test_without_settings_the_demo_agent_answers(room: Room) -> None:
    """Ours: the plugin is tried before an agent is chosen."""
    assert "demo agent" in room.open().ask("hello")


def test_a_flood_of_text_arrives_whole_and_in_order(room: Room) -> None:
    """H3, H9: while the editor stays usable; what it cannot show in time is merged."""
    editor = room.open(demo("--step", "0"))
    shown = editor.ask("slow=2000")
    assert shown.partition("at work. ")[2].split() == [str(number) for number in range(2000)]


def test_who_reads_further_up_is_not_moved(room: Room) -> None:
    """Ours: a window whose cursor is at the end follows, any other stays."""
    editor = room.open()
    editor.ask("hello")
    editor.command("wincmd b")
    editor.command("normal! gg")
    editor.ask("hello again")
    assert editor.eval("line('.')") == 1
    editor.command("normal! G")
    editor.ask("and again")
    assert editor.eval("line('.') == line('$')") == 1


def test_a_closed_window_comes_back_with_all_that_was_said(room: Room) -> None:
    """Ours: whether it was hidden or its buffer deleted."""
    editor = room.open()
    editor.ask("first")
    editor.command("wincmd b")
    editor.command("close")
    assert "> first" in editor.ask("second")
    assert editor.eval("winnr('$')") == 2
    editor.command("bwipeout! acp://agent")
    shown = editor.ask("third")
    assert all(prompt in shown for prompt in ("> first", "> second", "> third"))


def test_a_prompt_into_a_running_turn_is_refused_in_words(room: Room) -> None:
    """Ours: nothing is queued behind a person's back."""
    editor = room.open()
    editor.command("AcpPrompt slow")
    editor.until(lambda: "0 1 2" in editor.lines())
    editor.command("AcpPrompt more")
    editor.until(lambda: "the agent is at work" in editor.command("messages"))
    assert "> more" not in editor.lines()


# what goes along


def test_the_lines_of_the_range_go_along_saved_or_not(room: Room) -> None:
    """Ours: version 2 agents get the text with the prompt."""
    editor = room.open(room.heard(demo("--protocol", "2")))
    (room.work / "b.txt").write_text("one\ntwo\nthree\n")
    editor.command("edit b.txt")
    editor.command("call setline(2, 'two, unsaved')")
    editor.command("2,3AcpPrompt what is this?")
    editor.until_status("end_turn")
    editor.ask("and all of it?")
    part, whole = (message["prompt"] for message in room.messages("session/prompt"))
    uri = (room.work / "b.txt").as_uri()
    assert [block["type"] for block in part] == ["text", "resource"]
    assert part[0]["text"] == "what is this?"
    assert part[1]["resource"] == {"uri": f"{uri}#L2-L3", "text": "two, unsaved\nthree"}
    assert whole[1]["resource"] == {"uri": uri, "text": "one\ntwo, unsaved\nthree"}


def test_a_selection_is_asked_about_by_keys(room: Room) -> None:
    """Ours: as typed: select, colon, the command."""
    editor = room.open(room.heard(demo("--protocol", "2")))
    editor.command("call setline(1, ['one', 'two', 'three'])")
    editor.keys("ggjVj:AcpPrompt what?<CR>")
    editor.until_status("end_turn")
    [sent] = room.messages("session/prompt")
    assert sent["prompt"][1]["resource"] == {"uri": "untitled:buffer-1#L2-L3", "text": "two\nthree"}


def test_an_agent_without_embedded_text_gets_a_link_or_the_lines(room: Room) -> None:
    """Ours: version 1 agents need not take resources; a link is enough where they can read the buffer."""
    editor = room.open(room.heard(READER))
    path = room.work / "b.txt"
    path.write_text("one\ntwo\n")
    editor.command("edit b.txt")
    editor.ask(f"read {path}")
    editor.command(f"2AcpPrompt read {path}")
    editor.until(lambda: len(room.messages("session/prompt")) == 2)
    editor.until_status("end_turn")
    whole, part = (message["prompt"][1] for message in room.messages("session/prompt"))
    assert (whole["type"], whole["uri"]) == ("resource_link", path.as_uri())
    assert part == {"type": "text", "text": f"{path}#L2-L2:\ntwo"}


def test_an_empty_buffer_and_the_agents_own_say_nothing(room: Room) -> None:
    """Ours: a prompt from there is only the prompt."""
    editor = room.open(room.heard(demo("--protocol", "2")))
    editor.ask("hello")
    editor.command("wincmd b")
    editor.ask("hello again")
    assert [len(message["prompt"]) for message in room.messages("session/prompt")] == [1, 1]


# permissions


def test_a_key_allows_what_is_shown_before(editor: Editor) -> None:
    """H9: the diff, then the choice by number in the agent's window."""
    shown = editor.ask("use a tool", "asks")
    assert shown.index("? Edit greeting.txt") < shown.index("+hello, world") < shown.index("[1] Allow once")
    assert shown.count("+hello, world") == 1
    editor.keys("<C-w>b1")
    editor.until_status("end_turn")
    assert "The file was changed." in editor.lines()
    assert "✔ Edit greeting.txt" in editor.lines()
    assert "[1] Allow once" not in editor.lines()
    assert editor.lines().count("+hello, world") == 1


def test_another_number_rejects(editor: Editor) -> None:
    """H9: by command as well; a number that is not offered does nothing."""
    editor.ask("use a tool", "asks")
    for wrong in "09x":
        editor.command(f"AcpAnswer {wrong}")
    editor.until(lambda: all(f"no option {wrong}" in editor.command("messages") for wrong in "09x"))
    assert editor.status == "acp: asks"
    editor.command("AcpAnswer 3")
    editor.until_status("end_turn")
    assert "The file was left alone." in editor.lines()


def test_one_question_is_shown_and_answered_at_a_time(editor: Editor) -> None:
    """Ours: a key never answers a question that nobody has seen."""
    editor.ask("perm2", "asks")
    assert editor.lines().count("[1] Allow once") == 1
    editor.command("AcpAnswer 1")
    editor.until(lambda: editor.lines().count("The file was changed.") == 1)
    editor.until(lambda: editor.lines().count("[1] Allow once") == 1)
    assert editor.status == "acp: asks"
    editor.command("AcpAnswer 3")
    editor.until_status("end_turn")
    assert "The file was left alone." in editor.lines()
    editor.command("AcpAnswer 1")
    editor.until(lambda: "nothing is asked" in editor.command("messages"))


# stopping


def test_stop_cancels_what_streams_and_what_asks(editor: Editor, measured: Callable[[str, float], None]) -> None:
    """H9: and then the next prompt works."""
    editor.command("AcpPrompt slow")
    editor.until(lambda: "0 1 2" in editor.lines())
    measured("seconds from :AcpStop to the agent's word that it has stopped", editor.clock("AcpStop", "cancelled"))
    editor.ask("use a tool", "asks")
    editor.command("AcpStop")
    editor.until_status("cancelled")
    assert "The file was changed." not in editor.lines()
    assert "[1] Allow once" not in editor.lines()
    editor.ask("hello again")


@pytest.mark.parametrize("version", ["1", "2"])
def test_an_agent_that_does_not_stop_is_closed(room: Room, version: str) -> None:
    """Ours: the status says that it was told; the next prompt begins anew."""
    editor = room.open(demo("--protocol", version, "--step", "0"))
    editor.command("AcpPrompt hang")
    editor.until(lambda: "at work" in editor.lines())
    editor.command("AcpStop")
    editor.until_status("stopping")
    editor.command("AcpClose")
    editor.until_status("closed")
    shown = editor.ask("hello")
    assert "hang" not in shown


def test_a_start_can_be_given_up(room: Room) -> None:
    """Ours: an agent that never answers does not hold up the next one."""
    editor = room.open("sleep 1000")
    editor.command("AcpPrompt hello")
    editor.until_status("starting")
    editor.command("AcpPrompt hello")
    editor.until(lambda: "still starting" in editor.command("messages"))
    editor.command("AcpClose")
    editor.until_status("closed")
    editor.command(f"let g:acp_agent = '{demo()}'")
    assert "demo agent" in editor.ask("hello")
    editor.kill()


# the end of the editor


def test_the_editor_quits_in_mid_turn_and_leaves_nothing(
    editor: Editor, measured: Callable[[str, float], None]
) -> None:
    """H1, H9: `:qa!` while it streams; the fixture looks for processes."""
    editor.command("AcpPrompt slow")
    editor.until(lambda: "0 1 2" in editor.lines())
    measured("seconds for :qa! in mid-turn", editor.quit())
    assert editor.process.returncode == 0


def test_the_editor_quits_while_a_question_is_open(room: Room) -> None:
    """H1, H9: and nothing was approved by that."""
    editor = room.open(room.heard(demo()))
    editor.ask("use a tool", "asks")
    editor.quit()
    assert '"selected"' not in (room.home / "log").read_text()


@pytest.mark.parametrize("end", [Editor.quit, Editor.kill], ids=["quits", "crashes"])
@pytest.mark.parametrize("deaf", ["sleep 1000", DEAF], ids=["no end of input", "no SIGTERM"])
def test_the_editor_ends_while_an_agent_starts(room: Room, deaf: str, end: Callable[[Editor], object]) -> None:
    """H1: also one that neither the end of its input nor SIGTERM ends."""
    script = room.home / "deaf.sh"
    script.write_text(deaf)
    editor = room.open(f"sh {script}")
    editor.command("AcpPrompt hello")
    editor.until_status("starting")
    editor.until(lambda: any("deaf" in command(pid) for pid in processes_at(room.home)))
    end(editor)


def command(pid: int) -> str:
    """The command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def test_an_editor_that_crashes_leaves_no_agent_behind(editor: Editor) -> None:
    """H1: the plugin's process ends with its editor, and the agent with that; the fixture looks."""
    editor.command("AcpPrompt slow")
    editor.until(lambda: "0 1 2" in editor.lines())
    editor.kill()


# what goes wrong


def test_an_agent_that_cannot_be_started_is_said(room: Room) -> None:
    """Ours: where the eye is, in the status line; and the right one is started the next time."""
    editor = room.open("no-such-agent --acp")
    editor.command("AcpPrompt hello")
    editor.until(lambda: "failed" in editor.status)
    assert "no-such-agent" in editor.status
    editor.command(f"let g:acp_agent = '{demo()}'")
    assert "demo agent" in editor.ask("hello")


def test_an_agent_that_dies_is_said_and_started_anew(editor: Editor) -> None:
    """Ours: what it had said stays in the window until then."""
    editor.command("AcpPrompt exit")
    editor.until(lambda: "failed" in editor.status)
    assert "status 3" in editor.status
    assert "demo agent" in editor.lines()
    shown = editor.ask("hello")
    assert "> exit" not in shown


def test_what_an_agent_refuses_is_said(editor: Editor) -> None:
    """Ours: an error of the turn is no error of the connection."""
    editor.command("AcpPrompt error")
    editor.until(lambda: "failed" in editor.status)
    assert "asked to fail" in editor.status
    assert "demo agent" in editor.ask("hello")


def test_a_mode_that_the_agent_does_not_have_is_said(room: Room) -> None:
    """Ours: a session that would ask less than was wanted is not begun."""
    editor = room.open()
    editor.command("let g:acp_mode = 'strict'")
    editor.command("AcpPrompt hello")
    editor.until(lambda: "failed" in editor.status)
    assert "strict" in editor.status
    editor.command("let g:acp_mode = 'auto'")
    assert "The file was changed." in editor.ask("use a tool")


# files, for agents of version 1


def test_unsaved_buffers_are_served_to_agents_that_ask(room: Room) -> None:
    """Ours: version 1 agents read what is on the screen, by lines; other files come from the disk."""
    editor = room.open(READER)
    path = room.work / "c.txt"
    path.write_text("on disk\n")
    editor.command("edit c.txt")
    editor.command("call setline(1, ['unsaved', 'second', 'third'])")
    assert "unsaved\\nsecond\\nthird\\n" in editor.ask(f"read {path}")
    editor.command("AcpClose")
    assert '{"content": "second\\n"}' in editor.ask(f"read {path} 2 1")
    (room.work / "d.txt").write_bytes("closed, \N{LINE SEPARATOR}ä\r\nnext".encode())
    editor.command("AcpClose")
    assert '{"content": "closed, \\u2028\\u00e4\\r\\nnext"}' in editor.ask(f"read {room.work / 'd.txt'} 1 2")
    editor.command("AcpClose")
    assert "-32002" in editor.ask(f"read {room.work / 'missing.txt'}")
    (room.work / "picture").write_bytes(b"\xff\xfe")
    editor.command("AcpClose")
    assert "-32603" in editor.ask(f"read {room.work / 'picture'}")


def test_files_elsewhere_are_served_only_when_they_are_open(room: Room) -> None:
    """Ours: links are resolved; what a person has opened is shown to the agent."""
    secret = room.home / "secret.txt"
    secret.write_text("secret\n")
    (room.work / "link.txt").symlink_to(secret)
    editor = room.open(READER)
    for path in (secret, room.work / "link.txt", "../home/secret.txt"):
        for what in (f"read {path}", f"write {path} changed"):
            shown = editor.ask(what)
            assert "-32602" in shown
            assert "only open files" in shown
            editor.command("AcpClose")
    assert secret.read_text() == "secret\n"
    editor.command(f"edit {secret}")
    assert '{"content": "secret\\n"}' in editor.ask(f"read {secret}")


def test_what_an_agent_writes_appears_in_its_buffer_and_on_disk(room: Room) -> None:
    """Ours: through the buffer where there is one, so that it can be undone, and only where it differs."""
    editor = room.open(READER)
    path = room.work / "e.txt"
    path.write_text("one\ntwo\nthree\nfour\n")
    editor.command("edit e.txt")
    editor.command("normal! G")
    editor.command("4mark a")
    editor.ask(f"write {path} one\\n2\\n2.5\\nthree\\nfour\\n")
    assert path.read_text() == "one\n2\n2.5\nthree\nfour\n"
    assert editor.lines("e.txt") == "one\n2\n2.5\nthree\nfour"
    assert editor.eval("getbufvar('e.txt', '&modified')") == 0
    assert editor.eval("[line(\"'a\"), line('.')]") == [5, 5]
    editor.command("undo")
    assert editor.lines("e.txt") == "one\ntwo\nthree\nfour"
    other = room.work / "new" / "f.txt"
    editor.command(f"AcpPrompt write {other} fresh\\r\\n")
    editor.until(other.exists)
    editor.until_status("end_turn")
    assert other.read_bytes() == b"fresh\\r\n"


@pytest.mark.parametrize("text", ["", "no end", "two\\nno end", "end\\n", "\\n\\n"])
def test_a_text_is_written_and_read_as_it_is(room: Room, text: str) -> None:
    """Ours: with or without a newline at its end, empty as well."""
    editor = room.open(READER)
    path = room.work / "g.txt"
    path.write_text("old\n")
    editor.command("edit g.txt")
    editor.ask(f"write {path} {text}")
    wanted = text.replace("\\n", "\n")
    assert path.read_text() == wanted
    editor.command("AcpClose")
    assert json.dumps({"content": wanted}) in editor.ask(f"read {path}")


def test_a_read_only_buffer_is_not_written(room: Room) -> None:
    """Ours: what a person views only is not changed behind their back."""
    editor = room.open(READER)
    path = room.work / "h.txt"
    path.write_text("old\n")
    editor.command("view h.txt")
    assert "-32603" in editor.ask(f"write {path} new")
    assert path.read_text() == "old\n"
    assert editor.lines("h.txt") == "old"


# real agents


@pytest.mark.timeout(180)
def test_a_real_agent_edits_an_open_buffer(room: Room, request: pytest.FixtureRequest) -> None:
    """H9: gemini-cli, with a model that plays a part, reads and writes by way of the editor, and asks in between.

    It cannot write a file that is not there yet when the client serves files.
    """
    need(GEMINI.name)
    spec = GEMINI.spec(Scene(room.home, request.getfixturevalue("fake_model")))
    editor = room.open(" ".join(spec.command), spec.env)
    made = room.work / "made.txt"
    made.write_text("on disk\n")
    editor.command("edit made.txt")
    editor.command("call setline(1, 'unsaved')")
    shown = editor.ask(f"ACP_WRITE={made} please", "asks")
    assert "-unsaved" in shown
    assert made.read_text() == "on disk\n"
    editor.command("AcpAnswer 1")
    editor.until_status("end_turn")
    assert "Tool finished." in editor.lines()
    assert made.read_text().startswith("hello")
    assert editor.lines("made.txt").startswith("hello")
    editor.quit()


@pytest.mark.timeout(180)
def test_the_buffer_follows_a_real_agent_that_writes_by_itself(
    room: Room, request: pytest.FixtureRequest, measured: Callable[[str, float], None]
) -> None:
    """H9: claude-agent-acp in version 2: diff and question first; Stop; then the file, and with it the buffer."""
    need(CLAUDE.name)
    spec = CLAUDE.spec(Scene(room.home, request.getfixturevalue("fake_model")))
    editor = room.open(" ".join(spec.command), spec.env)
    editor.command(f"let g:acp_mode = '{CLAUDE.asking_mode}'")
    made = room.work / "made.txt"
    editor.ask("ACP_SLOW=400", "running")
    editor.until(lambda: len(editor.lines().splitlines()) > 2)
    measured("seconds from :AcpStop to the word of claude-agent-acp", editor.clock("AcpStop", "cancelled"))
    shown = editor.ask(f"ACP_WRITE={made} please", "asks")
    assert "+hello" in shown
    assert not made.exists()
    made.write_text("")
    editor.command("edit made.txt")
    made.unlink()
    editor.command(f"AcpAnswer {1 + allowing(shown)}")
    editor.until_status("end_turn")
    assert made.read_text().startswith("hello")
    editor.until(lambda: editor.lines("made.txt").startswith("hello"))
    editor.quit()


def allowing(shown: str) -> int:
    """The index of the option that allows once, as a person reads it."""
    options = [line for line in shown.splitlines() if line.startswith("  [")]
    return next(index for index, line in enumerate(options) if "llow" in line and "lways" not in line)


def test_the_page_names_what_is_tested_here() -> None:
    """Ours: the settings come from the page; so do the commands."""
    page = PAGE.read_text()
    assert all(name in page for name in (":AcpPrompt", ":AcpAnswer", ":AcpStop", ":AcpClose", "+UpdateRemotePlugins"))
