"""One seed, one game: in any process, whatever Python's hash seed is."""

from __future__ import annotations

import os
import subprocess
import sys

from liars_dice.core import PRESETS

SCRIPT = """
import msgspec
from liars_dice.agents import RandomAgent, make_agent
from liars_dice.core import GameEngine, PRESETS, format_game
for name, config in PRESETS.items():
    engine = GameEngine(config, [make_agent("optimal"), *(RandomAgent() for _ in config.dice[1:])], seed=77)
    engine.subscribe(lambda event: print(msgspec.json.encode(event).decode()))
    engine.play()
    print(format_game(engine.state))
"""


def run(hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_two_processes_play_the_same_games() -> None:
    first, second = run("1"), run("2")
    assert first == second
    assert first.count('"event_type":"GameEnded"') == len(PRESETS)
