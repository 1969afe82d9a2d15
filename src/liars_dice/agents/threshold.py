"""Agents that compare two probabilities with two thresholds, and five named pairs of thresholds."""

from __future__ import annotations

from ..core import Action, BadValueError, Bid, BidAction, CallLiarAction, GameView, chance_true
from .base import Agent
from .view_helpers import held, legal_bids

PERSONALITIES: dict[str, tuple[float, float]] = {
    "maniac": (0.10, 0.10),
    "aggressive": (0.50, 0.10),
    "passive": (0.10, 0.50),
    "calling-station": (0.50, 0.50),
    "optimal": (0.35, 0.15),
}
"""(call, raise) thresholds by name. `optimal` is the best pair of a grid of thresholds, not the best way to play: in
lists it is called `threshold-best`."""


class ThresholdAgent(Agent):
    """Raises if its best raise is likely enough; else calls if the bid is unlikely enough; else raises anyway."""

    memoryless = True

    def __init__(self, call: float = 0.35, raise_: float = 0.15, name: str = "") -> None:
        thresholds: tuple[tuple[str, object], ...] = (("call", call), ("raise", raise_))
        for field, value in thresholds:
            if not isinstance(value, int | float) or not 0 <= value <= 1:
                raise BadValueError(f"{field} threshold", value, "a probability from 0 to 1")
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
        best = max(raises, key=lambda bid: chance_true(view, bid))  # among equals, the first
        chance = chance_true(view, best)
        if chance >= self.raise_from:
            return BidAction(best, f"{best} holds {chance:.0%} of the time")
        if chance_true(view, current) < self.call_below:
            return CallLiarAction(f"{current} holds only {chance_true(view, current):.0%} of the time")
        return BidAction(best, f"a bluff: {current} is too likely to call")

    def _open(self, view: GameView) -> Action:
        """Bid the face it holds most of (the lowest on a tie) at the quantity it holds, or the nearest legal one."""
        openings = legal_bids(view)
        face = max(sorted({bid.face for bid in openings}), key=lambda f: held(view, f))
        quantities = [bid.quantity for bid in openings if bid.face == face]
        quantity = min(max(held(view, face), min(quantities)), max(quantities))
        return BidAction(Bid(quantity, face), f"holds {held(view, face)} of {face}")


def _raises(view: GameView, current: Bid) -> list[Bid]:
    """The legal ones of: one more of the same face, and the same quantity of each higher face."""
    candidates = [Bid(current.quantity + 1, current.face)]
    candidates += [Bid(current.quantity, face) for face in range(current.face + 1, view.faces + 1)]
    legal = set(legal_bids(view))
    return [bid for bid in candidates if bid.quantity <= view.total_dice and bid in legal]


def create_personality_agent(name: str) -> ThresholdAgent:
    """One of the five personalities; `CALLING_STATION` and `calling-station` are the same."""
    key = str(name).lower().replace("_", "-")
    kind = "optimal" if key == "threshold-best" else key
    if kind not in PERSONALITIES:
        raise BadValueError("personality", name, f"one of {', '.join(PERSONALITIES)}")
    return ThresholdAgent(*PERSONALITIES[kind], name=key)
