"""Which thread answers the agent's questions, and what becomes of answers that come twice or too late."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import pytest

from acp_client.blocking import DrainQueue
from acp_client.host import ALLOW, DENY, LATER, Accept, Host, uncancellable
from acp_client.models import v1
from acp_client.policy.questions import PendingElicitation, PendingPermission
from acp_client.rpc.inbound import EndedBy
from tests.blocking.kit import BOUND, CANCELLED, BlockingStage, InThread, blocking_stage, interrupt_main, selected


class Recorder(Host):
    """A host with plain methods, which remembers where they ran."""

    def __init__(self, reply: Any = ALLOW) -> None:
        self.reply = reply
        self.threads: list[int] = []
        self.asked = threading.Event()
        self.notified: list[int] = []

    def request_permission(self, question: PendingPermission) -> Any:
        self.threads.append(threading.get_ident())
        self.asked.set()
        return self.reply(question) if callable(self.reply) else self.reply

    def extension_notification(self, method: str, params: Any) -> None:
        self.notified.append(threading.get_ident())


async def asking(play: BlockingStage) -> Any:
    """The agent takes the next prompt, asks, ends the turn, and remembers what it was answered."""
    prompt = await play.agent.next_prompt()
    request_id = play.agent.ask_permission(play.session.id)
    answer = await play.agent.answer_to(request_id)
    play.agent.chunk(play.session.id, str(answer["result"]["outcome"].get("optionId", "cancelled")))
    play.agent.finish(prompt["id"], play.session.id)


def test_the_thread_that_waits_runs_the_handler(version: int) -> None:
    """Hosts F: a person is asked where the program is blocked anyway, never in a parked thread."""
    host = Recorder()
    with blocking_stage(version, host) as play:
        play.later(asking(play))
        assert play.session.ask("x").text == "allow"
    assert host.threads == [threading.get_ident()]


def test_the_handler_given_to_a_call_takes_the_place_of_the_hosts(version: int) -> None:
    """Ours: for this turn, on this thread; it sees the tool call as it is."""
    host = Recorder()
    seen: list[tuple[int, Any]] = []

    def handler(question: PendingPermission) -> Any:
        assert question.tool_call is not None
        seen.append((threading.get_ident(), question.tool_call.title))
        return DENY

    with blocking_stage(version, host) as play:
        play.later(asking(play))
        assert play.session.ask("x", permission=handler).text == "reject"
        play.later(asking(play))
        with play.session.stream("x", permission=handler) as turn:
            list(turn)
    assert host.threads == []
    assert seen == [(threading.get_ident(), "Edit a file")] * 2


def test_a_coroutine_as_handler_runs_on_the_loop(version: int) -> None:
    """Ours: the host may be written for both façades."""
    threads: list[int] = []

    class Async(Host):
        async def request_permission(self, question: PendingPermission) -> Any:
            threads.append(threading.get_ident())
            return ALLOW

    with blocking_stage(version, Async()) as play:
        play.later(asking(play))
        assert play.session.ask("x").text == "allow"

        async def handler(question: PendingPermission) -> Any:
            threads.append(threading.get_ident())
            return DENY

        play.later(asking(play))
        assert play.session.ask("x", permission=handler).text == "reject"
        assert threads == [play.do(threading.get_ident)] * 2


def test_a_question_of_a_prompt_waits_for_the_thread_that_will_wait(version: int) -> None:
    """Ours: which thread is asked must not depend on who is faster."""
    host = Recorder()
    with blocking_stage(version, host) as play:
        turn = play.begin()
        request_id = play.ask_permission()
        assert host.threads == []
        waiting = InThread(turn.wait)
        assert play.answer_to(request_id) == selected("allow")
        play.finish()
        waiting.result()
    assert host.threads == [waiting.thread.ident]


def test_a_question_of_a_turn_nobody_waits_for_gets_a_thread_of_its_own(version: int) -> None:
    """Ours: `start` promises nothing, so nobody can be waited for."""
    host = Recorder()
    with blocking_stage(version, host) as play:
        play.session.start("x")
        play.accept()
        assert play.answer_to(play.ask_permission()) == selected("allow")
        assert host.threads[0] not in (threading.get_ident(), play.do(threading.get_ident))


def test_a_question_goes_on_to_the_next_when_its_thread_leaves(version: int) -> None:
    """Ours: a wait that times out must not take the question with it."""
    host = Recorder()
    with blocking_stage(version, host) as play:
        turn = play.begin()
        request_id = play.ask_permission()
        with play.client._desk.waiting(play.session.id) as leaving:
            assert leaving.jobs.get(timeout=BOUND) is not None  # it was given the question, and does not come to it
        waiting = InThread(turn.wait)
        assert play.answer_to(request_id) == selected("allow")
        play.finish()
        waiting.result()
    assert host.threads == [waiting.thread.ident]


def test_a_thread_that_waits_for_something_else_is_asked_as_well(version: int) -> None:
    """Ours: about its own turns, and about sessions that nobody has promised to wait for."""
    host = Recorder()
    with blocking_stage(version, host) as play:
        other = play.client.new_session("/other")
        play.begin()
        play.do(lambda: play.agent.answers.pop("session/new"))
        opening = InThread(lambda: play.client.new_session("/third"))
        new = play.next("session/new")
        while new["params"]["cwd"] != "/third":
            new = play.next("session/new")
        unattended = play.ask_permission(session=other)
        assert play.answer_to(unattended) == selected("allow")
        assert host.threads == [opening.thread.ident]
        attended = play.ask_permission()
        play.do(lambda: play.agent.respond(new["id"], {"sessionId": "s3"}))
        opening.result()
        assert host.threads == [opening.thread.ident]

        async def agent() -> None:
            request = await play.agent.next("_vendor/x")
            await play.agent.answer_to(attended)
            play.agent.respond(request["id"], 1)

        play.later(agent())
        assert play.client.request("_vendor/x") == 1
    assert host.threads == [opening.thread.ident, threading.get_ident()]


def test_ctrl_c_at_the_question_cancels_the_turn_and_approves_nothing(version: int) -> None:
    """Hosts F, HE-07: the person who is asked presses Ctrl-C instead."""

    def interrupted(question: PendingPermission) -> Any:
        interrupt_main()
        threading.Event().wait(BOUND)
        return ALLOW

    with blocking_stage(version, Recorder(interrupted)) as play:

        async def agent() -> None:
            prompt = await play.agent.next_prompt()
            play.agent.ask_permission(play.session.id, id=7)
            await play.agent.next("session/cancel")
            play.agent.finish(prompt["id"], play.session.id, "cancelled")

        play.later(agent())
        with pytest.raises(KeyboardInterrupt):
            play.session.ask("x")
        assert play.answer_to(7) == CANCELLED
        cancel = [message.get("method") for message in play.agent.written].index("session/cancel")
        assert play.agent.written[cancel + 1]["id"] == 7
        play.later(asking(play))
        assert play.session.ask("x", permission=lambda question: DENY).text == "reject"


def test_a_handler_that_fails_approves_nothing(version: int, caplog: pytest.LogCaptureFixture) -> None:
    """Ours: as in the asyncio façade."""

    def broken(question: PendingPermission) -> Any:
        raise RuntimeError("broken")

    with blocking_stage(version, Recorder(broken)) as play:
        play.later(asking(play))
        assert play.session.ask("x").text == "cancelled"
    assert "handler" in caplog.text


def test_three_threads_answer_and_one_wins(version: int) -> None:
    """H4: an answer counts once, whoever is first; the agent hears one."""
    with blocking_stage(version, Recorder(LATER)) as play:
        play.session.start("x")
        play.accept()
        request_id = play.ask_permission()
        (question,) = play.session.pending
        assert isinstance(question, PendingPermission)
        barrier = threading.Barrier(3)

        def click(option_id: str) -> bool:
            barrier.wait(BOUND)
            return question.select(option_id)

        options = ["allow", "allow-always", "reject"]
        clicks = [InThread(partial(click, option)) for option in options]
        counted = [option for option, one in zip(options, clicks, strict=True) if one.result()]
        assert len(counted) == 1
        assert play.answer_to(request_id) == selected(counted[0])
        answers = [message for message in play.agent.written if message.get("id") == request_id]
        assert len(answers) == 1
        assert question.ended_by is EndedBy.HOST


def test_an_answer_after_the_cancel_is_too_late(version: int) -> None:
    """H4: in whatever thread the click was made."""
    with blocking_stage(version, Recorder(LATER)) as play:
        turn = play.session.start("x")
        play.accept()
        request_id = play.ask_permission()
        (question,) = play.session.pending
        assert isinstance(question, PendingPermission)
        turn.cancel()
        assert InThread(lambda: question.select("allow")).result() is False
        assert question.deny() is False
        assert play.answer_to(request_id) == CANCELLED


def test_a_viewer_that_left_finds_the_question_still_open(version: int) -> None:
    """H4: viewers are not owners."""
    with blocking_stage(version, Recorder(LATER)) as play:
        play.session.start("x")
        play.accept()
        viewer = play.session.events()
        request_id = play.ask_permission()
        assert [e.type for e in (next(viewer), next(viewer)) if e.type == "question_opened"]
        viewer.close()
        (question,) = play.session.snapshot.pending
        assert question.open
        assert question.deny()
        assert play.answer_to(request_id) == selected("reject")


# a host with a thread of its own


class HostThread:
    """The thread of a host that takes posted calls one by one."""

    def __init__(self) -> None:
        self.queue = DrainQueue()
        self.ident = threading.get_ident()

    def wait_for_post(self) -> None:
        """Wait until something was posted, without serving it."""
        call = self.queue._calls.get(timeout=BOUND)
        self.queue.post(call)

    def until(self, reached: Any) -> None:
        """Serve the queue until something is the case."""
        posted = self.queue._calls
        while not reached():
            posted.put(posted.get(timeout=BOUND))
            self.queue.drain()


def test_with_post_every_handler_runs_on_the_hosts_thread(version: int) -> None:
    """H3: the host's API is usable in there and nowhere else."""
    host, home = Recorder(), HostThread()
    with blocking_stage(version, host, post=home.queue.post) as play:
        play.session.start("x")
        play.accept()
        request_id = play.ask_permission()
        play.do(lambda: play.agent.notify("_vendor/hello", {}))
        assert home.queue.drain() > 0
        assert play.answer_to(request_id) == selected("allow")
    assert {*host.threads, *host.notified} == {home.ident}


