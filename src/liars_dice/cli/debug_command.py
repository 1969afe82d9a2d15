"""`liars-dice debug`: ask a bot again at the turns of a recorded game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .game_lookup import find_game, recorded_name
from .options import agent_name, db_option, json_option
from .output import command_line, fit_table, open_console, print_json

if TYPE_CHECKING:
    from ..persistence import RecordedEvent
    from ..referee import RelivedTurn


@click.command("debug", epilog="Example: liars-dice debug mybot.py worst:mybot.py --at 6 --pdb")
@click.argument("bot", type=agent_name)
@click.argument("game")
@click.option("--at", "turn", type=int, metavar="TURN", help="Ask only at this turn of the game, counted from 1.")
@click.option("--seat", type=int, metavar="N", help="Take over this seat. [default: the bot's, or that of --at]")
@click.option("--pdb", "debugger", is_flag=True, help="With --at: stop in Python's debugger where the bot decides.")
@db_option
@json_option
def debug_command(
    bot: str, game: str, turn: int | None, seat: int | None, debugger: bool, db: str | None, as_json: bool
) -> None:
    """Ask BOT again at every turn that it had in a recorded game, and show where it decides otherwise now.

    GAME is a game's id, the beginning of its id, `last`, or `worst:NAME` for the game that NAME played worst among
    those it lost. With --at, the bot is asked at that turn alone, in the seat whose turn it was.

    The bot hears the game from its beginning, with the random numbers that it had. There is no time limit: it may
    print (to standard error) and stop at a breakpoint(). If it fails, the whole traceback is shown. Its answers change
    nothing, so after a turn at which it decides otherwise, the game is one that it would not have come to.
    """
    if debugger and turn is None:
        raise click.UsageError("--pdb needs --at TURN: the turn at which to stop.")
    from ..core import BadValueError, agent_id
    from ..persistence import is_person, lineup_of, open_store, verify_game
    from ..referee import BotLimits, begins_anew, load_agents, relive_apart

    if debugger and begins_anew(bot):
        raise BadValueError("bot", bot, "a Python bot that is named by its file, such as mybot.py, with --pdb")
    with open_store(db, must_exist=True) as store:
        game_id = find_game(store, game, quiet=as_json)
        events = store.events(game_id)
    state = verify_game(events)
    if state.public.status != "ENDED" and any(map(is_person, lineup_of(events))):
        raise BadValueError("game", game, "a game that is over: the hands of this one are hidden from a person")
    (agent,) = load_agents([bot], BotLimits(), state.config)
    seat = _seat(events, turn, seat, recorded_name(bot) if agent is None else agent_id(agent))
    if turn is not None and not as_json:
        _show_view(events, turn)
    turns = relive_apart(bot, events, seat, turn, debugger=debugger)
    if as_json:
        _print_json(bot, game_id, seat, state.public.names[seat], turns)
    elif turn is not None:
        _show_turn(bot, turns[0])
    else:
        _show_turns(bot, state.public.names[seat], seat, turns, game, db)


def _seat(events: Sequence[RecordedEvent], turn: int | None, seat: int | None, name: str) -> int:
    """The seat that the bot takes over: the one given, else whose turn it is, else that of the player with its name."""
    from ..core import MOVES, BadValueError
    from ..persistence import summarise

    game = summarise(list(events))
    movers = [event.payload.player_id for event in events if isinstance(event.payload, MOVES)]
    if seat is not None and not 0 <= seat < len(game.names):
        raise BadValueError("seat", seat, f"a seat from 0 to {len(game.names) - 1}")
    if turn is not None:
        if not 1 <= turn <= len(movers):
            raise BadValueError("at", turn, f"a turn from 1 to {len(movers)}")
        if seat not in (None, movers[turn - 1]):
            own = ", ".join(str(number) for number, mover in enumerate(movers, 1) if mover == seat)
            raise BadValueError("at", turn, f"a turn of seat {seat}: {own}")
        return movers[turn - 1]
    seats = game.seats_of(name) if seat is None else (seat,)
    if len(seats) != 1:
        listed = "; ".join(f"seat {number}: {one}" for number, one in enumerate(game.names))
        raise BadValueError("bot", name, f"a player of this game, or --seat N ({listed})")
    return seats[0]


def _print_json(bot: str, game_id: str, seat: int, player: str, turns: Sequence[RelivedTurn]) -> None:
    listed = [
        {
            "turn": one.turn,
            "round": one.round,
            "hand": list(one.hand),
            "bids": list(one.bids),
            "did": one.did,
            "now": one.now,
            "differs": one.differs,
            "reasoning": one.reasoning,
            "fault": one.fault or None,
        }
        for one in turns
    ]
    print_json({"bot": bot, "game_id": game_id, "seat": seat, "player": player, "turns": listed})


def _show_view(events: Sequence[RecordedEvent], turn: int) -> None:
    """Print what the player to move sees, before the bot says anything."""
    from ..core import view_of
    from ..persistence import final_state, version_at_turn

    state = final_state(events[: version_at_turn(events, turn)])
    public = state.public
    player = public.current_player
    hand = " ".join(map(str, view_of(state, player).my_dice))
    console = open_console()
    for line in (
        f"Turn {turn}, round {public.round_index + 1}: {public.names[player]} (seat {player}) holds {hand}",
        f"dice: {', '.join(f'{name} {n}' for name, n in zip(public.names, public.dice_counts, strict=True))}",
        f"bids so far: {', '.join(map(str, public.bid_history)) or 'none'}",
    ):
        console.print(line, markup=False, soft_wrap=True)


def _show_turn(bot: str, one: RelivedTurn) -> None:
    console = open_console()
    because = f" ({one.reasoning})" if one.reasoning else ""
    console.print(f"in the record: {one.did}", markup=False)
    console.print(f"{bot} now: {one.fault if one.now is None else f'{one.now}{because}'}", markup=False, soft_wrap=True)


def _show_turns(bot: str, player: str, seat: int, turns: Sequence[RelivedTurn], game: str, db: str | None) -> None:
    from rich.table import Column

    console = open_console()
    console.print(f"{bot} in the place of {player} (seat {seat})", markup=False)
    columns = [Column("turn", justify="right"), *map(Column, ("holding", "bids so far", "record", "now"))]
    rows = [
        (
            str(one.turn),
            " ".join(map(str, one.hand)),
            " ".join(one.bids) or "-",
            one.did,
            f"{one.now or one.fault}{' *' * one.differs}",
        )
        for one in turns
    ]
    fitting = fit_table(console, columns, rows, "bids so far", "holding")
    if fitting is None:
        for row in rows:
            console.print(f"{row[0]}: {row[3]}, now {row[4]}", markup=False)
    else:
        console.print(fitting[0])
    other = [one.turn for one in turns if one.differs]
    if not other:
        console.print(f"\nIt decides as in the record at all {len(turns)} turns.")
        return
    console.print(f"\n* It decides otherwise at {len(other)} of {len(turns)} turns. To see why at the first:")
    look = command_line("debug", bot, game, "--at", str(other[0]), "--pdb", db=db)
    console.print(f"  {look}", markup=False, soft_wrap=True)
