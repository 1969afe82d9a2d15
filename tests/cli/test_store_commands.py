"""Games that were recorded, found, seen again and carried elsewhere, all from the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from command_line import call, told
from liars_dice.persistence import open_store, verify_game
from pseudo_terminal import PseudoTerminal

STORES = Path(__file__).parent.parent / "data" / "stores"


@pytest.fixture
def two_games() -> list[str]:
    first = told("watch", "--seed", "1")["run"]["game_id"]
    second = told("watch", "random", "passive", "maniac", "--rules", "perudo", "--dice", "2", "--seed", "2")["run"][
        "game_id"
    ]
    return [str(first), str(second)]


def test_games_are_recorded_listed_and_filtered(two_games: list[str]) -> None:
    listed = told("games")["games"]
    assert [game["game_id"] for game in listed] == two_games[::-1]
    assert [game["rules"] for game in listed] == ["perudo", "heads-up"]
    assert listed[1]["agents"] == ["optimal", "maniac"]
    assert listed[0]["player_types"] == ["RandomAgent", "passive", "maniac"]
    for option, value, expected in (
        ("--rules", "perudo", [two_games[1]]),
        ("--agent", "optimal", [two_games[0]]),
        ("--agent", "RandomAgent", [two_games[1]]),
        ("--agent", "OPTIMAL", [two_games[0]]),
        ("--agent", "MANIAC", two_games[::-1]),
        ("--winner", str(listed[1]["winner"]), [two_games[0]]),
        ("--since", "2999-01-01", []),
        ("--until", "2000-01-01", []),
        ("--limit", "1", [two_games[1]]),
    ):
        found = [str(game["game_id"]) for game in told("games", option, value)["games"]]
        assert found == expected or (option == "--winner" and two_games[0] in found), option
    shown = call("games").output
    assert all(game_id in shown for game_id in two_games)
    assert "liars-dice replay GAME" in shown
    assert "No matching games" in call("games", "--rules", "classic").output


def test_personalities_are_recorded_under_their_own_names() -> None:
    """However a game is played, threshold agents are told apart: by name and by type, in lists and in win rates."""
    pair = ("maniac", "calling-station")
    told("watch", *pair, "--seed", "1")
    told("watch", *pair, "--seed", "1", "--isolate")
    told("watch", "threshold:0.4,0.2", "threshold-best", "--dice", "1", "--seed", "1")
    told("play", "MANIAC", "--dice", "1", "--seed", "5")
    played = ("--games", "2", "--record", "all", "--dice", "1", "--seed", "1")
    told("tournament", *pair, *played)
    told("tournament", "aggressive", "detective", *played)  # by the referee
    told("tournament", "passive", "optimal", "--players", "4", "--tables", "1", "--games", "4", *played[2:])  # copies
    games = told("games", "--limit", "100")["games"]
    types = {one for game in games for one in game["player_types"]}
    assert types - {"Human", "DetectiveAgent", None} == {
        *("maniac", "calling-station", "threshold:0.4,0.2", "threshold-best", "aggressive", "passive", "optimal")
    }
    for game in games:
        for name, kind in zip(game["agents"], game["player_types"], strict=True):
            assert kind in (name.partition("#")[0], "Human", "DetectiveAgent", None), game
    assert {row["player"] for row in told("games", "stats")["by_player"]} == types - {"Human", "DetectiveAgent"} | {
        "detective"
    }


def test_stats(two_games: list[str]) -> None:
    stats = told("games", "stats")
    by_player = {str(row["player"]): row for row in stats["by_player"]}
    assert sum(row["games"] for row in by_player.values()) == 5
    assert by_player["random"]["games"] == 1
    assert "ThresholdAgent" not in by_player
    assert sum(int(str(row["wins"])) for row in stats["by_opener"]) == 2
    assert {row["among"] for row in stats["by_rules"]} == {"heads-up", "perudo"}
    shown = call("games", "stats").output
    assert "2 games, 2 of them finished" in shown
    assert "win rate" in shown


def test_stats_take_options_before_and_behind(two_games: list[str], tmp_path: Path) -> None:
    assert told("games", "--rules", "perudo", "stats")["games"] == 1
    assert told("games", "stats", "--rules", "perudo")["games"] == 1
    assert "there is no store at this path" in call("games", "--db", str(tmp_path / "no.sqlite"), "stats").stderr


def test_same_seed_same_json() -> None:
    one, two = (told("watch", "--seed", "4", "--dice", "1") for _ in range(2))
    assert one.pop("run") != two.pop("run")
    assert one == two


def test_a_store_that_cannot_be_opened_does_not_stop_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIARS_DICE_DB", str(tmp_path))
    result = call("watch", "--dice", "1", "--seed", "1")
    assert result.exit_code == 0
    assert "Warning: nothing will be recorded" in result.stderr
    assert call("watch", "--db", str(tmp_path)).exit_code == 1


def test_foreign_files_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "precious.jsonl"
    for content in ('{"precious": true}', "plain text", "[1, 2", '{"precious": tr'):
        path.write_text(content)
        assert "not an event of Liar's Dice" in call("games", "--db", str(path)).stderr
        assert path.read_text() == content


def test_replay(two_games: list[str]) -> None:
    first = call("replay", two_games[0])
    assert "wins the game" in first.output
    assert first.output.count("Round ") >= 5
    assert "Verified: all" in call("replay", "last", "--verify").output
    whole = told("replay", two_games[0])
    assert whole["events"][0]["event_type"] == "GameCreated"
    seen = told("replay", two_games[0], "--seat", "-1")
    assert '"seed": 1' in json.dumps(whole)
    assert '"seed": 1' not in json.dumps(seen)
    for name, message in (("nobody", "(0 of 2 match)"), ("2", "(2 of 2 match)")):
        assert message in call("replay", name).stderr
    assert "seat = 9: expected a seat from 0 to 1" in call("replay", two_games[0], "--seat", "9").stderr


def test_replay_step_by_step(two_games: list[str]) -> None:
    three = call("replay", two_games[0], "--step", stdin="\n\nq\n")
    assert three.exit_code == 0
    assert "Round 1" in three.output
    assert "Round 2" not in three.output
    assert call("replay", two_games[0], "--step", stdin="").exit_code == 0


def test_a_match_in_the_format_of_an_earlier_design(tmp_path: Path) -> None:
    """Times without a zone, and three rounds: imported, listed, shown and verified, or used where it is."""
    old = STORES / "schema-0-match.jsonl"
    copy = tmp_path / "old.jsonl"
    copy.write_bytes(old.read_bytes())
    imported = tmp_path / "new.sqlite"
    assert told("import", str(old), "--db", str(imported))["games"] == 1
    for db in (imported, copy):
        (game,) = told("games", "--db", str(db))["games"]
        assert (game["rounds"], game["winner"], game["created_utc"]) == (3, "player0", "2025-06-01T10:00:00+00:00")
        shown = call("replay", "last", "--verify", "--db", str(db))
        assert shown.exit_code == 0, shown.output
        assert "player0 wins the game" in shown.output
        assert call("review", "last", "--db", str(db)).exit_code == 0


def test_export_and_import(two_games: list[str], tmp_path: Path) -> None:
    lines = call("export").output
    assert lines.count('"event_type":"GameEnded","payload"') == 2
    rows = list(csv.DictReader(io.StringIO(call("export", "last", "--format", "csv").output)))
    assert {row["game_id"] for row in rows} == {two_games[1]}
    out = tmp_path / "games.jsonl"
    assert told("export", "--out", str(out)) == {"games": 2, "format": "jsonl", "out": str(out)}
    assert call("export", "last", "--out", str(tmp_path / "g.csv")).output.startswith("1 game written")
    assert call("export", "--out", str(tmp_path / "g.parquet")).exit_code == 0
    assert told("export", "--out", str(tmp_path / "games"))["format"] == "jsonl"
    assert told("export", "--out", str(tmp_path / "games.txt"), "--format", "csv")["format"] == "csv"
    nobody = call("export", "--player", "randm", "--out", str(tmp_path / "none.jsonl"))
    assert nobody.exit_code == 1
    assert "--player = 'randm': expected a player of recorded games (did you mean random?)" in nobody.stderr
    assert not (tmp_path / "none.jsonl").exists()
    assert told("export", "--until", "2001-01-01", "--out", str(tmp_path / "none.jsonl"))["games"] == 0
    assert told("export", "worst:random", "--out", str(tmp_path / "worst.jsonl"))["games"] == 1
    other = str(tmp_path / "other.sqlite")
    assert told("import", str(out), "--db", other)["games"] == 2
    assert told("import", str(out), "--db", other)["known"] == 2
    with open_store(other) as store:
        for game_id in two_games:
            verify_game(store.events(game_id))
    before = out.read_bytes()
    assert call("export", "--db", str(out), "--out", str(out)).exit_code == 0
    assert out.read_bytes() == before
    assert "this is a store" in call("export", "--db", other, "--out", other).stderr
    assert call("export", "last", "last", "--out", str(tmp_path / "twice.jsonl")).output.startswith("1 game written")
    out.write_bytes(out.read_bytes()[:-30])
    cut = call("import", str(out), "--db", str(tmp_path / "cut.sqlite"))
    assert cut.exit_code == 0
    assert "cut short and is ignored" in cut.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["import", "missing.jsonl"], "missing.jsonl: cannot be read (No such file or directory)"),
        (["export", "--out", "missing/x.csv"], "a file that can be written (No such file or directory)"),
        (["export", "--out", "x.xlsx"], "Unknown file extension .xlsx. Use .jsonl, .csv, .parquet"),
        (["export", "--format", "parquet"], "Parquet and --json need --out FILE"),
        (["games", "--since", "yesterday"], "'yesterday' is not a date such as 2026-01-31"),
        (["games", "--limit", "0"], "0 is not in the range"),
        (["replay", "last"], "game = 'last': expected a recorded game; there is none in this store"),
        (["stats"], "there is none in this store: play or watch one first"),
        (
            ["watch", "--db", "mysql://ann:secret@host/games"],
            "mysql://: expected a SQLite or .jsonl file, or postgresql://",
        ),
        (["games", "--db", "."], "cannot be opened"),
        (["games", "--db", "typo.sqlite"], "typo.sqlite: there is no store at this path"),
        (["replay", "last", "--db", "typo.jsonl"], "typo.jsonl: there is no store at this path"),
    ],
    ids=" ".join,
)
def test_mistakes_get_one_clear_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call(*words)
    assert result.exit_code != 0
    assert result.stdout == ""
    assert message in result.stderr.splitlines()[-1]
    assert not list(tmp_path.glob("mysql*"))


def test_a_played_game_is_recorded_event_by_event() -> None:
    left = told("play", "--dice", "1", "--seed", "5")
    assert left["winner"] is None
    (game,) = told("games")["games"]
    assert game["player_types"] == ["Human", "optimal"]
    assert game["winner"] is None
    assert game["game_id"] == left["run"]["game_id"]


@pytest.mark.parametrize("kind", ["xterm-256color", "dumb"])
def test_games_on_a_narrow_screen(two_games: list[str], kind: str) -> None:
    """Nothing is cut off, also where the terminal can do little else than say how wide it is."""
    with PseudoTerminal("games", columns=40, environment={"TERM": kind}) as terminal:
        terminal.wait_for("To replay one")
        terminal.wait_for("GAME")
        assert all(game_id in terminal.text for game_id in two_games)
        assert "\u2026" not in terminal.text
        assert " won\n" in terminal.text
        assert terminal.longest_line() <= 40


BOT = """
from liars_dice import CallLiarAction
from liars_dice.agents import Agent


