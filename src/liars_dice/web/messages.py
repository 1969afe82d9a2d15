"""Everything that is said between the studio and its clients, in and out, as typed data.

Numbers of events (`n`) are their places in the game's record. Turns are counted from 1 over the whole game.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

Count = Annotated[int, Meta(ge=0)]
Name = Annotated[str, Meta(max_length=40)]
Token = Annotated[str, Meta(max_length=100)]
Word = Annotated[str, Meta(max_length=200)]
Json = dict[str, Any]
SeatKind = Literal["person", "bot", "open"]
RoomStatus = Literal["waiting", "playing", "over"]
Ending = Literal["won", "too_long"]
"""Somebody won; or the game grew so long that it was given up, and nobody did."""


# -- requests ----------------------------------------------------------------------------------------------------------


class SeatWish(msgspec.Struct, frozen=True):
    """Who is to sit somewhere: whoever asks, a bot, or somebody who is yet to come."""

    kind: Literal["you", "open", "bot"] = "open"
    agent: Word | None = None
    """The bot's name in `/api/agents`."""
    name: Name | None = None


class NewRoom(msgspec.Struct, frozen=True):
    """A room to be made."""

    seats: Annotated[list[SeatWish], Meta(min_length=2, max_length=15)]
    rules: Word | Json = "heads-up"
    """A preset's name, or the fields of a rule set."""
    changes: Json = {}
    seed: Annotated[int, Meta(ge=0)] | None = None
    """Only where nobody else can sit down: who knows the seed knows all dice."""
    practice: bool = False
    """Moves can be taken back. Only for one person among bots."""
    delay_ms: Count = 600
    """How long bots seem to think."""


class TakeSeat(msgspec.Struct, frozen=True):
    """Somebody sits down."""

    name: Name = ""
    seat: int | None = None
    """Any that is open, if none is named."""
    bot: bool = False
    """Whether a program will play there."""


class Start(msgspec.Struct, frozen=True):
    """The game is to begin, with bots where nobody sits."""

    token: Token


class RulesWish(msgspec.Struct, frozen=True):
    """Rules to be looked at: a preset or fields of their own, with changes."""

    preset: Word | None = None
    config: Json | None = None
    changes: Json = {}


class BranchWish(msgspec.Struct, frozen=True):
    """Play on from a finished game."""

    turn: Annotated[int, Meta(ge=1)]
    """The decision to go back to, counted from 1 over the whole game."""
    seat: Annotated[int, Meta(ge=0, le=14)]
    """Where to sit down."""
    opponents: Annotated[list[Word], Meta(max_length=14)] = []
    """Bots for the other seats, in order; `optimal` where none is named."""
    name: Name = ""
    delay_ms: Count = 600


class BotAct(msgspec.Struct, frozen=True):
    """A bot's answer, as in the bot protocol."""

    id: int
    action: Annotated[str, Meta(max_length=40)]
    reasoning: Annotated[str, Meta(max_length=2000)] = ""
    type: Literal["action"] = "action"


class GamesQuery(msgspec.Struct, frozen=True):
    """Which games to list."""

    limit: Annotated[int, Meta(ge=1, le=100)] = 20
    after: Word | None = None
    """A game's id: those older than it."""


class ReviewQuery(msgspec.Struct, frozen=True):
    """Whose moves to review."""

    seat: Annotated[int, Meta(ge=0, le=14)] | None = None


class NextQuery(msgspec.Struct, frozen=True):
    """How long to wait for something to do."""

    wait: Annotated[float, Meta(ge=0, le=30)] = 0.0


class ExplainQuery(msgspec.Struct, frozen=True):
    """A point of a round between two players."""

    dice: Word = "2,3"
    hand: Word = "1,4"
    bids: Annotated[str, Meta(max_length=2000)] = ""


class OddsQuery(msgspec.Struct, frozen=True):
    """A hand among so many dice."""

    hand: Word = ""
    dice_total: Annotated[int, Meta(ge=1, le=150)] = 10
    rules: Word = "heads-up"


class MatchupsQuery(msgspec.Struct, frozen=True):
    """By which rules."""

    rules: Word = "heads-up"


# -- answers -----------------------------------------------------------------------------------------------------------


