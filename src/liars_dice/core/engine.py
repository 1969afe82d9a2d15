"""The state machine people drive: it rolls the dice, applies what is legal, and tells subscribers what happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import events as ev
from .actions import Action, BidAction, CallExactAction, CallLiarAction
from .config import SEEDS, GameConfig
from .dice import DiceCup, SeatStream, derive_seed, fresh_seed
from .errors import ConfigError, DealError
from .events import Event, visible_to
from .narration import narrate
from .player import GameResult, Player, hook_of, result_of
from .state import GameState
from .transition import apply, can_apply, deal, new_game, verify
from .view import GameView, view_of

Subscriber = Callable[[Event], object]

REASONING_LIMIT = 500
"""How many characters of a reasoning are kept."""


class GameEngine:
    """One game, from the first roll to the last call.

    >>> engine = GameEngine(GameConfig(dice=(1, 1), seed=7))
    >>> engine.start_new_round()
    >>> engine.apply_action(0, engine.get_view(0).legal_actions[0])
    >>> engine.apply_action(1, CallLiarAction())
    >>> engine.is_terminal(), engine.state.public.winner
    (True, 1)
    """

    def __init__(
        self,
        config: GameConfig | None = None,
        agents: Sequence[Player] = (),
        *,
        names: Sequence[str] | None = None,
        seed: int | None = None,
    ) -> None:
        """`step` and `play` need `agents`. `seed` stands in for `config.seed`, so that many games share a config."""
        config = GameConfig() if config is None else config
        if agents and len(agents) != config.num_players:
            raise ConfigError("agents", len(agents), f"{config.num_players}, one a seat")
        if seed is not None and seed not in SEEDS:
            raise ConfigError("seed", seed, f"a whole number from {SEEDS[0]} to {SEEDS[-1]}")
        self.agents = tuple(agents)
        seed = config.seed if seed is None else seed
        self._seed = fresh_seed() if seed is None else seed
        self._cup = DiceCup(config.faces)
        self._subscribers: list[Subscriber] = []
        self._created_told = False
        self._state = new_game(
            config,
            names if names is not None else _names_of(agents) if agents else None,
            [_agent_id(agent) for agent in agents] or None,
        )

    @classmethod
    def resume(cls, state: GameState, agents: Sequence[Player] = (), *, seed: int | None = None) -> GameEngine:
        """An engine that goes on from `state`; later rounds roll their dice from `seed`."""
        engine = cls(state.config, agents, names=state.public.names, seed=seed)
        engine._state = state
        engine._created_told = True
        return engine

    @property
    def seed(self) -> int:
        """Where the dice come from: for the house's own books."""
        return self._seed

    @property
    def state(self) -> GameState:
        """Everything, hidden dice included; players get `get_view` instead."""
        return self._state

    def subscribe(self, subscriber: Subscriber, seat: int | None = None) -> Callable[[], None]:
        """Call `subscriber` with every event from now on; returns a function that ends it.

        With a seat (or `SPECTATOR`) it hears only what that seat may know. Without one it hears everything: that is
        for the house's own books.
        """
        if seat is not None:
            subscriber = _filtered(subscriber, seat)
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def start_new_round(self, hands: Sequence[Sequence[int]] | None = None) -> None:
        """Roll everybody's dice, or put down these, and let the opener begin."""
        public = self._state.public
        index = public.round_index + 1
        if public.status != "REVEAL":
            raise DealError("a round is under way" if public.status == "BIDDING" else "the game is over")
        if hands is None:
            rolled = [
                self._cup.roll(n, SeatStream(self._seed, index, seat)) if n else ()
                for seat, n in enumerate(public.dice_counts)
            ]
        else:
            rolled = [tuple(hand) for hand in hands]
        self._state = state = deal(self._state, tuple(rolled))
        if self._subscribers:
            self._tell_of_round(state, seeded=hands is None)

    def get_view(self, player_id: int) -> GameView:
        """What this player may know now."""
        return view_of(self._state, player_id)

    def can_apply(self, player_id: int, action: Action) -> bool:
        """Whether this player may do this now."""
        return can_apply(self._state.public, player_id, action)

    def verify(self, player_id: int, action: Action) -> None:
        """Raise `IllegalMoveError` if this player may not do this now."""
        verify(self._state.public, player_id, action)

    def apply_action(self, player_id: int, action: Action) -> None:
        """This player does this. An illegal action raises `IllegalMoveError` and changes nothing."""
        if player_id != self._state.public.current_player:
            verify(self._state.public, player_id, action)
        self._state = state = apply(self._state, action)
        if self._subscribers:
            self._tell_of_action(state, player_id, action)

    def reveal_and_resolve(self, caller_id: int) -> None:
        """This player calls liar: all dice are revealed and counted, and the round is settled."""
        self.apply_action(caller_id, CallLiarAction())

    def step(self) -> None:
        """Start the next round if none is under way, else ask the agent whose turn it is and apply its action."""
        public = self._state.public
        if public.status != "BIDDING":
            self.start_new_round()
            return
        if not self.agents:
            raise ConfigError("agents", (), f"{len(public.names)} agents, given to the engine, for step() to ask")
        seat = public.current_player
        self.apply_action(seat, self.agents[seat].choose_action(self.get_view(seat)))

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._state.public.status == "ENDED"

    def play(self) -> GameResult:
        """Let the agents play to the end, calling their hooks, and return the result."""
        self._seat_agents()
        on_round_end = [hook for agent in self.agents if (hook := hook_of(agent, "on_round_end"))]
        rounds_told = 0
        while not self.is_terminal():
            self.step()
            resolutions = self._state.public.resolutions
            if len(resolutions) > rounds_told:
                rounds_told = len(resolutions)
                for hook in on_round_end:
                    hook(resolutions[-1])
        result = result_of(self._state.public)
        for agent in self.agents:
            if hook := hook_of(agent, "on_game_end"):
                hook(result)
        return result

    def _seat_agents(self) -> None:
        for seat, agent in enumerate(self.agents):
            if hook := hook_of(agent, "seed"):
                hook(derive_seed(self._seed, "agent", seat))
            if hook := hook_of(agent, "on_game_start"):
                hook(self._state.config, seat)
            if hook := hook_of(agent, "on_event"):
                self.subscribe(hook, seat)

    # -- telling subscribers -----------------------------------------------------------------------------------------

    def _emit(self, event: Event) -> None:
        for subscriber in tuple(self._subscribers):
            subscriber(event)

    def _tell_of_round(self, state: GameState, *, seeded: bool) -> None:
        public = state.public
        if not self._created_told:
            self._created_told = True
            self._emit(ev.GameCreated(state.config.replace(seed=self._seed), public.names, state.agent_ids))
        self._emit(ev.RoundStarted(public.round_index, public.opener, public.dice_counts, public.palifico))
        for seat, hand in enumerate(state.hands):
            if hand:
                source = f"{self._seed}/{public.round_index}/{seat}" if seeded else None
                self._emit(ev.DiceRolled(seat, hand, source))

    def _tell_of_action(self, state: GameState, player_id: int, action: Action) -> None:
        reasoning = _reasoning(action)
        public = state.public
        if isinstance(action, BidAction):
            self._emit(ev.BidPlaced(player_id, public.bid_history[-1], reasoning))
            return
        called = ev.ExactCalled if isinstance(action, CallExactAction) else ev.LiarCalled
        self._emit(called(player_id, reasoning))
        last = public.resolutions[-1]
        self._emit(ev.DiceRevealed(last.dice))
        self._emit(
            ev.RoundEnded(last.winner, last.loser, last.last_bid, last.match_count, last.was_true, public.dice_counts)
        )
        if public.winner is not None:
            self._emit(ev.GameEnded(public.winner))


