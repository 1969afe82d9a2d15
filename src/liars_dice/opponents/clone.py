"""`clone:FILE`: a bot that plays as a player is predicted to, from a file that `train clone` writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from ..agents import AGENTS, AgentNameError, Policy, PolicyAgent
from ..core import BadValueError, GameView, legal_actions
from ..exact.tables import Situation, hand_set, situation_of
from ..numeric import Floats
from ..persistence import writing_whole
from .blended_bots import BlendedBots
from .choice_features import FEATURES
from .parametric_player import Gaussian, ParametricPlayer
from .player_mixture import THRESHOLDS, PlayerMixture
from .recorded_round import RecordedRound

SCHEMA = 1
SELDOM = 0.05
"""Actions that are less likely than this share of the likeliest action are never taken: they are mostly doubt."""
FEWEST = 10
"""A player is cloned from at least this many rounds."""
MEMORYLESS = tuple(name for name, info in AGENTS.items() if info.memoryless)
"""The bots that a clone may be a blend of."""


class Clone(msgspec.Struct, frozen=True, kw_only=True):
    """A player as a clone's file has it: habits, and a blend of bots, each with the weight of its evidence."""

    player: str
    rounds: int
    decisions: int
    log_loss: float
    """The mean loss per decision of predictions that were made before each round was learnt from."""
    uniform_loss: float
    """The same for predictions that know only what is legal."""
    weights: dict[str, float]
    """How much `habits` and `bots` count."""
    habits: Gaussian
    bots: dict[str, float]
    """How often the player decides like each bot."""
    schema: int = SCHEMA

    def save(self, path: str | Path) -> None:
        """Write the file."""
        path = Path(path)
        with writing_whole("out", path) as file:
            file.write_bytes(msgspec.json.encode(self) + b"\n")

    @classmethod
    def load(cls, path: Path) -> Clone:
        """Read a file; `BadValueError` if it is not one that `train clone` wrote."""
        try:
            clone = msgspec.json.decode(path.read_bytes(), type=cls)
        except OSError as error:
            raise BadValueError("clone", str(path), f"a file that can be read ({error.strerror})") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadValueError("clone", str(path), f"a file that `train clone` wrote ({error})") from None
        if clone.schema != SCHEMA:
            raise BadValueError("clone", str(path), f"a file of version {SCHEMA}; it has version {clone.schema}")
        known = clone.bots.keys() <= {*MEMORYLESS, *THRESHOLDS} and clone.habits.features == FEATURES
        if not known or clone.weights.keys() != {"habits", "bots"}:
            raise BadValueError("clone", str(path), "a clone of this version's bots and features: train it again")
        for shares in (clone.weights, clone.bots):
            if min(shares.values(), default=-1) < 0 or abs(sum(shares.values()) - 1) > 1e-6:
                raise BadValueError("clone", str(path), "weights from 0 to 1 that add up to 1")
        return clone


def learn_clone(player: str, rounds: Iterable[tuple[RecordedRound, int]]) -> Clone:
    """A player as its rounds show it, each given with the player's seat, in the order in which they were played."""
    habits, bots = ParametricPlayer(), BlendedBots((*MEMORYLESS, *THRESHOLDS))
    both = PlayerMixture({"habits": habits, "bots": bots}, share=0.0)
    given, legal, number = 0.0, list[int](), 0
    for played, seat in rounds:
        choices = [len(decision.view.legal_actions) for decision in played.decisions(seat)]
        if choices:
            given += both.observe(played, seat)
            legal += choices
            number += 1
    if number < FEWEST:
        raise BadValueError("player", player, f"a player with at least {FEWEST} finished rounds; there are {number}")
    shares = {name: share for name, share in bots.shares.items() if share >= 0.01}
    return Clone(
        player=player,
        rounds=number,
        decisions=len(legal),
        log_loss=-given / len(legal),
        uniform_loss=float(np.log(legal).mean()),
        weights=both.weights,
        habits=habits.belief,
        bots={name: share / sum(shares.values()) for name, share in shares.items()},
    )


class CloneAgent(PolicyAgent):
    """Plays as a player is predicted to. It is memoryless: it looks at its dice, the current bid and what is legal."""

    memoryless = True

    def __init__(self, path: str | Path, name: str = "") -> None:
        try:
            self.clone = _loaded(str(path), _changed(path))
        except BadValueError as error:
            raise AgentNameError(f"clone:{path}", "bad_parameters", error.allowed) from None
        super().__init__(name or f"clone:{path}")
        self.player_type = self.name
        self._habits = ParametricPlayer(self.clone.habits)
        self._bots = BlendedBots(tuple(self.clone.bots), shares=self.clone.bots)
        self._tables: dict[tuple[Situation, int], Floats] = {}

    def policy(self, view: GameView) -> Policy:
        """The probability of each action."""
        chances = self._chances(view)
        chances = np.where(chances >= SELDOM * chances.max(), chances, 0.0)
        chances /= chances.sum()
        both = zip(view.legal_actions, chances.tolist(), strict=True)
        return {action: chance for action, chance in both if chance}

    def _chances(self, view: GameView) -> Floats:
        """How likely each legal action is. Where every die belongs to a player, all hands are computed at once."""
        if view.config.shared_dice:
            found: Floats = np.zeros(len(view.legal_actions))
            for model, weight in self._models:
                found += weight * np.array([model.distribution(view)[action] for action in view.legal_actions])
            return found
        place = situation_of(view), view.public.rung
        if place not in self._tables:
            table: Floats = np.zeros((len(_hands(view)), len(legal_actions(view.public))))
            for model, weight in self._models:
                table += weight * model.chances(view.public)
            self._tables[place] = table
        row: Floats = self._tables[place][_hands(view)[view.my_dice]]
        return row

    @property
    def _models(self) -> list[tuple[ParametricPlayer | BlendedBots, float]]:
        weights = self.clone.weights
        both: Mapping[str, ParametricPlayer | BlendedBots] = {"habits": self._habits, "bots": self._bots}
        return [(both[name], weight) for name, weight in weights.items() if weight >= 0.001]


def _hands(view: GameView) -> dict[tuple[int, ...], int]:
    return hand_set(len(view.my_dice), view.faces).index


def _changed(path: str | Path) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=16)
def _loaded(path: str, changed: int) -> Clone:
    """The clone in a file that was last changed at this time. Every game has an agent of its own."""
    return Clone.load(Path(path))
