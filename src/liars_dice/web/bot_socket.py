"""Bots over the network: programs at seats that speak the bot protocol on a socket, or ask again and again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from starlette.websockets import WebSocket

from ..agents import GameStart, Hearing, Question, due_now, is_event
from ..core import Event, GameView, LiarsDiceError, derive_seed, view_of
from ..persistence import RecordedEvent
from ..referee import RecordedSteps, protocol
from . import messages as m
from .connection_limits import ConnectionLimits
from .errors import RoomError
from .room import Room
from .rooms import Rooms
from .websocket_io import FAILED, ClientConnection, accept_socket, on_disconnect, receive_hello, refuse


class BotSaid(msgspec.Struct, frozen=True):
    """Anything a bot may say."""

    type: str
    id: int | None = None
    action: str | None = None
    reasoning: str = ""
    token: m.Token | None = None
    name: str = ""
    events: bool = False
    confirms_start: bool = False
    verdict: str = ""
    detail: str = ""


_bot_decoder = msgspec.json.Decoder(BotSaid)


def decode_bot(text: str) -> BotSaid:
    """A bot's message; `BadMessageError` if it is none."""
    try:
        return _bot_decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise m.BadMessageError(f"cannot read the message: {m.plain(error)}") from None


class RemoteBot(ClientConnection):
    """A program at a seat, somewhere else."""

    def __init__(self, socket: WebSocket, rooms: Rooms, seat: int) -> None:
        super().__init__(socket, rooms.limits, rooms.clock)
        self.seat = seat
        self.wants_events = False
        self.confirms_start = False
        self.ready = False
        self._hearing = Hearing(seat)

    def tell(self, *messages: bytes) -> None:
        """What pages are told is not for bots."""

    def say(self, *messages: protocol.Message) -> None:
        """Say something of the protocol."""
        super().tell(*(json.dumps(message).encode() for message in messages))

    def happened(self, room: Room, news: Sequence[RecordedEvent]) -> None:
        """The game went on."""
        if self.ready:
            if news[0].version == 0:
                self._hearing = self._new_hearing(room)
            step = [recorded.payload for recorded in news], room.player_view(self.seat)
            self.say(*self._messages(room, [step]))

    def catch_up(self, room: Room) -> None:
        """The bot is ready: tell it everything that has happened, as if it had been here."""
        self.ready = True
        if room.record:
            self._hearing = self._new_hearing(room)
            steps = RecordedSteps().feed(room.record)
            self.say(*self._messages(room, ((events, view_of(state, self.seat)) for events, state in steps)))

    def _new_hearing(self, room: Room) -> Hearing:
        return Hearing(self.seat, derive_seed(room.engine.seed, "agent", self.seat))

    def _messages(self, room: Room, steps: Iterable[tuple[Sequence[Event], GameView]]) -> Iterator[protocol.Message]:
        """What the bot is told of these steps, and what it is asked now.

        It is not asked again what it did: a program elsewhere keeps its own memory.
        """
        for events, view in steps:
            for heard in self._hearing.step(events, view):
                if isinstance(heard, Question) or (is_event(heard) and not self.wants_events):
                    continue
                confirmed = {"id": 0} if isinstance(heard, GameStart) and self.confirms_start else {}
                yield protocol.message_of(heard, room.turn) | confirmed
        message = next_for(room, self.seat)
        if message is not None:
            yield message

    def begin_anew(self, room: Room) -> None:
        """The game now goes on from an earlier moment."""
        self.catch_up(room)

    def leave(self, reason: str) -> None:
        """The room is given up."""
        self.end(FAILED, reason)


def next_for(room: Room, seat: int) -> protocol.Message | None:
    """What a bot at this seat is to be asked or told now, if anything."""
    if room.doc.game_id is None:
        return None
    view = room.player_view(seat)
    if room.doc.over and view.public.winner is None:
        return protocol.game_end_message(room.turn, None, view.public.names)
    due = due_now(view)
    return None if due is None else protocol.message_of(due, room.turn)


async def bot_act(room: Room, seat: int, turn: int, action: str, reasoning: str) -> None:
    """A bot's answer, done and stored."""
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
                bot.catch_up(room)
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

    def tell(self, message: bytes) -> None:
        """Not of interest."""

    def happened(self, room: Room, news: Sequence[RecordedEvent]) -> None:
        """The game went on."""
        self.woken.set()

    def begin_anew(self, room: Room) -> None:
        """The game goes on from somewhere else."""
        self.woken.set()

    def leave(self, reason: str) -> None:
        """The room is given up."""
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
            message = next_for(room, seat)
            left = until - clock.now()
            if message is not None or left <= 0 or room.gone:
                return message or {"type": "wait"}
            await clock.wait(waiter.woken, left)
    finally:
        room.leave(waiter)
