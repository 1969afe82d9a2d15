"""Plays well, but leaves a child behind that has left the family."""

import os
import time

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.setsid()
                time.sleep(600)
            os._exit(0)
        return super().choose_action(view)
