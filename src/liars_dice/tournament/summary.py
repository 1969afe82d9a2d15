"""Turn counts into a result: win rates, intervals, significance, ratings, and rates by opener and by dice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np

from ..exact.matchups import Matchups
from ..numeric import Floats
from .blocks import BlockResult, rotated
from .method_choice import Method
from .ratings import elo_half_widths, elo_ratings, openskill_ratings
from .result import PairingResult, RoundRate, Seating, Standing, TournamentResult, TournamentSettings
from .statistics import (
    PairCounts,
    binomial_test,
    holm,
    paired_ci,
    paired_p_value,
    rank_intervals,
    sequential_p,
    wilson_ci,
)

RATED_GAMES = 100
"""A league is rated by at most this many games per agent, in the same proportions as all games played."""

ExactResults = tuple[list[int], Matchups]
"""Agents as indices into the settings' agents, and their exact results."""
PairingMatrix = list[list[PairingResult | None]]


class RunNotes(NamedTuple):
    """Remarks on how a tournament was run, passed on to its result."""

    why: str = ""
    """Why a more exact method was not used; empty if it was."""
    learners: tuple[str, ...] = ()
    complete: bool = True


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
    test = sequential_p if settings.until_significant else paired_p_value
    adjusted = dict(zip(counts, holm([test(pairs) for pairs in counts.values()]), strict=True))
    cells: PairingMatrix = [[None] * size for _ in range(size)]
    for (i, j), pairs in counts.items():
        low, high = paired_ci(pairs)
        method: Method = "compiled" if compiled[i, j] else "engine"
        both = {"method": method, "games": seatings * pairs.pairs, "p_value": adjusted[i, j]}
        cells[i][j] = PairingResult(win_rate=pairs.win_rate, ci95=(low, high), **both)  # type: ignore[arg-type]
        cells[j][i] = PairingResult(win_rate=1 - pairs.win_rate, ci95=(1 - high, 1 - low), **both)  # type: ignore[arg-type]
    rounds: dict[int, _RoundCounts] = {i: _RoundCounts() for i in range(size)}
    _count_rounds(results, rounds)
    if exact is not None:
        matches = sum(seatings * pairs.pairs for pairs in counts.values()) / len(counts) if counts else 1.0
        _fill_exact(exact, cells, rounds, matches / seatings, settings.seating)
    means = [_mean([cell.win_rate for cell in row if cell is not None]) for row in cells]
    intervals = [_interval_of_mean(row, mean) for row, mean in zip(cells, means, strict=True)]
    return _result(settings, results, cells, means, intervals, rounds, notes)


def summarise_league(settings: TournamentSettings, results: list[BlockResult], notes: RunNotes) -> TournamentResult:
    """Summarise a league. Two agents are compared by the games at common tables that one of them won."""
    size = len(settings.agents)
    meetings: dict[tuple[int, int], _Meetings] = defaultdict(_Meetings)
    won, played = [0] * size, [0] * size
    for result in results:
        scores, copies = Counter[int](), Counter(result.table)
        for member, number in zip(result.table, result.member_wins(), strict=True):
            scores[member] += number
            played[member] += result.games
        for member in copies:
            won[member] += scores[member]
            for other in set(copies) - {member}:
                meetings[member, other].add(scores, copies, member, other, compiled=result.compiled)
    met = [pair for pair in combinations(range(size), 2) if meetings[pair].games]
    tests = [meetings[pair].p_value() for pair in met]
    cells: PairingMatrix = [[None] * size for _ in range(size)]
    for (i, j), p_value in zip(met, holm(tests), strict=True):
        for one, other in ((i, j), (j, i)):
            meeting = meetings[one, other]
            cells[one][other] = PairingResult(
                win_rate=meeting.rate,
                method="compiled" if meeting.compiled else "engine",
                games=meeting.games,
                ci95=wilson_ci(round(meeting.rate * meeting.games), meeting.games),
                p_value=p_value,
            )
    rounds: dict[int, _RoundCounts] = {i: _RoundCounts() for i in range(size)}
    _count_rounds(results, rounds)
    means = [number / games if games else 0.0 for number, games in zip(won, played, strict=True)]
    intervals = [wilson_ci(number, games) for number, games in zip(won, played, strict=True)]
    return _result(settings, results, cells, means, intervals, rounds, notes)


