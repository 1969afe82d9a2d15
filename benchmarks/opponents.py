"""How well players are predicted and recognised from finished rounds, and how long scouting takes.

- log-loss on rounds that the models have not seen, beside baselines: all legal actions equally likely, the best single
  bot in hindsight, the champion, and the player's own policy, which no model can beat;
- which rule bot sits there, after 10 and 40 rounds, beside the exact posterior (which knows that it is a rule bot);
- the time that a model takes per round, and that `scout` takes for a hundred games.

The players that are predicted are made up: random thresholds, mixtures of two bots, players who take good odds more
often than bad ones, and bots that become another bot halfway. The prior of `ParametricPlayer` was fitted to other
players of these kinds. What `reader` makes of it is measured by `reader.py`, which takes longest.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from math import log
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

from figures import figure
from liars_dice.agents import Agent, Policy, PolicyAgent, ThresholdAgent, ask, make_agent
from liars_dice.core import GameConfig, GameEngine, GameView, preset
from liars_dice.opponents import (
    BlendedBots,
    BotPolicy,
    Decision,
    KnownBots,
    ParametricPlayer,
    PlayerMixture,
    PlayerModel,
    RecordedRound,
    finished_rounds,
)
from liars_dice.persistence import open_store, record_game
from made_up_players import RULE_BOTS, MixtureOfStyles, NoisyOdds
from reader import measure_reader

ROUNDS = 60
"""How many rounds of each player are predicted, each before it is learnt from."""
RULES = {
    "heads-up": preset("heads-up"),
    "perudo, two players": preset("perudo", players=2),
    "perudo, six players": preset("perudo", players=6),
}


class Changing(PolicyAgent):
    """Becomes another bot halfway."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__("changing")
        self.bots = [make_agent(first), make_agent(second)]
        self.changed = False
        self.changed_at = 0
        """The round, from 0, from which it was the second bot."""

    def policy(self, view: GameView) -> Policy:
        """The policy of the bot that it is now."""
        return ask(self.bots[self.changed], view)


def held_out(rng: random.Random, each: int) -> list[tuple[str, PolicyAgent]]:
    """Players of four kinds, `each` of every kind."""
    found: list[tuple[str, PolicyAgent]] = []
    for _ in range(each):
        thresholds = ThresholdAgent(round(rng.uniform(0, 0.7), 3), round(rng.uniform(0, 0.7), 3))
        found.append(("random thresholds", MixtureOfStyles([thresholds], [1.0], 0.05)))
        share = rng.uniform(0.2, 0.8)
        two: list[Agent] = [make_agent(name) for name in rng.sample(RULE_BOTS, 2)]
        found.append(("mixtures of two bots", MixtureOfStyles(two, [share, 1 - share], 0.02)))
        found.append(("noisy odds", NoisyOdds(rng)))
        found.append(("changing bots", Changing(*rng.sample(RULE_BOTS, 2))))
    return found


def rounds_with(player: Agent, config: GameConfig, number: int, seed: int) -> list[tuple[RecordedRound, int]]:
    """Rounds in which the player decides something, against rule bots drawn anew for each game, with its seat."""
    rng = random.Random(seed)
    found: list[tuple[RecordedRound, int]] = []
    while len(found) < number:
        seat = rng.randrange(config.num_players)
        table = [make_agent(rng.choice(RULE_BOTS)) for _ in range(config.num_players)]
        table[seat] = player
        if isinstance(player, Changing) and not player.changed and len(found) >= number // 2:
            player.changed, player.changed_at = True, len(found)
        result = GameEngine(config, table, seed=rng.randrange(2**40)).play()
        rounds = finished_rounds(config, result.resolutions)
        found += [(played, seat) for played in rounds if any(played.decisions(seat))]
    return found[:number]


def prediction(each: int) -> None:
    """The log-loss per decision of every model and baseline, by rules and by kind of player."""
    for rules, config in RULES.items():
        loss: dict[str, float] = defaultdict(float)
        by_kind: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        seconds: dict[str, float] = defaultdict(float)
        decisions, decided = 0, defaultdict[str, int](int)
        for number, (kind, player) in enumerate(held_out(random.Random(777), each)):
            player.seed(number)
            rounds = rounds_with(player, config, ROUNDS, number)
            models: dict[str, PlayerModel] = {
                "known bots": KnownBots(),
                "blend of bots": BlendedBots(),
                "habits": ParametricPlayer(),
                "all models together": PlayerMixture(),
            }
            champion, single = BotPolicy("champion"), dict.fromkeys(RULE_BOTS, 0.0)
            bots = KnownBots(RULE_BOTS)
            for place, (played, seat) in enumerate(rounds):
                here = list(played.decisions(seat))
                told = {name: _observed(model, played, seat, seconds, name) for name, model in models.items()}
                told["every legal action alike"] = -sum(log(len(one.view.legal_actions)) for one in here)
                told["the champion"] = _champion(champion, here)
                for name, each_bot in zip(RULE_BOTS, bots.likelihoods(here), strict=True):
                    single[name] += sum(map(log, each_bot))
                if isinstance(player, Changing):
                    player.changed = place >= player.changed_at
                told["the player's own policy"] = sum(log(player.policy(view).get(done, 1e-9)) for view, done in here)
                for name, value in told.items():
                    loss[name] -= value
                    by_kind[kind][name] -= value
                decisions += len(here)
                decided[kind] += len(here)
            loss["the best rule bot in hindsight"] -= max(single.values())
        print(f"{rules}: {4 * each} players, {ROUNDS} rounds each, {decisions:,} decisions; log-loss per decision")
        for name, value in sorted(loss.items(), key=lambda one: -one[1]):
            took = f"   {1000 * seconds[name] / (4 * each * ROUNDS):.2f} ms a round" if name in seconds else ""
            print(f"  {name:32} {value / decisions:6.3f}{took}")
        for kind, found in by_kind.items():
            mine, own = (found[name] / decided[kind] for name in ("all models together", "the player's own policy"))
            print(f"  {kind:32} {mine:6.3f} predicted, {own:.3f} by their own policy")
        figure(
            f"log-loss against that of equal chances, {rules}",
            loss["all models together"] / loss["every legal action alike"],
            most=0.5,
        )
        slowest = max(seconds.values()) / (4 * each * ROUNDS)
        figure(f"the slowest model, {rules}", 1000 * slowest, "ms a round", most=20)


