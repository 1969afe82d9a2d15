"""Recorded games judged for one player, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from ..persistence import GameRecorder, GameSummary, fallback_turns, verify_game
from .review import MoveVerdict, review_game


class JudgedGame(msgspec.Struct, frozen=True):
    """One game, judged for one seat."""

    game: GameSummary
    seat: int
    accuracy: float
    """The seat's accuracy in percent, as in its review."""
    worst: MoveVerdict
    """The decision that gave most away, even if it was a small loss."""


def worst_games(
    store: GameRecorder,
    games: Sequence[GameSummary],
    seats: Callable[[GameSummary], Sequence[int]],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> list[JudgedGame]:
    """These games, judged for each seat that `seats` returns: lowest accuracy first, and newest first among equals.

    Games in which the seat made no decision are left out.
    """
    found = []
    for done, game in enumerate(games):
        if progress is not None:
            progress(done, len(games))
        events = store.intact_events(game.game_id)
        for seat in seats(game) if events else ():
            review = review_game(verify_game(events), seat, fallbacks=fallback_turns(events))
            if review.moves:
                worst = max(review.moves, key=lambda move: move.loss)
                found.append(JudgedGame(game, seat, review.accuracy[seat], worst))
    return sorted(found, key=lambda judged: judged.accuracy)