class Error(msgspec.Struct, frozen=True):
    """What went wrong, in one plain line."""

    error: str


class AgentLine(msgspec.Struct, frozen=True):
    """A bot that can be given a seat."""

    name: str
    summary: str
    memoryless: bool
    players: tuple[int, int]


class Agents(msgspec.Struct, frozen=True):
    """The bots on offer."""

    agents: list[AgentLine]


class RuleField(msgspec.Struct, frozen=True):
    """One field of the rules: what it may be, and what it is unless told otherwise."""

    name: str
    kind: Literal["choice", "number", "flag", "dice"]
    default: Any
    choices: list[str] | None = None
    minimum: int | None = None
    maximum: int | None = None
    optional: bool = False
    """Whether it may be null."""
    about: str = ""


class RuleBook(msgspec.Struct, frozen=True):
    """The named rule sets, and every field with what it may be."""

    presets: dict[str, Json]
    fields: list[RuleField]


class BidLine(msgspec.Struct, frozen=True):
    """A bid."""

    quantity: int
    face: int


class LadderLine(msgspec.Struct, frozen=True):
    """Rules, and the bids of their first round from the lowest up."""

    config: Json
    bids: list[BidLine]


class Seated(msgspec.Struct, frozen=True):
    """A seat, and the secret that proves it is yours."""

    room: str
    seat: int | None
    token: str | None


class SeatLine(msgspec.Struct, frozen=True):
    """A seat as everybody may see it."""

    seat: int
    name: str
    kind: SeatKind
    agent: str | None
    present: bool
    dice: int
    played_by: str | None = None
    """The bot that plays for somebody who is away."""


class RoomView(msgspec.Struct, frozen=True):
    """A room as everybody may see it."""

    room: str
    status: RoomStatus
    config: Json
    seats: list[SeatLine]
    game_id: str | None
    spectators: int
    practice: bool
    delay_ms: int
    turn: int
    """The decision that is next."""
    winner: int | None
    ended: Ending | None
    """How the game ended; null until it has."""


class RoomLine(msgspec.Struct, frozen=True):
    """A room in the list of rooms."""

    room: str
    rules: str
    names: list[str]
    open_seats: int
    status: RoomStatus


class RoomList(msgspec.Struct, frozen=True):
    """Rooms that wait or play, the newest first."""

    rooms: list[RoomLine]


class GameLine(msgspec.Struct, frozen=True):
    """A game in the list of games."""

    id: str
    when: datetime
    rules: str
    names: list[str]
    winner: int | None
    rounds: int
    turns: int
    finished: bool


class GameList(msgspec.Struct, frozen=True):
    """Recorded games, the newest first."""

    games: list[GameLine]


class GameRecord(msgspec.Struct, frozen=True):
    """A recorded game: all of it if somebody won, else what a spectator may know."""

    id: str
    config: Json
    names: list[str]
    events: list[Json]
    winner: int | None
    finished: bool
    ended: Ending | None
    """How the game ended; null until it has."""


class ReviewProgress(msgspec.Struct, frozen=True):
    """How many turns of a game the coach has looked at, and of how many; 0 of 0 while it gets ready."""

    done: int = 0
    turns: int = 0


class Ok(msgspec.Struct, frozen=True):
    """Done, and stored."""

    ok: bool = True


class BidChance(msgspec.Struct, frozen=True):
    """How likely a bid is to hold, and to be exactly right."""

    quantity: int
    face: int
    chance: float
    exact: float


class Odds(msgspec.Struct, frozen=True):
    """Every bid with its chance."""

    bids: list[BidChance]


class MatchupTable(msgspec.Struct, frozen=True):
    """How often the row beats the column, both seats together; null against oneself."""

    agents: list[str]
    matrix: list[list[float | None]]
    rules: str
    exact: bool = True


class TournamentLine(msgspec.Struct, frozen=True):
    """A tournament in the store."""

    name: str
    when: datetime
    agents: list[str]
    finished: bool
    ranking: list[str]


class TournamentList(msgspec.Struct, frozen=True):
    """Tournaments, the newest first."""

    tournaments: list[TournamentLine]


