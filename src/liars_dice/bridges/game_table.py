"""Games that are played through tools, one move at a time: what they have in common, and a game against our bots."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..agents import AGENTS
from ..core import (
    PRESETS,
    Action,
    BadValueError,
    ConfigError,
    GameConfig,
    GameView,
    LiarsDiceError,
    is_whole,
    load_rules,
    one_line,
    one_of,
    split_rules,
    verify,
)
from ..persistence import InMemoryRecorder, RecordedEvent, StoreError, record_game
from .bot_match import BotMatch
from .seat_story import TableReport

LONGEST_PLAYER_NAME = 40
LONGEST_RULES = 300
MOST_DICE, MOST_BIDS, MOST_ROUNDS = 150, 3000, 99
"""The largest game that is played here: its dice in total, the different bids of a round, and the rounds of a match."""


class TableError(LiarsDiceError):
    """Something that cannot be done at this table now."""

    code = "not_at_this_table"


class GameTable(ABC):
    """A seat at a game."""

    helps = True
    """Whether odds and advice may be asked for."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        """Held by the tool that uses this table."""

    @property
    @abstractmethod
    def view(self) -> GameView | None:
        """The player's view if it is to move, else None."""

    @abstractmethod
    async def play(self, action: Action) -> None:
        """Make a move, which is legal."""

    @abstractmethod
    async def report(self, game: str, wait_s: float) -> TableReport:
        """Where the game stands, once the player is to move or the game is over, or after so many seconds."""

    @abstractmethod
    async def close(self) -> None:
        """Leave the table."""

    def view_to_move(self) -> GameView:
        """The player's view; `TableError` if it is not to move."""
        if (view := self.view) is None:
            raise TableError("it is not your turn: look tells you when it is")
        return view

    async def move(self, action: Action) -> None:
        """Make a move; `IllegalMoveError` if the rules forbid it now."""
        view = self.view_to_move()
        verify(view.public, view.player_id, action)
        await self.play(action)


class BotGame(GameTable):
    """A game against built-in bots in this process. They answer at once."""

    def __init__(self, match: BotMatch, keep: Callable[[list[RecordedEvent]], None]) -> None:
        """`keep` is called with the whole record when the game is over."""
        super().__init__()
        self.match = match
        self._keep = keep
        self._record = InMemoryRecorder()
        self.game_id = record_game(match.engine, self._record)
        self._playing = threading.Lock()
        self._kept = False
        self._not_stored = ""

    @property
    def view(self) -> GameView | None:
        """The player's view if it is to move, else None."""
        return self.match.view

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.match.over

    async def begin(self) -> None:
        """Deal, and let the bots play until it is the player's turn."""
        await asyncio.to_thread(self._play_on)

    async def play(self, action: Action) -> None:
        """Make a move, and let the bots play until it is the player's turn again."""
        self.match.answer = action
        await asyncio.to_thread(self._play_on)

    def _play_on(self) -> None:
        """Play until the player is to move. When a client hangs up this goes on, and may be called again meanwhile."""
        with self._playing:
            self.match.play_on()
            if self.over and not self._kept:
                self._kept = True
                try:
                    self._keep(self._record.events(self.game_id))
                except StoreError as error:
                    self._not_stored = f"The game could not be stored: {one_line(error, 200)}"

    async def report(self, game: str, wait_s: float) -> TableReport:
        """Where the game stands: the bots have answered already."""
        finished = self.game_id if self.over and not self._not_stored else None
        told = self.match.story.report(game, self.view, over=self.over, finished_game=finished)
        return replace(told, happened=[*told.happened, self._not_stored]) if self._not_stored else told

    async def close(self) -> None:
        """Let the bots go, unless they are thinking: then they go when they have answered."""
        if self._playing.acquire(blocking=False):
            self.match.close()
            self._playing.release()


def checked_rules(rules: str, players: int | None, dice: int | None) -> GameConfig:
    """The rules by name, such as `perudo,palifico`: never from a file, and never too large."""
    if len(rules) > LONGEST_RULES:
        raise BadValueError("rules", one_line(rules, 40), f"at most {LONGEST_RULES} characters")
    named = split_rules(rules)[0]
    if named not in PRESETS:
        raise ConfigError("rules", one_line(named, 60), one_of(named, PRESETS))
    config = load_rules(rules, players=players, dice=dice)
    highest = config.total_dice if config.max_quantity == "total" else config.max_quantity
    if config.total_dice > MOST_DICE or config.dice_cap * config.num_players > 2 * MOST_DICE:
        raise ConfigError("dice", config.dice, f"at most {MOST_DICE} dice in total")
    if highest * config.faces > MOST_BIDS:
        raise ConfigError("max_quantity", config.max_quantity, f"at most {MOST_BIDS} different bids")
    if config.rounds is not None and config.rounds > MOST_ROUNDS:
        raise ConfigError("rounds", config.rounds, f"at most {MOST_ROUNDS}")
    return config.without_seed


def checked_opponents(opponents: Sequence[str]) -> list[str]:
    """Built-in bots by name. Names that would load a file or a program are refused."""
    if not is_whole(len(opponents), range(1, 15)):
        raise BadValueError("opponents", len(opponents), "1 to 14 names of bots")
    for name in opponents:
        if name not in AGENTS:
            raise BadValueError("opponents", one_line(name, 60), one_of(name[:60], AGENTS.every_name))
    return list(opponents)


def checked_name(name: str) -> str:
    """A player's name as it is shown: one printable line."""
    return one_line(" ".join(name.split()), LONGEST_PLAYER_NAME) or "You"
