"""The chat pages of the documentation in a real browser: clicks, reloads, several tabs, several users."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from integration.hosts.browser import Browser, Tab
from integration.hosts.install import PROJECT, python_of
from integration.hosts.needs import need_environment, need_program
from integration.peers.processes import survivors

EXAMPLES = PROJECT / "docs" / "examples"
SCREENSHOT = PROJECT / "docs" / "_static" / "chat-page.png"
UPDATE = os.environ.get("ACP_UPDATE_SCREENSHOTS") == "1"

STOP_BOUND = 2.0
"""Seconds from the click on Stop to the agent's word that it has stopped, on the page."""

Serve = Callable[..., str]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    node, chromium = need_program("node", "nodejs"), need_program("chromium", "chromium")
    need_environment("browser")
    opened = Browser(node, chromium)
    yield opened
    opened.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start an example on a free port; in the end it is asked to stop, and leaves nothing behind."""
    need_environment("chat")
    home = tmp_path / "home"
    running: list[subprocess.Popen[bytes]] = []
    home.mkdir()
    # NiceGUI looks for pytest around it, and would serve its own tests.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env |= {"HOME": str(home), "PYTHONPATH": str(PROJECT)}

    def start(example: str, *arguments: str) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [str(python_of("chat")), str(EXAMPLES / example), "--port", str(port), *arguments]
        running.append(subprocess.Popen(command, cwd=home, env=env))
        wait_for(port, running[-1])
        return f"http://127.0.0.1:{port}/"

    yield start
    for process in running:
        process.terminate()
        assert process.wait(10) in (0, -15)
    assert survivors(home) == [], "the server left processes behind"


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Wait until somebody listens."""
    end = time.monotonic() + 20
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nobody listens on port {port}")


@pytest.fixture
def tab(browser: Browser, serve: Serve) -> Iterator[Tab]:
    """The NiceGUI page with the demo agent."""
    opened = browser.open(serve("nicegui_chat.py"))
    yield opened
    opened.do("close")
    assert browser.foreign_requests == []
    assert browser.do("errors") == []


def asks(tab: Tab) -> bool:
    """Whether the page shows the buttons of a question."""
    return "allow once" in tab.buttons


def stopped(tab: Tab) -> float:
    """Click Stop, and return how long it took until the page says that the agent has stopped."""
    begun = time.monotonic()
    tab.click("Stop")
    tab.until_text("cancelled")
    return time.monotonic() - begun


@pytest.mark.parametrize(
    ("label", "outcome"), [("Allow once", "was changed"), ("Always allow", "was changed"), ("Reject", "was left alone")]
)
def test_a_click_answers_the_agent(tab: Tab, label: str, outcome: str) -> None:
    """H10: the diff is shown with the question, and the question goes with the answer."""
    tab.say("use a tool")
    tab.until(asks)
    assert "+hello, world" in tab.text
    tab.click(label)
    tab.until_text(outcome)
    tab.until_text("idle (end_turn)")
    assert not asks(tab)


def test_stop_cancels_while_the_agent_writes_and_while_it_asks(tab: Tab, record_property: Any) -> None:
    """H10: and approves nothing; then the next prompt works."""
    tab.say("slow")
    tab.until_text("0 1 2")
    seconds = stopped(tab)
    record_property("seconds", round(seconds, 3))
    assert seconds < STOP_BOUND
    tab.say("use a tool")
    tab.until(asks)
    tab.click("Stop")
    tab.until(lambda tab: "cancelled" in tab.text and not asks(tab))
    assert "was changed" not in tab.text
    tab.say("hello")
    tab.until_text("idle (end_turn)")


def test_a_reload_in_mid_turn_shows_the_same_text_and_goes_on(tab: Tab) -> None:
    """H10: the page is a viewer; the turn is not its own."""
    tab.say("slow=20")
    tab.until_text("0 1 2")
    tab.do("reload")
    tab.until_text("0 1 2")
    tab.until_text("18 19")
    tab.until_text("idle (end_turn)")


def test_a_reload_shows_the_question_again_and_it_can_be_answered(tab: Tab) -> None:
    """H10: a pending question outlives the page that showed it."""
    tab.say("use a tool")
    tab.until(asks)
    tab.do("reload")
    tab.until(asks)
    tab.click("Allow once")
    tab.until_text("was changed")


