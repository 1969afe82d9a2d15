"""What the studio allows: sizes, rates and counts, whose pages may speak to it, and the headers of every answer."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class ServerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much anybody may ask of the studio."""

    message_bytes: int = 65_536
    """The longest message or request body."""
    messages_per_s: float = 20.0
    """On one socket."""
    message_burst: int = 60
    requests_per_s: float = 100.0
    """Requests below /api, and new sockets, from one address."""
    request_burst: int = 400
    new_rooms_per_s: float = 1.0
    """Rooms made from one address."""
    new_room_burst: int = 200
    rooms: int = 5_000
    """Rooms that wait or play. When there are as many, those that sleep are not counted."""
    waiting_s: float = 86_400.0
    """How long a room that waits, or where one person plays with bots, is listed after it was left."""
    company_s: float = 30 * 86_400.0
    """The same for games of several people."""
    sockets: int = 5_000
    """A fifth of them only for those who have a seat."""
    sockets_per_address: int = 1_000
    spectators: int = 100
    """In one room."""
    queue: int = 256
    """Messages that may wait for a slow client."""
    queue_bytes: int = 1 << 20
    """What they may weigh together."""
    send_s: float = 10.0
    """How long a single message may take to be sent."""
    hello_s: float = 10.0
    """How long a socket may say nothing at first, and how long the body of a request may take."""
    questions: int = 16
    """That may wait for the lab."""
    away_s: float = 60.0
    """How long a seat may stand empty before a bot plays for it."""
    linger_s: float = 120.0
    """How long a room that nobody looks at stays in memory."""
    min_delay_s: float = 0.01
    """Bots never move quicker, so that whoever watches keeps up."""
    max_delay_ms: int = 10_000
    total_dice: int = 150
    rungs: int = 3_000
    rounds: int = 99
    events: int = 20_000
    """A game that is longer ends without a winner."""
    undos: int = 200
    """Moves that can be taken back in one room."""
    poll_s: float = 30.0
    """The longest wait of one question for what is next."""
    listed: int = 100
    """Games and rooms in one answer."""


class Bucket:
    """So many a second, and some more at once."""

    __slots__ = ("_burst", "_rate", "_then", "level")

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self.level = burst
        self._then = time.monotonic()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = time.monotonic()
        self.level = min(self._burst, self.level + (now - self._then) * self._rate)
        self._then = now
        if self.level < 1:
            return False
        self.level -= 1
        return True


class Addresses:
    """A bucket for each address, for the latest thousand of them."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, address: str) -> bool:
        """Whether this address may ask once more now."""
        bucket = self._buckets.pop(address, None) or Bucket(self._rate, self._burst)
        self._buckets[address] = bucket
        if len(self._buckets) > 1000:
            self._buckets.popitem(last=False)
        return bucket.take()


LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


def host_allowed(headers: Mapping[str, str], hosts: frozenset[str] | None) -> bool:
    """Whether the request was meant for us: a page elsewhere cannot give itself our name (DNS rebinding)."""
    return hosts is None or urlsplit(f"//{headers.get('host', '')}").hostname in hosts


def origin_allowed(headers: Mapping[str, str], names: Collection[str] = ()) -> bool:
    """Whether the page that asks is ours: from where it was sent to, or from one of our public names. Programs name no
    origin; browsers always do where it matters.
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


class HttpGuard:
    """Around the whole application: refuses what does not come from our own pages, and adds the headers."""

    def __init__(
        self, app: ASGIApp, limits: ServerLimits, hosts: frozenset[str] | None, names: frozenset[str] = frozenset()
    ) -> None:
        self._app = app
        self._hosts = None if hosts is None else hosts | names
        self._names = names
        self._asking = Addresses(limits.requests_per_s, limits.request_burst)
        self._making = Addresses(limits.new_rooms_per_s, limits.new_room_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        if refusal is None:
            await self._app(scope, receive, guarded)
            return
        status, line = refusal
        headers = [(b"content-type", b"application/json")]
        await guarded({"type": "http.response.start", "status": status, "headers": headers})
        await guarded({"type": "http.response.body", "body": msgspec.json.encode({"error": line})})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            if not host_allowed(headers, self._hosts):
                return 403, "this server does not go by that name; --host and --public-name let others reach it"
        except ValueError:
            return 400, "a Host header that cannot be read"
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if changes and not origin_allowed(headers, self._names):
            return 403, "only pages of this server may do that"
        address = (scope.get("client") or ("",))[0]
        if scope["path"].startswith("/api") and not self._asking.take(address):
            return 429, "too many requests; wait a moment"
        if _makes_room(scope) and not self._making.take(address):
            return 429, "too many new rooms; wait a moment"
        return None


def _makes_room(scope: Scope) -> bool:
    path: str = scope["path"]
    made = path == "/api/rooms" or (path.startswith("/api/games/") and path.endswith("/branch"))
    return made and scope["type"] == "http" and scope["method"] == "POST"
