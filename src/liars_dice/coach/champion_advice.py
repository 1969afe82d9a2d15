"""Advice from the champion's values: what each action is worth if everybody plays on as the champion.

The values are networks that learned how rounds end after any bid among champions, and what each end is worth
(`learn/champion/values.py`). They see what the player to move sees. What the bids say about the dice is what they say
among champions who tremble now and then: bids that a champion hardly ever makes say little. For calls that is worked
out exactly (`learn/champion/belief.py`).
"""

from __future__ import annotations

from ..core import BidAction, CallExactAction, GameView
from ..learn.champion.belief import dice_against_bid
from ..learn.champion.player import EXACT, FACES, LIAR, Champion, fits, seen_in
from ..learn.champion.values import ChampionValues
from .advice import Advice, AdvisedChoice, make_advice

CHAMPION = "champion"
TOLERANCE = 0.08
"""Differences up to this share of what the round decides are within the error of the values (`benchmarks/coach.py`)."""
ALIKE = 0.02
"""Among actions whose values differ by less than this share, the one that the champion takes most often is advised."""


def from_champion(view: GameView) -> Advice | None:
    """Advice by the champion's values and its mix, if it is made for these rules."""
    if not fits(view.config):
        return None
    seen = seen_in(view)
    against_bid = dice_against_bid(seen) if seen.bids else (0.0, 0.0)
    worth = ChampionValues.shipped().worth([seen], [against_bid])[0]
    mix = Champion.shipped().distributions([seen])[0]
    choices = []
    for action in view.legal_actions:
        if isinstance(action, BidAction):
            number = (action.bid.quantity - 1) * FACES + action.bid.face - 1
        else:
            number = EXACT if isinstance(action, CallExactAction) else LIAR
        choices.append(AdvisedChoice(action, float(worth.actions[number]), float(mix[number])))
    stake = max(worth.saved - worth.lost, 1e-6)
    return make_advice(
        view,
        choices,
        CHAMPION,
        "if everybody plays on as champion",
        1 - worth.below if seen.bids else None,
        tolerance=TOLERANCE * stake,
        alike=ALIKE * stake,
        of_what="game",
        stake=stake,
    )
