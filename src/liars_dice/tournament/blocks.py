"""Blocks: the unit of work of a tournament, and the worker that plays them. A block's result depends on it alone.

A block is a number of deals, at one table or at several, each played in every seating with the same dice (duplicate
dice): in rotation r, member m of the table sits in seat (m - r). That cancels most of the luck of the dice and of the
seat.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import msgspec

from ..agents import AGENTS, BatchAgent, PolicyError, make_agent
from ..core import AgentFaulted, GameConfig, GameEngine, derive_seed, numbered
from ..persistence import InMemoryRecorder, RecordedEvent, record_game
from ..referee import BotLimits, MatchResult, Referee, Seat, make_seat, play_side_by_side
from .fault_examples import FaultExample, merged

if TYPE_CHECKING:
    from ..simulator import Simulator

Record = Literal["all", "some", "faults", "none"]
"""Which games are recorded: all, those of the first deals (`RECORDED_OF_SOME`), those with a fault, or none."""
RECORDED_OF_SOME = 10
"""With `some`, the games of this many deals are recorded per pairing, or in a league altogether."""
BLOCK_NUMBERS = 1_000_000
"""Block numbers reserved per table of a round robin, or for all tables of a league of one kind."""
ENOUGH_BLOCKS = 200
"""Refereed games are cut into this many blocks, so that many workers finish together, unless there are too few games
(`FEWEST_BLOCK_DEALS`) or enough for more blocks."""
FEWEST_BLOCK_DEALS = 5
"""A refereed block has at least this many deals, for every block may have to start a process for each bot."""


def refereed_block_deals(deals: int, *, most: int) -> int:
    """Deals per block, where the referee plays this many. It may not depend on workers: bots are made anew per block.

    >>> [refereed_block_deals(deals, most=20) for deals in (30, 600, 2_000, 10_000)]
    [5, 5, 10, 20]
    """
    return min(most, max(FEWEST_BLOCK_DEALS, deals // ENOUGH_BLOCKS))


class WorkerSetup(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a worker needs to know, on any machine: the agents, the rules, and how games are run."""

    agents: tuple[str, ...]
    config: GameConfig
    limits: BotLimits = BotLimits()
    isolate: bool = False
    boxed: tuple[str, ...] = ()
    record: Record = "none"
    prefix: str = ""
    """The first part of the ids of recorded games."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """Deals `first`, `first + 1`, ... of a seed, at one table or, in a league, at one table after another."""

    number: int
    """Its number in the plan, unique in a tournament."""
    table: tuple[int, ...]
    """Its members, as indices into `WorkerSetup.agents`; in a league, all agents that play in the block."""
    tables: tuple[tuple[int, ...], ...] = ()
    """In a league, the tables at which its deals are played, each with its members."""
    deals_per_table: int = 0
    """In a league, deal d is played at table d // deals_per_table."""
    seed: int
    first: int
    deals: int
    rotations: int
    """How many seatings each deal is played in."""
    compiled: bool
    ordered: bool = False
    """Whether a member learns between games, so that its blocks must be played in order."""
    apart: bool = False
    """Whether other people's bots play in processes of their own: a worker that played it with them in it died."""

    @property
    def games(self) -> int:
        """How many games it has."""
        return self.deals * self.rotations

    def table_number(self, deal: int) -> int:
        """The number of the table at which a deal of a league is played."""
        return deal // self.deals_per_table

    def members_of(self, deal: int) -> tuple[int, ...]:
        """Who plays a deal."""
        if not self.tables:
            return self.table
        return self.tables[self.table_number(deal) - self.table_number(self.first)]


class TableWins(msgspec.Struct, frozen=True, array_like=True):
    """One table of a league, or the part of its games that is in one block: its members, and how often each won.

    A game that a bot forfeits has no winner at a table of more than two.
    """

    number: int
    members: tuple[int, ...]
    wins: tuple[int, ...]
    games: int


