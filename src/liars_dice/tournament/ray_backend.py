"""Blocks on a Ray cluster: on all its processors, while machines come and go. What runs there is at the end."""

from __future__ import annotations

import logging
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from .. import __version__
from ..core import BadValueError, LiarsDiceError, check_extra
from .backends import STOP_SECONDS, Backend
from .blocks import Block, OnPlayed, Worker, WorkerSetup
from .chunks import ChunkQueue
from .shipping import Shipment
from .waiting_games import by_waiting, play_while_waiting
from .worker_process import PlayedChunk, WorkerDiedError, play_chunk

CONNECT_SECONDS = 120.0
"""How long a connection by `ray://` may take. If its server fails to start, Ray's client waits forever."""
LOOK_SECONDS = 1.0
"""How often to look how many processors the cluster has."""
IDLE_SECONDS = 5.0
"""A process on the cluster that gets no more work for this long ends the processes of other people's bots."""


class Ray(Backend):
    """Plays blocks on a Ray cluster: the one at `address`, as Ray takes it (`ray://host:10001`), else the one that runs
    on this machine, else a new one. The address `local` always starts a new one.

    It uses at most `workers` processors; by default all that the cluster has at the time. A connection to Ray that the
    program has already is used as it is.
    """

    name = "ray"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        check_extra("--backend ray", "ray", "ray", "use --backend processes")
        import ray

        self._ray: Any = ray
        self._most = workers
        self._address = address
        self._looked = 0.0
        self._users = 0
        self._connected = False
        self.workers = workers or os.cpu_count() or 1
        """While blocks are played, the number of processors that the cluster has for them."""

    def __enter__(self) -> Self:
        """Connect, unless the program is connected already."""
        if not self._ray.is_initialized():
            self._connect()
            self._connected = True
        self._users += 1
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect."""
        self._users -= 1
        if self._connected and not self._users:
            self._ray.shutdown()
            self._connected = False

    def run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        """Play all blocks on the cluster. Work that is lost with a machine is given to another."""
        waiting, blocks = by_waiting(setup, blocks)
        if waiting:  # the settings for servers, and their keys, do not leave this machine
            play_while_waiting(setup, waiting, on_played)
        if not blocks:
            return
        with self:
            self._run(setup, blocks, on_played)

    def _run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        ray = self._ray
        queue = ChunkQueue(setup, blocks, apart=True)  # nothing here would notice a worker that a bot has stopped
        job = ray.put(_Job(__version__, secrets.token_hex(8), setup, Shipment.of(setup.agents)))
        play = ray.remote(num_cpus=1, max_retries=0)(_play)
        running: dict[Any, list[Block]] = {}
        try:
            while queue or running:
                self._look()
                while queue and len(running) < (self._most or 2 * self.workers):  # twice: no processor waits for us
                    chunk = queue.take(self.workers)
                    running[play.remote(job, chunk)] = chunk
                done, _ = ray.wait(list(running), timeout=LOOK_SECONDS)
                for reference in done:
                    self._receive(reference, running.pop(reference), queue, on_played)
        except KeyboardInterrupt:
            done = ray.wait(list(running), num_returns=len(running), timeout=STOP_SECONDS)[0] if running else []
            for reference in done:
                self._receive(reference, running.pop(reference), queue, on_played)
            raise
        except ConnectionError as error:  # only a client (`ray://`) lives to see it
            running.clear()
            raise WorkerDiedError(f"the connection to the Ray cluster at {self._address} was lost") from error
        finally:
            for reference in running:
                ray.cancel(reference, force=True)

    def _connect(self) -> None:
        how: dict[str, Any] = {"address": self._address, "log_to_driver": False, "logging_level": logging.ERROR}
        new = {"num_cpus": self.workers, "include_dashboard": False} if self._address in (None, "local") else {}
        try:
            try:
                if self._address is not None and self._address.startswith("ray://"):
                    _within(CONNECT_SECONDS, lambda: self._ray.init(**how))
                else:
                    self._ray.init(**how, **new)
            except ValueError:  # a cluster runs on this machine, and has the processors it has
                self._ray.init(**how)
        except Exception as error:
            if not isinstance(error, TimeoutError):
                self._ray.shutdown()  # else the next attempt would find half a connection
            reason = " ".join(str(error).split())[:200]
            raise BadValueError("backend", self._address or "ray", f"a Ray cluster that responds ({reason})") from error

    def _look(self) -> None:
        """Find out how many processors there are now."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            there = int(self._ray.cluster_resources().get("CPU", 0))
            self.workers = max(1, there if self._most is None else min(there, self._most))
            self._looked = time.monotonic()

    def _receive(self, reference: Any, chunk: list[Block], queue: ChunkQueue, on_played: OnPlayed) -> None:
        """Hand over the blocks of a chunk, or have it played again."""
        errors = self._ray.exceptions
        try:
            played, seconds = self._ray.get(reference)
        except errors.RayTaskError as error:
            if isinstance(error.cause, LiarsDiceError):
                raise error.cause from error
            raise
        except (errors.NodeDiedError, errors.ObjectLostError):
            queue.put_back(chunk)
        except errors.RayError:
            queue.worker_died(chunk)
        else:
            queue.learn(chunk, seconds)
            for one in played:
                on_played(one)


