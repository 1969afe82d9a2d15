"""Find recorded games and players by the names given on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .progress import show_progress

if TYPE_CHECKING:
    from ..core import GameConfig
    from ..persistence import GameRecorder

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


def rules_wanted(rules: str | None) -> str | GameConfig | None:
    """The rules that games are looked for by: a name in the store, else what the name, file and changes say."""
    from ..core import PRESETS, load_rules
    from ..persistence import CUSTOM

    return rules if rules is None or rules in (*PRESETS, CUSTOM) else load_rules(rules)
