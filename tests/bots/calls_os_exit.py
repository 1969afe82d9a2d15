"""Leaves through the window."""

import os

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        os._exit(0)
