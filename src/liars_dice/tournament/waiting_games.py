"""Games with agents that ask a server: several are played at once, each in a thread, for they mostly wait."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from ..agents import asks_network, work_at_once
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
    """Play these blocks, several at a time (`work_at_once`).

    A thread cannot be interrupted, so other people's bots play in processes of their own.
    """

    def play(unit: list[Block]) -> list[PlayedBlock]:
        worker = Worker(setup)
        return [worker.play(msgspec.structs.replace(block, apart=True)) for block in unit]

    def on_done(unit: list[PlayedBlock]) -> None:
        for played in unit:
            on_played(played)

    ordered = [block for block in blocks if block.ordered]
    units = [[block] for block in blocks if not block.ordered] + ([ordered] if ordered else [])
    work_at_once([partial(play, unit) for unit in units], on_done)
