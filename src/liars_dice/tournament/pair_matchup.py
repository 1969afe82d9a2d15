"""Measure one agent against another, in both seats, by the most exact method that is fast enough."""

from __future__ import annotations

import warnings

import msgspec

from ..agents import Agent, AgentLike, AgentStoppedError, asks_network, names_for
from ..core import BadValueError, ConfigError, GameConfig, Progress, RulesLike, as_config
from ..exact import OutOfReachError, askable
from ..exact.matchups import Matchups
from ..exact.tables import PolicyError
from ..referee import BotLimits, limits_for, load_agents, tables_guard
from .backends import Backend, InProcess, Processes
from .blocks import Block, BlockResult, PlayedBlock, WorkerSetup, all_examples, refereed_block_deals
from .fault_examples import FaultExample
from .method_choice import DEFAULT_GAMES, Lifetimes, Method, exact_is_quick, fit_for_simulator, lifetimes, why_refereed
from .statistics import PairCounts, paired_ci
from .waiting_games import DEALS_BY_DEFAULT, WAITING_BLOCK_DEALS

BLOCK_DEALS = {True: 1 << 16, False: 20}
"""Most deals per block, for compiled and for refereed games (`refereed_block_deals`). Progress is reported after each
block."""


class FinalDice(msgspec.Struct, frozen=True):
    """The probability that a match ends with A holding `a` dice and B holding `b`."""

    a: int
    b: int
    probability: float


class Matchup(msgspec.Struct, frozen=True, kw_only=True):
    """How A does against B. All rates are A's; `first` means A in seat 0, which opens the first round."""

    a: str
    b: str
    method: Method
    why: str = ""
    """Why a more exact method was not used; empty if it was."""
    win_rate: float
    win_rate_first: float
    win_rate_second: float
    games: int | None = None
    ci95: tuple[float, float] | None = None
    round_first: float | None = None
    """A's chance of winning a round that it opens, with the dice each seat starts with."""
    round_second: float | None = None
    expected_rounds: float
    final_dice: tuple[FinalDice, ...] = ()
    faults: int = 0
    """How many faults the bots committed in refereed games."""
    fault_examples: tuple[FaultExample, ...] = ()
    """The first few different faults of each bot, in words."""
    complete: bool = True
    """Whether all requested games were played."""
    ordered: tuple[str, ...] = ()
    """Agents that learn between games: one instance of each played all games, in order."""
    anew: tuple[str, ...] = ()
    """Agents that may want to learn, but began anew in every game: they ran in boxes, or are programs."""

    def __repr__(self) -> str:
        how = self.method if self.games is None else f"{self.method}, {self.games:,} games"
        return f"<Matchup: {self.a} wins {self.win_rate:.1%} against {self.b} ({how})>"


def matchup(
    a: AgentLike,
    b: AgentLike,
    config: RulesLike | None = None,
    *,
    exact: bool = False,
    games: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    limits: BotLimits | None = None,
    time_limit_seconds: float | None = None,
    progress: Progress | None = None,
) -> Matchup:
    """Measure A against B. `exact` requires the exact method; `games` requires that many games to be played.

    Agents given as objects or classes play in this process; agents given by name may play in several. A bot has
    `time_limit_seconds` for a decision (default: 1) and twice that for `on_game_end`; `limits` sets all its limits.
    """
    config = as_config(config, players=2)
    limits = limits_for(time_limit_seconds, limits)
    if config.num_players != 2:
        raise ConfigError("players", config.num_players, "2: a match-up has two players")
    if games is not None and (games < 2 or games % 2):
        raise BadValueError("games", games, "an even number of at least 2: half of the games for each seating")
    with names_for((a, b)) as (first, second):
        here = not (isinstance(a, str) and isinstance(b, str))
        backend = InProcess(workers) if here else Processes(workers)
        return _measure((first, second), config, exact, games, seed, limits, backend, progress)


