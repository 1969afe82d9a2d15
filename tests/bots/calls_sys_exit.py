"""Leaves by the front door."""

import sys

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        sys.exit(0)
