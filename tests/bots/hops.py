"""Plays well, but its children hop from process to process."""

import contextlib
import os

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        with contextlib.suppress(BlockingIOError):
            for _ in range(5):
                if os.fork() == 0:
                    self.hop()
        return super().choose_action(view)

    def hop(self):
        while True:
            with contextlib.suppress(BlockingIOError):
                if os.fork():
                    os._exit(0)
                os.setsid()
