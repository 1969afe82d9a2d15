"""The engine that programs drive: it rolls the dice, applies legal moves, and tells subscribers what happened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, count
from typing import Never

from . import events as ev
from .actions import Action, BidAction, CallExactAction, CallLiarAction, Move, as_action
from .config import SEEDS, GameConfig, is_whole
from .dice import derive_seed, fresh_seed, roll_for_seats
from .errors import BadValueError, ConfigError, DealError
from .events import Event, visible_to
from .fairness import Fairness
from .narration import Narrator
from .player import GameResult, Player, hook_of, result_of
from .presets import RulesLike, as_config
from .safe_text import one_line
from .state import GameState
from .transition import LONGEST_NAME, apply, can_apply, deal, legal_actions, new_game, start_round, verify
from .view import GameView, view_of

Subscriber = Callable[[Event], object]

REASONING_LIMIT = 4000
"""How many characters of a move's reasoning are recorded: room for what a language model says about a move."""


class GameEngine:
    """One game, from the first roll to the last call.

    >>> engine = GameEngine("duel", names=["ann", "bob"], seed=7)
    >>> engine.start_new_round()
    >>> engine
    <GameEngine: round 1, ann to open; ann 2 dice, bob 3 dice>
    >>> engine.current_player, engine.legal_actions[:2]
    (0, (BidAction(Bid(1, 1)), BidAction(Bid(1, 2))))
    >>> engine.move("2x4")
    >>> engine.move("liar")
    >>> engine.result
    <GameResult: ann won after 1 round>
    """

    def __init__(
        self,
        config: RulesLike | None = None,
        agents: Sequence[Player] = (),
        *,
        names: Sequence[str] | None = None,
        seed: int | None = None,
        fairness: Fairness | None = None,
        **rules: Never,
    ) -> None:
        """`config` is a `GameConfig`, the name of a preset, or a rules file; by default the rules of `duel`.

        A preset by name has as many seats as there are `agents` or `names`. `step` and `play` need `agents`. `seed`
        replaces `config.seed`, so that many games can share a config; `fairness`, which is recorded, replaces both.
        """
        if rules:
            _refuse_rules(rules)
        if agents:
            _check_players(agents)
        if type(config) is not GameConfig:
            config = as_config(config, players=len(agents or names or ()) or None)
        if fairness is not None:
            seed = fairness.seed
        seed = config.seed if seed is None else seed
        if seed is not None and not is_whole(seed, SEEDS):
            raise BadValueError("seed", seed, f"a whole number from {SEEDS[0]} to {SEEDS[-1]}")
        self.agents = tuple(agents)
        self._seed = fresh_seed() if seed is None else seed
        self._fairness = fairness
        self._subscribers: list[Subscriber] = []
        self._created_told = False
        self._seated = False
        if agents:
            if len(agents) != config.num_players:
                raise BadValueError("agents", len(agents), f"{config.num_players}, one per seat")
            names = numbered(map(agent_id, agents)) if names is None else names
            self._state = new_game(config, names, [recorded_id(agent) for agent in agents])
        else:
            self._state = new_game(config, names)

    @classmethod
    def resume(cls, state: GameState, agents: Sequence[Player] = (), *, seed: int | None = None) -> GameEngine:
        """An engine that continues from `state`; later rounds roll their dice from `seed`."""
        engine = cls(state.config, agents, names=state.public.names, seed=seed)
        engine._state = state
        engine._created_told = True
        return engine

    @property
    def seed(self) -> int:
        """What the dice are rolled from. Keep it secret while the game runs."""
        return self._seed

    @property
    def state(self) -> GameState:
        """The whole state, hidden dice included. Show players `get_view` instead."""
        return self._state

    @property
    def current_player(self) -> int | None:
        """The seat that is to move; None between rounds and after the game."""
        public = self._state.public
        return public.current_player if public.status == "BIDDING" else None

    @property
    def legal_actions(self) -> tuple[Action, ...]:
        """What the player to move may do: bids from the lowest up, then calls; empty when no one is to move."""
        return legal_actions(self._state.public)

    @property
    def winner(self) -> int | None:
        """The seat that won the game; None while it goes on."""
        return self._state.public.winner

    @property
    def result(self) -> GameResult | None:
        """How the game ended; None while it goes on."""
        return result_of(self._state.public) if self.is_terminal() else None

    def __repr__(self) -> str:
        return repr(self._state.public).replace("PublicState", "GameEngine", 1)

    def subscribe(self, subscriber: Subscriber, seat: int | None = None) -> Callable[[], None]:
        """Call `subscriber` with every event from now on; returns a function that unsubscribes it.

        With a seat (or `SPECTATOR`) it hears only what that seat may know. Without one it hears everything, hidden
        dice and seed included. If a subscriber fails, the others still hear every event before its error is raised.
        """
        if seat is not None:
            subscriber = _filtered(subscriber, seat)
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def start_new_round(
        self,
        hands: Sequence[Sequence[int]] | None = None,
        *,
        table_dice: Sequence[int] = (),
        hidden_dice: Sequence[int] = (),
    ) -> None:
        """Roll all dice, or use the given `hands` (one per seat) and dice on the table, and start the round."""
        state = self._state
        public = state.public
        if public.status != "REVEAL":
            raise DealError("a round is under way" if public.status == "BIDDING" else "the game is over")
        if hands is not None:
            self._state = deal(state, tuple(_given(hands)), *_given([table_dice, hidden_dice]))
        elif table_dice or hidden_dice:
            raise DealError("table_dice and hidden_dice: give all hands, too")
        else:
            config, index = public.rules.config, len(public.resolutions)
            rolled = roll_for_seats(public.dice_counts, config.faces, self._seed, index)
            shared = config.table_dice, config.hidden_dice
            if any(shared):
                dice = roll_for_seats(shared, config.faces, self._seed, index, first=len(rolled))
                self._state = start_round(state, rolled, *dice)
            else:
                self._state = start_round(state, rolled)
        if self._subscribers:
            self._tell(self._events_of_round(seeded=hands is None))

    def get_view(self, player_id: int) -> GameView:
        """What this player may know now."""
        return view_of(self._state, player_id)

    def can_apply(self, player_id: int, action: Move) -> bool:
        """Whether this player may make this move now."""
        return can_apply(self._state.public, player_id, action)

    def verify(self, player_id: int, action: Move) -> None:
        """Raise `IllegalMoveError` if this player may not make this move now."""
        verify(self._state.public, player_id, action)

    def apply_action(self, player_id: int, action: Move) -> None:
        """Make this player's move. An illegal one raises `IllegalMoveError` and changes nothing."""
        state = self._state
        player = state.public.current_player
        if player_id != player:
            verify(state.public, player_id, action)
        self._state = apply(state, action)
        if self._subscribers:
            self._tell(self._events_of_action(player, as_action(action)))

    def move(self, action: Move) -> None:
        """Make a move for the player whose turn it is: an action, a bid, or text such as `2x4`, `liar` or `exact`."""
        self.apply_action(self._state.public.current_player, action)

    def reveal_and_resolve(self, caller_id: int) -> None:
        """Call liar for this player: all dice are revealed and counted, and the round ends."""
        self.apply_action(caller_id, CallLiarAction())

    def step(self) -> None:
        """Start the next round if none is under way; otherwise ask the agent whose turn it is and make its move.

        The first step seeds the agents and tells them that the game begins. A step that ends a round or the game calls
        the agents' hooks for that.
        """
        if not self._seated:
            self._seat_agents()
        public = self._state.public
        if public.status != "BIDDING":
            self.start_new_round()
            return
        if not self.agents:
            raise BadValueError("agents", (), f"{len(public.names)} agents, one per seat, when the engine is made")
        seat = public.current_player
        self.apply_action(seat, self.agents[seat].choose_action(view_of(self._state, seat)))
        if self._state.public.status != "BIDDING":
            self._tell_agents_of_the_end()

    def announce(self, fault: ev.AgentFaulted) -> None:
        """Tell all subscribers about a bot's fault."""
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
        """Tell every subscriber about every event; only then raise the first error of a subscriber."""
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
        """The first event of every record, if it has not been told yet."""
        if self._created_told:
            return []
        self._created_told = True
        config, state = self._state.config.replace(seed=self._seed), self._state
        return [ev.GameCreated(config, state.public.names, state.agent_ids, fairness=self._fairness)]

    def _events_of_round(self, *, seeded: bool) -> list[Event]:
        state = self._state
        public = state.public
        events = self._creation()
        events.append(ev.RoundStarted(public.round_index, public.opener, public.dice_counts, public.palifico))
        source = f"{self._seed}/{public.round_index}/" if seeded else None
        for seat, hand in enumerate(state.hands):
            if hand:
                events.append(ev.DiceRolled(seat, hand, source and f"{source}{seat}"))
        if public.table_dice or state.hidden_dice:
            origin = source and f"{source}{len(state.hands)}"
            events.append(ev.SharedDiceRolled(public.table_dice, state.hidden_dice, origin))
        return events

    def _events_of_action(self, player: int, action: Action) -> list[Event]:
        public = self._state.public
        reasoning = action.reasoning[:REASONING_LIMIT] if type(action.reasoning) is str else ""
        reasoning = reasoning.encode("utf-8", "replace").decode()  # a lone surrogate cannot be stored
        if isinstance(action, BidAction):
            return [ev.BidPlaced(player, public.bid_history[-1], reasoning)]
        called = ev.ExactCalled if isinstance(action, CallExactAction) else ev.LiarCalled
        last = public.resolutions[-1]
        events: list[Event] = [
            called(player, reasoning),
            ev.DiceRevealed(last.dice, last.table_dice, last.hidden_dice),
            ev.RoundEnded(last.winner, last.loser, last.last_bid, last.match_count, last.was_true, public.dice_counts),
        ]
        if public.winner is not None:
            events.append(ev.GameEnded(public.winner))
        return events


