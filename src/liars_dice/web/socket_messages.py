"""Every message on the socket of a page, in both directions, as typed data.

An event's number (`n`) is its place in the game's record. Turns are counted from 1 over the whole game.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ..core import Fairness
from .messages import (
    BidChance,
    Count,
    Ending,
    Entropy,
    Json,
    RoomStatus,
    RoomView,
    SeatView,
    Token,
    Word,
    encode_json,
    line_and_code,
    plain,
)

Reactions = Literal["👍", "👏", "😂", "😮", "🤔", "😬", "🎉", "🙏"]
Line = Annotated[str, Meta(min_length=1, max_length=200)]


# -- from pages to the studio, on a socket -----------------------------------------------------------------------------


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first message. A page that reconnects says with `from` how many events it has, and with `game_id` of which
    game. If the room has a different game by now, the events are sent from the first on.
    """

    token: Token | None = None
    from_: Count = msgspec.field(default=0, name="from")
    game_id: Word | None = None
    invite: Token | None = None
    """The invitation, to watch in a closed room."""


class MoveRequest(msgspec.Struct, frozen=True):
    """A move."""

    kind: Literal["bid", "liar", "exact"]
    quantity: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    face: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


Id = Annotated[int, Meta(ge=-(2**53), le=2**53)] | Annotated[str, Meta(max_length=40)]


class Act(msgspec.Struct, frozen=True, tag="act"):
    """A move in this turn. It is answered when it is stored.

    A client whose connection was lost before the answer can send it again: a turn has one move.
    """

    id: Id
    turn: int
    action: MoveRequest
    game_id: Word | None = None
    """The game of this turn. If the room has a different game by now, the move is refused (`wrong_turn`)."""


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """Ask for the odds of every bid, for the coach's advice, or for a beginner's guide to this turn."""

    id: Id
    what: Literal["odds", "hint", "guide"]


class Undo(msgspec.Struct, frozen=True, tag="undo"):
    """Take back your last move, in a practice room."""

    id: Id


class Speed(msgspec.Struct, frozen=True, tag="speed"):
    """Set the pause before each bot's move. It is answered if it has an id."""

    delay_ms: Count
    id: Id | None = None


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """Say that you are ready for the game, or not yet."""

    id: Id
    ready: bool = True


class Resign(msgspec.Struct, frozen=True, tag="resign"):
    """Leave your seat: before the game it is open again, in a game a bot plays to its end."""

    id: Id


class GiveSeat(msgspec.Struct, frozen=True, tag="give"):
    """Let a bot play for another player from now on. The host decides alone; others vote on one who is away or late."""

    id: Id
    seat: int


class ReturnToSeat(msgspec.Struct, frozen=True, tag="return"):
    """Play again in your seat, which was given to a bot."""

    id: Id


class Remove(msgspec.Struct, frozen=True, tag="remove"):
    """Remove a player from the room, as its host; with `ban`, nobody from their address can come back."""

    id: Id
    seat: int
    ban: bool = False


class Rematch(msgspec.Struct, frozen=True, tag="rematch"):
    """Ask for another game in this room, or agree to it. It starts when everyone who is here has agreed, or the host
    says `now`: bots then take the seats of the others.
    """

    id: Id
    entropy: Entropy = ""
    """What you add to the dice; see `next_commitment`."""
    now: bool = False


class React(msgspec.Struct, frozen=True, tag="react"):
    """Show everyone a small picture. Too many are ignored."""

    what: Reactions


class Nudge(msgspec.Struct, frozen=True, tag="nudge"):
    """Remind the player to move that it is their turn. Too many are ignored."""


class Say(msgspec.Struct, frozen=True, tag="say"):
    """Write a line to everyone, where the host allows it. Too many are ignored."""

    text: Line


class Ping(msgspec.Struct, frozen=True, tag="ping"):
    """Keeps the connection alive; answered with `pong`."""


Manage = Ready | GiveSeat | ReturnToSeat | Remove | Rematch
"""What players do at a table besides playing."""
FromPage = Hello | Act | Ask | Undo | Speed | Manage | Resign | React | Nudge | Say | Ping


