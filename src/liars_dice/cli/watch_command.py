"""`liars-dice watch`: watch bots play a full game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING

import click

from .options import (
    AS_SEATED,
    agent_name,
    ascii_option,
    db_option,
    full_option,
    isolate_option,
    json_option,
    llm_options,
    pace_options,
    rules_for,
    rules_options,
    say_rules,
    seed_for,
    seed_option,
    time_limit_option,
    traceback_option,
    warn_of_guessable_seed,
)
from .output import command_line, endpoint_words, lifetime_lines, model_lines, open_console, print_json
from .runtime import model_facts, open_store_or_warn

if TYPE_CHECKING:
    from ..core import GameConfig, GameState
    from ..referee import MatchResult, Seat
    from ..terminal import TableView

DEFAULT_BOTS = ("optimal", "maniac", "calling-station", "random")
"""The bots that play by default, repeated to fill all seats."""


@click.command("watch", epilog="Example: liars-dice watch --rules perudo --players 3 --seed 7")
@click.argument("agents", type=agent_name, nargs=-1, metavar="[BOT]...")
@rules_options("heads-up", AS_SEATED)
@seed_option
@pace_options
@click.option("--why/--no-why", default=True, help="Show or hide the bots' reasoning. [default: show]")
@click.option(
    "--games",
    type=click.IntRange(1, 100_000),
    default=1,
    metavar="N",
    help="Show one game, and count the wins of N games. [default: 1]",
)
@traceback_option
@time_limit_option
@isolate_option
@llm_options
@full_option
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
    tracebacks: bool,
    time_limit: float | None,
    isolate: bool,
    full: bool,
    ascii_only: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Watch bots play a full game. It is recorded in the store.

    BOT is a bot for each seat: a name that `liars-dice agents` lists, threshold:CALL,RAISE, a file (mybot.py),
    module:Class, cmd:PROGRAM, or llm:MODEL. By default, bots of different styles play.
    """
    from rich.markup import escape

    from ..core import BadValueError
    from ..persistence import record_game
    from ..referee import Referee, limits_for, make_fitting_seat
    from ..terminal import Pace, Quit, Spectator, TableView

    if len(agents) == 1:
        raise BadValueError("agents", agents[0], "one bot per seat, or none for the default bots")
    config = rules_for(rules, players, dice, named=len(agents))
    seats = agents or tuple(islice(cycle(DEFAULT_BOTS), config.num_players))
    warn_of_guessable_seed(config, seed, seats, isolate=isolate)
    known = seed is not None or config.seed is not None
    seed = seed_for(config, seed)
    limits = limits_for(time_limit)
    bots = [make_fitting_seat(name, config, limits, isolate=isolate, stays=games > 1) for name in seats]
    referee = Referee(bots, config, seed=seed)
    names = referee.engine.state.public.names
    console = open_console()
    table = TableView(console, names, ascii_only=ascii_only, reasoning=why, full=full, tracebacks=tracebacks)
    with open_store_or_warn(db) as store:
        if not as_json:
            chosen = f", seed {seed}" if known else ""
            table.say(escape(f"{' against '.join(names)}; rules {say_rules(rules, config)}{chosen}"), indent=0)
            referee.engine.subscribe(Spectator(table, Pace(console, step=step, delay=delay)))
        game_id = record_game(referee.engine, store)
        winners: list[int | None] = []
        try:
            result = referee.play()
            winners.append(result.winner)
            for winner in _quick(bots, config, seed, games - 1):
                winners.append(winner)  # noqa: PERF402 - those before Ctrl-C count
        except Quit:
            return
        except KeyboardInterrupt:
            if len(winners) < 2:
                raise SystemExit(130) from None
            click.echo("Stopped before the end: the counts are of the games played so far.", err=True)
        finally:
            for bot in bots:
                bot.dismiss()
    ordered, anew = _lifetimes(seats, bots, isolate=isolate) if games > 1 else ((), ())
    wins = [winners.count(seat) for seat in range(config.num_players)]
    if as_json:
        told = _as_json(result, referee.engine.state, wins) | {"ordered": list(ordered), "anew": list(anew)}
        told["games"] = len(winners)
        print_json({"rules": rules, "seed": seed, **told, "run": {"game_id": game_id, **model_facts()}})
        if len(winners) < games:
            raise SystemExit(130)
        return
    if games > 1:
        console.print(f"\n{len(winners):,} games:")
        for seat, (name, won) in enumerate(zip(names, wins, strict=True)):
            table.say(table.coloured(f"{name} wins {won:,}, {won / len(winners):.1%}", seat))
        for line in lifetime_lines(ordered, anew):
            table.say(escape(line))
    for line in model_lines():
        table.say(escape(line))
    played = {"--rules": rules, "--players": players, "--dice": dice, "--time-limit": time_limit}
    options = [word for name, value in played.items() if value is not None for word in (name, str(value))]
    options += endpoint_words()
    again = [*agents, *options, "--seed", str(seed), *(["--isolate"] if isolate else [])]
    console.print("\nWhat next?")
    _suggest(table, seats, options, again, db)
    if len(winners) < games:
        raise SystemExit(130)


def _as_json(result: MatchResult, state: GameState, wins: list[int]) -> dict[str, object]:
    """The game that was shown, and the wins in all games, as JSON."""
    from ..core import format_game

    names = state.public.names
    return {
        "agents": list(names),
        "winner": None if result.winner is None else names[result.winner],
        "rounds": len(state.public.resolutions),
        "faults": [
            {
                "agent": names[fault.player_id],
                "verdict": fault.verdict,
                "detail": fault.detail,
                "fallback": fault.fallback,
                "traceback": fault.traceback,
            }
            for fault in result.faults
        ],
        "wins": dict(zip(names, wins, strict=True)),
        "game": format_game(state),
    }


def _lifetimes(names: Sequence[str], bots: Sequence[Seat], *, isolate: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The bots that live through all games and may learn, and those that may want to, but begin anew in each."""
    from ..referee import begins_anew

    wishes = [
        (bot.name, begins_anew(name, isolate=isolate)) for name, bot in zip(names, bots, strict=True) if bot.may_learn
    ]
    return tuple(name for name, anew in wishes if not anew), tuple(name for name, anew in wishes if anew)


def _suggest(table: TableView, seats: tuple[str, ...], options: list[str], again: list[str], db: str | None) -> None:
    """Suggest what to do next."""
    table.suggest("replay it step by step", command_line("replay", "last", "--step", db=db))
    table.suggest("watch the same game again", command_line("watch", *again))
    if len(seats) == 2:
        table.suggest("measure who is better", command_line("matchup", *seats, *options))
        table.suggest("watch three with wild ones", command_line("watch", "--rules", "perudo", "--players", "3"))
    table.suggest("play against a bot", command_line("play"))
    table.suggest("see the rules", command_line("rules", "perudo"))


def _quick(bots: Sequence[Seat], config: GameConfig, seed: int, games: int) -> Iterator[int | None]:
    """The winners of further games between the same bots, which are not shown."""
    from ..core import derive_seed
    from ..referee import Referee

    for number in range(games):
        yield Referee(bots, config, seed=derive_seed(seed, "game", number)).play().winner
