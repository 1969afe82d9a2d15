"""Tournaments: everybody against everybody, or leagues at larger tables, by the fastest honest method.

What is exact is computed; the rest is cut into blocks, played by a backend, written into a ledger, and summed up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec

from ..agents import Agent, AgentLike, names_for
from ..core import BadValueError, ConfigError, GameConfig, Progress, RulesLike, as_config, derive_seed
from ..exact import OutOfReachError
from ..exact.matchups import Matchups
from ..exact.tables import PolicyError
from ..persistence import rules_name
from ..referee import BotLimits, load_agents, tables_guard
from .backends import Backend, InProcess, Processes
from .blocks import Block, BlockResult, Field, Played
from .ledger import Ledger
from .method_choice import is_quick, is_tabled, learns, refereed_because, simulable
from .result import ALPHA, Settings, TournamentResult
from .schedule import league, natural_tables
from .statistics import PairCounts, sequential_p
from .summary import Course, summarise_league, summarise_round_robin

DEALS = {True: 5_000, False: 100}
"""Deals a pairing if nobody says, compiled and refereed; each is played in both seatings."""
LEAGUE_DEALS = {True: 100, False: 4}
"""Deals a table of a league if nobody says; each is played in every rotation of the seats."""
LONGEST = {True: 100_000, False: 5_000}
"""Deals a pairing at most, where it is played until the difference is significant."""
BLOCK_DEALS = {True: 100_000, False: 20}
"""Deals a block."""
LOOK_AFTER = 1_000
"""Deals between two looks, where a pairing is played until it is decided."""
RECORDED_DEALS = 250
"""Deals a compiled block whose games are all recorded: they are held in memory until they are stored."""
MOST_TABLES = 200
PARTS = 1_000_000
"""No table has so many blocks."""


class Plan(msgspec.Struct, kw_only=True):
    """What has to be played, and what is known without."""

    field: Field
    tables: list[tuple[int, ...]]
    compiled: list[bool]
    """For each table, whether the simulator plays it."""
    ordered: list[bool]
    """For each table, whether somebody at it learns."""
    deals: list[int]
    learners: tuple[str, ...]
    why: str
    seed: int
    until_significant: bool
    numbers: list[int]
    """Each table's number, which does not depend on what is known of others."""

    def size(self, table: int) -> int:
        """Deals a block of this table."""
        compiled = self.compiled[table]
        if compiled and self.field.record == "all":
            return RECORDED_DEALS
        return min(BLOCK_DEALS[compiled], LOOK_AFTER) if self.until_significant else BLOCK_DEALS[compiled]

    def parts(self, table: int) -> int:
        """How many blocks a table has."""
        return -(-self.deals[table] // self.size(table))

    def number(self, table: int, part: int) -> int:
        """A block's number."""
        return self.numbers[table] * PARTS + part

    def block(self, table: int, part: int) -> Block:
        """The `part`-th block of a table."""
        size = self.size(table)
        members = self.tables[table]
        names = [self.field.agents[member] for member in members]
        return Block(
            number=self.number(table, part),
            table=members,
            seed=derive_seed(self.seed, self.numbers[table], *names),
            first=part * size,
            deals=min(size, self.deals[table] - part * size),
            rotations=len(members),
            compiled=self.compiled[table],
            ordered=self.ordered[table],
        )


def run_tournament(
    settings: Settings,
    *,
    backend: Backend | None = None,
    ledger: Ledger | None = None,
    limits: BotLimits | None = None,
    progress: Progress | None = None,
) -> TournamentResult:
    """Play a tournament to its end. On Ctrl-C the result of what was played is returned, as not complete."""
    limits = BotLimits() if limits is None else limits
    backend = Processes() if backend is None else backend
    if ledger is not None and ledger.entry.result is not None:
        return ledger.entry.result
    config = GameConfig.from_dict(settings.config)
    check_settings(settings, config)
    agents = load_agents(settings.agents, limits, config)
    begun_with = None if ledger is None else ledger.entry.computed
    exact, why, trusted = _exact_part(settings, config, agents, limits, backend.workers, begun_with)
    field = Field(
        agents=settings.agents,
        config=config,
        limits=limits,
        isolate=settings.isolate,
        record=settings.record,
        prefix="" if ledger is None else ledger.id,
    )
    plan = _plan(settings, field, agents, exact, why, trusted)
    if ledger is not None:
        ledger.begin(() if exact is None else tuple(settings.agents[i] for i in exact[0]))
    results = {} if ledger is None else {result.number: result for result in ledger.finished()}
    complete = _play(plan, results, backend, ledger, progress)
    course = Course(plan.why, plan.learners, complete)
    if settings.kind == "round-robin":
        result = summarise_round_robin(settings, exact, list(results.values()), course)
    else:
        result = summarise_league(settings, list(results.values()), course)
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
    workers: int | None = None,
    progress: Progress | None = None,
) -> TournamentResult:
    """Everybody against everybody: `exact` insists on the exact method, `games` (a pairing) on playing.

    Agents given as objects or classes play in this process; agents given by name may play in several.
    """
    config = as_config(config, players=2)
    here = not all(isinstance(agent, str) for agent in agents)
    with names_for(agents) as names:
        settings = Settings(
            kind="round-robin",
            agents=names,
            rules=rules_name(config),
            config=config.without_seed.to_dict(),
            seed=seed,
            exact=exact,
            games=games,
            until_significant=until_significant,
            record="none",
        )
        backend = InProcess(workers) if here else Processes(workers)
        return run_tournament(settings, backend=backend, progress=progress)


