"""What a solved round says about one decision: how often each action is right, and what each is worth.

An action's value is what it earns against the other player's equilibrium strategy with the best play from there on.
What the other player may hold follows from its bids: a hand's likelihood is its chance of being rolled, times how often
the strategy makes these bids with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np

from ...core import Action, Bid, BidAction, CallExactAction, CallLiarAction, GameConfig
from ...numeric import Floats, Truths
from ..errors import OutOfReachError
from .cfr_traversal import NO_SLOT, ROOT, Pool
from .cpu_solver import best_responses, best_values_from
from .equilibrium import FIRST_CUT, SolverProgress, nodes_expected, solve
from .public_tree import ONE_ROUND, Bracket, PublicTree
from .saved_solution import read_saved
from .tablebase import SolvedGame, Tablebase, solved_game

CALL: Action = CallLiarAction()
EXACT: Action = CallExactAction()
CALL_KEY, EXACT_KEY = -1, -2
"""The keys of the calls where other actions have their rungs as keys."""
EXPLAINED: tuple[SolvedGame, ...] = ("heads-up", "perudo")
"""The games whose rounds come with the package, each round by itself."""
FEW_NODES, MOST_NODES = 300_000, 1_000_000
"""Rounds that the package does not have are solved on the spot: in seconds with few nodes, in a minute with more."""
TARGET, COARSE_TARGET = 5e-4, 5e-3
"""The exploitability at which they count as solved, with few nodes and with more."""
EQUILIBRIUM = "equilibrium"
"""The source named in explanations by a solved round."""
RARE = 1e-3
"""Actions taken less often than this need not be shown."""


class RoundEquilibrium(Bracket, frozen=True):
    """A round whose equilibrium is known: the tree, both strategies, and the bracket around the value."""

    tree: PublicTree
    pool: Pool


def equilibrium_of(
    config: GameConfig,
    progress: Callable[[SolverProgress], None] = lambda _: None,
    *,
    target: float | None = None,
    most_nodes: int = MOST_NODES,
) -> RoundEquilibrium:
    """The equilibrium of a rule set's round: from the package's tablebase, or solved now, if about this many nodes
    suffice. By default, the exploitability to reach depends on their number.
    """
    tree = PublicTree(config)
    if (found := shipped_equilibrium(tree)) is not None:
        return found
    nodes = nodes_expected(tree if tree.reduced else tree.with_payoffs(tree.payoffs, FIRST_CUT))
    if nodes > most_nodes:
        most = {game: max(map(sum, Tablebase.shipped(game).entries)) for game in EXPLAINED}
        raise OutOfReachError(
            f"dice {config.dice} with {config.faces} faces make {tree.rungs} rungs, too many to be solved on the spot; "
            f"the package has rounds of heads-up up to {most['heads-up']} dice in total and of perudo up to "
            f"{most['perudo']}, and solved:FILE is what `liars-dice solve --out FILE` has solved"
        )
    if target is None:
        target = TARGET if nodes <= FEW_NODES else COARSE_TARGET
    solution = solve(config, target=target, progress=progress)
    if solution.stopped == "interrupted":
        raise KeyboardInterrupt
    return RoundEquilibrium(solution.lower, solution.upper, solution.tree, solution.pool)


def equilibrium_in(path: Path) -> RoundEquilibrium:
    """The equilibrium in a file that `solve` saved, with bounds that are computed again."""
    tree, pool, _ = read_saved(path)
    first, second = best_responses(tree, pool)
    return RoundEquilibrium(-second, first, tree, pool)


def shipped_equilibrium(tree: PublicTree) -> RoundEquilibrium | None:
    """The equilibrium of this tree's round, if the package has it."""
    game = solved_game(tree.rules)
    dice = (tree.config.dice[0], tree.config.dice[1])
    if game is None or tree.payoffs != ONE_ROUND or (game == "heads-up" and not tree.reduced):
        return None
    base = Tablebase.shipped("perudo" if game == "perudo match" else game)
    if dice not in base.entries:
        return None
    solved = base.round(*dice)
    return RoundEquilibrium(solved.lower, solved.upper, solved.tree, solved.pool)


