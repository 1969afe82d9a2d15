"""One game among bots, whatever they do: faults become events and a fallback, never an error."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import msgspec

from ..agents import BatchAgent, think_ahead
from ..core import (
    Action,
    AgentFaulted,
    Event,
    ExactCalled,
    GameConfig,
    GameCreated,
    GameEngine,
    GameResult,
    GameView,
    LiarCalled,
    LiarsDiceError,
    Player,
    action_of,
    result_of,
)
from ..persistence import RecordedEvent, final_state, resume_point
from .bot_session import BotSession
from .limits import BotLimits
from .seats import InProcessSeat, Seat, seat_of
from .time_guard import alarms


class MatchResult(msgspec.Struct, frozen=True):
    """How a refereed game ended."""

    winner: int | None
    """The seat that won; None if a bot forfeited a game of more than two players."""
    names: tuple[str, ...]
    faults: tuple[AgentFaulted, ...]
    """What the bots did wrong, in order."""
    forfeited_by: int | None = None
    game: GameResult | None = None
    """Every round of the game, if it was played to its end."""


MOST_ROUNDS = 80_000
"""No game that ends is this long: the best of 9,999 rounds among 15 players has fewer rounds."""


NextQuestion = tuple[BatchAgent, GameView]
"""An agent that can think ahead, and what it is going to be asked."""


class EndlessGameError(LiarsDiceError):
    """A game in which players keep giving each other dice (rule 6.3)."""

    code = "endless_game"


class Referee:
    """Plays a game and never raises for a bot's fault.

    A fault (an illegal or late action, an error, a dead process, ...) is announced as `AgentFaulted` and answered with
    the fallback: liar if there is a bid, else the lowest legal bid. In `strict` mode the first fault forfeits the game.
    """

    def __init__(
        self,
        players: Sequence[Player | Seat],
        config: GameConfig | None = None,
        *,
        seed: int | None = None,
        limits: BotLimits | None = None,
        strict: bool = False,
    ) -> None:
        limits = BotLimits() if limits is None else limits
        self.seats = [p if isinstance(p, Seat) else seat_of(p, limits) for p in players]
        self.strict = strict
        self.engine = GameEngine(config, self.seats, seed=seed)
        self.faults: list[AgentFaulted] = []
        self._sessions: list[BotSession] = []
        self._listening: list[BotSession] = []
        self._news: list[Event] = []
        """What happened since the bots were last told."""
        self._unannounced: list[AgentFaulted] = []
        self._forfeited_by: int | None = None
        self._past: Sequence[RecordedEvent] = ()
        self._recorded_call: Action | None = None
        """A call at the end of the past whose consequences were not recorded."""

    @classmethod
    def resume(
        cls, players: Sequence[Player | Seat], past: Sequence[RecordedEvent], *, limits: BotLimits | None = None
    ) -> Referee:
        """A referee of the game that continues where `past` ends, with the dice that its seed gives.

        Bots hear what happened and are asked again what they did, so that their memory and their randomness stand where
        they stood. Their answers change nothing.
        """
        created = past[0].payload
        assert isinstance(created, GameCreated)
        referee = cls(players, created.config, limits=limits)
        there = resume_point(past)
        referee._past = past[:there]
        referee.engine = GameEngine.resume(final_state(referee._past), referee.seats, seed=created.config.seed)
        call = past[there].payload if there < len(past) else None
        if isinstance(call, LiarCalled | ExactCalled):
            referee._recorded_call = action_of(call)
        return referee

    def play(self) -> MatchResult:
        """Play to the end, or to a forfeit, and let the bots go."""
        return play_side_by_side([self])[0]

    def turns(self) -> Generator[NextQuestion | None, None, MatchResult]:
        """Play turn by turn: before each, says whom it is going to ask what, None if nobody; at the end, the result."""
        try:
            self._start()
            while not self.engine.is_terminal() and self._forfeited_by is None:
                if len(self.engine.state.public.resolutions) >= MOST_ROUNDS:
                    raise EndlessGameError(f"the game was not over after {MOST_ROUNDS:,} rounds")
                yield self._next_question()
                self._turn()
            return self._result()
        finally:
            for seat in self.seats:
                seat.close()

    def _next_question(self) -> NextQuestion | None:
        """What an agent that can think ahead is going to be asked next, if one is."""
        public = self.engine.state.public
        if public.status == "BIDDING" and self._recorded_call is None:
            seat = self.seats[public.current_player]
            if isinstance(seat, InProcessSeat) and isinstance(seat.agent, BatchAgent):
                return seat.agent, self.engine.get_view(public.current_player)
        return None

    def _start(self) -> None:
        seed = self.engine.seed
        self._sessions = [BotSession(seat, n, seed, self._note) for n, seat in enumerate(self.seats)]
        self._listening = [session for session in self._sessions if session.seat.listens]
        if self._listening:
            self.engine.subscribe(self._hear)
        for session in self._sessions:
            session.start(self.engine.get_view(session.player_id))
        self._announce_faults()
        for session in self._sessions if self._past else ():
            session.catch_up(self._past, known=len(self._past))

    def _turn(self) -> None:
        engine = self.engine
        public = engine.state.public
        if public.status != "BIDDING":
            engine.start_new_round()
            self._tell_news()
            return
        player = public.current_player
        session, view = self._sessions[player], engine.get_view(player)
        action, self._recorded_call = self._recorded_call, None
        if action is None:
            action = session.choose(view)
        else:
            session.ask_again(view)
        self._announce_faults()
        if self._forfeited_by is not None:
            return
        engine.apply_action(player, action)
        self._tell_news()
        # Faults at hearing a bid wait until the next player has been asked: in a record, too, a question stands before
        # all faults that precede its move, and a bot that catches up must hear what it heard then.
        if engine.state.public.status != "BIDDING":
            self._announce_faults()

    def _hear(self, event: Event) -> None:
        self._news.append(event)

    def _tell_news(self) -> None:
        if self._news:
            news, self._news = self._news, []
            for session in self._listening:
                session.hear(news, self.engine.get_view(session.player_id))

    def _note(self, fault: AgentFaulted) -> None:
        if self.strict and self._forfeited_by is None:
            self._forfeited_by = fault.player_id
            fault = msgspec.structs.replace(fault, fallback="forfeit")
        self.faults.append(fault)
        self._unannounced.append(fault)

    def _announce_faults(self) -> None:
        while self._unannounced:
            self.engine.announce(self._unannounced.pop(0))
            self._tell_news()

    def _result(self) -> MatchResult:
        public = self.engine.state.public
        if self._forfeited_by is not None:
            self._announce_faults()
            winner = 1 - self._forfeited_by if len(self.seats) == 2 else None
            return MatchResult(winner, public.names, tuple(self.faults), self._forfeited_by)
        game = result_of(public)
        self.strict = False  # the game is won: faults from here on forfeit nothing
        for session in self._sessions:
            session.end(game)
        self._announce_faults()
        return MatchResult(game.winner, public.names, tuple(self.faults), None, game)


def play_side_by_side(referees: Sequence[Referee]) -> list[MatchResult]:
    """Play these games at the same time, a turn of each after the other, so that agents that answer many questions
    faster at once (`BatchAgent`) are asked about all games together. No agent may sit in two of the games.
    """
    results: list[MatchResult | None] = [None] * len(referees)
    playing = {number: referee.turns() for number, referee in enumerate(referees)}
    try:
        with alarms():
            while playing:
                asked: list[NextQuestion] = []
                for number, turns in [*playing.items()]:
                    try:
                        question = next(turns)
                    except StopIteration as end:
                        results[number] = end.value
                        del playing[number]
                        continue
                    if question is not None:
                        asked.append(question)
                if len(asked) > 1:
                    think_ahead(asked)
    finally:
        for turns in playing.values():
            turns.close()
    return [result for result in results if result is not None]