class BlockResult(msgspec.Struct, kw_only=True):
    """The result of a block: counts, so that results can be added up in any order."""

    number: int
    table: tuple[int, ...]
    games: int
    wins: list[list[int]]
    """[rotation][seat]: games won; empty in a league."""
    tables: list[TableWins] = []
    """In a league, its tables."""
    pairs: tuple[int, int, int] = (0, 0, 0)
    """At a table of two: the number of deals of which member 0 won no game, one of two, and all (one or two)."""
    compiled: bool
    why: str = ""
    """Why it was refereed although it was planned as compiled."""
    rounds: int
    decided: list[list[list[list[int]]]]
    """[member][own dice][whether it opened][whether it won]: rounds."""
    faults: list[tuple[int, str, int]] = []
    """(member, verdict, number of faults)."""
    fault_examples: list[FaultExample] = []
    """The first few faults of each agent, in words."""

    @property
    def fits_together(self) -> bool:
        """Whether the counts can be those of one block: a stored one may be damaged."""
        size = len(self.table)
        return (
            len(self.decided) == size
            and all(len(row) == size and sum(row) <= self.games for row in self.wins)
            and sum(map(sum, self.wins)) <= self.games
            and all(len(one.wins) == len(one.members) and sum(one.wins) <= one.games for one in self.tables)
            and all(0 <= member < size and count > 0 for member, _, count in self.faults)
        )

    def member_wins(self) -> list[int]:
        """How many games each member won."""
        size = len(self.table)
        return [
            sum(row[(member - rotation) % size] for rotation, row in enumerate(self.wins)) for member in range(size)
        ]


def all_examples(results: Iterable[BlockResult]) -> tuple[FaultExample, ...]:
    """The first few different faults of each agent in some blocks, in whatever order these were played."""
    in_order = sorted(results, key=lambda result: result.number)
    return tuple(merged(example for result in in_order for example in result.fault_examples))


PlayedGame = tuple[MatchResult, list[RecordedEvent]]
"""How a game ended, and its events if they may have to be recorded."""
Member = TypeVar("Member")


class GameMemory(NamedTuple):
    """Where a game is being recorded."""

    memory: InMemoryRecorder
    game_id: str

    @property
    def recorded(self) -> list[RecordedEvent]:
        """What happened so far."""
        return self.memory.events(self.game_id)


PlayedBlock = tuple[BlockResult, list[list[RecordedEvent]]]
"""A block's result, and the games to record."""
OnPlayed = Callable[[PlayedBlock], None]
"""Called with every block played, in any order."""


def rotated(table: Sequence[Member], rotation: int) -> list[Member]:
    """The member in each seat."""
    return [table[(seat + rotation) % len(table)] for seat in range(len(table))]


