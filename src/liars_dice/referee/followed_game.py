"""Games whose dice and some of whose moves come from elsewhere, with one bot in the seats that are asked."""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence

from ..agents import Agent
from ..core import Action, AgentFaulted, Event, GameConfig, GameEngine, derive_seed, result_of
from .bot_session import BotSession
from .limits import BotLimits
from .named_seats import load_agents, make_seat
from .remote_agent import RemoteAgent
from .seats import Seat, seat_of


class FollowedGame:
    """One game. Bots hear it as they hear any other; `move` makes every move, whoever chose it."""

    def __init__(self, seats: dict[int, Seat], config: GameConfig, seed: int, faults: list[AgentFaulted]) -> None:
        """`seats` has the bots by their seats; what they do wrong is added to `faults`."""
        self.engine = GameEngine(config, seed=seed)
        self._sessions = {n: BotSession(seat, n, seed, faults.append) for n, seat in seats.items()}
        self._listening = [session for session in self._sessions.values() if session.seat.listens]
        self._news: list[Event] = []
        if self._listening:
            self.engine.subscribe(self._news.append)
        for session in self._sessions.values():
            session.start(self.engine.get_view(session.player_id))

    def deal(self, hands: Sequence[Sequence[int]]) -> None:
        """Begin the next round with these dice, one hand per seat."""
        self.engine.start_new_round(hands)
        self._tell_news()

    def choose(self) -> Action:
        """What the bot at the turn does, or the fallback if it fails."""
        seat = self.engine.state.public.current_player
        return self._sessions[seat].choose(self.engine.get_view(seat))

    def move(self, action: Action) -> None:
        """Make a move for the player at the turn."""
        self.engine.move(action)
        self._tell_news()
        if self.engine.is_terminal():
            for session in self._sessions.values():
                session.end(result_of(self.engine.state.public))

    def _tell_news(self) -> None:
        news, self._news[:] = list(self._news), []
        for session in self._listening if news else ():
            session.hear(news, self.engine.get_view(session.player_id))


class FollowedTables:
    """Numbered tables, all of the same bot. It has a copy of its own in every seat, which stays there for all games.

    A bot from outside this package runs in one process per seat, which has the copies of that seat at all tables: so
    no copy shares a process with another at its table.
    """

    def __init__(self, name: str, config: GameConfig, limits: BotLimits, *, seed: int) -> None:
        self.name, self.config, self.limits, self.seed = name, config, limits, seed
        self.faults: list[AgentFaulted] = []
        """What the bots did wrong."""
        self._agents: dict[int, Agent | None] = {}
        self._seats: dict[tuple[int, int], Seat] = {}
        self._games = 0
        self._agent(0)

    def begin(self, table: int, bots: Collection[int]) -> FollowedGame:
        """A new game at a table, with the bot in these seats."""
        self._games += 1
        seats = {seat: self._seat(table, seat) for seat in bots}
        return FollowedGame(seats, self.config, derive_seed(self.seed, "game", self._games), self.faults)

    def close(self) -> None:
        """Let all bots go."""
        for seat in self._seats.values():
            seat.dismiss()
        for agent in self._agents.values():
            if isinstance(agent, RemoteAgent):
                agent.close()

    def _seat(self, table: int, seat: int) -> Seat:
        if (table, seat) not in self._seats:
            agent = self._agent(seat)
            program = make_seat(self.name, self.limits) if agent is None else None
            self._seats[table, seat] = program or seat_of(copy.deepcopy(agent), self.limits)  # type: ignore[arg-type]
        return self._seats[table, seat]

    def _agent(self, seat: int) -> Agent | None:
        """What the copies in a seat are made from; None for a program."""
        if seat not in self._agents:
            self._agents[seat] = load_agents([self.name], self.limits, self.config, plays=not self._agents)[0]
        return self._agents[seat]
