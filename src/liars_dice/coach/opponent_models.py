"""Models of the other players, and what their bids say about their dice.

A memoryless bot that is known by name is modelled as itself. An unknown player is assumed to decide like one of three
bots, each equally likely, and to do anything legal with probability `SLIP`: so no bid is impossible, and no bid proves
a hand. The same goes for the answers that the player is still to give.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import msgspec
import numpy as np

from ..agents import AGENTS, make_agent
from ..core import Bid, GameView, LiarsDiceError, PublicState, RoundRules, without_number
from ..exact import OutOfReachError
from ..exact.response import BeliefGraph
from ..exact.tables import UNKNOWN, PolicyBook, PolicyTable, Situation, number_of_hands, situation_after
from ..numeric import Floats, Ints

STRANGER = ("optimal", "conservative", "probabilistic")
"""The bots that an unknown player may decide like, each equally likely."""
SLIP = 0.25
"""How often an unknown player does anything legal, whatever its hand."""
MOST_HANDS = 20_000
"""Players with more different hands than this are not modelled: their bids say nothing about their dice."""
MOST_MODELLED = 400_000
"""Players whose tables have more cells (hands times rungs) than this are not modelled either."""
MOST_CELLS = 60_000
"""Tables with more cells (hands times rungs) than this are not searched; six dice each have 33,264."""


class OpponentModel(msgspec.Struct, frozen=True, dict=True):
    """How a player is assumed to decide."""

    names: tuple[str, ...]
    """The bots that the player may decide like, each equally likely."""
    slip: float = 0.0
    """How often the player does anything legal instead."""
    bot: str = ""
    """The built-in bot that the player is, if that is known: how strong it is is then known, too."""

    @property
    def known(self) -> bool:
        """Whether the player is known to decide like this, rather than assumed to."""
        return self.slip == 0

    @property
    def source(self) -> str:
        """The source named in advice and verdicts by this model."""
        return f"opponent model: {self}"

    def __str__(self) -> str:
        return self.names[0] if self.known else f"{', '.join(self.names[:-1])} or {self.names[-1]}"

    @cached_property
    def books(self) -> tuple[PolicyBook, ...]:
        """The policies of the bots."""
        return tuple(PolicyBook(make_agent(name)) for name in self.names)

    @cached_property
    def _graphs(self) -> dict[Situation, BeliefGraph]:
        return {}

    def tables(self, situation: Situation) -> tuple[PolicyTable, ...]:
        """The policy table of each bot in a situation."""
        hands = number_of_hands(situation.own, situation.rules.config.faces)
        if hands > MOST_HANDS or hands * len(situation.rules.bids) > MOST_MODELLED:
            raise OutOfReachError(f"{situation.own} dice have too many hands to model")
        return tuple(book[situation].complete() for book in self.books)

    def graph(self, situation: Situation) -> BeliefGraph:
        """The sets of hands that the player's bids can leave possible."""
        if situation not in self._graphs:
            check_searchable(situation.rules, situation.own)
            self._graphs[situation] = BeliefGraph(*self.tables(situation), slip=self.slip)
        return self._graphs[situation]

    def likelihood(self, situation: Situation, rung: int, action: int) -> Floats:
        """[bot, hand]: the probability of the action after a bid on this rung (-1: no bid yet)."""
        meant = np.stack([_likelihood(table, rung, action) for table in self.tables(situation)])
        slipped = self.slip / _choices(situation.rules, rung)
        chances: Floats = (1 - self.slip) * meant + slipped
        return chances


def check_searchable(rules: RoundRules, own: int) -> None:
    """Raise `OutOfReachError` if the table of a player with `own` dice is too large to search."""
    if number_of_hands(own, rules.config.faces) * len(rules.bids) > MOST_CELLS:
        raise OutOfReachError(f"with {own} of {rules.total_dice} dice, the coach looks only one answer ahead")


UNKNOWN_PLAYER = OpponentModel(STRANGER, SLIP)
"""The model of a player of whom nothing is known."""


