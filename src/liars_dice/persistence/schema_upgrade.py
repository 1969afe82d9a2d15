"""The upgrade of games from schema 0, the format of an earlier design, to schema 1.

In schema 0, event types end in `Event`, a config has `dice_distribution` and `ones_wild`, and revealed dice are keyed
by player. Times may lack a zone; they are in UTC, as `timestamp_utc` says. There are no versions, and no event says how
long a game is, who opens a round, or that the game is over. All this follows from the rounds that were played, so a
game is upgraded as a whole:

- a game of one round is a single round;
- a game of several rounds is a best-of match; the winner of its last round has won it if no one else won as many
  rounds, and otherwise it is unfinished;
- rounds that no rule of ours chains (the opener was neither the loser, nor the winner, nor the next seat) become games
  of their own: `ID`, `ID-2`, `ID-3`;
- seat 0 opens a game here, so if another player opened it, the seats are turned. Their names stay: `player0`, ...
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar, get_args

import msgspec

from ..core import (
    MOVES,
    BidPlaced,
    DiceRevealed,
    DiceRolled,
    Event,
    GameConfig,
    GameCreated,
    GameEnded,
    LiarCalled,
    NextOpener,
    RoundEnded,
    RoundOutcome,
    RoundStarted,
    opener_after,
)
from .envelope import Enveloper, RecordedEvent

Fields = dict[str, Any]
T = TypeVar("T")

SHORT_NAMES = {
    "Roll": "DiceRolled",
    "Bid": "BidPlaced",
    "Call": "LiarCalled",
    "Reveal": "DiceRevealed",
    "End": "RoundEnded",
}
"""The design lists its events twice, the first time under these names."""

MOST_ROUNDS = 9999
"""The longest match that the rules allow."""


class _Happened(NamedTuple):
    """An event with what schema 0 knows of its envelope."""

    when: datetime
    player_type: str | None
    event: Event


class SchemaZeroUpgrade:
    """Collects the events of one file of schema 0 and upgrades the games they belong to."""

    def __init__(self) -> None:
        self._games: dict[str, list[_Happened]] = {}
        self._grown: dict[str, None] = {}

    def take(self, fields: Fields) -> None:
        """Add one event, in the order of the file."""
        game_id, payload = fields["game_id"], fields["payload"]
        name = str(fields["event_type"]).removesuffix("Event")
        if name == "InvalidAction":  # it changed nothing
            return
        kind = SHORT_NAMES.get(name, name)
        created = self._games[game_id][0].event if kind != "GameCreated" else None
        if isinstance(created, GameCreated):
            payload = _PAYLOADS[kind](payload, created.config.dice)
            for role in ("player_id", "winner", "loser"):
                if payload.get(role, 0) not in range(created.config.num_players):
                    raise ValueError(f"{role} = {payload[role]!r}: there is no such player")
        else:
            payload = _created(payload["config"])
        event = msgspec.convert({"event_type": kind, **payload}, Event)
        if isinstance(event, GameCreated) and game_id in self._games:
            self._check_same_rules(game_id, event)
            return
        when = datetime.fromisoformat(fields["timestamp_utc"])
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
        player_type = fields.get("player_type") or payload.get("player_type")
        self._games.setdefault(game_id, []).append(_Happened(when, player_type, event))
        self._grown[game_id] = None

    def _check_same_rules(self, game_id: str, again: GameCreated) -> None:
        """A program that makes an engine for each round of a match creates the game each time."""
        created = self._games[game_id][0].event
        if isinstance(created, GameCreated) and created.config.without_seed != again.config.without_seed:
            raise ValueError("the game was created before, with other rules")

    def grown(self) -> list[str]:
        """The ids of games that have grown since the last call."""
        grown, self._grown = self._grown, {}
        return list(grown)

    def upgraded(self, game_id: str) -> list[list[RecordedEvent]]:
        """The game, or the games that it became, from the beginning."""
        return _upgraded(game_id, self._games[game_id])

    def finish(self, game_id: str) -> list[RecordedEvent]:
        """What has not been returned of a game that goes on in today's schema."""
        happened = self._games.pop(game_id, [])
        unread = game_id in self._grown
        self._grown.pop(game_id, None)
        return [event for game in _upgraded(game_id, happened) for event in game] if unread else []


def _created(config: Fields) -> Fields:
    dice = config.get("dice_distribution", (2, 3))
    faces = config.get("faces", 6)
    rules = {
        "dice": dice,
        "faces": faces if isinstance(faces, int) else len(faces),
        "wild": "ones" if config.get("ones_wild") else "none",
        "bid_ordering": config.get("bid_ordering", "quantity_then_face"),
        "max_turns": config.get("max_turns"),
        "seed": config.get("rng_seed"),
    }
    return {"config": rules, "names": [f"player{seat}" for seat in range(len(dice))], "agent_ids": [None] * len(dice)}


def _round_started(payload: Fields, dice: tuple[int, ...]) -> Fields:
    counts = payload.get("dice_distribution", dice)
    return {"round_index": 0, "opener": 0, "dice_counts": counts, "palifico": False}


def _dice_rolled(payload: Fields, _: tuple[int, ...]) -> Fields:
    info = payload.get("seed_info")
    return {**payload, "dice": sorted(payload["dice"]), "seed_info": None if info is None else str(info)}


def _dice_revealed(payload: Fields, _: tuple[int, ...]) -> Fields:
    hands = {int(re.sub(r"\D", "", str(player))): sorted(dice) for player, dice in payload["all_dice"].items()}
    return {"dice": [hands[seat] for seat in range(len(hands))]}


def _round_ended(payload: Fields, dice: tuple[int, ...]) -> Fields:
    return {**payload, "winner": payload["winner_id"], "loser": payload["loser_id"], "dice_counts": dice}


