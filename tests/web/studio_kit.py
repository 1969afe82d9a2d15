"""A studio in this process: HTTP and sockets go straight into the application, and every message is kept."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import httpx
from starlette.applications import Starlette

from liars_dice.persistence import GameRecorder, InMemoryRecorder
from liars_dice.web import ServerLimits, create_app
from liars_dice.web.clock import StudioClock
from liars_dice.web.rooms import OWN_BOT_THREADS, Rooms
from patience import AMPLE, PATIENCE

Json = dict[str, Any]
Result = TypeVar("Result")

EASY = ServerLimits(
    refusal_pause_s=0,
    messages_per_s=1e6,
    message_burst=10**6,
    requests_per_s=1e6,
    request_burst=10**6,
    cost_burst_s=1e9,
    behind_s=PATIENCE,
    in_line=10**6,
    questions=10**6,
    questions_per_address=10**6,
    bot_moves_per_s=float("inf"),
    new_rooms_per_s=1e6,
    new_room_burst=10**6,
    min_delay_s=0.0,
    hello_s=PATIENCE,
    send_s=PATIENCE,
    bots=AMPLE,
)
"""Limits that no test reaches."""


class ManualClock(StudioClock):
    """A clock that stands still until a test moves it with `Studio.advance`."""

    def __init__(self) -> None:
        self._now = 0.0
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()

    def now(self) -> float:
        return self._now

    def utc_now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self._now)

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return
        woken = asyncio.Event()
        self._call_later(seconds, woken.set)
        await woken.wait()

    @asynccontextmanager
    async def timeout(self, seconds: float | None) -> AsyncIterator[object]:
        ended = False
        async with asyncio.timeout(None) as scope:
            loop = asyncio.get_running_loop()

            def expire() -> None:
                if not ended:
                    scope.reschedule(loop.time())

            if seconds is not None:
                self._call_later(seconds, expire)
            try:
                yield scope
            finally:
                ended = True

    def _call_later(self, seconds: float, callback: Callable[[], object]) -> None:
        heapq.heappush(self._timers, (self._now + seconds, next(self._numbers), callback))

    def advance(self, seconds: float) -> None:
        """Let this much time pass at once, and wake everything that was waiting for less."""
        self._now += seconds
        while self._timers and self._timers[0][0] <= self._now:
            heapq.heappop(self._timers)[2]()


class Closed(Exception):  # noqa: N818 - not an error, an end
    """The server closed the connection."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


class Socket:
    """The client's side of a WebSocket."""

    def __init__(self, app: Starlette, path: str, headers: Json | None = None) -> None:
        self.heard: list[Json] = []
        """Every message sent to this client."""
        self._in: asyncio.Queue[Json] = asyncio.Queue()
        self._out: asyncio.Queue[Json] = asyncio.Queue()
        self._reads = asyncio.Event()
        self._reads.set()
        fields = {"host": "testserver"} | (headers or {})
        scope = {
            "type": "websocket",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "ws",
            "headers": [(name.lower().encode(), value.encode()) for name, value in fields.items()],
            "client": ("127.0.0.1", 1),
            "server": ("testserver", 80),
            "subprotocols": [],
            "state": {},
            "asgi": {"version": "3.0"},
        }
        self._in.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(self._run(app, scope))

    async def _run(self, app: Starlette, scope: Json) -> None:
        try:
            await app(scope, self._in.get, self._send)
        finally:
            self._out.put_nowait({"type": "websocket.close", "code": 1006, "reason": "the handler ended"})

    async def _send(self, message: Any) -> None:
        await self._reads.wait()
        self._out.put_nowait(dict(message))

    def stop_reading(self) -> None:
        """From now on no message gets through to this client."""
        self._reads.clear()

    def say(self, message: Json | str | bytes) -> None:
        """Send a message; text and bytes are sent as they are."""
        if isinstance(message, bytes):
            self._in.put_nowait({"type": "websocket.receive", "bytes": message})
        else:
            text = message if isinstance(message, str) else json.dumps(message)
            self._in.put_nowait({"type": "websocket.receive", "text": text})

    async def next(self) -> Json:
        """The next message; raises `Closed` at the end."""
        while True:
            got = await asyncio.wait_for(self._out.get(), PATIENCE)
            if got["type"] == "websocket.accept":
                continue
            if got["type"] == "websocket.close":
                raise Closed(got.get("code", 1000), got.get("reason") or "")
            heard: Json = json.loads(got["text"])
            self.heard.append(heard)
            return heard

    async def until(self, wanted: str | Callable[[Json], bool]) -> Json:
        """Read until a message of this type, or one for which this function is true."""
        while True:
            said = await self.next()
            if said["type"] == wanted if isinstance(wanted, str) else wanted(said):
                return said

    async def hang_up(self) -> None:
        """Close, from the client's side."""
        self._reads.set()
        self._in.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait_for(self.task, PATIENCE)


