"""Positions to solve: one per day from solved rounds, the same for everybody, and your own mistakes once more.

A puzzle is what one player saw at one decision, and what every action was worth there. It never holds the other
players' dice.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Collection, Iterator
from datetime import date
from functools import lru_cache

import msgspec

from ..core import (
    Action,
    BadValueError,
    BidAction,
    GameConfig,
    GameState,
    GameView,
    apply,
    deal,
    new_game,
    preset,
    view_of,
)
from ..exact.solver import EQUILIBRIUM
from .advice import Advice
from .advisor import advise
from .opponent_models import UNKNOWN_PLAYER
from .review import kind_of, review_game, turns_of

DAILY_RULES = {"heads-up": GameConfig(), "perudo": preset("perudo", players=2, mode="single_round")}
"""The games with a position per day: single rounds between two players, of which all are solved."""
DAILY_DICE = {"heads-up": ((2, 2), (2, 3), (3, 2)), "perudo": ((1, 2), (2, 1), (2, 2))}
"""The dice of these rounds, the opener's first: few enough that a position is found within seconds."""
DEEPEST = 4
"""At most this many bids come before the position of the day."""
MOST_TRIES = 2_000
"""So many positions are looked at before the clearest so far is taken; one in about five is good enough."""
CLEAR = 0.05
"""The least that the best wrong answer to a position of the day gives away."""
OPEN = (0.10, 0.90)
"""What the best answer to a position of the day wins: neither lost nor won already."""
MOST_RIGHT = 2
"""So many answers to a position of the day may be right."""
MOST_PER_GAME = 5
"""So many of a player's mistakes in one game become puzzles: the worst."""


class Puzzle(msgspec.Struct, frozen=True):
    """One decision to make again."""

    id: str
    """`2026-11-18/perudo` for a position of the day, `GAME/TURN` for one from a game."""
    view: GameView
    """What the player to move sees."""
    advice: Advice
    """Every legal action, and what it is worth."""
    played: Action | None = None
    """What was played in the game, if it is from a game."""

    def loss(self, action: Action) -> float:
        """What an answer gives away of the chance to win."""
        return self.advice.loss(action)

    def kind(self, action: Action) -> str:
        """The rating of an answer, as in reviews."""
        return kind_of(self.loss(action) / self.advice.stake)

    def is_right(self, action: Action) -> bool:
        """Whether an answer solves the puzzle: nothing is better, beyond the error of what the values rest on."""
        return self.kind(action) == "best"

    def to_dict(self) -> dict[str, object]:
        """The puzzle as JSON for other programs, with its answers; its keys are stable."""
        public, advice = self.view.public, self.advice
        return {
            "id": self.id,
            "config": msgspec.to_builtins(self.view.config),
            "names": list(public.names),
            "dice_counts": list(public.dice_counts),
            "table_dice": list(public.table_dice),
            "opener": public.opener,
            "palifico": public.rules.palifico,
            "round": public.round_index + 1,
            "seat": self.view.player_id,
            "hand": list(self.view.my_dice),
            "bids": [
                {"seat": one.player_id, "quantity": one.bid.quantity, "face": one.bid.face}
                for one in self.view.round_bids
            ],
            "choices": [
                {
                    "action": str(choice.action),
                    "win_chance": choice.win_chance,
                    "loss": self.loss(choice.action),
                    "kind": self.kind(choice.action),
                    "chance": choice.chance,
                }
                for choice in advice.choices
            ],
            "best": str(advice.best),
            "why": advice.why,
            "aim": advice.aim,
            "of": advice.of_what,
            "stake": advice.stake,
            "given": advice.given,
            "source": advice.source,
            "played": None if self.played is None else str(self.played),
        }


# -- from games --------------------------------------------------------------------------------------------------------


def puzzle_at(state: GameState, turn: int, game_id: str = "") -> Puzzle:
    """The decision at one turn of a finished game, counted from 1, as a puzzle."""
    places = list(turns_of(state))
    if state.public.status != "ENDED" or not 1 <= turn <= len(places):
        raise BadValueError("turn", turn, f"a turn from 1 to {len(places)} of a finished game")
    before, action, _ = places[turn - 1]
    view = view_of(before, before.public.current_player)
    return Puzzle(f"{game_id}/{turn}", view, _advice(view), action)


def puzzles_from(
    state: GameState,
    seat: int,
    game_id: str = "",
    *,
    passed_over: Collection[int] = (),
    progress: Callable[[int, int], None] | None = None,
) -> list[Puzzle]:
    """The worst mistakes and blunders of one player in a finished game, in the order of the game.

    Turns in `passed_over` were not the player's own decisions.
    """
    review = review_game(state, seat, (UNKNOWN_PLAYER,) * len(state.public.names), progress=progress)
    wrong = [m for m in review.moves if m.kind in ("mistake", "blunder") and m.is_free and m.turn not in passed_over]
    worst = sorted(wrong, key=lambda move: -move.loss)[:MOST_PER_GAME]
    return [puzzle_at(state, turn, game_id) for turn in sorted(move.turn for move in worst)]


def _advice(view: GameView) -> Advice:
    """Advice against players of whom nothing is known."""
    return advise(view, (UNKNOWN_PLAYER,) * len(view.public.names))


# -- the position of the day -------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def daily_puzzle(day: date, rules: str) -> Puzzle:
    """The position of a day: the same on every machine, with exact answers.

    Hands are dealt and bids are made as perfect play makes them, from a random stream that belongs to the day, until a
    position turns up in which the right answers are few and every other one costs something.
    """
    if rules not in DAILY_RULES:
        raise BadValueError("rules", rules, f"one of {', '.join(DAILY_RULES)}")
    name = f"{day.isoformat()}/{rules}"
    digest = hashlib.blake2b(f"liars-dice puzzle {name}".encode(), digest_size=8).digest()
    stream = random.Random(int.from_bytes(digest))
    best: Puzzle | None = None
    clearest = -1.0
    for _ in range(MOST_TRIES):
        for view in _bidding(stream, rules):
            puzzle = Puzzle(name, view, _advice(view))
            clear = _clearness(puzzle)
            if clear > clearest:
                best, clearest = puzzle, clear
        if clearest >= CLEAR:
            break
    assert best is not None
    return best


def _bidding(stream: random.Random, rules: str) -> Iterator[GameView]:
    """What the player to move sees at each decision of a random round between perfect players, up to `DEEPEST` bids."""
    dice = _pick(stream, DAILY_DICE[rules])
    config = DAILY_RULES[rules].replace(dice=dice)
    hands = tuple(tuple(1 + int(6 * stream.random()) for _ in range(n)) for n in dice)
    state = deal(new_game(config), hands)
    for _ in range(DEEPEST + 1):
        view = view_of(state, state.public.current_player)
        yield view
        choices = _advice(view).choices
        left = stream.random()
        action = choices[0].action
        for choice in choices:
            left -= choice.chance or 0.0
            if left < 0:
                action = choice.action
                break
        if not isinstance(action, BidAction):
            return
        state = apply(state, action)


def _clearness(puzzle: Puzzle) -> float:
    """What the best wrong answer gives away; negative where the position is no puzzle."""
    advice = puzzle.advice
    losses = [advice.loss(choice.action) for choice in advice.choices]
    right = losses.count(0.0)
    if advice.source != EQUILIBRIUM or not OPEN[0] <= advice.win_chance <= OPEN[1]:
        return -1.0
    if len(losses) < 4 or right > MOST_RIGHT:
        return -1.0
    return min(loss for loss in losses if loss > 0)


def _pick(stream: random.Random, options: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    return options[int(len(options) * stream.random())]
