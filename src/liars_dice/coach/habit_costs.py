"""What a player's habits cost over many games: the same mistake in the same situation, added up."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

import msgspec

from ..core import BidAction, CallExactAction, CallLiarAction
from ..persistence import GameSummary
from .review import KINDS, MoveVerdict, Review


class Habit(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of mistake with one number of dice."""

    mistake: str
    """What was done wrong, for example `calls too early`."""
    own_dice: int
    times: int
    """In how many decisions."""
    per_game: float
    """The chance to win a game that it gives away, on average over all games, those without it included."""
    ci95: tuple[float, float]
    """A 95% interval for `per_game`, in which the game is the unit."""
    worst_game: str
    """The id of the game with the costliest such decision."""
    worst: MoveVerdict

    @property
    def words(self) -> str:
        """The habit in words."""
        return f"{self.mistake} with {'one die' if self.own_dice == 1 else f'{self.own_dice} dice'}"


class LeakReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a player gives away, and by which habits."""

    games: int
    decisions: int
    accuracy: float
    """In percent, over the decisions of all games, as in a review."""
    per_game: float
    """The chance to win a game that all mistakes together give away, on average."""
    ci95: tuple[float, float]
    habits: tuple[Habit, ...]
    """The costliest first."""


def leak_report(reviews: Iterable[tuple[GameSummary, Review]]) -> LeakReport:
    """Add up the mistakes in these reviews, each of one player's decisions in one game."""
    games = 0
    free: list[MoveVerdict] = []
    costs: dict[tuple[str, int], list[float]] = {}
    """For each habit, what it cost in each game in which it occurred."""
    found: dict[tuple[str, int], list[tuple[str, MoveVerdict]]] = {}
    lost: list[float] = []
    for game, review in reviews:
        games += 1
        in_game: dict[tuple[str, int], float] = {}
        for move in review.moves:
            if not move.is_free:
                continue
            free.append(move)
            mistake = mistake_in(move)
            if mistake is not None:
                key = (mistake, move.own_dice)
                in_game[key] = in_game.get(key, 0.0) + move.game_loss
                found.setdefault(key, []).append((game.game_id, move))
        for key, cost in in_game.items():
            costs.setdefault(key, []).append(cost)
        lost.append(sum(in_game.values()))
    habits = []
    for (mistake, own_dice), moves in found.items():
        mean, ci95 = _mean(costs[mistake, own_dice], games)
        game_id, worst = max(moves, key=lambda one: one[1].game_loss)
        habits.append(
            Habit(
                mistake=mistake,
                own_dice=own_dice,
                times=len(moves),
                per_game=mean,
                ci95=ci95,
                worst_game=game_id,
                worst=worst,
            )
        )
    mean, ci95 = _mean(lost, games)
    there = sum(move.best_chance for move in free)
    return LeakReport(
        games=games,
        decisions=len(free),
        accuracy=100.0 * (1 - sum(move.loss for move in free) / there) if there > 0 else 100.0,
        per_game=mean,
        ci95=ci95,
        habits=tuple(sorted(habits, key=lambda habit: (-habit.per_game, habit.words))),
    )


def mistake_in(move: MoveVerdict) -> str | None:
    """What was wrong with a decision, in words that fit many; None if next to nothing was lost."""
    if move.kind == KINDS[0] or move.loss == 0:
        return None
    match move.action, move.best:
        case CallLiarAction(), BidAction():
            return "calls too early"
        case CallLiarAction(), _:
            return "calls liar instead of exact"
        case CallExactAction(), _:
            return "calls exact too often"
        case BidAction(), CallLiarAction():
            return "raises instead of calling"
        case BidAction(), CallExactAction():
            return "raises instead of calling exact"
        case BidAction(mine), BidAction(best):
            does = "opens" if move.opening else "raises"
            if mine.quantity == best.quantity:
                return f"{does} with the wrong face"
            return f"{does} too {'high' if mine.quantity > best.quantity else 'low'}"


def _mean(costs: list[float], games: int) -> tuple[float, tuple[float, float]]:
    """The mean over so many games, which cost nothing where `costs` has no entry, and its 95% interval."""
    mean = sum(costs) / max(1, games)
    if games < 2:
        return mean, (0.0, 1.0)
    squares = sum((cost - mean) ** 2 for cost in costs) + (games - len(costs)) * mean**2
    half = 1.96 * sqrt(squares / (games - 1) / games)
    return mean, (max(0.0, mean - half), min(1.0, mean + half))
