"""How much time, memory and so on a bot may use, and the faults of a bot that breaks a limit or a rule."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..core import BadValueError, one_line

Verdict = Literal["illegal", "exception", "wrong_type", "too_slow", "died", "garbage", "out_of_memory"]
"""What a bot did wrong: a move against the rules; an exception; an answer that is not an action; a late answer; its
process ended; output that breaks the protocol; more memory than it may use."""


class BotLimits(msgspec.Struct, frozen=True):
    """What a bot may use. Times are in seconds. The limits from `memory_mb` on hold for isolated bots only."""

    decision: float = 1.0
    """For one decision, one event or one end of a round."""
    game_end: float = 0.0
    """For `on_game_end`, where bots learn. 0, the default, means twice the time for a decision."""
    load: float = 10.0
    """For loading the bot, and for `on_game_start`."""
    memory_mb: int = 1024
    cpu_seconds: int = 600
    """CPU time for the whole match."""
    processes: int = 16
    open_files: int = 64
    file_mb: int = 1
    """The size of the largest file that it may write."""

    def __post_init__(self) -> None:
        if not self.game_end:
            msgspec.structs.force_setattr(self, "game_end", 2 * self.decision)

    @property
    def for_ours(self) -> BotLimits:
        """The limits of the package's own bots: a decision may take as long as loading, because they may have to unpack
        what they know about a round. What they do must not depend on how fast a machine is.
        """
        return msgspec.structs.replace(self, decision=max(self.decision, self.load))


MOST_PATIENCE = 20
"""However busy the machine is, no bot gets more than this many times its time."""
MOST_SECONDS = 86_400
"""The longest time limit for a decision that can be asked for: a day."""


def limits_for(time_limit_seconds: float | None, limits: BotLimits | None = None) -> BotLimits:
    """The limits of a bot that has this long for a decision, and twice as long for `on_game_end`.

    Without a time limit they are `limits`, or the defaults (1 second for a decision).
    """
    if time_limit_seconds is None:
        return BotLimits() if limits is None else limits
    if limits is not None:
        raise BadValueError("time_limit_seconds", time_limit_seconds, "either a time limit or `limits`, not both")
    given: object = time_limit_seconds
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= MOST_SECONDS:
        allowed = f"a number of seconds above 0, at most {MOST_SECONDS:,}"
        raise BadValueError("time_limit_seconds", time_limit_seconds, allowed)
    return BotLimits(decision=float(time_limit_seconds))


class BotFault(Exception):  # noqa: N818 - a verdict on a bot, not an error of ours
    """A bot broke a rule or a limit; `verdict` says which kind of fault it is, for programs to test."""

    def __init__(self, verdict: Verdict, detail: str = "", traceback: str = "") -> None:
        super().__init__(verdict, detail, traceback)
        self.verdict = verdict
        self.detail = one_line(detail, 1000)
        self.traceback = traceback
        """Where it happened, in several lines, if that is known."""

    def __str__(self) -> str:
        return f"{self.verdict}, {self.detail}"
