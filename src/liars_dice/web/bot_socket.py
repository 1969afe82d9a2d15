"""Bots over the network: programs that speak the bot protocol on a socket, or poll over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec
from starlette.websockets import WebSocket

from ..agents import GameStart, Hearing, Question, due_now, is_event
from ..core import Event, GameView, LiarsDiceError, derive_seed, view_of
from ..persistence import RecordedEvent
from ..referee import RecordedSteps, protocol
from . import socket_messages as m
from .connection_limits import ConnectionLimits
from .errors import RoomError
from .messages import Token, plain
from .room import Room
from .rooms import Rooms
from .websocket_io import FAILED, REFUSED, ClientConnection, accept_socket, on_disconnect, receive_hello, refuse


class BotSaid(msgspec.Struct, frozen=True):
    """Any message from a bot."""

    type: str
    id: int | None = None
    action: str | None = None
    reasoning: str = ""
    token: Token | None = None
    name: str = ""
    events: bool = False
    confirms_start: bool = False
    verdict: str = ""
    detail: str = ""


_bot_decoder = msgspec.json.Decoder(BotSaid)


def decode_bot(text: str) -> BotSaid:
    """A bot's message; `BadMessageError` if it cannot be read."""
    try:
        return _bot_decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise m.BadMessageError(f"cannot read the message: {plain(error)}") from None


class RemoteBot(ClientConnection):
    """A program on another machine that plays a seat."""

    def __init__(self, socket: WebSocket, rooms: Rooms, seat: int) -> None:
        super().__init__(socket, rooms.limits, rooms.clock)
        self.seat = seat
        self.wants_events = False
        self.confirms_start = False
        self.ready = False
        self._hearing = Hearing(seat)
        self._load = rooms.load
        self._catching_up = 0
        """How often it has begun to catch up."""
        self._anew: asyncio.Task[None] | None = None

    def tell(self, *messages: bytes) -> None:
        """Bots do not get the messages that pages get."""

    def say(self, *messages: protocol.Message) -> None:
        """Send messages of the bot protocol."""
        super().tell(*(msgspec.json.encode(message) for message in messages))

    def happened(self, room: Room, news: Sequence[RecordedEvent]) -> None:
        """The game went on."""
        if self.ready:
            if news[0].version == 0:
                self._hearing = self._new_hearing(room)
            step = [recorded.payload for recorded in news], room.player_view(self.seat)
            self.say(*self._messages(self._hearing, [step], room.turn), *next_for(room, self.seat))

    async def catch_up(self, room: Room) -> None:
        """The bot is ready: tell it everything that has happened, as if it had been here."""
        self.ready = not room.record
        self._catching_up += 1
        mine = self._catching_up
        if self.ready:
            return
        hearing, steps, record = self._new_hearing(room), RecordedSteps(), tuple(room.record)

        def lines(events: Sequence[RecordedEvent]) -> list[bytes]:
            views = ((step, view_of(state, self.seat)) for step, state in steps.feed(events))
            return [msgspec.json.encode(said) for said in self._messages(hearing, views, room.turn)]

        told = await self._load.of_length(len(record), partial(lines, record), urgent=True)
        if mine == self._catching_up:  # otherwise the bot has asked again, or a move was taken back
            told += lines(room.record[len(record) :])
            super().tell(*told, *(msgspec.json.encode(said) for said in next_for(room, self.seat)))
            self._hearing, self.ready = hearing, True

    def _new_hearing(self, room: Room) -> Hearing:
        return Hearing(self.seat, derive_seed(room.engine.seed, "agent", self.seat))

    def _messages(
        self, hearing: Hearing, steps: Iterable[tuple[Sequence[Event], GameView]], turn: int
    ) -> Iterator[protocol.Message]:
        """What the bot is told of these steps.

        It is not asked again what it did: a program elsewhere keeps its own memory.
        """
        for events, view in steps:
            for heard in hearing.step(events, view):
                if isinstance(heard, Question) or (is_event(heard) and not self.wants_events):
                    continue
                confirmed = {"id": 0} if isinstance(heard, GameStart) and self.confirms_start else {}
                yield protocol.message_of(heard, turn) | confirmed

    def begin_anew(self, room: Room) -> None:
        """The game continues from an earlier moment: the bot hears all of it again."""
        self._anew = asyncio.create_task(self.catch_up(room))

    def leave(self, reason: str, *, stay_away: bool = False) -> None:
        """The room is given up."""
        self.end(REFUSED if stay_away else FAILED, reason)


