"""Reviews of recorded games, each computed once: the review of a finished game is kept in the store as a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from ..persistence import (
    DOCUMENT_SCHEMA,
    UNREADABLE,
    GameRecorder,
    RecordedEvent,
    StoreError,
    decode_document,
    verify_game,
)
from .review import COACH_VERSION, Review, review_game

REVIEWS = "review"
"""The kind of documents that reviews are kept as, one per game and seat."""


class KeptReview(msgspec.Struct, frozen=True, kw_only=True):
    """The review of one seat's decisions, as stored."""

    review: Review
    coach: int = COACH_VERSION
    schema: int = DOCUMENT_SCHEMA


class KeptReviews:
    """The reviews in a store. What is missing there is computed when it is asked for.

    A store that cannot be written, or that keeps only games, costs time and nothing else.
    """

    def __init__(self, store: GameRecorder, game_id: str | None = None) -> None:
        """All reviews in the store, or only those of one game."""
        self._store = store
        try:
            self._texts = store.documents(REVIEWS, "" if game_id is None else f"{game_id}/")
        except StoreError:
            self._texts = {}

    def known(self, game_id: str, seat: int) -> Review | None:
        """The review of this seat's decisions, if it is in the store and this version's coach wrote it."""
        text = self._texts.get(_name(game_id, seat))
        if text is None:
            return None
        try:
            kept = decode_document(text, KeptReview, f"review of game {game_id}")
        except UNREADABLE:
            return None
        return kept.review if kept.coach == COACH_VERSION and kept.review.seat == seat else None

    def review(
        self,
        events: Sequence[RecordedEvent],
        seat: int | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Review:
        """The review of a game, as `review_game` gives it; `ReplayError` if the game breaks the rules."""
        game_id, public = events[0].game_id, verify_game(events).public
        if public.status != "ENDED" or (seat is not None and not 0 <= seat < len(public.names)):
            return review_game(events, seat, progress=progress)
        wanted = range(len(public.names)) if seat is None else (seat,)
        found = {one: self.known(game_id, one) for one in wanted}
        missing = [one for one, review in found.items() if review is None]
        if missing:
            new = review_game(events, missing[0] if len(missing) == 1 else None, progress=progress)
            found |= {one: new.of_seat(one) for one in missing}
            self._keep(game_id, {one: new.of_seat(one) for one in missing})
        reviews = [review for review in found.values() if review is not None]
        return reviews[0] if seat is not None else _of_all_seats(reviews)

    def _keep(self, game_id: str, reviews: dict[int, Review]) -> None:
        texts = {
            _name(game_id, seat): msgspec.json.encode(KeptReview(review=review)).decode()
            for seat, review in reviews.items()
        }
        self._texts |= texts
        try:
            self._store.save_documents(REVIEWS, texts)
        except StoreError:
            return


def _name(game_id: str, seat: int) -> str:
    return f"{game_id}/{seat}"


def _of_all_seats(reviews: Iterable[Review]) -> Review:
    """One review from those of every seat."""
    every = list(reviews)
    moves = sorted((move for review in every for move in review.moves), key=lambda move: move.turn)
    return msgspec.structs.replace(every[0], moves=tuple(moves), seat=None)
