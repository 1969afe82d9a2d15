"""How good the champion is: the tables of docs/champion.md, and the figures with their targets.

Speed, solved endgames, and chances to win among known bots are always measured. The other figures are stored ones,
unless they are asked for: `--play` plays all games again, with the bots as they are (half an hour of processor time);
`--networks` measures endgames and chances to win in PyTorch (`learn/champion/measure.py`: an hour on two cores);
`--exploiters` trains exploiters and measures what they win (`training/scripts/exploiters.sh` and `yardstick.sh`: 70
minutes of an H200).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

from champion_tables import PAGE, Line, better, with_tables
from figures import figure
from liars_dice.agents import make_agent, play_game
from liars_dice.coach import model_of
from liars_dice.coach.chance_curve import WinChances
from liars_dice.core import BidAction, GameView, preset
from liars_dice.exact.response import exploitability
from liars_dice.exact.response.agent_probe import AgentProbe
from liars_dice.exact.solver import PublicTree, Tablebase
from liars_dice.exact.solver.strategy import Strategy, certify
from liars_dice.learn.champion.agent import LEVELS, ChampionAgent
from liars_dice.learn.champion.player import SHIPPED
from liars_dice.numeric import Floats
from liars_dice.tournament import TournamentSettings, clustered_ci, matchup, run_tournament
from liars_dice.tournament.blocks import Block, Worker, WorkerSetup
from measure_relative_strength import NINE, SIZES, PlayedGame, plans, played

ROOT = Path(__file__).parent.parent
DATA = ROOT / "training" / "data"
TRAINED = DATA / "champion-g.pt"
GAMES = DATA / "champion-g.games.jsonl"
"""What `--play` found."""
NETWORKS = DATA / "champion-g.networks.jsonl"
"""What `--networks` found."""
EXPLOITERS = DATA / "exploiters" / "results.jsonl"
"""What trained exploiters win, of the champion (`training/scripts/exploiters.sh`) and of the plain player by which the
yardstick is tested (`yardstick.sh`)."""
RUNS = DATA / "runs.jsonl"
"""The runs that trained networks."""
ROLLOUTS = DATA / "value_rollouts.npz"
"""Positions of champions, and what long rollouts say about their actions (`training/scripts/value_rollouts.py`)."""
RULES = ("perudo", "perudo-tournament")
BOTS = NINE[1:]
WEAKER_BOTS = ("conservative", "truthful", "maniac", "passive", "calling-station", "random")
"""The rule bots that are not in the league of nine."""
ENDGAMES = [(1, 1), (2, 1), (1, 2), (3, 1), (2, 2), (1, 3)]
"""The dice of the opener and of the other player in the rounds that `--networks` measures."""
LEAST_BETTER = 10
"""By how many percent the Brier score of chances to win should at least be better than that of shares of the dice."""
AT_ONCE = 20
"""Deals at tables of six that are played side by side."""


# -- measured here -----------------------------------------------------------------------------------------------------


def milliseconds() -> float:
    """Processor time for a decision, from a view to an action: the median over the positions of a game of champions.

    Each position is asked 20 times, and its fastest answer counts.
    """
    views: list[GameView] = []

    class Noting(ChampionAgent):
        def policies(self, views_asked: Iterable[GameView]) -> Any:
            views.extend(views_asked := list(views_asked))
            return super().policies(views_asked)

    play_game([Noting() for _ in range(6)], preset("perudo"), seed=1)
    agent = make_agent("champion")
    least = []
    for view in views:
        times = []
        for _ in range(20):
            start = time.thread_time()
            agent.choose_action(view)
            times.append(time.thread_time() - start)
        least.append(1000 * min(times))
    return float(np.median(least))


def games_per_second(agents: tuple[str, ...], deals: int) -> tuple[float, float]:
    """Games per second of processor time, one after another and side by side; the results are the same."""
    rates, results = [], []
    for side_by_side in (False, True):
        worker = Worker(WorkerSetup(agents=agents, config=preset("perudo", players=len(agents))))
        if not side_by_side:
            worker._side_by_side = lambda block: False  # type: ignore[method-assign]
        table = tuple(range(len(agents)))
        block = Block(number=0, table=table, seed=5, first=0, deals=deals, rotations=len(agents), compiled=False)
        start = time.process_time()
        result, _ = worker.play(block)
        rates.append(result.games / (time.process_time() - start))
        results.append(result.wins)
    assert results[0] == results[1]
    return rates[0], rates[1]


def speed() -> Iterator[Line]:
    """Milliseconds per decision, and games per second."""
    yield {"figure": "decision", "median_ms": milliseconds(), "bytes": SHIPPED.stat().st_size}
    rule_bots = ("champion", "optimal", "bluffer", "detective", "sniper", "crawler")
    for agents, deals in ((("champion", "optimal"), 20), (rule_bots, 10), (("champion",) * 6, 6)):
        alone, together = games_per_second(agents, deals)
        yield {"figure": "games", "agents": list(agents), "one_by_one": alone, "side_by_side": together}


def solved_endgames() -> Iterator[Line]:
    """What the rounds that `nash` plays by their solution are worth to a perfect adversary."""
    for dice, entry in Tablebase.shipped("perudo match").entries.items():
        told = {"figure": "endgame", "rules": "perudo", "dice": list(dice), "who": "nash"}
        yield {**told, "least": 0.0, "most": (entry.upper - entry.lower) / 2}


def unsolved_endgames() -> Iterator[Line]:
    """What a perfect adversary earns against `nash` in rounds that it plays without a solution of their own."""
    for dice in ENDGAMES:
        round_alone = preset("perudo", players=2, dice=dice, mode="single_round", exact_call=False)
        for rules, found in (
            ("perudo-tournament", opening_elsewhere(dice)),
            ("perudo,exact_call=false", exploitability("nash", round_alone)),
        ):
            yield {"figure": "endgame", "rules": rules, "dice": dice, "who": "nash", "least": found, "most": found}


def opening_elsewhere(dice: tuple[int, int]) -> float:
    """How exploitable `nash` is in a round of a match in which ones may not open: it opens in another way than its
    solution, and goes on as in the solution.
    """
    solved = Tablebase.shipped("perudo match").round(*dice)
    config = solved.tree.config.replace(open_on_ones=False)
    tree = PublicTree(config, payoffs=solved.tree.payoffs, cut=solved.tree.cut)
    probe = AgentProbe(make_agent("nash"), config, 0)
    openings = [
        (0, hand, tree.rules.rungs[action.bid], chance)
        for hand, policy in enumerate(probe.chances(tree.hand_sets[0].hands, probe.root))
        for action, chance in policy.items()
        if isinstance(action, BidAction)
    ]
    first, second = solved.strategies
    solution = (first.node, first.hand, first.rung, first.chance)
    later = first.node > 0
    columns = (
        np.concatenate([np.array(opening, part.dtype), part[later]])
        for opening, part in zip(zip(*sorted(openings), strict=True), solution, strict=True)
    )
    lower, upper = certify((Strategy(tree, 0, *columns), replace(second, tree=tree)))
    return (upper - lower) / 2


KNOWN_SEED = 3
MOMENTS = 8
"""Decisions that are looked at per game, drawn at random: more of one game say the same thing again."""


class Said(NamedTuple):
    """What the curve of a review says of the player to move, before one decision."""

    game: int
    chance: float
    share_of_dice: float
    won: bool
    players_left: int
    by_champion: bool


def chances_said(game: PlayedGame, number: int) -> Iterator[Said]:
    """The chances at some decisions of a game, by the curve of a review that knows which bots play."""
    config = game.moments[0].config
    curve = WinChances(config, tuple(map(model_of, game.bots)))
    for public in random.Random(number).sample(game.moments, min(MOMENTS, len(game.moments))):
        seat, dice = public.current_player, public.dice_counts
        left = sum(n > 0 for n in dice)
        own = game.bots[seat] == "champion"
        yield Said(number, curve.of(public)[seat], dice[seat] / sum(dice), seat == game.winner, left, own)


def compared(said: list[Said]) -> Line:
    """Calibration and Brier score, and how much better that is than shares of the dice. The game is the unit."""
    game, chance, share, won = (np.array(column, dtype=np.float64) for column in list(zip(*said, strict=True))[:4])
    _, place = np.unique(game, return_inverse=True)
    ours, theirs = (np.bincount(place, (x - won) ** 2) for x in (chance, share))
    drawn = np.random.default_rng(0).integers(len(ours), size=(400, len(ours)))
    better: Floats = np.sort(100 * (1 - ours[drawn].sum(1) / theirs[drawn].sum(1)))
    off = np.bincount(np.minimum((10 * chance).astype(np.int64), 9), chance - won)
    return {
        "decisions": len(said),
        "games": len(ours),
        "calibration_points": 100 * float(np.abs(off).sum()) / len(said),
        "brier": float(ours.sum()) / len(said),
        "share_of_dice": float(theirs.sum()) / len(said),
        "better_percent": 100 * float(1 - ours.sum() / theirs.sum()),
        "ci95": [round(float(better[10]), 1), round(float(better[389]), 1)],
    }


def chances_among_known_bots(games: int) -> Iterator[Line]:
    """How good the chances to win are in the league of nine, where it is known which bots sit at the table."""
    said: list[Said] = []
    number = 0
    for some in played(plans(NINE, games, seed=KNOWN_SEED)):
        for game in some:
            said += chances_said(game, number)
            number += 1
    for sample, kept in (
        ("league of nine, bots known: its own decisions", [one for one in said if one.by_champion]),
        ("league of nine, bots known: everybody's decisions", said),
    ):
        by_left = [compared([one for one in kept if one.players_left == n])["better_percent"] for n in SIZES]
        told = {"figure": "chances", "sample": sample, "seed": KNOWN_SEED}
        yield {**told, **compared(kept), "better_by_players_left": by_left}


# -- games between the bots as they are --------------------------------------------------------------------------------


def league(first: str, rules: str, tables: int, seed: int) -> Iterator[Line]:
    """Everybody's share of wins in the league of nine with `first` in the champion's place, as `tournament` plays it.

    Members and seats are drawn anew for each table, and every table plays one deal in all six rotations.
    """
    settings = TournamentSettings(
        kind="league",
        agents=(first, *BOTS),
        rules=rules,
        config=preset(rules, players=6).to_dict(),
        seed=seed,
        tables=tables,
        record="none",
    )
    for one in run_tournament(settings).ranking:
        yield {"player": one.agent, "rate": one.win_rate, "ci95": one.ci95, "games": one.games}


class Among(NamedTuple):
    """Some deals at a table of six, with one bot among five of another."""

    one: str
    others: str
    rules: str
    seed: int
    first: int
    deals: int

    def wins(self) -> list[int]:
        """How many of its six games, one in each seat, the one wins in each deal."""
        table = (0, 1, 1, 1, 1, 1)
        worker = Worker(WorkerSetup(agents=(self.one, self.others), config=preset(self.rules, players=6)))
        block = Block(
            number=0,
            table=(0, 1),
            tables=(table,) * self.deals,
            deals_per_table=1,
            seed=self.seed,
            first=self.first,
            deals=self.deals,
            rotations=6,
            compiled=False,
        )
        return [table.wins[0] for table in worker.play(block)[0].tables]


def one_among_five(deals: int, seed: int, bots: Iterable[str] = (*BOTS, *WEAKER_BOTS)) -> Iterator[Line]:
    """One champion among five of each bot, and one of each bot among five champions."""
    pairs = [pair for bot in bots for pair in (("champion", bot), (bot, "champion"))]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for rules, (one, others) in product(RULES, pairs):
            firsts = range(0, deals, AT_ONCE)
            parts = [Among(one, others, rules, seed, first, min(AT_ONCE, deals - first)) for first in firsts]
            wins = [number for part in pool.map(Among.wins, parts) for number in part]
            told = {"one": one, "others": others, "rules": rules, "games": 6 * deals}
            yield {**told, "rate": sum(wins) / (6 * deals), "ci95": clustered_ci(wins, [6] * deals)}


def heads_up(games: int, seed: int) -> Iterator[Line]:
    """How often each level and each bot wins against the champion, between two."""
    for name in (*(f"champion:{level}" for level in LEVELS), *BOTS):
        found = matchup(name, "champion", preset("perudo", players=2), games=games, seed=seed)
        yield {"one": name, "others": "champion", "rate": found.win_rate, "ci95": found.ci95, "games": found.games}


def all_games(scale: float) -> Iterator[Line]:
    """The figures of all games, each as soon as it is known."""

    def many(number: int) -> int:
        return max(20, round(scale * number))

    for rules in RULES:
        for line in league("champion", rules, many(3400), 11):
            yield {"figure": "league", "rules": rules, "seed": 11, **line}
    for line in heads_up(2 * many(3000), 14):
        yield {"figure": "heads-up", "rules": "perudo", "seed": 14, **line}
    for line in one_among_five(many(400), 12):
        yield {"figure": "among", "seed": 12, **line}
    for level in ("champion", *(f"champion:{level}" for level in LEVELS)):
        for line in league(level, "perudo", many(1200), 13):
            if line["player"] == level:
                yield {"figure": "level", "rules": "perudo", "seed": 13, **line}


def all_of_networks(device: str, scale: float) -> Iterator[Line]:
    """Endgames and chances to win of the networks, each figure as soon as it is known."""
    from liars_dice.learn.champion.measure import figures
    from liars_dice.learn.champion.network import load_policy

    yield from unsolved_endgames()
    yield best_from_what_is_seen()
    yield from figures(load_policy(TRAINED, device), device, scale, ENDGAMES)


def best_from_what_is_seen() -> Line:
    """How good the chances to win can be of somebody who sees what the player to move sees, among champions: what long
    rollouts from the positions say, with the dice of the others drawn given their bids, against shares of the dice.
    """
    import torch

    from liars_dice.learn.champion.measure import chances_said, share_of_dice
    from liars_dice.learn.champion.network import load_policy
    from liars_dice.learn.champion.perudo_batch import unpack

    with np.load(ROLLOUTS) as found:
        rows, actions, values = torch.tensor(found["rows"]), found["actions"].astype(int), found["values"].mean(-1)
    policy = load_policy(TRAINED, "cpu")
    with torch.no_grad():
        mix = policy(unpack(rows)).logits.softmax(-1).numpy()
    often = np.where(actions >= 0, np.take_along_axis(mix, actions.clip(0), 1), 0)
    chance = (often * values).sum(1) / often.sum(1)
    said, share = chances_said(policy, rows)[:, 0].numpy(), share_of_dice(rows).numpy()
    gained, gained_by_network = (share - chance) ** 2, (share - chance) ** 2 - (said - chance) ** 2
    whole = gained + chance * (1 - chance)
    drawn = np.random.default_rng(0).integers(len(rows), size=(400, len(rows)))
    better = np.sort(100 * gained[drawn].sum(1) / whole[drawn].sum(1))
    return {
        "figure": "best chances by own dice",
        "positions": len(rows),
        "better_percent": round(100 * float(gained.sum() / whole.sum()), 2),
        "ci95": [round(float(better[10]), 1), round(float(better[389]), 1)],
        "network_percent": round(100 * float(gained_by_network.sum() / whole.sum()), 2),
    }


def train_exploiters(device: str, scale: float) -> Iterator[Line]:
    """Train the exploiters of the stored results again, with this share of their decisions, and the yardstick's. In the
    end, their learning curves take the place of the stored ones.
    """
    curves: dict[str, bytes] = {}
    for known in stored(EXPLOITERS):
        if known["victim"].startswith("champion"):
            decisions = round(scale * round(known["decisions"], -7))
            table = f"{known['players']}:{known['seed']}:{known['exploiters']}"
            arguments = (str(TRAINED.with_suffix("")), "100000", table)
            for line, curve in trained_by("exploiters.sh", arguments, device, scale, DECISIONS=str(decisions)):
                curves[line["curve"]] = curve
                yield line
    minutes = {name: f"{scale * minutes:.6f}" for name, minutes in {"VICTIM": 3.9, "TWO": 2.6, "SIX": 4.3}.items()}
    for line, curve in trained_by("yardstick.sh", (), device, scale, **minutes):
        line["curve"] = f"yardstick-{line['players']}-players.curve.jsonl"
        curves[line["curve"]] = curve
        yield line
    for name, curve in curves.items():
        (DATA / name).write_bytes(curve)


def trained_by(
    script: str, arguments: tuple[str, ...], device: str, scale: float, **options: str
) -> Iterator[tuple[Line, bytes]]:
    """What exploiters win that a script of `training/scripts` trains, and their learning curves."""
    on_gpu = device != "cpu"
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",  # the scripts call python3
            "OUT": folder,
            "DEVICE": device,
            "GAMES": "65536" if on_gpu else "64",
            "MEASURED": str(max(20, round(scale * 20_000))),
            "MORE": "" if on_gpu else "--minibatch 512",
            **options,
        }
        subprocess.run(["bash", str(ROOT / "training" / "scripts" / script), *arguments], env=environment, check=True)
        curves = {}
        for packed in Path(folder).glob("curves*.tgz"):
            with tarfile.open(packed) as archive:
                for name in archive.getnames():
                    file = archive.extractfile(name)
                    assert file is not None
                    curves[f"exploiters/{name}"] = file.read()
        for line in stored(Path(folder, "results.jsonl")):
            yield line, curves[line["curve"]]


def kept(lines: Iterable[Line], path: Path) -> Iterator[Line]:
    """Show figures as they come; once all are there, they take the place of those in the file."""
    found = path.with_suffix(".new")
    with found.open("w", encoding="utf-8") as file:
        for line in lines:
            print(json.dumps(line), file=file, flush=True)
            print(json.dumps(line), flush=True)
            yield line
    found.replace(path)


def stored(path: Path) -> Iterator[Line]:
    """The figures in a file."""
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def trained(exploiters: Iterable[Line]) -> Iterator[Line]:
    """What exploiters win, and what runs took."""
    for line in exploiters:
        of_champion = line["victim"].startswith("champion")
        yield {"figure": "exploiter" if of_champion else "yardstick", "rate": line["win_rate"], **line}
    for line in stored(RUNS):
        yield {"figure": "run", **line}


# -- everything --------------------------------------------------------------------------------------------------------


def show_targets(lines: list[Line]) -> None:
    """Print every figure that has a target."""
    bounds = {line["sample"]: line for line in lines if line["figure"] == "best chances"}
    for rules in ("perudo", "perudo-tournament"):
        (rate,) = (
            x["rate"] for x in lines if x["figure"] == "league" and (x["player"], x["rules"]) == ("champion", rules)
        )
        figure(f"league of nine, {rules}: champion wins", 100 * rate, "%", least=33, aim=38)
        among = [x for x in lines if x["figure"] == "among" and x["rules"] == rules]
        worst = min((x for x in among if x["one"] == "champion"), key=lambda x: x["rate"])
        figure(f"one champion among five of a bot, {rules}: at worst", 100 * worst["rate"], "%", least=100 / 6, aim=30)
        print(f"  among {worst['others']}")
        best = max((x for x in among if x["one"] != "champion"), key=lambda x: x["rate"])
        figure(f"one bot among five champions, {rules}: at best", 100 * best["rate"], "%", most=10, aim=6)
        print(f"  {best['one']}")
    for players, most, aim in ((2, 65, 55), (6, 30, 20)):
        alone = [x for x in lines if x["figure"] == "exploiter" and (x["players"], x["exploiters"]) == (players, 1)]
        rate = max(x["rate"] for x in alone)
        figure(f"the best of {len(alone)} exploiters, {players} players: wins", 100 * rate, "%", most=most, aim=aim)
    for line in lines:
        if line["figure"] == "yardstick":
            least = {2: 85, 6: 38}[line["players"]]
            what = f"an exploiter of a plain self-play champion, {line['players']} players: wins"
            figure(what, 100 * line["rate"], "%", least=least)
        if line["figure"] == "chances":
            figure(f"chances to win, {line['sample']}: off", line["calibration_points"], "points", most=2, aim=1)
            what = f"chances to win, {line['sample']}: better than dice{possible(bounds.get(line['sample']))}"
            figure(what, line["better_percent"], "%", least=LEAST_BETTER, aim=20)
        if line["figure"] == "decision":
            figure("a decision of the champion", line["median_ms"], "ms", most=1, aim=0.3)
            figure("the champion's weights", line["bytes"] / 1e6, "MB", most=4)


def possible(best: Line | None) -> str:
    """How much better the chances can be of somebody who sees all dice, if that was measured."""
    if best is None:
        return ""
    beyond = ", so the target is out of reach" if best["ci95"][1] < LEAST_BETTER else ""
    return f" (at best {better(best)}, all dice seen{beyond})"


def main() -> None:
    """Measure, print figures with their targets, and with --write put the tables into docs/champion.md."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--play", action="store_true", help="play all games again, instead of taking stored figures")
    parser.add_argument("--networks", action="store_true", help="measure endgames and chances to win again, in PyTorch")
    parser.add_argument("--exploiters", action="store_true", help="train exploiters again, and measure them")
    parser.add_argument("--device", default="cpu", help="where --networks and --exploiters run: cpu or cuda")
    parser.add_argument("--scale", type=float, default=1.0, help="the share of the usual games and decisions")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/champion.md")
    asked = parser.parse_args()
    lines = [*speed(), *solved_endgames()]
    exploiters = train_exploiters(asked.device, asked.scale)
    lines += trained(kept(exploiters, EXPLOITERS) if asked.exploiters else stored(EXPLOITERS))
    lines += kept(all_games(asked.scale), GAMES) if asked.play else stored(GAMES)
    lines += kept(all_of_networks(asked.device, asked.scale), NETWORKS) if asked.networks else stored(NETWORKS)
    lines += chances_among_known_bots(max(4, round(3000 * asked.scale)))
    show_targets(lines)
    if asked.write:
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), lines), encoding="utf-8")


if __name__ == "__main__":
    main()
