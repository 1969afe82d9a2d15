"""`liars-dice play`: a person against bots in the terminal."""

from __future__ import annotations

import click

from .options import db_option, json_option, print_json, rules_options, seed_option


@click.command("play", epilog="Example: liars-dice play optimal maniac --rules perudo")
@click.argument("opponents", nargs=-1, metavar="[OPPONENT]...")
@rules_options("heads-up")
@seed_option
@db_option
@json_option
def play_command(
    opponents: tuple[str, ...],
    rules: str,
    players: int | None,
    dice: int | None,
    seed: int | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Play against bots in the terminal. The game is recorded in the store.

    You sit in seat 0 and open the first round. OPPONENT is a bot for each other seat (optimal, if you name none). Type
    a bid as 2x5, call with liar (or exact, where the rules have it), ? shows what is possible, quit leaves.
    """
    from rich.console import Console

    from ..agents import HumanAgent
    from ..arena import Referee, make_seat
    from ..core import PRESETS, load_rules
    from ..persistence import open_store, record_game
    from ..play import Quit, TableView, TerminalPlayer

    if players is None and (opponents or rules in PRESETS):
        players = len(opponents) + 1 if opponents else 2
    config = load_rules(rules, players=players, dice=dice)
    console = Console(highlight=False, stderr=as_json)
    bots = opponents or ("optimal",) * (config.num_players - 1)
    person = HumanAgent(TerminalPlayer(console).choose_action, name="You")
    referee = Referee([person, *(make_seat(name) for name in bots)], config, seed=seed)
    engine = referee.engine
    public = engine.state.public
    engine.subscribe(TableView(console, public.names).reveal, seat=0)
    with open_store(db) as store:
        game_id = record_game(engine, store, live=True)
        try:
            won_by = referee.play().winner
            winner = None if won_by is None else public.names[won_by]
        except Quit:
            winner = None
            console.print("\nUntil next time.")
    if as_json:
        rounds = len(engine.state.public.resolutions)
        run = {"game_id": game_id}
        print_json({"rules": rules, "agents": list(public.names), "winner": winner, "rounds": rounds, "run": run})
