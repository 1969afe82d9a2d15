"""The PettingZoo environment `liars_dice_v0`: every seat is an agent, and one moves at a time.

`from liars_dice.learn.envs import liars_dice_v0` gives `env`, `raw_env` and `parallel_env` under the customary names.

Agents are called `player_0`, `player_1`, ... in the order of seats. An observation is a dictionary: `observation`, the
vector that `encoding` describes, and `action_mask`, 1 for each legal action and all zeros for an agent that is not to
move. Dice are rolled inside the step: an agent's next observation may show a new round.

With n players, the winner of the game gets +1 and each other player -1/(n-1), so the rewards add up to zero. A player
who loses its last die in an elimination game gets its reward and is terminated then; all others when the game ends.

To let one of our bots move, call `env.step(env.unwrapped.choice_of(bot))`.
"""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar, SupportsIndex

import numpy as np

from ...agents import Agent, make_agent
from ...core import SEEDS, BadValueError, Dice, GameConfig, GameEngine, MissingExtraError, as_action, derive_seed
from ..seating import env_rules
from .encoding import Encoding, Mask, Observation
from .table_text import table_text

try:
    from gymnasium import spaces
    from gymnasium.error import ResetNeeded
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
except ImportError as error:
    raise MissingExtraError("a PettingZoo environment", "pettingzoo", "rl") from error

RENDER_MODES = ("ansi", "human")

Seen = dict[str, Observation | Mask]
"""An observation."""


def env(rules: str | GameConfig = "perudo", **settings: Any) -> Any:
    """The environment with the customary wrappers: an illegal move ends the game, and its agent gets -1."""
    bare = raw_env(rules, **settings)
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(bare, illegal_reward=-1))
    )


def parallel_env(rules: str | GameConfig = "perudo", **settings: Any) -> Any:
    """The environment as a parallel one: all agents act at once, and only the action of the agent to move counts."""
    return turn_based_aec_to_parallel(env(rules, **settings))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name for it; the package has no types
    """The bare environment: an illegal move raises `IllegalMoveError` and changes nothing.

    `rules` is a preset, a rules file or a `GameConfig` (its seed is ignored: `reset` takes one); `players` and `dice`
    change it. `reset(seed=...)` makes all dice repeatable.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "liars_dice_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: str | GameConfig = "perudo",
        *,
        players: int | None = None,
        dice: Dice = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise BadValueError("render_mode", render_mode, "None, 'ansi' or 'human'")
        self.config = env_rules(rules, players=players, dice=dice)
        self.encoding = Encoding(self.config)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.config.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._action_spaces = {agent: spaces.Discrete(self.encoding.actions) for agent in self.possible_agents}
        self._observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (self.encoding.size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (self.encoding.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._rng, _ = seeding.np_random()
        self._engine: GameEngine | None = None
        self._bots: dict[tuple[str, int], Agent] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space, which is the same for all agents."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space, which is the same for all agents."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game."""
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        engine = GameEngine(self.config, names=self.possible_agents, seed=int(self._rng.integers(SEEDS.stop)))
        engine.start_new_round()
        self._engine = engine
        self._bots.clear()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._select()

    @property
    def _game(self) -> GameEngine:
        if self._engine is None:
            raise ResetNeeded("no game has begun: call reset()")
        return self._engine

    def observe(self, agent: str) -> Seen:
        """The current observation of this agent."""
        public = self._game.state.public
        seat = self._seats[agent]
        to_move = public.current_player == seat
        mask = self.encoding.action_mask(public) if to_move else np.zeros(self.encoding.actions, dtype=np.int8)
        return {"observation": self.encoding.observe(self._game.get_view(seat)), "action_mask": mask}

    def step(self, action: SupportsIndex | None) -> None:
        """Take an action for the selected agent; a terminated agent must pass None, and is removed."""
        engine = self._game
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise BadValueError("action", None, f"a number from 0 to {self.encoding.actions - 1}: {agent} is to move")
        engine.apply_action(self._seats[agent], self.encoding.action(engine.state.public, index(action)))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._settle()
        self._accumulate_rewards()
        if engine.state.public.status == "REVEAL":
            engine.start_new_round()
        self._select()
        self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def choice_of(self, bot: str | Agent) -> int:
        """The number of the action that a bot, or the bot of this name, chooses in place of the agent to move.

        With a wrapped environment, call `env.unwrapped.choice_of`.
        """
        engine = self._game
        seat = self._seats[self.agent_selection]
        if isinstance(bot, str):
            if (bot, seat) not in self._bots:
                self._bots[bot, seat] = make_agent(bot)
                self._bots[bot, seat].seed(derive_seed(engine.seed, "agent", seat))
            bot = self._bots[bot, seat]
        view = engine.get_view(seat)
        return self.encoding.number(engine.state.public, as_action(bot.choose_action(view)))

    def render(self) -> str | None:
        """The public state as text: returned if `render_mode` is "ansi", printed if it is "human"."""
        text = table_text(self._game.state.public)
        if self.render_mode == "human":
            print(text)
        return text if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def _settle(self) -> None:
        """Reward and terminate agents without dice, or all agents if the game is over."""
        public = self._game.state.public
        for agent in self.agents:
            seat = self._seats[agent]
            if public.status == "ENDED" or not public.dice_counts[seat]:
                self.terminations[agent] = True
                self.rewards[agent] = 1.0 if seat == public.winner else -1 / (self.config.num_players - 1)

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[self._game.state.public.current_player]
