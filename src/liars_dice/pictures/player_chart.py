"""A picture of a player's record: accuracy over time, and wins beside chance by table size."""

from __future__ import annotations

from pathlib import Path

from ..coach import PlayerStats
from .colours import GREY, INK, PURPLE, SILVER
from .picture_files import check_picture, hide_frame, new_figure, write_picture

SMOOTHED = 10
"""The line shows the mean accuracy of the last games up to each, at most this many."""


def draw_player_stats(stats: PlayerStats, path: Path) -> None:
    """Write a picture of a player's accuracy over time, and of the win rate beside chance at each size of table."""
    check_picture("chart", path)
    figure = new_figure(9, 3.6)
    over_time, by_size = figure.subplots(1, 2, width_ratios=(3, 2))
    accuracies = [game.accuracy for game in stats.over_time]
    numbers = range(1, len(accuracies) + 1)
    for won, marker, label in ((True, "o", "won"), (False, "x", "lost")):
        shown = [(n, game.accuracy) for n, game in zip(numbers, stats.over_time, strict=True) if game.won is won]
        if shown:
            over_time.plot(*zip(*shown, strict=True), marker, color=GREY, markersize=4, linestyle="none", label=label)
    means = [sum(accuracies[max(0, n - SMOOTHED) : n]) / min(n, SMOOTHED) for n in numbers]
    over_time.plot(numbers, means, color=PURPLE, linewidth=1.8, label=f"mean of the last {SMOOTHED} games")
    over_time.set_ylim(-2, 102)
    over_time.set_xlabel("game, oldest first")
    over_time.set_ylabel("accuracy, in percent")
    if accuracies:
        over_time.legend(loc="lower right", frameon=False, fontsize=8)
    sizes = list(stats.by_size.values())
    places = range(len(sizes))
    by_size.bar(places, [100 * record.win_rate for record in sizes], color=SILVER, width=0.6)
    for place, record in zip(places, sizes, strict=True):
        low, high = (100 * end for end in record.ci95)
        fair = 100 * record.by_chance / record.games
        labels = ("95% interval", "by chance") if place == 0 else ("", "")  # named once in the legend
        by_size.plot([place, place], [low, high], color=INK, linewidth=1.2, label=labels[0])
        by_size.plot([place - 0.4, place + 0.4], [fair, fair], color=PURPLE, linewidth=1.8, label=labels[1])
    by_size.set_xticks(list(places), [f"{size}\n({record.games})" for size, record in stats.by_size.items()])
    by_size.set_ylim(0, 102)
    by_size.set_xlabel("players at the table (games)")
    by_size.set_ylabel("games won, in percent")
    by_size.legend(loc="upper right", frameon=False, fontsize=8)
    for axes in (over_time, by_size):
        hide_frame(axes)
    figure.suptitle(stats.player.replace("$", r"\$"), fontsize=11)
    write_picture("chart", path, figure)
