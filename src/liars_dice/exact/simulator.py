"""Games between memoryless agents at compiled speed: any number of players, every rule set."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from ..agents import Agent
from ..core import Action, ConfigError, GameConfig, Hands
from ..core.engine import agent_id
from ..core.rules import round_rules
from .hands import Ints, hand_set, number_of_hands
from .kernel import NEW_ROUND, Policies, Rules, play_games
from .matchups import OutOfReachError
from .mixes import MixArrays
from .policy import UNKNOWN, PolicyBook, PolicyTable
from .situation import CALLS_ONLY, Situation, dice_states, situations

MOST_CELLS = 100_000_000
"""More cells than this, of all tables together, are not held in memory."""
MOST_ROLLS = 1 << 16
"""Hands are looked up by their ordered roll up to so many rolls; more dice are added one by one."""
BLOCK = 1 << 17
"""So many games are played between looks at what is missing."""


@dataclass(frozen=True)
class Tally:
    """What came of some games."""

    winners: NDArray[np.int8]
    """Who won each game, by seat."""
    rounds: int
    actions: int

    def wins(self, seat: int) -> int:
        """How many games a seat won."""
        return int((self.winners == seat).sum())


@dataclass(frozen=True)
class TracedRound:
    """One round, move by move."""

    hands: Hands
    actions: tuple[int, ...]
    """Rungs, and at the end a call."""


class Simulator:
    """A table of memoryless agents, one a seat, ready to play any number of games.

    Game g of a seed is always the same game, however many are played, in whatever order, by however many workers.
    Agents that share a class's table are compiled once.
    """

    def __init__(self, agents: Sequence[Agent], config: GameConfig, *, workers: int | None = None) -> None:
        if len(agents) != config.num_players:
            raise ConfigError("agents", len(agents), f"{config.num_players}, one a seat")
        self.config = config.without_seed
        self.agents = list(agents)
        self._workers = workers or cpu_count() or 1
        self._situations = list(situations(self.config))
        _check_reach(agents, self.config, self._situations)
        distinct: dict[int, PolicyBook] = {}
        for agent in agents:
            distinct.setdefault(id(agent), PolicyBook(agent))
        self._books = list(distinct.values())
        self._policy_of_seat = [list(distinct).index(id(agent)) for agent in agents]
        self._rules = _rules_as_arrays(self.config)
        self._lay_out()

    # -- the tables, one behind the other ----------------------------------------------------------------------------

    def _lay_out(self) -> None:
        kinds = 2 * (self.config.faces + 2)
        most_own = max(own for own, _ in dice_states(self.config))
        most_other = max(other for _, other in dice_states(self.config))
        self._start: Ints = np.full((len(self._books), most_own + 1, most_other + 1, kinds), -1)
        self._tables: list[tuple[PolicyTable, int]] = []
        self._first: list[int] = []
        sizes = [_cells(situation) for situation in self._situations]
        self._cells: NDArray[np.int32] = np.empty(sum(sizes) * len(self._books), dtype=np.int32)
        at = 0
        for situation, size in zip(self._situations, sizes, strict=True):  # books inside: they share what they look up
            for policy, book in enumerate(self._books):
                table = book[situation]
                self._start[policy, situation.own, situation.other, _kind(situation)] = at
                self._cells[at : at + size] = table.cells.ravel()
                self._tables.append((table, policy))
                self._first.append(at)
                at += size
        self._own_mixes: list[int] = []
        self._join_mixes()

    def _join_mixes(self) -> None:
        """Put all agents' distributions into one list, and number the cells anew."""
        before = self._own_mixes or [0] * len(self._books)
        parts = [book.mixes.arrays() for book in self._books]
        counts = [len(part.size) for part in parts]
        self._own_mixes = [sum(counts[:i]) for i in range(len(parts))]
        entries = [sum(len(part.action) for part in parts[:i]) for i in range(len(parts))]
        self._mixes = MixArrays(
            np.concatenate([part.start + first for part, first in zip(parts, entries, strict=True)]).astype(np.int64),
            np.concatenate([part.size for part in parts]).astype(np.int64),
            *(np.concatenate([part[field] for part in parts]) for field in range(2, 6)),
        )
        ends = [*self._first[1:], len(self._cells)]
        for (_, policy), first, end in zip(self._tables, self._first, ends, strict=True):
            shift = self._own_mixes[policy] - before[policy]
            if shift:
                cells = self._cells[first:end]
                cells[(cells < 0) & (cells != UNKNOWN)] -= shift

    def _make(self, places: Ints) -> None:
        """Make the cells at these places, by asking the agents."""
        for place in places.tolist():
            table, policy = self._tables[at := bisect_right(self._first, place) - 1]
            hand, column = divmod(place - self._first[at], table.size + 1)
            cell = table.cell(hand, column - 1)
            assert cell != UNKNOWN, "no game leads to a cell that cannot be made"
            self._cells[place] = cell - self._own_mixes[policy] if cell < 0 else cell
        if any(len(book.mixes) for book in self._books):
            self._join_mixes()

    # -- playing -----------------------------------------------------------------------------------------------------

    def play(self, games: int, *, seed: int, first: int = 0) -> Tally:
        """Play games `first`, `first + 1`, ... of a seed."""
        winners = np.empty(games, dtype=np.int8)
        totals = np.zeros(2, dtype=np.int64)
        for start in range(0, games, BLOCK):
            block = np.arange(start, min(start + BLOCK, games))
            while block.size:
                needed = self._play(seed, block + first, winners, block, totals)
                if needed.max() < 0:
                    break
                self._make(np.unique(needed[needed >= 0]))
                block = block[needed >= 0]
        return Tally(winners, int(totals[0]), int(totals[1]))

    def _play(self, seed: int, games: Ints, winners: NDArray[np.int8], into: Ints, totals: Ints) -> Ints:
        """Play these games side by side; the cells that stopped some of them, or -1."""
        policies = Policies(np.array(self._policy_of_seat), self._start, self._cells, self._mixes)
        key = np.uint64(seed)
        no_trace = np.empty(0, dtype=np.int32)

        def part(numbers: Ints) -> tuple[NDArray[np.int8], Ints, Ints]:
            won = np.empty(numbers.size, dtype=np.int8)
            needed = np.empty(numbers.size, dtype=np.int64)
            counted = np.zeros(2, dtype=np.int64)
            play_games(self._rules, policies, key, numbers, UNKNOWN, won, needed, counted, no_trace)
            return won, needed, counted

        if self._workers == 1:
            parts = [part(games)]
        else:
            with ThreadPoolExecutor(self._workers) as pool:
                parts = list(pool.map(part, np.array_split(games, self._workers)))
        winners[into] = np.concatenate([won for won, _, _ in parts])
        totals += sum(counted for _, _, counted in parts)
        return np.concatenate([needed for _, needed, _ in parts])

    def trace(self, game: int, *, seed: int) -> tuple[int, list[TracedRound]]:
        """One game move by move, and who won it."""
        tally = self.play(1, seed=seed, first=game)
        room = tally.actions + tally.rounds * (self.config.num_players + 1)
        trace = np.empty(room, dtype=np.int32)
        policies = Policies(np.array(self._policy_of_seat), self._start, self._cells, self._mixes)
        won, needed, totals = np.empty(1, dtype=np.int8), np.empty(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
        play_games(self._rules, policies, np.uint64(seed), np.array([game]), UNKNOWN, won, needed, totals, trace)
        return int(won[0]), self._read(trace.tolist())

    def _read(self, trace: list[int]) -> list[TracedRound]:
        """The rounds of a trace; dice counts follow from the rounds before, as the rules say."""
        from ..core.transition import apply, deal, new_game

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
    """The number of a kind of situation: the limit on raises, apart for palifico rounds."""
    faces = situation.rules.config.faces
    limit = faces + 1 if situation.limit == CALLS_ONLY else situation.limit
    return limit + (faces + 2) * situation.rules.palifico


def _cells(situation: Situation) -> int:
    hands = number_of_hands(situation.own, situation.rules.config.faces)
    return hands * (len(situation.rules.ladder) + 1)


def _check_reach(agents: Sequence[Agent], config: GameConfig, every: list[Situation]) -> None:
    for agent in agents:
        if not getattr(agent, "memoryless", False):
            raise OutOfReachError(
                f"{agent_id(agent)} is not memoryless, so the compiled simulator cannot play it; the engine can"
            )
    cells = len({id(agent) for agent in agents}) * sum(map(_cells, every))
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
    ladders = [[round_rules(config, n, pal).bids if n else () for n in range(config.total_dice + 1)] for pal in (False, True)]
    sizes = np.array([[len(bids) for bids in row] for row in ladders])
    bids = [bid for row in ladders for ladder in row for bid in ladder]
    return Rules(
        dice=np.array(config.dice),
        mode=("single_round", "elimination", "best_of").index(config.mode),
        wins_needed=config.wins_needed,
        next_opener=("loser", "winner", "alternate").index(config.next_opener),
        dice_cap=config.dice_cap,
        palifico=config.palifico,
        most_turns=-1 if config.max_turns is None else config.max_turns,
        faces=faces,
        at_once=at_once,
        rolls=np.array([len(table) for table in tables]),
        roll_start=_starts([len(table) for table in tables]),
        hand_of_roll=np.concatenate(tables).astype(np.int32),
        hand_start=_starts([len(hands) for hands in sets]),
        grown=np.concatenate(grown).astype(np.int32),
        matches=np.stack(
            [
                np.concatenate([hands.matches(config.wild_face(palifico=pal)) for hands in sets])
                for pal in (False, True)
            ]
        ).astype(np.int8),
        ladder_start=_starts(sizes.ravel().tolist()).reshape(sizes.shape),
        ladder_size=sizes,
        quantity=np.array([bid.quantity for bid in bids], dtype=np.int16),
        face=np.array([bid.face for bid in bids], dtype=np.int8),
    )


def _starts(sizes: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
