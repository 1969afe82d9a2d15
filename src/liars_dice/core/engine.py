"""The state machine people drive: it rolls the dice, applies what is legal, and tells subscribers what happened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, count

from . import events as ev
from .actions import Action, BidAction, CallExactAction, CallLiarAction
from .config import SEEDS, GameConfig, is_whole
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
        seed = config.seed if seed is None else seed
        if seed is not None and not is_whole(seed, SEEDS):
            raise ConfigError("seed", seed, f"a whole number from {SEEDS[0]} to {SEEDS[-1]}")
        self.agents = tuple(agents)
        self._seed = fresh_seed() if seed is None else seed
        self._cup = DiceCup(config.faces)
        self._subscribers: list[Subscriber] = []
        self._created_told = False
        self._seated = False
        self._state = new_game(
            config,
            names if names is not None else numbered(map(agent_id, agents)) if agents else None,
            [recorded_id(agent) for agent in agents] or None,
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
        for the house's own books. If one subscriber fails, all others still hear everything before its error is raised.
        """
        if seat is not None:
            subscriber = _filtered(subscriber, seat)
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def start_new_round(self, hands: Sequence[Sequence[int]] | None = None) -> None:
        """Roll everybody's dice, or put down these, and let the opener begin."""
        public = self._state.public
        if public.status != "REVEAL":
            raise DealError("a round is under way" if public.status == "BIDDING" else "the game is over")
        index = public.round_index + 1
        if hands is None:
            rolled = [
                self._cup.roll(n, SeatStream(self._seed, index, seat)) if n else ()
                for seat, n in enumerate(public.dice_counts)
            ]
        else:
            rolled = [tuple(hand) for hand in hands]
            if not all(type(die) is int for hand in rolled for die in hand):
                raise DealError(f"hands = {hands}: expected whole numbers")
        self._state = deal(self._state, tuple(rolled))
        if self._subscribers:
            self._tell(self._events_of_round(seeded=hands is None))

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
        player = self._state.public.current_player
        if player_id != player:
            verify(self._state.public, player_id, action)
        self._state = apply(self._state, action)
        if self._subscribers:
            self._tell(self._events_of_action(player, action))

    def reveal_and_resolve(self, caller_id: int) -> None:
        """This player calls liar: all dice are revealed and counted, and the round is settled."""
        self.apply_action(caller_id, CallLiarAction())

    def step(self) -> None:
        """Start the next round if none is under way, else ask the agent whose turn it is and apply its action.

        The first step seats the agents: it seeds them and tells them that the game begins. Steps that end a round or
        the game call the agents' hooks.
        """
        if not self._seated:
            self._seat_agents()
        public = self._state.public
        if public.status != "BIDDING":
            self.start_new_round()
            return
        if not self.agents:
            raise ConfigError("agents", (), f"{len(public.names)} agents, given to the engine, for step() to ask")
        seat = public.current_player
        self.apply_action(seat, self.agents[seat].choose_action(view_of(self._state, seat)))
        if self._state.public.status != "BIDDING":
            self._tell_agents_of_the_end()

    def announce(self, fault: ev.AgentFaulted) -> None:
        """Tell everybody of a bot's fault, and what was done about it."""
        self._tell([*self._creation(), fault])

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._state.public.status == "ENDED"

    def play(self) -> GameResult:
        """Let the agents play to the end, and return the result."""
        while not self.is_terminal():
            self.step()
        return result_of(self._state.public)

    # -- telling agents and subscribers ------------------------------------------------------------------------------

    def _seat_agents(self) -> None:
        self._seated = True
        for seat, agent in enumerate(self.agents):
            if hook := hook_of(agent, "seed"):
                hook(derive_seed(self._seed, "agent", seat))
            if hook := hook_of(agent, "on_game_start"):
                hook(self._state.config, seat)
            if hook := hook_of(agent, "on_event"):
                self.subscribe(hook, seat)

    def _tell_agents_of_the_end(self) -> None:
        public = self._state.public
        for agent in self.agents:
            if hook := hook_of(agent, "on_round_end"):
                hook(public.resolutions[-1])
        if public.status == "ENDED":
            for agent in self.agents:
                if hook := hook_of(agent, "on_game_end"):
                    hook(result_of(public))

    def _tell(self, events: list[Event]) -> None:
        """Tell everybody everything; only then raise the first error somebody made of it."""
        failures: list[Exception] = []
        for event in events:
            for subscriber in tuple(self._subscribers):
                try:
                    subscriber(event)
                except Exception as failure:
                    failures.append(failure)
        if failures:
            raise failures[0]

    def _creation(self) -> list[Event]:
        """The event every record begins with, if it was not told yet."""
        if self._created_told:
            return []
        self._created_told = True
        config, state = self._state.config.replace(seed=self._seed), self._state
        return [ev.GameCreated(config, state.public.names, state.agent_ids)]

    def _events_of_round(self, *, seeded: bool) -> list[Event]:
        state = self._state
        public = state.public
        events = self._creation()
        events.append(ev.RoundStarted(public.round_index, public.opener, public.dice_counts, public.palifico))
        for seat, hand in enumerate(state.hands):
            if hand:
                source = f"{self._seed}/{public.round_index}/{seat}" if seeded else None
                events.append(ev.DiceRolled(seat, hand, source))
        return events

    def _events_of_action(self, player: int, action: Action) -> list[Event]:
        public = self._state.public
        reasoning = action.reasoning[:REASONING_LIMIT] if type(action.reasoning) is str else ""
        reasoning = reasoning.encode("utf-8", "replace").decode()  # half a character is none
        if isinstance(action, BidAction):
            return [ev.BidPlaced(player, public.bid_history[-1], reasoning)]
        called = ev.ExactCalled if isinstance(action, CallExactAction) else ev.LiarCalled
        last = public.resolutions[-1]
        events: list[Event] = [
            called(player, reasoning),
            ev.DiceRevealed(last.dice),
            ev.RoundEnded(last.winner, last.loser, last.last_bid, last.match_count, last.was_true, public.dice_counts),
        ]
        if public.winner is not None:
            events.append(ev.GameEnded(public.winner))
        return events


