"""Names of the rules in earlier designs: wherever they are tried, the error says what to write today."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from liars_dice.core import OLD_NAMES, PRESETS, ConfigError, GameConfig, GameEngine, load_rules, preset

RENAMED = sorted(set(OLD_NAMES) - set(GameConfig.__struct_fields__))


@pytest.mark.parametrize("name", RENAMED)
def test_an_old_name_gets_a_hint_everywhere(name: str, tmp_path: Path) -> None:
    old: dict[str, Any] = {name: 1}
    toml, json = tmp_path / "old.toml", tmp_path / "old.json"
    toml.write_text(f"{name} = 1\n")
    json.write_text(f'{{"{name}": 1}}')
    attempts: tuple[Callable[[], GameConfig], ...] = (
        lambda: GameConfig(**old),
        lambda: GameConfig.from_dict(old),
        lambda: GameConfig().replace(**old),
        lambda: preset("perudo", **old),
        lambda: load_rules(str(toml)),
        lambda: load_rules(str(json)),
        lambda: GameEngine(**old).state.config,
    )
    for attempt in attempts:
        with pytest.raises(ConfigError) as caught:
            attempt()
        assert str(caught.value) == (
            f"field = {name!r}: expected {OLD_NAMES[name].in_python} (an earlier design's {name})"
        )


def test_hints_name_what_exists() -> None:
    """What a hint calls a rule is one, with a value that is allowed."""
    assert GameConfig.from_toml('wild = "ones"\ndice = [2, 3]\nexact_call = true\nseed = 7').wild == "ones"
    for name in RENAMED:
        today = OLD_NAMES[name]
        assert (today.in_python.split()[0].strip(",") in GameConfig.__struct_fields__) == today.is_rule
    assert preset("heads-up", players=2) == preset("heads-up", dice=5) == PRESETS["heads-up"]


def test_rules_given_to_an_engine_are_sent_to_its_config() -> None:
    with pytest.raises(ConfigError, match=r"field = 'wild': expected it in the rules: GameEngine\(preset\(NAME, wild="):
        GameEngine(wild="ones")  # type: ignore[arg-type]


def test_other_unknown_names_are_told_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"field = 'face': expected one of dice, .* \(did you mean faces\?\)"):
        GameConfig(face=6)  # type: ignore[call-arg]


def test_the_old_limit_of_turns_is_a_value_of_today() -> None:
    assert GameConfig(max_turns=64).max_turns == 64
    assert GameConfig().max_turns is None
