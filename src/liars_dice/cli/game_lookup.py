"""Find recorded games and players by the names given on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .progress import show_progress

if TYPE_CHECKING:
    from ..persistence import GameRecorder, RecordedEvent

WORST = "worst:"
MOST_REVIEWED = 200
"""To find the worst game, at most this many are reviewed, newest first."""


def find_game(store: GameRecorder, name: str, *, quiet: bool) -> str:
    """The id of a game, given an id, the beginning of one, `last`, or `worst:NAME`."""
    if not name.startswith(WORST):
        return store.find(name)
    from ..coach import worst_games
    from ..core import BadValueError

    player = recorded_name(name.removeprefix(WORST))
    games = store.games(loser=player, limit=MOST_REVIEWED)
    with show_progress("reviewing games", quiet=quiet) as progress:
        found = worst_games(store, games, lambda game: game.seats_lost_by(player), progress=progress)
    if not found:
        raise BadValueError("game", name, f"a player who lost a recorded game; {player!r} has lost none")
    return found[0].game.game_id


def players_in(store: GameRecorder) -> set[str]:
    """The names and the types of all players of recorded games."""
    return {one for game in store.games() for one in (*game.names, *game.player_types) if one}


def known_player(store: GameRecorder, player: str) -> str:
    """The name or type of a player of recorded games, given that, or a bot's file."""
    from ..core import BadValueError, did_you_mean

    name = recorded_name(player)
    if not store.games(agent=name, limit=1):
        known = players_in(store)
        near = did_you_mean(name, known)
        why = near if known else "there is none in this store: play or watch one first"
        raise BadValueError("player", player, f"a player of a recorded game{why and f' ({why})'}")
    return name


def seat_of(events: Sequence[RecordedEvent], player: str) -> int:
    """The seat of a player in a game, given a name, a type or a bot's file."""
    from ..core import BadValueError
    from ..persistence import summarise

    game = summarise(list(events))
    seats = game.seats_of(recorded_name(player))
    if len(seats) != 1:
        listed = "; ".join(f"seat {seat}: {name}" for seat, name in enumerate(game.names))
        expected = f"a player of this game ({listed})" if not seats else f"a player with one seat, or --seat ({listed})"
        raise BadValueError("player", player, expected)
    return seats[0]


def recorded_name(name: str) -> str:
    """A player's name in the store. A bot file is recorded under its bot's own name: `mybot.py` with a class MyBot as
    MyBot. `MANIAC` is recorded as `maniac`; a class such as `RandomAgent` is recorded as the type of a player.
    """
    if Path(name.partition(":")[0]).suffix != ".py":
        from ..agents import listed_name

        return name if name.endswith("Agent") else listed_name(name)
    from ..core import agent_id
    from ..referee import BotLimits, load_agents

    return agent_id(load_agents([name], BotLimits())[0])
