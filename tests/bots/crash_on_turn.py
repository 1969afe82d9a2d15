"""Divides by zero."""

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        return 1 / 0