class Doubter(Agent):
    def choose_action(self, view):
        return CallLiarAction() if view.current_bid else view.legal_actions[0]
"""


def test_the_game_that_a_bot_lost_worst(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its file name as well as by its own, and in one command."""
    monkeypatch.chdir(tmp_path)
    Path("doubter.py").write_text(BOT)
    assert call("tournament", "doubter.py", "crawler", "--dice", "2", "--games", "8", "--seed", "1").exit_code == 0
    empty = call("games", "--agent", "doubter.py").output
    assert "liars-dice tournament --record all records many" in empty
    words = ("tournament", "doubter.py", "crawler", "--dice", "2", "--games", "8", "--seed", "1", "--record", "all")
    assert call(*words).exit_code == 0
    lost = told("games", "--loser", "doubter.py")["games"]
    assert told("games", "--loser", "Doubter")["games"] == lost
    assert 0 < len(lost) < len(told("games", "--agent", "doubter.py")["games"]) == 8
    assert {game["winner"] for game in lost} == {"crawler"}

    judged = told("games", "--loser", "doubter.py", "--worst")["games"]
    assert {game["game_id"] for game in judged} == {game["game_id"] for game in lost}
    assert [game["accuracy"] for game in judged] == sorted(game["accuracy"] for game in judged)
    worst = judged[0]
    review = told("review", worst["game_id"], "--seat", str(worst["seat"]))
    assert review["accuracy"] == {"Doubter": worst["accuracy"]}
    move = max(review["moves"], key=lambda move: move["loss"])
    assert {name: move[name] for name in ("turn", "action", "best", "loss")} == worst["worst"]
    assert told("games", "--agent", "doubter.py", "--worst", "--limit", "1")["games"][0]["seat"] == worst["seat"]

    assert told("replay", "worst:doubter.py")["game_id"] == worst["game_id"]
    assert told("review", "worst:Doubter")["game_id"] == worst["game_id"]
    shown = call("games", "--loser", "doubter.py", "--worst").output
    for again in ("replay", "review", "play --from"):
        assert f"liars-dice {again} {worst['game_id']}" in shown
    assert worst["game_id"] in call("games", "--loser", "doubter.py", "--worst", "--limit", "1").output
    assert "--worst needs a player" in call("games", "--worst").stderr
    assert "'nobody' has lost none" in call("replay", "worst:nobody").stderr
    assert "No matching games" in call("games", "--loser", "nobody", "--worst").output
    advice = call("review", "worst:doubter.py").output.splitlines()[-1]
    assert advice.strip().startswith("liars-dice play --from worst:doubter.py --at ")
    on = call(*advice.split()[1:])
    assert on.exit_code == 0, on.output
