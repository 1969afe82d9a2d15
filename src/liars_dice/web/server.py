"""Running the studio: a listening socket, and uvicorn around the application."""

from __future__ import annotations

import contextlib
import gc
import socket
from collections.abc import Callable, Sequence
from typing import Protocol

import uvicorn
from starlette.applications import Starlette

from ..core import BadValueError
from ..persistence import open_store
from .app import create_app
from .connection_limits import impatient
from .safety import LOOPBACK, ServerLimits


class Ready(Protocol):
    """Whoever wants to know when the server is up."""

    def __call__(self, address: str, *, local: bool) -> None:
        """It is at this address; `local` says that only this machine is let in."""


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
) -> None:
    """Serve until somebody stops it. `ready` is told the address as soon as the server answers.

    `public_names` are names by which a proxy is known that hands requests on to this server. `behind_proxy` believes a
    proxy on this machine, and nobody else, from whom a request comes.
    """
    limits = ServerLimits() if limits is None else limits
    _allow_many_files()
    open_store(db).close()  # trouble with the store is told now, not to the first player
    listening = _listen(host, port)
    local = host in LOOPBACK
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    try:
        hosts = LOOPBACK if local else None
        app = create_app(db, limits=limits, agents=agents, hosts=hosts, public_names=public_names)

        def up() -> None:
            _up(address, local, open_browser, ready)
            app.state.coach.warm_up()

        gc.freeze()  # what is loaded by now stays; looking through it again and again would make players wait
        gc.set_threshold(50_000, 20, 100)
        _Server(server_config(app, limits, behind_proxy=behind_proxy), up, app.state.coach.close).run(
            sockets=[listening]
        )
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()


def server_config(app: Starlette, limits: ServerLimits, *, behind_proxy: bool = False) -> uvicorn.Config:
    """How uvicorn runs the studio within these limits."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        http=impatient(limits.hello_s),
        ws_max_size=limits.message_bytes,
        ws_max_queue=16,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=3,
        limit_concurrency=2 * limits.sockets,
        server_header=False,
        proxy_headers=behind_proxy,
        forwarded_allow_ips=["127.0.0.1", "::1"],
    )


class _Server(uvicorn.Server):
    """Says when it is up, and when it is about to go."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], going: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready
        self._going = going

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets=sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say so, then stop: whoever waits for something that takes long is not waited for."""
        self._going()
        await super().shutdown(sockets=sockets)


def _up(address: str, local: bool, open_browser: bool, ready: Ready) -> None:
    ready(address, local=local)
    if open_browser:
        import threading
        import webbrowser

        here = address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
        threading.Thread(target=webbrowser.open, args=(here,), daemon=True).start()


def _allow_many_files() -> None:
    """A socket is a file, and the usual limit is meant for other programs."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 16_384)), hard))


def _listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, proto, _, address = found[0]
        listening = socket.socket(family, kind, proto)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(2048)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise BadValueError("host and port", f"{host}:{port}", f"an address that is free here ({error})") from error
    return listening
