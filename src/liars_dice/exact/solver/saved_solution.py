"""Files that `solve` saves: a round's rules and the state of its solver, to continue from, to play or to explain."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from ...core import BadValueError, GameConfig, reason_of
from ...persistence import ARCHIVE, check_output_file, writing_whole
from ..errors import DataError
from .cfr_traversal import Pool, slots_by_level
from .public_tree import PublicTree

FORMAT = 1
"""The version of saved files."""


class SavedSolution(NamedTuple):
    """What a file holds."""

    tree: PublicTree
    pool: Pool
    iterations: int


def write(path: Path, tree: PublicTree, pool: Pool, iterations: int) -> None:
    """Save the state of a solver; the file appears whole or not at all."""
    with writing_whole("save", path) as beside, beside.open("wb") as file:
        np.savez_compressed(
            file,
            format=np.array(FORMAT),
            config=np.frombuffer(msgspec.json.encode(tree.config), dtype=np.uint8),
            reduced=np.array(tree.reduced),
            iterations=np.array(iterations),
            **pool._asdict(),
        )


def check_writable(path: Path) -> None:
    """Raise `DataError` unless a file can be written here: checked before the work begins."""
    try:
        check_output_file("save", path, begins=ARCHIVE)
    except BadValueError as error:
        raise DataError(f"{path}: no file can be written there; expected {error.allowed}") from error
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise DataError(f"{path}: no file can be written there")


def write_or_warn(path: Path, tree: PublicTree, pool: Pool, iterations: int) -> None:
    """Save; if that fails, warn, so that the answer is not lost."""
    try:
        write(path, tree, pool, iterations)
    except BadValueError as error:
        reason = error if error.__cause__ is None else reason_of(error.__cause__)
        warnings.warn(f"{path}: not saved ({reason})", stacklevel=3)


def read_saved(path: Path) -> SavedSolution:
    """What `write` saved; `DataError` if the file is missing, damaged or of another version."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            version = int(file["format"])
            if version != FORMAT:
                raise DataError(f"{path} is of format {version}; this version reads {FORMAT}")
            config = msgspec.json.decode(file["config"].tobytes(), type=GameConfig)
            tree = PublicTree(config, reduce=bool(file["reduced"]))
            pool = Pool(file["regret"], file["average"], file["first"])
            iterations = int(file["iterations"])
            fits = iterations >= 1 and _fits(pool, tree)
    except DataError:
        raise
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file; `liars-dice solve --out FILE` writes one") from None
    except Exception as error:  # a damaged archive can make its readers raise anything
        raise DataError(f"{path} is not a file saved by solve, or is damaged ({type(error).__name__})") from None
    if not fits:
        raise DataError(f"{path} is damaged: its tables do not fit the round")
    return SavedSolution(tree, pool, iterations)


def _fits(pool: Pool, tree: PublicTree) -> bool:
    """Whether these tables describe a tree: every raise has a slot, and no two share one."""
    regret, average, first = pool
    nodes = len(first)
    if not regret.shape == average.shape == (nodes, tree.width) or first.shape != (nodes,):
        return False
    if first.dtype != np.int64 or not all(np.isfinite(rows).all() and (rows >= 0).all() for rows in pool):
        return False
    met = np.zeros(nodes, dtype=np.int64)
    for slots, _, _ in slots_by_level(first, tree.rungs):
        if len(slots) and (slots.max() >= nodes or met.sum() + len(slots) > nodes):
            return False
        np.add.at(met, slots, 1)
    return bool((met == 1).all())
