"""The best answer at a table of any size to what is believed of everyone: the rest of the round is played many times.

Hands are drawn from what each player's bids say about them if it plays in a style that it may have; then everybody goes
on in that style until someone calls, and the end of the round is worth what `ends` says. All moves that are compared
are played with the same hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..agents import DetectiveAgent
from ..core import PublicState, RoundRules, binomial_prob_at_least, binomial_prob_exactly, match_chance, seats_from
from ..exact.tables import ActionMixes, MixArrays, PolicyTable, Situation, draw_action, hand_set, ladder_arrays
from ..numeric import DECISIONS, DICE, Floats, Int, Ints, compiled, fraction, inlined, stream
from .known_bots import bot_policy

Cells = NDArray[np.int32]
DETECTIVE = "detective"
STAND_INS = {
    "nash": "probabilistic",
    "champion": DETECTIVE,
    "champion:hard": DETECTIVE,
    "champion:medium": "aggressive",
    "champion:easy": "aggressive",
}
"""Who plays on in place of bots that have no table. `nash` plays as `probabilistic` while more than two are left."""
SLIP, STAND_IN_SLIP = 0.03, 0.5
"""How often a player bids anything at all, when its bids are read; and a player for whom another stands in."""
TRUST = DetectiveAgent.trust
MIXES = ActionMixes()
"""The distributions in all tables of `policy_table`."""


class Belief(NamedTuple):
    """What is believed of one player at the table: the styles that it may have, with weights that add up to one."""

    styles: tuple[tuple[str, float], ...]


class Odds(NamedTuple):
    """The odds of the round's rules, and its bids, as compiled code reads them."""

    quantity: Ints
    face: Ints
    counts_twice: Ints
    """[face]: 1 if the wild dice count for the face too."""
    opens: NDArray[np.bool_]
    at_least: Floats
    """[0: one face, 1: with wilds; unseen dice; missing dice]"""
    exactly: Floats
    exact_call: bool


@lru_cache(maxsize=128)
def odds_of(rules: RoundRules) -> Odds:
    """The odds of a round."""
    quantity, face = ladder_arrays(rules)
    faces, total = rules.config.faces, rules.total_dice
    twice = np.zeros(faces + 1, dtype=np.int64)
    for one in range(1, faces + 1):
        twice[one] = rules.wild_face is not None and one != rules.wild_face
    chances = [match_chance(rules.wild_face or 1, rules), 2 / faces]
    ks = range(total + 2)
    at_least = np.array([[[binomial_prob_at_least(n, k, p) for k in ks] for n in range(total + 1)] for p in chances])
    exactly = np.array([[[binomial_prob_exactly(n, k, p) for k in ks] for n in range(total + 1)] for p in chances])
    opens = np.zeros(len(quantity), dtype=bool)
    opens[sorted(rules.opening_rungs)] = True
    return Odds(quantity, face, twice, opens, at_least, exactly, rules.config.exact_call)


@lru_cache(maxsize=4096)
def policy_table(name: str, rules: RoundRules, own: int) -> PolicyTable:
    """What a memoryless bot does in such rounds."""
    return PolicyTable(bot_policy(name).agent, Situation(rules, own), MIXES).complete()


@lru_cache(maxsize=256)
def _matches(rules: RoundRules, dice: int) -> Ints:
    """[hand, face]: how many dice of each hand count for a bid on each face."""
    return hand_set(dice, rules.config.faces).matches(rules.wild_face)


