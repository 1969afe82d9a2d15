"""The OpenAPI document of the JSON API, made from the table of endpoints and the message types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from .. import __version__
from . import messages as m
from .api import ENDPOINTS
from .api_requests import Endpoint
from .socket_messages import FromPage, ToPage

_REF = "#/components/schemas/{name}"


@cache
def openapi_json() -> bytes:
    """The document as it is sent; made once."""
    return m.encode_json(openapi())


def openapi() -> m.Json:
    """The document. Its schemas include the messages on sockets."""
    types: list[Any] = [m.ErrorResponse, FromPage, ToPage]
    for endpoint in ENDPOINTS:
        types += [kind for kind in (endpoint.body, endpoint.answer, endpoint.query) if kind is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    by_type = dict(zip(map(id, types), schemas, strict=True))
    paths: m.Json = {}
    for endpoint in ENDPOINTS:
        operation = _operation(endpoint, by_type, components)
        paths.setdefault(f"/api{endpoint.path}", {})[endpoint.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "liars-dice", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"seat": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(endpoint: Endpoint, by_type: dict[int, m.Json], components: m.Json) -> m.Json:
    error = {"description": "an error line and its code", "content": _content(by_type[id(m.ErrorResponse)])}
    operation: m.Json = {
        "operationId": endpoint.handler.__name__,
        "summary": endpoint.about,
        "parameters": [*_path_parameters(endpoint.path), *_query_parameters(endpoint, components)],
        "responses": {
            "200": {"description": "success", "content": _content(by_type[id(endpoint.answer)], endpoint.media)},
            "4XX": error,
        },
    }
    if endpoint.body is not None:
        operation["requestBody"] = {"required": True, "content": _content(by_type[id(endpoint.body)])}
    if endpoint.bearer:
        operation["security"] = [{"seat": []}]
    return operation


def _content(schema: m.Json, media: str = "application/json") -> m.Json:
    return {media: {"schema": schema}}


def _path_parameters(path: str) -> Sequence[m.Json]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"\{(\w+)\}", path)
    ]


def _query_parameters(endpoint: Endpoint, components: m.Json) -> Sequence[m.Json]:
    if endpoint.query is None:
        return []
    fields = components[endpoint.query.__name__]["properties"]
    return [{"name": name, "in": "query", "required": False, "schema": schema} for name, schema in fields.items()]
