"""How the coach rates the best play known and other bots, how good its values are, and how long a review takes."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from figures import figure
from liars_dice.agents import make_agent
from liars_dice.coach import Advice, advise, review_game
from liars_dice.coach.solved_advice import MOST_EXCUSED
from liars_dice.core import Bid, BidAction, GameConfig, GameEngine, GameState, apply, deal, new_game, preset, view_of
from liars_dice.exact.response import Leak, leaks_of
from liars_dice.exact.solver import Tablebase

ROLLOUTS = Path(__file__).parent.parent / "training" / "data" / "value_rollouts.npz"
"""Positions and what long rollouts say about their actions (`training/scripts/value_rollouts.py`)."""
LARGEST_ERROR = 0.005
"""Actions whose value is known less well than this, by its standard error, are not compared."""
FACES, LIAR = 6, 180
"""Actions are numbers there: bids are `(quantity - 1) * 6 + face - 1`, then come liar and exact."""
TURN, OPENER, DICE, HANDS = 10, 9, 15, 33
"""Where a row has the seat to move, the opener, the dice of the six seats, and their hands."""


def played(config: GameConfig, names: tuple[str, ...], seed: int) -> GameState:
    """A game between bots."""
    engine = GameEngine(config, [make_agent(name) for name in names], seed=seed)
    engine.play()
    return engine.state


def flawless() -> None:
    """The accuracy of the tablebase's own play."""
    kinds: Counter[str] = Counter()
    rounds, loss, accuracy = 0, 0.0, 100.0
    for dice in Tablebase.shipped().entries:
        for seed in range(1000, 1150 if sum(dice) < 6 else 1050):
            review = review_game(played(GameConfig(dice=dice), ("nash", "nash"), seed))
            kinds.update(move.kind for move in review.moves)
            loss = max([loss, *(move.loss for move in review.moves)])
            accuracy = min([accuracy, *review.accuracy.values()])
            rounds += 1
    print(f"nash against itself, {rounds:,} rounds: {dict(kinds)}")
    figure("least accurate round of perfect play", accuracy, "%", least=100)
    print(f"  largest loss {loss:.2%}")


def charges(config: GameConfig, games: int) -> dict[str, float]:
    """What `nash` is charged against itself, per player and round, by what its decisions are measured against."""
    lost: defaultdict[str, float] = defaultdict(float)
    rounds = 0
    for seed in range(games):
        state = played(config, ("nash", "nash"), seed)
        rounds += len(state.public.resolutions)
        for move in review_game(state).moves:
            lost[move.source.partition(" (")[0]] += move.loss / 2
    return {source: loss / rounds for source, loss in lost.items()}


def charged(name: str, config: GameConfig, games: int) -> None:
    """What `nash` is charged against itself in these games."""
    found = charges(config, games)
    figure(f"nash against itself charged, {name}", sum(found.values()), "of a win per round", most=0.05)
    print("  " + ", ".join(f"{source} {loss:.4f}" for source, loss in found.items()))


def charged_by_dice(rounds: int = 60) -> None:
    """What `nash` is charged against itself in each round of Perudo with six to ten dice."""
    found = {}
    for dice in product(range(1, 6), repeat=2):
        if sum(dice) >= 6:
            config = preset("perudo", players=2, dice=dice, mode="single_round")
            found[dice] = sum(charges(config, rounds).values())
    worst = max(found.values())
    figure("nash against itself charged most, a round of perudo with 6 to 10 dice", worst, "of a win", most=0.05)
    print("  " + ", ".join(f"{a} v {b} {loss:.4f}" for (a, b), loss in found.items()))


def charged_for_leaks() -> None:
    """What bots are charged against perfect play in solved rounds of up to five dice, and what they exactly give up."""
    off: dict[str, list[float]] = {"heads-up": [], "perudo": []}
    for game, differences in off.items():
        for dice in Tablebase.shipped(game).entries:
            if sum(dice) > 5:
                continue
            config = preset(game, players=2, dice=dice, mode="single_round")
            for name in ("optimal", "conservative", "sniper"):
                for found in leaks_of(name, config) or ():
                    total = sum(leak.chance * charge(config, leak) for leak in found.leaks)
                    differences.append(found.possible - found.win_rate - total)
    worst = max(abs(one) for differences in off.values() for one in differences)
    figure("bots charged less than they give up, at most, in solved rounds", worst, "of a win per round", most=0.02)
    for game, differences in off.items():
        print(f"  {game}: {np.mean(differences):.4f} on average over {len(differences)} bots, rounds and seats")


def charge(config: GameConfig, leak: Leak) -> float:
    """What the coach charges for this decision. Only losses that it might excuse are asked for, unless they hardly
    count.
    """
    if leak.loss > MOST_EXCUSED or leak.cost < 2e-6:
        return leak.loss
    hands = tuple(leak.hand if seat == leak.seat else (1,) * n for seat, n in enumerate(config.dice))
    state = deal(new_game(config), hands)
    for bid in leak.bids:
        state = apply(state, BidAction(bid))
    return advise(view_of(state, leak.seat)).loss(leak.action)