def _as_it_is(payload: Fields, _: tuple[int, ...]) -> Fields:
    return payload


_PAYLOADS: dict[str, Callable[[Fields, tuple[int, ...]], Fields]] = {
    "RoundStarted": _round_started,
    "DiceRolled": _dice_rolled,
    "BidPlaced": _as_it_is,
    "LiarCalled": _as_it_is,
    "DiceRevealed": _dice_revealed,
    "RoundEnded": _round_ended,
}
"""How the payload of each event after the first becomes today's; the second argument is each seat's dice."""


def _upgraded(game_id: str, happened: Sequence[_Happened]) -> list[list[RecordedEvent]]:
    """The game, or the games, that these events are."""
    created, *later = happened
    starts = [at for at, one in enumerate(later) if isinstance(one.event, RoundStarted)]
    if starts[:1] != [0]:  # no round yet; or something before it, which the rules will refuse
        return [_sealed(game_id, happened)]
    rounds = [later[start:stop] for start, stop in zip(starts, [*starts[1:], len(later)], strict=True)]
    if (whole := _as_one_game(created, rounds)) is not None:
        return [_sealed(game_id, whole)]
    games = [_sealed(game_id, _as_one_game(created, rounds[:1]) or [])]
    for number, one in enumerate(rounds[1:], 2):
        begun = created._replace(when=one[0].when)
        games.append(_sealed(f"{game_id}-{number}", _as_one_game(begun, [one]) or []))
    return games


def _as_one_game(created: _Happened, rounds: Sequence[Sequence[_Happened]]) -> list[_Happened] | None:
    """These rounds with the rules that chain them, and the end of the game; None if no rules do."""
    assert isinstance(created.event, GameCreated)
    seats = created.event.config.num_players
    first = _opener(rounds[0]) or 0
    turned = [[one._replace(event=_turned(one.event, first, seats)) for one in part] for part in rounds]
    new = _turned(created.event, first, seats)
    assert isinstance(new, GameCreated)
    ends = [next((one.event for one in part if isinstance(one.event, RoundEnded)), None) for part in turned]
    openers = [_opener(part) for part in turned]
    config = _rules_of(new.config, openers, ends)
    if config is None:
        return None
    game = [created._replace(event=msgspec.structs.replace(new, config=config))]
    opener = 0
    for number, (part, end) in enumerate(zip(turned, ends, strict=True)):
        started = msgspec.structs.replace(part[0].event, round_index=number, opener=opener)
        game += [part[0]._replace(event=started), *part[1:]]
        if end is not None:
            opener = opener_after(config, config.dice, opener, RoundOutcome(end.winner, end.loser))
    wins = Counter(end.winner for end in ends if end is not None)
    last = ends[-1]
    if last is not None and wins[last.winner] == config.wins_needed:
        game.append(_Happened(game[-1].when, None, GameEnded(last.winner)))
    return game


def _rules_of(
    config: GameConfig, openers: Sequence[int | None], ends: Sequence[RoundEnded | None]
) -> GameConfig | None:
    """The rules of a game with these rounds, of which the last may be unfinished; None if there are no such rules."""
    if len(ends) == 1:
        return config
    wins = Counter(end.winner for end in ends if end is not None)
    last = ends[-1]
    is_won = last is not None and all(wins[last.winner] > n for seat, n in wins.items() if seat != last.winner)
    needed = wins[last.winner] if last is not None and is_won else max(wins.values(), default=0) + 1
    if 2 * needed - 1 > MOST_ROUNDS:
        return None
    for rule in get_args(NextOpener):
        match = config.replace(mode="best_of", rounds=2 * needed - 1, next_opener=rule)
        if _opens_by(match, openers, ends):
            return match
    return None


def _opens_by(config: GameConfig, openers: Sequence[int | None], ends: Sequence[RoundEnded | None]) -> bool:
    opener = 0
    for end, opens in zip(ends, openers[1:], strict=False):
        if end is None:
            return False
        opener = opener_after(config, config.dice, opener, RoundOutcome(end.winner, end.loser))
        if opens not in (opener, None):
            return False
    return True


def _opener(happened: Sequence[_Happened]) -> int | None:
    """Who made the first move of a round."""
    return next((one.event.player_id for one in happened if isinstance(one.event, MOVES)), None)


def _turned(event: Event, by: int, seats: int) -> Event:
    """The event at a table where seat `by` has become seat 0."""
    if not by:
        return event

    def turn(values: tuple[T, ...]) -> tuple[T, ...]:
        return values[by:] + values[:by]

    change = msgspec.structs.replace
    match event:
        case GameCreated(config=config, names=names):
            return change(event, config=config.replace(dice=turn(config.dice)), names=turn(names))
        case RoundStarted(dice_counts=counts):
            return change(event, dice_counts=turn(counts))
        case DiceRolled(player_id=seat) | BidPlaced(player_id=seat) | LiarCalled(player_id=seat):
            return change(event, player_id=(seat - by) % seats)
        case DiceRevealed(dice=hands):
            return change(event, dice=turn(hands))
        case RoundEnded(winner=winner, loser=loser, dice_counts=counts):
            return change(event, winner=(winner - by) % seats, loser=(loser - by) % seats, dice_counts=turn(counts))
    return event


def _sealed(game_id: str, happened: Sequence[_Happened]) -> list[RecordedEvent]:
    """The events in envelopes of today's schema."""
    created = happened[0].event
    assert isinstance(created, GameCreated)
    enveloper = Enveloper(game_id, created.names)
    return [
        msgspec.structs.replace(enveloper.seal(event), timestamp_utc=when, player_type=player_type)
        for when, player_type, event in happened
    ]
