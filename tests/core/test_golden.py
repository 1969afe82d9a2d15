"""A whole game of every preset, compared line by line with a stored playthrough.

`UPDATE_DATA=1 pytest tests/core/test_golden.py` rewrites the files: read the difference before you commit it.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import msgspec
import pytest

from liars_dice.core import (
    PRESETS,
    Event,
    GameConfig,
    GameEngine,
    Narrator,
    chance_true,
    format_game,
    parse_game,
    preset,
)

DATA = Path(__file__).parent.parent / "data" / "playthroughs"

GAMES: dict[str, GameConfig] = {**PRESETS, "perudo-palifico": preset("perudo", players=4, dice=3, palifico=True)}


def playthrough(config: GameConfig, seed: int) -> list[str]:
    """Everything that happens in one random game: events as data and as sentences, and what each player could do."""
    engine = GameEngine(config, seed=seed)
    rng = random.Random(seed)
    say = Narrator(engine.state.public.names)
    lines: list[str] = ["rules", *(f"  {line}" for line in config.to_toml().splitlines())]

    def tell(event: Event) -> None:
        lines.append(msgspec.json.encode(event).decode())
        lines.append(f"  {say(event).strip()}")

    engine.subscribe(tell)
    while not engine.is_terminal():
        public = engine.state.public
        if public.status == "REVEAL":
            engine.start_new_round()
            continue
        view = engine.get_view(public.current_player)
        actions = view.legal_actions
        lines.append(f"{view.name} holds {view.my_dice}, others {view.other_dice}, dice {public.dice_counts}")
        if view.current_bid is not None:
            lines.append(f"  {view.current_bid} is rung {public.rung}, holds {chance_true(view, view.current_bid):.9f}")
        lines.append(f"  legal: {len(actions)}, {actions[0]} to {actions[-1]}")
        engine.apply_action(public.current_player, rng.choice(actions))
    return lines + format_game(engine.state).splitlines()


@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name: str) -> None:
    """Rules 8.1 to 8.6 in action."""
    path = DATA / f"{name}.txt"
    lines = playthrough(GAMES[name], seed=2026)
    if os.environ.get("UPDATE_DATA"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert lines == path.read_text(encoding="utf-8").splitlines()
    notation = lines[lines.index("# liars-dice game") :]
    assert parse_game("\n".join(notation)).public.status == "ENDED"


def test_every_preset_has_one() -> None:
    assert {path.stem for path in DATA.glob("*.txt")} == set(GAMES) >= set(PRESETS)
