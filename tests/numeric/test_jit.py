"""Compiled functions and their cache on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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


HELPER = """
from liars_dice.numeric import {how}

@{how}
def step(x):
    return x + {by}
"""
CALLER = """
import helper
from helper import step
from liars_dice.numeric import compiled

@compiled
def walk(x):
    return on(x)

from liars_dice.numeric import inlined

@inlined
def on(x):
    return step(x)

print(walk(1))
"""


@pytest.mark.parametrize("how", ["compiled", "inlined"])
def test_a_changed_helper_in_another_file_is_compiled_again(tmp_path: Path, how: str) -> None:
    """Its code is part of its callers', whose own files have not changed."""
    (tmp_path / "walking.py").write_text(CALLER)
    for by in (1, 1, 41):
        (tmp_path / "helper.py").write_text(HELPER.format(how=how, by=by))
        done = subprocess.run(
            [sys.executable, "-c", "import walking"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.stderr) == (f"{1 + by}\n", "")
