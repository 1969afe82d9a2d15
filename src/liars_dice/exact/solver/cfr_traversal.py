"""One depth-first traversal of the public tree: to improve a player's strategy, or to find its best response.

A node is expanded, that is, given room for its raises, when its player first improves there. Where a player never did,
it calls: so a traversal ends wherever the other player would call with every hand it can hold there, and what is never
reached is never stored. Values are *counterfactual*: sums over the other player's hands, weighted by how likely it is
to hold the hand and to have bid as it did.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...numeric import Floats, Int, Ints, compiled, inlined
from .public_tree import SeatView

Number = float | np.floating
Rows = NDArray[np.float32] | Floats
WHOLE, COLLECT, CONSUME = range(3)
"""Traverse everything; or only the top, collecting what is below as tasks; or the top again with the tasks' values."""
ROOT, NO_SLOT = 0, -1
"""The first node's slot, and what stands for the slot of a node that has none."""


class Pool(NamedTuple):
    """The numbers of the nodes met so far. A row holds the bidder's hands, the actor's hands (for calling), the actor's
    claims, and its hands again (for calling exact), if there are such calls.
    """

    regret: Rows
    average: Rows
    """How often each action was chosen so far, weighted and not normalised."""
    first: Ints
    """Where a node's raises begin, one slot per bit; 0 if it is not expanded."""

    def __repr__(self) -> str:
        return f"<Pool of {len(self.first):,} nodes>"


class Tasks(NamedTuple):
    """Parts of the tree to be traversed separately."""

    slot: Ints
    bit: Ints
    bids: Ints
    reach: Rows
    value: Rows
    number: Ints
    """How many there are."""


def slots_by_level(first: Ints, rungs: int) -> Iterator[tuple[Ints, Ints, Ints]]:
    """The slots of a pool by the number of bids made, from the root on, each with its bit and its node."""
    here, bits, nodes = (np.array([start]) for start in (ROOT, rungs, 0))
    while len(here):
        yield here, bits, nodes
        expanded = first[here] > 0
        here, number, nodes = here[expanded], bits[expanded], nodes[expanded]
        bits = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
        here, nodes = np.repeat(first[here], number) + bits, np.repeat(nodes, number) | (1 << bits)


@inlined
def _if_called(q: Int, mass: Rows, own_dice: Int, wrong: Number, right: Number, zero: Number, by_count: Rows) -> None:
    """What a call of a bid of `q` dice is worth to the seat, by how many of its own dice match; `mass` is the other
    player's reach, by how many of its dice match. `wrong` and `right` are what such calls are worth to the seat.
    """
    everything = zero
    for k in range(len(mass)):
        everything += mass[k]
    for own in range(own_dice + 1):
        true = zero
        for k in range(max(q - own, 0), len(mass)):
            true += mass[k]
        by_count[own] = wrong * true + right * (everything - true)


@inlined
def _if_called_exact(
    q: Int, mass: Rows, own_dice: Int, wrong: Number, right: Number, zero: Number, by_count: Rows
) -> None:
    """The same for an exact call."""
    everything = zero
    for k in range(len(mass)):
        everything += mass[k]
    for own in range(own_dice + 1):
        hit = mass[q - own] if 0 <= q - own < len(mass) else zero
        by_count[own] = wrong * (everything - hit) + right * hit


