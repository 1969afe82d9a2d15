"""An agent that draws conclusions from the other players' bids."""

from __future__ import annotations

from collections import Counter

from ..core import (
    Action,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    GameView,
    binomial_prob_at_least,
    chance_exact,
    match_chance,
)
from .base import Agent
from .view_helpers import held, legal_bids, may_call_exact


class DetectiveAgent(Agent):
    """Believes, to a degree, that players hold the faces they bid, and takes the best odds on that assumption.

    It assumes that every other player who has bid a face in this round holds one die of that face, and that the rest
    of the unseen dice are random. Of its good openings it makes the highest.
    """

    name = "detective"
    trust = 0.7
    """The weight of that assumption, from 0 (ignore what others bid) to 1."""

    def choose_action(self, view: GameView) -> Action:
        """The move with the best odds, given the bids so far."""
        current = view.current_bid
        bids = legal_bids(view)
        speakers = self._speakers(view)
        odds = {bid: self._belief(view, bid, speakers[bid.face]) for bid in bids}
        best = max(reversed(bids), key=lambda bid: odds[bid], default=None)
        if current is None:
            assert best is not None
            good = [bid for bid in bids if odds[bid] >= 0.75]
            return BidAction(good[-1] if good else best)
        doubt = 1 - self._belief(view, current, speakers[current.face])
        if may_call_exact(view) and chance_exact(view, current) > max(doubt, odds[best] if best else 0.0):
            return CallExactAction("exact is the best guess")
        if best is None or doubt > odds[best]:
            return CallLiarAction(f"believed only {1 - doubt:.0%}")
        return BidAction(best, f"believed {odds[best]:.0%}")

    @staticmethod
    def _speakers(view: GameView) -> Counter[int]:
        """How many other players have bid each face in this round."""
        said = {(b.player_id, b.bid.face) for b in view.round_bids if b.player_id != view.player_id}
        return Counter(face for _, face in said)

    def _belief(self, view: GameView, bid: Bid, speakers: int) -> float:
        """The probability that `bid` holds, if `speakers` other players may hold the face they bid."""
        shown = min(speakers, view.other_dice)
        missing = bid.quantity - held(view, bid.face)
        chance = match_chance(bid.face, view.public.rules)
        plain = binomial_prob_at_least(view.unseen_dice, missing, chance)
        trusting = binomial_prob_at_least(view.unseen_dice - shown, missing - shown, chance)
        return (1 - self.trust) * plain + self.trust * trusting
