"""The leaderboard: tournaments with the same rules add up, over runs and over versions of a bot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from command_line import call, told
from liars_dice import preset
from liars_dice.core import GameConfig
from liars_dice.persistence import GameRecorder, InMemoryRecorder
from liars_dice.tournament import (
    InProcess,
    Leaderboard,
    Ledger,
    RankedPlayer,
    TournamentSettings,
    leaderboard_of,
    rules_played,
    run_tournament,
)
from liars_dice.tournament.blocks import BlockResult
from liars_dice.tournament.ratings import lasting_elo
from liars_dice.tournament.statistics import PairCounts, sequential_p, wilson_ci

HEADS_UP = preset("heads-up", dice=2)
BOT = """
from liars_dice.agents import Agent

class Mine(Agent):
    def choose_action(self, view):
        return "liar" if view.current_bid and view.current_bid.quantity > 1 else view.legal_actions[0]
"""


def play(store: GameRecorder, *agents: str, config: GameConfig = HEADS_UP, **more: object) -> None:
    kind = "round-robin" if config.num_players == 2 else "league"
    made = {
        "kind": kind,
        "agents": agents,
        "rules": "r",
        "config": config.to_dict(),
        "seed": 1,
        "record": "none",
        **more,
    }
    settings = TournamentSettings(**made)  # type: ignore[arg-type]
    run_tournament(settings, backend=InProcess(1), ledger=Ledger(store, settings))


def line(found: Leaderboard, name: str, number: int = 1) -> RankedPlayer:
    return next(one for one in found.players if (one.name, one.number) == (name, number))


def test_runs_add_up_and_the_same_dice_count_once() -> None:
    store = InMemoryRecorder()
    play(store, "optimal", "random", games=200, seed=1)
    once = leaderboard_of(store, HEADS_UP)
    play(store, "optimal", "random", games=100, seed=1)  # the first deals of the same dice
    again = leaderboard_of(store, HEADS_UP)
    assert [one.new_games for one in again.tournaments] == [0, 200]
    assert line(again, "optimal").ci95 == line(once, "optimal").ci95
    play(store, "random", "optimal", "maniac", games=300, seed=2)
    play(store, "random", "optimal", config=preset("heads-up", dice=3), games=20)
    play(store, "random", "optimal", games=20, seating="listed")
    more = leaderboard_of(store, HEADS_UP)
    assert {one.name: (one.games, one.met, one.tournaments) for one in more.players} == {
        "optimal": (800, 2, 3),
        "random": (800, 2, 3),
        "maniac": (600, 2, 1),
    }
    assert [one.name for one in more.players][-1] == "random"
    assert sum(one.win_rate for one in more.players) == pytest.approx(1.5)
    for one in more.players:
        assert one.ci95 is not None
        assert one.rating_interval is not None
        assert one.ci95[0] < one.win_rate < one.ci95[1]
        assert one.rating_interval[0] < one.rating < one.rating_interval[1]
    assert (more.scale, more.rules, more.groups) == ("Elo", "heads-up", 1)
    assert rules_played(store) == [preset("heads-up", dice=3), HEADS_UP]


def test_exact_results_replace_played_ones() -> None:
    store = InMemoryRecorder()
    play(store, "optimal", "random", games=20)
    play(store, "optimal", "random", "maniac")
    found = leaderboard_of(store, HEADS_UP)
    assert all(one.ci95 is None for one in found.players)
    assert line(found, "maniac").rating_interval is None
    assert [one.exact for one in found.tournaments] == [True, False]
    assert sum(one.win_rate for one in found.players) == pytest.approx(1.5)


def test_players_that_never_met_are_compared_through_others_or_not_at_all() -> None:
    store = InMemoryRecorder()
    play(store, "optimal", "random", games=20)
    play(store, "maniac", "sniper", games=20)
    assert leaderboard_of(store, HEADS_UP).groups == 2
    play(store, "random", "maniac", games=20)
    assert leaderboard_of(store, HEADS_UP).groups == 1


def test_leagues_add_up() -> None:
    store, rules = InMemoryRecorder(), preset("perudo", players=3, dice=2)
    play(store, "optimal", "random", "maniac", config=rules, tables=30, seed=1)
    play(store, "optimal", "random", "maniac", config=rules, tables=10, seed=1)
    play(store, "optimal", "random", "sniper", config=rules, tables=30, seed=2)
    found = leaderboard_of(store, rules)
    assert found.scale == "OpenSkill"
    assert {one.name: one.games for one in found.players} == {"optimal": 180, "random": 180, "maniac": 90, "sniper": 90}
    assert found.players[-1].name == "random"
    assert found.tournaments[1].new_games == 0


def test_versions_of_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("tournament", "mine.py", "random", "--rules", "heads-up", "--dice", "1", "--games", "4")
    for text in (BOT, BOT.replace("> 1", "> 2")):
        Path("mine.py").write_text(text, encoding="utf-8")
        assert call(*words, "--seed", "1").exit_code == 0
    found = told("leaderboard")
    assert found["rules"] == "heads-up"
    assert [one["games"] for one in found["players"] if one["name"] == "random"] == [8]
    own = {one["number"]: one for one in found["players"] if one["name"] == "mine.py"}
    assert [own[n]["games"] for n in (1, 2)] == [4, 4]
    assert [list(one["versions"].values()) for one in found["tournaments"]] == [
        [own[2]["version"]],
        [own[1]["version"]],
    ]
    (one,) = [one for one in told("leaderboard", "--together")["players"] if one["name"] == "mine.py"]
    assert (one["games"], one["versions"]) == (8, 1)
    shown = call("leaderboard", "--rules", "heads-up", "--dice", "1", COLUMNS="150").output
    assert f"2 of 2 ({own[2]['version']})" in shown
    assert f"4 games: mine.py ({own[1]['version']}), random" in shown
    assert "ratings on the Elo scale" in shown
    none = call("leaderboard", "--rules", "perudo").output
    assert none.startswith(
        "No tournaments with these rules in the store; there are some with: heads-up, 2 players, dice 1"
    )
    assert told("leaderboard", "--rules", "perudo")["players"] == []
    assert call("leaderboard", "--dice", "2").exit_code == 2


def test_rating_intervals_cover_the_truth() -> None:
    rng = np.random.default_rng(1)
    true = np.array([0.0, 0.4, -0.5, 0.9, -1.0])
    chances = 1 / (1 + np.exp(true[None, :] - true[:, None]))
    covered = []
    for _ in range(200):
        games, rates, variances = np.zeros((5, 5)), np.full((5, 5), 0.5), np.zeros((5, 5))
        for i in range(5):
            for j in range(i):
                n = int(rng.integers(10, 400)) if (i, j) != (4, 0) else 0
                if n:
                    games[i, j] = games[j, i] = n
                    won = int(rng.binomial(n, chances[i, j]))
                    rates[i, j], rates[j, i] = won / n, 1 - won / n
                    low, high = wilson_ci(won, n)
                    variances[i, j] = variances[j, i] = ((high - low) / (2 * 1.96)) ** 2
        elo, halves = lasting_elo(rates, games, variances)
        said = (games * chances * (1 - chances)).sum(axis=1)
        truth = 400 / np.log(10) * (true - said @ true / said.sum())
        off = np.abs(np.array(elo) - said @ np.array(elo) / said.sum() - truth)
        covered.append(off <= halves)
    assert 0.92 < np.mean(covered) < 0.98
    assert lasting_elo(*[np.zeros((0, 0))] * 3) == ([], [])


def stopped_early(rng: np.random.Generator, chances: tuple[float, float, float]) -> PairCounts:
    """A pairing with `--until-significant`, looked at every 25 of at most 1,000 deals."""
    for look in np.cumsum(rng.multinomial(25, chances, size=40), axis=0).tolist():
        counts = PairCounts(*look)
        if sequential_p(counts) <= 0.05:
            break
    return counts


def store_with(counts: PairCounts, *, until_significant: bool) -> GameRecorder:
    """A store with one tournament of two bots, in which the first lost, split and won so many deals."""
    store = InMemoryRecorder()
    settings = TournamentSettings(
        kind="round-robin",
        agents=("optimal", "maniac"),
        rules="r",
        config=HEADS_UP.to_dict(),
        seed=1,
        until_significant=until_significant,
    )
    ledger = Ledger(store, settings)
    ledger.begin((), 20)
    played = BlockResult(
        number=0,
        table=(0, 1),
        games=2 * counts.pairs,
        wins=[[0, 0], [0, 0]],
        pairs=(counts.lost_both, counts.split, counts.won_both),
        compiled=True,
        rounds=0,
        decided=[[], []],
    )
    ledger.add(played, [])
    ledger.write()
    return store


def test_rating_intervals_cover_the_truth_although_pairings_are_stopped_early() -> None:
    """With intervals for a fixed number of independent games, nine in ten would."""
    rng = np.random.default_rng(3)
    rate, splits = 0.53, 0.5
    truth = 1500 + 200 * np.log10(rate / (1 - rate))
    covered = 0
    for _ in range(300):
        counts = stopped_early(rng, (1 - rate - splits / 2, splits, rate - splits / 2))
        found = line(leaderboard_of(store_with(counts, until_significant=True), HEADS_UP), "optimal")
        assert found.rating_interval is not None
        covered += found.rating_interval[0] <= truth <= found.rating_interval[1]
    assert covered >= 0.95 * 300


def test_a_rating_knows_as_much_as_the_deals_and_no_more() -> None:
    """Deals that are split say nothing about who is better; whoever may stop when it suits knows less."""

    def width(counts: PairCounts, *, until_significant: bool = False) -> float:
        found = line(leaderboard_of(store_with(counts, until_significant=until_significant), HEADS_UP), "optimal")
        assert found.rating_interval is not None
        return found.rating_interval[1] - found.rating_interval[0]

    independent = PairCounts(250, 500, 250)
    assert width(PairCounts(50, 900, 50)) < 0.6 * width(independent)
    assert width(independent) < 0.8 * width(independent, until_significant=True)


def test_an_empty_store_says_how_to_fill_it() -> None:
    assert (
        call("leaderboard").output
        == "No tournaments in the store yet. To play one: liars-dice tournament --field all\n"
    )
