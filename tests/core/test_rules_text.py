"""Rules as text: a name or a file with changes, and files that change a named rule set (rules 8.8, 8.9)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from liars_dice.core import PRESETS, ConfigError, GameConfig, load_rules, preset, rules_text, without_effect
from support import configs


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("perudo,palifico", preset("perudo", palifico=True)),
        ("perudo, palifico = true, open-on-ones=false", preset("perudo-tournament")),
        ("perudo,wild=none", preset("perudo", wild="none")),
        ("perudo,exact_call=false", preset("perudo", exact_call=False)),
        ("perudo,players=3,dice=6", preset("perudo", players=3, dice=6)),
        ("duel,dice=3,2,faces=4", preset("duel", dice=(3, 2), faces=4)),
        ("heads-up,max_turns=none", preset("heads-up")),
    ],
)
def test_changes_behind_a_name(text: str, rules: GameConfig) -> None:
    assert load_rules(text) == rules


def test_players_and_dice_may_be_said_twice_but_not_differently() -> None:
    rules = preset("perudo", players=3, dice=2)
    assert load_rules("perudo,players=3,dice=2", players=3, dice=2) == rules
    assert load_rules("perudo,players=3", dice=2) == load_rules("perudo,dice=2", players=3) == rules
    with pytest.raises(ConfigError, match="players = 3: expected 2, which was given beside the rules"):
        load_rules("perudo,players=3", players=2)
    with pytest.raises(ConfigError, match="dice = 4: expected 2, which was given beside the rules"):
        load_rules("perudo,dice=4", dice=2)


def test_changes_behind_a_file(tmp_path: Path) -> None:
    file = tmp_path / "our, rules.toml"
    file.write_text('dice = [4, 4, 4]\nmode = "elimination"\n')
    assert load_rules(f"{file},palifico,wild=ones") == load_rules(str(file), palifico=True, wild="ones")
    assert load_rules(f"{file},palifico", players=4).dice == (4, 4, 4, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("perudo,palifco", r"field = 'palifco': expected one of .* \(did you mean palifico\?\)"),
        ("perudo,wild", r"rules = 'wild': expected a value: wild=VALUE"),
        ("perudo,palifico=yes", r"palifico = 'yes': expected True or False"),
        ("perudo,faces=many", r"faces = 'many': expected a whole number from 2 to 20"),
        ("perdo,palifico", r"rules = 'perdo': expected one of .* \(did you mean perudo\?\)"),
        ("duel,palifico", r"palifico = True: expected mode = 'elimination' as well, not 'single_round'"),
    ],
)
def test_mistakes_in_changes(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_rules(text)


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_a_file_may_change_a_named_rule_set(ending: str, tmp_path: Path) -> None:
    """It says what `preset` would be told; what follows from a change is changed with it (rule 8.7)."""
    file = tmp_path / f"house.{ending}"
    said = {
        "toml": 'base = "perudo"\nplayers = 4\ndice = 6\nwild = "none"\n',
        "json": '{"base": "perudo", "players": 4, "dice": 6, "wild": "none"}',
    }
    file.write_text(said[ending])
    assert GameConfig.load(file) == load_rules(str(file)) == preset("perudo", players=4, dice=6, wild="none")
    assert load_rules(str(file), players=2) == preset("perudo", players=2, dice=6, wild="none")
    assert load_rules(f"{file},exact_call=false").max_dice is None


@given(configs())
def test_any_rules_can_be_said_in_a_text(config: GameConfig) -> None:
    assert load_rules(rules_text(config), dice=config.dice) == config.without_seed


@pytest.mark.parametrize("text", [*PRESETS, "classic,wild=ones", "perudo,faces=8"])
def test_the_text_of_rules_is_the_shortest(text: str) -> None:
    assert rules_text(load_rules(text)) == text


@pytest.mark.parametrize("base", ['"perdo"', "3", '"house.toml"'])
def test_only_named_rule_sets_are_bases(base: str) -> None:
    with pytest.raises(ConfigError, match=r"base = .*: expected one of duel, classic"):
        GameConfig.from_toml(f"base = {base}")


def test_palifico_with_two_players_gets_a_sentence() -> None:
    """Rule 7.1: it never happens, but these rules can be played."""
    assert without_effect(preset("perudo-tournament")) is None
    assert without_effect(PRESETS["heads-up"]) is None
    assert without_effect(preset("perudo-tournament", players=2)) == (
        "palifico changes nothing with two players: a palifico round needs at least three (rule 7.1)"
    )
