"""Where the champion yields to `nash`: in rounds of two players in which `nash` is measured to be less exploitable."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from ...agents import Policy, ProbabilisticAgent
from ...core import GameView, RoundRules, preset
from ...exact.solver import policy_without_opening_on_ones, solved_policy


class Measured(NamedTuple):
    """What a perfect adversary wins at most, where winning the round is worth 1 and losing it -1."""

    nash: float
    network: float
    """Without its rare moves, as the champion plays it."""


MEASURED: dict[str, dict[tuple[int, int], Measured]] = {
    "perudo,exact_call=false": {
        (1, 1): Measured(0.1667, 0.0259),
        (1, 2): Measured(0.3657, 0.0447),
        (1, 3): Measured(0.4599, 0.0675),
        (2, 1): Measured(0.3287, 0.1765),
        (2, 2): Measured(0.5046, 0.5539),
        (3, 1): Measured(0.4321, 0.0965),
    },
    "perudo-tournament": {
        (1, 1): Measured(0.0393, 0.0392),
        (1, 2): Measured(0.0001, 0.0637),
        (1, 3): Measured(0.0064, 0.0553),
        (2, 1): Measured(0.0108, 0.0958),
        (2, 2): Measured(0.0013, 0.1186),
        (3, 1): Measured(0.0080, 0.0573),
    },
}
"""Rounds without a solution of their own, by their rules and by the dice of the opener and the other player. `nash`
plays the solution with opening on ones, or by the odds. Measured by `benchmarks/champion.py --networks`."""
_PERUDO = preset("perudo", players=2).to_dict()
_BETWEEN_ROUNDS = {"mode", "rounds", "max_dice", "next_opener", "exact_payer"}


def left_to_nash(view: GameView) -> tuple[str, Policy] | None:
    """What `nash` plays by, and the probability of each action, where the champion yields to it; None elsewhere.

    It yields to every solution: each round in the package has proved bounds of at most 0.02, and the network is above
    that wherever it was measured. Without wilds, which the network has hardly met, it yields to short-memory
    strategies too.
    """
    public = view.public
    if (solved := solved_policy(view, measured=public.config.wild == "none")) is not None:
        return solved
    opener = public.dice_counts[public.opener]
    two_left = sum(n > 0 for n in public.dice_counts) == 2
    dice = (opener, public.rules.total_dice - opener)
    if not two_left or not is_less_exploitable(measured_rules(public.rules), dice):
        return None
    if (solved := policy_without_opening_on_ones(view)) is not None:
        return solved
    return "by the odds", {replace(ProbabilisticAgent().choose_action(view), reasoning=""): 1.0}


def is_less_exploitable(rules: str, dice: tuple[int, int]) -> bool:
    """Whether `nash` was measured to be less exploitable than the network in a round without a solution of its own."""
    found = MEASURED.get(rules, {}).get(dice)
    return found is not None and found.nash < found.network


@lru_cache(maxsize=256)
def measured_rules(rules: RoundRules) -> str:
    """The rules by which such a round was measured, or nothing. With two players left, palifico changes nothing."""
    different = {name for name, value in rules.config.to_dict().items() if value != _PERUDO[name]}
    different -= {"dice", "palifico"}
    if different - _BETWEEN_ROUNDS == {"exact_call"}:  # the loser of a round loses a die, whatever comes next
        return "perudo,exact_call=false"
    return "perudo-tournament" if different == {"open_on_ones"} else ""
