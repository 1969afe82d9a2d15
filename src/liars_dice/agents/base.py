"""The base class of bots: one method to write, and optional hooks."""

from __future__ import annotations

import random
import warnings
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import ClassVar

from ..core import (
    Action,
    BadValueError,
    Event,
    GameConfig,
    GameResult,
    GameView,
    Move,
    PublicState,
    RoundResolution,
    unused,
)

Policy = Mapping[Action, float]
"""The probability of each action; actions that are left out are never chosen."""


class Agent(ABC):
    """A bot. Write `choose_action`; everything else is optional.

    >>> class Sceptic(Agent):
    ...     def choose_action(self, view):
    ...         return "liar" if view.current_bid else "1x6"
    >>> Sceptic("Ann").name
    'Ann'
    """

    name: str = ""
    """The agent's name at the table; the name of its class if this is empty. `super().__init__("Ann")` sets it too."""
    player_type: str
    """What records say the agent is; the name of its class unless it is set."""
    memoryless: ClassVar[bool] = False
    """Whether decisions depend only on the agent's own dice, the number of dice the others have together, the current
    bid and the legal moves. Such an agent can be compiled into a table and measured exactly."""
    players: ClassVar[tuple[int, int]] = (2, 15)
    """The smallest and the largest number of players it can play with."""
    _seed: int | None = None
    _rng: random.Random | None = None

    def __init__(self, name: str = "") -> None:
        """`name` is what this one is called at the table. A subclass need not call this."""
        given: object = name
        if not isinstance(given, str):
            raise BadValueError("name", given, "the agent's name, as text")
        if name:
            self.name = name

    @abstractmethod
    def choose_action(self, view: GameView) -> Move:
        """The move to make: an action, a bid, or text such as `3x4`, `liar` or `exact`."""

    def policy(self, view: GameView) -> Policy | None:
        """The distribution that `choose_action` draws from; None if the agent cannot state it."""
        return None

    def check_rules(self, config: GameConfig) -> None:
        """Raise `ConfigError` if this agent cannot play by these rules. By default it can play by any."""

    def seed(self, seed: int) -> None:
        """Restart the agent's own randomness. Games call this first, so that seeded games can be repeated."""
        self._seed, self._rng = seed, None

    @property
    def rng(self) -> random.Random:
        """The agent's own randomness. Use it for every random choice, so that seeded games can be repeated."""
        if self._rng is None:
            self._rng = random.Random(self._seed)
        return self._rng

    def prepare(self) -> None:
        """Load and compile what decisions need. For a built-in bot, a sandbox calls this before it closes: no file can
        be read afterwards.
        """

    @unused
    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        """A game begins; `player_id` is your seat."""

    @unused
    def on_event(self, event: Event) -> None:
        """Something happened that you may know about."""

    @unused
    def on_round_end(self, resolution: RoundResolution) -> None:
        """A round is over; `resolution` shows all dice."""

    @unused
    def on_game_end(self, result: GameResult) -> None:
        """The game is over; `result` has the winner and every round. Learn here."""


class PolicyAgent(Agent):
    """An agent defined by its probabilities: write `policy`, and decisions are drawn from it."""

    @abstractmethod
    def policy(self, view: GameView) -> Policy:
        """The probability of each action."""

    def choose_action(self, view: GameView) -> Action:
        """Draw from the policy."""
        return self.draw(self.policy(view))

    def draw(self, policy: Policy) -> Action:
        """One of the actions, each as often as its probability says."""
        bounds = list(accumulate(policy.values()))
        drawn = self.rng.random() * bounds[-1]
        return next(action for action, bound in zip(policy, bounds, strict=True) if drawn < bound)


class BatchAgent(PolicyAgent):
    """An agent that answers many questions at once faster than one after another: write `policies`.

    Where many games are played side by side, `think_ahead` lets it answer the questions of all of them together.
    """

    _ahead: tuple[PublicState, Policy] | None = None
    """A position that it has thought about already, and its answer."""

    @property
    def mind(self) -> Hashable:
        """Agents with equal minds give equal answers, so that one of them can answer for all. By default, none do."""
        return id(self)

    @abstractmethod
    def policies(self, views: Sequence[GameView]) -> list[Policy]:
        """The probability of each action in each of these views."""

    def policy(self, view: GameView) -> Policy:
        """The probability of each action."""
        if self._ahead is not None and self._ahead[0] is view.public:
            return self._ahead[1]
        return self.policies([view])[0]


@cache
def warn_once(message: str) -> None:
    """Warn of what an agent does at a table, such as playing as another one by some rules; once per process."""
    warnings.warn(message, stacklevel=3)


def think_ahead(questions: Iterable[tuple[BatchAgent, GameView]]) -> None:
    """Let agents think about what they are going to be asked next, those with equal minds together."""
    together: dict[Hashable, list[tuple[BatchAgent, GameView]]] = {}
    for agent, view in questions:
        together.setdefault(agent.mind, []).append((agent, view))
    for asked in together.values():
        answers = asked[0][0].policies([view for _, view in asked])
        for (agent, view), answer in zip(asked, answers, strict=True):
            agent._ahead = view.public, answer
