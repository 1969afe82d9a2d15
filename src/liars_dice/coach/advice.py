"""Advice to one player: what each action is worth, given what this player knows, and which is best.

A decision is judged against players of whom nothing is known: perfect play where the round is solved, a model of an
unknown player elsewhere. If the habits of another player are known, what they allow is a second advice beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec
import numpy as np

from ..core import (
    Action,
    BadValueError,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    GameView,
    PublicState,
    chance_exact,
    chance_true,
    count_matches,
    percent,
    say_bid,
)
from ..exact import OutOfReachError
from ..exact.response import raise_chances, showdowns_with
from ..exact.solver import Tablebase, explain, in_tablebase, same_action
from ..exact.tables import UNKNOWN
from ..numeric import Floats, Ints
from .opponent_models import (
    UNKNOWN_PLAYER,
    OpponentModel,
    belief,
    bid_chances,
    check_searchable,
    match_distribution,
    models_of,
    other_seats,
    seat_situation,
)

EQUILIBRIUM = "equilibrium"
ODDS = "plain odds"
RARE_BID = 1e-4
"""Bids that perfect play makes less often than this are artefacts of the solution: they say nothing about the dice."""
UNEXPECTED_BID = "perfect play hardly ever makes this bid"
"""Said in the source when a round in the tablebase is not measured against it."""
PLAYED = 0.001
"""Actions that perfect play takes at least this often are as good as the best: an equilibrium mixes only equals."""
MOST_EXCUSED = 0.05
"""The largest loss that is excused for such an action."""
MOST_BELIEFS = 3000
"""Beyond this many beliefs about a player who mixes, the player is assumed to do what it does most often."""


class AdvisedChoice(msgspec.Struct, frozen=True):
    """One legal action and what it is worth."""

    action: Action
    win_chance: float
    """The chance to win the round after it (with more than two players: not to lose it)."""
    chance: float | None = None
    """How often perfect play takes it, if that is known."""


class Advice(msgspec.Struct, frozen=True):
    """All legal actions by merit, the reason for the best, and what the numbers rest on."""

    choices: tuple[AdvisedChoice, ...]
    """Every legal action, best first."""
    why: str
    """The reason for the best action, in one sentence."""
    source: str
    """What the numbers rest on, such as `equilibrium` or `opponent model: optimal`."""
    holds: float | None
    """The chance that the current bid holds, by the same source; None before the first bid."""
    given: str = ""
    """The assumption behind the numbers in words: `against an unknown opponent`, or `given how optimal plays`."""
    aim: str = "wins"
    """What the chances measure, as a verb: `wins` or `is safe`."""
    tolerance: float = 0.0
    """Differences between chances up to this are within the error of the source."""
    excused: float = 0.0
    """The same, for actions that perfect play takes at least one time in a thousand."""
    habits: Advice | None = None
    """The same decision by what the known habits of other players allow; None if no other player's are known."""

    @property
    def best(self) -> Action:
        """The best action."""
        return self.choices[0].action

    @property
    def win_chance(self) -> float:
        """The chance to win the round with the best play."""
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


def advise(view: GameView, models: Sequence[OpponentModel] | None = None) -> Advice:
    """Advice to the player of this view, from what the view holds: the player's own dice, the bids and the names.

    The advice is for a game with players of whom nothing is known. `models` has one model per seat, which say whose
    habits are known: `Advice.habits` is what these allow. By default the models follow from the players' names.
    """
    if not view.is_my_turn:
        raise BadValueError("view", view.name, "the view of the player whose turn it is")
    advice = _against_unknown(view)
    models = models_of(view.public.names) if models is None else models
    if not any(models[seat].known for seat in other_seats(view)):
        return advice
    with suppress(OutOfReachError):
        return msgspec.structs.replace(advice, habits=_against_models(view, models))
    return advice


def prepare(public: PublicState, models: Sequence[OpponentModel] | None = None) -> None:
    """Load, build and compile what advice to the player to move needs, so that `advise` answers at once.

    This can take some seconds, so run it in a thread. It does not look at any dice.
    """
    seat = public.current_player
    if public.status == "BIDDING":
        advise(GameView(seat, (1,) * public.dice_counts[seat], public), models)


