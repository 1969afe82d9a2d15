"""A leaderboard that lasts: the tournaments in a store with the same rules, added up.

Each version of a bot is a player of its own; versions, and bots that never met, are compared through those that both
have met. Games that are recorded twice, because a tournament was played again with the same seed, count once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

import msgspec
import numpy as np

from ..core import GameConfig
from ..persistence import GameRecorder, rules_name
from .blocks import BLOCK_NUMBERS, BlockResult, TableWins
from .ledger import TournamentEntry, blocks_of, tournaments
from .ratings import lasting_elo
from .result import PairingResult
from .statistics import PairCounts, anytime_ci, clustered_ci, paired_ci
from .summary import interval_of_mean, rate_tables, tables_of, variance_of_rate

EXACT_GAMES = 1e6
"""How many games an exact result counts for in a rating."""

Player = tuple[str, str]
"""An agent's name and version; the version is empty for agents without files of their own."""


class RankedPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a leaderboard."""

    name: str
    version: str
    """A short hash of the bot's files; empty if it has none of its own, or if all versions count as one."""
    number: int
    """Which of the versions with this name it is, in order of their first games, from 1."""
    versions: int
    """How many versions with this name there are."""
    games: int
    """How many games it played. Exact results add none."""
    win_rate: float
    """Between two players, the mean over those it met; at larger tables, the share of its games."""
    ci95: tuple[float, float] | None
    """A 95% interval for the win rate; None if it is exact."""
    rating: float
    rating_interval: tuple[float, float] | None
    met: int
    """How many of the other players it met."""
    tournaments: int
    first_utc: datetime
    last_utc: datetime
    """When the first and the last of its tournaments began."""


class CountedTournament(msgspec.Struct, frozen=True, kw_only=True):
    """One tournament of a leaderboard: what was played when."""

    id: str
    created_utc: datetime
    agents: tuple[str, ...]
    versions: dict[str, str]
    games: int
    new_games: int
    """How many of them had not been played before with the same dice."""
    exact: bool
    """Whether some of its results were computed."""
    finished: bool


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """All tournaments with the same rules."""

    rules: str
    config: GameConfig
    scale: Literal["Elo", "OpenSkill"]
    """The scale of the ratings: Elo between two players, OpenSkill at larger tables."""
    players: tuple[RankedPlayer, ...]
    """The highest rating first."""
    tournaments: tuple[CountedTournament, ...]
    """The newest first."""
    groups: int
    """How many groups there are of players that met, directly or through others. Ratings compare within a group."""


def rules_played(store: GameRecorder) -> list[GameConfig]:
    """The rules of the tournaments in a store, those of the newest first."""
    return list(dict.fromkeys(_rules(entry) for entry in _countable(store)))


def leaderboard_of(store: GameRecorder, config: GameConfig, *, together: bool = False) -> Leaderboard:
    """Add up the tournaments in a store that were played by these rules, the unfinished ones too.

    With `together`, all versions of a bot count as one player. Tournaments in which the agent that is listed first
    always opens are left out: they measure something else.
    """
    wanted = same_rules(config)
    entries = [entry for entry in reversed(_countable(store)) if _rules(entry) == wanted]
    blocks = {entry.id: blocks_of(store, entry.id) for entry in entries}
    played = [entry for entry in entries if blocks[entry.id] or _exact_cells(entry)]
    players = list(dict.fromkeys(player for entry in played for player in _players(entry, together)))
    measured = (_Pairings if config.num_players == 2 else _Tables)(players)
    new_games = {entry.id: measured.add(entry, blocks[entry.id], together) for entry in played}
    ratings = measured.ratings()
    lines = []
    for place, (name, version) in enumerate(players):
        its = [entry.created_utc for entry in played if (name, version) in _players(entry, together)]
        versions = [one for one in players if one[0] == name]
        lines.append(
            RankedPlayer(
                name=name,
                version=version,
                number=versions.index((name, version)) + 1,
                versions=len(versions),
                games=measured.games(place),
                win_rate=measured.win_rate(place),
                ci95=measured.interval(place),
                rating=ratings[place][0],
                rating_interval=ratings[place][1],
                met=sum(measured.met[place]) - measured.met[place][place],
                tournaments=len(its),
                first_utc=its[0],
                last_utc=its[-1],
            )
        )
    return Leaderboard(
        rules=rules_name(wanted),
        config=wanted,
        scale="Elo" if config.num_players == 2 else "OpenSkill",
        players=tuple(sorted(lines, key=lambda line: (-line.rating, line.name, line.number))),
        tournaments=tuple(
            CountedTournament(
                id=entry.id,
                created_utc=entry.created_utc,
                agents=entry.settings.agents,
                versions=entry.versions,
                games=sum(block.games for block in blocks[entry.id]),
                new_games=new_games[entry.id],
                exact=bool(_exact_cells(entry)),
                finished=entry.result is not None,
            )
            for entry in reversed(played)
        ),
        groups=_groups(measured.met),
    )