class Worker:
    """Plays the blocks of one tournament. Agents are created anew for every block, except those that learn."""

    def __init__(self, setup: WorkerSetup, *, threads: int = 1) -> None:
        self.setup = setup
        self._threads = threads
        self._simulator: Simulator | None = None
        self._places: dict[int, int] = {}
        self._learners: dict[tuple[int, int], Seat] = {}
        self._keeps_processes = False
        self._kept: dict[tuple[int, int], Seat] = {}
        """Seats of the block before whose bots have processes of their own."""
        self.seconds_of_starts = 0.0
        """How long it took to make bots, and to start processes for them, in all blocks so far."""

    def play_all(self, blocks: Sequence[Block], *, keep: bool = False) -> list[PlayedBlock]:
        """Play blocks one after another.

        Processes of other people's bots stay from block to block, for starting one takes longer than many games; the
        bots in them are made anew. With `keep`, they stay for the blocks of the next call, too, until `end_processes`.
        """
        self._keeps_processes = True
        try:
            played = [self.play(block) for block in blocks]
        except BaseException:
            self.end_processes()
            raise
        finally:
            self._keeps_processes = False
        if not keep:
            self.end_processes()
        return played

    def end_processes(self) -> None:
        """End the processes of other people's bots that were kept."""
        kept, self._kept = self._kept, {}
        for seat in kept.values():
            seat.dismiss()

    def play(self, block: Block) -> PlayedBlock:
        """Play a block. If a bot turns out not to be compilable, the block is refereed."""
        if block.compiled:
            try:
                return self.play_compiled(block)
            except PolicyError as error:
                result, records = self._play_refereed(block)
                result.why = str(error)
                return result, records
        return self._play_refereed(block)

    # -- through the referee -----------------------------------------------------------------------------------------

    def _play_refereed(self, block: Block) -> PlayedBlock:
        most = max(self.setup.config.dice_cap, *self.setup.config.dice)
        result = _nothing(block, most, compiled=False)
        records: list[list[RecordedEvent]] = []
        faults: Counter[tuple[int, str]] = Counter()
        examples: list[FaultExample] = []
        at_table: dict[int, list[int]] = {}
        games = self._games_side_by_side(block) if self._side_by_side(block) else self._games_in_order(block)
        for deal in range(block.first, block.first + block.deals):
            members = block.members_of(deal)
            won = [0] * len(members)
            for rotation in range(block.rotations):
                seated = rotated(range(len(members)), rotation)
                counted_as = [block.table.index(members[m]) if block.tables else m for m in seated]
                played, events = next(games)
                if played.winner is not None:
                    won[seated[played.winner]] += 1
                    if result.wins:
                        result.wins[rotation][played.winner] += 1
                for fault in played.faults:
                    faults[counted_as[fault.player_id], fault.verdict] += 1
                    agent = self.setup.agents[members[seated[fault.player_id]]]
                    examples.append(_example(agent, fault))
                examples = merged(examples)
                for last in played.game.resolutions if played.game else ():
                    result.rounds += 1
                    for seat, has_won in ((last.winner, 1), (last.loser, 0)):
                        result.decided[counted_as[seat]][len(last.dice[seat])][seat == last.opener][has_won] += 1
                if events and (self._is_recorded(deal) or played.faults):
                    records.append(events)
            if block.tables:
                so_far = at_table.setdefault(block.table_number(deal), [0] * len(members))
                at_table[block.table_number(deal)] = [a + b for a, b in zip(so_far, won, strict=True)]
            elif len(members) == 2:
                counts = list(result.pairs)
                counts[won[0] * 2 // block.rotations] += 1
                result.pairs = (counts[0], counts[1], counts[2])
        next(games, None)  # the bots of games in order leave
        result.tables = _table_wins(block, at_table)
        result.fault_examples = examples
        result.faults = [(member, verdict, count) for (member, verdict), count in sorted(faults.items())]
        return result, records

    def _is_recorded(self, deal: int) -> bool:
        """Whether all games of a deal are recorded."""
        return self.setup.record == "all" or (self.setup.record == "some" and deal < RECORDED_OF_SOME)

    def _seated(self, members: Sequence[int], seats: dict[tuple[int, int], Seat], *, apart: bool) -> list[Seat]:
        """A seat for each member, made if `seats` has none. Two members that are the same agent have separate ones."""
        copies: Counter[int] = Counter()
        seated = []
        for agent in members:
            key = (agent, copies[agent])
            copies[agent] += 1
            if key not in seats:
                seats[key] = self._seat(agent, apart=apart)
            seated.append(seats[key])
        return seated

    def _seat(self, agent: int, *, apart: bool) -> Seat:
        setup, name = self.setup, self.setup.agents[agent]
        start = time.perf_counter()
        seat = make_seat(name, setup.limits, isolate=setup.isolate, apart=apart, boxed=name in setup.boxed)
        self.seconds_of_starts += time.perf_counter() - start
        return seat

    def _games_in_order(self, block: Block) -> Iterator[PlayedGame]:
        """Play the games of a block one after another; a bot stays in its seat for all of them."""
        seats = self._learners if block.ordered else self._kept_for(block)
        for deal in range(block.first, block.first + block.deals):
            members = self._seated(block.members_of(deal), seats, apart=block.apart)
            for rotation in range(block.rotations):
                referee, memory = self._referee(rotated(members, rotation), block, deal, rotation)
                yield referee.play(), memory.recorded if memory else []
        if not block.ordered:
            self._let_go(seats)

    def _kept_for(self, block: Block) -> dict[tuple[int, int], Seat]:
        """The seats of the block before that this block needs, too. The others are let go."""
        kept, self._kept = self._kept, {}
        needed = {key: seat for key, seat in kept.items() if key[0] in block.table}
        for key in kept.keys() - needed.keys():
            kept[key].dismiss()
        return needed

    def _let_go(self, seats: dict[tuple[int, int], Seat]) -> None:
        """Let bots go after a block, or keep their processes for the next."""
        for key, seat in seats.items():
            if self._keeps_processes and seat.begin_anew():
                self._kept[key] = seat
            else:
                seat.dismiss()

    def _games_side_by_side(self, block: Block) -> Iterator[PlayedGame]:
        """Play the games of a block at the same time, each with bots of its own."""
        games = []
        for deal in range(block.first, block.first + block.deals):
            for rotation in range(block.rotations):
                members = self._seated(block.members_of(deal), {}, apart=False)
                games.append(self._referee(rotated(members, rotation), block, deal, rotation))
        played = play_side_by_side([referee for referee, _ in games])
        for result, (_, memory) in zip(played, games, strict=True):
            yield result, memory.recorded if memory else []

    def _side_by_side(self, block: Block) -> bool:
        """Whether all bots of a block are the package's own, and some of them answer many questions faster at once."""
        names = [self.setup.agents[agent] for agent in block.table]
        ours = all(name in AGENTS or name.partition(":")[0] in ("threshold", "champion") for name in names)
        if not ours or block.ordered or self.setup.isolate:
            return False
        return any(isinstance(make_agent(name), BatchAgent) for name in names)

    def _referee(
        self, seats: Sequence[Seat], block: Block, deal: int, rotation: int
    ) -> tuple[Referee, GameMemory | None]:
        """The referee of a game, and where it is recorded, if it is."""
        referee = Referee(
            seats, self.setup.config, seed=derive_seed(block.seed, "deal", deal), limits=self.setup.limits
        )
        if self.setup.record == "none":
            return referee, None
        memory = InMemoryRecorder()
        game_id = record_game(referee.engine, memory, game_id=self._game_id(block, deal, rotation))
        return referee, GameMemory(memory, game_id)

    def _game_id(self, block: Block, deal: int, rotation: int) -> str:
        table = "-".join(map(str, block.members_of(deal)))
        return f"{self.setup.prefix}-{table}-{deal}-{rotation}"

    # -- compiled ----------------------------------------------------------------------------------------------------

    def play_compiled(self, block: Block) -> PlayedBlock:
        """Play a block in the simulator; `PolicyError` if a bot turns out not to be compilable."""
        result = _nothing(block, 0, compiled=True)
        if block.tables:
            self._play_compiled_league(block, result)
        else:
            self._play_compiled_table(block, result)
        return result, list(self._traced(block))

    def _play_compiled_table(self, block: Block, result: BlockResult) -> None:
        import numpy as np

        simulator = self._compiled()
        size = len(block.table)
        members = [self._places[agent] for agent in block.table]
        decided: list[np.ndarray[tuple[int, ...], np.dtype[np.int64]]] = []
        won = np.zeros(block.deals, dtype=np.int64)
        for rotation in range(block.rotations):
            tally = simulator.play(block.deals, seed=block.seed, seats=rotated(members, rotation), first=block.first)
            result.wins[rotation] = np.bincount(tally.winners, minlength=size).tolist()
            result.rounds += tally.rounds
            decided.append(np.roll(tally.decided, rotation, axis=0))
            won += tally.winners == -rotation % size
        result.decided = np.sum(decided, axis=0).tolist()
        if size == 2:
            none, one, both = np.bincount(won * 2 // block.rotations, minlength=3).tolist()
            result.pairs = (none, one, both)

    def _play_compiled_league(self, block: Block, result: BlockResult) -> None:
        """All tables and rotations at once: a call of the simulator costs as much as dozens of games."""
        import numpy as np

        simulator = self._compiled()
        tables = np.array([[self._places[agent] for agent in table] for table in block.tables])
        count, size = tables.shape
        rotations = np.repeat(np.arange(block.rotations), block.deals)
        deals = np.tile(np.arange(block.first, block.first + block.deals), block.rotations)
        at = deals // block.deals_per_table - block.table_number(block.first)
        seated = np.concatenate([np.roll(tables, -rotation, axis=1) for rotation in range(block.rotations)])
        tally = simulator.play_tables(seated, deals, rotations * count + at, seed=block.seed)
        winners = (tally.winners + rotations) % size  # as members
        wins = np.bincount(at * size + winners, minlength=count * size).reshape(count, size).tolist()
        first = block.table_number(block.first)
        result.tables = _table_wins(block, {first + table: row for table, row in enumerate(wins)})
        result.rounds = tally.rounds
        result.decided = tally.decided[[self._places[agent] for agent in block.table]].tolist()

    def _compiled(self) -> Simulator:
        """One simulator for all agents that it can play."""
        if self._simulator is None:
            from ..referee import load_agents, tables_guard
            from ..simulator import Simulator

            loaded = load_agents(self.setup.agents, self.setup.limits, boxed=self.setup.boxed)
            fit = [i for i, agent in enumerate(loaded) if agent is not None and agent.memoryless]
            self._places = {i: place for place, i in enumerate(fit)}
            agents = [agent for agent in loaded if agent is not None and agent.memoryless]
            guard = tables_guard(self.setup.limits)
            self._simulator = Simulator(agents, self.setup.config, workers=self._threads, guard=guard)
        return self._simulator

    def _traced(self, block: Block) -> Iterator[list[RecordedEvent]]:
        """Replay games of a compiled block move by move through the engine, to record them."""
        simulator = self._compiled()
        for deal in filter(self._is_recorded, range(block.first, block.first + block.deals)):
            for rotation in range(block.rotations):
                seated = rotated(block.members_of(deal), rotation)
                _, rounds = simulator.trace(deal, seed=block.seed, seats=[self._places[agent] for agent in seated])
                agents = [self.setup.agents[agent] for agent in seated]
                engine = GameEngine(
                    self.setup.config, names=numbered(agents), seed=derive_seed(block.seed, "deal", deal)
                )
                memory = InMemoryRecorder()
                game_id = self._game_id(block, deal, rotation)
                record_game(engine, memory, game_id=game_id, player_types=agents)
                for played in rounds:
                    engine.start_new_round(played.hands)
                    for action in played.actions:
                        public = engine.state.public
                        engine.apply_action(public.current_player, public.rules.moves[action])
                yield memory.events(game_id)


def _table_wins(block: Block, wins: dict[int, list[int]]) -> list[TableWins]:
    """The tables of a league's block, given each member's wins by the number of the table; none of another block."""
    if not block.tables:
        return []
    games = Counter(block.table_number(deal) for deal in range(block.first, block.first + block.deals))
    return [
        TableWins(number, members, tuple(wins[number]), games[number] * block.rotations)
        for number, members in enumerate(block.tables, block.table_number(block.first))
    ]


def _example(agent: str, fault: AgentFaulted) -> FaultExample:
    return FaultExample(agent=agent, verdict=fault.verdict, detail=fault.detail, traceback=fault.traceback)


def _nothing(block: Block, most_dice: int, *, compiled: bool) -> BlockResult:
    size = len(block.table)
    return BlockResult(
        number=block.number,
        table=block.table,
        games=block.games,
        compiled=compiled,
        wins=[] if block.tables else [[0] * size for _ in range(block.rotations)],
        rounds=0,
        decided=[[[[0, 0], [0, 0]] for _ in range(most_dice + 1)] for _ in range(size)],
    )
