"""What recorded rounds say about a player: a `Dossier` of counted habits, with how certain each is."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import sqrt

import msgspec
import numpy as np

from ..coach import Habit, LeakReport, leak_report
from ..coach import Review as GameReview
from ..core import Bid, BidAction, CallExactAction, CallLiarAction, GameView, chance_true, count_matches
from ..persistence import GameSummary
from .known_bots import LIBRARY, KnownBots
from .player_rounds import PlayedRound
from .recorded_round import Decision

FEWEST = 10
"""A rate that rests on fewer decisions than this is not told."""
FEWEST_ROUNDS = 5
"""From fewer rounds than this, no style is named."""
MOST_ASKED = 150
"""The style is found from this many decisions, spread evenly over all rounds: more would hardly change it."""
ODDS = (0.0, 0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)
"""The edges of the calling curve: how likely the bid was, as the player saw it."""
BLUFF = 0.5
"""A bid that is less likely than this, given the player's own dice, is a bluff."""
MOST_HABITS = 3
"""How many of the costliest habits are told."""


class Rate(msgspec.Struct, frozen=True):
    """How often something was done, of how many times it could have been."""

    times: int
    of: int

    @property
    def value(self) -> float:
        """The share; 0 if it never could have been done."""
        return self.times / max(1, self.of)

    @property
    def ci95(self) -> tuple[float, float]:
        """A 95% interval (Wilson's). `wilson_ci` is the same, but importing scipy takes longer than all of scouting."""
        if not self.of:
            return (0.0, 1.0)
        share, square = self.value, 1.959964**2
        middle = (share + square / (2 * self.of)) / (1 + square / self.of)
        half = sqrt(square * (share * (1 - share) / self.of + square / (4 * self.of**2))) / (1 + square / self.of)
        return (max(0.0, middle - half), min(1.0, middle + half))

    @property
    def is_told(self) -> bool:
        """Whether it rests on enough decisions to be told."""
        return self.of >= FEWEST


class DiceGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A player's habits with one number of dice of its own, or with some number of dice in play."""

    label: str
    decisions: int
    bluffs: Rate
    """Bids that are bluffs, of all bids."""
    calls: Rate
    """Liar calls, of all decisions after a bid."""
    jumps: Rate
    """Raises higher than necessary, of all raises."""


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """How a player opens rounds."""

    rounds: int
    most_common: tuple[tuple[Bid, int], ...]
    """The commonest opening bids, each with how often it was made."""
    more_than_held: Rate
    """Openings of a higher quantity than the player's own dice show."""
    best_face: Rate
    """Openings on a face of which the player holds as many as of any other that may open."""
    mean_chance: float
    """How likely the opening was to hold, on average, given the player's own dice."""


class Tell(msgspec.Struct, frozen=True, kw_only=True):
    """What a player holds when it does something, and when it does not."""

    times: int
    others: int
    held: float
    """The share of the player's own dice that count for the bid, on average, when it is done."""
    held_otherwise: float
    difference_ci95: tuple[float, float]
    """A 95% interval for the difference of the two."""

    @property
    def is_told(self) -> bool:
        """Whether there are enough cases, and the two differ clearly."""
        low, high = self.difference_ci95
        return min(self.times, self.others) >= FEWEST and not low <= 0 <= high


class Style(msgspec.Struct, frozen=True):
    """The known bot that a player is most like."""

    name: str
    probability: float
    """The posterior probability, if the player is one of the known bots."""
    agreement: float
    """How often, on average, the bot would have done what the player did."""


