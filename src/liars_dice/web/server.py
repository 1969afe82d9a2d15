"""Running the studio: a listening socket, and uvicorn around the application."""

from __future__ import annotations

import contextlib
import gc
import socket
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

import uvicorn
from starlette.applications import Starlette

from ..core import BadValueError
from ..persistence import open_store
from .app import create_app
from .connection_limits import guarded_protocol
from .http_guard import LOOPBACK, hosts_when_bound_to
from .server_limits import ServerLimits

MANY_WAITING, AT_ONCE = 2048, 4
"""How many new connections the system keeps waiting, and how many of them are accepted before moves have a turn."""


class Ready(Protocol):
    """Called when the server is up."""

    def __call__(self, address: str, *, local: bool) -> None:
        """The server is at this address; `local` means that only this machine can reach it."""


def serve(
    host: str,
    port: int,
    db: str | None,
    ready: Ready,
    *,
    agents: Sequence[str] = (),
    open_browser: bool = False,
    limits: ServerLimits | None = None,
    public_names: Sequence[str] = (),
    behind_proxy: bool = False,
    player_cards: bool = True,
) -> None:
    """Serve until the process is stopped. `ready` is called as soon as the server answers.

    `public_names` are more names of this server: those of a proxy in front of it, or those it has in your network.
    With `behind_proxy`, `X-Forwarded-*` headers from this machine are trusted, and from nowhere else.
    Without `player_cards`, no one sees what finished games say about a player.
    """
    limits = ServerLimits() if limits is None else limits
    _allow_many_files()
    open_store(db).close()  # report problems with the store now, not to the first player
    listening = listen(host, port)
    local = host in LOOPBACK
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    try:
        hosts = hosts_when_bound_to(host)
        app = create_app(
            db, limits=limits, agents=agents, hosts=hosts, public_names=public_names, player_cards=player_cards
        )

        def up() -> None:
            _up(address, local, open_browser, ready)
            app.state.coach.warm_up()

        sys.setswitchinterval(0.0002)  # threads that compute let the event loop go on soon
        gc.freeze()  # what is loaded by now stays; scanning it repeatedly would make players wait
        gc.set_threshold(50_000, 20, 100)
        _Server(server_config(app, limits, behind_proxy=behind_proxy), up, app.state.coach.close).run(
            sockets=[listening]
        )
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()


def server_config(app: Starlette, limits: ServerLimits, *, behind_proxy: bool = False) -> uvicorn.Config:
    """Uvicorn's settings for these limits."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        http=guarded_protocol(limits.hello_s),
        ws_max_size=limits.message_bytes,
        ws_max_queue=16,
        ws_per_message_deflate=False,
        backlog=AT_ONCE,
        timeout_graceful_shutdown=3,
        limit_concurrency=2 * limits.sockets,
        server_header=False,
        proxy_headers=behind_proxy,
        forwarded_allow_ips=["127.0.0.1", "::1"],
    )


class _Server(uvicorn.Server):
    """Calls back when it is up, and before it shuts down."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], stopping: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready
        self._stopping = stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call `ready`."""
        await super().startup(sockets=sockets)
        for listening in sockets or ():
            listening.listen(MANY_WAITING)  # asyncio has told the system to keep only `AT_ONCE`
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Call `stopping`, which ends slow requests, then stop."""
        self._stopping()
        await super().shutdown(sockets=sockets)


def _up(address: str, local: bool, open_browser: bool, ready: Ready) -> None:
    ready(address, local=local)
    if open_browser:
        import threading
        import webbrowser

        here = address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
        threading.Thread(target=webbrowser.open, args=(here,), daemon=True).start()


def _allow_many_files() -> None:
    """Raise the limit on open files: every socket is one, and the default is too low for many players."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 16_384)), hard))


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; `BadValueError` if the address is not free on this machine."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, proto, _, address = found[0]
        listening = socket.socket(family, kind, proto)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(MANY_WAITING)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise BadValueError(
            "host and port", f"{host}:{port}", f"an address that is free on this machine ({error})"
        ) from error
    return listening
