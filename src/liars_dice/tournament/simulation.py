"""Table simulations: draw random tables of agents, play many games at each, and count the wins."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import msgspec

from ..agents import AgentLike, names_for
from ..core import PLAYERS, BadValueError, Progress, RulesLike, as_config, derive_seed, fresh_seed, numbered
from ..referee import BotLimits, load_agents, plays_with
from .backends import Backend, InProcess, Processes
from .blocks import BLOCK_NUMBERS, Block, BlockResult, PlayedBlock, WorkerSetup
from .fields import all_agents
from .method_choice import Method, fit_for_simulator, learns_between_games

BLOCK_GAMES = {True: 10_000, False: 25}
"""Games per block, for compiled and for refereed games."""


class TableScore(msgspec.Struct, frozen=True):
    """One table: its agents in seat order, and how many games each won."""

    agents: tuple[str, ...]
    wins: tuple[int, ...]


class Simulation:
    """Random tables of agents, with many games at each.

    >>> simulation = Simulation(n_players_per_table=3, n_tables=2, n_replications=10, seed=1)
    >>> sum(simulation.start(verbose=False).values())
    20
    """

    def __init__(
        self,
        n_players_per_table: int = 6,
        n_tables: int = 10,
        n_replications: int = 100,
        *,
        agents: Sequence[AgentLike] | None = None,
        config: RulesLike | None = None,
        seed: int | None = None,
        backend: Backend | None = None,
        limits: BotLimits | None = None,
    ) -> None:
        """`agents` are those that can be drawn (default: all built-in and discovered); `config` defaults to perudo.

        Agents given as objects or classes play in this process; agents given by name may play in several.
        """
        for name, value, least in (("n_tables", n_tables, 1), ("n_replications", n_replications, 1)):
            if value < least:
                raise BadValueError(name, value, f"at least {least}")
        if n_players_per_table not in PLAYERS:
            raise BadValueError("n_players_per_table", n_players_per_table, f"{PLAYERS[0]} to {PLAYERS[-1]}")
        self.config = as_config("perudo" if config is None else config, players=n_players_per_table)
        if self.config.num_players != n_players_per_table:
            raise BadValueError(
                "n_players_per_table",
                n_players_per_table,
                f"{self.config.num_players}, the number of players in the rules",
            )
        self.n_tables = n_tables
        self.n_replications = n_replications
        self.seed = fresh_seed() if seed is None else seed
        self._limits = BotLimits() if limits is None else limits
        self._given: list[AgentLike] = [*all_agents()] if agents is None else list(agents)
        here = not all(isinstance(agent, str) for agent in self._given)
        self._backend = backend if backend is not None else InProcess() if here else Processes()
        with names_for(self._given) as names:
            if not names or len(set(names)) < len(names):
                raise BadValueError("agents", list(names), "at least one agent, and none of them twice")
            if agents is None:  # only those that can play with this many players
                fits = [plays_with(load_agents([name], self._limits)[0], n_players_per_table) for name in names]
                names = tuple(name for name, one in zip(names, fits, strict=True) if one)
                self._given = [*names]
            self.agents = names
            self._loaded = load_agents(names, self._limits, self.config)
        self.tables = self._draw_tables()
        """Each table as indices into `agents`, in seat order."""
        self.scores: list[TableScore] = []
        """The scores of each table."""
        self.games = 0
        """How many games were played: fewer than requested if the simulation was interrupted."""
        self.faults = 0
        """How many faults the bots committed."""

    def _draw_tables(self) -> list[tuple[int, ...]]:
        """Draw random tables. No agent sits twice at one unless there are fewer agents than seats: then copies do."""
        rng = random.Random(derive_seed(self.seed, "tables"))
        seats, kinds = self.config.num_players, range(len(self.agents))
        tables = []
        for _ in range(self.n_tables):
            whole, rest = divmod(seats, len(kinds))
            table = [*kinds] * whole + rng.sample(kinds, rest)
            rng.shuffle(table)
            tables.append(tuple(table))
        return tables

    def names_at(self, table: Sequence[int]) -> tuple[str, ...]:
        """The names at a table; copies of an agent are numbered."""
        return tuple(numbered(self.agents[agent] for agent in table))

    def start(self, verbose: bool = True, progress: Progress | None = None) -> dict[str, int]:
        """Play all games; return how many each agent won over all tables, best first. Copies are counted separately.

        With `verbose`, each table's scores are printed as soon as its games are over.
        """
        setup = WorkerSetup(agents=self.agents, config=self.config, limits=self._limits)
        blocks = self._blocks()
        wins: dict[int, Counter[int]] = {table: Counter() for table in range(self.n_tables)}
        played_at = Counter[int]()
        games = 0
        self.method: Method = "compiled"

        def on_played(played: PlayedBlock) -> None:
            nonlocal games
            result: BlockResult = played[0]
            table = result.number // BLOCK_NUMBERS
            wins[table].update(dict(enumerate(result.wins[0])))
            games += result.games
            played_at[table] += result.games
            if verbose and played_at[table] == self.n_replications:
                self._print_table(table, wins[table])
            self.method = self.method if result.compiled else "engine"
            self.faults += sum(number for _, _, number in result.faults)
            if progress is not None:
                progress(games, self.n_tables * self.n_replications)

        try:
            with names_for(self._given):
                self._backend.run(setup, blocks, on_played)
        except KeyboardInterrupt:
            if not games:
                raise
        self.games = games
        self.scores = [self._score(number, wins[number]) for number in range(self.n_tables)]
        totals = Counter[str]()
        for score in self.scores:
            totals.update(dict(zip(score.agents, score.wins, strict=True)))
        ranked = dict(sorted(totals.items(), key=lambda item: (-item[1], item[0])))
        if verbose:
            print(f"Global scores:\n{ranked}")
        return ranked

    def _score(self, number: int, wins: Counter[int]) -> TableScore:
        table = self.tables[number]
        return TableScore(self.names_at(table), tuple(wins[seat] for seat in range(len(table))))

    def _print_table(self, number: int, wins: Counter[int]) -> None:
        score = self._score(number, wins)
        print(f"Table {number + 1} of {self.n_tables}: {', '.join(score.agents)}")
        print(f"{self.n_replications} replications have been finished. Scores at this table:")
        print(dict(zip(score.agents, score.wins, strict=True)))

    def _blocks(self) -> list[Block]:
        blocks = []
        fit = fit_for_simulator(self._loaded, self.config)
        for number, table in enumerate(self.tables):
            compiled = all(fit[agent] for agent in table)
            size = BLOCK_GAMES[compiled]
            for part, first in enumerate(range(0, self.n_replications, size)):
                blocks.append(
                    Block(
                        number=number * BLOCK_NUMBERS + part,
                        table=table,
                        seed=derive_seed(self.seed, "table", number),
                        first=first,
                        deals=min(size, self.n_replications - first),
                        rotations=1,
                        compiled=compiled,
                        ordered=any(learns_between_games(self._loaded[agent]) for agent in table),
                    )
                )
        return blocks
