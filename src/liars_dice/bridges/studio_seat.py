"""A seat in a room of the studio, taken by the room's link: its program hears the game on the studio's bot socket."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import re
from collections.abc import Collection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from ..core import Action, Event, GameCreated, GameView, LiarsDiceError, NotationError, one_line
from ..referee import protocol
from .game_table import LONGEST_PLAYER_NAME, GameTable, TableError
from .seat_story import SeatStory, TableReport

ANSWER_S = 20.0
"""How long the studio may take to answer."""
LONGEST_ANSWER = 1 << 20
LONGEST_LINK = 500
_ROOM = re.compile(r"/room/([a-z0-9]{1,40})/?")
_INVITE = re.compile(r"[A-Za-z0-9_-]{0,100}")

NONSENSE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What reading a message raises that no studio would send."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")

Json = dict[str, Any]


class RoomLink(NamedTuple):
    """The parts of a room's link."""

    secure: bool
    host: str
    port: int
    room: str
    invite: str | None

    @property
    def host_and_port(self) -> str:
        """As it is written in an address."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def read_link(link: str, hosts: Collection[str] | None = None) -> RoomLink:
    """The parts of a link such as `http://127.0.0.1:8000/room/k3vq8r2mza`; `NotationError` if it is no such link.

    With `hosts`, `TableError` unless the link leads to one of them.
    """
    expected = "the link of a room, such as http://127.0.0.1:8000/room/k3vq8r2mza"
    try:
        parts = urlsplit(link.strip() if len(link) <= LONGEST_LINK else "")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise NotationError(one_line(link, 100), expected) from None
    room, invite = _ROOM.fullmatch(parts.path), _INVITE.fullmatch(parts.fragment)
    plain = not parts.username and not parts.password and not parts.query
    if parts.scheme not in ("http", "https") or not host or room is None or invite is None or not plain:
        raise NotationError(one_line(link, 100), expected)
    if hosts is not None and host not in hosts:
        named = ", ".join(hosts)
        raise TableError(f"this server joins rooms on {named} alone, not on {one_line(host, 100)}: see --studio")
    secure = parts.scheme == "https"
    return RoomLink(secure, host, port or (443 if secure else 80), room[1], invite[0] or None)


class StudioSeat(GameTable):
    """A seat at a studio's table. The studio's own rules hold: who moves, how long, and whether help is allowed."""

    def __init__(self, link: RoomLink, seat: int, token: str, *, helps: bool) -> None:
        super().__init__()
        self.link, self.seat, self._token, self.helps = link, seat, token, helps
        self._story = SeatStory(seat)
        self._known = 0
        """How many sentences of the game were told on an earlier connection."""
        self._game: protocol.GameFromMessages | None = None
        self._question: tuple[int, GameView] | None = None
        self._over = False
        self._changed = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None
        self._reason = ""
        """Why the studio hung up, if it said so."""

    @classmethod
    async def join(cls, link: RoomLink, name: str) -> StudioSeat:
        """Take the first open seat of the room."""
        wish = {"name": name, "bot": True, "invite": link.invite}
        granted = await _ask(link, "POST", f"/api/rooms/{link.room}/seats", wish)
        try:
            seat, token = int(granted["seat"]), str(granted["token"])
        except (KeyError, TypeError, ValueError):
            raise TableError(f"{link.host_and_port} does not answer as a studio does") from None
        room = await _ask(link, "GET", f"/api/rooms/{link.room}", token=token)
        joined = cls(link, seat, token, helps=room.get("help") is not False)
        await joined._listen()
        return joined

    @property
    def view(self) -> GameView | None:
        """The player's view if it is to move, else None."""
        return None if self._question is None else self._question[1]

    async def play(self, action: Action) -> None:
        """Send a move; when this returns, the studio has stored it."""
        assert self._question is not None
        turn, _ = self._question
        move = protocol.answer_message(turn, action)
        await _ask(self.link, "POST", f"/api/rooms/{self.link.room}/act", move, token=self._token)
        self._answered(turn)

    def _answered(self, turn: int) -> None:
        """Forget the question of this turn; a later one may have come meanwhile."""
        if self._question is not None and self._question[0] == turn:
            self._question = None

    async def report(self, game: str, wait_s: float) -> TableReport:
        """Where the game stands, once it is this player's turn or the game is over, or after so many seconds."""
        await self._listen()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                while not self._over and self._question is None and self._is_connected:
                    self._changed.clear()
                    await self._changed.wait()
        if not self._over and not self._is_connected:
            raise TableError(f"the studio has hung up{self._reason}: look again")
        waiting_for = "" if self._game else "the game to begin"
        finished = await self._finished_game() if self._over else None
        return self._story.report(game, self.view, over=self._over, waiting_for=waiting_for, finished_game=finished)

    async def review(self) -> Json:
        """The coach's verdicts on this player's moves, from the studio."""
        finished = await self._finished_game() if self._over else None
        if finished is None:
            raise TableError("this game is not over yet")
        path = f"/api/games/{finished}/review?seat={self.seat}"
        return await _ask(self.link, "GET", path, token=self._token, patience_s=10 * ANSWER_S)

    async def close(self) -> None:
        """Hang up. The seat stays taken, and the studio's stand-in plays."""
        if self._listening is not None:
            self._listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._listening

    async def _finished_game(self) -> str | None:
        room = await _ask(self.link, "GET", f"/api/rooms/{self.link.room}", token=self._token)
        found = room.get("game_id")
        return found if isinstance(found, str) and re.fullmatch(r"[\w-]{1,80}", found) else None

    # -- the socket ----------------------------------------------------------------------------------------------------

    @property
    def _is_connected(self) -> bool:
        return self._listening is not None and not self._listening.done()

    async def _listen(self) -> None:
        """Connect to the room, unless that is done: the studio then tells everything from the start."""
        if self._is_connected or self._over:
            return
        scheme = "wss" if self.link.secure else "ws"
        address = f"{scheme}://{self.link.host_and_port}/api/rooms/{self.link.room}/bot"
        try:
            socket = await connect(address, proxy=None, open_timeout=ANSWER_S, max_size=LONGEST_ANSWER)
            await socket.send(json.dumps({"type": "hello", "token": self._token}))
            await socket.send(json.dumps({"type": "ready", "events": True}))
        except (OSError, WebSocketException, TimeoutError) as error:
            raise _unreachable(self.link, error) from None
        self._known = self._story.sentences
        self._listening = asyncio.create_task(self._hear_all(socket))

    async def _hear_all(self, socket: ClientConnection) -> None:
        """Hear the studio until one side hangs up; the next tool connects again."""
        try:
            async with socket:
                async for text in socket:
                    self._hear(msgspec.json.decode(text))
                    self._changed.set()
            self._reason = f" ({one_line(socket.close_reason, 100)})" if socket.close_reason else ""
        except (OSError, WebSocketException) as error:
            self._reason = f" ({one_line(error, 100)})"
        except (msgspec.MsgspecError, LiarsDiceError, *NONSENSE):
            self._reason = " (it does not speak as a studio does)"
        finally:
            self._question = None
            self._changed.set()

    def _hear(self, message: Json) -> None:
        match message.get("type"):
            case "start":
                self._game = protocol.GameFromMessages(message)
                self._question, self._over = None, False
                self._story, self._known = SeatStory(self.seat, known=self._known), 0
                names = tuple(one_line(name, LONGEST_PLAYER_NAME) for name in self._game.names)
                self._story.hear(GameCreated(self._game.config, names, (None,) * len(names)))
            case "game_end":
                self._question, self._over = None, True
            case "choose" if self._game is not None:
                self._question = message["id"], self._game.view(message["view"])
            case "round_end" if self._game is not None:
                self._game.heard(message)
            case "event" if self._game is not None:
                self._question = None
                self._story.hear(msgspec.convert(message["event"], Event))


async def _ask(
    link: RoomLink, method: str, path: str, body: Json | None = None, *, token: str = "", patience_s: float = ANSWER_S
) -> Json:
    """The studio's answer to a request; `TableError` with its one line if it refuses."""
    return await asyncio.to_thread(_request, link, method, path, body, token, patience_s)


def _request(link: RoomLink, method: str, path: str, body: Json | None, token: str, patience_s: float) -> Json:
    kind = http.client.HTTPSConnection if link.secure else http.client.HTTPConnection
    connection = kind(link.host, link.port, timeout=patience_s)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        status, data = response.status, response.read(LONGEST_ANSWER * 16)
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        raise _unreachable(link, error) from None
    finally:
        connection.close()
    try:
        answer = msgspec.json.decode(data, type=Json)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise TableError(f"{link.host_and_port} does not answer as a studio does") from None
    if status != 200:
        raise TableError(f"the studio says: {one_line(answer.get('error', status), 300)}")
    return answer


def _unreachable(link: RoomLink, error: Exception) -> TableError:
    return TableError(
        f"no studio can be reached at {link.host_and_port} ({one_line(error, 100) or type(error).__name__})"
    )