def coach_at(row: np.ndarray, bids: np.ndarray) -> Advice:
    """The coach's advice in a position of the rollouts."""
    seats = [seat % 6 for seat in range(row[OPENER], row[OPENER] + 6) if row[DICE + seat % 6]]
    mover = seats.index(row[TURN])
    counts = row[HANDS + 6 * row[TURN] : HANDS + 6 * row[TURN] + 6]
    hand = tuple(face + 1 for face in range(FACES) for _ in range(counts[face]))
    config = preset("perudo", dice=tuple(int(row[DICE + seat]) for seat in seats))
    hands = tuple(hand if seat == mover else (1,) * n for seat, n in enumerate(config.dice))
    state = deal(new_game(config), hands)
    for bid in bids[bids >= 0].tolist():
        state = apply(state, BidAction(Bid(bid // FACES + 1, bid % FACES + 1)))
    return advise(view_of(state, mover))


def number_of(action: object) -> int:
    """An action as a number."""
    if isinstance(action, BidAction):
        return (action.bid.quantity - 1) * FACES + action.bid.face - 1
    return LIAR + (str(action) == "exact")


class Compared(NamedTuple):
    """What the coach says about positions, against what was measured: one entry per position."""

    said: list[np.ndarray]
    measured: list[np.ndarray]
    costs: list[float]
    """What the coach's best action costs, against the best by the other half of the rollouts."""

    def some(self, places: range) -> Compared:
        """These positions."""
        chosen = slice(places.start, places.stop)
        return Compared(self.said[chosen], self.measured[chosen], self.costs[chosen])

    def correlation(self) -> tuple[float, float, float]:
        """Of the values, of the losses, and the mean distance of the values."""
        said, measured = np.concatenate(self.said), np.concatenate(self.measured)
        said_lost, lost = (np.concatenate([of.max() - of for of in part]) for part in (self.said, self.measured))
        off = float(np.abs(said - measured).mean())
        return float(np.corrcoef(said, measured)[0, 1]), float(np.corrcoef(said_lost, lost)[0, 1]), off


def against_rollouts() -> None:
    """The coach's values at tables of three and more, against long rollouts in which everybody plays as champion."""
    with np.load(ROLLOUTS) as found:
        rows, bids, actions, values, errors = (found[name] for name in ("rows", "bids", "actions", "values", "errors"))
    compared = (actions >= 0) & (errors <= LARGEST_ERROR)
    started = time.perf_counter()
    advices = [coach_at(row, made) for row, made in zip(rows, bids, strict=True)]
    seconds = time.perf_counter() - started
    every = Compared([], [], [])
    for advice, tried, halves, which in zip(advices, actions, values, compared, strict=True):
        by_number = {number_of(choice.action): choice.win_chance for choice in advice.choices}
        numbers, halves = tried[which].tolist(), halves[which]
        said = np.array([by_number[number] for number in numbers])
        every.said.append(said)
        every.measured.append(halves.mean(-1))
        best = number_of(advice.best)
        follows = numbers.index(best) if best in numbers else said.argmax()  # one in 500 is not
        costs = [halves[halves[:, half].argmax(), 1 - half] - halves[follows, 1 - half] for half in (0, 1)]
        every.costs.append(float(np.mean(costs)))
    correlation, of_losses, off = every.correlation()
    left_out = int((actions >= 0).sum() - compared.sum())
    print(
        f"{len(rows)} positions at tables of 3, 4 and 6, {sum(map(len, every.said)):,} actions; {left_out} others are "
        "known less well and left out"
    )
    figure("largest standard error of an action's value", float(errors[compared].max()), "", most=LARGEST_ERROR)
    figure("correlation of values with long rollouts", correlation, "", least=0.9)
    print(f"  of losses {of_losses:.3f}; values are off by {off:.4f} on average")
    figure("following the coach costs, per decision", float(np.mean(every.costs)), "of a win", most=0.01)
    third = len(rows) // 3
    for n, players in enumerate((3, 4, 6)):
        part = every.some(range(n * third, (n + 1) * third))
        values_, losses, off = part.correlation()
        print(
            f"  table of {players}: {values_:.3f}, losses {losses:.3f}, off {off:.4f}, costs {np.mean(part.costs):.4f}"
        )
    print(f"  {1000 * seconds / len(rows):.1f} ms per advice")


def accuracies(games: int = 20) -> None:
    """The accuracy of bots and of `optimal` against each other, with five dice each."""
    for name in ("random", "conservative", "probabilistic", "sniper", "detective", "nash"):
        reviews = [review_game(played(preset("heads-up"), (name, "optimal"), seed)) for seed in range(games)]
        own, other = (sum(review.accuracy[seat] for review in reviews) / games for seat in (0, 1))
        print(f"{name} against optimal, {games} matches: accuracy {own:.1f}% and {other:.1f}%")


def speed(games: int = 20) -> None:
    """The time to review a whole match, after compiling and loading the solved rounds."""
    states = [played(preset("heads-up"), ("optimal", "detective"), seed) for seed in range(games)]
    seconds = []
    for state in states:
        start = time.perf_counter()
        review_game(state)
        seconds.append(time.perf_counter() - start)
    turns = sum(len(bids.bids) + 1 for state in states for bids in state.public.resolutions)
    total = sum(seconds)
    figure(f"slowest of {games} heads-up matches to review", max(seconds), "s", most=5)
    print(f"  mean {total / games:.2f} s per match, {1000 * total / turns:.0f} ms per decision")
    state = played(preset("perudo"), ("optimal", "detective", "bluffer", "sniper", "probabilistic", "aggressive"), 1)
    start = time.perf_counter()
    moves = len(review_game(state).moves)
    figure(f"a game of six players to review, {moves} decisions", time.perf_counter() - start, "s", most=10)


if __name__ == "__main__":
    flawless()
    charged("classic", preset("classic"), 300)
    charged("heads-up", preset("heads-up"), 40)
    charged("perudo for two", preset("perudo", players=2), 40)
    charged_by_dice()
    charged_for_leaks()
    against_rollouts()
    accuracies()
    speed()
