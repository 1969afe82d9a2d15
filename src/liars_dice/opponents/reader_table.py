"""What `reader` does in games that `champion` knows, at tables of any size, once it knows who sits there.

Moves that the champion might make, and others that are neither certain nor hopeless, are compared by playing the rest
of the round (`reader_rollouts`). What the champion would do counts too, so that small differences change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..agents import Policy
from ..core import GameView
from ..exact.tables import action_number, hand_set
from ..learn.champion.player import seen_in
from ..learn.champion.values import ChampionValues
from ..numeric import Ints
from .reader_rollouts import Belief, action_values, odds_of

SAMPLES = 150
"""How often the rest of a round is played for each move."""
CAUTION = 0.01
"""What a move counts for that the champion makes e times as often, in chances to win the game."""
NEVER = 0.01
"""How often the champion is taken to make a move that it never makes."""
HOPELESS, CERTAIN = 0.15, 0.97
"""Bids that are less or more likely than this are compared only if the champion makes them."""
MOST_STYLES, LEAST_WEIGHT = 3, 0.05
"""How many bots a player may be, and how likely each must be."""


def believed(posterior: Mapping[str, float]) -> Belief:
    """The likeliest of the bots that a player may be, given the chances of all, the likeliest first."""
    first = list(posterior.items())[:MOST_STYLES]
    kept = [(name, weight) for name, weight in first if weight >= LEAST_WEIGHT] or first[:1]
    total = sum(weight for _, weight in kept)
    return Belief(tuple((name, weight / total) for name, weight in kept))


def readable(posterior: Mapping[str, float]) -> float:
    """How sure it is who a player is, and that its play can be foreseen: the champion's cannot."""
    first = list(posterior.items())[:MOST_STYLES]
    return sum(weight for name, weight in first if weight >= LEAST_WEIGHT and not name.startswith("champion"))


def table_answer(view: GameView, start: Policy, beliefs: Sequence[Belief], seed: int) -> Policy:
    """The move that is best against these players (in turn order after the player to move); `start` is the champion's
    policy. Equal seeds give equal answers.
    """
    rules = view.public.rules
    usual = {action_number(action, rules): chance for action, chance in start.items()}
    actions = _worth_comparing(view, usual)
    ends = ChampionValues.shipped().after_rounds([seen_in(view)])[0, :, 0]
    values = action_values(view.public, view.my_dice, beliefs, actions, ends, SAMPLES, seed)
    scores = values + CAUTION * np.log([usual.get(action, 0.0) + NEVER for action in actions.tolist()])
    return {rules.moves[int(actions[scores.argmax()])]: 1.0}


def _worth_comparing(view: GameView, usual: Mapping[int, float]) -> Ints:
    """The legal actions that are compared, as numbers."""
    rules = view.public.rules
    odds, size = odds_of(rules), len(rules.bids)
    hands = hand_set(len(view.my_dice), rules.config.faces)
    held = hands.matches(rules.wild_face)[hands.index[view.my_dice]]
    found = []
    for action in (action_number(one, rules) for one in view.legal_actions):
        if action < size and action not in usual:
            face = odds.face[action]
            missing = max(odds.quantity[action] - held[face], 0)
            if not HOPELESS < odds.at_least[odds.counts_twice[face], view.unseen_dice, missing] < CERTAIN:
                continue
        found.append(action)
    return np.array(found)
