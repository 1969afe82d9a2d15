"""From counts to standings: win rates, intervals, who is significantly better, ratings, breakdowns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import sqrt

import numpy as np

from ..core import GameConfig
from ..exact import Matchups
from ..exact.hands import Floats
from .blocks import BlockResult, rotated
from .methods import Method
from .ratings import rate, rate_from_matrix
from .result import Cell, RoundRate, Settings, Standing, TournamentResult
from .stats import PairCounts, binomial_test, holm, paired_ci, paired_p_value, rank_intervals, sequential_p, wilson_ci

RATED_GAMES = 1000
"""Ratings rest on at most so many games, drawn in the proportions of all that were played."""

Exact = tuple[list[int], Matchups]
"""Agents by their place in the field, and their exact results."""
Cells = list[list[Cell | None]]


def summarise_round_robin(
    settings: Settings,
    config: GameConfig,
    exact: Exact | None,
    results: list[BlockResult],
    why: str,
    learners: tuple[str, ...],
    complete: bool,
) -> TournamentResult:
    """The result of a round robin."""
    size = len(settings.agents)
    counts: dict[tuple[int, int], PairCounts] = {}
    compiled: dict[tuple[int, int], bool] = {}
    for result in results:
        pair = (result.table[0], result.table[1])
        counts[pair] = counts.get(pair, PairCounts()) + PairCounts(*result.pairs)
        compiled[pair] = compiled.get(pair, True) and result.compiled
    test = sequential_p if settings.until_significant else paired_p_value
    adjusted = dict(zip(counts, holm([test(pairs) for pairs in counts.values()]), strict=True))
    cells: Cells = [[None] * size for _ in range(size)]
    for (i, j), pairs in counts.items():
        low, high = paired_ci(pairs)
        method: Method = "compiled" if compiled[i, j] else "engine"
        both = {"method": method, "games": 2 * pairs.pairs, "p_value": adjusted[i, j]}
        cells[i][j] = Cell(win_rate=pairs.win_rate, ci95=(low, high), **both)  # type: ignore[arg-type]
        cells[j][i] = Cell(win_rate=1 - pairs.win_rate, ci95=(1 - high, 1 - low), **both)  # type: ignore[arg-type]
    rounds: dict[int, _Rounds] = {i: _Rounds() for i in range(size)}
    _count_rounds(results, rounds)
    if exact is not None:
        _fill_exact(exact, cells, rounds)
    means = [_mean([cell.win_rate for cell in row if cell is not None]) for row in cells]
    intervals = [_interval_of_mean(row, mean) for row, mean in zip(cells, means, strict=True)]
    return _result(settings, results, cells, means, intervals, rounds, why, learners, complete)


def summarise_league(
    settings: Settings,
    config: GameConfig,
    exact: Exact | None,
    results: list[BlockResult],
    why: str,
    learners: tuple[str, ...],
    complete: bool,
) -> TournamentResult:
    """The result of a league. Two agents are compared by the games at common tables that one of them won."""
    size = len(settings.agents)
    wins: Counter[tuple[int, int]] = Counter()  # (i, j): games i won at a table with j
    won, played = [0] * size, [0] * size
    compiled: dict[tuple[int, int], bool] = {}
    for result in results:
        scores = Counter[int]()
        for member, number in zip(result.table, result.member_wins(), strict=True):
            scores[member] += number
            played[member] += result.games
        for member in set(result.table):
            won[member] += scores[member]
            for other in set(result.table) - {member}:
                wins[member, other] += scores[member]
                compiled[member, other] = compiled.get((member, other), True) and result.compiled
    met = [pair for pair in combinations(range(size), 2) if wins[pair] + wins[pair[::-1]]]
    tests = [binomial_test(wins[i, j], wins[i, j] + wins[j, i]) for i, j in met]
    cells: Cells = [[None] * size for _ in range(size)]
    for (i, j), p_value in zip(met, holm(tests), strict=True):
        for one, other in ((i, j), (j, i)):
            games = wins[one, other] + wins[other, one]
            cells[one][other] = Cell(
                win_rate=wins[one, other] / games,
                method="compiled" if compiled[one, other] else "engine",
                games=games,
                ci95=wilson_ci(wins[one, other], games),
                p_value=p_value,
            )
    rounds: dict[int, _Rounds] = {i: _Rounds() for i in range(size)}
    _count_rounds(results, rounds)
    means = [number / games if games else 0.0 for number, games in zip(won, played, strict=True)]
    intervals = [wilson_ci(number, games) for number, games in zip(won, played, strict=True)]
    return _result(settings, results, cells, means, intervals, rounds, why, learners, complete)


def _result(
    settings: Settings,
    results: list[BlockResult],
    cells: Cells,
    means: list[float],
    intervals: Sequence[tuple[float, float] | None],
    rounds: dict[int, _Rounds],
    why: str,
    learners: tuple[str, ...],
    complete: bool,
) -> TournamentResult:
    agents, size = settings.agents, len(settings.agents)
    verdicts = [[None if cell is None else cell.verdict for cell in row] for row in cells]
    is_exact = not results
    ratings = _ratings(settings, cells, results)
    order = sorted(range(size), key=lambda i: -round(means[i], 12))  # equals stay in the order they were given
    ranks = {i: rank for rank, i in enumerate(order, 1)}
    apart = [[_is_above(intervals[i], intervals[j]) for j in range(size)] for i in range(size)]
    possible = [(ranks[i], ranks[i]) for i in range(size)] if is_exact else rank_intervals(apart)
    faults = [Counter[str]() for _ in range(size)]
    games = [0] * size
    for result in results:
        for member, verdict, number in result.faults:
            faults[result.table[member]][verdict] += number
        for member in set(result.table):
            games[member] += result.games
    ranking = tuple(
        Standing(
            agent=agents[i],
            rank=ranks[i],
            rank_interval=possible[i],
            win_rate=means[i],
            beats=verdicts[i].count(1),
            ties=verdicts[i].count(0),
            rating=ratings[agents[i]][0],
            rating_interval=ratings[agents[i]][1],
            ci95=intervals[i],
            games=games[i] or None,
            opening=rounds[i].opening(True),
            answering=rounds[i].opening(False),
            by_dice=rounds[i].by_dice(),
            faults=dict(sorted(faults[i].items())),
        )
        for i in order
    )
    methods = {cell.method for row in cells for cell in row if cell is not None}
    weakest: Method = next((m for m in ("engine", "compiled") if m in methods), "exact")
    return TournamentResult(
        settings=settings,
        method=weakest,
        why=why or next((result.why for result in results if result.why), ""),
        ranking=ranking,
        cells=tuple(map(tuple, cells)),
        games=sum(result.games for result in results) or None,
        rounds=float(sum(result.rounds for result in results)),
        ordered=learners,
        complete=complete,
    )


def _is_above(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    """Whether the first win rate is higher whatever the intervals leave open."""
    return one is not None and other is not None and one[0] > other[1]


def _mean(rates: list[float]) -> float:
    return sum(rates) / len(rates) if rates else 0.0


def _interval_of_mean(row: Sequence[Cell | None], mean: float) -> tuple[float, float] | None:
    """Pairings are played with different dice, so the variances of their win rates add up."""
    met = [cell for cell in row if cell is not None]
    widths = [cell.ci95[1] - cell.ci95[0] for cell in met if cell.ci95 is not None]
    if not widths:
        return None
    half = sqrt(sum((width / 2) ** 2 for width in widths)) / len(met)
    return max(0.0, mean - half), min(1.0, mean + half)


# -- ratings -----------------------------------------------------------------------------------------------------------


def _ratings(
    settings: Settings, cells: Cells, results: list[BlockResult]
) -> dict[str, tuple[float, tuple[float, float] | None]]:
    """Each agent's rating with its interval: openskill's if all was played, else fitted to the exact win rates."""
    agents = settings.agents
    exact = any(cell is not None and cell.method == "exact" for row in cells for cell in row)
    if exact:
        matrix = [[0.5 if cell is None else cell.win_rate for cell in row] for row in cells]
        return {name: (elo, None) for name, elo in rate_from_matrix(agents, matrix).items()}
    rated = rate(_some_games(agents, results))
    found: dict[str, tuple[float, tuple[float, float] | None]] = dict.fromkeys(agents, (25.0, None))
    return found | {name: (rating.mu, (rating.low, rating.high)) for name, rating in rated.items()}


def _some_games(agents: Sequence[str], results: Iterable[BlockResult]) -> list[tuple[list[str], int]]:
    """Games by their names and winner's seat: all of them, or as many as are rated, in the same proportions."""
    kinds = Counter[tuple[tuple[str, ...], int]]()
    for result in results:
        for rotation, row in enumerate(result.wins):
            names = tuple(agents[member] for member in rotated(result.table, rotation))
            kinds.update({(names, seat): number for seat, number in enumerate(row) if number})
    total = kinds.total()
    games: list[tuple[list[str], int]] = []
    owed = 0.0
    for (names, seat), number in sorted(kinds.items()):
        owed += number * min(1.0, RATED_GAMES / total)
        games += [(list(names), seat)] * round(owed)
        owed -= round(owed)
    return games


