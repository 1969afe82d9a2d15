"""The web application: pages, static files, the JSON API and the sockets, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket

from ..persistence import GameRecorder
from .analysis import Lab
from .api import ENDPOINTS
from .api_requests import Studio, respond
from .bot_socket import bot_socket
from .coach_client import Coach
from .connection_limits import Doors
from .page_socket import page_socket
from .rooms import Rooms
from .safety import HttpGuard, ServerLimits
from .store_worker import Books

STATIC = Path(__file__).parent / "static"
PAGES = ("/", "/play", "/watch", "/replays", "/lab", "/rules", "/room/{id}", "/replay/{id}", "/review/{id}")


def create_app(
    store: str | Path | GameRecorder | None = None,
    *,
    limits: ServerLimits | None = None,
    agents: Sequence[str] = (),
    hosts: frozenset[str] | None = None,
    public_names: Sequence[str] = (),
    static: Path = STATIC,
) -> Starlette:
    """The studio over this store (the default one, if none is named).

    `agents` are bots of strangers to offer, which play behind walls. `hosts` are the names this server goes by; any, if
    none are given. `public_names` are those a proxy before it goes by: it is reached by them, too, and pages from there
    are its own.
    """
    limits = ServerLimits() if limits is None else limits
    books = Books(store)
    coach = Coach(limits.questions)
    rooms = Rooms(books, coach, limits, agents)
    studio = Studio(rooms, Lab(books, coach))
    doors = Doors(limits)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await rooms.close()
        coach.close()
        books.close()

    async def index(request: Request) -> Response:
        page = static / "index.html"
        if not page.is_file():
            return Response("The studio's pages are not installed; its API is at /api/openapi.json.\n", 404)
        return FileResponse(page, headers={"cache-control": "no-cache"})

    async def schema(request: Request) -> Response:
        from .schema import openapi

        return Response(msgspec.json.encode(openapi()), media_type="application/json")

    async def pages(socket: WebSocket) -> None:
        await page_socket(socket, rooms, doors)

    async def bots(socket: WebSocket) -> None:
        await bot_socket(socket, rooms, doors)

    routes = [
        Route("/api/openapi.json", schema, methods=["GET"]),
        *(Route(f"/api{e.path}", respond(e, studio), methods=[e.method]) for e in ENDPOINTS),
        WebSocketRoute("/api/rooms/{room}/socket", pages),
        WebSocketRoute("/api/rooms/{room}/bot", bots),
        *(Route(path, index, methods=["GET"]) for path in PAGES),
        Mount("/static", GZipMiddleware(_Files(directory=static, check_dir=False))),
    ]

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        wants_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
        if error.status_code == 404 and request.method == "GET" and wants_page and (static / "index.html").is_file():
            return FileResponse(
                static / "index.html", 404, {"cache-control": "no-cache"}
            )  # it says so in its own words
        line = {404: "there is nothing here", 405: "that cannot be done here"}.get(error.status_code, error.detail)
        body = msgspec.json.encode({"error": line})
        return Response(body, error.status_code, error.headers, "application/json")

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: refused, Exception: _failed})
    app.add_middleware(HttpGuard, limits=limits, hosts=hosts, names=frozenset(name.lower() for name in public_names))
    app.state.rooms = rooms
    app.state.coach = coach
    return app


class _Files(StaticFiles):
    """Files that browsers keep, and ask about again each time."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        """The file, or word that it has not changed."""
        response: Response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file; a name no file can have is not found."""
        try:
            return await super().get_response(path, scope)
        except (ValueError, OSError) as error:
            raise HTTPException(404) from error


async def _failed(request: Request, error: Exception) -> Response:
    return Response(msgspec.json.encode({"error": "something went wrong here"}), 500, None, "application/json")
