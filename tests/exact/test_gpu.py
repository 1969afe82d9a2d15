"""The GPU solver: its kernels compiled for the processor, one lane wide, and, where there is a GPU, as they are."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from liars_dice.core import GameConfig, MissingExtraError, preset
from liars_dice.exact.errors import OutOfReachError
from liars_dice.exact.solver import cpu_solver as cpu
from liars_dice.exact.solver import gpu_solver as gpu
from liars_dice.exact.solver.cpu_solver import CpuSolver, best_responses
from liars_dice.exact.solver.equilibrium import Device as Where
from liars_dice.exact.solver.equilibrium import memory_needed, solve
from liars_dice.exact.solver.gpu_solver import Cuda, Device, GpuSolver
from liars_dice.exact.solver.matches import solve_match
from liars_dice.exact.solver.public_tree import Payoffs, PublicTree

COMPILER = shutil.which("c++")
PERUDO = GameConfig(dice=(2, 1), faces=3, wild="ones", bid_ordering="perudo", exact_call=True)
ROUNDS = {
    "plain": PublicTree(GameConfig(dice=(2, 1), faces=4)),
    "even": PublicTree(GameConfig(dice=(1, 1))),
    "ones": PublicTree(GameConfig(dice=(1, 2), faces=3, wild="ones")),
    "top": PublicTree(GameConfig(dice=(2, 2), faces=2, wild="top")),
    "no opening on ones": PublicTree(PERUDO.replace(exact_call=False, open_on_ones=False)),
    "exact": PublicTree(PERUDO.replace(dice=(1, 2))),
    "payoffs": PublicTree(
        PERUDO, payoffs=Payoffs(liar_right=(0.3, 0.5), liar_wrong=(-0.9, -0.7), exact_right=(0.8, 0.9))
    ),
    "cut": PublicTree(PERUDO, cut=0.2),
    "cut without exact calls": PublicTree(PERUDO.replace(dice=(2, 2), exact_call=False), cut=0.3),
}
DEVICES: tuple[Where, Where] = ("cpu", "gpu")
CUDA_ON_A_PROCESSOR = """
#include <algorithm>
#include <cstddef>
using std::max;
#define __device__
#define __global__
#define __forceinline__ inline
struct Index { unsigned x; };
static Index blockIdx{0}, threadIdx{0}, gridDim{1}, blockDim{1};
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
template <typename T> static inline T __shfl_xor_sync(unsigned, T x, int) { return x; }
static inline int __any_sync(unsigned, int x) { return x; }
"""


class Processor:
    """Stands in for a GPU that has one thread."""

    def __init__(self, folder: Path) -> None:
        self.arrays: Any = np
        self.folder = folder

    def memory(self) -> float:
        return 1.0

    def kernels(self, macros: dict[str, int]) -> Callable[[str], Callable[..., None]]:
        name = "_".join(str(value) for value in macros.values())
        source, library = self.folder / f"{name}.cpp", self.folder / f"{name}.so"
        source.write_text(CUDA_ON_A_PROCESSOR + gpu.source())
        defined = [f"-D{key}={value}" for key, value in {**macros, "LANES": 1}.items()]
        assert COMPILER is not None
        options = ["-O1", "-std=c++17", "-shared", "-fPIC", "-Wall", "-Wno-unused-value", "-Werror"]
        subprocess.run([COMPILER, *options, *defined, str(source), "-o", str(library)], check=True)
        loaded = ctypes.CDLL(str(library))

        def as_c(value: Any) -> Any:
            if isinstance(value, np.ndarray):
                return ctypes.c_void_p(value.ctypes.data)
            return ctypes.c_float(float(value)) if isinstance(value, np.float32) else ctypes.c_int(int(value))

        return lambda kernel: lambda *arguments: getattr(loaded, kernel)(*map(as_c, arguments))

    def to_host(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.array(array)


@pytest.fixture(params=["processor", "gpu"])
def device(request: pytest.FixtureRequest, tmp_path: Path) -> Device:
    if request.param == "gpu":
        try:
            return Cuda()
        except (MissingExtraError, OutOfReachError) as error:
            pytest.skip(f"GPU: {error}")
    if COMPILER is None:
        pytest.skip("GPU: its kernels are tried on the processor where there is a C++ compiler (c++)")
    return Processor(tmp_path)


@pytest.mark.parametrize("name", ROUNDS)
def test_it_does_what_the_processor_does(name: str, device: Device) -> None:
    tree = ROUNDS[name]
    here = CpuSolver(tree, least=1e-7, slots=1 << 16)
    there = GpuSolver(tree, least=1e-7, slots=1 << 16, device=device)
    for _ in range(2):  # from the third iteration on, ties are broken by rounding
        here.iterate()
        there.iterate()
    assert there.nodes == here.nodes
    assert there.bracket() == pytest.approx(here.bracket(), abs=1e-6)
    for _ in range(150):
        there.iterate()
    lower, upper = there.bracket()
    first, second = best_responses(tree, there.compact())
    assert (-second, first) == pytest.approx((lower, upper), abs=1e-9)  # the processor certifies the same
    known = solve(tree.config, target=1e-4, payoffs=tree.payoffs)
    assert lower <= known.upper + 1e-9
    assert known.lower <= upper + 1e-9
    assert upper - lower < (0.02 if len(tree.live) == tree.rungs else 0.6)


def test_a_cut_can_be_lowered_on_the_way(device: Device) -> None:
    solver = GpuSolver(ROUNDS["cut without exact calls"], least=1e-7, slots=1 << 16, device=device)
    for _ in range(20):
        solver.iterate()
    wide, few = solver.bracket(), solver.nodes
    while (lowered := solver.tree.with_lower_cut()) is not None:
        solver.tree = lowered
    for _ in range(100):
        solver.iterate()
    lower, upper = solver.bracket()
    assert upper - lower < 0.05 < 0.4 < wide[1] - wide[0]
    assert solver.nodes > few


def test_it_says_when_the_memory_has_run_out(device: Device) -> None:
    tree = ROUNDS["plain"]
    all_nodes = GpuSolver(tree, least=1e-7, slots=1 << 16, device=device)
    some = GpuSolver(tree, least=1e-7, slots=100, device=device)
    for _ in range(30):
        all_nodes.iterate()
        some.iterate()
    assert some.full
    assert not all_nodes.full
    assert some.nodes <= 100 < all_nodes.nodes
    narrow, wide = all_nodes.bracket(), some.bracket()
    assert wide[0] <= narrow[1]
    assert narrow[0] <= wide[1]


@pytest.mark.parametrize("name", ["plain", "ones", "cut"])
def test_it_goes_on_from_what_was_saved(name: str, device: Device) -> None:
    tree = ROUNDS[name]
    first = GpuSolver(tree, least=1e-7, slots=1 << 16, device=device)
    for _ in range(20):
        first.iterate()
    second = GpuSolver(tree, least=1e-7, slots=1 << 16, device=device)
    second.restore(first.compact(), first.iterations)
    assert second.bracket() == first.bracket()
    for solver in (first, second):
        solver.iterate()
    assert second.bracket() == first.bracket()
    assert second.iterations == 21


def test_it_goes_on_from_what_threads_saved(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads take slots as they come, so that nodes may lie before those that lead to them."""
    monkeypatch.setattr(cpu, "FEW_RUNGS", 0)
    tree = PublicTree(GameConfig(dice=(2, 2), faces=4))
    here = CpuSolver(tree, least=1e-7, slots=1 << 16, workers=3)
    for _ in range(8):
        here.iterate()
    there = GpuSolver(tree, least=1e-7, slots=1 << 16, device=device)
    there.restore(here.compact(), here.iterations)
    assert there.bracket() == pytest.approx(here.bracket(), abs=1e-9)


