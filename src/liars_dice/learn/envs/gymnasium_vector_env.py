"""Gymnasium's vector API over compiled games: thousands of `LiarsDice-v0` side by side in one process.

`gymnasium_env` registers it, so that `gymnasium.make_vec("LiarsDice-v0", num_envs=1024)` makes one.
"""

from __future__ import annotations

from os import cpu_count
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...core import SEEDS, BadValueError, Dice, GameConfig, MissingExtraError, Player, agent_id, is_whole
from ...exact import OutOfReachError
from ...numeric import Floats, Ints, Truths
from ...simulator import Simulator
from ..batch.batched_games import checked_numbers
from ..batch.numba_games import NumbaGames
from ..batch.numba_opponents import (
    ALTERNATE_SEAT,
    LOST,
    PLAYING,
    RANDOM_SEAT,
    WON,
    play_bots,
    play_learners,
    seat_learner,
)
from ..batch.rule_arrays import compile_rules
from ..batch.table_bots import bot_arrays
from ..seating import Opponents, env_rules, make_opponents, plain_number
from .encoding import Encoding

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise MissingExtraError("a Gymnasium environment", "gymnasium", "rl") from error

ATTEMPTS = 1000
"""The number of games to begin before giving up on a seat that never gets to move."""
Observations = NDArray[np.float32]
Stepped = tuple[Observations, Floats, Truths, Truths, dict[str, Any]]


