"""Plays well, but never stops learning."""

import time

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def on_game_end(self, result):
        time.sleep(60)
