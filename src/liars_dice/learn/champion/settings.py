"""Everything that can be chosen about a run of the champion's trainer, and its command line."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields
from typing import Any

from .perudo_batch import MOST_DICE, RuleMix


@dataclass
class Settings:
    """Everything that can be chosen about a run; each field is an option on the command line."""

    out: str = "champion"
    """Folder for checkpoints and the curve. A run found there is continued."""
    minutes: float = 20.0
    """How long this command trains."""
    schedule_minutes: float = 0.0
    """The length of the whole run, over which everything cools down; `minutes` if 0. Longer runs continue it later."""
    most_updates: int = 0
    """Train for this many updates instead, whatever time that takes: such a run repeats on the same device."""
    most_decisions: float = 0.0
    """Stop after this many decisions of the learner, if that comes first; 0 for no limit."""
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
