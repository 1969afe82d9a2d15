"""Backends: blocks are played in this process, in a pool of processes, or on a cluster (`ray_backend`), with the same
results.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Self

import msgspec

from ..agents import PolicyError, is_stranger
from ..core import BadValueError, one_of
from .blocks import Block, OnPlayed, PlayedBlock, Worker, WorkerSetup
from .chunks import ChunkQueue
from .waiting_games import by_waiting, play_while_waiting
from .worker_process import PlayedChunk, WorkerLostError, WorkerProcess

STOP_SECONDS = 2.0
"""After Ctrl-C, work in progress gets this long to finish."""
LOOK_SECONDS = 1.0
"""How often the pool looks for processes that are stuck."""
FEW_GAMES = 200
"""For this many games or fewer, starting processes is not worthwhile."""


class Backend(ABC):
    """A way to play blocks."""

    name: str
    workers: int

    def __enter__(self) -> Self:
        """Keep what several runs can share until the end of the `with` block: the connection to a cluster."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of it."""

    @abstractmethod
    def run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        """Play all blocks. On Ctrl-C, hand over what is finished and raise `KeyboardInterrupt`."""


class InProcess(Backend):
    """Plays blocks one after another in this process; compiled games use one thread per worker."""

    name = "processes"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        """Play all blocks here."""
        worker = Worker(setup, threads=self.workers)
        waiting, quick = by_waiting(setup, blocks)
        for block in quick:
            on_played(worker.play(block))
        play_while_waiting(setup, waiting, on_played)


class Processes(Backend):
    """Plays refereed games in a pool of processes. Compiled games stay here, where their threads use all cores."""

    name = "processes"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        """Play compiled blocks here and refereed ones in a pool, if there are enough of them."""
        waiting, blocks = by_waiting(setup, blocks)
        if waiting:
            play_while_waiting(setup, waiting, on_played)
        refereed = [block for block in blocks if not block.compiled]
        many = self.workers > 1 and sum(block.games for block in refereed) > FEW_GAMES
        if not (many or any(map(is_stranger, setup.agents))):
            InProcess(self.workers).run(setup, blocks, on_played)
            return
        worker = Worker(setup, threads=self.workers)
        why: dict[int, str] = {}
        for block in (block for block in blocks if block.compiled):
            try:
                played = worker.play_compiled(block)
            except PolicyError as error:  # someone else's bot is not what it says: it may not run here
                why[block.number] = str(error)
                refereed.append(msgspec.structs.replace(block, compiled=False))
            else:
                on_played(played)

        def on_refereed(played: PlayedBlock) -> None:
            played[0].why = why.get(played[0].number, "")
            on_played(played)

        if refereed:
            _Pool(setup, self.workers).run(refereed, on_refereed)


class _Pool:
    """One run of a pool of processes. Each has a thread here that waits for its answers."""

    def __init__(self, setup: WorkerSetup, workers: int) -> None:
        self._setup = setup
        self._workers = workers
        self._lock = threading.Lock()
        self._stopped = False
        self._all: list[WorkerProcess] = []
        self._idle: list[WorkerProcess] = []

    def run(self, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        queue = ChunkQueue(self._setup, blocks)
        running: dict[Future[PlayedChunk], list[Block]] = {}
        threads = ThreadPoolExecutor(self._workers, initializer=_block_ctrl_c)
        finished = False
        try:
            while queue or running:
                while queue and len(running) < self._workers + 1:
                    chunk = queue.take(self._workers)
                    running[threads.submit(self._play, chunk)] = chunk
                done, _ = wait(running, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
                for worker in self._all:
                    worker.end_if_stuck()
                for future in done:
                    chunk = running.pop(future)
                    if isinstance(future.exception(), WorkerLostError):
                        queue.worker_died(chunk)
                        continue
                    played, seconds = future.result()
                    queue.learn(chunk, seconds)
                    for one in played:
                        on_played(one)
            for worker in self._idle:
                worker.finish()
            finished = True
        except KeyboardInterrupt:
            begun = [future for future in running if not future.cancel()]
            for future in wait(begun, timeout=STOP_SECONDS).done:
                if future.exception() is None:
                    for one in future.result()[0]:
                        on_played(one)
            raise
        finally:
            if not finished:
                self._kill()
            threads.shutdown(wait=True, cancel_futures=True)
            deadline = time.monotonic() + STOP_SECONDS
            for worker in self._all:
                worker.close(max(0.0, deadline - time.monotonic()))

    def _play(self, chunk: list[Block]) -> PlayedChunk:
        """Play a chunk in an idle process, or in a new one; on a thread of the pool."""
        worker = self._take_worker()
        try:
            answer = worker.play(chunk)
        except WorkerLostError:
            worker.kill()  # it may have closed its output and live on
            raise
        self._idle.append(worker)
        return answer

    def _take_worker(self) -> WorkerProcess:
        with self._lock:
            if self._stopped:
                raise WorkerLostError
            if self._idle:
                return self._idle.pop()
            worker = WorkerProcess(self._setup)
            self._all.append(worker)
            return worker

    def _kill(self) -> None:
        with self._lock:
            self._stopped = True
            for worker in self._all:
                worker.kill()


def _block_ctrl_c() -> None:
    """Block SIGINT in this thread, and thereby in the processes that it starts."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def make_backend(name: str = "processes", workers: int | None = None) -> Backend:
    """Create a backend by name: `processes`, `ray`, or `ray://HOST:PORT`."""
    if name == "processes":
        return Processes(workers)
    from .ray_backend import Ray

    if name == "ray":
        return Ray(workers, os.environ.get("RAY_ADDRESS"))
    if name.startswith("ray://"):
        return Ray(workers, name)
    raise BadValueError("backend", name, one_of(name, ("processes", "ray", "ray://HOST:PORT")))
