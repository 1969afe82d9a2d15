"""How fast the rules engine plays random moves through its public Python API, on one core.

Compared with OpenSpiel's Python API on OpenSpiel's own game, in the same run. Both pick moves from their lists of legal
actions with the same sampler. OpenSpiel's dice are picked from its list of outcomes, which is its fastest way; ours are
picked the same way, rolled, or derived from a seed. Runs alternate, and ratios are medians. Whole heads-up games have a
target of 200,000 actions per second.
"""

from __future__ import annotations

import gc
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice, product

from figures import figure
from liars_dice.agents import RandomAgent
from liars_dice.core import (
    DiceCup,
    GameConfig,
    GameEngine,
    Hands,
    apply,
    deal,
    legal_actions,
    new_game,
    play_game,
    preset,
)

REPEATS = 15
SECONDS = 0.4


def pure(config: GameConfig, deals: Iterator[Hands]) -> Callable[[int], int]:
    """Random rounds through the pure functions: dice are dealt, and every move is legal and verified."""
    random_number = random.Random(1).random
    start = new_game(config)

    def rounds_of_pure_functions(rounds: int) -> int:
        moves = 0
        for hands in islice(deals, rounds):
            state = deal(start, hands)
            while state.public.status == "BIDDING":
                actions = legal_actions(state.public)
                state = apply(state, actions[int(random_number() * len(actions))])
                moves += 1
        return moves

    return rounds_of_pure_functions


def picked(config: GameConfig) -> Iterator[Hands]:
    """Two rolls picked from the list of all rolls, as OpenSpiel's are picked from its list of outcomes."""
    random_number = random.Random(1).random
    rolls = list(product(range(1, config.faces + 1), repeat=config.dice[0]))
    while True:
        yield rolls[int(random_number() * len(rolls))], rolls[int(random_number() * len(rolls))]


def rolled(config: GameConfig) -> Iterator[Hands]:
    """Two rolls of our own exactly fair dice."""
    cup, rng = DiceCup(config.faces), random.Random(1)
    first, second = config.dice
    while True:
        yield cup.roll(first, rng), cup.roll(second, rng)


def engine(config: GameConfig) -> Callable[[int], int]:
    """Random rounds through an engine each: seeded dice from a keyed hash, and a view for every move."""
    random_number = random.Random(1).random

    def rounds_of_engines(rounds: int) -> int:
        moves = 0
        for seed in range(rounds):
            game = GameEngine(config, seed=seed)
            game.start_new_round()
            while not game.is_terminal():
                player = game.state.public.current_player
                actions = game.get_view(player).legal_actions
                game.apply_action(player, actions[int(random_number() * len(actions))])
                moves += 1
        return moves

    return rounds_of_engines


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
    """Games and actions per second."""
    gc.collect()
    start = time.perf_counter()
    moves = play(count)
    elapsed = time.perf_counter() - start
    return count / elapsed, moves / elapsed


def count_for(play: Callable[[int], int]) -> int:
    """How many games take about `SECONDS`; warms up, too."""
    return max(1, int(rate(play, 200)[0] * SECONDS))


def compare_with_openspiel(dice: int) -> None:
    """Print rounds per second of each way to play, and their ratios to OpenSpiel's."""
    config = preset("openspiel", dice=dice)
    theirs = openspiels(dice)
    ways = {
        "pure functions, dice picked from a list": pure(config, picked(config)),
        "pure functions, dice rolled by our cup": pure(config, rolled(config)),
        "an engine each, seeded dice and views": engine(config),
    }
    peer_count = count_for(theirs) if theirs else 0
    for label, play in ways.items():
        count = count_for(play)
        rates, ratios = [], []
        for _ in range(REPEATS):
            rates.append(rate(play, count)[0])
            if theirs:
                ratios.append(rates[-1] / rate(theirs, peer_count)[0])
        if not theirs:
            print(f"{dice} each, {label}: {statistics.median(rates):,.0f} rounds/s (no OpenSpiel here: no ratio)")
            continue
        ratios.sort()
        spread = f"{ratios[len(ratios) // 4]:.2f} to {ratios[-len(ratios) // 4]:.2f}"
        what = f"{dice} {'die' if dice == 1 else 'dice'} each, {label}, compared with OpenSpiel's Python API"
        figure(what, statistics.median(ratios), "times", least=1)
        print(f"  {statistics.median(rates):,.0f} rounds/s; middle half of the ratios {spread}")


def whole_games(name: str, target: int | None) -> None:
    """Print actions and games per second through `play_game`."""
    play = matches(name)
    count = count_for(play)
    rates = [rate(play, count) for _ in range(REPEATS)]
    games, actions = (statistics.median(column) for column in zip(*rates, strict=True))
    if target:
        figure(f"{name} games of random agents", actions, "actions/s", least=target)
    print(f"{name} games of random agents: {actions:,.0f} actions/s, {games:,.0f} games/s")


def main() -> None:
    """Measure and print."""
    print(f"Python {sys.version.split()[0]}, one core, median of {REPEATS} runs of {SECONDS} s")
    for dice in (1, 5):
        compare_with_openspiel(dice)
    whole_games("heads-up", 200_000)
    whole_games("perudo", None)


if __name__ == "__main__":
    main()
