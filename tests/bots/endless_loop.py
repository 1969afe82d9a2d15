"""Thinks for ever."""

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        while True:
            pass
