"""Measure short-memory strategies on a GPU: what a perfect adversary earns against them, at least and at most.

This is the search of `liars_dice.exact.solver.short_memory_adversary`, with the same tables, for rounds that would take
a processor hours. Instead of one bidding after the other it looks at many at a time: those after which the players are
in the same place share one matrix product. All bids that may be better than what the tables promise are followed, so
it looks at more biddings for the same gap, and its bounds are at least as close.

    python tools/measure_short_memory.py --rounds perudo:5v5 [--device cpu|cuda] [--seconds 120] [--strategies FILE]
        [--out training/data/short-memory/bounds.json]

`benchmarks/solver.py` takes the bounds of rounds of `perudo` with nine and ten dice from such a file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from liars_dice.exact.solver import short_memory
from liars_dice.exact.solver.short_memory import ShortKey, StrategyBook
from liars_dice.exact.solver.short_memory_adversary import Adversary, Measured, mean_of
from liars_dice.exact.solver.short_memory_packing import PARTS

GAPS = (1e-3, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7)
"""The search is repeated with ever smaller gaps while there is time..."""
GROWTH = 3
"""...each of which takes about so many times as long as the one before."""
AT_ONCE = {"cpu": 1 << 12, "cuda": 1 << 17}
"""How many of the adversary's bids, or twice as many biddings, are looked at together."""
ALIKE = 1 << 13
"""How many of those that lead to the same place share a matrix product."""


class Biddings(NamedTuple):
    """Biddings after which the adversary has to answer."""

    column: Tensor
    memory: Tensor
    belief: Tensor
    """[bidding, hand]: how likely the strategy holds a hand and has made its bids."""

    def at(self, chosen: Tensor | slice) -> Biddings:
        """Some of them."""
        return Biddings(*(part[chosen] for part in self))


class Bids(NamedTuple):
    """Bids of the adversary that are followed."""

    after: Tensor
    """The number of the bidding before each of them."""
    column: Tensor
    memory: Tensor


class Search:
    """The adversary of one strategy on a device."""

    def __init__(self, adversary: Adversary, device: str) -> None:
        self.adversary, self.device = adversary, torch.device(device)
        self.at_once = AT_ONCE[self.device.type]
        round_ = adversary.round
        self.least, self.most = (torch.from_numpy(table).to(device) for table in adversary.tables)
        self.policy = torch.from_numpy(adversary.policy).to(device)
        self.after = torch.from_numpy(round_.after).to(device)
        self.kind = torch.from_numpy(round_.kind).to(device)
        self.weights = torch.from_numpy(round_.its_weights).float().to(device)
        columns = adversary.places.rungs + 1
        count = round_.matches[:, None, round_.face] + round_.its_matches[None, :, round_.face]
        right = [count < round_.quantity, count == round_.quantity][: 1 + round_.exact]
        called = np.zeros((columns, len(right), *count.shape[:2]), dtype=np.float32)
        called[1:] = np.where(np.stack(right), 1, -1).transpose(3, 0, 1, 2)
        self.called = torch.from_numpy(called).to(device)
        """[column, kind of call, hand, its hand]: what a call of the adversary earns."""
        self.looked_at = 0

    def measure(self, gap: float) -> Measured:
        """Bounds on what the adversary earns."""
        start, weights = self.adversary.places.start, torch.from_numpy(self.adversary.weights).float().to(self.device)
        if self.adversary.opens:
            moves = int(self.adversary.places.width[0])
            column = torch.arange(1, moves + 1, device=self.device)
            belief = weights * self.policy[0, 0, :moves] / PARTS
        else:
            column, belief = torch.zeros(1, dtype=torch.int64, device=self.device), weights[None]
        self.looked_at = 0
        first = Biddings(column, torch.full_like(column, start), belief).at(belief.any(-1))
        bounds = self._bounds(first, gap).double().sum(0) @ self.weights.double()
        return Measured(float(bounds[0]), float(bounds[1]), self.looked_at)

    def _bounds(self, biddings: Biddings, gap: float) -> Tensor:
        """[bidding, least or most, its hand]: what it earns, times how likely the strategy comes there."""
        size = 2 * self.at_once
        starts = range(0, len(biddings.column), size)
        return torch.cat([self._bounds_of_some(biddings.at(slice(begin, begin + size)), gap) for begin in starts])

    def _bounds_of_some(self, biddings: Biddings, gap: float) -> Tensor:
        self.looked_at += len(biddings.column)
        bounds = torch.full((len(biddings.column), 2, len(self.weights)), -2.0, device=self.device)
        place = biddings.column * (int(self.kind.max()) + 1) + self.kind[biddings.memory]
        order = place.argsort()
        _, sizes = place[order].unique_consecutive(return_counts=True)  # type: ignore[no-untyped-call]
        groups = (some for alike in order.split(sizes.tolist()) for some in alike.split(ALIKE))  # type: ignore[no-untyped-call]
        found = [self._look(biddings, alike, bounds, gap) for alike in groups]
        bids = Bids(*(torch.cat(parts) for parts in zip(*found, strict=True)))
        for begin in range(0, len(bids.after), self.at_once):
            some = Bids(*(part[begin : begin + self.at_once] for part in bids))
            raised = self._follow(biddings.belief[some.after], some, gap)
            bounds.scatter_reduce_(0, some.after[:, None, None].expand_as(raised), raised, "amax")
        bounds[:, 1] = torch.maximum(bounds[:, 0], bounds[:, 1])
        return bounds

    def _look(self, biddings: Biddings, alike: Tensor, bounds: Tensor, gap: float) -> Bids:
        """Put into `bounds` what is known of biddings that lead to the same place; returns the bids to follow."""
        column, memory = int(biddings.column[alike[0]]), int(biddings.memory[alike[0]])
        belief = biddings.belief[alike]
        columns, own = len(self.least), len(self.weights)
        low = high = torch.full((len(alike), own), -2.0, device=self.device)
        if column:
            low = high = torch.stack([belief @ called for called in self.called[column]]).amax(0)
        bid = torch.arange(column + 1, columns, device=self.device)
        then = self.after[memory, bid - column - 1] if column else torch.full_like(bid, self.adversary.places.start)
        if not len(bid):
            bounds[alike] = torch.stack([low, high], 1)
            return Bids(alike[:0], bid, then)
        least, most = (
            torch.einsum("nh,bho->nbo", belief, table[bid, then]) for table in (self.least, self.most)
        )  # [bidding, bid, its hand]
        low = torch.maximum(low, least.amax(1))
        followed = torch.relu(most - low[:, None]) @ self.weights > gap
        high = torch.maximum(high, most.masked_fill(followed[..., None], -2.0).amax(1))
        bounds[alike] = torch.stack([low, high], 1)
        n, b = followed.nonzero(as_tuple=True)
        return Bids(alike[n], bid[b], then[b])

    def _follow(self, belief: Tensor, bids: Bids, gap: float) -> Tensor:
        """[bid, least or most, its hand]: what bids earn; `belief` is what stood before each of them."""
        places = self.adversary.places
        earned = torch.zeros(len(belief), len(self.weights), device=self.device)
        for column in bids.column.unique().tolist():  # type: ignore[no-untyped-call]
            here = (bids.column == column).nonzero().squeeze(-1)
            for kind, called in enumerate(self.called[column]):
                chance = self.policy[column, bids.memory[here], places.call + kind] / PARTS
                earned[here] -= (belief[here] * chance) @ called
        raises = self.policy[bids.column, bids.memory, : places.call]
        then = belief[:, None] * (raises / PARTS)
        bid, move = then.any(-1).nonzero(as_tuple=True)
        answers = Biddings(bids.column[bid] + move + 1, self.after[bids.memory[bid], move], then[bid, move])
        raised = torch.stack([earned, earned], 1)
        if len(bid):
            del then, raises
            raised.index_add_(0, bid, self._bounds(answers, gap))
        return raised