def action_values(
    public: PublicState,
    hand: tuple[int, ...],
    beliefs: Sequence[Belief],
    actions: Ints,
    ends: Floats,
    samples: int,
    seed: int,
) -> Floats:
    """[action]: what each of these actions (rungs, then liar, then exact) is worth to the player to move.

    `beliefs` are about the other players, in turn order. `ends[outcome]` is what the end of a round is worth: outcome p
    means that player p loses, counted in turn order from the player to move, and outcome 6 + p that the bid of player p
    was called exactly right.
    """
    rules, me = public.rules, public.current_player
    odds = odds_of(rules)
    seats = seats_from(me, public.dice_counts)
    dice = np.array([public.dice_counts[seat] for seat in seats])
    bids = [(seats.index(seat), rules.rungs[bid]) for seat, bid in zip(public.bidders, public.bid_history, strict=True)]
    most = max(len(hand_set(n, rules.config.faces)) for n in dice.tolist())
    matches = np.zeros((len(seats), most, rules.config.faces + 1), dtype=np.int64)
    for player, n in enumerate(dice.tolist()):
        here = _matches(rules, n)
        matches[player, : len(here)] = here
    own = hand_set(len(hand), rules.config.faces).index[hand]
    slots: dict[tuple[str, int], int] = {}
    drawn: list[tuple[Ints, Ints, Floats]] = [(np.array([-1]), np.array([own]), np.ones(1))]
    drawn += [
        _possible(odds, rules, dice, matches, player, bids, belief, slots)
        for player, belief in enumerate(beliefs, start=1)
    ]
    longest = max(len(one[0]) for one in drawn)
    style, hands = np.zeros((2, len(seats), longest), dtype=np.int64)
    upto = np.ones((len(seats), longest))
    for player, (which, held, weights) in enumerate(drawn):
        style[player, : len(which)], hands[player, : len(held)] = which, held
        upto[player, : len(weights)] = np.cumsum(weights)
    cells = np.zeros((max(len(slots), 1), most, len(odds.quantity) + 1), dtype=np.int32)
    for (name, n), slot in slots.items():
        table = policy_table(name, rules, n)
        cells[slot, : len(table.cells)] = table.cells
    said = np.zeros((len(seats), rules.config.faces + 1), dtype=np.int64)
    for player, rung in bids:
        said[player, odds.face[rung]] = 1
    values = np.zeros(len(actions))
    _play_on(
        np.uint64(seed), samples, actions, public.rung, odds, dice, matches, cells, MIXES.arrays(), style, hands, upto,
        said, np.ascontiguousarray(ends), values,
    )  # fmt: skip
    return values


def _possible(
    odds: Odds,
    rules: RoundRules,
    dice: Ints,
    matches: Ints,
    player: int,
    bids: Sequence[tuple[int, int]],
    belief: Belief,
    slots: dict[tuple[str, int], int],
) -> tuple[Ints, Ints, Floats]:
    """The styles and hands that a player may have, and how likely each pair is, given its bids."""
    n = int(dice[player])
    prior = hand_set(n, rules.config.faces).weights
    parts = []
    for name, weight in belief.styles:
        played, slip = STAND_INS.get(name, name), STAND_IN_SLIP if name in STAND_INS else SLIP
        slot = -1 if played == DETECTIVE else slots.setdefault((played, n), len(slots))
        likely = weight * prior
        for made, (bidder, rung) in enumerate(bids):
            if bidder == player:
                before = bids[made - 1][1] if made else -1
                if played == DETECTIVE:
                    said = np.zeros((len(dice), rules.config.faces + 1), dtype=np.int64)
                    for other, earlier in bids[:made]:
                        said[other, odds.face[earlier]] = 1
                    done = _detective_makes(odds, dice, matches, said, player, len(prior), before, rung)
                else:
                    done = _chance_of(policy_table(played, rules, n), before, rung)
                likely = likely * ((1 - slip) * done + slip / 20)
        parts.append((np.full(len(prior), slot), np.arange(len(prior)), likely))
    which, hands, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    kept = weights > 1e-4 * weights.max()
    return which[kept], hands[kept], weights[kept] / weights[kept].sum()


def _chance_of(table: PolicyTable, before: int, rung: int) -> Floats:
    """[hand]: how often a bot raises this rung to that one."""
    cells = table.cells[:, before + 1]
    chance: Floats = (cells == rung).astype(np.float64)
    for cell in np.unique(cells[cells < 0]).tolist():
        if cell != np.iinfo(np.int32).min:
            chance[cells == cell] = table.mixes[cell].get(rung, 0.0)
    return chance


@lru_cache(maxsize=256)
def detective_table(rules: RoundRules, own: int, said: frozenset[int]) -> Floats:
    """[rung + 1, action, hand]: what a detective does with `own` dice when it has to answer each rung in a round of
    two, if its opponent has bid these faces.
    """
    odds, matches = odds_of(rules), _matches(rules, own)
    dice = np.array([rules.total_dice - own, own])
    size = len(odds.quantity)
    found: Floats = np.zeros((size + 1, size + 2, len(matches)))
    for rung in range(-1, size):
        heard = np.zeros((2, rules.config.faces + 1), dtype=np.int64)
        heard[0, [*said, *(odds.face[[rung]] if rung >= 0 else ())]] = 1
        for hand in range(len(matches)):
            found[rung + 1, detective_action(odds, dice, matches[hand], heard, 1, rung), hand] = 1
    return found


