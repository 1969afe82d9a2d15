"""Backends: blocks are played in this process, in a pool of processes, or on a Ray cluster, with the same results."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from ..core import BadValueError, LiarsDiceError, one_of
from ..referee import are_strangers
from .blocks import Block, PlayedBlock, Worker, WorkerSetup

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


class WorkerDiedError(LiarsDiceError):
    """Workers died repeatedly on the same block."""

    code = "worker_died"


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
    """One run of a pool of processes, which is restarted if a worker dies."""

    def __init__(self, setup: WorkerSetup, workers: int) -> None:
        self._setup = setup
        self._workers = workers
        self._deaths: Counter[int] = Counter()

    def run(self, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        ordered = [block for block in blocks if block.ordered]
        singles = deque(block for block in blocks if not block.ordered)
        suspects: deque[list[Block]] = deque()  # in progress when a worker died: played again, one at a time
        sizer = _ChunkSizer()
        running: dict[Future[tuple[list[PlayedBlock], float]], list[Block]] = {}
        pool = self._start()
        if ordered:
            running[_submit(pool, ordered)] = ordered
        try:
            while suspects or singles or running:
                if suspects and not running:
                    chunk = suspects.popleft()
                    running[_submit(pool, chunk)] = chunk
                while singles and not suspects and len(running) < self._workers + 1:
                    chunk = sizer.chunk(singles)
                    running[_submit(pool, chunk)] = chunk
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    if isinstance(future.exception(), BrokenProcessPool):
                        self._requeue(list(running.values()), suspects)
                        running.clear()
                        pool.shutdown(wait=False, cancel_futures=True)
                        pool = self._start()
                        break
                    chunk = running.pop(future)
                    played, seconds = future.result()
                    sizer.learn(chunk, seconds)
                    for one in played:
                        on_played(one)
        except KeyboardInterrupt:
            wait(running, timeout=STOP_SECONDS)
            for future in running:
                if future.done() and not future.cancelled() and future.exception() is None:
                    for one in future.result()[0]:
                        on_played(one)
            _kill(pool)
            raise
        except BaseException:
            _kill(pool)
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _start(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, context, initializer=_start_worker, initargs=(self._setup,))

    def _requeue(self, chunks: list[list[Block]], suspects: deque[list[Block]]) -> None:
        """A worker has died: queue its work again. If only one chunk was in progress, that chunk is to blame."""
        if len(chunks) == 1 and (len(chunks[0]) == 1 or chunks[0][0].ordered):
            first = chunks[0][0]
            self._deaths[first.number] += 1
            if self._deaths[first.number] >= TRIES:
                names = ", ".join(self._setup.agents[agent] for agent in first.table)
                raise WorkerDiedError(
                    f"{TRIES} workers died while playing {names}; --isolate runs each bot in a process of its own"
                )
        for chunk in chunks:
            suspects.extend([chunk] if chunk[0].ordered else [[block] for block in chunk])


def _submit(pool: ProcessPoolExecutor, chunk: list[Block]) -> Future[tuple[list[PlayedBlock], float]]:
    """Submit work. This may start workers, so SIGINT is blocked meanwhile, and stays blocked in the workers."""
    if not hasattr(signal, "pthread_sigmask"):
        return pool.submit(_play_chunk, chunk)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(_play_chunk, chunk)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _kill(pool: ProcessPoolExecutor) -> None:
    """Kill the workers immediately."""
    for process in list((pool._processes or {}).values()):
        process.kill()


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


_worker: Worker | None = None


def _start_worker(setup: WorkerSetup) -> None:
    """Set up a process of the pool. Only the parent reacts to Ctrl-C."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # what bots print must not mix with our output
    threading.Thread(target=_die_with_the_parent, daemon=True).start()
    _worker = Worker(setup)


def _die_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _play_chunk(blocks: Iterable[Block]) -> tuple[list[PlayedBlock], float]:
    assert _worker is not None
    start = time.perf_counter()
    return [_worker.play(block) for block in blocks], time.perf_counter() - start


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


def _play_on_ray(setup: WorkerSetup, blocks: list[Block]) -> tuple[list[PlayedBlock], float]:
    """Play blocks in a Ray process. Its worker is kept for the next chunk, unless an agent learns between games."""
    global _worker
    if _worker is None or _worker.setup != setup or any(block.ordered for block in blocks):
        _worker = Worker(setup)
    return _play_chunk(blocks)


def make_backend(name: str = "processes", workers: int | None = None) -> Backend:
    """Create a backend by name: `processes`, `ray`, or `ray://HOST:PORT`."""
    if name == "processes":
        return Processes(workers)
    if name == "ray":
        return Ray(workers, os.environ.get("RAY_ADDRESS"))
    if name.startswith("ray://"):
        return Ray(workers, name)
    raise BadValueError("backend", name, one_of(name, ("processes", "ray", "ray://HOST:PORT")))
