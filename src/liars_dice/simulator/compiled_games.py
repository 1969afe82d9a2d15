"""Games between memoryless agents at compiled speed: any number of players, every rule set."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from ..agents import Agent, AgentLike, Guard, as_agent, unguarded
from ..core import (
    SEEDS,
    BadValueError,
    GameConfig,
    Hands,
    RulesLike,
    agent_id,
    apply,
    as_config,
    deal,
    is_whole,
    new_game,
    round_rules,
)
from ..exact import OutOfReachError
from ..exact.tables import (
    CALLS_ONLY,
    MOST_CELLS,
    UNKNOWN,
    VECTORISED,
    MixArrays,
    PolicyBook,
    PolicyTable,
    Situation,
    cells_needed,
    check_own_dice_only,
    dice_states,
    hand_set,
    situations,
)
from ..numeric import Ints, in_threads
from .game_kernel import ENDLESS, MOST_ROUNDS, NEW_ROUND, Policies, Rules, play_games

MOST_ROLLS = 1 << 16
"""Hands are looked up by their ordered roll up to this many rolls; further dice are added one by one."""
SMALL = 1 << 11
"""Fewer games than this are not worth a thread."""
_GO_ON = np.zeros(1, dtype=np.int64)
BLOCK, FIRST_BLOCK = 1 << 19, 1 << 10
"""How many games, times players, are played at once; and how many games at first if cells may be missing."""


@dataclass(frozen=True)
class Tally:
    """The results of some games."""

    winners: NDArray[np.int8]
    """Who won each game, by seat."""
    rounds: int
    actions: int
    decided: Ints
    """[seat, own dice, whether it opened, whether it won]: the rounds that each seat lost or won.

    Of games at several tables (`play_tables`), [agent, ...]: the rounds that each agent of the field lost or won.
    """

    def wins(self, seat: int) -> int:
        """How many games a seat won."""
        return int((self.winners == seat).sum())

    @classmethod
    def joined(cls, parts: Sequence[Tally]) -> Tally:
        """The results of all these games together."""
        return cls(
            np.concatenate([part.winners for part in parts]),
            sum(part.rounds for part in parts),
            sum(part.actions for part in parts),
            np.sum([part.decided for part in parts], axis=0),
        )


@dataclass(frozen=True)
class TracedRound:
    """One round, move by move."""

    hands: Hands
    actions: tuple[int, ...]
    """Rungs, and at the end a call."""


class Simulator:
    """A field of memoryless agents, ready to play any number of games at tables of any of them.

    Game g of a seed is always the same game, however many are played, in whatever order, by however many workers.

    >>> from liars_dice.agents import make_agent
    >>> from liars_dice.core import preset
    >>> simulator = Simulator([make_agent("optimal"), make_agent("maniac")], preset("heads-up"))
    >>> simulator.play(10_000, seed=1).wins(0)
    7542
    """

    def __init__(
        self,
        agents: Sequence[AgentLike],
        config: RulesLike,
        *,
        workers: int | None = None,
        guard: Guard = unguarded,
    ) -> None:
        field = [as_agent(agent) for agent in agents]
        self.config = as_config(config).without_seed
        self._workers = workers or cpu_count() or 1
        kinds = [_same_policy(agent) for agent in field]
        books = {kind: PolicyBook(agent, guard) for kind, agent in zip(kinds, field, strict=True)}
        self._books = list(books.values())
        self._policy_of = [list(books).index(kind) for kind in kinds]
        check_simulable(field, self.config)
        self._rules = _rules_as_arrays(self.config)
        self._lay_out(list(situations(self.config)))

    # -- the tables, one after the other -----------------------------------------------------------------------------

    def _lay_out(self, every: list[Situation]) -> None:
        states = dice_states(self.config)
        shape = [max(own for own, _ in states) + 1, max(other for _, other in states) + 1, 2 * (self.config.faces + 2)]
        self._start: Ints = np.full((len(self._books), *shape), -1)
        self._tables: list[PolicyTable] = []
        self._first: list[int] = []
        """Where each table begins."""
        self._policy: list[int] = []
        """Whose table it is."""
        at = 0
        for situation in every:
            for policy, book in enumerate(self._books):
                self._start[policy, situation.own, situation.other, _kind(situation)] = at
                self._tables.append(book[situation])
                self._first.append(at)
                self._policy.append(policy)
                at += self._tables[-1].cells.size
        self._total = at
        self._gather()

    def _gather(self) -> None:
        """Copy all tables into one array, with all agents' distributions in one list.

        16-bit numbers keep twice as much of the tables in the cache; they are enough if all cells are known already.
        """
        parts = [book.mixes.arrays() for book in self._books]
        mixes = self._first_mix = _starts([len(part.size) for part in parts])
        entries = _starts([len(part.action) for part in parts])
        self._mixes = MixArrays(
            np.concatenate([part.start + first for part, first in zip(parts, entries, strict=True)]).astype(np.int64),
            np.concatenate([part.size for part in parts]).astype(np.int64),
            *(np.concatenate([part[field] for part in parts]) for field in range(2, 6)),
        )
        narrow = all(book.is_vectorised for book in self._books) and len(self._mixes.size) < -np.iinfo(np.int16).min
        self._cells: NDArray[np.int16 | np.int32] = np.empty(self._total, dtype=np.int16 if narrow else np.int32)
        self._unknown = int(np.iinfo(self._cells.dtype).min)
        for table, first, policy in zip(self._tables, self._first, self._policy, strict=True):
            cells = table.cells.ravel()
            cells = np.where(cells < 0, cells - mixes[policy], cells) if mixes[policy] else cells
            self._cells[first : first + cells.size] = np.where(table.cells.ravel() == UNKNOWN, self._unknown, cells)

    def fill(self, places: Ints) -> None:
        """Fill the cells at these places by asking the agents."""
        mixed = sum(len(book.mixes) for book in self._books)
        for at, group in groupby(places.tolist(), key=lambda place: bisect_right(self._first, place) - 1):
            table, together = self._tables[at], list(group)
            cells = [divmod(place - self._first[at], table.size + 1) for place in together]
            table.fill([(hand, column - 1) for hand, column in cells])
            for place, (hand, column) in zip(together, cells, strict=True):
                cell = table.cell(hand, column - 1)
                assert cell != UNKNOWN, "a game leads only to cells that can be filled"
                self._cells[place] = cell - self._first_mix[self._policy[at]] if cell < 0 else cell
        if sum(len(book.mixes) for book in self._books) > mixed:
            self._gather()

    @property
    def unknown(self) -> int:
        """What stands in a cell that has not been filled yet."""
        return self._unknown

    def policies(self) -> Policies:
        """The tables of the whole field as compiled code reads them; `fill` makes older ones stale."""
        field = np.arange(len(self._policy_of))[None]
        return self._seated(field, field)

    # -- playing -----------------------------------------------------------------------------------------------------

    def play(self, games: int, *, seed: int, seats: Sequence[int] | None = None, first: int = 0) -> Tally:
        """Play games `first`, `first + 1`, ... of a seed, with these agents of the field in the seats (by default all
        of them, in order).
        """
        if games < 0 or first < 0:
            raise BadValueError("games", (games, first), "a number of games, and the first of them, from 0 up")
        chosen = range(len(self._policy_of)) if seats is None else seats
        numbers = np.arange(first, first + games)
        lineup = np.zeros(games, dtype=np.int64)
        places = np.arange(self.config.num_players)[None]
        return self._play_all(np.array([chosen], dtype=np.int64), places, places.size, seed, numbers, lineup)

    def play_tables(self, tables: Ints, games: Ints, lineups: Ints, *, seed: int) -> Tally:
        """Play these games of a seed, each at a table of its own: `games` are their numbers, and `lineups` says for
        each in which row of `tables` its agents are, in seat order.
        """
        return self._play_all(tables, tables, len(self._policy_of), seed, games, lineups)

    def _play_all(self, tables: Ints, counted_as: Ints, counted: int, seed: int, games: Ints, lineups: Ints) -> Tally:
        """Play these games, block by block, and make the cells that they lack on the way."""
        if not is_whole(seed, SEEDS):
            raise BadValueError("seed", seed, f"a whole number from {SEEDS[0]} to {SEEDS[-1]}")
        self._check_seats(tables)
        parts = [self._nothing(counted)]
        done = 0
        most = BLOCK // self.config.num_players
        size = most if all(book.is_vectorised for book in self._books) else FIRST_BLOCK
        while done < games.size:
            block = slice(done, done + size)
            policies = self._seated(tables, counted_as)
            tally, needed = self._play(policies, counted, seed, games[block], lineups[block])
            if needed.size:
                self.fill(needed)  # and play the block again
                continue
            parts.append(tally)
            done += tally.winners.size
            size = min(4 * size, most)
        return Tally.joined(parts)

    def _check_seats(self, tables: Ints) -> None:
        seats = tables.shape[1]
        if seats != self.config.num_players:
            raise BadValueError("seats", seats, f"{self.config.num_players} agents, one per seat")
        if tables.size and not 0 <= tables.min() <= tables.max() < len(self._policy_of):
            raise BadValueError("seats", tables.tolist()[0], f"agents of the field, 0 to {len(self._policy_of) - 1}")

    def _seated(self, tables: Ints, counted_as: Ints) -> Policies:
        return Policies(np.array(self._policy_of)[tables], counted_as, self._start, self._cells, self._mixes)

    def _nothing(self, counted: int) -> Tally:
        shape = (counted, self._start.shape[1], 2, 2)
        return Tally(np.empty(0, dtype=np.int8), 0, 0, np.zeros(shape, dtype=np.int64))

    def _play(self, policies: Policies, counted: int, seed: int, games: Ints, lineups: Ints) -> tuple[Tally, Ints]:
        """Play these games in threads; their results, and the cells that some of them lacked."""
        no_trace = np.empty(0, dtype=np.int32)
        stop = np.zeros(1, dtype=np.int64)

        def part(which: Ints) -> tuple[Tally, Ints]:
            return self._run(policies, counted, seed, games[which], lineups[which], no_trace, stop)

        every = np.arange(games.size)
        if games.size < SMALL or self._workers == 1:
            parts = [part(every)]
        else:
            parts = in_threads(self._workers, part, np.array_split(every, self._workers), stop)
        needed = np.unique(np.concatenate([cells for _, cells in parts]))
        return Tally.joined([tally for tally, _ in parts]), needed

    def _run(
        self,
        policies: Policies,
        counted: int,
        seed: int,
        games: Ints,
        lineups: Ints,
        trace: NDArray[np.int32],
        stop: Ints,
    ) -> tuple[Tally, Ints]:
        winners = np.empty(games.size, dtype=np.int8)
        needed = np.empty(games.size, dtype=np.int64)
        totals = np.zeros(2, dtype=np.int64)
        decided = self._nothing(counted).decided
        key = np.uint64(seed)
        play_games(
            self._rules, policies, key, games, lineups, self._unknown, winners, needed, totals, decided, trace, stop
        )
        if (needed == ENDLESS).any():
            raise OutOfReachError(f"game {games[needed == ENDLESS][0]} was not over after {MOST_ROUNDS:,} rounds")
        return Tally(winners, int(totals[0]), int(totals[1]), decided), needed[needed >= 0]

    def _run_at_one_table(self, seats: Sequence[int], seed: int, games: Ints, trace: NDArray[np.int32]) -> None:
        places = np.arange(len(seats))[None]
        policies = self._seated(np.array([seats]), places)
        self._run(policies, len(seats), seed, games, np.zeros_like(games), trace, _GO_ON)

    def warm_up(self) -> None:
        """Compile what playing needs, unless it is compiled already."""
        no_games, no_trace = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
        self._run_at_one_table([0] * self.config.num_players, 0, no_games, no_trace)

    def trace(self, game: int, *, seed: int, seats: Sequence[int] | None = None) -> tuple[int, list[TracedRound]]:
        """One game move by move, and who won it."""
        tally = self.play(1, seed=seed, seats=seats, first=game)
        trace = np.empty(tally.actions + tally.rounds * (self.config.num_players + 1), dtype=np.int32)
        chosen = range(len(self._policy_of)) if seats is None else seats
        self._run_at_one_table(chosen, seed, np.array([game]), trace)
        return int(tally.winners[0]), self._read(trace.tolist())

    def _read(self, trace: list[int]) -> list[TracedRound]:
        """The rounds of a trace; the rules say how many dice each seat has in each."""
        state = new_game(self.config)
        rounds = []
        at = 0
        while at < len(trace):
            assert trace[at] == NEW_ROUND
            counts = state.public.dice_counts
            hands = tuple(
                hand_set(n, self.config.faces).hands[trace[at + 1 + seat]] if n else () for seat, n in enumerate(counts)
            )
            at += 1 + len(counts)
            state = deal(state, hands)
            actions = []
            while state.public.status == "BIDDING":
                actions.append(trace[at])
                state = apply(state, state.public.rules.moves[trace[at]])
                at += 1
            rounds.append(TracedRound(hands, tuple(actions)))
        return rounds


def _kind(situation: Situation) -> int:
    """The number of a kind of situation: the limit on raises, numbered separately for palifico rounds."""
    faces = situation.rules.config.faces
    limit = faces + 1 if situation.limit == CALLS_ONLY else situation.limit
    return limit + (faces + 2) * situation.rules.palifico


def _same_policy(agent: Agent) -> object:
    """A key that is equal for agents that can share their tables."""
    if type(agent) not in VECTORISED:
        return id(agent)
    settings = {name: value for name, value in vars(agent).items() if name != "name" and not name.startswith("_")}
    return type(agent), tuple(sorted(settings.items()))


def check_simulable(agents: Sequence[Agent], config: GameConfig) -> None:
    """Raise `OutOfReachError` if the simulator cannot play these agents by these rules."""
    for agent in agents:
        if not getattr(agent, "memoryless", False):
            raise OutOfReachError(
                f"{agent_id(agent)} does not declare `memoryless`, so the compiled simulator cannot play it; "
                "the engine can"
            )
    check_own_dice_only(config)
    cells = len({_same_policy(agent) for agent in agents}) * cells_needed(config)
    if cells > MOST_CELLS:
        raise OutOfReachError(
            f"dice {config.dice} with {config.faces} faces: the compiled simulator would need tables of {cells:,} "
            f"cells, {MOST_CELLS:,} at most are held; the engine plays such games"
        )


def _rules_as_arrays(config: GameConfig) -> Rules:
    faces, most_dice = config.faces, config.dice_cap if config.mode == "elimination" else max(config.dice)
    at_once = max(n for n in range(most_dice + 1) if faces**n <= MOST_ROLLS)
    tables = [hand_set(n, faces).of_rolls() for n in range(at_once + 1)]
    sets = [hand_set(n, faces) for n in range(most_dice + 1)]
    grown = [hands.with_one_more() for hands in sets[:-1]] + [np.zeros((len(sets[-1]), faces), dtype=np.int64)]
    ladders = [
        [round_rules(config, n, pal).bids if n else () for n in range(config.most_in_play + 1)] for pal in (False, True)
    ]
    sizes = np.array([[len(bids) for bids in row] for row in ladders])
    bids = [bid for row in ladders for ladder in row for bid in ladder]
    return Rules(
        dice=np.array(config.dice),
        mode=("single_round", "elimination", "best_of").index(config.mode),
        wins_needed=config.wins_needed,
        next_opener=("loser", "winner", "alternate").index(config.next_opener),
        dice_cap=config.dice_cap,
        exact_is_free=config.exact_payer == "nobody",
        palifico=config.palifico,
        most_turns=-1 if config.max_turns is None else config.max_turns,
        faces=faces,
        at_once=at_once,
        rolls=np.array([len(table) for table in tables]),
        roll_start=_starts([len(table) for table in tables]),
        hand_of_roll=np.concatenate(tables).astype(np.uint16),
        hand_start=_starts([len(hands) for hands in sets]),
        grown=np.concatenate(grown).astype(np.int32),
        matches=np.stack(
            [np.concatenate([hands.matches(config.wild_face(palifico=pal)) for hands in sets]) for pal in (False, True)]
        ).astype(np.int8),
        ladder_start=_starts(sizes.ravel().tolist()).reshape(sizes.shape),
        ladder_size=sizes,
        quantity=np.array([bid.quantity for bid in bids], dtype=np.int16),
        face=np.array([bid.face for bid in bids], dtype=np.int8),
    )


def _starts(sizes: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
