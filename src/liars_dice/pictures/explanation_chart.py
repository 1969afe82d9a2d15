"""One decision of a solved round as a picture: how often each action is taken, and what it is worth."""

from __future__ import annotations

from pathlib import Path

from ..exact.solver import Explanation, choices_to_show
from .png_files import blank, check_png, write_png


def draw_explanation(explanation: Explanation, title: str, path: Path, most: int = 12) -> None:
    """Write a PNG: for every action a bar as long as it is often taken, and a mark at what it is worth."""
    check_png("png", path)
    choices = choices_to_show(explanation, most)
    figure = blank(7, 1.6 + 0.32 * len(choices))
    often, worth = figure.subplots(1, 2, sharey=True)
    rows = range(len(choices))
    often.barh(rows, [100 * choice.chance for choice in choices], color="#5e3c99")
    often.set_yticks(rows, [str(choice.action) for choice in choices])
    often.invert_yaxis()
    often.set_xlim(0, 100)
    often.set_xlabel("how often, in percent")
    worth.axvline(0, color="#999999", linewidth=1)
    worth.barh(rows, [choice.value for choice in choices], color="#fdb863", edgecolor="#b35806")
    best = max(rows, key=lambda row: choices[row].value)
    worth.plot(choices[best].value, best, marker="D", color="black", markersize=5, linestyle="none", label="best")
    worth.set_xlim(-1.05, 1.05)
    worth.set_xlabel("value: +1 won, -1 lost")
    worth.legend(loc="lower right", frameon=False)
    for axes in (often, worth):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="x", alpha=0.3)
        axes.set_axisbelow(True)
    figure.suptitle(title, fontsize=11)
    write_png("png", path, figure)
