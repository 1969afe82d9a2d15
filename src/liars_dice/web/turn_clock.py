"""How long players may think: a limit for each turn, or a bank of time for the whole game."""

from __future__ import annotations

from typing import Literal

import msgspec

FREE_S = 10.0
"""What each turn is given beside the bank."""
REVEAL_S = 6.0
"""What the first turn after a reveal is given, so that everyone can look at the dice."""


class TurnLimit(msgspec.Struct, frozen=True):
    """The host's choice."""

    seconds: Literal[15, 30, 60, 120, 300]
    bank: bool = False
    """Whether the seconds are a bank for the whole game, from which only the time beyond the first ten seconds of a
    turn is taken; otherwise each turn has this many seconds."""


class TurnClock:
    """The time that the players of one game have left. After a restart of the server, banks are full again."""

    def __init__(self, limit: TurnLimit | None, seats: int) -> None:
        self._limit = limit
        self._banks = [float(limit.seconds) if limit is not None else 0.0] * seats
        self.late: set[int] = set()
        """The players whose time was up at least once."""

    def allowed(self, seat: int, *, after_reveal: bool) -> float | None:
        """How many seconds this player's turn may take; None without a limit."""
        if self._limit is None:
            return None
        own = FREE_S + self._banks[seat] if self._limit.bank else float(self._limit.seconds)
        return own + (REVEAL_S if after_reveal else 0.0)

    def moved(self, seat: int, seconds: float, *, after_reveal: bool) -> None:
        """This player's turn took this long."""
        beyond = seconds - FREE_S - (REVEAL_S if after_reveal else 0.0)
        self._banks[seat] = max(0.0, self._banks[seat] - max(0.0, beyond))
