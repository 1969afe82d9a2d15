"""A chart of a review: each player's chance to win after every turn, with mistakes and blunders marked."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from ..coach import Review
from .colours import GREY, INK, PALE, SEAT_COLOURS
from .picture_files import check_picture, hide_frame, new_figure, write_picture

DASHES = ("-", "--", "-.", ":")


def draw_review(review: Review, path: Path, title: str = "") -> None:
    """Write a picture of each player's chance to win after every turn, with mistakes and blunders marked."""
    check_picture("chart", path)
    figure = new_figure(8, 3.6)
    axes = figure.subplots()
    turns = [point.turn for point in review.curve]
    for before, after in pairwise(review.curve[1:]):
        if before.round != after.round:
            axes.axvline(before.turn, color=PALE, linewidth=0.8, zorder=0)
    for seat, name in enumerate(review.names):
        chances = [100 * point.chances[seat] for point in review.curve]
        style = DASHES[seat // len(SEAT_COLOURS) % len(DASHES)] if len(review.names) > 4 else DASHES[seat % len(DASHES)]
        axes.plot(
            turns,
            chances,
            style,
            color=SEAT_COLOURS[seat % len(SEAT_COLOURS)],
            label=name.replace("$", r"\$"),
            linewidth=1.8,
        )
    by_turn = {point.turn: point for point in review.curve}
    for kind, marker in (("mistake", "v"), ("blunder", "X")):
        wrong = [move for move in review.moves if move.kind == kind]
        heights = [100 * by_turn[move.turn].chances[move.player] for move in wrong]
        if wrong:
            axes.plot([m.turn for m in wrong], heights, marker, color=INK, markersize=7, linestyle="none", label=kind)
    axes.axhline(50, color=GREY, linewidth=0.8)
    axes.set_xlim(0, max(turns[-1], 1))
    axes.set_ylim(-2, 102)
    axes.set_xlabel("turn (grey lines mark the ends of rounds)")
    axes.set_ylabel("chance to win, in percent")
    hide_frame(axes)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    if title:
        figure.suptitle(title.replace("$", r"\$"), fontsize=11)
    write_picture("chart", path, figure)
