"""The coach's word on a beginner's move."""

from __future__ import annotations

from ..core import Action, BidAction, GameView, capital, percent, say_bid
from .advice import Advice
from .advisor import advise
from .review import kind_of


def comment(view: GameView, action: Action) -> str:
    """What the coach thinks of a move: what it was worth with these dice and bids, not whether it was lucky."""
    return _comment(advise(view), action)


def comments(view: GameView) -> dict[str, str]:
    """The same for every legal move, by its notation."""
    advice = advise(view)
    return {str(choice.action): _comment(advice, choice.action) for choice in advice.choices}


def _comment(advice: Advice, action: Action) -> str:
    loss, chance = advice.loss(action), advice.of(action).win_chance
    what = "this bid" if isinstance(action, BidAction) else f"calling {action}"
    worth = f"{what} {advice.aim} {percent(chance)} of the time {advice.given}"
    if kind_of(loss / advice.stake) in ("best", "good"):
        return f"good. {capital(worth)}, and nothing is clearly better."
    best = advice.best
    better = f"bid {say_bid(best.bid)}" if isinstance(best, BidAction) else f"call {best}"
    return f"{worth}. It is better to {better}, which {advice.aim} {percent(advice.win_chance)}."
