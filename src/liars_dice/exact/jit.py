"""One way to compile a function: ahead of its first call, kept on disk, and free of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile to machine code when first called; threads can run it side by side."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """Compile as part of whoever calls it: a call that passes many arrays would cost more than what it does."""
    return cast(Function, numba.njit(inline="always")(function))
