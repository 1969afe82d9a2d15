"""Pages on sockets: they play, watch, ask, and are told what happens."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import msgspec
from starlette.websockets import WebSocket

from ..core import (
    SPECTATOR,
    Action,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    LiarsDiceError,
    chance_exact,
    chance_true,
)
from ..persistence import RecordedEvent, StoreError
from . import messages as m
from .connection_limits import Doors
from .errors import RoomError
from .room import Room
from .rooms import Rooms
from .safety import ServerLimits
from .websocket_io import TOO_MANY, TOO_SLOW, TROUBLE, Line, accepted, hello, refuse, when_gone


class Page(Line):
    """A browser in a room."""

    def __init__(self, socket: WebSocket, limits: ServerLimits, seat: int) -> None:
        super().__init__(socket, limits)
        self.seat = seat

    def happened(self, room: Room, news: Sequence[RecordedEvent]) -> None:
        """The game went on."""
        for message in room.notes(news, self.seat):
            self.tell(message)

    def begin_anew(self, room: Room) -> None:
        """The game now goes on from an earlier moment."""
        self.welcome(room, 0)

    def leave(self, reason: str) -> None:
        """The room is given up."""
        self.end(TROUBLE, reason)

    def welcome(self, room: Room, start: int, game_id: str | None = None) -> None:
        """Where the room stands, for one who knows the events of this game before `start`."""
        start = room.first_unknown(start, game_id)
        seated = self.seat != SPECTATOR
        you = m.You(room.dice_of(self.seat)) if seated else None
        events = room.events_for(self.seat, start)
        seat = self.seat if seated else None
        self.tell(m.encode(m.Welcome(room.view(), seat, events, you, room.doc.game_id, start)))
        for message in (room.turn_message(self.seat), room.over_message()):
            if message is not None:
                self.tell(message)


async def page_socket(socket: WebSocket, rooms: Rooms, doors: Doors) -> None:
    """A page: hello first, then whatever it wants."""
    async with accepted(socket, rooms, doors) as receive:
        if receive is None:
            return
        room, said = await hello(socket, rooms, receive, m.decode_page, m.Hello)
        if room is None or not isinstance(said, m.Hello):
            return
        try:
            seat = SPECTATOR if said.token is None else room.seat_of(said.token)
        except RoomError as error:
            await refuse(socket, str(error))
            return
        watches = seat == SPECTATOR
        if watches and not doors.watch():
            await refuse(socket, TOO_MANY, TOO_SLOW)
            return
        page = Page(socket, rooms.limits, seat)
        try:
            room.join(page, lambda: page.welcome(room, said.from_, said.game_id))
            page.gone = when_gone(room, page, receive)
            while (text := await receive()) is not None:
                await _answer(room, page, rooms, text)
        except RoomError as error:
            page.tell(m.encode(m.Complaint(str(error))))
        finally:
            room.leave(page)
            if watches:
                doors.leave()
            await page.close()


async def _answer(room: Room, page: Page, rooms: Rooms, text: str) -> None:
    """Do what one message asks. Whatever is wrong with it is told; the connection lives."""
    to: int | str | None = None
    try:
        message = m.decode_page(text)
        to = getattr(message, "id", None)
        match message:
            case m.Ping():
                page.tell(m.encode(m.Pong()))
                return
            case m.Speed(delay_ms=delay_ms):
                await room.set_speed(page, delay_ms)
                if to is not None:
                    page.tell(m.encode(m.Answer(to)))
            case m.Hello():
                raise RoomError("you said hello already")
            case _ if page.seat == SPECTATOR:
                raise RoomError("you only watch here")
            case m.Act(turn=turn, action=wish):
                await room.act(page.seat, turn, _action_of(wish))
                page.tell(m.encode(m.Answer(message.id)))
            case m.Undo():
                await room.undo(page.seat)
                page.tell(m.encode(m.Answer(message.id)))
            case m.Ask(what="odds"):
                page.tell(m.encode(m.Answer(message.id, bids=_odds(room, page.seat))))
            case m.Ask():
                page.tell(m.encode(m.Answer(message.id, hint=await _hint(room, page.seat, rooms))))
    except m.BadMessageError as error:
        page.tell(m.encode(m.Complaint(str(error), _id_in(text))))
    except (RoomError, LiarsDiceError) as error:
        line = m.STORE_TROUBLE if isinstance(error, StoreError) else m.plain(error)
        page.tell(m.encode(m.Complaint(line, to)))


def _id_in(text: str) -> int | str | None:
    """The id of a message that is otherwise no good."""
    with contextlib.suppress(msgspec.DecodeError, UnicodeError, RecursionError):
        return msgspec.json.decode(text, type=_WithId).id
    return None


class _WithId(msgspec.Struct):
    id: m.Id | None = None


def _action_of(wish: m.ActionWish) -> Action:
    match wish.kind:
        case "bid":
            return BidAction(Bid(wish.quantity, wish.face))
        case "liar":
            return CallLiarAction()
        case "exact":
            return CallExactAction()


def _odds(room: Room, seat: int) -> list[m.BidChance]:
    view = room.player_view(seat)
    if view.public.status != "BIDDING":
        raise RoomError("no round is under way")
    return [
        m.BidChance(bid.quantity, bid.face, chance_true(view, bid), chance_exact(view, bid))
        for bid in view.public.rules.bids
    ]


async def _hint(room: Room, seat: int, rooms: Rooms) -> m.Json:
    """What the coach would do."""
    view = room.player_view(seat)
    if not view.is_my_turn:
        raise RoomError("it is not your turn")
    advice: m.Json = await rooms.coach.ask("hint", view, room.known)
    return advice
