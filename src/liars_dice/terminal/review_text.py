"""A review as text: every decision, the chart of chances, and the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING

from ..core import percent
from .table_view import needs_ascii

if TYPE_CHECKING:
    from rich.console import Console

    from ..coach import MoveVerdict, Review

MARKS = {"inaccuracy": "?", "mistake": "x", "blunder": "X"}
"""The marks of decisions under the chart."""
COLOURS = {
    "best": "green",
    "good": "green",
    "inaccuracy": "yellow",
    "mistake": "bright_red",
    "blunder": "bold bright_red",
    "fallback": "dim",
}
"""The colours of ratings, in a terminal that has colours."""
WORTH_TELLING = 0.10
"""From this loss on, what other players' habits allowed is told even for a decision that was good."""
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_ASCII = " .-=#"

Styled = tuple[str, str]
"""A line and its style; the empty style is plain."""


def column_chart(values: Sequence[float], height: int, *, ascii_only: bool = False) -> list[str]:
    """A column chart of values from 0 to 1, `height` lines high.

    >>> column_chart([0, 0.5, 1], 1, ascii_only=True)
    [' -#']
    """
    steps = _ASCII if ascii_only else _EIGHTHS
    fine = len(steps) - 1
    heights = [round(value * height * fine) for value in values]
    return ["".join(steps[min(max(h - row * fine, 0), fine)] for h in heights) for row in range(height - 1, -1, -1)]


def chance_charts(review: Review, width: int = 80, *, ascii_only: bool = False) -> list[str]:
    """Charts of the chance to win during the game: one for two players, one per seat for more."""
    points = review.curve
    room = max(8, width - 7)
    columns = min(room, len(points))
    starts = [round(i * len(points) / columns) for i in range(columns + 1)]
    wide = max(1, min(3, room // columns))

    def along(seat: int) -> list[float]:
        """The chance at the end of each column's turns."""
        return [points[end - 1].chances[seat] for end in starts[1:] for _ in range(wide)]

    shown = (
        [review.seat] if review.seat is not None else [0] if len(review.names) == 2 else list(range(len(review.names)))
    )
    lines = []
    height = 5 if len(shown) == 1 else 2
    for seat in shown:
        assert seat is not None
        lines.append(_cut(f"{review.names[seat]}: chance to win the game", width))
        drawn = column_chart(along(seat), height, ascii_only=ascii_only)
        labels = ["100%", *[""] * (height - 2), "0%"] if height > 1 else [""]
        lines += [f"{label:>5} {line}".rstrip() for label, line in zip(labels, drawn, strict=True)]
    worst = [_worst([m for m in review.moves if low <= m.turn < high]) for low, high in pairwise(starts)]
    if any(mark != " " for mark in worst):
        lines.append(f"{'':6}{''.join(mark.ljust(wide) for mark in worst)}".rstrip())
        lines += wrap("? inaccuracy, x mistake, X blunder", width, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return lines


def _worst(moves: Sequence[MoveVerdict]) -> str:
    kinds = {move.kind for move in moves}
    return next((MARKS[kind] for kind in reversed(MARKS) if kind in kinds), " ")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "~"


def review_lines(review: Review, width: int = 80, *, ascii_only: bool = False) -> list[Styled]:
    """The whole review as lines: every decision, what was wrong with it, the chart and the totals."""
    width = max(20, width)
    lines: list[Styled] = []
    now = 0
    name_width = min(12, max(map(len, review.names)), max(4, width - 33))
    for move in review.moves:
        if move.round != now:
            now = move.round
            lines.append((f"Round {now}", "bold"))
        name = review.names[move.player]
        name = name if len(name) <= name_width else name[: name_width - 1] + "~"
        lost = f", {percent(move.loss)} lost" if move.kind in MARKS else ""
        lines.append((f"{move.turn:>3} {name:<{name_width}} {move.action!s:>5}  {move.kind}{lost}", COLOURS[move.kind]))
        told = [move.words] if move.kind in MARKS or move.kind == "fallback" else []
        if move.habits is not None and (told or move.habits.loss >= WORTH_TELLING):
            told.append(move.habits.words)
        for words in told:
            lines += [(line, "") for line in wrap(words, width, initial_indent="    ", subsequent_indent="    ")]
    if not review.moves:
        lines.append(("There are no decisions to judge yet.", ""))
    lines.append(("", ""))
    lines += [(line, "") for line in chance_charts(review, width, ascii_only=ascii_only)]
    lines.append(("", ""))
    for seat, kept in review.accuracy.items():
        counts = review.counts[seat]
        plural = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}
        faults = ", ".join(f"{counts[kind]} {kind if counts[kind] == 1 else plural[kind]}" for kind in MARKS)
        totals = [f"{review.names[seat]}: accuracy {kept:.1f}%; {faults}"]
        if seat in review.habits_accuracy:
            totals.append(f"  by what the others' habits allowed: {review.habits_accuracy[seat]:.1f}%")
        for total in totals:
            lines += [(line, "") for line in wrap(total, width, subsequent_indent="  ")]
    judged = Counter(move.against for move in review.moves if move.is_free)
    if judged:
        counted = "; ".join(f"{against}: {_decisions(count)}" for against, count in judged.most_common())
        lines += [(line, "") for line in wrap(f"Rated {counted}.", width, subsequent_indent="  ")]
    if review.curve_source:
        told_by = f"Chances to win the game: {review.curve_source}."
        lines += [(line, "") for line in wrap(told_by, width, subsequent_indent="  ")]
    return lines


def _decisions(count: int) -> str:
    return f"{count} decision{'s' * (count != 1)}"


def print_review(review: Review, console: Console, *, ascii_only: bool = False) -> None:
    """Print a review."""
    from rich.text import Text

    ascii_only = ascii_only or needs_ascii(console)
    for line, style in review_lines(review, console.width, ascii_only=ascii_only):
        console.print(Text(line, style), soft_wrap=True)
