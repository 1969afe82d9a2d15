"""One way to compile a function: ahead of its first call, kept on disk, and free of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile to machine code when first called; threads can run it side by side."""
    machine_code: Function = numba.njit(cache=True, nogil=True)(function)
    return machine_code


def inlined(function: Function) -> Function:
    """Compile as part of whoever calls it: a call that passes many arrays would cost more than what it does."""
    machine_code: Function = numba.njit(inline="always")(function)
    return machine_code
