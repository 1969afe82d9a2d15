"""Who advises: the best strategy known for the round, named in the advice.

Solved rounds come first, then the short-memory strategies (two players, more dice than are solved), then the
champion's values (Perudo for two to six players), then rounds small enough to be solved at once, then models of unknown
players, and the odds alone where even those take too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from ..core import BadValueError, GameView, PublicState
from ..exact import OutOfReachError
from ..exact.solver import solved_round
from .advice import Advice
from .champion_advice import from_champion
from .model_advice import against_models, by_odds
from .opponent_models import UNKNOWN_PLAYER, OpponentModel, models_of, other_seats
from .short_memory_advice import from_short_memory
from .solved_advice import from_round_by_itself, from_solved_round, round_by_itself

UNEXPECTED_BID = "perfect play hardly ever makes this bid, so this model judges what it says about the dice"
"""Said in the source when a solved round is not measured against its solution."""


def advise(view: GameView, models: Sequence[OpponentModel] | None = None) -> Advice:
    """Advice to the player of this view, from what the view holds: the player's own dice, the bids and the names.

    The advice is for a game with players of whom nothing is known. `models` has one model per seat, which say whose
    habits are known: `Advice.habits` is what these allow. By default the models follow from the players' names.
    """
    if not view.is_my_turn:
        raise BadValueError("view", view.name, "the view of the player whose turn it is")
    advice = _against_unknown(view)
    models = models_of(view.public.names) if models is None else models
    others = other_seats(view)
    if not any(models[seat].known for seat in others) or (len(others) > 1 and advice.of_what == "game"):
        return advice  # at larger tables the habits are looked at one answer ahead, which says less than the champion
    aim = "wins the round" if advice.of_what == "game" else ""  # said, since the advice itself is about the game
    with suppress(OutOfReachError):
        return msgspec.structs.replace(advice, habits=against_models(view, models, aim=aim))
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
    for source in (from_solved_round, from_short_memory):
        if (found := source(view)) is not None:
            return found
    surprised = solved_round(view.public, or_round=True) is not None
    if (not surprised or view.config.wild != "none") and (found := from_champion(view)) is not None:
        return found
    if not surprised:
        if (found := from_round_by_itself(view)) is not None:
            return found
        surprised = round_by_itself(view.public) is not None
    try:
        found = against_models(view, (UNKNOWN_PLAYER,) * len(view.public.names))
    except OutOfReachError:
        return by_odds(view)
    return msgspec.structs.replace(found, source=f"{found.source} ({UNEXPECTED_BID})") if surprised else found
