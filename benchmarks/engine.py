"""How fast the rules engine is through its public Python API, one core, random play.

Measured against OpenSpiel's Python API on its own game in the same run, and against 200,000 actions a second in
heads-up elimination games. Dice and moves of both are picked from lists by the same sampler: we deal whole hands,
OpenSpiel deals die by die (from `legal_actions`, its quickest way). Runs alternate; the median ratio is reported.
"""

from __future__ import annotations

import gc
import random
import statistics
import sys
import time
from collections.abc import Callable
from itertools import product

from liars_dice.agents import RandomAgent
from liars_dice.core import GameConfig, apply, deal, legal_actions, new_game, play_game, preset

REPEATS = 15
SECONDS = 0.4


def ours(config: GameConfig) -> Callable[[int], int]:
    """Random rounds through the pure functions: a roll is picked and dealt, and every move is legal and verified."""
    random_number = random.Random(1).random
    start = new_game(config)
    rolls = list(product(range(1, config.faces + 1), repeat=config.dice[0]))

    def rounds_of_ours(rounds: int) -> int:
        moves = 0
        for _ in range(rounds):
            state = deal(start, (rolls[int(random_number() * len(rolls))], rolls[int(random_number() * len(rolls))]))
            while state.public.status == "BIDDING":
                actions = legal_actions(state.public)
                state = apply(state, actions[int(random_number() * len(actions))])
                moves += 1
        return moves

    return rounds_of_ours


def openspiels(dice: int) -> Callable[[int], int] | None:
    """The same with OpenSpiel, if it is installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("liars_dice", {"numdice": dice})
    random_number = random.Random(1).random

    def rounds_of_openspiel(rounds: int) -> int:
        moves = 0
        for _ in range(rounds):
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(random_number() * len(actions))])
                moves += 1
        return moves - rounds * 2 * dice

    return rounds_of_openspiel


def matches(name: str) -> Callable[[int], int]:
    """Whole games through `play_game`: seeded dice, a view for every decision, agents, hooks, results."""
    config = preset(name)
    agents = [RandomAgent() for _ in config.dice]
    seeds = iter(range(10**9))

    def games(count: int) -> int:
        moves = 0
        for _ in range(count):
            result = play_game(agents, config, seed=next(seeds))
            moves += sum(len(resolution.bids) + 1 for resolution in result.resolutions)
        return moves

    return games


def rate(play: Callable[[int], int], count: int) -> tuple[float, float]:
    """Games and actions a second."""
    gc.collect()
    start = time.perf_counter()
    moves = play(count)
    elapsed = time.perf_counter() - start
    return count / elapsed, moves / elapsed


def count_for(play: Callable[[int], int]) -> int:
    """How many games take about `SECONDS`; warms up, too."""
    return max(1, int(rate(play, 200)[0] * SECONDS))


def compare_with_openspiel(dice: int) -> None:
    """Print rounds a second of both, and their ratio."""
    mine, theirs = ours(preset("openspiel", dice=dice)), openspiels(dice)
    counts = count_for(mine), count_for(theirs) if theirs else 0
    our_rates, their_rates = [], []
    for _ in range(REPEATS):
        our_rates.append(rate(mine, counts[0])[0])
        if theirs:
            their_rates.append(rate(theirs, counts[1])[0])
    label = f"openspiel rules, {dice} {'die' if dice == 1 else 'dice'} each"
    own = f"{statistics.median(our_rates):>9,.0f} rounds/s"
    if not theirs:
        print(f"{label}: {own} (OpenSpiel is not installed: no ratio)")
        return
    ratios = sorted(a / b for a, b in zip(our_rates, their_rates, strict=True))
    spread = f"{ratios[len(ratios) // 4]:.2f} to {ratios[-len(ratios) // 4]:.2f}"
    peer = f"{statistics.median(their_rates):>9,.0f}"
    print(f"{label}: {own}, OpenSpiel {peer}: ratio {statistics.median(ratios):.2f} (middle half {spread}), asked 1.00")


def whole_games(name: str, asked: int | None) -> None:
    """Print actions and games a second through `play_game`."""
    play = matches(name)
    count = count_for(play)
    rates = [rate(play, count) for _ in range(REPEATS)]
    games, actions = (statistics.median(column) for column in zip(*rates, strict=True))
    line = f"{name} games of random agents: {actions:>9,.0f} actions/s, {games:,.0f} games/s"
    print(f"{line}: ratio {actions / asked:.2f} of the {asked:,} actions/s asked" if asked else line)


def main() -> None:
    """Measure and print."""
    print(f"Python {sys.version.split()[0]}, one core, median of {REPEATS} runs of {SECONDS} s")
    for dice in (1, 5):
        compare_with_openspiel(dice)
    whole_games("heads-up", 200_000)
    whole_games("perudo", None)


if __name__ == "__main__":
    main()
