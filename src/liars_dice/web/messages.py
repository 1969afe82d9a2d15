"""Every request, answer and socket message of the studio, as typed data.

An event's number (`n`) is its place in the game's record. Turns are counted from 1 over the whole game.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ..core import ENTROPY_LENGTH, REASONING_LIMIT, BadValueError, Fairness
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
Reactions = Literal["👍", "👏", "😂", "😮", "🤔", "😬", "🎉", "🙏"]
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
    """A point in a round between two players, by the rules of a solved game."""

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
    """A round of the lab: the opener is sure of `lower` and cannot get more than `upper`; 1 is a certain win."""

    dice: tuple[int, int]
    lower: float
    upper: float


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
    """Ask for the odds of every bid, or for the coach's advice."""

    id: Id
    what: Literal["odds", "hint"]


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


class Ping(msgspec.Struct, frozen=True, tag="ping"):
    """Keeps the connection alive; answered with `pong`."""


Manage = Ready | Resign | GiveSeat | ReturnToSeat | Remove | Rematch
"""What players do at a table besides playing."""
FromPage = Hello | Act | Ask | Undo | Speed | Manage | React | Nudge | Ping


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
    """A player or spectator joined, left or returned."""

    seats: list[SeatView]
    status: RoomStatus
    spectators: int
    closed: bool = False
    rematch: list[int] = []
    """The seats whose players want another game."""
    next_commitment: str | None = None
    host: int | None = None


class Answer(msgspec.Struct, frozen=True, tag="answer", omit_defaults=True):
    """The answer to the message with this id."""

    to: int | str
    ok: bool = msgspec.field(default_factory=lambda: True)
    bids: list[BidChance] | None = None
    hint: Json | None = None


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


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """Answers a ping, and is a sign of life while an answer takes long."""


ToPage = Welcome | EventNote | Turn | Seats | Answer | ErrorMessage | Over | Reaction | Nudged | Pong

_encoder = msgspec.json.Encoder()


def encode(message: ToPage) -> bytes:
    """A message as it is sent."""
    return _encoder.encode(message)


def encode_json(value: object) -> bytes:
    """The body of an HTTP answer."""
    return _encoder.encode(value)


STORE_UNAVAILABLE = "the store cannot be read or written now; try again"
"""Clients are told no more: the details name files."""


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
    return ErrorMessage(*_line_and_code(error), to)


def error_response(error: Exception) -> ErrorResponse:
    """An error as the body of an HTTP answer."""
    return ErrorResponse(*_line_and_code(error), getattr(error, "field", None), _expected(error))


def _line_and_code(error: Exception) -> tuple[str, str]:
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