def same_rules(config: GameConfig) -> GameConfig:
    """The rules in the form in which they are compared: without a seed, and with the cap of dice spelled out."""
    grows = config.mode == "elimination" and config.exact_call
    return config.without_seed.replace(max_dice=config.dice_cap) if grows else config.without_seed


def _countable(store: GameRecorder) -> list[TournamentEntry]:
    """The tournaments that count, newest first."""
    return [entry for entry in tournaments(store) if entry.settings.seating == "both"]


def _rules(entry: TournamentEntry) -> GameConfig:
    return same_rules(GameConfig.from_dict(entry.settings.config))


def _players(entry: TournamentEntry, together: bool) -> list[Player]:
    """The agents of a tournament, in its order."""
    return [(name, "" if together else entry.versions.get(name, "")) for name in entry.settings.agents]


def _exact_cells(entry: TournamentEntry) -> list[tuple[int, int, float]]:
    """The results of a round robin that were computed: each pair of agents, and the win rate of the first."""
    if entry.result is None:
        return []
    return [
        (i, j, cell.win_rate)
        for i, row in enumerate(entry.result.cells)
        for j, cell in enumerate(row)
        if i < j and cell is not None and cell.method == "exact"
    ]


def _groups(met: Sequence[Sequence[bool]]) -> int:
    """How many groups of players there are, if those that met are in the same one."""
    left = set(range(len(met)))
    count = 0
    while left:
        count += 1
        reached = [left.pop()]
        for player in reached:
            reached += [other for other in left if met[player][other]]
            left -= set(reached)
    return count


def _of_the_other(counts: PairCounts) -> PairCounts:
    """The same pairs of games, counted for the other player."""
    return PairCounts(counts.won_both, counts.split, counts.lost_both)