# -- compiled --------------------------------------------------------------------------------------------------------


@compiled
def _play_on(
    seed: np.uint64,
    samples: int,
    actions: Ints,
    rung: int,
    odds: Odds,
    dice: Ints,
    matches: Ints,
    cells: Cells,
    mixes: MixArrays,
    style: Ints,
    hands: Ints,
    upto: Floats,
    said_before: Ints,
    ends: Floats,
    values: Floats,
) -> None:
    """Add up to `values` what each action is worth, over samples of the other players' hands and styles."""
    players, size = len(dice), len(odds.quantity)
    held = np.zeros(players, dtype=np.int64)
    plays = np.zeros(players, dtype=np.int64)
    for sample in range(samples):
        key, choices = stream(seed, sample, DICE), stream(seed, sample, DECISIONS)
        for p in range(players):
            at = np.searchsorted(upto[p], fraction(key, p), side="right")
            at = min(at, style.shape[1] - 1)
            held[p], plays[p] = hands[p, at], style[p, at]
        for which in range(len(actions)):
            said = said_before.copy()
            player, current, action = 0, rung, actions[which]
            position = 0
            while action < size:
                current = action
                said[player, odds.face[current]] = 1
                player = (player + 1) % players
                if plays[player] < 0:
                    action = detective_action(odds, dice, matches[player, held[player]], said, player, current)
                else:
                    action = np.int64(cells[plays[player], held[player], current + 1])
                    if action < 0:
                        action = draw_action(mixes, action, choices, position)
                        position += 1
                if action <= current:  # a cell that no game leads to
                    action = np.int64(size)
            count = 0
            for p in range(players):
                count += matches[p, held[p], odds.face[current]]
            bidder = (player + players - 1) % players
            if action == size:
                outcome = player if count >= odds.quantity[current] else bidder
            else:
                outcome = 6 + bidder if count == odds.quantity[current] else player
            values[which] += ends[outcome] / samples


@compiled
def _detective_makes(
    odds: Odds, dice: Ints, matches: Ints, said: Ints, player: int, hands: int, rung: int, made: int
) -> Floats:
    """[hand]: whether a detective with each hand raises this rung to that one."""
    found = np.zeros(hands)
    for hand in range(hands):
        found[hand] = detective_action(odds, dice, matches[player, hand], said, player, rung) == made
    return found


@compiled
def detective_action(odds: Odds, dice: Ints, held: Ints, said: Ints, player: int, rung: int) -> np.int64:
    """What a detective does, as `DetectiveAgent.choose_action` decides it."""
    size = len(odds.quantity)
    unseen = dice.sum() - dice[player]
    speakers = np.zeros(len(held), dtype=np.int64)
    for face in range(1, len(held)):
        for other in range(len(dice)):
            if other != player:
                speakers[face] += said[other, face]
    best, best_odds, good = np.int64(-1), -1.0, np.int64(-1)
    for bid in range(rung + 1, size):
        if rung < 0 and not odds.opens[bid]:
            continue
        likely = _believed(odds, held, speakers, unseen, bid)
        if likely >= best_odds:
            best, best_odds = np.int64(bid), likely
        if likely >= 0.75:
            good = np.int64(bid)
    if rung < 0:
        return good if good >= 0 else best
    doubt = 1 - _believed(odds, held, speakers, unseen, rung)
    if odds.exact_call:
        missing = odds.quantity[rung] - held[odds.face[rung]]
        exact = odds.exactly[odds.counts_twice[odds.face[rung]], unseen, missing] if missing >= 0 else 0.0
        if exact > max(doubt, best_odds if best >= 0 else 0.0):
            return np.int64(size + 1)
    if best < 0 or doubt > best_odds:
        return np.int64(size)
    return best


@inlined
def _believed(odds: Odds, held: Ints, speakers: Ints, unseen: Int, bid: Int) -> np.float64:
    """How likely a detective takes a bid to be."""
    face = odds.face[bid]
    shown = min(speakers[face], unseen)
    missing = max(odds.quantity[bid] - held[face], 0)
    twice = odds.counts_twice[face]
    plain, trusting = (
        odds.at_least[twice, unseen, missing],
        odds.at_least[twice, unseen - shown, max(missing - shown, 0)],
    )
    return np.float64((1 - TRUST) * plain + TRUST * trusting)
