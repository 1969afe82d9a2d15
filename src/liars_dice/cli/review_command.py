"""`liars-dice review`: compare every decision of a recorded game with the best one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .game_lookup import find_game, seat_of
from .options import ascii_option, chart_option, db_option, json_option
from .output import open_console, print_json, program
from .progress import show_progress

if TYPE_CHECKING:
    from ..coach import Review
    from ..persistence import RecordedEvent

NARROW = 60
"""On terminals narrower than this, even commands are wrapped."""


@click.command("review", epilog="Example: liars-dice review last --chart game.png")
@click.argument("game")
@click.option("--seat", type=int, metavar="N", help="Review only the decisions of this seat, counted from 0.")
@click.option("--player", metavar="NAME", help="Review only the decisions of this player: a name, or a bot's file.")
@chart_option("the chances to win")
@ascii_option
@db_option
@json_option
def review_command(
    game: str,
    seat: int | None,
    player: str | None,
    chart: Path | None,
    ascii_only: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Review every decision of a recorded game: the best one, and how much of the chance to win was given away.

    GAME is a game's id, the beginning of its id, `last`, or `worst:NAME` for the game that NAME played worst among
    those it lost.

    Each decision is judged by what its player could know. Small rounds between two players are compared with perfect
    play, all others with the best answer to a model of the opponents. The dice of an unfinished round stay hidden.

    At the end it says what the others could know of the people who played, or of the player that was named: all dice
    are shown after every round.

    The review of a finished game is kept in the store, so that it is computed only once.
    """
    if seat is not None and player is not None:
        raise click.UsageError("--seat and --player cannot be combined: both say whose decisions to review.")
    from ..coach import KeptReviews
    from ..persistence import final_state, open_store
    from ..pictures import draw_review
    from ..terminal import known_after, print_known, print_review

    with open_store(db, must_exist=True) as store:
        game_id = find_game(store, game, quiet=as_json)
        events = store.events(game_id)
        seat = seat if player is None else seat_of(events, player)
        with show_progress("reviewing", quiet=as_json) as progress:
            review = KeptReviews(store, game_id).review(events, seat, progress=progress)
    if chart is not None:
        draw_review(review, chart, f"{' against '.join(review.names)}: game {game_id}")
    seats = _people(review, events) if seat is None else {seat} & set(review.seats)
    known = [known_after(events, one) for one in sorted(seats)]
    if as_json:
        print_json({"game_id": game_id, **review.to_dict(), "known": [dossier.to_dict() for dossier in known]})
        return
    console = open_console()
    console.print(_seats(review), markup=False)
    print_review(review, console, ascii_only=ascii_only)
    for dossier in known:
        print_known(dossier, console)
    if review.winner is None and seat is None and final_state(events).public.status == "BIDDING":
        click.echo("The unfinished round is not reviewed: its dice are hidden.")
    _suggest(review, events, ["--from", game, *([] if db is None else ["--db", db])])
    if chart is not None:
        click.echo(f"chart: {chart}")


def _seats(review: Review) -> str:
    """Who sits where."""
    return "; ".join(f"{'Seat' if seat == 0 else 'seat'} {seat}: {name}" for seat, name in enumerate(review.names))


def _people(review: Review, events: Sequence[RecordedEvent]) -> set[int]:
    """The seats of people among those that were reviewed."""
    from ..persistence import is_person, lineup_of

    return {seat for seat, words in enumerate(lineup_of(events)) if is_person(words)} & set(review.seats)


def _suggest(review: Review, events: Sequence[RecordedEvent], origin: list[str]) -> None:
    """Print how to play on from the worst mistake: a person's, if people took part."""
    worst = review.worst(_people(review, events))
    if worst is None:
        return
    command = f"{program()} {shlex.join(['play', *origin, '--at', str(worst.turn)])}"
    console = open_console()
    said = f"Worst decision: {review.names[worst.player]}, turn {worst.turn}. To play on from there:"
    console.print(f"\n{said}", markup=False)
    console.print(f"  {command}", markup=False, soft_wrap=console.width > NARROW)
