"""The scripted agent as a process: plays one rule with whoever started it and writes the verdict into a file.

    python agent.py --rule CAN-22 --version 2 --verdict FILE

Needs nothing but the standard library, so that any client can start it in any environment.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from integration.conformance import play_completion, play_requests, play_session_cancel, play_the_rest
from integration.conformance.rules import RULES
from integration.conformance.stage import Broken, NotShown, Stage

PLAYS = (play_requests, play_session_cancel, play_completion, play_the_rest)
"""The modules whose import fills the table."""


def main() -> None:
    """Play one rule; whatever happens, a verdict is written."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--rule", choices=RULES, required=True)
    arguments.add_argument("--version", type=int, choices=(1, 2), required=True)
    arguments.add_argument("--verdict", type=Path, required=True)
    options = arguments.parse_args()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # clients that end by killing are judged by what they wrote before
    stage = Stage(options.version)
    verdict, reason = "kept", ""
    try:
        RULES[options.rule].play(stage)
    except Broken as broken:
        verdict, reason = "broken", str(broken)
    except NotShown as not_shown:
        verdict, reason = "not shown", str(not_shown)
    options.verdict.write_text(json.dumps({"verdict": verdict, "reason": reason}))
    stage.leave()


if __name__ == "__main__":
    main()
