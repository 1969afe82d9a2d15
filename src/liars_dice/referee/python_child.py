"""Calling a function of ours in a new Python process, which finds modules where this one does."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def module_path() -> list[str]:
    """Where this process finds modules, without the working directory: there, a file `json.py` may be a bot."""
    return [str(Path(place).absolute()) for place in sys.path if place]


def python_command(function: str, *words: str, isolated: bool = False) -> list[str]:
    """The command that calls a function, given as `module:name`, with these words in a new process.

    With `isolated`, Python ignores environment variables and the user's own packages.
    """
    module, _, name = function.partition(":")
    code = (
        f"import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {module} import {name}; {name}(*sys.argv[2:])"
    )
    return [sys.executable, "-I" if isolated else "-P", "-c", code, json.dumps(module_path()), *words]
