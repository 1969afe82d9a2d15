"""Learning curves as a chart or as a table: W during training below W*, J, and the TD error of Q-learning."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from ..core import BadValueError
from ..learn import CurvePoint, Model
from ..persistence import check_output_file, writing_whole
from .colours import GREEN, GREY, INK, ORANGE, PURPLE
from .picture_files import ENDINGS, check_plots, new_figure, write_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = ((PURPLE, "-"), (ORANGE, "--"), (GREEN, "-."), (GREY, ":"))
"""Colour and line of each model."""


def check_comparable(model: Model, others: Sequence[Model]) -> None:
    """Raise `BadValueError` unless all models were trained against the same opponent under the same rules."""
    for other in others:
        mine, theirs = ((one.training.opponent, one.training.rules().dice) for one in (model, other))
        if mine != theirs:
            expected = f"a model trained against {mine[0]} with dice {mine[1]}, or the curves could not be compared"
            raise BadValueError("beside", f"{theirs[0]}, dice {theirs[1]}", expected)


def check_curve_file(path: Path) -> None:
    """Raise `BadValueError` unless this is the name of a picture or of a CSV file."""
    if path.suffix not in (*ENDINGS, ".csv"):
        raise BadValueError("curve", str(path), "a file whose name ends in .png, .pdf, .svg or .csv")
    check_output_file("curve", path)
    if path.suffix != ".csv":
        check_plots()


def write_curve(models: Sequence[Model], optimum: float | None, path: Path, *, greedy: bool = False) -> None:
    """Write the curves as a picture or, by the name of the file, as a CSV table with all figures."""
    if path.suffix == ".csv":
        _write_table(models, path)
    else:
        _draw(models, optimum, path, greedy=greedy)


def _draw(models: Sequence[Model], optimum: float | None, path: Path, *, greedy: bool = False) -> None:
    """A curve of W for each model, and W* as a line if it is known; below them J of policy gradient and the TD error of
    Q-learning. The W of policy gradient is that of π_θ, or with `greedy` that of the greedy policy.
    """
    has_objective = not greedy and any(point.objective is not None for model in models for point in model.curve)
    has_error = any(point.td_error is not None for model in models for point in model.curve)
    panels = 1 + has_objective + has_error
    figure = new_figure(7, 4 + 2 * (panels - 1))
    heights = [4, *[2] * (panels - 1)]
    rows: list[Axes] = list(figure.subplots(panels, 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0])
    axes = rows[0]
    if optimum is not None:
        axes.axhline(100 * optimum, color=INK, linewidth=1)
        place = (1, 100 * optimum)
        axes.annotate(f"W* = {100 * optimum:.2f}%", place, xycoords=("axes fraction", "data"), va="bottom", ha="right")
    for i, model in enumerate(models):
        colour, line = STYLES[i % len(STYLES)]
        kind, policy = _label(model), "greedy"
        rates = [point.win_rate for point in model.curve]
        if not greedy and any(point.policy_win_rate is not None for point in model.curve):
            policy = "softmax"
            rates = [_number(point.policy_win_rate) for point in model.curve]
        games = [point.games for point in model.curve]
        axes.plot(games, [100 * r for r in rates], color=colour, linestyle=line, label=f"{kind}: the {policy} policy")
        if has_objective:
            values = [_number(point.objective) for point in model.curve]
            rows[1].plot(games, values, color=colour, linestyle=line)
        if has_error:
            rows[-1].plot(games, [_number(p.td_error) for p in model.curve], color=colour, linestyle=line)
            expected = [_number(p.bellman_error) for p in model.curve]
            rows[-1].plot(games, expected, color=colour, linestyle=line, alpha=0.45)
    axes.set_xscale("symlog", linthresh=max(point.games for point in models[0].curve) / 10_000 or 1)
    axes.set_ylabel("W in percent")
    axes.set_title(f"against {models[0].training.opponent}, dice {models[0].training.rules().dice}")
    axes.legend(loc="best", frameon=False)
    if has_objective:
        rows[1].set_ylabel("J, softmax policy")
    if has_error:
        rows[-1].set_ylabel("TD error\n(pale: expected)")
        rows[-1].set_ylim(bottom=0)
    rows[-1].set_xlabel("games")
    for row in rows:
        row.grid(alpha=0.3)
    write_picture("curve", path, figure)


def _label(model: Model) -> str:
    return f"{model.training.algorithm}, {model.training.basis} basis"


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _write_table(models: Sequence[Model], path: Path) -> None:
    """One line for each point of each model; a figure that is not known is left empty."""
    text = StringIO()
    columns = CurvePoint.__struct_fields__
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("model", *columns))
    for model in models:
        for point in model.curve:
            table.writerow((_label(model), *(getattr(point, name) for name in columns)))
    with writing_whole("curve", path) as file:
        file.write_text(text.getvalue(), encoding="utf-8")
