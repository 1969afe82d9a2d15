"""Advice to one player: what each action is worth, given what this player knows, and which is best.

The chances are those to win the round, or the game, by what the advice rests on: its `source`. If the habits of another
player are known, what they allow is a second advice beside it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from ..core import Action, BidAction, GameView, capital, percent, prob_holds, say_bid
from ..exact.solver import same_action
from .opponent_models import other_seats

PLAYED = 0.001
"""Actions that the best strategy known takes at least this often count as taken by it."""


class AdvisedChoice(msgspec.Struct, frozen=True):
    """One legal action and what it is worth."""

    action: Action
    win_chance: float
    """The chance to win after it: the round or the game, see `Advice.of_what`."""
    chance: float | None = None
    """How often the best strategy known takes it, if there is one."""


class Advice(msgspec.Struct, frozen=True):
    """All legal actions by merit, the reason for the best, and what the numbers rest on."""

    choices: tuple[AdvisedChoice, ...]
    """Every legal action, best first."""
    why: str
    """The reason for the best action, in one sentence."""
    source: str
    """What the numbers rest on, such as `equilibrium`, `champion` or `opponent model: optimal`."""
    holds: float | None
    """The chance that the current bid holds, by the same source; None before the first bid."""
    given: str = ""
    """The assumption behind the numbers in words: `against perfect play`, or `given how optimal plays`."""
    aim: str = "wins"
    """What the chances measure, as a verb: `wins`, `wins the round`, `wins the game` or `does not lose the round`."""
    tolerance: float = 0.0
    """Differences between chances up to this are within the error of the source."""
    excused: float = 0.0
    """The same, for actions that the best strategy known takes at least one time in a thousand."""
    habits: Advice | None = None
    """The same decision by what the known habits of other players allow; None if no other player's are known."""
    of_what: Literal["round", "game"] = "round"
    """Whether the chances are those to win the round (with more than two players: not to lose it), or the game."""
    stake: float = 1.0
    """How much of these chances the round decides: what not losing it is worth, beyond losing it."""

    @property
    def best(self) -> Action:
        """The best action."""
        return self.choices[0].action

    @property
    def win_chance(self) -> float:
        """The chance to win with the best play."""
        return self.choices[0].win_chance

    def of(self, action: Action) -> AdvisedChoice:
        """The choice with this action."""
        return next(choice for choice in self.choices if same_action(choice.action, action))

    def loss(self, action: Action) -> float:
        """The chance to win that this action gives away; 0 if the difference is within the error of the source.

        An equilibrium mixes only between equally good actions. So for an action that it takes, the whole error that the
        solution may have at this point of the game is excused.
        """
        choice = self.of(action)
        loss = max(0.0, self.win_chance - choice.win_chance)
        taken = (choice.chance or 0.0) >= PLAYED
        return 0.0 if loss <= max(self.tolerance, self.excused if taken else 0.0) else loss


def make_advice(
    view: GameView,
    choices: list[AdvisedChoice],
    source: str,
    given: str,
    holds: float | None,
    *,
    tolerance: float = 0.0,
    alike: float | None = None,
    excused: float = 0.0,
    of_what: Literal["round", "game"] = "round",
    stake: float = 1.0,
    aim: str = "",
) -> Advice:
    """The advice with its choices sorted by merit. Among choices that are best but for a difference up to `alike` (by
    default, the error of the source), the one that the best strategy known takes most often comes first; among equals,
    a call comes first, then the lowest bid.
    """
    top = max(choice.win_chance for choice in choices)
    alike = tolerance if alike is None else alike

    def merit(choice: AdvisedChoice) -> tuple[float, float, bool]:
        """The sort key: the best first; `sorted` keeps the order of equals."""
        taken = choice.chance if choice.chance is not None and top - choice.win_chance <= alike else 0.0
        return -taken, -round(choice.win_chance, 9), isinstance(choice.action, BidAction)

    ordered = tuple(sorted(choices, key=merit))
    best = ordered[0]
    usual = "wins" if len(other_seats(view)) == 1 else "does not lose the round"
    aim = aim or ("wins the game" if of_what == "game" else usual)
    current = view.current_bid
    standing = ""
    if holds is not None and current is not None:
        alone = percent(prob_holds(current, view.known_dice, view.public.rules))  # as boards show it
        by_dice = "" if alone == percent(holds) else f" ({alone} by your dice alone)"
        standing = f"{say_bid(current)} holds {percent(holds)} of the time {given}{by_dice}, and "
    closing = f" {given}" if holds is None else ""
    why = f"{standing}{named(best.action)} {aim} {percent(best.win_chance)} of the time{closing}."
    why = capital(why)
    return Advice(
        ordered, why, source, holds, given, aim, tolerance, excused=excused, of_what=of_what, stake=max(stake, 1e-9)
    )


def named(action: Action) -> str:
    """An action as the subject of a sentence: `bidding three fours` or `calling liar`."""
    return f"bidding {say_bid(action.bid)}" if isinstance(action, BidAction) else f"calling {action}"
