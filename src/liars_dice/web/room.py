"""What happens at a table: seats, turns, bots, people who leave and come back. Nothing here knows of HTTP.

A room is a task around the engine. Whatever happens is first stored and then told. If it cannot be stored the room is
given up, and made again from the store when somebody comes: the store is the truth, a room only its shadow.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from ..core import (
    MOVES,
    SPECTATOR,
    Action,
    BidAction,
    Event,
    GameCreated,
    GameEngine,
    GameView,
    RoundStarted,
    free_name,
    view_of,
    visible_to,
)
from ..persistence import (
    Enveloper,
    RecordedEvent,
    StoreError,
    branch,
    decisions,
    final_state,
    new_game_id,
    utc_now,
    visible_events,
)
from .errors import ForbiddenError, FullError, RoomError
from .messages import Ending, EventNote, Json, Over, RoomView, SeatLine, Seats, Turn, encode
from .room_bots import STAND_IN, HouseBots, is_ours, type_of
from .room_document import RoomDoc, SeatDoc, called, hash_token, new_token

if TYPE_CHECKING:
    from .rooms import Rooms

log = logging.getLogger(__name__)


class Listener(Protocol):
    """Somebody in a room: a page, a program, or a question that waits for an answer."""

    seat: int
    """Where they sit, or `SPECTATOR`."""

    def tell(self, message: bytes) -> None:
        """Take a message; never waits."""

    def happened(self, room: Room, news: Sequence[RecordedEvent]) -> None:
        """The game went on."""

    def begin_anew(self, room: Room) -> None:
        """The game now goes on from an earlier moment."""

    def leave(self, reason: str) -> None:
        """The room is given up; come again."""


def event_json(n: int, event: Event) -> Json:
    """An event as clients get it: its number, its type, and what it says."""
    payload: Json = msgspec.to_builtins(event)
    kind = payload.pop("event_type")
    return {"n": n, "type": kind, **payload}


class Room:
    """One table."""

    def __init__(self, doc: RoomDoc, rooms: Rooms, record: Sequence[RecordedEvent] = ()) -> None:
        self.doc = doc
        self.listeners: dict[Listener, None] = {}
        """Everybody who is here, those first who came first."""
        self.gone = False
        self.visited = time.monotonic()
        """When somebody came, went or looked for the last time."""
        self._rooms = rooms
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._driver: asyncio.Task[None] | None = None
        self._left = [self.visited] * len(doc.seats)
        self._polled = [float("-inf")] * len(doc.seats)
        self._stand_ins: set[int] = set()
        self._turn_began = self.visited
        self._news: list[RecordedEvent] = []
        self._said = b""
        """What was last said of the seats."""
        self.record: list[RecordedEvent] = []
        self.moves = 0
        if doc.game_id is not None:
            self._open(record)

    def _open(self, record: Sequence[RecordedEvent] = ()) -> None:
        """Set the game up, from the beginning or from what is recorded."""
        doc = self.doc
        assert doc.game_id is not None
        types = [type_of(seat.agent) if seat.kind == "bot" else "Human" for seat in doc.seats]
        self._enveloper = Enveloper(doc.game_id, types)
        if record:
            created = record[0].payload
            assert isinstance(created, GameCreated)
            self.engine = GameEngine.resume(final_state(record), seed=created.config.seed)
            for event in record:
                self._enveloper.seal(event.payload)
        else:
            self.engine = GameEngine(doc.config, seated(doc.seats), names=[seat.name for seat in doc.seats])
        self.record = list(record)
        self.moves = len(decisions(record))
        self.state = self.engine.state
        """The game as it is in the store; for a moment the engine may be ahead. Only this is told."""
        self.engine.subscribe(self._seal)
        self._bots = HouseBots(self._rooms.strangers, self.engine.seed)

    def _seal(self, event: Event) -> None:
        sealed = self._enveloper.seal(event)
        if sealed.player_type == "Human" and isinstance(event, MOVES) and event.player_id in self._stand_ins:
            sealed = msgspec.structs.replace(sealed, player_type=type_of(STAND_IN))
        self._news.append(sealed)

    # -- what can be seen ----------------------------------------------------------------------------------------------

    @property
    def turn(self) -> int:
        """The number of the decision that is next, from 1."""
        return self.moves + 1

    @property
    def people(self) -> list[int]:
        """The seats of people and of programs elsewhere."""
        return [n for n, seat in enumerate(self.doc.seats) if seat.token is not None]

    @property
    def known(self) -> list[str]:
        """Who sits where, as the record has it."""
        return [seat.recorded_id for seat in self.doc.seats]

    def present(self, seat: int) -> bool:
        """Whether whoever sits here is here: bots always are."""
        if self.doc.seats[seat].token is None:
            return self.doc.seats[seat].kind == "bot"
        return any(one.seat == seat for one in self.listeners) or time.monotonic() < self._polled[seat]

    def seat_lines(self) -> list[SeatLine]:
        """The seats as everybody may see them."""
        counts = self.doc.config.dice if self.doc.game_id is None else self.state.public.dice_counts
        return [
            SeatLine(
                n,
                seat.name,
                seat.kind,
                seat.agent,
                self.present(n),
                counts[n],
                STAND_IN if n in self._stand_ins else None,
            )
            for n, seat in enumerate(self.doc.seats)
        ]

    @property
    def spectators(self) -> int:
        """How many watch."""
        return sum(one.seat == SPECTATOR for one in self.listeners)

    def view(self) -> RoomView:
        """The room as everybody may see it."""
        self.visited = time.monotonic()
        doc = self.doc
        return RoomView(
            doc.id,
            doc.status,
            msgspec.to_builtins(doc.config.without_seed),
            self.seat_lines(),
            doc.game_id,
            self.spectators,
            doc.practice,
            doc.delay_ms,
            self.turn,
            None if doc.game_id is None else self.state.public.winner,
            self.ended,
        )

    @property
    def ended(self) -> Ending | None:
        """How the game ended, if it has."""
        if not self.doc.over or self.doc.game_id is None:
            return None
        return "too_long" if self.state.public.winner is None else "won"

    def first_unknown(self, start: int, game_id: str | None) -> int:
        """The first event that somebody does not know who knows those before `start`, of this game or of another."""
        another = game_id is not None and game_id != self.doc.game_id
        return 0 if another or start > len(self.record) else start

    def events_for(self, seat: int, start: int = 0) -> list[Json]:
        """What this seat may see of the game, from event `start` on."""
        return [event_json(e.version, e.payload) for e in visible_events(self.record, seat) if e.version >= start]

    def player_view(self, seat: int) -> GameView:
        """What this player may know now."""
        if self.doc.game_id is None:
            raise RoomError("the game has not begun")
        return view_of(self.state, seat)

    def dice_of(self, seat: int) -> tuple[int, ...]:
        """The dice of this player, for this player."""
        return () if seat == SPECTATOR or self.doc.game_id is None else view_of(self.state, seat).my_dice

    def turn_message(self, seat: int) -> bytes | None:
        """Whose turn it is, for this seat; None if nobody may move."""
        if self.doc.status != "playing" or self.state.public.status != "BIDDING":
            return None
        player = self.state.public.current_player
        wait = self._until_stand_in(player)
        deadline = None if wait is None else round(max(wait, 0.0), 1)
        if player != seat:
            return encode(Turn(self.turn, player, deadline_s=deadline))
        view = view_of(self.state, player)
        rungs = view.public.rules.rungs
        bids = [action.bid for action in view.legal_actions if isinstance(action, BidAction)]
        calls: list[Any] = [str(action) for action in view.legal_actions if not isinstance(action, BidAction)]
        pairs = [(bid.quantity, bid.face) for bid in bids]
        return encode(Turn(self.turn, player, [rungs[bid] for bid in bids], pairs, calls, deadline))

    def over_message(self) -> bytes | None:
        """How the game ended, if it has."""
        ended = self.ended
        if ended is None or self.doc.game_id is None:
            return None
        return encode(Over(self.state.public.winner, self.doc.game_id, ended))

    # -- who is here ---------------------------------------------------------------------------------------------------

    def seat_of(self, token: str | None) -> int:
        """The seat this secret opens; `ForbiddenError` if it opens none."""
        given = hash_token(token or "")
        found = SPECTATOR
        for n, seat in enumerate(self.doc.seats):
            if seat.token is not None and hmac.compare_digest(seat.token, given):
                found = n
        if found == SPECTATOR:
            raise ForbiddenError("this token opens no seat here")
        return found

    def join(self, listener: Listener, welcome: Callable[[], None] | None = None) -> None:
        """Somebody comes, or comes back, and is welcomed before anything else is said."""
        if listener.seat == SPECTATOR and self.spectators >= self._rooms.limits.spectators:
            raise FullError("too many people watch this room")
        self.listeners[listener] = None
        self._stand_ins.discard(listener.seat)
        if welcome is not None:
            welcome()
        self._presence_changed()

    def leave(self, listener: Listener) -> None:
        """Somebody goes."""
        if listener not in self.listeners:
            return
        del self.listeners[listener]
        if listener.seat != SPECTATOR:
            self._left[listener.seat] = time.monotonic()
        self._presence_changed()

    def polled(self, seat: int, seconds: float) -> None:
        """A program without a socket asked; it counts as being here for a while."""
        was_here = self.present(seat)
        now = time.monotonic()
        self.visited = now
        self._polled[seat] = self._left[seat] = now + seconds
        self._stand_ins.discard(seat)
        if not was_here:
            self._presence_changed()

    def _presence_changed(self) -> None:
        self.visited = time.monotonic()
        self._changed.set()
        message = encode(Seats(self.seat_lines(), self.doc.status, self.spectators))
        if message == self._said:
            return
        self._said = message
        waiting = self.turn_message(SPECTATOR)  # how long the others wait for whoever is to move may be new
        for one in tuple(self.listeners):
            one.tell(message)
            if waiting is not None and one.seat != self.state.public.current_player:
                one.tell(waiting)

    def _until_stand_in(self, seat: int) -> float | None:
        """Seconds until a bot plays for this seat; None if that is not to be expected.

        Nobody's game is played to its end behind everybody's back: a bot stands in only while somebody else is here.
        """
        doc = self.doc.seats[seat]
        if doc.token is None:
            return None
        now, away_s = time.monotonic(), self._rooms.limits.away_s
        others = any(n != seat and self.present(n) and self.doc.seats[n].kind == "person" for n in self.people)
        if not others and doc.kind == "person":
            return None
        if not self.present(seat):
            return self._left[seat] + away_s - now
        return self._turn_began + away_s - now if doc.kind == "bot" else None

    # -- before the game -----------------------------------------------------------------------------------------------

    async def take_seat(self, name: str, wanted: int | None, *, bot: bool) -> tuple[int, str]:
        """Somebody sits down; the secret of the seat is theirs alone."""
        async with self._lock:
            self._check_here()
            open_seats = [n for n, seat in enumerate(self.doc.seats) if seat.kind == "open"]
            if self.doc.game_id is not None or not open_seats:
                raise RoomError("no seat is open here; you can watch")
            seat = open_seats[0] if wanted is None else wanted
            if seat not in open_seats:
                raise RoomError(f"seat {seat} is not open; open: {', '.join(map(str, open_seats))}")
            taken = [other.name for n, other in enumerate(self.doc.seats) if n != seat]
            token = new_token()
            name = free_name(called(self._rooms.check_name(name), seat), taken)
            seats = [*self.doc.seats]
            seats[seat] = SeatDoc("bot" if bot else "person", name, None, hash_token(token))
            doc = msgspec.structs.replace(self.doc, seats=seats)
            await (self._begin(doc) if len(open_seats) == 1 else self._save(doc))
            self._left[seat] = time.monotonic()
        self._presence_changed()
        return seat, token

    async def start(self) -> None:
        """Fill the open seats with bots, and begin."""
        async with self._lock:
            self._check_here()
            if self.doc.game_id is not None:
                raise RoomError("the game has begun already")
            await self._begin(self.doc)
        self._presence_changed()

    async def _begin(self, doc: RoomDoc) -> None:
        """The game begins in the room as it is to be; one write for all of it. The lock is held."""
        seats = list(doc.seats)
        for n, seat in enumerate(seats):
            if seat.kind == "open":
                taken = [other.name for m, other in enumerate(seats) if m != n]
                seats[n] = SeatDoc("bot", free_name(STAND_IN, taken), STAND_IN)
        await self._save(msgspec.structs.replace(doc, seats=seats, game_id=new_game_id()))
        self._open()
        self.drive()

    async def _save(self, doc: RoomDoc) -> None:
        await self._rooms.save(doc)
        self.doc = doc

    def _check_here(self) -> None:
        if self.gone:
            raise RoomError("the room is being opened again; try once more")

    # -- the game ------------------------------------------------------------------------------------------------------

    async def act(self, seat: int, turn: int, action: Action) -> None:
        """This player does this. When this returns, it is in the store, and everybody was told."""
        async with self._lock:
            self._check_here()
            if self.doc.status != "playing":
                raise RoomError("the game is over" if self.doc.over else "the game has not begun")
            if turn != self.turn:
                raise RoomError(f"turn {turn} is not the one that is played now ({self.turn})")
            self._stand_ins.discard(seat)
            self.engine.apply_action(seat, action)
            await self._commit()

    async def undo(self, seat: int) -> None:
        """Back to this player's last decision, with the same dice now and later."""
        async with self._lock:
            self._check_here()
            if not self.doc.practice:
                raise RoomError("moves can be taken back in practice rooms only")
            places = decisions(self.record, seat)
            if self.doc.game_id is None or not places:
                raise RoomError("there is nothing to take back")
            if self.doc.undos >= self._rooms.limits.undos:
                raise RoomError(f"{self.doc.undos} moves were taken back in this room; no more")
            past = self.record
            await self._go_on_from(past, places[-1])
        for one in tuple(self.listeners):
            one.begin_anew(self)
        self._changed.set()
        self.drive()

    async def _go_on_from(self, events: Sequence[RecordedEvent], version: int) -> None:
        """Let the room's game be a new one that begins like another."""
        _, past = branch(events, version, seed=self.engine.seed)
        past = as_new_game(past)
        try:
            await self._rooms.books.write(past)
            doc = msgspec.structs.replace(self.doc, game_id=past[0].game_id, over=False, undos=self.doc.undos + 1)
            await self._save(doc)
        except BaseException:
            self.give_up("the game could not be stored; come again")
            raise
        self._rooms.dismiss(self._bots.close)
        self._open(past)

    async def set_speed(self, one: Listener, delay_ms: int) -> None:
        """How long bots seem to think; for who plays alone with them or, where nobody plays, has watched longest."""
        if any(n != one.seat for n in self.people):
            raise RoomError("the speed can be changed only where no other people play")
        if not self.people and one is not next(iter(self.listeners), one):
            raise RoomError("the speed is set by whoever has watched longest")
        async with self._lock:
            self._check_here()
            delay_ms = min(delay_ms, self._rooms.limits.max_delay_ms)
            if delay_ms != self.doc.delay_ms:
                await self._save(msgspec.structs.replace(self.doc, delay_ms=delay_ms))
        self._changed.set()

    async def _commit(self) -> None:
        """Store what the engine has just done, then tell everybody. The lock is held."""
        news, self._news = self._news, []
        try:
            await self._rooms.books.write(news)
            too_long = news[-1].version >= self._rooms.limits.events
            if self.engine.is_terminal() or too_long:
                await self._save(msgspec.structs.replace(self.doc, over=True))
        except BaseException:
            self.give_up("the game could not be stored; come again")
            raise
        self.state = self.engine.state
        self.record += news
        self.moves += sum(isinstance(event.payload, MOVES) for event in news)
        self._turn_began = time.monotonic()
        for one in tuple(self.listeners):
            one.happened(self, news)
        if self.doc.over:
            self._say_good_bye()
        if self.people and any(isinstance(event.payload, RoundStarted) for event in news):
            self._rooms.coach.prepare(self.state.public, self.known)
        self._changed.set()

    def notes(self, news: Sequence[RecordedEvent], seat: int) -> Iterable[bytes]:
        """News as this seat may hear it, then whose turn it is or how the game ended."""
        for sealed in news:
            seen = visible_to(sealed.payload, seat)
            if seen is not None:
                yield encode(EventNote(sealed.version, event_json(sealed.version, seen)))
        for message in (self.turn_message(seat), self.over_message()):
            if message is not None:
                yield message

    # -- bots ----------------------------------------------------------------------------------------------------------

    def drive(self) -> None:
        """Let the game go on by itself wherever it can."""
        if self._driver is None and self.doc.status == "playing" and not self.gone:
            self._driver = asyncio.create_task(self._drive())

    async def _drive(self) -> None:
        try:
            while self.doc.status == "playing" and not self.gone:
                self._changed.clear()
                if self.state.public.status == "BIDDING":
                    await self._turn()
                else:
                    await self._deal()
        except (StoreError, RoomError):
            self.give_up("the game could not be stored; come again")
        except Exception:  # whoever comes back finds the room as it is in the store, with a new driver
            log.exception("room %s was given up", self.doc.id)
            self.give_up("something went wrong in this room; come again")
        finally:
            self._driver = None

    async def _deal(self) -> None:
        if self.state.public.resolutions:
            await self._pause(2)
        async with self._lock:
            if self.state.public.status == "REVEAL" and not self.gone:
                self.engine.start_new_round()
                await self._commit()

    async def _turn(self) -> None:
        seat, turn, engine = self.state.public.current_player, self.turn, self.engine
        doc = self.doc.seats[seat]
        if doc.token is not None:
            wait = self._until_stand_in(seat)
            if wait is None or wait > 0:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), wait)
                return
            if seat not in self._stand_ins:
                self._stand_ins.add(seat)
                self._presence_changed()

        def still_so() -> bool:
            same = (self.engine, self.turn) == (engine, turn) and not self.gone
            return same and (doc.token is None or seat in self._stand_ins)

        await self._pause(1)
        if not still_so():
            return
        agent = doc.agent or STAND_IN
        choose = partial(self._bots.choose, agent, view_of(self.state, seat), tuple(self.record))
        action, faults = await self._rooms.think(choose, ours=is_ours(agent))
        async with self._lock:
            if not still_so():
                return
            for fault in faults:
                engine.announce(fault)
            engine.apply_action(seat, action)
            await self._commit()

    async def _pause(self, times: int) -> None:
        """Bots take their time, unless somebody asks for more speed meanwhile."""
        limits, since = self._rooms.limits, time.monotonic()
        while True:
            left = since + max(times * self.doc.delay_ms / 1000, limits.min_delay_s) - time.monotonic()
            if left <= 0:
                return
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)

    # -- the end -------------------------------------------------------------------------------------------------------

    def _say_good_bye(self) -> None:
        """Let the bots hear how the game ended. Nobody waits for them."""
        agents = {n: seat.agent for n, seat in enumerate(self.doc.seats) if seat.agent is not None}
        self._rooms.dismiss(partial(self._bots.finish, agents, self.state.public, tuple(self.record)))

    @property
    def idle(self) -> bool:
        """Whether nobody would miss this room's shadow in memory. A game among bots alone then waits, too."""
        return (
            not self.listeners
            and not self._lock.locked()
            and time.monotonic() - self.visited > self._rooms.limits.linger_s
        )

    def give_up(self, reason: str) -> None:
        """Forget the room: whoever comes next finds it in the store."""
        if self.gone:
            return
        self.gone = True
        self._rooms.forget(self)
        if self._driver is not None and self._driver is not asyncio.current_task():
            self._driver.cancel()
        if self.doc.game_id is not None:
            self._rooms.dismiss(self._bots.close)
        for one in tuple(self.listeners):
            one.leave(reason)
        self._changed.set()


class _Seated:
    """Whoever sits somewhere, for the game's record alone: rooms ask for decisions in their own ways."""

    def __init__(self, doc: SeatDoc) -> None:
        self.name = doc.name
        self.agent_id = doc.recorded_id

    def choose_action(self, view: GameView) -> Action:
        """Nobody asks."""
        raise NotImplementedError


def seated(seats: Sequence[SeatDoc]) -> list[_Seated]:
    """Everybody at the table, as the engine records them."""
    return [_Seated(seat) for seat in seats]


def as_new_game(past: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """What was played before, as the beginning of a game that is created now."""
    game_id, now = new_game_id(), utc_now()
    renamed = [msgspec.structs.replace(event, game_id=game_id) for event in past]
    return [msgspec.structs.replace(renamed[0], timestamp_utc=now), *renamed[1:]]