def _measure(
    names: tuple[str, str],
    config: GameConfig,
    exact: bool,
    games: int | None,
    seed: int,
    limits: BotLimits,
    backend: Backend,
    progress: Progress | None,
) -> Matchup:
    """Compute the result exactly if that is wanted and possible, else play games."""
    agents = load_agents(names, limits, config, plays=not exact)
    why, trusted = "", True
    if games is None:
        try:
            return _exactly(names, askable(names, agents), config, exact, limits, backend.workers)
        except (OutOfReachError, PolicyError) as error:
            if exact:
                raise
            why = str(error)
            trusted = isinstance(error, OutOfReachError)  # a bot whose table cannot be built is refereed
    compiled = all(fit_for_simulator(agents, config, trusted=trusted))
    usual = DEFAULT_GAMES["compiled" if compiled else "engine"]
    usual = 2 * DEALS_BY_DEFAULT if any(map(asks_network, names)) else usual
    deals = (games or usual) // 2
    why = why_refereed(names, agents, config) or why
    return _played(names, config, deals, seed, compiled, why, lifetimes(names, agents), limits, backend, progress)


def _exactly(
    names: tuple[str, str],
    agents: list[Agent],
    config: GameConfig,
    insist: bool,
    limits: BotLimits,
    workers: int | None,
) -> Matchup:
    if not insist and not exact_is_quick(agents, config, limits):
        raise OutOfReachError("the exact method would take more than a minute (use --exact to run it anyway)")
    grid = Matchups(agents, config, workers=workers, guard=tables_guard(limits))
    match, (opener, other) = grid.match, config.dice
    first, second = float(match.win[0, 1]), 1 - float(match.win[1, 0])
    final: dict[tuple[int, int], float] = {}
    for (dice0, dice1), chance in match.final.items():
        final[dice0, dice1] = final.get((dice0, dice1), 0.0) + float(chance[0, 1]) / 2
        final[dice1, dice0] = final.get((dice1, dice0), 0.0) + float(chance[1, 0]) / 2
    return Matchup(
        a=names[0],
        b=names[1],
        method="exact",
        win_rate=(first + second) / 2,
        win_rate_first=first,
        win_rate_second=second,
        round_first=float(grid.round_win(opener, other)[0, 1]),
        round_second=1 - float(grid.round_win(opener, other)[1, 0]),
        expected_rounds=float(match.rounds[0, 1] + match.rounds[1, 0]) / 2,
        final_dice=tuple(FinalDice(*dice, chance) for dice, chance in sorted(final.items())),
    )


def _played(
    names: tuple[str, str],
    config: GameConfig,
    deals: int,
    seed: int,
    compiled: bool,
    why: str,
    lives: Lifetimes,
    limits: BotLimits,
    backend: Backend,
    progress: Progress | None,
) -> Matchup:
    """Play that many deals in both seatings. On Ctrl-C, or if an agent stops, return the result of the games played so
    far, if any.
    """
    size = BLOCK_DEALS[compiled] if compiled else refereed_block_deals(deals, most=BLOCK_DEALS[compiled])
    if any(map(asks_network, names)):
        size = WAITING_BLOCK_DEALS
    blocks = [
        Block(
            number=number,
            table=(0, 1),
            seed=seed,
            first=first,
            deals=min(size, deals - first),
            rotations=2,
            compiled=compiled,
            ordered=any(lives.learns),
        )
        for number, first in enumerate(range(0, deals, size))
    ]
    results: list[BlockResult] = []

    def on_played(played: PlayedBlock) -> None:
        results.append(played[0])
        if progress is not None:
            progress(sum(result.games for result in results), 2 * deals)

    try:
        backend.run(WorkerSetup(agents=names, config=config, limits=limits), blocks, on_played)
    except KeyboardInterrupt:
        if not results:
            raise
    except AgentStoppedError as error:
        if not results:
            raise
        warnings.warn(str(error), stacklevel=2)
    counts = sum((PairCounts(*result.pairs) for result in results), start=PairCounts())
    played = 2 * counts.pairs
    return Matchup(
        a=names[0],
        b=names[1],
        method="compiled" if all(result.compiled for result in results) else "engine",
        why=why or next((result.why for result in results if result.why), ""),
        win_rate=counts.win_rate,
        win_rate_first=2 * sum(result.wins[0][0] for result in results) / played,
        win_rate_second=2 * sum(result.wins[1][1] for result in results) / played,
        games=played,
        ci95=paired_ci(counts),
        expected_rounds=sum(result.rounds for result in results) / played,
        faults=sum(number for result in results for _, _, number in result.faults),
        fault_examples=all_examples(results),
        complete=counts.pairs == deals,
        ordered=tuple(name for name, learns in zip(names, lives.learns, strict=True) if learns),
        anew=tuple(name for name, anew in zip(names, lives.anew, strict=True) if anew),
    )
