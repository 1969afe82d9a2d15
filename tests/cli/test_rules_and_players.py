"""Rules on the command line, and how many play: those you name, else as many as the rules say (rule 8.10)."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import call, told
from liars_dice.core import load_rules, preset

USUALLY_SIX = "for 2 players (usually 6)"


def test_change_rules_and_write_them(tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    said = told("rules", "perudo", "--set", "palifico=true", "--set", "faces=8", "--players", "3", "--out", str(out))
    assert load_rules(str(out)) == preset("perudo", players=3, palifico=True, faces=8)
    assert (said["rules"], said["out"]) == ("perudo,palifico=true,faces=8", str(out))
    assert call("rules", "perudo,palifico").output == call("rules", "perudo", "--set", "palifico=true").output
    assert "expected a name that ends in .toml or .json" in call("rules", "perudo", "--out", "mine.txt").stderr
    assert "Name the rules, for example: liars-dice rules perudo" in call("rules", "--set", "palifico=true").stderr


def test_palifico_that_never_happens_is_told() -> None:
    for words in (
        ("rules", "perudo,palifico", "--players", "2"),
        ("matchup", "maniac", "random", "--rules", "perudo,palifico", "--games", "2"),
    ):
        assert "Note: palifico changes nothing with two players" in call(*words).stderr


def test_games_of_equal_rules_are_found_whatever_file_they_came_from(tmp_path: Path) -> None:
    db, one, other = (str(tmp_path / name) for name in ("games.sqlite", "one.toml", "other.json"))
    call("rules", "perudo", "--set", "palifico=true", "--players", "3", "--dice", "1", "--out", one)
    call("rules", "perudo", "--set", "palifico=true", "--players", "4", "--dice", "1", "--out", other)
    for rules in (one, other, "perudo,palifico,players=3,dice=1", "perudo,faces=8,dice=1", "perudo-tournament,dice=1"):
        assert call("watch", "--rules", rules, "--seed", "1", "--db", db).exit_code == 0

    def found(rules: str) -> int:
        return len(told("games", "--rules", rules, "--db", db)["games"])

    assert [found(rules) for rules in (one, other, "perudo,palifico")] == [3, 3, 3]
    assert (found("perudo,faces=8"), found("perudo,palifico,open_on_ones=false")) == (1, 1)
    assert (found("perudo-tournament"), found("custom"), found("perudo"), found("heads-up,faces=8")) == (1, 4, 0, 0)
    assert "did you mean perudo?" in call("games", "--rules", "perdo", "--db", db).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("matchup maniac random --rules perudo --dice 1 --games 2", f"rules perudo {USUALLY_SIX}, dice 1 and 1"),
        ("matchup maniac random --dice 1 --games 2", "rules heads-up, dice 1 and 1"),
        ("watch maniac random --rules perudo --dice 1", f"rules perudo {USUALLY_SIX}"),
        ("watch maniac random passive --dice 1", "rules heads-up for 3 players (usually 2)"),
        ("watch --rules perudo --dice 1", "; rules perudo Round 1"),
        ("play maniac random --dice 1", "Rules: heads-up for 3 players (usually 2)"),
        ("play --rules perudo --dice 1", "You 1, optimal 1, maniac 1, calling-station 1, bluffer 1, optimal#2 1"),
        ("play --opponent maniac --opponent random --dice 1", "You 1, maniac 1, random 1 You "),
        ("play bluffer --players 4 --dice 1", "You 1, bluffer 1, optimal 1, maniac 1 You "),
        ("simulate random maniac --tables 1 --games 2 --rules heads-up --dice 1", "; rules heads-up agent"),
        ("simulate random maniac --players 3 --tables 1 --games 2 --dice 1", "perudo for 3 players (usually 6)"),
        ("tournament random maniac passive --rules perudo --players 3 --dice 1 --tables 2", "league at tables of 3"),
    ],
)
def test_the_number_of_players_is_told(words: str, said: str) -> None:
    assert said in " ".join(call(*words.split(), stdin="").output.split())


def test_a_matchup_seats_two_by_any_rules(tmp_path: Path) -> None:
    (tmp_path / "six.toml").write_text('dice = [1, 1, 1, 1, 1, 1]\nmode = "elimination"\n')
    found = call("matchup", "maniac", "random", "--rules", str(tmp_path / "six.toml"), "--games", "2")
    assert "".join(f"six.toml {USUALLY_SIX}".split()) in "".join(found.output.split())  # a long path is broken anywhere


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("watch", "[default: as many as you name, else as the rules say]"),
        ("play", "Number of players, you included. [default: as many as you name, else as the rules say]"),
        ("matchup", "Number of players: always 2, whatever the rules say."),
        ("tournament", "[default: as the rules say]"),
        ("simulate", "[default: as the rules say]"),
        ("rules", "[default: as the rules say]"),
    ],
)
def test_help_says_how_many_play(command: str, said: str) -> None:
    shown = " ".join(call(command, "--help").output.split())
    assert said in shown.partition("--players N")[2].partition(" --")[0]
