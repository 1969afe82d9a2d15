"""Games with agents that ask a server: several are played at once, each in a thread, for they mostly wait."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from contextvars import copy_context
from queue import SimpleQueue

import msgspec

from ..agents import GAMES_AT_ONCE, AgentStoppedError, asks_network
from .blocks import Block, OnPlayed, PlayedBlock, Worker, WorkerSetup

DEALS_BY_DEFAULT = 20
"""Deals per pairing, or per agent of a league, where an agent asks a server: its answers cost time and money."""
WAITING_BLOCK_DEALS = 1
"""Deals per block there, so that little is lost when the games stop."""


def by_waiting(setup: WorkerSetup, blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """The blocks with agents that ask a server, and the others."""
    asking = {number for number, name in enumerate(setup.agents) if asks_network(name)}
    waiting = [block for block in blocks if asking.intersection(block.table)]
    return waiting, [block for block in blocks if not asking.intersection(block.table)] if waiting else list(blocks)


def play_while_waiting(setup: WorkerSetup, blocks: Sequence[Block], on_played: OnPlayed) -> None:
    """Play these blocks, `GAMES_AT_ONCE` of them at a time.

    After `AgentStoppedError` in one, no other is begun, those under way go on as far as they can, and the error is
    raised. A thread cannot be interrupted, so other people's bots play in processes of their own.
    """
    ordered = [block for block in blocks if block.ordered]
    units = deque([[block] for block in blocks if not block.ordered] + ([ordered] if ordered else []))
    played: SimpleQueue[PlayedBlock | BaseException | None] = SimpleQueue()
    stopped = threading.Event()

    def work() -> None:
        while units and not stopped.is_set():
            try:
                unit = units.popleft()
            except IndexError:  # another thread took the last
                break
            worker = Worker(setup)
            try:
                for block in unit:
                    played.put(worker.play(msgspec.structs.replace(block, apart=True)))
            except BaseException as error:
                stopped.set()
                played.put(error)
                break
        played.put(None)

    running = min(GAMES_AT_ONCE.get(), len(units))
    for _ in range(running):
        threading.Thread(target=copy_context().run, args=(work,), daemon=True).start()
    error: BaseException | None = None
    try:
        while running:
            one = played.get()
            if one is None:
                running -= 1
            elif not isinstance(one, BaseException):
                on_played(one)
            elif not isinstance(one, AgentStoppedError):
                raise one
            else:
                error = error or one
    finally:
        stopped.set()
    if error is not None:
        raise error
