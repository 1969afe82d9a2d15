"""Everything that can be chosen about a run of the champion's trainer, and its command line."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .perudo_batch import MOST_DICE, RuleMix

if TYPE_CHECKING:
    from ...core import GameConfig


@dataclass
class Settings:
    """Everything that can be chosen about a run; each field is an option on the command line."""

    out: str = "champion"
    """Folder for checkpoints and the curve. A run found there is continued."""
    minutes: float = 20.0
    """How long the run trains in all, with what was trained before a break."""
    schedule_minutes: float = 0.0
    """How long it takes until everything has cooled down; `minutes` if 0. A run that ends earlier may go on later."""
    most_updates: int = 0
    """Train for this many updates instead, whatever time that takes: such a run repeats on the same device."""
    most_decisions: float = 0.0
    """Train for this many decisions of the learner instead, whatever time that takes."""
    device: str = "cpu"
    games: int = 2048
    """How many games are played side by side."""
    steps: int = 32
    """How many decisions are made in each game between two updates."""
    minibatch: int = 8192
    passes: int = 1
    """How many times the decisions of an update are learned from."""
    learning_rate: tuple[float, float] = (1e-3, 1e-4)
    entropy: tuple[float, float] = (0.1, 0.03)
    """The weight of the entropy bonus, at the start and at the end; advantages have a standard deviation of one."""
    magnet: tuple[float, float] = (0.3, 0.3)
    """The weight of the pull towards the averaged policy, at the start and at the end."""
    average: float = 0.999
    """How much of the averaged policy is kept at each gradient step."""
    clip: float = 0.2
    """How far the probability of an action may move in one update before its gradient is cut."""
    trace: float = 0.9
    """The lambda of TD(lambda) within a round."""
    all_actions: bool = True
    """Whether the critic's word on the bids that were not made counts; else only what came of those that were."""
    sharpness: float = 0.5
    """Advantages count (players left / 2) to this power times: larger tables are played colder."""
    bots: float = 0.3
    """The share of games in which rule bots play some seats: any number of seats, half of the time all of one kind."""
    bot_kinds: str = "crawler,probabilistic,optimal,detective,aggressive,bluffer,sniper"
    players: tuple[int, int] = (2, 6)
    dice: tuple[int, int] = (1, 5)
    full_games: float = 0.3
    """The share of games that start with all dice; the others start with any number in each seat."""
    endgames: float = 0.1
    """The share of games that start between two players with one or two dice each."""
    restart: float = 0.5
    """How often a game is broken off after a round, so that every kind of round is met; its worth is known."""
    wild_ones: float = 0.9
    exact_calls: float = 0.75
    tournament: float = 0.4
    """The share of games with palifico and without opening on ones; the next two are drawn in the others."""
    palifico: float = 0.1
    open_on_ones: float = 0.9
    exact_costs_bidder: float = 0.8
    face_width: int = 128
    table_width: int = 256
    blocks: int = 3
    most_dice: int = MOST_DICE
    """The most dice that a right exact call can bring a player to."""
    random_opener: bool = True
    """Whether any seat may open the first round; else seat 0 does, as in the engine."""
    against: str = ""
    """Trains an exploiter of this player, which sits in every other seat: a rule bot by name, or a checkpoint or an
    `.npz` file, from whose weights the exploiter starts."""
    learners: int = 1
    """How many seats the exploiter takes. Two or more know each other and share one reward: that any of them wins."""
    init: str = ""
    """A checkpoint or an `.npz` file whose networks this run starts from."""
    judges: str = ""
    """A checkpoint whose critic and value this run starts from; its policy begins anew."""
    compiled: bool = False
    """Compile the networks with torch.compile: it takes half a minute, and steps take two thirds of the time."""
    report_every: float = 10.0
    """Seconds between lines of the curve."""
    save_every: float = 60.0
    """Seconds between checkpoints."""
    seed: int = 0

    def done(self, report: dict[str, Any]) -> tuple[int, int]:
        """How much of the run was done when an update was reported, and of how much: decisions, updates or seconds."""
        if self.most_decisions:
            done, whole = report["decisions"], self.most_decisions
        elif self.most_updates:
            done, whole = report["updates"], self.most_updates
        else:
            done, whole = report["trained_s"], 60 * self.minutes
        return min(int(done), int(whole)), int(whole)

    def mix(self) -> RuleMix:
        """The games to play."""
        return RuleMix(
            self.players,
            self.dice,
            self.full_games,
            self.endgames,
            self.wild_ones,
            self.exact_calls,
            self.palifico,
            self.open_on_ones,
            self.exact_costs_bidder,
            most_dice=self.most_dice,
            random_opener=self.random_opener,
            tournament=self.tournament,
        )


