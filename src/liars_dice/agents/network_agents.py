"""Agents of the package that ask a server on the network for their moves: `llm:MODEL`."""

from __future__ import annotations

from contextvars import ContextVar

from ..core import LiarsDiceError

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
