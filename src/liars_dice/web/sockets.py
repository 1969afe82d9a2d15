"""WebSockets: pages that play and watch, and bots that speak the bot protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from ..arena import protocol
from ..core import (
    SPECTATOR,
    Action,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    LiarsDiceError,
    RoundResolution,
    derive_seed,
    result_of,
)
from ..core.odds import chance_exact, chance_true
from ..persistence import RecordedEvent, StoreError
from . import messages as m
from .doors import Doors
from .errors import FullError, RoomError
from .feed import feed
from .room import Room
from .rooms import Rooms
from .safety import Bucket, Limits

GOING_AWAY, REFUSED, TOO_SLOW, TROUBLE = 1001, 1008, 1013, 1011
TOO_MANY = "too many connections; try again later"


class Line:
    """The way out to one client: a bounded queue, and a task that empties it. Who reads too slowly is dropped."""

    def __init__(self, socket: WebSocket, limits: Limits) -> None:
        self._socket = socket
        self._limits = limits
        self._queue: asyncio.Queue[tuple[bytes, ...] | None] = asyncio.Queue()
        self._weight = 0
        self._ending: tuple[int, str] | None = None
        self.gone: Callable[[], None] = _nothing
        """What to do as soon as nothing more will be sent: the end of the connection itself may take a while."""
        self.sender = asyncio.create_task(self._send())

    def tell(self, *messages: bytes) -> None:
        """Take messages; never waits."""
        if self._ending is not None:
            return
        waiting, limits, weight = self._queue.qsize(), self._limits, sum(map(len, messages))
        # much at once, by itself, is not a slow client
        if waiting >= limits.queue or (waiting and self._weight + weight > limits.queue_bytes):
            self.end(TOO_SLOW, "you read too slowly; come again", at_once=True)
            return
        self._weight += weight
        self._queue.put_nowait(messages)

    def end(self, code: int, reason: str, *, at_once: bool = False) -> None:
        """Close the connection when everything was sent, or at once."""
        if self._ending is not None:
            return
        self._ending = (code, reason)
        if at_once:
            self.sender.cancel()
        else:
            self._queue.put_nowait(None)

    async def _send(self) -> None:
        try:
            while True:
                messages = await self._queue.get()
                if messages is None:
                    break
                for message in messages:
                    self._weight -= len(message)
                    async with asyncio.timeout(self._limits.send_s):
                        await self._socket.send_text(message.decode())
        except TimeoutError:
            self._ending = self._ending or (TOO_SLOW, "you read too slowly; come again")
        except asyncio.CancelledError:
            if self._ending is None:
                raise
        except (RuntimeError, WebSocketDisconnect):  # the client has left
            return
        self.gone()
        code, reason = self._ending or (GOING_AWAY, "")
        with contextlib.suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
            async with asyncio.timeout(1.0):
                await self._socket.close(code, reason)

    async def close(self) -> None:
        """The handler is done: send what is left, shortly, and stop."""
        self.end(GOING_AWAY, "")
        done, _ = await asyncio.wait([self.sender], timeout=2.0)
        if not done:
            self.sender.cancel()


def _nothing() -> None:
    """Nobody minds."""


class Page(Line):
    """A browser in a room."""

    def __init__(self, socket: WebSocket, limits: Limits, seat: int) -> None:
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
    async with _accepted(socket, rooms, doors) as receive:
        if receive is None:
            return
        room, hello = await _hello(socket, rooms, receive, m.decode_page, m.Hello)
        if room is None or not isinstance(hello, m.Hello):
            return
        try:
            seat = SPECTATOR if hello.token is None else room.seat_of(hello.token)
        except RoomError as error:
            await _refuse(socket, str(error))
            return
        watches = seat == SPECTATOR
        if watches and not doors.watch():
            await _refuse(socket, TOO_MANY, TOO_SLOW)
            return
        page = Page(socket, rooms.limits, seat)
        try:
            room.join(page, lambda: page.welcome(room, hello.from_, hello.game_id))
            page.gone = _when_gone(room, page, receive)
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
                return
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
                page.tell(m.encode(m.Answer(message.id, hint=await hint(room, page.seat, rooms))))
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


async def hint(room: Room, seat: int, rooms: Rooms) -> m.Json:
    """What the coach would do."""
    view = room.player_view(seat)
    if not view.is_my_turn:
        raise RoomError("it is not your turn")
    if rooms.hints >= rooms.limits.questions:
        raise FullError("many wait for a hint; ask again in a moment")
    rooms.hints += 1
    try:
        advice: m.Json = await rooms.coach.ask("hint", view, room.known)
    finally:
        rooms.hints -= 1
    return advice


# -- bots --------------------------------------------------------------------------------------------------------------


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
        raise m.BadMessageError(f"cannot understand that: {m.plain(error)}") from None


class RemoteBot(Line):
    """A program at a seat, somewhere else."""

    def __init__(self, socket: WebSocket, limits: Limits, seat: int) -> None:
        super().__init__(socket, limits)
        self.seat = seat
        self.wants_events = False
        self.confirms_start = False
        self.ready = False

    def tell(self, *messages: bytes) -> None:
        """What pages are told is not for bots."""

    def say(self, *messages: protocol.Message) -> None:
        """Say something of the protocol."""
        super().tell(*(json.dumps(message).encode() for message in messages))

    def happened(self, room: Room, news: Sequence[RecordedEvent]) -> None:
        """The game went on."""
        if not self.ready:
            return
        self.say(*self._told(room, news))

    def _told(self, room: Room, news: Sequence[RecordedEvent]) -> Iterator[protocol.Message]:
        """What the bot is told of these events, the beginning of the game among them, and what it is asked now."""
        if news and news[0].version == 0:
            yield self._start(room)
        for one in feed(news, self.seat, room.state.public.resolutions):
            if isinstance(one, RoundResolution):
                yield protocol.round_end_message(one)
            elif self.wants_events:
                yield protocol.event_message(one)
        message = next_for(room, self.seat)
        if message is not None:
            yield message

    def _start(self, room: Room) -> protocol.Message:
        public = room.state.public
        seed = derive_seed(room.engine.seed, "agent", self.seat)
        message = protocol.start_message(room.state.config, self.seat, public.names, seed)
        return message | {"id": 0} if self.confirms_start else message

    def catch_up(self, room: Room) -> None:
        """The bot is ready: tell it everything that has happened, as if it had been here."""
        self.ready = True
        if room.record:
            self.say(*self._told(room, room.record))

    def begin_anew(self, room: Room) -> None:
        """The game now goes on from an earlier moment."""
        self.catch_up(room)

    def leave(self, reason: str) -> None:
        """The room is given up."""
        self.end(TROUBLE, reason)


def next_for(room: Room, seat: int) -> protocol.Message | None:
    """What a bot at this seat is to be asked or told now, if anything."""
    if room.doc.game_id is None:
        return None
    public = room.state.public
    if room.doc.over:
        if public.winner is not None:
            return protocol.game_end_message(room.turn, result_of(public))
        return {"type": "game_end", "id": room.turn, "winner": None, "names": public.names}
    view = room.player_view(seat)
    return protocol.choose_message(room.turn, view) if view.is_my_turn else None


async def bot_act(room: Room, seat: int, turn: int, action: str, reasoning: str) -> None:
    """A bot's answer, done and stored."""
    await room.act(seat, turn, protocol.action_of({"action": action, "reasoning": reasoning}))


