"""Strategies on the public tree, written down and read back without the solver's own code."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import product
from typing import Literal

import numpy as np

from liars_dice.core import Bid, GameConfig
from liars_dice.core.rules import count_matches
from liars_dice.exact.solver.cfr_traversal import Pool
from liars_dice.exact.solver.public_tree import PublicTree

Move = Bid | int | Literal["exact"] | None
"""A raise, a claim of a face, an exact call, or a call."""
Chances = dict[Move, float]
Hand = tuple[int, ...]
History = tuple[Bid, ...]
Behaviour = Callable[[int, Hand, History], Chances]
"""What a seat does with a hand after a bidding."""


def moves(tree: PublicTree, hand: Hand, history: History) -> list[Move]:
    """Everything that may be done with a hand after a bidding, the call first."""
    allowed: list[Move] = [None] if history else []
    if tree.exact and history:
        allowed.append("exact")
    if tree.claims and len(set(hand)) == 1:
        allowed.append(hand[0])
    for rung, bid in enumerate(tree.bids):
        if rung > tree.rules.rungs[history[-1]] if history else rung in tree.rules.opening_rungs:
            allowed.append(bid)
    return allowed


def pool_of(tree: PublicTree, behaviour: Behaviour) -> Pool:
    """A pool with every node of the tree, in which both seats behave so."""
    nodes = 1 << tree.rungs
    average, first = np.zeros((nodes, tree.width)), np.zeros(nodes, dtype=np.int64)
    histories: list[History] = [()]
    for node in range(nodes):
        history = histories[node]
        rung = tree.rules.rungs[history[-1]] if history else -1
        raises = tree.bids[rung + 1 :]
        seat = len(history) % 2
        first[node] = len(histories) if raises else 0
        for i, hand in enumerate(tree.hand_sets[seat].hands):
            for move, chance in behaviour(seat, hand, history).items():
                if move is None:
                    average[node, tree.hands[1 - seat] + i] = chance
                elif move == "exact":
                    average[node, sum(tree.hands) + tree.claims + i] = chance
                elif isinstance(move, Bid):
                    average[first[node] + tree.rungs - 1 - tree.rules.rungs[move], i] = chance
                else:
                    average[node, sum(tree.hands) + move - 1] = chance
        histories += [(*history, bid) for bid in reversed(raises)]
    return Pool(np.zeros_like(average), average, first)


def behaviour_of(tree: PublicTree, pool: Pool) -> Behaviour:
    """How a pool's average strategies behave: where nothing is known, they call."""

    def behave(seat: int, hand: Hand, history: History) -> Chances:
        node: int | None = 0
        for bid in history:
            begin = 0 if node is None else int(pool.first[node])
            node = begin + tree.rungs - 1 - tree.rules.rungs[bid] if begin else None
        if node is None:
            return {None: 1.0}
        i, begin = tree.hand_sets[seat].index[hand], int(pool.first[node])
        found: Chances = {}
        for move in moves(tree, hand, history):
            if move is None:
                found[move] = float(pool.average[node, tree.hands[1 - seat] + i])
            elif move == "exact":
                found[move] = float(pool.average[node, sum(tree.hands) + tree.claims + i])
            elif not isinstance(move, Bid):
                found[move] = float(pool.average[node, sum(tree.hands) + move - 1])
            elif begin:
                found[move] = float(pool.average[begin + tree.rungs - 1 - tree.rules.rungs[move], i])
        total = sum(found.values())
        if total == 0:
            return {None: 1.0} if history else dict.fromkeys(moves(tree, hand, history), 1.0)
        return {move: weight / total for move, weight in found.items() if weight}

    return behave


def in_whole_tree(small: PublicTree, behaviour: Behaviour) -> Behaviour:
    """The same play in the tree with all rungs: whoever bids as many as there are dice is called, and a claim is such a
    bid.
    """
    top = small.config.total_dice

    def behave(seat: int, hand: Hand, history: History) -> Chances:
        if history and history[-1].quantity == top:
            return {None: 1.0}
        chances = behaviour(seat, hand, history)
        return {Bid(top, move) if isinstance(move, int) else move: chance for move, chance in chances.items()}

    return behave


def at_random(tree: PublicTree, seed: int) -> Behaviour:
    """Some arbitrary behaviour; many moves are never made, and in some places there is only one."""
    known: dict[tuple[int, Hand, History], Chances] = {}
    rng = random.Random(seed)

    def behave(seat: int, hand: Hand, history: History) -> Chances:
        key = (seat, hand, history)
        if key not in known:
            allowed = moves(tree, hand, history)
            some = rng.sample(allowed, rng.randint(1, len(allowed)))
            weights = [rng.random() + 0.01 for _ in some]
            known[key] = {move: weight / sum(weights) for move, weight in zip(some, weights, strict=True)}
        return known[key]

    return behave


def best_value(tree: PublicTree, behaviour: Behaviour, seat: int) -> float:
    """What the best response of a seat earns, by trying everything: every roll, every bidding, every move."""
    config = tree.config
    own, other = (rolls(config, s) for s in (seat, 1 - seat))
    start = [1 / len(other)] * len(other)
    values = [_best(tree, behaviour, seat, roll, other, start, ()) for roll in own]
    return sum(values) / len(own)


def rolls(config: GameConfig, seat: int) -> list[Hand]:
    """Every roll, its dice sorted: a hand comes as often as it is rolled."""
    return [tuple(sorted(roll)) for roll in product(range(1, config.faces + 1), repeat=config.dice[seat])]


def _best(
    tree: PublicTree,
    behaviour: Behaviour,
    seat: int,
    mine: Hand,
    others: Sequence[Hand],
    weights: Sequence[float],
    history: History,
) -> float:
    """The most a hand can earn from here on, against rolls that came here with these weights."""
    if not any(weights):
        return 0.0
    acts = len(history) % 2 == seat

    def ended(move: Move, weight: Sequence[float]) -> float:
        """The value of a call or claim."""
        value, pay, caller = 0.0, tree.payoffs, len(history) % 2
        for theirs, w in zip(others, weight, strict=True):
            if move is None:
                bid = history[-1]
                right = count_matches((mine, theirs), bid.face, tree.rules.wild_face) < bid.quantity
                worth = (pay.liar_right if right else pay.liar_wrong)[caller]
            elif move == "exact":
                bid = history[-1]
                right = count_matches((mine, theirs), bid.face, tree.rules.wild_face) == bid.quantity
                worth = (pay.exact_right if right else pay.exact_wrong)[caller]
            else:
                worth = 1.0 if set(mine) | set(theirs) == {move} else -1.0
            value += w * worth if acts else -w * worth
        return value

    if acts:
        found = []
        for move in moves(tree, mine, history):
            if isinstance(move, Bid):
                found.append(_best(tree, behaviour, seat, mine, others, weights, (*history, move)))
            else:
                found.append(ended(move, weights))
        return max(found)
    parts: dict[Move, list[float]] = {}
    for i, (theirs, w) in enumerate(zip(others, weights, strict=True)):
        for move, chance in behaviour(1 - seat, theirs, history).items() if w else ():
            parts.setdefault(move, [0.0] * len(others))[i] = w * chance
    return sum(
        _best(tree, behaviour, seat, mine, others, part, (*history, move))
        if isinstance(move, Bid)
        else ended(move, part)
        for move, part in parts.items()
    )
