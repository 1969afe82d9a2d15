"""The table of decisions: every row says who decided what, knowing what, and how it ended."""

from __future__ import annotations

import csv
import json
from itertools import groupby
from pathlib import Path

import pytest

from command_line import call, told
from liars_dice.core import MOVES, DiceRolled, GameEnded, GameState, RoundEnded, deal, legal_actions, new_game, preset
from liars_dice.persistence import DECISION_COLUMNS, decision_rows, write_table
from liars_dice.persistence.conformance import sample_game
from liars_dice.persistence.decision_table import legal_text


def test_every_decision_is_a_row_with_what_was_known_and_what_came_of_it() -> None:
    events = sample_game("g", "perudo", 3)
    rows = [dict(zip(DECISION_COLUMNS, row, strict=True)) for row in decision_rows(events)]
    moves = [event for event in events if isinstance(event.payload, MOVES)]
    rolled = {
        (event.round_index, event.payload.player_id): " ".join(map(str, event.payload.dice))
        for event in events
        if isinstance(event.payload, DiceRolled)
    }
    ended = {event.round_index: event.payload for event in events if isinstance(event.payload, RoundEnded)}
    (winner,) = (event.payload.winner for event in events if isinstance(event.payload, GameEnded))
    assert len(rows) == len(moves) > 10
    for row, move in zip(rows, moves, strict=True):
        assert isinstance(move.payload, MOVES)
        seat = move.payload.player_id
        assert (row["game_id"], row["rules"], row["player_id"]) == ("g", "perudo", seat)
        assert (row["round_index"], row["turn_index"]) == (move.round_index, move.turn_index)
        assert row["player_name"] == json.loads(str(row["players"]))[seat]
        assert row["hand"] == rolled[move.round_index, seat]
        assert len(str(row["bids"]).split()) == len(str(row["bidders"]).split()) == move.turn_index
        end = ended[move.round_index]
        assert (row["round_won"], row["round_lost"]) == (seat == end.winner, seat == end.loser)
        assert (row["match_count"], row["game_won"]) == (end.match_count, seat == winner)
        assert row["loss"] is None
    for _, of_round in groupby(rows, lambda row: row["round_index"]):
        *bids, last = of_round
        assert last["action"] in ("liar", "exact")
        assert last["bids"] == " ".join(str(row["action"]) for row in bids)


def test_rounds_that_go_on_are_left_out() -> None:
    """The dice of a round that has not been revealed are secret."""
    events = sample_game("g", "heads-up")
    ends = [event.version for event in events if isinstance(event.payload, RoundEnded)]
    whole, part = list(decision_rows(events)), list(decision_rows(events[: ends[2]]))
    assert {row[3] for row in part} == {0, 1}
    assert all(row[:-2] == other[:-2] for row, other in zip(part, whole, strict=False))
    assert part[0][list(DECISION_COLUMNS).index("game_won")] is None


def test_losses_are_those_of_the_decisions_in_their_order() -> None:
    events = sample_game("g", "heads-up")
    number = len(list(decision_rows(events)))
    losses = [row[-1] for row in decision_rows(events, {turn: turn / 100 for turn in range(1, number + 1)})]
    assert losses == [turn / 100 for turn in range(1, number + 1)]


def test_legal_actions_in_few_words() -> None:
    state: GameState = deal(new_game(preset("perudo", players=2, dice=2)), ((1, 2), (3, 4)))
    legal = legal_actions(state.public)
    assert legal_text(state.public, legal) == f"{legal[0]}..{legal[-1]}"
    assert legal_text(state.public, (legal[0], legal[2], legal[3], legal[4])) == f"{legal[0]} {legal[2]}..{legal[4]}"


def test_a_table_reads_the_same_from_both_formats(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (it has no package here)")
    rows = list(decision_rows(sample_game("g", "perudo", 3)))
    for ending in ("csv", "parquet"):
        write_table("out", tmp_path / f"d.{ending}", DECISION_COLUMNS, rows)
    table = parquet.read_table(tmp_path / "d.parquet")
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    with (tmp_path / "d.csv").open(newline="") as file:
        assert [tuple(row) for row in csv.reader(file)] == [
            tuple(DECISION_COLUMNS),
            *(tuple("" if cell is None else str(cell) for cell in row) for row in rows),
        ]


def test_export_takes_the_filters_of_games(tmp_path: Path) -> None:
    told("watch", "maniac", "random", "--dice", "1", "--rules", "classic", "--seed", "1")
    told("watch", "truthful", "random", "--dice", "2", "--rules", "heads-up", "--seed", "2")
    out = tmp_path / "d.csv"
    one = told("export", "--decisions", "--player", "maniac", "--out", str(out))
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert (one["games"], one["decisions"]) == (1, len(rows))
    assert {row["player_name"] for row in rows} <= {"maniac", "random"}
    assert told("export", "--decisions", "--rules", "heads-up", "--out", str(out))["games"] == 1
    assert told("export", "--since", "2999-01-01", "--out", str(out))["games"] == 0
    assert told("export", "--decisions", "--loss", "--player", "maniac", "--out", str(out))["decisions"] == len(rows)
    assert all(float(row["loss"]) >= 0 for row in csv.DictReader(out.read_text().splitlines()))
    lines = call("export", "--decisions", "last").stdout.splitlines()
    assert lines
    assert all(list(json.loads(line)) == list(DECISION_COLUMNS) for line in lines)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["last", "--player", "maniac"], "Name games, or choose them with --player"),
        (["--loss"], "--loss needs --decisions"),
        (["--decisions", "--out", "d.xlsx"], "Unknown file extension .xlsx"),
    ],
)
def test_mistakes(words: list[str], complaint: str) -> None:
    result = call("export", *words)
    assert result.exit_code == 2
    assert complaint in result.stderr
