"""Reseeds every generator it can find."""

import gc
import random

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        action = super().choose_action(view)
        random.seed(1)
        for thing in gc.get_objects():
            if issubclass(type(thing), random.Random) and thing is not self.rng:
                thing.seed(1)
        return action
