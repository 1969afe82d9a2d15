"""`liars-dice watch`: bots play a full game, dice and all."""

from __future__ import annotations

import click

from .options import db_option, json_option, print_json, program, rules_options, seed_for, seed_option
from .working import open_or_warn


@click.command("watch", epilog="Example: liars-dice watch --rules perudo --players 3 --seed 7")
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@rules_options("heads-up")
@seed_option
@click.option("--isolate", is_flag=True, help="Run each bot in a process of its own, behind walls.")
@db_option
@json_option
def watch_command(
    agents: tuple[str, ...],
    rules: str,
    players: int | None,
    dice: int | None,
    seed: int | None,
    isolate: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Watch bots play a full game. It is recorded in the store.

    AGENT is a bot for each seat: a name that `liars-dice agents` lists, threshold:CALL,RAISE, a file (mybot.py),
    module:Class, or cmd:PROGRAM. Without any, the seats are filled with bots of different styles.
    """
    import shlex
    from itertools import cycle, islice

    from rich.console import Console

    from ..agents import Agent
    from ..arena import InProcessSeat, Referee, make_seat
    from ..arena.tables import check_fits
    from ..core import ConfigError, format_game, load_rules
    from ..persistence import record_game
    from ..play import TableView

    if len(agents) == 1:
        raise ConfigError("agents", agents[0], "one for each seat, or none to let them be chosen")
    config = load_rules(rules, players=players or len(agents) or None, dice=dice)
    usual = islice(cycle(("optimal", "maniac", "calling-station", "random")), config.num_players)
    seats = agents or tuple(usual)
    seed = seed_for(config, seed)
    bots = [make_seat(name, isolate=isolate) for name in seats]
    for name, seat in zip(seats, bots, strict=True):
        if isinstance(seat, InProcessSeat) and isinstance(seat.agent, Agent):
            check_fits(name, seat.agent, config)
    referee = Referee(bots, config, seed=seed)
    engine = referee.engine
    names = engine.state.public.names
    console = Console(highlight=False)
    if not as_json:
        table = TableView(console, names)
        console.print(f"{' against '.join(names)}; rules {rules}, seed {seed}", markup=False, soft_wrap=True)
        engine.subscribe(table.show)
    with open_or_warn(db) as store:
        game_id = record_game(engine, store)
        result = referee.play()
    if as_json:
        print_json(
            {
                "rules": rules,
                "seed": seed,
                "agents": list(names),
                "winner": None if result.winner is None else names[result.winner],
                "rounds": len(engine.state.public.resolutions),
                "faults": [
                    {"agent": names[f.player_id], "verdict": f.verdict, "detail": f.detail} for f in result.faults
                ],
                "game": format_game(engine.state),
                "run": {"game_id": game_id},
            }
        )
        return
    options = {"--rules": rules, "--players": players, "--dice": dice, "--seed": seed}
    chosen = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    again = shlex.join(["watch", *agents, *chosen])
    console.print("\nWhat next?")
    for purpose, command in (
        ("see it again, step by step", "replay last --step"),
        ("the same dice again", again),
        ("three players, ones wild", "watch --rules perudo --players 3"),
        ("play yourself", "play"),
        ("see the rules", "rules perudo"),
    ):
        console.print(f"  {purpose:27} {program()} {command}", markup=False, soft_wrap=True)
