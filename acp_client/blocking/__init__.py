"""The client for hosts without an event loop: the same calls as the asyncio façade, for threads that wait.

from acp_client.blocking import Client

with Client.connect("demo") as client:
    session = client.new_session("/project")
    print(session.ask("What does this project do?").text)
"""

from acp_client.blocking.client import Client
from acp_client.blocking.delivery import DrainQueue, Post
from acp_client.blocking.loop_thread import LoopThread
from acp_client.blocking.session import Session
from acp_client.blocking.turn import CancelHandle, Events, PermissionHandler, Turn

__all__ = [
    "CancelHandle",
    "Client",
    "DrainQueue",
    "Events",
    "LoopThread",
    "PermissionHandler",
    "Post",
    "Session",
    "Turn",
]
