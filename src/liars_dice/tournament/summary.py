"""Turn counts into a result: win rates, intervals, significance, ratings, and rates by opener and by dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import inf, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np

from ..core import GameConfig
from ..exact.matchups import Matchups
from ..numeric import Floats, Truths
from .blocks import BLOCK_NUMBERS, BlockResult, TableWins, all_examples
from .method_choice import Method
from .ratings import elo_half_widths, elo_ratings, openskill_ratings
from .result import ALPHA, PairingResult, RoundRate, Seating, Standing, TournamentResult, TournamentSettings
from .statistics import (
    PairCounts,
    anytime_ci,
    clustered_ci,
    clustered_interval,
    holm,
    paired_ci,
    paired_p_value,
    rank_intervals,
    sequential_p,
    t_p_values,
)

RATED_GROUPS = 8
"""A league's tables are split into this many groups, each of which is rated by itself."""
RATED_GAMES = 50
"""A group is rated by at most this many games times the number of agents, evenly spread over its tables."""

ExactResults = tuple[list[int], Matchups]
"""Agents as indices into the settings' agents, and their exact results."""
PairingMatrix = list[list[PairingResult | None]]


class RunNotes(NamedTuple):
    """Remarks on how a tournament was run, passed on to its result."""

    why: str = ""
    """Why a more exact method was not used; empty if it was."""
    learners: tuple[str, ...] = ()
    anew: tuple[str, ...] = ()
    complete: bool = True
    planned: int = 0
    kinds: int = 1
    """How many kinds of tables a league has. Those of one kind are played before those of another."""


def summarise_round_robin(
    settings: TournamentSettings, exact: ExactResults | None, results: list[BlockResult], notes: RunNotes
) -> TournamentResult:
    """Summarise a round robin."""
    size = len(settings.agents)
    seatings = 1 if settings.seating == "listed" else 2
    counts: dict[tuple[int, int], PairCounts] = {}
    compiled: dict[tuple[int, int], bool] = {}
    for result in results:
        pair = (result.table[0], result.table[1])
        counts[pair] = counts.get(pair, PairCounts()) + PairCounts(*result.pairs)
        compiled[pair] = compiled.get(pair, True) and result.compiled
    test, interval = (sequential_p, anytime_ci) if settings.until_significant else (paired_p_value, paired_ci)
    adjusted = dict(zip(counts, holm([test(pairs) for pairs in counts.values()]), strict=True))
    cells: PairingMatrix = [[None] * size for _ in range(size)]
    for (i, j), pairs in counts.items():
        low, high = interval(pairs)
        method: Method = "compiled" if compiled[i, j] else "engine"
        both = {"method": method, "games": seatings * pairs.pairs, "p_value": adjusted[i, j]}
        cells[i][j] = PairingResult(win_rate=pairs.win_rate, ci95=(low, high), **both)  # type: ignore[arg-type]
        cells[j][i] = PairingResult(win_rate=1 - pairs.win_rate, ci95=(1 - high, 1 - low), **both)  # type: ignore[arg-type]
    rounds: dict[int, _RoundCounts] = {i: _RoundCounts() for i in range(size)}
    _count_rounds(results, rounds)
    if exact is not None:
        matches = sum(seatings * pairs.pairs for pairs in counts.values()) / len(counts) if counts else 1.0
        _fill_exact(exact, cells, rounds, matches / seatings, settings.seating)
    found = [[cell.win_rate for cell in row if cell is not None] for row in cells]
    rates = [_mean(row) for row in found]
    variances = np.array([[variance_of_rate(cell) for cell in row] for row in cells])
    covariance = -variances / (size - 1) ** 2  # what one of two gains, the other loses
    np.fill_diagonal(covariance, variances.sum(axis=1) / (size - 1) ** 2)
    estimate = _Estimate(
        rates=rates,
        intervals=[interval_of_mean(row, rate) for row, rate in zip(cells, rates, strict=True)],
        known=np.array([len(row) / (size - 1) for row in found]),
        covariance=covariance,
        degrees=np.full(size, inf),
        ratings=_elo(settings.agents, cells, variances),
    )
    return _result(settings, results, cells, estimate, rounds, notes)


