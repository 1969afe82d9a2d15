"""Table simulations: draw random tables of agents, play many games at each, and count the wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from ..agents import AgentLike, names_for
from ..core import PLAYERS, BadValueError, Progress, RulesLike, as_config, derive_seed, fresh_seed, is_whole, numbered
from ..persistence import rules_name
from ..referee import BotLimits, limits_for, load_agents, plays_with
from .backends import Backend, InProcess, Processes
from .blocks import BLOCK_NUMBERS, Block, BlockResult, PlayedBlock, WorkerSetup, all_examples
from .fault_examples import FaultExample
from .fields import all_agents
from .method_choice import Method, fit_for_simulator, lifetimes
from .schedule import random_tables
from .simulation_output import SimulationOutput
from .statistics import clustered_ci

BLOCK_GAMES = {True: 10_000, False: 25}
"""Games per block, for compiled and for refereed games."""


class TableScore(msgspec.Struct, frozen=True):
    """One table: its agents in seat order, and how many games each won. Copies of an agent are numbered."""

    agents: tuple[str, ...]
    wins: tuple[int, ...]


class AgentScore(msgspec.Struct, frozen=True):
    """One agent's score over all its tables, copies of it included."""

    agent: str
    tables: int
    """At how many tables it sat."""
    games: int
    """How many games it played; a game with two copies of it counts twice."""
    wins: int
    win_rate: float
    """The share of `games` that it won."""
    ci95: tuple[float, float]
    """A 95% interval for the win rate, in which the table is the unit (`clustered_ci`)."""


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
        time_limit_seconds: float | None = None,
    ) -> None:
        """`agents` are those that can be drawn (default: all built-in and discovered); `config` defaults to perudo.

        Agents given as objects or classes play in this process; agents given by name may play in several. A bot has
        `time_limit_seconds` for a decision (default: 1) and twice that for `on_game_end`; `limits` sets all its limits.
        """
        for name, value in (("n_tables", n_tables), ("n_replications", n_replications)):
            if not is_whole(value, range(1, 10**9)):
                raise BadValueError(name, value, "a whole number, at least 1")
        if not is_whole(n_players_per_table, PLAYERS):
            expected = f"a whole number from {PLAYERS[0]} to {PLAYERS[-1]}"
            raise BadValueError("n_players_per_table", n_players_per_table, expected)
        if isinstance(agents, str):
            raise BadValueError("agents", agents, "a list of agents")
        self.config = as_config("perudo" if config is None else config, players=n_players_per_table)
        if self.config.num_players != n_players_per_table:
            raise BadValueError(
                "n_players_per_table",
                n_players_per_table,
                f"{self.config.num_players}, the number of players in the rules",
            )
        self.n_tables = n_tables
        self.n_replications = n_replications
        self._seed_given = seed is not None
        self.seed = fresh_seed() if seed is None else seed
        self._limits = limits_for(time_limit_seconds, limits)
        self._given: list[AgentLike] = [*all_agents()] if agents is None else list(agents)
        here = [not isinstance(agent, str) for agent in self._given]
        self._backend = backend if backend is not None else InProcess() if any(here) else Processes()
        with names_for(self._given) as names:
            self._in_this_process = [name for name, one in zip(names, here, strict=True) if one]
            if not names or len(set(names)) < len(names):
                raise BadValueError("agents", list(names), "at least one agent, and none of them twice")
            if agents is None:  # only those that can play with this many players
                loaded = load_agents(names, self._limits)
                names = tuple(n for n, one in zip(names, loaded, strict=True) if plays_with(one, n_players_per_table))
                self._given = [*names]
            self.agents = names
            self._loaded = load_agents(names, self._limits, self.config, plays=True)
            self._lives = lifetimes(names, self._loaded)
        self.tables = random_tables(len(self.agents), n_players_per_table, n_tables, derive_seed(self.seed, "tables"))
        """Each table as indices into `agents`, in seat order. They differ while there are different ones to draw."""
        self.scores: list[TableScore] = []
        """The scores of each table."""
        self.ranking: list[AgentScore] = []
        """The agents that played, with their win rates, best first."""
        self.games = 0
        """How many games were played: fewer than requested if the simulation was interrupted."""
        self.faults = 0
        """How many faults the bots committed."""
        self.fault_examples: tuple[FaultExample, ...] = ()
        """The first few different faults of each bot, in words."""
        self.method: Method = "compiled"
        """How the games were played: "engine" if the referee played any of them."""

    @property
    def ordered(self) -> tuple[str, ...]:
        """The agents that learn between games: one instance of each plays all of its games, in order."""
        return self._seated(self._lives.learns)

    @property
    def anew(self) -> tuple[str, ...]:
        """The agents that may want to learn, but begin anew in every game: they run in boxes, or are programs."""
        return self._seated(self._lives.anew)

    def _seated(self, chosen: Sequence[bool]) -> tuple[str, ...]:
        """The chosen agents among those that sit at a table."""
        seated = {agent for table in self.tables for agent in table}
        return tuple(name for agent, name in enumerate(self.agents) if chosen[agent] and agent in seated)

    def names_at(self, table: Sequence[int]) -> tuple[str, ...]:
        """The names at a table; copies of an agent are numbered."""
        return tuple(numbered(self.agents[agent] for agent in table))

    def start(self, verbose: bool = True, progress: Progress | None = None) -> dict[str, int]:
        """Play all games; return how many each agent won over all tables, with its copies, best first.

        With `verbose`, each table's scores are printed as soon as its games are over. In a terminal, bars show how
        far all tables are, and each table in progress.
        """
        setup = WorkerSetup(agents=self.agents, config=self.config, limits=self._limits)
        blocks = self._blocks()
        wins = [[0] * len(table) for table in self.tables]
        played_at = [0] * self.n_tables
        self.games = self.faults = 0
        faulty: list[BlockResult] = []
        self.method = "compiled"
        output = SimulationOutput(self.n_tables, self.n_replications, verbose=verbose)

        def on_played(played: PlayedBlock) -> None:
            result: BlockResult = played[0]
            table = result.number // BLOCK_NUMBERS
            wins[table] = [before + new for before, new in zip(wins[table], result.wins[0], strict=True)]
            played_at[table] += result.games
            self.games += result.games
            self.method = self.method if result.compiled else "engine"
            self.faults += sum(number for _, _, number in result.faults)
            if result.faults:
                faulty.append(result)
            output.show_played(table, played_at[table], self.games)
            if verbose and played_at[table] == self.n_replications:
                output.show_scores(table, self.names_at(self.tables[table]), tuple(wins[table]))
            if progress is not None:
                progress(self.games, self.n_tables * self.n_replications)

        with output:
            output.say(*self._introduction(blocks))
            try:
                with names_for(self._given):
                    self._backend.run(setup, blocks, on_played)
            except KeyboardInterrupt:
                if not self.games:
                    raise
        self.fault_examples = all_examples(faulty)
        self.scores = [
            TableScore(self.names_at(table), tuple(won)) for table, won in zip(self.tables, wins, strict=True)
        ]
        self.ranking = self._ranking(wins, played_at)
        ranked = {one.agent: one.wins for one in sorted(self.ranking, key=lambda one: (-one.wins, one.agent))}
        if not self._seed_given:  # a drawn seed stays secret until no game is left to play
            output.say(f"Seed: {self.seed}")
        output.say("Global scores:", f"{ranked}")
        return ranked

    def _introduction(self, blocks: Sequence[Block]) -> list[str]:
        """What is going to be played."""
        players, rules = self.config.num_players, rules_name(self.config)
        seed = f", seed {self.seed}" if self._seed_given else ""
        lines = [
            f"{self.n_tables:,} tables of {players} players, {self.n_replications:,} games each; rules {rules}{seed}"
        ]
        if self._in_this_process and not all(block.compiled for block in blocks):
            names = ", ".join(self._in_this_process)
            lines.append(f"All games are played in this process, because these agents were not given by name: {names}")
        return lines

    def _ranking(self, wins: Sequence[Sequence[int]], played_at: Sequence[int]) -> list[AgentScore]:
        """Each agent's score over its tables. Its copies at a table are added up."""
        won_at: dict[int, list[int]] = {}
        games_at: dict[int, list[int]] = {}
        for table, won, played in zip(self.tables, wins, played_at, strict=True):
            of_agent: Counter[int] = Counter()
            for agent, number in zip(table, won, strict=True):
                of_agent[agent] += number
            for agent, copies in Counter(table).items():
                won_at.setdefault(agent, []).append(of_agent[agent])
                games_at.setdefault(agent, []).append(copies * played)
        found = [
            AgentScore(
                agent=self.agents[agent],
                tables=len(games),
                games=sum(games),
                wins=sum(won_at[agent]),
                win_rate=sum(won_at[agent]) / sum(games) if sum(games) else 0.0,
                ci95=clustered_ci(won_at[agent], games),
            )
            for agent, games in games_at.items()
        ]
        return sorted(found, key=lambda one: (-one.win_rate, one.agent))

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
                        ordered=any(self._lives.learns[agent] for agent in table),
                    )
                )
        return blocks