def rules_of(config: GameConfig) -> dict[str, Any]:
    """These rules as settings: every game by them alone, from full dice."""
    return {
        "players": (config.num_players, config.num_players),
        "dice": (config.dice[0], config.dice[0]),
        "full_games": 1.0,
        "endgames": 0.0,
        "wild_ones": float(config.wild == "ones"),
        "exact_calls": float(config.exact_call),
        "tournament": 0.0,
        "palifico": float(config.palifico),
        "open_on_ones": float(config.open_on_ones),
        "exact_costs_bidder": float(config.exact_payer == "bidder"),
        "most_dice": config.dice_cap if config.exact_call else MOST_DICE,
    }


SMALL: dict[str, Any] = {
    "face_width": 32,
    "table_width": 64,
    "blocks": 2,
    "games": 1024,
    "steps": 8,
    "minibatch": 1024,
    "learning_rate": (2e-3, 2e-4),
    "average": 0.995,
}
"""For two cores and minutes: a small network that takes many short steps."""
LARGE: dict[str, Any] = {
    "games": 65_536,
    "steps": 16,
    "minibatch": 16_384,
    "learning_rate": (1e-3, 5e-5),
    "average": 0.999,
    "compiled": True,
}
"""For one GPU: the network that is shipped."""


def self_play_settings(
    config: GameConfig, players: tuple[int, int], dice: tuple[int, int], device: str, out: str | Path, *, variants: bool
) -> Settings:
    """How to train a champion by self-play for tables of `players` that start with up to `dice` dice per seat.

    With `variants` the rules vary from game to game: with and without wild ones, exact calls, palifico.
    """
    rules = {} if variants else rules_of(config)
    rules |= {"players": players, "dice": dice, "full_games": 0.3 if dice[0] < dice[1] else 1.0}
    rules |= {"endgames": 0.1 if players != (2, 2) and players[0] == 2 else 0.0, "restart": 0.5}
    size = LARGE | {"device": "cuda"} if device == "gpu" else SMALL | {"device": "cpu"}
    bots = 0.3 if players[1] > 2 else 0.0  # alone, it learns nothing from them that it needs to be hard to exploit
    return Settings(out=str(out), entropy=(0.1, 0.04), magnet=(0.3, 0.3), bots=bots, **rules, **size)


def settings_from(arguments: list[str] | None = None) -> Settings:
    """Settings from a command line."""
    parser = argparse.ArgumentParser(description="Train the champion by self-play.")
    for option in fields(Settings):
        default = option.default
        name = "--" + option.name.replace("_", "-")
        if isinstance(default, bool):
            parser.add_argument(name, action=argparse.BooleanOptionalAction, default=default)
        elif isinstance(default, tuple):
            parser.add_argument(name, nargs=2, type=type(default[0]), default=default)
        else:
            parser.add_argument(name, type=type(default), default=default)
    found: dict[str, Any] = vars(parser.parse_args(arguments))
    for name, value in found.items():
        found[name] = tuple(value) if isinstance(value, list) else value
    return Settings(**found)
