"""Charts of a tournament: win rates, significance, ratings, and how rounds go.

Agents appear in the order of the ranking. Purple is better and orange is worse, and a number, a symbol or a position
always says the same. The same result gives the same bytes (`chart_bytes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..numeric import Floats
from ..tournament import PairingResult, RoundRate, Standing, TournamentResult
from .colours import GREY, INK, LIGHT_ORANGE, ORANGE, PALE, PURPLE, SILVER
from .picture_files import new_figure, picture_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 12
"""How many agents `breakdown` shows, the best first."""
NUMBERED = 15
"""With at most this many agents, each cell of the heatmap shows its number."""

WIDTH = 6.4
"""The width of a chart with one line per agent, in inches."""


def ranked(result: TournamentResult) -> list[list[PairingResult | None]]:
    """The cells with rows and columns in the order of the ranking."""
    order = [result.agents.index(standing.agent) for standing in result.ranking]
    return [[result.cells[i][j] for j in order] for i in order]


def heatmap(result: TournamentResult) -> Figure:
    """How often the agent in each row beats the agent in each column."""
    from matplotlib import colormaps

    cells = ranked(result)
    rates = np.array([[np.nan if cell is None else cell.win_rate for cell in row] for row in cells])
    spread = max(0.1, np.ceil(np.nanmax(np.abs(rates - 0.5), initial=0) * 10 - 1e-9) / 10)
    figure, axes, size = _grid(result.ranking)
    colours = colormaps["PuOr"].with_extremes(bad=SILVER)
    image = axes.imshow(rates, cmap=colours, vmin=0.5 - spread, vmax=0.5 + spread)
    brightness = np.asarray(colours(image.norm(rates)))[..., :3] ** 2.2 @ [0.2126, 0.7152, 0.0722]
    ink = np.where(brightness < 0.18, "white", "black")  # the one with more contrast, at least 4.5
    numbered = len(cells) <= NUMBERED
    if numbered:
        for i, j in np.argwhere(~np.isnan(rates)):
            axes.text(j, i, f"{100 * rates[i, j]:.1f}", ha="center", va="center", fontsize=9, color=ink[i, j])
    rows, columns = np.nonzero(_verdicts(cells) == 0)
    shift, area = (0.36, 12) if numbered else (0, 6)
    axes.scatter(columns + shift, rows - shift, s=area, c=ink[rows, columns], linewidths=0)
    side = size * len(cells)
    bar = figure.add_axes((side + 0.2, 0, 0.15, side))
    figure.colorbar(image, cax=bar, format=_percent)
    bar.tick_params(labelsize=9, length=0, labelcolor=INK)
    bar.spines[:].set_visible(False)
    return figure


def significance(result: TournamentResult) -> Figure:
    """Which differences are significant: whether the agent in each row is better, worse, or neither."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    verdicts = _verdicts(ranked(result))
    figure, axes, size = _grid(result.ranking)
    colours = ListedColormap([LIGHT_ORANGE, "white", PURPLE])
    axes.imshow(verdicts, cmap=colours.with_extremes(bad=SILVER), vmin=-1, vmax=1)
    even = "exact tie" if result.method == "exact" else "undecided"
    patches = []
    signs = ((1, "+", "white", "+  better"), (0, ".", INK, f"•  {even}"), (-1, "_", INK, "−  worse"))
    for value, marker, ink, name in signs:
        rows, columns = np.nonzero(verdicts == value)
        width = min(18, 36 * size)
        axes.plot(columns, rows, linestyle="", marker=marker, color=ink, markersize=width, mew=max(0.8, width / 9))
        patches.append(Patch(facecolor=colours(value + 1), edgecolor=GREY, linewidth=0.5, label=name))
    figure.legend(handles=patches, loc="upper left", bbox_to_anchor=(0, -0.05), ncols=3, frameon=False, fontsize=9)
    return figure


def ratings(result: TournamentResult) -> Figure:
    """The rating of each agent that has played, with its interval where there is one."""
    figure = _figure()
    axes = _rows(figure, result.ranking)
    for row, standing in enumerate(result.ranking):
        if standing.rating_interval is not None:
            axes.plot(standing.rating_interval, (row, row), color=PURPLE, alpha=0.4, linewidth=4)
        if standing.games != 0:
            axes.plot(standing.rating, row, "o", color=PURPLE, markersize=6)
    axes.ticklabel_format(axis="x", useOffset=False)
    scale = "Elo scale, mean 1500" if result.settings.kind == "round-robin" else "OpenSkill"
    barred = any(standing.rating_interval is not None for standing in result.ranking)
    axes.set_xlabel(f"{scale}, with 95\u202f% intervals" if barred else scale, color=INK, fontsize=9)
    return figure


