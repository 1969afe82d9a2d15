"""One way to compile a function: ahead of its first call, kept on disk, and free of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Int = int | np.int64
"""A whole number: in compiled code the two are one."""
Item = TypeVar("Item")
Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile to machine code when first called; threads can run it side by side."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """Compile as part of whoever calls it: a call that passes many arrays would cost more than what it does."""
    return cast(Function, numba.njit(inline="always")(function))


def in_threads(
    workers: int, work: Callable[[Item], Result], items: Iterable[Item], stop: NDArray[np.int64]
) -> list[Result]:
    """Do the work for all items side by side. Compiled code hears of Ctrl-C by `stop[0]`, which it has to look at."""
    with ThreadPoolExecutor(workers) as pool:
        try:
            return list(pool.map(work, items))
        except BaseException:
            stop[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
            raise