@compiled
def traverse(
    view: SeatView,
    pool: Pool,
    table: Rows,
    seat: int,
    slot: int,
    bit: int,
    bids: int,
    reach_in: Rows,
    improving: bool,
    weight: float,
    least: float,
    phase: int,
    cut: int,
    tasks: Tasks,
    region: Ints,
    out: Rows,
) -> int:
    """Traverse the tree below a node for one seat, against the strategy that `table` holds for the other; the seat's
    values with each hand go to `out`. Returns the number of nodes met.

    Improving, it updates the seat's regrets (CFR+, discounted) and adds the other's strategy with `weight` to its
    average; a part of the tree that the other player reaches with less than `least` is left out. Otherwise it takes the
    best action everywhere.
    `region` holds the next free slot, the end of the free ones, and whether they were too few.
    """
    matches, their_matches, claims, their_claims = (
        view.own_matches,
        view.their_matches,
        view.own_claims,
        view.their_claims,
    )
    own, their, faces = matches.shape[1], their_matches.shape[1], len(claims)
    worth_of = np.empty((2, 2, 2), reach_in.dtype)
    for k in range(8):
        worth_of.flat[k] = view.worth.flat[k]
    regret, average, first = pool.regret, pool.average, pool.first
    kind = reach_in.dtype
    zero, weight_, least_ = kind.type(0), kind.type(weight), kind.type(least)
    keep = kind.type(weight**0.5 / (weight**0.5 + 1))  # t^1.5 of t^1.5 + 1 parts: a weight is t^3
    averaging = improving and phase != COLLECT
    openings = 0
    for b in range(len(view.opens)):
        openings += view.opens[b]
    # Level d of each array is the node d raises below the start, on the way to the node being looked at.
    depth = bit + 2
    slots, bit_of = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    child = np.zeros(depth, np.int64)  # the bit of the raise being looked at: the lowest rung, the highest bit, first
    held = np.zeros(depth, np.int64)  # at which level the other's reach is kept: it changes only when the other bids
    reach, share = np.empty((depth, their), kind), np.empty((depth, their), kind)
    value, called = np.empty((depth, own), kind), np.empty((depth, own), kind)
    exacted = np.empty((depth, own), kind)
    after, claimed = np.empty((depth, bit, own), kind), np.empty((depth, faces), kind)
    total = np.empty(own, kind)
    mass, by_count = np.zeros(their_matches[0].max() + 1, kind), np.zeros(matches[0].max() + 1, kind)
    slots[0], bit_of[0] = slot, bit
    reach[0] = reach_in
    met = task = level = 0
    fresh = True
    while True:
        d = level
        u, p = slots[d], bit_of[d]
        at_root = bids + d == 0
        acts = ((bids + d) & 1) == seat
        here, worth = reach[held[d]], value[d]
        kids = first[u] if u >= 0 else 0
        if fresh:
            fresh = False
            met += 1
            child[d] = p
            q, f = (0, 0) if at_root else (view.quantity[p], view.face[p])
            if acts:
                _value_own_endings(
                    q, f, matches, their_matches, claims, their_claims, here, at_root, improving, zero,
                    worth_of, view.exact, mass, by_count, called[d], exacted[d], claimed[d], worth,
                )  # fmt: skip
                if improving:
                    if kids == 0 and p > 0 and phase != CONSUME and (at_root or view.live[p]):
                        kids = _expand(first, u, p, region)
                    if kids == 0:
                        child[d] = 0
            else:
                if kids == 0:
                    child[d] = 0
                _share_out(table, u, kids, p, at_root, own, their_claims, view.exact, here, zero, share[d])
                _value_their_endings(
                    q, f, matches, their_matches, claims, their_claims, table, average, u, share[d],
                    at_root, averaging, weight_, zero, worth_of, view.exact, mass, by_count, worth,
                )  # fmt: skip
        child[d] -= 1
        c = child[d]
        if c >= 0:
            if at_root and not view.opens[c]:
                continue
            held[d + 1] = held[d] if acts else d + 1
            if not acts:
                if _reach_child(table, kids + c, at_root, openings, share[d], zero, reach[d + 1]) <= least_:
                    continue
                if averaging:
                    for h in range(their):
                        average[kids + c, h] += weight_ * reach[d + 1, h]
            if phase == WHOLE or c >= cut:
                slots[d + 1] = kids + c if kids > 0 else NO_SLOT
                bit_of[d + 1] = c
                level += 1
                fresh = True
                continue
            if phase == COLLECT:
                tasks.slot[task], tasks.bit[task], tasks.bids[task] = kids + c, c, bids + d + 1
                tasks.reach[task] = reach[held[d + 1]]
            else:
                for h in range(own):
                    value[d + 1, h] = tasks.value[task, h]
            task += 1
        else:
            if acts and averaging:
                _improve(
                    regret, u, kids, p, at_root, view, own, their, claims, called[d], exacted[d], claimed[d],
                    after[d], total, zero, keep, worth,
                )  # fmt: skip
            if level == 0:
                break
            level -= 1
        d = level  # the value of a child has come back
        if ((bids + d) & 1) != seat:
            for h in range(own):
                value[d, h] += value[d + 1, h]
        elif improving:
            for h in range(own):
                after[d, child[d], h] = value[d + 1, h]
        else:
            for h in range(own):
                value[d, h] = max(value[d, h], value[d + 1, h])
    if phase == COLLECT:
        tasks.number[0] = task
    out[:] = value[0]
    return met


