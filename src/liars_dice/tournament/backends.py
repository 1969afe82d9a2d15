"""Where blocks are played: in this process, in a pool of processes, or on a Ray cluster. The results are the same."""

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
from .blocks import Block, Field, Played, Worker

CHUNK_SECONDS = 1.0
"""Workers are handed at least so much work at a time."""
TRIES = 3
"""A block whose worker dies is given to another; the third death is an error."""

LAST_SECONDS = 2.0
"""So long work under way may take to end when somebody wants to stop."""
FEW_GAMES = 200
"""So few games are not worth starting processes for."""

Take = Callable[[Played], None]
"""What is done with every block's result, in whatever order they come."""


class WorkerDiedError(LiarsDiceError):
    """Workers keep dying on the same work."""

    code = "worker_died"


class Backend(ABC):
    """A way to play blocks."""

    name: str
    workers: int

    @abstractmethod
    def run(self, field: Field, blocks: Sequence[Block], take: Take) -> None:
        """Play all blocks. On Ctrl-C, take what is finished and raise `KeyboardInterrupt`."""


class InProcess(Backend):
    """Here, one after the other; compiled games on as many threads as there are workers."""

    name = "processes"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def run(self, field: Field, blocks: Sequence[Block], take: Take) -> None:
        """Play them here."""
        worker = Worker(field, threads=self.workers)
        for block in blocks:
            take(worker.play(block))


class Processes(Backend):
    """A pool of processes for refereed games. Compiled ones need none: their threads use all cores here."""

    name = "processes"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def run(self, field: Field, blocks: Sequence[Block], take: Take) -> None:
        """Play them in the pool."""
        refereed = [block for block in blocks if not block.compiled]
        many = self.workers > 1 and sum(block.games for block in refereed) > FEW_GAMES
        pooled = bool(refereed) and (many or are_strangers(field.agents))  # a stranger may take its process along
        InProcess(self.workers).run(field, [b for b in blocks if b.compiled] if pooled else blocks, take)
        if pooled:
            _Pool(field, self.workers).run(refereed, take)


class _Pool:
    """One run of a pool of processes, which is built again if a worker dies."""

    def __init__(self, field: Field, workers: int) -> None:
        self._field = field
        self._workers = workers
        self._deaths: Counter[int] = Counter()

    def run(self, blocks: Sequence[Block], take: Take) -> None:
        ordered = [block for block in blocks if block.ordered]
        singles = deque(block for block in blocks if not block.ordered)
        suspects: deque[list[Block]] = deque()  # what was being played when a worker died: played again, one by one
        speed = _Speed()
        running: dict[Future[tuple[list[Played], float]], list[Block]] = {}
        pool = self._start()
        if ordered:
            running[_submit(pool, ordered)] = ordered
        try:
            while suspects or singles or running:
                if suspects and not running:
                    chunk = suspects.popleft()
                    running[_submit(pool, chunk)] = chunk
                while singles and not suspects and len(running) < self._workers + 1:
                    chunk = speed.chunk(singles)
                    running[_submit(pool, chunk)] = chunk
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    if isinstance(future.exception(), BrokenProcessPool):
                        self._suspect(list(running.values()), suspects)
                        running.clear()
                        pool.shutdown(wait=False, cancel_futures=True)
                        pool = self._start()
                        break
                    chunk = running.pop(future)
                    played, seconds = future.result()
                    speed.learn(chunk, seconds)
                    for one in played:
                        take(one)
        except KeyboardInterrupt:
            wait(running, timeout=LAST_SECONDS)
            for future in running:
                if future.done() and not future.cancelled() and future.exception() is None:
                    for one in future.result()[0]:
                        take(one)
            _kill(pool)
            raise
        except BaseException:
            _kill(pool)
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _start(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, context, initializer=_start_worker, initargs=(self._field,))

    def _suspect(self, chunks: list[list[Block]], suspects: deque[list[Block]]) -> None:
        """A worker has died. If only one piece of work was under way, that one is to blame."""
        if len(chunks) == 1 and (len(chunks[0]) == 1 or chunks[0][0].ordered):
            first = chunks[0][0]
            self._deaths[first.number] += 1
            if self._deaths[first.number] >= TRIES:
                names = ", ".join(self._field.agents[agent] for agent in first.table)
                raise WorkerDiedError(f"{TRIES} workers have died over games of {names}; --isolate keeps bots apart")
        for chunk in chunks:
            suspects.extend([chunk] if chunk[0].ordered else [[block] for block in chunk])


