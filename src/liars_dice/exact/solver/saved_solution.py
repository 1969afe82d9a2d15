"""Files that `solve` saves: a round's rules and the state of its solver, to continue from, to play or to explain."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...core import BadValueError, GameConfig, reason_of, rules_in_short
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
            cut=np.array(tree.cut),
            iterations=np.array(iterations),
            **pool._asdict(),
        )


def check_writable(path: Path) -> None:
    """Raise `DataError` unless a file can be written here: checked before the work begins."""
    try:
        check_output_file("save", path, begins=ARCHIVE)
    except BadValueError as error:
        raise DataError(f"{path}: expected {error.allowed}") from error
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise DataError(f"{path}: no file can be written there")


def check_replaceable(path: Path, tree: PublicTree) -> None:
    """Raise `DataError` if there is a file that holds anything but a solution of this round."""
    if not path.exists() or path.stat().st_size == 0:
        return
    try:
        with _reading(path) as file:
            check_same_round(path, _round_in(file), tree)
    except DataError as error:
        raise DataError(f"{error}; name another file, or delete this one") from None


def check_same_round(path: Path, known: PublicTree, asked: PublicTree) -> None:
    """Raise `DataError` unless what a file holds is the round that is asked for."""
    if known.config != asked.config or known.reduced != asked.reduced:
        own, other = known.config.dice
        raise DataError(
            f"{path} holds the solution of another round, by other rules than these: {own} against {other} dice, "
            f"{known.config.faces} faces, {rules_in_short(known.config)}"
        )


def write_or_warn(path: Path, tree: PublicTree, pool: Pool, iterations: int) -> None:
    """Save; if that fails, warn, so that the answer is not lost."""
    try:
        write(path, tree, pool, iterations)
    except BadValueError as error:
        reason = error if error.__cause__ is None else reason_of(error.__cause__)
        warnings.warn(f"{path}: not saved ({reason})", stacklevel=3)


def read_saved(path: Path) -> SavedSolution:
    """What `write` saved; `DataError` if the file is missing, damaged or of another version."""
    with _reading(path) as file:
        tree = _round_in(file)
        pool = Pool(file["regret"], file["average"], file["first"])
        iterations = int(file["iterations"])
        fits = iterations >= 1 and _fits(pool, tree)
    if not fits:
        raise DataError(f"{path} is damaged: its tables do not fit the round")
    return SavedSolution(tree, pool, iterations)


@contextmanager
def _reading(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """What a file holds, by name, each read when it is asked for; what fails inside the `with` is a `DataError`."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            version = int(file["format"])
            if version != FORMAT:
                raise DataError(f"{path} is of format {version}; this version reads {FORMAT}")
            yield file
    except DataError:
        raise
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file; `liars-dice solve --out FILE` writes one") from None
    except Exception:  # a damaged archive can make its readers raise anything
        raise DataError(f"{path} is not a file saved by solve, or is damaged") from None


def _round_in(file: Mapping[str, NDArray[Any]]) -> PublicTree:
    """The round that a file is about."""
    config = msgspec.json.decode(file["config"].tobytes(), type=GameConfig)
    cut = float(file["cut"]) if "cut" in file else 0.0  # earlier versions did not write it
    return PublicTree(config, reduce=bool(file["reduced"]), cut=cut)


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
