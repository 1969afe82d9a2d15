"""A guard around the application: which hosts and origins are let in, request rates, security headers."""

from __future__ import annotations

import ipaddress
import random
import socket
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .clock import StudioClock
from .errors import BusyError
from .load import Account, Accounts, Metered, ServerLoad, who_pays
from .messages import ErrorResponse, encode_json, error_response
from .rate_limits import AddressRates
from .server_limits import ServerLimits

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
ANY_ADDRESS = "any address"
"""Among the hosts that requests may name: every IP address. A page elsewhere can claim our address for its name, but
then its requests name its name, not the address."""


def hosts_when_bound_to(host: str) -> frozenset[str]:
    """The host names and addresses under which a server that listens on `host` can be reached."""
    if host in LOOPBACK:
        return LOOPBACK
    machine = socket.gethostname().lower()
    short = machine.partition(".")[0]
    return LOOPBACK | {ANY_ADDRESS, host.lower(), machine, short, f"{short}.local"}


def host_allowed(headers: Mapping[str, str], hosts: frozenset[str] | None) -> bool:
    """Whether the request names this server. A page elsewhere cannot claim our name (DNS rebinding)."""
    if hosts is None:
        return True
    named = urlsplit(f"//{headers.get('host', '')}").hostname
    return named is not None and (named in hosts or (ANY_ADDRESS in hosts and _is_address(named)))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def origin_allowed(headers: Mapping[str, str], names: Collection[str] = ()) -> bool:
    """Whether the request comes from one of our own pages: same origin, or one of our public names.

    Programs send no `Origin` header; browsers always do where it matters.
    """
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        where = urlsplit(origin)
        return where.hostname in names or where.netloc.lower() == headers.get("host", "").lower() != ""
    except ValueError:
        return False


HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
        b"frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)

LIMITED = ("/api", "/replay/", "/review/")
"""Where the rate of requests is limited: all that needs the store. The rest is files."""
FILES_PATIENCE = 0.5
"""Files are refused no sooner than if this share of its time were left to an address: without one of its modules a page
does not work, and a player may just have used the share for the coach."""
TOO_MANY = (429, 503)
"""The answers to requests that should come later."""


class HttpGuard:
    """Middleware that refuses foreign hosts and origins, limits request rates, and adds security headers."""

    def __init__(
        self,
        app: ASGIApp,
        limits: ServerLimits,
        hosts: frozenset[str] | None,
        names: frozenset[str],
        clock: StudioClock,
        load: ServerLoad,
    ) -> None:
        self._app, self._limits, self._clock, self._load = app, limits, clock, load
        self._accounts = Accounts(limits, clock.now)
        self._hosts = None if hosts is None else hosts | names
        self._names = names
        self._requests = AddressRates(limits.requests_per_s, limits.request_burst, clock.now)
        self._new_rooms = AddressRates(limits.new_rooms_per_s, limits.new_room_burst, clock.now)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        account = self._accounts.of(_address(scope))
        who_pays.set(account)
        await Metered(self._guard(scope, receive, send, account), account)

    async def _guard(self, scope: Scope, receive: Receive, send: Send, account: Account) -> None:
        refusal = self._refusal(scope, account)
        if refusal is None and scope["type"] == "http" and not _is_move(scope):
            refusal = await self._turned_away(FILES_PATIENCE if _is_file(scope) else 0.0)
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await self._pause(account)
                await send({"type": "websocket.close", "code": 1008, "reason": refusal[1].error})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
                if message["status"] in TOO_MANY and not await self._pause(account):
                    message["headers"].append((b"connection", b"close"))
            await send(message)

        if refusal is None:
            await self._app(scope, receive, guarded)
            return
        status, error = refusal
        headers = [(b"content-type", b"application/json")]
        if status in TOO_MANY:
            headers.append((b"retry-after", b"1"))
        await guarded({"type": "http.response.start", "status": status, "headers": headers})
        await guarded({"type": "http.response.body", "body": encode_json(error)})

    async def _pause(self, account: Account) -> bool:
        """Let a refused client wait, unless too many of its requests do already; whether it has waited."""
        if account.refusals >= self._limits.refusals_per_address:
            return False
        account.refusals += 1
        try:
            await self._clock.sleep(self._limits.refusal_pause_s * random.uniform(1, 3))  # not all at the same time
        finally:
            account.refusals -= 1
        return True

    def _refusal(self, scope: Scope, account: Account) -> tuple[int, ErrorResponse] | None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            if not host_allowed(headers, self._hosts):
                line = "this server is not reachable under that name; allow it with --public-name"
                return 403, ErrorResponse(line, "host_not_allowed")
        except ValueError:
            return 400, ErrorResponse("the Host header cannot be read", "bad_host")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if changes and not origin_allowed(headers, self._names):
            return 403, ErrorResponse("only pages of this server may do that", "origin_not_allowed")
        address = _address(scope)
        if scope["path"].startswith(LIMITED) and not self._requests.take(address):
            return 429, ErrorResponse("too many requests; wait a moment", "too_many_requests")
        if _creates_room(scope) and not self._new_rooms.take(address):
            return 429, ErrorResponse("too many new rooms; wait a moment", "too_many_new_rooms")
        if scope["type"] == "websocket" or _is_move(scope):
            return None  # on sockets, only messages that are not moves have to wait
        if account.left_s < 0 and not _is_file(scope):
            line = "your address has used its share of the server's time; wait a moment"
            return 429, ErrorResponse(line, "share_used")
        return None

    async def _turned_away(self, least: float) -> tuple[int, ErrorResponse] | None:
        """Wait for a turn; the refusal if there is none for this client now."""
        try:
            await self._load.turn(least)
        except BusyError as busy:
            return busy.status, error_response(busy)
        return None


def _address(scope: Scope) -> str:
    return str((scope.get("client") or ("",))[0])


def _is_file(scope: Scope) -> bool:
    return scope["type"] == "http" and not scope["path"].startswith(LIMITED)


def _is_move(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.startswith("/api/rooms/") and path.endswith(("/act", "/next"))


def _creates_room(scope: Scope) -> bool:
    path: str = scope["path"]
    creates = path == "/api/rooms" or (path.startswith("/api/games/") and path.endswith("/branch"))
    return creates and scope["type"] == "http" and scope["method"] == "POST"
