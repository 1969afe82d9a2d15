"""Fills the disk."""

import tempfile

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        with tempfile.TemporaryFile() as file:
            while True:
                file.write(b"x" * 1_000_000)
