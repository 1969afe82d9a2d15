"""Every request to the JSON API of the studio and every answer, as typed data; `socket_messages` has those of sockets.

An event's number (`n`) is its place in the game's record. Turns are counted from 1 over the whole game.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ..core import ENTROPY_LENGTH, REASONING_LIMIT, BadValueError, Fairness, Lesson
from ..persistence import StoreError
from .turn_clock import TurnLimit

Count = Annotated[int, Meta(ge=0)]
Name = Annotated[str, Meta(max_length=40)]
Token = Annotated[str, Meta(max_length=100)]
Word = Annotated[str, Meta(max_length=200)]
Entropy = Annotated[str, Meta(max_length=ENTROPY_LENGTH)]
Json = dict[str, Any]
SeatKind = Literal["person", "bot", "open"]
SeatLeft = Literal["", "given", "resigned", "removed"]
"""Why a bot plays in a person's place: the others gave it the seat, or its player resigned or was removed."""
RoomStatus = Literal["waiting", "playing", "over"]
Ending = Literal["won", "too_long"]
"""`too_long`: the game reached the server's limit and ended without a winner."""


# -- requests ----------------------------------------------------------------------------------------------------------


class SeatRequest(msgspec.Struct, frozen=True):
    """Who gets a seat: the client who asks, a bot, or (`open`) anyone with the link."""

    kind: Literal["you", "open", "bot"] = "open"
    agent: Word | None = None
    """The bot's name in `/api/agents`."""
    name: Name | None = None


class CreateRoom(msgspec.Struct, frozen=True):
    """Create a room."""

    seats: Annotated[list[SeatRequest], Meta(min_length=2, max_length=15)]
    rules: Word | Json = "heads-up"
    """A preset's name, or the fields of a rule set."""
    changes: Json = {}
    seed: Annotated[int, Meta(ge=0)] | None = None
    """Only for rooms without open seats and other people's bots: anyone who finds the seed knows all dice."""
    practice: bool = False
    """Allow moves to be taken back. Only for one person against bots."""
    delay_ms: Count = 600
    """The pause before each bot's move."""
    hold: bool = False
    """Wait for `start` even if no seat is open, so that you can note the commitment and add your entropy before."""
    closed: bool = False
    """Whether only those with the invitation can watch or take a seat. The room is then not listed."""
    turn_limit: TurnLimit | None = None
    """How long players may think before `optimal` moves for them in that turn; null: as long as they like."""
    help: bool = True
    """Whether players may ask for odds and hints."""
    ready_check: bool = False
    """Whether the game waits until every person has said `ready`."""
    chat: bool = False
    """Whether players may write to each other."""


class TakeSeat(msgspec.Struct, frozen=True):
    """Take a seat."""

    name: Name = ""
    seat: int | None = None
    """The first open seat if null."""
    bot: bool = False
    """Whether a program will play in this seat."""
    entropy: Entropy = ""
    """What you add to the dice; see `fairness` of the room."""
    invite: Token | None = None
    """The invitation, if the room is closed."""


class AddEntropy(msgspec.Struct, frozen=True):
    """Have a say in the dice: before the game, add a text of your own."""

    token: Token
    entropy: Entropy


class StartRoom(msgspec.Struct, frozen=True):
    """Start the game, with bots in the open seats."""

    token: Token


class AccessRequest(msgspec.Struct, frozen=True):
    """Close a room to strangers, or open it."""

    token: Token
    """Of the seat of the player who set up the room."""
    closed: bool


class RulesRequest(msgspec.Struct, frozen=True):
    """Rules to check: a preset or a full rule set, with changes."""

    preset: Word | None = None
    config: Json | None = None
    changes: Json = {}


class BranchRequest(msgspec.Struct, frozen=True):
    """Continue a finished game from one of its turns."""

    turn: Annotated[int, Meta(ge=1)]
    """The turn to go back to, counted from 1 over the whole game."""
    seat: Annotated[int, Meta(ge=0, le=14)]
    """The seat to take."""
    opponents: Annotated[list[Word], Meta(max_length=14)] = []
    """Bots for the other seats, in order; for the rest, those of the game, and `optimal` in place of people."""
    name: Name = ""
    delay_ms: Count = 600


class BotMove(msgspec.Struct, frozen=True):
    """A bot's move, as in the bot protocol."""

    id: int
    action: Annotated[str, Meta(max_length=40)]
    reasoning: Annotated[str, Meta(max_length=REASONING_LIMIT)] = ""
    type: Literal["action"] = "action"


class GamesQuery(msgspec.Struct, frozen=True):
    """Which games to list."""

    limit: Annotated[int, Meta(ge=1, le=100)] = 20
    after: Word | None = None
    """A game's id: list the games older than this one."""
    state: Literal["all", "finished", "unfinished"] = "all"
    """Finished games have a winner."""
    rules: Word | None = None
    """The name of a preset, or `custom`."""
    player: Annotated[str, Meta(max_length=100)] = ""
    """Games of the player with this name."""
    mine: Annotated[str, Meta(max_length=4000)] = ""
    """These games too, as `GAME@SEAT`, with commas between them: the games that a browser remembers."""
    result: Literal["won", "lost"] | None = None
    """How they ended for this player."""
    search: Annotated[str, Meta(max_length=100)] = ""
    """A part of any player's name, or the beginning of a game's id."""