class _Pairings:
    """Results between two players, added up over tournaments."""

    def __init__(self, players: Sequence[Player]) -> None:
        self._places = {player: place for place, player in enumerate(players)}
        size = len(players)
        self._counts: dict[tuple[int, int], dict[tuple[object, ...], PairCounts]] = {}
        """For each pair, the lower place first, its games by where their dice came from."""
        self._anytime: set[tuple[int, int]] = set()
        """Pairs whose number of games depended on their results."""
        self._exact: dict[tuple[int, int], float] = {}
        self.met = [[False] * size for _ in range(size)]
        self._cells: list[list[PairingResult | None]] = []

    def add(self, entry: TournamentEntry, blocks: Iterable[BlockResult], together: bool) -> int:
        """Add a tournament, and return how many of its games are new. Later ones come after earlier ones, because a new
        exact result replaces an older one.
        """
        new_games = 0
        settings, players = entry.settings, _players(entry, together)
        counted: dict[tuple[int, int], PairCounts] = {}
        numbers: dict[tuple[int, int], int] = {}
        for block in blocks:
            pair = (block.table[0], block.table[1])
            counted[pair] = counted.get(pair, PairCounts()) + PairCounts(*block.pairs)
            numbers[pair] = block.number // BLOCK_NUMBERS
        for (i, j), counts in counted.items():
            low, high = self._places[players[i]], self._places[players[j]]
            if low > high:
                low, high = high, low
                counts = _of_the_other(counts)
            names = (settings.agents[i], settings.agents[j])
            dice = (settings.seed, numbers[i, j], *names, *(entry.versions.get(name) for name in names))
            known = self._counts.setdefault((low, high), {})
            before = known.get(dice, PairCounts())
            if before.pairs < counts.pairs:  # the same dice twice say nothing new
                known[dice] = counts
                new_games += 2 * (counts.pairs - before.pairs)
            if settings.until_significant:
                self._anytime.add((low, high))
            self._meet(low, high)
        for i, j, rate in _exact_cells(entry):
            low, high = self._places[players[i]], self._places[players[j]]
            self._exact[min(low, high), max(low, high)] = rate if low < high else 1 - rate
            self._meet(low, high)
        self._cells = []
        return new_games

    def _meet(self, one: int, other: int) -> None:
        self.met[one][other] = self.met[other][one] = True

    def _row(self, place: int) -> list[PairingResult | None]:
        if not self._cells:
            size = len(self.met)
            self._cells = [[self._cell(i, j) for j in range(size)] for i in range(size)]
        return self._cells[place]

    def _cell(self, one: int, other: int) -> PairingResult | None:
        """How one player does against another."""
        pair = (min(one, other), max(one, other))
        if not self.met[one][other]:
            return None
        if pair in self._exact:
            rate = self._exact[pair] if one < other else 1 - self._exact[pair]
            return PairingResult(win_rate=rate, method="exact", games=None, ci95=None, p_value=None)
        counts = sum(self._counts[pair].values(), start=PairCounts())
        if one > other:
            counts = _of_the_other(counts)
        ci95 = (anytime_ci if pair in self._anytime else paired_ci)(counts)
        return PairingResult(win_rate=counts.win_rate, method="engine", games=2 * counts.pairs, ci95=ci95, p_value=None)

    def games(self, place: int) -> int:
        """How many games a player played."""
        return sum(
            2 * counts.pairs for pair, known in self._counts.items() if place in pair for counts in known.values()
        )

    def win_rate(self, place: int) -> float:
        """The mean over those it met."""
        rates = [cell.win_rate for cell in self._row(place) if cell is not None]
        return sum(rates) / len(rates) if rates else 0.5

    def interval(self, place: int) -> tuple[float, float] | None:
        """A 95% interval for `win_rate`."""
        return interval_of_mean(self._row(place), self.win_rate(place))

    def ratings(self) -> list[tuple[float, tuple[float, float] | None]]:
        """Each player's Elo rating with its 95% interval; none if all its results are exact."""
        size = len(self.met)
        rates, games, variances = np.full((size, size), 0.5), np.zeros((size, size)), np.zeros((size, size))
        for one in range(size):
            for other, cell in enumerate(self._row(one)):
                if cell is not None:
                    rates[one, other], games[one, other] = cell.win_rate, cell.games or EXACT_GAMES
                    variances[one, other] = variance_of_rate(cell)
        found = zip(*lasting_elo(rates, games, variances), strict=True)
        return [
            (rating, (rating - half, rating + half) if self.games(place) else None)
            for place, (rating, half) in enumerate(found)
        ]


class _Tables:
    """Results at larger tables, added up over tournaments. The table is the unit."""

    def __init__(self, players: Sequence[Player]) -> None:
        self._places = {player: place for place, player in enumerate(players)}
        self._tables: dict[tuple[object, ...], TableWins] = {}
        """Each table, with places as its members, by where its dice came from."""
        self.met = [[False] * len(players) for _ in players]

    def add(self, entry: TournamentEntry, blocks: Iterable[BlockResult], together: bool) -> int:
        """Add a league, and return how many of its games are new."""
        new_games = 0
        settings, players = entry.settings, _players(entry, together)
        for table, _ in tables_of(blocks):
            members = tuple(self._places[players[member]] for member in table.members)
            versions = tuple(entry.versions.get(name) for name in settings.agents)
            dice = (settings.seed, settings.agents, versions, table.number, table.members)
            before = self._tables[dice].games if dice in self._tables else 0
            if before < table.games:
                self._tables[dice] = TableWins(table.number, members, table.wins, table.games)
                new_games += table.games - before
            for one in members:
                for other in members:
                    self.met[one][other] = True
        return new_games

    def _of(self, place: int) -> tuple[list[int], list[int]]:
        """What a player won, and how many games it had, at each of its tables."""
        at = [table for table in self._tables.values() if place in table.members]
        won = [sum(n for who, n in zip(table.members, table.wins, strict=True) if who == place) for table in at]
        return won, [table.games * table.members.count(place) for table in at]

    def games(self, place: int) -> int:
        """How many games a player played."""
        return sum(self._of(place)[1])

    def win_rate(self, place: int) -> float:
        """The share of its games that it won."""
        won, played = self._of(place)
        return sum(won) / max(1, sum(played))

    def interval(self, place: int) -> tuple[float, float] | None:
        """A 95% interval for `win_rate`."""
        return clustered_ci(*self._of(place))

    def ratings(self) -> list[tuple[float, tuple[float, float] | None]]:
        """Each player's OpenSkill rating with its 95% interval."""
        return rate_tables([str(place) for place in range(len(self.met))], list(self._tables.values()))
