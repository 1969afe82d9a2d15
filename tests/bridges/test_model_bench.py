"""The benchmark for language models: its frozen positions, their values, and what answers are worth."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chat_server import chat_server, sceptic

from command_line import call, told
from liars_dice.bridges.model_bench import Bench
from liars_dice.bridges.position_answers import Answer, score_answers, score_beliefs
from liars_dice.bridges.positions import Position, load_positions
from liars_dice.bridges.prompts import whole_prompt
from liars_dice.bridges.reference_games import POOL
from liars_dice.core import BadValueError
from liars_dice.exact.solver import explain, solved_round


def some_of(group: str, every: int) -> list[Position]:
    return [position for position in load_positions() if position.group == group][::every]


# -- the positions -----------------------------------------------------------------------------------------------------


def test_there_are_a_few_hundred_positions_and_all_are_sound() -> None:
    positions = load_positions()
    assert Counter(position.group for position in positions) == {"no-wilds": 160, "perudo": 160, "multi-player": 100}
    assert len({position.id for position in positions}) == len(positions)
    for position in positions:
        view = position.view()
        assert tuple(map(str, view.legal_actions)) == position.legal
        assert len(position.values) == len(position.legal)
        assert all(0 <= value <= 1 for value in position.values)
        assert (position.holds is None) == (not position.bids)
        assert (position.tolerance == 0) == position.exact


def test_prompts_are_those_that_players_get() -> None:
    """If the words of the rules or of the narration change, these positions need a new version."""
    for position in load_positions():
        assert whole_prompt(position.view()) == position.prompt


@pytest.mark.parametrize("group", ["no-wilds", "perudo"])
def test_values_are_those_of_the_solved_rounds(group: str) -> None:
    for position in some_of(group, 20):
        view = position.view()
        found = solved_round(view.public)
        assert found is not None
        _, solved = found
        explained = explain(solved.tree, solved.pool, view.public.bid_history, position.hand)
        values = {str(choice.action): (1 + choice.value) / 2 for choice in explained.choices}
        # the positions stay as they are; a table that is made again differs by what it is certified to
        within = max(1e-5, solved.exploitability)
        assert [values[move] for move in position.legal] == pytest.approx(list(position.values), abs=within)


def test_positions_can_be_used_without_this_package(tmp_path: Path) -> None:
    path = tmp_path / "positions.jsonl"
    assert told("positions", "--out", str(path))["positions"] == 420
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert {"id", "rules", "prompt", "legal", "values"} <= lines[0].keys()
    assert call("positions", "--group", "perudo").stdout.count("\n") == 160
    refused = call("positions", "--out", str(tmp_path / "p.parquet"))
    assert "expected a file whose name ends in .jsonl" in refused.stderr
    missing = call("positions", "--out", str(path / "below.jsonl"))
    assert missing.exit_code == 1
    assert missing.stderr.count("\n") == 1


# -- scores ------------------------------------------------------------------------------------------------------------


def made(name: str, values: tuple[float, ...], holds: float, tolerance: float = 0.0) -> Position:
    legal = ("2x2", "liar")
    return Position(name, "no-wilds", {"dice": [1, 1]}, 0, (1,), ("1x1",), "?", legal, values, holds, tolerance)


def test_loss_best_and_illegal_answers() -> None:
    positions = [made("a", (0.2, 0.7), 0.3), made("b", (0.6, 0.6), 0.4), made("c", (0.1, 0.9), 0.1, 1.0)]
    answers = {
        "a": Answer("a", {"2x2": 0.5, "liar": 0.5}, corrected=True, illegal=True),
        "b": Answer("b", {"2x2": 1.0}),
        "c": Answer("c", {"2x2": 1.0}),
    }
    score = score_answers(positions, answers)
    assert score is not None
    assert score.loss == pytest.approx(0.7 / 3)
    assert score.best == pytest.approx(2 / 3)
    assert score.illegal == score.corrected == pytest.approx(1 / 3)
    assert score_answers(positions, {}) is None


def test_intervals_of_few_positions_are_students() -> None:
    """12.706 is the quantile of t with one degree of freedom."""
    positions = [made("a", (0.30, 0.32), 0.3), made("b", (0.30, 0.34), 0.3)]
    answers = {name: Answer(name, {"2x2": 1.0}) for name in "ab"}
    one, two = score_answers(positions[:1], answers), score_answers(positions, answers)
    assert one is not None
    assert two is not None
    assert one.ci95 is None
    assert two.ci95 is not None
    assert list(two.ci95) == pytest.approx([0, 0.03 + 12.706 * 0.01], abs=1e-5)


def test_beliefs_are_compared_with_the_chance_that_the_bid_is_true() -> None:
    positions = [made("a", (0.2, 0.7), 0.3), made("b", (0.2, 0.7), 0.4), made("c", (0.2, 0.7), 0.4)]
    answers = {
        "a": Answer("a", {"liar": 1.0}, 0.1),
        "b": Answer("b", {"liar": 1.0}, 1.0),
        "c": Answer("c", {"liar": 1.0}),
    }
    belief = score_beliefs(positions, answers)
    assert belief is not None
    assert belief.answers == 2
    assert belief.error == pytest.approx(((0.2**2 + 0.6**2) / 2) ** 0.5)
    assert belief.bias == pytest.approx(0.2)
    assert [(one.answers, one.stated, one.true) for one in belief.bins] == [(1, 0.1, 0.3), (1, 1.0, 0.4)]
    assert score_beliefs(positions, {}) is None


def test_perfect_play_loses_nothing_and_random_play_much() -> None:
    found = {}
    for player in ("nash", "random"):
        bench = Bench(player, per_group=40, games=0)
        bench.run()
        found[player] = bench.result()
    perfect, lost = found["nash"].exact, found["random"].exact
    assert perfect is not None
    assert lost is not None
    assert perfect.loss < 0.001
    assert perfect.best > 0.99
    assert lost.loss > 0.2


# -- the command -------------------------------------------------------------------------------------------------------


def test_a_bot_gets_one_line_of_json_the_same_every_time() -> None:
    words = ("bench-llm", "conservative", "--positions", "5", "--games", "2")
    first, second = told(*words), told(*words)
    first.pop("run")
    second.pop("run")
    assert first == second
    assert (first["player"], first["positions"], first["illegal"]) == ("conservative", 10, 0)
    assert [first[f"{name}_version"] for name in ("positions", "pool", "scoring")] == [1, 1, 2]
    assert [game["opponent"] for game in first["games"]] == [one.name for one in POOL]
    assert all(game["games"] == 2 and game["ci95"][0] <= game["win_rate"] <= game["ci95"][1] for game in first["games"])


def test_a_model_is_asked_the_published_prompts_and_a_stopped_run_continues(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    with chat_server(sceptic) as server:
        words = ("bench-llm", "llm:m", "--positions", "3", "--games", "0", "--base-url", server.url)
        stopped = call(*words, "--out", str(out), "--max-calls", "4", "--concurrency", "2")
        assert stopped.exit_code == 130
        assert "the budget of 4 calls" in stopped.stderr
        assert "run the same command again" in stopped.stderr
        out.write_text(out.read_text() + '{"position": "half a li')  # as if it had been killed
        found = told(*words, "--out", str(out))
    assert len(server.requests) == 9
    prompts = Counter(request["messages"][0]["content"] for request in server.requests)
    kept = [position for group in ("no-wilds", "perudo", "multi-player") for position in some_of(group, 1)[:3]]
    assert prompts == Counter(position.prompt for position in kept)
    assert found["positions"] == 6
    assert found["groups"]["multi-player"]["positions"] == 3
    assert found["belief"]["answers"] == sum(bool(one.bids) and one.exact for one in kept)
    other = call("bench-llm", "random", "--games", "0", "--out", str(out))
    assert other.exit_code == 1
    assert "llm:m" in other.stderr


def test_answers_that_cannot_be_played_lose_everything() -> None:
    def silent(_: dict[str, Any]) -> str:
        return "I pass."

    with chat_server(silent) as server:
        found = told("bench-llm", "llm:m", "--positions", "2", "--games", "0", "--base-url", server.url)
    assert (found["illegal"], found["corrected"], found["best"]) == (1, 1, 0)
    asked = [max(one.values) for group in ("no-wilds", "perudo") for one in some_of(group, 1)[:2]]
    assert found["loss"] == pytest.approx(sum(asked) / 4)
    assert found["run"]["llm"]["llm:m"]["given_up"] == 6
    assert call("bench-llm", "random", "--games", "3").exit_code == 1


THREE_BOTS = """
from liars_dice.agents import ProbabilisticAgent

