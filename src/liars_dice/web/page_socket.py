"""The socket of a page: it plays or watches, asks for odds and hints, and is told what happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import cast

import msgspec
from starlette.websockets import WebSocket

from ..core import (
    SPECTATOR,
    Action,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    GameView,
    LiarsDiceError,
    chance_exact,
    chance_true,
    tips,
)
from ..persistence import RecordedEvent
from . import socket_messages as m
from .connection_limits import ConnectionLimits
from .errors import BusyError, RoomError
from .messages import BidChance, encode_json
from .room import Room
from .room_messages import news_messages, welcome_messages
from .rooms import Rooms
from .websocket_io import (
    FAILED,
    REFUSED,
    TRY_LATER,
    ClientConnection,
    accept_socket,
    on_disconnect,
    receive_hello,
    refuse,
    refuse_crowd,
)

SIGN_OF_LIFE_S = 3.0
"""A page that hears nothing for five seconds after its ping thinks that the connection is dead."""


class Page(ClientConnection):
    """A browser in a room."""

    def __init__(self, socket: WebSocket, rooms: Rooms, seat: int) -> None:
        super().__init__(socket, rooms.limits, rooms.clock)
        self.seat = seat
        self._odds: tuple[GameView, msgspec.Raw] | None = None
        """The last odds that were asked for."""

    def odds(self, room: Room) -> list[BidChance]:
        """The odds of every bid now, computed and encoded once however often they are asked for."""
        view = room.player_view(self.seat)
        if self._odds is None or self._odds[0] != view:
            self._odds = view, msgspec.Raw(encode_json(_odds(view)))
        return cast(list[BidChance], self._odds[1])

    @contextlib.asynccontextmanager
    async def kept_alive(self) -> AsyncIterator[None]:
        """While a message of this page takes long: sends a sign of life, as its pings are not read meanwhile."""

        async def send_signs() -> None:
            while True:
                await self._clock.sleep(SIGN_OF_LIFE_S)
                self.tell(m.encode(m.Pong()))

        signs = asyncio.create_task(send_signs())
        try:
            yield
        finally:
            signs.cancel()

    def happened(self, room: Room, news: Sequence[RecordedEvent]) -> None:
        """New events were stored."""
        for message in news_messages(room, news, self.seat):
            self.tell(message)

    def begin_anew(self, room: Room) -> None:
        """The room's game now continues from an earlier moment."""
        self.welcome(room, 0)

    def leave(self, reason: str, *, stay_away: bool = False) -> None:
        """The room is closed."""
        if stay_away:
            self.tell(m.encode(m.ErrorMessage(reason, "stay_away")))
        self.end(REFUSED if stay_away else FAILED, reason)

    def welcome(self, room: Room, start: int, game_id: str | None = None) -> None:
        """Send the state of the room to a page that has the events of this game before `start`."""
        for message in welcome_messages(room, self.seat, start, game_id):
            self.tell(message)


async def page_socket(socket: WebSocket, rooms: Rooms, connections: ConnectionLimits) -> None:
    """Serve a page: a hello first, then any messages."""
    async with accept_socket(socket, rooms, connections) as receive:
        if receive is None:
            return
        room, said = await receive_hello(socket, rooms, receive, m.decode_page, m.Hello)
        if room is None or not isinstance(said, m.Hello):
            return
        try:
            seat = SPECTATOR if said.token is None else room.seat_of(said.token)
            room.check_invited(said.invite if seat == SPECTATOR else said.token)
            if seat == SPECTATOR:
                room.check_not_banned()
        except RoomError as error:
            await refuse(socket, error)
            return
        watches = seat == SPECTATOR
        if watches and not connections.admit_spectator():
            await refuse_crowd(socket)
            return
        page = Page(socket, rooms, seat)
        try:
            if watches:
                rooms.load.refuse_if_busy()
            await room.encode_ahead(seat)
            if not watches:
                room.presence.played()
            room.join(page, lambda: page.welcome(room, said.from_, said.game_id))
            page.gone = on_disconnect(room, page, receive)
            while (text := await receive()) is not None:
                await _answer(room, page, rooms, text)
        except BusyError as busy:
            page.tell(m.encode(m.error_message(busy)))
            page.end(TRY_LATER, str(busy))
        except RoomError as error:
            page.tell(m.encode(m.error_message(error)))
        finally:
            room.leave(page)
            if watches:
                connections.release_spectator()
            await page.close()


