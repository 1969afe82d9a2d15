"""`liars-dice verify-fair`: check that a game's dice are those that were committed to before it began."""

from __future__ import annotations

import click

from .game_lookup import find_game
from .options import db_option, json_option
from .output import print_json


@click.command("verify-fair", epilog="Example: liars-dice verify-fair game.json --entropy 'my own words'")
@click.argument("game", metavar="GAME|FILE")
@click.option("--commitment", metavar="HEX", help="The commitment that you noted before the game.")
@click.option("--entropy", metavar="TEXT", help="What you added to the dice before the game.")
@db_option
@json_option
def verify_fair_command(game: str, commitment: str | None, entropy: str | None, db: str | None, as_json: bool) -> None:
    """Check that the dice of a room's game were settled before it began, and not by the server alone.

    GAME is a finished game in the store: an id, the beginning of one, or last. FILE is an export (.jsonl), or what a
    studio answers at /api/games/GAME, saved as a file. The exit code is 0 if every check holds, and 1 if not.

    What this proves, and what it does not: docs/security.md.
    """
    from pathlib import Path

    from ..persistence import check_fairness, fairness_in, open_store, read_game

    if Path(game).is_file() or Path(game).suffix in (".json", ".jsonl"):
        events = read_game(Path(game))
    else:
        with open_store(db, must_exist=True) as store:
            events = [event.payload for event in store.events(find_game(store, game, quiet=as_json))]
    fairness = fairness_in(events)
    checks = check_fairness(events, commitment=commitment, entropy=entropy)
    verified = all(check.ok for check in checks)
    if as_json:
        print_json(
            {
                "game": game,
                "verified": verified,
                "commitment": fairness.commitment,
                "entropy": list(fairness.entropy),
                "first_round": fairness.first_round,
                "checks": [{"check": one.check, "ok": one.ok, "detail": one.detail} for one in checks],
            }
        )
    else:
        for one in checks:
            click.echo(f"{one.check:<10}  {'ok' if one.ok else 'FAILED':<6}  {one.detail}")
        if commitment is None:
            click.echo("Compare the commitment with the one you noted before the game, or give it with --commitment.")
        click.echo("The dice are those that were committed to." if verified else "This game is not proved to be fair.")
    raise SystemExit(0 if verified else 1)
