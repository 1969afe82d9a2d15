"""Blocks: the unit of work of a tournament, and the worker that plays them. A block's result depends on it alone.

A block is a number of deals at one table, each played in every seating with the same dice (duplicate dice): in rotation
r, member m of the table sits in seat (m - r). That cancels most of the luck of the dice and of the seat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from ..core import GameConfig, GameEngine, derive_seed, numbered
from ..persistence import InMemoryRecorder, RecordedEvent, record_game
from ..referee import BotLimits, MatchResult, Referee, Seat, make_seat

if TYPE_CHECKING:
    from ..simulator import Simulator

Record = Literal["all", "faults", "none"]
"""Which games are recorded: all, those with a fault, or none."""
BLOCK_NUMBERS = 1_000_000
"""Block numbers reserved per table; no table has that many blocks."""


class WorkerSetup(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a worker needs to know, on any machine: the agents, the rules, and how games are run."""

    agents: tuple[str, ...]
    config: GameConfig
    limits: BotLimits = BotLimits()
    isolate: bool = False
    record: Record = "none"
    prefix: str = ""
    """The first part of the ids of recorded games."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """Deals `first`, `first + 1`, ... of a seed, at one table."""

    number: int
    """Its number in the plan, unique in a tournament."""
    table: tuple[int, ...]
    """Its members, as indices into `WorkerSetup.agents`."""
    seed: int
    first: int
    deals: int
    rotations: int
    """How many seatings each deal is played in."""
    compiled: bool
    ordered: bool = False
    """Whether a member learns between games, so that its blocks must be played in order."""

    @property
    def games(self) -> int:
        """How many games it has."""
        return self.deals * self.rotations


class BlockResult(msgspec.Struct, kw_only=True):
    """The result of a block: counts, so that results can be added up in any order."""

    number: int
    table: tuple[int, ...]
    games: int
    wins: list[list[int]]
    """[rotation][seat]: games won."""
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

    def member_wins(self) -> list[int]:
        """How many games each member won."""
        size = len(self.table)
        return [
            sum(row[(member - rotation) % size] for rotation, row in enumerate(self.wins)) for member in range(size)
        ]


PlayedBlock = tuple[BlockResult, list[list[RecordedEvent]]]
"""A block's result, and the games to record."""


def rotated(table: Sequence[int], rotation: int) -> list[int]:
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

    def play(self, block: Block) -> PlayedBlock:
        """Play a block. If a bot turns out not to be compilable, the block is refereed."""
        if block.compiled:
            from ..exact.tables import PolicyError

            try:
                return self._play_compiled(block)
            except PolicyError as error:
                result, records = self._play_refereed(block)
                result.why = str(error)
                return result, records
        return self._play_refereed(block)

    # -- through the referee -----------------------------------------------------------------------------------------

    def _play_refereed(self, block: Block) -> PlayedBlock:
        size = len(block.table)
        most = max(self.setup.config.dice_cap, *self.setup.config.dice)
        result = _nothing(block, most, compiled=False)
        records: list[list[RecordedEvent]] = []
        faults: Counter[tuple[int, str]] = Counter()
        seats = self._seats(block)
        for deal in range(block.first, block.first + block.deals):
            won = 0
            for rotation in range(block.rotations):
                seated = rotated(range(size), rotation)
                played, events = self._referee([seats[member] for member in seated], block, deal, rotation)
                if played.winner is not None:
                    result.wins[rotation][played.winner] += 1
                    won += seated[played.winner] == 0
                for fault in played.faults:
                    faults[seated[fault.player_id], fault.verdict] += 1
                for last in played.game.resolutions if played.game else ():
                    result.rounds += 1
                    for seat, has_won in ((last.winner, 1), (last.loser, 0)):
                        result.decided[seated[seat]][len(last.dice[seat])][seat == last.opener][has_won] += 1
                if events and (self.setup.record == "all" or played.faults):
                    records.append(events)
            if size == 2:
                counts = list(result.pairs)
                counts[won * 2 // block.rotations] += 1
                result.pairs = (counts[0], counts[1], counts[2])
        result.faults = [(member, verdict, count) for (member, verdict), count in sorted(faults.items())]
        return result, records

    def _seats(self, block: Block) -> list[Seat]:
        """A seat for each member. Two members that are the same agent get separate instances."""
        copies: Counter[int] = Counter()
        seats = []
        for agent in block.table:
            key = (agent, copies[agent])
            copies[agent] += 1
            if block.ordered:
                if key not in self._learners:
                    self._learners[key] = self._seat(agent)
                seats.append(self._learners[key])
            else:
                seats.append(self._seat(agent))
        return seats

    def _seat(self, agent: int) -> Seat:
        return make_seat(self.setup.agents[agent], self.setup.limits, isolate=self.setup.isolate)

    def _referee(
        self, seats: Sequence[Seat], block: Block, deal: int, rotation: int
    ) -> tuple[MatchResult, list[RecordedEvent]]:
        referee = Referee(
            seats, self.setup.config, seed=derive_seed(block.seed, "deal", deal), limits=self.setup.limits
        )
        if self.setup.record == "none":
            return referee.play(), []
        memory = InMemoryRecorder()
        game_id = record_game(referee.engine, memory, game_id=self._game_id(block, deal, rotation))
        return referee.play(), memory.events(game_id)

    def _game_id(self, block: Block, deal: int, rotation: int) -> str:
        table = "-".join(map(str, block.table))
        return f"{self.setup.prefix}-{table}-{deal}-{rotation}"

    # -- compiled ----------------------------------------------------------------------------------------------------

    def _play_compiled(self, block: Block) -> PlayedBlock:
        import numpy as np

        simulator = self._compiled()
        size = len(block.table)
        members = [self._places[agent] for agent in block.table]
        result = _nothing(block, 0, compiled=True)
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
        return result, list(self._traced(block, members)) if self.setup.record == "all" else []

    def _compiled(self) -> Simulator:
        """One simulator for all agents that it can play."""
        if self._simulator is None:
            from ..referee import load_agents, tables_guard
            from ..simulator import Simulator

            loaded = load_agents(self.setup.agents, self.setup.limits)
            fit = [i for i, agent in enumerate(loaded) if agent is not None and agent.memoryless]
            self._places = {i: place for place, i in enumerate(fit)}
            agents = [agent for agent in loaded if agent is not None and agent.memoryless]
            guard = tables_guard(self.setup.limits)
            self._simulator = Simulator(agents, self.setup.config, workers=self._threads, guard=guard)
        return self._simulator

    def _traced(self, block: Block, members: Sequence[int]) -> Iterator[list[RecordedEvent]]:
        """Replay the games of a compiled block move by move through the engine, to record them."""
        assert self._simulator is not None
        for deal in range(block.first, block.first + block.deals):
            for rotation in range(block.rotations):
                _, rounds = self._simulator.trace(deal, seed=block.seed, seats=rotated(members, rotation))
                agents = [self.setup.agents[agent] for agent in rotated(block.table, rotation)]
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


def _nothing(block: Block, most_dice: int, *, compiled: bool) -> BlockResult:
    size = len(block.table)
    return BlockResult(
        number=block.number,
        table=block.table,
        games=block.games,
        compiled=compiled,
        wins=[[0] * size for _ in range(block.rotations)],
        rounds=0,
        decided=[[[[0, 0], [0, 0]] for _ in range(most_dice + 1)] for _ in range(size)],
    )
