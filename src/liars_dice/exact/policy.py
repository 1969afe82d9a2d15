"""A memoryless agent as a table: for every hand and current bid, what it does (DESIGN: a policy is a table)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..agents import Agent
from ..core import Action, BidAction, CallExactAction, CallLiarAction, GameConfig, GameView, LiarsDiceError, parse_bid
from ..core.engine import agent_id
from ..core.rules import round_rules
from ..core.transition import can_apply
from .hands import HandSet, hand_set
from .mixes import Mixes
from .sheet import sheet
from .situation import Situation
from .vectorised import VECTORISED

Guard = Callable[..., Any]
"""How agents' code is called: with the function and its arguments."""


def unguarded(call: Callable[..., Any], *arguments: object) -> Any:
    """Call as it is; a caller who does not trust an agent passes something with a time limit instead."""
    return call(*arguments)


UNKNOWN = np.iinfo(np.int32).min
"""A cell that nobody has needed yet, or that no game leads to."""


ASK_AGAIN = 8
"""One question in so many is asked twice, to find agents that decide at random without saying so."""


class PolicyError(LiarsDiceError):
    """An agent that cannot be made into a table."""


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
        self, agent: Agent, situation: Situation, mixes: Mixes | None = None, guard: Guard = unguarded
    ) -> None:
        if not getattr(agent, "memoryless", False):
            raise PolicyError(f"{agent_id(agent)} is not memoryless: no table can hold what it does")
        rules = situation.rules
        self.agent = agent
        self._guard = guard
        self.situation = situation
        self.mixes = Mixes() if mixes is None else mixes
        self.hands: HandSet = hand_set(situation.own, rules.config.faces)
        self.size = len(rules.ladder)
        """How many rungs there are."""
        self.liar, self.exact = self.size, self.size + 1
        compiler = VECTORISED.get(type(agent))
        self.cells: NDArray[np.int32] = np.full((len(self.hands), self.size + 1), UNKNOWN, dtype=np.int32)
        if compiler is not None:
            numbers = sheet(situation)
            self.cells[:, numbers.arises] = compiler(agent, numbers, self.mixes)[:, numbers.arises]
        self.is_complete = compiler is not None
        self._questions = 0

    @classmethod
    def of(cls, agent: Agent, config: GameConfig, *, own: int, other: int, palifico: bool = False) -> PolicyTable:
        """The table of an agent with `own` dice against `other` dice."""
        return cls(agent, Situation(round_rules(config.without_seed, own + other, palifico), own))

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
            cell = self._asked(hand, rung)
            self.cells[hand, rung + 1] = cell
        return cell

    def complete(self) -> PolicyTable:
        """Make every cell."""
        if not self.is_complete:
            for hand in range(len(self.hands)):
                for rung in range(-1, self.size):
                    self.cell(hand, rung)
            self.is_complete = True
        return self

    def _asked(self, hand: int, rung: int) -> int:
        view = self.situation.view(self.hands.hands[hand], rung)
        if view is None:
            return UNKNOWN
        chances = ask(self.agent, view, self._guard)
        if self._questions % ASK_AGAIN == 0 and ask(self.agent, view, self._guard) != chances:
            raise PolicyError(
                f"{agent_id(self.agent)} gives two answers to one question, with {view.my_dice} after "
                f"{view.current_bid or 'no bid'}: it is not memoryless, or decides at random without stating a policy"
            )
        self._questions += 1
        actions = [self._number(action) for action in chances]
        return self.mixes.add(actions, tuple(chances.values()))

    def _number(self, action: Action) -> int:
        if isinstance(action, BidAction):
            return self.situation.rules.rungs[action.bid]
        return self.exact if isinstance(action, CallExactAction) else self.liar


def ask(agent: Agent, view: GameView, guard: Guard = unguarded) -> dict[Action, float]:
    """What a memoryless agent does here, with probabilities; `PolicyError` if that cannot be said."""
    name = agent_id(agent)
    where = f"with {view.my_dice} after {view.current_bid or 'no bid'}"
    try:
        stated = guard(agent.policy, view) if hasattr(agent, "policy") else None
        if stated is None:
            chances = {_certain_action(agent, view, guard): 1.0}
        else:
            total = sum(stated.values())
            if not abs(total - 1) < 1e-9:
                raise PolicyError(f"{name} states a policy {where} that adds up to {total:g}, not to 1")
            if min(stated.values()) < 0:
                raise PolicyError(f"{name} states a policy {where} with a chance below zero")
            chances = {action: chance / total for action, chance in stated.items() if chance > 0}
    except PolicyError:
        raise
    except Exception as error:
        raise PolicyError(f"{name} failed {where}: {type(error).__name__}: {error}") from error
    for action in chances:
        if not can_apply(view.public, view.player_id, action):
            raise PolicyError(f"{name} chose {action} {where}, which is not legal")
    plain: dict[Action, float] = {}
    for action, chance in chances.items():
        plain[_plain(action)] = plain.get(_plain(action), 0.0) + chance
    return plain


def _certain_action(agent: Agent, view: GameView, guard: Guard) -> Action:
    """What an agent without a policy does, if it draws no random numbers for it."""
    first: Action = guard(agent.choose_action, view)
    if getattr(agent, "_rng", None) is not None:  # it has drawn some at least once
        for seed in range(8):
            guard(agent.seed, seed)
            if _same(guard(agent.choose_action, view), first):
                continue
            raise PolicyError(
                f"{agent_id(agent)} decides at random with {view.my_dice} after {view.current_bid or 'no bid'}, "
                "but states no policy: write policy(view), or set memoryless = False"
            )
        guard(agent.seed, 0)
    return first


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and getattr(one, "bid", None) == getattr(other, "bid", None)


def _plain(action: Action) -> Action:
    """An action without its reasons."""
    if isinstance(action, BidAction):
        return BidAction(action.bid)
    return CallExactAction() if isinstance(action, CallExactAction) else CallLiarAction()


class PolicyBook:
    """All tables of one agent, each made when it is first needed, with one collection of distributions."""

    def __init__(self, agent: Agent, guard: Guard = unguarded) -> None:
        self.agent = agent
        self._guard = guard
        self.mixes = Mixes()
        self._tables: dict[Situation, PolicyTable] = {}

    def __getitem__(self, situation: Situation) -> PolicyTable:
        if situation not in self._tables:
            self._tables[situation] = PolicyTable(self.agent, situation, self.mixes, self._guard)
        return self._tables[situation]

    @property
    def is_vectorised(self) -> bool:
        """Whether tables are made at once, without asking the agent."""
        return type(self.agent) in VECTORISED

    @property
    def is_deterministic(self) -> bool:
        """Whether the agent never mixes, as far as can be told without asking it."""
        return getattr(type(self.agent), "policy", Agent.policy) is Agent.policy


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