async def bot_socket(socket: WebSocket, rooms: Rooms, doors: Doors) -> None:
    """A bot: hello with its token, then the bot protocol."""
    async with _accepted(socket, rooms, doors) as receive:
        if receive is None:
            return
        room, hello = await _hello(socket, rooms, receive, decode_bot, BotSaid)
        if room is None or not isinstance(hello, BotSaid):
            return
        try:
            bot = RemoteBot(socket, rooms.limits, room.seat_of(hello.token))
        except RoomError as error:
            await _refuse(socket, str(error))
            return
        room.join(bot)
        bot.gone = _when_gone(room, bot, receive)
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
    except m.BadMessageError as error:
        bot.say({"type": "error", "error": str(error)})
    except (RoomError, LiarsDiceError) as error:
        line = m.STORE_TROUBLE if isinstance(error, StoreError) else m.plain(error)
        bot.say({"type": "error", "error": line})


# -- what both have in common ------------------------------------------------------------------------------------------


class Ear:
    """The way in from one client: its messages as text, one by one, no faster than allowed."""

    def __init__(self, socket: WebSocket, limits: Limits) -> None:
        self._socket = socket
        self._limits = limits
        self._bucket = Bucket(limits.messages_per_s, limits.message_burst)
        self._warnings = 0
        self._task = asyncio.current_task()
        self._listening = False
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Listen no more. What is being done for the client now is done to its end."""
        self._stopped.set()
        if self._listening and self._task is not None:
            self._task.cancel()

    async def __call__(self) -> str | None:
        """The next message; None at the end."""
        if self._stopped.is_set():
            return None
        self._listening = True
        try:
            got = await self._socket.receive()
        except (RuntimeError, WebSocketDisconnect):
            return None
        except asyncio.CancelledError:
            if not self._stopped.is_set() or self._task is None:
                raise
            self._task.uncancel()
            return None
        finally:
            self._listening = False
        if got["type"] == "websocket.disconnect" or not await self._in_time():
            return None
        text: str | None = got.get("text")
        if text is None:
            text = (got.get("bytes") or b"").decode("utf-8", "replace")
        return text if len(text) <= self._limits.message_bytes else ""

    async def _in_time(self) -> bool:
        """Slow down who says too much; whoever goes on and on is shown the door."""
        if self._bucket.take():
            if self._bucket.level > self._limits.message_burst / 2:
                self._warnings = 0
            return True
        self._warnings += 1
        if self._warnings > self._limits.message_burst:
            await _refuse(self._socket, "too many messages")
            return False
        await asyncio.sleep(1 / self._limits.messages_per_s)
        return True


@contextlib.asynccontextmanager
async def _accepted(socket: WebSocket, rooms: Rooms, doors: Doors) -> AsyncIterator[Ear | None]:
    """An open socket as the way to its messages; None if there are too many already."""
    await socket.accept()
    address = "" if socket.client is None else socket.client.host
    if not doors.come(address):
        await _refuse(socket, TOO_MANY, TOO_SLOW)
        yield None
        return
    try:
        yield Ear(socket, rooms.limits)
    finally:
        doors.go(address)


def _when_gone(room: Room, one: Page | RemoteBot, ear: Ear) -> Callable[[], None]:
    """What to do when nothing more will be sent to this client."""

    def gone() -> None:
        room.leave(one)
        ear.stop()

    return gone


async def _hello(
    socket: WebSocket, rooms: Rooms, receive: Ear, decode: Callable[[str], Any], kind: type
) -> tuple[Room | None, Any]:
    """Wait for a proper hello. Everything else gets an error, and the clock goes on."""
    try:
        async with asyncio.timeout(rooms.limits.hello_s):
            while (text := await receive()) is not None:
                try:
                    hello = decode(text)
                    if not isinstance(hello, kind) or getattr(hello, "type", "hello") != "hello":
                        raise m.BadMessageError('say {"type": "hello", "token": ...} first')
                    return await rooms.get(socket.path_params["room"]), hello
                except m.BadMessageError as error:
                    await socket.send_text(m.encode(m.Complaint(str(error))).decode())
    except TimeoutError:
        await _refuse(socket, "nobody said hello")
    except StoreError:
        await _refuse(socket, m.STORE_TROUBLE, TROUBLE)
    except RoomError as error:
        await _refuse(socket, m.plain(error))
    except (RuntimeError, WebSocketDisconnect):
        pass
    return None, None


async def _refuse(socket: WebSocket, line: str, code: int = REFUSED) -> None:
    """Say why, and close."""
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.send_text(m.encode(m.Complaint(line)).decode())
        await socket.close(code, line[:100])
