"""How often what a tournament says of itself holds: many tournaments of bots whose long-run win rates are known.

Each format is played in twenty fields: groups of compiled bots under different rules, each with twins (`optimal` and
`threshold:0.35,0.15` are the same bot). Counted are, over all tournaments of a format:

- how often a 95% interval contains the win rate in the long run, which is exact or from a hundred times as many tables;
- how often the twins are called different, in their pairing or by their ranks;
- how often all rank intervals of a tournament hold at once, and how often that of one agent alone does;
- how often a rating's interval contains the mean rating of all tournaments of the field.

And of leagues of the default length, one of them with the demo's bots but without its champion, whose league is
shorter: how often all bots that are three points or more apart in the long run come out in the right order.

`--tournaments N` sets how many tournaments per format are played (default: 1000); a hundredth as many leagues
of the default length are played in each of five fields.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import permutations
from typing import NamedTuple

import numpy as np

from figures import figure
from liars_dice.agents import AGENTS
from liars_dice.core import GameConfig, preset
from liars_dice.tournament import Backend, Simulation, TournamentResult, TournamentSettings, run_tournament, runner
from liars_dice.tournament.blocks import Block, OnPlayed, Worker, WorkerSetup

TWINS = ("optimal", "threshold:0.35,0.15")
BOTS = (
    "probabilistic",
    "conservative",
    "truthful",
    "maniac",
    "aggressive",
    "passive",
    "calling-station",
    "bluffer",
    "crawler",
    "sniper",
    "random",
    "threshold:0.3,0.2",
    "threshold:0.25,0.1",
)
FIELDS = 20
TRUTH_TABLES = 100
"""The long-run rate of a league comes from this many times as many tables."""


class Field(NamedTuple):
    """Some bots, the twins among them, and the rules by which they play."""

    agents: tuple[str, ...]
    config: GameConfig
    tables: int
    """How many tables a league of them has."""


class Counts:
    """How often each kind of claim was made, and how often it held."""

    def __init__(self) -> None:
        self.made: dict[str, int] = {}
        self.held: dict[str, int] = {}

    def add(self, claim: str, holds: bool) -> None:
        """Count a claim."""
        self.made[claim] = self.made.get(claim, 0) + 1
        self.held[claim] = self.held.get(claim, 0) + bool(holds)

    def share(self, claim: str) -> float:
        """The share of claims of this kind that held."""
        return self.held[claim] / self.made[claim]


class KeptWorker(Backend):
    """Plays everything in this process with one worker per field, so that bots are compiled only once."""

    name = "kept"
    workers = 1

    def __init__(self) -> None:
        self._worker: Worker | None = None

    def run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        """Play all blocks here."""
        if self._worker is None or self._worker.setup != setup:
            self._worker = Worker(setup)
        for block in blocks:
            on_played(self._worker.play(block))


@cache
def fields(players: int) -> list[Field]:
    """Twenty fields for this many players: rules, dice, number of agents and length differ."""
    found = []
    rng = random.Random(players)
    for number in range(FIELDS):
        others = rng.sample(BOTS, 1 + number % 5)
        agents = (*TWINS, *others)
        rules = ("perudo", "classic", "heads-up")[number % 3]
        config = preset(rules, players=players, dice=1 + number % (3 if players == 6 else 4))
        tables_per_agent = 40 + 10 * (number % 7)
        found.append(Field(agents, config, tables_per_agent * max(len(agents), players) // players))
    return found


def league(field: Field, tables: int, seed: int, backend: Backend) -> TournamentResult:
    """A league of this field."""
    return run_tournament(_settings("league", field, seed, tables=tables), backend=backend)


def _settings(kind: str, field: Field, seed: int, **changes: object) -> TournamentSettings:
    plain: dict[str, object] = {
        "kind": kind,
        "agents": field.agents,
        "rules": "study",
        "config": field.config.to_dict(),
        "seed": seed,
        "record": "none",
    }
    return TournamentSettings(**plain | changes)  # type: ignore[arg-type]


def league_truth(field: Field, backend: Backend) -> dict[str, float]:
    """The win rates of a league in the long run. Twins are the same bot, so they share theirs."""
    long = league(field, TRUTH_TABLES * field.tables, 10**6, backend)
    return _shared({standing.agent: standing.win_rate for standing in long.ranking})


def _shared(rates: dict[str, float]) -> dict[str, float]:
    return rates | dict.fromkeys(TWINS, sum(rates[twin] for twin in TWINS) / 2)


def count_result(counts: Counts, result: TournamentResult, truth: dict[str, float]) -> None:
    """Count what a tournament claims, and what of it holds."""
    size = len(result.ranking)
    all_hold = True
    for one in result.ranking:
        assert one.ci95 is not None
        assert one.own_rank_interval is not None
        counts.add("interval", one.ci95[0] <= truth[one.agent] <= one.ci95[1])
        best = 1 + sum(rate > truth[one.agent] + 1e-9 for rate in truth.values())
        worst = size - sum(rate < truth[one.agent] - 1e-9 for rate in truth.values())
        all_hold &= one.rank_interval[0] <= best and worst <= one.rank_interval[1]
        counts.add("own rank", one.own_rank_interval[0] <= best and worst <= one.own_rank_interval[1])
    counts.add("all ranks", all_hold)
    first, second = (result.agents.index(twin) for twin in TWINS)
    cell = result.cells[first][second]
    assert cell is not None
    ranks = [one.own_rank_interval or one.rank_interval for one in result.ranking if one.agent in TWINS]
    counts.add("twins differ", cell.verdict != 0 or ranks[0][1] < ranks[1][0] or ranks[1][1] < ranks[0][0])
    if cell.ci95 is not None:
        counts.add("twins' pairing", cell.ci95[0] <= 0.5 <= cell.ci95[1])


def count_ratings(counts: Counts, results: Sequence[TournamentResult]) -> None:
    """Count how often rating intervals hold the mean rating of many such tournaments."""
    for agent in results[0].agents:
        found = [standing for result in results for standing in result.ranking if standing.agent == agent]
        mean = float(np.mean([standing.rating for standing in found]))
        for standing in found:
            if standing.rating_interval is not None:
                counts.add("rating", standing.rating_interval[0] <= mean <= standing.rating_interval[1])


def leagues(players: int, tournaments: int, in_fields: int) -> Counts:
    """Leagues at tables of this size."""
    counts = Counts()
    for field, seeds in _spread(fields(players), tournaments, in_fields):
        backend = KeptWorker()
        truth = league_truth(field, backend)
        results = [league(field, field.tables, seed, backend) for seed in seeds]
        for result in results:
            count_result(counts, result, truth)
        count_ratings(counts, results)
    return counts


def round_robins(tournaments: int, in_fields: int, *, until_significant: bool = False) -> Counts:
    """Round robins with a fixed number of games, or stopped early; their long-run rates are exact."""
    counts = Counts()
    look_after = runner.LOOK_AFTER
    runner.LOOK_AFTER = 25  # look often: optional stopping does most harm then
    try:
        for field, seeds in _spread(fields(2), tournaments, in_fields):
            backend = KeptWorker()
            exact = run_tournament(_settings("round-robin", field, 0, exact=True), backend=backend)
            truth = {standing.agent: round(standing.win_rate, 12) for standing in exact.ranking}
            games = 4 * field.tables if not until_significant else 1000
            results = []
            for seed in seeds:
                settings = _settings("round-robin", field, seed, games=games, until_significant=until_significant)
                results.append(run_tournament(settings, backend=backend))
                count_result(counts, results[-1], truth)
                for found, known in zip(results[-1].cells, exact.cells, strict=True):
                    for cell, right in zip(found, known, strict=True):
                        if cell is not None and right is not None and cell.ci95 is not None:
                            counts.add("pairing", cell.ci95[0] <= right.win_rate <= cell.ci95[1])
            count_ratings(counts, results)
    finally:
        runner.LOOK_AFTER = look_after
    return counts


def simulations(tournaments: int, in_fields: int) -> Counts:
    """Table simulations, for 3, 4 and 6 players in turn. Twins are called different if their intervals are disjoint."""
    counts = Counts()
    mixed = [fields(players)[number] for number in range(FIELDS) for players in ((3, 4, 6)[number % 3],)]
    for number, (field, seeds) in enumerate(_spread(mixed, tournaments, in_fields)):
        backend = KeptWorker()
        truth = league_truth(field, backend)
        for seed in seeds:
            simulation = Simulation(
                field.config.num_players,
                10 + 5 * (number % 7),
                10 + 10 * (number % 4),
                agents=field.agents,
                config=field.config,
                seed=seed,
                backend=backend,
            )
            simulation.start(verbose=False)
            found = {one.agent: one for one in simulation.ranking if one.tables > 1}
            for name, one in found.items():
                counts.add("interval", one.ci95[0] <= truth[name] <= one.ci95[1])
            if set(TWINS) <= set(found):
                (low, high), (other_low, other_high) = (found[twin].ci95 for twin in TWINS)
                counts.add("twins differ", high < other_low or other_high < low)
    return counts


def right_orders(leagues_per_field: int) -> Counts:
    """Leagues of the default length: whether they have all bots that are three points apart in the right order."""
    counts = Counts()
    memoryless = tuple(info.field_name for info in AGENTS.values() if info.memoryless)
    demo = Field(memoryless, preset("perudo"), 0)
    for field in (demo, *(fields(players)[number] for players, number in ((3, 4), (4, 8), (6, 13), (6, 19)))):
        backend = KeptWorker()
        results = [
            run_tournament(_settings("league", field, seed), backend=backend) for seed in range(leagues_per_field)
        ]
        rates = [{one.agent: one.win_rate for one in result.ranking} for result in results]
        truth = {agent: float(np.mean([one[agent] for one in rates])) for agent in field.agents}
        apart = [pair for pair in permutations(field.agents, 2) if truth[pair[0]] - truth[pair[1]] >= 0.03]
        for one in rates:
            counts.add("order", all(one[better] > one[worse] for better, worse in apart))
    return counts


def _spread(chosen: Sequence[Field], tournaments: int, in_fields: int) -> Iterator[tuple[Field, range]]:
    """Some of the fields, each with the seeds of its tournaments."""
    for field in chosen[:: FIELDS // in_fields]:
        yield field, range(tournaments // in_fields)


FORMATS: dict[str, Callable[[int, int], Counts]] = {
    "round robin": round_robins,
    "round robin until significant": partial(round_robins, until_significant=True),
    "league of 3": partial(leagues, 3),
    "league of 4": partial(leagues, 4),
    "league of 6": partial(leagues, 6),
    "simulate": simulations,
}
"""Each takes the number of tournaments, and over how many of the fields they are spread."""


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tournaments", type=int, default=1000)
    parser.add_argument("--format", choices=[*FORMATS, "order"])
    asked = parser.parse_args()
    if asked.format in (None, "order"):
        counts = right_orders(max(2, asked.tournaments // 100))
        figure("leagues of the default length, right order", 100 * counts.share("order"), "%", least=90)
    for name in FORMATS if asked.format is None else [name for name in FORMATS if name == asked.format]:
        counts = FORMATS[name](asked.tournaments, FIELDS)
        for claim, made in counts.made.items():
            percent, unit = 100 * counts.share(claim), f"% of {made:,}"
            if claim == "twins differ":
                figure(f"{name}, twins called different", percent, unit, most=5)
            elif claim == "interval" and "until" not in name:
                figure(f"{name}, {claim}", percent, unit, least=93, most=97)
            else:
                figure(f"{name}, {claim}", percent, unit, least=93)


if __name__ == "__main__":
    main()
