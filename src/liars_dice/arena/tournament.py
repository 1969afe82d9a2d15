"""Round robins: every agent against every other, in both seats, by the fastest honest method."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

import msgspec
import numpy as np

from ..core import ConfigError, GameConfig
from ..core.dice import derive_seed
from ..exact import Matchups, OutOfReachError, PolicyError, Simulator
from ..exact.hands import Floats
from .limits import Limits
from .matchup import Played, play_compiled, play_engine
from .methods import Method, Progress, all_known, is_quick, load_agents, tables_guard
from .stats import holm, paired_ci, paired_p_value

TIE = 1e-12
"""Exact win rates nearer to one half than this are a tie."""
ALPHA = 0.05
GAMES = {"compiled": 10_000, "engine": 200}
"""How many games each pairing plays if nobody says."""


class Standing(msgspec.Struct, frozen=True):
    """One agent's place in the ranking."""

    agent: str
    win_rate: float
    """The mean over the other agents."""
    beats: int
    """How many it is better than: exactly, or significantly after Holm's correction over all pairings."""
    ties: int
    """How many are exactly as good, or not significantly better or worse."""
    ci95: tuple[float, float] | None


class Tournament(msgspec.Struct, frozen=True):
    """What came of a round robin."""

    method: Method
    why: str
    """Why it was not found out in a better way."""
    agents: tuple[str, ...]
    ranking: tuple[Standing, ...]
    matrix: tuple[tuple[float | None, ...], ...]
    """[i][j]: how often agent i beats agent j, seats averaged."""
    games: int | None
    faults: int = 0


def round_robin(
    names: Sequence[str],
    config: GameConfig,
    *,
    exact: bool = False,
    games: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Tournament:
    """Everybody against everybody: `exact` insists on the exact method, `games` (a pairing) on playing."""
    limits = Limits() if limits is None else limits
    _check(names, config, games)
    agents = load_agents(names, limits)
    guard = tables_guard(limits)
    why = ""
    if games is None:
        try:
            known = all_known(names, agents)
            if not exact and not is_quick(known, config):
                raise OutOfReachError("the exact method would take more than a minute (insist with --exact)")
            win = Matchups(known, config, workers=workers, guard=guard).match.win
            return _exact_tournament(names, win)
        except (OutOfReachError, PolicyError) as error:
            if exact:
                raise
            why = str(error)
    pairings = list(combinations(range(len(names)), 2))
    results: dict[tuple[int, int], Played] = {}
    try:
        simulator = Simulator(all_known(names, agents), config, workers=workers, guard=guard)
        pairs = (games or GAMES["compiled"]) // 2
        method: Method = "compiled"
        for i, j in pairings:
            results[i, j] = play_compiled(simulator, (i, j), pairs, derive_seed(seed, names[i], names[j]))
            if progress is not None:
                progress(len(results), len(pairings))
    except (OutOfReachError, PolicyError) as error:
        why = why or str(error)
        pairs = (games or GAMES["engine"]) // 2
        method = "engine"
        for i, j in pairings:
            two = (names[i], names[j])
            results[i, j] = play_engine(two, config, pairs, derive_seed(seed, *two), limits)
            if progress is not None:
                progress(len(results), len(pairings))
    return _sampled_tournament(names, method, why, results)


def _check(names: Sequence[str], config: GameConfig, games: int | None) -> None:
    if len(names) < 2:
        raise ConfigError("agents", list(names), "at least two agents")
    doubled = sorted({name for name in names if list(names).count(name) > 1})
    if doubled:
        raise ConfigError("agents", doubled, "each agent once")
    if config.num_players != 2:
        raise ConfigError("players", config.num_players, "2: a round robin is between two at a time")
    if games is not None and (games < 2 or games % 2):
        raise ConfigError("games", games, "an even number from 2 up: half of them for each seating")


def _exact_tournament(names: Sequence[str], win: Floats) -> Tournament:
    rates = (win + 1 - win.T) / 2
    np.fill_diagonal(rates, np.nan)
    better = rates > 0.5 + TIE
    even = np.abs(rates - 0.5) <= TIE
    means = [float(np.nanmean(row)) for row in rates]
    return _tournament("exact", "", names, rates, means, better, even, [None] * len(names), None, 0)


def _sampled_tournament(
    names: Sequence[str], method: Method, why: str, results: dict[tuple[int, int], Played]
) -> Tournament:
    size = len(names)
    rates = np.full((size, size), np.nan)
    variance = np.zeros((size, size))
    adjusted = holm([paired_p_value(played.counts) for played in results.values()])
    differs = np.zeros((size, size), dtype=bool)
    for ((i, j), played), p_value in zip(results.items(), adjusted, strict=True):
        rates[i, j] = played.counts.win_rate
        rates[j, i] = 1 - rates[i, j]
        differs[i, j] = differs[j, i] = p_value <= ALPHA
        low, high = paired_ci(played.counts)
        variance[i, j] = variance[j, i] = ((high - low) / 3.92) ** 2
    means = [float(np.nanmean(row)) for row in rates]
    half_widths = [1.96 * sqrt(row.sum()) / (size - 1) for row in variance]
    intervals = [(max(0.0, mean - half), min(1.0, mean + half)) for mean, half in zip(means, half_widths, strict=True)]
    games = sum(2 * played.counts.pairs for played in results.values())
    faults = sum(played.faults for played in results.values())
    even = ~differs & ~np.eye(size, dtype=bool)
    return _tournament(method, why, names, rates, means, differs & (rates > 0.5), even, intervals, games, faults)


def _tournament(
    method: Method,
    why: str,
    names: Sequence[str],
    rates: Floats,
    means: list[float],
    better: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    even: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    intervals: Sequence[tuple[float, float] | None],
    games: int | None,
    faults: int,
) -> Tournament:
    standings = [
        Standing(name, mean, int(better[i].sum()), int(even[i].sum()), interval)
        for i, (name, mean, interval) in enumerate(zip(names, means, intervals, strict=True))
    ]
    return Tournament(
        method,
        why,
        tuple(names),
        tuple(sorted(standings, key=lambda standing: -round(standing.win_rate, 12))),  # equals stay as they are
        tuple(tuple(None if np.isnan(rate) else float(rate) for rate in row) for row in rates),
        games,
        faults,
    )