async def _answer(room: Room, page: Page, rooms: Rooms, text: str) -> None:
    """Do what one message asks. Errors are reported; the connection stays open."""
    to: int | str | None = None
    try:
        message = m.decode_page(text)
        to = getattr(message, "id", None)
        match message:
            case m.Ping():
                page.tell(m.encode(m.Pong()))
                return
            case m.React(what=what) if page.seat != SPECTATOR:
                room.talk.react(page.seat, what)
            case m.Nudge() if page.seat != SPECTATOR:
                room.talk.nudge(page.seat)
            case m.Say(text=line) if page.seat != SPECTATOR:
                room.talk.say(page.seat, line)
            case m.Speed(delay_ms=delay_ms):
                await room.set_speed(page, delay_ms)
                if to is not None:
                    page.tell(m.encode(m.Answer(to)))
            case m.Hello():
                raise RoomError("hello was already received", code="already_said_hello")
            case _ if page.seat == SPECTATOR:
                raise RoomError("you are only watching; take a seat to play", code="spectator")
            case m.Act(turn=turn, action=wish, game_id=game_id):
                await room.act(page.seat, turn, _action_of(wish), game_id)
                page.tell(m.encode(m.Answer(message.id)))
            case m.Undo():
                async with page.kept_alive():
                    await rooms.load.turn()
                    await room.undo(page.seat)
                page.tell(m.encode(m.Answer(message.id)))
            case m.Resign():
                await room.resign(page.seat, lambda: page.tell(m.encode(m.Answer(message.id))))
            case m.Ready() | m.GiveSeat() | m.ReturnToSeat() | m.Remove() | m.Rematch():
                await _manage(room, page.seat, message)
                page.tell(m.encode(m.Answer(message.id)))
            case m.Ask() if not room.doc.help:
                raise RoomError("the host has switched off odds and hints in this room", code="no_help")
            case m.Ask(what="odds"):
                await rooms.load.turn()
                page.tell(m.encode(m.Answer(message.id, bids=page.odds(room))))
            case m.Ask(what=what):
                async with page.kept_alive():
                    await rooms.load.turn()
                    said = await _ask_coach(room, page.seat, rooms, what)
                page.tell(m.encode(said(message.id)))
    except m.BadMessageError as error:
        page.tell(m.encode(m.error_message(error, _id_in(text))))
    except (RoomError, LiarsDiceError) as error:
        page.tell(m.encode(m.error_message(error, to)))


async def _manage(room: Room, seat: int, message: m.Manage) -> None:
    """What a player does at the table besides playing."""
    match message:
        case m.Ready(ready=ready):
            await room.set_ready(seat, ready)
        case m.GiveSeat(seat=other):
            await room.give_to_bot(seat, other)
        case m.ReturnToSeat():
            await room.return_to_seat(seat)
        case m.Remove(seat=other, ban=ban):
            await room.remove(seat, other, ban=ban)
        case m.Rematch(entropy=entropy, now=now):
            await room.want_rematch(seat, entropy, now=now)


def _id_in(text: str) -> int | str | None:
    """The id of a message that cannot be read otherwise."""
    with contextlib.suppress(msgspec.DecodeError, UnicodeError, RecursionError):
        return msgspec.json.decode(text, type=_WithId).id
    return None


class _WithId(msgspec.Struct):
    id: m.Id | None = None


def _action_of(wish: m.MoveRequest) -> Action:
    match wish.kind:
        case "bid":
            return BidAction(Bid(wish.quantity, wish.face))
        case "liar":
            return CallLiarAction()
        case "exact":
            return CallExactAction()


def _odds(view: GameView) -> list[BidChance]:
    if view.public.status != "BIDDING":
        raise RoomError("no round is being played", code="no_round")
    return [
        BidChance(bid.quantity, bid.face, chance_true(view, bid), chance_exact(view, bid))
        for bid in view.public.rules.bids
    ]


async def _ask_coach(room: Room, seat: int, rooms: Rooms, what: str) -> Callable[[m.Id], m.Answer]:
    """The coach's advice, or its guide for beginners, as the answer to the message with an id."""
    view = room.player_view(seat)
    if not view.is_my_turn:
        raise RoomError("it is not your turn", code="not_your_turn")
    if what == "guide":
        return partial(m.Answer, guide=m.Guide(tips(view), await rooms.coach.ask("comments", view)))
    return partial(m.Answer, hint=await rooms.coach.ask("hint", view, room.recorded_ids))
