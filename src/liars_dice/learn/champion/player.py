"""The champion as it plays: numpy alone, from a `GameView` to a distribution over the legal actions.

The same features and the same network as in training, written once more for one position at a time or for a batch of
them; a test holds the two together. The weights are half floats in an `.npz` file.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from liars_dice.core import GameConfig, GameView

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

SEATS = FACES = 6
MOST_DICE = 5
QUANTITIES = SEATS * MOST_DICE
NO_BID = 2 * QUANTITIES + 1
LIAR, EXACT = QUANTITIES * FACES, QUANTITIES * FACES + 1
STEPS, NEAR = 12, 10
FACE = np.arange(1, FACES + 1)


def _tails() -> NDArray[np.float64]:
    """[chance, n, k]: the probability that at least k of n dice count, if one does with probability 1/6 or 1/3."""
    table = np.zeros((2, QUANTITIES + 1, QUANTITIES + 1))
    for which, p in enumerate((1 / 6, 1 / 3)):
        for n in range(QUANTITIES + 1):
            exactly = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
            table[which, n, : n + 1] = [1.0, *(min(1.0, fsum(exactly[k:])) for k in range(1, n + 1))]
    return table


TAILS = _tails().astype(np.float32)


class Seen(NamedTuple):
    """A position as the player to move sees it. Players are in turn order: 0 is to move, the last made the bid."""

    dice: Ints
    """[player]: how many dice each player has who is still in."""
    had_one: Ints
    """[player]: whether the player had one die in an earlier round."""
    raises: Ints
    """[player]: how many bids the player has made in this round."""
    first: Ints
    """[player, face - 1]: the first quantity the player bid on the face in this round, 0 if none."""
    last: Ints
    """[player, face - 1]: the last one."""
    hand: Ints
    """[face - 1]: the dice of the player to move."""
    quantity: int
    face: int
    """The current bid, 0x0 before the first."""
    opened_face: int
    opener: int
    """Which player opened the round."""
    wild: bool
    """Whether ones are wild in this game."""
    exact_call: bool
    palifico_rule: bool
    palifico: bool
    open_on_ones: bool
    most_dice: int
    exact_costs_bidder: bool


def seen_in(view: GameView) -> Seen:
    """The position in a view of the player to move."""
    public, config = view.public, view.config
    counts = public.dice_counts
    me = public.current_player
    seats = [seat for seat in (*range(me, len(counts)), *range(me)) if counts[seat]]
    place = {seat: player for player, seat in enumerate(seats)}
    first, last = np.zeros((len(seats), FACES), dtype=np.int64), np.zeros((len(seats), FACES), dtype=np.int64)
    raises = np.zeros(len(seats), dtype=np.int64)
    for seat, bid in zip(public.bidders, public.bid_history, strict=True):
        player = place[seat]
        raises[player] += 1
        last[player, bid.face - 1] = bid.quantity
        if not first[player, bid.face - 1]:
            first[player, bid.face - 1] = bid.quantity
    ones = [any(len(r.dice[seat]) == 1 for r in public.resolutions) for seat in seats]
    bid_now = public.last_bid
    return Seen(
        dice=np.array([counts[seat] for seat in seats]),
        had_one=np.array(ones, dtype=np.int64),
        raises=raises,
        first=first,
        last=last,
        hand=np.bincount(np.array(view.my_dice), minlength=FACES + 1)[1:],
        quantity=bid_now.quantity if bid_now else 0,
        face=bid_now.face if bid_now else 0,
        opened_face=public.bid_history[0].face if bid_now else 0,
        opener=place[public.opener],
        wild=config.wild == "ones",
        exact_call=config.exact_call,
        palifico_rule=config.palifico,
        palifico=view.palifico,
        open_on_ones=config.open_on_ones,
        most_dice=config.dice_cap if config.exact_call else MOST_DICE,
        exact_costs_bidder=config.exact_payer == "bidder",
    )


def lowest_bids(seen: Seen) -> Ints:
    """[face - 1]: the lowest quantity that may be bid on each face, `NO_BID` where none may."""
    q, f = seen.quantity, seen.face
    if not q:
        lowest = np.ones(FACES, dtype=np.int64)
        if not seen.open_on_ones and not seen.palifico:
            lowest[0] = NO_BID
    else:
        lowest = q + (f >= FACE)
        if seen.wild and not seen.palifico:
            if f == 1:
                lowest[1:] = 2 * q + 1
            else:
                lowest[0] = (q + 1) // 2
        if seen.palifico and seen.dice[0] > 1:
            lowest[seen.opened_face != FACE] = NO_BID
    lowest[lowest > seen.dice.sum()] = NO_BID
    return lowest


class Features(NamedTuple):
    """The input of the network."""

    faces: Floats
    table: Floats
    lowest: Ints
    expected: Floats


def features(seen: Seen) -> Features:
    """What `observation.observe` makes of the same position, feature by feature."""
    total, players = int(seen.dice.sum()), len(seen.dice)
    unseen = total - int(seen.dice[0])
    wild = seen.wild and not seen.palifico
    which = ((FACE != 1) & wild).astype(np.int64)
    held = seen.hand + which * seen.hand[0]
    chance = ((1 + which) / 6).astype(np.float32)
    expected = (held + unseen * chance).astype(np.float32)
    typical = total * chance
    spread = np.sqrt(typical * (1 - chance)) + np.float32(0.5)
    lowest = lowest_bids(seen)
    legal = lowest <= total

    def holds(quantity: Any) -> Floats:
        return np.asarray(TAILS[which, unseen, np.clip(quantity - held, 0, QUANTITIES)])

    faces = np.zeros((FACES, 46), dtype=np.float32)
    faces[:, 0], faces[:, 1] = seen.hand / 3, held / 3
    faces[:, 2], faces[:, 3] = (expected - typical) / spread, expected / 10
    faces[:, 4], faces[:, 5], faces[:, 6] = seen.face == FACE, seen.opened_face == FACE, chance * 3 - 1
    faces[:, 7], faces[:, 8] = legal, legal * (lowest - expected) / spread
    faces[:, 9], faces[:, 10], faces[:, 11] = legal & (lowest == 1), legal * (total - lowest) / 10, legal * lowest / 10
    for more in range(4):
        faces[:, 12 + more] = legal * holds(np.minimum(lowest + more, QUANTITIES + 1))
    faces[:, 16:22] = np.eye(FACES)
    last, first = seen.last.T, seen.first.T  # [face, player]
    said = last > 0
    height = last * 8 + FACE[:, None]
    if wild:
        height[0] = last[0] * 16 + 7
    faces[:, 22 : 22 + players] = said
    faces[:, 28 : 28 + players] = said * (last - typical[:, None]) / spread[:, None]
    faces[:, 34 : 34 + players] = said * (first - typical[:, None]) / spread[:, None]
    faces[:, 40 : 40 + players] = said & (height == height.max(0))

    table = np.zeros(86, dtype=np.float32)
    table[np.arange(SEATS) * 6 + np.pad(seen.dice, (0, SEATS - players))] = 1
    table[36 : 36 + players] = seen.had_one * seen.palifico_rule
    opens = seen.quantity == 0
    table[42:50] = (
        seen.wild, seen.exact_call, seen.palifico_rule, seen.palifico, seen.open_on_ones, seen.exact_costs_bidder,
        seen.dice[0] < seen.most_dice, opens,
    )  # fmt: skip
    table[50 + players - 2] = 1
    table[55], table[56] = total / 15 - 1, unseen / 12 - 1
    table[57 : 57 + players] = seen.raises / 3
    table[63 + seen.opener] = 1
    table[69] = seen.raises.sum() / 8
    if not opens:
        face = seen.face - 1
        truth, more = holds(seen.quantity)[face], holds(seen.quantity + 1)[face]
        table[70], table[71 + face] = seen.quantity / 10, 1
        table[77:80] = truth, truth - more, (seen.quantity - expected[face]) / spread[face]
    table[80 : 80 + players] = 1
    return Features(faces, table, lowest, expected)


class Champion:
    """The network, ready to play; or two of them, one of which plays when two players are left."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        of_two = {name.removeprefix("two."): w for name, w in weights.items() if name.startswith("two.")}
        self.two = Champion(of_two) if of_two else self
        if of_two:
            weights = {name.removeprefix("many."): w for name, w in weights.items() if name.startswith("many.")}
        self.weights = {name: np.ascontiguousarray(w, dtype=np.float32) for name, w in weights.items()}
        self.blocks = sum(name.endswith(".face_1.weight") for name in self.weights)

    @classmethod
    def load(cls, path: str | Path) -> Champion:
        """From a file that `save_weights` made."""
        with np.load(path) as found:
            return cls(dict(found))

    def _linear(self, name: str, x: Floats) -> Floats:
        out: Floats = x @ self.weights[f"{name}.weight"].T
        bias = self.weights.get(f"{name}.bias")
        return out if bias is None else out + bias

    def logits(self, faces: Floats, table: Floats) -> tuple[Floats, Floats, Floats]:
        """([..., face, STEPS + 2 NEAR + 1], [..., 2], [..., 6]): bids by distance, calls, chances to win."""
        x, g = self._linear("streams.face_in", faces), self._linear("streams.table_in", table)
        for block in range(self.blocks):
            name = f"streams.blocks.{block}"
            rx = np.maximum(x, 0)
            heard = self._linear(f"{name}.hear_mean", rx.mean(-2)) + self._linear(f"{name}.hear_max", rx.max(-2))
            hidden = np.maximum(self._linear(f"{name}.table_1", np.maximum(g, 0)) + heard, 0)
            g = g + self._linear(f"{name}.table_2", hidden)
            told = self._linear(f"{name}.hear_table", np.maximum(g, 0))[..., None, :]
            x = x + self._linear(f"{name}.face_2", np.maximum(self._linear(f"{name}.face_1", rx) + told, 0))
        x, g = np.maximum(x, 0), np.maximum(g, 0)
        return self._linear("bids", x), self._linear("calls", g), self._linear("chances", g)

    def _network(self, seen: Seen) -> Champion:
        """The network that is made for as many players as are left."""
        return self.two if len(seen.dice) == 2 else self

    def distribution(self, seen: Seen) -> Floats:
        """[182]: how probable each action is; bids are `(quantity - 1) * 6 + face - 1`, then liar, then exact."""
        found = features(seen)
        bids, calls, _ = self._network(seen).logits(found.faces, found.table)
        quantities = np.arange(1, QUANTITIES + 1)[:, None]
        above = np.clip(quantities - found.lowest, 0, STEPS - 1)
        near = STEPS + NEAR + np.clip(quantities - np.floor(found.expected + 0.5).astype(np.int64), -NEAR, NEAR)
        every = np.arange(FACES)
        logits = np.append(bids[every, above] + bids[every, near], calls).astype(np.float32)
        legal = np.append(
            (quantities >= found.lowest) & (quantities <= seen.dice.sum()),
            (seen.quantity > 0, seen.quantity > 0 and seen.exact_call),
        )
        logits[~legal] = -np.inf
        chances = np.exp(logits - logits.max())
        return np.asarray(chances / chances.sum(), dtype=np.float32)

    def chances(self, seen: Seen) -> Floats:
        """[player]: everybody's chance to win the game, as the player to move sees it."""
        found = features(seen)
        logits = self._network(seen).logits(found.faces, found.table)[2][: len(seen.dice)]
        chances = np.exp(logits - logits.max())
        return np.asarray(chances / chances.sum(), dtype=np.float32)

    def policy(self, view: GameView) -> dict[Any, float]:
        """The distribution over the legal actions of a view, largest probability first."""
        chances = self.distribution(seen_in(view))
        found = {action: float(chances[_index(action)]) for action in view.legal_actions}
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _index(action: Any) -> int:
    bid = getattr(action, "bid", None)
    if bid is not None:
        return int((bid.quantity - 1) * FACES + bid.face - 1)
    return EXACT if type(action).__name__ == "CallExactAction" else LIAR


def fits(config: GameConfig) -> bool:
    """Whether the champion is made for these rules: Perudo for two to six players with up to five dice each."""
    ladder = "perudo" if config.wild == "ones" else "quantity_then_face"
    return (
        config.num_players <= SEATS
        and config.dice_cap <= MOST_DICE
        and config.shared_dice == 0
        and config.faces == FACES
        and config.wild in ("none", "ones")
        and config.bid_ordering == ladder
        and config.mode == "elimination"
        and config.next_opener == "loser"
        and config.wild_bids == "natural"
        and config.max_quantity == "total"
        and config.max_turns is None
        and config.opening_min_quantity == 1
    )


def save_weights(state: Mapping[str, Any], path: str | Path) -> None:
    """Write the weights of a `PolicyNetwork` or of `TwoNetworks` (its state dict) as half floats."""
    np.savez(path, **{name: np.asarray(w.cpu()).astype(np.float16) for name, w in state.items()})  # type: ignore[arg-type]
