"""Asking the person at the notebook, and finding out that there is none.

Asks with `input()` on the thread that waits for the turn. A thread parked in `input()` could not be taken back: it
would steal the answer to the next cell's question.
"""

from __future__ import annotations

from acp_client.errors import UsageError
from acp_client.jupyter.interrupts import interruptible
from acp_client.jupyter.rendering import question_text
from acp_client.policy.permissions import PermissionPolicy, Verdict
from acp_client.policy.questions import PendingPermission


def answer(question: PendingPermission, unattended: PermissionPolicy) -> None:
    """Have a question answered here and now: by a person, or by the policy for when there is nobody.

    `KeyboardInterrupt` goes through with the question still open.
    """
    if not _ask_person(question):
        decide(question, unattended)


def decide(question: PendingPermission, policy: PermissionPolicy) -> None:
    """Answer as a policy says; without an opinion, or where it is not clear what to allow, the answer is no."""
    verdict = policy(question)
    try:
        if verdict is Verdict.ALLOW:
            question.allow()
        elif verdict is Verdict.CANCEL:
            question.cancel()
        else:
            question.deny()
    except UsageError:
        question.deny()


def _ask_person(question: PendingPermission) -> bool:
    """Ask until there is an answer; False when nobody can be asked."""
    from IPython.core.error import StdinNotImplementedError

    choices = {str(number): option for number, option in enumerate(question.options, 1)}
    menu = ", ".join(f"{number} = {option.name}" for number, option in choices.items())
    text = f"{question_text(question)}\n{menu}, empty = no: "
    while question.open:
        try:
            with interruptible():
                typed = input(text).strip()
        except (EOFError, StdinNotImplementedError):
            return False
        if not typed:
            question.deny()
        elif typed in choices:
            question.select(choices[typed])
    return True