def _against_unknown(view: GameView) -> Advice:
    """Advice against players of whom nothing is known."""
    surprised = False
    if in_tablebase(view.public):
        found = _from_tablebase(view)
        if found is not None:
            return found
        surprised = True
    try:
        found = _against_models(view, (UNKNOWN_PLAYER,) * len(view.public.names))
    except OutOfReachError:
        return _by_odds(view)
    return msgspec.structs.replace(found, source=f"{found.source} ({UNEXPECTED_BID})") if surprised else found


def _against_models(view: GameView, models: Sequence[OpponentModel]) -> Advice:
    """Advice against players who follow these models; `OutOfReachError` if that would take too long."""
    if len(other_seats(view)) == 1 and view.config.max_turns is None:
        with suppress(OutOfReachError):
            return _against_one(view, models[other_seats(view)[0]])
    return _against_many(view, models)


# -- the tablebase -----------------------------------------------------------------------------------------------------


def _from_tablebase(view: GameView) -> Advice | None:
    """Advice against perfect play; None after a bid that perfect play hardly ever makes, whose meaning is unknown."""
    own, other = len(view.my_dice), view.other_dice
    opens = len(view.public.bid_history) % 2 == 0
    solved = Tablebase.shipped().round(*((own, other) if opens else (other, own)))
    found = explain(solved.tree, solved.pool, view.public.bid_history, view.my_dice)
    if found.rarest < RARE_BID:
        return None
    choices = [AdvisedChoice(c.action, _chance(c.value), c.chance if found.comes_here else None) for c in found.choices]
    current = view.current_bid
    holds = None if current is None else 1 - _chance(found.of(CallLiarAction()).value)
    error = (solved.upper - solved.lower) / 2
    advice = _advice(view, choices, EQUILIBRIUM, "against perfect play", holds, error)
    return msgspec.structs.replace(advice, excused=min(MOST_EXCUSED, error / found.reach))


def _chance(value: float) -> float:
    """A chance to win from a value between -1 and 1."""
    return min(1.0, max(0.0, (1 + float(value)) / 2))


# -- one opponent ------------------------------------------------------------------------------------------------------


def _against_one(view: GameView, model: OpponentModel) -> Advice:
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
    return _advice(view, choices, model.source, _plays(view, seat, model), holds)


def _plays(view: GameView, seat: int, model: OpponentModel) -> str:
    name = view.public.names[seat]
    return f"given how {name} plays" if model.known else "against an unknown opponent"


# -- more than one -----------------------------------------------------------------------------------------------------


def _against_many(view: GameView, models: Sequence[OpponentModel]) -> Advice:
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
    return _advice(view, choices, source, given, holds)


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


def _by_odds(view: GameView) -> Advice:
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
    return _advice(view, choices, ODDS, "by the odds", None if current is None else chance_true(view, current))


# -- in words ----------------------------------------------------------------------------------------------------------


def _advice(
    view: GameView, choices: list[AdvisedChoice], source: str, given: str, holds: float | None, tolerance: float = 0.0
) -> Advice:
    """The advice with its choices sorted by merit. Among choices that are best within the error of the source, the one
    that perfect play takes most often comes first; among equals, a call comes first, then the lowest bid.
    """
    top = max(choice.win_chance for choice in choices)

    def merit(choice: AdvisedChoice) -> tuple[float, float, bool]:
        """The sort key: the best first; `sorted` keeps the order of equals."""
        taken = choice.chance if choice.chance is not None and top - choice.win_chance <= tolerance else 0.0
        return -taken, -round(choice.win_chance, 9), isinstance(choice.action, BidAction)

    ordered = tuple(sorted(choices, key=merit))
    best = ordered[0]
    aim = "wins" if len(other_seats(view)) == 1 else "is safe"
    current = view.current_bid
    standing = ""
    if holds is not None and current is not None:
        standing = f"{say_bid(current)} holds {percent(holds)} of the time {given}, and "
    what = named(best.action)
    closing = f" {given}" if holds is None else ""
    why = f"{standing}{what} {aim} {percent(best.win_chance)} of the time{closing}."
    return Advice(ordered, why[0].upper() + why[1:], source, holds, given, aim, tolerance)


def named(action: Action) -> str:
    """An action as the subject of a sentence: `bidding three fours` or `calling liar`."""
    return f"bidding {say_bid(action.bid)}" if isinstance(action, BidAction) else f"calling {action}"