def summarise_league(settings: TournamentSettings, results: list[BlockResult], notes: RunNotes) -> TournamentResult:
    """Summarise a league. The table is the unit: what its members win there is one observation.

    Two agents are compared by the games at common tables that one of them won.
    """
    agents, size = settings.agents, len(settings.agents)
    tables = tables_of(results)
    wins, seats = np.zeros((len(tables), size)), np.zeros((len(tables), size))
    for row, (table, _) in enumerate(tables):
        for member, number in zip(table.members, table.wins, strict=True):
            wins[row, member] += number
            seats[row, member] += 1
    played = seats * np.array([table.games for table, _ in tables]).reshape(-1, 1)
    present = seats > 0
    cells = _league_cells(wins, seats, np.array([compiled for _, compiled in tables], dtype=bool))
    rounds: dict[int, _RoundCounts] = {i: _RoundCounts() for i in range(size)}
    _count_rounds(results, rounds)
    total, at = played.sum(axis=0), present.sum(axis=0)
    rates = np.where(total > 0, wins.sum(axis=0) / np.maximum(total, 1), 0.5)
    known = (total > 0).astype(float)
    if notes.kinds > 1 and not notes.complete:  # the tables played so far are no random sample of the league's
        known = np.minimum(1.0, total / (notes.planned * GameConfig.from_dict(settings.config).num_players / size))
    intervals = [clustered_ci(wins[present[:, i], i], played[present[:, i], i]) for i in range(size)]
    residuals = (wins - rates * played) * known / np.maximum(total, 1) * np.sqrt(at / np.maximum(at - 1, 1))
    covariance = residuals.T @ residuals
    for i in range(size):  # an agent whose tables do not differ has an error nevertheless
        if at[i] < 2:
            covariance[i, i] = inf
        elif covariance[i, i] < TINY:
            covariance[i, i] = ((intervals[i][1] - intervals[i][0]) / 4) ** 2
    estimate = _Estimate(
        rates=rates.tolist(),
        intervals=intervals,
        known=known,
        covariance=covariance,
        degrees=np.maximum(at - 1.0, 1.0),
        ratings=rate_tables(agents, [table for table, _ in tables]),
    )
    return _result(settings, results, cells, estimate, rounds, notes)


TINY = 1e-18
"""A variance below this is none: it is rounding."""


