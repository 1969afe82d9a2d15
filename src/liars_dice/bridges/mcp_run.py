"""Running the MCP server: over standard input and output, or over streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable, Sequence

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from ..web import listen
from .mcp_server import Tables, make_server
from .studio_seat import LOOPBACK

LARGEST_REQUEST = 1 << 16
MOST_SESSIONS = 200
IDLE_S = 600.0
"""A session that says nothing for this long is closed. Its games stay, by their handles."""


def serve_stdio(tables: Tables) -> None:
    """Serve the program at the other end of standard input, until it ends."""

    async def run() -> None:
        try:
            await make_server(tables).run_stdio_async()
        finally:
            await tables.close()

    with contextlib.redirect_stdout(sys.__stdout__):  # the protocol is written as it is; the SDK keeps prints out of it
        asyncio.run(run())


def serve_http(
    tables: Tables, host: str, port: int, ready: Callable[[str], None], *, public_names: Sequence[str] = ()
) -> None:
    """Serve until the process is stopped; `ready` is called with the address as soon as the server answers.

    Requests must name this machine, so that no web page elsewhere can use the server by way of a browser here.
    """
    listening = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    names = [*LOOPBACK[:2], "[::1]", shown, *public_names, *(() if host in LOOPBACK else _own_names())]
    hosts = [one for name in names for one in (name, f"{name}:*")]
    app = make_server(tables).streamable_http_app(
        host=host,
        max_request_body_size=LARGEST_REQUEST,
        max_sessions=MOST_SESSIONS,
        session_idle_timeout=IDLE_S,
        transport_security=TransportSecuritySettings(
            allowed_hosts=hosts,
            allowed_origins=[
                f"{scheme}://{name}{at}" for name in names for scheme in ("http", "https") for at in ("", ":*")
            ],
        ),
    )
    server = _Server(uvicorn.Config(app, log_level="warning", access_log=False, server_header=False))
    server.ready = lambda: ready(f"http://{shown}:{listening.getsockname()[1]}/mcp")

    async def run() -> None:
        try:
            await server.serve(sockets=[listening])
        finally:
            await tables.close()

    try:
        asyncio.run(run())
    finally:
        listening.close()


class _Server(uvicorn.Server):
    """Says when it is up."""

    ready: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call `ready`."""
        await super().startup(sockets=sockets)
        if self.started:
            self.ready()


def _own_names() -> list[str]:
    """The names and addresses of this machine, as far as it knows them."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    try:
        found = {str(address[4][0]) for address in socket.getaddrinfo(name, None)}
    except OSError:
        found = set()
    addresses = [f"[{address}]" if ":" in address else address for address in sorted(found)]
    return [name, short, f"{short}.local", *addresses]