class Studio:
    """The application and a client of it."""

    def __init__(self, app: Starlette) -> None:
        self.app = app
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://testserver")
        self.sockets: list[Socket] = []

    @property
    def rooms(self) -> Rooms:
        rooms: Rooms = self.app.state.rooms
        return rooms

    async def advance(self, seconds: float) -> None:
        """Let time pass for a studio with a `ManualClock`, and let the studio do what is due."""
        clock = self.rooms.clock
        assert isinstance(clock, ManualClock)
        await self.settle()
        clock.advance(seconds)
        await self.settle()

    async def pass_time_until(self, ended: asyncio.Future[Result], step: float = 1.0) -> Result:
        """Let time pass, this many seconds at a time, until this has ended; what came of it."""
        async with asyncio.timeout(PATIENCE):
            while not ended.done():
                await self.advance(step)
        return ended.result()

    async def settle(self) -> None:
        """Wait until nothing more happens by itself: tasks have run as far as they can, our bots have decided, and
        writes are stored.
        """
        for _ in range(10):
            await self.rooms.store.write([])
            all_free = threading.Barrier(OWN_BOT_THREADS)
            await asyncio.gather(*(self.rooms.run_bot(all_free.wait, ours=True) for _ in range(OWN_BOT_THREADS)))
            for _ in range(10):
                await asyncio.sleep(0)

    async def get(self, path: str, **headers: str) -> Json:
        answer = await self.http.get(f"/api{path}", headers=headers)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        data: Json = answer.json()
        return data

    async def post(self, path: str, body: Json, status: int = 200, **headers: str) -> Json:
        answer = await self.http.post(f"/api{path}", json=body, headers=headers)
        assert answer.status_code == status, (path, answer.status_code, answer.text)
        data: Json = answer.json()
        return data

    def socket(self, room: str, kind: str = "socket", headers: Json | None = None) -> Socket:
        socket = Socket(self.app, f"/api/rooms/{room}/{kind}", headers)
        self.sockets.append(socket)
        return socket

    async def enter(self, room: str, token: str | None = None, start: int = 0) -> Socket:
        """A page in this room that has said hello and read the welcome."""
        socket = self.socket(room)
        socket.say({"type": "hello", "token": token, "from": start})
        assert (await socket.next())["type"] == "welcome"
        return socket


@asynccontextmanager
async def studio(
    store: GameRecorder | Path | None = None, limits: ServerLimits = EASY, **options: Any
) -> AsyncIterator[Studio]:
    """A studio over this store, or over one in memory. Its time stands still unless a test lets it pass."""
    clocked = {"clock": ManualClock()} | options
    app = create_app(InMemoryRecorder() if store is None else store, limits=limits, **clocked)
    async with app.router.lifespan_context(app):
        one = Studio(app)
        try:
            yield one
        finally:
            for socket in one.sockets:
                if not socket.task.done():
                    await socket.hang_up()
            await one.http.aclose()


def seats(*words: str) -> list[Json]:
    """`you`, `open`, or a bot's name."""
    return [{"kind": word} if word in ("you", "open") else {"kind": "bot", "agent": word} for word in words]


def first_legal(turn: Json) -> Json:
    """The lowest bid, or a call if there is no bid left."""
    if turn["bids"]:
        quantity, face = turn["bids"][0]
        return {"kind": "bid", "quantity": quantity, "face": face}
    return {"kind": turn["calls"][0]}


def scripted(turn: Json) -> Json:
    """A player without randomness: bids low, and calls every third turn."""
    if turn["calls"] and turn["turn"] % 3 == 0:
        return {"kind": turn["calls"][-1]}
    return first_legal(turn)


async def play(socket: Socket, seat: int, choose: Callable[[Json], Json] = scripted, turns: int | None = None) -> int:
    """Play until the game is over, or for this many turns; returns how many moves were acknowledged."""
    done = 0
    while turns is None or done < turns:
        said = await socket.next()
        if said["type"] == "turn" and said["seat"] == seat:
            socket.say({"type": "act", "id": said["turn"], "turn": said["turn"], "action": choose(said)})
        elif said["type"] == "answer":
            assert said["ok"]
            done += 1
        elif said["type"] == "over":
            break
        assert said["type"] != "error", said
    return done
