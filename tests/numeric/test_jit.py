"""Compiled functions and their cache on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MODULE = """
from typing import NamedTuple
import numpy as np
from liars_dice.numeric import compiled

class {name}(NamedTuple):
    values: np.ndarray

@compiled
def total(held):
    return held.values.sum()

print(total({name}(np.arange(4))))
"""


def test_a_cache_that_names_a_class_of_an_older_version_is_not_used(tmp_path: Path) -> None:
    """numba reads the names before it looks whether the cache is still valid."""
    for name in ("Before", "After"):
        (tmp_path / "summing.py").write_text(MODULE.format(name=name))
        done = subprocess.run(
            [sys.executable, "-c", "import summing"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.stderr) == ("6\n", "")
        assert list((tmp_path / "__pycache__").glob("summing.total-*.nbi"))