# -- rounds ------------------------------------------------------------------------------------------------------------


class _Rounds:
    """Rounds an agent lost and won, by its dice and whether it opened."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, bool, bool]] = Counter()

    def opening(self, opened: bool) -> RoundRate | None:
        """Rounds that it opened, or that others opened."""
        return self._rate(key for key in self.counts if key[1] == opened)

    def by_dice(self) -> dict[int, RoundRate]:
        """Rounds by how many dice it had."""
        rates = {own: self._rate(key for key in self.counts if key[0] == own) for own in {k[0] for k in self.counts}}
        return {own: found for own, found in sorted(rates.items()) if found is not None}

    def _rate(self, keys: Iterable[tuple[int, bool, bool]]) -> RoundRate | None:
        chosen = list(keys)
        rounds = sum(self.counts[key] for key in chosen)
        won = sum(self.counts[key] for key in chosen if key[2])
        return RoundRate(rounds=rounds, won=won) if rounds else None


def _count_rounds(results: Iterable[BlockResult], rounds: dict[int, _Rounds]) -> None:
    for result in results:
        for member, table in zip(result.table, result.decided, strict=True):
            counts = rounds[member].counts
            for own, by_opened in enumerate(table):
                for opened, (lost, won) in enumerate(by_opened):
                    if lost or won:
                        counts[own, bool(opened), False] += lost
                        counts[own, bool(opened), True] += won


def _fill_exact(exact: Exact, cells: Cells, rounds: dict[int, _Rounds]) -> None:
    """Cells and rounds of the agents whose results are exact."""
    places, grid = exact
    rates: Floats = (grid.match.win + 1 - grid.match.win.T) / 2
    for a, i in enumerate(places):
        for b, j in enumerate(places):
            if a != b:
                cells[i][j] = Cell(win_rate=float(rates[a, b]), method="exact", games=None, ci95=None, p_value=None)
    apart = ~np.eye(len(places), dtype=bool)
    for (dice, opener), visits in grid.match.visits.items():
        opener_wins = grid.round_win(dice[opener], dice[1 - opener])  # [opener, other]
        # [agent in seat 0, agent in seat 1]: that seat 0 wins
        first_wins = opener_wins if opener == 0 else 1 - opener_wins.T
        for seat in (0, 1):
            won = visits * (first_wins if seat == 0 else 1 - first_wins)
            axis = 1 - seat  # sum over the opponents
            all_won, all_rounds = (np.where(apart, part, 0.0).sum(axis=axis) for part in (won, visits))
            for a, i in enumerate(places):
                key = (dice[seat], seat == opener)
                rounds[i].counts[(*key, True)] += float(all_won[a])  # type: ignore[assignment]
                rounds[i].counts[(*key, False)] += float(all_rounds[a] - all_won[a])  # type: ignore[assignment]
