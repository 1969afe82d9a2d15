"""Compile functions when first called, keep them on disk, and run them in threads without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Int = int | np.int64
"""A whole number: compiled code does not tell the two apart."""
Item = TypeVar("Item")
Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile to machine code when first called; several threads can run it at the same time."""
    dispatcher = numba.njit(cache=True, nogil=True)(function)
    _tolerate_stale_index(dispatcher)
    return cast(Function, dispatcher)


def _tolerate_stale_index(dispatcher: Any) -> None:
    """Treat a cache index that names a class we no longer have as empty.

    numba unpickles the index before it looks whether the source has changed, so renaming an argument's class would
    otherwise break every environment with an older cache.
    """
    cache = getattr(dispatcher, "_cache", None)
    if cache is None:  # compiling is switched off: NUMBA_DISABLE_JIT
        return
    index = cache._cache_file
    load = index._load_index

    def load_index() -> dict[Any, str]:
        try:
            return cast(dict[Any, str], load())
        except (AttributeError, ImportError):
            return {}

    index._load_index = load_index


def inlined(function: Function) -> Function:
    """Compile as part of its callers: for small steps with many arrays, where a call would cost more than the step."""
    return cast(Function, numba.njit(inline="always")(function))


def in_threads(
    workers: int, work: Callable[[Item], Result], items: Iterable[Item], stop: NDArray[np.int64]
) -> list[Result]:
    """Do the work for all items at the same time. On Ctrl-C `stop[0]` is set; compiled code has to look at it."""
    with ThreadPoolExecutor(workers) as pool:
        try:
            return list(pool.map(work, items))
        except BaseException:
            stop[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
            raise
