"""How the coach rates perfect play, how it rates other bots, and how long a review takes."""

from __future__ import annotations

import time
from collections import Counter

from figures import figure
from liars_dice.agents import make_agent
from liars_dice.coach import review_game
from liars_dice.core import GameConfig, GameEngine, GameState, preset
from liars_dice.exact.solver import Tablebase


def played(config: GameConfig, names: tuple[str, str], seed: int) -> GameState:
    """A game between two bots."""
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


if __name__ == "__main__":
    flawless()
    accuracies()
    speed()
