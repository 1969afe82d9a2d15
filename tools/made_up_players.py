"""Players that no one has met: mixtures of bots, and players who take good odds more often than bad ones."""

from __future__ import annotations

import random

import numpy as np

from liars_dice.agents import Agent, Policy, PolicyAgent, ask
from liars_dice.core import BidAction, CallExactAction, GameView, chance_exact, chance_true

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
"""The bots that follow rules: all but `nash` and `champion`."""


class MixtureOfStyles(PolicyAgent):
    """Decides as one of several bots, drawn anew for each decision, and slips now and then."""

    def __init__(self, bots: list[Agent], shares: list[float], slip: float) -> None:
        super().__init__("mixture")
        self.bots, self.shares, self.slip = bots, shares, slip

    def policy(self, view: GameView) -> Policy:
        """The probability of each action."""
        legal = view.legal_actions
        found = dict.fromkeys(legal, self.slip / len(legal))
        for bot, share in zip(self.bots, self.shares, strict=True):
            stated = bot.policy(view) if isinstance(bot, PolicyAgent) else ask(bot, view)
            for action, chance in stated.items():
                found[action] += (1 - self.slip) * share * chance
        return found


class NoisyOdds(PolicyAgent):
    """Takes good odds more often than bad ones, likes to bid or to call, to bid low or high, to bluff or not."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__("noisy-odds")
        self.sharpness = rng.uniform(3, 20)
        self.call_bias, self.exact_bias = rng.gauss(0, 0.15), rng.gauss(-0.3, 0.2)
        self.height, self.keeps = rng.gauss(-0.02, 0.03), rng.gauss(0, 0.08)

    def policy(self, view: GameView) -> Policy:
        """The probability of each action."""
        current = view.current_bid
        scores = []
        for place, action in enumerate(view.legal_actions):
            if isinstance(action, BidAction):
                kept = current is not None and action.bid.face == current.face
                scores.append(chance_true(view, action.bid) + self.height * place + self.keeps * kept)
            elif isinstance(action, CallExactAction):
                assert current is not None
                scores.append(chance_exact(view, current) + self.exact_bias)
            else:
                assert current is not None
                scores.append(1 - chance_true(view, current) + self.call_bias)
        weights = np.exp(self.sharpness * (np.array(scores) - max(scores)))
        return dict(zip(view.legal_actions, (weights / weights.sum()).tolist(), strict=True))
