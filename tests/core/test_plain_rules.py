"""Rules told in plain sentences."""

from __future__ import annotations

import pytest

from liars_dice.core import PALIFICO, PRESETS, GameConfig, preset, rules_in_words
from support import CHANGED_RULES


@pytest.mark.parametrize("config", PRESETS.values(), ids=PRESETS)
def test_what_a_game_has_is_told_and_nothing_else(config: GameConfig) -> None:
    told = " ".join(rules_in_words(config))
    for words, applies in {
        "are wild": config.wild != "none",
        "say exact": config.exact_call,
        "palifico": config.palifico,
        "may not be on ones": not config.open_on_ones,
        "Ones count double": config.bid_ordering == "perudo",
        "loses a die": config.mode == "elimination",
        "opens the next one": config.mode != "single_round",
        "The game is one round": config.mode == "single_round",
    }.items():
        assert (words in told) == applies, words


def test_unusual_rules_are_told() -> None:
    config = GameConfig(
        dice=(2, 3, 1),
        faces=8,
        wild="top",
        wild_bids="forbidden",
        table_dice=1,
        hidden_dice=2,
        mode="best_of",
        rounds=5,
        next_opener="alternate",
        max_turns=4,
        max_quantity=9,
        opening_min_quantity=2,
    )
    told = rules_in_words(config)
    assert told[0] == (
        "The 3 players start with 2, 3 and 1 die. The dice have 8 faces. On the table lies 1 die, open for all. "
        "On the table lie 2 dice, covered for all. Everyone rolls and hides their dice from the others."
    )
    for line in (
        "Eights are wild: they count as every face; eights may not be bid.",
        "The first bid of a round has at least 2 dice.",
        "No bid may say more than 9 dice.",
        "After 4 bids in a round, only calls are allowed.",
        "The first to win 3 rounds wins the game.",
        "The players take turns to open a round.",
    ):
        assert line in told


def test_every_field_is_told() -> None:
    assert set(CHANGED_RULES) == set(GameConfig.__struct_fields__) - {"seed"}
    for field, (usual, changed) in CHANGED_RULES.items():
        assert rules_in_words(usual) != rules_in_words(changed), f"nobody tells players about {field}"


def test_palifico_needs_three_players() -> None:
    """Between two players it never happens, so it is not told."""
    assert PALIFICO in rules_in_words(preset("perudo-tournament", players=3))[-1]
    assert PALIFICO not in rules_in_words(preset("perudo-tournament", players=2))[-1]
