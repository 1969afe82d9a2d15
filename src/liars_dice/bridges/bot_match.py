"""A game of one player from outside against built-in bots: it stops whenever that player is to move."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ..agents import Heard, make_agent
from ..core import Action, GameConfig, GameEngine, GameView, Move, Player, free_name
from ..referee import BotLimits, Referee, Seat, check_fits
from .seat_story import SeatStory

LIMITS = BotLimits(load=60, decision=60)
"""For bots of ours, which may have to compile first."""


class BotMatch:
    """The game, refereed as any other; `story` is what the player has seen of it."""

    def __init__(
        self, config: GameConfig, opponents: Sequence[str], *, name: str = "You", seat: int = 0, seed: int | None = None
    ) -> None:
        """`opponents` are names of agents for the other seats, in order. `AgentNameError` if one does not fit."""
        agents = [make_agent(opponent) for opponent in opponents]
        for opponent, agent in zip(opponents, agents, strict=True):
            check_fits(opponent, agent, config)
        self.seat = seat
        self._me = _ClientSeat(free_name(name, opponents))
        players: list[Player | Seat] = [*agents[:seat], self._me, *agents[seat:]]
        self._referee = Referee(players, config, seed=seed, limits=LIMITS)
        self._turns: Generator[object, None, object] = self._referee.turns()
        self.story = SeatStory(seat)
        self.engine.subscribe(self.story.hear, seat=seat)

    @property
    def engine(self) -> GameEngine:
        """The engine, hidden dice included; not for the player."""
        return self._referee.engine

    @property
    def view(self) -> GameView | None:
        """The player's view if it is to move, else None."""
        view = self.engine.get_view(self.seat)
        return view if view.is_my_turn else None

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.engine.is_terminal()

    @property
    def answer(self) -> Action | None:
        """The player's next move, once it is known."""
        return self._me.action

    @answer.setter
    def answer(self, action: Action) -> None:
        self._me.action = action

    def play_on(self) -> None:
        """Play until the player is to move and has not answered, or the game is over."""
        while self.answer is not None or self.engine.current_player != self.seat:
            try:
                next(self._turns)
            except StopIteration:
                return

    def close(self) -> None:
        """Let the bots go."""
        self._turns.close()


class _ClientSeat(Seat):
    """The player's seat at the referee's table: it does what the tools say."""

    player_type = "Remote"
    listens = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.agent_id = f"remote:{name}"
        self.action: Action | None = None

    def tell(self, heard: Heard) -> None:
        """Nothing: the story tells the player."""

    def choose_action(self, view: GameView) -> Move:
        """The move that a tool made."""
        action, self.action = self.action, None
        assert action is not None
        return action