class _Estimate(NamedTuple):
    """The agents' win rates, and how sure they are."""

    rates: list[float]
    """Of the games played so far; ½ before the first."""
    intervals: Sequence[tuple[float, float] | None]
    known: Floats
    """The share of each agent's opponents, or of its tables, that these games stand for: 1 in a complete tournament."""
    covariance: Floats
    """Of `means`."""
    degrees: Floats
    """Degrees of freedom of each agent's variance."""
    ratings: list[tuple[float, tuple[float, float] | None]]

    @property
    def means(self) -> Floats:
        """The agents' win rates, with all that is not known yet counted as even."""
        return np.array(self.rates) * self.known + (1 - self.known) / 2

    def p_values(self) -> tuple[Floats, float]:
        """[i, j]: the p-value of "both have the same win rate", whatever comes of what is not known yet; and the
        largest least significant difference.
        """
        from scipy.stats import t

        means, variances, open_ends = self.means, np.diag(self.covariance), (1 - self.known) / 2
        sums = variances[:, None] + variances[None, :]
        errors = np.sqrt(np.maximum(sums - 2 * np.where(np.isinf(sums), 0.0, self.covariance), 0.0))
        errors[errors**2 < TINY] = 0.0
        degrees = np.minimum(self.degrees[:, None], self.degrees[None, :])
        apart = np.abs(means[:, None] - means[None, :]) - open_ends[:, None] - open_ends[None, :]
        found = t_p_values(np.maximum(apart, 0.0), errors, degrees)
        reach = np.where(np.eye(means.size, dtype=bool), 0.0, errors * t.ppf(1 - ALPHA / 2, degrees))
        return np.maximum(found, _least_p_values(degrees + 1)), float(reach.max())

    def possible_ranks(self, p_values: Floats) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Each agent's best and worst possible rank: so that all of them hold with 95% confidence, and so that each
        does on its own. Holm's correction is over all pairs, or over the comparisons of one agent.
        """
        means = self.means.tolist()
        size = len(means)
        above = [[mine > other for other in means] for mine in means]
        pairs = list(combinations(range(size), 2))
        adjusted = dict(zip(pairs, holm([float(p_values[pair]) for pair in pairs]), strict=True))
        sure = {pair for pair, p_value in adjusted.items() if p_value <= ALPHA}
        joint = [[above[i][j] and (min(i, j), max(i, j)) in sure for j in range(size)] for i in range(size)]
        own = []
        for i in range(size):
            others = [j for j in range(size) if j != i]
            of_i = zip(others, holm([float(p_values[i, j]) for j in others]), strict=True)
            told_apart = [j for j, p_value in of_i if p_value <= ALPHA]
            own.append((1 + sum(above[j][i] for j in told_apart), size - sum(above[i][j] for j in told_apart)))
        return rank_intervals(joint), own


def _least_p_values(tables: Floats) -> Floats:
    """The least p-value that so many tables can give: if both are equally strong, all may happen to favour one."""
    return np.where(np.isfinite(tables), 2.0 ** (1.0 - np.minimum(tables, 1000)), 0.0)


def tables_of(results: Iterable[BlockResult]) -> list[tuple[TableWins, bool]]:
    """All tables of a league, in order, with whether they were compiled; a table may be spread over several blocks."""
    found: dict[tuple[int, int], tuple[TableWins, bool]] = {}
    for result in results:
        for table in result.tables:
            key = (result.number // BLOCK_NUMBERS, table.number)
            before, compiled = found.get(key, (None, True))
            if before is not None:
                wins = tuple(a + b for a, b in zip(before.wins, table.wins, strict=True))
                table = TableWins(table.number, table.members, wins, before.games + table.games)
            found[key] = table, compiled and result.compiled
    return [found[key] for key in sorted(found)]


def _league_cells(wins: Floats, seats: Floats, compiled: Truths) -> PairingMatrix:
    """Compare every two agents by their wins per seat at common tables. All sums run over those tables."""
    size = wins.shape[1]
    present = (seats > 0).astype(float)
    rates = wins / np.maximum(seats, 1)
    common = present.T @ present
    won = rates.T @ present  # [i, j]: what i won where j was
    games = wins.T @ present
    squares, products = (rates**2).T @ present, rates.T @ rates
    refereed = (present * ~compiled[:, None]).T @ present > 0
    either = won + won.T
    differences = (won - won.T) / np.maximum(common, 1)
    spread = squares + squares.T - 2 * products - common * differences**2
    errors = np.sqrt(np.maximum(spread, 0.0) / np.maximum(common * (common - 1), 1))
    errors[common < 2] = inf
    errors[errors**2 < TINY] = 0.0
    p_values = np.maximum(t_p_values(differences, errors, np.maximum(common - 1, 1)), _least_p_values(common))
    met = [pair for pair in combinations(range(size), 2) if either[pair]]
    cells: PairingMatrix = [[None] * size for _ in range(size)]
    for (i, j), p_value in zip(met, holm([min(1.0, float(p_values[pair])) for pair in met]), strict=True):
        for one, other in ((i, j), (j, i)):
            share = float(won[one, other] / either[one, other])
            against = 1 - share
            deviations = against**2 * squares[one, other] + share**2 * squares[other, one]
            deviations -= 2 * share * against * products[one, other]
            ci95 = clustered_interval(share, float(either[one, other]), float(deviations), round(common[one, other]))
            cells[one][other] = PairingResult(
                win_rate=share,
                method="engine" if refereed[one, other] else "compiled",
                games=round(games[one, other] + games[other, one]),
                ci95=ci95,
                p_value=p_value,
            )
    return cells


def _result(
    settings: TournamentSettings,
    results: list[BlockResult],
    cells: PairingMatrix,
    estimate: _Estimate,
    rounds: dict[int, _RoundCounts],
    notes: RunNotes,
) -> TournamentResult:
    agents, size = settings.agents, len(settings.agents)
    verdicts = [[None if cell is None else cell.verdict for cell in row] for row in cells]
    is_exact = notes.complete and not results
    uneven = bool(np.any(estimate.known < 1))
    means = estimate.means.tolist()
    places = [(bool(known), round(mean, 12)) for known, mean in zip(estimate.known, means, strict=True)]
    order = sorted(range(size), key=places.__getitem__, reverse=True)
    ranks = [1 + sum(other > mine for other in places) for mine in places]  # equal rates share a rank
    p_values, resolution = estimate.p_values()
    joint_ranks, own_ranks = estimate.possible_ranks(p_values)
    if is_exact:
        joint_ranks = own_ranks = [(rank, rank) for rank in ranks]
    faults = [Counter[str]() for _ in range(size)]
    games = [0] * size
    for result in results:
        for member, verdict, number in result.faults:
            faults[result.table[member]][verdict] += number
        for members, number in [(table.members, table.games) for table in result.tables] or [
            (result.table, result.games)
        ]:
            for member in set(members):
                games[member] += number
    examples = all_examples(results)
    ranking = tuple(
        Standing(
            agent=agents[i],
            rank=ranks[i],
            rank_interval=joint_ranks[i],
            own_rank_interval=own_ranks[i],
            win_rate=estimate.rates[i],
            beats=verdicts[i].count(1),
            ties=verdicts[i].count(0),
            rating=estimate.ratings[i][0],
            rating_interval=None if uneven else estimate.ratings[i][1],
            ci95=estimate.intervals[i],
            games=None if not games[i] and any(cells[i]) else games[i],
            met=_met(cells[i]) if uneven and settings.kind == "round-robin" else None,
            opening=rounds[i].opening(True),
            answering=rounds[i].opening(False),
            by_dice=rounds[i].by_dice(),
            faults=dict(sorted(faults[i].items())),
            fault_examples=tuple(example for example in examples if example.agent == agents[i]),
        )
        for i in order
    )
    methods = {cell.method for row in cells for cell in row if cell is not None}
    weakest: Method = next((m for m in ("engine", "compiled", "exact") if m in methods), "engine")
    return TournamentResult(
        settings=settings,
        method=weakest,
        why=notes.why or next((result.why for result in results if result.why), ""),
        ranking=ranking,
        cells=tuple(map(tuple, cells)),
        games=sum(result.games for result in results) or None,
        rounds=float(sum(result.rounds for result in results)),
        ordered=notes.learners,
        anew=notes.anew,
        complete=notes.complete,
        planned=notes.planned,
        uneven=uneven,
        resolution=None if is_exact or uneven or resolution == inf else resolution,
    )


def _met(row: Sequence[PairingResult | None]) -> int:
    return sum(cell is not None for cell in row)


def _mean(rates: list[float]) -> float:
    return sum(rates) / len(rates) if rates else 0.5


def interval_of_mean(row: Sequence[PairingResult | None], mean: float) -> tuple[float, float] | None:
    """Pairings use independent dice, so squared errors add up, separately below and above the mean (MOVER)."""
    met = [cell for cell in row if cell is not None]
    if not met:
        return 0.0, 1.0
    played = [(cell.win_rate, cell.ci95) for cell in met if cell.ci95 is not None]
    if not played:
        return None
    below = sqrt(sum((rate - interval[0]) ** 2 for rate, interval in played)) / len(met)
    above = sqrt(sum((interval[1] - rate) ** 2 for rate, interval in played)) / len(met)
    return mean - below, mean + above


def variance_of_rate(cell: PairingResult | None) -> float:
    """The variance of a pairing's win rate, from its interval, which also has a width where all games were won, and
    counts in that the pairing may have been stopped early.
    """
    return 0.0 if cell is None or cell.ci95 is None else ((cell.ci95[1] - cell.ci95[0]) / (2 * 1.96)) ** 2


# -- ratings -----------------------------------------------------------------------------------------------------------


def _elo(
    agents: Sequence[str], cells: PairingMatrix, variances: Floats
) -> list[tuple[float, tuple[float, float] | None]]:
    """Each agent's Elo rating, fitted to all win rates, with its interval."""
    matrix = [[None if cell is None else cell.win_rate for cell in row] for row in cells]
    elo = list(elo_ratings(agents, matrix).values())
    if not variances.any():
        return [(rating, None) for rating in elo]
    halves = elo_half_widths(elo, variances)
    return [(rating, (rating - half, rating + half)) for rating, half in zip(elo, halves, strict=True)]


