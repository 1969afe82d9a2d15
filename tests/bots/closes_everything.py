"""Closes every file it has."""

import os

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        os.closerange(0, 256)
        return super().choose_action(view)
