"""How often what a tournament says of itself holds: many tournaments of bots whose long-run win rates are known.

Each format is played in twenty fields: groups of compiled bots under different rules, each with twins (`optimal` and
`threshold:0.35,0.15` are the same bot). Twins split every deal of a round robin, so it is also played by bots that are
equally good but not the same: `random`, and others that take other actions with the same luck. Counted are, over all
tournaments of a format:

- how often a 95% interval contains the win rate in the long run, which is exact or from a hundred times as many tables;
- how often twins are called different, in their pairing or by their ranks; of equals, any two in their pairing;
- how often all rank intervals of a tournament hold at once, and how often that of one agent alone does;
- how often a rating's interval contains the mean rating of all tournaments of the field.

And of leagues of the default lengths, and of the demo's: how often all bots that are three points or more apart in the
long run come out in the right order. The long run is one league with another seed and many more tables.

`--tournaments N` sets how many tournaments per format are played (default: 1000); a hundredth as many leagues
of each default length are played in each of five fields, and of the demo's.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from figures import figure
from liars_dice.agents import AGENTS, Policy, RandomAgent, names_for
from liars_dice.cli.demo_command import LEAGUE_TABLES, demo_tournaments
from liars_dice.core import GameConfig, GameView, preset
from liars_dice.tournament import (
    Backend,
    Processes,
    Simulation,
    TournamentResult,
    TournamentSettings,
    run_tournament,
    runner,
)
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
LONG_RUN_SEED = 10**6
"""The seed of leagues from which long-run rates come; no league that is judged has it."""
LONG_RUN_DEALS = 60_000
"""The deals per agent of a league from which the order in the long run comes."""


class Turned(RandomAgent):
    """As good as `random`, but not the same: with the same luck it takes another action, `by` places further on."""

    by = 1

    def policy(self, view: GameView) -> Policy:
        """The same chances, in another order."""
        chances = list(super().policy(view).items())
        return dict(chances[self.by :] + chances[: self.by])


class TurnedByTwo(Turned):
    """Another one."""

    by = 2


class TurnedByThree(Turned):
    """And another."""

    by = 3


EQUALS = (RandomAgent, Turned, TurnedByTwo, TurnedByThree)
"""Bots that are equally good, and do not split all deals."""


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

    def add_all(self, other: Counts) -> None:
        """Count what was counted elsewhere."""
        for mine, theirs in ((self.made, other.made), (self.held, other.held)):
            for claim, number in theirs.items():
                mine[claim] = mine.get(claim, 0) + number

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
    long = league(field, TRUTH_TABLES * field.tables, LONG_RUN_SEED, backend)
    return _shared({standing.agent: standing.win_rate for standing in long.ranking})


def _shared(rates: dict[str, float]) -> dict[str, float]:
    return rates | dict.fromkeys(TWINS, sum(rates[twin] for twin in TWINS) / 2)


def count_result(counts: Counts, result: TournamentResult, truth: dict[str, float]) -> None:
    """Count what a tournament claims of its agents, and what of it holds."""
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


def count_twins(counts: Counts, result: TournamentResult) -> None:
    """Count whether a tournament tells the twins apart."""
    first, second = (result.agents.index(twin) for twin in TWINS)
    cell = result.cells[first][second]
    assert cell is not None
    ranks = [one.own_rank_interval or one.rank_interval for one in result.ranking if one.agent in TWINS]
    counts.add("twins differ", cell.verdict != 0 or ranks[0][1] < ranks[1][0] or ranks[1][1] < ranks[0][0])
    if cell.ci95 is not None:
        counts.add("twins' pairing", cell.ci95[0] <= 0.5 <= cell.ci95[1])


def count_equals(counts: Counts, result: TournamentResult) -> None:
    """Count whether a round robin of equals tells any two of them apart."""
    cells = [result.cells[i][j] for i, j in combinations(range(len(result.agents)), 2)]
    counts.add("twins differ", any(cell is not None and cell.verdict != 0 for cell in cells))
    for cell in cells:
        if cell is not None and cell.ci95 is not None:
            counts.add("twins' pairing", cell.ci95[0] <= 0.5 <= cell.ci95[1])


def count_ratings(counts: Counts, results: Sequence[TournamentResult]) -> None:
    """Count how often rating intervals hold the mean rating of many such tournaments."""
    for agent in results[0].agents:
        found = [standing for result in results for standing in result.ranking if standing.agent == agent]
        mean = float(np.mean([standing.rating for standing in found]))
        for standing in found:
            if standing.rating_interval is not None:
                counts.add("rating", standing.rating_interval[0] <= mean <= standing.rating_interval[1])


def leagues(number: int, field: Field, seeds: range) -> Counts:
    """Leagues of one field."""
    counts, backend = Counts(), KeptWorker()
    truth = league_truth(field, backend)
    results = [league(field, field.tables, seed, backend) for seed in seeds]
    for result in results:
        count_result(counts, result, truth)
        count_twins(counts, result)
    count_ratings(counts, results)
    return counts


def round_robins(number: int, field: Field, seeds: range, *, until_significant: bool = False) -> Counts:
    """Round robins with a fixed number of games, or stopped early; their long-run rates are exact."""
    counts, backend = Counts(), KeptWorker()
    look_after = runner.LOOK_AFTER
    runner.LOOK_AFTER = 25  # look often: optional stopping does most harm then
    try:
        exact = run_tournament(_settings("round-robin", field, 0, exact=True), backend=backend)
        truth = {standing.agent: round(standing.win_rate, 12) for standing in exact.ranking}
        games = 4 * field.tables if not until_significant else 1000
        results = []
        for seed in seeds:
            settings = _settings("round-robin", field, seed, games=games, until_significant=until_significant)
            results.append(run_tournament(settings, backend=backend))
            count_result(counts, results[-1], truth)
            count_twins(counts, results[-1])
            for found, known in zip(results[-1].cells, exact.cells, strict=True):
                for cell, right in zip(found, known, strict=True):
                    if cell is not None and right is not None and cell.ci95 is not None:
                        counts.add("pairing", cell.ci95[0] <= right.win_rate <= cell.ci95[1])
        count_ratings(counts, results)
    finally:
        runner.LOOK_AFTER = look_after
    return counts


def equals(number: int, field: Field, seeds: range, *, until_significant: bool = False) -> Counts:
    """Round robins of equally good bots, under some of the rules of the fields."""
    counts, backend = Counts(), KeptWorker()
    look_after = runner.LOOK_AFTER
    runner.LOOK_AFTER = 25
    try:
        with names_for(EQUALS) as names:
            field = Field(names, field.config.replace(dice=(1 + number % 2,) * 2), field.tables)
            games = 4 * field.tables if not until_significant else 1000
            results = [
                run_tournament(
                    _settings("round-robin", field, seed, games=games, until_significant=until_significant),
                    backend=backend,
                )
                for seed in range(number * len(seeds), (number + 1) * len(seeds))  # the bots are always the same
            ]
    finally:
        runner.LOOK_AFTER = look_after
    for result in results:
        count_result(counts, result, dict.fromkeys(names, 0.5))
        count_equals(counts, result)
    count_ratings(counts, results)
    return counts


def simulations(number: int, field: Field, seeds: range) -> Counts:
    """Table simulations. Twins are called different if their intervals are disjoint."""
    counts, backend = Counts(), KeptWorker()
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


def right_orders(leagues_per_field: int, deals: int, workers: int = 1) -> Counts:
    """Leagues with so many deals per agent: whether they have all bots that are three points apart in the right order.

    The games are compiled, also for the length that leagues with refereed games have: they differ only in speed.
    """
    memoryless = tuple(info.field_name for info in AGENTS.values() if info.memoryless)
    chosen = [fields(players)[number] for players, number in ((3, 4), (4, 8), (6, 13), (6, 19))]
    of_field = partial(_right_orders_of_field, leagues_per_field, deals)
    return _added_up(of_field, [(field,) for field in (Field(memoryless, preset("perudo"), 0), *chosen)], workers)


def _right_orders_of_field(leagues: int, deals: int, field: Field) -> Counts:
    size, seats = len(field.agents), field.config.num_players

    def of_length(deals: int, seed: int) -> TournamentSettings:
        return _settings("league", field, seed, tables=-(-deals * max(size, seats) // seats))

    judged = [of_length(deals, seed) for seed in range(leagues)]
    return _right_orders_among(judged, of_length(LONG_RUN_DEALS, LONG_RUN_SEED), KeptWorker())


def right_orders_in_the_demo(leagues: int) -> Counts:
    """The same of the demo's league. The champion's games go through the referee: it takes a minute, and the league
    from which the order in the long run comes takes as long as all that are judged.
    """
    judged = [demo_tournaments(seed)["league"] for seed in range(leagues)]
    long_run = demo_tournaments(LONG_RUN_SEED, tables=leagues * LEAGUE_TABLES)["league"]
    return _right_orders_among(judged, long_run, Processes())


def _right_orders_among(
    leagues: Sequence[TournamentSettings], long_run: TournamentSettings, backend: Backend
) -> Counts:
    """Count the leagues that have all bots that are three points apart in the long run in the right order."""
    counts = Counts()
    truth, *found = (
        {one.agent: one.win_rate for one in run_tournament(each, backend=backend).ranking}
        for each in (long_run, *leagues)
    )
    apart = [pair for pair in permutations(truth, 2) if truth[pair[0]] - truth[pair[1]] >= 0.03]
    for one in found:
        counts.add("order", all(one[better] > one[worse] for better, worse in apart))
    return counts


def _added_up(count: Callable[..., Counts], parts: Sequence[tuple[object, ...]], workers: int) -> Counts:
    """What is counted in all parts, here or in this many processes."""
    counts = Counts()
    if workers == 1:
        for part in parts:
            counts.add_all(count(*part))
        return counts
    with ProcessPoolExecutor(workers) as pool:
        for found in pool.map(count, *zip(*parts, strict=True)):
            counts.add_all(found)
    return counts


class Format(NamedTuple):
    """A kind of tournament that is studied."""

    players: tuple[int, ...]
    """How many players sit at a table: in its fields, in turn."""
    judge: Callable[[int, Field, range], Counts]
    """Counts the tournaments of one field, given its number in the study and the seeds."""


FORMATS = {
    "round robin": Format((2,), round_robins),
    "round robin until significant": Format((2,), partial(round_robins, until_significant=True)),
    "round robin of equals": Format((2,), equals),
    "round robin of equals until significant": Format((2,), partial(equals, until_significant=True)),
    "league of 3": Format((3,), leagues),
    "league of 4": Format((4,), leagues),
    "league of 6": Format((6,), leagues),
    "simulate": Format((3, 4, 6), simulations),
}


def study(name: str, tournaments: int, in_fields: int = FIELDS, workers: int = 1) -> Counts:
    """Count what tournaments of a format claim. They are spread over `in_fields` of its fields."""
    asked = FORMATS[name]
    mixed = [fields(asked.players[number % len(asked.players)])[number] for number in range(FIELDS)]
    seeds = range(tournaments // in_fields)
    parts = [(number, field, seeds) for number, field in enumerate(mixed[:: FIELDS // in_fields])]
    return _added_up(asked.judge, parts, workers)


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tournaments", type=int, default=1000)
    parser.add_argument("--format", choices=[*FORMATS, "order"])
    asked, workers = parser.parse_args(), os.cpu_count() or 1
    if asked.format in (None, "order"):
        leagues = max(2, asked.tournaments // 100)
        for compiled, deals in runner.LEAGUE_DEALS.items():
            what = "leagues of the default length" if compiled else "leagues of the default length with refereed bots"
            figure(f"{what}, right order", 100 * right_orders(leagues, deals, workers).share("order"), "%", least=90)
        demo = right_orders_in_the_demo(leagues)
        figure("the demo's league, right order", 100 * demo.share("order"), "%", least=90)
    for name in FORMATS if asked.format is None else [name for name in FORMATS if name == asked.format]:
        counts = study(name, asked.tournaments, workers=workers)
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