def _observed(model: PlayerModel, played: RecordedRound, seat: int, seconds: dict[str, float], name: str) -> float:
    started = time.process_time()
    given = model.observe(played, seat)
    seconds[name] += time.process_time() - started
    return given


def _champion(champion: BotPolicy, here: list[Decision]) -> float:
    """The log-probability that the champion, slipping once in fifty decisions, would have done the same."""
    policies = champion.distributions([one.view for one in here])
    done = [policy.get(one.action, 0.0) for policy, one in zip(policies, here, strict=True)]
    return sum(log(0.98 * chance + 0.02 / len(one.view.legal_actions)) for chance, one in zip(done, here, strict=True))


def recognition(repeats: int) -> None:
    """How often the likeliest rule bot is the one that sits there, beside the exact posterior."""
    for rules in ("heads-up", "perudo, two players"):
        right: dict[tuple[str, int], float] = defaultdict(float)
        for number, name in enumerate(name for name in RULE_BOTS for _ in range(repeats)):
            models = {"ours": KnownBots(), "exact": KnownBots(RULE_BOTS, tremble=0.0, change=0.0)}
            for done, (played, seat) in enumerate(rounds_with(make_agent(name), RULES[rules], 40, 90_000 + number), 1):
                for who, model in models.items():
                    model.observe(played, seat)
                    if done in (10, 40):
                        right[who, done] += _credit(model, name) / (repeats * len(RULE_BOTS))
        for done in (10, 40):
            ours, exact = 100 * right["ours", done], 100 * right["exact", done]
            print(f"which rule bot, {rules}, after {done} rounds: {ours:.1f}%; the exact posterior: {exact:.1f}%")
            figure(f"points behind the exact posterior, {rules}, {done} rounds", max(0.0, exact - ours), most=1)


def _credit(model: KnownBots, name: str) -> float:
    """1 if the rule bot is the likeliest, a share of it if several are equally likely."""
    posterior = {bot: chance for bot, chance in model.posterior.items() if bot in RULE_BOTS}
    best = max(posterior.values())
    first = [bot for bot, chance in posterior.items() if chance >= best * (1 - 1e-9)]
    return 1 / len(first) if name in first else 0.0


def scouting() -> None:
    """The time that `scout` takes for a hundred games, the start of Python included."""
    with tempfile.TemporaryDirectory() as folder:
        for rules, config in RULES.items():
            path = f"{folder}/{rules.replace(', ', '-').replace(' ', '-')}.db"
            with open_store(path) as store:
                for game in range(100):
                    table = [make_agent(name) for name in ("bluffer", *RULE_BOTS)[: config.num_players]]
                    engine = GameEngine(config, table, names=["Ann", *"BCDEF"[: config.num_players - 1]], seed=game)
                    record_game(engine, store)
                    engine.play()
            command = [sys.executable, "-m", "liars_dice", "scout", "Ann", "--db", path, "--json"]
            took = []
            for _ in range(3):
                before = _children_cpu()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                took.append(_children_cpu() - before)
            figure(f"scout on a hundred games, {rules}, processor time", min(took), "s", most=1)


def _children_cpu() -> float:
    """Processor time of the processes that have ended, in seconds."""
    used = os.times()
    return used.children_user + used.children_system


def main() -> None:
    """Measure everything, or one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("prediction", "recognition", "scouting", "reader"))
    parser.add_argument("--players", type=int, default=4, help="made-up players of each of four kinds")
    parser.add_argument("--repeats", type=int, default=30, help="matches of each rule bot to recognise it in")
    given = parser.parse_args()
    parts: dict[str, Callable[[], None]] = {
        "scouting": scouting,
        "recognition": lambda: recognition(given.repeats),
        "prediction": lambda: prediction(given.players),
        "reader": measure_reader,
    }
    for name, part in parts.items():
        if given.only in (None, name):
            part()


if __name__ == "__main__":
    main()