def play_game(
    agents: Sequence[Player], config: GameConfig | None = None, verbose: bool = False, *, seed: int | None = None
) -> GameResult:
    """Play a whole game among these agents; with `verbose`, print what happens, dice and all."""
    if not agents:
        raise ConfigError("agents", (), "at least two agents")
    engine = GameEngine(config, agents, seed=seed)
    if verbose:
        names = engine.state.public.names
        engine.subscribe(lambda event: print(narrate(event, names)))
    return engine.play()


def _filtered(subscriber: Subscriber, seat: int) -> Subscriber:
    def hear(event: Event) -> None:
        seen = visible_to(event, seat)
        if seen is not None:
            subscriber(seen)

    return hear


def _reasoning(action: Action) -> str:
    reasoning: object = action.reasoning
    return reasoning[:REASONING_LIMIT] if isinstance(reasoning, str) else ""


def _agent_id(agent: object) -> str:
    """What an agent calls itself, or its class."""
    name = getattr(agent, "name", None)
    return name if isinstance(name, str) and name else type(agent).__name__


def _names_of(agents: Sequence[Player]) -> list[str]:
    """A name a seat; the second of a kind is numbered."""
    taken: list[str] = []
    for agent in agents:
        name = _agent_id(agent)
        copies = sum(1 for other in taken if other == name or other.rpartition("#")[0] == name)
        taken.append(name if copies == 0 else f"{name}#{copies + 1}")
    return taken
