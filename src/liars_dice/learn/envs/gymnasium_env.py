"""A Gymnasium environment: one player learns, and agents in the other seats play inside the step.

Importing this module registers an id for each preset (`LiarsDice/Perudo-v0`, `LiarsDice/HeadsUp-v0`, ...), and
`LiarsDice-v0` for any rules, so all of these work:

    import liars_dice.learn.envs.gymnasium_env
    env = gymnasium.make("LiarsDice/Perudo-v0", players=4)
    env = gymnasium.make("LiarsDice-v0", rules="classic", dice=2, opponents="truthful")

    env = gymnasium.make("liars_dice.learn.envs.gymnasium_env:LiarsDice/Perudo-v0")

`gymnasium.make_vec("LiarsDice-v0", num_envs=1024)` makes the vector environment of `gymnasium_vector_env`. `encoding`
explains the numbers of observations and actions.
"""

from __future__ import annotations

from operator import index
from typing import Any, Literal, SupportsIndex, get_args

import numpy as np

from ...core import (
    SEEDS,
    Action,
    BadValueError,
    CallLiarAction,
    Dice,
    GameConfig,
    GameEngine,
    GameView,
    MissingExtraError,
    is_whole,
    verify,
)
from ..seating import Opponents, env_rules, make_opponents, plain_number
from .encoding import Encoding, Mask, Observation
from .preset_names import PRESET_TITLES
from .table_text import table_text

try:
    import gymnasium
except ImportError as error:
    raise MissingExtraError("a Gymnasium environment", "gymnasium", "rl") from error

ENV_ID = "LiarsDice-v0"
"""The id of the environment for `gymnasium.make`, with any rules."""

PRESET_IDS = {f"LiarsDice/{title}-v0": preset for title, preset in PRESET_TITLES.items()}
"""The ids of the environments with the rules of a preset."""

ATTEMPTS = 1000
"""The number of games to begin before giving up on a seat that never gets to move."""

Illegal = Literal["lose", "raise"]
"""What an illegal action does: lose the game, or raise `IllegalMoveError`."""


