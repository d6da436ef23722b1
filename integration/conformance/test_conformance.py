"""Our client against the kit: every rule that shows on the wire, in every version, in a process of its own."""

from __future__ import annotations

import pytest

from integration.conformance.kit import OTHERS, OURS, Verdict, play, play_all, plays_of
from integration.conformance.rules import RULES
from integration.conformance.run import PAGE, TEXTS
from integration.peers.needs import need

pytestmark = pytest.mark.timeout(300)

PLAYS = plays_of(OURS)


@pytest.fixture(scope="module")
def verdicts() -> dict[tuple[str, int], Verdict]:
    """All plays, several at a time."""
    return {(verdict.rule, verdict.version): verdict for verdict in play_all(OURS, PLAYS)}


@pytest.mark.parametrize(("rule", "version"), PLAYS, ids=[f"{rule}-v{version}" for rule, version in PLAYS])
def test_our_client_keeps_the_rule_on_the_wire(
    verdicts: dict[tuple[str, int], Verdict], rule: str, version: int
) -> None:
    """The id of the rule is the parameter: the client program on this package keeps it against a scripted agent."""
    found = verdicts[rule, version]
    assert (found.verdict, found.reason) == ("kept", "")


@pytest.mark.integration
def test_the_kit_finds_a_client_that_breaks_a_rule() -> None:
    """CAN-28: a program that sends what was clicked after the cancel is found out."""
    need("python-sdk")
    found = play(OTHERS[0], "CAN-28", 1)
    assert found == Verdict("CAN-28", 1, "broken", "approved after the cancel")


def test_every_play_is_about_a_rule_of_the_documentation_and_on_its_page() -> None:
    """Ours: an id means the same in the kit, in the rules, and in the comparison."""
    for page in (TEXTS, PAGE):
        listed = [line.split("|")[1].strip() for line in page.read_text().splitlines() if line.startswith("| CAN-")]
        assert set(RULES) <= set(listed)