class SeatQuery(msgspec.Struct, frozen=True):
    """Whose mistakes are wanted."""

    seat: Annotated[int, Meta(ge=0, le=14)] = 0


class DayQuery(msgspec.Struct, frozen=True):
    """Which day is wanted."""

    day: date | None = None
    """Today, by the server's clock in UTC, if it is left out."""


class ReviewQuery(msgspec.Struct, frozen=True):
    """Whose moves to review."""

    seat: Annotated[int, Meta(ge=0, le=14)] | None = None


class KnownQuery(msgspec.Struct, frozen=True):
    """Of whom to say what others could know."""

    seat: Annotated[int, Meta(ge=0, le=14)]


class CardQuery(msgspec.Struct, frozen=True):
    """Whose card to show."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]


class NextQuery(msgspec.Struct, frozen=True):
    """How many seconds to wait for the next question."""

    wait: Annotated[float, Meta(ge=0, le=30)] = 0.0


class ExplainQuery(msgspec.Struct, frozen=True):
    """A point in a round between two players, by the rules of `heads-up` or `perudo`."""

    dice: Word = "2,3"
    hand: Word = "1,4"
    bids: Annotated[str, Meta(max_length=2000)] = ""
    rules: Word = "heads-up"


class OddsQuery(msgspec.Struct, frozen=True):
    """A hand, and the number of dice in play."""

    hand: Word = ""
    dice_total: Annotated[int, Meta(ge=1, le=150)] = 10
    rules: Word = "heads-up"


class MatchupsQuery(msgspec.Struct, frozen=True):
    """The rules to play by."""

    rules: Word = "heads-up"


# -- answers -----------------------------------------------------------------------------------------------------------


class ErrorResponse(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong: a line for people, and a stable code for programs."""

    error: str
    code: str
    field: str | None = None
    """The field of the request that cannot be used, if it is one field."""
    expected: str | None = None
    """What this field may be."""


class OfferedAgent(msgspec.Struct, frozen=True):
    """A bot that can take a seat."""

    name: str
    summary: str
    memoryless: bool
    players: tuple[int, int]
    rating: int | None = None
    """Its strength at tables of six, by the rules of `perudo` (OpenSkill, 25 in the middle); None: not measured."""


class Lessons(msgspec.Struct, frozen=True):
    """The first lessons, the round that they play, and the game after them."""

    lessons: tuple[Lesson, ...]
    dice: tuple[tuple[int, ...], ...]
    """The learner's, and those of the bot."""
    config: Json
    """The rules of the round and of the game."""
    teacher: str
    """The bot of both."""


class Agents(msgspec.Struct, frozen=True):
    """The bots that can take a seat."""

    agents: list[OfferedAgent]


class RuleField(msgspec.Struct, frozen=True):
    """One field of the rules: its default, and the values it may have."""

    name: str
    kind: Literal["choice", "number", "flag", "dice"]
    default: Any
    choices: list[str] | None = None
    minimum: int | None = None
    maximum: int | None = None
    optional: bool = False
    """Whether it may be null."""
    about: str = ""


class RulesCatalog(msgspec.Struct, frozen=True):
    """The presets, and every field of a rule set with its allowed values."""

    presets: dict[str, Json]
    fields: list[RuleField]


class BidPair(msgspec.Struct, frozen=True):
    """A bid as quantity and face."""

    quantity: int
    face: int


class CheckedRules(msgspec.Struct, frozen=True):
    """A complete rule set, and the bids of its first round from the lowest up."""

    config: Json
    bids: list[BidPair]
    plays_as: dict[str, str] = {}
    """The bots that are not made for these rules, and what each plays as."""


class SeatGranted(msgspec.Struct, frozen=True):
    """A seat, and the token that proves it is yours."""

    room: str
    seat: int | None
    token: str | None
    invite: str | None = None
    """The invitation to a closed room, for those you want to let in."""


class Access(msgspec.Struct, frozen=True):
    """Whether a room is closed to strangers, and the invitation that lets others in."""

    closed: bool
    invite: str | None


class SeatView(msgspec.Struct, frozen=True):
    """The public view of a seat."""

    seat: int
    name: str
    kind: SeatKind
    agent: str | None
    present: bool
    dice: int
    played_by: str | None = None
    """The bot that plays for a player who is away, has left, or whose time is up."""
    left: SeatLeft = ""
    """Why a bot plays for this player from now on, if it does."""
    ready: bool = False
    """Whether this player is ready, in a room that asks."""