def check_settings(settings: Settings, config: GameConfig) -> None:
    """Raise `BadValueError` (`ConfigError` for rules) for what cannot be played."""
    names = settings.agents
    if len(names) < 2:
        raise BadValueError("agents", list(names), "at least two agents")
    for name in names:
        if not name.isprintable():
            raise BadValueError("agent", name, "a name that can be printed")
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise BadValueError("agents", doubled, "each agent once")
    seats = config.num_players
    if settings.kind == "round-robin" and seats != 2:
        raise ConfigError("players", seats, "2: a round robin is between two at a time")
    if settings.games is not None and (settings.games < seats or settings.games % seats):
        raise BadValueError("games", settings.games, f"a multiple of {seats}: every seating of a deal is played")
    if settings.kind == "league" and (settings.exact or settings.until_significant):
        option = "--exact" if settings.exact else "--until-significant"
        raise ConfigError("players", seats, f"2 for {option}: it is for round robins")
    if settings.tables is not None and settings.kind == "round-robin":
        raise BadValueError("tables", settings.tables, "none in a round robin: everybody meets everybody")


def _exact_part(
    settings: Settings,
    config: GameConfig,
    agents: Sequence[Agent | None],
    limits: BotLimits,
    workers: int,
    begun_with: tuple[str, ...] | None,
) -> tuple[tuple[list[int], Matchups] | None, str, bool]:
    """Exact results of all agents that have them, if they were not asked to play; else why not, and whether all who
    say that they are memoryless seem to be. A tournament that goes on computes what it was `begun_with`.
    """
    if settings.kind == "league" or settings.games is not None or settings.until_significant or begun_with == ():
        return None, "", True
    tabled = [i for i, agent in enumerate(agents) if is_tabled(agent) and not settings.isolate]
    known = [agent for i, agent in enumerate(agents) if agent is not None and i in tabled]
    why = "; ".join(f"{settings.agents[i]} has a memory" for i in range(len(agents)) if i not in tabled)
    why = "bots behind walls are refereed" if settings.isolate else why
    try:
        if settings.exact and why:
            raise OutOfReachError(f"{why}, so its results cannot be computed; leave out --exact to play its games")
        if len(known) < 2:
            return None, why, True
        if not settings.exact and begun_with is None and not is_quick(known, config, limits):
            return None, "the exact method would take more than a minute (insist with --exact)", True
        return (tabled, Matchups(known, config, workers=workers, guard=tables_guard(limits))), why, True
    except (OutOfReachError, PolicyError) as error:
        if settings.exact:
            raise
        return None, str(error), isinstance(error, OutOfReachError)


