"""The GPU solver: the whole tree as arrays, traversed level by level by the kernels in gpu_kernels.cu."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import OutOfReachError
from .cfr_traversal import Pool, slots_by_level
from .public_tree import ONE_ROUND, PublicTree

MOST_RUNGS = 30
"""A node is a number of 32 bits, and no GPU has memory for more."""
LANES = 32
"""How many threads of a GPU work on one node."""
SHARE_OF_MEMORY = 0.9
Launch = Callable[..., None]
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
        try:
            import cupy
        except ImportError:
            raise OutOfReachError(
                "--device gpu needs CuPy: pip install 'liars-dice[gpu]' with an NVIDIA GPU, or use --device cpu"
            ) from None
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
        return float(self.arrays.cuda.runtime.memGetInfo()[0]) / 1e9

    def kernels(self, macros: dict[str, int]) -> Callable[[str], Launch]:
        """The compiled kernels, by name."""
        options = ("-std=c++17", *(f"-D{name}={value}" for name, value in macros.items()))
        module = self.arrays.RawModule(code=source(), options=options)

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


class Side(NamedTuple):
    """One seat's regrets, or its averages."""

    raises: Array
    """[row, hand]: of the raise that leads to a node; the row is the node's number without its lowest bit."""
    call: Array
    claim: Array


def memory_needed(tree: PublicTree) -> float:
    """How many gigabytes of the GPU's memory the tree takes."""
    rows, most = 1 << (tree.rungs - 1), max(tree.hands)
    tables = 2 * 4 * rows * (2 * sum(tree.hands) + 2 * max(tree.claims, 1))
    values = 8 * (2 * rows * most + rows * most)
    lists = 4 * 2 * (2 * rows)
    return (tables + values + lists) / 1e9