def _submit(pool: ProcessPoolExecutor, chunk: list[Block]) -> Future[tuple[list[Played], float]]:
    """Hand work over. Workers are started here: Ctrl-C is held back meanwhile, and from them for ever."""
    if not hasattr(signal, "pthread_sigmask"):
        return pool.submit(_play_chunk, chunk)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(_play_chunk, chunk)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _kill(pool: ProcessPoolExecutor) -> None:
    """End the workers now, whatever they are doing."""
    for process in list((pool._processes or {}).values()):
        process.kill()


class _Speed:
    """How long blocks take, as seen so far."""

    def __init__(self) -> None:
        self._games, self._seconds = 0, 0.0

    def learn(self, chunk: Sequence[Block], seconds: float) -> None:
        self._games += sum(block.games for block in chunk)
        self._seconds += seconds

    def chunk(self, waiting: deque[Block]) -> list[Block]:
        """Blocks for about `CHUNK_SECONDS`, one while nothing is known."""
        per_game = self._seconds / self._games if self._games else CHUNK_SECONDS
        chunk = [waiting.popleft()]
        while waiting and sum(block.games for block in chunk) * per_game < CHUNK_SECONDS:
            chunk.append(waiting.popleft())
        return chunk


_worker: Worker | None = None


def _start_worker(field: Field) -> None:
    """In every process of a pool: Ctrl-C is the parent's business."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # what bots print is not part of our answer
    threading.Thread(target=_die_with_the_parent, daemon=True).start()
    _worker = Worker(field)


def _die_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _play_chunk(blocks: Iterable[Block]) -> tuple[list[Played], float]:
    assert _worker is not None
    start = time.perf_counter()
    return [_worker.play(block) for block in blocks], time.perf_counter() - start


class Ray(Backend):
    """A Ray cluster: `address` as Ray takes it (`ray://host:10001`), or none for one on this machine."""

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

    def run(self, field: Field, blocks: Sequence[Block], take: Take) -> None:
        """Play them on the cluster; work of lost machines is given to others."""
        ray = self._ray
        started = not ray.is_initialized()
        if started:
            self._connect()
        try:
            self._run(field, blocks, take)
        finally:
            if started:
                ray.shutdown()

    def _connect(self) -> None:
        local: dict[str, Any] = {} if self._address else {"num_cpus": self.workers, "include_dashboard": False}
        try:
            self._ray.init(address=self._address, log_to_driver=False, logging_level=logging.ERROR, **local)
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise BadValueError("backend", self._address or "ray", f"a cluster that answers ({reason})") from error

    def _run(self, field: Field, blocks: Sequence[Block], take: Take) -> None:
        ray = self._ray
        task = ray.remote(max_retries=TRIES, num_cpus=1)(_play_far_away)
        shared = ray.put(field)
        ordered = [block for block in blocks if block.ordered]
        singles = deque(block for block in blocks if not block.ordered)
        speed = _Speed()
        running = {task.remote(shared, ordered): ordered} if ordered else {}
        while singles or running:
            while singles and len(running) < self.workers + 1:
                chunk = speed.chunk(singles)
                running[task.remote(shared, chunk)] = chunk
            done, _ = ray.wait(list(running), num_returns=1)
            for reference in done:
                chunk = running.pop(reference)
                try:
                    played, seconds = ray.get(reference)
                except ray.exceptions.RayError as error:
                    names = ", ".join(field.agents[agent] for agent in chunk[0].table)
                    raise WorkerDiedError(
                        f"workers keep dying over games of {names} ({type(error).__name__})"
                    ) from error
                speed.learn(chunk, seconds)
                for one in played:
                    take(one)


def _play_far_away(field: Field, blocks: list[Block]) -> tuple[list[Played], float]:
    """In a process of Ray's; the worker for a field is kept for the next piece of work, unless its members learn."""
    global _worker
    if _worker is None or _worker.field != field or any(block.ordered for block in blocks):
        _worker = Worker(field)
    return _play_chunk(blocks)


def make_backend(name: str = "processes", workers: int | None = None) -> Backend:
    """A backend by name: `processes`, `ray`, or `ray://HOST:PORT`."""
    if name == "processes":
        return Processes(workers)
    if name == "ray":
        return Ray(workers, os.environ.get("RAY_ADDRESS"))
    if name.startswith("ray://"):
        return Ray(workers, name)
    raise BadValueError("backend", name, one_of(name, ("processes", "ray", "ray://HOST:PORT")))
