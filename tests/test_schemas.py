"""The JSON schemas of the documentation hold for what the product writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from command_line import call
from liars_dice.core import Action, GameEngine, GameView, preset
from liars_dice.persistence import open_store
from site_hooks import DIALECT, schema_text, schemas


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schema_text(name))
    return found


def check(name: str, values: list[Any]) -> None:
    """Check values against a schema, which refuses an empty one."""
    validator = Draft202012Validator(schema(name))
    assert values
    for value in values:
        validator.validate(value)
    assert not validator.is_valid({})


@pytest.mark.parametrize("name", schemas())
def test_a_schema_says_what_it_is(name: str) -> None:
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$schema"] == DIALECT
    assert found["title"]
    assert found["description"]


class Watcher:
    """A player that keeps what it saw and did."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.views: list[GameView] = []
        self.actions: list[Action] = []

    def choose_action(self, view: GameView) -> Action:
        self.views.append(view)
        self.actions.append(view.legal_actions[len(self.views) % len(view.legal_actions)])
        return self.actions[-1]


def plain(value: object) -> Any:
    """The JSON of a value."""
    return json.loads(msgspec.json.encode(value))


@pytest.mark.parametrize("rules", ["perudo-tournament", "duel", "classic"])
def test_views_actions_events_and_rules(rules: str) -> None:
    watchers = [Watcher("ann"), Watcher("bob")]
    engine = GameEngine(preset(rules, players=2), watchers, seed=1)
    events: list[object] = []
    engine.subscribe(events.append)
    engine.play()
    check("view", [plain(view) for watcher in watchers for view in watcher.views])
    check("action", [plain(action) for watcher in watchers for action in watcher.actions])
    check("event", [plain(event) for event in events])
    Draft202012Validator(schema("rules")).validate(plain(engine.state.public.config))


def test_recorded_games_and_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = "tournament optimal detective bluffer --rules perudo --players 3 --tables 2 --seed 1 --record all"
    done = call(*words.split(), "--report", "report", "--db", "games.jsonl")
    assert done.exit_code == 0, done.output
    report = json.loads(Path("report/result.json").read_text(encoding="utf-8"))
    check("tournament-result", [report["result"]])
    lines = [json.loads(line) for line in Path("games.jsonl").read_text(encoding="utf-8").splitlines()]
    check("recorded-event", lines)
    check("event", [line["payload"] | {"event_type": line["event_type"]} for line in lines])
    with open_store("games.jsonl") as store:
        assert len(list(store.games())) == 6
