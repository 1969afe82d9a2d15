"""What the coach takes the other players to be, and what their bids say about their dice.

A bot that is known by name and memoryless is taken as it is. Everybody else is taken to decide like one of three bots,
nobody knows which, and to bid anything at all with a chance of `SLIP`: so no bid is impossible and none proves a hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import msgspec
import numpy as np

from ..agents import AGENTS, make_agent
from ..core import Bid, GameView, LiarsDiceError, PublicState, RoundRules
from ..exact import OutOfReachError
from ..exact.response import BeliefGraph
from ..exact.tables import ANY_RAISE, CALLS_ONLY, UNKNOWN, PolicyBook, PolicyTable, Situation, number_of_hands
from ..numeric import Floats, Ints

STRANGER = ("optimal", "conservative", "probabilistic")
"""Whom the coach takes an unknown player for: one of these, each as likely as the others."""
SLIP = 0.25
"""How often an unknown player bids anything at all."""
MOST_HANDS = 20_000
"""Players with more different hands than this are not modelled: their dice are taken as fair."""
MOST_MODELLED = 400_000
"""Nor are players whose tables have more cells (hands times rungs) than this."""
MOST_CELLS = 60_000
"""Tables with more cells (hands times rungs) than this are not searched through; six dice each make 33,264."""


class OpponentModel(msgspec.Struct, frozen=True, dict=True):
    """How a player is taken to decide."""

    names: tuple[str, ...]
    """The bots it may decide like."""
    slip: float = 0.0
    """How often a bid is any legal one."""

    @property
    def known(self) -> bool:
        """Whether the player is known to decide so."""
        return self.slip == 0

    @property
    def source(self) -> str:
        """What a judgement by this model rests on."""
        return f"opponent model: {self}"

    def __str__(self) -> str:
        return self.names[0] if self.known else f"{', '.join(self.names[:-1])} or {self.names[-1]}"

    @cached_property
    def books(self) -> tuple[PolicyBook, ...]:
        """The bots' tables."""
        return tuple(PolicyBook(make_agent(name)) for name in self.names)

    @cached_property
    def _graphs(self) -> dict[Situation, BeliefGraph]:
        return {}

    def tables(self, situation: Situation) -> tuple[PolicyTable, ...]:
        """What each bot does in a situation."""
        hands = number_of_hands(situation.own, situation.rules.config.faces)
        if hands > MOST_HANDS or hands * len(situation.rules.bids) > MOST_MODELLED:
            raise OutOfReachError(f"{situation.own} dice make too many hands to be told apart")
        return tuple(book[situation].complete() for book in self.books)

    def graph(self, situation: Situation) -> BeliefGraph:
        """The sets of hands that its bids can leave."""
        if situation not in self._graphs:
            check_searchable(situation.rules, situation.own)
            self._graphs[situation] = BeliefGraph(*self.tables(situation))
        return self._graphs[situation]

    def likelihood(self, situation: Situation, rung: int, action: int) -> Floats:
        """[bot, hand]: how probable the action is after a bid on this rung (-1: none yet)."""
        return np.stack([_likelihood(table, rung, action) for table in self.tables(situation)])


def check_searchable(rules: RoundRules, own: int) -> None:
    """Raise `OutOfReachError` if the table of a player with so many dice is too large to be searched through."""
    if number_of_hands(own, rules.config.faces) * len(rules.bids) > MOST_CELLS:
        raise OutOfReachError(f"{own} of {rules.total_dice} dice are too many to look further ahead than one answer")


@lru_cache(maxsize=64)
def model_of(name: str) -> OpponentModel:
    """The model of a player who is called so."""
    kind = name.partition("#")[0]
    if kind in AGENTS and AGENTS[kind].memoryless:
        return OpponentModel((kind,))
    if kind.startswith("threshold:"):
        try:
            make_agent(kind)
        except LiarsDiceError:
            return OpponentModel(STRANGER, SLIP)
        return OpponentModel((kind,))
    return OpponentModel(STRANGER, SLIP)


