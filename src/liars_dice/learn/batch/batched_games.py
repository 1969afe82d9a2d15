"""Whole games of any rules, thousands at a time, for learning code of your own."""

from __future__ import annotations

from collections.abc import Sequence
from os import cpu_count
from typing import Literal

import numpy as np

from ...agents import Agent, make_agent
from ...core import SEEDS, BadValueError, Dice, GameConfig, check_extra, is_whole
from ..seating import env_rules, plain_number, worker_count
from .game_arrays import Array, BatchBackend, GameArrays, RuleArrays, Step, observation_parts
from .numba_games import NumbaGames
from .rule_arrays import compile_rules
from .table_bots import TableBots

Backend = Literal["numba", "torch"]
RuleSets = str | GameConfig | Sequence[str | GameConfig]


class BatchedGames:
    """`n` whole games side by side. In every step each game takes one action of its player to move.

    `rules` is a preset, a file or a `GameConfig`, or a list of these, which the games follow in turn: game i the rule
    set i, counted round. `players` and `dice` change presets and files. A game that ends is followed by a new one
    within the same step, so that every row is always a decision to make.

    `backend="numba"` plays on the processor, in `workers` threads, and its arrays are numpy's. `backend="torch"` plays
    on `device` (by default a GPU if there is one), and its arrays are tensors; `compiled=True` fuses a step with
    `torch.compile`. Both roll the same dice: game g of a seed is the same game, whatever plays it, as long as the same
    actions are taken.

    Actions are numbered as in the other environments: a rung of the round's ladder, `liar`, `exact`. `observations()`
    has one row per game, as `envs.encoding` describes it: what the player to move sees, who comes first in it.

    >>> games = BatchedGames(4, "perudo", players=3, seed=1)
    >>> games
    <BatchedGames: 4 games for 3 players, 92 actions, numba>
    >>> games.observations().shape, games.action_masks().shape, games.turn.tolist()
    ((4, 121), (4, 92), [0, 0, 0, 0])
    >>> games.step(games.random_actions()).game_ended.tolist()
    [False, False, False, False]
    """

    def __init__(
        self,
        n: int,
        rules: RuleSets = "perudo",
        *,
        players: int | None = None,
        dice: Dice = None,
        seed: int = 0,
        backend: Backend = "numba",
        device: object = None,
        compiled: bool = False,
        workers: int | None = None,
    ) -> None:
        n, seed, workers = plain_number(n), _checked(seed), worker_count(workers)
        if not is_whole(n, range(1, 10**9)):
            raise BadValueError("n", n, "a whole number of games from 1 up")
        given = list(rules) if isinstance(rules, Sequence) and not isinstance(rules, str) else [rules]
        if not given:
            raise BadValueError("rules", rules, "at least one rule set")
        self.n = n
        self.configs = tuple(env_rules(one, players=players, dice=dice) for one in given)
        """The rule sets; game i follows number `i % len(configs)`."""
        arrays = compile_rules(self.configs)
        self.seats = int(arrays.start_dice.shape[1])
        """The most players of any rule set."""
        self.liar = arrays.liar
        """The number of the action "liar"; lower numbers are rungs."""
        self.exact = self.liar + 1 if any(config.exact_call for config in self.configs) else None
        """The number of the action "exact"; None if no rule set has exact calls."""
        self.n_actions = self.liar + (1 if self.exact is None else 2)
        """The number of actions."""
        table = any(config.table_dice for config in self.configs)
        self.parts = observation_parts(self.seats, arrays.faces, self.liar, table=table, rules=len(self.configs))
        """The position of each part in an observation."""
        self.backend = backend
        self._games: BatchBackend
        if backend == "numba":
            for name, value, plain in (("device", device, (None, "cpu")), ("compiled", compiled, (False,))):
                if value not in plain:
                    raise BadValueError(name, value, f"{plain[-1]!r}, or backend='torch'")
            self._games = NumbaGames(arrays, n, seed, self.parts, workers or cpu_count() or 1)
        elif backend == "torch":
            self._games = _torch_games(arrays, n, seed, self.parts, device, compiled)
        else:
            raise BadValueError("backend", backend, "'numba' or 'torch'")
        self._seed = seed
        self._players = self._games.as_numbers(np.resize([config.num_players for config in self.configs], n))
        self._bots: dict[str | int, TableBots] = {}

    def __repr__(self) -> str:
        players = sorted({config.num_players for config in self.configs})
        between = f"{players[0]} to {players[-1]}" if len(players) > 1 else f"{players[0]}"
        return f"<BatchedGames: {self.n:,} games for {between} players, {self.n_actions} actions, {self.backend}>"

    @property
    def state(self) -> GameArrays:
        """Everything about the games, all dice included: for critics and tests, not for players."""
        return self._games.state

    @property
    def turn(self) -> Array:
        """[N] int64: the seat that is to move in each game."""
        return self.state.turn

    @property
    def observation_size(self) -> int:
        """The length of an observation."""
        return int(max(part.stop for part in self.parts.values()))

    def reset(self, seed: int | None = None) -> None:
        """Begin anew, with the first games of a seed; without one, with those of the last seed."""
        self._seed = self._seed if seed is None else _checked(seed)
        self._games.reset(self._seed)

    def observations(self, seats: Array | None = None) -> Array:
        """[N, part] float32: what the player to move sees in each game, or the player in one of `seats` ([N]).

        Seats are checked, which waits for the device.
        """
        if seats is None:
            return self._games.observations()
        players = checked_numbers(self._games, "seats", seats, self.n)
        outside = (players < 0) | (players >= self._players)
        if outside.any():
            place = outside.tolist().index(True)
            most = int(self._players[place]) - 1
            raise BadValueError("seats", int(players[place]), f"a seat from 0 to {most} in game {place}")
        return self._games.observations(players)

    def action_masks(self) -> Array:
        """[N, action] bool: what the player to move may do."""
        return self._games.action_masks(self.n_actions)

    def random_actions(self) -> Array:
        """[N] int64: a legal action for each game, all equally likely; repeatable, as the dice are."""
        return self._games.random_actions()

    def actions_of(self, bot: str | Agent) -> Array:
        """[N] int64: what a memoryless bot, or the bot of this name, does in each game in place of the player to move.

        Bots answer from tables, which are made when the bot is first asked. So a bot whose play has changed since then
        must be given as another object.
        """
        key = bot if isinstance(bot, str) else id(bot)
        if key not in self._bots:
            agent = make_agent(bot) if isinstance(bot, str) else bot
            self._bots[key] = TableBots(agent, self.configs, self._games)
        return self._bots[key].actions()

    def step(self, actions: Array, *, check: bool | None = None) -> Step:
        """Play one action in each game: an array of any library that numpy or PyTorch can read.

        Illegal actions raise `BadValueError`, and nothing is played. With PyTorch they are checked only if `check` is
        True, because that waits for the device.
        """
        chosen = checked_numbers(self._games, "actions", actions, self.n)
        if check or (check is None and self.backend == "numba"):
            place = self._games.first_illegal(chosen)
            if place >= 0:
                raise BadValueError(
                    "actions", int(chosen[place]), f"a legal action in game {place}; action_masks() lists them"
                )
        return self._games.step(chosen)


