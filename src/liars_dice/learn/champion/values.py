"""What each action is worth among champions, in numpy alone: the chance to win the game if it is taken now.

`OutcomeNetwork` and `RoundWorth` of `value_network`, written once more for machines without PyTorch; a test holds the
two together. For every bid the network says how the round ends if everybody plays on as the champion; the ends of both
calls follow from how the dice compare with the current bid. What an end is worth follows from the dice that are then
left. It sees what the player to move sees, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .player import (
    EXACT,
    FACES,
    LIAR,
    MOST_DICE,
    NEAR,
    QUANTITIES,
    SEATS,
    STEPS,
    Floats,
    Ints,
    Network,
    Positions,
    RuleFlags,
    Seen,
    features,
)

Reals = NDArray[np.float64]
OUTCOMES = 2 * SEATS
"""How a round can end: player 0 to 5 loses a die, or the bid of player 0 to 5 is called exactly right."""
SHIPPED = Path(__file__).with_name("data") / "values.npz"
"""The weights that come with the package."""


class Worth(NamedTuple):
    """What one decision is worth, players in turn order from the one to move."""

    actions: Reals
    """[182]: the chance to win the game by action, numbered as the champion numbers them; NaN where it is illegal."""
    chances: Reals
    """[action, player]: everybody's chance to win the game after each action; NaN where it is illegal."""
    below: float
    """The chance that fewer dice match the current bid than it says; 0 before the first bid."""
    exactly: float
    """The chance that as many do."""
    saved: float
    lost: float
    """The chance to win the game if another player loses the round, on average, and if the player to move does."""


class ChampionValues(Network):
    """The networks, ready to be asked."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        super().__init__({name.removeprefix("outcomes."): w for name, w in weights.items()})

    @classmethod
    def load(cls, path: str | Path) -> ChampionValues:
        """From a file that `training/scripts/values.py` made."""
        with np.load(path) as found:
            return cls(dict(found))

    @staticmethod
    @cache
    def shipped() -> ChampionValues:
        """The values that come with the package, read once."""
        return ChampionValues.load(SHIPPED)

    def worth(self, seen: Sequence[Seen], against_bids: Sequence[tuple[float, float]] | None = None) -> list[Worth]:
        """What these decisions are worth.

        `against_bids` has the chances that fewer dice match the current bid than it says, and that exactly as many do,
        if they are known better (`belief.dice_against_bid`); else the network says them.
        """
        at = Positions.of(seen)
        found = features(at)
        x, g = self.streams(found.faces, found.table)
        numbers = self.per_face("bids", x).reshape(len(seen), FACES, STEPS + 2 * NEAR + 1, OUTCOMES).astype(np.float64)
        current = (at.face[:, None] == np.arange(1, FACES + 1)).astype(np.float32)
        if against_bids is None:
            counts = self.linear("counts", g) + self.linear("counts_of_face", (x * current[..., None]).sum(1))
            against_bids = [(float(one[0]), float(one[1])) for one in _softmax(counts.astype(np.float64))]
        ends = self.after_rounds(seen)
        likely = np.floor(found.expected + 0.5).astype(np.int64)
        return [
            self._one(one, numbers[n], found.lowest[n], likely[n], against_bids[n], ends[n])
            for n, one in enumerate(seen)
        ]

    def _one(
        self, seen: Seen, numbers: Reals, lowest: Ints, likely: Ints, against_bid: tuple[float, float], ends: Reals
    ) -> Worth:
        """The worth of one decision. `ends` ([outcome, player]) says what each end of the round is worth."""
        players, total = len(seen.dice), sum(seen.dice)
        quantities = np.arange(1, QUANTITIES + 1)[:, None]
        above = np.clip(quantities - lowest, 0, STEPS - 1)
        near = STEPS + NEAR + np.clip(quantities - likely, -NEAR, NEAR)
        face = np.arange(FACES)
        logits = (numbers[face, above] + numbers[face, near]).reshape(LIAR, OUTCOMES)
        possible = np.arange(OUTCOMES) % SEATS < players
        possible[SEATS:] &= seen.rules.exact_call
        chances = np.full((EXACT + 1, SEATS), np.nan)
        legal = ((quantities >= lowest) & (quantities <= total)).reshape(LIAR)
        chances[:LIAR][legal] = _softmax(logits[legal][:, possible]) @ ends[possible]
        below, exactly = against_bid if seen.bids else (0.0, 0.0)
        if seen.bids:
            chances[LIAR] = below * ends[players - 1] + (1 - below) * ends[0]
        if seen.bids and seen.rules.exact_call:
            chances[EXACT] = exactly * ends[SEATS + players - 1] + (1 - exactly) * ends[0]
        saved = float(ends[1:players, 0].mean())
        return Worth(chances[:, 0].copy(), chances, below, exactly, saved, float(ends[0, 0]))

    def after_rounds(self, seen: Sequence[Seen]) -> Reals:
        """[B, outcome, player]: everybody's chance to win the game after each way in which the round can end."""
        left = [[_after(one, outcome) for outcome in range(OUTCOMES)] for one in seen]
        asked = np.array([row for ends in left for row, _ in ends], dtype=np.float32)
        logits = self._who_wins(asked)
        found = np.zeros((len(seen), OUTCOMES, SEATS))
        for n, ends in enumerate(left):
            for outcome, (_, order) in enumerate(ends):
                if order:
                    found[n, outcome, order] = _softmax(logits[n * OUTCOMES + outcome, : len(order)])
        return found

    def between_rounds(self, dice: Sequence[int], had_one: Sequence[bool], rules: RuleFlags) -> Reals:
        """[player]: everybody's chance to win the game when a round is about to begin, players in turn order."""
        row = np.array([_row(rules, dice, had_one)], dtype=np.float32)
        return _softmax(self._who_wins(row)[0, : len(dice)])

    def _who_wins(self, rows: Floats) -> Reals:
        """What `RoundWorth` says."""
        hidden = np.maximum(self.linear("worth.layers.0", rows), 0)
        hidden = np.maximum(self.linear("worth.layers.2", hidden), 0)
        return self.linear("worth.layers.4", hidden).astype(np.float64)


