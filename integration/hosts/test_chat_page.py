"""The chat pages of the documentation in a real browser: clicks, reloads, several tabs, several users."""

from __future__ import annotations

import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from integration.hosts.browser import BOUND, Browser, Tab
from integration.hosts.install import PROJECT
from integration.hosts.needs import need_environment, need_program
from integration.hosts.serving import Servers, demo_agent, playing_agent

SCREENSHOT = PROJECT / "docs" / "_static" / "chat-page.png"
UPDATE = os.environ.get("ACP_UPDATE_SCREENSHOTS") == "1"

EXAMPLE = "nicegui_chat.py"

Measured = Callable[[str, float], None]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    node, program = need_program("node", "nodejs"), need_program("chromium", "chromium")
    need_environment("browser")
    opened = Browser(node, program)
    yield opened
    opened.close()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """The browser; whatever a test does in it, no request may leave the machine, and no page may fail."""
    yield chromium
    assert chromium.foreign_requests == []
    assert chromium.do("errors") == []


@pytest.fixture
def tab(browser: Browser, servers: Servers) -> Iterator[Tab]:
    """The NiceGUI page with the demo agent."""
    opened = ready(browser.open(servers.start(EXAMPLE)))
    yield opened
    opened.do("close")


def ready(tab: Tab) -> Tab:
    """Wait until the agent of a page is there."""
    tab.until_text("idle")
    return tab


def asks(tab: Tab) -> bool:
    """Whether the page shows the buttons of a question."""
    return "allow once" in tab.buttons


def numbers(tab: Tab) -> list[int]:
    """Return what the slow part of the demo agent has counted so far."""
    return [int(number) for number in re.findall(r"\d+", tab.text.partition("at work.")[2].partition("SEND")[0])]


def stop(tab: Tab, measured: Measured) -> None:
    """Click Stop and wait until the page says that the agent has stopped."""
    begun = time.monotonic()
    tab.click("Stop")
    tab.until_text("cancelled")
    measured("seconds from the click on Stop to the agent's word on the page", time.monotonic() - begun)


@pytest.mark.parametrize("version", ["1", "2"], ids=["v1", "v2"])
@pytest.mark.parametrize(
    ("label", "outcome"), [("Allow once", "was changed"), ("Always allow", "was changed"), ("Reject", "was left alone")]
)
def test_a_click_answers_the_agent(browser: Browser, servers: Servers, label: str, outcome: str, version: str) -> None:
    """H10: the diff is shown with the question, and the question goes with the answer."""
    tab = ready(browser.open(servers.start(EXAMPLE, demo_agent("--protocol", version))))
    tab.say("use a tool")
    tab.until(asks)
    assert "+hello, world" in tab.text
    tab.click(label)
    tab.until_text(outcome)
    tab.until_text("idle (end_turn)")
    assert not asks(tab)
    tab.do("close")


def test_stop_cancels_while_the_agent_writes_and_while_it_asks(tab: Tab, measured: Measured) -> None:
    """H10: and approves nothing; then the next prompt works."""
    tab.say("slow")
    tab.until_text("0 1 2")
    stop(tab, measured)
    tab.say("use a tool")
    tab.until(asks)
    tab.click("Stop")
    tab.until(lambda tab: "cancelled" in tab.text and not asks(tab))
    assert "was changed" not in tab.text
    tab.say("hello")
    tab.until_text("idle (end_turn)")


def test_a_reload_in_mid_turn_shows_the_same_text_and_goes_on(tab: Tab, measured: Measured) -> None:
    """H10: the page is a viewer; the turn is not its own."""
    tab.say("slow")
    tab.until_text("0 1 2")
    seen = numbers(tab)
    tab.do("reload")
    tab.until_text("working")
    again = numbers(tab)
    assert again[: len(seen)] == seen
    tab.until(lambda tab: len(numbers(tab)) > len(again) + 3)
    assert numbers(tab) == list(range(len(numbers(tab))))
    stop(tab, measured)


def test_a_reload_shows_the_question_again_and_it_can_be_answered(tab: Tab) -> None:
    """H10: a pending question outlives the page that showed it, and nothing else is different either."""
    tab.say("use a tool think plan")
    tab.until(asks)
    tab.until_text("waiting for your answer")
    shown, buttons = tab.text, tab.buttons
    tab.do("reload")
    tab.until(asks)
    assert (tab.text, tab.buttons) == (shown, buttons)
    tab.click("Allow once")
    tab.until_text("was changed")


def test_several_tabs_show_one_session(browser: Browser, servers: Servers) -> None:
    """Ours: the first click counts, everywhere; a closed tab stops nothing."""
    url = servers.start(EXAMPLE)
    first, second = ready(browser.open(url)), browser.open(url)
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
    second.do("close")
    third.do("close")


