"""Shoots at whoever keeps it."""

import os
import signal

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        os.kill(os.getppid(), signal.SIGKILL)
        raise RuntimeError("my keeper is out of reach")  # where a box hides it