def checked_numbers(games: BatchBackend, name: str, given: object, n: int, of: str = "games") -> Array:
    """These numbers as an array of the backend; raises `BadValueError` unless they are n whole ones."""
    each = f"one for each of {n} {of}"
    try:
        numbers = games.as_numbers(given)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise BadValueError(name, type(given).__name__, f"whole numbers, {each} ({error})") from None
    if tuple(numbers.shape) != (n,):
        raise BadValueError(name, tuple(numbers.shape), each)
    return numbers


def _checked(seed: int) -> int:
    seed = plain_number(seed)
    if not is_whole(seed, SEEDS):
        raise BadValueError("seed", seed, f"a whole number from {SEEDS[0]} to {SEEDS[-1]}")
    return seed


def _torch_games(
    arrays: RuleArrays, n: int, seed: int, parts: dict[str, slice], device: object, compiled: bool
) -> BatchBackend:
    check_extra("a batch of games on PyTorch", "torch", "train")
    import torch

    from .torch_games import TorchGames

    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        where = torch.device("cuda" if device == "gpu" else str(device))
    except RuntimeError:
        raise BadValueError("device", device, "a device of PyTorch, such as 'cpu' or 'cuda'") from None
    if where.type == "cuda" and not torch.cuda.is_available():
        raise BadValueError("device", device, "'cpu': PyTorch finds no GPU here")
    return TorchGames(arrays, n, seed, parts, where, compiled)