def test_thoughts_are_folded_plan_and_usage_are_shown(tab: Tab, tmp_path: Path) -> None:
    """Ours: a screenshot of this is in the documentation."""
    tab.say("hello think plan usage tool")
    tab.until(asks)
    assert "wants to see something" not in tab.text
    tab.do("toggle", label="Thought")
    tab.until_text("wants to see something")
    tab.do("toggle", label="Thought")
    assert "Change the file" in tab.text
    tab.until_text("1,200 of 200,000 tokens · 0.01 USD")
    tab.until(lambda tab: "wants to see something" not in tab.text)
    path = SCREENSHOT if UPDATE else tmp_path / "page.png"
    tab.do("screenshot", path=str(path))
    assert path.read_bytes().startswith(b"\x89PNG")
    assert SCREENSHOT.stat().st_size < 200_000, "run with ACP_UPDATE_SCREENSHOTS=1"


def test_the_end_of_a_long_conversation_stays_in_sight(tab: Tab) -> None:
    """Ours: with the buttons of the question, and the field below."""
    in_sight = "document.querySelectorAll('.q-card')[0].getBoundingClientRect().bottom <= innerHeight"
    for _ in range(6):
        tab.say("tool")
        tab.until(asks)
        assert tab.do("evaluate", code=in_sight)
        tab.click("Reject")
        tab.until(lambda tab: "idle (end_turn)" in tab.text and not asks(tab))
    height = "document.querySelector('.overflow-y-auto')"
    assert tab.do("evaluate", code=f"{height}.scrollHeight > {height}.clientHeight"), "there was nothing to scroll"


# agents that are slow, wrong or gone


def test_a_page_does_not_wait_for_an_agent_that_takes_long_to_start(
    browser: Browser, servers: Servers, tmp_path: Path
) -> None:
    """Ours: what a package runner downloads first takes longer than a browser waits."""
    gate = tmp_path / "gate"
    tab = browser.open(servers.start(EXAMPLE, playing_agent(str(gate))))
    tab.until_text("starting the agent")
    tab.say("too early")
    gate.touch()
    ready(tab)
    tab.say("in time")
    tab.until(lambda tab: tab.text.count("in time") == 2)
    assert "too early" not in tab.text
    tab.do("close")


def test_a_server_that_is_stopped_while_its_agent_starts_leaves_none_behind(
    browser: Browser, servers: Servers, tmp_path: Path
) -> None:
    """Ours: nothing holds it yet but the attempt."""
    tab = browser.open(servers.start(EXAMPLE, playing_agent(str(tmp_path / "gate"))))
    tab.until_text("starting the agent")
    tab.do("close")
    servers.stop()


def test_an_agent_that_cannot_be_started_is_said_on_the_page(browser: Browser, servers: Servers) -> None:
    """Ours: in words, and a button tries again, for instance after it was installed."""
    program = servers.home / "late-agent"
    tab = browser.open(servers.start(EXAMPLE, str(program)))
    tab.until_text("late-agent")
    program.write_text(f"#!/bin/sh\nexec {demo_agent()}\n")
    program.chmod(0o755)
    tab.click("Start again")
    ready(tab).say("hello")
    tab.until_text("idle (end_turn)")
    tab.do("close")


def test_an_agent_that_dies_is_said_on_the_page_and_started_again(tab: Tab) -> None:
    """Ours: what happened, where the eye is; what was said stays until somebody wants another one."""
    tab.say("exit")
    tab.until_text("exited with status 3")
    assert "demo agent" in tab.text
    tab.click("Start again")
    tab.until(lambda tab: "idle" in tab.text and "demo agent" not in tab.text)
    tab.say("hello")
    tab.until_text("idle (end_turn)")


# what agents write, and who else may try


@pytest.fixture
def playing(browser: Browser, servers: Servers) -> Iterator[Tab]:
    """The page with an agent that says what it is told to."""
    opened = ready(browser.open(servers.start(EXAMPLE, playing_agent())))
    yield opened
    opened.do("close")


def told(*updates: dict[str, Any]) -> str:
    """Return the prompt that has the agent send these updates."""
    return json.dumps(updates)


