"""The studio: rooms in which people and bots meet, over HTTP and WebSockets, with the store underneath."""

from .app import create_app
from .safety import ServerLimits
from .server import serve

__all__ = [
    "ServerLimits",
    "create_app",
    "serve",
]
