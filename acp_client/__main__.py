"""`python -m acp_client`: the same as the `acp-client` command."""

from __future__ import annotations

import sys

from acp_client.cli import main

if __name__ == "__main__":
    sys.exit(main())