def rate_tables(agents: Sequence[str], tables: Sequence[TableWins]) -> list[tuple[float, tuple[float, float] | None]]:
    """Each agent's OpenSkill rating: the mean over groups of tables that are rated separately, and Student's t.

    OpenSkill's own uncertainty takes games as independent, which those at one table are not.
    """
    from scipy.stats import t

    groups = [tables[start::RATED_GROUPS] for start in range(min(RATED_GROUPS, len(tables)))]
    rated = [openskill_ratings(_games_to_rate(agents, group), passes=1) for group in groups]
    found: list[tuple[float, tuple[float, float] | None]] = []
    for name in agents:
        ratings = [one[name].mu for one in rated if name in one]
        mean = fmean(ratings) if ratings else 25.0
        if len(ratings) < 2:
            found.append((mean, None))
            continue
        half = float(t.ppf(0.975, len(ratings) - 1)) * stdev(ratings) / sqrt(len(ratings))
        found.append((mean, (mean - half, mean + half)))
    return found


def _games_to_rate(agents: Sequence[str], tables: Sequence[TableWins]) -> list[tuple[list[str], int]]:
    """The games to rate, as names and the winner's place: all of them, or a sample evenly spread over the tables."""
    share = min(1.0, RATED_GAMES * len(agents) / max(1, sum(sum(table.wins) for table in tables)))
    games: list[tuple[list[str], int]] = []
    owed = 0.0
    for table in tables:
        names = [agents[member] for member in table.members]
        for place, number in enumerate(table.wins):
            owed += number * share
            games += [(names, place)] * round(owed)
            owed -= round(owed)
    return games