@inlined
def _expand(first: Ints, u: Int, p: Int, region: Ints) -> Int:
    """Give a node room for its raises if there is some left; returns where they begin, or 0."""
    kids = np.int64(0)
    if region[0] + p <= region[1]:
        kids = first[u] = region[0]
        region[0] += p
    else:
        region[2] = 1
    return kids


@inlined
def _value_own_endings(
    q: Int,
    f: Int,
    matches: Ints,
    their_matches: Ints,
    claims: Ints,
    their_claims: Ints,
    reach: Rows,
    at_root: bool,
    improving: bool,
    zero: Number,
    worth_of: Rows,
    exact: bool,
    mass: Rows,
    by_count: Rows,
    called: Rows,
    exacted: Rows,
    claimed: Rows,
    worth: Rows,
) -> None:
    """What calling and claiming are worth to the seat at its own node; `worth` starts with the best of them, unless it
    is to improve.
    """
    everything = zero
    for h in range(len(reach)):
        everything += reach[h]
    if not at_root:
        mass[:] = zero
        for h in range(len(reach)):
            mass[their_matches[f, h]] += reach[h]
        _if_called(q, mass, len(by_count) - 1, worth_of[0, 0, 0], worth_of[0, 0, 1], zero, by_count)
        for h in range(len(worth)):
            called[h] = by_count[matches[f, h]]
        if exact:
            _if_called_exact(q, mass, len(by_count) - 1, worth_of[0, 1, 0], worth_of[0, 1, 1], zero, by_count)
            for h in range(len(worth)):
                exacted[h] = by_count[matches[f, h]]
    for k in range(len(claims)):
        claimed[k] = 2 * reach[their_claims[k]] - everything
    if not improving:
        for h in range(len(worth)):
            worth[h] = -2 * everything if at_root else (max(called[h], exacted[h]) if exact else called[h])
        for k in range(len(claims)):
            worth[claims[k]] = max(worth[claims[k]], claimed[k])


@inlined
def _share_out(
    table: Rows, u: Int, kids: Int, p: Int, at_root: bool, own: Int, their_claims: Ints, exact: bool,
    reach: Rows, zero: Number, share: Rows,
) -> None:  # fmt: skip
    """Divide the other player's reach of its node by the sum of what the table holds for each hand's actions. A hand
    for which it holds nothing gets its reach with a minus sign.
    """
    their = len(reach)
    for h in range(their):
        share[h] = table[u, own + h] if u >= 0 and not at_root else zero
    if u >= 0:
        for k in range(len(their_claims)):
            share[their_claims[k]] += table[u, own + their + k]
        if exact and not at_root:
            for h in range(their):
                share[h] += table[u, own + their + len(their_claims) + h]
    if kids > 0:
        for c in range(p):
            for h in range(their):
                share[h] += table[kids + c, h]
    for h in range(their):
        share[h] = reach[h] / share[h] if share[h] > zero else -reach[h]


@inlined
def _value_their_endings(
    q: Int,
    f: Int,
    matches: Ints,
    their_matches: Ints,
    claims: Ints,
    their_claims: Ints,
    table: Rows,
    average: Rows,
    u: Int,
    share: Rows,
    at_root: bool,
    averaging: bool,
    weight: Number,
    zero: Number,
    worth_of: Rows,
    exact: bool,
    mass: Rows,
    by_count: Rows,
    worth: Rows,
) -> None:
    """What the other player's calls and claims at its node are worth to the seat; averaging, they are counted."""
    own, their = len(worth), len(share)
    for h in range(own):
        worth[h] = zero
    if not at_root:
        mass[:] = zero
        for h in range(their):
            x = share[h] * table[u, own + h] if share[h] > zero else -share[h]  # where nothing is known, it calls
            mass[their_matches[f, h]] += x
            if averaging and u >= 0:
                average[u, own + h] += weight * x
        _if_called(q, mass, len(by_count) - 1, worth_of[1, 0, 0], worth_of[1, 0, 1], zero, by_count)
        for h in range(own):
            worth[h] = by_count[matches[f, h]]
        if exact and u >= 0:
            mass[:] = zero
            first_exact = own + their + len(claims)
            for h in range(their):
                x = share[h] * table[u, first_exact + h] if share[h] > zero else zero
                mass[their_matches[f, h]] += x
                if averaging:
                    average[u, first_exact + h] += weight * x
            _if_called_exact(q, mass, len(by_count) - 1, worth_of[1, 1, 0], worth_of[1, 1, 1], zero, by_count)
            for h in range(own):
                worth[h] += by_count[matches[f, h]]
    if u >= 0:
        for k in range(len(claims)):
            x = share[their_claims[k]] * table[u, own + their + k]
            if x > zero:
                if averaging:
                    average[u, own + their + k] += weight * x
                for h in range(own):
                    worth[h] += x
                worth[claims[k]] -= 2 * x


