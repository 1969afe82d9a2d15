"""Agents of the package that ask a server on the network for their moves: `llm:MODEL`."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from queue import SimpleQueue
from typing import TypeVar

from ..core import LiarsDiceError

Result = TypeVar("Result")

GAMES_AT_ONCE: ContextVar[int] = ContextVar("GAMES_AT_ONCE", default=4)
"""How many games with such agents are played at the same time: most of a game is waiting for answers."""


class AgentStoppedError(LiarsDiceError):
    """An agent cannot play on, through no fault of its own: its budget is spent, or its server cannot be used.

    The games stop here. What was played is kept, and a tournament can be resumed.
    """

    code = "agent_stopped"


def asks_network(name: str) -> bool:
    """Whether the agent of this name asks a server for its moves.

    >>> asks_network("llm:some-model"), asks_network("nash")
    (True, False)
    """
    return name.startswith("llm:")


def work_at_once(tasks: Sequence[Callable[[], Result]], on_done: Callable[[Result], None]) -> None:
    """Do these tasks, `GAMES_AT_ONCE` of them at a time, each in a thread; `on_done` gets the results in this thread.

    After `AgentStoppedError` in one, no other is begun, those under way go on as far as they can, and the error is
    raised. Ctrl-C waits for none.
    """
    waiting = deque(tasks)
    done: SimpleQueue[tuple[Result] | BaseException | None] = SimpleQueue()
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            try:
                task = waiting.popleft()
            except IndexError:
                break
            try:
                done.put((task(),))
            except BaseException as error:
                stopped.set()
                done.put(error)
                break
        done.put(None)

    running = min(GAMES_AT_ONCE.get(), len(waiting))
    for _ in range(running):
        threading.Thread(target=copy_context().run, args=(work,), daemon=True).start()
    stop: AgentStoppedError | None = None
    try:
        while running:
            one = done.get()
            if one is None:
                running -= 1
            elif isinstance(one, AgentStoppedError):
                stop = stop or one
            elif isinstance(one, BaseException):
                raise one
            else:
                on_done(one[0])
    finally:
        stopped.set()
    if stop is not None:
        raise stop
