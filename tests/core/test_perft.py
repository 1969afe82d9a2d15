"""Every history of small rounds, counted and compared with the closed form and with what was counted before."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from liars_dice.core import GameConfig, preset
from liars_dice.core.conformance import Perft, closed_form, perft
from support import SMALL_PRESETS

DATA = Path(__file__).parent.parent / "data" / "perft"

LIMITED = {
    "opening-limits": GameConfig(dice=(1, 1), faces=3, opening_min_quantity=2, open_on_ones=False),
    "max-turns": GameConfig(dice=(1, 1), faces=4, max_turns=2),
    "palifico": preset("perudo", dice=(1, 2, 1), faces=2, palifico=True),
    "forbidden": GameConfig(dice=(1, 2), faces=3, wild="ones", wild_bids="forbidden"),
    "standard-exact": GameConfig(dice=(2, 1), faces=3, bid_ordering="liars_dice_standard", exact_call=True),
    "three-players": GameConfig(dice=(1, 1, 1), faces=2, wild="top"),
    "impossible-bids": GameConfig(dice=(1, 1), faces=2, max_quantity=4),
}
"""Rounds whose bids are limited by more than the ladder, and other variants."""

ALL = SMALL_PRESETS | LIMITED


def counted_before(name: str, now: Perft) -> Perft:
    """The counts in the data file; `UPDATE_DATA=1` writes them anew."""
    path = DATA / f"{name}.json"
    if os.environ.get("UPDATE_DATA"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(now), indent=1) + b"\n")
    return msgspec.json.decode(path.read_bytes(), type=Perft)


@pytest.mark.parametrize("name", ALL)
def test_counts_per_depth(name: str) -> None:
    counts = perft(ALL[name])
    assert counts == counted_before(name, counts)


@pytest.mark.parametrize("name", [*SMALL_PRESETS, "forbidden", "standard-exact", "three-players", "impossible-bids"])
def test_closed_form(name: str) -> None:
    """Rolls·2^B playable histories and rolls·(2^B − 1) terminal ones; twice as many of those with exact calls."""
    config = ALL[name]
    counts = counted_before(name, perft(config))
    rolls, rungs = config.faces**config.total_dice, len(config.ladder())
    assert counts == closed_form(config)
    assert sum(counts.playable) == rolls * 2**rungs
    assert sum(counts.terminal) == (2 if config.exact_call else 1) * rolls * (2**rungs - 1)


def test_every_data_file_is_checked() -> None:
    assert {path.stem for path in DATA.glob("*.json")} == set(ALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "config",
    [GameConfig(dice=(1, 2), faces=4), preset("perudo", players=2, dice=1), GameConfig(dice=(2, 2), faces=3)],
    ids=["duel", "perudo", "classic"],
)
def test_closed_form_of_larger_rounds(config: GameConfig) -> None:
    assert perft(config) == closed_form(config)
