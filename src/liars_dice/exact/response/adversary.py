"""The best response to an agent in one round, exactly: for memoryless agents, whose policy is a table. Agents that use
the bidding are handled in `agent_probe`.

The adversary sees the bids and its own dice. What it knows of the policy's dice is a *belief*: how likely each hand is,
given the bids that the policy has made. With U(b, c) the chance to win after raising to rung c and V(b, r) the chance
to win when rung r is to be answered, both for all of the adversary's hands at once,

    V(b, r) = max(chance that r is false, max over c > r of U(b, c))
    U(b, c) = chance that the policy calls c and c is true + sum over its raises a of V(b restricted to a, a)

where beliefs are not normalised, so that chances can be added. There are two ways to compute this:

- by beliefs: U(b, c) does not depend on how the bidding led to b, so each belief is solved once, from the top rung
  down. A deterministic policy has few beliefs, each a set of hands: a few thousand with five dice each.
- by the tree of all biddings, if there are too many beliefs: a policy that mixes has a new one after nearly every bid.
"""

from __future__ import annotations

import numpy as np

from ...agents import Agent, AgentLike, Guard, as_agent, unguarded
from ...core import GameConfig, Progress, RulesLike, agent_id, as_config, round_rules
from ...numeric import Floats, Int, Truths, compiled, inlined
from ..errors import OutOfReachError
from ..matchups import most_turns
from ..tables import (
    CALLS_ONLY,
    UNKNOWN,
    PolicyBook,
    PolicyTable,
    Situation,
    check_own_dice_only,
    count_rungs,
    hand_set,
    number_of_hands,
    showdowns,
)
from .agent_probe import best_response_by_probing
from .belief_graph import showdowns_with

FEW_BELIEFS, MOST_BELIEFS = 20_000, 1_000_000
"""How many (belief, rung) pairs are solved before the tree is tried, if it is small enough, or else before the question
is given up. Each takes some tens of microseconds."""
MOST_GIGABYTES = 2
"""The most memory that is used."""
HIGHEST_TREE = 26
"""The most rungs for which the tree of all biddings is searched: each rung doubles it."""


def best_response(
    agent: AgentLike, config: RulesLike, *, guard: Guard = unguarded, progress: Progress | None = None
) -> tuple[float, float]:
    """What a perfect adversary earns against the agent, as the opener and as the other: +1 for a win, -1 for a loss.

    Dice belong to seats: the opener has `config.dice[0]`. One round is played, whatever the mode, and the agent is told
    so. An agent that is not memoryless is asked after every bidding it can come to (see `agent_probe`), which
    `progress` follows.

    >>> from liars_dice.core import preset
    >>> first, second = best_response("truthful", preset("classic", dice=1))
    >>> round(first, 12), round(second, 12)
    (0.666666666667, 0.666666666667)
    """
    agent, config = as_agent(agent), as_config(config, players=2)
    if config.num_players != 2:
        raise OutOfReachError(f"{config.num_players} players: a best response is computed for two")
    check_own_dice_only(config)
    config = config.one_round
    hands = [number_of_hands(n, config.faces) for n in config.dice]
    rungs_ = count_rungs(config, config.total_dice)
    gigabytes = 8 * rungs_ * (2 * hands[0] * hands[1] + 2 * (rungs_ + 2) * max(hands)) / 1e9
    if gigabytes > MOST_GIGABYTES:
        raise OutOfReachError(
            f"dice {config.dice} with {config.faces} faces: a best response would need about {gigabytes:,.0f} GB, "
            f"{MOST_GIGABYTES} at most are used; fewer dice can be answered"
        )
    if not getattr(agent, "memoryless", False):
        return best_response_by_probing(agent, config, guard, progress)
    opener, other = config.dice
    as_opener = _Response(agent, config, guard, own=opener, theirs=other).value(opens=True)
    as_other = _Response(agent, config, guard, own=other, theirs=opener).value(opens=False)
    return as_opener, as_other


def exploitability(agent: AgentLike, config: RulesLike) -> float:
    """What a perfect adversary earns against the agent, the mean of both seats."""
    first, second = best_response(agent, config)
    return (first + second) / 2