def test_a_match_is_solved(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "Cuda", lambda: device)
    config = GameConfig(dice=(2, 1), faces=2, wild="top", exact_call=True, mode="elimination", max_dice=2)
    here, there = (solve_match(config, target=2e-3, device=where) for where in DEVICES)
    assert here.states.keys() == there.states.keys()
    for state, found in there.states.items():
        assert found.exploitability <= 2e-3
        assert found.lower <= here.states[state].upper
        assert here.states[state].lower <= found.upper


def test_memory_is_worked_out_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "Cuda", lambda: Processor(Path()))
    assert memory_needed(PublicTree(GameConfig(dice=(2, 3))), "gpu") == pytest.approx(0.8, abs=0.1)
    with pytest.raises(
        OutOfReachError, match=r"about 8\.6 GB of GPU memory; at most 0\.9 GB .* 2 against 3 dice would fit"
    ):
        solve(GameConfig(dice=(3, 3)), device="gpu")
    with pytest.raises(OutOfReachError, match="2 against 2 dice would fit"):
        solve(preset("perudo", players=2).replace(dice=(3, 2)), device="gpu")


@pytest.mark.skipif(find_spec("cupy") is not None, reason="GPU: CuPy is installed")
def test_without_cupy_there_is_one_clear_line() -> None:
    with pytest.raises(MissingExtraError, match=r"needs cupy: pip install 'liars-dice\[gpu\]'") as error:
        solve(GameConfig(dice=(1, 1)), device="gpu")
    assert "\n" not in str(error.value)


def test_without_a_gpu_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Runtime:
        class CUDARuntimeError(RuntimeError):
            pass

        def getDeviceCount(self) -> int:  # noqa: N802
            raise self.CUDARuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")

    class Fake:
        class cuda:  # noqa: N801
            runtime = Runtime()

    monkeypatch.setitem(sys.modules, "cupy", Fake)
    with pytest.raises(OutOfReachError, match=r"CuPy finds no GPU .*no CUDA-capable device"):
        Cuda()
