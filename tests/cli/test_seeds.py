"""What the command line says about seeds: when it shows them, when it warns, and what it proves from them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from command_line import call, told
from liars_dice.cli.tournament_command import result_as_json, show_result
from liars_dice.core import BidAction, DiceRolled, GameEngine
from liars_dice.persistence import RecordedEvent, open_store, record_game
from liars_dice.tournament import Simulation, round_robin

GAME = ("maniac", "passive", "--dice", "1")


def test_a_drawn_seed_is_shown_only_after_the_last_game() -> None:
    lines = call("watch", *GAME, "--games", "3").output.splitlines()
    end = next(number for number, line in enumerate(lines) if "What next?" in line)
    assert all("seed" not in line for line in lines[:end])
    assert any("--seed" in line for line in lines[end:]), "then it can be played again"
    assert "seed 7" in call("watch", *GAME, "--seed", "7").output.splitlines()[0], "a typed one is no secret"


def test_a_simulation_shows_a_drawn_seed_after_its_games(capsys: pytest.CaptureFixture[str]) -> None:
    simulation = Simulation(2, 1, 4, agents=["maniac", "passive"])
    simulation.start(verbose=True)
    first, *rest = [
        line for line in capsys.readouterr().out.splitlines() if str(simulation.seed) in line or "rules" in line
    ]
    assert str(simulation.seed) not in first
    assert rest == [f"Seed: {simulation.seed}"]


def test_an_interrupted_tournament_does_not_show_the_seed_of_the_games_to_come(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = round_robin(["maniac", "passive"], "heads-up", games=2, seed=123456789)
    for result, shown in ((whole, True), (msgspec.structs.replace(whole, complete=False), False)):
        show_result(result, 1.0, None)
        assert ("123456789" in capsys.readouterr().out) == shown
        assert (result_as_json(result)["seed"] == 123456789) == shown


WARNED = ("--seed", "1")


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        (("watch", *GAME, "--isolate", *WARNED), True),
        (("play", "maniac", "--dice", "1", "--isolate", *WARNED), True),
        (("tournament", "maniac", "passive", "--isolate", "--games", "2", *WARNED), True),
        (("watch", *GAME, *WARNED), False),
        (("watch", *GAME, "--isolate"), False),
        (("watch", *GAME, "--isolate", "--seed", str(2**62)), False),
    ],
)
def test_strangers_with_a_seed_that_can_be_found_by_trying(words: tuple[str, ...], warned: bool) -> None:
    said = call(*words).stderr
    assert ("Warning: a bot can find the seed 1 by trying" in said) == warned


def test_a_folder_of_bots_a_bot_found_by_name_and_a_program_are_strangers_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agents").mkdir()
    Path("agents/quiet.py").write_text(
        "from liars_dice import Agent, CallLiarAction\n\n\nclass Quiet(Agent):\n"
        "    def choose_action(self, view):\n        return view.legal_actions[0]\n"
    )
    for bots in (("--field", "agents"), ("Quiet",)):
        said = call("tournament", "maniac", *bots, "--dice", "1", "--games", "2", *WARNED).stderr
        assert "can find the seed 1" in said
    assert "can find the seed 1" in call("watch", "maniac", "cmd:false", "--dice", "1", *WARNED).stderr


def test_verify_says_what_it_proves_about_the_dice() -> None:
    told("watch", *GAME, "--seed", "1")
    said = told("replay", "last", "--verify")
    assert said["verified"] is True
    assert said["proved"] == {"rules": True, "dice": "all", "rolled_again": 2, "without_seed": 0, "seeds": 1}
    printed = call("replay", "last", "--verify").output
    assert "events follow from the rules." in printed
    assert "The dice of all 2 rolls are those that the recorded seed gives." in printed
    assert told("replay", "last")["proved"] is None


def recorded(store_file: Path, hands: list[tuple[int, ...]] | None) -> list[RecordedEvent]:
    """A game of one round in a store, rolled or with given dice."""
    with open_store(store_file) as store:
        engine = GameEngine("duel", names=["ann", "bob"], seed=5)
        record_game(engine, store, game_id="g", live=True)
        engine.start_new_round(hands)
        engine.move("1x2")
        engine.move("liar")
        return store.events("g")


def test_verify_says_when_the_dice_are_only_taken_as_recorded(tmp_path: Path) -> None:
    recorded(tmp_path / "s.sqlite", [(1, 2), (3, 4, 5)])
    where = ("g", "--verify", "--db", str(tmp_path / "s.sqlite"))
    assert told("replay", *where)["proved"]["dice"] == "none"
    assert "The dice are taken as recorded: the record has no seed" in call("replay", *where).output


def test_verify_finds_dice_that_the_seed_does_not_give(tmp_path: Path) -> None:
    """Roll and reveal are changed alike, so that the rules alone find nothing."""
    events = recorded(tmp_path / "honest.sqlite", None)
    false = recorded(tmp_path / "false.sqlite", [(1, 1), (1, 1, 1)])
    with open_store(tmp_path / "cheat.jsonl") as store:
        for honest, event in zip(events, false, strict=True):
            payload = event.payload
            if isinstance(payload, DiceRolled) and isinstance(honest.payload, DiceRolled):
                payload = msgspec.structs.replace(payload, seed_info=honest.payload.seed_info)
            store.record(msgspec.structs.replace(event, payload=payload))
        store.flush()
    cheat = ("g", "--db", str(tmp_path / "cheat.jsonl"))
    assert call("replay", *cheat).exit_code == 0
    result = call("replay", *cheat, "--verify")
    assert result.exit_code == 1
    assert "which the seed gives, found (1, 1)" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_person_cannot_read_the_seed_of_an_unfinished_game_between_rounds(tmp_path: Path) -> None:
    store_file = tmp_path / "s.sqlite"
    with open_store(store_file) as store:
        engine = GameEngine("heads-up", names=["ann", "bob"], seed=987654321)
        record_game(engine, store, game_id="g", live=True)
        engine.start_new_round()
        engine.apply_action(0, BidAction(engine.legal_actions[0].bid))  # type: ignore[union-attr]
        engine.move("liar")
        created = store.events("g")[0]
        people = msgspec.structs.replace(created.payload, agent_ids=("human", "maniac"))
        events = [msgspec.structs.replace(created, payload=people), *store.events("g")[1:]]
    with open_store(tmp_path / "people.sqlite") as store:
        for event in events:
            store.record(event)
        store.flush()
    said = call("replay", "g", "--json", "--db", str(tmp_path / "people.sqlite")).stdout
    assert json.loads(said)["winner"] is None
    assert "987654321" not in said
