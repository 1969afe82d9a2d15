"""The GPU solver: the same pool of nodes as on a CPU, traversed level by level by the kernels in gpu_kernels.cu."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...core import check_extra
from ..errors import OutOfReachError
from .cfr_traversal import ROOT, Pool
from .public_tree import PublicTree, SeatView

MOST_SLOTS = 2**31 - 1
"""The number of a node has 32 bits."""
LANES = 32
"""How many threads of a GPU work on one node."""
Launch = Callable[..., None]
Kind = Literal["improving", "responding"]
Array = Any
"""An array on the device."""


class Device(Protocol):
    """Where the kernels run."""

    arrays: Any
    """A module like numpy whose arrays live on the device."""

    def memory(self) -> float:
        """How many gigabytes are free."""

    def kernels(self, macros: dict[str, int]) -> Callable[[str], Launch]:
        """The compiled kernels, by name."""

    def to_host(self, array: Array) -> NDArray[Any]:
        """A copy in the host's memory."""


class Cuda:
    """An NVIDIA GPU, through CuPy."""

    def __init__(self) -> None:
        check_extra("--device gpu", "cupy", "gpu", "use --device cpu")
        import cupy

        try:
            found = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise OutOfReachError(f"--device gpu: CuPy finds no GPU ({error}); --device cpu works anywhere") from None
        if found < 1:
            raise OutOfReachError("--device gpu: CuPy finds no GPU; --device cpu works anywhere")
        self.arrays = cupy
        self._blocks = 8 * cupy.cuda.Device().attributes["MultiProcessorCount"]

    def memory(self) -> float:
        """How many gigabytes are free."""
        self.arrays.get_default_memory_pool().free_all_blocks()  # what CuPy keeps for later is free, too
        return float(self.arrays.cuda.runtime.memGetInfo()[0]) / 1e9

    def kernels(self, macros: dict[str, int]) -> Callable[[str], Launch]:
        """The compiled kernels, by name."""
        options = ("-std=c++17", *(f"-D{name}={value}" for name, value in macros.items()))
        module = self.arrays.RawModule(code=source(), options=options)

        @cache
        def kernel(name: str) -> Launch:
            function = module.get_function(name)
            return lambda *arguments: function((self._blocks,), (8 * LANES,), arguments)

        return kernel

    def to_host(self, array: Array) -> NDArray[Any]:
        """A copy in the host's memory."""
        return np.asarray(self.arrays.asnumpy(array))


def source() -> str:
    """The kernels' source."""
    return files(__package__).joinpath("gpu_kernels.cu").read_text(encoding="utf-8")


class Level(NamedTuple):
    """The nodes after equally many bids that one pass looks at, and which nodes of the next level are their raises."""

    here: tuple[Any, ...]
    """How many nodes, whether it is the root, and for each its slot, its bit and the slot of its first raise."""
    start: Array
    count: Array
    reach: Array
    """[node, hand]: how likely the other player is to come here; where it acts itself, the rows of the level above."""
    value: Array
    """[node, hand]: what the node is worth to the seat."""


class Raises(NamedTuple):
    """The nodes of the next level."""

    slot: Array
    bit: Array
    parent: Array
    """The place of the node that each is a raise of, in the level above."""