class _Response:
    """A best response with `own` dice to an agent that has `theirs`."""

    def __init__(self, agent: Agent, config: GameConfig, guard: Guard, *, own: int, theirs: int) -> None:
        self.rules = round_rules(config.without_seed, own + theirs, False)
        book = PolicyBook(agent, guard)
        self.table = book[Situation(self.rules, theirs)].complete()
        capped = most_turns(self.rules) is not None
        self.calls = book[Situation(self.rules, theirs, CALLS_ONLY)].complete() if capped else self.table
        self.size = len(self.rules.bids)
        self.own, self.theirs = hand_set(own, config.faces), hand_set(theirs, config.faces)
        self.true, self.right = showdowns(self.rules, self.own, self.theirs)

    def value(self, *, opens: bool) -> float:
        """The value of the best response, if it opens or if the agent does."""
        chances = self._by_tree(opens) if most_turns(self.rules) is not None else self._by_beliefs(opens)
        if chances is None:
            chances = self._by_tree(opens)
        return float(np.clip(2 * (chances @ self.own.weights) - 1, -1, 1))

    # -- by the tree -------------------------------------------------------------------------------------------------

    def _by_tree(self, opens: bool) -> Floats:
        if self.size > HIGHEST_TREE:
            raise OutOfReachError(
                f"{agent_id(self.table.agent)} mixes in more ways than can be followed with {self.size} rungs; "
                f"at most {HIGHEST_TREE} rungs (two dice each with six faces have 24) can be searched in full"
            )
        most = most_turns(self.rules)
        opening = np.zeros(self.size, dtype=bool)
        opening[sorted(self.rules.opening_rungs)] = True
        chances = np.zeros(len(self.own))
        arguments = (
            dense(self.table),
            dense(self.calls),
            self.true,
            self.right,
            opening,
            self.rules.config.exact_call,
            -1 if most is None else most,
        )
        if opens:
            _add_best_over_tree(-1, 0, self.theirs.weights, *arguments, chances)
            return chances
        openings = dense(self.table)[0]
        for rung in sorted(self.rules.opening_rungs):
            belief = self.theirs.weights * openings[rung]
            if belief.any():
                _add_best_over_tree(rung, 1, belief, *arguments, chances)
        return chances

    # -- by beliefs --------------------------------------------------------------------------------------------------

    def _by_beliefs(self, opens: bool) -> Floats | None:
        """The chances to win with each of the adversary's hands; None if there are too many beliefs."""
        solved = _Beliefs(self, dense(self.table), FEW_BELIEFS if self.size <= HIGHEST_TREE else MOST_BELIEFS)
        opening = sorted(self.rules.opening_rungs)
        try:
            if opens:
                best: Floats = np.max([solved.raised(self.theirs.weights, c) for c in opening], axis=0)
                return best
            total: Floats = np.zeros(len(self.own))
            for rung in opening:
                total += solved.answered(self.theirs.weights * solved.policy[0, rung], rung)
            return total
        except _TooManyError:
            return None


def dense(table: PolicyTable) -> Floats:
    """[column, action, hand]: the probability of each action."""
    chances = np.zeros((table.size + 1, table.size + 2, len(table.hands)))
    for cell in np.unique(table.cells[table.cells != UNKNOWN]).tolist():
        hands, columns = np.nonzero(table.cells == cell)
        for action, chance in (table.mixes[cell] if cell < 0 else {cell: 1.0}).items():
            chances[columns, action, hands] = chance
    return chances


class _OneHand:
    """What `_Beliefs` reads, for an adversary with this one hand."""

    def __init__(self, table: PolicyTable, hand: tuple[int, ...]) -> None:
        self.rules = table.situation.rules
        self.size = table.size
        self.own = (hand,)
        self.true, self.right = (shown[:, :, None] for shown in showdowns_with(table, hand))


def raise_chances(
    table: PolicyTable, hand: tuple[int, ...], belief: Floats, rung: int, most: int = FEW_BELIEFS
) -> Floats | None:
    """The chance to win after raising to each rung above this one, with this hand, if `belief` says how likely each of
    the policy's hands is; None if that takes more than `most` beliefs.
    """
    solved = _Beliefs(_OneHand(table, hand), dense(table), most)
    chances = np.zeros(table.size)
    try:
        for c in range(rung + 1, table.size):
            chances[c] = solved.raised(belief, c)[0]
    except _TooManyError:
        return None
    return chances


class _TooManyError(Exception):
    """There are more beliefs than are worth solving one by one."""


class _Beliefs:
    """Each belief's chances, from the top rung down to the lowest one needed, kept per unit of weight."""

    def __init__(self, response: _Response | _OneHand, policy: Floats, most: int) -> None:
        self.response = response
        self.policy = policy
        self._most = most
        self._known: dict[bytes, tuple[Floats, list[Floats]]] = {}
        """For each belief: U(top), U(top - 1), ... and their running maxima."""
        self._solved = 0

    def answered(self, belief: Floats, rung: int) -> Floats:
        """V: the chances to win when this rung is to be answered."""
        if not belief.any():
            return np.zeros(len(self.response.own))
        present = np.flatnonzero(belief)
        weights = belief[present]
        best: Floats = weights @ (1 - self.response.true[rung, present])
        if self.response.rules.config.exact_call:
            best = np.maximum(best, weights @ self.response.right[rung, present])
        if rung + 1 < self.response.size:
            best = np.maximum(best, self._best_raise(belief, rung + 1))
        return best

    def _best_raise(self, belief: Floats, lowest: int) -> Floats:
        """The best U over all rungs from `lowest` up."""
        weight = belief.sum()
        unit = belief / weight
        key = np.round(unit, 13).tobytes()
        if key not in self._known:
            self._known[key] = (unit, [])
        unit, maxima = self._known[key]
        top = self.response.size - 1
        while len(maxima) <= top - lowest:
            rung = top - len(maxima)
            here = self.raised(unit, rung)
            if len(maxima) == top - rung:  # unless computing it has already found it
                maxima.append(np.maximum(maxima[-1], here) if maxima else here)
        best: Floats = weight * maxima[top - lowest]
        return best

    def raised(self, belief: Floats, rung: int) -> Floats:
        """U: the chances to win after raising to this rung."""
        self._solved += 1
        if self._solved > self._most:
            raise _TooManyError
        response, column = self.response, self.policy[rung + 1]
        liar, exact = response.size, response.size + 1
        present = np.flatnonzero(belief)
        total: Floats = (belief * column[liar])[present] @ response.true[rung, present]
        if response.rules.config.exact_call:
            total = total + (belief * column[exact])[present] @ (1 - response.right[rung, present])
        actions = np.flatnonzero(column[rung + 1 : response.size][:, present].any(axis=1)) + rung + 1
        for action in actions.tolist():
            total = total + self.answered(belief * column[action], action)
        return total


