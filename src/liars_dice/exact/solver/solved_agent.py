"""The agent that plays a round solved by the user: `solved:FILE`, with the file that `solve --out` wrote."""

from __future__ import annotations

from pathlib import Path

from ...agents import Policy, PolicyAgent, ProbabilisticAgent, warn_once
from ...core import GameConfig, GameView
from ..tables import check_same_rounds
from .explanation import mix_of
from .saved_solution import read_saved


class SolvedAgent(PolicyAgent):
    """Plays the strategies in a file where the opener and the other player have the dice of the solved round, and as
    `probabilistic` does in other rounds. It refuses games by other rules.
    """

    players = (2, 2)

    def __init__(self, path: str | Path, name: str = "") -> None:
        super().__init__(name or f"solved:{path}")
        self.tree, self._pool, _ = read_saved(Path(path))
        self._otherwise = ProbabilisticAgent()

    def check_rules(self, config: GameConfig) -> None:
        """Accept the rules of the solved round with any number of dice; warn once if some rounds will have others."""
        self._check_kind(config)
        dice = self.tree.config.dice
        if config.dice != dice or config.mode == "elimination":
            warn_once(f"{self.name} has solved {dice[0]} v {dice[1]} dice: in other rounds it plays like probabilistic")

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        """Raise `ConfigError` for rules by which the round was not solved."""
        self._check_kind(config)

    def _check_kind(self, config: GameConfig) -> None:
        check_same_rounds(config, self.tree.config, f"which {self.name} was solved with", "exact_call", "max_turns")

    def policy(self, view: GameView) -> Policy:
        """The probability of each action."""
        history = view.public.bid_history
        dice = (len(view.my_dice), view.other_dice)
        if (dice if len(history) % 2 == 0 else dice[::-1]) != self.tree.config.dice:
            return {self._otherwise.choose_action(view): 1.0}
        return mix_of(self.tree, self._pool, history, view.my_dice)