def situation_after(public: PublicState, seat: int, made: int) -> Situation:
    """The situation in which a seat decides after the first `made` bids of the round."""
    return _situation(public.rules, public.dice_counts[seat], public.bid_history[:made])


def _situation(rules: RoundRules, own: int, history: tuple[Bid, ...]) -> Situation:
    """The situation of a player with so many dice after these bids."""
    most = rules.config.max_turns
    if most is not None and len(history) >= most:
        return Situation(rules, own, CALLS_ONLY)
    keeps_face = rules.palifico and own > 1 and bool(history)
    return Situation(rules, own, history[0].face if keeps_face else ANY_RAISE)


def _likelihood(table: PolicyTable, rung: int, action: int) -> Floats:
    cells = table.cells[:, rung + 1]
    chances: Floats = (cells == action).astype(np.float64)
    for cell in np.unique(cells[(cells < 0) & (cells != UNKNOWN)]).tolist():
        chances[cells == cell] = table.mixes[cell].get(action, 0.0)
    return chances


def belief(public: PublicState, seat: int, model: OpponentModel) -> Floats:
    """[bot, hand]: how likely it is that a seat decides like each of the model's bots and holds each hand, given what
    it has bid in this round; all add up to one.

    A bid that the model would make with none of the hands left says nothing.
    """
    places = tuple(made for made, bidder in enumerate(public.bidders) if bidder == seat)
    told = public.bid_history[: places[-1] + 1] if places else ()
    return _belief(public.rules, public.dice_counts[seat], told, places, model)


@lru_cache(maxsize=256)
def _belief(
    rules: RoundRules, own: int, told: tuple[Bid, ...], places: tuple[int, ...], model: OpponentModel
) -> Floats:
    """What the bids up to a player's last one say of it; those in these places are its own."""
    weights: Floats
    if not places:
        prior = model.tables(_situation(rules, own, ()))[0].hands.weights
        weights = np.tile(prior / len(model.names), (len(model.names), 1))
    else:
        *earlier, last = places
        weights = _belief(rules, own, told[: earlier[-1] + 1] if earlier else (), tuple(earlier), model)
        before = rules.rungs[told[last - 1]] if last else -1
        chances = model.likelihood(_situation(rules, own, told[:last]), before, rules.rungs[told[last]])
        if model.slip:
            chances = (1 - model.slip) * chances + model.slip / _choices(rules, before)
        if (weights * chances).any():
            weights = weights * chances
            weights /= weights.sum()
    weights.setflags(write=False)
    return weights


def _choices(rules: RoundRules, rung: int) -> int:
    """About how many actions there are after a rung."""
    return len(rules.opening) if rung < 0 else len(rules.moves) - rung - 1


def match_distribution(public: PublicState, seats: Iterable[int], models: Sequence[OpponentModel], face: int) -> Floats:
    """How likely each number of dice that count for a face is among these seats, given what they have bid."""
    chances: Floats = np.ones(1)
    for seat in seats:
        hands = models[seat].tables(situation_after(public, seat, 0))[0].hands
        counts = hands.matches(public.rules.wild_face)[:, face]
        chances = np.convolve(chances, np.bincount(counts, belief(public, seat, models[seat]).sum(axis=0)))
    return chances


def bid_chances(missing: Ints, chances: Floats) -> tuple[Floats, Floats]:
    """How likely at least, and exactly, so many more dice count, if each number of them is as likely as given."""
    most = len(chances)
    at_least = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
    exactly = np.where((missing >= 0) & (missing < most), chances[np.clip(missing, 0, most - 1)], 0.0)
    return at_least[np.clip(missing, 0, most)], exactly


def models_of(names: tuple[str, ...]) -> tuple[OpponentModel, ...]:
    """The model of every seat."""
    return tuple(map(model_of, names))


def other_seats(view: GameView) -> list[int]:
    """The other seats that have dice, the next to move first."""
    counts = view.public.dice_counts
    seats = [*range(view.player_id + 1, len(counts)), *range(view.player_id)]
    return [seat for seat in seats if counts[seat]]
