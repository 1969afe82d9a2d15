"""Agents that compare two probabilities with two thresholds, and the five personalities this gives."""

from __future__ import annotations

from ..core import Action, Bid, BidAction, CallLiarAction, ConfigError, GameView, chance_true
from .base import Agent
from .view_helpers import held, legal_bids

PERSONALITIES: dict[str, tuple[float, float]] = {
    "maniac": (0.10, 0.10),
    "aggressive": (0.50, 0.10),
    "passive": (0.10, 0.50),
    "calling-station": (0.50, 0.50),
    "optimal": (0.35, 0.15),
}
"""(call, raise) thresholds by name."""


class ThresholdAgent(Agent):
    """Raises while its best raise is likely enough, calls when the bid is unlikely enough, and else raises anyway."""

    memoryless = True

    def __init__(self, call: float = 0.35, raise_: float = 0.15, name: str = "") -> None:
        for field, value in (("call", call), ("raise", raise_)):
            if not 0 <= value <= 1:
                raise ConfigError(f"{field} threshold", value, "a probability from 0 to 1")
        self.call_below = call
        self.raise_from = raise_
        self.name = name or f"threshold:{call:g},{raise_:g}"

    def choose_action(self, view: GameView) -> Action:
        """Compare the best raise and the current bid with the thresholds."""
        current = view.current_bid
        if current is None:
            return self._open(view)
        raises = _raises(view, current)
        if not raises:
            return CallLiarAction(f"no raise left; {current} holds {chance_true(view, current):.0%} of the time")
        best = max(raises, key=lambda bid: chance_true(view, bid))  # the first of the most probable
        chance = chance_true(view, best)
        if chance >= self.raise_from:
            return BidAction(best, f"{best} holds {chance:.0%} of the time")
        if chance_true(view, current) < self.call_below:
            return CallLiarAction(f"{current} holds only {chance_true(view, current):.0%} of the time")
        return BidAction(best, f"a bluff: {current} is too likely to call")

    def _open(self, view: GameView) -> Action:
        """The face held most of (lowest on a tie) at the quantity held, or the nearest to it that is legal."""
        openings = legal_bids(view)
        face = max(sorted({bid.face for bid in openings}), key=lambda f: held(view, f))
        quantities = [bid.quantity for bid in openings if bid.face == face]
        quantity = min(max(held(view, face), min(quantities)), max(quantities))
        return BidAction(Bid(quantity, face), f"holds {held(view, face)} of {face}")


def _raises(view: GameView, current: Bid) -> list[Bid]:
    """One more of the same face, then the same quantity of each higher face: those that are legal."""
    candidates = [Bid(current.quantity + 1, current.face)]
    candidates += [Bid(current.quantity, face) for face in range(current.face + 1, view.faces + 1)]
    legal = set(legal_bids(view))
    return [bid for bid in candidates if bid.quantity <= view.total_dice and bid in legal]


def create_personality_agent(name: str) -> ThresholdAgent:
    """One of the five personalities; `OPTIMAL` and `optimal` are the same."""
    key = name.lower().replace("_", "-")
    if key not in PERSONALITIES:
        raise ConfigError("personality", name, f"one of {', '.join(PERSONALITIES)}")
    return ThresholdAgent(*PERSONALITIES[key], name=key)