@lru_cache(maxsize=64)
def model_of(name: str) -> OpponentModel:
    """The model of a player with this name."""
    kind = without_number(name)
    if kind in AGENTS:
        bot = AGENTS[kind].name
        return OpponentModel((kind,), bot=bot) if AGENTS[kind].memoryless else OpponentModel(STRANGER, SLIP, bot)
    if kind.startswith("threshold:"):
        try:
            make_agent(kind)
        except LiarsDiceError:
            return UNKNOWN_PLAYER
        return OpponentModel((kind,))
    return UNKNOWN_PLAYER


def seat_situation(public: PublicState, seat: int, made: int) -> Situation:
    """The situation in which a seat decides after the first `made` bids of the round."""
    return situation_after(public.rules, public.dice_counts[seat], public.bid_history[:made])


def _likelihood(table: PolicyTable, rung: int, action: int) -> Floats:
    cells = table.cells[:, rung + 1]
    chances: Floats = (cells == action).astype(np.float64)
    mixed = cells[cells < 0]
    for cell in np.unique(mixed[mixed != UNKNOWN]).tolist() if mixed.size else ():
        chances[cells == cell] = table.mixes[cell].get(action, 0.0)
    return chances


def belief(public: PublicState, seat: int, model: OpponentModel) -> Floats:
    """[bot, hand]: the probability that a seat decides like each bot of the model and holds each hand, given its bids
    in this round; the sum is 1.

    A bid that the model would make with none of the remaining hands is ignored.
    """
    places = tuple(made for made, bidder in enumerate(public.bidders) if bidder == seat)
    told = public.bid_history[: places[-1] + 1] if places else ()
    return _belief(public.rules, public.dice_counts[seat], told, places, model)


@lru_cache(maxsize=256)
def _belief(
    rules: RoundRules, own: int, told: tuple[Bid, ...], places: tuple[int, ...], model: OpponentModel
) -> Floats:
    """The belief after a player's last bid. `told` are all bids up to it; those at `places` are the player's own."""
    weights: Floats
    if not places:
        prior = model.tables(situation_after(rules, own, ()))[0].hands.weights
        weights = np.tile(prior / len(model.names), (len(model.names), 1))
    else:
        *earlier, last = places
        weights = _belief(rules, own, told[: earlier[-1] + 1] if earlier else (), tuple(earlier), model)
        before = rules.rungs[told[last - 1]] if last else -1
        chances = model.likelihood(situation_after(rules, own, told[:last]), before, rules.rungs[told[last]])
        if (weights * chances).any():
            weights = weights * chances
            weights /= weights.sum()
    weights.setflags(write=False)
    return weights


def _choices(rules: RoundRules, rung: int) -> int:
    """How many actions are legal after a rung."""
    return len(rules.opening) if rung < 0 else len(rules.moves) - rung - 1


def match_distribution(public: PublicState, seats: Iterable[int], models: Sequence[OpponentModel], face: int) -> Floats:
    """The probability of each number of dice that match a face among these seats, given their bids."""
    chances: Floats = np.ones(1)
    for seat in seats:
        hands = models[seat].tables(seat_situation(public, seat, 0))[0].hands
        counts = hands.matches(public.rules.wild_face)[:, face]
        chances = np.convolve(chances, np.bincount(counts, belief(public, seat, models[seat]).sum(axis=0)))
    return chances


def bid_chances(missing: Ints, chances: Floats) -> tuple[Floats, Floats]:
    """The chances that a bid is true, and exactly right, if `missing` more dice must match.

    `chances` has the probability of each number of matching dice.
    """
    most = len(chances)
    at_least = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
    exactly = np.where((missing >= 0) & (missing < most), chances[np.clip(missing, 0, most - 1)], 0.0)
    return at_least[np.clip(missing, 0, most)], exactly


def models_of(names: tuple[str, ...]) -> tuple[OpponentModel, ...]:
    """The model of every seat, by its player's name."""
    return tuple(map(model_of, names))


def other_seats(view: GameView) -> list[int]:
    """The other seats with dice, the next to move first."""
    counts = view.public.dice_counts
    seats = [*range(view.player_id + 1, len(counts)), *range(view.player_id)]
    return [seat for seat in seats if counts[seat]]
