"""The review of a game, decision by decision: what was best, and what was given away.

Each decision is judged by what its player knew at the time: the player's own dice and the bids. Dice revealed later
play no part. Its rating is by the best strategy known, against players of whom nothing is known; what the known habits
of a bot would have allowed is told beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Literal

import msgspec

from ..core import (
    Action,
    BadValueError,
    BidAction,
    CallExactAction,
    CallLiarAction,
    GameState,
    apply,
    capital,
    deal,
    new_game,
    percent,
    say_bid,
    view_of,
)
from ..persistence import RecordedEvent, fallback_turns, final_state
from .advice import Advice, named
from .advisor import advise
from .chance_curve import ChancePoint, WinChances
from .opponent_models import OpponentModel, model_of

COACH_VERSION = 5
"""Raised when verdicts change: reviews that are kept in stores are computed again."""
KINDS = ("best", "good", "inaccuracy", "mistake", "blunder")
"""The ratings of a decision, from nothing to much given away."""
FALLBACK = "fallback"
"""Instead of a rating: the player did not decide this. The referee played for a bot that failed, or a bot for a person
who was away. Nothing is held against the player."""
LOSS_FROM = {"good": 0.005, "inaccuracy": 0.05, "mistake": 0.10, "blunder": 0.20}
"""The smallest loss with each rating, as a share of what the round decides; below the first it is `best`."""


def kind_of(loss: float) -> str:
    """The rating of a decision with this loss, as a share of what the round decides.

    >>> [kind_of(loss) for loss in (0, 0.02, 0.05, 0.1, 0.7)]
    ['best', 'good', 'inaccuracy', 'mistake', 'blunder']
    """
    return next((kind for kind in reversed(LOSS_FROM) if loss >= LOSS_FROM[kind]), "best")


class HabitVerdict(msgspec.Struct, frozen=True):
    """What the known habits of other players would have allowed at one decision. It has no part in the rating."""

    best: Action
    loss: float
    """The chance that was given away, if their habits are known."""
    win_chance: float
    best_chance: float
    words: str
    """The verdict in one sentence."""
    source: str
    of_what: Literal["round", "game"] = "round"
    """Whether the chances are those to win the round or the game. The rating beside it may be of the other."""


class MoveVerdict(msgspec.Struct, frozen=True):
    """One decision and its rating against players of whom nothing is known."""

    turn: int
    """The turn of the game, from 1."""
    round: int
    """The round, from 1."""
    player: int
    """The seat that decided."""
    action: Action
    best: Action
    loss: float
    """The chance that was given away, from 0 to 1: to win the round or the game, see `of_what`."""
    win_chance: float
    """The chance after the action taken."""
    best_chance: float
    """The chance after the best action."""
    kind: str
    """One of `KINDS`, or `FALLBACK`."""
    words: str
    """The verdict in one sentence."""
    source: str
    """What the rating rests on, as in `Advice.source`."""
    forced: bool = False
    """Whether it was the only legal action."""
    game_loss: float = 0.0
    """The chance to win the game that was given away."""
    own_dice: int = 0
    """How many dice its player had."""
    opening: bool = False
    """Whether it opened the round."""
    against: str = ""
    """What the rating is against, in words: `against perfect play`, `against an unknown opponent`."""
    habits: HabitVerdict | None = None
    """The decision by what other players' habits allowed; None if no other player's are known."""
    of_what: Literal["round", "game"] = "round"
    """What the chances and the loss are of: winning the round (with more than two players: not losing it), or the
    game."""
    stake: float = 1.0
    """How much of these chances the round decided; `kind` is by the loss as a share of it."""

    @property
    def is_free(self) -> bool:
        """Whether the player decided: it had an alternative, and no one else played for it."""
        return not self.forced and self.kind != FALLBACK


class Review(msgspec.Struct, frozen=True):
    """A reviewed game: its verdicts, and each player's chance to win after every turn."""

    names: tuple[str, ...]
    moves: tuple[MoveVerdict, ...]
    curve: tuple[ChancePoint, ...]
    seat: int | None = None
    """The seat whose decisions were judged; None for all seats."""
    winner: int | None = None
    curve_source: str = ""
    """What the chances of the curve rest on."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats with at least one judged decision."""
        return tuple(sorted({move.player for move in self.moves}))

    @property
    def accuracy(self) -> dict[int, float]:
        """Per seat, the percentage of its chances to win that it kept: the chances after its best actions, summed over
        its decisions, less what it lost. 100 is flawless; decisions without an alternative do not count.
        """
        return {seat: _kept(self._free(seat)) for seat in self.seats}

    @property
    def habits_accuracy(self) -> dict[int, float]:
        """The accuracy by what the other players' known habits allowed, for each seat that met known players."""
        met = {seat: [move.habits for move in self._free(seat) if move.habits is not None] for seat in self.seats}
        return {seat: _kept(verdicts) for seat, verdicts in met.items() if verdicts}

    @property
    def measured_against(self) -> dict[int, dict[str, int]]:
        """Per seat, what its accuracy is measured against, and in how many decisions."""
        return {seat: dict(Counter(move.source for move in self._free(seat)).most_common()) for seat in self.seats}

    def _free(self, seat: int) -> list[MoveVerdict]:
        """The decisions of a seat that had an alternative."""
        return [move for move in self.moves if move.player == seat and move.is_free]

    @property
    def counts(self) -> dict[int, dict[str, int]]:
        """Per seat, the number of decisions with each rating."""
        return {
            seat: {kind: sum(m.player == seat and m.kind == kind for m in self.moves) for kind in KINDS}
            for seat in self.seats
        }

    def of_seat(self, seat: int) -> Review:
        """The part about one seat's decisions."""
        return msgspec.structs.replace(self, moves=tuple(m for m in self.moves if m.player == seat), seat=seat)

    def worst(self, seats: Collection[int] = ()) -> MoveVerdict | None:
        """The worst mistake or blunder of these seats, or of all seats; None if there is none."""
        wrong = [m for m in self.moves if m.kind in ("mistake", "blunder") and (not seats or m.player in seats)]
        return max(wrong, key=lambda move: (KINDS.index(move.kind), move.loss), default=None)

    def to_dict(self) -> dict[str, object]:
        """The review as JSON for other programs; its keys are stable."""
        names = self.names
        return {
            "agents": list(names),
            "winner": None if self.winner is None else names[self.winner],
            "seat": self.seat,
            "moves": [
                {
                    "turn": move.turn,
                    "round": move.round,
                    "seat": move.player,
                    "player": names[move.player],
                    "action": str(move.action),
                    "best": str(move.best),
                    "loss": move.loss,
                    "game_loss": move.game_loss,
                    "own_dice": move.own_dice,
                    "win_chance": move.win_chance,
                    "best_chance": move.best_chance,
                    "kind": move.kind,
                    "words": move.words,
                    "source": move.source,
                    "forced": move.forced,
                    "against": move.against,
                    "of": move.of_what,
                    "stake": move.stake,
                    "habits": None if move.habits is None else _habits_dict(move.habits),
                }
                for move in self.moves
            ],
            "accuracy": {names[seat]: percent for seat, percent in self.accuracy.items()},
            "habits_accuracy": {names[seat]: percent for seat, percent in self.habits_accuracy.items()},
            "measured_against": {names[seat]: found for seat, found in self.measured_against.items()},
            "counts": {names[seat]: counts for seat, counts in self.counts.items()},
            "curve": [{"turn": p.turn, "round": p.round, "chances": list(p.chances)} for p in self.curve],
            "curve_source": self.curve_source,
        }


