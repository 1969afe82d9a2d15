"""What `reader` believes of its opponent in a round of two, as a table that can be answered.

Several learners watch the player. `KnownBots` takes it for one of some styles (the rule bots, `nash`, and a grid of
thresholds), who may turn into another between two rounds; `BlendedBots` takes every decision for a draw from a blend of
them; two `ParametricPlayer`s learn its habits, one from all rounds and one from the latest. Whichever has predicted
better of late counts for more.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core import PublicState, RoundRules, legal_actions
from ..exact.tables import UNKNOWN, PolicyTable, action_number, hand_set
from ..numeric import Floats
from .blended_bots import BlendedBots
from .known_bots import KnownBots, bot_policy
from .parametric_player import ParametricPlayer
from .reader_rollouts import detective_table
from .recorded_round import RecordedRound

RULE_BOTS = (
    "random",
    "conservative",
    "probabilistic",
    "truthful",
    "threshold-best",
    "maniac",
    "aggressive",
    "passive",
    "calling-station",
    "bluffer",
    "crawler",
    "sniper",
    "detective",
)
NASH = "nash"
GRID = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55)
STYLES = (*RULE_BOTS, NASH, *(f"threshold:{call:g},{raise_:g}" for call in GRID for raise_ in GRID))
"""The styles of which a player is believed to be a mix."""
HABITS = ("habits", "latest habits")
SHORT_MEMORY = 0.96
"""What a round counts for in the latest habits, one round later."""
CHANGE = 0.01
"""How likely a player is to turn into another between two rounds."""
FADING = 0.98
"""What the predictions of a round count for, one round later, when the learners are compared."""
NEGLIGIBLE, MOST_STYLES = 0.004, 16
"""Styles with less weight than this are left out of the table; so are all but this many."""


class StyleMix:
    """What is believed of one player."""

    def __init__(self) -> None:
        self._single = KnownBots(STYLES, change=CHANGE)
        self._blend = BlendedBots(STYLES)
        self._habits = (ParametricPlayer(), ParametricPlayer(memory=SHORT_MEMORY))
        self._evidence: Floats = np.zeros(4)
        """How well each learner has predicted lately, as a logarithm."""

    @property
    def rounds(self) -> int:
        """How many rounds were observed in which the player decided something."""
        return self._single.rounds

    @property
    def trust(self) -> Floats:
        """How much each learner counts: known bots, blended bots, habits, latest habits."""
        trust: Floats = np.exp(self._evidence - self._evidence.max())
        trust /= trust.sum()
        return trust

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each style, and of the habits, the largest first."""
        trust = self.trust.tolist()
        single, blend = self._single.posterior, self._blend.shares
        weights = {name: trust[0] * single[name] + trust[1] * blend[name] for name in STYLES}
        weights |= dict(zip(HABITS, trust[2:], strict=True))
        return dict(sorted(weights.items(), key=lambda one: -one[1]))

    def observe(self, played: RecordedRound, seat: int) -> None:
        """Learn from what the player in this seat did in a finished round."""
        decisions = list(played.decisions(seat))
        told = [self._single.learn(decisions), self._blend.learn(decisions)]
        told += [habits.observe(played, seat) for habits in self._habits]
        self._evidence = FADING * (self._evidence + np.array(told))

    def table(self, rules: RoundRules, own: int, said: frozenset[int]) -> Floats:
        """[rung + 1, action, hand]: what the player does with `own` dice when it has to answer each rung, if its only
        opponent has bid these faces. The part of `nash` is left out: nobody can answer it.
        """
        hands, size = hand_set(own, rules.config.faces), len(rules.bids)
        found: Floats = np.zeros((size + 1, size + 2, len(hands)))
        for name, weight in _likely(self.weights).items():
            if name in HABITS:
                found += weight * _habits_table(self._habits[HABITS.index(name)], rules, own)
            elif (table := bot_policy(name).table(rules, own)) is not None:
                add_table(found, table, weight)
            else:
                found += weight * detective_table(rules, own, said)
        return found


def _habits_table(habits: ParametricPlayer, rules: RoundRules, own: int) -> Floats:
    """What a player with these habits does when each rung is the first bid of its opponent."""
    size = len(rules.bids)
    found: Floats = np.zeros((size + 1, size + 2, len(hand_set(own, rules.config.faces))))
    for rung in range(-1, size):
        history, opener = ((rules.bids[rung],), 0) if rung >= 0 else ((), 1)
        counts = (rules.total_dice - own, own)
        public = PublicState(rules, ("opponent", "player"), counts, opener, 1, history, rung, "BIDDING", ())
        places = [action_number(action, rules) for action in legal_actions(public)]
        found[rung + 1, places] = habits.chances(public).T
    return found


def _likely(weights: Mapping[str, float]) -> Mapping[str, float]:
    """The styles that matter, with weights that add up to one."""
    heavy = [(name, weight) for name, weight in weights.items() if weight >= NEGLIGIBLE and name != NASH]
    kept = dict(heavy[:MOST_STYLES])
    total = sum(kept.values())
    return {name: weight / total for name, weight in kept.items()}


def add_table(total: Floats, table: PolicyTable, weight: float = 1.0) -> None:
    """Add a memoryless bot's chances, [rung + 1, action, hand], with this weight."""
    hands, columns = np.nonzero(table.cells >= 0)
    total[columns, table.cells[hands, columns], hands] += weight
    mixed = table.cells[(table.cells < 0) & (table.cells != UNKNOWN)]
    for cell in np.unique(mixed).tolist():
        hands, columns = np.nonzero(table.cells == cell)
        for action, chance in table.mixes[cell].items():
            total[columns, action, hands] += weight * chance
