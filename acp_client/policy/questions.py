"""Questions the agent asks a person: permission requests and elicitations, as objects that anybody may answer.

Answers are thread-safe and idempotent: the first one counts and returns True, every later one returns False. A dialog
learns from `ended_by` why its question is over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import attrs

from acp_client.errors import REQUEST_CANCELLED, UsageError
from acp_client.policy.cancellation import OpenRequest, Withdrawal
from acp_client.policy.permissions import PermissionOption, allow_option, deny_option
from acp_client.rpc.inbound import Answer, EndedBy, InboundRequest
from acp_client.rpc.messages import Json, require_json
from acp_client.state.items import ToolCall

INTERNAL = Answer(code=REQUEST_CANCELLED, message="the client cancelled the request")
OUTCOME_CANCELLED = Answer({"outcome": {"outcome": "cancelled"}})


class Desk(Protocol):
    """Where answers are handed in: claims them at once, in any thread, and writes them in the connection's thread."""

    def hand_in(self, entry: InboundRequest, answer: Answer, by: EndedBy) -> bool: ...


class PendingQuestion(ABC):
    """What permission requests and elicitations have in common.

    `id` is unique on the connection, `raw` the request's params as they came, `meta` its `_meta`. It belongs to its
    connection: a copy is the question itself, and what is pickled comes back with None in its place.
    """

    kind: ClassVar[str]

    def __init__(self, desk: Desk, entry: InboundRequest, number: int) -> None:
        self._desk = desk
        self.entry = entry
        self.id = f"q{number}"
        self.raw: Mapping[str, Json] = entry.params
        self._listeners: list[Callable[[], None]] = []

    @property
    def session_id(self) -> str | None:
        """The session the question belongs to; None for an elicitation that belongs to a request."""
        return self.entry.session_id

    @property
    def meta(self) -> Mapping[str, Json]:
        """The request's `_meta`, empty when it has none."""
        meta = self.raw.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def open(self) -> bool:
        """Whether an answer is still wanted."""
        return self.entry.open

    @property
    def ended_by(self) -> EndedBy | None:
        """Who settled it, or None while it is open."""
        return self.entry.ended_by

    def cancel(self) -> bool:
        """Dismiss it without a choice: outcome or action `cancelled`. False when it was settled already."""
        return self._hand_in(self.withdrawn(), EndedBy.HOST)

    def withdraw(self) -> bool:
        """End it because of something on this side (a file is gone, a window closed): the agent gets -32800."""
        return self._hand_in(INTERNAL, EndedBy.INTERNAL_CANCEL)

    @abstractmethod
    def withdrawn(self) -> Answer:
        """The answer that says that nobody decided."""

    @abstractmethod
    def open_request(self, background: frozenset[tuple[str, str]]) -> OpenRequest:
        """What a cancellation policy is told of it; `background` are type and id of the listed background work."""

    def answer_for(self, withdrawal: Withdrawal) -> Answer:
        return self.withdrawn() if withdrawal is Withdrawal.CANCELLED else INTERNAL

    def on_ended(self, listener: Callable[[], None]) -> None:
        """Call `listener` once, in the connection's thread, when the question is over; at once if it is."""
        if self.entry.open:
            self._listeners.append(listener)
        else:
            listener()

    def has_ended(self) -> None:
        """Tell the listeners. Called by the session's work, once."""
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def _hand_in(self, answer: Answer, by: EndedBy) -> bool:
        return self._desk.hand_in(self.entry, answer, by)

    def __copy__(self) -> Self:
        return self  # there is one: an answer to a copy would be an answer to it

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _left_behind, ()

    def __repr__(self) -> str:
        state = "open" if self.open else f"ended by {self.ended_by}"
        return f"<{type(self).__name__} {self.id} {state}>"


def _left_behind() -> None:
    """What a pickled question becomes."""


@attrs.define
class PermissionDetails:
    """What a permission request says, whatever its version wrote it like. Changed only while a dialect makes it."""

    title: str
    options: tuple[PermissionOption, ...]
    description: str | None = None
    tool_call_id: str | None = None
    terminal_id: str | None = None
    command: str | None = None
    command_cwd: str | None = None
    subject_type: str | None = None

    def is_about(self, work: frozenset[tuple[str, str]]) -> bool:
        """Whether its tool call or terminal is in a set of work, given as type and id (V2-TRM-12)."""
        return ("tool_call", self.tool_call_id) in work or ("terminal", self.terminal_id) in work