@compiled
def _add_best_over_tree(
    rung: int,
    made: int,
    belief: Floats,
    policy: Floats,
    calls: Floats,
    true: Floats,
    right: Floats,
    opening: Truths,
    may_call_exact: bool,
    most_turns: int,
    total: Floats,
) -> None:
    """Add to `total` the chances to win with each own hand when `rung` is to be answered (-1: when it may open) after
    `made` bids. Depth first over all biddings: level k holds the adversary's k-th decision from here.
    """
    rungs, theirs, own = true.shape
    depth = rungs // 2 + 2
    beliefs = np.zeros((depth, theirs))
    best = np.zeros((depth, own))  # V so far
    after = np.zeros((depth, own))  # U so far
    current = np.zeros(depth, dtype=np.int64)  # the rung to be answered
    raised = np.zeros(depth, dtype=np.int64)  # the raise being looked at
    reply = np.zeros(depth, dtype=np.int64)  # the policy's answer to it being looked at
    beliefs[0] = belief
    current[0] = rung
    level = 0
    fresh = True
    while level >= 0:
        turns = made + 2 * level
        if fresh:
            _value_calls(beliefs, best, after, level, current[level], true, right, may_call_exact)
            raised[level] = current[level]
            reply[level] = rungs
            fresh = False
        reply[level] += 1
        if reply[level] >= rungs:  # the next raise
            if raised[level] > current[level]:
                for o in range(own):
                    best[level, o] = max(best[level, o], after[level, o])
            raised[level] += 1
            while raised[level] < rungs and current[level] < 0 and not opening[raised[level]]:
                raised[level] += 1
            if raised[level] >= rungs or turns == most_turns:
                level -= 1
                if level >= 0:
                    for o in range(own):
                        after[level, o] += best[level + 1, o]
                continue
            only_calls = turns + 1 == most_turns
            _value_called_raise(beliefs, after, level, raised[level], calls if only_calls else policy, true, right)
            reply[level] = rungs if only_calls else raised[level]
            continue
        if _restrict_belief(beliefs, level, policy, raised[level] + 1, reply[level]) > 0.0:
            current[level + 1] = reply[level]
            level += 1
            fresh = True
    total += best[0]


@inlined
def _value_calls(
    beliefs: Floats, best: Floats, after: Floats, level: Int, rung: Int, true: Floats, right: Floats, may_exact: bool
) -> None:
    """Start V with what the adversary's calls of this rung are worth: nothing, if there is no bid yet."""
    _, theirs, own = true.shape
    best[level] = 0.0
    if rung >= 0:
        for h in range(theirs):
            if beliefs[level, h] > 0.0:
                for o in range(own):
                    best[level, o] += beliefs[level, h] * (1.0 - true[rung, h, o])
        if may_exact:
            after[level] = 0.0
            for h in range(theirs):
                if beliefs[level, h] > 0.0:
                    for o in range(own):
                        after[level, o] += beliefs[level, h] * right[rung, h, o]
            for o in range(own):
                best[level, o] = max(best[level, o], after[level, o])


@inlined
def _value_called_raise(
    beliefs: Floats, after: Floats, level: Int, rung: Int, answers: Floats, true: Floats, right: Floats
) -> None:
    """Start U with what a raise to this rung is worth where the policy calls it."""
    rungs, theirs, own = true.shape
    for o in range(own):
        after[level, o] = 0.0
    for h in range(theirs):
        liar = beliefs[level, h] * answers[rung + 1, rungs, h]
        exact = beliefs[level, h] * answers[rung + 1, rungs + 1, h]
        if liar > 0.0:
            for o in range(own):
                after[level, o] += liar * true[rung, h, o]
        if exact > 0.0:
            for o in range(own):
                after[level, o] += exact * (1.0 - right[rung, h, o])


@inlined
def _restrict_belief(beliefs: Floats, level: Int, policy: Floats, column: Int, action: Int) -> float:
    """The next level's belief, that the policy takes this action; returns its weight."""
    weight = 0.0
    for h in range(beliefs.shape[1]):
        kept = beliefs[level, h] * policy[column, action, h]
        beliefs[level + 1, h] = kept
        weight += kept
    return weight
