"""Where an agent gives rounds away: every decision it can come to against perfect play, and what each of them costs.

The agent sits in one seat, an equilibrium strategy in the other. A decision's loss is what the best action earns
against that strategy minus what the agent's action earns, each with the best play after it: the values that `explain`
shows. Both players together determine how often a decision comes up. The losses, each times how often it comes up, add
up to exactly what the agent wins less than it could: nothing is counted twice, because each value already assumes the
best play afterwards.
"""

from __future__ import annotations

import msgspec
import numpy as np

from ...agents import Agent, AgentLike, Guard, as_agent, unguarded
from ...core import Action, Bid, PublicState, RulesLike, as_config
from ...numeric import Floats
from ..errors import OutOfReachError
from ..solver import (
    CALL,
    CALL_KEY,
    EXACT,
    EXACT_KEY,
    NO_SLOT,
    ROOT,
    PublicTree,
    RoundEquilibrium,
    action_chances,
    action_values,
    best_values_from,
    shipped_equilibrium,
    slot_after_raise,
)
from .agent_probe import AgentProbe, after

SMALLEST = 1e-12
"""Decisions that come up less often than this are not followed."""


class Leak(msgspec.Struct, frozen=True):
    """A decision in which an agent gives something away."""

    seat: int
    """Where the agent sits; 0 opens."""
    hand: tuple[int, ...]
    bids: tuple[Bid, ...]
    """The bids it has to answer."""
    action: Action
    """What it does there; if it mixes, the action that costs it most."""
    best: Action
    chance: float
    """The share of all rounds in which this decision comes up."""
    loss: float
    """How much of the chance to win the round it gives away there."""

    @property
    def cost(self) -> float:
        """What this decision costs in an average round."""
        return self.chance * self.loss


class Leaks(msgspec.Struct, frozen=True):
    """What an agent wins against perfect play in one seat, what it could win, and where it loses the difference."""

    win_rate: float
    possible: float
    leaks: tuple[Leak, ...]
    """The costliest first."""


def leaks_of(agent: AgentLike, config: RulesLike, *, guard: Guard = unguarded) -> tuple[Leaks, Leaks] | None:
    """Where the agent gives rounds away as the opener and as the other; None if the package has no such round."""
    agent = as_agent(agent)
    try:
        round_ = shipped_equilibrium(PublicTree(as_config(config, players=2).one_round))
    except OutOfReachError:
        return None
    if round_ is None:
        return None
    return find_leaks(agent, round_, 0, guard=guard), find_leaks(agent, round_, 1, guard=guard)


def find_leaks(agent: Agent, round_: RoundEquilibrium, seat: int, *, guard: Guard = unguarded) -> Leaks:
    """Where the agent gives rounds away in this seat of a round whose equilibrium is known."""
    search = _LeakSearch(agent, round_, seat, guard)
    search.run()
    lost = sum(leak.cost for leak in search.found)
    order = sorted(search.found, key=lambda leak: (-leak.cost, len(leak.bids), leak.hand))
    return Leaks(search.possible - lost, search.possible, tuple(leak for leak in order if leak.loss > SMALLEST))


class _LeakSearch:
    """Every decision that can come up, from the first bid on."""

    def __init__(self, agent: Agent, round_: RoundEquilibrium, seat: int, guard: Guard) -> None:
        self.tree, self.pool, self.seat = round_.tree, round_.pool, seat
        self.probe = AgentProbe(agent, self.tree.config, seat, guard)
        self.size = len(self.tree.rules.bids)
        self.found: list[Leak] = []
        self.possible = 0.0

    def run(self) -> None:
        """Go through the round, then ask another copy of the agent some of the questions again."""
        weights, bit = self.tree.weights, self.tree.rungs
        own, theirs = weights[self.seat], weights[1 - self.seat]
        best = best_values_from(self.tree, self.pool, self.pool.average, self.seat, (ROOT, bit, 0), theirs)
        self.possible = float((1 + best @ own) / 2)
        self._at(self.probe.root, ROOT, bit, own, theirs)
        self.probe.confirm()

    def _at(self, public: PublicState, slot: int, bit: int, own: Floats, theirs: Floats) -> None:
        """A node: `own` says how likely the agent comes there with each of its hands, `theirs` the other player."""
        if own.sum() * theirs.sum() < SMALLEST:
            return
        if public.current_player == self.seat:
            self._decide(public, slot, bit, own, theirs)
        elif slot != NO_SLOT:  # where nothing is stored, the other player calls
            self._answer(public, slot, bit, own, theirs)

    def _answer(self, public: PublicState, slot: int, bit: int, own: Floats, theirs: Floats) -> None:
        """A decision of the other player: its raises, and the claims that all dice show one face."""
        tree, other = self.tree, 1 - self.seat
        chances = action_chances(tree, self.pool, other, slot, bit)
        for b in np.flatnonzero((chances[:bit] * theirs).any(axis=1)).tolist():
            self._at(
                after(public, tree.rungs - 1 - b), slot_after_raise(self.pool, slot, b), b, own, theirs * chances[b]
            )
        for rung, hand in zip(range(tree.rungs, self.size), tree.views[other].own_claims.tolist(), strict=True):
            claiming = np.zeros(len(theirs))
            claiming[hand] = theirs[hand] * chances[bit, hand]
            self._at(after(public, rung), NO_SLOT, -1, own, claiming)

    def _decide(self, public: PublicState, slot: int, bit: int, own: Floats, theirs: Floats) -> None:
        """A decision of the agent, with every hand it can have here."""
        values = self._values(public, slot, theirs)
        top = np.max(list(values.values()), axis=0)
        replies = self.probe.replies(public, own)
        taken = sum((part * values[reply] for reply, part in replies.items()), np.zeros(len(own)))
        for hand in np.flatnonzero(own).tolist():
            loss = float(top[hand] - taken[hand] / own[hand]) / 2
            costs = {reply: float(part[hand] * (top[hand] - values[reply][hand])) for reply, part in replies.items()}
            costliest = max(replies, key=lambda reply: (costs[reply], float(replies[reply][hand])))
            right = max(values, key=lambda reply: float(values[reply][hand]))
            chance = float(own[hand] * theirs.sum())
            held = self.tree.hand_sets[self.seat].hands[hand]
            bids = public.bid_history
            self.found.append(Leak(self.seat, held, bids, self._action(costliest), self._action(right), chance, loss))
        for reply, part in replies.items():
            b = self.tree.rungs - 1 - reply
            if b >= 0:
                self._at(after(public, reply), slot_after_raise(self.pool, slot, b), b, part, theirs)

    def _values(self, public: PublicState, slot: int, theirs: Floats) -> dict[int, Floats]:
        """What each action is worth with each hand, by its number: a rung, one more for calling, two for exact."""
        rungs = [self.tree.rules.rungs[bid] for bid in public.bid_history]
        values = action_values(self.tree, self.pool, self.seat, slot, rungs, theirs)
        for number, key in enumerate((CALL_KEY, EXACT_KEY), self.size):
            if key in values:
                values[number] = values.pop(key)
        return values

    def _action(self, reply: int) -> Action:
        calls = (CALL, EXACT)
        return calls[reply - self.size] if reply >= self.size else self.tree.rules.moves[reply]
