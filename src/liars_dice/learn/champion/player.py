"""The champion's network in numpy alone: from positions to distributions over the legal actions and chances to win.

The same features and the same network as in training, written once more for machines without PyTorch; a test holds the
two together. It is asked about one position or about many at once, which takes a quarter of the time for each. The
weights are half floats in an `.npz` file. `agent` makes a player of it.

>>> from liars_dice.core import GameEngine, preset
>>> engine = GameEngine(preset("perudo", players=3), seed=1)
>>> _ = engine.start_new_round()
>>> seen = seen_in(engine.get_view(0))
>>> champion = Champion.shipped()
>>> champion.distributions([seen]).shape, champion.chances([seen]).shape
((1, 182), (1, 6))
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from math import comb, fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import BadZipFile

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
ACTIONS = EXACT + 1
"""Actions are numbers: bids are `(quantity - 1) * 6 + face - 1`, then come liar and exact."""
STEPS, NEAR = 12, 10
FACE = np.arange(1, FACES + 1)
FACE_FEATURES, TABLE_FEATURES = 46, 86
MOST_PRODUCTS = 1 << 18
"""OpenBLAS multiplies matrices in one thread if that takes at most this many products of numbers."""
SHIPPED = Path(__file__).with_name("data") / "champion.npz"
"""The weights that come with the package."""


def _tails() -> NDArray[np.float64]:
    """[chance, n, k]: the probability that at least k of n dice count, if one does with probability 1/6 or 1/3."""
    table = np.zeros((2, QUANTITIES + 1, QUANTITIES + 1))
    for which, p in enumerate((1 / 6, 1 / 3)):
        for n in range(QUANTITIES + 1):
            exactly = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
            table[which, n, : n + 1] = [1.0, *(min(1.0, fsum(exactly[k:])) for k in range(1, n + 1))]
    return table


TAILS = _tails().astype(np.float32)


class RuleFlags(NamedTuple):
    """The rules that the network is told of."""

    wild: bool
    """Whether ones are wild in this game."""
    exact_call: bool
    palifico_rule: bool
    palifico: bool
    """Whether this is a palifico round."""
    open_on_ones: bool
    exact_costs_bidder: bool
    most_dice: int
    """The most dice that exact calls can bring a player to."""


class Seen(NamedTuple):
    """A position as the player to move sees it. Players are in turn order: 0 is to move, the last made the bid."""

    dice: tuple[int, ...]
    """[player]: how many dice each player has who is still in."""
    had_one: tuple[bool, ...]
    """[player]: whether the player had one die in an earlier round."""
    hand: tuple[int, ...]
    """The dice of the player to move."""
    bids: tuple[tuple[int, int, int], ...]
    """(player, quantity, face): the bids of this round, in order."""
    opener: int
    """Which player opened the round."""
    rules: RuleFlags


def seen_in(view: GameView) -> Seen:
    """The position in a view of the player to move."""
    public = view.public
    counts = public.dice_counts
    me = public.current_player
    seats = [seat for seat in (*range(me, len(counts)), *range(me)) if counts[seat]]
    place = {seat: player for player, seat in enumerate(seats)}
    return Seen(
        dice=tuple([counts[seat] for seat in seats]),
        had_one=tuple([any(len(r.dice[seat]) == 1 for r in public.resolutions) for seat in seats]),
        hand=view.my_dice,
        bids=tuple([(place[s], bid.quantity, bid.face) for s, bid in zip(public.bidders, public.bid_history)]),  # noqa: B905
        opener=place[public.opener],
        rules=rule_flags(view.config, view.palifico),
    )


@cache
def rule_flags(config: GameConfig, palifico: bool = False) -> RuleFlags:
    """What the network is told of the rules, in a palifico round or another."""
    return RuleFlags(
        wild=config.wild == "ones",
        exact_call=config.exact_call,
        palifico_rule=config.palifico,
        palifico=palifico,
        open_on_ones=config.open_on_ones,
        exact_costs_bidder=config.exact_payer == "bidder",
        most_dice=config.dice_cap if config.exact_call else MOST_DICE,
    )


class Positions(NamedTuple):
    """Many positions as arrays; [B, player] where there is one number per player, 0 for places that are empty."""

    dice: Ints
    had_one: Ints
    raises: Ints
    """[B, player]: how many bids the player has made in this round."""
    first: Ints
    """[B, face - 1, player]: the first quantity the player bid on the face in this round, 0 if none."""
    last: Ints
    """[B, face - 1, player]: the last one."""
    hand: Ints
    """[B, face - 1]: the dice of the player to move."""
    quantity: Ints
    face: Ints
    """[B]: the current bid, 0x0 before the first."""
    opened_face: Ints
    opener: Ints
    rules: Ints
    """[B, flag]: the fields of `RuleFlags`."""

    @classmethod
    def of(cls, seen: Sequence[Seen]) -> Positions:
        """These positions, side by side."""
        n = len(seen)
        dice, had_one, raises, hand = np.zeros((4, n, SEATS), dtype=np.int64)
        first, last = np.zeros((2, n, FACES, SEATS), dtype=np.int64)
        quantity, face, opened_face, opener = np.zeros((4, n), dtype=np.int64)
        for at, one in enumerate(seen):
            dice[at, : len(one.dice)] = one.dice
            had_one[at, : len(one.dice)] = one.had_one
            for die in one.hand:
                hand[at, die - 1] += 1
            for player, bid, on in one.bids:
                raises[at, player] += 1
                last[at, on - 1, player] = bid
                if not first[at, on - 1, player]:
                    first[at, on - 1, player] = bid
            if one.bids:
                _, quantity[at], face[at] = one.bids[-1]
                opened_face[at] = one.bids[0][2]
            opener[at] = one.opener
        rules = np.array([one.rules for one in seen], dtype=np.int64)
        return cls(dice, had_one, raises, first, last, hand, quantity, face, opened_face, opener, rules)

    def flag(self, name: str) -> Ints:
        """[B]: one of the rules."""
        return self.rules[:, RuleFlags._fields.index(name)]

    @property
    def ones_wild(self) -> NDArray[np.bool_]:
        """[B]: whether ones are wild in this round."""
        return np.asarray((self.flag("wild") > 0) & (self.flag("palifico") == 0))


def lowest_bids(at: Positions) -> Ints:
    """[B, face - 1]: the lowest quantity that may be bid on each face, `NO_BID` where none may."""
    quantity, face = at.quantity[:, None], at.face[:, None]
    palifico, wild = at.flag("palifico")[:, None] > 0, at.ones_wild[:, None]
    raised = quantity + (face >= FACE)
    raised = np.where(wild & (face == 1) & (FACE > 1), 2 * quantity + 1, raised)
    raised = np.where(wild & (face > 1) & (FACE == 1), (quantity + 1) // 2, raised)
    raised = np.where(palifico & (at.dice[:, :1] > 1) & (at.opened_face[:, None] != FACE), NO_BID, raised)
    barred = (FACE == 1) & (at.flag("open_on_ones")[:, None] == 0) & ~palifico
    lowest = np.where(quantity == 0, np.where(barred, NO_BID, 1), raised)
    return np.where(lowest > at.dice.sum(1, keepdims=True), NO_BID, lowest)


class Features(NamedTuple):
    """The input of the network."""

    faces: Floats
    table: Floats
    lowest: Ints
    expected: Floats


def features(at: Positions) -> Features:
    """What `observation.observe` makes of the same positions, feature by feature."""
    n = len(at.dice)
    rows = np.arange(n)
    total = at.dice.sum(1, keepdims=True)
    unseen = total - at.dice[:, :1]
    wild = at.ones_wild[:, None]
    which = ((FACE != 1) & wild).astype(np.int64)
    held = at.hand + which * at.hand[:, :1]
    chance = ((1 + which) / 6).astype(np.float32)
    expected = (held + unseen * chance).astype(np.float32)
    typical = total * chance
    spread = np.sqrt(typical * (1 - chance)) + np.float32(0.5)
    lowest = lowest_bids(at)
    legal = lowest <= total

    def holds(quantity: Ints) -> Floats:
        return np.asarray(TAILS[which, unseen, np.clip(quantity - held, 0, QUANTITIES)])

    faces = np.zeros((n, FACES, FACE_FEATURES), dtype=np.float32)
    faces[..., 0], faces[..., 1] = at.hand / 3, held / 3
    faces[..., 2], faces[..., 3] = (expected - typical) / spread, expected / 10
    faces[..., 4], faces[..., 5] = at.face[:, None] == FACE, at.opened_face[:, None] == FACE
    faces[..., 6], faces[..., 7], faces[..., 8] = chance * 3 - 1, legal, legal * (lowest - expected) / spread
    faces[..., 9], faces[..., 10] = legal & (lowest == 1), legal * (total - lowest) / 10
    faces[..., 11] = legal * lowest / 10
    for more in range(4):
        faces[..., 12 + more] = legal * holds(np.minimum(lowest + more, QUANTITIES + 1))
    faces[..., 16:22] = np.eye(FACES)
    said = at.last > 0
    height = at.last * 8 + FACE[:, None]
    height[:, 0] = np.where(wild, at.last[:, 0] * 16 + 7, height[:, 0])
    faces[..., 22:28] = said
    faces[..., 28:34] = said * (at.last - typical[..., None]) / spread[..., None]
    faces[..., 34:40] = said * (at.first - typical[..., None]) / spread[..., None]
    faces[..., 40:46] = said & (height == height.max(1, keepdims=True))

    table = np.zeros((n, TABLE_FEATURES), dtype=np.float32)
    table[rows[:, None], np.arange(SEATS) * 6 + at.dice] = 1
    table[:, 36:42] = at.had_one * at.flag("palifico_rule")[:, None]
    table[:, 42:48] = at.rules[:, :6]
    table[:, 48], table[:, 49] = at.dice[:, 0] < at.flag("most_dice"), at.quantity == 0
    players = (at.dice > 0).sum(1)
    table[rows, 50 + players - 2] = 1
    table[:, 55], table[:, 56] = total[:, 0] / 15 - 1, unseen[:, 0] / 12 - 1
    table[:, 57:63] = at.raises / 3
    table[rows, 63 + at.opener] = 1
    table[:, 69] = at.raises.sum(1) / 8
    bid, place = at.quantity > 0, np.maximum(at.face - 1, 0)
    truth, higher = (holds(at.quantity[:, None] + more)[rows, place] for more in (0, 1))
    table[:, 70] = at.quantity / 10
    table[rows, 71 + place] = bid
    table[:, 77], table[:, 78] = bid * truth, bid * (truth - higher)
    table[:, 79] = bid * (at.quantity - expected[rows, place]) / spread[rows, place]
    table[:, 80:86] = at.dice > 0
    return Features(faces, table, lowest, expected)


class Network:
    """Streams of numbers for the faces and for the table (`network.Streams`), and linear layers that read them."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self.weights = {name: np.ascontiguousarray(w.T, dtype=np.float32) for name, w in weights.items()}
        self.blocks = sum(name.endswith(".face_1.weight") for name in self.weights)

    def linear(self, name: str, x: Floats) -> Floats:
        """A layer, applied to the last axis of two."""
        weight, bias = self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias")
        out = _product(x, weight)
        if bias is not None:
            out += bias
        return out

    def per_face(self, name: str, x: Floats) -> Floats:
        """A layer, applied to every face of every position: one product of two matrices."""
        return self.linear(name, x.reshape(len(x) * FACES, -1)).reshape(len(x), FACES, -1)

    def streams(self, faces: Floats, table: Floats) -> tuple[Floats, Floats]:
        """([B, face, width], [B, width]): what the streams say in the end."""
        x, g = self.per_face("streams.face_in", faces), self.linear("streams.table_in", table)
        for block in range(self.blocks):
            name = f"streams.blocks.{block}"
            rx = np.maximum(x, 0)
            heard = self.linear(f"{name}.hear_mean", rx.mean(1)) + self.linear(f"{name}.hear_max", rx.max(1))
            hidden = np.maximum(self.linear(f"{name}.table_1", np.maximum(g, 0)) + heard, 0)
            g = g + self.linear(f"{name}.table_2", hidden)
            told = self.linear(f"{name}.hear_table", np.maximum(g, 0))[:, None]
            x = x + self.per_face(f"{name}.face_2", np.maximum(self.per_face(f"{name}.face_1", rx) + told, 0))
        return np.maximum(x, 0), np.maximum(g, 0)