class GpuSolver:
    """The same iterations as `CpuSolver` makes, in single precision; brackets in double precision."""

    def __init__(self, tree: PublicTree, *, least: float, slots: int, device: Device | None = None) -> None:
        self._device = device or Cuda()
        self._xp = self._device.arrays
        self._kernels = [self._device.kernels(_macros(tree, seat)) for seat in (0, 1)]
        self._least = np.float32(least)
        self.iterations, self.full = 0, False
        self._claim(max(1 + tree.rungs, min(slots, 1 << tree.rungs, MOST_SLOTS)), tree)
        self.tree = tree

    def _claim(self, slots: int, tree: PublicTree) -> None:
        """Make room for this many nodes."""
        xp = self._xp
        self._regret, self._average = (xp.zeros((slots, tree.width), dtype=xp.float32) for _ in range(2))
        self._first = xp.zeros(slots, dtype=xp.int32)
        self._first[ROOT] = 1  # a round is opened, from the beginning
        self.nodes = 1 + tree.rungs
        """How many nodes have room in the pool."""

    @property
    def tree(self) -> PublicTree:
        """The tree being solved."""
        return self._tree

    @tree.setter
    def tree(self, tree: PublicTree) -> None:
        """Continue with other payoffs or a lower cut."""
        self._tree = tree
        self._live = self._xp.asarray(np.append(tree.views[0].live, True))  # the root's bit is the number of rungs
        self._views = [self._on_device(view) for view in tree.views]

    def _on_device(self, view: SeatView) -> tuple[Any, ...]:
        """The tree as the kernels read it on behalf of one seat."""
        whole = (
            view.quantity, view.face, view.opens, view.own_matches, view.their_matches, view.own_claims,
            view.their_claims,
        )  # fmt: skip
        described = (self._xp.asarray(array.astype(np.int32)) for array in whole)
        return (*described, self._xp.asarray(view.worth), np.int32(view.opens.sum()))

    def iterate(self) -> None:
        """One iteration for both seats, the opener first. Averages weigh iteration t by t cubed, and of the regrets
        t^1.5 of t^1.5 + 1 parts stay.
        """
        self.iterations += 1
        t = float(self.iterations)
        for seat in (0, 1):
            levels = self._down(seat, "improving", self._regret, np.float32(t**3))
            self._up(seat, "improving", levels, np.float32(t**1.5 / (t**1.5 + 1)))

    def bracket(self) -> tuple[float, float]:
        """The values of both best responses to the average strategies, to the opener: lower, upper."""
        return -self.best_response(1), self.best_response(0)

    def best_response(self, seat: int) -> float:
        """What a seat's best response to the other player's average strategy earns, in double precision."""
        levels = self._down(seat, "responding", self._average, np.float32(0))
        self._up(seat, "responding", levels, np.float32(1))
        earned = self._device.to_host(levels[0][0].value[0])
        return float(earned @ self.tree.weights[seat])

    def _down(self, seat: int, kind: Kind, table: Array, weight: np.float32) -> list[tuple[Level, Raises]]:
        """From the root to all nodes that matter to a seat, level by level: the seat goes everywhere, the other player
        where the table says. Each level comes with the nodes of the next.
        """
        xp, tree, kernel, view = self._xp, self.tree, self._kernels[seat], self._views[seat]
        own, their = tree.hands[seat], tree.hands[1 - seat]
        number = np.float32 if kind == "improving" else np.float64
        nodes = Raises(*(xp.full(1, at, dtype=xp.int32) for at in (ROOT, tree.rungs, 0)))
        reach = xp.asarray(tree.weights[1 - seat][None].astype(number))
        levels: list[tuple[Level, Raises]] = []
        while len(nodes.slot):
            size, at_root, seat_acts = len(nodes.slot), not levels, len(levels) % 2 == seat
            if seat_acts and kind == "improving":
                self._expand(nodes)
            kids = self._first[nodes.slot]
            here = (np.int32(size), np.int32(at_root), nodes.slot, nodes.bit, kids)
            value = xp.empty((size, own), dtype=number)
            if seat_acts:
                count = xp.where(kids > 0, view[-1] if at_root else nodes.bit, 0).astype(xp.int32)
            else:
                share, raised = xp.empty((size, their), dtype=number), xp.empty(size, dtype=xp.uint64)
                count = xp.empty(size, dtype=xp.int32)
                kernel(f"answer_{kind}")(
                    *view, *here, nodes.parent, reach, table, self._average, weight, self._least,
                    share, value, raised, count,
                )  # fmt: skip
            end = xp.cumsum(count, dtype=xp.int32)
            start, total = end - count, int(end[-1])
            below = Raises(*(xp.empty(total, dtype=xp.int32) for _ in range(3)))
            levels.append((Level(here, start, count, reach, value), below))
            if seat_acts:
                kernel("raise_all")(*view, *here, start, *below)
            else:
                reach = xp.empty((total, their), dtype=number)
                kernel(f"follow_{kind}")(
                    *view, *here, start, share, raised, table, self._average, weight, *below, reach
                )  # fmt: skip
            nodes = below
        return levels

    def _up(self, seat: int, kind: Kind, levels: list[tuple[Level, Raises]], keep: np.float32) -> None:
        """Back from the last level to the root with the values, improving the seat's regrets or taking the best."""
        kernel, view = self._kernels[seat], self._views[seat]
        after = self._xp.empty(0, dtype=levels[0][0].value.dtype)
        for made in reversed(range(len(levels))):
            (here, start, count, reach, value), below = levels[made]
            if made % 2 != seat:
                kernel(f"collect_{kind}")(*here, start, count, after, value)
            elif kind == "improving":
                kernel("improve_regrets")(
                    *view, *here, start, count, below.slot, reach, after, self._regret, keep, value
                )  # fmt: skip
            else:
                kernel("respond_best")(*view, *here, start, count, reach, after, value)
            after = value

    def _expand(self, nodes: Raises) -> None:
        """Give these nodes room for their raises if they have none, may be raised, and there is some left."""
        xp = self._xp
        new = (self._first[nodes.slot] == 0) & self._live[nodes.bit]
        slots, raises = nodes.slot[new], nodes.bit[new]
        ends = self.nodes + xp.cumsum(raises, dtype=xp.int64)
        fits = int((ends <= len(self._first)).sum())
        if fits:
            self._first[slots[:fits]] = xp.where(raises[:fits] > 0, ends[:fits] - raises[:fits], 0).astype(xp.int32)
            self.nodes = int(ends[fits - 1])
        self.full = self.full or fits < len(slots)

    def compact(self) -> Pool:
        """The nodes in use, copied to the host, in the CPU solver's format."""
        regret, average, first = (
            self._device.to_host(part[: self.nodes]) for part in (self._regret, self._average, self._first)
        )
        return Pool(regret, average, first.astype(np.int64))

    def restore(self, pool: Pool, iterations: int) -> None:
        """Continue from what `compact` returned."""
        known = len(pool.first)
        if known > len(self._first):
            raise OutOfReachError(f"the saved solution has {known:,} nodes; the GPU has room for {len(self._first):,}")
        for mine, saved in zip((self._regret, self._average, self._first), pool, strict=True):
            mine[:known] = self._xp.asarray(saved.astype(mine.dtype))
        self.nodes, self.iterations = known, iterations


def _macros(tree: PublicTree, seat: int) -> dict[str, int]:
    """What the kernels of a seat are compiled with."""
    return {
        "LANES": LANES,
        "OWN": tree.hands[seat],
        "THEIR": tree.hands[1 - seat],
        "OWN_DICE": tree.config.dice[seat],
        "THEIR_DICE": tree.config.dice[1 - seat],
        "CLAIMS": tree.claims,
        "EXACT": int(tree.exact),
        "WIDTH": tree.width,
    }
