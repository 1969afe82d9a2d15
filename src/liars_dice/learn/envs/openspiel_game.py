"""An OpenSpiel game, `python_liars_dice`: one round between two players under our rules.

Importing this module registers the game. Its parameters are fields of `GameConfig` (`dice0` and `dice1` are the dice of
the two seats; 0 stands for a `max_quantity` of "total" and for no `max_turns`); the defaults are those of the preset
`openspiel`:

    pyspiel.load_game("python_liars_dice(faces=3,wild=none,exact_call=True)")

`load_game(rules, dice=...)` makes the game of a preset, a file or a `GameConfig`, as the other environments take it.

Dice are dealt at two chance nodes, one per player: an outcome is a hand (a sorted multiset, numbered in lexicographic
order) with its multinomial probability. The number of a bid is its rung; liar and, with exact calls, exact follow the
highest rung. The winner gets 1 and the loser -1.

Bids only rise, so the set of rungs that were bid is the whole history. As a tensor, an information state is the player
(one-hot), how many of the player's dice show each face, the rungs that were bid and the calls (0 or 1 each).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...core import (
    BadValueError,
    ConfigError,
    Dice,
    GameConfig,
    GameState,
    MissingExtraError,
    PublicState,
    apply,
    deal,
    legal_actions,
    new_game,
    preset,
)
from ...exact.tables import hand_set, number_of_hands
from ..seating import env_rules
from .encoding import Encoding

try:
    import pyspiel
except ImportError as error:
    raise MissingExtraError("a game of OpenSpiel's", "open_spiel", "rl") from error

GAME = "python_liars_dice"
"""The name of the game in OpenSpiel."""

_FIELDS = (
    "faces",
    "wild",
    "bid_ordering",
    "wild_bids",
    "max_quantity",
    "exact_call",
    "opening_min_quantity",
    "open_on_ones",
    "max_turns",
)

MOST_HANDS = 100_000
"""The most hands that may be dealt at one chance node."""

Parameters = Mapping[str, int | bool | str]
"""A game's parameters as OpenSpiel takes them."""


def game_parameters(config: GameConfig) -> dict[str, int | bool | str]:
    """The OpenSpiel parameters for these rules."""
    if config.mode != "single_round" or config.num_players != 2 or config.shared_dice:
        expected = "a single round of two players with dice of their own, which is all that the OpenSpiel game has"
        raise ConfigError("rules", config, expected)
    own: dict[str, int | bool | str] = {"dice0": config.dice[0], "dice1": config.dice[1]}
    own |= {name: getattr(config, name) for name in _FIELDS}
    return own | {
        "max_quantity": 0 if config.max_quantity == "total" else config.max_quantity,
        "max_turns": config.max_turns or 0,
    }


def config_of(parameters: Parameters) -> GameConfig:
    """The rules for these OpenSpiel parameters."""
    given = _DEFAULTS | dict(parameters)
    fields: dict[str, Any] = {name: given[name] for name in _FIELDS}
    fields["max_quantity"] = fields["max_quantity"] or "total"
    fields["max_turns"] = fields["max_turns"] or None
    return GameConfig.from_dict({"dice": (given["dice0"], given["dice1"]), **fields})


def load_game(rules: str | GameConfig = "openspiel", *, dice: Dice = None) -> Any:
    """The OpenSpiel game with these rules: a preset or a file, with `dice` each, or a `GameConfig` as it is."""
    return pyspiel.load_game(GAME, game_parameters(env_rules(rules, dice=dice)))


_DEFAULTS = game_parameters(preset("openspiel"))

_GAME_TYPE = pyspiel.GameType(
    short_name=GAME,
    long_name="Liar's Dice by the rules of liars-dice",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification=_DEFAULTS,
)


class _Shared:
    """Immutable data that is shared when OpenSpiel deep-copies a state."""

    def __deepcopy__(self, memo: object) -> _Shared:
        return self


class _Tables(_Shared):
    """Data shared by all states of a game."""

    def __init__(self, config: GameConfig) -> None:
        if number_of_hands(max(config.dice), config.faces) > MOST_HANDS:
            raise ConfigError("dice", config.dice, f"dice that make at most {MOST_HANDS:,} hands")
        self.encoding = Encoding(config)
        self.start = new_game(config)
        self.hand_sets = [hand_set(dice, config.faces) for dice in config.dice]
        self.chances = [list(enumerate(hands.weights.tolist())) for hands in self.hand_sets]


class _Position(_Shared):
    """A state of our own game, after the deal."""

    def __init__(self, state: GameState) -> None:
        self.state = state