class Champion(Network):
    """The network, ready to play; or two of them, one of which plays when two players are left."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        of_two = {name.removeprefix("two."): w for name, w in weights.items() if name.startswith("two.")}
        self.two = Champion(of_two) if of_two else self
        if of_two:
            weights = {name.removeprefix("many."): w for name, w in weights.items() if name.startswith("many.")}
        super().__init__(weights)

    @classmethod
    def load(cls, path: str | Path) -> Champion:
        """From a file that `save_weights` made; `ValueError` if it is another kind of file."""
        try:
            with np.load(path) as found:
                network = cls(dict(found))
            faces, table = ((1, FACES, FACE_FEATURES), (1, TABLE_FEATURES))
            for one in (network, network.two):
                one.logits(np.zeros(faces, np.float32), np.zeros(table, np.float32))
        except (KeyError, ValueError, AttributeError, TypeError, EOFError, BadZipFile, zlib.error):
            raise ValueError("it does not have the weights of such a network") from None
        return network

    @staticmethod
    @cache
    def shipped() -> Champion:
        """The champion that comes with the package, read once."""
        return Champion.load(SHIPPED)

    def logits(self, faces: Floats, table: Floats) -> tuple[Floats, Floats, Floats]:
        """([B, face, STEPS + 2 NEAR + 1], [B, 2], [B, 6]): bids by distance, calls, chances to win."""
        x, g = self.streams(faces, table)
        return self.per_face("bids", x), self.linear("calls", g), self.linear("chances", g)

    def _asked(self, at: Positions, found: Features) -> tuple[Floats, Floats, Floats]:
        """`logits`, each from the network that is made for as many players as are left."""
        two = (at.dice > 0).sum(1) == 2
        if self.two is self or not two.any():
            return self.logits(found.faces, found.table)
        if two.all():
            return self.two.logits(found.faces, found.table)
        parts = [net.logits(found.faces[which], found.table[which]) for net, which in ((self, ~two), (self.two, two))]
        back = np.argsort(np.concatenate([np.flatnonzero(~two), np.flatnonzero(two)]))
        bids, calls, chances = (np.concatenate(pair)[back] for pair in zip(*parts, strict=True))
        return bids, calls, chances

    def distributions(self, seen: Sequence[Seen]) -> NDArray[np.float64]:
        """[B, action]: how probable each action is in each of these positions."""
        return self.distributions_at(Positions.of(seen))

    def distributions_at(self, at: Positions) -> NDArray[np.float64]:
        """The same for positions as arrays."""
        n, found = len(at.dice), features(at)
        bids, calls, _ = self._asked(at, found)
        quantities = np.arange(1, QUANTITIES + 1)[:, None]
        lowest = found.lowest[:, None]
        above = np.clip(quantities - lowest, 0, STEPS - 1)
        likely = np.floor(found.expected + 0.5).astype(np.int64)[:, None]
        near = STEPS + NEAR + np.clip(quantities - likely, -NEAR, NEAR)
        rows, every = np.arange(n)[:, None, None], np.arange(FACES)
        logits = np.empty((n, ACTIONS))
        logits[:, :LIAR] = (bids[rows, every, above] + bids[rows, every, near]).reshape(n, -1)
        logits[:, LIAR:] = calls
        legal = np.empty(logits.shape, dtype=bool)
        total = at.dice.sum(1)[:, None, None]
        legal[:, :LIAR] = ((quantities >= lowest) & (quantities <= total)).reshape(n, -1)
        legal[:, LIAR] = at.quantity > 0
        legal[:, EXACT] = legal[:, LIAR] & (at.flag("exact_call") > 0)
        logits[~legal] = -np.inf
        chances = np.exp(logits - logits.max(1, keepdims=True))
        return np.asarray(chances / chances.sum(1, keepdims=True))

    def chances(self, seen: Sequence[Seen]) -> NDArray[np.float64]:
        """[B, player]: everybody's chance to win the game, as the player to move sees it; 0 for empty places."""
        at = Positions.of(seen)
        logits = self._asked(at, features(at))[2].astype(np.float64)
        logits[at.dice == 0] = -np.inf
        chances = np.exp(logits - logits.max(1, keepdims=True))
        return np.asarray(chances / chances.sum(1, keepdims=True))


