"""The Starlette server of the documentation, as a process, talked to as its page does: several users, reconnects."""

from __future__ import annotations

import json
import re
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from integration.hosts.serving import Servers, demo_agent, playing_agent

BOUND = 20.0
"""Seconds within which everything that has to happen does."""

EXAMPLE = "starlette_chat.py"


class Page:
    """What the page in the browser keeps: the items it was sent, and the questions."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.items: dict[str, dict[str, str]] = {}
        self.questions: list[dict[str, Any]] = []
        self.state = self.problem = ""
        self.stop_reason: str | None = None
        self.version = -1
        first = self.take()
        assert first.get("whole", True), "the first message has to be the whole session"

    def take(self) -> Any:
        """Take one message as the page does, and return it."""
        message = json.loads(self._socket.recv(timeout=BOUND))
        if "problem" in message:
            self.problem = message["problem"]
            return message
        assert message["version"] > self.version, "only what is newer has to be sent"
        if message["whole"]:
            self.items.clear()
        for key in message["gone"]:
            del self.items[key]
        self.items.update({item["key"]: item for item in message["items"]})
        self.version, self.state, self.stop_reason = message["version"], message["state"], message["stopReason"]
        self.questions = message["questions"]
        return message

    def send(self, **order: Any) -> None:
        self._socket.send(json.dumps(order))

    def until(self, reached: Callable[[Page], bool]) -> None:
        """Take messages until something is the case."""
        end = time.monotonic() + BOUND
        while not reached(self):
            assert time.monotonic() < end, f"{self.text!r} {self.state} {self.questions} {self.problem}"
            self.take()

    def until_text(self, text: str) -> None:
        self.until(lambda page: text in page.text)

    def until_ended(self, stop_reason: str = "end_turn") -> None:
        self.until(lambda page: (page.state, page.stop_reason) == ("idle", stop_reason))

    def until_asked(self) -> Any:
        """Wait for a question and return it."""
        self.until(lambda page: bool(page.questions))
        return self.questions[0]

    @property
    def text(self) -> str:
        """What is to be read on it."""
        return "\n".join(item["text"] for item in self.items.values())

    @property
    def numbers(self) -> list[int]:
        """What the slow part of the demo agent has counted so far."""
        return [int(number) for number in re.findall(r"\b\d+\b", self.text.partition("at work.")[2])]


@contextmanager
def opened(url: str, user: str) -> Iterator[Page]:
    """A page of that user, as long as it is open."""
    with connect(url.replace("http", "ws") + "talk", additional_headers={"Cookie": f"user={user}"}) as socket:
        yield Page(socket)


@pytest.fixture(params=["1", "2"], ids=["v1", "v2"])
def server(request: pytest.FixtureRequest, servers: Servers) -> str:
    """The server with the demo agent, in each protocol version."""
    return servers.start(EXAMPLE, demo_agent("--protocol", request.param))


def test_users_work_at_the_same_time_and_see_nothing_of_each_other(server: str) -> None:
    """Ours: one agent, a session for each."""
    with opened(server, "ann") as ann, opened(server, "bob") as bob:
        ann.send(prompt="slow=15 from ann")
        bob.send(prompt="tool from bob")
        bob.until_asked()
        ann.until(lambda page: page.numbers[:3] == [0, 1, 2])
        assert ann.state == "running"
        bob.send(stop=True)
        bob.until_ended("cancelled")
        ann.until_ended()
        assert ann.numbers == list(range(15))
        assert "bob" not in ann.text
        assert "ann" not in bob.text
        assert ann.questions == []


def test_a_page_that_comes_back_in_mid_turn_misses_and_repeats_nothing(server: str) -> None:
    """H10: first the session as it is, then what is newer; the turn went on while nobody looked."""
    with opened(server, "ann") as page:
        page.send(prompt="slow=40")
        page.until(lambda page: page.numbers[:3] == [0, 1, 2])
        seen = page.text
    with opened(server, "ann") as page, opened(server, "ann") as beside:
        assert page.state == "running"
        assert page.text.startswith(seen)
        page.until_ended()
        beside.until_ended()
        assert page.numbers == list(range(40))
        assert beside.items == page.items
    with opened(server, "ann") as page:
        assert page.items == beside.items


def test_a_question_waits_for_the_page_that_comes_back(server: str) -> None:
    """H10: the same question with the change it is about; it is answered once, whoever else tries."""
    with opened(server, "ann") as page:
        page.send(prompt="use a tool")
        question = page.until_asked()
    with opened(server, "ann") as page, opened(server, "ann") as beside:
        assert page.questions == beside.questions == [question]
        assert "+hello, world" in page.text
        names = {name: option for option, name in question["options"]}
        page.send(answer=[question["id"], names["Reject"]])
        page.until_text("was left alone")
        beside.send(answer=[question["id"], names["Allow once"]])
        beside.until_ended()
        assert "was changed" not in beside.text
        assert beside.questions == []


def test_stop_works_from_a_page_that_comes_back(server: str, measured: Callable[[str, float], None]) -> None:
    """H10: an open question vanishes with it, and nothing was allowed; the next prompt works."""
    with opened(server, "ann") as page:
        page.send(prompt="use a tool")
        page.until_asked()
    with opened(server, "ann") as page:
        begun = time.monotonic()
        page.send(stop=True)
        page.until_ended("cancelled")
        measured("seconds from Stop to the agent's word", time.monotonic() - begun)
        assert page.questions == []
        assert "was changed" not in page.text
        page.send(prompt="hello")
        page.until_ended()


def test_a_second_prompt_in_mid_turn_is_refused_to_the_page_that_sent_it(server: str) -> None:
    """Ours: and disturbs nothing."""
    with opened(server, "ann") as page, opened(server, "ann") as beside:
        page.send(prompt="slow=10")
        beside.until(lambda page: page.state == "running")
        beside.send(prompt="and another")
        beside.until(lambda page: bool(page.problem))
        page.until_ended()
        beside.until_ended()
        assert page.problem == ""
        assert page.numbers == list(range(10))
        assert "another" not in page.text


def test_what_a_page_may_not_say_ends_its_connection_alone(servers: Servers) -> None:
    """Ours: neither nonsense nor an option that was not offered reaches the session."""
    server = servers.start(EXAMPLE)
    for order in ("no JSON", '{"rm": "-rf"}'):
        with connect(server.replace("http", "ws") + "talk", additional_headers={"Cookie": "user=ann"}) as socket:
            Page(socket)
            socket.send(order)
            with pytest.raises(ConnectionClosedError) as closed:
                socket.recv(timeout=BOUND)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1003
    with opened(server, "ann") as page:
        page.send(prompt="use a tool")
        question = page.until_asked()
        page.send(answer=[question["id"], "whatever"])
        page.until(lambda page: "was not offered" in page.problem)
        page.send(answer=[question["id"], question["options"][0][0]])
        page.until_ended()


def test_what_the_agent_takes_back_is_taken_off_the_page(servers: Servers) -> None:
    """Ours: a page that only ever adds would show a plan that is none any more."""

    def plans(page: Page) -> int:
        return [item["kind"] for item in page.items.values()].count("plan")

    entries = [{"content": "Look around", "priority": "high", "status": "pending"}]
    plan = {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": entries}}
    with opened(servers.start(EXAMPLE, playing_agent()), "ann") as page:
        page.send(prompt=json.dumps([plan]))
        page.until(lambda page: plans(page) == 1)
        page.send(prompt=json.dumps([{"sessionUpdate": "plan_removed", "planId": "p"}]))
        page.until(lambda page: plans(page) == 0)


def test_the_next_page_starts_an_agent_that_has_died_again(servers: Servers) -> None:
    """Ours: the pages that are open say what happened."""
    server = servers.start(EXAMPLE)
    with opened(server, "ann") as ann, opened(server, "bob") as bob:
        ann.send(prompt="exit")
        for viewer in (ann, bob):
            viewer.until(lambda page: "exited with status 3" in page.problem)
    with opened(server, "bob") as bob:
        bob.send(prompt="hello")
        bob.until_ended()


def test_an_agent_that_cannot_be_started_is_said_to_the_page(servers: Servers) -> None:
    """Ours: the reason, not a closed connection alone."""
    with opened(servers.start(EXAMPLE, "no-such-agent --acp"), "ann") as page:
        assert "no-such-agent" in page.problem


def test_nothing_is_left_of_a_server_that_is_stopped_in_mid_turn(servers: Servers) -> None:
    """Ours: with a question open."""
    with opened(servers.start(EXAMPLE), "ann") as page:
        page.send(prompt="use a tool")
        page.until_asked()
        servers.stop()


@pytest.mark.parametrize("example", [EXAMPLE, "nicegui_chat.py"])
def test_ctrl_c_ends_a_server_without_a_traceback(
    servers: Servers, example: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Ours: it is the way to stop both."""
    servers.start(example)
    servers.stop(signal.SIGINT)
    assert "Traceback" not in capfd.readouterr().err


def test_nothing_is_left_of_a_server_that_is_stopped_while_its_agent_starts(servers: Servers, tmp_path: Path) -> None:
    """Ours: nothing holds the agent yet but the attempt, and a page waits for it."""
    begun = tmp_path / "begun"
    server = servers.start(EXAMPLE, f"sh -c 'touch {begun}; {playing_agent(str(tmp_path / 'gate'))}'")
    url = server.replace("http", "ws") + "talk"
    with connect(url, additional_headers={"Cookie": "user=ann"}):
        end = time.monotonic() + BOUND
        while not begun.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        servers.stop()


def test_strangers_are_turned_away(servers: Servers) -> None:
    """Ours: who has no cookie, comes from another site's page, or under another name (DNS rebinding)."""
    server = servers.start(EXAMPLE)
    url, cookie = server.replace("http", "ws") + "talk", {"Cookie": "user=x"}
    for headers, origin in (({}, None), (cookie, "http://evil.example")):
        with pytest.raises(InvalidStatus):
            connect(url, additional_headers=headers, origin=origin)  # type: ignore[arg-type]  # any text will do
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(server, headers={"Host": "evil.example"}), timeout=BOUND)
    assert refused.value.code == 400
    refused.value.close()
