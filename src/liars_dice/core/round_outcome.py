"""What a decided round leads to: each seat's dice, who opens the next round, and whether the game is over (rule 6).

Everything that chains rounds calls these functions. Only compiled code repeats them, and tests hold it to them.
"""

from __future__ import annotations

from typing import NamedTuple

from .config import GameConfig


class RoundOutcome(NamedTuple):
    """Who won a round, who lost it, and how."""

    winner: int
    """A seat."""
    loser: int
    """A seat: the other of the two between whom the call decided."""
    by_exact: bool = False
    """Whether the winner won by a right exact call."""


def after_round(
    config: GameConfig, dice_counts: tuple[int, ...], opener: int, outcome: RoundOutcome
) -> tuple[tuple[int, ...], int]:
    """Each seat's dice after a round that was played with `dice_counts`, and the seat that opens the next one.

    >>> config = GameConfig(dice=(2, 1, 3), mode="elimination", exact_call=True, max_dice=3)
    >>> after_round(config, (2, 1, 3), 0, RoundOutcome(winner=0, loser=1))
    ((2, 0, 3), 2)
    >>> after_round(config, (2, 1, 3), 0, RoundOutcome(winner=0, loser=2, by_exact=True))
    ((3, 1, 2), 2)
    """
    left = dice_after(config, dice_counts, outcome)
    return left, opener_after(config, left, opener, outcome)


def dice_after(config: GameConfig, dice_counts: tuple[int, ...], outcome: RoundOutcome) -> tuple[int, ...]:
    """In an elimination game the loser loses a die, and a right exact call wins one, up to the cap (rules 6.2, 6.3)."""
    if config.mode != "elimination":
        return dice_counts
    winner, loser, by_exact = outcome
    left = list(dice_counts)
    if not by_exact or config.exact_payer == "bidder":
        left[loser] -= 1
    if by_exact:
        left[winner] = min(left[winner] + 1, config.dice_cap)
    return tuple(left)


def opener_after(config: GameConfig, dice_left: tuple[int, ...], opener: int, outcome: RoundOutcome) -> int:
    """The seat that opens the next round; if it has no dice left, the next seat that has (rule 6.5)."""
    if config.next_opener == "winner":
        return outcome.winner
    seats = len(dice_left)
    seat = outcome.loser if config.next_opener == "loser" else (opener + 1) % seats
    while not dice_left[seat]:
        seat = (seat + 1) % seats
    return seat


def is_over(config: GameConfig, dice_left: tuple[int, ...], wins: int) -> bool:
    """Whether the game has ended, once the winner of the last round has won `wins` rounds (rule 6.6)."""
    if config.mode == "elimination":
        return len(dice_left) - dice_left.count(0) == 1
    return wins == config.wins_needed
