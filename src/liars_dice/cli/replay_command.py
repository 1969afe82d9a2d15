"""`liars-dice replay`: show a recorded game again, and verify it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .game_lookup import find_game
from .options import ascii_option, db_option, full_option, json_option, pace_options, traceback_option
from .output import command_line, open_console, print_json

if TYPE_CHECKING:
    from ..persistence import RollsChecked


@click.command("replay", epilog="Example: liars-dice replay last --step")
@click.argument("game")
@pace_options
@click.option("--at", "turn", type=int, metavar="TURN", help="Stop before this decision, counted from 1.")
@click.option(
    "--verify",
    is_flag=True,
    help="Confirm that every recorded outcome follows from the rules (a game that fails is never shown), and that the "
    "dice are those that the recorded seed gives. To check a commitment: liars-dice verify-fair.",
)
@click.option("--seat", type=int, metavar="N", help="Show only what this seat could see; -1 for a spectator.")
@traceback_option
@full_option
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
    tracebacks: bool,
    full: bool,
    ascii_only: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Replay a recorded game.

    GAME is a game's id, the beginning of its id, `last`, or `worst:NAME` for the game that NAME played worst among
    those it lost.

    If a person takes part in a game and it is unfinished, the dice of its last round, its seed and the bots' reasoning
    stay hidden.
    """
    import json

    from msgspec.structs import asdict

    from ..core import SPECTATOR, ConfigError
    from ..persistence import (
        check_dice,
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
    rolls = check_dice([event.payload for event in events]) if verify else None
    secret = seat is None and state.public.status != "ENDED" and any(map(is_person, lineup_of(events)))
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
                "proved": None if rolls is None else {"rules": True, "dice": _dice_proved(rolls), **asdict(rolls)},
            }
        )
        return
    console = open_console()
    table = TableView(console, state.public.names, ascii_only=ascii_only, full=full, tracebacks=tracebacks)
    show = Spectator(table, Pace(console, step=step, delay=delay))
    try:
        for event in shown:
            show(event.payload)
    except Quit:
        return
    if secret and state.public.status == "BIDDING":
        console.print("\nThe game is unfinished: the dice of this round are hidden.")
    if turn is not None:
        on = command_line("play", "--from", game, "--at", str(turn), db=db)
        console.print(f"\nPlay on from here: {on}", markup=False, soft_wrap=True)
    if rolls is not None:
        console.print(f"\nVerified: all {len(events)} events follow from the rules.", markup=False)
        console.print(_about_dice(rolls), markup=False, soft_wrap=True)


def _dice_proved(rolls: RollsChecked) -> str:
    """Which dice were rolled again: all, some or none."""
    return "none" if not rolls.rolled_again else "some" if rolls.without_seed else "all"


def _about_dice(rolls: RollsChecked) -> str:
    """What was proved about the dice, and what was not."""
    again, others = rolls.rolled_again, rolls.without_seed
    seed = "the recorded seed gives" if rolls.seeds < 2 else f"the {rolls.seeds} recorded seeds give"
    if not again:
        return "The dice are taken as recorded: the record has no seed to roll them again from."
    if others:
        return f"The dice of {again} rolls are those that {seed}; {others} have no seed and are taken as recorded."
    return f"The dice of all {again} rolls are those that {seed}."