def play_game(
    agents: Sequence[Player],
    config: GameConfig | None = None,
    verbose: bool = False,
    *,
    names: Sequence[str] | None = None,
    seed: int | None = None,
) -> GameResult:
    """Play a whole game among these agents; with `verbose`, print what happens, dice and all."""
    if not agents:
        raise ConfigError("agents", (), "at least two agents")
    engine = GameEngine(config, agents, names=names, seed=seed)
    if verbose:
        called = engine.state.public.names
        engine.subscribe(lambda event: print(narrate(event, called)))
    return engine.play()


def _filtered(subscriber: Subscriber, seat: int) -> Subscriber:
    def hear(event: Event) -> None:
        seen = visible_to(event, seat)
        if seen is not None:
            subscriber(seen)

    return hear


def agent_id(agent: object) -> str:
    """What an agent calls itself, or its class."""
    name = getattr(agent, "name", None)
    return name if isinstance(name, str) and name else type(agent).__name__


def recorded_id(agent: object) -> str:
    """What sits at the table, for the record: what the agent says under `agent_id`, or what it calls itself."""
    said = getattr(agent, "agent_id", None)
    return said if isinstance(said, str) and said else agent_id(agent)


def numbered(names: Iterable[str]) -> list[str]:
    """A name a seat; the second of a kind is numbered."""
    wanted, found = list(names), list[str]()
    for name in wanted:
        found.append(free_name(name, {*found, *wanted} if name in found else found))
    return found


def free_name(name: str, taken: Collection[str]) -> str:
    """The name or, if that is taken, the first numbered copy that is not: `optimal#2`."""
    copies = (f"{name}#{copy}" for copy in count(2))
    return next(one for one in chain([name], copies) if one not in taken)
