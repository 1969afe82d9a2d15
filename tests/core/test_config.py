"""Rules as data: what is refused and how, and that rules survive being written to files (rules 1.1, 1.2, 8)."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given

from liars_dice.core import PRESETS, ConfigError, GameConfig, load_rules, preset
from support import configs


def test_defaults_are_the_duel() -> None:
    """Rule 8.1."""
    config = GameConfig()
    assert config == PRESETS["duel"]
    assert (config.dice, config.num_players, config.total_dice, config.faces) == ((2, 3), 2, 5, 6)
    assert (config.mode, config.wild, config.bid_ordering) == ("single_round", "none", "quantity_then_face")


def test_presets() -> None:
    """Rules 8.2 to 8.6."""
    assert set(PRESETS) == {"duel", "classic", "heads-up", "perudo", "perudo-tournament", "openspiel"}
    assert PRESETS["classic"] == GameConfig(dice=(5, 5))
    assert PRESETS["heads-up"] == GameConfig(dice=(5, 5), mode="elimination", next_opener="loser")
    perudo = PRESETS["perudo"]
    assert (perudo.dice, perudo.wild, perudo.bid_ordering) == ((5,) * 6, "ones", "perudo")
    assert (perudo.exact_call, perudo.mode, perudo.palifico) == (True, "elimination", False)
    assert (perudo.max_dice, perudo.exact_payer) == (5, "bidder")
    assert PRESETS["perudo-tournament"] == perudo.replace(palifico=True, open_on_ones=False)
    assert PRESETS["openspiel"] == GameConfig(dice=(1, 1), wild="top")


def test_presets_take_players_dice_and_changes() -> None:
    assert preset("perudo", players=4).dice == (5, 5, 5, 5)
    assert preset("perudo", players=2, dice=3, palifico=True) == PRESETS["perudo"].replace(dice=(3, 3), palifico=True)
    assert preset("duel", dice=(3, 2)).dice == (3, 2)
    assert preset("duel", dice=[3, 2]).dice == (3, 2)
    for players in (1, 16, 10**9, "3"):
        with pytest.raises(ConfigError, match=f"players = {players!r}: expected a whole number from 2 to 15"):
            preset("perudo", players=players)  # type: ignore[arg-type]
    assert preset("duel", players=2).dice == (2, 3)
    assert preset("duel", dice=2).dice == (2, 2)
    with pytest.raises(ConfigError, match="players = 3: expected 2"):
        preset("duel", players=3)
    with pytest.raises(ConfigError, match="players = 3: expected 2, one for each number in dice"):
        preset("duel", players=3, dice=(1, 1))
    with pytest.raises(ConfigError, match=r"rules = 'perdo': expected one of .* \(did you mean perudo\?\)"):
        preset("perdo")


def test_what_follows_from_a_change_to_a_preset_is_changed_with_it() -> None:
    """Rule 8.7: the order of ones belongs to wild ones; the cap of five belongs to exact calls."""
    assert preset("perudo", wild="none").bid_ordering == "quantity_then_face"
    assert preset("perudo-tournament", wild="top").bid_ordering == "quantity_then_face"
    assert preset("perudo", wild="none", bid_ordering="perudo").bid_ordering == "perudo"
    assert preset("perudo", wild="ones").bid_ordering == "perudo"
    for dice, cap in ((2, 5), (5, 5), (7, 7), ((3, 6), 6)):
        assert preset("perudo", players=2, dice=dice).dice_cap == cap
    assert preset("perudo", players=2, dice=2, max_dice=3).dice_cap == 3
    assert preset("perudo", players=2, dice=2, max_dice=None).dice_cap == 2
    assert preset("perudo", exact_call=False).max_dice is None
    assert preset("perudo", mode="best_of", rounds=3).max_dice is None
    with pytest.raises(ConfigError, match="max_dice = 3: expected at least 5"):
        preset("perudo", max_dice=3)


NONSENSE: list[tuple[dict[str, Any], str]] = [
    ({"dice": (5,)}, "dice"),
    ({"table_dice": -1}, "table_dice"),
    ({"table_dice": True}, "table_dice"),
    ({"hidden_dice": 61}, "hidden_dice"),
    ({"exact_payer": "caller", "exact_call": True, "mode": "elimination"}, "exact_payer"),
    ({"exact_payer": "nobody", "exact_call": True}, "exact_payer"),
    ({"exact_payer": "nobody", "mode": "elimination"}, "exact_payer"),
    ({"dice": (1,) * 16}, "dice"),
    ({"dice": (0, 3)}, "dice"),
    ({"dice": (61, 3)}, "dice"),
    ({"dice": (2, 2.5)}, "dice"),
    ({"dice": (True, 2)}, "dice"),
    ({"dice": 5}, "dice"),
    ({"faces": 1}, "faces"),
    ({"faces": 21}, "faces"),
    ({"faces": "6"}, "faces"),
    ({"faces": None}, "faces"),
    ({"wild": "twos"}, "wild"),
    ({"wild": True}, "wild"),
    ({"bid_ordering": "by_face"}, "bid_ordering"),
    ({"wild_bids": "yes"}, "wild_bids"),
    ({"wild_bids": "forbidden"}, "wild_bids"),
    ({"max_quantity": 0}, "max_quantity"),
    ({"max_quantity": "all"}, "max_quantity"),
    ({"exact_call": 1}, "exact_call"),
    ({"mode": "forever"}, "mode"),
    ({"mode": "best_of"}, "rounds"),
    ({"mode": "best_of", "rounds": 4}, "rounds"),
    ({"mode": "best_of", "rounds": 0}, "rounds"),
    ({"rounds": 3}, "rounds"),
    ({"mode": "elimination", "rounds": 3}, "rounds"),
    ({"max_dice": 5}, "max_dice"),
    ({"max_dice": 5, "exact_call": True}, "max_dice"),
    ({"max_dice": 5, "mode": "elimination"}, "max_dice"),
    ({"max_dice": 2, "mode": "elimination", "exact_call": True}, "max_dice"),
    ({"next_opener": "oldest"}, "next_opener"),
    ({"next_opener": "winner"}, "next_opener"),
    ({"opening_min_quantity": 0}, "opening_min_quantity"),
    ({"opening_min_quantity": 6}, "opening_min_quantity"),
    ({"open_on_ones": "no"}, "open_on_ones"),
    ({"faces": 2, "wild": "top", "wild_bids": "forbidden", "open_on_ones": False}, "open_on_ones"),
    ({"palifico": True}, "palifico"),
    ({"palifico": True, "mode": "best_of", "rounds": 3}, "palifico"),
    ({"max_turns": 0}, "max_turns"),
    ({"seed": -1}, "seed"),
    ({"seed": 2**63}, "seed"),
    ({"seed": "x"}, "seed"),
]


@pytest.mark.parametrize(("fields", "named"), NONSENSE, ids=str)
def test_nonsense_is_refused_by_name(fields: dict[str, Any], named: str) -> None:
    """Rule 1.2: field, value and what is allowed."""
    with pytest.raises(ConfigError) as caught:
        GameConfig(**fields)
    error = caught.value
    assert (error.field, error.value) == (named, fields.get(named))
    assert str(error) == f"{named} = {fields.get(named)!r}: expected {error.allowed}"
    assert "\n" not in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_limits_are_accepted() -> None:
    """Rule 1.1: the ends of every range."""
    assert GameConfig(dice=(1,) * 15).num_players == 15
    assert GameConfig(dice=(60, 1), faces=20).total_dice == 61
    assert GameConfig(dice=(1, 1), faces=2, seed=2**63 - 1).faces == 2
    assert GameConfig(max_quantity=900, opening_min_quantity=900).max_quantity == 900


@given(configs())
def test_round_trips(config: GameConfig) -> None:
    assert GameConfig.from_json(config.to_json()) == config
    assert GameConfig.from_toml(config.to_toml()) == config
    assert GameConfig.from_dict(config.to_dict()) == config
    assert msgspec.json.decode(msgspec.json.encode(config), type=GameConfig) == config
    assert pickle.loads(pickle.dumps(config)) == config


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"mine{suffix}"
    config = preset("perudo", players=3, palifico=True, seed=5)
    config.save(path)
    assert GameConfig.load(path) == load_rules(str(path)) == config
    assert load_rules(str(path), players=2, dice=1).dice == (1, 1)


def test_bad_files_give_one_line(tmp_path: Path) -> None:
    missing, odd, broken = tmp_path / "missing.toml", tmp_path / "rules.yaml", tmp_path / "broken.toml"
    broken.write_text("dice = [")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "typo.toml").write_text("exact_cal = true")
    (tmp_path / "digits.toml").write_text(f"faces = {'9' * 5000}")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "deep.toml").write_text("x = " + "[" * 100_000)
    (tmp_path / "value.json").write_text('{"faces": 1}')
    for name, expected in {
        missing.name: "readable text file",
        odd.name: "ends in .toml or .json",
        broken.name: "a TOML table of rules",
        "list.json": "a JSON object of rules",
        "bytes.toml": "readable text file",
        "typo.toml": "did you mean exact_call?",
        "digits.toml": "a TOML table of rules",
        "deep.json": "a JSON object of rules",
        "deep.toml": "a TOML table of rules",
        "value.json": "faces = 1: expected a whole number from 2 to 20",
    }.items():
        with pytest.raises(ConfigError) as caught:
            GameConfig.load(tmp_path / name)
        assert expected in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match="ends in"):
        GameConfig().save(odd)


def test_lists_from_files_become_tuples_and_values_are_frozen() -> None:
    config = GameConfig.from_toml("dice = [1, 2]")
    assert config.dice == (1, 2)
    assert hash(config) == hash(GameConfig(dice=(1, 2)))
    with pytest.raises(AttributeError):
        config.faces = 3  # type: ignore[misc]


def test_without_seed() -> None:
    """Rule 9.3."""
    assert GameConfig(seed=4).without_seed == GameConfig()
    config = GameConfig()
    assert config.without_seed is config


@pytest.mark.parametrize("next_opener", ["loser", "winner", "alternate"])
@pytest.mark.parametrize("exact_payer", ["bidder", "nobody"])
@pytest.mark.parametrize("changes", [{}, {"mode": "best_of", "rounds": 3, "palifico": False, "max_dice": None}])
def test_one_round_of_any_game(changes: dict[str, Any], exact_payer: Any, next_opener: Any) -> None:
    game = preset("perudo-tournament", players=3, exact_call=True, next_opener=next_opener, **changes)
    if game.mode == "elimination":
        game = game.replace(exact_payer=exact_payer)
    round_ = game.one_round
    assert round_.mode == "single_round"
    assert (round_.dice, round_.wild, round_.bid_ordering) == (game.dice, game.wild, game.bid_ordering)
    assert round_.one_round is round_
