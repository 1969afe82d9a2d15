"""Recorded games judged for one player, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from ..persistence import GameRecorder, GameSummary
from .kept_reviews import KeptReviews
from .review import MoveVerdict, Review


class JudgedGame(msgspec.Struct, frozen=True):
    """One game, judged for one seat."""

    game: GameSummary
    seat: int
    accuracy: float
    """The seat's accuracy in percent, as in its review."""
    worst: MoveVerdict
    """The decision that gave most away, even if it was a small loss."""


def reviews_of(
    store: GameRecorder,
    games: Sequence[GameSummary],
    seats: Callable[[GameSummary], Sequence[int]],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[tuple[GameSummary, Review]]:
    """The review of each seat that `seats` returns for these games. Those that the store keeps are not computed again.

    Damaged games, and games in which the seat made no decision, are left out.
    """
    kept = KeptReviews(store)
    for done, game in enumerate(games):
        if progress is not None:
            progress(done, len(games))
        wanted = {seat: kept.known(game.game_id, seat) for seat in seats(game)}
        events = store.intact_events(game.game_id) if None in wanted.values() else []
        for seat, known in wanted.items():
            review = known if known is not None or not events else kept.review(events, seat)
            if review is not None and review.moves:
                yield game, review


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
    for game, review in reviews_of(store, games, seats, progress=progress):
        (seat,) = review.seats
        worst = max(review.moves, key=lambda move: move.loss)
        found.append(JudgedGame(game, seat, review.accuracy[seat], worst))
    return sorted(found, key=lambda judged: judged.accuracy)
