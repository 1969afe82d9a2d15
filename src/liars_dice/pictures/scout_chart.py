"""A picture of one or two scouted players: the calling curve, bluffs by dice left, openings and raises."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ..opponents import ODDS, Dossier, Rate
from .colours import GREY, ORANGE, PURPLE
from .picture_files import check_picture, hide_frame, new_figure, write_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (PURPLE, ORANGE)
MARKERS = ("o", "s")
APART = 0.3
"""How far apart two players' marks are, so that both can be seen."""


def draw_dossiers(dossiers: Sequence[Dossier], path: Path) -> None:
    """Write a picture of one player, or of two side by side. Rates that rest on too little are left out."""
    check_picture("chart", path)
    figure = new_figure(10, 3.8)
    calling, bluffs, habits = figure.subplots(1, 3, width_ratios=(4, 3, 3))
    steps = list(pairwise(ODDS))
    labels = [f"{low:.0%}\nto {high:.0%}" for low, high in steps]
    _draw(calling, dossiers, [[*dossier.calling] for dossier in dossiers], labels)
    calling.set_xlabel("how likely the bid was, to the player's eyes")
    calling.set_ylabel("called liar, in percent")
    groups = _longest([[group.label.removesuffix(" left") for group in dossier.by_own_dice] for dossier in dossiers])
    by_dice = [
        {group.label.removesuffix(" left"): group.bluffs for group in dossier.by_own_dice} for dossier in dossiers
    ]
    rates = [[found.get(label, Rate(0, 0)) for label in groups] for found in by_dice]
    _draw(bluffs, dossiers, rates, [label.replace(" ", "\n") for label in groups])
    bluffs.set_xlabel("own dice left")
    bluffs.set_ylabel("bids that are bluffs, in percent")
    openings = [dossier.openings for dossier in dossiers]
    told = [
        [
            Rate(0, 0) if opening is None else opening.best_face,
            Rate(0, 0) if opening is None else opening.more_than_held,
            dossier.jumps,
            dossier.keeps_face,
        ]
        for dossier, opening in zip(dossiers, openings, strict=True)
    ]
    _draw(habits, dossiers, told, ["opens on\nbest face", "opens\nabove held", "jumps", "keeps\nthe face"])
    habits.set_ylabel("how often, in percent")
    names = " and ".join(f"{dossier.player} ({dossier.rounds} rounds)" for dossier in dossiers)
    figure.suptitle(names.replace("$", r"\$"), fontsize=11)
    if len(dossiers) > 1:
        calling.legend(loc="upper right", frameon=False, fontsize=8)
    write_picture("chart", path, figure)


def _longest(lists: Sequence[list[str]]) -> list[str]:
    return max(lists, key=len, default=[])


def _draw(axes: Axes, dossiers: Sequence[Dossier], rates: Sequence[Sequence[Rate]], labels: Sequence[str]) -> None:
    """One mark per rate that may be told, with its 95% interval."""
    for number, (dossier, found) in enumerate(zip(dossiers, rates, strict=True)):
        shift = (number - (len(dossiers) - 1) / 2) * APART
        shown = [(place + shift, rate) for place, rate in enumerate(found) if rate.is_told]
        name = dossier.player.replace("$", r"\$")
        axes.plot(
            [place for place, _ in shown],
            [100 * rate.value for _, rate in shown],
            MARKERS[number],
            color=COLOURS[number],
            label=name,
        )
        for place, rate in shown:
            low, high = rate.ci95
            axes.plot([place, place], [100 * low, 100 * high], color=COLOURS[number], linewidth=1.2)
            axes.annotate(
                str(rate.of),
                (place, 100 * high),
                xytext=(0, 4),
                textcoords="offset points",
                fontsize=6,
                color=GREY,
                ha="center",
            )
    axes.set_xticks(range(len(labels)), labels, fontsize=7)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.set_ylim(-2, 109)
    hide_frame(axes)