class PendingPermission(PendingQuestion):
    """The agent asks before it acts. Answer with `select`, `allow`, `deny` or `cancel`."""

    kind = "permission"

    def __init__(
        self,
        desk: Desk,
        entry: InboundRequest,
        number: int,
        details: PermissionDetails,
        tool_call: Callable[[], ToolCall | None],
    ) -> None:
        super().__init__(desk, entry, number)
        self.details = details
        self._tool_call = tool_call

    @property
    def title(self) -> str:
        """One line to show; the tool call's title where the request has none of its own."""
        return self.details.title

    @property
    def description(self) -> str | None:
        return self.details.description

    @property
    def options(self) -> Sequence[PermissionOption]:
        """What the agent offers, in its order; empty for agents that break the rules: then only `cancel` is left."""
        return self.details.options

    @property
    def command(self) -> str | None:
        """The command line to be approved, for requests about a command; it is never run by this side."""
        return self.details.command

    @property
    def tool_call(self) -> ToolCall | None:
        """The tool call as it is now in the session's state, or None when the request is not about one."""
        return self._tool_call()

    def select(self, option: PermissionOption | str) -> bool:
        """Choose one of `options`. False when it was settled already. Raises `UsageError` for another option."""
        chosen = option.option_id if isinstance(option, PermissionOption) else option
        if all(chosen != offered.option_id for offered in self.options):
            raise UsageError(f"option {chosen!r} was not offered; offered: {[o.option_id for o in self.options]}")
        return self._hand_in(self._selected(chosen), EndedBy.HOST)

    def allow(self) -> bool:
        """Choose the option that allows once. Raises `UsageError` when there is not exactly one."""
        option = allow_option(self.options)
        if option is None:
            raise UsageError(f"not exactly one option allows once; choose one of {[o.option_id for o in self.options]}")
        return self.select(option)

    def deny(self) -> bool:
        """Choose the option that rejects once, or the outcome `cancelled` where none does. False when settled."""
        return self._hand_in(self.denial(), EndedBy.HOST)

    def denial(self) -> Answer:
        option = deny_option(self.options)
        return OUTCOME_CANCELLED if option is None else self._selected(option.option_id)

    def approval(self, option: PermissionOption) -> Answer:
        return self._selected(option.option_id)

    def withdrawn(self) -> Answer:
        return OUTCOME_CANCELLED

    def open_request(self, background: frozenset[tuple[str, str]]) -> OpenRequest:
        return OpenRequest(
            self.id,
            self.kind,
            self.session_id or "",
            self.details.tool_call_id,
            self.details.terminal_id,
            self.details.is_about(background),
        )

    @staticmethod
    def _selected(option_id: str) -> Answer:
        return Answer({"outcome": {"outcome": "selected", "optionId": option_id}})


class PendingElicitation(PendingQuestion):
    """The agent asks for input: a form (`mode` "form") or a visit to a URL (`mode` "url").

    `schema` is the form's JSON schema as the agent wrote it. For a URL, show all of it and its host, and open it only
    after `accept`. That the visit is over is told to `Host.elicitation_completed`, if the agent says so.
    """

    kind = "elicitation"

    def __init__(self, desk: Desk, entry: InboundRequest, number: int) -> None:
        super().__init__(desk, entry, number)
        self.mode: str = self.raw["mode"]
        self.message: str = self.raw.get("message", "")
        self.schema: Mapping[str, Any] | None = self.raw.get("requestedSchema")
        self.url: str | None = self.raw.get("url")
        self.elicitation_id: str | None = self.raw.get("elicitationId")

    @property
    def tool_call_id(self) -> str | None:
        """The tool call it belongs to, if the agent named one."""
        tool_call_id = self.raw.get("toolCallId")
        return tool_call_id if isinstance(tool_call_id, str) else None

    @property
    def request_id(self) -> int | str | None:
        """The id of the request of ours it belongs to, if the agent named one."""
        return self.raw.get("requestId")

    def accept(self, content: Mapping[str, Json] | None = None) -> bool:
        """Give the form's values, or consent to open the URL. False when it was settled already.

        Raises `UsageError` when `content` cannot be written as JSON.
        """
        result: dict[str, Json] = {"action": "accept"}
        if content is not None:
            try:
                result["content"] = require_json(dict(content))
            except (TypeError, ValueError) as error:
                raise UsageError(f"cannot send this content: {error}") from None
        return self._hand_in(Answer(result), EndedBy.HOST)

    @property
    def consented(self) -> bool:
        """Whether somebody agreed to open the URL."""
        answer = self.entry.answer
        return self.mode == "url" and answer is not None and not answer.is_error and answer.result["action"] == "accept"

    def decline(self) -> bool:
        """Refuse explicitly. False when it was settled already."""
        return self._hand_in(Answer({"action": "decline"}), EndedBy.HOST)

    def withdrawn(self) -> Answer:
        return Answer({"action": "cancel"})

    def open_request(self, background: frozenset[tuple[str, str]]) -> OpenRequest:
        in_background = ("tool_call", self.tool_call_id) in background
        return OpenRequest(self.id, self.kind, self.session_id or "", self.tool_call_id, None, in_background)