def test_several_tabs_show_one_session(browser: Browser, serve: Serve) -> None:
    """Ours: the first click counts, everywhere; a closed tab stops nothing."""
    url = serve("nicegui_chat.py")
    first, second = browser.open(url), browser.open(url)
    first.say("use a tool")
    second.until(asks)
    first.until(asks)
    first.do("close")
    assert asks(second)
    third = browser.open(url)
    third.until(asks)
    second.click("Allow once")
    third.until_text("was changed")
    third.until(lambda tab: not asks(tab))
    assert browser.foreign_requests == []


def test_thoughts_are_folded_plan_and_usage_are_shown(tab: Tab, tmp_path: Path) -> None:
    """Ours: a screenshot of this is in the documentation."""
    tab.say("hello think plan usage tool")
    tab.until(asks)
    assert "wants to see something" not in tab.text
    tab.do("toggle", label="Thought")
    tab.until_text("wants to see something")
    tab.do("toggle", label="Thought")
    assert "Change the file" in tab.text
    assert "1,200 of 200,000 tokens" in tab.text
    tab.until(lambda tab: "wants to see something" not in tab.text)
    path = SCREENSHOT if UPDATE else tmp_path / "page.png"
    tab.do("screenshot", path=str(path))
    assert path.read_bytes().startswith(b"\x89PNG")
    assert SCREENSHOT.exists(), "run with ACP_UPDATE_SCREENSHOTS=1"


def test_an_agent_that_dies_is_said_on_the_page(tab: Tab) -> None:
    """Ours: what happened, where the eye is."""
    tab.say("exit")
    tab.until_text("exited with status 3")


def test_pictures_of_other_servers_are_not_fetched(browser: Browser, serve: Serve) -> None:
    """H10: an agent's Markdown may name them; the browser is told not to ask."""
    page = browser.open(serve("nicegui_chat.py"))
    load = (
        "new Promise((done) => { const i = new Image(); i.onload = () => done('loaded'); i.onerror = () => done('no');"
        " i.src = 'http://127.0.0.2:9/pixel.png'; })"
    )
    blocked = "new Promise((done) => { document.addEventListener('securitypolicyviolation', (e) => done(e.blockedURI));"
    assert page.do("evaluate", code=f"{blocked} {load} }})") == "http://127.0.0.2:9/pixel.png"
    page.do("close")


# many users


@pytest.fixture
def server(browser: Browser, serve: Serve) -> Iterator[str]:
    """The Starlette server with the demo agent."""
    yield serve("starlette_chat.py")
    assert browser.foreign_requests == []
    assert browser.do("errors") == []


def test_every_user_has_a_session(browser: Browser, server: str) -> None:
    """Ours: nobody sees what others say; two tabs of one user see the same."""
    ann, bob = browser.open(server, "ann"), browser.open(server, "bob")
    also_ann = browser.open(server, "ann")
    ann.say("use a tool")
    ann.until(asks)
    also_ann.until(asks)
    bob.say("hello")
    bob.until_text("idle (end_turn)")
    assert not asks(bob)
    assert "use a tool" not in bob.text
    also_ann.click("Allow once")
    ann.until_text("was changed")
    assert "was changed" not in bob.text


def test_a_user_comes_back_to_a_running_turn(browser: Browser, server: str) -> None:
    """H10: the session as it is, then what changes; Stop and questions work from there."""
    page = browser.open(server, "carol")
    page.say("use a tool")
    page.until(asks)
    page.do("close")
    again = browser.open(server, "carol")
    again.until(asks)
    again.click("Reject")
    again.until_text("was left alone")
    again.say("slow")
    again.until_text("0 1 2")
    again.do("reload")
    again.until_text("0 1 2")
    assert stopped(again) < STOP_BOUND


def test_what_is_said_is_text_and_no_markup(browser: Browser, server: str) -> None:
    """Ours: also what an agent says."""
    page = browser.open(server, "dave")
    page.say("<img src=x onerror=document.title='bad'>")
    page.until_text("<img src=x")
    assert page.do("evaluate", code="document.title") == "Agent"


def test_a_page_of_another_site_is_refused(server: str) -> None:
    """Ours: the browser sends the cookie along, whoever opens the socket."""
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    url = server.replace("http", "ws") + "talk"
    for headers, origin in (({}, None), ({"Cookie": "user=x"}, "http://evil.example")):
        with pytest.raises(InvalidStatus):
            connect(url, additional_headers=headers, origin=origin)  # type: ignore[arg-type]  # any text will do
