"""What `reader` may risk against the same opponents, in games, and what its start policy is sure of.

A game that is *read*, that is, not left to the start policy, is counted: a win adds what it is worth over the start
policy's chance to win, a loss takes that chance away. A game may be read only if the bank covers its loss, so the bank
never falls below zero. Whatever the opponents do, the expected wins in all games are those of the start policy plus
what was added to the bank. So at worst they are less by the risk with which the bank began, after any number of games.
"""

from __future__ import annotations

from ..core import PublicState, seats_from
from ..exact import OutOfReachError
from ..exact.solver import has_tablebase_rules, match_bracket, solved_round
from ..learn.champion.player import fits, rule_flags
from ..learn.champion.values import ChampionValues


class RiskBank:
    """The risk that is left. It begins with `risk`, in games.

    >>> bank = RiskBank(1.0)
    >>> bank.stake(0.5)
    >>> bank.settle(0)
    >>> bank.balance, bank.covers(0.5), bank.covers(0.6)
    (0.5, True, False)
    """

    def __init__(self, risk: float) -> None:
        self.risk = risk
        self.balance = risk
        self._staked: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether the game that is going on is read."""
        return self._staked is not None

    def covers(self, chance: float) -> bool:
        """Whether a game may be read that the start policy wins with this chance."""
        return self.balance >= chance

    def stake(self, chance: float) -> None:
        """Begin to read a game that the start policy would win with this chance from here on."""
        assert self.covers(chance), f"{self.balance} games are left, {chance} are at stake"
        self._staked = chance

    def settle(self, won: float) -> None:
        """The game is over: it was won (1) or lost (0), or it would have been won this often with other dice."""
        if self._staked is not None:
            self.balance += won - self._staked
            self._staked = None


def start_chance(public: PublicState, seat: int) -> float | None:
    """The chance of the start policy to win the game, as it was when the round that is going on began.

    In solved rounds and matches this is what `nash` is sure of; in games that `champion` knows it is the champion's own
    estimate. Other single rounds between two count as even, or as the player's share of the dice if that is more. None
    if there is no estimate: then nothing can be risked.
    """
    counts, config = public.dice_counts, public.config
    players = [n for n in counts if n]
    opens = public.opener == seat
    if config.mode == "single_round" and len(players) == 2:
        if (found := solved_round(public)) is not None:
            solved = found[1]
            return (1 + (solved.upper if opens else -solved.lower)) / 2
        return max(0.5, counts[seat] / sum(counts))
    if config.mode != "elimination":
        return None
    if len(players) == 2 and has_tablebase_rules(public.rules):
        opener = counts[public.opener]
        try:
            low, high = match_bracket(opener, sum(counts) - opener, config.next_opener)
            return high if opens else 1 - low
        except OutOfReachError:
            pass  # too many dice: the champion's estimate is the next best
    if not fits(config):
        return None
    seats = seats_from(public.opener, counts)
    had_one = [any(len(done.dice[one]) == 1 for done in public.resolutions) for one in seats]
    chances = ChampionValues.shipped().between_rounds([counts[one] for one in seats], had_one, rule_flags(config))
    return float(chances[seats.index(seat)])