def _within(seconds: float, work: Callable[[], object]) -> None:
    """Do the work in a thread of its own; `TimeoutError` if it takes longer than this."""
    failures: list[Exception] = []

    def attempt() -> None:
        try:
            work()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError(f"no connection within {seconds:.0f} s")
    if failures:
        raise failures[0]


# -- on the cluster ----------------------------------------------------------------------------------------------------


class _Job(msgspec.Struct, frozen=True):
    """What a process on the cluster must know to play blocks."""

    version: str
    run: str
    """Different in every run: what bots have read may have changed since the last one."""
    setup: WorkerSetup
    shipment: Shipment


_FOLDER = Path(tempfile.gettempdir()) / f"liars-dice-{secrets.token_hex(8)}"
"""Where a process on the cluster keeps bot files while it plays, if its machine does not have them."""


class _ClusterProcess:
    """What a process on the cluster keeps from chunk to chunk: its worker, and the processes of other people's bots."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._job: _Job | None = None
        """What the worker last played for."""
        self._idle = threading.Timer(0, self._end_processes)

    def play(self, job: _Job, chunk: list[Block]) -> PlayedChunk:
        """Play blocks, by the worker of the chunk before unless an agent learns."""
        self._idle.cancel()
        with self._lock:
            worker = self._worker_for(job, anew=chunk[0].ordered)
            with job.shipment.unpacked(_FOLDER) as in_place:
                played = play_chunk(worker, chunk, keep=in_place)  # else the files are gone after the chunk
            self._idle = threading.Timer(IDLE_SECONDS, self._end_processes)
            self._idle.daemon = True
            self._idle.start()
            return played

    def _worker_for(self, job: _Job, *, anew: bool) -> Worker:
        last, self._job = self._job, job
        if self._worker is not None and last is not None:
            if anew or last.run != job.run:
                self._worker.end_processes()
            if not anew and (last.setup, last.shipment) == (job.setup, job.shipment):
                return self._worker
        self._worker = Worker(job.setup)
        return self._worker

    def _end_processes(self) -> None:
        with self._lock:
            if self._worker is not None:
                self._worker.end_processes()


_process = _ClusterProcess()


def _play(job: _Job, chunk: list[Block]) -> PlayedChunk:
    """Play blocks in a process of the cluster."""
    if job.version != __version__:
        raise WorkerDiedError(f"a machine of the cluster has liars-dice {__version__}; install {job.version} there")
    return _process.play(job, chunk)
