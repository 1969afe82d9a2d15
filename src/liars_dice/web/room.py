"""A room: its seats, its game, and the task that lets bots move. Nothing here knows about HTTP.

Every event is stored first and told afterwards. If storing fails, the room is closed and loaded again from the store
when someone returns: the store is the truth, a room in memory only follows it.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ..core import (
    MOVES,
    SPECTATOR,
    Action,
    Event,
    Fairness,
    GameCreated,
    GameEngine,
    GameView,
    RoundEnded,
    RoundStarted,
    checked_entropy,
    free_name,
    new_commitment,
    view_of,
)
from ..persistence import (
    Enveloper,
    RecordedEvent,
    StoreError,
    branch,
    decisions,
    final_state,
    new_game_id,
)
from .clock import StudioClock
from .errors import ForbiddenError, RoomError
from .load import MANY_EVENTS, who_pays
from .messages import Ending, RoomView, SeatKind, SeatLeft
from .presence import Listener, Presence
from .room_bots import STAND_IN, STAND_IN_TYPE, HouseBots, is_ours, table_mate, type_of
from .room_document import RoomDoc, SeatDoc, display_name, hash_address, hash_token, new_token
from .room_messages import encoded_events, room_view, seats_message, turn_message
from .table_talk import TableTalk
from .turn_clock import TurnClock

if TYPE_CHECKING:
    from .rooms import Rooms

log = logging.getLogger(__name__)

NOT_STORED = "The game could not be stored. Reconnect to continue."
CLOSED = "The host has closed this room. Ask for the new link."
IDLE = "No one has played in this room for a while, so it is asleep. Connect again to wake it."
REMOVED = "The host has removed you from this room."
LEFT = "You have left your seat."
NOT_IN_REMATCH = "The others play another game. You can watch it."
FAILED = "Something went wrong in this room. Reconnect to continue."


class Room:
    """One table."""

    def __init__(self, doc: RoomDoc, rooms: Rooms, record: Sequence[RecordedEvent] = ()) -> None:
        self.doc = doc
        self.gone = False
        """Whether the room is no longer in memory."""
        self._rooms = rooms
        self.clock = rooms.clock
        self.presence = Presence(len(doc.seats), rooms.limits, rooms.clock)
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._driver: asyncio.Task[None] | None = None
        self._turn_began = self.clock.now()
        self._news: list[RecordedEvent] = []
        self._told_seats = b""
        """The last message about the seats."""
        self.rematch: set[int] = set()
        """The seats whose players want another game."""
        self._votes: dict[int, set[int]] = {}
        """For each seat, who wants a bot to play for it."""
        self.talk = TableTalk(self)
        self.record: list[RecordedEvent] = []
        self._encoded: dict[int, list[bytes | None]] = {}
        """The finished rounds of a long game as each seat gets them; None for what it may not see."""
        self.moves = 0
        if doc.game_id is not None:
            self._open(record)

    def _open(self, record: Sequence[RecordedEvent] = (), game: tuple[GameEngine, Enveloper] | None = None) -> None:
        """Set up the game, from the beginning or from its record. `game` is what `_game` made of both."""
        self.engine, self._enveloper = self._game(self.doc, record) if game is None else game
        self.record = list(record)
        self._encoded.clear()
        self.moves = len(decisions(record))
        self.state = self.engine.state
        """The game as it is stored, and all that clients are told. The engine may be a moment ahead."""
        self.engine.subscribe(self._seal)
        self._bots = HouseBots(self._rooms.offered_bots, self.engine.seed, self._rooms.limits.bots)
        self._turn_clock = TurnClock(self.doc.turn_limit, len(self.doc.seats))
        self.rematch.clear()
        self._votes.clear()

    def _game(self, doc: RoomDoc, record: Sequence[RecordedEvent]) -> tuple[GameEngine, Enveloper]:
        """The engine and the enveloper of this game. Changes nothing here, so a thread can do it for a long record."""
        assert doc.game_id is not None
        types = [type_of(seat.agent) if seat.kind == "bot" else "Human" for seat in doc.seats]
        enveloper = Enveloper(doc.game_id, types, self.clock.utc_now)
        if not record:
            names = [seat.name for seat in doc.seats]
            return GameEngine(doc.config, seated(doc.seats), names=names, fairness=doc.fairness), enveloper
        created = record[0].payload
        assert isinstance(created, GameCreated)
        engine = GameEngine.resume(final_state(record), seed=created.config.seed)
        for event in record:
            enveloper.seal(event.payload)
        return engine, enveloper

    def _seal(self, event: Event) -> None:
        sealed = self._enveloper.seal(event)
        if isinstance(event, MOVES) and self._stands_in(event.player_id):
            sealed = msgspec.structs.replace(sealed, player_type=STAND_IN_TYPE)
        self._news.append(sealed)

    # -- the state -----------------------------------------------------------------------------------------------------

    @property
    def turn(self) -> int:
        """The number of the next turn, from 1."""
        return self.moves + 1

    @property
    def people(self) -> list[int]:
        """The seats of people, and of programs that connect over the network."""
        return [n for n, seat in enumerate(self.doc.seats) if seat.token is not None]

    @property
    def recorded_ids(self) -> list[str]:
        """Who sits where, as the game's record says it."""
        return [seat.recorded_id for seat in self.doc.seats]

    @property
    def ended(self) -> Ending | None:
        """How the game ended, if it has."""
        if not self.doc.over or self.doc.game_id is None:
            return None
        return "too_long" if self.state.public.winner is None else "won"

    def view(self) -> RoomView:
        """The public view of the room."""
        return room_view(self)

    @property
    def to_move(self) -> int | None:
        """Whose turn it is; None if no one is to move."""
        playing = self.doc.status == "playing" and self.state.public.status == "BIDDING"
        return self.state.public.current_player if playing else None

    def events_for(self, seat: int, start: int = 0) -> list[msgspec.Raw]:
        """What this seat may see of the game from event `start` on, as JSON."""
        known = self._encoded.get(seat, [])
        fresh = encoded_events(self.record, seat, max(start, len(known)))
        return [msgspec.Raw(event) for event in (*known[start:], *fresh) if event is not None]

    async def encode_ahead(self, seat: int) -> None:
        """Let a thread prepare `events_for` if the game is long."""
        if len(self.record) < MANY_EVENTS:
            return
        record, known = tuple(self.record), self._encoded.get(seat, [])
        ended = next((n for n in range(len(record), 0, -1) if isinstance(record[n - 1].payload, RoundEnded)), 0)
        if ended > len(known):
            work = partial(encoded_events, record[:ended], seat, len(known))
            found = await self._rooms.load.apart(work, urgent=seat != SPECTATOR)
            if self.record[:1] == list(record[:1]) and len(self._encoded.get(seat, [])) == len(known):
                self._encoded[seat] = [*known, *found]

    def player_view(self, seat: int) -> GameView:
        """What the player of this seat may know now."""
        if self.doc.game_id is None:
            raise RoomError("the game has not started", code="not_started")
        return view_of(self.state, seat)

    def check_invited(self, secret: str | None) -> None:
        """Raise `ForbiddenError` if the room is closed, and this is neither its invitation nor the token of a seat."""
        invite = self.doc.invite
        if invite is None or hmac.compare_digest(invite.encode(), (secret or "").encode("utf-8", "surrogatepass")):
            return
        try:
            self.seat_of(secret)
        except ForbiddenError:
            raise ForbiddenError("this room is closed; ask its host for the link", code="closed_room") from None

    async def set_closed(self, seat: int, closed: bool) -> str | None:
        """Close the room to everyone without its new invitation, which is returned, or open it again."""
        if seat != self.doc.host:
            raise ForbiddenError("only the player who set up the room can close or open it", code="not_host")
        async with self._lock:
            self._check_open()
            if closed != (self.doc.invite is not None):
                await self._save(msgspec.structs.replace(self.doc, invite=new_token() if closed else None))
        if closed:
            for one in tuple(self.presence.listeners):
                if one.seat == SPECTATOR:
                    one.leave(CLOSED, stay_away=True)
        self._presence_changed()
        return self.doc.invite

    # -- presence ------------------------------------------------------------------------------------------------------

    def seat_of(self, token: str | None) -> int:
        """The seat this token belongs to; raises `ForbiddenError` if there is none."""
        given = hash_token(token or "")
        found = SPECTATOR
        for n, seat in enumerate(self.doc.seats):
            if seat.token is not None and hmac.compare_digest(seat.token, given):
                found = n
        if found == SPECTATOR:
            raise ForbiddenError("this token does not belong to a seat in this room")
        return found

    def is_here(self, seat: int) -> bool:
        """Whether this seat's player is connected."""
        return self.presence.is_here(self.doc.seats, seat)

    def seconds_until_stand_in(self, seat: int) -> float | None:
        """Seconds until a bot moves for this seat, whose player is away or has a limited time; None if none will."""
        if self.doc.seats[seat].left:
            return 0.0
        waits = [self.presence.seconds_until_stand_in(self.doc.seats, seat, self._turn_began)]
        if any(self.is_here(n) for n in self.people):  # a game that everyone has left waits for them
            allowed = self._turn_clock.allowed(seat, after_reveal=self._after_reveal)
            waits.append(None if allowed is None else self._turn_began + allowed - self.clock.now())
        return min((wait for wait in waits if wait is not None), default=None)

    @property
    def _after_reveal(self) -> bool:
        """Whether the dice of the round before were shown just now."""
        public = self.state.public
        return bool(public.resolutions) and public.last_bid is None

    def _stands_in(self, seat: int) -> bool:
        """Whether a bot plays for this seat's player now."""
        return seat in self.presence.stand_ins or self.doc.seats[seat].left != ""

    def join(self, listener: Listener, welcome: Callable[[], None] | None = None) -> None:
        """Someone connects, for the first time or again. `welcome` runs before they are told anything else."""
        self.presence.join(listener)
        if welcome is not None:
            welcome()
        self._presence_changed()

    def leave(self, listener: Listener) -> None:
        """Someone disconnects."""
        if self.presence.leave(listener):
            self._presence_changed()

    def polled(self, seat: int, seconds: float) -> None:
        """A program without a socket made a request; count it as connected for this long."""
        was_here = self.is_here(seat)
        self.presence.polled(seat, seconds)
        if not was_here:
            self._presence_changed()

    def _presence_changed(self) -> None:
        self.presence.touch()
        self._changed.set()
        told = seats_message(self, seated=True)
        if told == self._told_seats:
            return
        self._told_seats = told
        to_spectators = seats_message(self, seated=False)
        waiting = turn_message(self, SPECTATOR)  # how long the others wait for the player to move may have changed
        for one in tuple(self.presence.listeners):
            one.tell(to_spectators if one.seat == SPECTATOR else told)
            if waiting is not None and one.seat != self.state.public.current_player:
                one.tell(waiting)

    # -- before the game -----------------------------------------------------------------------------------------------

    async def take_seat(
        self, name: str, wanted: int | None, *, bot: bool, entropy: str = "", invite: str | None = None
    ) -> tuple[int, str]:
        """Give a player a seat; returns it with its token, which no one else is told."""
        entropy = self._addition(entropy)
        async with self._lock:
            self._check_open()
            self.check_invited(invite)
            self.check_not_banned()
            open_seats = [n for n, seat in enumerate(self.doc.seats) if seat.kind == "open"]
            if self.doc.game_id is not None or not open_seats:
                raise RoomError("this room has no open seat; you can watch", code="no_open_seat")
            seat = open_seats[0] if wanted is None else wanted
            if seat not in open_seats:
                choice = ", ".join(map(str, open_seats))
                raise RoomError(f"seat {seat} is not open; open seats: {choice}", code="seat_taken")
            taken = [other.name for n, other in enumerate(self.doc.seats) if n != seat]
            token = new_token()
            name = free_name(display_name(self._rooms.check_name(name), seat), taken)
            seats = [*self.doc.seats]
            kind: SeatKind = "bot" if bot else "person"
            seats[seat] = SeatDoc(kind, name, None, hash_token(token), entropy, place=self._visitor)
            doc = msgspec.structs.replace(self.doc, seats=seats)
            await (self._begin(doc) if doc.starts_by_itself else self._save(doc))
            self.presence.left(seat)
            self.presence.played()
        self._presence_changed()
        return seat, token

    async def add_entropy(self, seat: int, text: str) -> None:
        """Let this player have a say in the dice. What it added before is replaced."""
        text = self._addition(text)
        async with self._lock:
            self._check_open()
            if self.doc.game_id is not None:
                raise RoomError("the game has already started", code="already_started")
            seats = list(self.doc.seats)
            seats[seat] = msgspec.structs.replace(seats[seat], entropy=text)
            await self._save(msgspec.structs.replace(self.doc, seats=seats))

    def _addition(self, text: str) -> str:
        """What a player adds to the dice, checked."""
        if text and self.doc.fairness is None:
            raise RoomError("the dice of this room come from a given seed", code="seed_given")
        return checked_entropy(text)

    async def set_ready(self, seat: int, ready: bool) -> None:
        """This player is ready for the game, or not yet. It starts when all seats are taken and everyone is ready."""
        async with self._lock:
            self._check_open()
            if self.doc.game_id is not None:
                raise RoomError("the game has already started", code="already_started")
            doc = self._with_seat(seat, ready=ready)
            await (self._begin(doc) if doc.starts_by_itself else self._save(doc))
        self._presence_changed()

    async def start(self) -> None:
        """Fill the open seats with bots, and start the game."""
        async with self._lock:
            self._check_open()
            if self.doc.game_id is not None:
                raise RoomError("the game has already started", code="already_started")
            await self._begin(self.doc)
        self._presence_changed()

    # -- leaving, and being left -------------------------------------------------------------------------------------

    async def resign(self, seat: int, answer: Callable[[], None] | None = None) -> None:
        """This player leaves: before the game the seat is open again, in a game a bot plays to its end.

        `answer` runs before the connections of a seat that is open again are ended.
        """
        async with self._lock:
            self._check_open()
            await self._empty(seat, "resigned")
        if answer is not None:
            answer()
        if self.doc.seats[seat].token is None:
            self._end_connections(seat, LEFT)
        self._seat_changed(seat)

    async def remove(self, host: int, seat: int, *, ban: bool) -> None:
        """The host removes a player, who cannot come back by their token; with `ban`, nor from the same address."""
        self._check_host(host)
        async with self._lock:
            self._check_open()
            doc = self._other(host, seat)
            banned = [*self.doc.banned, doc.place] if ban and doc.place else self.doc.banned
            self.doc = msgspec.structs.replace(self.doc, banned=banned)
            await self._empty(seat, "removed")
        self._end_connections(seat, REMOVED, stay_away=True)
        self._seat_changed(seat)

    def _end_connections(self, seat: int, reason: str, *, stay_away: bool = False) -> None:
        """End all connections of a seat whose player has lost it: the next player's dice are not for them."""
        for one in tuple(self.presence.listeners):
            if one.seat == seat:
                one.leave(reason, stay_away=stay_away)

    async def _empty(self, seat: int, why: SeatLeft) -> None:
        """Open a seat before the game; in a game, let a bot play there, and after it, in the next. The lock is held."""
        if self.doc.game_id is None:
            taken = [other.name for n, other in enumerate(self.doc.seats) if n != seat]
            doc = self._with_seat(seat, SeatDoc("open", free_name(f"Seat {seat + 1}", taken)))
        else:
            kept = self.doc.seats[seat].token if why == "resigned" else None
            doc = self._with_seat(seat, left=why, token=kept)
        if doc.host == seat:
            others = [n for n, one in enumerate(doc.seats) if one.kind == "person" and not one.left]
            doc = msgspec.structs.replace(doc, host=others[0] if others else None)
        self.rematch.discard(seat)
        await self._save(doc)

    async def give_to_bot(self, by: int, seat: int) -> None:
        """Let a bot play for another player from now on: when the host says so, or most of the others do."""
        async with self._lock:
            self._check_open()
            other = self._other(by, seat)
            if self.doc.status != "playing" or other.left:
                raise RoomError("a seat can be given to a bot only during the game, and once", code="not_now")
            if by != self.doc.host:
                if self.is_here(seat) and seat not in self._turn_clock.late:
                    line = "a vote is possible when the player is away, or has run out of time before"
                    raise RoomError(line, code="not_away")
                votes = self._votes.setdefault(seat, set())
                votes.add(by)
                voters = {n for n in self.people if n != seat and self.is_here(n) and not self.doc.seats[n].left}
                if 2 * len(votes & voters) <= len(voters):
                    return
            await self._save(self._with_seat(seat, left="given"))
        self._seat_changed(seat)

    async def return_to_seat(self, seat: int) -> None:
        """This player plays again in the seat that the others gave to a bot."""
        async with self._lock:
            self._check_open()
            if self.doc.seats[seat].left != "given":
                raise RoomError("you have not lost your seat, or have left it for good", code="not_given")
            await self._save(self._with_seat(seat, left=""))
            self._votes.pop(seat, None)
            self._turn_clock.late.discard(seat)
        self._seat_changed(seat)

    def _seat_changed(self, seat: int) -> None:
        self.presence.returned(seat)
        self.presence.played()
        self._presence_changed()
        self.drive()

    def _with_seat(self, seat: int, doc: SeatDoc | None = None, **changes: Any) -> RoomDoc:
        """The room's document with one seat replaced or changed."""
        seats = list(self.doc.seats)
        seats[seat] = doc or msgspec.structs.replace(seats[seat], **changes)
        return msgspec.structs.replace(self.doc, seats=seats)

    def _other(self, by: int, seat: int) -> SeatDoc:
        """The seat of another player; raises `RoomError` if there is none."""
        if seat == by or seat not in self.people:
            raise RoomError("choose the seat of another player", code="no_such_player")
        return self.doc.seats[seat]

    def _check_host(self, seat: int) -> None:
        if seat != self.doc.host:
            raise ForbiddenError("only the player who set up the room can do this", code="not_host")

    @property
    def _visitor(self) -> str:
        """The hash of the address whose request this is; empty where no address is known."""
        account = who_pays.get()
        return "" if account is None else hash_address(self.doc.id, account.address)

    def check_not_banned(self) -> None:
        """Raise `ForbiddenError` if the host has banned the address that asks."""
        if self.doc.banned and self._visitor in self.doc.banned:
            raise ForbiddenError("the host does not let you into this room", code="banned")

    # -- another game ------------------------------------------------------------------------------------------------

    async def want_rematch(self, seat: int, entropy: str = "", *, now: bool = False) -> None:
        """Another game in this room, in the same seats: when everyone who is here wants it, or the host says now.

        Bots take the seats of those who have left, and of those who do not answer.
        """
        async with self._lock:
            self._check_open()
            if self.doc.status != "over":
                raise RoomError("the game is not over", code="game_not_over")
            entropy = checked_entropy(entropy)
            if now:
                self._check_host(seat)
            self.doc = self._with_seat(seat, entropy=entropy, left="")
            self.rematch.add(seat)
            people = ((n, one) for n, one in enumerate(self.doc.seats) if one.kind == "person" and not one.left)
            asked = {n for n, one in people if one.token is not None and self.is_here(n)}
            if now or asked <= self.rematch:
                await self._play_again()
                for one in tuple(self.presence.listeners):
                    if one.seat != SPECTATOR and self.doc.seats[one.seat].token is None:
                        one.leave(NOT_IN_REMATCH)
                    else:
                        one.begin_anew(self)
        self._presence_changed()

    async def _play_again(self) -> None:
        """Start the next game with those who want it. The lock is held."""
        seats: list[SeatDoc] = []
        for n, seat in enumerate(self.doc.seats):
            if seat.token is not None and n not in self.rematch and not (seat.kind == "bot" and self.is_here(n)):
                seat = SeatDoc("open", f"Seat {n + 1}")  # which a bot takes
            elif seat.token is None and seat.agent is None:
                seat = SeatDoc("open", f"Seat {n + 1}")
            seats.append(msgspec.structs.replace(seat, left=""))
        host = self.doc.host if self.doc.host in self.rematch else min(self.rematch)
        doc = msgspec.structs.replace(
            self.doc,
            seats=seats,
            host=host,
            game_id=None,
            over=False,
            undos=0,
            config=self.doc.config.without_seed,
            fairness=self.doc.next_fairness or new_commitment(),
            next_fairness=None,
        )
        self._rooms.take_sandboxes(doc)
        await self._begin(doc)

    async def _begin(self, doc: RoomDoc) -> None:
        """Start the game of this document, saved in one write. The lock is held."""
        seats = list(doc.seats)
        for n, seat in enumerate(seats):
            if seat.kind == "open":
                taken = [other.name for m, other in enumerate(seats) if m != n]
                agent = table_mate(other.agent for other in seats)
                seats[n] = SeatDoc("bot", free_name(agent, taken), agent)
        doc = msgspec.structs.replace(doc, seats=seats)
        game_id = new_game_id(self.clock.utc_now)
        await self._save(msgspec.structs.replace(doc, fairness=doc.committed, game_id=game_id))
        self._open()
        self.drive()

    async def _save(self, doc: RoomDoc) -> None:
        await self._rooms.save(doc)
        self.doc = doc

    def _check_open(self) -> None:
        if self.gone:
            raise RoomError("the room is being reopened; try again", code="reopening")

    # -- the game ------------------------------------------------------------------------------------------------------

    async def act(self, seat: int, turn: int, action: Action, game_id: str | None = None) -> None:
        """Make this player's move. When this returns, it is stored and everyone has been told.

        With `game_id`, only in this game: after an undo or in a rematch, turns are counted anew.
        """
        async with self._lock:
            self._check_open()
            if self.doc.status != "playing":
                over = self.doc.over
                line, code = ("the game is over", "game_over") if over else ("the game has not started", "not_started")
                raise RoomError(line, code=code)
            if self.doc.seats[seat].left:
                raise RoomError("a bot plays in your seat", code="seat_left")
            if turn != self.turn or game_id not in (None, self.doc.game_id):
                raise RoomError(f"turn {turn} is not the current turn ({self.turn})", code="wrong_turn")
            self.presence.returned(seat)
            self.presence.played()
            self.engine.apply_action(seat, action)
            await self._commit()

    async def undo(self, seat: int) -> None:
        """Go back to this player's last decision, with the same dice in this round and new ones later."""
        async with self._lock:
            self._check_open()
            if not self.doc.practice:
                raise RoomError("moves can be taken back only in practice rooms", code="not_practice")
            places = decisions(self.record, seat)
            if self.doc.game_id is None or not places:
                raise RoomError("there is no move to take back", code="nothing_to_undo")
            if self.doc.undos >= self._rooms.limits.undos:
                raise RoomError(
                    f"{self.doc.undos} moves were taken back in this room; no more are allowed", code="too_many_undos"
                )
            await self._continue_from(self.record, places[-1])
        for seat in {one.seat for one in self.presence.listeners}:
            await self.encode_ahead(seat)
        for one in tuple(self.presence.listeners):
            one.begin_anew(self)
        self._changed.set()
        self.drive()

    async def _continue_from(self, events: Sequence[RecordedEvent], version: int) -> None:
        """Replace the room's game by a new one that begins like this record.

        Its later dice come from a new secret: that of a game that is over has been revealed.
        """
        fairness = new_commitment(tuple(seat.entropy for seat in self.doc.seats))

        def begin_again() -> tuple[list[RecordedEvent], RoomDoc, tuple[GameEngine, Enveloper]]:
            _, past = branch(events, version, fairness=fairness)
            past = as_new_game(past, self.clock)
            doc = msgspec.structs.replace(
                self.doc,
                config=self.doc.config.without_seed,
                game_id=past[0].game_id,
                over=False,
                undos=self.doc.undos + 1,
                fairness=fairness_of(past),
            )
            return past, doc, self._game(doc, past)

        self._rooms.take_sandboxes(self.doc)
        past, doc, game = await self._rooms.load.of_length(len(events), begin_again)
        try:
            await self._rooms.store.write(past)
            await self._save(doc)
        except BaseException:
            self.give_up(NOT_STORED)
            raise
        self._rooms.run_cleanup(self._bots.close)
        self._open(past, game)

    async def set_speed(self, one: Listener, delay_ms: int) -> None:
        """Set the pause before bots' moves: for a player alone with bots or, among bots only, the longest spectator."""
        if any(n != one.seat for n in self.people):
            raise RoomError("the speed can be changed only where no other people play", code="others_play")
        if not self.people and one is not next(iter(self.presence.listeners), one):
            raise RoomError("only the spectator who has watched longest can set the speed", code="not_first_spectator")
        async with self._lock:
            self._check_open()
            delay_ms = min(delay_ms, self._rooms.limits.max_delay_ms)
            if delay_ms != self.doc.delay_ms:
                await self._save(msgspec.structs.replace(self.doc, delay_ms=delay_ms))
        self._changed.set()

    async def _commit(self) -> None:
        """Store what the engine has just done, then tell everyone. The lock is held."""
        news, self._news = self._news, []
        try:
            await self._rooms.store.write(news)
            too_long = news[-1].version >= self._rooms.limits.events
            if self.engine.is_terminal() or too_long:
                following = new_commitment() if self.people else None
                await self._save(msgspec.structs.replace(self.doc, over=True, next_fairness=following))
        except BaseException:
            self.give_up(NOT_STORED)
            raise
        now = self.clock.now()
        if self.to_move is not None:
            self._turn_clock.moved(self.to_move, now - self._turn_began, after_reveal=self._after_reveal)
        self.state = self.engine.state
        self.record += news
        self.moves += sum(isinstance(event.payload, MOVES) for event in news)
        self._turn_began = now
        for one in tuple(self.presence.listeners):
            one.happened(self, news)
        if self.doc.over:
            self._finish_bots()
        if self.people and any(isinstance(event.payload, RoundStarted) for event in news):
            self._rooms.coach.prepare(self.state.public, self.recorded_ids)
        self._changed.set()

    # -- the driver: dealing, bots, stand-ins --------------------------------------------------------------------------

    def drive(self) -> None:
        """Start the task that deals rounds and lets bots move."""
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
            self.give_up(NOT_STORED)
        except Exception:  # a client that reconnects finds the room as it is stored, with a new driver
            log.exception("room %s was closed after an error", self.doc.id)
            self.give_up(FAILED)
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
        stand_ins = self.presence.stand_ins
        if doc.token is not None:
            wait = self.seconds_until_stand_in(seat)
            if wait is None or wait > 0:
                await self.clock.wait(self._changed, wait)
                return
            if seat not in stand_ins:
                stand_ins.add(seat)
                self._presence_changed()
            if self.is_here(seat):
                self._turn_clock.late.add(seat)

        def still_to_move() -> bool:
            same = (self.engine, self.turn) == (engine, turn) and not self.gone
            return same and (doc.token is None or self._stands_in(seat))

        await self._pause(1)
        if not still_to_move():
            return
        agent = doc.agent or STAND_IN
        choose = partial(self._bots.choose, agent, view_of(self.state, seat), tuple(self.record))
        action, faults = await self._rooms.run_bot(choose, ours=is_ours(agent))
        async with self._lock:
            if not still_to_move():
                return
            for fault in faults:
                engine.announce(fault)
            engine.apply_action(seat, action)
            await self._commit()
        if self.is_here(seat) and seat in stand_ins:  # only this turn was the bot's
            self.presence.returned(seat)
            self._presence_changed()

    async def _pause(self, times: int) -> None:
        """Wait before a bot's move; a change of speed takes effect at once."""
        since = self.clock.now()
        with self._rooms.pacing() as shortest_s:
            while True:
                left = since + max(times * self.doc.delay_ms / 1000, shortest_s()) - self.clock.now()
                if left <= 0:
                    return
                self._changed.clear()
                await self.clock.wait(self._changed, left)

    # -- the end -------------------------------------------------------------------------------------------------------

    def _finish_bots(self) -> None:
        """Tell the bots how the game ended, without waiting for them."""
        agents = {n: seat.agent for n, seat in enumerate(self.doc.seats) if seat.agent is not None}
        self._rooms.free_sandboxes(self.doc)
        self._rooms.run_cleanup(partial(self._bots.finish, agents, self.state.public, tuple(self.record)))

    @property
    def idle(self) -> bool:
        """Whether the room can leave memory. A game between bots alone then waits, too."""
        return (self.presence.deserted or self.presence.idle) and not self._lock.locked()

    def fall_asleep(self) -> None:
        """Leave memory because no one plays here. Pages that still look on are told so, and do not reconnect."""
        self.give_up(IDLE, stay_away=True)

    def give_up(self, reason: str, *, stay_away: bool = False) -> None:
        """Remove the room from memory; the next client loads it from the store."""
        if self.gone:
            return
        self.gone = True
        self._rooms.forget(self)
        if self._driver is not None and self._driver is not asyncio.current_task():
            self._driver.cancel()
        if self.doc.game_id is not None:
            self._rooms.run_cleanup(self._bots.close)
        for one in tuple(self.presence.listeners):
            one.leave(reason, stay_away=stay_away)
        self._changed.set()


class _Seated:
    """A name and an id for the game's record; decisions come from the room."""

    def __init__(self, doc: SeatDoc) -> None:
        self.name = doc.name
        self.agent_id = doc.recorded_id

    def choose_action(self, view: GameView) -> Action:
        """Never called."""
        raise NotImplementedError


def seated(seats: Sequence[SeatDoc]) -> list[_Seated]:
    """The players as the engine records them."""
    return [_Seated(seat) for seat in seats]


def fairness_of(record: Sequence[RecordedEvent]) -> Fairness | None:
    """The commitment of a recorded game, if it has one, and the secret."""
    created = record[0].payload
    assert isinstance(created, GameCreated)
    return created.fairness


def as_new_game(past: Sequence[RecordedEvent], clock: StudioClock) -> list[RecordedEvent]:
    """Past events as the beginning of a game that is created now."""
    game_id, now = new_game_id(clock.utc_now), clock.utc_now()
    renamed = [msgspec.structs.replace(event, game_id=game_id) for event in past]
    return [msgspec.structs.replace(renamed[0], timestamp_utc=now), *renamed[1:]]
