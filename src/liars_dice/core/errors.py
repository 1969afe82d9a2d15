"""The errors this package raises on purpose: bad values, unreadable text, impossible rules, illegal moves."""

from __future__ import annotations

import difflib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from .actions import Action
    from .bid import Bid


PLAIN_INSTALL = frozenset(
    {"click", "h11", "numba", "numpy", "openskill", "rich", "scipy", "starlette", "uvicorn", "websockets"}
)
"""What a plain install has besides msgspec, which is all that games of your own bots need."""


class LiarsDiceError(Exception):
    """The base of every error this package raises on purpose."""

    code: ClassVar[str] = "error"
    """A short, stable name for the kind of error. Programs test this; the words of a message may change."""


class BadValueError(LiarsDiceError, ValueError):
    """A value that cannot be used: what it was for, what was given, and what was expected.

    >>> raise BadValueError("seed", -1, "a whole number from 0 up")
    Traceback (most recent call last):
    liars_dice.core.errors.BadValueError: seed = -1: expected a whole number from 0 up
    """

    code = "bad_value"

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(field, value, allowed)
        self.field = field
        self.value = value
        self.allowed = allowed

    def __str__(self) -> str:
        return f"{self.field} = {self.value!r}: expected {self.allowed}"


class ConfigError(BadValueError):
    """A rule set that makes no sense, or that cannot be played here: which field, what it was, what it may be."""

    code = "bad_rules"


class NotationError(LiarsDiceError, ValueError):
    """Text that cannot be read. Text that can be read but is against the rules is an `IllegalMoveError`."""

    code = "bad_notation"

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

    code = "bad_deal"


class IllegalMoveError(LiarsDiceError):
    """A move against the rules, with everything needed to explain or correct it.

    `legal` holds the actions that were possible instead; it is empty when no one may move.
    """

    code = "illegal_move"

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

    @property
    def proposed_bid(self) -> Bid | None:
        """The bid that was refused; None if the move was a call, or no sound bid."""
        from .actions import proposed_bid

        return proposed_bid(self.action)

    def __str__(self) -> str:
        return self.reason

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_illegal_move, (self.reason, {k: v for k, v in vars(self).items() if k != "reason"}))


def _rebuild_illegal_move(reason: str, details: dict[str, object]) -> IllegalMoveError:
    return IllegalMoveError(reason, **details)  # type: ignore[arg-type]


class MissingExtraError(LiarsDiceError, ImportError):
    """A package that is not installed: what needs it, the package, and the extra that installs it; without an extra, a
    plain install has it.

    >>> raise MissingExtraError("a chart", "matplotlib", "plots")
    Traceback (most recent call last):
    liars_dice.core.errors.MissingExtraError: a chart needs matplotlib: pip install 'liars-dice[plots]'
    >>> raise MissingExtraError("liars_dice.solve", "numpy")
    Traceback (most recent call last):
    liars_dice.core.errors.MissingExtraError: liars_dice.solve needs numpy: pip install liars-dice
    """

    code = "missing_extra"

    def __init__(self, what: str, package: str, extra: str = "", instead: str = "") -> None:
        super().__init__(what, package, extra, instead)
        self.what = what
        self.package = package
        self.extra = extra
        self.instead = instead

    def __str__(self) -> str:
        installed = f"'liars-dice[{self.extra}]'" if self.extra else "liars-dice"
        instead = f", or {self.instead}" if self.instead else ""
        return f"{self.what} needs {self.package}: pip install {installed}{instead}"


def check_extra(what: str, package: str, extra: str, instead: str = "") -> None:
    """Raise `MissingExtraError` unless this package can be imported; it is not imported now."""
    if sys.modules.get(package) is None and importlib.util.find_spec(package) is None:
        raise MissingExtraError(what, package, extra, instead)


@contextmanager
def plain_install_for(what: str) -> Iterator[None]:
    """Inside the `with` block, a missing package of a plain install is a `MissingExtraError`: `what` needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in PLAIN_INSTALL:
            raise
        raise MissingExtraError(what, package) from None


def one_of(given: str, choices: Iterable[str]) -> str:
    """The allowed choices in words, with a guess at which one `given` was meant to be."""
    choices = list(choices)
    near = did_you_mean(given, choices)
    return f"one of {', '.join(choices)}" + (f" ({near})" if near else "")


def did_you_mean(given: str, choices: Iterable[str]) -> str:
    """`did you mean ...?` with the choice that `given` resembles, in any case; empty if it resembles none."""
    spelled = {choice.casefold().replace("_", "-"): choice for choice in choices}
    near = difflib.get_close_matches(given.casefold().replace("_", "-"), spelled, n=1)
    return f"did you mean {spelled[near[0]]}?" if near else ""


def reason_of(error: BaseException) -> str:
    """Why a file cannot be read or written, without the file's name: callers have printed that already."""
    return getattr(error, "strerror", None) or str(error)


def describe(error: BaseException) -> str:
    """An error in words, even if its own `__str__` fails."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__