def _plan(
    settings: Settings,
    field: Field,
    agents: Sequence[Agent | None],
    exact: tuple[list[int], Matchups] | None,
    why: str,
    trusted: bool,
) -> Plan:
    """Which tables have to be played, how, and how often."""
    count = len(agents)
    if settings.kind == "league":
        seats = field.config.num_players
        number = settings.tables or min(natural_tables(count, seats), MOST_TABLES)
        tables = league(count, seats, number, derive_seed(settings.seed, "league"))
        numbers = list(range(len(tables)))
    else:
        solved = set() if exact is None else set(exact[0])
        every = list(combinations(range(count), 2))
        numbers = [number for number, pair in enumerate(every) if not solved.issuperset(pair)]
        tables = [every[number] for number in numbers]
    learning = [learns(agent) and not settings.isolate for agent in agents]  # in a box everything begins anew
    if settings.until_significant and any(learning):
        learner = field.agents[learning.index(True)]
        raise BadValueError(
            "until_significant", True, f"agents that do not learn while they are tested; {learner} does"
        )
    fit = simulable(agents, field.config, trusted=trusted)
    compiled = [all(fit[member] for member in table) and not field.isolate for table in tables]
    usual = LEAGUE_DEALS if settings.kind == "league" else LONGEST if settings.until_significant else DEALS
    if settings.games is not None:
        deals = [settings.games // field.config.num_players] * len(tables)
    elif settings.kind == "league":
        deals = [usual[all(compiled)]] * len(tables)  # as often at every table
    else:
        deals = [usual[one] for one in compiled]
    return Plan(
        field=field,
        tables=tables,
        compiled=compiled,
        ordered=[any(learning[member] for member in table) for table in tables],
        deals=deals,
        learners=tuple(name for name, one in zip(field.agents, learning, strict=True) if one),
        why=why or ("" if all(compiled) else refereed_because(field.agents, agents, field.config)),
        seed=settings.seed,
        until_significant=settings.until_significant,
        numbers=numbers,
    )


def _play(
    plan: Plan,
    results: dict[int, BlockResult],
    backend: Backend,
    ledger: Ledger | None,
    progress: Progress | None,
) -> bool:
    """Play what is not in `results` yet; whether all was played."""
    total = sum(deals * len(table) for deals, table in zip(plan.deals, plan.tables, strict=True))
    done = sum(result.games for result in results.values())
    held_back: list[Played] = []
    place = {number: table for table, number in enumerate(plan.numbers)}

    def take(played: Played) -> None:
        nonlocal done
        result, records = played
        results[result.number] = result
        done += result.games
        if progress is not None:
            progress(done, total)
        if ledger is None:
            return
        if plan.ordered[place[result.number // PARTS]]:
            # what learners have learnt is gone if we stop: their games count when all are played
            held_back.append(played)
        else:
            ledger.add(result, records)

    try:
        for wave in _waves(plan, results):
            backend.run(plan.field, [block for block in wave if block.number not in results], take)
    except KeyboardInterrupt:
        if ledger is not None:
            ledger.write()
        return False
    if ledger is not None:
        for result, records in held_back:
            ledger.add(result, records)
        ledger.write()
    return True


def _waves(plan: Plan, results: dict[int, BlockResult]) -> Iterator[list[Block]]:
    """All blocks at once; or one of each pairing after the other, until it is decided or at its end."""
    every = [[plan.block(table, part) for part in range(plan.parts(table))] for table in range(len(plan.tables))]
    if not plan.until_significant:
        yield [block for blocks in every for block in blocks]
        return
    for part in range(max(map(len, every), default=0)):
        yield [
            blocks[part]
            for table, blocks in enumerate(every)
            if part < len(blocks) and not _decided(plan, results, table, part)
        ]


def _decided(plan: Plan, results: dict[int, BlockResult], table: int, part: int) -> bool:
    """Whether the first parts of a pairing have decided it.

    The test holds however often one looks; over all pairings the chance of a false verdict stays at `ALPHA`.
    """
    so_far = [results[number] for p in range(part) if (number := plan.number(table, p)) in results]
    counts = sum((PairCounts(*result.pairs) for result in so_far), start=PairCounts())
    return counts.pairs > 0 and sequential_p(counts) * len(plan.tables) <= ALPHA
