"""The dialect of a version, imported when the first connection settles on it: models are the dear part of the start."""

from __future__ import annotations

from functools import cache

from acp_client.protocol.dialect import Dialect


@cache
def dialect(version: int) -> Dialect:
    """Return the one dialect of a protocol version, 1 or 2."""
    if version == 1:
        from acp_client.protocol.v1 import V1Dialect

        return V1Dialect()
    from acp_client.protocol.v2 import V2Dialect

    return V2Dialect()