def test_a_thread_that_connects_is_not_taken_for_the_hosts(version: int) -> None:
    """H3: plugins connect in a thread of their own, which must not touch the editor either, although it waits."""
    host, home, known = Recorder(), HostThread(), threading.Event()

    def connect_and_ask() -> str:
        with blocking_stage(version, host, post=home.queue.post) as play:
            assert known.wait(BOUND)
            play.later(asking(play))
            return play.session.ask("x").text

    other = InThread(connect_and_ask)
    home.wait_for_post()
    home.queue.drain()
    known.set()
    home.until(lambda: host.threads)
    assert other.result() == "allow"
    assert host.threads == [home.ident]


def test_a_blocked_host_thread_still_runs_its_handlers(version: int) -> None:
    """Ours: else a question asked while the host is blocked would wait for itself."""
    host, home = Recorder(), HostThread()
    with blocking_stage(version, host, post=home.queue.post) as play:
        play.later(asking(play))
        assert play.session.ask("x").text == "allow"
        turn = play.begin()
        host.asked.clear()
        play.ask_permission()

        def finish() -> None:
            assert host.asked.wait(BOUND)
            play.finish()

        finishing = InThread(finish)
        turn.wait()
        finishing.result()
        home.queue.drain()
    assert host.threads == [home.ident] * 2


