"""Sampled games of `nash` against every bot, compared with what each round is exactly worth.

    python benchmarks/nash_games.py [GAMES]

The engine plays the games; the exact figures come from asking both bots about every hand and every bidding. If either
were wrong, the two would drift apart by more than chance allows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import inf, sqrt
from typing import NamedTuple

from figures import figure
from liars_dice import play_game
from liars_dice.agents import AGENTS, make_agent
from liars_dice.core import GameConfig, preset
from liars_dice.exact.response.agent_probe import round_value_by_probing
from liars_dice.exact.solver import Tablebase

GAMES = 1_000_000
PERUDO = preset("perudo", players=2, dice=(2, 1), mode="single_round")


class Sample(NamedTuple):
    """Games of `nash` against one bot from one seat."""

    bot: str
    opens: bool
    """Whether `nash` opens."""
    games: int
    exact: float
    """What a round is worth to `nash`."""
    mean: float
    """What it earned on average."""

    @property
    def z(self) -> float:
        """How many standard errors the mean is away from what is exact."""
        error = sqrt(max(1 - self.exact**2, 0.0) / self.games)
        if error == 0:
            return 0.0 if self.mean == self.exact else inf
        return (self.mean - self.exact) / error


def samples(config: GameConfig, games: int, seed: int = 0) -> Iterator[Sample]:
    """One sample per bot and seat, with this many games altogether."""
    each = games // (2 * len(AGENTS))
    for place, bot in enumerate(AGENTS):
        for opens in (True, False):
            seats = [make_agent("nash"), make_agent(bot)][:: 1 if opens else -1]
            exact = round_value_by_probing(seats[0], seats[1], config)
            first = seed + (2 * place + opens) * each
            won = sum(play_game(seats, config, seed=first + game).winner == 0 for game in range(each))
            mean = 2 * won / each - 1
            yield Sample(bot, opens, each, exact if opens else -exact, mean if opens else -mean)


def main(arguments: list[str]) -> None:
    """Play and compare."""
    games = int(arguments[0]) if arguments else GAMES
    known = Tablebase.shipped("perudo").round(PERUDO.dice[0], PERUDO.dice[1])
    print("nash against every bot, perudo, one round, two dice against one:")
    farthest, least = 0.0, inf
    for sample in samples(PERUDO, games):
        print(
            f"  {sample.bot}, nash {'opens' if sample.opens else 'answers'}: {sample.mean:+.4f} in {sample.games:,} "
            f"games, exactly {sample.exact:+.4f}, z = {sample.z:+.1f}",
            flush=True,
        )
        farthest = max(farthest, abs(sample.z))
        least = min(least, sample.exact - (known.lower if sample.opens else -known.upper))
    figure(f"{games:,} games of nash against every bot, largest deviation in standard errors", farthest, most=4)
    figure("what nash earns above what its strategy guarantees, at worst", least, least=-1e-9)


if __name__ == "__main__":
    main(sys.argv[1:])
