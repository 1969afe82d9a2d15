"""A chart of one decision in a solved round: how often each action is taken, and what it is worth."""

from __future__ import annotations

from pathlib import Path

from ..exact.solver import Explanation, choices_to_show
from .colours import GREY, INK, LIGHT_ORANGE, ORANGE, PURPLE
from .picture_files import check_picture, hide_frame, new_figure, write_picture


def draw_explanation(explanation: Explanation, title: str, path: Path, most: int = 12) -> None:
    """Write a picture with two bars per action: how often it is taken, and its value."""
    check_picture("chart", path)
    choices = choices_to_show(explanation, most)
    figure = new_figure(7, 1.6 + 0.32 * len(choices))
    often, worth = figure.subplots(1, 2, sharey=True)
    rows = range(len(choices))
    often.barh(rows, [100 * choice.chance for choice in choices], color=PURPLE)
    often.set_yticks(rows, [str(choice.action) for choice in choices])
    often.invert_yaxis()
    often.set_xlim(0, 100)
    often.set_xlabel("how often, in percent")
    worth.axvline(0, color=GREY, linewidth=1)
    worth.barh(rows, [choice.value for choice in choices], color=LIGHT_ORANGE, edgecolor=ORANGE)
    best = max(rows, key=lambda row: choices[row].value)
    worth.plot(choices[best].value, best, marker="D", color=INK, markersize=5, linestyle="none", label="best")
    worth.set_xlim(-1.05, 1.05)
    worth.set_xlabel("value: +1 won, -1 lost")
    worth.legend(loc="lower right", frameon=False)
    for axes in (often, worth):
        hide_frame(axes)
        axes.grid(axis="x", alpha=0.3)
        axes.set_axisbelow(True)
    figure.suptitle(title, fontsize=11)
    write_picture("chart", path, figure)
