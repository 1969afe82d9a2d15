"""A process that plays blocks: how it is started and asked, and what runs in it.

Workers are not started by `multiprocessing`: its workers import the main module again, so a plain script would run once
more in each of them. These know nothing of the program that started them but where Python finds modules.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from ..core import LiarsDiceError
from ..referee import python_command, seconds_overdue
from .blocks import Block, PlayedBlock, Worker, WorkerSetup

PlayedChunk = tuple[list[PlayedBlock], float]
"""The blocks that were played, and how many seconds the games took."""

_READY = "ready"
_ALIVE = "alive"
BEAT_SECONDS = 1.0
"""How often a process that plays gives a sign of life."""
OVERDUE_SECONDS = 1.0
"""A process whose bot has not answered this long after its time was up ends itself."""
SILENCE_SECONDS = 5.0
"""A process without a sign of life for this long, and for as long as a bot may take for anything, is ended. Time for
which it waits for a processor does not count, where the system tells.
"""
MOST_PATIENCE = 20
"""However busy the machine is, a process is ended after this many times as long."""


class WorkerDiedError(LiarsDiceError):
    """A worker did not start, or workers died repeatedly on the same block."""

    code = "worker_died"


class WorkerLostError(Exception):
    """The worker ended before it answered."""


class WorkerProcess:
    """A worker in a process of its own. It ends when its parent does, whichever way that happens."""

    def __init__(self, setup: WorkerSetup) -> None:
        """Start the process. Block SIGINT meanwhile in the calling thread: then the worker never sees Ctrl-C."""
        self._process = subprocess.Popen(
            python_command(f"{__name__}:serve_chunks"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests = self._process.stdin
        self._answers = self._process.stdout
        self._setup = setup
        self._started = False
        self._heard: tuple[float, dict[Path, float]] | None = None
        """When the process, which is playing now, last gave a sign of life, and how long each thread of it and of this
        process had waited for a processor by then."""

    def play(self, chunk: Sequence[Block]) -> PlayedChunk:
        """Play these blocks. `WorkerLostError` if the process dies; an error of the worker is raised here."""
        if not self._started:
            try:
                self._send(self._setup)
                self._receive()
            except WorkerLostError:
                code = self._process.wait()
                raise WorkerDiedError(
                    f"a worker process could not be started: {sys.executable} ended with code {code}"
                ) from None
            self._started = True
        self._send(chunk)
        self._heard = time.monotonic(), self._seconds_waited()
        try:
            answer = self._receive()
        finally:
            self._heard = None
        if isinstance(answer, Exception):
            raise answer
        played: PlayedChunk = answer  # type: ignore[assignment]
        return played

    def _send(self, message: object) -> None:
        try:
            pickle.dump(message, self._requests)
            self._requests.flush()
        except OSError as error:
            raise WorkerLostError from error

    def _receive(self) -> object:
        """The next answer; signs of life before it are noted."""
        try:
            while (answer := pickle.load(self._answers)) == _ALIVE:
                self._heard = time.monotonic(), self._seconds_waited()
        except (EOFError, pickle.UnpicklingError) as error:
            raise WorkerLostError from error
        return answer

    def end_if_stuck(self) -> None:
        """Kill a process that should be playing, and has given no sign of life for too long."""
        heard, limits = self._heard, self._setup.limits
        if heard is None:
            return
        allowed = SILENCE_SECONDS + max(limits.load, limits.decision, limits.game_end)
        silence = time.monotonic() - heard[0]
        if silence <= allowed:
            return
        waited = max((now - heard[1].get(one, 0.0) for one, now in self._seconds_waited().items()), default=0.0)
        if silence - waited > allowed or silence > MOST_PATIENCE * allowed:
            self.kill()

    def _seconds_waited(self) -> dict[Path, float]:
        """How long each thread of the process, and of this one, has waited for a processor, on systems that tell."""
        found = {}
        for pid in (self._process.pid, os.getpid()):
            for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
                with suppress(OSError, ValueError):  # the thread is gone
                    _, waited, _ = file.read_text(encoding="ascii").split()
                    found[file] = int(waited) / 1e9
        return found

    def kill(self) -> None:
        """End the process immediately. Whoever waits for its answer gets `WorkerLostError`."""
        self._process.kill()

    def finish(self) -> None:
        """Let an idle worker end."""
        try:
            self._send(None)
        except WorkerLostError:
            self.kill()

    def close(self, timeout: float) -> None:
        """Wait for the process to end, and kill it after `timeout` seconds. No thread may wait for its answer."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._answers.close()
        try:
            self._requests.close()
        except BrokenPipeError:  # a message that the worker did not live to read
            return


# -- inside the process ------------------------------------------------------------------------------------------------


def serve_chunks() -> None:
    """Play the chunks that come in on standard input until None comes. What bots print goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the parent reacts to Ctrl-C
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if hasattr(os, "register_at_fork"):  # a process that a bot forks must not keep the answers open
        os.register_at_fork(after_in_child=lambda: os.close(answers.fileno()))
    received: SimpleQueue[object] = SimpleQueue()
    threading.Thread(target=_receive_requests, args=(requests, received), daemon=True).start()
    setup = received.get()
    assert isinstance(setup, WorkerSetup)
    worker = Worker(setup)
    answer: object = _READY
    playing = threading.Lock()  # no sign of life may come between the parts of an answer
    threading.Thread(target=_give_signs_of_life, args=(answers, playing), daemon=True).start()
    threads = threading.active_count()
    while True:
        with playing:
            pickle.dump(answer, answers)
            answers.flush()
        chunk: list[Block] | None = received.get()  # type: ignore[assignment]
        if chunk is None:
            return
        try:
            answer = play_chunk(worker, chunk)
        except Exception as error:
            error.add_note(f"In a worker process:\n{traceback.format_exc()}")
            answer = error
        if threading.active_count() > threads and not chunk[0].apart:
            os._exit(1)  # a bot left threads, which may have disturbed the others: they play again, apart from it


def _give_signs_of_life(answers: BinaryIO, playing: threading.Lock) -> None:
    """The watchdog of this process: ends it when a bot ignores the alarm, else tells the parent that it is alive."""
    while True:
        time.sleep(BEAT_SECONDS)
        if seconds_overdue() > OVERDUE_SECONDS:
            os._exit(1)
        with playing:
            pickle.dump(_ALIVE, answers)
            answers.flush()


def play_chunk(worker: Worker, blocks: Sequence[Block], *, keep: bool = False) -> PlayedChunk:
    """Play blocks one after another; with `keep`, the processes of other people's bots stay for the next chunk."""
    start, starts = time.perf_counter(), worker.seconds_of_starts
    played = worker.play_all(blocks, keep=keep)
    return played, time.perf_counter() - start - (worker.seconds_of_starts - starts)


def _receive_requests(requests: BinaryIO, received: SimpleQueue[object]) -> None:
    """Read requests while blocks are played, and end this process if its parent is gone."""
    message: object = _READY
    while message is not None:
        try:
            message = pickle.load(requests)
        except EOFError:
            os._exit(1)
        received.put(message)