def test_a_host_thread_that_blocks_before_it_is_served_runs_what_was_posted(version: int) -> None:
    """Ours: the post came in time, and the host blocked before it looked."""
    host, home = Recorder(), HostThread()
    with blocking_stage(version, host, post=home.queue.post) as play:
        turn = play.begin()
        request_id = play.ask_permission()
        home.wait_for_post()

        async def agent() -> None:
            await play.agent.answer_to(request_id)
            play.agent.finish(play.written("session/prompt")[0]["id"], play.session.id)

        play.later(agent())
        turn.wait()
        home.queue.drain()
    assert host.threads == [home.ident]


def test_a_thread_that_arrives_in_the_very_moment_of_a_question_is_seen(
    version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: between looking for a thread and waiting for one, one may have come; and several may come at once."""
    host = Recorder()
    with blocking_stage(version, host) as play:
        desk = play.client._desk
        turn = play.begin()
        find, seen = desk._find, [None]
        monkeypatch.setattr(desk, "_find", lambda wanted: seen.pop() if seen else find(wanted))
        with desk.waiting(play.session.id) as waiter:
            request_id = play.ask_permission()
            job = waiter.jobs.get(timeout=BOUND)
            assert job is not None
            job()
        assert play.answer_to(request_id) == selected("allow")
        second = play.ask_permission("t2")

        def look_twice() -> None:
            desk._look_again()
            desk._look_again()

        play.do(look_twice)
        waiting = InThread(turn.wait)
        assert play.answer_to(second) == selected("allow")
        play.finish()
        waiting.result()


def test_a_thread_that_leaves_in_the_very_moment_of_a_question_is_passed_over(version: int) -> None:
    """Ours: a question given to nobody must not be lost."""
    host = Recorder()
    with blocking_stage(version, host) as play:
        desk = play.client._desk
        play.session.start("x")
        play.accept()
        with desk.waiting(play.session.id) as leaving:

            def give_too_late(call: Any, *, shared: bool) -> None:
                desk._waiters.remove(leaving)

            leaving.give = give_too_late  # type: ignore[method-assign]
            assert play.answer_to(play.ask_permission()) == selected("allow")
            desk._waiters.append(leaving)
    assert len(host.threads) == 1


class Files(Host):
    """Serves files, forms and extensions with plain methods."""

    def __init__(self) -> None:
        self.threads: list[int] = []

    def read_text_file(self, request: v1.ReadTextFileRequest) -> str:
        self.threads.append(threading.get_ident())
        return f"text of {request.path}"

    def elicit(self, question: PendingElicitation) -> Any:
        self.threads.append(threading.get_ident())
        return Accept({"env": "prod"})

    @uncancellable
    def extension_request(self, method: str, params: Any) -> Any:
        self.threads.append(threading.get_ident())
        raise KeyboardInterrupt


def test_only_what_the_host_serves_is_advertised() -> None:
    """Ours: the way over threads changes nothing about it."""
    with blocking_stage(1, Files()) as play:
        (initialize,) = play.written("initialize")
        offered = initialize["params"]["clientCapabilities"]
        assert offered["fs"] == {"readTextFile": True, "writeTextFile": False}
        assert not offered.get("terminal")


@pytest.mark.parametrize("posted", [False, True])
def test_files_are_served_while_nobody_waits(posted: bool) -> None:
    """Ours: without a `post` in a thread of its own, with one on the host's."""
    host, home = Files(), HostThread()
    with blocking_stage(1, host, post=home.queue.post if posted else None) as play:
        params = {"sessionId": play.session.id, "path": "/a"}
        request_id = play.do(lambda: play.agent.request("fs/read_text_file", params))
        if posted:
            home.until(lambda: host.threads)
        assert play.answer_to(request_id) == {"content": "text of /a"}
        assert (host.threads == [home.ident]) == posted
        assert play.do(threading.get_ident) not in host.threads


def test_an_elicitation_is_asked_on_the_thread_that_waits() -> None:
    """Ours: forms are questions too."""
    host = Files()
    form = {"type": "object", "properties": {"env": {"type": "string"}}}
    with blocking_stage(2, host) as play:
        params = {"sessionId": play.session.id, "mode": "form", "message": "?", "requestedSchema": form}

        async def agent() -> None:
            prompt = await play.agent.next_prompt()
            await play.agent.answer_to(play.agent.request("elicitation/create", params, id=9))
            play.agent.finish(prompt["id"], play.session.id)

        play.later(agent())
        play.session.ask("x")
        assert play.answer_to(9) == {"action": "accept", "content": {"env": "prod"}}
    assert host.threads == [threading.get_ident()]


def test_the_login_method_is_chosen_on_the_thread_that_opens_the_session() -> None:
    """Ours: there it can ask somebody."""
    threads: list[int] = []

    class Login(Host):
        def choose_auth_method(self, methods: Any) -> str | None:
            threads.append(threading.get_ident())
            return str(methods[0].id)

    agent = {"auth_methods": [{"id": "key", "name": "Key", "type": "agent", "methodId": "key"}]}
    with blocking_stage(1, Login(), agent=agent) as play:

        async def refuse_first() -> None:
            play.agent.answers.pop("session/new")
            new = await play.agent.next("session/new")
            while new["params"]["cwd"] != "/locked":
                new = await play.agent.next("session/new")
            play.agent.fail(new["id"], -32000, "log in")
            login = await play.agent.next("authenticate")
            play.agent.answers["session/new"] = lambda params: {"sessionId": "s9"}
            play.agent.respond(login["id"], {})

        play.later(refuse_first())
        assert play.client.new_session("/locked").id == "s9"
    assert threads == [threading.get_ident()]
