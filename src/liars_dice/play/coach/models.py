"""What the coach takes the other players to be, and what their bids say about their dice.

A bot that is known by name and memoryless is taken as it is. Everybody else is taken for a *softened* `optimal`: with a
chance of `SLIP` a bid is any legal one, so no bid is impossible and none proves a hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import msgspec
import numpy as np

from ...agents import AGENTS, make_agent
from ...core import GameView, LiarsDiceError
from ...core.rules import RoundRules
from ...core.state import PublicState
from ...exact import PolicyBook, PolicyTable, Situation
from ...exact.beliefs import BeliefGraph
from ...exact.errors import OutOfReachError
from ...exact.hands import Floats, Ints, number_of_hands
from ...exact.policy import UNKNOWN
from ...exact.situation import ANY_RAISE, CALLS_ONLY

DEFAULT = "optimal"
"""Whom the coach takes an unknown player for."""
SLIP = 0.25
"""How often an unknown player bids anything at all."""
MOST_HANDS = 20_000
"""Players with more different hands than this are not modelled: their dice are taken as fair."""


class Model(msgspec.Struct, frozen=True, dict=True):
    """How a player is taken to decide."""

    name: str
    slip: float = 0.0
    """How often a bid is any legal one."""

    @property
    def known(self) -> bool:
        """Whether the player is known to decide so."""
        return self.slip == 0

    @property
    def source(self) -> str:
        """What a judgement by this model rests on."""
        return f"opponent model: {self.name}" + ("" if self.known else ", softened")

    @cached_property
    def book(self) -> PolicyBook:
        """The model's tables."""
        return PolicyBook(make_agent(self.name))

    @cached_property
    def _graphs(self) -> dict[Situation, BeliefGraph]:
        return {}

    def table(self, situation: Situation) -> PolicyTable:
        """What the model does in a situation."""
        if number_of_hands(situation.own, situation.rules.config.faces) > MOST_HANDS:
            raise OutOfReachError(f"{situation.own} dice make too many hands to be told apart")
        return self.book[situation].complete()

    def graph(self, situation: Situation) -> BeliefGraph:
        """The sets of hands that its bids can leave."""
        if situation not in self._graphs:
            self._graphs[situation] = BeliefGraph(self.table(situation))
        return self._graphs[situation]


@lru_cache(maxsize=64)
def model_of(name: str) -> Model:
    """The model of a player who is called so."""
    kind = name.partition("#")[0]
    if kind in AGENTS and AGENTS[kind].memoryless:
        return Model(kind)
    if kind.startswith("threshold:"):
        try:
            make_agent(kind)
        except LiarsDiceError:
            return Model(DEFAULT, SLIP)
        return Model(kind)
    return Model(DEFAULT, SLIP)


def situation_after(public: PublicState, seat: int, made: int) -> Situation:
    """The situation in which a seat decides after the first `made` bids of the round."""
    rules, own = public.rules, public.dice_counts[seat]
    most = rules.config.max_turns
    if most is not None and made >= most:
        return Situation(rules, own, CALLS_ONLY)
    keeps_face = rules.palifico and own > 1 and made > 0
    return Situation(rules, own, public.bid_history[0].face if keeps_face else ANY_RAISE)


def likelihood(table: PolicyTable, rung: int, action: int) -> Floats:
    """How probable the action is with each hand after a bid on this rung (-1: none yet)."""
    cells = table.cells[:, rung + 1]
    chances: Floats = (cells == action).astype(np.float64)
    for cell in np.unique(cells[(cells < 0) & (cells != UNKNOWN)]).tolist():
        chances[cells == cell] = table.mixes[cell].get(action, 0.0)
    return chances


def belief(public: PublicState, seat: int, model: Model) -> Floats:
    """How likely each hand of a seat is, given what it has bid in this round; the weights add up to one.

    A bid that the model would make with none of the hands left says nothing.
    """
    rules = public.rules
    weights: Floats = model.table(situation_after(public, seat, 0)).hands.weights.copy()
    before = -1
    for made, (bidder, bid) in enumerate(zip(public.bidders, public.bid_history, strict=True)):
        rung = rules.rungs[bid]
        if bidder == seat:
            chances = likelihood(model.table(situation_after(public, seat, made)), before, rung)
            if model.slip:
                chances = (1 - model.slip) * chances + model.slip / _choices(rules, before)
            if (weights * chances).any():
                weights = weights * chances
                weights /= weights.sum()
        before = rung
    return weights


def _choices(rules: RoundRules, rung: int) -> int:
    """About how many actions there are after a rung."""
    return len(rules.opening) if rung < 0 else len(rules.moves) - rung - 1


def matching(public: PublicState, seats: Iterable[int], models: Sequence[Model], face: int) -> Floats:
    """How likely each number of dice that count for a face is among these seats, given what they have bid."""
    chances: Floats = np.ones(1)
    for seat in seats:
        hands = models[seat].table(situation_after(public, seat, 0)).hands
        counts = hands.matches(public.rules.wild_face)[:, face]
        chances = np.convolve(chances, np.bincount(counts, belief(public, seat, models[seat])))
    return chances


def holding(missing: Ints, chances: Floats) -> tuple[Floats, Floats]:
    """How likely at least, and exactly, so many more dice count, if each number of them is as likely as given."""
    most = len(chances)
    at_least = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
    exactly = np.where((missing >= 0) & (missing < most), chances[np.clip(missing, 0, most - 1)], 0.0)
    return at_least[np.clip(missing, 0, most)], exactly


def models_at(names: tuple[str, ...]) -> tuple[Model, ...]:
    """The model of every seat."""
    return tuple(map(model_of, names))


def others(view: GameView) -> list[int]:
    """The other seats that have dice, the next to move first."""
    counts = view.public.dice_counts
    seats = [*range(view.player_id + 1, len(counts)), *range(view.player_id)]
    return [seat for seat in seats if counts[seat]]