def play_game(
    agents: Sequence[Player],
    config: RulesLike | None = None,
    verbose: bool = False,
    *,
    names: Sequence[str] | None = None,
    seed: int | None = None,
) -> GameResult:
    """Play a whole game between these agents; with `verbose`, print what happens, dice included."""
    if not agents:
        raise BadValueError("agents", agents, "at least two agents, one per seat")
    engine = GameEngine(config, agents, names=names, seed=seed)
    if verbose:
        tell = Narrator(engine.state.public.names)
        engine.subscribe(lambda event: print(tell(event)))
    return engine.play()


def _refuse_rules(given: Iterable[str]) -> None:
    """Raise for rules that were given to an engine, by today's names or old ones: they belong in its `config`."""
    for name in given:
        if name in GameConfig.__struct_fields__:
            raise ConfigError("field", name, f"it in the rules: GameEngine(preset(NAME, {name}=...))")
        GameConfig.from_dict({name: None})


def _check_players(players: object) -> None:
    """Raise `BadValueError` unless this is a sequence of things that can choose a move."""
    if not isinstance(players, list | tuple) and (not isinstance(players, Sequence) or isinstance(players, str)):
        raise BadValueError("agents", players, "a list of agents, one per seat")
    for player in players:
        if isinstance(player, type) or not callable(getattr(player, "choose_action", None)):
            raise BadValueError("agents", player, "objects with a method choose_action(view); make_agent makes one")