def next_for(room: Room, seat: int) -> list[protocol.Message]:
    """What a bot at this seat is asked or told now, if anything."""
    if room.doc.game_id is None:
        return []
    view = room.player_view(seat)
    if room.doc.over and view.public.winner is None:
        return [protocol.game_end_message(room.turn, None, view.public.names)]
    due = due_now(view)
    return [] if due is None else [protocol.message_of(due, room.turn)]


async def bot_act(room: Room, seat: int, turn: int, action: str, reasoning: str) -> None:
    """Play a bot's answer; when this returns, it is stored."""
    await room.act(seat, turn, protocol.action_of({"action": action, "reasoning": reasoning}))


async def bot_socket(socket: WebSocket, rooms: Rooms, connections: ConnectionLimits) -> None:
    """A bot: hello with its token, then the bot protocol."""
    async with accept_socket(socket, rooms, connections) as receive:
        if receive is None:
            return
        room, said = await receive_hello(socket, rooms, receive, decode_bot, BotSaid)
        if room is None or not isinstance(said, BotSaid):
            return
        try:
            bot = RemoteBot(socket, rooms, room.seat_of(said.token))
        except RoomError as error:
            await refuse(socket, error)
            return
        room.presence.played()
        room.join(bot)
        bot.gone = on_disconnect(room, bot, receive)
        try:
            while (text := await receive()) is not None:
                await _hear_bot(room, bot, text)
        finally:
            room.leave(bot)
            await bot.close()


async def _hear_bot(room: Room, bot: RemoteBot, text: str) -> None:
    try:
        said = decode_bot(text)
        match said.type:
            case "ready":
                bot.wants_events, bot.confirms_start = said.events, said.confirms_start
                await bot.catch_up(room)
            case "action":
                if said.id is None or said.action is None:
                    raise RoomError('an action needs "id" and "action"')
                await bot_act(room, bot.seat, said.id, said.action, said.reasoning)
            case "done" | "fault":
                pass
            case other:
                raise RoomError(f"a bot says ready, action, done or fault, not {other[:40]!r}")
    except (m.BadMessageError, RoomError, LiarsDiceError) as error:
        bot.say(msgspec.to_builtins(m.error_message(error)))


# -- without sockets ---------------------------------------------------------------------------------------------------


class _Waiter:
    """A question that waits for something to happen in a room."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.woken = asyncio.Event()
        self.dismissed = False

    def tell(self, message: bytes) -> None:
        """Not of interest."""

    def happened(self, room: Room, news: Sequence[RecordedEvent]) -> None:
        """The game went on."""
        self.woken.set()

    def begin_anew(self, room: Room) -> None:
        """The game goes on from somewhere else."""
        self.woken.set()

    def leave(self, reason: str, *, stay_away: bool = False) -> None:
        """The room is given up, or the seat is."""
        self.dismissed = True
        self.woken.set()


async def wait_for_next(room: Room, seat: int, seconds: float) -> protocol.Message:
    """The next thing a bot at this seat is asked or told; `wait` if there is nothing for so long."""
    clock = room.clock
    until = clock.now() + seconds
    waiter = _Waiter(seat)
    room.join(waiter)
    try:
        while True:
            waiter.woken.clear()
            messages = [] if waiter.dismissed else next_for(room, seat)
            left = until - clock.now()
            if messages or left <= 0 or waiter.dismissed or room.gone:
                return messages[0] if messages else {"type": "wait"}
            await clock.wait(waiter.woken, left)
    finally:
        room.leave(waiter)
