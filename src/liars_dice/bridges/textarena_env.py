"""Our game in TextArena, the arena for language models (`pip install 'liars-dice[textarena]'`).

Importing this module registers an environment for each preset, in TextArena's usual three versions:

    import textarena as ta
    import liars_dice.bridges.textarena_env
    env = ta.make("LiarsDice-Perudo-v0")        # or -v0-train, or -v0-raw
    env.reset(num_players=4, seed=7)

A move is written in brackets, as in TextArena's own Liar's Dice: `[Bid: 3, 4]`, `[Call]`, and `[Exact]` where the rules
have exact calls. Others see the move alone: what a player writes around it may say which dice it has.
"""

from __future__ import annotations

import re
from typing import Any

from ..core import (
    PLAYERS,
    Action,
    BadValueError,
    BidPlaced,
    Dice,
    DiceRolled,
    Event,
    GameConfig,
    GameCreated,
    GameEnded,
    GameEngine,
    GameView,
    IllegalMoveError,
    MissingExtraError,
    Narrator,
    NotationError,
    RoundStarted,
    is_whole,
    load_rules,
    plural,
    rules_in_words,
    verify,
    view_of,
    visible_to,
)
from ..learn.envs.preset_names import PRESET_TITLES
from ..learn.envs.table_text import table_text
from ..referee import fallback
from ..terminal import read_answer

try:
    import textarena as ta
    from textarena.envs import DEFAULT_WRAPPERS
    from textarena.envs.registration import ENV_REGISTRY, register_with_versions
    from textarena.wrappers import ActionFormattingWrapper, GameMessagesObservationWrapper
except ImportError as error:
    raise MissingExtraError("a TextArena environment", "textarena", "textarena") from error

ENV_IDS = {f"LiarsDice-{title}-v0": preset for title, preset in PRESET_TITLES.items()}
"""The ids of the environments, each with its preset."""

LONGEST_ANSWER = 20_000
"""How many characters of an answer are read, from its end."""

_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_BID_WORD = re.compile(r"^\s*bid\s*:\s*", re.IGNORECASE)