class Sound(ProbabilisticAgent):
    pass

class FailsInAHook(ProbabilisticAgent):
    def on_game_start(self, config, player_id):
        raise ValueError("start")

class FailsToMove(ProbabilisticAgent):
    def choose_action(self, view):
        raise ValueError("move")
"""


def test_a_bot_that_fails_in_a_hook_is_scored_by_its_own_moves(tmp_path: Path) -> None:
    bots = tmp_path / "bots.py"
    bots.write_text(THREE_BOTS)
    sound, hook, move = (
        told("bench-llm", f"{bots}:{name}", "--positions", "3", "--games", "0")
        for name in ("Sound", "FailsInAHook", "FailsToMove")
    )
    assert hook["illegal"] == 0
    assert (hook["loss"], hook["best"]) == (sound["loss"], sound["best"])
    assert (move["illegal"], move["best"]) == (1, 0)


def test_games_are_even_in_number() -> None:
    with pytest.raises(BadValueError, match="even"):
        Bench("random", games=3)


def test_the_answers_of_another_player_are_kept(tmp_path: Path) -> None:
    out = str(tmp_path / "answers.jsonl")
    asked = ("--positions", "1", "--games", "0", "--out", out)
    assert call("bench-llm", "nash", *asked).exit_code == 0
    refused = call("bench-llm", "random", *asked)
    assert refused.exit_code == 1
    assert refused.stderr.endswith("it has answers of nash to positions 1 and reference players 1\n")