class Choice(msgspec.Struct, frozen=True):
    """One action that can be taken."""

    action: Action
    chance: float
    """How often the equilibrium takes it. Where its own play never leads, it would take the action worth most."""
    value: float
    """What it earns with the best play afterwards: 1 is a certain win, -1 a certain loss."""

    def __repr__(self) -> str:
        return f"<Choice: {self.action}, taken {self.chance:.2%}, worth {self.value:+.4f}>"


class Explanation(msgspec.Struct, frozen=True):
    """A decision, explained."""

    choices: tuple[Choice, ...]
    """Calling first where it is possible, then bids from the lowest rung up."""
    comes_here: bool
    """Whether the equilibrium strategy would ever have made these bids with this hand."""
    expected: bool
    """Whether the other player's equilibrium strategy would ever have made its bids. If not, its hands are as likely as
    they were before the first bid that it would not have made."""
    belief: tuple[tuple[tuple[int, ...], float], ...]
    """The other player's hands, the likeliest first, and how likely each is."""
    rarest: float = 1.0
    """How often the other player's equilibrium strategy makes the least likely of its bids, given those before."""
    reach: float = 1.0
    """How often this hand meets these bids of the other player, if it plays its equilibrium strategy."""

    def __repr__(self) -> str:
        mix = ", ".join(f"{choice.action} {choice.chance:.0%}" for choice in self.choices if choice.chance >= RARE)
        return f"<Explanation: worth {self.value:+.4f}; perfect play: {mix}>"

    @property
    def best(self) -> Choice:
        """The choice that is worth most."""
        return max(self.choices, key=lambda choice: choice.value)

    @property
    def value(self) -> float:
        """What the decision is worth."""
        return self.best.value

    def of(self, action: Action) -> Choice:
        """The choice of this action."""
        return next(choice for choice in self.choices if same_action(choice.action, action))


def explanation_as_dict(
    equilibrium: RoundEquilibrium, found: Explanation, history: Sequence[Bid], hand: Sequence[int]
) -> dict[str, object]:
    """An explanation as JSON for other programs, with the keys they rely on. It is of the round by itself."""
    return {
        "dice": list(equilibrium.tree.config.dice),
        "of": "round",
        "source": EQUILIBRIUM,
        "hand": list(hand),
        "bids": [str(bid) for bid in history],
        "value": float(found.value),
        "best": str(found.best.action),
        "comes_here": bool(found.comes_here),
        "expected": bool(found.expected),
        "actions": [
            {"action": str(choice.action), "probability": float(choice.chance), "value": float(choice.value)}
            for choice in found.choices
        ],
        "belief": [{"hand": list(map(int, held)), "probability": float(chance)} for held, chance in found.belief],
        "lower": float(equilibrium.lower),
        "upper": float(equilibrium.upper),
    }


def same_action(one: Action, other: Action) -> bool:
    """Whether two actions are the same, apart from their reasoning."""
    if isinstance(one, BidAction) and isinstance(other, BidAction):
        return one.bid == other.bid
    return type(one) is type(other)


