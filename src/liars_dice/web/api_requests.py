"""Requests to the JSON API: how they are read and answered, whatever is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ..core import LiarsDiceError
from ..persistence import StoreError
from . import messages as m
from .analysis import Lab
from .errors import RoomError
from .game_list import Catalogue
from .rooms import Rooms
from .safety import ServerLimits


class Studio:
    """What the endpoints work with."""

    def __init__(self, rooms: Rooms, lab: Lab) -> None:
        self.rooms = rooms
        self.lab = lab
        self.catalogue = Catalogue()


class Call:
    """One request, read and checked."""

    def __init__(self, path: Mapping[str, str], query: Any, body: Any, token: str | None) -> None:
        self.path = path
        self.query = query
        self.body = body
        self.token = token


Handler = Callable[[Studio, Call], Awaitable[object]]


class Endpoint(msgspec.Struct, frozen=True):
    """One thing that can be asked for."""

    method: str
    path: str
    """Below `/api`, as in `/rooms/{room}`."""
    handler: Handler
    answer: Any
    body: Any = None
    query: Any = None
    bearer: bool = False
    """Whether it asks for the header `Authorization: Bearer TOKEN`."""

    @property
    def about(self) -> str:
        """What it does, in one line."""
        return (self.handler.__doc__ or "").strip().split("\n")[0]


def respond(endpoint: Endpoint, studio: Studio) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint as a function from requests to responses. Whatever is wrong with a request is said in one line."""

    async def answer(request: Request) -> Response:
        try:
            call = await _read(endpoint, request, studio.rooms.limits)
            return _json(await endpoint.handler(studio, call))
        except msgspec.ValidationError as error:
            return _json(m.Error(m.plain(error)), 422)
        except RoomError as error:
            return _json(m.Error(m.plain(error)), error.status)
        except StoreError:
            return _json(m.Error(m.STORE_TROUBLE), 503)
        except LiarsDiceError as error:
            return _json(m.Error(m.plain(error)), 400)
        except _BadRequestError as error:
            return _json(m.Error(m.plain(error)), error.status)

    return answer


class _BadRequestError(Exception):
    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status = status


async def _read(endpoint: Endpoint, request: Request, limits: ServerLimits) -> Call:
    query = body = token = None
    if endpoint.query is not None:
        query = msgspec.convert(dict(request.query_params), endpoint.query, strict=False)
    if endpoint.body is not None:
        data = await _body(request, limits)
        try:
            body = msgspec.json.decode(data, type=endpoint.body)
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise _BadRequestError(400, f"not JSON: {m.plain(error)}") from None
    if endpoint.bearer:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise _BadRequestError(401, "say who you are: Authorization: Bearer TOKEN")
    return Call(request.path_params, query, body, token)


async def _body(request: Request, limits: ServerLimits) -> bytes:
    data = b""
    try:
        async with asyncio.timeout(limits.hello_s):
            async for chunk in request.stream():
                data += chunk
                if len(data) > limits.message_bytes:
                    raise _BadRequestError(413, f"at most {limits.message_bytes} bytes, please")
    except ClientDisconnect:
        raise _BadRequestError(400, "half a request") from None
    except TimeoutError:
        raise _BadRequestError(408, "the request took too long to arrive") from None
    return data


def _json(value: object, status: int = 200) -> Response:
    headers = {"cache-control": "no-store"}
    return Response(msgspec.json.encode(value), status, headers, "application/json")
