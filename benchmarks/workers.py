"""What a second worker brings, and what scheduling costs on a cluster with twenty processors.

- efficiency: how much of a second worker arrives, in refereed games, with processes and with Ray; bots that wait
  depend less on what else this machine computes, and play so few games that a worker which is left without work, while
  the other plays the last block, would cost much of it;
- twenty declared processors on this machine: the processor time that a cluster of twenty workers uses for some games,
  compared with twenty plain processes that share the same games without any scheduling. A single turn may be off by a
  tenth, so eleven turns are added up. (One process is no measure: twenty on a few cores drive each other out of the
  caches, whatever starts them; that ratio is printed, too. The cluster is up in all cases, so what its processes use
  while they wait counts in all of them.)
- the same cluster with bots that wait instead of compute, which keeps twenty workers busy on any machine: the time for
  twenty times the games, compared with the games of one worker. Other people's bots have processes of their own on Ray,
  which each worker starts with its first work of a run. On two cores that takes a second or two, as twenty start at
  once. The same ratio without these starts, of the games alone, is printed, too.

The load is printed first. On a busy machine (a load above its number of cores), figures vary by a quarter from run to
run; measure again on a quiet one.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path

import ray

from figures import figure
from liars_dice.core import preset
from liars_dice.referee.sandbox import descendants
from liars_dice.tournament import ray_backend
from liars_dice.tournament.backends import Backend, InProcess, Processes
from liars_dice.tournament.blocks import Block
from liars_dice.tournament.chunks import ChunkQueue
from liars_dice.tournament.ray_backend import Ray
from liars_dice.tournament.result import TournamentSettings
from liars_dice.tournament.runner import run_tournament

GAMES = 8_000
WAITING_GAMES = 60
DECLARED = 20
TURNS = 11
WAITING = """
import time
from liars_dice.agents import Agent

class Waiting(Agent):
    def choose_action(self, view):
        time.sleep(0.4)
        return view.legal_actions[-1 if view.current_bid else 0]
"""


class GameTimes(ChunkQueue):
    """Adds up how long the games on Ray took, without starting bots for them."""

    seconds = 0.0

    def learn(self, chunk: Sequence[Block], seconds: float) -> None:
        """Note how long the games of a chunk took."""
        GameTimes.seconds += seconds
        super().learn(chunk, seconds)


def play(backend: Backend, games: int, *agents: str, dice: int = 5) -> None:
    """Play a pairing by the referee."""
    run_tournament(
        TournamentSettings(
            kind="round-robin",
            agents=agents,
            rules="heads-up",
            config=preset("heads-up", dice=dice).to_dict(),
            seed=1,
            games=games,
            record="none",
        ),
        backend=backend,
    )


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def processor_time(work: Callable[[], object]) -> float:
    """Seconds that this process and all those below it compute (on Linux)."""

    def used() -> dict[int, int]:
        ticks = {}
        for pid in (os.getpid(), *descendants(os.getpid())):
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            ticks[pid] = int(fields[11]) + int(fields[12])
        return ticks

    before = used()
    work()
    return sum(ticks - before.get(pid, 0) for pid, ticks in used().items()) / os.sysconf("SC_CLK_TCK")


def efficiency(what: str, one: Backend, two: Backend, games: int, *agents: str, dice: int = 5) -> None:
    """One worker and two, in turns."""
    play(two, games // 10, *agents, dice=dice)  # start what has to be started
    ratios = []
    for _ in range(3):
        alone = timed(lambda: play(one, games, *agents, dice=dice))
        both = timed(lambda: play(two, games, *agents, dice=dice))
        ratios.append(alone / (2 * both))
    figure(f"efficiency of two {what}, {games:,} games", statistics.median(ratios), least=0.9)
    print(f"  each time: {', '.join(f'{ratio:.2f}' for ratio in ratios)}", flush=True)


class PlainProcesses:
    """Processes that each play a share of the games, and nobody schedules."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._gate = context.Barrier(count + 1)
        self._processes = [context.Process(target=self._serve, args=(self._gate, count)) for _ in range(count)]
        for process in self._processes:
            process.start()
        self.play()  # as the others: everything is started, and every cache filled, before time counts

    def play(self) -> None:
        """Let all of them play, and wait for the last."""
        self._gate.wait()
        self._gate.wait()

    def stop(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.kill()
            process.join()

    @staticmethod
    def _serve(gate: Barrier, count: int) -> None:
        while True:
            gate.wait()
            play(InProcess(1), GAMES // count, "detective", "optimal")
            gate.wait()


def twenty_processors(bot: str) -> None:
    """A cluster on this machine with more processors than it has."""
    backend = Ray()
    play(backend, GAMES, "detective", "optimal")  # start all workers
    assert backend.workers == DECLARED
    plain = PlainProcesses(DECLARED)
    alone: list[float] = []
    beside: list[float] = []
    cluster: list[float] = []
    for turn in range(TURNS):
        if turn % 4 == 0:
            alone.append(processor_time(lambda: play(InProcess(1), GAMES, "detective", "optimal")))
        both = [(beside, plain.play), (cluster, lambda: play(backend, GAMES, "detective", "optimal"))]
        for times, work in both if turn % 2 else reversed(both):
            times.append(processor_time(work))
    plain.stop()
    what = f"processor time of {DECLARED} workers on Ray compared with {DECLARED} plain processes, {GAMES:,} games"
    figure(what, sum(cluster) / sum(beside), "times", most=1.05)
    print(f"  each time: {', '.join(f'{one / other:.3f}' for one, other in zip(cluster, beside, strict=True))}")
    overfull = statistics.mean(beside) / statistics.mean(alone)
    print(f"  {DECLARED} plain processes compared with one: {overfull:.3f} times", flush=True)
    ratios, of_games = [], []
    for _ in range(3):
        begun = GameTimes.seconds
        one = timed(lambda: play(Ray(1), WAITING_GAMES, bot, "conservative", dice=1))
        games_alone = GameTimes.seconds - begun
        twenty = timed(lambda: play(backend, WAITING_GAMES * DECLARED, bot, "conservative", dice=1))
        ratios.append(twenty / one)
        of_games.append((GameTimes.seconds - begun - games_alone) / DECLARED / games_alone)
    what = f"time of {DECLARED} workers for {DECLARED} times the games of one, bots that wait"
    figure(what, statistics.median(ratios), "times", most=1.05)
    print(f"  each time: {', '.join(f'{ratio:.3f}' for ratio in ratios)}")
    figure(f"{what}, without starting the bots", statistics.median(of_games), "times", most=1.05)
    print(f"  each time: {', '.join(f'{ratio:.3f}' for ratio in of_games)}", flush=True)


def main() -> None:
    """Measure and print."""
    vars(ray_backend)["ChunkQueue"] = GameTimes
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        bot = str(Path(folder) / "waiting.py")
        Path(bot).write_text(WAITING, encoding="utf-8")
        efficiency("processes", Processes(1), Processes(2), GAMES, "detective", "optimal")
        waiting = (WAITING_GAMES, bot, "conservative")
        efficiency("processes, bots that wait", Processes(1), Processes(2), *waiting, dice=1)
        ray.init(
            address="local",
            num_cpus=DECLARED,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
        efficiency("workers on Ray", Ray(1), Ray(2), GAMES, "detective", "optimal")
        efficiency("workers on Ray, bots that wait", Ray(1), Ray(2), *waiting, dice=1)
        twenty_processors(bot)
        ray.shutdown()


if __name__ == "__main__":
    main()
