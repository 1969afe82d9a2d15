"""Who beats whom, and by how much, computed without playing a game."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...agents import Agent, AgentLike, AskedElsewhere, Guard, as_agent, unguarded
from ...core import GameConfig, RulesLike, agent_id, as_config, round_rules
from ...numeric import Floats
from ..errors import OutOfReachError
from ..tables import (
    MOST_CELLS,
    PolicyBook,
    cells_needed,
    check_own_dice_only,
    count_rungs,
    dice_states,
    number_of_hands,
    situations,
)
from .exact_round import OPENER_EXACT, OTHER_LOSES, StackedTables, round_outcomes
from .match_chain import MatchOdds, chain_rounds

SECONDS_PER_STEP = 1e-9
"""About how long one step of following a pair of hands takes."""
SECONDS_PER_CELL = 3e-8
"""About how long a cell of a built-in bot's table takes."""
SECONDS_PER_WIN = 1.5e-7
"""About how long a step of a long best-of match takes."""
LONGEST = 3600.0
"""Work that would take more seconds than this is refused."""


class Matchups:
    """Every agent against every other, in both seats. Indices are those of `agents`.

    >>> from liars_dice.core import preset
    >>> pair = Matchups(["optimal", "maniac"], preset("heads-up", dice=1))
    >>> round(float(pair.match.win[0, 1]), 4), round(float(pair.match.win[1, 0]), 4)
    (0.6944, 0.1389)
    """

    def __init__(
        self,
        agents: Sequence[AgentLike],
        config: RulesLike,
        *,
        workers: int | None = None,
        guard: Guard = unguarded,
    ) -> None:
        config = as_config(config, players=2)
        self.agents = [as_agent(agent) for agent in agents]
        matchup_seconds(self.agents, config, guard)
        self.config = config.without_seed
        self._books = [PolicyBook(agent, guard) for agent in self.agents]
        self._workers = workers
        self._meets: NDArray[np.bool_] = ~np.eye(len(agents), dtype=bool)
        self.round_outcomes = cache(self._round_outcomes)
        self._tables = cache(self._make_tables)
        self.match: MatchOdds = chain_rounds(self.config, self._seated)
        """[i, j] is agent i in seat 0 against agent j in seat 1; NaN for an agent against itself."""
        for numbers in (self.match.win, self.match.rounds, *self.match.final.values()):
            np.fill_diagonal(numbers, np.nan)

    def round_win(self, opener_dice: int, other_dice: int) -> Floats:
        """[i, j]: the chance that agent i, who opens with `opener_dice`, wins a round against agent j."""
        outcomes = self.round_outcomes(opener_dice, other_dice)
        won: Floats = outcomes[..., OTHER_LOSES] + outcomes[..., OPENER_EXACT]
        return won

    def _seated(self, dice: tuple[int, int], opener: int) -> Floats:
        """The outcomes of a round with [i, j] for seats 0 and 1."""
        if opener == 0:
            return self.round_outcomes(dice[0], dice[1])
        return np.swapaxes(self.round_outcomes(dice[1], dice[0]), 0, 1)

    def _round_outcomes(self, opener_dice: int, other_dice: int) -> Floats:
        openers, others = self._tables(opener_dice, other_dice), self._tables(other_dice, opener_dice)
        rules = round_rules(self.config, opener_dice + other_dice, False)
        return round_outcomes(openers, others, rules, self._meets, self._workers)

    def _make_tables(self, own: int, other: int) -> StackedTables:
        return StackedTables(self._books, round_rules(self.config, own + other, False), own)


def matchup_seconds(agents: Sequence[Agent], config: GameConfig, guard: Guard = unguarded) -> float:
    """About how long the exact method takes for these agents and rules; `OutOfReachError` if it cannot answer, or not
    in sensible time.
    """
    if config.num_players != 2:
        raise OutOfReachError(
            f"{config.num_players} players: the exact method is for two; "
            "the compiled simulator plays with any number (--games N)"
        )
    for agent in agents:
        if not getattr(agent, "memoryless", False):
            raise OutOfReachError(
                f"{agent_id(agent)} does not declare `memoryless`, so there is no table of what it does to compute "
                "with; play games instead (--games N)"
            )
    check_own_dice_only(config)
    cells, seconds = _work(agents, config, guard)
    if cells > MOST_CELLS or seconds > LONGEST:
        raise OutOfReachError(
            f"dice {config.dice} with {config.faces} faces: the exact method would need tables of {cells:,} cells and "
            f"about {seconds:,.0f} seconds; play games instead (--games N)"
        )
    return seconds


def _work(agents: Sequence[Agent], config: GameConfig, guard: Guard) -> tuple[int, float]:
    """How many cells all tables have together, and about how many seconds all the work takes."""
    states = dice_states(config)
    hands = {dice: number_of_hands(dice, config.faces) for state in states for dice in state}
    cells = cells_needed(config)
    books = [PolicyBook(agent, guard) for agent in agents]
    seconds = sum(cells * (SECONDS_PER_CELL if book.is_vectorised else 2 * _question(book, config)) for book in books)
    seconds += (config.wins_needed * len(agents)) ** 2 * SECONDS_PER_WIN
    mixing = sum(not book.is_deterministic for book in books)
    pairs = mixing * (2 * len(books) - mixing - 1)
    steps = sum(hands[own] * hands[other] * count_rungs(config, own + other) ** 2 // 2 for own, other in states)
    turns = 1 if config.max_turns is None else min(config.max_turns, count_rungs(config, config.total_dice))
    return cells * len(books), seconds + pairs * steps * turns * SECONDS_PER_STEP


def _question(book: PolicyBook, config: GameConfig) -> float:
    """How long an agent takes to answer a question: the shortest time of a few, as a busy machine only adds to it."""
    situation = next(situations(config))
    table = book[situation]
    agent = book.agent

    def clock() -> float:
        """The time that counts: of an agent in another process, its own, without the way there and back."""
        return agent.thought if isinstance(agent, AskedElsewhere) else time.perf_counter()

    seconds = []
    for hand in range(min(5, len(table.hands))):
        start = clock()
        table.fill([(hand, -1)])
        seconds.append((clock() - start) / 2)  # each is asked twice
    return min(seconds)
