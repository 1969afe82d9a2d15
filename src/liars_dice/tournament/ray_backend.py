"""Blocks on a Ray cluster: on all its processors, while machines come and go. What runs there is at the end."""

from __future__ import annotations

import logging
import os
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from .. import __version__
from ..agents import moved_agents
from ..core import BadValueError, LiarsDiceError
from .backends import STOP_SECONDS, Backend, OnPlayed
from .blocks import Block, Worker, WorkerSetup
from .chunks import ChunkQueue
from .shipping import Shipment
from .worker_process import PlayedChunk, WorkerDiedError, play_chunk

LOOK_SECONDS = 1.0
"""How often to look how many processors the cluster has."""


class Ray(Backend):
    """Plays blocks on a Ray cluster: the one at `address`, as Ray takes it (`ray://host:10001`), else the one that runs
    on this machine, else a new one. The address `local` always starts a new one.

    It uses at most `workers` processors; by default all that the cluster has at the time. It connects when the first
    blocks are played, unless the program is connected already, and stays connected as long as it exists.
    """

    name = "ray"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise BadValueError(
                "backend", "ray", "pip install 'liars-dice[ray]' first, or --backend processes"
            ) from None
        self._ray: Any = ray
        self._most = workers
        self._address = address
        self._looked = 0.0
        self.workers = workers or os.cpu_count() or 1
        """While blocks are played, the number of processors that the cluster has for them."""

    def run(self, setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
        """Play all blocks on the cluster. Work that is lost with a machine is given to another."""
        if not blocks:
            return
        ray = self._ray
        if not ray.is_initialized():
            self._connect()
        queue = ChunkQueue(setup, blocks)
        job = ray.put(_Job(__version__, setup, Shipment.of(setup.agents)))
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
            done, late = ray.wait(list(running), num_returns=len(running), timeout=STOP_SECONDS)
            for reference in late:
                ray.cancel(reference, force=True)
            for reference in done:
                self._receive(reference, running.pop(reference), queue, on_played)
            raise

    def _connect(self) -> None:
        ray = self._ray
        usual: dict[str, Any] = {"address": self._address, "log_to_driver": False, "logging_level": logging.ERROR}
        try:
            if self._address in (None, "local"):
                try:
                    ray.init(**usual, num_cpus=self.workers, include_dashboard=False)
                except ValueError:  # a cluster runs on this machine, and has as many processors as it has
                    ray.init(**usual)
            else:
                ray.init(**usual)
        except Exception as error:
            reason = " ".join(str(error).split())[:200]
            raise BadValueError("backend", self._address or "ray", f"a Ray cluster that responds ({reason})") from error
        weakref.finalize(self, ray.shutdown)

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


# -- on the cluster ----------------------------------------------------------------------------------------------------


class _Job(msgspec.Struct, frozen=True):
    """What a process on the cluster must know to play blocks."""

    version: str
    setup: WorkerSetup
    shipment: Shipment


class _Workplace:
    """The worker of a process on the cluster, and the files of its bots. It is kept from chunk to chunk."""

    def __init__(self, job: _Job) -> None:
        if job.version != __version__:
            raise WorkerDiedError(f"a machine of the cluster has liars-dice {__version__}; install {job.version} there")
        self.job = job
        self.worker = Worker(job.setup)
        self._folder = tempfile.TemporaryDirectory(prefix="liars-dice-", ignore_cleanup_errors=True)
        Path(self._folder.name).chmod(0o755)  # a sandboxed bot reads its file as another user
        self.moved = job.shipment.unpack(Path(self._folder.name))


_workplace: _Workplace | None = None


def _play(job: _Job, chunk: list[Block]) -> PlayedChunk:
    """Play blocks in a process of the cluster. Agents that learn between games begin anew."""
    global _workplace
    if _workplace is None or _workplace.job != job or chunk[0].ordered:
        _workplace = _Workplace(job)
    with moved_agents(_workplace.moved):
        return play_chunk(_workplace.worker, chunk)