def measure(
    key: ShortKey, book: StrategyBook, device: str, seconds: float, only: tuple[float, float] | None = None
) -> Measured:
    """The exploitability of a round's strategies, told with every gap for which there is time.

    With `only`, a gap for the opener and one for the other: with these alone, however long it takes.
    """
    began = time.perf_counter()
    places, parts = book[key].places, (book[key].parts(), book[key.opponent].parts())
    found = []
    for opens in (True, False):
        search = Search(Adversary(places, parts[not opens], parts[opens], opens=opens), device)
        deadline = began + seconds / (2 if opens else 1)
        for gap in GAPS if only is None else (only[not opens],):
            start = time.perf_counter()
            measured = search.measure(gap)
            now = time.perf_counter()
            print(
                f"{key.name}, against the {'opener' if opens else 'other'}, gap {gap:g}: from {measured.least:.4f} to "
                f"{measured.most:.4f}; {measured.biddings:,} biddings, {now - start:.1f} s",
                flush=True,
            )
            if now + GROWTH * (now - start) > deadline:
                break
        found.append(measured)
    return mean_of((found[0], found[1]))


def keep(out: Path, key: ShortKey, book: StrategyBook, found: Measured) -> None:
    """Put the bounds of a round into a file of bounds, beside those of other rounds."""
    bounds = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    bounds[key.name] = {"strategies": book.fingerprint(key), **found._asdict()}
    out.write_text(json.dumps(bounds, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and keep what was found."""
    parser = argparse.ArgumentParser(prog="python tools/measure_short_memory.py", description=main.__doc__)
    parser.add_argument("--rounds", required=True, help="such as perudo:5v5,perudo:4v5")
    parser.add_argument("--strategies", type=Path, help="a file of strategies (default: the package's)")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default: cpu)")
    parser.add_argument("--seconds", type=float, default=120, help="how long a round may take, about (default: 120)")
    parser.add_argument("--gaps", type=float, nargs=2, help="the gaps for the opener and the other: these alone")
    parser.add_argument("--out", type=Path, help="a file of bounds to put them into")
    given = parser.parse_args(arguments)
    book = StrategyBook(given.strategies.read_bytes()) if given.strategies else short_memory.load()
    for key in (key for key in book if key.opens and key.name in given.rounds.split(",")):
        found = measure(key, book, given.device, given.seconds, given.gaps)
        print(f"{key.game} {key.own} v {key.other}: from {found.least:.4f} to {found.most:.4f}", flush=True)
        if given.out:
            keep(given.out, key, book, found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
