"""`liars-dice train clone`: copy a player from recorded games."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from .game_filters import rules_filter, since_option
from .game_lookup import known_player
from .options import json_option
from .output import command_line, number_of, print_json
from .progress import show_progress


@click.command(
    "clone",
    epilog="Example: liars-dice train clone --player Ann --from games.db --out ann.json, then "
    "liars-dice play --opponent clone:ann.json",
)
@click.option("--player", required=True, metavar="NAME", help="Whom to copy: a name in the store, or a bot's file.")
@click.option(
    "--from",
    "db",
    metavar="FILE|URL",
    help="Store of recorded games. [default: $LIARS_DICE_DB, or a file in your data directory]",
)
@rules_filter
@since_option
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="File for the clone (.json)."
)
@json_option
def train_clone_command(
    player: str, db: str | None, rules: str | None, since: datetime | None, out: Path, as_json: bool
) -> None:
    """Copy a player: learn from recorded games what the player does, and write a bot that does the same.

    clone:FILE plays with any number of players and by any rules; it is a good copy in positions like those that were
    recorded. It decides by its dice, the current bid and the number of other dice alone, so that `exploit` and
    `matchup --exact` can measure it; how the player reacts to earlier bids is not copied.
    """
    from ..opponents import games_of, learn_clone, rounds_of_player
    from ..persistence import check_output_file, open_store

    check_output_file("out", out, begins=b"{")
    with open_store(db, must_exist=True) as store:
        name = known_player(store, player)
        games = games_of(store, name, rules=rules, since=since)[::-1]
        with show_progress("learning from games", quiet=as_json) as progress:
            rounds = rounds_of_player(store, name, games, progress=progress)
            clone = learn_clone(name, ((played, seat) for _, played, seat in rounds))
    clone.save(out)
    uniform = clone.uniform_loss
    if as_json:
        print_json(
            {
                "algorithm": "clone",
                "player": name,
                "rules": rules,
                "games": len(games),
                "rounds": clone.rounds,
                "decisions": clone.decisions,
                "log_loss": clone.log_loss,
                "log_loss_uniform": uniform,
                "weights": clone.weights,
                "bots": clone.bots,
                "out": str(out),
            }
        )
        return
    click.echo(
        f"{name}: learnt from {number_of(clone.rounds, 'round')} of {number_of(len(games), 'game')}, "
        f"{number_of(clone.decisions, 'decision')}."
    )
    click.echo(
        f"Each action was predicted with a log-loss of {clone.log_loss:.2f} before it was learnt from; "
        f"knowing nothing, it is {uniform:.2f}."
    )
    like = next(iter(clone.bots))
    if clone.weights["bots"] > 0.5:
        click.echo(f"Most like {like} ({clone.bots[like]:.0%} of the decisions).")
    click.echo(f"clone: {out}. Play against it: {command_line('play', '--opponent', f'clone:{out}')}")
