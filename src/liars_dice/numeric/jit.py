"""Compile functions when first called, keep them on disk, and run them in threads without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
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
    _notice_stale_code(dispatcher)
    return cast(Function, dispatcher)


def _notice_stale_code(dispatcher: Any) -> None:
    """Treat a cache on disk as empty if it is older than the code, wherever that has changed.

    numba compares the stamp of the function's own file only, but the code of functions that it calls is compiled into
    it: their files join the stamp. And numba unpickles the index before it compares stamps, so an index that names a
    class we no longer have must not break every environment with an older cache.
    """
    cache = getattr(dispatcher, "_cache", None)
    if cache is None:  # compiling is switched off: NUMBA_DISABLE_JIT
        return
    index = cache._cache_file
    own_stamp, load = index._source_stamp, index._load_index

    def load_index() -> dict[Any, str]:
        files: set[str] = set()
        _collect_files(dispatcher.py_func, files)
        index._source_stamp = (own_stamp, *(_stamp(file) for file in sorted(files)))
        try:
            return cast(dict[Any, str], load())
        except (AttributeError, ImportError):
            return {}

    index._load_index = load_index


def _collect_files(function: Any, files: set[str], seen: set[int] | None = None) -> None:
    """Add the files of all compiled functions that this one calls, directly or not."""
    seen = set() if seen is None else seen
    for name in function.__code__.co_names:
        called = getattr(function.__globals__.get(name), "py_func", None)
        if called is not None and id(called) not in seen:
            seen.add(id(called))
            files.add(called.__code__.co_filename)
            _collect_files(called, files, seen)


def _stamp(file: str) -> tuple[str, float, int]:
    status = Path(file).stat()
    return Path(file).name, status.st_mtime, status.st_size


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
