"""What a bot may use, and what is said of one that does more."""

from __future__ import annotations

from typing import Literal

import msgspec

Verdict = Literal["illegal", "exception", "wrong_type", "too_slow", "died", "garbage", "out_of_memory"]
"""What a bot did wrong: a move against the rules; an error; something that is no action; an answer too late; its end;
output that is not the protocol; more memory than it may have."""


class BotLimits(msgspec.Struct, frozen=True):
    """How long and how much. Times are seconds; what is below them holds for isolated bots only."""

    decision: float = 1.0
    """For one decision."""
    game_end: float = 2.0
    """For `on_game_end`, where bots learn."""
    load: float = 10.0
    """For being made, before the game."""
    memory_mb: int = 1024
    cpu_seconds: int = 600
    """For the whole match."""
    processes: int = 16
    open_files: int = 64
    file_mb: int = 1
    """The largest file it may write."""


class BotFault(Exception):  # noqa: N818 - a verdict about a bot, not an error of ours
    """A bot did what it may not do."""

    def __init__(self, verdict: Verdict, detail: str = "") -> None:
        super().__init__(verdict, detail)
        self.verdict = verdict
        self.detail = detail[:1000]

    def __str__(self) -> str:
        return f"{self.verdict}, {self.detail}"
