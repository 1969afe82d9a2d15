"""`liars-dice watch`: bots play a full game, dice and all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from .options import (
    ascii_option,
    db_option,
    json_option,
    open_console,
    print_json,
    program,
    rules_options,
    seed_for,
    seed_option,
)
from .working import open_or_warn

if TYPE_CHECKING:
    from ..core import GameConfig


@click.command("watch", epilog="Example: liars-dice watch --rules perudo --players 3 --seed 7")
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@rules_options("heads-up")
@seed_option
@click.option("--step", is_flag=True, help="Wait for Enter after each event; q leaves.")
@click.option(
    "--delay", type=click.FloatRange(0, 60), default=0.0, metavar="S", help="Wait S seconds after each event."
)
@click.option("--why/--no-why", default=True, help="Show the reasoning of bots that give one. [default: why]")
@click.option(
    "--games", type=click.IntRange(1, 100_000), default=1, metavar="N", help="Show one game, and count N. [default: 1]"
)
@click.option("--isolate", is_flag=True, help="Run each bot in a process of its own, behind walls.")
@ascii_option
@db_option
@json_option
def watch_command(
    agents: tuple[str, ...],
    rules: str,
    players: int | None,
    dice: int | None,
    seed: int | None,
    step: bool,
    delay: float,
    why: bool,
    games: int,
    isolate: bool,
    ascii_only: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Watch bots play a full game. It is recorded in the store.

    AGENT is a bot for each seat: a name that `liars-dice agents` lists, threshold:CALL,RAISE, a file (mybot.py),
    module:Class, or cmd:PROGRAM. Without any, the seats are filled with bots of different styles.
    """
    import shlex
    from itertools import cycle, islice

    from rich.markup import escape

    from ..agents import Agent
    from ..arena import InProcessSeat, Referee, make_seat
    from ..arena.tables import check_fits
    from ..core import ConfigError, format_game, load_rules
    from ..persistence import record_game
    from ..play import Pace, Quit, Spectator, TableView

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
    console = open_console()
    table = TableView(console, names, ascii_only=ascii_only, reasoning=why)
    if not as_json:
        table.say(escape(f"{' against '.join(names)}; rules {rules}, seed {seed}"), indent=0)
        engine.subscribe(Spectator(table, Pace(console, step=step, delay=delay)))
    wins = [0] * config.num_players
    with open_or_warn(db) as store:
        game_id = record_game(engine, store)
        try:
            result = referee.play()
            for winner in [result.winner, *_quick(seats, config, seed, games - 1, isolate=isolate)]:
                if winner is not None:
                    wins[winner] += 1
        except Quit:
            return
        except KeyboardInterrupt:
            raise SystemExit(130) from None
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
                "wins": dict(zip(names, wins, strict=True)),
                "game": format_game(engine.state),
                "run": {"game_id": game_id},
            }
        )
        return
    options = {"--rules": rules, "--players": players, "--dice": dice, "--seed": seed}
    chosen = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    again = shlex.join(["watch", *agents, *chosen])
    duel = shlex.join(["matchup", *seats, *chosen[:-2]]) if len(seats) == 2 else ""
    if games > 1:
        console.print(f"\n{games:,} games:")
        for name, won in zip(names, wins, strict=True):
            table.say(table.coloured(f"{name} wins {won:,}, {won / games:.1%}"))
    console.print("\nWhat next?")
    for purpose, command in (
        ("see it again, step by step", "replay last --step"),
        ("the same dice again", again),
        ("who is better, exactly", duel),
        ("three players, ones wild", "watch --rules perudo --players 3"),
        ("play yourself", "play"),
        ("see the rules", "rules perudo"),
    ):
        if command:
            table.suggest(purpose, f"{program()} {command}")


def _quick(names: tuple[str, ...], config: GameConfig, seed: int, games: int, *, isolate: bool) -> Iterator[int | None]:
    """Who wins each of so many more games among the same bots, which nobody watches."""
    from ..arena import Referee, make_seat
    from ..core import derive_seed

    for number in range(games):
        bots = [make_seat(name, isolate=isolate) for name in names]
        yield Referee(bots, config, seed=derive_seed(seed, "game", number)).play().winner
