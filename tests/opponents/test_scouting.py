"""Scouting: what is counted is what was played, and nothing is said that rests on too little."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from command_line import call, told
from liars_dice.agents import make_agent
from liars_dice.core import BidAction, CallLiarAction, GameEngine, chance_true, preset
from liars_dice.opponents import ODDS, Dossier, Rate, basis, comparison, findings, games_of, rounds_of_player, scout
from liars_dice.opponents.scouting import FEWEST
from liars_dice.persistence import open_store, record_game
from liars_dice.tournament import wilson_ci


def play(store: Path, player: str, name: str, games: int) -> None:
    with open_store(str(store)) as recorder:
        for game in range(games):
            agents = [make_agent(player), make_agent("aggressive"), make_agent("passive")]
            engine = GameEngine(preset("perudo", players=3), agents, names=[name, "Bob", "Cid"], seed=game)
            record_game(engine, recorder)
            engine.play()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten games of Ann, who plays like sniper, and ten of Dan, who plays like crawler."""
    path = tmp_path_factory.mktemp("scout") / "games.db"
    play(path, "sniper", "Ann", 10)
    play(path, "crawler", "Dan", 10)
    return path


def scouted(store: Path, name: str) -> Dossier:
    with open_store(str(store)) as recorder:
        return scout(name, rounds_of_player(recorder, name, games_of(recorder, name)))


def test_counts_are_those_of_the_games(store: Path) -> None:
    with open_store(str(store)) as recorder:
        rounds = list(rounds_of_player(recorder, "Ann", games_of(recorder, "Ann")))
    decisions = [decision for _, played, seat in rounds for decision in played.decisions(seat)]
    found = scouted(store, "Ann")
    assert found.decisions == len(decisions)
    assert found.games == 10
    bids = [(view, action.bid) for view, action in decisions if isinstance(action, BidAction)]
    assert found.bluffs == Rate(sum(chance_true(view, bid) < 0.5 for view, bid in bids), len(bids))
    answered = [(view, action) for view, action in decisions if view.current_bid is not None]
    assert sum(rate.of for rate in found.calling) == len(answered)
    assert sum(rate.times for rate in found.calling) == sum(isinstance(a, CallLiarAction) for _, a in answered)
    doubtful = [a for view, a in answered if view.current_bid and chance_true(view, view.current_bid) < ODDS[1]]
    assert found.calling[0] == Rate(sum(isinstance(a, CallLiarAction) for a in doubtful), len(doubtful))
    assert sum(group.decisions for group in found.by_own_dice) == found.decisions
    assert sum(group.decisions for group in found.by_dice_in_play) == found.decisions
    assert found.openings is not None
    assert found.openings.rounds == sum(view.current_bid is None for view, _ in bids)


def test_players_are_told_apart(store: Path) -> None:
    ann, dan = scouted(store, "Ann"), scouted(store, "Dan")
    assert ann.style is not None
    assert dan.style is not None
    assert (ann.style.name, dan.style.name) == ("sniper", "crawler")
    assert ann.jumps.ci95[0] > dan.jumps.value == 0
    rows = {words: (left, right) for words, left, right in comparison(ann, dan)}
    assert rows["nearest style"][0].startswith("sniper")


def test_intervals_are_wilsons() -> None:
    for times, of in ((0, 10), (3, 17), (250, 1000), (8, 8)):
        assert Rate(times, of).ci95 == pytest.approx(wilson_ci(times, of), abs=1e-6)


def test_little_is_said_of_little(tmp_path: Path) -> None:
    """After one game, rates that rest on too few decisions are not told, and the page says what it rests on."""
    play(tmp_path / "few.db", "sniper", "Ann", 1)
    found = scouted(tmp_path / "few.db", "Ann")
    curve = " ".join(dict(findings(found)).get("Calling", []))
    assert any(not rate.is_told for rate in found.calling)
    for rate, low, high in zip(found.calling, ODDS, ODDS[1:], strict=False):
        assert (f"{low:.0%} to {high:.0%}:" in curve) is rate.is_told
    assert f"{found.rounds} rounds of 1 game" in basis(found)


def test_how_bluffs_end_is_said_of_enough_bluffs(store: Path) -> None:
    found = scouted(store, "Ann")
    for bluffs, said in ((FEWEST - 1, 1), (FEWEST, 2)):
        told = dict(findings(msgspec.structs.replace(found, bluffs=Rate(bluffs, 100))))["Bluffs"]
        assert len(told) == said


def test_nothing_is_said_of_nothing() -> None:
    found = scout("Nobody", [])
    assert findings(found) == []
    assert found.style is None
    assert found.to_dict()["rounds"] == 0


def test_the_command(store: Path, tmp_path: Path) -> None:
    report = told("scout", "Ann", "--db", str(store), "--chart", str(tmp_path / "ann.png"))
    assert {"player", "rounds", "style", "habits", "cost"} <= report.keys()
    assert report["style"]["name"] == "sniper"
    assert 0.9 < report["style"]["probability"] <= 1
    assert report["habits"] == []
    assert report["cost"] is None
    assert (tmp_path / "ann.png").stat().st_size > 5000
    both = told("scout", "Ann", "--against", "Dan", "--db", str(store), "--png", str(tmp_path / "both.png"))
    assert both["against"]["player"] == "Dan"
    page = call("scout", "Ann", "--db", str(store)).output
    assert "This rests on" in page
    assert "sniper" in page
    assert "--reviews 10" in page
    assert "Dan" in call("scout", "Ann", "--against", "Dan", "--db", str(store)).output


def test_reviewed_games_say_what_habits_cost(store: Path) -> None:
    report = told("scout", "Ann", "--db", str(store), "--reviews", "2")
    assert report["cost"]["games"] == 2
    assert 0 <= report["cost"]["per_game"] <= 1
    assert sum(report["cost"]["against"].values()) == report["cost"]["decisions"]
    assert 1 <= len(report["habits"]) <= 3
    for habit in report["habits"]:
        shown = call("replay", habit["position"]["game_id"], "--at", str(habit["position"]["turn"]), "--db", str(store))
        assert shown.exit_code == 0
    again = told("scout", "Ann", "--db", str(store))
    assert again["cost"] == report["cost"]  # reviews are kept, and count without being asked for
    assert again["habits"][0]["words"] in call("scout", "Ann", "--db", str(store)).output


def test_filters_and_bad_names(store: Path) -> None:
    assert told("scout", "Ann", "--db", str(store), "--since", "2999-01-01")["rounds"] == 0
    assert told("scout", "Ann", "--db", str(store), "--rules", "duel")["rounds"] == 0
    said = call("scout", "Anne", "--db", str(store))
    assert said.exit_code != 0
    assert "did you mean Ann?" in said.output


def test_a_review_says_what_the_others_could_know(store: Path) -> None:
    with open_store(str(store)) as recorder:
        game = next(one for one in recorder.games() if "Ann" in one.names).game_id
    page = call("review", game, "--player", "Ann", "--db", str(store)).output
    assert "What they could know of Ann" in page
    report = told("review", game, "--player", "Ann", "--db", str(store))
    (known,) = report["known"]
    assert (known["player"], known["games"]) == ("Ann", 1)
    assert told("review", game, "--db", str(store))["known"] == []  # no people played
