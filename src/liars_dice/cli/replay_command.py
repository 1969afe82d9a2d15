"""`liars-dice replay`: a recorded game again, or proof that it followed the rules."""

from __future__ import annotations

import click

from .options import db_option, json_option, print_json


@click.command("replay", epilog="Example: liars-dice replay last --step")
@click.argument("game")
@click.option("--step", is_flag=True, help="Wait for Enter after each event; q leaves.")
@click.option(
    "--verify",
    is_flag=True,
    help="Say that every recorded outcome follows from the rules; what does not is never shown.",
)
@click.option("--seat", type=int, metavar="N", help="Only what this seat may know (-1: a spectator).")
@db_option
@json_option
def replay_command(game: str, step: bool, verify: bool, seat: int | None, db: str | None, as_json: bool) -> None:
    """Show a recorded game again.

    GAME is its id, the beginning of it, or `last`.
    """
    import json

    from rich.console import Console

    from ..core import ConfigError
    from ..persistence import open_store, verify_game, visible_events
    from ..persistence.codec import encode_line
    from ..play import TableView

    with open_store(db, must_exist=True) as store:
        events = store.events(store.find(game))
    state = verify_game(events)
    if seat is not None and not -1 <= seat < state.config.num_players:
        raise ConfigError("seat", seat, f"a seat from 0 to {state.config.num_players - 1}, or -1 for a spectator")
    shown = events if seat is None else list(visible_events(events, seat))
    winner = state.public.winner
    if as_json:
        print_json(
            {
                "game_id": events[0].game_id,
                "events": [json.loads(encode_line(event)) for event in shown],
                "winner": None if winner is None else state.public.names[winner],
                "verified": verify,
            }
        )
        return
    console = Console(highlight=False)
    table = TableView(console, state.public.names)
    for event in shown:
        table.show(event.payload)
        if step:
            try:
                if console.input("").strip().lower() in ("q", "quit"):
                    return
            except EOFError:
                return
    if verify:
        console.print(f"\nVerified: all {len(events)} events follow from the rules.")