class LiarsDiceTextEnv(ta.Env):  # type: ignore[misc]  # the package has no types
    """A game for 2 to 15 players by any rules. A seed repeats all its dice.

    `rules` is a preset, a rules file or a `GameConfig`; `dice` changes how many each player has. An answer that is no
    legal move may be corrected once; after that, liar (or the lowest bid, to open) is played instead, and the player's
    reward is -1 whatever its place. Otherwise the winner gets 1 and the first to be out -1, with the others in between
    in an elimination game, and -1 for all but the winner in the other modes.
    """

    def __init__(self, rules: str | GameConfig = "perudo", dice: Dice = None, error_allowance: int = 1) -> None:
        self.rules = rules
        self.dice = dice
        self.error_allowance = error_allowance

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin a game for so many players."""
        if not is_whole(num_players, PLAYERS):
            raise BadValueError("num_players", num_players, f"a whole number from {PLAYERS[0]} to {PLAYERS[-1]}")
        config = self.rules
        if isinstance(config, str):
            config = load_rules(config, players=num_players, dice=self.dice)
        if config.num_players != num_players:
            raise BadValueError("num_players", num_players, f"{config.num_players}, as in these rules")
        names = [f"Player {seat}" for seat in range(num_players)]
        self._engine = GameEngine(config, names=names, seed=seed)
        self._out: list[int] = []
        self._narrators = [Narrator(names) for _ in names]
        self.state = ta.FFAMultiPlayerState(num_players, seed=seed, error_allowance=self.error_allowance)
        self.state.reset(game_state={}, player_prompt_function=self._prompt)
        self._engine.subscribe(self._tell)
        self._go_on()

    def step(self, action: str) -> tuple[bool, ta.Info]:
        """Make the move in the answer of the player to move."""
        state, engine = self.state, self._engine
        seat = state.current_player_id
        state.add_observation(action, from_id=seat, to_id=seat, observation_type=ta.ObservationType.PLAYER_ACTION)
        view = view_of(engine.state, seat)
        try:
            move = read_move(action, view)
        except (NotationError, IllegalMoveError) as error:
            if state.error_count < self.error_allowance:
                state.set_invalid_move(reason=f"{error}.")
                return _stepped(state)
            move = fallback(view)
            state.game_info[seat]["invalid_move"] = True
            state.add_observation(
                f"Player {seat} gave no legal move again: {move} is played instead.",
                observation_type=ta.ObservationType.GAME_ADMIN,
            )
        engine.apply_action(seat, move)
        _, info = _stepped(state)
        self._go_on()
        return state.done, info

    def get_board_str(self) -> str:
        """The table as spectators see it, for TextArena's renderer."""
        return table_text(self._engine.state.public)

    def _prompt(self, player_id: int, game_state: dict[str, Any]) -> str:
        config = self._engine.state.config
        exact = ", [Exact] to call it exactly right" if config.exact_call else ""
        return "\n".join(
            (
                f"You are Player {player_id} in a game of Liar's Dice.",
                "Rules:",
                *(f"- {line}" for line in rules_in_words(config)),
                f"Answer with your move in brackets: [Bid: 3, 4] to bid three fours, [Call] to call liar{exact}.",
            )
        )

    def _tell(self, event: Event) -> None:
        """Tell each player what it may know of an event."""
        if isinstance(event, GameCreated | DiceRolled | GameEnded):
            return  # the prompt says the first, a round's beginning the second and the outcome the third
        kind = ta.ObservationType.GAME_MESSAGE
        if isinstance(event, RoundStarted):
            kind = ta.ObservationType.GAME_BOARD
        elif isinstance(event, BidPlaced):
            kind = ta.ObservationType.GAME_ACTION_DESCRIPTION
        for seat in range(self.state.num_players):
            if (seen := visible_to(event, seat)) is None:
                continue
            said = self._narrators[seat](seen).strip()
            if isinstance(event, RoundStarted):
                said = "\n".join([said, *self._dice_lines(seat)])
            self.state.add_observation(said, to_id=seat, observation_type=kind)

    def _dice_lines(self, seat: int) -> list[str]:
        """What a player knows about the dice of a new round."""
        view = view_of(self._engine.state, seat)
        lines = ["Dice left: " + ", ".join(f"{info.name} {info.num_dice}" for info in view.players)]
        if view.my_dice:
            lines.append(f"Your dice: {', '.join(map(str, view.my_dice))}")
        if view.config.table_dice:
            lines.append(f"On the table: {', '.join(map(str, view.table_dice))}")
        if view.config.hidden_dice:
            lines.append(f"Covered on the table: {plural(view.config.hidden_dice, 'die', 'dice')}")
        return lines

    def _go_on(self) -> None:
        """Deal if no round is under way, and say who is to move; or end the game."""
        engine, state = self._engine, self.state
        for seat, dice in enumerate(engine.state.public.dice_counts):
            if not dice and seat not in self._out:
                self._out.append(seat)
                state.add_elimination(seat)
        if engine.is_terminal():
            self._end()
            return
        if engine.state.public.status != "BIDDING":
            engine.start_new_round()
        public = engine.state.public
        state.game_state.update(
            current_bid=None if public.last_bid is None else str(public.last_bid),
            remaining_dice=dict(enumerate(public.dice_counts)),
        )
        state.manually_set_current_player_id(public.current_player)

    def _end(self) -> None:
        state, public = self.state, self._engine.state.public
        assert public.winner is not None
        rewards = dict.fromkeys(range(state.num_players), -1.0)
        if public.config.mode == "elimination":
            rewards |= {seat: 2 * place / (state.num_players - 1) - 1 for place, seat in enumerate(self._out)}
        rewards[public.winner] = 1.0
        rewards |= {seat: -1.0 for seat in rewards if state.game_info[seat]["invalid_move"]}
        state.set_game_outcome(rewards, reason=f"{public.names[public.winner]} wins the game.")


def read_move(answer: str, view: GameView) -> Action:
    """The legal move in an answer: the last bracketed text that is a move, or else the whole answer if it is one.

    `NotationError` if there is none, `IllegalMoveError` if the rules forbid it.
    """
    answer = answer[-LONGEST_ANSWER:]
    for text in (*reversed(_BRACKETS.findall(answer)), answer):
        try:
            move = read_answer(_BID_WORD.sub("bid ", text))
        except NotationError:
            continue
        if not isinstance(move, str):  # a word such as `hint` is a wish of people in a terminal
            verify(view.public, view.player_id, move)
            return move
    exact = " or [Exact]" if view.config.exact_call else ""
    raise NotationError(answer[-60:], f"a move in brackets, such as [Bid: 3, 4], [Call]{exact}")


def _stepped(state: ta.State) -> tuple[bool, ta.Info]:
    """TextArena's own step: it counts the turn. Who is next is up to our rules."""
    done, info = state.step(rotate_player=False)
    return done, info


def register_envs() -> None:
    """Register an environment for each preset with TextArena."""
    wrappers = {"default": DEFAULT_WRAPPERS, "-train": [GameMessagesObservationWrapper, ActionFormattingWrapper]}
    for name, rules in ENV_IDS.items():
        if name not in ENV_REGISTRY:
            register_with_versions(name, f"{__name__}:{LiarsDiceTextEnv.__name__}", wrappers, rules=rules)


register_envs()
