"""The studio: rooms where people and bots play, over HTTP and WebSockets, with the games kept in a store."""

from .app import create_app
from .server import listen, serve
from .server_limits import ServerLimits

__all__ = [
    "ServerLimits",
    "create_app",
    "listen",
    "serve",
]
