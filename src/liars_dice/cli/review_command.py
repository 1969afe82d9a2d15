"""`liars-dice review`: compare every decision of a recorded game with the best one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .game_lookup import find_game
from .options import ascii_option, db_option, json_option
from .output import open_console, print_json, program
from .progress import show_progress

if TYPE_CHECKING:
    from ..coach import Review
    from ..persistence import RecordedEvent

NARROW = 60
"""On terminals narrower than this, even commands are wrapped."""


@click.command("review", epilog="Example: liars-dice review last --png game.png")
@click.argument("game")
@click.option("--seat", type=int, metavar="N", help="Review only the decisions of this seat.")
@click.option(
    "--png", type=click.Path(path_type=Path), metavar="FILE", help="Also draw the chances to win as a PNG file."
)
@ascii_option
@db_option
@json_option
def review_command(
    game: str, seat: int | None, png: Path | None, ascii_only: bool, db: str | None, as_json: bool
) -> None:
    """Review every decision of a recorded game: the best one, and how much of the chance to win was given away.

    GAME is a game's id, the beginning of its id, `last`, or `worst:NAME` for the game that NAME played worst among
    those it lost.

    Each decision is judged by what its player could know. Small rounds between two players are compared with perfect
    play, all others with the best answer to a model of the opponents. The dice of an unfinished round stay hidden.
    """
    from ..coach import review_game
    from ..persistence import fallback_turns, open_store, verify_game
    from ..pictures import draw_review
    from ..terminal import print_review

    with open_store(db, must_exist=True) as store:
        events = store.events(find_game(store, game, quiet=as_json))
    state = verify_game(events)
    with show_progress("reviewing", quiet=as_json) as progress:
        review = review_game(state, seat, fallbacks=fallback_turns(events), progress=progress)
    if png is not None:
        draw_review(review, png, f"{' against '.join(review.names)}: game {events[0].game_id}")
    if as_json:
        print_json({"game_id": events[0].game_id, **review.to_dict()})
        return
    print_review(review, open_console(), ascii_only=ascii_only)
    if state.public.status == "BIDDING" and seat is None:
        click.echo("The unfinished round is not reviewed: its dice are hidden.")
    _suggest(review, events, ["--from", game, *([] if db is None else ["--db", db])])
    if png is not None:
        click.echo(f"chart: {png}")


def _suggest(review: Review, events: Sequence[RecordedEvent], origin: list[str]) -> None:
    """Print how to play on from the worst mistake: a person's, if people took part."""
    from ..persistence import is_person, lineup_of

    people = {seat for seat, words in enumerate(lineup_of(events)) if is_person(words)} & set(review.seats)
    worst = review.worst(people)
    if worst is None:
        return
    command = f"{program()} {shlex.join(['play', *origin, '--at', str(worst.turn)])}"
    console = open_console()
    said = f"Worst decision: {review.names[worst.player]}, turn {worst.turn}. To play on from there:"
    console.print(f"\n{said}", markup=False)
    console.print(f"  {command}", markup=False, soft_wrap=console.width > NARROW)
