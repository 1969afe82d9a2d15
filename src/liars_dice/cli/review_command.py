"""`liars-dice review`: every decision of a recorded game, with the best one and what was given away."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .game_names import find_game
from .options import ascii_option, db_option, json_option, open_console, print_json, program
from .running import show_progress

if TYPE_CHECKING:
    from ..coach import Review
    from ..persistence import RecordedEvent

NARROW = 60
"""Below this width even commands are broken into lines."""


@click.command("review", epilog="Example: liars-dice review last --png game.png")
@click.argument("game")
@click.option("--seat", type=int, metavar="N", help="Only the decisions of this seat.")
@click.option("--png", type=click.Path(path_type=Path), metavar="FILE", help="Draw the chances to win into this file.")
@ascii_option
@db_option
@json_option
def review_command(
    game: str, seat: int | None, png: Path | None, ascii_only: bool, db: str | None, as_json: bool
) -> None:
    """Judge every decision of a recorded game: the best one, and the chance to win that was given away.

    GAME is its id, the beginning of it, `last`, or `worst:NAME`: of the games that NAME lost, the one it played worst.

    Each decision is judged by what its player could know. Small rounds between two players are measured against perfect
    play, all others against a model of the opponents. The dice of a round that is not over stay hidden.
    """
    from ..coach import review_game
    from ..persistence import open_store, verify_game
    from ..pictures import draw_review
    from ..terminal import print_review

    with open_store(db, must_exist=True) as store:
        events = store.events(find_game(store, game, quiet=as_json))
    state = verify_game(events)
    with show_progress("reviewing", quiet=as_json) as progress:
        review = review_game(state, seat, progress=progress)
    if png is not None:
        draw_review(review, png, f"{' against '.join(review.names)}: game {events[0].game_id}")
    if as_json:
        print_json({"game_id": events[0].game_id, **review.to_dict()})
        return
    print_review(review, open_console(), ascii_only=ascii_only)
    if state.public.status == "BIDDING" and seat is None:
        click.echo("The round under way is not judged: its dice are hidden.")
    _suggest(review, events, ["--from", game, *([] if db is None else ["--db", db])])
    if png is not None:
        click.echo(f"drawn into {png}")


def _suggest(review: Review, events: Sequence[RecordedEvent], origin: list[str]) -> None:
    """How to play on from the worst mistake: of the people who played, if there were any."""
    from ..persistence import is_person, lineup_of

    people = {seat for seat, words in enumerate(lineup_of(events)) if is_person(words)} & set(review.seats)
    worst = review.worst(people)
    if worst is None:
        return
    command = f"{program()} {shlex.join(['play', *origin, '--at', str(worst.turn)])}"
    console = open_console()
    said = f"{review.names[worst.player]} gave most away in turn {worst.turn}. Play on from there, and do better:"
    console.print(f"\n{said}", markup=False)
    console.print(f"  {command}", markup=False, soft_wrap=console.width > NARROW)
