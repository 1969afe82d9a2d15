"""Run tournaments: round robins between two players, and leagues at larger tables.

Pairings with exact results are computed; the rest is split into blocks, played by a backend, recorded in a ledger, and
summarised.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import get_args

import msgspec

from ..agents import Agent, AgentLike, AgentStoppedError, asks_network, names_for
from ..core import BadValueError, ConfigError, GameConfig, Progress, RulesLike, as_config, derive_seed, one_of
from ..exact import OutOfReachError
from ..exact.matchups import Matchups
from ..exact.tables import PolicyError
from ..persistence import rules_name
from ..referee import BotLimits, limits_for, load_agents, tables_guard
from .backends import Backend, InProcess, Processes
from .blocks import BLOCK_NUMBERS, Block, BlockResult, PlayedBlock, WorkerSetup, refereed_block_deals
from .ledger import Ledger
from .method_choice import exact_is_quick, fit_for_simulator, is_memoryless, lifetimes, why_refereed
from .result import ALPHA, Seating, TournamentResult, TournamentSettings
from .schedule import league_tables
from .statistics import PairCounts, sequential_p
from .summary import RunNotes, summarise_league, summarise_round_robin
from .waiting_games import DEALS_BY_DEFAULT, WAITING_BLOCK_DEALS

DEFAULT_DEALS = {True: 5_000, False: 100}
"""Default deals per pairing, for compiled and for refereed games; each deal is played in both seatings."""
LEAGUE_DEALS = {True: 3_000, False: 1_500}
"""Default deals per agent of a league, where all games are compiled, and where some are refereed. Each deal is played
in every rotation of the seats, and has a table of its own unless more games per table are asked for. 1,500 are enough
for bots that are three points apart in the long run to come out in the same order with nine seeds in ten
(`benchmarks/intervals.py --format order`)."""
LEAST_TABLES = 20
"""Fewest tables in a league by default, however many games are played at each."""
MOST_DEALS = {True: 100_000, False: 5_000}
"""Most deals per pairing with `until_significant`."""
BLOCK_DEALS = {True: 100_000, False: 20}
"""Most deals per block, for compiled and for refereed games (`refereed_block_deals`)."""
LEAGUE_BLOCK_DEALS = 5_000
"""Most deals per block of a league."""
LOOK_AFTER = 1_000
"""With `until_significant`, deals between two looks at a pairing."""
RECORDED_DEALS = 250
"""Deals per compiled block if all games are recorded: they are held in memory until they are stored."""


class Plan(msgspec.Struct, kw_only=True):
    """What has to be played: the tables, and how each is split into blocks.

    The tables of a league are counted as one where they are played in the same way: `compiled` and `ordered` are the
    same.
    """

    setup: WorkerSetup
    tables: list[tuple[int, ...]]
    """The members of each table; in a league, of all tables that count as one."""
    league: list[list[tuple[int, ...]]]
    """In a league, the tables that count as one."""
    deals_per_table: int = 0
    """In a league, the deals at each table."""
    compiled: list[bool]
    """For each table, whether the simulator plays it."""
    ordered: list[bool]
    """For each table, whether an agent there learns between games."""
    deals: list[int]
    refereed_block_deals: int
    """Deals per block of refereed games."""
    rotations: int
    """How many seatings each deal is played in."""
    learners: tuple[str, ...]
    anew: tuple[str, ...]
    why: str
    seed: int
    until_significant: bool
    numbers: list[int]
    """Each table's number, which does not depend on which other pairings are computed."""

    @property
    def games(self) -> int:
        """How many games there are to play, at most."""
        return sum(self.deals) * self.rotations

    def block_deals(self, table: int) -> int:
        """Deals per block of this table."""
        compiled = self.compiled[table]
        if any(asks_network(self.setup.agents[member]) for member in self.tables[table]):
            return WAITING_BLOCK_DEALS
        if not compiled:
            return self.refereed_block_deals
        if self.setup.record == "all":
            return RECORDED_DEALS
        if self.league:
            return min(BLOCK_DEALS[compiled], LEAGUE_BLOCK_DEALS)
        return min(BLOCK_DEALS[compiled], LOOK_AFTER) if self.until_significant else BLOCK_DEALS[compiled]

    def block_count(self, table: int) -> int:
        """How many blocks a table is split into."""
        return -(-self.deals[table] // self.block_deals(table))

    def number(self, table: int, part: int) -> int:
        """The number of the `part`-th block of a table."""
        return self.numbers[table] * BLOCK_NUMBERS + part

    def block(self, table: int, part: int) -> Block:
        """The `part`-th block of a table."""
        size = self.block_deals(table)
        members = self.tables[table]
        names = [self.setup.agents[member] for member in members]
        first, end = part * size, min((part + 1) * size, self.deals[table])
        each = self.deals_per_table
        return Block(
            number=self.number(table, part),
            table=members,
            tables=tuple(self.league[table][first // each : (end - 1) // each + 1]) if self.league else (),
            deals_per_table=each,
            seed=derive_seed(self.seed, self.numbers[table], *names),
            first=first,
            deals=end - first,
            rotations=self.rotations,
            compiled=self.compiled[table],
            ordered=self.ordered[table],
        )


def run_tournament(
    settings: TournamentSettings,
    *,
    backend: Backend | None = None,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> TournamentResult:
    """Run a tournament. On Ctrl-C, or if an agent stops (`AgentStoppedError`), return the result of the games played so
    far, marked as incomplete.
    """
    limits = limits_for(settings.time_limit_seconds)
    backend = Processes() if backend is None else backend
    if ledger is not None and ledger.entry.result is not None:
        return ledger.entry.result
    config = GameConfig.from_dict(settings.config)
    check_settings(settings, config)
    agents = load_agents(
        settings.agents, limits, config, isolate=settings.isolate, boxed=settings.boxed, plays=not settings.exact
    )
    begun_with = None if ledger is None else ledger.entry.computed
    results = {} if ledger is None else {result.number: result for result in ledger.finished()}
    tables = settings.tables
    if ledger is not None and settings.kind == "league" and begun_with is not None:
        tables = tables or ledger.entry.tables
        if not tables or not all(result.tables for result in results.values()):
            raise BadValueError("tournament", ledger.id, "a league begun with this version, which draws other tables")
    exact, why, trusted = _exact_part(settings, config, agents, limits, backend.workers, begun_with)
    setup = WorkerSetup(
        agents=settings.agents,
        config=config,
        limits=limits,
        isolate=settings.isolate,
        boxed=settings.boxed,
        record=settings.record,
        prefix="" if ledger is None else ledger.id,
    )
    plan = _plan(settings, setup, agents, exact, why, trusted, tables)
    if ledger is not None:
        computed = () if exact is None else tuple(settings.agents[i] for i in exact[0])
        ledger.begin(computed, plan.refereed_block_deals, sum(map(len, plan.league)))
        plan.refereed_block_deals = ledger.entry.refereed_block_deals  # of the version that began it
    complete = _play(plan, results, backend, ledger, progress)
    notes = RunNotes(plan.why, plan.learners, plan.anew, complete, plan.games, max(1, len(plan.league)))
    if settings.kind == "round-robin":
        result = summarise_round_robin(settings, exact, list(results.values()), notes)
    else:
        result = summarise_league(settings, list(results.values()), notes)
    if ledger is not None and complete:
        ledger.close(result)
    return result


def round_robin(
    agents: Sequence[AgentLike],
    config: RulesLike | None = None,
    *,
    exact: bool = False,
    games: int | None = None,
    seed: int = 0,
    until_significant: bool = False,
    seating: Seating = "both",
    workers: int | None = None,
    time_limit_seconds: float = 1.0,
    progress: Progress | None = None,
) -> TournamentResult:
    """Play every agent against every other.

    `exact` requires the exact method; `games` requires that many games per pairing to be played. With the `seating`
    `listed`, the agent that is listed first has seat 0 in all games of a pairing, and opens them. Agents given as
    objects or classes play in this process; agents given by name may play in several. A bot has `time_limit_seconds`
    for a decision, and twice that for `on_game_end`.
    """
    config = as_config(config, players=2)
    here = not all(isinstance(agent, str) for agent in agents)
    with names_for(agents) as names:
        settings = TournamentSettings(
            kind="round-robin",
            agents=names,
            rules=rules_name(config),
            config=config.without_seed.to_dict(),
            seed=seed,
            exact=exact,
            games=games,
            until_significant=until_significant,
            time_limit_seconds=time_limit_seconds,
            record="none",
            seating=seating,
        )
        backend = InProcess(workers) if here else Processes(workers)
        return run_tournament(settings, backend=backend, progress=progress)


def check_settings(settings: TournamentSettings, config: GameConfig) -> None:
    """Raise `BadValueError` (`ConfigError` for rules) if a tournament with these settings cannot be played."""
    names = settings.agents
    if len(names) < 2:
        raise BadValueError("agents", list(names), "at least two agents; --field all takes the built-in ones")
    for name in names:
        if not isinstance(name, str):
            raise BadValueError("agent", name, "the name of an agent; round_robin and Simulation also take classes")
        if not name.isprintable():
            raise BadValueError("agent", name, "a name of printable characters")
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise BadValueError("agents", doubled, "each agent only once")
    seats = config.num_players
    if settings.kind == "round-robin" and seats != 2:
        raise ConfigError("players", seats, "2: every game of a round robin has two players")
    if settings.seating not in get_args(Seating):
        raise BadValueError("seating", settings.seating, one_of(str(settings.seating), get_args(Seating)))
    if settings.kind == "league" and settings.seating != "both":
        raise BadValueError("seating", settings.seating, "both in a league, where every agent takes every seat")
    each = _rotations(settings, config)
    if settings.games is not None and (settings.games < each or settings.games % each):
        raise BadValueError("games", settings.games, f"a multiple of {each}: each deal is played in {each} seatings")
    if settings.kind == "league" and (settings.exact or settings.until_significant):
        option = "--exact" if settings.exact else "--until-significant"
        raise ConfigError("players", seats, f"2 with {option}, which is only for round robins")
    if settings.tables is not None and settings.kind == "round-robin":
        raise BadValueError(
            "tables", settings.tables, "no --tables in a round robin, where every agent meets every other"
        )


def _rotations(settings: TournamentSettings, config: GameConfig) -> int:
    """How many seatings each deal is played in."""
    return 1 if settings.seating == "listed" else config.num_players


def _exact_part(
    settings: TournamentSettings,
    config: GameConfig,
    agents: Sequence[Agent | None],
    limits: BotLimits,
    workers: int,
    begun_with: tuple[str, ...] | None,
) -> tuple[tuple[list[int], Matchups] | None, str, bool]:
    """The exact results of the memoryless agents, if they are to be computed; why not, if not; and whether the agents
    that claim to be memoryless can be trusted. A resumed tournament computes what it was `begun_with`.
    """
    if settings.kind == "league" or settings.games is not None or settings.until_significant or begun_with == ():
        return None, "", True
    tabled = [i for i, agent in enumerate(agents) if is_memoryless(agent) and not settings.isolate]
    known = [agent for i, agent in enumerate(agents) if agent is not None and i in tabled]
    why = "; ".join(
        f"{settings.agents[i]} does not declare `memoryless`" for i in range(len(agents)) if i not in tabled
    )
    why = "isolated bots are refereed" if settings.isolate else why
    try:
        if settings.exact and why:
            raise OutOfReachError(f"{why}, so its results cannot be computed; omit --exact to play its games")
        if len(known) < 2:
            return None, why, True
        if not settings.exact and begun_with is None and not exact_is_quick(known, config, limits):
            return None, "the exact method would take more than a minute (use --exact to run it anyway)", True
        return (tabled, Matchups(known, config, workers=workers, guard=tables_guard(limits))), why, True
    except (OutOfReachError, PolicyError) as error:
        if settings.exact:
            raise
        return None, str(error), isinstance(error, OutOfReachError)


def _plan(
    settings: TournamentSettings,
    setup: WorkerSetup,
    agents: Sequence[Agent | None],
    exact: tuple[list[int], Matchups] | None,
    why: str,
    trusted: bool,
    number_of_tables: int | None,
) -> Plan:
    """Decide which tables to play, how, and how often. A league has that many; None for the default."""
    rotations = _rotations(settings, setup.config)
    learning, anew = lifetimes(setup.agents, agents, isolate=settings.isolate, boxed=settings.boxed)
    if settings.until_significant and any(learning):
        learner = setup.agents[learning.index(True)]
        raise BadValueError("until_significant", True, f"agents that do not learn between games; {learner} does")
    fit = [one and not setup.isolate for one in fit_for_simulator(agents, setup.config, trusted=trusted)]
    whole: list[list[tuple[int, ...]]] = []
    each = 0
    if settings.kind == "league":
        each = (settings.games or rotations) // rotations
        number_of_tables = number_of_tables or _usual_tables(settings, rotations, each, compiled=all(fit))
        drawn = league_tables(len(agents), rotations, number_of_tables, derive_seed(settings.seed, "league"))
        kinds = [(all(fit[member] for member in table), any(learning[member] for member in table)) for table in drawn]
        numbers = [number for number, kind in enumerate(LEAGUE_KINDS) if kind in kinds]
        whole = [
            [table for table, kind in zip(drawn, kinds, strict=True) if kind == LEAGUE_KINDS[number]]
            for number in numbers
        ]
        tables = [tuple(sorted({member for table in together for member in table})) for together in whole]
        deals = [len(together) * each for together in whole]
        compiled = [LEAGUE_KINDS[number][0] for number in numbers]
    else:
        solved = set() if exact is None else set(exact[0])
        every = list(combinations(range(len(agents)), 2))
        numbers = [number for number, pair in enumerate(every) if not solved.issuperset(pair)]
        tables = [every[number] for number in numbers]
        compiled = [all(fit[member] for member in table) for table in tables]
        usual = MOST_DEALS if settings.until_significant else DEFAULT_DEALS
        # by default, as many games in either seating
        each_pairing = [
            2 * (DEALS_BY_DEFAULT if any(asks_network(settings.agents[member]) for member in table) else usual[one])
            for table, one in zip(tables, compiled, strict=True)
        ]
        deals = [(many if settings.games is None else settings.games) // rotations for many in each_pairing]
    refereed = sum(many for many, one in zip(deals, compiled, strict=True) if not one)
    most = BLOCK_DEALS[False]
    return Plan(
        setup=setup,
        tables=tables,
        league=whole,
        deals_per_table=each,
        compiled=compiled,
        ordered=[any(learning[member] for member in table) for table in tables],
        deals=deals,
        # with `until_significant`, a pairing is looked at after every block
        refereed_block_deals=most if settings.until_significant else refereed_block_deals(refereed, most=most),
        rotations=rotations,
        learners=tuple(name for name, one in zip(setup.agents, learning, strict=True) if one),
        anew=tuple(name for name, one in zip(setup.agents, anew, strict=True) if one),
        why=why or ("" if all(compiled) else why_refereed(setup.agents, agents, setup.config)),
        seed=settings.seed,
        until_significant=settings.until_significant,
        numbers=numbers,
    )


LEAGUE_KINDS = ((True, False), (False, False), (False, True))
"""How tables of a league are played: whether they are compiled, and whether in order."""


def _usual_tables(settings: TournamentSettings, seats: int, deals_per_table: int, *, compiled: bool) -> int:
    """How many tables a league has by default: enough for `LEAGUE_DEALS` per agent."""
    each = DEALS_BY_DEFAULT if any(map(asks_network, settings.agents)) else LEAGUE_DEALS[compiled]
    usual = -(-each * max(len(settings.agents), seats) // seats)
    return max(LEAST_TABLES, usual // deals_per_table)


def _play(
    plan: Plan,
    results: dict[int, BlockResult],
    backend: Backend,
    ledger: Ledger | None,
    progress: Progress | None,
) -> bool:
    """Play the blocks that are not in `results` yet; return whether all were played."""
    total = plan.games
    done = sum(result.games for result in results.values())
    held_back: list[PlayedBlock] = []
    place = {number: table for table, number in enumerate(plan.numbers)}

    def on_played(played: PlayedBlock) -> None:
        nonlocal done
        result, records = played
        results[result.number] = result
        done += result.games
        if progress is not None:
            progress(done, total)
        if ledger is None:
            return
        if plan.ordered[place[result.number // BLOCK_NUMBERS]]:
            # an interrupted learner loses what it learned, so its games count only once all are played
            held_back.append(played)
        else:
            ledger.add(result, records)

    try:
        with backend:
            for batch in _batches(plan, results):
                backend.run(plan.setup, [block for block in batch if block.number not in results], on_played)
    except (KeyboardInterrupt, AgentStoppedError) as error:
        if ledger is not None:
            ledger.write()
        if isinstance(error, AgentStoppedError):
            if not results:
                raise
            warnings.warn(str(error), stacklevel=2)
        return False
    if ledger is not None:
        for result, records in held_back:
            ledger.add(result, records)
        ledger.write()
    return True


def _batches(plan: Plan, results: dict[int, BlockResult]) -> Iterator[list[Block]]:
    """Batches of blocks: all at once, or with `until_significant` one block of each undecided pairing at a time."""
    every = [[plan.block(table, part) for part in range(plan.block_count(table))] for table in range(len(plan.tables))]
    if not plan.until_significant:
        yield [block for blocks in every for block in blocks]
        return
    for part in range(max(map(len, every), default=0)):
        yield [
            blocks[part]
            for table, blocks in enumerate(every)
            if part < len(blocks) and not _is_decided(plan, results, table, part)
        ]


def _is_decided(plan: Plan, results: dict[int, BlockResult], table: int, part: int) -> bool:
    """Whether the first `part` blocks of a pairing have decided it.

    The test is valid however often it is applied. Over all pairings, the chance of a false verdict is at most `ALPHA`.
    """
    so_far = [results[number] for p in range(part) if (number := plan.number(table, p)) in results]
    counts = sum((PairCounts(*result.pairs) for result in so_far), start=PairCounts())
    return counts.pairs > 0 and sequential_p(counts) * len(plan.tables) <= ALPHA
