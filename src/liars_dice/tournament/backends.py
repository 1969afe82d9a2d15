"""Backends: blocks are played in this process, in a pool of processes, or on a Ray cluster, with the same results."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from ..core import BadValueError, one_of
from ..referee import are_strangers
from .blocks import Block, PlayedBlock, Worker, WorkerSetup
from .worker_process import PlayedChunk, WorkerDiedError, WorkerLostError, WorkerProcess, play_chunk

CHUNK_SECONDS = 1.0
"""Workers get at least this much work at a time."""
TRIES = 3
"""A block whose worker dies is given to another worker; the third death is an error."""

STOP_SECONDS = 2.0
"""After Ctrl-C, work in progress gets this long to finish."""
FEW_GAMES = 200
"""For this many games or fewer, starting processes is not worthwhile."""

OnPlayed = Callable[[PlayedBlock], None]
"""Called with every block played, in any order."""


class Backend(ABC):
    """A way to play blocks."""

    name: str
    workers: int

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
        for block in blocks:
            on_played(worker.play(block))


class Processes(Backend):
    """Plays refereed games in a pool of processes. Compiled games stay here, where their threads use all cores."""

    name = "processes"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        """Play compiled blocks here and refereed ones in a pool, if there are enough of them."""
        refereed = [block for block in blocks if not block.compiled]
        many = self.workers > 1 and sum(block.games for block in refereed) > FEW_GAMES
        pooled = bool(refereed) and (many or are_strangers(setup.agents))  # someone else's bot may kill its process
        InProcess(self.workers).run(setup, [b for b in blocks if b.compiled] if pooled else blocks, on_played)
        if pooled:
            _Pool(setup, self.workers).run(refereed, on_played)


class _Pool:
    """One run of a pool of processes. Each has a thread here that waits for its answers."""

    def __init__(self, setup: WorkerSetup, workers: int) -> None:
        self._setup = setup
        self._workers = workers
        self._deaths: Counter[int] = Counter()
        self._lock = threading.Lock()
        self._stopped = False
        self._all: list[WorkerProcess] = []
        self._idle: list[WorkerProcess] = []

    def run(self, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        ordered = [block for block in blocks if block.ordered]
        singles = deque(block for block in blocks if not block.ordered)
        again: deque[list[Block]] = deque([ordered] if ordered else [])  # chunks that are ready to be played
        sizer = _ChunkSizer()
        running: dict[Future[PlayedChunk], list[Block]] = {}
        threads = ThreadPoolExecutor(self._workers, initializer=_block_ctrl_c)
        finished = False
        try:
            while again or singles or running:
                while (again or singles) and len(running) < self._workers + 1:
                    chunk = again.popleft() if again else sizer.chunk(singles)
                    running[threads.submit(self._play, chunk)] = chunk
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    chunk = running.pop(future)
                    if isinstance(future.exception(), WorkerLostError):
                        again.extend(self._after_a_death(chunk))
                        continue
                    played, seconds = future.result()
                    sizer.learn(chunk, seconds)
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

    def _after_a_death(self, chunk: list[Block]) -> list[list[Block]]:
        """What to play again after a worker has died: single blocks, until it is clear which one is to blame."""
        first = chunk[0]
        if len(chunk) > 1 and not first.ordered:
            return [[block] for block in chunk]
        self._deaths[first.number] += 1
        if self._deaths[first.number] >= TRIES:
            names = ", ".join(self._setup.agents[agent] for agent in first.table)
            raise WorkerDiedError(
                f"{TRIES} workers died while playing {names}; tournament --isolate gives each bot a process"
            )
        return [chunk]


def _block_ctrl_c() -> None:
    """Block SIGINT in this thread, and thereby in the processes that it starts."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


class _ChunkSizer:
    """Chooses how many blocks make a chunk, from how long games have taken so far."""

    def __init__(self) -> None:
        self._games, self._seconds = 0, 0.0

    def learn(self, chunk: Sequence[Block], seconds: float) -> None:
        self._games += sum(block.games for block in chunk)
        self._seconds += seconds

    def chunk(self, waiting: deque[Block]) -> list[Block]:
        """Blocks for about `CHUNK_SECONDS`; one block while no time is known."""
        per_game = self._seconds / self._games if self._games else CHUNK_SECONDS
        chunk = [waiting.popleft()]
        while waiting and sum(block.games for block in chunk) * per_game < CHUNK_SECONDS:
            chunk.append(waiting.popleft())
        return chunk


class Ray(Backend):
    """Plays blocks on a Ray cluster: `address` as Ray takes it (`ray://host:10001`), or None for a local cluster."""

    name = "ray"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise BadValueError(
                "backend", "ray", "pip install 'liars-dice[ray]' first, or --backend processes"
            ) from None
        self._ray = ray
        self.workers = workers or os.cpu_count() or 1
        self._address = address

    def run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        """Play all blocks on the cluster. Work lost with a machine is given to another."""
        ray = self._ray
        started = not ray.is_initialized()
        if started:
            self._connect()
        try:
            self._run(setup, blocks, on_played)
        finally:
            if started:
                ray.shutdown()

    def _connect(self) -> None:
        local: dict[str, Any] = {} if self._address else {"num_cpus": self.workers, "include_dashboard": False}
        try:
            self._ray.init(address=self._address, log_to_driver=False, logging_level=logging.ERROR, **local)
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise BadValueError("backend", self._address or "ray", f"a Ray cluster that responds ({reason})") from error

    def _run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        ray = self._ray
        task = ray.remote(max_retries=TRIES, num_cpus=1)(_play_on_ray)
        shared = ray.put(setup)
        ordered = [block for block in blocks if block.ordered]
        singles = deque(block for block in blocks if not block.ordered)
        sizer = _ChunkSizer()
        running = {task.remote(shared, ordered): ordered} if ordered else {}
        while singles or running:
            while singles and len(running) < self.workers + 1:
                chunk = sizer.chunk(singles)
                running[task.remote(shared, chunk)] = chunk
            done, _ = ray.wait(list(running), num_returns=1)
            for reference in done:
                chunk = running.pop(reference)
                try:
                    played, seconds = ray.get(reference)
                except ray.exceptions.RayError as error:
                    names = ", ".join(setup.agents[agent] for agent in chunk[0].table)
                    raise WorkerDiedError(
                        f"workers keep dying while playing {names} ({type(error).__name__})"
                    ) from error
                sizer.learn(chunk, seconds)
                for one in played:
                    on_played(one)


_worker: Worker | None = None


def _play_on_ray(setup: WorkerSetup, blocks: list[Block]) -> PlayedChunk:
    """Play blocks in a Ray process. Its worker is kept for the next chunk, unless an agent learns between games."""
    global _worker
    if _worker is None or _worker.setup != setup or any(block.ordered for block in blocks):
        _worker = Worker(setup)
    return play_chunk(_worker, blocks)


def make_backend(name: str = "processes", workers: int | None = None) -> Backend:
    """Create a backend by name: `processes`, `ray`, or `ray://HOST:PORT`."""
    if name == "processes":
        return Processes(workers)
    if name == "ray":
        return Ray(workers, os.environ.get("RAY_ADDRESS"))
    if name.startswith("ray://"):
        return Ray(workers, name)
    raise BadValueError("backend", name, one_of(name, ("processes", "ray", "ray://HOST:PORT")))