def explain(tree: PublicTree, pool: Pool, history: Sequence[Bid], hand: Sequence[int]) -> Explanation:
    """What the strategies in the pool say about a decision, given the bids so far and the mover's hand."""
    seat, own, rungs = place_of(tree, history, hand)
    slot, bit, comes_here, rarest, reach = _follow(tree, pool, seat, own, rungs)
    weight = float(reach.sum())
    mix = _mix(tree, pool, seat, own, slot, bit) if comes_here else {}
    choices = []
    for key, values in action_values(tree, pool, seat, slot, rungs, reach).items():
        choices.append(Choice(_action(tree, key), mix.get(key, 0.0), float(values[own])))
    if not comes_here:
        best = max(choices, key=lambda choice: choice.value)
        choices = [msgspec.structs.replace(choice, chance=float(choice is best)) for choice in choices]
    other = tree.hand_sets[1 - seat]
    order = np.argsort(-reach, kind="stable")
    belief = tuple((other.hands[i], float(reach[i] / weight)) for i in order.tolist() if reach[i] > 0)
    return Explanation(tuple(choices), comes_here, rarest > 0, belief, rarest, float(tree.weights[seat][own]) * weight)


def place_of(tree: PublicTree, history: Sequence[Bid], hand: Sequence[int]) -> tuple[int, int, list[int]]:
    """Whose decision it is, the number of the mover's hand, and the rungs of the bids; `OutOfReachError` if such a
    decision cannot come up.
    """
    seat = len(history) % 2
    own = _index(tree, seat, hand)
    rungs = [_rung(tree, bid) for bid in history]
    if any(low >= high for low, high in pairwise(rungs)):
        raise OutOfReachError(f"bids {' '.join(map(str, history))}: each must be higher than the one before it")
    if rungs and rungs[0] not in tree.rules.opening_rungs:
        raise OutOfReachError(f"{history[0]} cannot open a round by these rules")
    return seat, own, rungs


def mix_of(tree: PublicTree, pool: Pool, history: Sequence[Bid], hand: Sequence[int]) -> dict[Action, float]:
    """How often the strategies in the pool take each action with this hand after these bids, leaving out what they
    never do. Where their own play never leads, they call.
    """
    seat = len(history) % 2
    own = _index(tree, seat, hand)
    slot, bit = _slot_after(tree, pool, [_rung(tree, bid) for bid in history])
    mix = _mix(tree, pool, seat, own, slot, bit)
    return {_action(tree, key): chance for key, chance in mix.items() if chance > 0}


def action_values(
    tree: PublicTree, pool: Pool, seat: int, slot: int, rungs: Sequence[int], reach: Floats
) -> dict[int, Floats]:
    """What each action is worth with each hand, after bids on these rungs that lead to the slot: calls first, where
    they are possible, then bids by their rungs. `reach` says how likely the other player comes there with each hand.
    """
    rules, values = tree.rules, dict[int, Floats]()
    if rungs:
        values[CALL_KEY] = call_values(tree, seat, rules.bids[rungs[-1]], reach)
        if tree.exact:
            values[EXACT_KEY] = call_values(tree, seat, rules.bids[rungs[-1]], reach, exact=True)
    for rung in range(rungs[-1] + 1, len(rules.bids)) if rungs else sorted(rules.opening_rungs):
        bit = tree.rungs - 1 - rung
        if bit < 0:  # only a claim is left, and it is called
            values[rung] = -call_values(tree, seat, rules.bids[rung], reach)
        else:
            below = (slot_after_raise(pool, slot, bit), bit, len(rungs) + 1)
            values[rung] = best_values_from(tree, pool, pool.average, seat, below, reach) / reach.sum()
    return values


def values_by_hand(tree: PublicTree, pool: Pool, history: Sequence[Bid]) -> dict[Action, Floats]:
    """What each action is worth after these bids, with each hand of the player to move (`tree.hand_sets`)."""
    seat, rungs = len(history) % 2, [_rung(tree, bid) for bid in history]
    slot, _, _, _, reach = _follow(tree, pool, seat, 0, rungs)
    return {_action(tree, key): found for key, found in action_values(tree, pool, seat, slot, rungs, reach).items()}


def slot_after_raise(pool: Pool, slot: int, bit: int) -> int:
    """The slot that the raise with this bit leads to."""
    first = int(pool.first[slot]) if slot != NO_SLOT else 0
    return first + bit if first else NO_SLOT


