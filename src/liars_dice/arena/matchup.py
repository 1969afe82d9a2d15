"""Two agents against each other, by the fastest honest method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..agents import Agent
from ..core import ConfigError, GameConfig
from ..core.dice import derive_seed
from ..exact import Matchups, OutOfReachError, PolicyError, Simulator
from .limits import Limits
from .methods import GAMES, Method, Progress, all_known, is_quick, load_agents, tables_guard
from .referee import Referee
from .stats import PairCounts, paired_ci
from .tables import make_seat

Truths = NDArray[np.bool_]
CHUNK = 1 << 16
"""So many pairs of compiled games are played between reports of progress."""


class FinalDice(msgspec.Struct, frozen=True):
    """How probable it is that a match ends with these numbers of dice."""

    a: int
    b: int
    probability: float


class Matchup(msgspec.Struct, frozen=True, kw_only=True):
    """How A fares against B. Rates are A's; `first` is A in seat 0, which opens the first round."""

    a: str
    b: str
    method: Method
    why: str = ""
    """Why it was not found out in a better way."""
    win_rate: float
    win_rate_first: float
    win_rate_second: float
    games: int | None = None
    ci95: tuple[float, float] | None = None
    round_first: float | None = None
    """A's chance to win a round when it opens, with the dice the seats start with."""
    round_second: float | None = None
    expected_rounds: float
    final_dice: tuple[FinalDice, ...] = ()
    faults: int = 0
    """What the bots did wrong, in games that were played by the engine."""
    complete: bool = True
    """Whether all games were played that were asked for."""


@dataclass
class Played:
    """Pairs of games between A and B with the same dice, A in seat 0 in the first and in seat 1 in the second."""

    counts: PairCounts
    wins_first: int = 0
    wins_second: int = 0
    rounds: int = 0
    faults: int = 0

    def add(self, first: Truths, second: Truths, rounds: int, faults: int = 0) -> None:
        """Some more pairs: whether A won, in each game of both kinds."""
        both = first.astype(np.int64) + second
        self.counts += PairCounts(*(int((both == wins).sum()) for wins in (0, 1, 2)))
        self.wins_first += int(first.sum())
        self.wins_second += int(second.sum())
        self.rounds += rounds
        self.faults += faults


def matchup(
    a: str,
    b: str,
    config: GameConfig,
    *,
    exact: bool = False,
    games: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Matchup:
    """How A fares against B: `exact` insists on the exact method, `games` on playing."""
    limits = Limits() if limits is None else limits
    if config.num_players != 2:
        raise ConfigError("players", config.num_players, "2: a match-up is between two")
    if games is not None and (games < 2 or games % 2):
        raise ConfigError("games", games, "an even number from 2 up: half of them for each seating")
    names = (a, b)
    agents = load_agents(names, limits)
    why = ""
    if games is None:
        try:
            return _exactly(names, all_known(names, agents), config, exact, limits, workers)
        except (OutOfReachError, PolicyError) as error:
            if exact:
                raise
            why = str(error)
    try:
        simulator = Simulator(all_known(names, agents), config, workers=workers, guard=tables_guard(limits))
        pairs = (games or GAMES["compiled"]) // 2
        return _summary(names, "compiled", why, play_compiled(simulator, (0, 1), pairs, seed, progress), pairs)
    except (OutOfReachError, PolicyError) as error:
        why = why or str(error)
    pairs = (games or GAMES["engine"]) // 2
    return _summary(names, "engine", why, play_engine(names, config, pairs, seed, limits, progress), pairs)


def _exactly(
    names: tuple[str, str], agents: list[Agent], config: GameConfig, insist: bool, limits: Limits, workers: int | None
) -> Matchup:
    if not insist and not is_quick(agents, config):
        raise OutOfReachError("the exact method would take more than a minute (insist with --exact)")
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


def _summary(names: tuple[str, str], method: Method, why: str, played: Played, asked: int) -> Matchup:
    pairs = played.counts.pairs
    if not pairs:
        raise KeyboardInterrupt
    return Matchup(
        a=names[0],
        b=names[1],
        method=method,
        why=why,
        win_rate=played.counts.win_rate,
        win_rate_first=played.wins_first / pairs,
        win_rate_second=played.wins_second / pairs,
        games=2 * pairs,
        ci95=paired_ci(played.counts),
        expected_rounds=played.rounds / (2 * pairs),
        faults=played.faults,
        complete=pairs == asked,
    )


def play_compiled(
    simulator: Simulator, agents: tuple[int, int], pairs: int, seed: int, progress: Progress | None = None
) -> Played:
    """So many pairs of games between two agents of the simulator's field. Ctrl-C keeps what was played."""
    played = Played(PairCounts())
    for start, size in _chunks(pairs, CHUNK):
        try:
            one = simulator.play(size, seed=seed, seats=agents, first=start)
            two = simulator.play(size, seed=seed, seats=agents[::-1], first=start)
        except KeyboardInterrupt:
            break
        played.add(one.winners == 0, two.winners == 1, one.rounds + two.rounds)
        if progress is not None:
            progress(2 * (start + size), 2 * pairs)
    return played


def play_engine(
    names: tuple[str, str],
    config: GameConfig,
    pairs: int,
    seed: int,
    limits: Limits,
    progress: Progress | None = None,
) -> Played:
    """So many pairs of games through the Python engine, refereed. Ctrl-C keeps what was played."""
    played = Played(PairCounts())
    seats = [make_seat(name, limits) for name in names]
    for number in range(pairs):
        dice = derive_seed(seed, "game", number)
        try:
            one = Referee(seats, config, seed=dice, limits=limits).play()
            two = Referee(seats[::-1], config, seed=dice, limits=limits).play()
        except KeyboardInterrupt:
            break
        rounds = sum(len(result.game.resolutions) for result in (one, two) if result.game is not None)
        faults = len(one.faults) + len(two.faults)
        played.add(np.array([one.winner == 0]), np.array([two.winner == 1]), rounds, faults)
        if progress is not None:
            progress(2 * (number + 1), 2 * pairs)
    return played


def _chunks(total: int, size: int) -> Iterator[tuple[int, int]]:
    return ((start, min(size, total - start)) for start in range(0, total, size))
