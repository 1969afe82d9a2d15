"""The web application: pages, static files, the JSON API and the sockets, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

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
from .analysis import Analysis
from .api import ENDPOINTS
from .api_requests import Studio, respond
from .bot_socket import bot_socket
from .clock import StudioClock
from .coach_client import CoachClient
from .connection_limits import ConnectionLimits
from .http_guard import HttpGuard
from .link_preview import with_preview
from .load import ServerLoad
from .messages import ErrorResponse, encode_json
from .page_socket import page_socket
from .rooms import Rooms
from .server_limits import ServerLimits
from .store_worker import StoreWorker

STATIC = Path(__file__).parent / "static"
PAGES = ("/", "/play", "/watch", "/replays", "/puzzles", "/lab", "/rules", "/learn", "/player", "/room/{id}")
GAME_PAGES = ("/replay/{game}", "/review/{game}")

ERRORS = {
    404: ErrorResponse("there is nothing at this address", "not_found"),
    405: ErrorResponse("this address does not support that method", "method_not_allowed"),
}


def create_app(
    store: str | Path | GameRecorder | None = None,
    *,
    limits: ServerLimits | None = None,
    agents: Sequence[str] = (),
    hosts: frozenset[str] | None = None,
    public_names: Sequence[str] = (),
    static: Path = STATIC,
    clock: StudioClock | None = None,
    player_cards: bool = True,
) -> Starlette:
    """The studio over this store, or over the default store.

    `agents` are additional bots to offer; they play in a sandbox. `hosts` are the host names that requests may use;
    any, if None. `public_names` are the names of a proxy in front of the server: requests may use them, and pages from
    there count as our own. Without `player_cards` no one sees cards of players. Tests pass a `clock` that they move by
    hand.
    """
    limits = ServerLimits() if limits is None else limits
    clock = StudioClock() if clock is None else clock
    worker = StoreWorker(store)
    load = ServerLoad(limits)
    coach = CoachClient(limits.questions, limits.questions_per_address)
    try:
        rooms = Rooms(worker, coach, limits, clock, load, agents)
    except BaseException:  # a bot that cannot be found, for example
        coach.close()
        worker.close()
        raise
    studio = Studio(rooms, Analysis(worker, coach, load), player_cards=player_cards)
    connections = ConnectionLimits(limits)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        load.start()
        yield
        await rooms.close()
        load.close()
        coach.close()
        worker.close()

    async def index(request: Request) -> Response:
        page = static / "index.html"
        if not page.is_file():
            return Response("The studio's pages are not installed. Its API is described at /api/openapi.json.\n", 404)
        return FileResponse(page, headers={"cache-control": "no-cache"})

    async def game_page(request: Request) -> Response:
        page = static / "index.html"
        if not page.is_file():
            return await index(request)
        return Response(await with_preview(page, studio, request), 200, {"cache-control": "no-cache"}, "text/html")

    async def schema(request: Request) -> Response:
        from .schema import openapi_json

        return Response(openapi_json(), media_type="application/json")

    async def pages(socket: WebSocket) -> None:
        await page_socket(socket, rooms, connections)

    async def bots(socket: WebSocket) -> None:
        await bot_socket(socket, rooms, connections)

    routes = [
        Route("/api/openapi.json", schema, methods=["GET"]),
        *(Route(f"/api{e.path}", respond(e, studio), methods=[e.method]) for e in ENDPOINTS),
        WebSocketRoute("/api/rooms/{room}/socket", pages),
        WebSocketRoute("/api/rooms/{room}/bot", bots),
        *(Route(path, index, methods=["GET"]) for path in PAGES),
        *(Route(path, game_page, methods=["GET"]) for path in GAME_PAGES),
        Mount("/static", GZipMiddleware(_Files(directory=static, check_dir=False))),
    ]

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        wants_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
        if error.status_code == 404 and request.method == "GET" and wants_page and (static / "index.html").is_file():
            # the page itself says that there is no such page
            return FileResponse(static / "index.html", 404, {"cache-control": "no-cache"})
        body = ERRORS.get(error.status_code, ErrorResponse(error.detail, "http_error"))
        return Response(encode_json(body), error.status_code, error.headers, "application/json")

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: refused, Exception: _failed})
    names = frozenset(name.lower() for name in public_names)
    app.add_middleware(HttpGuard, limits=limits, hosts=hosts, names=names, clock=clock, load=load)
    app.state.rooms = rooms
    app.state.coach = coach
    return app


class _Files(StaticFiles):
    """Files that browsers cache, and revalidate each time."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        """The file, or 304 if it has not changed."""
        response: Response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file; 404 for names that no file can have."""
        try:
            return await super().get_response(path, scope)
        except (ValueError, OSError) as error:
            raise HTTPException(404) from error


async def _failed(request: Request, error: Exception) -> Response:
    body = ErrorResponse("something went wrong on the server", "internal_error")
    return Response(encode_json(body), 500, None, "application/json")
