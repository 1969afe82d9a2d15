"""What a strong player would do, and what each action is worth, from what one player knows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ...core import Action, Bid, BidAction, CallExactAction, CallLiarAction, ConfigError, GameView
from ...core.odds import chance_exact, chance_true
from ...core.rules import count_matches
from ...exact import OutOfReachError
from ...exact.beliefs import one_hand
from ...exact.explain import explain
from ...exact.hands import Floats
from ...exact.policy import UNKNOWN, PolicyTable
from ...exact.response import raises_from
from ...exact.tablebase import Tablebase, reaches
from .models import Model, belief, likelihood, models_at, others, situation_after

EQUILIBRIUM = "equilibrium"
ODDS = "plain odds"
TAKEN = 0.01
"""What perfect play does at least this often is as good as its best: an equilibrium mixes only between equals."""
FEW = 3000
"""So many beliefs about a player who mixes are followed before it is taken to do what it does most often."""


class AdvisedChoice(msgspec.Struct, frozen=True):
    """One action that can be taken."""

    action: Action
    win_chance: float
    """The chance to win the round with it (with more than two players: not to lose it)."""
    chance: float | None = None
    """How often perfect play takes it, where that is known."""


class Advice(msgspec.Struct, frozen=True):
    """What to do, and why."""

    choices: tuple[AdvisedChoice, ...]
    """Every legal action, the best first."""
    why: str
    """One plain sentence."""
    source: str
    """What the numbers rest on: `equilibrium`, `opponent model: optimal`, ..."""
    holds: float | None
    """The chance that the current bid holds, by the same source; None if there is none."""
    given: str = ""
    """What the numbers presuppose, in words, as in `given how optimal plays`."""
    aim: str = "wins"
    """What the chances are chances of, as a verb."""
    tolerance: float = 0.0
    """Differences of chances up to this are within the error of the source."""

    @property
    def best(self) -> Action:
        """The best action."""
        return self.choices[0].action

    @property
    def win_chance(self) -> float:
        """The chance to win the round with the best play."""
        return self.choices[0].win_chance

    def of(self, action: Action) -> AdvisedChoice:
        """The choice of this action."""
        return next(choice for choice in self.choices if same(choice.action, action))

    def loss(self, action: Action) -> float:
        """The chance to win that this action gives away.

        Nothing, if it is no more than the source's own error, or if an equilibrium takes the action at least one time
        in a hundred: it mixes only between actions that are equally good, and the rest is what solving left over.
        """
        choice = self.of(action)
        loss = max(0.0, self.win_chance - choice.win_chance)
        return 0.0 if loss <= self.tolerance or (choice.chance or 0.0) >= TAKEN else loss


def same(one: Action, other: Action) -> bool:
    """Whether two actions are the same but for their reasoning."""
    return type(one) is type(other) and getattr(one, "bid", None) == getattr(other, "bid", None)


def advise(view: GameView, models: Sequence[Model] | None = None) -> Advice:
    """What to do in this view. Only what the view holds is used: the own dice, the bids, the names.

    `models` are the seats' models, if they are known better than by name.
    """
    if not view.is_my_turn:
        raise ConfigError("view", view.name, "the view of the player whose turn it is")
    if reaches(view.public):
        return _from_tablebase(view)
    models = models_at(view.public.names) if models is None else models
    try:
        if len(others(view)) == 1 and view.config.max_turns is None:
            return _against_one(view, models[others(view)[0]])
        return _against_many(view, models)
    except OutOfReachError:
        return _by_odds(view)


# -- the tablebase -----------------------------------------------------------------------------------------------------


def _from_tablebase(view: GameView) -> Advice:
    own, other = len(view.my_dice), view.other_dice
    opens = len(view.public.bid_history) % 2 == 0
    solved = Tablebase.shipped().round(*((own, other) if opens else (other, own)))
    found = explain(solved.tree, solved.pool, view.public.bid_history, view.my_dice)
    choices = [AdvisedChoice(c.action, _chance(c.value), c.chance if found.comes_here else None) for c in found.choices]
    current = view.current_bid
    holds = None if current is None else 1 - _chance(found.of(CallLiarAction()).value)
    return _advice(view, choices, EQUILIBRIUM, "against perfect play", holds, (solved.upper - solved.lower) / 2)


def _chance(value: float) -> float:
    """A chance to win from a value between -1 and 1."""
    return min(1.0, max(0.0, (1 + value) / 2))


# -- one opponent ------------------------------------------------------------------------------------------------------


def _against_one(view: GameView, model: Model) -> Advice:
    """The exact value of each action against a model of the other player, who may hold what fits its bids."""
    public = view.public
    seat = others(view)[0]
    weights = belief(public, seat, model)
    situation = situation_after(public, seat, 0)
    table = model.table(situation)
    raised = None
    if (table.cells[table.cells != UNKNOWN] < 0).any():
        raised = raises_from(table, view.my_dice, weights, view.public.rung, FEW)
    if raised is None:
        raised = model.graph(situation).raises(view.my_dice, weights)
    true, right = one_hand(table, view.my_dice)
    holds = None if public.rung < 0 else float(true[public.rung] @ weights)
    choices = []
    for action in view.legal_actions:
        if isinstance(action, BidAction):
            worth = float(raised[public.rules.rungs[action.bid]])
        elif isinstance(action, CallExactAction):
            worth = float(right[public.rung] @ weights)
        else:
            assert holds is not None
            worth = 1 - holds
        choices.append(AdvisedChoice(action, min(1.0, max(0.0, worth))))
    return _advice(view, choices, model.source, _plays(view, seat, model), holds)


def _plays(view: GameView, seat: int, model: Model) -> str:
    return (
        f"given how {view.public.names[seat]} plays"
        if model.known
        else f"if {view.public.names[seat]} plays like {model.name}"
    )


# -- more than one -----------------------------------------------------------------------------------------------------


def _against_many(view: GameView, models: Sequence[Model]) -> Advice:
    """The chance not to lose the round, looking one answer ahead.

    Each opponent's dice are weighed by its own bids. A call is settled at once. After a raise the next player answers
    by its model: if it calls, that settles it; if it raises, everybody in the round is as likely to lose it.
    """
    public = view.public
    rules = public.rules
    seats = others(view)
    weights = {seat: belief(public, seat, models[seat]) for seat in seats}
    counts = {
        seat: models[seat].table(situation_after(public, seat, 0)).hands.matches(rules.wild_face) for seat in seats
    }

    def matching(face: int, among: Sequence[int]) -> Floats:
        """How likely each number of matching dice is among these seats."""
        chances: Floats = np.ones(1)
        for seat in among:
            chances = np.convolve(chances, np.bincount(counts[seat][:, face], weights[seat]))
        return chances

    answering, rest = seats[0], seats[1:]
    of_rest = {face: matching(face, rest) for face in range(1, rules.config.faces + 1)}
    goes_on = 1 - 1 / (len(seats) + 1)
    choices = []
    holds = None
    for action in view.legal_actions:
        if isinstance(action, BidAction):
            worth = _raise_worth(
                view, models[answering], action.bid, weights[answering], counts[answering], of_rest, goes_on
            )
        else:
            assert view.current_bid is not None
            bid = view.current_bid
            found = matching(bid.face, seats)
            missing = bid.quantity - count_matches((view.my_dice,), bid.face, rules.wild_face)
            holds = float(found[max(missing, 0) :].sum())
            exact = float(found[missing]) if 0 <= missing < len(found) else 0.0
            worth = exact if isinstance(action, CallExactAction) else 1 - holds
        choices.append(AdvisedChoice(action, min(1.0, max(0.0, worth))))
    known = {models[seat].name if models[seat].known else f"{models[seat].name} softened" for seat in seats}
    source = f"opponent models, one answer ahead: {', '.join(sorted(known))}"
    return _advice(view, choices, source, "given what the others bid", holds)


def _raise_worth(
    view: GameView,
    model: Model,
    bid: Bid,
    weights: Floats,
    counts: np.ndarray,
    of_rest: dict[int, Floats],
    goes_on: float,
) -> float:
    public = view.public
    rules = public.rules
    rung = rules.rungs[bid]
    table = _answers(view, model, bid)
    calls, exacts = likelihood(table, rung, table.liar), likelihood(table, rung, table.exact)
    missing = bid.quantity - count_matches((view.my_dice,), bid.face, rules.wild_face) - counts[:, bid.face]
    rest = of_rest[bid.face]
    at_least = np.append(np.cumsum(rest[::-1])[::-1], 0.0)
    true = at_least[np.clip(missing, 0, len(rest))]
    right = np.where((missing >= 0) & (missing < len(rest)), rest[np.clip(missing, 0, len(rest) - 1)], 0.0)
    return float(weights @ (calls * true + exacts * (1 - right) + (1 - calls - exacts) * goes_on))


def _answers(view: GameView, model: Model, bid: Bid) -> PolicyTable:
    """The table by which the next player answers this bid."""
    public = msgspec.structs.replace(view.public, bid_history=(*view.public.bid_history, bid))
    return model.table(situation_after(public, others(view)[0], len(public.bid_history)))


# -- neither -----------------------------------------------------------------------------------------------------------


def _by_odds(view: GameView) -> Advice:
    """By the odds alone: a bid is worth the chance that it holds."""
    choices = []
    current = view.current_bid
    for action in view.legal_actions:
        if isinstance(action, BidAction):
            worth = chance_true(view, action.bid)
        else:
            assert current is not None
            worth = (
                chance_exact(view, current) if isinstance(action, CallExactAction) else 1 - chance_true(view, current)
            )
        choices.append(AdvisedChoice(action, worth))
    return _advice(view, choices, ODDS, "by the odds", None if current is None else chance_true(view, current))


# -- in words ----------------------------------------------------------------------------------------------------------


def _advice(
    view: GameView, choices: list[AdvisedChoice], source: str, given: str, holds: float | None, tolerance: float = 0.0
) -> Advice:
    """The choices by merit; of equal ones the one that perfect play takes most often, else a call, else the lowest."""
    ranked = sorted(
        enumerate(choices),
        key=lambda pair: (-round(pair[1].win_chance, 9), isinstance(pair[1].action, BidAction), pair[0]),
    )
    ordered = tuple(choice for _, choice in ranked)
    best = ordered[0]
    aim = "wins" if len(others(view)) == 1 else "does not lose"
    standing = "" if holds is None else f"{view.current_bid} holds {holds:.0%} of the time {given}, and "
    what = str(best.action) if isinstance(best.action, BidAction) else f"calling {best.action}"
    closing = f" {given}" if holds is None else ""
    why = f"{standing}{what} {aim} {best.win_chance:.0%} of the time{closing}."
    return Advice(ordered, why[0].upper() + why[1:], source, holds, given, aim, tolerance)