# -- from the studio to pages ------------------------------------------------------------------------------------------


class OwnDice(msgspec.Struct, frozen=True):
    """The player's own dice."""

    dice: tuple[int, ...]


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The room, and every event this client may see from number `from` on. If `from` is 0 the client starts over, for
    example after an undo, when `game_id` is new.
    """

    room: RoomView
    seat: int | None
    events: list[msgspec.Raw]
    """Each an object as in `event`."""
    you: OwnDice | None
    game_id: str | None
    """The game of these events; null before it starts."""
    from_: int = msgspec.field(name="from")
    invite: str | None = None
    """The invitation to a closed room, for players."""


class EventNote(msgspec.Struct, frozen=True, tag="event"):
    """An event of the game."""

    n: int
    event: Json


class Turn(msgspec.Struct, frozen=True, tag="turn"):
    """Whose turn it is. Only that player is told what is legal."""

    turn: int
    seat: int
    legal: list[int] | UnsetType = UNSET
    """Legal bids as rungs of this round's ladder."""
    bids: list[tuple[int, int]] | UnsetType = UNSET
    """Legal bids as (quantity, face)."""
    calls: list[Literal["liar", "exact"]] | UnsetType = UNSET
    deadline_s: float | None = None
    """Seconds until a bot moves for this player, who is away or has a limited time; null if none will."""


class Seats(msgspec.Struct, frozen=True, tag="seats"):
    """A player or spectator joined, left or returned, or the room was closed or opened."""

    seats: list[SeatView]
    status: RoomStatus
    spectators: int
    closed: bool = False
    rematch: list[int] = []
    """The seats whose players want another game."""
    next_commitment: str | None = None
    host: int | None = None
    invite: str | None = None
    """The invitation to a closed room, for players."""


class Guide(msgspec.Struct, frozen=True):
    """What a beginner is told at a turn."""

    tips: dict[str, str]
    """What is worth knowing now, by kind."""
    comments: dict[str, str]
    """What the coach thinks of each legal move, by its notation."""


class Answer(msgspec.Struct, frozen=True, tag="answer", omit_defaults=True):
    """The answer to the message with this id."""

    to: int | str
    ok: bool = msgspec.field(default_factory=lambda: True)
    bids: list[BidChance] | None = None
    hint: Json | None = None
    guide: Guide | None = None


class ErrorMessage(msgspec.Struct, frozen=True, tag="error", omit_defaults=True):
    """Something was wrong with a message. The connection stays open."""

    error: str
    code: str
    to: int | str | None = None


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The game is over, and its full record can be read."""

    winner: int | None
    game_id: str
    ended: Ending
    fairness: Fairness | None = None
    """The commitment to the dice, what the players added, and the secret."""


class Reaction(msgspec.Struct, frozen=True, tag="reaction"):
    """A player shows everyone a small picture."""

    seat: int
    what: Reactions


class Nudged(msgspec.Struct, frozen=True, tag="nudged"):
    """A player reminds another that it is their turn."""

    seat: int
    """Whose turn it is."""
    by: int


class Said(msgspec.Struct, frozen=True, tag="said"):
    """A player writes a line to everyone."""

    seat: int
    text: str
    """Plain text on one line."""


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """Answers a ping, and is a sign of life while an answer takes long."""


ToPage = Welcome | EventNote | Turn | Seats | Answer | ErrorMessage | Over | Reaction | Nudged | Said | Pong


def encode(message: ToPage) -> bytes:
    """A message as it is sent."""
    return encode_json(message)


class BadMessageError(Exception):
    """A message that cannot be read, and why."""

    code = "bad_message"


_page_decoder: msgspec.json.Decoder[FromPage] = msgspec.json.Decoder(FromPage)


def decode_page(text: str | bytes) -> FromPage:
    """A page's message; raises `BadMessageError` if it cannot be read."""
    try:
        return _page_decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadMessageError(f"cannot read the message: {plain(error)}") from None


def error_message(error: Exception, to: int | str | None = None) -> ErrorMessage:
    """An error as it is sent on a socket, in answer to the message with the id `to`."""
    return ErrorMessage(*line_and_code(error), to)
