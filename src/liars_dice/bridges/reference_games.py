"""Games against the benchmark's frozen pool of reference players, with the same dice for everyone who is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from ..core import GameConfig, derive_seed, preset
from ..tournament import Block, BlockResult, PairCounts, Processes, WorkerSetup, paired_ci

POOL_VERSION = 1


class Reference(NamedTuple):
    """A reference player, and the rules by which it is played."""

    name: str
    rules: str
    dice: int

    @property
    def config(self) -> GameConfig:
        """The rules of its games."""
        return preset(self.rules, players=2, dice=self.dice)


POOL = (
    Reference("random", "perudo", 5),
    Reference("conservative", "perudo", 5),
    Reference("threshold-best", "perudo", 5),
    Reference("detective", "perudo", 5),
    Reference("champion", "perudo", 5),
    Reference("nash", "heads-up", 3),
)
"""Two players each. By the rules of `heads-up` with three dice each, every round is solved, so `nash` is perfect."""


class PlayedDeal(msgspec.Struct, frozen=True):
    """Both games of a deal against a reference player."""

    opponent: str
    deal: int
    won: int
    """How many of the two the player won."""
    faults: int

    @property
    def key(self) -> tuple[str, int]:
        """Which deal this is."""
        return self.opponent, self.deal


class ReferenceScore(msgspec.Struct, frozen=True):
    """The result against one reference player."""

    opponent: str
    rules: str
    dice: int
    games: int
    win_rate: float
    ci95: tuple[float, float]
    faults: int


def deals_to_play(games: int, known: Mapping[tuple[str, int], PlayedDeal]) -> int:
    """How many deals are left, with this many games per opponent."""
    return sum((one.name, deal) not in known for one in POOL for deal in range(games // 2))


def play_pool(
    player: str, games: int, known: Mapping[tuple[str, int], PlayedDeal], on_deal: Callable[[PlayedDeal], None]
) -> None:
    """Play the deals that are not known yet, each in both seatings."""
    for opponent in POOL:
        blocks = [
            Block(
                number=deal,
                table=(0, 1),
                seed=derive_seed(POOL_VERSION, "pool", opponent.name),
                first=deal,
                deals=1,
                rotations=2,
                compiled=False,
            )
            for deal in range(games // 2)
            if (opponent.name, deal) not in known
        ]
        setup = WorkerSetup(agents=(player, opponent.name), config=opponent.config)

        def on_played(played: tuple[BlockResult, object], name: str = opponent.name) -> None:
            result = played[0]
            faults = sum(count for member, _, count in result.faults if member == 0)
            on_deal(PlayedDeal(name, result.number, result.member_wins()[0], faults))

        Processes().run(setup, blocks, on_played)


def score_pool(deals: Mapping[tuple[str, int], PlayedDeal]) -> Iterator[ReferenceScore]:
    """The result against each reference player that was met."""
    for opponent in POOL:
        found = [deal for deal in deals.values() if deal.opponent == opponent.name]
        if found:
            counts = PairCounts(*(sum(deal.won == won for deal in found) for won in (0, 1, 2)))
            faults = sum(deal.faults for deal in found)
            yield ReferenceScore(*opponent, 2 * len(found), counts.win_rate, paired_ci(counts), faults)