class LiarsDiceEnv(gymnasium.Env[Observation, np.int64]):
    """One player's game against agents. The reward is +1 for winning the game, -1 for losing it, and 0 before that.

    `rules` is a preset, a rules file or a `GameConfig` (its seed is ignored: `reset` takes one); `players` and `dice`
    change it. `opponents` are agents or their names; one name fills every other seat. Agents keep what they learn from
    game to game, and their hooks are called as in any game. `seat` is the player's seat: a number, "random", or
    "alternate" (each seat in turn). An illegal action loses the game at once, and `info` has `illegal_action`
    (Gymnasium's own checks try any action); with `illegal="raise"` it raises `IllegalMoveError` and changes nothing.

    A step is the player's action and everything that happens until the player is to move again. A player without dice
    has lost; the others finish the game inside the step. With three or more players, a game can end before the player
    is ever to move; then `reset` begins another. `action_masks()` and `info["action_mask"]` say which actions are
    legal. `reset(seed=...)` makes everything repeatable: dice, seats and opponents' choices.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - as the base class declares it

    def __init__(
        self,
        rules: str | GameConfig = "classic",
        *,
        players: int | None = None,
        dice: Dice = None,
        opponents: Opponents = "truthful",
        seat: int | Literal["random", "alternate"] = 0,
        illegal: Illegal = "lose",
        render_mode: str | None = None,
    ) -> None:
        config = env_rules(rules, players=players, dice=dice)
        seat = seat if isinstance(seat, str) else plain_number(seat)
        if seat not in ("random", "alternate") and not is_whole(seat, range(config.num_players)):
            raise BadValueError("seat", seat, f"a seat from 0 to {config.num_players - 1}, 'random' or 'alternate'")
        if illegal not in get_args(Illegal):
            raise BadValueError("illegal", illegal, "'lose' or 'raise'")
        if render_mode not in (None, "ansi"):
            raise BadValueError("render_mode", render_mode, "None or 'ansi'")
        self.config = config
        self.encoding = Encoding(config)
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0, 1, (self.encoding.size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(self.encoding.actions)
        self._opponents = make_opponents(opponents, config.num_players - 1)
        self._seat_choice = seat
        self._illegal = illegal
        self._games = 0
        self._engine: GameEngine | None = None
        self._me = _Learner()
        self._seat = 0
        self._over = False

    @property
    def seat(self) -> int:
        """The player's seat in this game."""
        return self._seat

    @property
    def view(self) -> GameView:
        """The player's current view, as agents get it."""
        return self._game.get_view(self._seat)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new game and play until the player is to move."""
        super().reset(seed=seed, options=options)
        if seed is not None:
            self._games = 0
        if self._seat_choice == "random":
            self._seat = int(self.np_random.integers(self.config.num_players))
        elif self._seat_choice == "alternate":
            self._seat = self._games % self.config.num_players
        else:
            self._seat = int(self._seat_choice)
        self._games += 1
        players = [*self._opponents[: self._seat], self._me, *self._opponents[self._seat :]]
        for _ in range(ATTEMPTS):
            self._engine = GameEngine(self.config, players, seed=int(self.np_random.integers(SEEDS.stop)))
            self._over = False
            self._play_on()
            if not self._over:
                return self._seen(), self._info()
        raise BadValueError("seat", self._seat, f"a seat that gets to move; in {ATTEMPTS} games this one never did")

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take this action, and play on until the player is to move again or the game is over."""
        game = self._game
        if self._over:
            raise gymnasium.error.ResetNeeded("the game is over: call reset()")
        try:
            number, public = index(action), game.state.public
        except TypeError:
            raise BadValueError("action", action, f"a whole number from 0 to {self.encoding.actions - 1}") from None
        if self._illegal == "lose" and not (
            0 <= number < self.encoding.actions and self.encoding.action_mask(public)[number]
        ):
            self._over = True
            return self._seen(), -1.0, True, False, self._info() | {"illegal_action": number}
        self._me.action = self.encoding.action(public, number)
        verify(public, self._seat, self._me.action)
        game.step()
        self._play_on()
        winner = game.state.public.winner
        reward = 0.0 if winner is None else 1.0 if winner == self._seat else -1.0
        return self._seen(), reward, winner is not None, False, self._info()

    def action_masks(self) -> Mask:
        """1 for each legal action; all zeros when the game is over. MaskablePPO calls this."""
        if self._over:
            return np.zeros(self.encoding.actions, dtype=np.int8)
        return self.encoding.action_mask(self._game.state.public)

    def render(self) -> str | None:
        """The table as the player sees it, if `render_mode` is "ansi"."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing: make the environment with render_mode='ansi'")
            return None
        view = self.view
        return table_text(view.public, view.my_dice, view.player_id)

    @property
    def _game(self) -> GameEngine:
        if self._engine is None:
            raise gymnasium.error.ResetNeeded("no game has begun: call reset()")
        return self._engine

    def _play_on(self) -> None:
        """Deal and let the other agents move until it is the player's turn or the game is over."""
        game = self._game
        while not game.is_terminal():
            public = game.state.public
            if public.status == "BIDDING" and public.current_player == self._seat:
                return
            game.step()
        self._over = True

    def _seen(self) -> Observation:
        return self.encoding.observe(self.view)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "seat": self._seat}


class _Learner:
    """The player's agent in the engine: it takes the action given to `step`."""

    name = "you"

    def __init__(self) -> None:
        self.action: Action = CallLiarAction()

    def choose_action(self, view: GameView) -> Action:
        return self.action


def register_envs() -> None:
    """Register `LiarsDice-v0`, and an id for each preset, with Gymnasium."""
    single = f"{__name__}:{LiarsDiceEnv.__name__}"
    vector = f"{__package__}.gymnasium_vector_env:LiarsDiceVectorEnv"
    for name, rules in ((ENV_ID, {}), *((name, {"rules": preset}) for name, preset in PRESET_IDS.items())):
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=single, vector_entry_point=vector, kwargs=rules)


register_envs()