# -- rounds ------------------------------------------------------------------------------------------------------------


class _RoundCounts:
    """How many rounds an agent lost and won, by its number of dice and whether it opened."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, bool, bool]] = Counter()

    def opening(self, opened: bool) -> RoundRate | None:
        """The rounds that it opened, or those that others opened."""
        return self._rate(key for key in self.counts if key[1] == opened)

    def by_dice(self) -> dict[int, RoundRate]:
        """The rounds by its number of dice."""
        rates = {own: self._rate(key for key in self.counts if key[0] == own) for own in {k[0] for k in self.counts}}
        return {own: found for own, found in sorted(rates.items()) if found is not None}

    def _rate(self, keys: Iterable[tuple[int, bool, bool]]) -> RoundRate | None:
        chosen = list(keys)
        rounds = sum(self.counts[key] for key in chosen)
        won = sum(self.counts[key] for key in chosen if key[2])
        return RoundRate(rounds=rounds, won=won) if rounds else None


def _count_rounds(results: Iterable[BlockResult], rounds: dict[int, _RoundCounts]) -> None:
    for result in results:
        for member, table in zip(result.table, result.decided, strict=True):
            counts = rounds[member].counts
            for own, by_opened in enumerate(table):
                for opened, (lost, won) in enumerate(by_opened):
                    if lost or won:
                        counts[own, bool(opened), False] += lost
                        counts[own, bool(opened), True] += won


def _fill_exact(
    exact: ExactResults, cells: PairingMatrix, rounds: dict[int, _RoundCounts], matches: float, seating: Seating
) -> None:
    """Fill in the exact results; their rounds are scaled to `matches` matches in each seating."""
    places, grid = exact
    first, second = grid.match.win, 1 - grid.match.win.T  # the rates of each agent in seat 0 and in seat 1
    seated = ~np.eye(len(places), dtype=bool)  # [agent in seat 0, agent in seat 1]: whether they play so
    rates: Floats = (first + second) / 2
    if seating == "listed":
        seated = np.triu(seated)
        rates = np.where(seated, first, second)
    for a, i in enumerate(places):
        for b, j in enumerate(places):
            if a != b:
                cells[i][j] = PairingResult(
                    win_rate=float(rates[a, b]), method="exact", games=None, ci95=None, p_value=None
                )
    for (dice, opener), visits in grid.match.visits.items():
        opener_wins = grid.round_win(dice[opener], dice[1 - opener])  # [opener, other]
        # [agent in seat 0, agent in seat 1]: that seat 0 wins
        first_wins = opener_wins if opener == 0 else 1 - opener_wins.T
        for seat in (0, 1):
            won = visits * (first_wins if seat == 0 else 1 - first_wins)
            axis = 1 - seat  # sum over the opponents
            all_won, all_rounds = (np.where(seated, part, 0.0).sum(axis=axis) for part in (won, visits))
            for a, i in enumerate(places):
                key = (dice[seat], seat == opener)
                rounds[i].counts[(*key, True)] += matches * float(all_won[a])  # type: ignore[assignment]
                rounds[i].counts[(*key, False)] += matches * float(all_rounds[a] - all_won[a])  # type: ignore[assignment]
