"""What the others could know of a player after a game, as text."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from ..opponents import Dossier
    from ..persistence import RecordedEvent


def known_after(events: Sequence[RecordedEvent], seat: int) -> Dossier:
    """What the finished rounds of this game show of the player in a seat."""
    from ..opponents import PlayedRound, recorded_rounds, scout
    from ..persistence import summarise

    game = summarise(list(events))
    return scout(game.names[seat], [PlayedRound(game, played, seat) for played in recorded_rounds(events)])


def print_known(dossier: Dossier, console: Console) -> None:
    """Print what the others could know."""
    from ..opponents import basis, findings

    width = max(20, console.width)
    console.print(f"\nWhat they could know of {dossier.player}", style="bold", markup=False)
    told = [basis(dossier), *(sentence for _, sentences in findings(dossier) for sentence in sentences)]
    for sentence in told:
        for line in wrap(sentence, width, initial_indent="  ", subsequent_indent="  "):
            console.print(line, markup=False, soft_wrap=True)