def _product(x: Floats, weight: Floats) -> Floats:
    """`x @ weight`, a few rows at a time: no slower, and too little at once for a BLAS library to start threads.

    So a process uses one core, and answers do not depend on how many there are.
    """
    rows = max(1, MOST_PRODUCTS // weight.size)
    whole = len(x) // rows * rows
    if not whole:
        return np.asarray(x @ weight)
    parts = (x[:whole].reshape(-1, rows, x.shape[1]) @ weight).reshape(whole, -1)
    return parts if whole == len(x) else np.concatenate([parts, x[whole:] @ weight])


def fits(config: GameConfig) -> bool:
    """Whether the champion is made for these rules: Perudo for two to six players with up to five dice each."""
    if config.num_players > SEATS or config.dice_cap > MOST_DICE or config.mode != "elimination":
        return False
    known = type(config)(  # every other rule, also one that is still to be invented, must be as usual
        dice=config.dice,
        wild="ones" if config.wild == "ones" else "none",
        bid_ordering="perudo" if config.wild == "ones" else "quantity_then_face",
        mode="elimination",
        exact_call=config.exact_call,
        exact_payer=config.exact_payer,
        max_dice=config.max_dice,
        palifico=config.palifico,
        open_on_ones=config.open_on_ones,
        seed=config.seed,
    )
    return known == config


def save_weights(state: Mapping[str, Any], path: str | Path) -> None:
    """Write the weights of a `PolicyNetwork` or of `TwoNetworks` (its state dict) as half floats."""
    np.savez(path, **{name: np.asarray(w.cpu()).astype(np.float16) for name, w in state.items()})  # type: ignore[arg-type]