def _given(hands: Iterable[Iterable[int]]) -> list[tuple[int, ...]]:
    """Dice that are given instead of rolled; `transition.deal` checks that they fit the rules."""
    try:
        given = [tuple(hand) for hand in hands]
    except TypeError:
        raise DealError(f"hands = {hands}: expected one list of dice per seat") from None
    if not all(type(die) is int for hand in given for die in hand):
        raise DealError(f"hands = {hands}: expected whole numbers, one list per seat")
    return given


def _filtered(subscriber: Subscriber, seat: int) -> Subscriber:
    def hear(event: Event) -> None:
        seen = visible_to(event, seat)
        if seen is not None:
            subscriber(seen)

    return hear


def agent_id(agent: object) -> str:
    """The agent's own name, or the name of its class."""
    name = getattr(agent, "name", None)
    return one_line(name if isinstance(name, str) and name else type(agent).__name__, LONGEST_NAME)


def recorded_id(agent: object) -> str:
    """What the record says about who plays: the agent's `agent_id`, or its name."""
    said = getattr(agent, "agent_id", None)
    return one_line(said, LONGEST_NAME) if isinstance(said, str) and said else agent_id(agent)


def numbered(names: Iterable[str]) -> list[str]:
    """One name per seat, with repeated names numbered: `optimal`, `optimal#2`."""
    wanted, found = list(names), list[str]()
    for name in wanted:
        found.append(free_name(name, {*found, *wanted} if name in found else found))
    return found


def free_name(name: str, taken: Collection[str]) -> str:
    """The name itself or, if it is taken, its first free numbered copy: `optimal#2`."""
    copies = (f"{name}#{copy}" for copy in count(2))
    return next(one for one in chain([name], copies) if one not in taken)


def without_number(name: str) -> str:
    """The name that a numbered copy was made from: `optimal` for `optimal#2`.

    >>> without_number("optimal#2")
    'optimal'
    """
    return name.partition("#")[0]
