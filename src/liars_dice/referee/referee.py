"""One game among bots, whatever they do: faults become events and a fallback, never an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import msgspec

from ..core import (
    MOVES,
    Action,
    AgentFaulted,
    CallExactAction,
    CallLiarAction,
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
    RoundEnded,
    derive_seed,
    result_of,
    view_of,
    visible_to,
)
from ..persistence import RecordedEvent, Replay, final_state, resume_point
from .limits import BotFault, BotLimits
from .seats import InProcessSeat, Seat, decide, fallback
from .time_guard import alarms


class MatchResult(msgspec.Struct, frozen=True):
    """How a refereed game ended."""

    winner: int | None
    """Who won; None if a bot forfeited a game of more than two."""
    names: tuple[str, ...]
    faults: tuple[AgentFaulted, ...]
    """What the bots did wrong, in order."""
    forfeited_by: int | None = None
    game: GameResult | None = None
    """Every round of the game, if it was played to its end."""


MOST_ROUNDS = 80_000
"""No game that comes to an end is so long: the best of 9,999 rounds among 15 players has fewer."""


class EndlessGameError(LiarsDiceError):
    """A game in which players give each other dice for ever (rule 6.3)."""

    code = "endless_game"


class Referee:
    """Plays a game and never raises for a bot's fault.

    A fault (an illegal or late action, an error, a dead process, ...) is told as `AgentFaulted` and answered with the
    fallback: liar if there is a bid, else the lowest legal bid. In `strict` mode the first fault forfeits the game.
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
        self.seats = [p if isinstance(p, Seat) else InProcessSeat(p, limits) for p in players]
        self._confessing = [
            (player, seat) for player, seat in enumerate(self.seats) if type(seat).take_faults is not Seat.take_faults
        ]
        self.strict = strict
        self.engine = GameEngine(config, self.seats, seed=seed)
        self.faults: list[AgentFaulted] = []
        self._unheard: list[AgentFaulted] = []
        self._muted: set[int] = set()
        self._forfeited_by: int | None = None
        self._past: Sequence[RecordedEvent] = ()
        self._again: Action | None = None

    @classmethod
    def resume(
        cls, players: Sequence[Player | Seat], past: Sequence[RecordedEvent], *, limits: BotLimits | None = None
    ) -> Referee:
        """A referee of the game that goes on where `past` ends, with the dice its seed still holds.

        Bots hear what happened and are asked again what they did, so that their memory and their randomness stand where
        they stood. What they answer changes nothing.
        """
        created = past[0].payload
        assert isinstance(created, GameCreated)
        referee = cls(players, created.config, limits=limits)
        there = resume_point(past)
        referee._past = past[:there]
        referee.engine = GameEngine.resume(final_state(referee._past), referee.seats, seed=created.config.seed)
        match past[there].payload if there < len(past) else None:
            case LiarCalled():
                referee._again = CallLiarAction()
            case ExactCalled():
                referee._again = CallExactAction()
        return referee

    def play(self) -> MatchResult:
        """Play to the end, or to a forfeit, and let the bots go."""
        with alarms():
            return self._play()

    def _play(self) -> MatchResult:
        try:
            self._start()
            while not self.engine.is_terminal() and self._forfeited_by is None:
                if len(self.engine.state.public.resolutions) >= MOST_ROUNDS:
                    raise EndlessGameError(f"the game was not over after {MOST_ROUNDS:,} rounds")
                self._turn()
            return self._result()
        finally:
            for seat in self.seats:
                seat.close()

    def _start(self) -> None:
        config, names = self.engine.state.config, self.engine.state.public.names
        for player, seat in enumerate(self.seats):
            if seat.listens:
                self.engine.subscribe(partial(self._tell, player), player)
            self._guard(player, seat.start, config, player, names, derive_seed(self.engine.seed, "agent", player))
        self._announce_faults()
        if self._past:
            self._catch_up()

    def _catch_up(self) -> None:
        """Let the bots live through what was played before. What goes wrong was told then."""
        fold = Replay()
        for recorded in self._past:
            event = recorded.payload
            if isinstance(event, MOVES):
                self._ask_in_vain(event.player_id, view_of(fold.state, event.player_id))
            public = fold.feed(event).public
            for player, seat in enumerate(self.seats):
                seen = visible_to(event, player) if seat.listens and player not in self._muted else None
                if seen is not None:
                    try:
                        seat.event(seen)
                    except BotFault:
                        self._muted.add(player)
                if isinstance(event, RoundEnded):
                    with suppress(BotFault):
                        seat.round_end(public.resolutions[-1])
        for _, seat in self._confessing:
            seat.take_faults()

    def _ask_in_vain(self, player: int, view: GameView) -> None:
        """Ask a bot, not a person, what has been decided already."""
        if self.seats[player].player_type != "Human":
            with suppress(BotFault):
                self.seats[player].choose_action(view)

    def _turn(self) -> None:
        engine = self.engine
        public = engine.state.public
        if public.status != "BIDDING":
            engine.start_new_round()
            return
        player = public.current_player
        view = engine.get_view(player)
        if self._again is not None:
            self._ask_in_vain(player, view)
            action: Action | None = self._again
            self._again = None
        else:
            action = self._ask(player, view)
        self._announce_faults()
        if action is None:
            return
        engine.apply_action(player, action)
        if engine.state.public.status != "BIDDING":
            for number, seat in enumerate(self.seats):
                self._guard(number, seat.round_end, engine.state.public.resolutions[-1])
        self._announce_faults()

    def _ask(self, player: int, view: GameView) -> Action | None:
        """The bot's action if it is one and legal, else the fallback; None if that forfeits the game."""
        try:
            return decide(self.seats[player], view)
        except BotFault as fault:
            instead = fallback(view)
            self._fault(player, fault, str(instead))
        return None if self._forfeited_by is not None else instead

    def _tell(self, player: int, event: Event) -> None:
        """Tell a bot of an event; one that fails at this is not told of more."""
        if player not in self._muted and not self._guard(player, self.seats[player].event, event):
            self._muted.add(player)

    def _guard(self, player: int, call: Callable[..., None], *arguments: object) -> bool:
        """Call a bot's hook; whether it went well."""
        try:
            call(*arguments)
        except BotFault as fault:
            self._fault(player, fault, "the game goes on")
            return False
        return True

    def _fault(self, player: int, fault: BotFault, fallback: str) -> None:
        if self.strict and self._forfeited_by is None:
            self._forfeited_by = player
            fallback = "forfeit"
        event = AgentFaulted(player, fault.verdict, fault.detail, fallback)
        self.faults.append(event)
        self._unheard.append(event)

    def _announce_faults(self) -> None:
        for player, seat in self._confessing:
            for fault in seat.take_faults():
                self._fault(player, fault, "the game goes on")
        while self._unheard:
            self.engine.announce(self._unheard.pop(0))

    def _result(self) -> MatchResult:
        public = self.engine.state.public
        if self._forfeited_by is not None:
            winner = 1 - self._forfeited_by if len(self.seats) == 2 else None
            return MatchResult(winner, public.names, tuple(self.faults), self._forfeited_by)
        game = result_of(public)
        self.strict = False  # the game is won; what goes wrong from here on forfeits nothing
        for player, seat in enumerate(self.seats):
            self._guard(player, seat.game_end, game)
        self._announce_faults()
        return MatchResult(game.winner, public.names, tuple(self.faults), None, game)