# -- what pages say on a socket ----------------------------------------------------------------------------------------


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first message. `from` says how many events are known already, when somebody comes back, and `game_id` of
    which game. If the room's game is another by now, events come from the first on.
    """

    token: Token | None = None
    from_: Count = msgspec.field(default=0, name="from")
    game_id: Word | None = None


class ActionWish(msgspec.Struct, frozen=True):
    """A move."""

    kind: Literal["bid", "liar", "exact"]
    quantity: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    face: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


Id = Annotated[int, Meta(ge=-(2**53), le=2**53)] | Annotated[str, Meta(max_length=40)]


class Act(msgspec.Struct, frozen=True, tag="act"):
    """A move in this turn. It is answered when it is in the store."""

    id: Id
    turn: int
    action: ActionWish


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """The odds of every bid, or what the coach would do."""

    id: Id
    what: Literal["odds", "hint"]


class Undo(msgspec.Struct, frozen=True, tag="undo"):
    """Back to the own last decision, in a practice room."""

    id: Id


class Speed(msgspec.Struct, frozen=True, tag="speed"):
    """How long bots seem to think, where nobody else is kept waiting. It is answered if it has an id."""

    delay_ms: Count
    id: Id | None = None


class Ping(msgspec.Struct, frozen=True, tag="ping"):
    """A sign of life; it is answered."""


FromPage = Hello | Act | Ask | Undo | Speed | Ping


# -- what the studio says to pages -------------------------------------------------------------------------------------


class You(msgspec.Struct, frozen=True):
    """What only this player may know."""

    dice: tuple[int, ...]


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The room, and every event this client may see from number `from` on. If that is 0 everything begins anew, as it
    does after an undo: `game_id` is then another.
    """

    room: RoomView
    seat: int | None
    events: list[Json]
    you: You | None
    game_id: str | None
    """The game the events are of; null before it begins."""
    from_: int = msgspec.field(name="from")


class EventNote(msgspec.Struct, frozen=True, tag="event"):
    """Something happened that this client may know of."""

    n: int
    event: Json


class Turn(msgspec.Struct, frozen=True, tag="turn"):
    """Whose turn it is. What is legal is told to that player alone."""

    turn: int
    seat: int
    legal: list[int] | UnsetType = UNSET
    """Rungs of this round's ladder."""
    bids: list[tuple[int, int]] | UnsetType = UNSET
    """The same as (quantity, face)."""
    calls: list[Literal["liar", "exact"]] | UnsetType = UNSET
    deadline_s: float | None = None
    """When a bot will play for somebody who is away; null for those who are here."""


class Seats(msgspec.Struct, frozen=True, tag="seats"):
    """Somebody came, left or returned."""

    seats: list[SeatLine]
    status: RoomStatus
    spectators: int


class Answer(msgspec.Struct, frozen=True, tag="answer", omit_defaults=True):
    """The answer to the message with this id."""

    to: int | str
    ok: bool = msgspec.field(default_factory=lambda: True)
    bids: list[BidChance] | None = None
    hint: Json | None = None


class Complaint(msgspec.Struct, frozen=True, tag="error", omit_defaults=True):
    """Something was wrong with a message. The connection lives."""

    error: str
    to: int | str | None = None


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The game is over, and may be looked at in full."""

    winner: int | None
    game_id: str
    ended: Ending


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """Yes."""


ToPage = Welcome | EventNote | Turn | Seats | Answer | Complaint | Over | Pong

_encoder = msgspec.json.Encoder()


def encode(message: ToPage) -> bytes:
    """A message as it is sent."""
    return _encoder.encode(message)


STORE_TROUBLE = "the store cannot be read or written now; try again"
"""All that clients need to know; the details name files."""


class BadMessageError(Exception):
    """A message that cannot be understood, and why."""


_page_decoder: msgspec.json.Decoder[FromPage] = msgspec.json.Decoder(FromPage)


def decode_page(text: str | bytes) -> FromPage:
    """A page's message; `BadMessageError` if it is none."""
    try:
        return _page_decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadMessageError(f"cannot understand that: {plain(error)}") from None


def plain(error: BaseException) -> str:
    """An error in one short line."""
    return " ".join(str(error).split())[:300]