class LiarsDiceVectorEnv(gymnasium.vector.VectorEnv[Observations, Ints, NDArray[Any]]):
    """`num_envs` games of one player against memoryless agents, all played by compiled code.

    Rules, opponents, seats, observations, actions and rewards are those of `LiarsDiceEnv`. Opponents must be
    memoryless (`liars-dice agents --json` says which bots are); for others, `gymnasium.make_vec(...,
    vectorization_mode="sync")` plays through the engine. A game ends for the player with its last die; the others do
    not finish it.

    An illegal action loses the game, and `info["illegal_action"]` marks it. `info["action_mask"]` and `action_masks()`
    say what is legal; after a game has ended, nothing is. `autoreset_mode` is Gymnasium's: by default, the step after
    the end of a game ignores the action and begins the next game; with `SAME_STEP` the step that ends a game begins the
    next one, and `info["final_obs"]` has the last observation; with `DISABLED` you call
    `reset(options={"reset_mask": ended})`.

    Environment i plays the games i, i + num_envs, ... of the seed: `reset(seed=...)` makes everything repeatable.
    """

    def __init__(
        self,
        num_envs: int,
        rules: str | GameConfig = "classic",
        *,
        players: int | None = None,
        dice: Dice = None,
        opponents: Opponents = "truthful",
        seat: int | Literal["random", "alternate"] = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: None = None,
    ) -> None:
        config = env_rules(rules, players=players, dice=dice)
        num_envs = plain_number(num_envs)
        if not is_whole(num_envs, range(1, 10**9)):
            raise BadValueError("num_envs", num_envs, "a whole number of environments from 1 up")
        seat = seat if isinstance(seat, str) else plain_number(seat)
        if seat not in ("random", "alternate") and not is_whole(seat, range(config.num_players)):
            raise BadValueError("seat", seat, f"a seat from 0 to {config.num_players - 1}, 'random' or 'alternate'")
        if render_mode is not None:
            raise BadValueError("render_mode", render_mode, "None: a batch of games is not drawn")
        self.num_envs = num_envs
        self.config = config
        self.encoding = Encoding(config)
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space = gymnasium.spaces.Box(0, 1, (self.encoding.size,), np.float32)
        self.single_action_space = gymnasium.spaces.Discrete(self.encoding.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        named = {"random": RANDOM_SEAT, "alternate": ALTERNATE_SEAT}
        self._seat = named[seat] if isinstance(seat, str) else int(seat)
        self._seat_bots(make_opponents(opponents, config.num_players - 1))
        self._games = NumbaGames(compile_rules([config]), num_envs, 0, self.encoding.parts, cpu_count() or 1)
        self._learners: Ints = np.zeros(num_envs, dtype=np.int64)
        self._standings = np.zeros(num_envs, dtype=np.int8)
        self._places: Ints = np.zeros(num_envs, dtype=np.int64)
        self._begun = False

    def _seat_bots(self, bots: tuple[Player, ...]) -> None:
        """Make the bots' tables. With the learner in each seat in turn, the bots keep their order."""
        for bot in bots:
            if not getattr(bot, "memoryless", False):
                raise OutOfReachError(
                    f"{agent_id(bot)} does not declare `memoryless`, so compiled games cannot have it; "
                    "make_vec(..., vectorization_mode='sync') plays it through the engine"
                )
        self._simulator = Simulator(bots, self.config)
        self._tables = bot_arrays(self._simulator)
        numbers = list(range(len(bots)))
        self._bot_in = np.array([[*numbers[:seat], 0, *numbers[seat:]] for seat in range(len(bots) + 1)])

    @property
    def seats(self) -> Ints:
        """[environment]: the player's seat."""
        return self._learners

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin new games, in all environments or in those of `options["reset_mask"]`."""
        if seed is not None and not is_whole(seed, SEEDS):
            raise BadValueError("seed", seed, f"a whole number from {SEEDS[0]} to {SEEDS[-1]}, for all environments")
        super().reset(seed=seed, options=options)
        mask = (options or {}).get("reset_mask")
        if mask is None:
            self._games.reset(int(self.np_random.integers(SEEDS.stop)) if seed is None else seed)
            self._begun = True
            self._begin(np.arange(self.num_envs))
            return self._games.observations(self._learners), self._info()
        if (
            not isinstance(mask, np.ndarray)
            or mask.shape != (self.num_envs,)
            or mask.dtype != np.bool_
            or not mask.any()
        ):
            expected = f"a numpy array of {self.num_envs} bool, at least one of them True"
            raise BadValueError("reset_mask", mask, expected)
        if seed is not None:
            raise BadValueError("seed", seed, "None with a reset_mask: a seed is for all environments")
        self._next_games(np.flatnonzero(mask))
        return self._games.observations(self._learners), self._info()

    def step(self, actions: Ints) -> Stepped:
        """Take these actions, and let the others play until each player is to move again or its game is over."""
        self._check_begun()
        chosen: Ints = checked_numbers(self._games, "actions", actions, self.num_envs, "environments")
        ended = self._standings != PLAYING
        if self.autoreset_mode == AutoresetMode.DISABLED and ended.any():
            raise gymnasium.error.ResetNeeded(
                f"{int(ended.sum())} games are over, the first in environment {int(ended.argmax())}: "
                'call reset(options={"reset_mask": ...})'
            )
        legal = self._are_legal(chosen)
        illegal = ~ended & ~legal
        self._standings[illegal] = LOST
        self._next_games(np.flatnonzero(ended))
        playing = np.flatnonzero(~ended & legal)
        play_learners(self._games.rules, self._games.games, playing, chosen, self._learners, self._standings)
        self._play_on(playing)
        over = (self._standings != PLAYING) & ~ended
        rewards = np.where(over, np.where(self._standings == WON, 1.0, -1.0), 0.0)
        info: dict[str, Any] = {}
        if illegal.any():
            info |= {"illegal_action": np.where(illegal, chosen, 0), "_illegal_action": illegal}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and over.any():
            info |= self._final(over)
            self._next_games(np.flatnonzero(over))
        return self._games.observations(self._learners), rewards, over, np.zeros_like(over), info | self._info()

    def action_masks(self) -> NDArray[np.int8]:
        """[environment, action]: 1 for each legal action; all zeros where the game is over."""
        self._check_begun()
        masks = self._games.action_masks(self.encoding.actions).astype(np.int8)
        masks[self._standings != PLAYING] = 0
        return masks

    def _check_begun(self) -> None:
        if not self._begun:
            raise gymnasium.error.ResetNeeded("no game has begun: call reset()")

    def _are_legal(self, actions: Ints) -> Truths:
        known: Truths = (actions >= 0) & (actions < self.encoding.actions)
        return known & (self.action_masks()[np.arange(self.num_envs), np.where(known, actions, 0)] > 0)

    def _info(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        masks, seats = self.action_masks(), self._learners.copy()
        return {"action_mask": masks, "_action_mask": everywhere, "seat": seats, "_seat": everywhere}

    def _final(self, over: Truths) -> dict[str, Any]:
        """The last observations of games that ended, in Gymnasium's form."""
        seen = self._games.observations(self._learners)
        last = np.full(self.num_envs, None, dtype=object)
        for place in np.flatnonzero(over):
            last[place] = seen[place]
        return {"final_obs": last, "_final_obs": over, "final_info": self._info(), "_final_info": over}

    def _next_games(self, which: Ints) -> None:
        """Begin the next games in these environments."""
        self._games.state.game[which] += self.num_envs
        self._begin(which)

    def _begin(self, which: Ints) -> None:
        """Begin games in these environments; those that end before the player is to move are followed by others."""
        games = self._games
        for _ in range(ATTEMPTS):
            if not which.size:
                return
            self._standings[which] = PLAYING
            seat_learner(games.rules, games.games, games.seed, which, self._seat, self._learners)
            self._play_on(which)
            which = which[self._standings[which] != PLAYING]
            games.state.game[which] += self.num_envs
        raise BadValueError("seat", self._seat, f"a seat that gets to move; in {ATTEMPTS} games this one never did")

    def _play_on(self, which: Ints) -> None:
        """Let the bots play in these environments; the cells that they lack are filled on the way."""
        games = self._games
        while which.size:
            play_bots(
                games.rules, games.games, self._tables, self._simulator.unknown, self._bot_in, which, self._learners,
                self._standings, self._places,
            )  # fmt: skip
            which = which[self._places[which] >= 0]
            if which.size:
                self._simulator.fill(np.unique(self._places[which]))
                self._tables = bot_arrays(self._simulator)


def _autoreset_mode(asked: AutoresetMode | str) -> AutoresetMode:
    """Gymnasium's mode of this value (`SameStep`) or name (`SAME_STEP`)."""
    for mode in AutoresetMode:
        if asked in (mode, mode.value, mode.name):
            return mode
    raise BadValueError("autoreset_mode", asked, " or ".join(repr(mode.value) for mode in AutoresetMode))