class LiarsDiceGame(pyspiel.Game):  # type: ignore[misc]  # the package has no types
    """One round of Liar's Dice between two players."""

    def __init__(self, params: Parameters | None = None) -> None:
        config = config_of(params or {})
        self.config = config
        self.tables = _Tables(config)
        bids = self.tables.encoding.longest
        super().__init__(
            _GAME_TYPE,
            pyspiel.GameInfo(
                num_distinct_actions=self.tables.encoding.actions,
                max_chance_outcomes=max(map(len, self.tables.hand_sets)),
                num_players=2,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0,
                max_game_length=min(bids, config.max_turns or bids) + 1,
            ),
            params or {},
        )

    def new_initial_state(self) -> LiarsDiceState:
        """A round before the deal."""
        return LiarsDiceState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> LiarsDiceObserver:
        """The observer that turns states into information states."""
        return LiarsDiceObserver(self.tables, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class LiarsDiceState(pyspiel.State):  # type: ignore[misc]  # the package has no types
    """A round: the hands dealt so far, and after the deal a state of our own game."""

    def __init__(self, game: LiarsDiceGame) -> None:
        super().__init__(game)
        self._tables = game.tables
        self._dealt: tuple[int, ...] = ()
        self._position: _Position | None = None

    @property
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """The hands that have been dealt so far."""
        return tuple(hands.hands[i] for hands, i in zip(self._tables.hand_sets, self._dealt, strict=False))

    @property
    def public(self) -> PublicState:
        """What both players know."""
        return (self._position.state if self._position else self._tables.start).public

    def current_player(self) -> int:
        """Who is to move: a player, chance, or no one (terminal)."""
        if self._position is None:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return self.public.current_player

    def is_terminal(self) -> bool:
        """Whether a player has called."""
        return self.public.status == "ENDED"

    def returns(self) -> list[float]:
        """Each player's payoff."""
        winner = self.public.winner
        return [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == 0 else [-1.0, 1.0]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every hand that the next player can be dealt, with its probability."""
        return list(self._tables.chances[len(self._dealt)])

    def _legal_actions(self, player: int) -> list[int]:
        public = self.public
        return [self._tables.encoding.number(public, action) for action in legal_actions(public)]

    def _apply_action(self, action: int) -> None:
        if self._position is None:
            self._dealt += (action,)
            if len(self._dealt) == 2:
                self._position = _Position(deal(self._tables.start, self.hands))
        else:
            state = self._position.state
            self._position = _Position(apply(state, self._tables.encoding.action(state.public, action)))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"Deal {_faces(self._tables.hand_sets[len(self._dealt)].hands[action])}"
        return str(self._tables.encoding.action(self.public, action))

    def __str__(self) -> str:
        return " ".join((*(f"[{_faces(hand)}]" for hand in self.hands), *_moves(self.public)))


class LiarsDiceObserver:
    """Information states (and observations, which are the same) as strings and tensors."""

    def __init__(self, tables: _Tables, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise BadValueError("params", params, "no parameters: there is one way to observe this game")
        encoding = tables.encoding
        self._private = iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._public = bool(iig_obs_type.public_info)
        sizes = {"player": 2}
        if self._private:
            sizes["hand"] = encoding.config.faces
        if self._public:
            sizes |= {"bids": encoding.longest, "calls": encoding.actions - encoding.longest}
        self.tensor = np.zeros(sum(sizes.values()), np.float32)
        ends = np.cumsum(list(sizes.values())).tolist()
        self.dict = {name: self.tensor[end - sizes[name] : end] for name, end in zip(sizes, ends, strict=True)}

    def set_from(self, state: LiarsDiceState, player: int) -> None:
        """Write what `player` knows into `tensor` and `dict`."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if self._private:
            for die in self._hand(state, player):
                self.dict["hand"][die - 1] += 1
        if self._public:
            public = state.public
            self.dict["bids"][[public.rules.rungs[bid] for bid in public.bid_history]] = 1
            if public.resolutions:
                self.dict["calls"][("liar", "exact").index(public.resolutions[-1].call)] = 1

    def string_from(self, state: LiarsDiceState, player: int) -> str:
        """What `player` knows, in words."""
        words = [f"p{player}"]
        if self._private:
            words.append(f"[{_faces(self._hand(state, player))}]")
        if self._public:
            words += _moves(state.public)
        return " ".join(words)

    @staticmethod
    def _hand(state: LiarsDiceState, player: int) -> tuple[int, ...]:
        return state.hands[player] if len(state.hands) > player else ()


def _faces(dice: Iterable[int]) -> str:
    return " ".join(map(str, dice))


def _moves(public: PublicState) -> list[str]:
    """The bids so far, and the call that ended the round."""
    return [*map(str, public.bid_history), *(resolution.call for resolution in public.resolutions)]


pyspiel.register_game(_GAME_TYPE, LiarsDiceGame)
