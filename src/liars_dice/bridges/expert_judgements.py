"""What the package's experts do at many decisions at once, and what each move is worth to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..agents import Agent, BatchAgent, make_agent
from ..core import Action, BidAction, CallExactAction, CallLiarAction, GameView
from ..exact.solver import solved_policy, solved_round, values_by_hand
from ..learn.champion.player import EXACT, FACES, LIAR, fits, seen_in
from ..learn.champion.values import ChampionValues

ExpertName = Literal["nash", "champion"]
MOST_KEPT = 400_000
"""Judgements that are remembered at most; then all are forgotten, to limit memory."""


class Judgement(NamedTuple):
    """One decision of an expert."""

    chances: dict[Action, float]
    """How often it makes each move."""
    values: dict[Action, float]
    """The chance to win after each of these moves; empty where the expert has no values."""
    best: float | None
    """The chance to win after the best move."""
    holds: float | None
    """The chance that the current bid is true, if it is known."""


class Expert(ABC):
    """A player that knows what its moves are worth."""

    value_of: Literal["round", "game"]
    """What the values are chances to win."""

    @abstractmethod
    def judge(self, views: Sequence[GameView]) -> list[Judgement]:
        """Its decisions in these views."""


class NashExpert(Expert):
    """Perfect play in solved rounds. Values are exact: the chance to win the round or, in the rounds of a Perudo match,
    the match. In rounds that are not solved it plays as `nash` does, without values.
    """

    value_of = "round"

    def __init__(self) -> None:
        self._agent: Agent = make_agent("nash")
        self._known: dict[object, Judgement] = {}
        self._by_hand: dict[object, dict[Action, list[float]]] = {}

    def judge(self, views: Sequence[GameView]) -> list[Judgement]:
        """Its decisions in these views. Solved rounds repeat themselves, so decisions are remembered."""
        return [self._one(view) for view in views]

    def _one(self, view: GameView) -> Judgement:
        public = view.public
        key = (public.rules, public.dice_counts[public.opener], view.my_dice, public.bid_history)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            found = self._known[key] = self._judged(view)
        return found

    def _judged(self, view: GameView) -> Judgement:
        solution, advised = solved_round(view.public), solved_policy(view)
        if solution is None or advised is None:
            return Judgement(dict(self._agent.policy(view) or {}), {}, None, None)
        game, solved = solution
        seat = len(view.public.bid_history) % 2
        place = (game, solved.tree.config.dice, view.public.bid_history)
        if place not in self._by_hand:
            found = values_by_hand(solved.tree, solved.pool, view.public.bid_history)
            self._by_hand[place] = {action: ((1 + worth) / 2).tolist() for action, worth in found.items()}
        hand = solved.tree.hand_sets[seat].index[view.my_dice]
        worth = {action: min(1.0, max(0.0, by_hand[hand])) for action, by_hand in self._by_hand[place].items()}
        chances = {action: chance for action, chance in advised[1].items() if chance > 0}
        holds = 1 - worth[CallLiarAction()] if view.current_bid is not None and game != "perudo match" else None
        return Judgement(chances, {action: worth[action] for action in chances}, max(worth.values()), holds)


class ChampionExpert(Expert):
    """The champion. Values are its own estimates of the chance to win the game; by other rules it has none."""

    value_of = "game"

    def __init__(self) -> None:
        agent = make_agent("champion")
        assert isinstance(agent, BatchAgent)
        self._agent = agent

    def judge(self, views: Sequence[GameView]) -> list[Judgement]:
        """Its decisions in these views, asked of the networks all at once."""
        policies = [
            {action: chance for action, chance in policy.items() if chance > 0}
            for policy in self._agent.policies(views)
        ]
        judged = [Judgement(policy, {}, None, None) for policy in policies]
        fitting = [number for number, view in enumerate(views) if fits(view.config)]
        if not fitting:
            return judged
        seen = [seen_in(views[number]) for number in fitting]
        for number, worth in zip(fitting, ChampionValues.shipped().worth(seen), strict=True):
            legal = views[number].legal_actions
            values = {action: float(worth.actions[_number(action)]) for action in legal}
            holds = 1 - worth.below if views[number].current_bid is not None else None
            taken = {action: values[action] for action in policies[number]}
            judged[number] = Judgement(policies[number], taken, max(values.values()), holds)
        return judged


def _number(action: Action) -> int:
    """The champion's number of an action."""
    if isinstance(action, BidAction):
        return (action.bid.quantity - 1) * FACES + action.bid.face - 1
    return EXACT if isinstance(action, CallExactAction) else LIAR


EXPERTS: dict[ExpertName, type[Expert]] = {"nash": NashExpert, "champion": ChampionExpert}
