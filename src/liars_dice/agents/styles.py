"""Four bots with clearly different styles: a bluffer, a crawler, a sniper and a detective."""

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
    chance_true,
    match_chance,
)
from .base import Agent, Policy, PolicyAgent
from .view_helpers import held, legal_bids, likeliest, may_call_exact


class BlufferAgent(PolicyAgent):
    """Mixes: mostly its likeliest raise, but every fourth time a bid on some other face that it could not defend."""

    name = "bluffer"
    memoryless = True
    bluffs = 0.25
    calls_below = 0.25

    def policy(self, view: GameView) -> Policy:
        """The likeliest raise, the nearest bluff, or a call."""
        current = view.current_bid
        bids = legal_bids(view)
        if current is not None and (not bids or chance_true(view, current) < self.calls_below):
            return {CallLiarAction(): 1.0}
        best = likeliest(view, bids)
        others = [bid for bid in bids if bid.face != best.face]
        if not others:
            return {BidAction(best): 1.0}
        bluff = min(others, key=lambda bid: (bid.quantity, held(view, bid.face), bid.face))
        return {BidAction(best): 1 - self.bluffs, BidAction(bluff): self.bluffs}


class CrawlerAgent(Agent):
    """Raises as little as it can, whatever it holds, and calls when the bid has become unlikely."""

    name = "crawler"
    memoryless = True
    calls_below = 0.3

    def choose_action(self, view: GameView) -> Action:
        """The lowest rung, or a call."""
        current = view.current_bid
        bids = legal_bids(view)
        if current is not None and (not bids or chance_true(view, current) < self.calls_below):
            return CallLiarAction(f"{current} holds {chance_true(view, current):.0%} of the time")
        return BidAction(bids[0])


class SniperAgent(Agent):
    """Jumps to the highest bid that is better than even, and loves exact calls."""

    name = "sniper"
    memoryless = True

    def choose_action(self, view: GameView) -> Action:
        """Exact if that is the best call; the highest bid better than even; else the better of calling and raising."""
        current = view.current_bid
        bids = legal_bids(view)
        good = [bid for bid in bids if chance_true(view, bid) >= 0.5]
        if current is None:
            return BidAction(good[-1] if good else likeliest(view, bids))
        doubt = 1 - chance_true(view, current)
        if may_call_exact(view) and chance_exact(view, current) >= max(doubt, 0.35):
            return CallExactAction(f"exact {chance_exact(view, current):.0%} of the time")
        if good:
            return BidAction(good[-1], f"holds {chance_true(view, good[-1]):.0%} of the time")
        if not bids or doubt >= chance_true(view, likeliest(view, bids)):
            return CallLiarAction(f"false {doubt:.0%} of the time")
        return BidAction(likeliest(view, bids))


class DetectiveAgent(Agent):
    """Listens: whoever bids a face is believed to hold some of it, and odds are taken with that in mind.

    Every other player who has bid a face in this round is taken to hold one die of it, if their bids could use it; the
    rest of the unseen dice are as fair as ever. It takes the best odds, and bids what would be hardest to call.
    """

    name = "detective"
    trust = 0.7
    """How much of a die a bid is taken to show."""

    def choose_action(self, view: GameView) -> Action:
        """The best odds, with what was said taken into account."""
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
        """How many others have bid each face in this round."""
        said = {(b.player_id, b.bid.face) for b in view.round_bids if b.player_id != view.player_id}
        return Counter(face for _, face in said)

    def _belief(self, view: GameView, bid: Bid, speakers: int) -> float:
        """The probability that `bid` holds if so many others hold what they bid."""
        shown = min(speakers, view.other_dice)
        missing = bid.quantity - held(view, bid.face)
        chance = match_chance(bid.face, view.public.rules)
        plain = binomial_prob_at_least(view.other_dice, missing, chance)
        trusting = binomial_prob_at_least(view.other_dice - shown, missing - shown, chance)
        return (1 - self.trust) * plain + self.trust * trusting
