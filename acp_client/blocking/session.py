"""Sessions for threads: the calls of `acp_client.Session`, each waiting for its end.

`start`, `ask` and `stream` come in addition: three ways to run a turn, for a host that goes on, for a script, and for a
loop over events.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from acp_client._subscriptions import EventStream, Update
from acp_client.blocking.delivery import guarded, posted
from acp_client.blocking.handlers import Attendance
from acp_client.blocking.loop_thread import call_soon
from acp_client.blocking.turn import CancelHandle, Events, PermissionHandler, Turn
from acp_client.policy.questions import PendingQuestion
from acp_client.policy.session_work import Busy
from acp_client.policy.turns import TurnResult
from acp_client.protocol.dialect import Roots
from acp_client.rpc.messages import Json
from acp_client.session import CANCEL_GRACE, Prompt
from acp_client.session import Session as AsyncSession
from acp_client.state.snapshot import SessionSnapshot

if TYPE_CHECKING:
    from acp_client.blocking.client import Client
    from acp_client.client import SessionRef

T = TypeVar("T")


class Session:
    """One conversation with the agent. Made by the client's `new_session`, `load_session` and `resume_session`."""

    def __init__(self, client: Client, session: AsyncSession) -> None:
        self._client = client
        self._session = session
        self._following: set[asyncio.Task[None]] = set()

    def __repr__(self) -> str:
        return repr(self._session)

    @property
    def id(self) -> str:
        """The agent's id of the session."""
        return self._session.id

    @property
    def cwd(self) -> str:
        """The directory the agent works in, in the syntax of its machine."""
        return self._session.cwd

    @property
    def roots(self) -> Roots:
        """What the session works with."""
        return self._session.roots

    @property
    def replayed(self) -> int:
        """Updates of earlier work that the agent replayed when the session was opened."""
        return self._session.replayed

    @property
    def client(self) -> Client:
        """The client it was opened with."""
        return self._client

    @property
    def state(self) -> str:
        """What the agent does: "idle", "running", "requires_action", or a word of its own, which means busy."""
        return self._session.state

    @property
    def snapshot(self) -> SessionSnapshot:
        """Everything known of the session now. Frozen; shared until the next change."""
        return self._client.thread.call(lambda: self._session.snapshot)

    @property
    def pending(self) -> tuple[PendingQuestion, ...]:
        """The questions that wait for an answer, oldest first."""
        return self._client.thread.call(lambda: self._session.pending)

    @property
    def last_activity(self) -> float:
        """When the agent last sent something for this session: seconds of the monotonic clock."""
        return self._session.last_activity

    @property
    def closed(self) -> bool:
        """Whether it was closed on this connection."""
        return self._session.closed

    @property
    def ref(self) -> SessionRef:
        """A reference that can be stored and given to `Client.restore_session` later."""
        return self._client.thread.call(lambda: self._session.ref)

    # prompts

    def prompt(
        self,
        prompt: Prompt,
        *,
        busy: Busy = "error",
        grace: float | None = CANCEL_GRACE,
        idle_timeout: float | None = None,
        meta: Mapping[str, Json] | None = None,
    ) -> Turn:
        """Start a turn that this thread will wait for; see `acp_client.Session.prompt`.

        Without `post`, questions of the turn wait until the thread waits for it and runs their handler.
        """
        return self._prompt(prompt, busy, grace, idle_timeout, meta)

    def start(
        self,
        prompt: Prompt,
        *,
        on_event: Callable[[Update], object] | None = None,
        on_done: Callable[[Turn], object] | None = None,
        busy: Busy = "error",
        grace: float | None = CANCEL_GRACE,
        idle_timeout: float | None = None,
        meta: Mapping[str, Json] | None = None,
    ) -> Turn:
        """Start a turn that nobody waits for.

        `on_event` gets its events in order, the next one when it has returned: meanwhile texts are merged, and after
        much that could not be merged comes one `Gap`. `on_done` gets the ended turn, once, whatever happens. Both are
        called through the client's `post`. Raises as `prompt`.
        """
        turn = self._prompt(prompt, busy, grace, idle_timeout, meta, attended=False)
        self._client.thread.post(lambda: self._follow(turn, on_event, on_done))
        return turn

    def stream(
        self,
        prompt: Prompt,
        *,
        permission: PermissionHandler | None = None,
        busy: Busy = "error",
        grace: float | None = CANCEL_GRACE,
        idle_timeout: float | None = None,
        meta: Mapping[str, Json] | None = None,
    ) -> Turn:
        """Start a turn to iterate over: `with session.stream(...) as turn: for event in turn: ...`.

        `permission` answers the turn's permission requests in place of the host, on the thread that iterates.
        """
        return self._prompt(prompt, busy, grace, idle_timeout, meta, permission)

    def ask(
        self,
        prompt: Prompt,
        *,
        permission: PermissionHandler | None = None,
        on_event: Callable[[Update], object] | None = None,
        busy: Busy = "error",
        grace: float | None = CANCEL_GRACE,
        idle_timeout: float | None = None,
        meta: Mapping[str, Json] | None = None,
    ) -> TurnResult:
        """Run a turn to its end and return its result.

        `permission` answers its permission requests in place of the host, and `on_event` gets its events, both on the
        calling thread. Whatever is raised here cancels the turn first. Raises as `prompt` and `Turn.wait`.
        """
        begun: list[Turn] = []
        try:
            turn = self._prompt(prompt, busy, grace, idle_timeout, meta, permission, begun=begun)
            if on_event is not None:
                for event in turn:
                    on_event(event)
            return turn.wait()
        except BaseException:
            # A `with` would miss a Ctrl-C that comes between the prompt and its block.
            for turn in begun:
                turn._cancel_unless_cancelled()
            raise

    def _prompt(
        self,
        prompt: Prompt,
        busy: Busy,
        grace: float | None,
        idle_timeout: float | None,
        meta: Mapping[str, Json] | None,
        permission: PermissionHandler | None = None,
        attended: bool = True,
        begun: list[Turn] | None = None,
    ) -> Turn:
        attendance, desk = Attendance(threading.get_ident(), permission), self._client._desk
        begun = [] if begun is None else begun

        def begin() -> None:
            turn = self._session.prompt(prompt, busy=busy, grace=grace, idle_timeout=idle_timeout, meta=meta)
            begun.append(Turn(self, turn, grace))
            if attended and not turn.done:
                desk.attend(self.id, attendance)
                turn._work.on_end.append(lambda: desk.unattend(self.id, attendance))

        try:
            self._client.thread.call(begin)
        except Exception:
            raise
        except BaseException:
            # Ctrl-C while the prompt was on its way to the loop: nobody would ever hold the turn it begins.
            self._client.thread.call(lambda: None)
            for turn in begun:
                turn._cancel_and_wait()
            raise
        return begun[0]

    def _follow(
        self,
        turn: Turn,
        on_event: Callable[[Update], object] | None,
        on_done: Callable[[Turn], object] | None,
    ) -> None:
        task = asyncio.ensure_future(self._follow_turn(turn, on_event, on_done))
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    async def _follow_turn(
        self,
        turn: Turn,
        on_event: Callable[[Update], object] | None,
        on_done: Callable[[Turn], object] | None,
    ) -> None:
        if on_event is not None:
            async for event in turn._turn:
                await self._deliver(on_event, event)
        else:
            await asyncio.gather(turn._turn.wait(), return_exceptions=True)
        if on_done is not None:
            await self._deliver(on_done, turn)

    async def _deliver(self, callback: Callable[[Any], object], value: object) -> None:
        """Have a callback called on the host's thread, and wait until it has returned."""
        loop, returned = asyncio.get_running_loop(), asyncio.Event()

        def call() -> None:
            try:
                guarded(lambda: callback(value))
            finally:
                call_soon(loop, returned.set)

        self._client._desk.delivery.put(call)
        await returned.wait()

    def cancel(
        self,
        grace: float | None = CANCEL_GRACE,
        escalate: Sequence[str] = (),
        *,
        meta: Mapping[str, Json] | None = None,
    ) -> CancelHandle:
        """Stop what the session does. Never waits; safe from any thread; see `acp_client.Session.cancel`."""
        return CancelHandle(self._client, self._session.cancel(grace, escalate, meta=meta))

    # watching

    def on_update(self, callback: Callable[[Update], Any]) -> Callable[[], None]:
        """Call `callback` once for every event, in order, none left out, through the client's `post`.

        Returns the function that ends it. Without a `post` it is called on the loop and must be quick; a coroutine
        function always runs there and may be slow.
        """
        thread, listener = self._client.thread, posted(callback, self._client._desk.delivery)
        end = thread.call(lambda: self._session.on_update(listener))
        return lambda: thread.call(end)

    def events(self) -> Events:
        """Iterate over events from now on, for renderers; see `acp_client.Session.events`."""
        return Events(self, cast("EventStream", self._client.thread.call(self._session.events)))

    # settings

    def set_config_option(self, option_id: str, value: str | bool, *, meta: Mapping[str, Json] | None = None) -> None:
        """Set one of the agent's options, also a version 1 mode (its option's category is `mode`)."""
        self._wait(self._session.set_config_option(option_id, value, meta=meta))

    def set_mode(self, mode_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Set the option of category `mode`. Raises `NotSupported` when the agent has none."""
        self._wait(self._session.set_mode(mode_id, meta=meta))

    def cancel_tool_call(self, tool_call_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Ask the agent to stop one tool call (version 2). The answer says accepted, not stopped."""
        self._wait(self._session.cancel_tool_call(tool_call_id, meta=meta))

    def cancel_terminal(self, terminal_id: str, *, meta: Mapping[str, Json] | None = None) -> None:
        """Ask the agent to stop the process of one of its terminals (version 2)."""
        self._wait(self._session.cancel_terminal(terminal_id, meta=meta))

    def withdraw_requests(self) -> int:
        """End all the agent asks for in this session with -32800. Returns how many; safe from any thread."""
        return self._session.withdraw_requests()

    # the end

    def close(self, *, meta: Mapping[str, Json] | None = None) -> None:
        """Close the session; its state stays readable. Raises `NotSupported` where the agent does not offer it."""
        self._wait(self._session.close(meta=meta))

    def _wait(self, coroutine: Coroutine[Any, Any, T], timeout: float | None = None, turn: Turn | None = None) -> T:
        client = self._client
        try:
            with client._desk.waiting(self.id, _nothing if turn is None else turn._cancel_now) as waiter:
                return client.thread.wait(client.thread.submit(coroutine), waiter.jobs, timeout)
        except Exception:
            raise
        except BaseException:
            # Ctrl-C, here or in a handler.
            if turn is not None:
                turn._cancel_and_wait()
            raise


def _nothing() -> None:
    """There is nothing to cancel."""
