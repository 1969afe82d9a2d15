"""`champion` as an agent: the network at tables of two to six, solved rounds where there are any, and weaker levels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from ...agents import AgentNameError, BatchAgent, DetectiveAgent, Policy, create_personality_agent, warn_once
from ...core import Action, Bid, BidAction, CallExactAction, CallLiarAction, GameConfig, GameView, one_of
from ...exact.solver import load_solved_rounds
from .player import FACES, QUANTITIES, Champion, fits, seen_in
from .yielding import left_to_nash

SELDOM = 0.001
"""Actions that the network takes more rarely than this are never taken."""
_ACTIONS: tuple[Action, ...] = (
    *(BidAction(Bid(quantity, face)) for quantity in range(1, QUANTITIES + 1) for face in range(1, FACES + 1)),
    CallLiarAction(),
    CallExactAction(),
)
"""The actions in the order of the network."""


SUBSTITUTE = DetectiveAgent.name
"""What it plays as by rules that its network was not trained for."""
LEVELS = {"easy": 0.9, "medium": 0.6, "hard": 0.3}
"""Weaker champions: the share of moves that each makes as `aggressive` does, a plain bot that bluffs and calls."""


def champion_agent(which: str = "", name: str = "") -> ChampionAgent:
    """The champion, one of its levels, or the player of a model of your own (`train champion --out model.npz`), which
    may have a `name` that does not say where its file is.
    """
    if not which:
        return ChampionAgent()
    if which in LEVELS:
        return ChampionAgent(f"champion:{which}", plain_share=LEVELS[which])
    name = name or f"champion:{which}"
    if Path(which).suffix != ".npz":
        raise AgentNameError(name, "bad_parameters", one_of(which, (*LEVELS, "a model: champion:model.npz")))
    try:
        network = _loaded(which, Path(which).stat().st_mtime_ns)
    except (OSError, ValueError, KeyError) as error:
        raise AgentNameError(name, "bad_parameters", f"a model that train champion wrote ({error})") from None
    return ChampionAgent(name, network=network)


@lru_cache(maxsize=4)
def _loaded(path: str, changed: int) -> Champion:
    """The network in a file that was last changed at this time. Every game has an agent of its own."""
    return Champion.load(path)


class ChampionAgent(BatchAgent):
    """Plays Perudo at tables of two to six, with up to five dice each: a network that reads the bidding and mixes.

    Where two players are left it yields to `nash` in solved rounds, and wherever else `nash` is measured to be less
    exploitable (see `yielding`). A single round of two players that is not solved is played like the first of a game.
    By rules that it was not trained for it plays as `detective`. The reasoning of every action says what it comes from.
    """

    def __init__(self, name: str = "champion", *, network: Champion | None = None, plain_share: float = 0.0) -> None:
        """A `network` of your own plays alone: it does not yield to `nash`. With `plain_share`, this share of the moves
        are those of `aggressive`.
        """
        super().__init__(name)
        self.player_type = name
        self.network = network or Champion.shipped()
        self.yields = network is None
        """Whether it yields to `nash`."""
        self.plain_share = plain_share
        self._plain = create_personality_agent("aggressive")
        self._otherwise = DetectiveAgent()

    def prepare(self) -> None:
        """Load the solved rounds; the network is loaded already."""
        load_solved_rounds()

    def check_rules(self, config: GameConfig) -> None:
        """Accept any rules; warn once if they are others than the network was trained for."""
        if not is_made_for(config):
            warn_once(self._as_others)

    @property
    def _as_others(self) -> str:
        """What it does by rules that it was not trained for."""
        mixed = ", or as aggressive" if self.plain_share else ""
        return f"{self.name} is not made for these rules, so it plays as {SUBSTITUTE}{mixed}"

    @property
    def mind(self) -> Hashable:
        """Agents with the same network and the same level give the same answers."""
        return type(self), id(self.network), self.yields, self.plain_share

    def policies(self, views: Sequence[GameView]) -> list[Policy]:
        """The probability of each action in each of these views."""
        found: list[Policy | None] = [self._without_network(view) for view in views]
        asked = [view for view, policy in zip(views, found, strict=True) if policy is None]
        answers = iter(network_policies(self.network, asked))
        return [
            self.weakened(view, next(answers) if policy is None else policy)
            for view, policy in zip(views, found, strict=True)
        ]

    def choose_action(self, view: GameView) -> Action:
        """Draw from the policy."""
        policy = self.policy(view)
        drawn = self.draw(policy)
        how_often = f": {policy[drawn]:.0%} of the time" if policy[drawn] < 1 else ""
        return replace(drawn, reasoning=f"{self.source(view)}{how_often}")

    def source(self, view: GameView) -> str:
        """What a decision in this view is based on."""
        if not is_made_for(view.config):
            return self._as_others
        yielded = left_to_nash(view) if self.yields else None
        by = yielded[0] if yielded else f"network for {'two players' if _players_left(view) == 2 else 'three to six'}"
        return f"{by}, or as aggressive" if self.plain_share else by

    def _without_network(self, view: GameView) -> Policy | None:
        """The policy where it yields to `nash`, or by rules that the network was not trained for."""
        if not is_made_for(view.config):
            return {replace(self._otherwise.choose_action(view), reasoning=""): 1.0}
        yielded = left_to_nash(view) if self.yields else None
        return None if yielded is None else yielded[1]

    def weakened(self, view: GameView, policy: Policy) -> Policy:
        """The policy of this level, given that of the champion."""
        if not self.plain_share:
            return policy
        action = replace(self._plain.choose_action(view), reasoning="")
        mixed = {one: (1 - self.plain_share) * chance for one, chance in policy.items()}
        mixed[action] = mixed.get(action, 0.0) + self.plain_share
        return mixed


@lru_cache(maxsize=256)
def is_made_for(config: GameConfig) -> bool:
    """Whether the network can play by these rules: those of whole games, or one round of them between two players.

    In such a round it wins if it does not lose a die, so it plays it as the first round of a game.
    """
    if config.mode == "single_round" and config.num_players == 2:
        config = config.replace(mode="elimination")
    return fits(config)


def network_policies(network: Champion, views: Sequence[GameView]) -> list[Policy]:
    """What the network does in each of these views, largest probability first, without what it does hardly ever."""
    if not views:
        return []
    chances = network.distributions([seen_in(view) for view in views])
    chances[chances < SELDOM] = 0
    chances /= chances.sum(1, keepdims=True)
    found: list[Policy] = []
    for row in chances:
        places = np.flatnonzero(row)
        places = places[np.argsort(-row[places], kind="stable")]
        found.append({_ACTIONS[place]: float(row[place]) for place in places.tolist()})
    return found


def _players_left(view: GameView) -> int:
    return sum(n > 0 for n in view.public.dice_counts)