def _habits_dict(habits: HabitVerdict) -> dict[str, object]:
    found = msgspec.structs.asdict(habits)
    return found | {"best": str(habits.best), "of": found.pop("of_what")}


def _kept(verdicts: Sequence[MoveVerdict] | Sequence[HabitVerdict]) -> float:
    """The percentage of the chances that was kept."""
    there = sum(verdict.best_chance for verdict in verdicts)
    lost = sum(verdict.loss for verdict in verdicts)
    return 100.0 * (1 - lost / there) if there > 0 else 100.0


def review_game(
    game: GameState | Sequence[RecordedEvent],
    seat: int | None = None,
    models: Sequence[OpponentModel] | None = None,
    *,
    fallbacks: Collection[int] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Judge every decision of a game, or those of one seat.

    The dice of an unfinished round are hidden, so its decisions are judged only if `seat` is given, for that seat.
    `models` has one model per seat and says whose habits are known; by default they follow from the recorded agents
    and names. `fallbacks` has the turns that the players did not decide themselves; by default, those in the
    record, if `game` is one. `progress` is called after every turn with the number of turns reviewed and the total.
    """
    if fallbacks is None:
        fallbacks = () if isinstance(game, GameState) else fallback_turns(game)
    state = game if isinstance(game, GameState) else final_state(game)
    public = state.public
    if seat is not None and (type(seat) is not int or not 0 <= seat < len(public.names)):
        raise BadValueError("seat", seat, f"a seat from 0 to {len(public.names) - 1}")
    taken_for = tuple(models) if models is not None else _models(state)
    win_chances = WinChances(state.config, taken_for)
    moves: list[MoveVerdict] = []
    curve = [ChancePoint(0, win_chances.of(new_game(state.config, public.names).public))]
    turns = sum(len(resolution.bids) + 1 for resolution in public.resolutions)
    turns += len(public.bid_history) if public.status == "BIDDING" else 0
    for turn, (before, action, after) in enumerate(turns_of(state), 1):
        player = before.public.current_player
        hidden = before.public.round_index == len(public.resolutions)
        if seat == player or (seat is None and not hidden):
            advice = advise(view_of(before, player), taken_for)
            moves.append(_judge(before, action, turn, advice, win_chances.at_stake(before.public, player)))
        curve.append(ChancePoint(turn, win_chances.of(after.public), before.public.round_index + 1))
        if progress is not None:
            progress(turn, turns)
    moves = [_not_blamed(move, public.names[move.player]) if move.turn in fallbacks else move for move in moves]
    return Review(public.names, tuple(moves), tuple(curve), seat, public.winner, win_chances.source)


def _models(state: GameState) -> tuple[OpponentModel, ...]:
    """The model of each seat: by its recorded agent, or else by its name."""
    named = zip(state.agent_ids, state.public.names, strict=True)
    return tuple(model_of(agent_id or name) for agent_id, name in named)


def turns_of(state: GameState) -> Iterator[tuple[GameState, Action, GameState]]:
    """Every turn: the state before it, the action, and the state after it."""
    public = state.public
    now = new_game(state.config, public.names, state.agent_ids)
    for resolution in public.resolutions:
        call = CallLiarAction() if resolution.call == "liar" else CallExactAction()
        now = deal(now, resolution.dice, resolution.table_dice, resolution.hidden_dice)
        for action in (*map(BidAction, resolution.bids), call):
            after = apply(now, action)
            yield now, action, after
            now = after
    if public.status == "BIDDING":
        now = deal(now, state.hands, public.table_dice, state.hidden_dice)
        for bid in public.bid_history:
            after = apply(now, BidAction(bid))
            yield now, BidAction(bid), after
            now = after


def _judge(state: GameState, action: Action, turn: int, advice: Advice, at_stake: float) -> MoveVerdict:
    player, loss, choice = state.public.current_player, advice.loss(action), advice.of(action)
    kind = kind_of(loss / advice.stake)
    return MoveVerdict(
        turn,
        state.public.round_index + 1,
        player,
        action,
        action if loss == 0 else advice.best,
        loss,
        choice.win_chance,
        advice.win_chance,
        kind,
        _words(state.public.names[player], action, advice, loss),
        advice.source,
        len(advice.choices) == 1,
        loss if advice.of_what == "game" else loss * at_stake,
        state.public.dice_counts[player],
        not state.public.bid_history,
        against=advice.given,
        habits=None if advice.habits is None else _by_habits(action, advice.habits),
        of_what=advice.of_what,
        stake=advice.stake,
    )


def _by_habits(action: Action, advice: Advice) -> HabitVerdict:
    loss, chance = advice.loss(action), advice.of(action).win_chance
    best = action if loss == 0 else advice.best
    better = "nothing was better" if loss == 0 else f"{named(best)} {advice.aim} {percent(advice.win_chance)}"
    said = f"{advice.given}, this {advice.aim} {percent(chance)} of the time; {better}"
    return HabitVerdict(best, loss, chance, advice.win_chance, capital(said), advice.source, advice.of_what)


def _not_blamed(move: MoveVerdict, name: str) -> MoveVerdict:
    """The verdict on a move that its player did not decide."""
    played = say_bid(move.action.bid) if isinstance(move.action, BidAction) else str(move.action)
    words = f"{name} did not decide this: {played} was played in {name}'s place, which does not count"
    return msgspec.structs.replace(
        move, best=move.action, loss=0.0, game_loss=0.0, kind=FALLBACK, words=words, habits=None
    )


def _words(name: str, action: Action, advice: Advice, loss: float) -> str:
    """The verdict as one sentence."""
    given, chance = advice.given, advice.of(action).win_chance
    if isinstance(action, BidAction):
        said = f"{name} bid {say_bid(action.bid)}, which {advice.aim} {percent(chance)} of the time {given}"
    elif isinstance(action, CallExactAction):
        right = "was right" if advice.of_what == "round" else advice.aim
        said = f"{name} called exact, which {right} {percent(chance)} of the time {given}"
    else:
        said = f"{name} called a bid that held {percent(advice.holds or 0)} of the time {given}"
    if len(advice.choices) == 1:
        return f"{said}; it was the only legal action"
    if loss == 0:
        return f"{said}; nothing was better"
    return f"{said}; {named(advice.best)} {advice.aim} {percent(advice.win_chance)}"