class Reply(msgspec.Struct, frozen=True):
    """How the other player's equilibrium strategy answers a bid."""

    called: float
    """How often it calls liar."""
    holds: float
    """How often the bid is true when it does."""
    called_exact: float = 0.0
    """How often it calls exact."""
    exact: float = 0.0
    """How often that call is right."""


def reply_to(tree: PublicTree, pool: Pool, history: Sequence[Bid], hand: Sequence[int], bid: Bid) -> Reply:
    """How a bid with this hand after these bids is answered, which shows why it is good or bad."""
    seat = len(history) % 2
    own, rung = _index(tree, seat, hand), _rung(tree, bid)
    slot, _, _, _, reach = _follow(tree, pool, seat, own, [_rung(tree, made) for made in history])
    child = tree.rungs - 1 - rung
    first = int(pool.first[slot]) if slot >= 0 and child >= 0 else 0
    exact_calls, calls = np.zeros(len(reach)), np.ones(len(reach))
    if first:
        exact_calls, calls = action_chances(tree, pool, 1 - seat, first + child, child)[-2:]
    view = tree.views[seat]
    matching = view.their_matches[bid.face] + view.own_matches[bid.face, own]

    def answered(chances: Floats, right: Truths) -> tuple[float, float]:
        """How often the bid gets this answer, and how often dice as these are shown then."""
        calling = reach * chances
        often = float(calling.sum())
        return often / float(reach.sum()), float(calling[right].sum()) / often if often > 0 else 0.0

    return Reply(*answered(calls, matching >= bid.quantity), *answered(exact_calls, matching == bid.quantity))


def _index(tree: PublicTree, seat: int, hand: Sequence[int]) -> int:
    found = tree.hand_sets[seat].index.get(tuple(sorted(hand)))
    if found is None:
        raise OutOfReachError(
            f"hand {','.join(map(str, hand))}: expected {tree.config.dice[seat]} dice from 1 to {tree.config.faces}"
        )
    return found


def _rung(tree: PublicTree, bid: Bid) -> int:
    if bid not in tree.rules.rungs:
        raise OutOfReachError(f"{bid} cannot be bid with {tree.config.total_dice} dice by these rules")
    return tree.rules.rungs[bid]


def _action(tree: PublicTree, key: int) -> Action:
    """The action with this key of `action_values`."""
    return {CALL_KEY: CALL, EXACT_KEY: EXACT}.get(key) or BidAction(tree.rules.bids[key])


def _slot_after(tree: PublicTree, pool: Pool, rungs: Sequence[int]) -> tuple[int, int]:
    """The slot that bids on these rungs lead to, `NO_SLOT` if the pool has none, and the bit of the last."""
    slot, bit = ROOT, tree.rungs
    for rung in rungs:
        bit = tree.rungs - 1 - rung
        slot = slot_after_raise(pool, slot, bit) if bit >= 0 else NO_SLOT
    return slot, bit


def _mix(tree: PublicTree, pool: Pool, seat: int, own: int, slot: int, bit: int) -> dict[int, float]:
    """How often the seat takes each action with this hand, by the keys of `action_values`."""
    if slot == NO_SLOT:
        return {CALL_KEY: 1.0}
    chances = action_chances(tree, pool, seat, slot, bit)[:, own]
    mix = {tree.rungs - 1 - b: float(chances[b]) for b in range(bit)}
    mix[EXACT_KEY], mix[CALL_KEY] = map(float, chances[-2:])
    if chances[bit] > 0:
        mix[tree.rules.rungs[Bid(tree.config.total_dice, tree.hand_sets[seat].hands[own][0])]] = float(chances[bit])
    return mix


