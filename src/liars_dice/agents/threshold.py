"""Agents that compare two probabilities with two thresholds, and five named pairs of thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..core import Action, BadValueError, Bid, BidAction, CallLiarAction, GameView, chance_true, one_of
from .base import Agent
from .spelling import hyphenated
from .view_helpers import held, legal_bids

DEFAULT_CALL_THRESHOLD = 0.35
"""By default, a bid that is less likely than this may be called."""
DEFAULT_SAFE_RAISE_THRESHOLD = 0.15
"""By default, a raise that is at least this likely is made."""


class Personalities(Mapping[str, tuple[float, float]]):
    """Pairs of (call, raise) thresholds by name, in any spelling.

    >>> PERSONALITIES["CALLING_STATION"] == PERSONALITIES["calling-station"]
    True
    """

    def __init__(self, pairs: Mapping[str, tuple[float, float]]) -> None:
        self._pairs = dict(pairs)

    def __getitem__(self, name: str) -> tuple[float, float]:
        found = self._pairs.get(hyphenated(str(name)))
        if found is None:
            raise KeyError(f"{name}: expected {one_of(str(name), self._pairs)}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return f"Personalities({self._pairs!r})"


PERSONALITIES = Personalities(
    {
        "maniac": (0.10, 0.10),
        "aggressive": (0.50, 0.10),
        "passive": (0.10, 0.50),
        "calling-station": (0.50, 0.50),
        "optimal": (DEFAULT_CALL_THRESHOLD, DEFAULT_SAFE_RAISE_THRESHOLD),
    }
)
"""The five personalities. `optimal` is the best pair of a grid of thresholds, not the best way to play: in lists it is
called `threshold-best`."""


class ThresholdAgent(Agent):
    """Raises if its best raise is likely enough; else calls if the bid is unlikely enough; else raises anyway."""

    memoryless = True

    def __init__(
        self,
        call: float = DEFAULT_CALL_THRESHOLD,
        raise_: float = DEFAULT_SAFE_RAISE_THRESHOLD,
        name: str = "",
    ) -> None:
        thresholds: tuple[tuple[str, object], ...] = (("call", call), ("raise", raise_))
        for field, value in thresholds:
            if not isinstance(value, int | float) or not 0 <= value <= 1:
                raise BadValueError(f"{field} threshold", value, "a probability from 0 to 1")
        self.call_below = call
        self.raise_from = raise_
        self.player_type = f"threshold:{call:g},{raise_:g}"
        super().__init__(name or self.player_type)

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
    key = hyphenated(str(name))
    kind = "optimal" if key == "threshold-best" else key
    if kind not in PERSONALITIES:
        raise BadValueError("personality", name, one_of(str(name), PERSONALITIES))
    agent = ThresholdAgent(*PERSONALITIES[kind], name=key)
    agent.player_type = key
    return agent