@inlined
def _reach_child(
    table: Rows, child: Int, at_root: bool, openings: Int, share: Rows, zero: Number, reach: Rows
) -> Number:
    """The other player's reach of one of its raises; returns the largest of any hand."""
    most = zero
    for h in range(len(share)):
        x = share[h] * table[child, h]
        if share[h] < zero:
            x = -share[h] / openings if at_root else zero  # where nothing is known, it opens with any bid
        reach[h] = x
        most = max(most, x)
    return most


@inlined
def _improve(
    regret: Rows,
    u: Int,
    kids: Int,
    p: Int,
    at_root: bool,
    view: SeatView,
    own: Int,
    their: Int,
    claims: Ints,
    called: Rows,
    exacted: Rows,
    claimed: Rows,
    after: Rows,
    total: Rows,
    none: Number,
    keep: Number,
    worth: Rows,
) -> None:
    """Regret matching at one node: what the present mix is worth with each hand, and how much better each action is."""
    if kids == 0:
        p = 0
    faces = len(claims)
    for h in range(own):
        x = none if at_root else regret[u, their + h]
        total[h] = x
        worth[h] = none if at_root else x * called[h]
        if view.exact and not at_root:
            x = regret[u, own + their + faces + h]
            total[h] += x
            worth[h] += x * exacted[h]
    for k in range(faces):
        x = regret[u, own + their + k]
        total[claims[k]] += x
        worth[claims[k]] += x * claimed[k]
    for c in range(p):
        if at_root and not view.opens[c]:
            continue  # `after` was never written there
        for h in range(own):
            x = regret[kids + c, h]
            total[h] += x
            worth[h] += x * after[c, h]
    for h in range(own):
        if total[h] > none:
            worth[h] /= total[h]
        elif at_root:
            n = 0
            worth[h] = none
            for c in range(p):
                if view.opens[c]:
                    worth[h] += after[c, h]
                    n += 1
            worth[h] /= n
        else:
            worth[h] = called[h]
    if not at_root:
        for h in range(own):
            regret[u, their + h] = keep * max(regret[u, their + h] + called[h] - worth[h], none)
        if view.exact:
            for h in range(own):
                at = own + their + faces + h
                regret[u, at] = keep * max(regret[u, at] + exacted[h] - worth[h], none)
    for k in range(faces):
        regret[u, own + their + k] = keep * max(regret[u, own + their + k] + claimed[k] - worth[claims[k]], none)
    for c in range(p):
        if not at_root or view.opens[c]:
            for h in range(own):
                regret[kids + c, h] = keep * max(regret[kids + c, h] + after[c, h] - worth[h], none)


@compiled
def traverse_tasks(
    view: SeatView,
    pool: Pool,
    seat: int,
    improving: bool,
    weight: float,
    least: float,
    phase: int,
    cut: int,
    tasks: Tasks,
    start: int,
    stop: int,
    region: Ints,
) -> int:
    """Traverse what is below some of the tasks; returns the number of nodes met."""
    # for constants in this call numba would compile `traverse` once more
    met = 0
    for t in range(start, stop):
        met += traverse(
            view, pool, pool.regret, seat, tasks.slot[t], tasks.bit[t], tasks.bids[t], tasks.reach[t],
            improving, weight, least, phase, cut, tasks, region, tasks.value[t],
        )  # fmt: skip
    return met