def action_chances(tree: PublicTree, pool: Pool, seat: int, slot: int, bit: int) -> Floats:
    """[action, hand]: the seat's mix at one of its nodes: raises by bit, the claim, the exact call, the call."""
    hands, theirs = tree.hands[seat], tree.hands[1 - seat]
    first_exact = hands + theirs + tree.claims
    done = np.zeros((bit + 3, hands))
    first = int(pool.first[slot])
    if first:
        done[:bit] = pool.average[first : first + bit, :hands]
    done[bit, tree.views[seat].own_claims] = pool.average[slot, hands + theirs : first_exact]
    if slot != ROOT:
        done[bit + 2] = pool.average[slot, theirs : theirs + hands]
        if tree.exact:
            done[bit + 1] = pool.average[slot, first_exact : first_exact + hands]
    total = done.sum(axis=0)
    done[bit + 2, total == 0] = 1
    chances: Floats = done / done.sum(axis=0)
    return chances


def _follow(
    tree: PublicTree, pool: Pool, seat: int, own: int, rungs: Sequence[int]
) -> tuple[int, int, bool, float, Floats]:
    """Where bids lead: the slot and bit, whether the seat would come there, how often the other player makes the least
    likely of its bids, and the other player's hands, weighted.
    """
    slot, bit, comes_here, rarest = ROOT, tree.rungs, True, 1.0
    reach: Floats = tree.weights[1 - seat].copy()
    for made, rung in enumerate(rungs):
        actor, child = made % 2, tree.rungs - 1 - rung
        chances: Floats = np.zeros(tree.hands[actor])
        if slot >= 0 and child >= 0:
            chances = action_chances(tree, pool, actor, slot, bit)[child]
        elif slot >= 0:  # a bid that is not in the tree, which only a claim can be
            claim = tree.views[actor].own_claims[tree.rules.bids[rung].face - 1]
            chances[claim] = action_chances(tree, pool, actor, slot, bit)[bit, claim]
        if actor == seat:
            comes_here = comes_here and bool(chances[own] > 0)
        else:
            rarest = min(rarest, float((reach * chances).sum() / reach.sum()))
            reach = reach * chances if rarest > 0 else reach
        first = int(pool.first[slot]) if slot >= 0 else 0
        slot, bit = (first + child if first and child >= 0 else NO_SLOT), child
    return slot, bit, comes_here, rarest, reach


def value_to_last_bidder(tree: PublicTree, pool: Pool, history: Sequence[Bid]) -> float:
    """What the round is worth to the player who made the last bid, for a spectator who sees the bids but no dice."""
    seat = (len(history) - 1) % 2
    rungs = [_rung(tree, bid) for bid in history]
    slot, bit, _, _, theirs = _follow(tree, pool, seat, 0, rungs)
    own = _follow(tree, pool, 1 - seat, 0, rungs)[-1]
    if rungs[-1] >= tree.rungs:
        return float(-call_values(tree, seat, history[-1], theirs) @ own / own.sum())
    values = best_values_from(tree, pool, pool.average, seat, (slot, bit, len(history)), theirs)
    return float(values @ own / (own.sum() * theirs.sum()))


def call_values(tree: PublicTree, seat: int, bid: Bid, reach: Floats, *, exact: bool = False) -> Floats:
    """What calling this bid is worth with each hand."""
    view = tree.views[seat]
    matching = view.their_matches[bid.face][:, None] + view.own_matches[bid.face]
    right = matching == bid.quantity if exact else matching < bid.quantity
    if_wrong, if_right = view.worth[0, int(exact)]
    often = np.minimum((reach @ right) / reach.sum(), 1.0)
    called: Floats = if_wrong + (if_right - if_wrong) * often
    return called


def choices_to_show(explanation: Explanation, most: int) -> list[Choice]:
    """What the equilibrium does, and of the other choices those worth most, in the order of the bids."""
    by_merit = sorted(explanation.choices, key=lambda choice: (choice.chance, choice.value), reverse=True)
    taken = sum(choice.chance >= RARE for choice in explanation.choices)
    kept = by_merit[: max(most, taken)]
    return [choice for choice in explanation.choices if choice in kept]
