"""`liars-dice replay`: show a recorded game again, and verify it."""

from __future__ import annotations

import click

from .game_lookup import find_game
from .options import ascii_option, db_option, json_option, pace_options
from .output import command_line, open_console, print_json


@click.command("replay", epilog="Example: liars-dice replay last --step")
@click.argument("game")
@pace_options
@click.option("--at", "turn", type=int, metavar="TURN", help="Stop before this decision, counted from 1.")
@click.option(
    "--verify",
    is_flag=True,
    help="Confirm that every recorded outcome follows from the rules. (A game that fails is never shown.)",
)
@click.option("--seat", type=int, metavar="N", help="Show only what this seat could see; -1 for a spectator.")
@ascii_option
@db_option
@json_option
def replay_command(
    game: str,
    step: bool,
    delay: float,
    turn: int | None,
    verify: bool,
    seat: int | None,
    ascii_only: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Replay a recorded game.

    GAME is a game's id, the beginning of its id, `last`, or `worst:NAME` for the game that NAME played worst among
    those it lost.

    If a person takes part in a game and it is unfinished, the dice of its last round and the bots' reasoning stay
    hidden.
    """
    import json

    from ..core import SPECTATOR, ConfigError
    from ..persistence import (
        encode_line,
        is_person,
        lineup_of,
        open_store,
        verify_game,
        version_at_turn,
        visible_events,
    )
    from ..terminal import Pace, Quit, Spectator, TableView

    with open_store(db, must_exist=True) as store:
        events = store.events(find_game(store, game, quiet=as_json))
    state = verify_game(events)
    if seat is not None and not -1 <= seat < state.config.num_players:
        raise ConfigError("seat", seat, f"a seat from 0 to {state.config.num_players - 1}, or -1 for a spectator")
    secret = seat is None and state.public.status == "BIDDING" and any(map(is_person, lineup_of(events)))
    if secret:
        seat = SPECTATOR
    shown = events if seat is None else list(visible_events(events, seat))
    if turn is not None:
        version = version_at_turn(events, turn)
        shown = [event for event in shown if event.version < version]
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
    console = open_console()
    show = Spectator(
        TableView(console, state.public.names, ascii_only=ascii_only), Pace(console, step=step, delay=delay)
    )
    try:
        for event in shown:
            show(event.payload)
    except Quit:
        return
    if secret:
        console.print("\nThe game is unfinished: the dice of this round are hidden.")
    if turn is not None:
        on = command_line("play", "--from", game, "--at", str(turn), db=db)
        console.print(f"\nPlay on from here: {on}", markup=False, soft_wrap=True)
    if verify:
        console.print(f"\nVerified: all {len(events)} events follow from the rules.")
