"""All rooms: those in memory, and those that sleep in the store until somebody comes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec

from ..agents import AGENTS
from ..core import BadValueError, ConfigError, GameConfig, one_of
from ..persistence import GameRecorder, RecordedEvent, StoreError, utc_now
from .coach_client import Coach
from .errors import FullError, NotFoundError, RoomError
from .messages import RoomLine
from .room import Room
from .room_bots import STAND_IN, on_offer
from .room_document import ROOM_ID_LENGTH, ROOM_ID_LETTERS, RoomDoc, clean_name
from .room_list import Lobby
from .safety import ServerLimits
from .store_worker import Books

KIND = "room"
WAITERS = 32
"""So many bots of strangers are waited for at a time."""

Result = TypeVar("Result")


class Rooms:
    """Every room there is, and what they share."""

    def __init__(self, books: Books, coach: Coach, limits: ServerLimits, agents: Sequence[str] = ()) -> None:
        self.books = books
        self.coach = coach
        self.limits = limits
        self.strangers = on_offer(agents)
        """Bots on offer that are not ours, and what makes them; they play behind walls."""
        self._thinkers = ThreadPoolExecutor(4, "thinker")
        self._waiters = ThreadPoolExecutor(WAITERS, "waiter")
        self._doormen = ThreadPoolExecutor(8, "doorman")
        self._live: dict[str, Room] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._listed: Lobby | None = None
        self._sweeper: asyncio.Task[None] | None = None

    async def think(self, work: Callable[[], Result], *, ours: bool) -> Result:
        """Let a bot think in a thread. Whoever waits for a stranger's bot keeps none of ours waiting."""
        pool = self._thinkers if ours else self._waiters

        def without_stop_iteration() -> Result:
            try:
                return work()
            except StopIteration as error:  # a future cannot carry it
                raise RuntimeError("a bot raised StopIteration") from error

        return await asyncio.get_running_loop().run_in_executor(pool, without_stop_iteration)

    def dismiss(self, work: Callable[[], None]) -> None:
        """Let bots go in a thread: their boxes take a while to fall."""
        with contextlib.suppress(RuntimeError):  # at the end of everything they go by themselves
            self._doormen.submit(work)

    async def _lobby(self) -> Lobby:
        """The rooms that wait or play, as they are in the store."""
        if self._listed is None:
            found = await self.books.read(_all_rooms)
            if self._listed is None:
                self._listed = Lobby(self.limits, found)
        return self._listed

    async def save(self, doc: RoomDoc) -> None:
        """Keep a room in the store."""
        await self.books.save(KIND, doc.id, msgspec.json.encode(doc).decode())
        (await self._lobby()).keep(doc)

    async def lines(self) -> list[RoomLine]:
        """Rooms that wait or play, the newest first."""
        return (await self._lobby()).lines(self._live)

    async def create(self, doc: RoomDoc, past: Sequence[RecordedEvent] = ()) -> Room:
        """A new room. If no seat is open its game begins at once."""
        if not (await self._lobby()).make_place(self._live):
            raise FullError("too many rooms are open; try again later")
        if past:
            await self.books.write(list(past))
        await self.save(doc)
        room = self._live[doc.id] = Room(doc, self, past)
        self._sweep()
        if past:
            room.drive()
        elif all(seat.kind != "open" for seat in doc.seats):
            await room.start()
        return room

    async def get(self, room_id: str) -> Room:
        """The room called so, brought back from the store if need be."""
        room = self._live.get(room_id)
        if room is not None:
            return room
        if len(room_id) != ROOM_ID_LENGTH or not set(room_id) <= set(ROOM_ID_LETTERS):
            raise NotFoundError(f"there is no room {room_id[:40]!r}")
        lock = self._opening.setdefault(room_id, asyncio.Lock())
        try:
            async with lock:
                room = self._live.get(room_id)
                if room is None:
                    room = await self._awaken(room_id)
        finally:
            self._opening.pop(room_id, None)
        return room

    async def _awaken(self, room_id: str) -> Room:
        text = (await self.books.read(lambda store: store.documents(KIND, room_id))).get(room_id)
        if text is None:
            raise NotFoundError(f"there is no room {room_id[:40]!r}")
        doc = msgspec.json.decode(text, type=RoomDoc)
        lobby = await self._lobby()
        lobby.make_place(self._live)
        lobby.keep(doc)
        game_id = doc.game_id
        record = [] if game_id is None else await self.books.read(lambda store: store.events(game_id))
        room = self._live[room_id] = Room(doc, self, record)
        if game_id is not None and room.state.public.status == "ENDED" and not doc.over:
            room.doc = msgspec.structs.replace(doc, over=True)
            await self.save(room.doc)
        if game_id is None and all(seat.kind != "open" for seat in doc.seats):  # it was about to begin
            await room.start()
        room.drive()
        self._sweep()
        return room

    def forget(self, room: Room) -> None:
        """The room is no longer in memory."""
        if self._live.get(room.doc.id) is room:
            del self._live[room.doc.id]

    def _sweep(self) -> None:
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep_idle())

    async def _sweep_idle(self) -> None:
        while True:
            await asyncio.sleep(min(15.0, self.limits.linger_s))
            for room in [room for room in self._live.values() if room.idle]:
                room.give_up("")
                if not room.doc.over:  # written before anything that whoever comes next may write
                    with contextlib.suppress(StoreError):
                        await self.save(msgspec.structs.replace(room.doc, visited_utc=utc_now()))

    async def close(self) -> None:
        """Everybody leaves; the store has everything."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        for room in list(self._live.values()):
            room.give_up("the server is going down; come again")
        for pool in (self._thinkers, self._waiters):
            pool.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(self._doormen.shutdown)

    # -- making rooms --------------------------------------------------------------------------------------------------

    def check_agent(self, name: str | None, config: GameConfig) -> str:
        """The bot of this name, if it is on offer and plays by these rules."""
        name = name or STAND_IN
        if name not in AGENTS and name not in self.strangers:
            raise BadValueError("agent", name, one_of(name, (*AGENTS.every_name, *self.strangers)))
        if name in AGENTS:
            fewest, most = AGENTS[name].players
            if not fewest <= config.num_players <= most:
                raise BadValueError("agent", name, f"an agent that plays with {config.num_players} players")
        return name

    def check_name(self, name: str) -> str:
        """The name as it can be shown, if nobody would take whoever is called so for one of the bots."""
        name = clean_name(name)
        kind = name.partition("#")[0].strip().casefold()
        if kind.startswith("threshold:") or kind in {one.casefold() for one in (*AGENTS.every_name, *self.strangers)}:
            raise RoomError(f"a bot is called {name}; choose another name")
        return name

    def check_rules(self, config: GameConfig) -> None:
        """Rules that are too much for a server."""
        limits = self.limits
        if config.total_dice > limits.total_dice or config.dice_cap * config.num_players > 2 * limits.total_dice:
            raise ConfigError("dice", config.dice, f"at most {limits.total_dice} dice together, here")
        if len(config.ladder().bids) > limits.rungs:
            raise ConfigError("max_quantity", config.max_quantity, f"at most {limits.rungs} different bids, here")
        if config.rounds is not None and config.rounds > limits.rounds:
            raise ConfigError("rounds", config.rounds, f"at most {limits.rounds}, here")


def _all_rooms(store: GameRecorder) -> list[RoomDoc]:
    return [msgspec.json.decode(text, type=RoomDoc) for text in store.documents(KIND).values()]