def _softmax(logits: Reals) -> Reals:
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def _after(seen: Seen, outcome: int) -> tuple[list[float], list[int]]:
    """What `RoundWorth` reads after a round that ended like this, and the players who are then in, the opener first."""
    players, loser, exact = len(seen.dice), outcome % SEATS, outcome >= SEATS
    if loser >= players:
        return [0.0] * ROW, []
    dice = list(seen.dice)
    if not exact or seen.rules.exact_costs_bidder:
        dice[loser] -= 1
    caller = (loser + 1) % players
    if exact and dice[caller] < seen.rules.most_dice:
        dice[caller] += 1
    had_one = [had or n == 1 for had, n in zip(seen.had_one, seen.dice, strict=True)]
    order = [player % players for player in range(loser, loser + players) if dice[player % players]]
    return _row(seen.rules, [dice[player] for player in order], [had_one[player] for player in order]), order


ROW = SEATS * (MOST_DICE + 1) + SEATS + 8


def _row(rules: RuleFlags, dice: Sequence[int], had_one: Sequence[bool]) -> list[float]:
    """What `RoundWorth` reads before a round, players in turn order from the opener."""
    rest = SEATS - len(dice)
    first_with_one = any(n == 1 and not had for n, had in zip(dice, had_one, strict=True))
    palifico = rules.palifico_rule and len(dice) > 2 and first_with_one
    row = [float(n == value) for n in (*dice, *[0] * rest) for value in range(MOST_DICE + 1)]
    row += [float(had and rules.palifico_rule) for had in (*had_one, *[False] * rest)]
    row += map(float, (rules.wild, rules.exact_call, rules.palifico_rule, palifico, rules.open_on_ones))
    row += [float(rules.exact_costs_bidder), sum(dice) / 15 - 1, float(rules.most_dice == MOST_DICE)]
    return row