def breakdown(result: TournamentResult) -> Figure | None:
    """How often the best agents win rounds, by who opens and by number of dice; None if rounds were not counted."""
    top = result.ranking[:SHOWN]
    figure = _figure()
    opening, answering = [_share(one.opening) for one in top], [_share(one.answering) for one in top]
    if not np.all(np.isnan([opening, answering])):
        axes = _rows(figure, top)
        axes.hlines(range(len(top)), opening, answering, color=GREY, linewidth=1)
        axes.plot(opening, range(len(top)), "o", color=PURPLE, label="opens the round")
        axes.plot(answering, range(len(top)), "D", color=ORANGE, label="does not open")
        axes.set_xlabel("rounds won", color=INK, fontsize=9)
        axes.locator_params(axis="x", steps=(1, 2, 5, 10))
        axes.xaxis.set_major_formatter(_percent)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=9, labelcolor=INK)
    curves = {one.agent: {n: _share(rate) for n, rate in sorted(one.by_dice.items())} for one in top if one.by_dice}
    for panel, agent in enumerate(curves):
        row, column = divmod(panel, 4)
        axes = figure.add_axes((column * WIDTH / 4, -2 - row * 1.6, WIDTH / 4 - 0.15, 1.1))
        for other, curve in curves.items():
            colour, width, order = (PURPLE, 2, 3) if other == agent else (SILVER, 0.8, 2)
            axes.plot(list(curve), list(curve.values()), "o-", color=colour, lw=width, ms=1.5 * width, zorder=order)
        _plain(axes)
        axes.set_title(_label(agent, 18), fontsize=9, color=INK, parse_math=False)
        axes.yaxis.set_major_formatter(_percent)
        axes.tick_params(labelleft=column == 0)
        axes.set_xticks(sorted({n for curve in curves.values() for n in curve}))
        if panel + 4 >= len(curves):
            axes.set_xlabel("the agent's dice", color=INK, fontsize=9)
    return figure if figure.axes else None


def _verdicts(cells: list[list[PairingResult | None]]) -> Floats:
    return np.array([[np.nan if cell is None else cell.verdict for cell in row] for row in cells])


def _share(rate: RoundRate | None) -> float:
    """The share of rounds won; NaN if there were none."""
    return rate.rate if rate is not None and rate.rounds else np.nan


def _figure() -> Figure:
    """A figure of one inch by one, so that axes are placed in inches; `chart_bytes` saves what lies outside it too."""
    return new_figure(1, 1, layout=None)


def chart_bytes(chart: Figure, kind: str = "png") -> bytes:
    """A chart as the bytes of a file, with all that lies outside the figure's one inch by one."""
    return picture_bytes(chart, kind, bbox_inches="tight", pad_inches=0.15)


def _grid(ranking: Sequence[Standing]) -> tuple[Figure, Axes, float]:
    """Axes with a square for each pair of agents, and the width of a square in inches."""
    n = len(ranking)
    size = max(0.16, min(1.0, 7 / n))
    figure = _figure()
    axes = figure.add_axes((0, 0, n * size, n * size))
    labels = [_label(one.agent) for one in ranking]
    font = max(6.5, min(9, 30 * size))
    axes.set_yticks(range(n), labels, fontsize=font, parse_math=False)
    slant = {"rotation": 90} if size < 0.3 else {"rotation": 40, "ha": "left", "rotation_mode": "anchor"}
    axes.set_xticks(range(n), labels, fontsize=font, parse_math=False, **slant)
    axes.tick_params(length=0, labelcolor=INK, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.set_xticks(np.arange(1, n) - 0.5, minor=True)
    axes.set_yticks(np.arange(1, n) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1 if size > 0.3 else 0.5)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)
    return figure, axes, size


def _rows(figure: Figure, ranking: Sequence[Standing]) -> Axes:
    """Axes with one line per agent, the best at the top."""
    n = len(ranking)
    step = 0.3 if n <= 20 else 0.18
    axes = figure.add_axes((0, 0, WIDTH, n * step))
    _plain(axes)
    axes.set_yticks(range(n), [_label(one.agent) for one in ranking], parse_math=False)
    axes.tick_params(labeltop=n > 20)
    axes.set_ylim(n - 0.5, -0.5)
    return axes


def _plain(axes: Axes) -> None:
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(color=PALE)
    axes.tick_params(length=0, labelsize=9, labelcolor=INK)


def _percent(rate: float, _: object) -> str:
    return f"{100 * rate:.3g}\u202f%"


def _label(name: str, width: int = 24) -> str:
    """A name in characters the font has, shortened in the middle if it is too long."""
    known = _characters()
    name = "".join(letter if ord(letter) in known else "\N{REPLACEMENT CHARACTER}" for letter in name)
    return name if len(name) <= width else f"{name[: width // 2 - 1]}…{name[-(width // 2) :]}"


@cache
def _characters() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap()) - {10, 13}
