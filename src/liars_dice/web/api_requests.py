"""Reading requests to the JSON API and answering them, for every endpoint alike."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ..core import LiarsDiceError
from ..persistence import StoreError
from . import messages as m
from .analysis import Analysis
from .clock import StudioClock
from .errors import RoomError
from .game_list import GameLister
from .rooms import Rooms
from .server_limits import ServerLimits


class Studio:
    """What the endpoints work with."""

    def __init__(self, rooms: Rooms, analysis: Analysis, *, player_cards: bool = True) -> None:
        self.rooms = rooms
        self.analysis = analysis
        self.player_cards = player_cards
        """Whether anyone may see what finished games say about a player of any name."""
        self.game_lister = GameLister()
        self.finished_games: OrderedDict[str, msgspec.Raw] = OrderedDict()
        """Games that were asked for, as they are sent; the last one at the end."""
        self.previews: OrderedDict[str, tuple[str, str]] = OrderedDict()
        """What is told about links to finished games: a title and a sentence."""


class ApiRequest:
    """One request, decoded and validated."""

    def __init__(self, path: Mapping[str, str], query: Any, body: Any, token: str | None) -> None:
        self.path = path
        self.query = query
        self.body = body
        self.token = token


Handler = Callable[[Studio, ApiRequest], Awaitable[object]]


class Endpoint(msgspec.Struct, frozen=True):
    """One endpoint of the API."""

    method: str
    path: str
    """Below `/api`, as in `/rooms/{room}`."""
    handler: Handler
    answer: Any
    body: Any = None
    query: Any = None
    media: str = "application/json"
    """The type of its answer. An answer of another type is a `Response`."""
    bearer: bool = False
    """Whether it needs the header `Authorization: Bearer TOKEN`."""

    @property
    def about(self) -> str:
        """What it does, in one line."""
        return (self.handler.__doc__ or "").strip().split("\n")[0]


def respond(endpoint: Endpoint, studio: Studio) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint as a function from requests to responses. Every error is answered with one line and a code."""

    async def answer(request: Request) -> Response:
        try:
            decoded = await _decode(endpoint, request, studio.rooms.limits, studio.rooms.clock)
            answer = await endpoint.handler(studio, decoded)
            return answer if isinstance(answer, Response) else _json(answer)
        except (msgspec.ValidationError, RoomError, LiarsDiceError, _BadRequestError) as error:
            return _json(m.error_response(error), _status(error))

    return answer


def _status(error: Exception) -> int:
    match error:
        case RoomError() | _BadRequestError():
            return error.status
        case msgspec.ValidationError():
            return 422
        case StoreError():
            return 503
        case _:
            return 400


class _BadRequestError(Exception):
    def __init__(self, status: int, line: str, code: str) -> None:
        super().__init__(line)
        self.status = status
        self.code = code


async def _decode(endpoint: Endpoint, request: Request, limits: ServerLimits, clock: StudioClock) -> ApiRequest:
    query = body = None
    if endpoint.query is not None:
        query = msgspec.convert(dict(request.query_params), endpoint.query, strict=False)
    if endpoint.body is not None:
        data = await _body(request, limits, clock)
        try:
            body = msgspec.json.decode(data, type=endpoint.body)
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise _BadRequestError(400, f"the request body is not JSON: {m.plain(error)}", "not_json") from None
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    token = secret if scheme.lower() == "bearer" and secret else None
    if endpoint.bearer and token is None:
        raise _BadRequestError(401, "send the header Authorization: Bearer TOKEN", "token_required")
    return ApiRequest(request.path_params, query, body, token)


async def _body(request: Request, limits: ServerLimits, clock: StudioClock) -> bytes:
    data = b""
    try:
        async with clock.timeout(limits.hello_s):
            async for chunk in request.stream():
                data += chunk
                if len(data) > limits.message_bytes:
                    line = f"the request body is longer than {limits.message_bytes} bytes"
                    raise _BadRequestError(413, line, "body_too_large")
    except ClientDisconnect:
        raise _BadRequestError(400, "incomplete request body", "incomplete_body") from None
    except TimeoutError:
        raise _BadRequestError(408, "the request body took too long to arrive", "request_timeout") from None
    return data


def _json(value: object, status: int = 200) -> Response:
    headers = {"cache-control": "no-store"}
    return Response(m.encode_json(value), status, headers, "application/json")
