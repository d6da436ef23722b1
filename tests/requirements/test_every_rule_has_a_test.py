"""Every id of the rule tables is named by a test, and tests name no id that does not exist."""

from __future__ import annotations

from collections import Counter

from tests.requirements.rules import naming_tests, rules


def test_every_rule_has_a_test() -> None:
    """Ours: a rule without a test is a rule nobody keeps."""
    tested = naming_tests()
    missing = [rule.id for rule in rules() if rule.untestable is None and rule.id not in tested]
    assert not missing, f"{len(missing)} of {len(rules())} rules have no test: {' '.join(missing)}"


def test_no_rule_that_has_a_test_is_called_untestable() -> None:
    """Ours: an excuse goes as soon as it is none any more."""
    tested = naming_tests()
    assert not [rule.id for rule in rules() if rule.untestable is not None and rule.id in tested]


def test_ids_stand_in_one_table_each_and_tests_name_no_others() -> None:
    """Ours: an id that nobody can look up means nothing to a reader."""
    known = Counter(rule.id for rule in rules())
    assert [rule_id for rule_id, count in known.items() if count > 1] == []
    strangers = {rule_id: tests for rule_id, tests in naming_tests().items() if rule_id not in known}
    assert not strangers