class RoomView(msgspec.Struct, frozen=True):
    """The public view of a room."""

    room: str
    status: RoomStatus
    config: Json
    seats: list[SeatView]
    game_id: str | None
    spectators: int
    practice: bool
    delay_ms: int
    turn: int
    """The number of the next turn."""
    winner: int | None
    ended: Ending | None
    """How the game ended; null until it has."""
    fairness: Fairness | None = None
    """The commitment to the dice, what the players added, and, once the game is over, the secret."""
    host: int | None = None
    """The seat of the player who set up the room."""
    closed: bool = False
    """Whether only those with the invitation can watch or take a seat."""
    turn_limit: TurnLimit | None = None
    help: bool = True
    ready_check: bool = False
    rematch: list[int] = []
    """The seats whose players want another game."""
    next_commitment: str | None = None
    """The commitment to the dice of the next game in this room, once this one is over."""
    chat: bool = False


class RoomListItem(msgspec.Struct, frozen=True):
    """A room in the list of rooms."""

    room: str
    rules: str
    names: list[str]
    open_seats: int
    status: RoomStatus


class RoomList(msgspec.Struct, frozen=True):
    """Rooms that are waiting or playing, newest first."""

    rooms: list[RoomListItem]


class GameListItem(msgspec.Struct, frozen=True):
    """A game in the list of games."""

    id: str
    when: datetime
    rules: str
    names: list[str]
    winner: int | None
    rounds: int
    turns: int
    finished: bool
    seat: int | None = None
    """The seat of the player whose games are listed."""


class GameList(msgspec.Struct, frozen=True):
    """Recorded games, newest first."""

    games: list[GameListItem]
    more: str | None = None
    """Where to go on (`after`); None if there are no older games."""


class GameRecord(msgspec.Struct, frozen=True):
    """A recorded game: all of it if it has a winner, otherwise what a spectator may know."""

    id: str
    config: Json
    names: list[str]
    events: list[Json]
    winner: int | None
    finished: bool
    ended: Ending | None
    """How the game ended; null until it has."""
    fairness: Fairness | None = None
    """The commitment to the dice, what the players added, and, once the game is over, the secret."""


class ReviewProgress(msgspec.Struct, frozen=True):
    """How many turns of a game the coach has reviewed, and of how many; 0 of 0 before it starts."""

    done: int = 0
    turns: int = 0


class Ok(msgspec.Struct, frozen=True):
    """The move is stored."""

    ok: bool = True


class BidChance(msgspec.Struct, frozen=True):
    """How likely a bid is to hold, and to be exactly right."""

    quantity: int
    face: int
    chance: float
    exact: float


class Odds(msgspec.Struct, frozen=True):
    """The chance of every bid."""

    bids: list[BidChance]


class LabRound(msgspec.Struct, frozen=True):
    """A round of the lab: the opener is sure of `lower` and cannot get more than `upper`; 1 is a certain win. Both are
    null if the round is not solved: then the lab shows a measured strategy.
    """

    dice: tuple[int, int]
    lower: float | None
    upper: float | None


class LabRounds(msgspec.Struct, frozen=True):
    """The rounds of the lab, by the rules they are played by."""

    rules: dict[str, list[LabRound]]


class MatchupTable(msgspec.Struct, frozen=True):
    """How often the row beats the column, averaged over both seats; null on the diagonal."""

    agents: list[str]
    matrix: list[list[float | None]]
    rules: str
    exact: bool = True


class CardSection(msgspec.Struct, frozen=True):
    """What was found out about one side of a player's game, in sentences."""

    heading: str
    told: list[str]


class CallingStep(msgspec.Struct, frozen=True):
    """How often a player calls bids that hold with a chance from `odds_from` to `odds_to`, as it sees them."""

    odds_from: float
    odds_to: float
    called: int
    of: int


class PlayerCard(msgspec.Struct, frozen=True):
    """What anyone at the table could know of a player, from finished games."""

    player: str
    rounds: int
    basis: str
    """What it rests on, in one sentence."""
    sections: list[CardSection]
    calling: list[CallingStep]
    """The calling curve, without steps that rest on too little."""


class TournamentListItem(msgspec.Struct, frozen=True):
    """A tournament in the store."""

    name: str
    when: datetime
    agents: list[str]
    finished: bool
    ranking: list[str]


class TournamentList(msgspec.Struct, frozen=True):
    """Tournaments, newest first."""

    tournaments: list[TournamentListItem]


# -- as they are sent --------------------------------------------------------------------------------------------------

_encoder = msgspec.json.Encoder()


def encode_json(value: object) -> bytes:
    """The body of an HTTP answer."""
    return _encoder.encode(value)


STORE_UNAVAILABLE = "the store cannot be read or written now; try again"
"""Clients are told no more: the details name files."""


def error_response(error: Exception) -> ErrorResponse:
    """An error as the body of an HTTP answer."""
    return ErrorResponse(*line_and_code(error), getattr(error, "field", None), _expected(error))


def line_and_code(error: Exception) -> tuple[str, str]:
    """What a client is told of an error, and its code."""
    if isinstance(error, StoreError):
        return STORE_UNAVAILABLE, "store_unavailable"
    if isinstance(error, msgspec.ValidationError):
        return plain(error), "invalid_request"
    return plain(error), getattr(error, "code", "error")


def _expected(error: Exception) -> str | None:
    return error.allowed if isinstance(error, BadValueError) else None


def plain(error: BaseException) -> str:
    """The text of an error in one short line."""
    return " ".join(str(error).split())[:300]
