"""The shipped conformance check passes on all presets, and fails when something is wrong."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from liars_dice.core import (
    PRESETS,
    Action,
    GameConfig,
    GameState,
    PublicState,
    apply,
    conformance,
    legal_actions,
    preset,
)
from liars_dice.core.conformance import ConformanceError, check_rules


@pytest.mark.parametrize("name", PRESETS)
def test_presets_conform(name: str) -> None:
    check_rules(PRESETS[name], games=10)


def test_palifico_and_fifteen_players_conform() -> None:
    check_rules(preset("perudo", players=15, dice=2, palifico=True, open_on_ones=False), games=2)


def test_a_broken_rule_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(public: PublicState) -> tuple[Action, ...]:
        return legal_actions(public)[:-1] or legal_actions(public)

    monkeypatch.setattr(conformance, "legal_actions", forgetful)
    with pytest.raises(ConformanceError, match="only legal moves can be applied"):
        check_rules(GameConfig())


def test_a_broken_settlement_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def generous(state: GameState, action: Action) -> GameState:
        after = apply(state, action)
        if after.public.status == "BIDDING":
            return after
        return replace(after, public=replace(after.public, dice_counts=state.public.dice_counts))

    monkeypatch.setattr(conformance, "apply", generous)
    with pytest.raises(ConformanceError, match="the loser loses a die"):
        check_rules(preset("heads-up"))