class _Meetings:
    """Games at common tables that one of two agents won."""

    def __init__(self) -> None:
        self.won, self.games = 0, 0
        self.expected, self.variance = 0.0, 0.0
        """Of `won` if both were equally strong: an agent with two seats wins twice as often."""
        self.per_seat, self.other_per_seat = 0.0, 0.0
        self.compiled = True

    def add(self, scores: Counter[int], copies: Counter[int], one: int, other: int, *, compiled: bool) -> None:
        games = scores[one] + scores[other]
        share = copies[one] / (copies[one] + copies[other])
        self.won += scores[one]
        self.games += games
        self.expected += games * share
        self.variance += games * share * (1 - share)
        self.per_seat += scores[one] / copies[one]
        self.other_per_seat += scores[other] / copies[other]
        self.compiled &= compiled

    @property
    def rate(self) -> float:
        """The share that the first of the two won, per seat."""
        return self.per_seat / (self.per_seat + self.other_per_seat)

    def p_value(self) -> float:
        """The p-value of "both are equally strong": exact if they had equally many seats, else approximately normal."""
        if self.expected == self.games / 2:
            return binomial_test(self.won, self.games)
        return erfc(abs(self.won - self.expected) / sqrt(2 * self.variance))


def _result(
    settings: TournamentSettings,
    results: list[BlockResult],
    cells: PairingMatrix,
    means: list[float],
    intervals: Sequence[tuple[float, float] | None],
    rounds: dict[int, _RoundCounts],
    notes: RunNotes,
) -> TournamentResult:
    agents, size = settings.agents, len(settings.agents)
    verdicts = [[None if cell is None else cell.verdict for cell in row] for row in cells]
    is_exact = notes.complete and not results
    ratings = _ratings(settings, cells, results)
    rounded = [round(mean, 12) for mean in means]
    order = sorted(range(size), key=lambda i: -rounded[i])
    ranks = [1 + sum(other > mine for other in rounded) for mine in rounded]  # equal rates share a rank
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
        complete=notes.complete,
    )


def _is_above(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    """Whether the first interval lies entirely above the other."""
    return one is not None and other is not None and one[0] > other[1]


def _mean(rates: list[float]) -> float:
    return sum(rates) / len(rates) if rates else 0.0


def _interval_of_mean(row: Sequence[PairingResult | None], mean: float) -> tuple[float, float] | None:
    """Pairings use independent dice, so squared errors add up, separately below and above the mean (MOVER)."""
    met = [cell for cell in row if cell is not None]
    played = [(cell.win_rate, cell.ci95) for cell in met if cell.ci95 is not None]
    if not played:
        return None
    below = sqrt(sum((rate - interval[0]) ** 2 for rate, interval in played)) / len(met)
    above = sqrt(sum((interval[1] - rate) ** 2 for rate, interval in played)) / len(met)
    return mean - below, mean + above


# -- ratings -----------------------------------------------------------------------------------------------------------


def _ratings(
    settings: TournamentSettings, cells: PairingMatrix, results: list[BlockResult]
) -> dict[str, tuple[float, tuple[float, float] | None]]:
    """Each agent's rating with its interval: Elo, fitted to all win rates, in a round robin; OpenSkill in a league."""
    agents = settings.agents
    if settings.kind == "round-robin":
        matrix = [[0.5 if cell is None else cell.win_rate for cell in row] for row in cells]
        elo = elo_ratings(agents, matrix)
        games = np.array([[0 if cell is None or cell.games is None else cell.games for cell in row] for row in cells])
        halves = elo_half_widths([elo[name] for name in agents], games) if games.any() else [None] * len(agents)
        return {
            name: (elo[name], None if half is None else (elo[name] - half, elo[name] + half))
            for name, half in zip(agents, halves, strict=True)
        }
    rated = openskill_ratings(_games_to_rate(agents, results))
    found: dict[str, tuple[float, tuple[float, float] | None]] = dict.fromkeys(agents, (25.0, None))
    return found | {name: (rating.mu, (rating.low, rating.high)) for name, rating in rated.items()}


def _games_to_rate(agents: Sequence[str], results: Iterable[BlockResult]) -> list[tuple[list[str], int]]:
    """The games to rate, as names and winner's seat: all of them, or a sample in the same proportions."""
    kinds = Counter[tuple[tuple[str, ...], int]]()
    for result in results:
        for rotation, row in enumerate(result.wins):
            names = tuple(agents[member] for member in rotated(result.table, rotation))
            kinds.update({(names, seat): number for seat, number in enumerate(row) if number})
    total = kinds.total()
    games: list[tuple[list[str], int]] = []
    owed = 0.0
    for (names, seat), number in sorted(kinds.items()):
        owed += number * min(1.0, RATED_GAMES * len(agents) / total)
        games += [(list(names), seat)] * round(owed)
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