def test_markup_of_an_agent_does_nothing_and_pictures_are_not_fetched(playing: Tab) -> None:
    """H10: Markdown may hold HTML and name other servers; the browser is told not to ask them."""
    playing.say(
        "**bold** <script>document.title='bad'</script> <img src=x onerror=\"document.title='bad'\"> "
        "[link](javascript:document.title='bad') ![picture](http://127.0.0.2:9/pixel.png)"
    )
    playing.until_text("idle (end_turn)")
    there = "[...document.querySelectorAll('.nicegui-markdown img')].filter((i) => i.complete).length"
    playing.until(lambda tab: bool(tab.do("evaluate", code=there) == 2))
    assert playing.do("evaluate", code="document.querySelector('.nicegui-markdown strong').innerText") == "bold"
    links = "[...document.querySelectorAll('.nicegui-markdown a')].map((link) => link.protocol)"
    assert "javascript:" not in playing.do("evaluate", code=links)
    assert playing.do("evaluate", code="document.title") == "Agent"


def test_what_a_tool_writes_is_text(playing: Tab) -> None:
    """Ours: a diff and a terminal are shown as they are, and grow."""
    markup = "<b onclick=alert(1)>x</b>"
    patch = f"--- a\n+++ b\n@@ -1 +1 @@\n-old\n+{markup}\n"
    change = {"operation": "modify", "path": "/b"}
    diff = {"type": "diff", "changes": [change], "patch": {"format": "git_patch", "text": patch}}
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Work", "status": "in_progress"}
    terminal = {"sessionUpdate": "terminal_update", "terminalId": "c", "command": "make"}
    output = {"sessionUpdate": "terminal_output_chunk", "terminalId": "c", "data": "Zmlyc3QK"}
    playing.say(told(terminal, call | {"content": [diff, {"type": "terminal", "terminalId": "c"}]}, output))
    playing.until_text("first")
    assert f"+{markup}" in playing.text
    assert "$ make" in playing.text
    playing.say(told(output | {"data": "c2Vjb25kCg=="}))
    playing.until_text("second")


def test_what_the_agent_takes_back_is_taken_off_the_page(playing: Tab) -> None:
    """Ours: a page that only ever adds would show a plan that is none any more."""
    entries = [{"content": "Look around", "priority": "high", "status": "pending"}]
    playing.say(told({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": entries}}))
    playing.until(lambda tab: tab.text.count("Look around") == 2)
    playing.say(told({"sessionUpdate": "plan_removed", "planId": "p"}))
    playing.until(lambda tab: tab.text.count("Look around") == 1)  # what was said


def test_a_site_whose_name_leads_here_is_turned_away(servers: Servers) -> None:
    """Ours: after DNS rebinding a browser would let its script read the page and click Allow."""
    url = servers.start(EXAMPLE)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(url, headers={"Host": "evil.example"}), timeout=BOUND)
    assert refused.value.code == 400
    refused.value.close()


# many users


@pytest.fixture
def server(browser: Browser, servers: Servers) -> str:
    """The Starlette server with the demo agent."""
    return servers.start("starlette_chat.py")


def test_every_user_has_a_session(browser: Browser, server: str) -> None:
    """Ours: nobody sees what others say; two tabs of one user see the same."""
    ann, bob = browser.open(server, "ann"), browser.open(server, "bob")
    also_ann = browser.open(server, "ann")
    ready(ann).say("use a tool")
    ann.until(asks)
    also_ann.until(asks)
    assert "+hello, world" in also_ann.text
    ready(bob).say("hello")
    bob.until_text("idle (end_turn)")
    assert not asks(bob)
    assert "use a tool" not in bob.text
    also_ann.click("Allow once")
    ann.until_text("was changed")
    assert "was changed" not in bob.text


def test_a_user_comes_back_to_a_running_turn(browser: Browser, server: str, measured: Measured) -> None:
    """H10: the session as it is, then what changes; Stop and questions work from there."""
    page = ready(browser.open(server, "carol"))
    page.say("use a tool")
    page.until(asks)
    page.do("close")
    again = browser.open(server, "carol")
    again.until(asks)
    again.click("Reject")
    again.until_text("was left alone")
    ready(again).say("slow")
    again.until_text("0 1 2")
    again.do("reload")
    again.until_text("0 1 2")
    stop(again, measured)


def test_a_page_outlives_its_server(browser: Browser, servers: Servers, server: str) -> None:
    """Ours: it connects again by itself, and shows nothing of the session that is gone."""
    page = ready(browser.open(server, "erin"))
    page.say("hello")
    page.until_text("idle (end_turn)")
    servers.restart()
    page.until(lambda tab: "demo agent" not in tab.text)
    ready(page).say("hello again")
    page.until_text("demo agent")
    page.do("close")


def test_what_is_said_is_text_and_no_markup(browser: Browser, server: str) -> None:
    """Ours: also what an agent says."""
    page = ready(browser.open(server, "dave"))
    page.say("<img src=x onerror=document.title='bad'>")
    page.until_text("<img src=x")
    assert page.do("evaluate", code="document.title") == "Agent"
