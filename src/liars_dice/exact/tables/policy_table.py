"""A memoryless agent as a table: for every hand and current bid, what it does."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...agents import (
    Agent,
    AgentLike,
    GameStart,
    Guard,
    PolicyError,
    as_agent,
    ask,
    ask_all,
    check_same,
    states_policy,
    tell,
    unguarded,
)
from ...core import (
    Action,
    BidAction,
    CallExactAction,
    RoundRules,
    RulesLike,
    agent_id,
    as_config,
    parse_bid,
    round_rules,
)
from .action_mixes import ActionMixes
from .builtin_policies import VECTORISED
from .hands import HandSet, hand_set
from .odds_by_hand import decision_odds
from .situation import Situation

UNKNOWN = np.iinfo(np.int32).min
"""A cell that has not been needed yet, or that no game leads to."""


SECOND_LOOK = 5_000
"""This many cells of a complete table are asked for again, in another order, to find agents that only claim to be
memoryless. Every question is also asked twice in a row, to find agents that decide at random without saying so."""


class PolicyTable:
    """What an agent does in one situation: `cells[hand, rung + 1]`, where rung -1 stands for no bid yet.

    A cell is a rung to bid, `liar` or `exact`, or, below zero, a distribution over these in `mixes`. Cells of built-in
    agents are all there from the start; other agents are asked when a cell is first needed.

    >>> from liars_dice.agents import make_agent
    >>> from liars_dice.core import preset
    >>> table = PolicyTable.of(make_agent("optimal"), preset("heads-up"), own=2, other=1)
    >>> [str(action) for bid in (None, "1x3", "3x6") for action in table[(2, 6), bid]]
    ['1x2', '1x6', 'liar']
    """

    def __init__(
        self, agent: Agent, situation: Situation, mixes: ActionMixes | None = None, guard: Guard = unguarded
    ) -> None:
        if not getattr(agent, "memoryless", False):
            raise PolicyError(f"{agent_id(agent)} does not declare `memoryless`: no table can hold what it does")
        rules = situation.rules
        self.agent = agent
        self._guard = guard
        self.situation = situation
        self.mixes = ActionMixes() if mixes is None else mixes
        self.hands: HandSet = hand_set(situation.own, rules.config.faces)
        self.size = len(rules.ladder)
        """How many rungs there are."""
        self.liar, self.exact = self.size, self.size + 1
        compiler = VECTORISED.get(type(agent))
        self.cells: NDArray[np.int32] = np.full((len(self.hands), self.size + 1), UNKNOWN, dtype=np.int32)
        if compiler is not None:
            numbers = decision_odds(situation)
            self.cells[:, numbers.arises] = compiler(agent, numbers, self.mixes)[:, numbers.arises]
        self.is_complete = compiler is not None

    @classmethod
    def of(cls, agent: AgentLike, config: RulesLike, *, own: int, other: int, palifico: bool = False) -> PolicyTable:
        """The table of an agent with `own` dice against `other` dice."""
        config = as_config(config, players=2)
        return cls(as_agent(agent), Situation(round_rules(config.without_seed, own + other, palifico), own))

    def __getitem__(self, key: tuple[tuple[int, ...], str | None]) -> dict[Action, float]:
        """What the agent does with a hand after a bid (None: it opens), with probabilities."""
        hand, bid = key
        rung = -1 if bid is None else self.situation.rules.ladder.rung(parse_bid(bid))
        return self.distribution(self.hands.index[tuple(sorted(hand))], rung)

    def distribution(self, hand: int, rung: int) -> dict[Action, float]:
        """What the agent does in a cell, as actions with probabilities."""
        cell = self.cell(hand, rung)
        if cell == UNKNOWN:
            return {}
        moves = self.situation.rules.moves
        return {moves[a]: c for a, c in (self.mixes[cell] if cell < 0 else {cell: 1.0}).items()}

    def cell(self, hand: int, rung: int) -> int:
        """A cell, made now if it was not needed before."""
        cell = int(self.cells[hand, rung + 1])
        if cell == UNKNOWN and not self.is_complete:
            self.fill([(hand, rung)])
            cell = int(self.cells[hand, rung + 1])
        return cell

    def complete(self) -> PolicyTable:
        """Make every cell."""
        if not self.is_complete:
            every = list(np.ndindex(self.cells.shape))
            self.fill([(hand, column - 1) for hand, column in every])
            looks = []
            for hand, column in random.Random(0).sample(every, min(SECOND_LOOK, len(every))):
                view = self.situation.view(self.hands.hands[hand], column - 1)
                if view is not None:
                    looks.append((view, self.distribution(hand, column - 1)))
            check_same(self.agent, looks, self._guard)
            self.is_complete = True
        return self

    def fill(self, places: Sequence[tuple[int, int]]) -> None:
        """Make these cells, each given as (hand, rung), unless they are there. Each question is asked twice."""
        views = {}
        for hand, rung in places if not self.is_complete else ():
            if self.cells[hand, rung + 1] == UNKNOWN:
                view = self.situation.view(self.hands.hands[hand], rung)
                if view is not None:
                    views[hand, rung + 1] = view
        answers = ask_all(self.agent, list(views.values()), self._guard)
        for place, chances in zip(views, answers, strict=True):
            actions = [action_number(action, self.situation.rules) for action in chances]
            self.cells[place] = self.mixes.add(actions, tuple(chances.values()))


def action_number(action: Action, rules: RoundRules) -> int:
    """The place of an action among `rules.moves`: its rung, or one of the calls behind the last rung."""
    if isinstance(action, BidAction):
        return rules.rungs[action.bid]
    return len(rules.bids) + isinstance(action, CallExactAction)


class PolicyBook:
    """All tables of one agent, each made when it is first needed, with one collection of distributions."""

    def __init__(self, agent: Agent, guard: Guard = unguarded) -> None:
        self.agent = agent
        self._guard = guard
        self.mixes = ActionMixes()
        self._tables: dict[Situation, PolicyTable] = {}

    def __getitem__(self, situation: Situation) -> PolicyTable:
        if situation not in self._tables:
            if not self._tables and not self.is_vectorised:
                tell(self.agent, GameStart(situation.rules.config, 0, seed=0), self._guard)
            self._tables[situation] = PolicyTable(self.agent, situation, self.mixes, self._guard)
        return self._tables[situation]

    @property
    def is_vectorised(self) -> bool:
        """Whether whole tables are computed, without asking the agent."""
        return type(self.agent) in VECTORISED

    @property
    def is_deterministic(self) -> bool:
        """Whether the agent never mixes, as far as is known without asking it."""
        return not states_policy(self.agent)


def disagreements(table: PolicyTable, agent: Agent) -> Iterator[str]:
    """Every cell of a table where the agent, asked now, does something else."""
    for hand, dice in enumerate(table.hands.hands):
        for rung in range(-1, table.size):
            view = table.situation.view(dice, rung)
            if view is None:
                continue
            said, asked = table.distribution(hand, rung), ask(agent, view)
            if said.keys() != asked.keys() or any(abs(said[a] - asked[a]) > 1e-12 for a in said):
                yield f"with {dice} after {view.current_bid or 'no bid'}: table {said}, agent {asked}"
