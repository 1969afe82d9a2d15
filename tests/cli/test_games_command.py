"""The list of games in terminals of several widths, and in a pipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import call, told
from pseudo_terminal import PseudoTerminal

BOTS = ("calling-station", "threshold:0.35,0.15")


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = str(tmp_path / "games.db")
    for seed in ("1", "2"):
        told("watch", *BOTS, "--dice", "1", "--seed", seed, "--db", path)
    return path


def shown(store: str, columns: int, *words: str) -> PseudoTerminal:
    with PseudoTerminal("games", "--db", store, *words, columns=columns) as terminal:
        assert terminal.end() == 0
        return terminal


@pytest.mark.parametrize("columns", [200, 120, 100, 80, 60, 40, 25])
def test_nothing_is_cut_off_at_any_width(store: str, columns: int) -> None:
    terminal = shown(store, columns)
    assert terminal.longest_line() <= columns
    assert "…" not in terminal.text
    words = "".join(terminal.text.split())  # a name may continue on the next line, if it is longer than one
    for game in told("games", "--db", store)["games"]:
        assert "".join(game["agents"]) in words.replace(",", "").replace("0.350.15", "0.35,0.15")
        assert game["game_id"] in words


@pytest.mark.parametrize(
    ("columns", "headings"),
    [
        (120, ["game (UTC time)", "rules", "players", "rounds", "winner"]),
        (100, ["game (UTC time)", "rules", "players", "winner"]),
        (90, ["game (UTC time)", "players", "winner"]),
    ],
)
def test_the_least_important_columns_go_first(store: str, columns: int, headings: list[str]) -> None:
    terminal = shown(store, columns)
    first, *games = terminal.text.splitlines()[:3]
    assert [one.strip() for one in first.split("  ") if one.strip()] == headings
    assert all("calling-station, threshold:0.35,0.15" in line for line in games)  # each game on one line
    missing = [name for name in ("rounds", "rules") if name not in headings]
    assert missing == [] or f"This terminal is too narrow to show: {', '.join(missing)}" in terminal.text


def test_a_narrow_terminal_gives_each_game_several_lines(store: str) -> None:
    lines = shown(store, 60).text.splitlines()
    assert lines[1].startswith("  calling-station, threshold:0.35,0.15:")
    assert lines[2].startswith("  heads-up, 1 round")


def test_a_pipe_gets_everything(store: str) -> None:
    first, *games = call("games", "--db", store, COLUMNS="40").stdout.splitlines()[:3]
    assert first.split() == ["game", "(UTC", "time)", "rules", "players", "rounds", "winner"]
    for line, game in zip(games, told("games", "--db", store)["games"], strict=True):
        assert line.split() == [
            *(game["game_id"], "heads-up", "calling-station,", "threshold:0.35,0.15", str(game["rounds"])),
            game["winner"],
        ]


def test_win_rates_show_whole_names(store: str) -> None:
    assert "…" not in shown(store, 50, "stats").text


def test_an_unknown_player_is_guessed(store: str) -> None:
    guessed = call("games", "--db", store, "--agent", "calling-statoin").output
    assert guessed.startswith("No matching games (did you mean calling-station?).")
    assert call("games", "--db", store, "--agent", "zzz").output.startswith("No matching games. ")


@pytest.mark.parametrize(("columns", "players"), [(150, "all"), (76, "optimal, random, +4"), (66, "optimal, +5")])
def test_big_tables_name_fewer_players_before_columns_go(tmp_path: Path, columns: int, players: str) -> None:
    path = str(tmp_path / "games.db")
    bots = ("optimal", "random", "calling-station", "passive", "maniac", "bluffer")
    told("watch", *bots, "--rules", "perudo", "--dice", "1", "--seed", "1", "--db", path)
    heading, game = shown(path, columns).text.splitlines()[:2]
    assert heading.split()[-4:] == ["rules", "players", "rounds", "winner"]
    assert (", ".join(bots) if players == "all" else f"{players} ") in game
    assert told("games", "--db", path)["games"][0]["game_id"] in game
