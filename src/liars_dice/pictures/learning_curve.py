"""A chart of learning curves: the exact W during training, and W*, which no policy can exceed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..core import BadValueError
from ..learn import Model
from .colours import GREEN, GREY, INK, ORANGE, PURPLE
from .png_files import new_figure, write_png

STYLES = ((PURPLE, "-"), (ORANGE, "--"), (GREEN, "-."), (GREY, ":"))
"""Colour and line of each curve."""


def check_comparable(model: Model, others: Sequence[Model]) -> None:
    """Raise `BadValueError` unless all models were trained against the same opponent under the same rules."""
    for other in others:
        mine, theirs = ((one.training.opponent, one.training.rules().dice) for one in (model, other))
        if mine != theirs:
            expected = f"a model trained against {mine[0]} with dice {mine[1]}, or the curves could not be compared"
            raise BadValueError("beside", f"{theirs[0]}, dice {theirs[1]}", expected)


def draw_curve(models: Sequence[Model], optimum: float | None, path: Path) -> None:
    """Write a PNG with each model's curve, and W* as a line if it is known."""
    figure = new_figure(7, 4)
    axes = figure.add_subplot()
    if optimum is not None:
        axes.axhline(100 * optimum, color=INK, linewidth=1)
        place = (1, 100 * optimum)
        axes.annotate(f"W* = {100 * optimum:.2f}%", place, xycoords=("axes fraction", "data"), va="bottom", ha="right")
    for i, model in enumerate(models):
        colour, line = STYLES[i % len(STYLES)]
        training = model.training
        label = f"{training.algorithm}, {training.basis} basis"
        axes.plot(
            [point.games for point in model.curve],
            [100 * point.win_rate for point in model.curve],
            color=colour,
            linestyle=line,
            label=label,
        )
    axes.set_xscale("symlog", linthresh=max(point.games for point in models[0].curve) / 10_000 or 1)
    axes.set_xlabel("games")
    axes.set_ylabel("W, exact, in percent")
    axes.set_title(f"against {models[0].training.opponent}, dice {models[0].training.rules().dice}")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", frameon=False)
    write_png("curve", path, figure)
