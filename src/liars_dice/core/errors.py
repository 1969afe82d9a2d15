"""What can go wrong, one class a kind: text that cannot be read, rules that make no sense, moves against the rules."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .actions import Action
    from .bid import Bid


class LiarsDiceError(Exception):
    """The base of every error this package raises on purpose."""


class BadValueError(LiarsDiceError, ValueError):
    """A value that cannot be used: what it was for, what was given, and what was expected."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(field, value, allowed)
        self.field = field
        self.value = value
        self.allowed = allowed

    def __str__(self) -> str:
        return f"{self.field} = {self.value!r}: expected {self.allowed}"


class ConfigError(BadValueError):
    """A rule set that makes no sense: which field, what it was, what it may be."""


class NotationError(LiarsDiceError, ValueError):
    """Text that cannot be read as what it should be (a legal-looking bid against the rules is another error)."""

    def __init__(self, text: str, expected: str, line: int | None = None) -> None:
        super().__init__(text, expected, line)
        self.text = text
        self.expected = expected
        self.line = line

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}: "
        return f"{where}cannot read {self.text!r}: expected {self.expected}"


class DealError(LiarsDiceError, ValueError):
    """Dice that cannot be dealt now: a round is under way, the game is over, or the dice do not fit the rules."""


class IllegalMoveError(LiarsDiceError):
    """A move against the rules, with everything needed to explain or mend it.

    `legal` are the actions that were possible instead; it is empty when nobody may move.
    """

    def __init__(
        self,
        reason: str,
        *,
        action: object,
        player: int | None = None,
        expected_player: int | None = None,
        current_bid: Bid | None = None,
        legal: tuple[Action, ...] = (),
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.action = action
        self.player = player
        self.expected_player = expected_player
        self.current_bid = current_bid
        self.legal = legal

    def __str__(self) -> str:
        return self.reason

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_illegal_move, (self.reason, {k: v for k, v in vars(self).items() if k != "reason"}))


def _rebuild_illegal_move(reason: str, details: dict[str, object]) -> IllegalMoveError:
    return IllegalMoveError(reason, **details)  # type: ignore[arg-type]


def one_of(given: str, choices: Iterable[str]) -> str:
    """What may stand in the place of `given`, and which of it was probably meant."""
    choices = list(choices)
    near = difflib.get_close_matches(given, choices, n=1)
    return f"one of {', '.join(choices)}" + (f" (did you mean {near[0]}?)" if near else "")


def reason_of(error: Exception) -> str:
    """Why a file cannot be read or written, without its name, which has been told already."""
    return getattr(error, "strerror", None) or str(error)


def describe(error: BaseException) -> str:
    """An error in words, even one that refuses to be printed."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__