class GpuSolver:
    """The same iterations as `CpuSolver` makes, in single precision; brackets in double precision."""

    full = False

    def __init__(
        self, tree: PublicTree, *, least: float, memory: float | None = None, device: Device | None = None
    ) -> None:
        device = device or Cuda()
        if tree.rungs > MOST_RUNGS:
            raise OutOfReachError(f"{tree.rungs} rungs: at most {MOST_RUNGS} can be solved on a GPU; try --device cpu")
        if tree.exact or tree.payoffs != ONE_ROUND:
            raise OutOfReachError("--device gpu: rounds with exact calls are solved on the processor (--device cpu)")
        tree = tree.with_payoffs(tree.payoffs, cut=0.0)
        limit = device.memory() * SHARE_OF_MEMORY if memory is None else memory
        needed = memory_needed(tree)
        if needed > limit:
            fits = max((r for r in range(1, tree.rungs) if needed / 2 ** (tree.rungs - r) <= limit), default=0)
            raise OutOfReachError(
                f"dice {tree.config.dice} with {tree.config.faces} faces need {needed:,.1f} GB of the GPU's memory; "
                f"{limit:,.1f} GB can be used, enough for {fits} rungs with the same hands (this has {tree.rungs})"
            )
        self.tree, self.iterations, self._device = tree, 0, device
        self._xp = xp = device.arrays
        self._least = np.float32(least)
        rows, faces = 1 << (tree.rungs - 1), max(tree.claims, 1)

        def side(seat: int) -> Side:
            hands = tree.hands[seat]
            return Side(*(xp.zeros((rows, n), dtype=xp.float32) for n in (hands, hands, faces)))

        self._regret, self._average = (side(0), side(1)), (side(0), side(1))
        self._reach = xp.empty(rows * max(tree.hands), dtype=xp.float64)
        self._value = xp.empty(2 * rows * max(tree.hands), dtype=xp.float64)
        self._queue = xp.zeros(2 * rows, dtype=xp.int32)
        self._counts = xp.zeros(tree.rungs + 1, dtype=xp.int32)
        self._mark = xp.zeros(2 * rows, dtype=xp.int32)
        self._stamp = 0
        self._seats = (self._seat(0), self._seat(1))

    def _seat(self, seat: int) -> tuple[Callable[[str], Launch], tuple[Any, ...]]:
        """The kernels of a seat, and the tree as it sees it."""
        tree, view = self.tree, self.tree.views[seat]
        macros = {
            "LANES": LANES,
            "RUNGS": tree.rungs,
            "SEAT": seat,
            "OWN": tree.hands[seat],
            "THEIR": tree.hands[1 - seat],
            "OWN_DICE": tree.config.dice[seat],
            "THEIR_DICE": tree.config.dice[1 - seat],
            "CLAIMS": tree.claims,
        }
        kernel = self._device.kernels(macros)
        kernels = {
            name: kernel(name) for name in ("down_improving", "up_improving", "down_responding", "up_responding")
        }
        arrays = (
            view.quantity,
            view.face,
            view.opens,
            view.own_matches,
            view.their_matches,
            view.own_claims,
            view.their_claims,
        )
        described = tuple(self._xp.asarray(array.astype(np.int32)) for array in arrays)
        return kernels.__getitem__, (*described, np.int32(view.opens.sum()))

    @property
    def nodes(self) -> int:
        """How many nodes the last pass met."""
        return int(self._counts.sum())

    def iterate(self) -> None:
        """One iteration for both seats, the opener first. Averages weigh iteration t by t cubed, and of the regrets
        t^1.5 of t^1.5 + 1 parts stay.
        """
        self.iterations += 1
        t = float(self.iterations)
        weight, keep = np.float32(t**3), np.float32(t**1.5 / (t**1.5 + 1))
        for seat in (0, 1):
            theirs = (*self._regret[1 - seat], *self._average[1 - seat])
            self._pass(seat, "improving", np.float32, theirs, self._regret[seat], (weight, self._least), (keep,))

    def bracket(self) -> tuple[float, float]:
        """The values of both best responses to the average strategies, to the opener: lower, upper."""
        values = []
        for seat in (0, 1):
            self._pass(seat, "responding", np.float64, self._average[1 - seat], self._average[seat])
            earned = self._device.to_host(self._value[: self.tree.hands[seat]])
            values.append(float(earned @ self.tree.weights[seat]))
        return -values[1], values[0]

    def _pass(
        self,
        seat: int,
        kind: str,
        number: Any,
        theirs: tuple[Array, ...],
        own: Side,
        going_down: tuple[Any, ...] = (),
        going_up: tuple[Any, ...] = (),
    ) -> None:
        """Down from the root and up again for one seat, with the extra arguments of each direction; the root's values
        end in the first row.
        """
        kernel, described = self._seats[seat]
        rungs = self.tree.rungs
        self._stamp += 1
        self._counts[:] = 0
        self._counts[rungs] = 1  # the root is the only node of its level, and the last of the list
        self._queue[-1] = 0
        root = self._xp.asarray(self.tree.weights[1 - seat].astype(number))
        reach, value = self._reach.view(number), self._value.view(number)
        work = (self._queue, self._counts, self._mark, np.int32(self._stamp))
        for bit in range(rungs, -1, -1):
            kernel(f"down_{kind}")(np.int32(bit), *described, *work, *theirs, root, reach, value, *going_down)
        for bit in range(rungs + 1):
            kernel(f"up_{kind}")(np.int32(bit), *described, *work, *own, root, reach, value, *going_up)

    # -- to and from the CPU solver's pool ---------------------------------------------------------------------------

    def compact(self) -> Pool:
        """All nodes with any numbers, in the CPU solver's format."""
        xp, tree = self._xp, self.tree
        known = []
        for seat in (0, 1):
            for side in (self._regret[seat], self._average[seat]):
                known.append(self._nodes_of(side.raises.any(axis=1), 1 - seat))
                known.append(self._nodes_of(side.call.any(axis=1) | side.claim.any(axis=1), seat))
        nodes = np.unique(np.concatenate(known))
        parents = np.unique(nodes[nodes > 0] & (nodes[nodes > 0] - 1))
        while True:  # and the way to each of them
            grown = np.union1d(parents, np.append(parents[parents > 0] & (parents[parents > 0] - 1), 0))
            if len(grown) == len(parents):
                break
            parents = grown
        raises = _lowest_bit(parents, tree.rungs)
        parents, raises = parents[raises > 0], raises[raises > 0]
        starts = 1 + np.concatenate([[0], np.cumsum(raises)])
        slots = int(starts[-1])
        bits = np.arange(slots - 1) - np.repeat(starts[:-1] - 1, raises)
        children = np.repeat(parents, raises) | (1 << bits)
        every = np.concatenate([[0], children])  # the node of each slot
        first = np.zeros(slots, dtype=np.int64)
        order = np.argsort(every)
        first[order[np.searchsorted(every[order], parents)]] = starts[:-1]
        tables = []
        for sides in (self._regret, self._average):
            table = np.zeros((slots, tree.width), dtype=np.float32)
            for actor in (0, 1):
                bidder = 1 - actor
                here = np.flatnonzero(_made(every) % 2 == actor)
                rows = xp.asarray(every[here] >> 1)
                split = tree.hands[bidder]
                table[here, :split] = self._device.to_host(sides[bidder].raises[rows])
                table[here, split : sum(tree.hands)] = self._device.to_host(sides[actor].call[rows])
                table[here, sum(tree.hands) :] = self._device.to_host(sides[actor].claim[rows])[:, : tree.claims]
            table[0, : sum(tree.hands)] = 0  # there is no bid before the root, and nothing to call
            tables.append(table)
        return Pool(tables[0], tables[1], first)

    def _nodes_of(self, rows: Array, parity: int) -> NDArray[np.int64]:
        """The nodes with an even or odd number of bids (`parity`) whose rows are marked."""
        upper = np.flatnonzero(self._device.to_host(rows)).astype(np.int64)
        return (upper << 1) | ((_made(upper) + parity) % 2)

    def restore(self, pool: Pool, iterations: int) -> None:
        """Continue from what `compact` returned."""
        xp, tree = self._xp, self.tree
        every = np.zeros(len(pool.first), dtype=np.int64)
        for slots, _, nodes in slots_by_level(pool.first, tree.rungs):
            every[slots] = nodes
        for sides, table in ((self._regret, pool.regret), (self._average, pool.average)):
            for actor in (0, 1):
                bidder = 1 - actor
                here = np.flatnonzero(_made(every) % 2 == actor)
                rows = xp.asarray(every[here] >> 1)
                split, both = tree.hands[bidder], sum(tree.hands)
                sides[actor].call[rows] = xp.asarray(table[here, split:both].astype(np.float32))
                if tree.claims:
                    sides[actor].claim[rows] = xp.asarray(table[here, both:].astype(np.float32))
                bid = here[here > 0]
                sides[bidder].raises[xp.asarray(every[bid] >> 1)] = xp.asarray(table[bid, :split].astype(np.float32))
        self.iterations = iterations


def _made(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of bids made on the way to each node."""
    return np.bitwise_count(nodes).astype(np.int64)


def _lowest_bit(nodes: NDArray[np.int64], rungs: int) -> NDArray[np.int64]:
    """The bit of each node's last bid: how many raises are left."""
    low = nodes & -nodes
    return np.where(nodes > 0, np.bitwise_count(low - 1).astype(np.int64), rungs)
