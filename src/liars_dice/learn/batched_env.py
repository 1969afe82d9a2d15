"""Many rounds at once as arrays, for learners that need millions of steps per second.

Every environment is one round for two players: the learner in seat 0 opens, and the opponent answers inside the step.
When a round ends, a new one begins at once, so every array entry is always a live round.
"""

from __future__ import annotations

from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from ..agents import Agent, make_agent
from ..core import SEEDS, BadValueError, ConfigError, Dice, GameConfig, is_whole
from ..exact.tables import check_own_dice_only, hand_set
from ..numeric import DECISIONS, DICE, Floats, Ints, compiled, in_threads, stream
from .features import make_basis
from .mdp import (
    OpponentTable,
    RoundArrays,
    bid_holds,
    deal_hands,
    make_opponent_table,
    make_round_arrays,
    opponent_action,
)
from .seating import plain_number, round_rules_of, worker_count


class BatchedEnv:
    """`n` environments side by side.

    `rules` and `dice` are those of the other environments: a preset, a file or a `GameConfig`; by default `classic`
    with two dice each. `opponents` is the one agent that answers, or its name. `config` and `opponent` are older names
    of `rules` and `opponents`.

    >>> env = BatchedEnv(4, seed=1)
    >>> rewards, ended = env.step(env.random_actions())
    >>> rewards.shape, ended.shape
    ((4,), (4,))
    """

    def __init__(
        self,
        n: int,
        rules: str | GameConfig | None = None,
        opponents: str | Agent = "truthful",
        *,
        dice: Dice = None,
        seed: int = 0,
        workers: int | None = None,
        config: GameConfig | None = None,
        opponent: str | Agent | None = None,
    ) -> None:
        self.config = round_rules_of(rules if config is None else config, dice=dice)
        n, seed = plain_number(n), plain_number(seed)
        if not is_whole(n, range(1, 10**9)):
            raise BadValueError("n", n, "a whole number of environments from 1 up")
        if not is_whole(seed, SEEDS):
            raise BadValueError("seed", seed, f"a whole number from {SEEDS[0]} to {SEEDS[-1]}")
        given = self.config
        check_own_dice_only(given)
        if given.num_players != 2 or given.mode != "single_round" or given.exact_call or given.max_turns is not None:
            expected = (
                "a single round for two players, without exact calls or max_turns, such as classic; BatchedGames has "
                "whole games of any rules"
            )
            raise ConfigError("rules", rules if isinstance(rules, str) else given.mode, expected)
        chosen = opponents if opponent is None else opponent
        if isinstance(chosen, list | tuple):
            raise BadValueError("opponents", chosen, "one agent or its name: there are two players")
        agent = make_agent(chosen) if isinstance(chosen, str) else chosen
        self.n = n
        self.round: RoundArrays = make_round_arrays(self.config)
        self.opponent: OpponentTable = make_opponent_table(agent, self.config)
        self._basis = make_basis("crossed", self.config, self.config.dice[0])
        self._counts = hand_set(self.config.dice[0], self.config.faces).counts.astype(np.int8)
        self._seed = np.uint64(seed)
        self._workers = worker_count(workers) or cpu_count() or 1
        self._rng = np.random.default_rng(seed)
        self.hands: Ints = np.zeros(n, dtype=np.int64)
        """The number of the learner's hand in each environment."""
        self.rungs: Ints = np.zeros(n, dtype=np.int64)
        """The rung of the last bid in each environment; -1 before the first bid."""
        self._others: Ints = np.zeros(n, dtype=np.int64)
        self._games: Ints = np.arange(n)
        self._bids: Ints = np.zeros(n, dtype=np.int64)
        self._parts = np.array_split(np.arange(n), min(self._workers, n // 2048)) if n >= 4096 else [np.arange(n)]
        self._stop = np.zeros(1, dtype=np.int64)
        _deal_all(self.round, self._seed, self._games, self.hands, self._others, self.rungs)

    def __repr__(self) -> str:
        own, other = self.config.dice
        return f"<BatchedEnv: {self.n:,} rounds, {own} against {other} dice, {self.n_actions} actions>"

    @property
    def n_actions(self) -> int:
        """The number of actions: one per rung, and the last for "liar"."""
        return self.round.rungs + 1

    @property
    def dice_counts(self) -> NDArray[np.int8]:
        """[environment, face - 1]: how many dice of each face the learner holds."""
        return self._counts[self.hands]

    def action_masks(self) -> NDArray[np.bool_]:
        """[environment, action]: whether the action is legal."""
        actions = np.arange(self.n_actions)
        higher: NDArray[np.bool_] = actions > self.rungs[:, None]
        opening = np.append(self._basis.opens, False)
        return np.where(self.rungs[:, None] < 0, opening, higher)

    masks = action_masks
    """The older name of `action_masks`."""

    def random_actions(self, rng: np.random.Generator | None = None) -> Ints:
        """A random legal action for each environment, all equally likely."""
        noise = (self._rng if rng is None else rng).random((self.n, self.n_actions))
        chosen: Ints = np.where(self.action_masks(), noise, -1.0).argmax(axis=1)
        return chosen

    def step(self, actions: Ints) -> tuple[Floats, NDArray[np.bool_]]:
        """Act in every environment; returns the rewards (+1, -1, or 0 while a round goes on) and which rounds ended."""
        if np.asarray(actions).dtype.kind not in "iu":
            raise BadValueError("actions", str(np.asarray(actions).dtype), "whole numbers")
        actions = np.ascontiguousarray(actions, dtype=np.int64)
        if actions.shape != (self.n,):
            raise BadValueError("actions", actions.shape, f"one for each of {self.n} environments")
        illegal = _first_illegal(actions, self.rungs, self._basis.opens)
        if illegal >= 0:
            what = f"a legal action in environment {illegal}; action_masks() lists them"
            raise BadValueError("actions", int(actions[illegal]), what)
        rewards = np.empty(self.n)

        def part(indices: Ints) -> None:
            _step(
                self.round, self.opponent, self._seed, indices[0], indices[-1] + 1, actions, self.n,
                self._games, self._bids, self.hands, self._others, self.rungs, rewards,
            )  # fmt: skip

        if len(self._parts) == 1:
            part(self._parts[0])
        else:
            in_threads(self._workers, part, self._parts, self._stop)
        return rewards, rewards != 0.0


@compiled
def _deal_all(game: RoundArrays, seed: np.uint64, games: Ints, hands: Ints, others: Ints, rungs: Ints) -> None:
    for i in range(games.size):
        hands[i], others[i] = deal_hands(game, stream(seed, games[i], DICE))
        rungs[i] = -1


@compiled
def _first_illegal(actions: Ints, rungs: Ints, opens: NDArray[np.bool_]) -> int:
    """The first environment whose action is not legal; -1 if there is none."""
    liar = opens.size
    for i in range(actions.size):
        action, rung = actions[i], rungs[i]
        if action > liar or action <= rung or (rung < 0 and (action == liar or not opens[action])):
            return i
    return -1


@compiled
def _step(
    game: RoundArrays,
    opponent: OpponentTable,
    seed: np.uint64,
    start: int,
    stop: int,
    actions: Ints,
    n: int,
    games: Ints,
    bids: Ints,
    hands: Ints,
    others: Ints,
    rungs: Ints,
    rewards: Floats,
) -> None:
    """One step of the environments from `start` to before `stop`."""
    for i in range(start, stop):
        action, rung = actions[i], rungs[i]
        rewards[i] = 0.0
        if action == game.rungs:
            rewards[i] = -1.0 if bid_holds(game, hands[i], others[i], rung) else 1.0
        else:
            after = opponent_action(opponent, others[i], action, stream(seed, games[i], DECISIONS), bids[i])
            bids[i] += 1
            if after == game.rungs:
                rewards[i] = 1.0 if bid_holds(game, hands[i], others[i], action) else -1.0
            rungs[i] = after
        if rewards[i] != 0.0:
            games[i] += n
            bids[i] = 0
            hands[i], others[i] = deal_hands(game, stream(seed, games[i], DICE))
            rungs[i] = -1
