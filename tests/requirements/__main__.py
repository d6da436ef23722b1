"""`python -m tests.requirements`: every rule with the tests that name it, as a table."""

from __future__ import annotations

import sys

from tests.requirements.rules import naming_tests, rules


def main() -> int:
    """Print the table; the status tells whether every rule has a test."""
    tested, missing = naming_tests(), 0
    for rule in rules():
        names = tested.get(rule.id, [])
        missing += not names and rule.untestable is None
        if rule.untestable is not None:
            names = [f"({rule.untestable})"]
        sys.stdout.write(f"{rule.id:<12} {', '.join(names) or 'NO TEST'}\n")
    sys.stdout.write(f"{len(rules())} rules, {missing} without a test\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
