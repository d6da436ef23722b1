"""Runs the host's methods and makes exactly one answer of what they return or raise.

Coroutine functions run as tasks of the connection. Plain functions run in a daemon thread each, so that one that asks
a person holds up neither the loop nor the end of the program.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Callable
from typing import Any

from acp_client.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    InvalidModel,
    RequestRefused,
)
from acp_client.host import (
    LATER,
    TERMINAL_METHODS,
    Accept,
    Declined,
    Host,
    TerminalExit,
    TerminalOutput,
    is_coroutine_function,
    provides,
)
from acp_client.policy.permissions import PermissionOption, Verdict
from acp_client.policy.questions import PendingElicitation, PendingPermission, PendingQuestion
from acp_client.policy.router import Router
from acp_client.rpc.connection import Connection
from acp_client.rpc.inbound import Answer, EndedBy, InboundRequest
from acp_client.rpc.messages import Json, require_json
from acp_client.rpc.peer import Diagnostic

log = logging.getLogger("acp_client")

FAILED = Answer(code=INTERNAL_ERROR, message="the client's handler failed")
ABORTED = Answer(code=REQUEST_CANCELLED, message="the client's handler was cancelled")

_HOST_METHODS = {
    "fs/read_text_file": "read_text_file",
    "fs/write_text_file": "write_text_file",
    "terminal/create": "create_terminal",
    "terminal/output": "terminal_output",
    "terminal/wait_for_exit": "wait_for_terminal_exit",
    "terminal/kill": "kill_terminal",
    "terminal/release": "release_terminal",
}


class Serving:
    """The host's side of one connection."""

    def __init__(self, host: Host, question_timeout: float | None) -> None:
        self._host = host
        self._question_timeout = question_timeout
        self.connection: Connection
        self.router: Router

    def ask(self, question: PendingQuestion) -> None:
        """Let the host answer a question; its handler ends when somebody else ends the question."""
        if self._question_timeout is not None:
            stop = self.router.later(self._question_timeout, lambda: self._expire(question))
            question.on_ended(stop)
        permission = isinstance(question, PendingPermission)
        handler: Callable[[Any], Any] = self._host.request_permission if permission else self._host.elicit
        self._run(
            question.entry,
            lambda: handler(question),
            handler,
            lambda reply: self._take_reply(question, reply),
            lambda error: self._on_question_fault(question, error),
        )

    def serve(self, entry: InboundRequest) -> None:
        """Serve a file, terminal or extension request; what the host does not provide does not exist."""
        if not self._provides(entry.method):
            answer = Answer(code=METHOD_NOT_FOUND, message=f"no such method: {entry.method[:80]}")
            self.router.peer.inbound.settle(entry, answer, EndedBy.POLICY)
        elif entry.method.startswith("_"):
            method, name = self._host.extension_request, "extension_request"
            self._run(
                entry,
                lambda: method(entry.method, entry.params),
                method,
                lambda reply: self._answer(entry, lambda: Answer(require_json(reply))),
                lambda error: self._on_fault(entry, name, error),
            )
        else:
            self._serve_method(entry, _HOST_METHODS[entry.method])

    def _provides(self, method: str) -> bool:
        if method.startswith("_"):
            return provides(self._host, "extension_request")
        name = _HOST_METHODS[method]
        return all(provides(self._host, m) for m in (TERMINAL_METHODS if name in TERMINAL_METHODS else (name,)))

    def _serve_method(self, entry: InboundRequest, name: str) -> None:
        try:
            request = self.router.dialect.structure_request(entry.method, entry.params)
        except InvalidModel as problem:
            answer = Answer(code=INVALID_PARAMS, message=f"invalid params: {problem}")
            self.router.peer.inbound.settle(entry, answer, EndedBy.POLICY)
            return
        handler = getattr(self._host, name)
        self._run(
            entry,
            lambda: handler(request),
            handler,
            lambda reply: self._answer(entry, lambda: Answer(_wire_result(entry.method, reply))),
            lambda error: self._on_fault(entry, name, error),
        )

    # running

    def _run(
        self,
        entry: InboundRequest,
        call: Callable[[], Any],
        handler: Callable[..., Any],
        take: Callable[[Any], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        entry.uncancellable = getattr(handler, "__acp_uncancellable__", False)
        if is_coroutine_function(handler):
            entry.stop = self.connection.spawn(self._await(entry, call, take, fail)).cancel
        else:
            arguments = entry, call, take, fail
            threading.Thread(
                target=self._in_thread, args=arguments, name=f"acp-client {entry.method}", daemon=True
            ).start()

    async def _await(
        self,
        entry: InboundRequest,
        call: Callable[[], Any],
        take: Callable[[Any], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        try:
            reply = await call()
        except asyncio.CancelledError as error:
            if not entry.open or _is_being_cancelled():
                raise  # we were stopped: whoever stopped us has settled the request
            fail(error)  # the handler's own work was
        except Exception as error:
            fail(error)
        else:
            take(reply)

    def _in_thread(
        self,
        entry: InboundRequest,
        call: Callable[[], Any],
        take: Callable[[Any], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        try:
            reply = call()
        except BaseException as error:  # also what ends a thread: the agent waits for an answer
            fault = error
            self.connection.post(lambda: fail(fault))
        else:
            self.connection.post(lambda: self._take_from_thread(entry, reply, take, fail))

    def _take_from_thread(
        self,
        entry: InboundRequest,
        reply: Any,
        take: Callable[[Any], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        if not inspect.isawaitable(reply):
            take(reply)
        elif entry.open:
            entry.stop = self.connection.spawn(self._await(entry, lambda: reply, take, fail)).cancel
        elif inspect.iscoroutine(reply):
            reply.close()

    # questions

    def _take_reply(self, question: PendingQuestion, reply: Any) -> None:
        if not question.open:
            return
        try:
            understood = self._give(question, reply)
        except Exception as error:  # whatever is wrong with the reply
            self._on_question_fault(question, error)
            return
        if not understood:
            self._on_question_fault(
                question, TypeError(f"the handler returned a {type(reply).__name__}, which is no answer")
            )

    @staticmethod
    def _give(question: PendingQuestion, reply: Any) -> bool:
        if reply is LATER:
            return True
        if reply is Verdict.CANCEL:
            question.cancel()
        elif isinstance(question, PendingElicitation):
            if isinstance(reply, Accept):
                question.accept(reply.content)
            elif isinstance(reply, Declined):
                question.decline()
            else:
                return False
        elif isinstance(question, PendingPermission):
            if reply is Verdict.DENY:
                question.deny()
            elif reply is Verdict.ALLOW:
                question.allow()
            elif isinstance(reply, str | PermissionOption) and not isinstance(reply, Verdict):
                question.select(reply)
            else:
                return False
        return True

    def _on_question_fault(self, question: PendingQuestion, error: BaseException) -> None:
        """A handler that fails approves nothing: cancelled for a permission, an error for an elicitation."""
        if not question.open:
            return
        answer = _error_answer(error)
        if answer is FAILED:
            self._report(question.entry, error)
            if isinstance(question, PendingPermission):
                answer = question.withdrawn()
        self.router.hand_in(question.entry, answer, EndedBy.HOST)

    def _expire(self, question: PendingQuestion) -> None:
        self.router.hand_in(question.entry, question.withdrawn(), EndedBy.TIMEOUT)

    # everything else

    def _answer(self, entry: InboundRequest, make: Callable[[], Answer]) -> None:
        try:
            answer = make()
        except Exception as error:  # whatever is wrong with the reply
            self._on_fault(entry, entry.method, error)
        else:
            self.router.hand_in(entry, answer, EndedBy.HOST)

    def _on_fault(self, entry: InboundRequest, name: str, error: BaseException) -> None:
        answer = _error_answer(error)
        if answer is FAILED:
            self._report(entry, error)
        self.router.hand_in(entry, answer, EndedBy.HOST)

    def _report(self, entry: InboundRequest, error: BaseException) -> None:
        log.error("the host's handler for %s failed", entry.method, exc_info=error)
        self.router.report(Diagnostic("handler_failed", f"handler for {entry.method} failed: {type(error).__name__}"))


def _error_answer(error: BaseException) -> Answer:
    if isinstance(error, RequestRefused) and error.code != 0:
        try:
            return Answer(code=error.code, message=str(error.message), data=require_json(error.data))
        except ValueError:
            return FAILED
    return ABORTED if isinstance(error, asyncio.CancelledError) else FAILED


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _wire_result(method: str, reply: Any) -> Json:
    """Return the result object for what a host method returned; raises `TypeError` for another kind of value."""
    match method, reply:
        case "fs/read_text_file", str():
            return {"content": reply}
        case "terminal/create", str():
            return {"terminalId": reply}
        case "terminal/output", TerminalOutput():
            result: dict[str, Json] = {"output": reply.output, "truncated": reply.truncated}
            return result if reply.exit is None else {**result, "exitStatus": _exit_status(reply.exit)}
        case "terminal/wait_for_exit", TerminalExit():
            return _exit_status(reply)
        case (("fs/write_text_file" | "terminal/kill" | "terminal/release"), None):
            return {}
    raise TypeError(f"the handler for {method} returned a {type(reply).__name__}")


def _exit_status(reply: TerminalExit) -> dict[str, Json]:
    return {"exitCode": reply.exit_code, "signal": reply.signal}
