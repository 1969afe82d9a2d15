"""Raises an error that cannot be printed."""

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        class Unprintable(Exception):
            def __str__(self):
                raise ValueError("no")

        raise Unprintable
