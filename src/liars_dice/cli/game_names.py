"""How a game, or a player in it, is named on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .running import show_progress

if TYPE_CHECKING:
    from ..persistence import GameRecorder

WORST = "worst:"
MOST_REVIEWED = 200
"""So many games, the newest, are reviewed to find the worst."""


def find_game(store: GameRecorder, name: str, *, quiet: bool) -> str:
    """The id of the game called so."""
    if not name.startswith(WORST):
        return store.find(name)
    from ..coach import worst_games
    from ..core import BadValueError

    player = recorded_name(name.removeprefix(WORST))
    games = store.games(loser=player, limit=MOST_REVIEWED)
    with show_progress("reviewing games", quiet=quiet) as progress:
        found = worst_games(store, games, lambda game: game.seats_lost_by(player), progress=progress)
    if not found:
        raise BadValueError("game", name, f"a player who lost a recorded game; {player!r} lost none")
    return found[0].game.game_id


def recorded_name(name: str) -> str:
    """What a player is called in the store. Bots of one's own are recorded as they call themselves: `mybot.py` with a
    class MyBot as MyBot.
    """
    if Path(name.partition(":")[0]).suffix != ".py":
        return name
    from ..agents import make_agent
    from ..core import agent_id

    return agent_id(make_agent(name))
