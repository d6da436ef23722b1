"""Agents in notebooks. Needs the extra `jupyter`.

from acp_client.jupyter import Notebook

nb = Notebook("demo")
turn = nb.start("Use a tool that needs permission")
"""

from acp_client.jupyter.interrupts import interruptible, ticking
from acp_client.jupyter.live import LiveTurn
from acp_client.jupyter.notebook import Notebook
from acp_client.jupyter.view import SessionView

__all__ = ["LiveTurn", "Notebook", "SessionView", "interruptible", "ticking"]
