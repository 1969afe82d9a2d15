"""Measure how strong each built-in bot is beside the champion (`coach/relative_strength.py`).

Games at tables of two to six are played by the rules of `perudo` and `perudo-tournament`. The strengths are those under
which the games' winners are likeliest: the champion's chances to win between rounds, times everybody's strength.

    python tools/measure_relative_strength.py            # prints the table; a quarter of an hour on two cores
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from liars_dice.agents import AGENTS
from liars_dice.coach.chance_curve import among_champions
from liars_dice.coach.review import turns_of
from liars_dice.core import PublicState, derive_seed, preset
from liars_dice.numeric import Floats, Ints
from liars_dice.persistence import final_state
from liars_dice.tournament.blocks import Block, Worker, WorkerSetup

NINE = ("champion", "detective", "optimal", "aggressive", "bluffer", "probabilistic", "crawler", "sniper", "nash")
"""The league of nine, in which the champion is measured."""
EVERYBODY = tuple(name for name, info in AGENTS.items() if info.in_fields or info.level_of)
RULES = ("perudo", "perudo-tournament")
SIZES = (2, 3, 4, 5, 6)
AT_ONCE = 60
"""Games played side by side."""
SHRINK = 3.0
"""How strongly the logarithms of the strengths are pulled towards 0: a hundred games weigh much more."""
COUNTS_AS = 8
"""A game counts as this many independent moments, however many it has."""


class Plan(NamedTuple):
    """Games to be played at tables of one size, seated at random."""

    agents: tuple[str, ...]
    rules: str
    players: int
    games: int
    seed: int


class PlayedGame(NamedTuple):
    """A finished game."""

    bots: tuple[str, ...]
    """[seat]: the listed name of each bot."""
    winner: int
    moments: list[PublicState]
    """What everybody could see before each decision."""


def plans(agents: tuple[str, ...], games: int, seed: int) -> list[Plan]:
    """Games at tables of all sizes by both rules: a quarter of them with all the rules of tournaments."""
    shares = dict(zip(RULES, (games - games // 4, games // 4), strict=True))
    return [
        Plan(agents, rules, players, shares[rules], derive_seed(seed, rules, players))
        for players in reversed(SIZES)
        for rules in RULES
    ]


def duels(games: int, seed: int) -> list[Plan]:
    """Games of two between the champion and every other bot, as many for each."""
    return [
        Plan(("champion", name), rules, 2, games, derive_seed(seed, rules, name))
        for name in EVERYBODY
        for rules in RULES
        if name != "champion"
    ]


def play(plan: Plan) -> list[PlayedGame]:
    """Play the games of a plan."""
    rng = random.Random(plan.seed)
    worker = Worker(WorkerSetup(agents=plan.agents, config=preset(plan.rules, players=plan.players), record="all"))
    seats = range(len(plan.agents))
    found = []
    for first in range(0, plan.games, AT_ONCE):
        tables = tuple(tuple(rng.sample(seats, plan.players)) for _ in range(min(AT_ONCE, plan.games - first)))
        block = Block(
            number=0,
            table=tuple(seats),
            tables=tables,
            deals_per_table=1,
            seed=derive_seed(plan.seed, "block", first),
            first=0,
            deals=len(tables),
            rotations=1,
            compiled=False,
        )
        for table, events in zip(tables, worker.play(block)[1], strict=True):
            state = final_state(events)
            assert state.public.winner is not None
            bots = tuple(AGENTS[plan.agents[member]].name for member in table)
            found.append(PlayedGame(bots, state.public.winner, [before.public for before, _, _ in turns_of(state)]))
    return found


def played(all_plans: Sequence[Plan]) -> Iterator[list[PlayedGame]]:
    """The games of each plan, on all processors."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(play, all_plans)


class Rounds(NamedTuple):
    """The beginnings of rounds."""

    logits: Floats
    """[round, seat]: the logarithm of the chance to win among champions."""
    bots: Ints
    """[round, seat]: which bot sits there."""
    more_left: Ints
    """[round]: 0 if two players are left, 1 if more are."""
    winner: Ints
    weight: Floats

    @staticmethod
    def of(games: Iterable[PlayedGame], bots: Sequence[str]) -> Rounds:
        """The rounds of some games that have more than two players left, or two of which one is the champion.

        Two at a time, bots do not line up: `detective` wins more from weak bots than the champion, and loses to it.
        """
        rows: list[tuple[Floats, list[int], bool, int, float]] = []
        for game in games:
            begins = [moment for moment in game.moments if not moment.bid_history]
            for public in begins:
                chances = np.zeros(max(SIZES))
                chances[: len(game.bots)] = among_champions(public, public.dice_counts, public.opener)
                left = {bot for bot, n in zip(game.bots, public.dice_counts, strict=True) if n}
                if len(left) == 2 and "champion" not in left:
                    continue
                which = [bots.index(bot) for bot in game.bots] + [0] * (len(chances) - len(game.bots))
                rows.append((chances, which, len(left) > 2, game.winner, COUNTS_AS / len(begins)))
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        with np.errstate(divide="ignore"):
            return Rounds(np.log(columns[0]), columns[1], columns[2].astype(np.int64), columns[3], columns[4])


def fit(rounds: Rounds, bots: Sequence[str]) -> Floats:
    """[bot, 0 with two players left and 1 with more]: the strengths, that of the champion being 1."""
    rows, champion = np.arange(len(rounds.winner)), bots.index("champion")

    def loss(flat: Floats) -> tuple[float, Floats]:
        strengths = flat.reshape(len(bots), 2).copy()
        strengths[champion] = 0
        logits = rounds.logits + strengths[rounds.bots, rounds.more_left[:, None]]
        said = np.exp(logits - logits.max(1, keepdims=True))
        said /= said.sum(1, keepdims=True)
        lost = -rounds.weight @ np.log(said[rows, rounds.winner]) + SHRINK * (strengths**2).sum()
        off = said * rounds.weight[:, None]
        off[rows, rounds.winner] -= rounds.weight
        slope = 2 * SHRINK * strengths
        np.add.at(slope, (rounds.bots, rounds.more_left[:, None]), off)
        slope[champion] = 0
        return float(lost), slope.ravel()

    found = minimize(loss, np.zeros(2 * len(bots)), jac=True, method="L-BFGS-B").x.reshape(len(bots), 2)
    found[champion] = 0
    return np.asarray(np.exp(found))


def main() -> None:
    """Play, fit, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--games",
        type=int,
        default=3000,
        help="games of each league at tables of each size; the champion has a quarter as many with each bot alone",
    )
    asked = parser.parse_args()
    games = []
    leagues = [*plans(EVERYBODY, asked.games, seed=1), *plans(NINE, asked.games, seed=2)]
    for some in played([*leagues, *duels(asked.games // 8, seed=4)]):
        games += some
        print(f"# {len(games):,} games played", flush=True)
    bots = [AGENTS[name].name for name in EVERYBODY]
    strengths = fit(Rounds.of(games, bots), bots)
    for bot, (two, more) in sorted(zip(bots, strengths.tolist(), strict=True), key=lambda one: -one[1][1]):
        print(f'    "{bot}": ({two:.2f}, {more:.2f}),')


if __name__ == "__main__":
    main()
