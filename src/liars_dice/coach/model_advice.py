"""Advice against models of the other players, and by the odds alone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec
import numpy as np

from ..core import (
    Bid,
    BidAction,
    CallExactAction,
    GameView,
    chance_exact,
    chance_true,
    count_matches,
)
from ..exact import OutOfReachError
from ..exact.response import raise_chances, showdowns_with
from ..exact.tables import UNKNOWN
from ..numeric import Floats, Ints
from .advice import Advice, AdvisedChoice, make_advice
from .opponent_models import (
    OpponentModel,
    belief,
    bid_chances,
    check_searchable,
    match_distribution,
    other_seats,
    seat_situation,
)

ODDS = "plain odds"
MOST_BELIEFS = 3000
"""Beyond this many beliefs about a player who mixes, the player is assumed to do what it does most often."""


def against_models(view: GameView, models: Sequence[OpponentModel], *, aim: str = "") -> Advice:
    """Advice against players who follow these models; `OutOfReachError` if that would take too long. `aim` is as in
    `Advice`, by default what is usual there.
    """
    if len(other_seats(view)) == 1 and view.config.max_turns is None:
        with suppress(OutOfReachError):
            return against_one(view, models[other_seats(view)[0]], aim=aim)
    return against_many(view, models)


# -- one opponent ------------------------------------------------------------------------------------------------------


def against_one(view: GameView, model: OpponentModel, *, aim: str = "") -> Advice:
    """The exact value of each action against a model of the other player, whose hands are weighed by its bids."""
    public = view.public
    seat = other_seats(view)[0]
    weights = belief(public, seat, model)
    situation = seat_situation(public, seat, 0)
    check_searchable(situation.rules, situation.own)
    table = model.tables(situation)[0]
    raised = None
    if model.known and (table.cells[table.cells != UNKNOWN] < 0).any():
        raised = raise_chances(table, view.my_dice, weights[0], view.public.rung, MOST_BELIEFS)
    if raised is None:
        raised = model.graph(situation).raises(view.my_dice, weights.ravel())
    of_hands = weights.sum(axis=0)
    true, right = showdowns_with(table, view.my_dice)
    holds = None if public.rung < 0 else float(true[public.rung] @ of_hands)
    choices = []
    for action in view.legal_actions:
        if isinstance(action, BidAction):
            worth = float(raised[public.rules.rungs[action.bid]])
        elif isinstance(action, CallExactAction):
            worth = float(right[public.rung] @ of_hands)
        else:
            assert holds is not None
            worth = 1 - holds
        choices.append(AdvisedChoice(action, min(1.0, max(0.0, worth))))
    return make_advice(view, choices, model.source, _plays(view, seat, model), holds, aim=aim)


def _plays(view: GameView, seat: int, model: OpponentModel) -> str:
    name = view.public.names[seat]
    return f"given how {name} plays" if model.known else "against an unknown opponent"


# -- more than one -----------------------------------------------------------------------------------------------------


def against_many(view: GameView, models: Sequence[OpponentModel]) -> Advice:
    """The chance not to lose the round, looking one answer ahead.

    Each opponent's dice are weighed by its own bids. A call ends the round at once. After a raise the next player
    answers by its model: a call ends the round; after another raise, all players are equally likely to lose it.
    """
    public, seats = view.public, other_seats(view)
    rules = public.rules
    of_rest = {face: match_distribution(public, seats[1:], models, face) for face in range(1, rules.config.faces + 1)}
    weights = belief(public, seats[0], models[seats[0]])
    matches = models[seats[0]].tables(seat_situation(public, seats[0], 0))[0].hands.matches(view.wild_face)
    choices = []
    holds = None
    for action in view.legal_actions:
        if isinstance(action, BidAction):
            rest, goes_on = of_rest[action.bid.face], 1 - 1 / (len(seats) + 1)
            worth = _raise_worth(view, action.bid, models[seats[0]], weights, matches, rest, goes_on)
        else:
            assert view.current_bid is not None
            missing = np.array([_missing(view, view.current_bid)])
            true, right = bid_chances(missing, match_distribution(public, seats, models, view.current_bid.face))
            holds = float(true[0])
            worth = float(right[0]) if isinstance(action, CallExactAction) else 1 - holds
        choices.append(AdvisedChoice(action, min(1.0, max(0.0, worth))))
    source = f"opponent models, one answer ahead: {'; '.join(sorted({str(models[seat]) for seat in seats}))}"
    given = "given how the others play" if any(models[seat].known for seat in seats) else "against unknown opponents"
    return make_advice(view, choices, source, given, holds)


def _missing(view: GameView, bid: Bid) -> int:
    """How many of the other players' dice must match for a bid to hold."""
    return bid.quantity - count_matches((view.my_dice,), bid.face, view.wild_face)


def _raise_worth(
    view: GameView, bid: Bid, model: OpponentModel, weights: Floats, matches: Ints, of_rest: Floats, goes_on: float
) -> float:
    """The chance not to lose after a raise: by the model and the hands of the next player, and the dice of the rest.

    `matches[hand, face]` is how many dice of each hand of the next player count as a face.
    """
    public = msgspec.structs.replace(view.public, bid_history=(*view.public.bid_history, bid))
    situation = seat_situation(public, other_seats(view)[0], len(public.bid_history))
    table, rung = model.tables(situation)[0], public.rules.rungs[bid]
    calls, exacts = (model.likelihood(situation, rung, action) for action in (table.liar, table.exact))
    true, right = bid_chances(_missing(view, bid) - matches[:, bid.face], of_rest)
    return float((weights * (calls * true + exacts * (1 - right) + (1 - calls - exacts) * goes_on)).sum())


# -- neither -----------------------------------------------------------------------------------------------------------


def by_odds(view: GameView) -> Advice:
    """Advice by the odds alone: a bid is worth the chance that it holds."""
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
    return make_advice(view, choices, ODDS, "by the odds", None if current is None else chance_true(view, current))
