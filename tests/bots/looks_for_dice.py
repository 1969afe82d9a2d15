"""Searches memory and the stack for dice that are not its own; fails loudly if it finds any."""

import gc
import sys

from liars_dice.agents import RandomAgent
from liars_dice.core import GameEngine, GameState


class Bot(RandomAgent):
    def choose_action(self, view):
        found = [thing for thing in gc.get_objects() if isinstance(thing, GameState | GameEngine)]
        frame = sys._getframe()
        while frame is not None:
            found += [v for v in frame.f_locals.values() if isinstance(v, GameState | GameEngine)]
            frame = frame.f_back
        if found:
            raise RuntimeError("found the state of the game")
        return super().choose_action(view)
