"""All rooms: those in memory, and those in the store that are loaded when someone visits them."""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import msgspec

from ..agents import AGENTS
from ..core import BadValueError, ConfigError, GameConfig, one_of, without_number
from ..persistence import (
    UNREADABLE,
    CorruptEventError,
    GameRecorder,
    RecordedEvent,
    ReplayError,
    StoreError,
    final_state,
    readable_documents,
)
from .clock import StudioClock
from .coach_client import CoachClient
from .errors import FullError, NotFoundError, RoomError
from .load import ServerLoad, who_pays
from .messages import RoomListItem
from .room import Room
from .room_bots import STAND_IN, is_ours, on_offer
from .room_document import ROOM_ID_LENGTH, ROOM_ID_LETTERS, RoomDoc, clean_name, decode_room
from .room_list import RoomIndex
from .sandbox_places import SandboxPlaces
from .server_limits import ServerLimits
from .store_worker import StoreWorker

KIND = "room"
OWN_BOT_THREADS = 4
"""How many of our own bots can think at the same time..."""
OFFERED_BOT_THREADS = 32
"""...and how many from `--agents`."""

Result = TypeVar("Result")


class Rooms:
    """Every room, and what rooms share."""

    def __init__(
        self,
        store: StoreWorker,
        coach: CoachClient,
        limits: ServerLimits,
        clock: StudioClock,
        load: ServerLoad,
        agents: Sequence[str] = (),
    ) -> None:
        self.store = store
        self.load = load
        self.coach = coach
        self.limits = limits
        self.clock = clock
        self.offered_bots = on_offer(agents)
        """Bots from `--agents`: the name each is offered under, and its specification. They play in a sandbox."""
        self._sandboxes = SandboxPlaces(limits)
        self._own_bot_threads = ThreadPoolExecutor(OWN_BOT_THREADS, "own-bot")
        self._offered_bot_threads = ThreadPoolExecutor(OFFERED_BOT_THREADS, "offered-bot")
        self._cleanup_threads = ThreadPoolExecutor(8, "cleanup")
        self._live: dict[str, Room] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._index: RoomIndex | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._pacing = 0
        """How many rooms are about to let a bot move."""

    async def run_bot(self, work: Callable[[], Result], *, ours: bool) -> Result:
        """Let a bot think in a thread. Slow bots from `--agents` do not hold up our own."""

        def without_stop_iteration() -> Result:
            try:
                return work()
            except StopIteration as error:  # a future cannot hold it, and would never be done
                raise RuntimeError("a bot raised StopIteration") from error

        pool = self._own_bot_threads if ours else self._offered_bot_threads
        return await asyncio.get_running_loop().run_in_executor(pool, without_stop_iteration)

    def run_cleanup(self, work: Callable[[], None]) -> None:
        """Close bots in a thread: ending a sandbox takes a while."""
        with contextlib.suppress(RuntimeError):  # the server is shutting down, and they end with it
            self._cleanup_threads.submit(work)

    @contextlib.contextmanager
    def pacing(self) -> Iterator[Callable[[], float]]:
        """While a room waits before a bot's move: the shortest time it may wait, by how many rooms are doing so."""
        self._pacing += 1
        try:
            yield lambda: max(self.limits.min_delay_s, self._pacing / self.limits.bot_moves_per_s)
        finally:
            self._pacing -= 1

    async def _open_rooms(self) -> RoomIndex:
        """The rooms that are waiting or playing, read from the store at the first call."""
        if self._index is None:
            found = await self.store.read(_all_rooms)
            if self._index is None:
                self._index = RoomIndex(self.limits, self.clock, found)
        return self._index

    async def save(self, doc: RoomDoc) -> None:
        """Store a room's document."""
        await self.store.save(KIND, doc.id, msgspec.json.encode(doc).decode())
        (await self._open_rooms()).update(doc)

    async def list_items(self) -> list[RoomListItem]:
        """Rooms that are waiting or playing, newest first."""
        return (await self._open_rooms()).list_items(self._live)

    async def create(self, doc: RoomDoc, past: Sequence[RecordedEvent] = ()) -> Room:
        """Create a room. If no seat is open, its game starts at once."""
        if not (await self._open_rooms()).make_place(self._live):
            raise FullError("too many rooms are open; try again later", code="too_many_rooms")
        self.take_sandboxes(doc)
        try:
            if past:
                await self.store.write(list(past))
            await self.save(doc)
        except BaseException:
            self.free_sandboxes(doc)
            raise
        room = self._live[doc.id] = await self.load.of_length(len(past), partial(Room, doc, self, past), urgent=True)
        self._sweep()
        if past:
            room.drive()
        elif doc.starts_by_itself:
            await room.start()
        return room

    async def look_at(self, room_id: str) -> Room:
        """The room with this id, to show it. Looking at a room does not bring it into memory, nor keep it there."""
        room = self._live.get(room_id)
        return room if room is not None else await self._read(room_id)

    async def get(self, room_id: str) -> Room:
        """The room with this id, loaded from the store if it is not in memory."""
        room = self._live.get(room_id)
        if room is not None:
            return room
        _check_room_id(room_id)
        lock = self._opening.setdefault(room_id, asyncio.Lock())
        try:
            async with lock:
                room = self._live.get(room_id)
                if room is None:
                    room = await self._load(room_id)
        finally:
            self._opening.pop(room_id, None)
        return room

    async def _read(self, room_id: str) -> Room:
        _check_room_id(room_id)
        text = (await self.store.read(lambda store: store.documents(KIND, room_id))).get(room_id)
        if text is None:
            raise NotFoundError(f"there is no room {room_id[:40]!r}")
        try:
            doc = decode_room(room_id, text)
            game_id = doc.game_id
            record = [] if game_id is None else await self.store.read(lambda store: store.events(game_id))
            return await self.load.of_length(len(record), partial(self._opened, doc, record), urgent=True)
        except (*UNREADABLE, ReplayError) as error:
            warnings.warn(f"{error}; room {room_id} is closed", stacklevel=2)
            raise RoomError("this room is damaged and stays closed; start another", code="room_damaged") from error

    def _opened(self, doc: RoomDoc, record: Sequence[RecordedEvent]) -> Room:
        if record and len(final_state(record).public.names) != len(doc.seats):
            raise CorruptEventError(f"room {doc.id}: its game has another number of players")
        return Room(doc, self, record)

    async def _load(self, room_id: str) -> Room:
        room = await self._read(room_id)
        doc, game_id = room.doc, room.doc.game_id
        index = await self._open_rooms()
        index.make_place(self._live)
        index.update(doc)
        if not doc.over:
            self.take_sandboxes(doc)
        self._live[room_id] = room
        if game_id is not None and room.state.public.status == "ENDED" and not doc.over:
            room.doc = msgspec.structs.replace(doc, over=True)
            await self.save(room.doc)
        if doc.starts_by_itself:  # it was about to
            await room.start()
        room.drive()
        self._sweep()
        return room

    def forget(self, room: Room) -> None:
        """Remove a room from memory."""
        if self._live.get(room.doc.id) is room:
            del self._live[room.doc.id]
            self.free_sandboxes(room.doc)

    def take_sandboxes(self, doc: RoomDoc) -> None:
        """Reserve sandboxes for a room's bots from `--agents`; raises `FullError` if too many play already."""
        account = who_pays.get()
        wanted = sum(seat.agent is not None and not is_ours(seat.agent) for seat in doc.seats)
        self._sandboxes.take(doc.id, "" if account is None else account.address, wanted)

    def free_sandboxes(self, doc: RoomDoc) -> None:
        """A room's bots have left."""
        self._sandboxes.give_back(doc.id)

    def _sweep(self) -> None:
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep_idle())

    async def _sweep_idle(self) -> None:
        while True:
            await self.clock.sleep(min(15.0, self.limits.linger_s))
            await self.store.keep_claim()
            for room in [room for room in self._live.values() if room.idle]:
                room.fall_asleep()
                if not room.doc.over:  # written before anything a later visitor may write
                    with contextlib.suppress(StoreError):
                        await self.save(msgspec.structs.replace(room.doc, visited_utc=self.clock.utc_now()))

    async def close(self) -> None:
        """Close every room; the store has everything."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        for room in list(self._live.values()):
            room.give_up("The server is shutting down. Reconnect later.")
        for pool in (self._own_bot_threads, self._offered_bot_threads):
            pool.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(self._cleanup_threads.shutdown)

    # -- checks --------------------------------------------------------------------------------------------------------

    def check_agent(self, name: str | None, config: GameConfig) -> str:
        """The bot with this name, if it is offered and can play by these rules."""
        name = name or STAND_IN
        name = name if name in self.offered_bots else AGENTS.spelled(name) or name
        if name not in AGENTS and name not in self.offered_bots:
            raise BadValueError("agent", name, one_of(name, (*AGENTS.every_name, *self.offered_bots)))
        if name in AGENTS:
            fewest, most = AGENTS[name].players
            if not fewest <= config.num_players <= most:
                raise BadValueError("agent", name, f"an agent that can play with {config.num_players} players")
        return name

    def check_name(self, name: str) -> str:
        """A player's name as it is shown; refused if it is the name of a bot."""
        name = clean_name(name)
        kind = without_number(name).strip().casefold()
        if kind.startswith("threshold:") or kind in {
            one.casefold() for one in (*AGENTS.every_name, *self.offered_bots)
        }:
            raise RoomError(f"{name} is the name of a bot; choose another name", code="name_of_bot")
        return name

    def check_rules(self, config: GameConfig) -> None:
        """Raise `ConfigError` if a game by these rules would be too large for the server."""
        limits = self.limits
        if config.total_dice > limits.total_dice or config.dice_cap * config.num_players > 2 * limits.total_dice:
            raise ConfigError("dice", config.dice, f"at most {limits.total_dice} dice in total on this server")
        highest = config.total_dice if config.max_quantity == "total" else config.max_quantity
        if highest * config.faces > 2 * limits.rungs or len(config.ladder().bids) > limits.rungs:
            raise ConfigError(
                "max_quantity", config.max_quantity, f"at most {limits.rungs} different bids on this server"
            )
        if config.rounds is not None and config.rounds > limits.rounds:
            raise ConfigError("rounds", config.rounds, f"at most {limits.rounds} on this server")


def _check_room_id(room_id: str) -> None:
    if len(room_id) != ROOM_ID_LENGTH or not set(room_id) <= set(ROOM_ID_LETTERS):
        raise NotFoundError(f"there is no room {room_id[:40]!r}")


def _all_rooms(store: GameRecorder) -> list[RoomDoc]:
    return readable_documents(store, KIND, decode_room)