class Dossier(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a scout finds out about a player."""

    player: str
    games: int
    rounds: int
    """Finished rounds in which the player decided something."""
    decisions: int
    openings: Opening | None
    calling: tuple[Rate, ...]
    """Liar calls by how likely the bid was: one rate per step of `ODDS`."""
    bluffs: Rate
    bluff_chance: float
    """How likely bluffs were to hold, on average."""
    jumps: Rate
    keeps_face: Rate
    """Raises that keep the face of the bid, of all raises."""
    exact_calls: Rate
    jump_tell: Tell | None
    by_own_dice: tuple[DiceGroup, ...]
    by_dice_in_play: tuple[DiceGroup, ...]
    style: Style | None
    cost: LeakReport | None
    """What the player's mistakes cost, from the reviews of its games; None if none was reviewed."""
    cost_against: dict[str, int] = {}
    """What decisions were rated against, in words, and how many: `against perfect play`."""

    def to_dict(self) -> dict[str, object]:
        """The dossier as JSON for other programs; its keys are stable."""
        return {
            "player": self.player,
            "games": self.games,
            "rounds": self.rounds,
            "decisions": self.decisions,
            "style": None if self.style is None else msgspec.structs.asdict(self.style),
            "openings": None if self.openings is None else _opening_dict(self.openings),
            "calling": [
                {"odds_from": low, "odds_to": high, **_rate_dict(rate)}
                for low, high, rate in zip(ODDS, ODDS[1:], self.calling, strict=False)
            ],
            "bluffs": {**_rate_dict(self.bluffs), "mean_chance": self.bluff_chance},
            "jumps": _rate_dict(self.jumps),
            "keeps_face": _rate_dict(self.keeps_face),
            "exact_calls": _rate_dict(self.exact_calls),
            "jump_tell": None if self.jump_tell is None else msgspec.to_builtins(self.jump_tell),
            "by_own_dice": [_group_dict(group) for group in self.by_own_dice],
            "by_dice_in_play": [_group_dict(group) for group in self.by_dice_in_play],
            "cost": None if self.cost is None else _cost_dict(self.cost) | {"against": self.cost_against},
            "habits": [] if self.cost is None else [_habit_dict(habit) for habit in self.cost.habits[:MOST_HABITS]],
        }


def scout(
    player: str, rounds: Iterable[PlayedRound], reviews: Sequence[tuple[GameSummary, GameReview]] = ()
) -> Dossier:
    """Scout a player: count what it did in these rounds. `reviews` are of its decisions in some of the games."""
    games: set[str] = set()
    number = 0
    decisions: list[Decision] = []
    for game, played, seat in rounds:
        here = list(played.decisions(seat))
        decisions += here
        number += bool(here)
        games.add(game.game_id)
    bids = [_MadeBid(view, action.bid) for view, action in decisions if isinstance(action, BidAction)]
    raises = [one for one in bids if one.view.current_bid is not None]
    bluffs = [one for one in bids if one.is_bluff]
    after_bid = [one for one in decisions if one.view.current_bid is not None]
    may_call_exact = [one for one in after_bid if one.view.config.exact_call]
    return Dossier(
        player=player,
        games=len(games),
        rounds=number,
        decisions=len(decisions),
        openings=_openings([one for one in bids if one.view.current_bid is None]),
        calling=_calling_curve(after_bid),
        bluffs=Rate(len(bluffs), len(bids)),
        bluff_chance=_mean([one.chance for one in bluffs]),
        jumps=Rate(sum(one.is_jump for one in raises), len(raises)),
        keeps_face=Rate(sum(one.keeps_face for one in raises), len(raises)),
        exact_calls=Rate(sum(isinstance(one.action, CallExactAction) for one in may_call_exact), len(may_call_exact)),
        jump_tell=_jump_tell(raises),
        by_own_dice=_groups(decisions, bids, lambda view: len(view.my_dice), _own_dice),
        by_dice_in_play=_groups(decisions, bids, _size_of_table, lambda size: _SIZES[size]),
        style=nearest_style(decisions) if number >= FEWEST_ROUNDS else None,
        cost=leak_report(reviews) if reviews else None,
        cost_against=dict(
            Counter(move.against for _, review in reviews for move in review.moves if move.is_free).most_common()
        ),
    )


def nearest_style(decisions: Sequence[Decision], names: Sequence[str] = LIBRARY) -> Style | None:
    """The known bot whose policy explains these decisions best, with its posterior probability."""
    if not decisions:
        return None
    every = max(1, -(-len(decisions) // MOST_ASKED))
    asked = decisions[::every]
    bots = KnownBots(names, change=0.0)
    bots.learn(asked)
    name, probability = next(iter(bots.posterior.items()))
    policies = bots.bots[name].distributions([decision.view for decision in asked])
    done = [policy.get(decision.action, 0.0) for policy, decision in zip(policies, asked, strict=True)]
    return Style(name, probability, _mean(done))


class _MadeBid:
    """A bid as its player saw it."""

    def __init__(self, view: GameView, bid: Bid) -> None:
        self.view, self.bid = view, bid
        self.chance = chance_true(view, bid)
        self.held = count_matches((view.my_dice,), bid.face, view.wild_face)

    @property
    def is_bluff(self) -> bool:
        return self.chance < BLUFF

    @property
    def keeps_face(self) -> bool:
        current = self.view.current_bid
        return current is not None and current.face == self.bid.face

    @property
    def is_jump(self) -> bool:
        """Whether a lower quantity of the same face would have been a raise too."""
        below = self.view.public.rules.rungs.get(Bid(self.bid.quantity - 1, self.bid.face), -1)
        return below > self.view.public.rung


def _openings(bids: Sequence[_MadeBid]) -> Opening | None:
    if not bids:
        return None
    best = 0
    for one in bids:
        faces = {action.bid.face for action in one.view.public.rules.opening}
        most = max(count_matches((one.view.my_dice,), face, one.view.wild_face) for face in faces)
        best += one.held == most
    return Opening(
        rounds=len(bids),
        most_common=tuple(
            sorted(Counter(one.bid for one in bids).items(), key=lambda item: (-item[1], str(item[0])))[:3]
        ),
        more_than_held=Rate(sum(one.bid.quantity > one.held for one in bids), len(bids)),
        best_face=Rate(best, len(bids)),
        mean_chance=_mean([one.chance for one in bids]),
    )


def _calling_curve(after_bid: Sequence[Decision]) -> tuple[Rate, ...]:
    times, of = [0] * (len(ODDS) - 1), [0] * (len(ODDS) - 1)
    for view, action in after_bid:
        assert view.current_bid is not None
        chance = chance_true(view, view.current_bid)
        step = min(bisect_right(ODDS, chance), len(of)) - 1
        of[step] += 1
        times[step] += isinstance(action, CallLiarAction)
    return tuple(map(Rate, times, of))


def _jump_tell(raises: Sequence[_MadeBid]) -> Tell | None:
    """The share of its own dice that count for its bid, when the player jumps and when it does not."""
    jumped, others = (
        np.array([one.held / len(one.view.my_dice) for one in raises if one.is_jump is wanted])
        for wanted in (True, False)
    )
    if not len(jumped) or not len(others):
        return None
    difference = float(jumped.mean() - others.mean())
    spread = [float(one.var(ddof=1)) / len(one) if len(one) > 1 else 0.25 for one in (jumped, others)]
    half = 1.96 * sum(spread) ** 0.5
    return Tell(
        times=len(jumped),
        others=len(others),
        held=float(jumped.mean()),
        held_otherwise=float(others.mean()),
        difference_ci95=(difference - half, difference + half),
    )


_SIZES = ("up to 6 dice in play", "7 to 15 dice in play", "16 or more dice in play")


def _size_of_table(view: GameView) -> int:
    return (view.total_dice > 6) + (view.total_dice > 15)


def _own_dice(number: int) -> str:
    return "one die left" if number == 1 else f"{number} dice left"


def _groups(
    decisions: Sequence[Decision],
    bids: Sequence[_MadeBid],
    group_of: Callable[[GameView], int],
    label: Callable[[int], str],
) -> tuple[DiceGroup, ...]:
    """The habits in groups of decisions, the largest number of dice first."""
    found = []
    for group in sorted({group_of(decision.view) for decision in decisions}, reverse=True):
        here = [decision for decision in decisions if group_of(decision.view) == group]
        made = [one for one in bids if group_of(one.view) == group]
        raises = [one for one in made if one.view.current_bid is not None]
        after_bid = [action for view, action in here if view.current_bid is not None]
        found.append(
            DiceGroup(
                label=label(group),
                decisions=len(here),
                bluffs=Rate(sum(one.is_bluff for one in made), len(made)),
                calls=Rate(sum(isinstance(action, CallLiarAction) for action in after_bid), len(after_bid)),
                jumps=Rate(sum(one.is_jump for one in raises), len(raises)),
            )
        )
    return tuple(found)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _rate_dict(rate: Rate) -> dict[str, object]:
    return {"times": rate.times, "of": rate.of, "rate": rate.value if rate.of else None, "ci95": list(rate.ci95)}


def _opening_dict(opening: Opening) -> dict[str, object]:
    return {
        "rounds": opening.rounds,
        "most_common": [{"bid": str(bid), "times": times} for bid, times in opening.most_common],
        "more_than_held": _rate_dict(opening.more_than_held),
        "best_face": _rate_dict(opening.best_face),
        "mean_chance": opening.mean_chance,
    }


def _group_dict(group: DiceGroup) -> dict[str, object]:
    rates = {name: _rate_dict(getattr(group, name)) for name in ("bluffs", "calls", "jumps")}
    return {"label": group.label, "decisions": group.decisions, **rates}


def _cost_dict(cost: LeakReport) -> dict[str, object]:
    return {
        "per_game": cost.per_game,
        "ci95": list(cost.ci95),
        "games": cost.games,
        "decisions": cost.decisions,
        "accuracy": cost.accuracy,
    }


def _habit_dict(habit: Habit) -> dict[str, object]:
    return {
        "words": habit.words,
        "times": habit.times,
        "per_game": habit.per_game,
        "ci95": list(habit.ci95),
        "position": {
            "game_id": habit.worst_game,
            "turn": habit.worst.turn,
            "action": str(habit.worst.action),
            "best": str(habit.worst.best),
            "words": habit.worst.words,
        },
    }
