"""The learning curve of a champion, as a chart or as a table: how exploitable it is, and how much it mixes."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

from ..persistence import writing_whole
from .colours import GREEN, ORANGE, PURPLE
from .picture_files import new_figure, write_picture

EXPLOITABILITY = {"exploit_1v1": ("one die each", PURPLE), "exploit_1v1_exact": ("one die each, exact calls", ORANGE)}
"""What a point of the curve says about exploitability, how it is labelled, and its colour."""


def write_champion_curve(points: Sequence[Mapping[str, float]], path: Path) -> None:
    """Write the points of a run's `curve.jsonl` as a picture or, by the name of the file, as a CSV table."""
    if path.suffix == ".csv":
        columns = list(dict.fromkeys(name for point in points for name in point))
        text = StringIO()
        table = csv.DictWriter(text, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(points)
        with writing_whole("curve", path) as file:
            file.write_text(text.getvalue(), encoding="utf-8")
        return
    decisions = [point["decisions"] for point in points]
    shown = {name: style for name, style in EXPLOITABILITY.items() if any(name in point for point in points)}
    figure = new_figure(7, 4 if shown else 3)
    rows = list(figure.subplots(1 + bool(shown), 1, sharex=True, squeeze=False)[:, 0])
    for name, (label, colour) in shown.items():
        rows[0].plot(decisions, [point.get(name, float("nan")) for point in points], color=colour, label=label)
    if shown:
        rows[0].set_ylabel("exploitability")
        rows[0].set_ylim(0, 1.1 * max(point[name] for point in points for name in shown if name in point))
        rows[0].legend(loc="best", frameon=False)
    rows[-1].plot(decisions, [point["entropy"] for point in points], color=GREEN)
    rows[-1].set_ylabel("entropy in nats")
    rows[-1].set_xlabel("decisions of the learner")
    for row in rows:
        row.grid(alpha=0.3)
    write_picture("curve", path, figure)
